//! What the page is about: two recorded runs, where each is, and how the reader moves them.
//!
//! Nothing here knows of the browser. The page tells the session what was asked for and shows what it says.

mod ask;
mod target;

use std::cell::RefCell;
use std::rc::Rc;

use sim_core::engine::Milestone;
use sim_core::scenario::{Claim, Opening, Run, RunSpec, SpecError};
use sim_core::view::View;
use stage::{Form, Regions, Scene};

pub use self::ask::{Stop, Stops};
use crate::evidence::Evidence;
use crate::hash;
use crate::link::{Beats, Link, Pair, Which};
pub use crate::subject::Subject;
use crate::text;
use crate::track::{Frame, Moment, Track};
use crate::whatif::WhatIf;

/// Steps of the recorded runs that are kept beside the two in use.
const KEPT_STEPS: u64 = 300_000;
/// Steps that Back remembers.
const HISTORY: usize = 10_000;

/// What a reader asks of the runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// One step on.
    Step,
    /// One step back.
    Back,
    /// One step, without what it calls.
    Over,
    /// To the next milestone.
    Next,
    /// To the milestone before.
    Previous,
    /// To the next difference.
    Difference,
    /// So many steps on.
    On(u32),
    /// To a place on the scrubber.
    Clock(u32),
    /// So many steps on or back on the scrubber.
    By(i32),
    /// One side to a step, the other as the link says.
    Side(Which, u32),
    /// Both to a pair of steps.
    Pair(Pair),
    /// To so many tenths.
    Tenths(u8),
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// Nothing: it was there already.
    Not,
    /// By one step: tiles glide.
    Stepped,
    /// Further: a cut.
    Jumped,
}

/// One side of the page.
pub struct Side {
    /// The run.
    pub track: Track,
    /// What is shown apart from the drawing.
    pub moment: Moment,
    /// What the drawing shows.
    pub view: View,
    /// The drawing.
    pub scene: Rc<Scene>,
}

/// The two sides.
pub struct Session {
    /// What is shown.
    pub subject: Subject,
    /// Old and new.
    pub sides: [Side; 2],
    /// What both have in common.
    pub beats: Beats,
    /// What joins them.
    pub link: Link,
    /// The side that moves alone where nothing joins them.
    pub active: Which,
    /// Nothing glides; outlines show where pages were.
    pub ghosts: bool,
    /// What is derived from the runs on demand.
    pub evidence: RefCell<Evidence>,
    /// Claims that compare the two runs.
    pub compared: Vec<Claim>,
    frame: Frame,
    history: Vec<(Pair, Pair)>,
    kept: Vec<(String, Track)>,
    /// What the reader has changed, and the forks.
    pub what_if: WhatIf,
    /// Where breakpoints stop.
    stops: Stops,
}

impl Session {
    /// Records the two runs.
    ///
    /// # Errors
    ///
    /// Names what does not exist, does not fit or is too long.
    pub fn open(subject: &Subject, form: Form) -> Result<Session, SpecError> {
        let specs = [subject.spec(Which::Old)?, subject.spec(Which::New)?];
        let subject = subject.normal(&specs[0]);
        let [old, new] = specs;
        let sides = [Track::record(old)?, Track::record(new)?].map(Side::new);
        let mut session = Session {
            subject,
            sides,
            beats: Beats::default(),
            link: Link::default(),
            active: Which::Old,
            ghosts: false,
            evidence: RefCell::default(),
            compared: Vec::new(),
            frame: Frame { form, ..Frame::default() },
            history: Vec::new(),
            kept: Vec::new(),
            what_if: WhatIf::default(),
            stops: Stops::default(),
        };
        session.begin();
        session.adopt_forks();
        Ok(session)
    }

    /// Shows something else; what was shown stays where this fails. It cannot be undone: see [`Session::load`].
    ///
    /// # Errors
    ///
    /// Names what does not exist, does not fit or is too long.
    pub(crate) fn replace(&mut self, subject: &Subject) -> Result<(), SpecError> {
        let specs = [subject.spec(Which::Old)?, subject.spec(Which::New)?];
        let subject = subject.normal(&specs[0]);
        let mut fresh = Vec::with_capacity(2);
        for (which, spec) in Which::BOTH.into_iter().zip(specs) {
            let name = subject.key(which);
            if self.key(which) == name {
                continue;
            }
            match self.recorded(&name, spec) {
                Ok(track) => fresh.push((which, track)),
                Err(error) => {
                    fresh.into_iter().for_each(|(which, track)| self.keep(subject.key(which), track));
                    return Err(error);
                }
            }
        }
        for (which, track) in fresh {
            let name = self.key(which);
            let before = std::mem::replace(&mut self.sides[which as usize], Side::new(track));
            self.keep(name, before.track);
        }
        self.subject = subject;
        self.begin();
        Ok(())
    }

    fn recorded(&mut self, name: &str, spec: RunSpec) -> Result<Track, SpecError> {
        match self.kept.iter().position(|(kept, _)| kept == name) {
            Some(at) => Ok(self.kept.remove(at).1),
            None => Track::record(spec),
        }
    }

    fn keep(&mut self, name: String, track: Track) {
        self.kept.push((name, track));
        while self.kept.iter().map(|(_, track)| u64::from(track.steps())).sum::<u64>() > KEPT_STEPS {
            self.kept.remove(0);
        }
    }

    fn key(&self, which: Which) -> String {
        self.subject.key(which)
    }

    // New runs are at their start and measured.
    fn begin(&mut self) {
        let [old, new] = &mut self.sides;
        old.track.seek(0);
        new.track.seek(0);
        self.compared = Run::compare(&mut old.track.run, &mut new.track.run);
        let mut kinds = old.track.kinds();
        kinds.extend(new.track.kinds());
        self.frame.kinds = kinds;
        self.frame.columns = old.track.own_columns().max(new.track.own_columns());
        let ends = Pair::new(old.track.steps(), new.track.steps());
        self.beats = Beats::new(old.track.run.timeline.marks(), new.track.run.timeline.marks(), ends);
        self.history.clear();
        self.evidence.get_mut().forget();
        self.measure();
    }

    fn measure(&mut self) {
        let [old, new] = &mut self.sides;
        let needs = [old.track.measure(&self.frame), new.track.measure(&self.frame)];
        self.frame.whole = highest(&self.beats, &needs);
        self.draw(Moved::Jumped);
    }

    /// Shows this one of the two drawings; false where it is the one that is shown.
    pub fn set_form(&mut self, form: Form) -> bool {
        let other = self.frame.form != form;
        if other {
            self.frame.form = form;
            self.measure();
        }
        other
    }

    /// Steps that each side has made.
    pub fn at(&self) -> Pair {
        Pair::new(self.sides[0].track.cursor(), self.sides[1].track.cursor())
    }

    /// One side.
    pub fn side(&self, which: Which) -> &Side {
        &self.sides[which as usize]
    }

    /// What the series puts in front.
    pub fn opening(&self) -> &'static Opening {
        &self.sides[0].track.run.spec.scenario.series().opening
    }

    /// How many pages, calls or loops the run goes through, where the scenario says.
    pub fn units(&self) -> Option<u32> {
        let units = self.sides[0].track.run.spec.params.get(self.opening().unit.0);
        (units > 0).then_some(units)
    }

    /// "56 pages", where the scenario says how many.
    pub fn extent(&self) -> Option<String> {
        let (units, unit) = (self.units()?, self.opening().unit.1);
        Some(format!("{} {unit}{}", text::thousands(units.into()), if units == 1 { "" } else { "s" }))
    }

    /// Places on the scrubber.
    pub fn clock_end(&self) -> u32 {
        let ends = self.beats.ends();
        match self.link {
            Link::Milestone => self.beats.clock_end(),
            Link::Step => ends.old.max(ends.new),
            Link::Off => ends.of(self.active),
        }
    }

    /// Place on the scrubber.
    pub fn clock(&self) -> u32 {
        let at = self.at();
        match self.link {
            Link::Milestone => self.beats.clock(at),
            Link::Step => at.old.max(at.new),
            Link::Off => at.of(self.active),
        }
    }

    /// Both sides are at their ends.
    pub fn ended(&self) -> bool {
        match self.link {
            Link::Off => self.at().of(self.active) == self.beats.ends().of(self.active),
            _ => self.at() == self.beats.ends(),
        }
    }

    /// The side that waits for the other.
    pub fn waiting(&self) -> Option<Which> {
        if self.link == Link::Milestone { self.beats.waiting(self.at()) } else { None }
    }

    /// Does what was asked for.
    pub fn go(&mut self, go: Go) -> Moved {
        let at = self.at();
        let to = self.target(go, at);
        if to == at {
            return Moved::Not;
        }
        match go {
            Go::Back => {
                self.history.pop_if(|(_, to)| *to == at);
            }
            Go::Step | Go::On(1) => {
                if self.history.len() == HISTORY {
                    self.history.clear();
                }
                self.history.push((at, to));
            }
            _ => self.history.clear(),
        }
        self.set(to);
        let far = to.join(at, u32::abs_diff);
        let moved = if far.old.max(far.new) > 1 { Moved::Jumped } else { Moved::Stepped };
        self.draw(moved);
        moved
    }

    fn set(&mut self, to: Pair) {
        for which in Which::BOTH {
            self.sides[which as usize].track.seek(to.of(which));
        }
    }

    // Makes the drawings, with what the step moved noted on them.
    fn draw(&mut self, moved: Moved) {
        let frame = &self.frame;
        let views = [0, 1].map(|i| self.sides[i].track.view(&frame.kinds));
        let [old, new] = &mut self.sides;
        let rows = [old.track.regions(&views[0], frame), new.track.regions(&views[1], frame)];
        let rows = rows[0].max(&rows[1]).within(&frame.whole);
        for (side, view) in self.sides.iter_mut().zip(views) {
            let mut scene = side.track.scene(&view, frame, &rows);
            if moved == Moved::Stepped {
                scene.compare(&side.scene, self.ghosts && side.view.step != view.step);
            }
            side.moment = side.track.moment(&view);
            side.scene = Rc::new(scene);
            side.view = view;
        }
    }

    /// The state as a link, but for what is looked at and the breakpoints.
    pub fn link(&self) -> hash::Link {
        let branch = Which::BOTH.map(|which| Some(self.what_if.shown(&self.subject, which)?.name.clone()));
        hash::Link { branch, ..self.subject.link(self.at()) }
    }

    /// Milestone that each side was at last, as the header says it: of the side that is behind, and of the other
    /// where that is further.
    pub fn milestones(&self) -> (Option<Milestone>, Option<(Which, Option<Milestone>)>) {
        let at = self.at();
        let levels = Which::BOTH.map(|which| self.beats.level(which, at.of(which)));
        let low = levels[0].min(levels[1]);
        let milestone = |level: usize| self.beats.all()[level].milestone;
        let ahead = match levels[0].cmp(&levels[1]) {
            std::cmp::Ordering::Less => Some(Which::New),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(Which::Old),
        };
        (milestone(low), ahead.map(|which| (which, milestone(levels[which as usize]))))
    }
}

impl Side {
    fn new(track: Track) -> Side {
        Side { track, moment: Moment::default(), view: View::default(), scene: Rc::default() }
    }

    /// "old: v3.11-rc3".
    pub fn label(&self) -> &'static str {
        self.track.run.spec.variant.label
    }
}

/// The highest that each region gets on the way through both runs together.
fn highest(beats: &Beats, needs: &[Vec<(u32, Regions)>; 2]) -> Regions {
    let mut moments: Vec<Pair> = Vec::new();
    for which in Which::BOTH {
        moments.extend(needs[which as usize].iter().map(|&(step, _)| beats.partner(which, step)));
    }
    let mut whole = Regions::default();
    for at in moments {
        let rows = Which::BOTH.map(|which| {
            let needs = &needs[which as usize];
            let known = needs.partition_point(|&(step, _)| step <= at.of(which)).max(1);
            &needs[known - 1].1
        });
        let both = rows[0].max(rows[1]);
        let totals: Vec<u16> = whole.zones.iter().map(|zone| zone.total).collect();
        whole = whole.max(&both);
        // Lists are at their highest at different moments, so the zone is not as high as their sum.
        for (i, zone) in whole.zones.iter_mut().enumerate() {
            zone.total = totals.get(i).copied().unwrap_or(0).max(both.zones[i].total);
        }
    }
    whole
}

#[cfg(test)]
mod tests;
