//! `mmscope run`

use std::fmt::Write;

use sim_core::engine::{Engine, MAX_STEPS, Schedule, Violation, check_all};
use sim_core::ledger::Ledger;
use sim_core::ledger::detail::{By, Detail, Table};
use sim_core::op::World;
use sim_core::scenario::{Claim, RunSpec, Scenario, SpecError};

use crate::args::Ask;
use crate::json::{self, InvariantsJson, LedgerJson, ModelledJson, RunJson, StateJson};
use crate::{Report, scenario, table};

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
    choices: Vec<u8>,
    /// Micro-operations.
    steps: u64,
    state: StateJson,
    /// Times that the rules were checked.
    checked: u64,
    /// What `--detail` asks for.
    detail: Option<Table>,
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
    let spec = spec(ask, scenario, variant).map_err(|error| error.to_string())?;
    if !ask.bulk {
        return recorded(spec, ask.detail);
    }
    match ask.detail {
        Some(by) => Err(format!("--detail {}: expected a recorded run, without --bulk", by.name())),
        None => bulk(spec, ask.check),
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

fn recorded(spec: RunSpec, detail: Option<By>) -> Result<Made, String> {
    // Each page is a step at least: what cannot be recorded is not set up either.
    let pages = spec.params.get("pages");
    if pages as usize > MAX_STEPS {
        return Err(format!(
            "parameter `pages` is `{pages}`; expected fewer, or --bulk: a recorded run is {MAX_STEPS} steps at most"
        ));
    }
    let schedule = schedule(&spec, None)?;
    let mut run = spec.record().map_err(|error| error.to_string())?;
    let steps = run.timeline.len();
    run.timeline.seek(steps);
    Ok(Made {
        schedule,
        state: StateJson::new(&run.timeline.world().machine),
        steps: steps as u64,
        choices: run.timeline.choices().to_vec(),
        checked: run.timeline.checked(),
        detail: detail.map(|by| Detail::new(&run.timeline, None).table(by)),
        violations: run.timeline.violation().cloned().into_iter().collect(),
        claims: run.claims,
        ledger: run.ledger,
        spec: run.spec,
    })
}

fn bulk(spec: RunSpec, check: bool) -> Result<Made, String> {
    let engine = spec.bulk(SLICE, |_| true).map_err(|error| error.to_string())?;
    let schedule = schedule(&spec, Some(&engine))?;
    let world: &World = &engine.world();
    let broken = if check { check_all(&world.machine, engine.config(), true).err() } else { None };
    let violations = engine.violation().cloned().into_iter().chain(broken).collect::<Vec<_>>();
    let claims = if violations.is_empty() { spec.check_claims(world) } else { Vec::new() };
    Ok(Made {
        schedule,
        state: StateJson::new(&world.machine),
        steps: world.clock,
        choices: Vec::new(),
        checked: u64::from(check),
        detail: None,
        violations,
        claims,
        ledger: world.ledger.clone(),
        spec,
    })
}

// Name of the schedule. Where none was asked for, the scenario's own may be round-robin too, which only its set-up knows.
fn schedule(spec: &RunSpec, engine: Option<&Engine>) -> Result<String, String> {
    if spec.schedule.is_some() {
        return Ok(spec.schedule_name());
    }
    let own = match engine {
        Some(engine) => engine.schedule().clone(),
        None => spec.start(true).map_err(|error| error.to_string())?.schedule().clone(),
    };
    Ok(match own {
        Schedule::RoundRobin => "round-robin".to_string(),
        Schedule::Timed => "timed".to_string(),
        _ => spec.schedule_name(),
    })
}

impl Made {
    /// Every claim and rule holds, as far as the variant is not known to break it.
    pub fn holds(&self) -> bool {
        self.violations.is_empty() && self.claims.iter().all(|claim| claim.holds || claim.known)
    }

    /// The run as JSON.
    pub fn json(self) -> RunJson {
        RunJson {
            mmscope: env!("CARGO_PKG_VERSION"),
            scenario: self.spec.scenario.name,
            variant: self.spec.variant.name,
            params: json::params(&self.spec),
            schedule: self.schedule,
            choices: json::choices(&self.choices),
            steps: self.steps,
            ledger: LedgerJson::new(&self.ledger),
            state: self.state,
            modelled_ns: ModelledJson::default(),
            invariants: InvariantsJson {
                checked: self.checked,
                violations: self.violations.iter().map(Into::into).collect(),
            },
            claims: self.claims.iter().map(Into::into).collect(),
            detail: self.detail.as_ref().map(json::table),
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
        let _ = writeln!(text, "\n{} steps, schedule {}", self.steps, self.schedule);
        text.push_str(&table::verdicts(&self.claims, &self.violations));
        if let Some(detail) = &self.detail {
            let _ = write!(text, "\n{}", detail.to_text());
        }
        text
    }
}
