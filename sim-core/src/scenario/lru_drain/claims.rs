//! What the author of the asynchronous drain claimed, checked against a run.

use alloc::vec;
use alloc::vec::Vec;

use crate::kernel::{Config, Patch};
use crate::ledger::{Count, Ledger};
use crate::machine::Machine;
use crate::scenario::{Claim, RunSpec};

const POSTING: &str = "the posting of 1 January 2012";

/// Claims for mlock of small ranges.
pub(super) fn claims(spec: &RunSpec, ledger: &Ledger, _: &Machine) -> Vec<Claim> {
    let config = spec.variant.config;
    let count = |count| ledger.count(count);
    if is_posted(config) || config.has(Patch::NoMlockDrain) {
        return vec![
            Claim::equal("mlock does not wait for other CPUs", POSTING, 0, count(Count::Sleeps), false),
            Claim::equal("mlock allocates no work items", POSTING, 0, count(Count::PercpuAllocs), false),
        ];
    }
    if config.has(Patch::SelectiveDrain) {
        return Vec::new();
    }
    let all = u64::from(spec.params.get("mlocks")) * u64::from(spec.params.get("cpus"));
    vec![Claim::equal("every mlock queues work on every CPU", POSTING, all, count(Count::WorksQueued), false)]
}

/// Claims for whoever needs the references of all pagevecs gone.
pub(super) fn emptied(spec: &RunSpec, _: &Ledger, end: &Machine) -> Vec<Claim> {
    let left = end.pagevecs.iter().map(|pagevec| u64::from(pagevec.nr)).sum();
    let known = is_posted(spec.variant.config);
    vec![Claim::equal("no pagevec slot holds a reference", "lru_add_drain_all of 3.12", 0, left, known)]
}

/// A race of which nobody claimed anything.
pub(super) fn none(_: &RunSpec, _: &Ledger, _: &Machine) -> Vec<Claim> {
    Vec::new()
}

fn is_posted(config: Config) -> bool {
    config.has(Patch::AsyncDrain)
}
