//! Workloads as scenario files.

use serde_json::{Value, json};
use sim_core::scenario::RunSpec;

/// A run of calls on each CPU: the machine, the kernel, and the pages that its processes map.
pub fn spec(machine: Value, config: Value, processes: Value, cpus: Value) -> RunSpec {
    prepared(machine, config, processes, json!([]), cpus)
}

/// The same with calls that come before. A scenario stays in memory for good: a few hundred bytes for each run.
pub fn prepared(machine: Value, config: Value, processes: Value, setup: Value, cpus: Value) -> RunSpec {
    let variant = config["variant"].as_str().unwrap_or_default().to_string();
    let file = json!({
        "name": "recording",
        "machine": machine,
        "config": config,
        "processes": processes,
        "setup": setup,
        "cpus": cpus,
    });
    let file = scenario_file::parse(&file.to_string()).expect("a scenario of the project");
    let scenario = file.into_scenario().expect("a scenario of the project");
    RunSpec::of(scenario, &variant).expect("a variant of the project")
}
