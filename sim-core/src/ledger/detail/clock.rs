//! How long steps and spans take: in steps always, in modelled time where there is a timing.

use super::work::{Length, Work};
use crate::cost::Timing;

/// The timing of a run, if it has one, and its length.
pub(super) struct Clock<'a> {
    timing: Option<&'a Timing>,
    steps: usize,
}

impl<'a> Clock<'a> {
    pub fn new(timing: Option<&'a Timing>, steps: usize) -> Clock<'a> {
        Clock { timing, steps }
    }

    /// Adds the time of a step.
    pub fn time(&self, at: usize, work: &mut Work) {
        let Some(timing) = self.timing else { return };
        work.ps = end(timing, at).saturating_sub(timing.begin.get(at).copied().unwrap_or(0));
        work.wait_ps = timing.wait.get(at).copied().unwrap_or(0);
    }

    /// From the end of a step to the end of another.
    pub fn span(&self, from: usize, to: usize) -> Length {
        let ps = self.timing.map_or(0, |timing| end(timing, to).saturating_sub(end(timing, from)));
        Length { begin: count(from), end: count(to), ps }
    }

    /// From the end of a step to the end of the run.
    pub fn rest(&self, from: usize) -> Length {
        let ps = self.timing.map_or(0, |timing| timing.totals.elapsed.saturating_sub(end(timing, from)));
        Length { begin: count(from), end: self.steps as u32, ps }
    }

    /// A wait that a step began and another one ended.
    pub fn wait(&self, from: usize, to: usize) -> Length {
        let ps = self.timing.and_then(|timing| timing.wait.get(to).copied()).unwrap_or(0);
        Length { begin: count(from), end: count(to), ps }
    }
}

fn end(timing: &Timing, at: usize) -> u64 {
    timing.end.get(at).copied().unwrap_or(timing.totals.elapsed)
}

// Steps that have been made when the one with this index has.
fn count(at: usize) -> u32 {
    at as u32 + 1
}
