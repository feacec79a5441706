//! Sweeps at their default size, and what keeping modelled time costs a run.

use std::process::ExitCode;
use std::rc::Rc;

use evidence::sweep::{PLANS, Plan, sweep};
use evidence::{Pace, run};
use scenario_file::profile;
use sim_core::cost::Costs;
use sim_core::engine::Schedule;
use sim_core::scenario::{RunSpec, Scenario};

use crate::clock::Moment;
use crate::say::say;

/// First argument of a run of this section alone.
pub const ARGUMENT: &str = "sweeps";

/// Prints the section and nothing else.
pub fn main() -> ExitCode {
    match print() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Prints a line for each sweep, and for timed runs beside untimed ones.
pub fn print() -> Result<(), String> {
    say!("Sweeps: default sizes, both kernels that the series opens with");
    say!("                               runs        s  million     million");
    say!("series       parameter                         events   a second");
    let mut all = 0.0;
    for plan in PLANS {
        all += line(plan)?;
    }
    say!("all sweeps                         {all:>9.2}");
    say!();
    say!("Timed runs: the same runs with modelled time and without, one after the other");
    say!("                              million events a second      timed :");
    say!("run                                timed    untimed      untimed");
    for (scenario, set) in [
        ("munlock", &[("pages", "65536")][..]),
        ("pcp-free", &[("cpus", "8"), ("touch", "2048"), ("pages", "32768"), ("batch", "31"), ("high", "186")]),
        ("lru-drain", &[("cpus", "64"), ("mlocks", "300"), ("filled_cpus", "0")]),
    ] {
        ratio(scenario, set)?;
    }
    Ok(())
}

fn costs(series: &str) -> Result<Rc<Costs>, String> {
    let profile =
        profile::bundled(profile::of_series(series)).ok_or_else(|| format!("{series} has no cost profile"))?;
    Ok(Rc::new(profile.costs()))
}

fn sides(scenario: &str) -> Result<[&'static str; 2], String> {
    let scenario = Scenario::find(scenario).map_err(|error| error.to_string())?;
    Ok([scenario.sides.0, scenario.sides.1])
}

fn line(plan: &Plan) -> Result<f64, String> {
    let (costs, sides, pace) = (costs(plan.scenario)?, sides(plan.scenario)?, Pace::steady(|_| true));
    let (mut runs, mut operations) = (0, 0);
    let start = Moment::now();
    let made = run(sweep(plan, sides, &costs, &pace, |_, point| {
        runs += 1;
        operations += point.operations;
    }));
    let seconds = start.seconds();
    made.map_err(|error| error.to_string())?;
    let million = operations as f64 / 1e6;
    say!("{:<13}{:<14}{runs:>8}{seconds:>9.2}{million:>9.2}{:>12.2}", plan.scenario, plan.param, million / seconds);
    Ok(seconds)
}

fn ratio(scenario: &str, set: &[(&str, &str)]) -> Result<(), String> {
    let costs = costs(scenario)?;
    for variant in sides(scenario)? {
        let mut spec = RunSpec::new(scenario, variant).map_err(|error| error.to_string())?;
        for (name, value) in set {
            spec = spec.set(name, value).map_err(|error| error.to_string())?;
        }
        let untimed = rate(&RunSpec { schedule: Some(Schedule::Turns), ..spec.clone() })?;
        let timed = rate(&RunSpec { schedule: Some(Schedule::Timed), costs: Some(costs.clone()), ..spec })?;
        let name = format!("{scenario} {variant}");
        say!("{name:<30}{timed:>10.2}{untimed:>11.2}{:>13.2}", timed / untimed);
    }
    Ok(())
}

/// Million operations a second.
fn rate(spec: &RunSpec) -> Result<f64, String> {
    let mut engine = spec.start(true).map_err(|error| error.to_string())?;
    let start = Moment::now();
    engine.run().map_err(|error| error.to_string())?;
    let seconds = start.seconds();
    let operations = engine.world().clock;
    Ok(operations as f64 / seconds / 1e6)
}
