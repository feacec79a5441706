//! Batched rmap removal of 2023: what is left of the profile, and how many loops more a second.
//!
//! The profile of the kernel before gives each function its share of the time. In the patched kernel a function costs what
//! it is called: the statistics subtree as often as the model counts it, everything else as before. Nothing is fitted for
//! that. For the throughput, the share of the time that the processes were on a CPU is not published: it is fitted.

use std::collections::BTreeMap;

use serde::Deserialize;
use sim_core::ledger::{Count, Ledger};

use crate::model;
use crate::pace::{Pace, Stopped};
use crate::published::read;
use crate::report::{Check, Fit, Report, Role, Row, Table};

#[derive(Deserialize)]
struct Published {
    benchmark: String,
    source: String,
    loops: BTreeMap<String, f64>,
    share_pct: BTreeMap<String, BTreeMap<String, f64>>,
}

const OLD: &str = "v6.3";
const NEW: &str = "5";
/// Largest error aimed at in the four shares, in percent of the share.
const AIM: f64 = 5.0;
/// Layouts beside readahead's, and what the specification of the model expects of them, in percent more loops.
const LAYOUTS: [(&str, &str); 4] =
    [("0", "order 0"), ("2", "order 2"), ("4", "order 4"), ("9", "one folio of order 9")];

/// The report.
///
/// # Errors
///
/// [`Stopped`]
pub async fn report(pace: &Pace<'_>) -> Result<Report, Stopped> {
    let data: Published = read(include_str!("../../assets/published/rmap-unmap.json"));
    let old = ledger(OLD, "mix", pace).await?;
    let new = ledger(NEW, "mix", pace).await?;
    pace.at(0.4).await?;
    let share = |function: &str, variant: &str| data.share_pct[function][variant];
    let calls = ratio(&new, &old, Count::FolioStat);
    let statistics = share("__mod_lruvec_page_state", OLD);
    let saved = statistics * (1.0 - calls);
    let left = 100.0 - saved;
    let after = |share: f64, calls: f64| 100.0 * share * calls / left;

    let mut shares = Table::new("Shares of the profile with the series", &data.source, "percent of all samples");
    shares.rows = vec![
        Row::new(
            "try_to_unmap_one",
            share("try_to_unmap_one", NEW),
            100.0 * (share("try_to_unmap_one", OLD) - saved) / left,
            Role::HeldOut,
        ),
        Row::new(
            "__mod_lruvec_page_state",
            share("__mod_lruvec_page_state", NEW),
            after(statistics, calls),
            Role::HeldOut,
        ),
        Row::new(
            "percpu_counter_add_batch",
            share("percpu_counter_add_batch", NEW),
            after(share("percpu_counter_add_batch", OLD), ratio(&new, &old, Count::RssCalls)),
            Role::HeldOut,
        ),
        Row::new("PageHeadHuge", share("PageHeadHuge", NEW), after(share("PageHeadHuge", OLD), 1.0), Role::HeldOut)
            .note("taken as a cost per PTE: its calls fall to about half, its published share does not"),
    ];
    shares.rows = shares.rows.into_iter().map(|row| row.within(AIM)).collect();
    shares.notes.push(format!(
        "Shares before the series are input. Calls are counted by the model for 2 MiB in the folios that readahead makes: \
         {} statistics calls before, {} after. {}.",
        old.count(Count::FolioStat),
        new.count(Count::FolioStat),
        data.benchmark
    ));

    let mut loops = Table::new("Loops a second with the series", &data.source, "loops/s");
    let on_cpu = on_cpu(&data, saved);
    let gain = |saved: f64| 1.0 / (1.0 - on_cpu * saved / 100.0);
    loops.rows.push(Row::new("without", data.loops[OLD], data.loops[OLD], Role::Fitted));
    loops.rows.push(Row::new("with", data.loops[NEW], data.loops[OLD] * gain(saved), Role::Fitted));
    loops.fits.push(Fit {
        parameter: "share of the time that the processes are on a CPU".to_string(),
        value: on_cpu,
        unit: "of 1",
        from: "both counts of loops".to_string(),
    });
    loops.notes.push(
        "The profile alone implies 10.3 % more loops; 7.4 % were measured. The rest of the time lies outside the samples, \
         and how much is not published: it is fitted, so this table tests nothing."
            .to_string(),
    );
    loops.checks = directions(statistics, gain, pace).await?;
    Ok(Report { series: "rmap-unmap", tables: vec![shares, loops] })
}

async fn ledger(variant: &str, layout: &str, pace: &Pace<'_>) -> Result<Ledger, Stopped> {
    model::ledger(&model::spec("rmap-unmap", variant, &[("layout", layout)]), pace).await
}

fn ratio(new: &Ledger, old: &Ledger, count: Count) -> f64 {
    new.count(count) as f64 / old.count(count).max(1) as f64
}

// gain = 1 / (1 - f * saved), solved for f.
fn on_cpu(data: &Published, saved: f64) -> f64 {
    (1.0 - data.loops[OLD] / data.loops[NEW]) * 100.0 / saved
}

// Larger folios gain more, and folios of one page nothing.
async fn directions(statistics: f64, gain: impl Fn(f64) -> f64, pace: &Pace<'_>) -> Result<Vec<Check>, Stopped> {
    let mut gains = Vec::new();
    for (at, (layout, name)) in LAYOUTS.iter().enumerate() {
        let (old, new) = (ledger(OLD, layout, pace).await?, ledger(NEW, layout, pace).await?);
        let calls = ratio(&new, &old, Count::FolioStat);
        gains.push((name, (gain(statistics * (1.0 - calls)) - 1.0) * 100.0));
        pace.at(0.4 + 0.6 * (at + 1) as f64 / LAYOUTS.len() as f64).await?;
    }
    let found: Vec<String> = gains.iter().map(|(name, gain)| format!("{name} {gain:+.1} %")).collect();
    let rises = gains.windows(2).all(|pair| pair[0].1 < pair[1].1) && gains[0].1.abs() < 0.5;
    Ok(vec![Check::new("folios of one page gain nothing, larger ones more and more", found.join(", "), rises)])
}
