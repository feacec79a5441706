//! The steps behind a number.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use super::functions::OUTSIDE;
use super::walk::{Seen, walk};
use crate::engine::{Frames, Record, Timeline};
use crate::ledger::Key;
use crate::machine::{LockClass, LockId, Pfn};

/// Whose steps of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Its own.
    Own,
    /// Those of what it calls too.
    Inclusive,
}

/// What is held while a step is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Under {
    /// One lock.
    Lock(LockId),
    /// Any lock of a class.
    Class(LockClass),
}

/// Which steps. What is none asks for nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Steps that are in this number.
    pub key: Option<Key>,
    /// Made by a function, by name; [`OUTSIDE`] for those that no function made.
    pub function: Option<(String, Scope)>,
    /// Made on a CPU.
    pub cpu: Option<u8>,
    /// Made by a task.
    pub task: Option<u8>,
    /// That touch a page.
    pub page: Option<Pfn>,
    /// That touch some page.
    pub touches: bool,
    /// Made while their task holds a lock: between the step that takes it and the one that releases it.
    pub under: Option<Under>,
    /// That take, await or release a lock.
    pub lock: Option<LockId>,
    /// Step counts, both ends included.
    pub range: Option<RangeInclusive<u32>>,
    /// Those outside the measured section too.
    pub all: bool,
}

/// Step counts after which the steps of a query have been made, ascending.
pub fn steps_of(timeline: &Timeline, query: &Query) -> Vec<u32> {
    let mut steps = Vec::new();
    each(timeline, query, |step, _| steps.push(step));
    steps
}

/// What the steps of a query add to its number: how many they are where it names none.
pub fn count_of(timeline: &Timeline, query: &Query) -> u64 {
    let mut sum = 0;
    each(timeline, query, |_, weight| sum += weight);
    sum
}

/// How much each step of a query adds to its number, in the order of [`steps_of`].
pub fn weight_of(timeline: &Timeline, query: &Query) -> Vec<(u32, u64)> {
    let mut steps = Vec::new();
    each(timeline, query, |step, weight| steps.push((step, weight)));
    steps
}

fn each(timeline: &Timeline, query: &Query, mut found: impl FnMut(u32, u64)) {
    let calls = query.function.as_ref().map(|(name, scope)| calls(timeline.frames(), name, *scope));
    walk(timeline, query.all, |seen| {
        let step = seen.at as u32 + 1;
        let named = calls.as_ref().is_none_or(|calls| is_in(query, calls, seen.record));
        if !seen.counted || !named || !query.takes(seen, step) {
            return;
        }
        let weight = query.key.map_or(1, |key| key.of(seen.adds));
        if weight > 0 {
            found(step, weight);
        }
    });
}

// A flag for each call: its own steps are asked for.
fn calls(frames: Frames<'_>, name: &str, scope: Scope) -> Vec<bool> {
    let mut calls = vec![false; frames.len()];
    for (at, frame) in frames.iter().enumerate() {
        let caller = || frame.parent().is_some_and(|parent| calls[parent as usize]);
        calls[at] = frame.func.name == name || scope == Scope::Inclusive && caller();
    }
    calls
}

fn is_in(query: &Query, calls: &[bool], record: &Record) -> bool {
    match record.frame() {
        Some(frame) => calls[frame as usize],
        None => query.function.as_ref().is_some_and(|(name, _)| name == OUTSIDE),
    }
}

impl Query {
    /// Steps that are in a number.
    pub fn of(key: Key) -> Query {
        Query { key: Some(key), ..Query::default() }
    }

    fn takes(&self, seen: &Seen, step: u32) -> bool {
        let page = seen.record.op.page();
        let holds = |under: Under| {
            seen.held.iter().any(|held| match under {
                Under::Lock(lock) => held.lock == lock,
                Under::Class(class) => held.lock.class == class,
            })
        };
        self.cpu.is_none_or(|cpu| cpu == seen.record.cpu)
            && self.task.is_none_or(|task| task == seen.record.task)
            && self.lock.is_none_or(|lock| seen.record.op.lock() == Some(lock))
            && self.page.is_none_or(|wanted| page == Some(wanted))
            && (!self.touches || page.is_some())
            && self.range.as_ref().is_none_or(|range| range.contains(&step))
            && self.under.is_none_or(holds)
    }
}
