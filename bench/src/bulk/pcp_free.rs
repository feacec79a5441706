//! page_fault1 of will-it-scale: 128 MiB are mapped, touched and unmapped again and again.

use sim_core::ledger::Count;

use super::{Case, head};
use crate::say::say;

/// Variants to compare.
const VARIANTS: [&str; 3] = ["v4.15", "merged", "today"];

pub fn print() -> Result<(), String> {
    head("page_fault1 of 327,680 pages on 1 CPU, of 229,376 on 56 (pcp-free)", "page");
    let alone = [("pages", "65536"), ("touch", "32768"), ("rounds", "10")];
    let many = [("cpus", "56"), ("pages", "327680"), ("touch", "1024"), ("rounds", "4")];
    for (label, sizes, units) in [("(1 CPU)", &alone[..], 327_680), ("(56 CPUs)", &many[..], 229_376)] {
        for variant in VARIANTS {
            let set: Vec<_> = sizes.iter().copied().chain([("batch", "31"), ("high", "186")]).collect();
            let case = Case { scenario: "pcp-free", variant, set: &set, label, units, times: 1 };
            case.measure()
                .and_then(|measured| freed(variant, units, measured.engine.world().ledger.count(Count::Frees)))?;
        }
    }
    say!("No time is modelled in a bulk run, so there is no score to hold against the published ones.");
    Ok(())
}

// Pages may wait in pagevecs at the end: 14, 15 or 31 of a CPU at most.
fn freed(variant: &str, touched: u64, freed: u64) -> Result<(), String> {
    if (touched.saturating_sub(56 * 31)..=touched).contains(&freed) {
        return Ok(());
    }
    Err(format!("pcp-free {variant}: {freed} pages were freed; expected {touched}, less what waits in pagevecs"))
}
