//! Scenarios: what memory looks like at the start, what each CPU runs, and which variants of the kernel there are.

mod built;
mod claim;
mod elapsed;
mod end;
mod fork;
mod lru_drain;
mod madvise_free;
mod munlock;
mod params;
mod pcp_free;
pub mod program;
mod rmap_unmap;
mod spec;
mod variant;

pub use claim::{Claim, ClaimKind};
pub use elapsed::elapsed_ticks;
pub use end::{End, compare_claims};
pub use fork::Until;
pub use lru_drain::LRU_DRAIN_VARIANTS;
pub use munlock::{Layout, MUNLOCK_VARIANTS, PageKind};
pub use params::{Kind, NONE, Param, Params, Setting};
pub use pcp_free::PCP_FREE_VARIANTS;
pub use rmap_unmap::{RMAP_VARIANTS, RmapLayout};
pub use spec::{Run, RunSpec, SpecError, closest};
pub use variant::Variant;

use alloc::vec::Vec;

use crate::machine::LockClass;

/// A patch series: what was claimed, and the scenarios that show it.
#[derive(Clone, Copy)]
pub struct Series {
    /// Name of the series and of its main scenario.
    pub name: &'static str,
    /// Title.
    pub title: &'static str,
    /// Year of the posting.
    pub year: u16,
    /// What its author claimed, in one line.
    pub claimed: &'static str,
    /// What the page puts in front.
    pub opening: Opening,
    /// Its scenarios, the main one first.
    pub scenarios: &'static [Scenario],
}

/// What the page puts in front for a series.
#[derive(Clone, Copy)]
pub struct Opening {
    /// The lock that the series is about.
    pub lock: LockClass,
    /// The row of the ledger that stands in large beside the atomics, and what it counts in words.
    pub hero: (&'static str, &'static str),
    /// What the run goes through: the parameter that says how many, and the word for one.
    pub unit: (&'static str, &'static str),
    /// What costs are divided by: the product of these parameters, which counts units.
    pub per: &'static [&'static str],
    /// Parameters that the page changes from their defaults, so that every page is a tile.
    pub params: &'static [(&'static str, &'static str)],
}

/// A scenario: data, and a function that sets memory up and starts the tasks.
#[derive(Clone, Copy)]
pub struct Scenario {
    /// Name in links and on the command line.
    pub name: &'static str,
    /// Title.
    pub title: &'static str,
    /// What happens, in one sentence.
    pub summary: &'static str,
    /// What to watch for.
    pub watch: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// Its variants, oldest first.
    pub variants: &'static [Variant],
    /// Variants that stand side by side at the start.
    pub sides: (&'static str, &'static str),
    pub(crate) build: fn(&Variant, &Params) -> Result<built::Built, SpecError>,
    /// Claims of the series for a run; of one that a rule has stopped, those that this has broken.
    pub(crate) claims: fn(&End<'_>) -> Vec<Claim>,
    /// Claims of the series that compare two runs, of an older kernel and of a newer one.
    pub(crate) compare_claims: fn(&End<'_>, &End<'_>) -> Vec<Claim>,
}

/// The series, the main one first.
pub const SERIES: &[Series] =
    &[munlock::SERIES, lru_drain::SERIES, pcp_free::SERIES, madvise_free::SERIES, rmap_unmap::SERIES];

const SCENARIO_COUNT: usize = {
    let (mut count, mut at) = (0, 0);
    while at < SERIES.len() {
        count += SERIES[at].scenarios.len();
        at += 1;
    }
    count
};

/// All scenarios of all series, the main one first.
pub const SCENARIOS: &[Scenario] = &{
    let mut all = [SERIES[0].scenarios[0]; SCENARIO_COUNT];
    let (mut filled, mut series) = (0, 0);
    while series < SERIES.len() {
        let mut at = 0;
        while at < SERIES[series].scenarios.len() {
            all[filled] = SERIES[series].scenarios[at];
            filled += 1;
            at += 1;
        }
        series += 1;
    }
    all
};

impl Scenario {
    /// The series that it belongs to; that of its variants where it comes from a file.
    pub fn series(&self) -> &'static Series {
        let known = |series: &&Series| series.scenarios.iter().any(|scenario| scenario.name == self.name);
        let names = |scenario: &Scenario| scenario.variants.iter().map(|variant| variant.name).collect::<Vec<_>>();
        let alike = |series: &&Series| names(&series.scenarios[0]) == names(self);
        SERIES.iter().find(known).or_else(|| SERIES.iter().find(alike)).unwrap_or(&SERIES[0])
    }

    /// The scenario with a name.
    ///
    /// # Errors
    ///
    /// Names the unknown one and what is close to it.
    pub fn find(name: &str) -> Result<&'static Scenario, SpecError> {
        SCENARIOS.iter().find(|scenario| scenario.name == name).ok_or_else(|| {
            let names: Vec<&str> = SCENARIOS.iter().map(|scenario| scenario.name).collect();
            SpecError::unknown("scenario", name, &names)
        })
    }

    /// The variant with a name.
    ///
    /// # Errors
    ///
    /// Names the unknown one and what is close to it.
    pub fn variant(&self, name: &str) -> Result<&'static Variant, SpecError> {
        self.variants.iter().find(|variant| variant.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.variants.iter().map(|variant| variant.name).collect();
            SpecError::unknown("variant", name, &names)
        })
    }
}
