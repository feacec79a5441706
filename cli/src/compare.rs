//! `mmscope compare`

use std::fmt::Write;

use serde::Serialize;
use sim_core::scenario::Claim;

use crate::args::Ask;
use crate::json::{self, ClaimJson, RunJson};
use crate::run::{self, Made};
use crate::{Report, elapsed, scenario, table};

/// Two runs.
#[derive(Serialize)]
struct CompareJson {
    /// The rows of the table, in its order.
    rows: Vec<RowJson>,
    old: RunJson,
    new: RunJson,
    /// What was claimed of the two side by side; what was claimed of each stands with it.
    claims: Vec<ClaimJson>,
}

/// One quantity of both runs: counts of the measured section.
#[derive(Serialize)]
struct RowJson {
    /// Stable name.
    key: &'static str,
    /// Label in the table.
    label: &'static str,
    old: u64,
    new: u64,
    /// New less old.
    difference: i64,
}

/// Two kernels side by side.
///
/// # Errors
///
/// Says what of the input is wrong and what was expected.
pub fn compare(ask: &Ask) -> Result<Report, String> {
    let scenario = scenario::find(&ask.scenario)?;
    let old = run::make(ask, scenario, ask.old.as_deref().unwrap_or(scenario.sides.0))?;
    let new = run::make(ask, scenario, ask.new.as_deref().unwrap_or(scenario.sides.1))?;
    let claims = run::compared(&old, &new);
    let holds = old.holds() && new.holds() && !claims.iter().any(run::is_news);
    let text = if ask.json { json::print(&both(old, new, &claims)) } else { plain(&old, &new, &claims) };
    Ok(Report { text, holds })
}

fn both(old: Made, new: Made, claims: &[Claim]) -> CompareJson {
    let elapsed = elapsed::rows(old.elapsed_ticks, new.elapsed_ticks);
    let pairs = table::pairs(&old.ledger, &new.ledger).chain(elapsed);
    let row = |(old, new): (sim_core::ledger::Row, sim_core::ledger::Row)| RowJson {
        key: old.key,
        label: old.label,
        old: old.value,
        new: new.value,
        difference: new.value as i64 - old.value as i64,
    };
    let claims = claims.iter().map(Into::into).collect();
    CompareJson { rows: pairs.map(row).collect(), old: old.json(), new: new.json(), claims }
}

fn plain(old: &Made, new: &Made, claims: &[Claim]) -> String {
    let mut text = table::wrapped(&format!("{}, {}", old.spec.scenario.name, table::params(&old.spec.params)), "");
    for (side, made) in [("old", old), ("new", new)] {
        text.push_str(&table::wrapped(
            &format!("{side}: {}  ({})", made.spec.variant.label, made.spec.variant.name),
            "",
        ));
    }
    text.push('\n');
    let pages = u64::from(old.spec.params.get("pages"));
    text.push_str(&table::two(&old.ledger, &new.ledger, pages));
    text.push_str(&elapsed::two(old.elapsed_ticks, new.elapsed_ticks));
    text.push_str(&old.modelled.beside(&new.modelled));
    for (side, made) in [("old", old), ("new", new)] {
        let verdicts = made.verdicts();
        if !verdicts.is_empty() {
            let _ = write!(text, "\n{side}:{verdicts}");
        }
    }
    let verdicts = table::verdicts(claims, &[]);
    if !verdicts.is_empty() {
        let _ = write!(text, "\nside by side:{verdicts}");
    }
    text
}
