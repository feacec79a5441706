//! `mmscope run`

use std::fmt::Write;
use std::rc::Rc;

use sim_core::cost::{Costs, Timing};
use sim_core::engine::{Engine, MAX_STEPS, Schedule, Timeline, Violation, check_all};
use sim_core::ledger::Ledger;
use sim_core::ledger::detail::{By, Detail, Table};
use sim_core::scenario::{Claim, End, RunSpec, Scenario, SpecError, compare_claims, elapsed_ticks};

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
    /// Modelled time.
    pub modelled: ModelledJson,
    /// What `--detail` asks for.
    detail: Option<Table>,
    /// The run itself, at its end.
    ended: Ended,
}

/// A run at its end.
enum Ended {
    Recorded(Box<Timeline>),
    Bulk(Box<Engine>),
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
    let text = match &made.detail {
        _ if ask.json => json::print(&made.json()),
        Some(detail) if ask.csv => detail.to_csv(),
        _ => made.plain(),
    };
    Ok(Report { text, holds })
}

/// Makes the run that was asked for, of a variant.
///
/// # Errors
///
/// Says what of the input is wrong and what was expected.
pub fn make(ask: &Ask, scenario: &'static Scenario, variant: &str) -> Result<Made, String> {
    let mut spec = spec(ask, scenario, variant).map_err(|error| match error {
        SpecError::Schedule(text) => format!("unknown schedule `{text}`; expected {SCHEDULES}"),
        other => other.to_string(),
    })?;
    let costs = Rc::new(profile(ask, scenario)?);
    // A recorded run is timed afterwards, step by step, unless its schedule goes by the clocks.
    if ask.bulk && ask.profile.is_some() || spec.schedule == Some(Schedule::Timed) {
        spec.costs = Some(costs.clone());
    }
    let made = match ask.detail {
        Some(by) if ask.bulk => {
            return Err(format!("--detail {}: expected a recorded run, without --bulk", by.name()));
        }
        _ if ask.bulk => bulk(spec, ask)?,
        by => recorded(spec, &ask.scenario, by, &costs)?,
    };
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

// The profile that was asked for by name or by file, or that of the series.
fn profile(ask: &Ask, scenario: &Scenario) -> Result<Costs, String> {
    let Some(name) = &ask.profile else {
        let own = scenario_file::profile::of_series(scenario.series().name);
        return Ok(scenario_file::profile::bundled(own).map(|profile| profile.costs()).unwrap_or_default());
    };
    if let Some(profile) = scenario_file::profile::bundled(name) {
        return Ok(profile.costs());
    }
    if !name.contains('/') && !name.ends_with(".json") {
        let known: Vec<&str> = scenario_file::profile::BUNDLED.iter().map(|(name, _)| *name).collect();
        return Err(format!("--profile: unknown profile `{name}`; expected one of {}, or a file", known.join(", ")));
    }
    let text = std::fs::read_to_string(name).map_err(|error| format!("--profile: {name}: {error}"))?;
    scenario_file::profile::parse(&text).map(|profile| profile.costs()).map_err(|error| format!("{name}: {error}"))
}

fn recorded(spec: RunSpec, name: &str, detail: Option<By>, costs: &Rc<Costs>) -> Result<Made, String> {
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
    let timing = Timing::new(&run.timeline, costs);
    let whole = Detail::new(&run.timeline, Some(&timing));
    let elapsed_ticks = elapsed_ticks(&run.spec, &run.timeline.world().machine);
    Ok(Made {
        modelled: ModelledJson::recorded(costs, &timing, &whole),
        schedule,
        bulk: false,
        elapsed_ticks,
        state: StateJson::new(&run.timeline.world().machine),
        steps: steps as u64,
        choices: run.timeline.choices().to_vec(),
        checked: run.timeline.checked(),
        detail: detail.map(|by| whole.table(by)),
        violations: run.timeline.violation().cloned().into_iter().collect(),
        claims: run.claims,
        ledger: run.ledger,
        spec: run.spec,
        ended: Ended::Recorded(Box::new(run.timeline)),
    })
}

fn bulk(spec: RunSpec, ask: &Ask) -> Result<Made, String> {
    let check = ask.check;
    let explained = |error| scenario::explain(&ask.scenario, &error);
    let engine = spec.bulk(SLICE, |_| true).map_err(explained)?;
    let name = spec.costs.as_ref().map(|costs| costs.name.clone()).unwrap_or_default();
    let schedule = schedule(&spec, Some(&engine)).map_err(explained)?;
    let world = engine.world();
    let broken = if check { check_all(&world.machine, engine.config(), true).err() } else { None };
    let violations = engine.violation().cloned().into_iter().chain(broken).map(without_step).collect::<Vec<_>>();
    let elapsed_ticks = elapsed_ticks(&spec, &world.machine);
    let claims = if violations.is_empty() { spec.check_claims(&world) } else { Vec::new() };
    let (state, steps, ledger) = (StateJson::new(&world.machine), world.clock, world.ledger.clone());
    drop(world);
    Ok(Made {
        schedule,
        bulk: true,
        elapsed_ticks,
        state,
        steps,
        choices: Vec::new(),
        checked: u64::from(check),
        modelled: engine.modelled().map_or_else(ModelledJson::default, |totals| ModelledJson::bulk(&name, &totals)),
        detail: None,
        violations,
        claims,
        ledger,
        spec,
        ended: Ended::Bulk(Box::new(engine)),
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

/// Claims that compare two runs; none where a rule has stopped either.
pub fn compared(old: &Made, new: &Made) -> Vec<Claim> {
    if !old.violations.is_empty() || !new.violations.is_empty() {
        return Vec::new();
    }
    old.at_end(|old| new.at_end(|new| compare_claims(old, new)))
}

/// A claim of which nobody knew that the variant breaks it.
pub fn is_news(claim: &Claim) -> bool {
    !claim.holds && !claim.known
}

impl Made {
    // Shows the end of the run to somebody.
    fn at_end<T>(&self, look: impl FnOnce(&End<'_>) -> T) -> T {
        match &self.ended {
            Ended::Recorded(timeline) => look(&End::of(&self.spec, timeline.world(), Some(timeline))),
            Ended::Bulk(engine) => look(&End::of(&self.spec, &engine.world(), None)),
        }
    }

    /// Every claim and rule holds, as far as the variant is not known to break it.
    pub fn holds(&self) -> bool {
        self.violations.is_empty() && !self.claims.iter().any(is_news)
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
            modelled_ns: self.modelled,
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
        text.push_str(&elapsed::one(self.elapsed_ticks));
        let _ = writeln!(text, "\n{} steps, schedule {}", self.steps, self.schedule);
        text.push_str(&self.modelled.line());
        text.push_str(&self.verdicts());
        if let Some(detail) = &self.detail {
            let _ = write!(text, "\n{}", detail.to_text());
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::scenario::ClaimKind;

    #[test]
    fn only_what_nobody_knew_to_be_broken_is_news() {
        let text = String::new;
        let claim = |holds, known| Claim {
            kind: ClaimKind::Count,
            claim: "",
            source: "",
            expected: text(),
            found: text(),
            holds,
            known,
            why: "",
            step: None,
        };
        assert!(is_news(&claim(false, false)));
        assert!(!is_news(&claim(false, true)) && !is_news(&claim(true, false)));
        let spec = RunSpec::new("munlock", "6").unwrap();
        let mut made = recorded(spec, "munlock", None, &Rc::default()).unwrap();
        assert!(made.holds());
        made.claims.push(claim(false, false));
        assert!(!made.holds());
    }
}
