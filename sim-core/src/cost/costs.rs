//! A cost profile as the meter uses it.

use alloc::collections::BTreeMap;
use alloc::string::String;

use super::class::{CLASSES, CostClass};

/// Longest time that a profile may give to anything: one second.
pub const MOST_PS: u64 = 1_000_000_000_000;

/// What everything costs, in picoseconds. Everything costs nothing until it is set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// Name of the profile.
    pub name: String,
    classes: [u64; CLASSES],
    functions: BTreeMap<String, u64>,
    /// Cache lines that a CPU keeps: one that it touched longer ago comes from memory again. 0 keeps all.
    pub cache_lines: u32,
    /// Lines of its first-level cache: one that it touched longer ago comes from the second level. 0 keeps all.
    pub near_lines: u32,
}

impl Costs {
    /// A profile in which everything costs nothing.
    pub fn free(name: &str) -> Costs {
        Costs { name: name.into(), ..Costs::default() }
    }

    /// Time of a class.
    #[inline]
    pub fn of(&self, class: CostClass) -> u64 {
        self.classes[class as usize]
    }

    /// Gives a class a time of at most [`MOST_PS`].
    pub fn set(&mut self, class: CostClass, ps: u64) {
        self.classes[class as usize] = ps.min(MOST_PS);
    }

    /// Gives every call of a kernel function a time beside that of its steps, of at most [`MOST_PS`].
    pub fn set_function(&mut self, name: &str, ps: u64) {
        self.functions.insert(name.into(), ps.min(MOST_PS));
    }

    /// Time of one call of a function beside its steps.
    pub fn function(&self, name: &str) -> u64 {
        self.functions.get(name).copied().unwrap_or(0)
    }

    /// Functions that cost something by themselves, by name.
    pub fn functions(&self) -> impl Iterator<Item = (&str, u64)> {
        self.functions.iter().map(|(name, &ps)| (name.as_str(), ps))
    }
}
