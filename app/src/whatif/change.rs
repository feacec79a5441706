//! Changes of what is run, and the way back.

use sim_core::engine::Milestone;
use sim_core::ledger::Row;
use sim_core::scenario::SpecError;

use super::{Before, ledger, words};
use crate::link::{Beats, Pair, Which};
use crate::session::{Go, Session};
use crate::subject::Subject;

/// A place that another pair of runs may have as well: milestones on the way here, the last one first, each with how
/// many of its kind came before it.
struct Place {
    milestones: Vec<(Milestone, usize)>,
    ended: bool,
}

impl Place {
    fn of(beats: &Beats, at: Pair) -> Place {
        let passed = &beats.all()[..=beats.common(at)];
        let mut milestones: Vec<(Milestone, usize)> = Vec::new();
        for milestone in passed.iter().filter_map(|beat| beat.milestone) {
            let before = milestones.iter().filter(|(other, _)| *other == milestone).count();
            milestones.push((milestone, before));
        }
        milestones.reverse();
        Place { milestones, ended: at == beats.ends() }
    }

    /// The same place in other runs, or the nearest before.
    fn find(&self, beats: &Beats) -> Pair {
        if self.ended {
            return beats.ends();
        }
        let there = |&(milestone, before): &(Milestone, usize)| {
            beats.all().iter().filter(|beat| beat.milestone == Some(milestone)).nth(before)
        };
        self.milestones.iter().find_map(there).map_or(Pair::default(), |beat| beat.at)
    }
}

impl Session {
    /// Shows something else, from its start; what was shown stays where this fails. It can be undone.
    ///
    /// # Errors
    ///
    /// Names what does not exist, does not fit or is too long.
    pub fn load(&mut self, subject: &Subject) -> Result<(), SpecError> {
        let before = self.before();
        self.replace(subject)?;
        self.adopt_forks();
        self.note(before, None);
        Ok(())
    }

    /// The same, and both sides stay at the milestone that they were at, or go to the nearest one before. What the
    /// change did to the ledger, in words.
    ///
    /// # Errors
    ///
    /// As [`Session::load`].
    pub fn change(&mut self, subject: &Subject) -> Result<String, SpecError> {
        let place = Place::of(&self.beats, self.at());
        let ends = Which::BOTH.map(|which| self.side(which).track.end.clone());
        let before = self.subject.clone();
        self.load(subject)?;
        self.go(Go::Pair(place.find(&self.beats)));
        Ok(self.said_of(&before, &ends))
    }

    fn said_of(&self, before: &Subject, ends: &[Vec<Row>; 2]) -> String {
        let sides = Which::BOTH.map(|which| {
            let now = &self.side(which).track.end;
            let words = ledger::changes(&ends[which as usize], now).unwrap_or_else(|| "the same counts".into());
            format!("{}: {words}", which.name())
        });
        format!("{}. {}. {}.", words::changed(before, &self.subject), sides[0], sides[1])
    }

    /// Takes the last change back, or does it again; what it was, in words. None where there is none.
    ///
    /// # Errors
    ///
    /// What was shown before cannot be shown any more; then everything stays.
    pub fn turn_back(&mut self, redo: bool) -> Result<Option<String>, SpecError> {
        let Some(to) = self.what_if.history.peek(redo).cloned() else { return Ok(None) };
        let now = self.before();
        if to.subject != self.subject {
            self.replace(&to.subject)?;
        }
        self.what_if.branches = to.branches;
        self.go(Go::Pair(to.at));
        Ok(self.what_if.history.turned(redo, now))
    }

    pub(super) fn before(&self) -> Before {
        Before { subject: self.subject.clone(), at: self.at(), branches: self.what_if.branches.clone() }
    }

    /// Notes what there was before a change, if there has been one.
    pub(super) fn note(&mut self, before: Before, what: Option<String>) {
        if before.subject == self.subject && before.branches == self.what_if.branches {
            return;
        }
        let what = what.unwrap_or_else(|| words::changed(&before.subject, &self.subject));
        self.what_if.history.note(what, before);
    }
}
