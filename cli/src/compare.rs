//! `mmscope compare`

use std::fmt::Write;

use serde::Serialize;

use crate::args::Ask;
use crate::json::{self, RunJson};
use crate::run::{self, Made};
use crate::{Report, table};

/// Two runs.
#[derive(Serialize)]
struct CompareJson {
    old: RunJson,
    new: RunJson,
}

/// Two kernels side by side.
///
/// # Errors
///
/// Says what of the input is wrong and what was expected.
pub fn compare(ask: &Ask) -> Result<Report, String> {
    let scenario = sim_core::scenario::Scenario::find(&ask.scenario).map_err(|error| error.to_string())?;
    let old = run::make(ask, Some(ask.old.as_deref().unwrap_or(scenario.sides.0)))?;
    let new = run::make(ask, Some(ask.new.as_deref().unwrap_or(scenario.sides.1)))?;
    let holds = old.holds() && new.holds();
    let text =
        if ask.json { json::print(&CompareJson { old: old.json(), new: new.json() }) } else { plain(&old, &new) };
    Ok(Report { text, holds })
}

fn plain(old: &Made, new: &Made) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}, {}", old.spec.scenario.name, table::params(&old.spec.params));
    let _ = writeln!(text, "old: {}  ({})", old.spec.variant.label, old.spec.variant.name);
    let _ = writeln!(text, "new: {}  ({})\n", new.spec.variant.label, new.spec.variant.name);
    let pages = u64::from(old.spec.params.get("pages"));
    text.push_str(&table::two(&old.ledger, &new.ledger, pages));
    for (side, made) in [("old", old), ("new", new)] {
        let verdicts = table::verdicts(&made.claims, &made.violations);
        if !verdicts.is_empty() {
            let _ = write!(text, "\n{side}:{verdicts}");
        }
    }
    text
}
