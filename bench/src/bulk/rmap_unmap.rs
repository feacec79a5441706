//! What the 96 processes of the benchmark map, 2 MiB each, unmapped by reclaim.

use super::{Case, head};
use crate::say::say;

/// PTEs of a run: 96 times 2 MiB.
const PTES: u64 = 96 * 512;
/// Runs, so that there is enough to measure.
const TIMES: u64 = 20;
/// Kernels to compare: before the series, with it, and what became of it.
const VARIANTS: [&str; 3] = ["v6.3", "5", "today"];
/// Orders of the folios.
const ORDERS: [&str; 3] = ["9", "4", "0"];
/// PTEs of the published run: its instances made 58,865 loops over 2 MiB in a second, before the series.
const PUBLISHED: f64 = 58_865.0 * 512.0;

pub fn print() -> Result<(), String> {
    head(&format!("{PTES} PTEs, as 96 processes have in 2 MiB each, {TIMES} times (rmap-unmap)"), "PTE");
    for layout in ORDERS {
        let (label, set) = (format!("(order {layout})"), [("pages", "49152"), ("layout", layout)]);
        for variant in VARIANTS {
            let case = Case { scenario: "rmap-unmap", variant, set: &set, label: &label, units: PTES, times: TIMES };
            let rate = (PTES * TIMES) as f64 / case.measure()?.seconds;
            say!(
                "  {:.2} million PTEs a second; {:.1} million of them, as published, would take {:.1} s",
                rate / 1e6,
                PUBLISHED / 1e6,
                PUBLISHED / rate
            );
        }
    }
    say!("The published run is extrapolated: it is {:.0} times what is run here.", PUBLISHED / (PTES * TIMES) as f64);
    say!("Isolating the folios, ageing them and giving them back is part of a run, as it is in the benchmark.");
    Ok(())
}
