//! A run by name: scenario, variant, parameters, schedule; and what may be wrong with it.

use alloc::boxed::Box;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use super::built::Built;
use super::params::Params;
use super::program::Misfit;
use super::{Claim, End, Scenario, Variant, compare_claims};
use crate::cost::Costs;
use crate::engine::{Checker, ChoiceError, Engine, EngineError, Outcome, Schedule, Setup, Timeline, parse_choices};
use crate::ledger::Ledger;
use crate::op::World;

/// What is wrong with a run that somebody asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpecError {
    /// A name that is not known.
    Unknown {
        /// What it should name: "scenario", "variant", "parameter".
        what: &'static str,
        /// The name that was given.
        name: String,
        /// The closest known name, if any is close.
        close: Option<String>,
        /// All known names.
        known: String,
    },
    /// A value that does not fit its parameter.
    Value {
        /// Parameter.
        name: String,
        /// Value that was given.
        value: String,
        /// What was expected.
        expected: String,
    },
    /// Parameters that do not fit together.
    Together(String),
    /// A schedule that is not known.
    Schedule(String),
    /// A list of choices that cannot be read.
    Choices(ChoiceError),
    /// A run that cannot go on.
    Engine(EngineError),
    /// Something in a program, with its place there.
    At(Misfit),
}

impl SpecError {
    pub(crate) fn unknown(what: &'static str, name: &str, known: &[&str]) -> SpecError {
        let name: String = name.chars().take(40).collect();
        let close = closest(&name, known).map(str::to_string);
        SpecError::Unknown { what, name, close, known: known.join(", ") }
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecError::Unknown { what, name, close: Some(close), known } => {
                write!(f, "unknown {what} `{name}`; did you mean `{close}`? Known: {known}")
            }
            SpecError::Unknown { what, name, close: None, known } => {
                write!(f, "unknown {what} `{name}`; expected one of: {known}")
            }
            SpecError::Value { name, value, expected } => {
                write!(f, "parameter `{name}` is `{value}`; expected {expected}")
            }
            SpecError::Together(text) => f.write_str(text),
            SpecError::Schedule(text) => write!(
                f,
                "unknown schedule `{text}`; expected `round-robin`, `turns`, `timed`, `seed:N`, or `choices:` with a list such as `0x12,1x3`, and `+` with the rule that follows it, such as `+turns` or `+scenario`"
            ),
            SpecError::Choices(error) => error.fmt(f),
            SpecError::Engine(error) => error.fmt(f),
            SpecError::At(misfit) => misfit.fmt(f),
        }
    }
}

impl core::error::Error for SpecError {}

impl From<EngineError> for SpecError {
    fn from(error: EngineError) -> SpecError {
        SpecError::Engine(error)
    }
}

/// The known name that is close to one that is not known, if any is.
pub fn closest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let name: String = name.chars().take(40).collect();
    let nearest = known.iter().map(|&candidate| (distance(&name, candidate), candidate)).min();
    nearest.filter(|&(distance, candidate)| distance <= 1 + candidate.len() / 4).map(|(_, candidate)| candidate)
}

// Edits that turn one name into another.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut corner = core::mem::replace(&mut row[0], i + 1);
        for (j, &to) in b.iter().enumerate() {
            let change = corner + usize::from(from != to);
            corner = row[j + 1];
            row[j + 1] = change.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// A run by name.
#[derive(Clone)]
pub struct RunSpec {
    /// Scenario.
    pub scenario: &'static Scenario,
    /// Kernel.
    pub variant: &'static Variant,
    /// Parameters.
    pub params: Params,
    /// Schedule; none is the scenario's own, which is round-robin where it has no script.
    pub schedule: Option<Schedule>,
    /// Costs by which the run keeps time; the schedule `timed` needs them where the scenario has no clocks of its own.
    pub costs: Option<Rc<Costs>>,
}

/// A run that has been made.
pub struct Run {
    /// What was asked for.
    pub spec: RunSpec,
    /// Its timeline, cursor at the start.
    pub timeline: Timeline,
    /// Its ledger at the end.
    pub ledger: Ledger,
    /// Claims of the series, checked; where the run broke a rule and stopped, those that this breaks.
    pub claims: Vec<Claim>,
}

impl RunSpec {
    /// A run with the default parameters.
    ///
    /// # Errors
    ///
    /// Names the unknown scenario or variant.
    pub fn new(scenario: &str, variant: &str) -> Result<RunSpec, SpecError> {
        RunSpec::of(Scenario::find(scenario)?, variant)
    }

    /// A run of a scenario with the default parameters.
    ///
    /// # Errors
    ///
    /// Names the unknown variant.
    pub fn of(scenario: &'static Scenario, variant: &str) -> Result<RunSpec, SpecError> {
        let variant = scenario.variant(variant)?;
        Ok(RunSpec { scenario, variant, params: Params::new(scenario.params), schedule: None, costs: None })
    }

    /// The same with a parameter set by text.
    ///
    /// # Errors
    ///
    /// Names the unknown parameter, or the value and what was expected.
    pub fn set(mut self, name: &str, value: &str) -> Result<RunSpec, SpecError> {
        if self.variant.program.is_some() {
            let name: String = name.chars().take(40).collect();
            let text = format!("parameter `{name}`: a scenario file has none; expected the change in the file itself");
            return Err(SpecError::Together(text));
        }
        self.params.set(name, value)?;
        Ok(self)
    }

    /// The same with a schedule by text: `round-robin`, `turns`, `timed`, `seed:N`, `choices:LIST`, `choices:LIST+RULE`.
    ///
    /// # Errors
    ///
    /// Says what was expected.
    pub fn schedule(mut self, text: &str) -> Result<RunSpec, SpecError> {
        self.schedule = Some(parse_schedule(text)?);
        Ok(self)
    }

    /// Name of the schedule, as `--schedule` takes it.
    pub fn schedule_name(&self) -> String {
        self.schedule.as_ref().map_or_else(|| "scenario".to_string(), Schedule::name)
    }

    /// Sets memory up and starts the tasks; nothing of the measured run has happened yet.
    ///
    /// # Errors
    ///
    /// Parameters that do not fit together.
    pub fn start(&self, bulk: bool) -> Result<Engine, SpecError> {
        let Built { mut engine, measured, migrations, script, tasks } =
            (self.scenario.build)(self.variant, &self.params)?;
        let schedule = match &self.schedule {
            Some(schedule) => schedule.clone().with_own(script),
            None => script,
        };
        if *schedule.rule() == Schedule::Timed && engine.world().machine.swap.is_none() && self.costs.is_none() {
            let text = "schedule `timed` lets the CPU go on whose clock is behind, and this scenario has no clocks of its \
                        own; expected `round-robin`, or a cost profile with it";
            return Err(self.in_schedule(SpecError::Together(text.to_string())));
        }
        let checker = (!bulk).then(|| Checker::new(engine.config(), &engine.world().machine));
        engine.begin(Setup { schedule, measured, migrations, checker, costs: self.costs.clone() }, bulk);
        tasks(&mut engine);
        Ok(engine)
    }

    // A schedule that nobody asked for is the program's own: what is wrong with it has its place there.
    fn in_schedule(&self, error: SpecError) -> SpecError {
        let own = self.variant.program.is_some() && self.schedule.is_none();
        let choices = matches!(error, SpecError::Engine(EngineError::Choice { .. } | EngineError::LeftOver { .. }));
        if own && (choices || matches!(error, SpecError::Together(_))) {
            return SpecError::At(Misfit { path: "schedule".to_string(), text: error.to_string() });
        }
        error
    }

    /// Makes the recorded run.
    ///
    /// # Errors
    ///
    /// Parameters or choices that do not fit, or a run that is too long to record.
    pub fn record(self) -> Result<Run, SpecError> {
        self.record_within(u64::MAX)
    }

    /// The same, of at most `most` steps: for a caller that shows runs and has no use for longer ones.
    ///
    /// # Errors
    ///
    /// As [`RunSpec::record`].
    pub fn record_within(self, most: u64) -> Result<Run, SpecError> {
        let mut engine = self.start(false)?;
        if engine.advance(most.saturating_add(1)).map_err(|error| self.in_schedule(error.into()))? == Outcome::Paused {
            let text = format!(
                "the run has more than {most} steps, which is more than is shown step by step; expected smaller \
                 parameters, or the command line: mmscope run {} --bulk",
                self.scenario.name
            );
            return Err(SpecError::Together(text));
        }
        let mut timeline = engine.into_timeline();
        timeline.seek(timeline.len());
        let ledger = timeline.world().ledger.clone();
        let claims = End::of(&self, timeline.world(), Some(&timeline)).claims();
        timeline.seek(0);
        Ok(Run { spec: self, timeline, ledger, claims })
    }

    /// Claims of the series, checked against a world in which this run has come to its end.
    pub fn check_claims(&self, end: &World) -> Vec<Claim> {
        End::of(self, end, None).claims()
    }

    /// Makes the bulk run, ledger only. `progress` is called about every `slice` operations; false stops the run.
    ///
    /// # Errors
    ///
    /// Parameters that do not fit.
    pub fn bulk(&self, slice: u64, mut progress: impl FnMut(&Engine) -> bool) -> Result<Engine, SpecError> {
        let mut engine = self.start(true)?;
        while engine.advance(slice).map_err(|error| self.in_schedule(error.into()))? == Outcome::Paused
            && progress(&engine)
        {}
        Ok(engine)
    }
}

impl Run {
    /// What the series' author claimed of this variant, with what was found.
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// The end of the run, which its cursor must stand at.
    pub fn end(&self) -> End<'_> {
        debug_assert_eq!(self.timeline.cursor(), self.timeline.len(), "the cursor stands at the end");
        End::of(&self.spec, self.timeline.world(), Some(&self.timeline))
    }

    /// What the series' author claimed of two runs side by side, the older kernel first. The cursors stay where they are.
    pub fn compare(old: &mut Run, new: &mut Run) -> Vec<Claim> {
        let cursors = [&mut *old, &mut *new].map(|run| {
            let cursor = run.timeline.cursor();
            run.timeline.seek(run.timeline.len());
            cursor
        });
        let claims = compare_claims(&old.end(), &new.end());
        for (run, cursor) in [old, new].into_iter().zip(cursors) {
            run.timeline.seek(cursor);
        }
        claims
    }
}

/// Reads a schedule.
pub(super) fn parse_schedule(text: &str) -> Result<Schedule, SpecError> {
    if text == "round-robin" {
        return Ok(Schedule::RoundRobin);
    }
    if text == "turns" {
        return Ok(Schedule::Turns);
    }
    if text == "timed" {
        return Ok(Schedule::Timed);
    }
    if let Some((list, rule)) = text.strip_prefix("choices:").and_then(|list| list.split_once('+')) {
        let list = parse_choices(list).map_err(SpecError::Choices)?;
        let rule = match rule {
            "scenario" => None,
            _ if rule.starts_with("choices:") => return Err(SpecError::Schedule(text.chars().take(40).collect())),
            _ => Some(Box::new(parse_schedule(rule)?)),
        };
        return Ok(Schedule::Then(list, rule));
    }
    if let Some(list) = text.strip_prefix("choices:") {
        return parse_choices(list).map(Schedule::Choices).map_err(SpecError::Choices);
    }
    let seed = text.strip_prefix("seed:").and_then(|seed| seed.parse().ok());
    seed.map(Schedule::Seed).ok_or_else(|| SpecError::Schedule(text.chars().take(40).collect()))
}
