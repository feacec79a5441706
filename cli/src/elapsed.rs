//! The row of the table that is no count: what the clocks of the programs say, in ticks.

use sim_core::ledger::{Group, Row};

const KEY: &str = "elapsed_ticks";
const LABEL: &str = "elapsed ticks";

/// A line of the table of one run; nothing on a machine without clocks.
pub fn one(ticks: u64) -> String {
    if ticks == 0 { String::new() } else { format!("{LABEL:<24}{ticks:>14}\n") }
}

/// A line of the table of two runs.
pub fn two(old: u64, new: u64) -> String {
    if old + new == 0 {
        return String::new();
    }
    let difference = new as i64 - old as i64;
    let difference = if difference == 0 { "0".to_string() } else { format!("{difference:+}") };
    format!("{LABEL:<20}{old:>12}{new:>12}{difference:>12}\n")
}

/// The rows of two runs, where they have clocks.
pub fn rows(old: u64, new: u64) -> Option<(Row, Row)> {
    let row = |value| Row { group: Group::Beside, key: KEY, label: LABEL, value };
    (old + new > 0).then(|| (row(old), row(new)))
}
