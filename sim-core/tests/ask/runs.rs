//! Runs to ask about: every scenario, both sides that it opens with, small.

use sim_core::engine::Timeline;
use sim_core::scenario::{RunSpec, SCENARIOS};

/// Parameters that make the largest scenarios short.
const SMALL: [(&str, &str); 6] =
    [("processes", "2"), ("loops", "2"), ("ram", "96"), ("pages", "24"), ("touch", "4"), ("rounds", "1")];

/// Both sides of every scenario, with as many of these parameters as fit, and its name.
pub fn all() -> Vec<(String, Timeline)> {
    let sides = SCENARIOS.iter().flat_map(|scenario| [(scenario, scenario.sides.0), (scenario, scenario.sides.1)]);
    let runs = sides.map(|(scenario, variant)| {
        let spec = RunSpec::new(scenario.name, variant).expect("the scenario is known");
        let mut small = SMALL.iter().filter(|(name, _)| scenario.params.iter().any(|param| param.name == *name));
        let asked = small.try_fold(spec.clone(), |spec, (name, value)| spec.set(name, value).ok());
        // Where these parameters do not fit together, those that the scenario has do.
        let run = asked.and_then(|spec| spec.record().ok());
        let run = run.unwrap_or_else(|| spec.record().expect("the scenario can be recorded"));
        (format!("{} {variant}", scenario.name), run.timeline)
    });
    runs.collect()
}
