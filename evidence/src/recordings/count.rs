//! What is counted in a recorded run.

use std::collections::BTreeMap;
use std::ops::Range;

use sim_core::engine::{Frame, Record, Timeline};
use sim_core::machine::{LockClass, Stat};
use sim_core::op::Op;
use sim_core::scenario::RunSpec;
use sim_core::view::PagevecKind;

/// Counts by the names that the data file uses.
#[derive(Clone, Debug, Default)]
pub struct Counts(BTreeMap<String, u64>);

impl Counts {
    /// Notes one.
    pub fn set(&mut self, name: impl Into<String>, count: u64) {
        self.0.insert(name.into(), count);
    }

    /// Notes how often each size came up, as `name of 15 pages`, and all of them as `name`.
    pub fn sizes(&mut self, name: &str, sizes: &[u64], times: u64) {
        self.set(name, sizes.len() as u64 * times);
        let mut by_size = BTreeMap::new();
        sizes.iter().for_each(|&size| *by_size.entry(size).or_insert(0) += times);
        for (size, count) in by_size {
            let pages = if size == 1 { "page" } else { "pages" };
            self.set(format!("{name} of {size} {pages}"), count);
        }
    }

    /// Notes how many sizes are another one than what they should be.
    pub fn others(&mut self, name: &str, sizes: &[u64], size: u64) {
        let others = sizes.iter().filter(|&&found| found != size).count();
        self.set(format!("{name} of another size than {size}"), others as u64);
    }

    /// One of them. A size of something that was counted has come up at least never.
    pub fn get(&self, name: &str) -> Option<f64> {
        let never = || name.rsplit_once(" of ").and_then(|(counted, _)| self.0.get(counted)).map(|_| &0);
        self.0.get(name).or_else(never).map(|&count| count as f64)
    }
}

/// A recorded run.
pub struct Run(Timeline);

impl Run {
    /// Makes it.
    pub fn of(spec: RunSpec) -> Run {
        let run = spec.record().expect("a run of the project's own parameters");
        assert_eq!(run.timeline.violation(), None, "a run of the project's own parameters breaks no rule");
        let mut timeline = run.timeline;
        timeline.seek(timeline.len());
        Run(timeline)
    }

    /// All of it.
    pub fn whole(&self) -> Part<'_> {
        Part { timeline: &self.0, steps: 0..self.0.len() as u32 }
    }

    /// What a function did, from its first call to the end of its last one.
    pub fn within(&self, function: &str) -> Part<'_> {
        let calls = || self.0.frames().iter().filter(|frame| frame.func.name == function);
        let first = calls().next().map_or(0, |frame| frame.start);
        let last = calls().map(|frame| frame.end).max().unwrap_or(first);
        Part { timeline: &self.0, steps: first..last }
    }

    /// From the first call of a function on.
    pub fn from(&self, function: &str) -> Part<'_> {
        Part { steps: self.within(function).steps.start..self.0.len() as u32, timeline: &self.0 }
    }

    /// The run's timeline, at its end.
    pub fn timeline(&self) -> &Timeline {
        &self.0
    }
}

/// Some steps of a recorded run.
pub struct Part<'a> {
    timeline: &'a Timeline,
    steps: Range<u32>,
}

impl Part<'_> {
    fn frames<'a>(&'a self, function: &'a str) -> impl Iterator<Item = Frame> + 'a {
        let inside = move |frame: &Frame| self.steps.contains(&frame.start) && frame.func.name == function;
        self.timeline.frames().iter().filter(inside)
    }

    /// Calls of a function.
    pub fn calls(&self, function: &str) -> u64 {
        self.frames(function).count() as u64
    }

    /// Calls of a function that another one makes.
    pub fn calls_from(&self, function: &str, caller: &str) -> u64 {
        let frames = self.timeline.frames();
        let by = |frame: &Frame| frame.parent().and_then(|parent| frames.get(parent)).map(|parent| parent.func.name);
        self.frames(function).filter(|frame| by(frame) == Some(caller)).count() as u64
    }

    fn records(&self) -> &[Record] {
        &self.timeline.records()[self.steps.start as usize..self.steps.end as usize]
    }

    /// Operations of a kind.
    pub fn ops(&self, wanted: impl Fn(Op) -> bool) -> u64 {
        self.records().iter().filter(|record| wanted(record.op)).count() as u64
    }

    /// Pages in each pagevec of a kind that was emptied.
    pub fn emptied(&self, kind: PagevecKind) -> Vec<u64> {
        let of_kind = |record: &&Record| matches!(record.op, Op::PvecReinit { pv } if pv.kind == kind);
        // What an emptied pagevec had held is what takes the step back.
        self.records().iter().filter(of_kind).map(|record| record.outcome.undo & 0xff).collect()
    }

    /// Operations of a kind in each call of a function.
    pub fn per_call(&self, function: &str, wanted: impl Fn(Op) -> bool) -> Vec<u64> {
        let of = |frame: Frame| {
            let records = &self.timeline.records()[frame.start as usize..frame.end as usize];
            records.iter().filter(|record| wanted(record.op)).count() as u64
        };
        self.frames(function).map(of).collect()
    }

    /// Times a spinlock of a class was taken.
    pub fn locks(&self, class: LockClass) -> u64 {
        self.ops(|op| matches!(op, Op::SpinLock { class: taken, .. } if taken == class))
    }

    /// Updates of a counter.
    pub fn updates(&self, item: Stat) -> u64 {
        self.ops(|op| matches!(op, Op::Stat { item: updated, .. } if updated == item))
    }
}
