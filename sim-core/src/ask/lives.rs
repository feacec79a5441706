//! The index: for each subject the steps that touch it.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::subject::{Counter, Subject};
use super::touch::{Touch, each};
use crate::engine::Timeline;
use crate::ledger::detail::{Query, steps_of};

/// A step that touches something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touched {
    /// Step count after which it has been made.
    pub step: u32,
    /// What it does to it.
    pub touch: Touch,
}

/// Biographies of everything that a run touches.
#[derive(Clone, Debug, Default)]
pub struct Lives {
    lives: BTreeMap<Subject, Vec<Touched>>,
}

impl Lives {
    /// Goes through a run once.
    pub fn new(timeline: &Timeline) -> Lives {
        let mut lives: BTreeMap<Subject, Vec<Touched>> = BTreeMap::new();
        timeline.replay(|at, record, machine, after| {
            if after {
                return;
            }
            let step = at as u32 + 1;
            each(record, machine, timeline.numbers(), &mut |subject, touch| {
                lives.entry(subject).or_default().push(Touched { step, touch });
            });
        });
        for frame in timeline.frames().iter() {
            // A call after the last step has no moment of its own.
            if (frame.start as usize) < timeline.len() {
                let calls = lives.entry(Subject::Function(frame.func.name)).or_default();
                calls.push(Touched { step: frame.start + 1, touch: Touch::Calls });
            }
        }
        Lives { lives }
    }

    /// Everything that is touched, with how many steps do. Numbers of the ledger are not among it.
    pub fn all(&self) -> impl Iterator<Item = (Subject, usize)> + '_ {
        self.lives.iter().map(|(&subject, life)| (subject, life.len()))
    }

    /// Every step that touches a subject, ascending. A step may come twice: two calls that begin at once, or a page
    /// that leaves a list as another enters. Of a number of the ledger it is the steps that it counts.
    pub fn of(&self, timeline: &Timeline, subject: Subject) -> Cow<'_, [Touched]> {
        if let Subject::Counter(Counter::Key(key)) = subject {
            let steps = steps_of(timeline, &Query::of(key));
            return steps.into_iter().map(|step| Touched { step, touch: Touch::Writes }).collect();
        }
        Cow::Borrowed(self.lives.get(&subject).map_or(&[], Vec::as_slice))
    }
}

/// How many entries of a biography are not behind a step count.
pub fn passed(life: &[Touched], step: u32) -> usize {
    life.partition_point(|touched| touched.step <= step)
}

/// The last entry before a step.
pub fn last_before(life: &[Touched], step: u32) -> Option<Touched> {
    life[..life.partition_point(|touched| touched.step < step)].last().copied()
}

/// The last entry that writes, of a step that is not behind a step count: who left it as it is.
pub fn last_writer(life: &[Touched], step: u32) -> Option<Touched> {
    life[..passed(life, step)].iter().rfind(|touched| touched.touch.writes()).copied()
}

/// The first entry after a step.
pub fn next_after(life: &[Touched], step: u32) -> Option<Touched> {
    life.get(passed(life, step)).copied()
}
