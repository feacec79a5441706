//! What some steps cost.

use core::ops::{AddAssign, Sub};

/// What some steps add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Steps.
    pub steps: u64,
    /// Atomics.
    pub rmw: u64,
    /// Locks taken, of any class.
    pub locks: u64,
    /// list_add and list_del.
    pub lists: u64,
    /// Steps that touch a struct page.
    pub touches: u64,
    /// What was asked for besides: [`super::Options::key`].
    pub of_key: u64,
    /// Modelled time without waiting, in ps; 0 without a timing.
    pub ps: u64,
    /// Modelled time of waiting, for locks or asleep, in ps; 0 without a timing.
    pub wait_ps: u64,
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Work) {
        self.steps += other.steps;
        self.rmw += other.rmw;
        self.locks += other.locks;
        self.lists += other.lists;
        self.touches += other.touches;
        self.of_key += other.of_key;
        self.ps = self.ps.saturating_add(other.ps);
        self.wait_ps = self.wait_ps.saturating_add(other.wait_ps);
    }
}

impl Sub for Work {
    type Output = Work;

    fn sub(self, other: Work) -> Work {
        Work {
            steps: self.steps - other.steps,
            rmw: self.rmw - other.rmw,
            locks: self.locks - other.locks,
            lists: self.lists - other.lists,
            touches: self.touches - other.touches,
            of_key: self.of_key - other.of_key,
            ps: self.ps.saturating_sub(other.ps),
            wait_ps: self.wait_ps.saturating_sub(other.wait_ps),
        }
    }
}

/// Some spans of the run: how long they are together, and the longest. Lengths are in steps of the whole run, of all
/// tasks, as the ledger measures holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lengths {
    /// How many.
    pub spans: u64,
    /// Steps.
    pub steps: u64,
    /// Modelled time in ps; 0 without a timing.
    pub ps: u64,
    /// The longest in steps, the first of these.
    pub longest: Option<Length>,
}

/// One span of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// Step count after which it has begun.
    pub begin: u32,
    /// Step count after which it is over; that of the whole run where this ended first.
    pub end: u32,
    /// Modelled time in ps; 0 without a timing.
    pub ps: u64,
}

impl Length {
    /// Steps.
    pub fn steps(&self) -> u64 {
        u64::from(self.end.saturating_sub(self.begin))
    }
}

impl Lengths {
    /// One more span.
    pub(super) fn add(&mut self, span: Length) {
        self.spans += 1;
        self.steps += span.steps();
        self.ps = self.ps.saturating_add(span.ps);
        if self.longest.is_none_or(|longest| span.steps() > longest.steps()) {
            self.longest = Some(span);
        }
    }
}
