//! Parameters of scenarios: names, kinds, bounds, defaults.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::spec::SpecError;

/// What a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number from `min` to `max`.
    Number {
        /// Least value.
        min: u32,
        /// Greatest value.
        max: u32,
    },
    /// `true` or `false`, kept as 1 or 0.
    Flag,
}

/// One parameter.
#[derive(Debug)]
pub struct Param {
    /// Name.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// Value where nobody sets it.
    pub default: u32,
    /// What it is, with its unit.
    pub doc: &'static str,
}

impl Param {
    /// A number.
    pub const fn number(name: &'static str, default: u32, min: u32, max: u32, doc: &'static str) -> Param {
        Param { name, kind: Kind::Number { min, max }, default, doc }
    }

    /// A flag that is off by default.
    pub const fn flag(name: &'static str, doc: &'static str) -> Param {
        Param { name, kind: Kind::Flag, default: 0, doc }
    }

    /// Its value in text.
    pub fn print(&self, value: u32) -> String {
        match self.kind {
            Kind::Number { .. } => value.to_string(),
            Kind::Flag => (value != 0).to_string(),
        }
    }

    fn parse(&self, text: &str) -> Result<u32, SpecError> {
        let expected = match self.kind {
            Kind::Number { min, max } => match text.trim().parse::<u32>() {
                Ok(value) if (min..=max).contains(&value) => return Ok(value),
                _ => format!("a number from {min} to {max}"),
            },
            Kind::Flag => match text.trim() {
                "true" | "1" => return Ok(1),
                "false" | "0" => return Ok(0),
                _ => "true or false".to_string(),
            },
        };
        Err(SpecError::Value { name: self.name.to_string(), value: text.chars().take(40).collect(), expected })
    }
}

/// Values of all parameters of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    table: &'static [Param],
    values: Vec<u32>,
}

impl PartialEq for Param {
    fn eq(&self, other: &Param) -> bool {
        self.name == other.name
    }
}

impl Eq for Param {}

impl Params {
    /// The defaults.
    pub fn new(table: &'static [Param]) -> Params {
        Params { table, values: table.iter().map(|param| param.default).collect() }
    }

    /// Sets one by text.
    ///
    /// # Errors
    ///
    /// Names the unknown parameter, or the value and what was expected.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), SpecError> {
        let index = self.index(name)?;
        self.values[index] = self.table[index].parse(text)?;
        Ok(())
    }

    fn index(&self, name: &str) -> Result<usize, SpecError> {
        self.table.iter().position(|param| param.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.table.iter().map(|param| param.name).collect();
            SpecError::unknown("parameter", name, &names)
        })
    }

    /// The value of a parameter; 0 where the scenario has none of that name.
    pub fn get(&self, name: &str) -> u32 {
        self.table.iter().position(|param| param.name == name).map_or(0, |index| self.values[index])
    }

    /// The flag is on.
    pub fn is(&self, name: &str) -> bool {
        self.get(name) != 0
    }

    /// All parameters with their values, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Param, u32)> + '_ {
        self.table.iter().zip(self.values.iter().copied())
    }
}
