//! Scenarios: what memory looks like at the start, what each CPU runs, and which variants of the kernel there are.

mod claims;
mod munlock;
mod params;
mod spec;
mod variants;

pub use claims::Claim;
pub use munlock::{Layout, PageKind};
pub use params::{Kind, Param, Params};
pub use spec::{Run, RunSpec, SpecError};
pub use variants::{MUNLOCK_VARIANTS, Variant};

use alloc::vec::Vec;

/// A scenario: data, and a function that sets memory up and starts the tasks.
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
    pub(crate) build: fn(&Variant, &Params) -> Result<munlock::Built, SpecError>,
}

/// All scenarios, the main one first.
pub const SCENARIOS: &[Scenario] = munlock::SCENARIOS;

impl Scenario {
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
