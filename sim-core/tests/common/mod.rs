//! Runs by name.
#![allow(dead_code)]

use sim_core::engine::Engine;
use sim_core::scenario::{Run, RunSpec};

/// A run that has been asked for by name.
pub fn spec(scenario: &str, variant: &str, params: &[(&str, &str)]) -> RunSpec {
    let spec = RunSpec::new(scenario, variant).unwrap();
    params.iter().fold(spec, |spec, (name, value)| spec.set(name, value).unwrap())
}

/// The recorded run.
pub fn run(scenario: &str, variant: &str, params: &[(&str, &str)]) -> Run {
    spec(scenario, variant, params).record().unwrap()
}

/// The bulk run.
pub fn bulk(scenario: &str, variant: &str, params: &[(&str, &str)]) -> Engine {
    spec(scenario, variant, params).bulk(1 << 20, |_| true).unwrap()
}
