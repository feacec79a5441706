//! The core without a page around it, for native programs and for WebAssembly without bindings.
//!
//! Digests say that the same run gives the same bytes on both. Bulk runs say how fast it is.

pub mod bulk;
mod cases;
mod exports;

pub use cases::{Case, cases};

use sim_core::digest::Digest;
use sim_core::ledger::Ledger;
use sim_core::machine::LockClass;
use sim_core::scenario::{Run, RunSpec, SCENARIOS, SpecError};

/// Digest of a recorded run: the state it ends in, its ledger, the choices it made, and what broke. Scenario and variant
/// are indices into their lists. Seed 0 is the scenario's own schedule. A run that cannot be is digested by the message.
pub fn digest(scenario: u32, variant: u32, pages: u32, seed: u64) -> u64 {
    let mut digest = Digest::default();
    match spec(scenario, variant, pages, seed).and_then(RunSpec::record) {
        Ok(run) => feed_run(&mut digest, run),
        Err(error) => digest.bytes(error.to_string().as_bytes()),
    }
    digest.finish()
}

fn spec(scenario: u32, variant: u32, pages: u32, seed: u64) -> Result<RunSpec, SpecError> {
    let scenario = SCENARIOS.get(scenario as usize).unwrap_or(&SCENARIOS[0]);
    let variant = scenario.variants.get(variant as usize).unwrap_or(&scenario.variants[0]);
    let mut spec = RunSpec::new(scenario.name, variant.name)?;
    // Where one page of the range plays a part, it is the one in the middle.
    for (name, value) in [("pages", pages), ("at", pages / 2)] {
        if scenario.params.iter().any(|param| param.name == name) {
            spec = spec.set(name, &value.to_string())?;
        }
    }
    if seed == 0 { Ok(spec) } else { spec.schedule(&format!("seed:{seed}")) }
}

fn feed_run(digest: &mut Digest, run: Run) {
    let mut timeline = run.timeline;
    timeline.seek(timeline.len());
    digest.number(timeline.len() as u64);
    digest.number(timeline.world().machine.digest());
    feed_ledger(digest, &run.ledger);
    digest.bytes(timeline.choices());
    if let Some(violation) = timeline.violation() {
        digest.number(u64::from(violation.step));
        digest.bytes(violation.rule.as_bytes());
        digest.bytes(violation.detail.as_bytes());
    }
}

fn feed_ledger(digest: &mut Digest, ledger: &Ledger) {
    let Ledger { flags, gets, puts, counts, events, .. } = ledger;
    let numbers = flags.iter().chain(gets).chain(puts).chain(counts).chain(events);
    numbers.for_each(|&number| digest.number(number));
    for class in LockClass::ALL {
        let lock = ledger.lock(class);
        for number in [lock.acquired, lock.contended, lock.held_steps(), lock.max_waiters] {
            digest.number(number);
        }
    }
}
