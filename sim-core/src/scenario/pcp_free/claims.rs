//! What the author of the series claimed, checked against a run.

use alloc::vec::Vec;

use crate::kernel::Patch;
use crate::ledger::{Count, Ledger};
use crate::machine::{Event, Machine};
use crate::scenario::{Claim, RunSpec};

/// Claims for one run that came to its end.
pub(super) fn claims(spec: &RunSpec, ledger: &Ledger, end: &Machine) -> Vec<Claim> {
    let mut claims = Vec::new();
    if spec.variant.config.has(Patch::PickOutside) && !spec.variant.config.has(Patch::SinglePass) {
        claims.push(Claim::equal(
            "no page is picked from a per-CPU list under zone->lock",
            "patch 1/2: do not hold lock when picking pages to free",
            0,
            ledger.count(Count::PicksUnderZone),
            false,
        ));
    }
    let in_use = end.pages.iter().filter(|page| page.count > 0).count() as u64;
    let handed_out = ledger.events[Event::Alloc as usize].wrapping_sub(ledger.events[Event::Free as usize]);
    claims.push(Claim::equal(
        "pages handed out and not given back are in use",
        "the balance of PGALLOC and PGFREE",
        in_use,
        handed_out,
        false,
    ));
    claims
}
