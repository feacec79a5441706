//! Runs of the model.

use std::rc::Rc;

use sim_core::cost::{CLASSES, CostClass, Costs, Totals};
use sim_core::engine::{Engine, Outcome, Schedule};
use sim_core::ledger::Ledger;
use sim_core::scenario::RunSpec;

use crate::pace::{Pace, Stopped};

/// A scenario, variant and parameters that are known to exist.
///
/// # Panics
///
/// Where one of them does not: a mistake of ours, which every test of the report shows.
pub fn spec(scenario: &str, variant: &str, params: &[(&str, &str)]) -> RunSpec {
    let spec = RunSpec::new(scenario, variant).expect("a scenario and variant of the project");
    params.iter().fold(spec, |spec, (name, value)| spec.set(name, value).expect("a parameter in its bounds"))
}

/// Modelled times of a run that keeps no steps.
///
/// # Errors
///
/// [`Stopped`]
pub async fn timed(mut spec: RunSpec, costs: &Rc<Costs>, pace: &Pace<'_>) -> Result<Totals, Stopped> {
    spec.costs = Some(costs.clone());
    spec.schedule = Some(Schedule::Timed);
    Ok(finish(&spec, pace).await?.modelled().unwrap_or_default())
}

/// How often each class of work happens in a run, whatever it costs.
///
/// # Errors
///
/// [`Stopped`]
pub async fn counts(spec: RunSpec, pace: &Pace<'_>) -> Result<[f64; CLASSES], Stopped> {
    let mut costs = Costs::free("counts");
    for &class in &CostClass::ALL {
        costs.set(class, 2);
    }
    Ok(timed(spec, &Rc::new(costs), pace).await?.by_class.map(|halves| halves as f64 / 2.0))
}

/// The ledger of a run that keeps no steps.
///
/// # Errors
///
/// [`Stopped`]
pub async fn ledger(spec: &RunSpec, pace: &Pace<'_>) -> Result<Ledger, Stopped> {
    Ok(finish(spec, pace).await?.world().ledger.clone())
}

/// A run that keeps no steps, at its end.
///
/// # Errors
///
/// [`Stopped`]
///
/// # Panics
///
/// Where the run cannot go on: the reports ask for nothing of that kind.
pub async fn finish(spec: &RunSpec, pace: &Pace<'_>) -> Result<Engine, Stopped> {
    // Setting memory up is a turn of its own.
    (pace.breathe)().await;
    let mut engine = spec.start(true).expect("parameters that fit");
    (pace.breathe)().await;
    while engine.advance(pace.slice).expect("a schedule without choices") == Outcome::Paused {
        (pace.breathe)().await;
        if !(pace.progress)(0.0) {
            return Err(Stopped);
        }
    }
    Ok(engine)
}
