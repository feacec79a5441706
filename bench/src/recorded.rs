//! Recorded runs: how fast they are made, what they weigh, how long a seek takes.

use sim_core::engine::{Engine, Outcome, Timeline};
use sim_core::scenario::RunSpec;

use crate::clock::{self, Moment};
use crate::memory;
use crate::say::say;

/// About a million steps.
const RUNS: [(&str, &str, u32); 2] = [("munlock", "0", 21_300), ("munlock-two-cpus", "6", 20_300)];
const SEEKS: usize = 2_000;

/// Prints the figures of each run.
pub fn print() -> Result<(), String> {
    say!("Recorded: rules checked after every step; timeline = keyframes and index");
    for (scenario, variant, pages) in RUNS {
        one(scenario, variant, pages)?;
    }
    Ok(())
}

fn one(scenario: &str, variant: &str, pages: u32) -> Result<(), String> {
    let spec = RunSpec::new(scenario, variant).and_then(|spec| spec.set("pages", &pages.to_string()));
    let mut engine = spec.and_then(|spec| spec.start(false)).map_err(|error| error.to_string())?;
    let before = memory::in_use();
    let start = Moment::now();
    let ended = engine.run().map_err(|error| error.to_string())?;
    let recording = start.seconds();
    if ended != Outcome::Finished {
        return Err(format!("{scenario} {variant}: the run did not come to its end: {:?}", engine.violation()));
    }
    let start = Moment::now();
    let mut timeline = Engine::into_timeline(engine);
    let building = start.seconds();
    let steps = timeline.len() as f64;
    let bytes = match (before, memory::in_use()) {
        (Some(before), Some(after)) => format!("{:.0}", (after.saturating_sub(before) << 20) as f64 / steps),
        _ => "?".to_string(),
    };
    say!("{scenario} {variant}, {pages} pages: {steps} steps, {bytes} bytes a step");
    say!(
        "  recording {:.2} million steps a second, timeline {:.2}, both {:.2}",
        steps / recording / 1e6,
        steps / building / 1e6,
        steps / (recording + building) / 1e6
    );
    seeks(&mut timeline);
    Ok(())
}

fn seeks(timeline: &mut Timeline) {
    let mut random = 1u64;
    let mut times: Vec<f64> = (0..SEEKS)
        .map(|_| {
            // A step of a linear congruential generator (Knuth's MMIX): any spread of targets will do.
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let target = (random >> 33) as usize % (timeline.len() + 1);
            clock::milliseconds(|| timeline.seek(target))
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((SEEKS - 1) as f64 * share) as usize];
    say!(
        "  seek to a random step: median {:.2} ms, 99 of 100 below {:.2} ms, most {:.2} ms (wall time)",
        at(0.5),
        at(0.99),
        at(1.0)
    );
}
