//! A bulk run in slices, one at a time.

use std::cell::RefCell;

use sim_core::engine::{Engine, Outcome};
use sim_core::scenario::{RunSpec, SCENARIOS};

thread_local! {
    static RUN: RefCell<Option<Engine>> = const { RefCell::new(None) };
}

/// Sets memory up for the munlock of so many pages by a variant, given by its index. False where that cannot be.
pub fn start(variant: u32, pages: u32) -> bool {
    end();
    let scenario = &SCENARIOS[0];
    let engine = scenario.variants.get(variant as usize).and_then(|variant| {
        let spec = RunSpec::new(scenario.name, variant.name).ok()?;
        spec.set("pages", &pages.to_string()).ok()?.start(true).ok()
    });
    let started = engine.is_some();
    RUN.set(engine);
    started
}

/// Runs about so many operations. True while there is more to do.
pub fn advance(operations: u64) -> bool {
    RUN.with_borrow_mut(|run| {
        run.as_mut().is_some_and(|engine| matches!(engine.advance(operations), Ok(Outcome::Paused)))
    })
}

/// Read-modify-writes counted so far, folds of statistics included.
pub fn total_rmw() -> u64 {
    RUN.with_borrow(|run| run.as_ref().map_or(0, |engine| engine.world().ledger.total_rmw()))
}

/// Gives the memory back.
pub fn end() {
    RUN.set(None);
}
