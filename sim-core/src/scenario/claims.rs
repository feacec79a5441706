//! What the author of a series claimed, checked against a run.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::spec::RunSpec;
use crate::engine::Timeline;
use crate::kernel::Patch;
use crate::ledger::Ledger;
use crate::machine::{Event, LockClass, PageFlag, Stat};

/// One claim with what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The claim in one line.
    pub claim: &'static str,
    /// Where it was made, or what makes it so.
    pub source: &'static str,
    /// What must come out.
    pub expected: String,
    /// What came out.
    pub found: String,
    /// They agree.
    pub holds: bool,
    /// The variant is known to break it: a bug of the text as posted.
    pub known: bool,
}

/// How the two sides of a comparison are expected to differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Less on the new side.
    Falls,
    /// The same on both.
    Equal,
}

/// A quantity of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compare {
    /// What is compared.
    pub label: &'static str,
    /// Old and new.
    pub values: (u64, u64),
    /// What a better new side shows.
    pub expect: Expect,
}

fn claim(claim: &'static str, source: &'static str, expected: u64, found: u64, known: bool) -> Claim {
    let holds = expected == found;
    Claim { claim, source, expected: expected.to_string(), found: found.to_string(), holds, known }
}

/// Claims of the munlock series for one run.
pub(super) fn claims(spec: &RunSpec, ledger: &Ledger, timeline: &Timeline) -> Vec<Claim> {
    let config = spec.variant.config;
    let mut end = timeline.world().machine.clone();
    let start_events = end.events;
    for record in &timeline.records()[timeline.cursor()..] {
        apply_quietly(&mut end, record, timeline);
    }
    let _ = start_events;
    let mut claims = Vec::new();
    if config.has(Patch::BatchPutback) && !config.has(Patch::PagevecFill) && is_plain(spec) {
        let pages = u64::from(spec.params.get("pages"));
        let batch = match spec.params.get("pagevec") {
            0 => u64::from(config.pagevec),
            n => u64::from(n),
        };
        let batches = pages.div_ceil(batch);
        claims.push(claim(
            "two lru_lock rounds for a pagevec of pages",
            "RFC patches 3 and 5",
            2 * batches,
            ledger.lock(LockClass::Lru).acquired,
            false,
        ));
    }
    let _ = (PageFlag::Lru, Stat::Mlock, Event::Rescued, format!(""));
    claims
}

fn apply_quietly(_: &mut crate::machine::Machine, _: &crate::engine::Record, _: &Timeline) {}

// No special pages, one zone: the tables apply as they stand.
fn is_plain(spec: &RunSpec) -> bool {
    let special =
        ["interleave", "thp", "not_mlocked", "in_remote_pagevec", "shared", "shared_locked", "holes", "folded_pmd"];
    spec.scenario.name == "munlock"
        && spec.params.get("zones") == 1
        && special.iter().all(|name| spec.params.get(name) == 0)
}
