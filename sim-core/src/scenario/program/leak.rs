//! A program becomes a scenario beside the built-in ones.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Program, build};
use crate::kernel::{Config, Patch};
use crate::scenario::{SERIES, Scenario, Series, SpecError, Variant};

/// What a scenario says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    /// Name.
    pub name: String,
    /// Title.
    pub title: String,
    /// What happens, in one sentence.
    pub summary: String,
    /// What to watch for.
    pub watch: String,
}

/// The kernel that a program asks for: a variant of a series, with patches more or less.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Series.
    pub series: String,
    /// Variant.
    pub variant: String,
    /// Variant beside it.
    pub compare: Option<String>,
    /// Patches that are added.
    pub on: Vec<Patch>,
    /// Patches that are taken away.
    pub off: Vec<Patch>,
    /// Slots of a pagevec, if not those of the variant.
    pub pagevec: Option<u32>,
}

impl Kernel {
    /// Its series.
    ///
    /// # Errors
    ///
    /// Names the unknown one and what is close to it.
    pub fn series(&self) -> Result<&'static Series, SpecError> {
        SERIES.iter().find(|series| series.name == self.series).ok_or_else(|| {
            let names: Vec<&str> = SERIES.iter().map(|series| series.name).collect();
            SpecError::unknown("series", &self.series, &names)
        })
    }

    /// The configuration of one of the variants.
    ///
    /// # Errors
    ///
    /// Names the unknown one and what is close to it.
    pub fn config(&self, variant: &str) -> Result<Config, SpecError> {
        Ok(self.changed(self.series()?.scenarios[0].variant(variant)?.config))
    }

    fn changed(&self, config: Config) -> Config {
        let config = self.off.iter().fold(config.with(&self.on), |config, &patch| config.without(patch));
        self.pagevec.map_or(config, |size| config.with_pagevec(size))
    }
}

impl Program {
    /// The program as a scenario, with all variants of the series. It stays in memory for good, so make it once.
    ///
    /// # Errors
    ///
    /// A program or a kernel that does not fit.
    pub fn into_scenario(self, heading: Heading, kernel: &Kernel) -> Result<&'static Scenario, SpecError> {
        self.validate().map_err(SpecError::At)?;
        let main = &kernel.series()?.scenarios[0];
        let old = main.variant(&kernel.variant)?.name;
        let other = if old == main.sides.1 { main.sides.0 } else { main.sides.1 };
        let new = kernel.compare.as_ref().map_or(Ok(other), |name| main.variant(name).map(|found| found.name))?;
        let program: &'static Program = Box::leak(Box::new(self));
        let changed = |variant: &Variant| Variant {
            program: Some(program),
            ..Variant::new(variant.name, variant.label, variant.title, kernel.changed(variant.config))
        };
        let variants: Vec<Variant> = main.variants.iter().map(changed).collect();
        let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
        let title = if heading.title.is_empty() { heading.name.to_owned() } else { heading.title };
        Ok(Box::leak(Box::new(Scenario {
            name: leak(heading.name),
            title: leak(title),
            summary: leak(heading.summary),
            watch: leak(heading.watch),
            params: &[],
            variants: variants.leak(),
            sides: (old, new),
            build,
            claims: |_| Vec::new(),
            compare_claims: |_, _| Vec::new(),
        })))
    }
}
