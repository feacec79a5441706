//! What is derived from the two runs when somebody asks for it: modelled times and the complete ledger.

use std::rc::Rc;

use scenario_file::profile::{self, Profile};
use sim_core::cost::{Costs, Timing};
use sim_core::ledger::detail::Detail;

use crate::link::Which;
use crate::session::Session;

/// Derived numbers of the two runs that are shown.
#[derive(Default)]
pub struct Evidence {
    /// The cost profile in force; none is that of the series.
    profile: Option<Rc<Profile>>,
    costs: Option<Rc<Costs>>,
    timings: [Option<Rc<Timing>>; 2],
    details: [Option<Rc<Detail>>; 2],
}

impl Evidence {
    /// Other runs are shown: what was derived is of no use, the reader's profile stays.
    pub fn forget(&mut self) {
        *self = Evidence { profile: self.profile.take(), ..Evidence::default() };
    }
}

impl Session {
    /// The cost profile in force.
    pub fn profile(&self) -> Rc<Profile> {
        if let Some(profile) = &self.evidence.borrow().profile {
            return profile.clone();
        }
        let own = || profile::bundled(profile::of_series(self.series()));
        Rc::new(self.subject.timed_profile().or_else(own).unwrap_or_default())
    }

    /// The series that is shown.
    pub fn series(&self) -> &'static str {
        self.sides[0].track.run.spec.scenario.series().name
    }

    /// Puts another profile in force; none is that of the series.
    pub fn set_profile(&self, profile: Option<Rc<Profile>>) {
        *self.evidence.borrow_mut() = Evidence { profile, ..Evidence::default() };
    }

    /// The costs of the profile in force.
    pub fn costs(&self) -> Rc<Costs> {
        let profile = self.profile();
        self.evidence.borrow_mut().costs.get_or_insert_with(|| Rc::new(profile.costs())).clone()
    }

    /// Modelled times of a side.
    pub fn timing(&self, which: Which) -> Rc<Timing> {
        let costs = self.costs();
        let timeline = &self.side(which).track.run.timeline;
        let timings = &mut self.evidence.borrow_mut().timings;
        timings[which as usize].get_or_insert_with(|| Rc::new(Timing::new(timeline, &costs))).clone()
    }

    /// The complete ledger of a side, with modelled times.
    pub fn detail(&self, which: Which) -> Rc<Detail> {
        let timing = self.timing(which);
        let timeline = &self.side(which).track.run.timeline;
        let details = &mut self.evidence.borrow_mut().details;
        details[which as usize].get_or_insert_with(|| Rc::new(Detail::new(timeline, Some(&timing)))).clone()
    }
}
