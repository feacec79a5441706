//! What is shown: which scenario, which two kernels, which parameters.

use std::rc::Rc;
use std::sync::Arc;

use scenario_file::profile::{self, Profile};
use sim_core::scenario::{Param, RunSpec, Scenario, SpecError};

use crate::file;
use crate::hash;
use crate::link::{Pair, Which};

/// What is shown: a scenario, its two variants, parameters, schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Scenario.
    pub scenario: String,
    /// Variant of each side.
    pub variants: [String; 2],
    /// Parameters that differ from their defaults, and `pages`.
    pub params: Vec<(String, String)>,
    /// Schedule, where it is not the scenario's own.
    pub schedule: Option<String>,
    /// The scenario itself, where it comes from a file.
    pub file: Option<Opened>,
    /// Cost profile of the schedule `timed`, where it is one of the reader's own.
    pub profile: Option<Arc<Profile>>,
    /// Schedule of one side alone, which goes before that of both: a fork.
    pub own: [Option<Arc<str>>; 2],
}

/// A scenario from a file.
#[derive(Clone, Copy)]
pub struct Opened(pub &'static Scenario);

impl PartialEq for Opened {
    fn eq(&self, other: &Opened) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Opened {}

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at {:p}", self.0.name, self.0)
    }
}

impl Subject {
    /// A scenario as it opens.
    pub fn of(scenario: &Scenario) -> Subject {
        let opening = &scenario.series().opening;
        let changed = if scenario.name == scenario.series().name { opening.params } else { &[] };
        let shown = scenario.params.iter().filter_map(|param| {
            let set = changed.iter().find(|(name, _)| *name == param.name).map(|(_, value)| value.to_string());
            let value = set.or_else(|| (param.name == opening.unit.0).then(|| param.print(&param.initial())))?;
            Some((param.name.to_string(), value))
        });
        Subject {
            scenario: scenario.name.into(),
            variants: [scenario.sides.0.into(), scenario.sides.1.into()],
            params: shown.collect(),
            schedule: None,
            file: None,
            profile: None,
            own: Default::default(),
        }
    }

    /// A scenario from a file as it opens.
    pub fn of_file(scenario: &'static Scenario) -> Subject {
        Subject { file: Some(Opened(scenario)), ..Subject::of(scenario) }
    }

    /// What a link asks for.
    ///
    /// # Errors
    ///
    /// What is wrong with the scenario or the cost profile that the link carries. Names are not looked up.
    pub fn from_link(link: &hash::Link) -> Result<Subject, String> {
        let file = match (&link.file, link.scenario.as_str()) {
            (Some(packed), file::NAME) => Some(Opened(file::unpacked(packed)?)),
            (None, file::NAME) => {
                return Err("the link has no scenario; expected file= with one, as Share writes it".into());
            }
            (Some(_), name) => {
                return Err(format!("the link carries a scenario; expected `file` in place of `{name:.40}`"));
            }
            (None, _) => None,
        };
        let profile = link.profile.as_ref().map(|packed| file::unpacked_profile(packed)).transpose()?;
        if profile.is_some() && link.schedule.as_deref() != Some("timed") {
            return Err("the link carries a cost profile, which nothing goes by; expected schedule=timed".into());
        }
        Ok(Subject {
            scenario: file.map_or_else(|| link.scenario.clone(), |file| file.0.name.into()),
            variants: [link.old.clone(), link.new.clone()],
            params: link.params.clone(),
            schedule: link.schedule.clone(),
            file,
            profile: profile.map(Arc::new),
            own: link.own.clone().map(|own| own.map(Arc::from)),
        })
    }

    /// A moment of it as a link, which brings along the scenario and the cost profile where they are not the project's.
    pub fn link(&self, step: Pair) -> hash::Link {
        let Subject { scenario, variants: [old, new], params, schedule, file, profile, own } = self.clone();
        let scenario = if file.is_some() { file::NAME.into() } else { scenario };
        hash::Link {
            scenario,
            old,
            new,
            params,
            schedule,
            step,
            profile: profile.map(|profile| file::packed_profile(&profile)),
            file: file.and_then(|Opened(scenario)| file::packed(scenario)),
            own: own.map(|own| own.map(|own| own.to_string())),
            ..hash::Link::default()
        }
    }

    /// Value of a parameter, in text.
    pub fn get(&self, param: &Param) -> String {
        let set = self.params.iter().find(|(name, _)| name == param.name);
        set.map_or_else(|| param.print(&param.initial()), |(_, value)| value.clone())
    }

    /// Sets a parameter by text, which may be wrong.
    pub fn set(&mut self, name: &str, value: String) {
        match self.params.iter_mut().find(|(known, _)| known == name) {
            Some(entry) => entry.1 = value,
            None => self.params.push((name.to_string(), value)),
        }
    }

    /// The run of one side.
    ///
    /// # Errors
    ///
    /// Names what does not exist or does not fit.
    pub fn spec(&self, which: Which) -> Result<RunSpec, SpecError> {
        let variant = &self.variants[which as usize];
        let mut spec = match self.file {
            Some(Opened(scenario)) => RunSpec::of(scenario, variant)?,
            None => RunSpec::new(&self.scenario, variant)?,
        };
        for (name, value) in &self.params {
            spec = spec.set(name, value)?;
        }
        let Some(schedule) = self.schedule_of(which) else { return Ok(spec) };
        // What a list of choices goes on by stands behind it.
        let (choices, schedule) = schedule.rfind('+').map_or(("", schedule), |at| schedule.split_at(at + 1));
        // `timed` alone goes by the profile of the series.
        let (schedule, profile) = match schedule.strip_prefix("timed:") {
            Some(name) => ("timed", name),
            None => (schedule, profile::of_series(spec.scenario.series().name)),
        };
        if schedule == "timed" {
            let bundled = || profile::bundled(profile).ok_or_else(|| SpecError::Schedule(format!("timed:{profile}")));
            let costs = match &self.profile {
                Some(profile) => profile.costs(),
                None => bundled()?.costs(),
            };
            spec.costs = Some(Rc::new(costs));
        }
        spec.schedule(&format!("{choices}{schedule}"))
    }

    /// Schedule of one side: its own, or that of both; none is the scenario's.
    pub fn schedule_of(&self, which: Which) -> Option<&str> {
        self.own[which as usize].as_deref().or(self.schedule.as_deref())
    }

    /// The profile of a run by time, where it is not that of the series.
    pub fn timed_profile(&self) -> Option<Profile> {
        let schedule = self.schedule.as_deref()?;
        match &self.profile {
            Some(profile) if schedule == "timed" => Some(Profile::clone(profile)),
            _ => profile::bundled(schedule.strip_prefix("timed:")?),
        }
    }

    /// The same run by time, with a profile: that of the series, another of the project by its name, or a reader's own.
    pub fn by_time(&self, series: &str, profile: &Profile) -> Subject {
        let bundled = profile::bundled(&profile.name).as_ref() == Some(profile);
        let schedule = match profile.name.as_str() {
            name if bundled && name != profile::of_series(series) => format!("timed:{name}"),
            _ => "timed".to_string(),
        };
        let own = (!bundled).then(|| Arc::new(profile.clone()));
        Subject { schedule: Some(schedule), profile: own, own: Default::default(), ..self.clone() }
    }

    /// The same with the parameters as the scenario prints them, defaults left out.
    pub fn normal(&self, spec: &RunSpec) -> Subject {
        let changed = spec
            .params
            .iter()
            .filter(|(param, value)| **value != param.initial() || param.name == spec.scenario.series().opening.unit.0);
        Subject {
            params: changed.map(|(param, value)| (param.name.to_string(), param.print(value))).collect(),
            ..self.clone()
        }
    }
    /// What a run of it is kept under.
    pub fn key(&self, which: Which) -> String {
        let Subject { scenario, variants, params, file, profile, .. } = self;
        let schedule = self.schedule_of(which);
        format!("{which:?} {scenario} {} {params:?} {schedule:?} {file:?} {profile:?}", variants[which as usize])
    }
}
