//! What the author of the rmap-unmap series claimed, checked against a run.

use alloc::vec::Vec;

use super::RmapLayout;
use crate::kernel::Patch;
use crate::ledger::{Count, Ledger};
use crate::machine::Machine;
use crate::scenario::{Claim, RunSpec};

/// Claims of the series for one run that came to its end.
pub(super) fn claims(spec: &RunSpec, ledger: &Ledger, _: &Machine) -> Vec<Claim> {
    let plain = ["holes", "fail_at", "locked_at"]
        .iter()
        .all(|name| spec.params.changed().all(|(param, _)| param.name != *name));
    let file = spec.params.get("kind") == 0 && spec.params.get("processes") <= 1;
    let Ok(layout) = RmapLayout::from_params(&spec.params) else { return Vec::new() };
    if spec.scenario.name != "rmap-unmap" || !plain || !file {
        return Vec::new();
    }
    let config = spec.variant.config;
    let pages = u64::from(layout.pages());
    let batches = config.has(Patch::RmapBatch) || config.has(Patch::FileBatch);
    let calls = if batches { layout.runs() } else { pages };
    let mut claims = alloc::vec![Claim::equal(
        "statistics calls: one for a run of pages, not one for each",
        "cover letter: update the counters once for the batch",
        calls,
        ledger.count(Count::FolioStat),
        false,
    )];
    if !config.has(Patch::LazyfreeBatch) {
        claims.push(Claim::equal(
            "TLB flushes stay one for each page",
            "the series, patch by patch",
            pages,
            ledger.count(Count::TlbFlushes),
            false,
        ));
    }
    claims
}

/// Scenarios without claims of their own.
pub(super) fn none(_: &RunSpec, _: &Ledger, _: &Machine) -> Vec<Claim> {
    Vec::new()
}
