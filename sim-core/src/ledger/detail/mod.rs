//! The complete ledger of a recorded run: by lock, by span with interrupts or preemption off, by function, by CPU and
//! by page; and the steps behind every number.
//!
//! Everything is a pure function of a [`Timeline`] and, for modelled time, of a [`Timing`]. Step counts are those of
//! [`Timeline::seek`]: a step is named by how many there are once it has been made. Only steps of the measured section
//! are counted, unless [`Options::all`] asks for all; so the sums are those of the ledger.

mod clock;
mod export;
mod functions;
mod holds;
mod locks;
mod places;
mod query;
mod spans;
mod table;
mod tables;
mod walk;
mod work;

use alloc::vec::Vec;

pub use functions::{Function, Node, OUTSIDE};
pub use holds::{HoldLength, holds};
pub use locks::LockUse;
pub use places::{CpuUse, PageUse};
pub use query::{Query, Scope, Under, count_of, steps_of, weight_of};
pub use spans::{Cause, Off, Span, SpanSum};
pub use table::{Cell, Column, Counts, Subject, Table, TableRow};
pub use tables::{By, Measure};
pub use work::{Length, Lengths, Work};

use self::clock::Clock;
use self::functions::Calls;
use self::locks::Locks;
use self::places::Places;
use self::spans::Spans;
use self::walk::{Seen, walk};
use super::{Count, Key, Ledger};
use crate::cost::Timing;
use crate::engine::Timeline;

/// What is analysed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Steps outside the measured section too.
    pub all: bool,
    /// A number of the ledger to be told apart by function, lock, CPU and page: [`Work::of_key`].
    pub key: Option<Key>,
}

/// The analysis of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    /// What was asked for.
    pub options: Options,
    /// There is modelled time in it.
    pub timed: bool,
    /// All counted steps.
    pub total: Work,
    /// What they add up to; the ledger of the run unless all steps were asked for.
    pub ledger: Ledger,
    /// Each lock that was used, by class and index.
    pub locks: Vec<LockUse>,
    /// All locks of a class together.
    pub classes: Vec<LockUse>,
    /// Spans with interrupts or preemption off, by their beginning.
    pub spans: Vec<Span>,
    /// Functions, by name.
    pub functions: Vec<Function>,
    /// The call tree: callers before what they call.
    pub tree: Vec<Node>,
    /// CPUs that made a step.
    pub cpus: Vec<CpuUse>,
    /// Pages that were touched, by frame.
    pub pages: Vec<PageUse>,
}

impl Detail {
    /// The analysis of the measured section.
    pub fn new(timeline: &Timeline, timing: Option<&Timing>) -> Detail {
        Detail::with(timeline, timing, Options::default())
    }

    /// The analysis with options.
    pub fn with(timeline: &Timeline, timing: Option<&Timing>, options: Options) -> Detail {
        let clock = Clock::new(timing, timeline.len());
        let mut total = Work::default();
        let (mut locks, mut spans, mut places) = (Locks::new(), Spans::default(), Places::default());
        let mut calls = Calls::new(timeline.frames());
        let rest = walk(timeline, options.all, |seen| {
            let work = work(seen, options.key, &clock);
            locks.step(seen, work, &clock);
            spans.step(seen, work, &clock);
            calls.step(seen.record, seen.counted, work);
            if seen.counted {
                total += work;
                places.step(seen, work);
            }
        });
        let (locks, classes) = locks.finish(&rest, &clock);
        let (functions, tree) = calls.finish();
        let (cpus, pages) = places.finish(timeline.numbers());
        let (ledger, timed) = (rest.sum, timing.is_some());
        let spans = spans.finish(&clock);
        Detail { options, timed, total, ledger, locks, classes, spans, functions, tree, cpus, pages }
    }

    /// All locks of a class; none where none was used.
    pub fn class(&self, class: crate::machine::LockClass) -> Option<&LockUse> {
        self.classes.iter().find(|lock| lock.class == class)
    }

    /// A function by name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == name)
    }

    /// Spans by what is off and the name of the cause.
    pub fn span_sums(&self) -> Vec<SpanSum> {
        spans::sums(&self.spans)
    }
}

// What one step adds; nothing where it is not counted.
fn work(seen: &Seen, key: Option<Key>, clock: &Clock) -> Work {
    if !seen.counted {
        return Work::default();
    }
    let ledger = seen.adds;
    let mut work = Work {
        steps: 1,
        rmw: ledger.total_rmw(),
        locks: u64::from(seen.effect == crate::engine::Effect::Takes),
        lists: ledger.count(Count::ListDel) + ledger.count(Count::ListAdd),
        touches: u64::from(seen.record.op.page().is_some()),
        of_key: key.map_or(0, |key| key.of(ledger)),
        ..Work::default()
    };
    clock.time(seen.at, &mut work);
    work
}
