//! A run that has come to its end, as claims look at it.

use alloc::vec::Vec;

use super::{Claim, RunSpec};
use crate::engine::{Record, Timeline, Violation};
use crate::ledger::Ledger;
use crate::machine::Machine;
use crate::op::World;

/// The end of a run: what was asked for, what was counted, what memory looks like, and every step where it was recorded.
#[derive(Clone, Copy)]
pub struct End<'a> {
    /// What was asked for.
    pub spec: &'a RunSpec,
    /// Counts of the measured section.
    pub ledger: &'a Ledger,
    /// The machine at the end.
    pub machine: &'a Machine,
    /// The steps; none of a bulk run.
    pub timeline: Option<&'a Timeline>,
}

impl<'a> End<'a> {
    /// A world in which a run has ended, with its steps where it was recorded.
    pub fn of(spec: &'a RunSpec, world: &'a World, timeline: Option<&'a Timeline>) -> End<'a> {
        End { spec, ledger: &world.ledger, machine: &world.machine, timeline }
    }

    /// What the series' author claimed of this variant, with what was found.
    pub fn claims(&self) -> Vec<Claim> {
        (self.spec.scenario.claims)(self)
    }

    /// The rule that stopped the run, if one did.
    pub fn violation(&self) -> Option<&'a Violation> {
        self.timeline.and_then(Timeline::violation)
    }

    /// Step count after the first step that does something; none too where the run was not recorded.
    pub(super) fn first(&self, does: impl Fn(&Record) -> bool) -> Option<u32> {
        self.timeline?.records().iter().position(does).map(|at| at as u32 + 1)
    }

    /// Counted steps that do something; none where the run was not recorded.
    pub(super) fn times(&self, does: impl Fn(&Record) -> bool) -> Option<u64> {
        let records = self.timeline?.records().iter();
        Some(records.filter(|record| record.counted && does(record)).count() as u64)
    }

    /// A claim that none of these rules breaks; nobody can tell in a bulk run, where no rule is checked on the way.
    pub(super) fn keeps(&self, claim: &'static str, source: &'static str, rules: &[&str]) -> Option<Claim> {
        self.timeline?;
        let broken = self.violation().filter(|violation| rules.iter().any(|rule| violation.rule.starts_with(rule)));
        Some(Claim::never(claim, source, u64::from(broken.is_some()), broken.map(|violation| violation.step)))
    }

    /// The claims that a stopped run can be held to: those that the rule has broken. None where the run has ended.
    pub(super) fn stopped(&self, rules: &[Claim]) -> Option<Vec<Claim>> {
        // Of a run that its input has stopped nothing is claimed.
        if self.violation()?.by_input() {
            return Some(Vec::new());
        }
        Some(rules.iter().filter(|claim| !claim.holds).cloned().collect())
    }
}

/// Claims that compare two runs of a scenario, of the older kernel and of the newer one. There are none where a rule has
/// stopped either, or where they are not of the same memory.
pub fn compare_claims(old: &End<'_>, new: &End<'_>) -> Vec<Claim> {
    let scenario = new.spec.scenario;
    let alike = old.spec.scenario.name == scenario.name && old.spec.params == new.spec.params;
    if !alike || old.violation().is_some() || new.violation().is_some() {
        return Vec::new();
    }
    (scenario.compare_claims)(old, new)
}
