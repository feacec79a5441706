//! Runs of the model.

use std::rc::Rc;

use sim_core::cost::{CLASSES, CostClass, Costs, Totals};
use sim_core::ledger::Ledger;
use sim_core::scenario::RunSpec;

/// A scenario, variant and parameters that are known to exist.
pub fn spec(scenario: &str, variant: &str, params: &[(&str, &str)]) -> RunSpec {
    let spec = RunSpec::new(scenario, variant).expect("a scenario and variant of the project");
    params.iter().fold(spec, |spec, (name, value)| spec.set(name, value).expect("a parameter in its bounds"))
}

/// Modelled times of a run that keeps no steps.
pub fn timed(mut spec: RunSpec, costs: &Rc<Costs>) -> Totals {
    spec.costs = Some(costs.clone());
    spec.schedule = Some(sim_core::engine::Schedule::Timed);
    let engine = spec.bulk(u64::MAX, |_| true).expect("a run of the project's own parameters");
    engine.modelled().unwrap_or_default()
}

/// How often each class of work happens in a run, whatever it costs.
pub fn counts(spec: RunSpec) -> [f64; CLASSES] {
    let mut costs = Costs::free("counts");
    for &class in &CostClass::ALL {
        costs.set(class, 2);
    }
    timed(spec, &Rc::new(costs)).by_class.map(|halves| halves as f64 / 2.0)
}

/// The ledger of a run that keeps no steps.
pub fn ledger(spec: RunSpec) -> Ledger {
    let engine = spec.bulk(u64::MAX, |_| true).expect("a run of the project's own parameters");
    let ledger = engine.world().ledger.clone();
    ledger
}
