//! mlock without waiting for every CPU, 2012: microseconds per mlock before and after, and how they grow with the CPUs.
//!
//! The number of CPUs of the author's machine is not published. What the rest of a round costs (system calls, faults,
//! munlock) is fitted to the run after the patch; everything that the patch takes away comes from the profile.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::Deserialize;
use sim_core::cost::{CostClass, Costs};

use crate::pace::{Pace, Stopped};
use crate::published::read;
use crate::report::{Check, Fit, Report, Role, Row, Table};
use crate::{model, profile};

#[derive(Deserialize)]
struct Published {
    benchmark: String,
    source: String,
    mlocks: f64,
    real_s: BTreeMap<String, f64>,
    related: Related,
}

#[derive(Deserialize)]
struct Related {
    source: String,
    cpus: u32,
    us_per_mlock: f64,
}

/// The profile.
pub const PROFILE: &str = "xeon-2012";
/// CPUs for which the ratio is modelled.
pub const CPUS: u32 = 80;
/// CPUs for which the growth is looked at.
const GROWTH: [u32; 4] = [4, 8, 16, 32];
/// Calls of one run.
const MLOCKS: u32 = 60;

/// The report.
///
/// # Errors
///
/// [`Stopped`]
pub async fn report(pace: &Pace<'_>) -> Result<Report, Stopped> {
    let data: Published = read(include_str!("../../assets/published/lru-drain.json"));
    let costs = Rc::new(profile::costs(PROFILE));
    let us = |variant: &str| data.real_s[variant] * 1e6 / data.mlocks;
    let rest = us("async") - drain("async", CPUS, &costs, pace).await?;
    let sync = rest + drain("sync", CPUS, &costs, pace).await?;
    let related = rest + drain("sync", data.related.cpus, &costs, pace).await?;
    pace.at(0.4).await?;
    let mut table = Table::new("mlock of small ranges before and after", &data.source, "us per mlock");
    table.profile = Some(PROFILE.to_string());
    table.rows = vec![
        Row::new("after (async)", us("async"), us("async"), Role::Fitted),
        Row::new(format!("before (sync), {CPUS} CPUs"), us("sync"), sync, Role::HeldOut).within(10.0),
        Row::new(format!("ratio, {CPUS} CPUs"), us("sync") / us("async"), sync / us("async"), Role::HeldOut)
            .apart()
            .within(10.0),
        Row::new(
            format!("related report, {} CPUs", data.related.cpus),
            data.related.us_per_mlock,
            related,
            Role::Fitted,
        )
        .note(format!("another machine, another program with the same calls ({})", data.related.source)),
    ];
    table.fits.push(Fit {
        parameter: "the rest of a round: system calls, faults, munlock".to_string(),
        value: rest,
        unit: "us per mlock",
        from: "the run after the patch".to_string(),
    });
    table.fits.push(Fit {
        parameter: "waking the kworker of another CPU (wake)".to_string(),
        value: costs.of(CostClass::Wake) as f64 / 1000.0,
        unit: "ns",
        from: format!("the related report of {} CPUs", data.related.cpus),
    });
    table.notes.push(format!(
        "The CPUs of the author's machine are not stated; {CPUS} are assumed: with that number the ratio is tested, without \
         it only that the cost is one of each CPU. {}.",
        data.benchmark
    ));
    table.checks = growth(&costs, pace).await?;
    Ok(Report { series: "lru-drain", tables: vec![table] })
}

// Microseconds per mlock that the model's mlock takes, the drain included.
async fn drain(variant: &str, cpus: u32, costs: &Rc<Costs>, pace: &Pace<'_>) -> Result<f64, Stopped> {
    let (cpus, mlocks) = (cpus.to_string(), MLOCKS.to_string());
    let params = [("cpus", cpus.as_str()), ("mlocks", mlocks.as_str()), ("filled_cpus", "0")];
    let totals = model::timed(model::spec("lru-drain", variant, &params), costs, pace).await?;
    Ok(totals.elapsed as f64 / 1e6 / f64::from(MLOCKS))
}

async fn growth(costs: &Rc<Costs>, pace: &Pace<'_>) -> Result<Vec<Check>, Stopped> {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (at, &cpus) in GROWTH.iter().enumerate() {
        before.push(drain("sync", cpus, costs, pace).await?);
        after.push(drain("async", cpus, costs, pace).await?);
        pace.at(0.4 + 0.6 * (at + 1) as f64 / GROWTH.len() as f64).await?;
    }
    let list = |times: &[f64]| {
        let each = GROWTH.iter().zip(times).map(|(cpus, time)| format!("{cpus} CPUs {time:.1} us"));
        each.collect::<Vec<_>>().join(", ")
    };
    let steps: Vec<f64> = before.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let doubles = steps.windows(2).all(|pair| (1.8..2.2).contains(&(pair[1] / pair[0])));
    let stays = after[3] - after[0] < (before[3] - before[0]) / 20.0;
    Ok(vec![
        Check::new("before the patch, each CPU adds the same", list(&before), doubles),
        Check::new("after the patch, CPUs without pages cost next to nothing", list(&after), stays),
    ])
}
