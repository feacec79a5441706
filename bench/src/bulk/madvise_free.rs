//! 12 processes fill 512 MiB each, five times, on 3 GiB of RAM with 8 GiB of swap.

use sim_core::ledger::Count;

use super::{Case, head};
use crate::say::say;

/// Pages that are filled: 12 processes, 5 loops.
const STORES: u64 = 12 * 131_072 * 5;
/// Of these, stores to what a loop before has filled.
const AGAIN: f64 = 12.0 * 131_072.0 * 4.0;
/// Variants with the swap-ins of 2015.
const REAL: [(&str, f64); 3] = [("dontneed", 1_612.0), ("free", 879_585.0), ("free-swap", 1_878.0)];

pub fn print() -> Result<(), String> {
    head("12 processes of 131,072 pages, 5 loops, 786,432 pages of RAM (madvise-free)", "store");
    let set = [("pages", "131072"), ("ram", "786432"), ("swap", "2097152"), ("skew", "65536")];
    for (variant, real) in REAL {
        let case = Case { scenario: "madvise-free", variant, set: &set, label: "", units: STORES, times: 1 };
        let measured = case.measure()?;
        let world = measured.engine.world();
        let count = |count| world.ledger.count(count);
        say!(
            "  {} swap-ins are {:.1} % of the stores to what was filled before (2015: {:.1} %); {} swap-outs",
            count(Count::SwapIn),
            count(Count::SwapIn) as f64 * 100.0 / AGAIN,
            real * 100.0 / AGAIN,
            count(Count::SwapOut)
        );
    }
    Ok(())
}
