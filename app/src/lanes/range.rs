//! A part of both runs, and what it counts.

use sim_core::engine::Timeline;
use sim_core::ledger::{Ledger, of_steps, rows};
use sim_core::machine::LockClass;

use crate::link::{Pair, Which};
use crate::session::Session;

/// A part of both runs: the steps after `from` up to `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Steps that each side has made when it begins.
    pub from: Pair,
    /// Steps that each side has made when it ends.
    pub to: Pair,
}

/// A count of both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// What is counted.
    pub label: String,
    /// Old and new.
    pub of: [u64; 2],
}

impl Range {
    /// Between two moments, whichever comes first.
    pub fn new(a: Pair, b: Pair) -> Range {
        Range { from: a.min(b), to: a.join(b, u32::max) }
    }

    /// Steps of a side in it.
    pub fn steps(&self, which: Which) -> u32 {
        self.to.of(which) - self.from.of(which)
    }

    /// It has no step.
    pub fn is_empty(&self) -> bool {
        Which::BOTH.iter().all(|&which| self.steps(which) == 0)
    }
}

/// What a part counts: the rows of the ledger that are not 0 on both sides, with waits and the steps for which locks
/// are held. Counts of parts that make up a whole add up to those of the whole.
pub fn counts(session: &Session, range: Range) -> Vec<Count> {
    let timelines = Which::BOTH.map(|which| &session.side(which).track.run.timeline);
    let ledgers =
        Which::BOTH.map(|which| of_steps(timelines[which as usize], range.from.of(which)..range.to.of(which)));
    let count = |label: String, of: [u64; 2]| Count { label, of };
    let mut counts = vec![count("steps".to_string(), Which::BOTH.map(|which| range.steps(which).into()))];
    let [old, new] = [rows(&ledgers[0]), rows(&ledgers[1])];
    counts.extend(old.iter().zip(&new).map(|(old, new)| count(old.label.to_string(), [old.value, new.value])));
    for class in LockClass::ALL {
        let waits = |ledger: &Ledger| ledger.lock(class).contended;
        counts.push(count(format!("waits for {}", class.words()), [waits(&ledgers[0]), waits(&ledgers[1])]));
    }
    for class in LockClass::ALL {
        let held =
            Which::BOTH.map(|which| held(timelines[which as usize], class, range.from.of(which)..range.to.of(which)));
        counts.push(count(format!("steps in {}", class.words()), held));
    }
    counts.retain(|count| count.of != [0, 0]);
    counts
}

/// Steps for which locks of a class are held in a part, those of several locks added up.
fn held(timeline: &Timeline, class: LockClass, part: std::ops::Range<u32>) -> u64 {
    let inside = |start: u32, end: u32| u64::from(end.min(part.end).saturating_sub(start.max(part.start)));
    timeline.index().holds_of(class).map(|hold| inside(hold.start, hold.end)).sum()
}
