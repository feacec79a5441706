//! What recorded runs weigh: computed bytes a step, not measured ones, and so equal on every machine.

use sim_core::engine::Outcome;
use sim_core::scenario::{RunSpec, SERIES, Scenario};

/// Bytes that a step may take, of which five are left for copies of memory in long runs.
const LIMIT: f64 = 64.0 - 5.0;
/// Steps below which what is kept once for each line of the kernel outweighs the steps.
const SHORT: f64 = 1000.0;
/// What such a run may take for its lines.
const LINES: f64 = 16_384.0;
/// Steps after which a run is weighed, if it is as long.
const STEPS: u64 = 30_000;

fn weigh(scenario: &'static Scenario, variant: &str) -> (f64, f64) {
    let mut engine = RunSpec::of(scenario, variant).unwrap().start(false).unwrap();
    assert_ne!(engine.advance(STEPS).unwrap(), Outcome::Broken, "{} {variant}", scenario.name);
    let timeline = engine.into_timeline();
    (timeline.weight().sum() as f64, timeline.len() as f64)
}

#[test]
fn a_step_of_every_series_and_variant_takes_less_than_64_bytes() {
    let mut over = Vec::new();
    for series in SERIES {
        let scenario = &series.scenarios[0];
        for variant in scenario.variants {
            let (bytes, steps) = weigh(scenario, variant.name);
            println!("{} {}: {bytes} bytes, {steps} steps, {:.1}", scenario.name, variant.name, bytes / steps);
            let lines = if steps < SHORT { LINES } else { 0.0 };
            if bytes >= LIMIT * steps + lines {
                over.push(format!("{} {}: {:.1} bytes a step", scenario.name, variant.name, bytes / steps));
            }
        }
    }
    assert_eq!(over, Vec::<String>::new());
}
