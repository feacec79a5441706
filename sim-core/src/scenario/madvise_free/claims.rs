//! What the author of the patch claimed, checked against a run.

use alloc::vec::Vec;

use crate::kernel::Patch;
use crate::ledger::{Count, Ledger};
use crate::machine::Machine;
use crate::scenario::{Claim, RunSpec};

/// Claims of the series for one run that came to its end.
pub(super) fn claims(spec: &RunSpec, ledger: &Ledger, _: &Machine) -> Vec<Claim> {
    let config = spec.variant.config;
    let mut claims = Vec::new();
    let drops = config.has(Patch::FreeSwapEntry) || config.has(Patch::ProgramDontneed);
    if spec.params.get("bystander") == 0 {
        claims.push(Claim::equal(
            "nothing is read back from swap",
            "the patch: swap-in is dearer than a page of zeroes",
            0,
            ledger.count(Count::SwapIn),
            !drops,
        ));
    }
    claims
}
