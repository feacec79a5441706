//! Forks: made, shown, put beside what they left, renamed, deleted.

use std::sync::Arc;

use sim_core::engine::{Schedule, print_choices_in_turn};
use sim_core::ledger::rows;
use sim_core::scenario::{RunSpec, Until};

use super::branches::{Branch, MOST, tidy};
use super::ledger;
use crate::hash::BRANCH_NAME;
use crate::link::{Pair, Which};
use crate::session::{Go, Session};
use crate::subject::Subject;
use crate::track::MOST_STEPS;

/// What came of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forked {
    /// It is what happens anyway.
    Same,
    /// The fork that is shown goes on with it.
    Longer(u32),
    /// There is another fork.
    New(u32),
}

/// The schedule of a fork from one that is in force: other choices at the start, and then the same rule.
fn schedule_after(base: Option<&str>, choices: &[u8]) -> String {
    let list = print_choices_in_turn(choices);
    let rule = match base {
        None => Some("scenario"),
        Some(base) => match base.strip_prefix("choices:") {
            Some(listed) => listed.split_once('+').map(|(_, rule)| rule),
            None => Some(base),
        },
    };
    rule.map_or_else(|| format!("choices:{list}"), |rule| format!("choices:{list}+{rule}"))
}

impl Session {
    /// Lets a CPU go next on one side, and on until something happens. What would be another run is a fork: of the one
    /// that is shown, or more of it where all of its own choices have been made by then. The side goes to the end of
    /// the turn; the other stays.
    ///
    /// # Errors
    ///
    /// The CPU cannot go on, the run would be too long, or there is no room for another fork.
    pub fn fork(&mut self, which: Which, cpu: u8, until: Until) -> Result<Forked, String> {
        let step = self.at().of(which);
        let run = &self.side(which).track.run;
        let fork = run.spec.fork(step.into(), cpu, until, MOST_STEPS).map_err(|wrong| wrong.to_string())?;
        let Some((choices, end)) = fork else {
            return Err(format!("CPU {cpu} cannot go on after step {step} in {}.", which.name()));
        };
        let before_it = run.timeline.decision(step as usize).map(|decision| decision.before.len());
        let forked = if run.timeline.choices().starts_with(&choices) {
            Forked::Same
        } else {
            self.leave(which, (step, cpu), &choices, before_it.unwrap_or(0))?
        };
        self.go(Go::Pair(self.at().with(which, end as u32)));
        Ok(forked)
    }

    fn leave(&mut self, which: Which, left: (u32, u8), choices: &[u8], kept: usize) -> Result<Forked, String> {
        let at = self.at();
        let shown = self.what_if.shown(&self.subject, which).map(|branch| (branch.id, branch.made));
        let longer = shown.filter(|&(_, made)| made <= kept);
        if longer.is_none() && self.what_if.branches.is_full() {
            return Err(format!("{MOST} forks are kept; delete one to make room for another."));
        }
        let parent_end: Arc<[_]> = self.side(which).track.end.clone().into();
        let schedule: Arc<str> = schedule_after(self.subject.schedule_of(which), choices).into();
        let mut subject = self.subject.clone();
        subject.own[which as usize] = Some(schedule.clone());
        let before = self.before();
        self.replace(&subject).map_err(|wrong| wrong.to_string())?;
        let (forked, words) = match longer {
            Some((id, _)) => {
                let branch = self.what_if.branches.get_mut(id);
                let name = branch.as_ref().map_or(String::new(), |branch| branch.name.clone());
                if let Some(branch) = branch {
                    (branch.schedule, branch.made) = (schedule, choices.len());
                }
                (Forked::Longer(id), format!("CPU {} after step {} in {name}", left.1, left.0))
            }
            None => {
                let branch = self.new_branch(which, schedule, choices.len(), parent_end);
                let name = self.free_name(&format!("fork at step {}", left.0));
                let words = format!("{name}: CPU {} in {}", left.1, which.name());
                let parent = shown.map(|(id, _)| id);
                let id = self.what_if.branches.add(Branch { name, parent, left: Some(left), ..branch });
                (Forked::New(id), words)
            }
        };
        self.find_outcome(which);
        self.note(before, Some(words));
        self.go(Go::Pair(at));
        Ok(forked)
    }

    fn new_branch(
        &self,
        which: Which,
        schedule: Arc<str>,
        made: usize,
        parent_end: Arc<[sim_core::ledger::Row]>,
    ) -> Branch {
        Branch {
            id: 0,
            parent: None,
            name: String::new(),
            which,
            scenario: self.subject.scenario.clone(),
            file: self.subject.file,
            variant: self.subject.variants[which as usize].clone(),
            schedule,
            made,
            left: None,
            parent_end,
            differs: String::new(),
            broken: None,
            params: Vec::new(),
        }
    }

    // The fork that a side shows, with what came of it there.
    fn find_outcome(&mut self, which: Which) {
        let Some(id) = self.what_if.shown(&self.subject, which).map(|branch| branch.id) else { return };
        let track = &self.sides[which as usize].track;
        let violation = track.run.timeline.violation();
        let broken = violation.map(|violation| (violation.rule.to_string(), violation.step));
        let Some(branch) = self.what_if.branches.get_mut(id) else { return };
        branch.differs = ledger::against(&branch.parent_end, &track.end);
        branch.broken = broken;
        branch.params.clone_from(&self.subject.params);
    }

    /// Sides with a schedule of their own that nobody made here, from a link, become forks of the original.
    pub(crate) fn adopt_forks(&mut self) {
        for which in Which::BOTH {
            let known = self.what_if.shown(&self.subject, which).is_some();
            let Some(schedule) = self.subject.own[which as usize].clone().filter(|_| !known) else { continue };
            if self.what_if.branches.is_full() {
                continue;
            }
            let made = match &self.side(which).track.run.spec.schedule {
                Some(Schedule::Choices(list) | Schedule::Then(list, _)) => list.len(),
                _ => 0,
            };
            let (end, left) = self.original(which);
            let name = self.free_name("fork from a link");
            let branch = self.new_branch(which, schedule, made, end.into());
            self.what_if.branches.add(Branch { name, left, ..branch });
            self.find_outcome(which);
        }
    }

    // The ledger at the end of the original of a side, and where the side leaves it.
    fn original(&self, which: Which) -> (Vec<sim_core::ledger::Row>, Option<(u32, u8)>) {
        let mut subject = self.subject.clone();
        subject.own[which as usize] = None;
        let original = subject.spec(which).and_then(|spec: RunSpec| spec.record_within(MOST_STEPS));
        let Ok(original) = original else { return Default::default() };
        let [ours, theirs] =
            [&self.side(which).track.run.timeline, &original.timeline].map(|timeline| timeline.records());
        let same = ours.iter().zip(theirs).take_while(|(a, b)| (a.op, a.task) == (b.op, b.task)).count();
        (rows(&original.ledger), ours.get(same).map(|record| (same as u32, record.cpu)))
    }

    /// The forks that the sides show have these names in a link.
    pub fn name_forks(&mut self, names: &[Option<String>; 2]) {
        for which in Which::BOTH {
            let name = names[which as usize].as_deref().and_then(tidy);
            let id = self.what_if.shown(&self.subject, which).map(|branch| branch.id);
            if let (Some(name), Some(branch)) = (name, id.and_then(|id| self.what_if.branches.get_mut(id))) {
                branch.name = name;
            }
        }
    }

    /// Shows a fork on the side where it was made, at the step after it left.
    ///
    /// # Errors
    ///
    /// It does not fit what is shown now.
    pub fn show_fork(&mut self, id: u32) -> Result<(), String> {
        let Some(branch) = self.what_if.branches.get(id).cloned() else { return Ok(()) };
        let which = branch.which;
        let mut subject = self.subject.clone();
        subject.variants[which as usize] = branch.variant;
        subject.own[which as usize] = Some(branch.schedule);
        let at = self.at();
        self.exchange(&subject, format!("{} to {}", which.name(), branch.name))?;
        self.find_outcome(which);
        let step = branch.left.map_or(at.of(which), |(step, _)| step + 1);
        self.go(Go::Pair(at.with(which, step)));
        Ok(())
    }

    /// Shows the original of a side again, at the same step.
    ///
    /// # Errors
    ///
    /// As [`Session::load`].
    pub fn show_original(&mut self, which: Which) -> Result<(), String> {
        let mut subject = self.subject.clone();
        subject.own[which as usize] = None;
        let at = self.at();
        self.exchange(&subject, format!("{} back to its original", which.name()))?;
        self.go(Go::Pair(at));
        Ok(())
    }

    /// Puts the original of a side's kernel on the other side, both at the same step.
    ///
    /// # Errors
    ///
    /// As [`Session::load`].
    pub fn put_beside(&mut self, which: Which) -> Result<(), String> {
        let mut subject = self.subject.clone();
        subject.variants[which.other() as usize] = subject.variants[which as usize].clone();
        subject.own[which.other() as usize] = None;
        let step = self.at().of(which);
        self.exchange(&subject, format!("{} beside its original", which.name()))?;
        self.go(Go::Pair(Pair::new(step, step)));
        Ok(())
    }

    fn exchange(&mut self, subject: &Subject, words: String) -> Result<(), String> {
        let before = self.before();
        self.replace(subject).map_err(|wrong| wrong.to_string())?;
        self.note(before, Some(words));
        Ok(())
    }

    /// Calls a fork something else. False where the name says nothing, or nothing new.
    pub fn rename_fork(&mut self, id: u32, name: &str) -> bool {
        let (Some(name), before) = (tidy(name), self.before()) else { return false };
        let Some(branch) = self.what_if.branches.get_mut(id).filter(|branch| branch.name != name) else { return false };
        let words = format!("{} is called {name}", branch.name);
        branch.name = name;
        self.note(before, Some(words));
        true
    }

    /// Deletes a fork. A side that shows it goes back to what it left.
    ///
    /// # Errors
    ///
    /// What it left cannot be shown; then it stays.
    pub fn delete_fork(&mut self, id: u32) -> Result<(), String> {
        let (before, at) = (self.before(), self.at());
        let Some(branch) = self.what_if.branches.get(id).cloned() else { return Ok(()) };
        let parent = branch.parent.and_then(|id| self.what_if.branches.get(id));
        let schedule = parent.map(|parent| parent.schedule.clone());
        let mut subject = self.subject.clone();
        for which in Which::BOTH.into_iter().filter(|&which| branch.is_shown(&self.subject, which)) {
            subject.own[which as usize].clone_from(&schedule);
        }
        if subject != self.subject {
            self.replace(&subject).map_err(|wrong| wrong.to_string())?;
            self.go(Go::Pair(at));
        }
        self.what_if.branches.remove(id);
        self.note(before, Some(format!("{} deleted", branch.name)));
        Ok(())
    }

    // A name that no other fork has.
    fn free_name(&self, wanted: &str) -> String {
        let taken = |name: &str| self.what_if.branches.all().iter().any(|branch| branch.name == name);
        let numbered = (2..).map(|n| format!("{wanted}, {n}"));
        let mut names = std::iter::once(wanted.to_string()).chain(numbered);
        let name = names.find(|name| !taken(name)).unwrap_or_else(|| wanted.to_string());
        debug_assert!(name.chars().count() <= BRANCH_NAME);
        name
    }
}
