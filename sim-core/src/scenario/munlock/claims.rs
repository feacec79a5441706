//! What the author of the munlock series claimed, checked against a run.

use alloc::vec::Vec;

use crate::kernel::Patch;
use crate::ledger::Ledger;
use crate::machine::{Event, LockClass, Machine, PageFlag, Stat};
use crate::scenario::{Claim, RunSpec};

/// Claims of the munlock series for one run that came to its end.
pub(super) fn claims(spec: &RunSpec, ledger: &Ledger, end: &Machine) -> Vec<Claim> {
    let config = spec.variant.config;
    let mut claims = Vec::new();
    if is_plain(spec) {
        claims.extend(costs(spec, ledger));
    }
    let rescued = ledger.events[Event::Rescued as usize];
    let munlocked = ledger.events[Event::Munlocked as usize];
    if is_plain(spec) {
        claims.push(Claim::equal(
            "PGRESCUED counts every page",
            "v2 changelog: a pgrescued counting bug in patch 5",
            munlocked,
            rescued,
            config.has(Patch::RfcPgrescued),
        ));
    }
    let flags = end.pages.iter().filter(|page| page.has(PageFlag::Mlocked)).map(|page| u64::from(page.nr())).sum();
    claims.push(Claim::equal(
        "NR_MLOCK counts the mlocked pages",
        "fix of 4.12 (70feee0e1ef3) for patch 4",
        flags,
        end.stat(Stat::Mlock).max(0) as u64,
        config.has(Patch::BatchMlockStat) && !config.has(Patch::CountMlock),
    ));
    claims
}

// Atomics and lru_lock rounds of a plain range, by the arithmetic of the tables.
fn costs(spec: &RunSpec, ledger: &Ledger) -> Vec<Claim> {
    let config = spec.variant.config;
    let pages = u64::from(spec.params.get("pages"));
    let size = match spec.params.get("pagevec") {
        0 => u64::from(config.pagevec),
        n => u64::from(n),
    };
    let batches = pages.div_ceil(size);
    let left = pages - size * (batches - 1);
    let has = |patch| config.has(patch);
    let by_table = has(Patch::PagevecFill) || has(Patch::HoldPte) || has(Patch::MlockBatch);
    if by_table {
        return Vec::new();
    }
    let (atomics, rounds) = if has(Patch::NoIsolatePin) {
        (9 * pages + 2 * batches, 2 * batches)
    } else if has(Patch::BatchPutback) {
        (11 * pages + 2 * batches, 2 * batches)
    } else if has(Patch::BatchIsolate) {
        (13 * pages + 2 * batches - 1 - 2 * left, 2 * batches - 1)
    } else if has(Patch::NoDrain) {
        (14 * pages + batches - 1 - 2 * left, pages + batches - 1)
    } else {
        (15 * pages - 3, 2 * pages - 1)
    };
    let found = ledger.page_rmw() + ledger.spin_rmw();
    let locks = ledger.lock(LockClass::Lru).acquired;
    alloc::vec![
        Claim::equal("atomics, folds apart", "the series, patch by patch", atomics, found, false),
        Claim::equal("lru_lock rounds", "the series, patch by patch", rounds, locks, false),
    ]
}

// No special pages, one zone: the tables apply as they stand.
fn is_plain(spec: &RunSpec) -> bool {
    let special =
        ["interleave", "thp", "not_mlocked", "in_remote_pagevec", "shared", "shared_locked", "holes", "folded_pmd"];
    spec.scenario.name == "munlock" && spec.params.get("zones") == 1 && special.iter().all(|name| !spec.params.is(name))
}
