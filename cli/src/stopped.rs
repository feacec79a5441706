//! Runs that could not go on because of what was asked for: no rule of the machine is broken.

use sim_core::engine::{ALLOCATED_ONCE, FREED_ONCE, OUT_OF_MEMORY, Violation};
use sim_core::scenario::RunSpec;
use sim_core::scenario::program::Misfit;

use crate::scenario;

/// Parameters that give memory, and those that take it.
const MORE: [&str; 3] = ["ram", "swap", "zones"];
const LESS: [&str; 3] = ["pages", "processes", "bystander"];

/// What of the input stopped the run, and what was expected.
pub fn message(name: &str, spec: &RunSpec, violation: &Violation) -> String {
    // What the kernel's code says is expected of parameters is said here by their names.
    let detail = violation.detail.split("; expected ").next().unwrap_or_default();
    let from_file = scenario::is_file(name);
    if violation.rule == OUT_OF_MEMORY && from_file {
        let expected = "expected more pages here, more slots of swap, or fewer pages in VMAs";
        let misfit = Misfit {
            path: "machine.zones".to_string(),
            text: format!("the run cannot go on: {}: {detail}; {expected}", violation.rule),
        };
        return scenario::place(name, &misfit);
    }
    if violation.rule == OUT_OF_MEMORY {
        return format!("the run cannot go on: {}: {detail}; expected {}", violation.rule, parameters(spec));
    }
    match violation.detail.split_once(": ").filter(|_| from_file) {
        Some((path, text)) if path.starts_with("cpus[") => {
            scenario::place(name, &Misfit { path: path.to_string(), text: format!("the run cannot go on: {text}") })
        }
        _ => format!("{name}: the run cannot go on: {}", of_block(violation)),
    }
}

// A block by the call that was made too often.
fn of_block(violation: &Violation) -> String {
    let (call, expected) = match violation.rule {
        ALLOCATED_ONCE => ("`alloc`: ", "; expected a `free` in between"),
        FREED_ONCE => ("`free`: ", "; expected an `alloc` before it"),
        _ => ("", ""),
    };
    format!("{call}{}{expected}", violation.detail)
}

// "more `ram` or `swap`, or fewer `pages` or `processes`", as far as the scenario has them.
fn parameters(spec: &RunSpec) -> String {
    let known = |names: &[&str]| {
        let has = |name: &&&str| spec.scenario.params.iter().any(|param| param.name == **name);
        let names: Vec<String> = names.iter().filter(has).map(|name| format!("`{name}`")).collect();
        names.join(" or ")
    };
    [("more ", known(&MORE)), ("fewer ", known(&LESS))]
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(how, names)| format!("{how}{names}"))
        .collect::<Vec<_>>()
        .join(", or ")
}
