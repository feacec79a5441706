//! `mmscope run`

use std::fmt::Write;

use sim_core::engine::{Engine, MAX_STEPS, Violation, check_all};
use sim_core::ledger::Ledger;
use sim_core::op::World;
use sim_core::scenario::{Claim, RunSpec, Scenario, SpecError, elapsed_ticks};

use crate::args::{Ask, SCHEDULES};
use crate::json::{self, InvariantsJson, LedgerJson, ModelledJson, RunJson, StateJson};
use crate::{Report, elapsed, scenario, stopped, table};

// Operations between two looks at whether a bulk run goes on.
const SLICE: u64 = 1 << 24;

/// A run with everything that is printed of it.
pub struct Made {
    /// What was asked for.
    pub spec: RunSpec,
    /// Counts.
    pub ledger: Ledger,
    /// Broken rules.
    pub violations: Vec<Violation>,
    /// Claims with what was found.
    pub claims: Vec<Claim>,
    schedule: String,
    bulk: bool,
    /// Ticks of the programs' clocks; 0 without clocks.
    pub elapsed_ticks: u64,
    choices: Vec<u8>,
    /// Micro-operations.
    steps: u64,
    state: StateJson,
    /// Times that the rules were checked.
    checked: u64,
}

/// One run.
///
/// # Errors
///
/// Says what of the input is wrong and what was expected.
pub fn run(ask: &Ask) -> Result<Report, String> {
    let scenario = scenario::find(&ask.scenario)?;
    let made = make(ask, scenario, ask.variant.as_deref().unwrap_or(scenario.sides.0))?;
    let holds = made.holds();
    let text = if ask.json { json::print(&made.json()) } else { made.plain() };
    Ok(Report { text, holds })
}

/// Makes the run that was asked for, of a variant.
///
/// # Errors
///
/// Says what of the input is wrong and what was expected.
pub fn make(ask: &Ask, scenario: &'static Scenario, variant: &str) -> Result<Made, String> {
    let spec = spec(ask, scenario, variant).map_err(|error| match error {
        SpecError::Schedule(text) => format!("unknown schedule `{text}`; expected {SCHEDULES}"),
        other => other.to_string(),
    })?;
    let made = if ask.bulk { bulk(spec, ask) } else { recorded(spec, &ask.scenario) }?;
    match made.violations.iter().find(|violation| violation.by_input()) {
        Some(violation) => Err(stopped::message(&ask.scenario, &made.spec, violation)),
        None => Ok(made),
    }
}

fn spec(ask: &Ask, scenario: &'static Scenario, variant: &str) -> Result<RunSpec, SpecError> {
    let mut spec = RunSpec::of(scenario, variant)?;
    for (name, value) in &ask.set {
        spec = spec.set(name, value)?;
    }
    match &ask.schedule {
        Some(text) if text != "scenario" => spec.schedule(text),
        _ => Ok(spec),
    }
}

fn recorded(spec: RunSpec, name: &str) -> Result<Made, String> {
    // Each page is a step at least: what cannot be recorded is not set up either.
    let pages = spec.params.get("pages");
    if pages as usize > MAX_STEPS {
        return Err(format!(
            "parameter `pages` is `{pages}`; expected fewer, or --bulk: a recorded run is {MAX_STEPS} steps at most"
        ));
    }
    let schedule = schedule(&spec, None).map_err(|error| scenario::explain(name, &error))?;
    let mut run = spec.record().map_err(|error| scenario::explain(name, &error))?;
    let steps = run.timeline.len();
    run.timeline.seek(steps);
    let elapsed_ticks = elapsed_ticks(&run.spec, &run.timeline.world().machine);
    Ok(Made {
        schedule,
        bulk: false,
        elapsed_ticks,
        state: StateJson::new(&run.timeline.world().machine),
        steps: steps as u64,
        choices: run.timeline.choices().to_vec(),
        checked: run.timeline.checked(),
        violations: run.timeline.violation().cloned().into_iter().collect(),
        claims: run.claims,
        ledger: run.ledger,
        spec: run.spec,
    })
}

fn bulk(spec: RunSpec, ask: &Ask) -> Result<Made, String> {
    let check = ask.check;
    let explained = |error| scenario::explain(&ask.scenario, &error);
    let engine = spec.bulk(SLICE, |_| true).map_err(explained)?;
    let schedule = schedule(&spec, Some(&engine)).map_err(explained)?;
    let world: &World = &engine.world();
    let broken = if check { check_all(&world.machine, engine.config(), true).err() } else { None };
    let violations = engine.violation().cloned().into_iter().chain(broken).map(without_step).collect::<Vec<_>>();
    let elapsed_ticks = elapsed_ticks(&spec, &world.machine);
    let claims = if violations.is_empty() { spec.check_claims(world) } else { Vec::new() };
    Ok(Made {
        schedule,
        bulk: true,
        elapsed_ticks,
        state: StateJson::new(&world.machine),
        steps: world.clock,
        choices: Vec::new(),
        checked: u64::from(check),
        violations,
        claims,
        ledger: world.ledger.clone(),
        spec,
    })
}

// A bulk run counts operations and records none.
fn without_step(violation: Violation) -> Violation {
    Violation { step: 0, ..violation }
}

// Name of the schedule. Where none was asked for, the scenario's own may be round-robin too, which only its set-up knows.
fn schedule(spec: &RunSpec, engine: Option<&Engine>) -> Result<String, SpecError> {
    if spec.schedule.is_some() {
        return Ok(spec.schedule_name());
    }
    let own = match engine {
        Some(engine) => engine.schedule().clone(),
        None => spec.start(true)?.schedule().clone(),
    };
    Ok(own.name())
}

impl Made {
    /// Every claim and rule holds, as far as the variant is not known to break it.
    pub fn holds(&self) -> bool {
        self.violations.is_empty() && self.claims.iter().all(|claim| claim.holds || claim.known)
    }

    /// The run as JSON.
    pub fn json(self) -> RunJson {
        let mut state = self.state;
        state.elapsed_ticks = self.elapsed_ticks;
        RunJson {
            mmscope: env!("CARGO_PKG_VERSION"),
            scenario: self.spec.scenario.name,
            variant: self.spec.variant.name,
            params: json::params(&self.spec),
            schedule: self.schedule,
            choices: json::choices(&self.choices),
            steps: self.steps,
            ledger: LedgerJson::new(&self.ledger),
            state,
            modelled_ns: ModelledJson::default(),
            invariants: InvariantsJson {
                checked: self.checked,
                violations: self.violations.iter().map(Into::into).collect(),
            },
            claims: self.claims.iter().map(Into::into).collect(),
        }
    }

    fn plain(&self) -> String {
        let mut text = String::new();
        let (scenario, variant) = (self.spec.scenario, self.spec.variant);
        text.push_str(&table::wrapped(&format!("{}, variant {}: {}", scenario.name, variant.name, variant.title), ""));
        text.push_str(&table::wrapped(&table::params(&self.spec.params), ""));
        text.push('\n');
        let pages = u64::from(self.spec.params.get("pages"));
        text.push_str(&table::one(&self.ledger, pages));
        text.push_str(&elapsed::one(self.elapsed_ticks));
        let _ = writeln!(text, "\n{} steps, schedule {}", self.steps, self.schedule);
        text.push_str(&self.verdicts());
        text
    }

    /// Claims and broken rules, a line each. A bulk run has no steps that could be named.
    pub fn verdicts(&self) -> String {
        if self.bulk {
            return table::verdicts_in_bulk(&self.claims, &self.violations);
        }
        table::verdicts(&self.claims, &self.violations)
    }
}
