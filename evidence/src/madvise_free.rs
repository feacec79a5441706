//! MADV_FREE and swapped-out pages, 2015: what is read back from swap, and how long the runs take.
//!
//! The reduced model of the series at full size: 12 processes of 131,072 pages on 786,432 frames. Its ticks and the skew
//! between the processes were chosen at small size; nothing is fitted to the published run.

use std::collections::BTreeMap;

use serde::Deserialize;
use sim_core::engine::Engine;
use sim_core::ledger::Count;

use crate::model;
use crate::pace::{Pace, Stopped};
use crate::published::read;
use crate::report::{Check, Report, Role, Row, Table};

#[derive(Deserialize)]
struct Published {
    benchmark: String,
    source: String,
    swap_in: BTreeMap<String, f64>,
    elapsed_s: BTreeMap<String, f64>,
    touched_again: f64,
}

/// Full size: pages a process, frames, slots, skew in ticks between two processes.
const FULL: [(&str, &str); 4] = [("pages", "131072"), ("ram", "786432"), ("swap", "2097152"), ("skew", "65536")];
const VARIANTS: [&str; 3] = ["dontneed", "free", "free-swap"];

/// The report.
///
/// # Errors
///
/// [`Stopped`]
pub async fn report(pace: &Pace<'_>) -> Result<Report, Stopped> {
    let data: Published = read(include_str!("../../assets/published/madvise-free.json"));
    let (mut swap_in, mut ticks) = (BTreeMap::new(), BTreeMap::new());
    for (at, variant) in VARIANTS.into_iter().enumerate() {
        let part = pace.part(at as f64 / 3.0, (at + 1) as f64 / 3.0);
        let engine = model::finish(&model::spec("madvise-free", variant, &FULL), &part).await?;
        let (count, elapsed) = end(&engine);
        swap_in.insert(variant, count);
        ticks.insert(variant, elapsed);
        pace.at((at + 1) as f64 / 3.0).await?;
    }
    Ok(Report { series: "madvise-free", tables: vec![reads(&data, &swap_in), elapsed(&data, &ticks)] })
}

// Pages read in, and the clock of the process that ended last.
fn end(engine: &Engine) -> (f64, f64) {
    let world = engine.world();
    let tasks = 0..world.machine.tasks.len() as u8;
    let elapsed = tasks.map(|task| world.machine.clock_of(task)).max().unwrap_or(0);
    (world.ledger.count(Count::SwapIn) as f64, elapsed as f64)
}

fn reads(data: &Published, found: &BTreeMap<&str, f64>) -> Table {
    let mut table = Table::new("Pages read back from swap", &data.source, "percent of the pages touched again");
    let share = |count: f64| 100.0 * count / data.touched_again;
    let row = |variant: &str| Row::new(variant, share(data.swap_in[variant]), share(found[variant]), Role::HeldOut);
    table.rows = vec![
        row("dontneed").within_points(2.0).note("published: 1,612 pages of other programs and of readahead"),
        row("free").within_points(2.0),
        row("free-swap").within_points(2.0).note("published: 1,878 pages of the same kind"),
    ];
    table.checks.push(Check::new(
        "with the patch no more is read back than with MADV_DONTNEED",
        format!("{} and {} pages", found["free-swap"], found["dontneed"]),
        found["free-swap"] == found["dontneed"],
    ));
    table.notes.push(format!("{}. Skew between two processes: 65,536 ticks, half a round of stores.", data.benchmark));
    table
}

fn elapsed(data: &Published, found: &BTreeMap<&str, f64>) -> Table {
    let mut table = Table::new("Elapsed time against MADV_DONTNEED", &data.source, "times as long");
    let published = |variant: &str| data.elapsed_s[variant] / data.elapsed_s["dontneed"];
    let modelled = |variant: &str| found[variant] / found["dontneed"];
    table.rows = ["free", "free-swap"]
        .map(|variant| Row::new(variant, published(variant), modelled(variant), Role::HeldOut).within(15.0))
        .to_vec();
    table
        .notes
        .push("Ticks of the reduced model, whose prices are whole numbers that were chosen at small size.".to_string());
    table
}
