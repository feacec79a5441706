//! Parameters of scenarios: names, kinds, bounds, defaults.

use alloc::borrow::ToOwned;
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
    /// One of some names, kept as its place among them.
    Choice(&'static [&'static str]),
    /// A number from 0 to `max`, or `none`, kept as [`NONE`].
    Maybe {
        /// Greatest value.
        max: u32,
    },
    /// Numbers from 0 to `max` with commas between, ascending, each once; may be empty.
    List {
        /// Greatest value.
        max: u32,
    },
}

/// What a parameter that may be `none` is then.
pub const NONE: u32 = u32::MAX;

/// One parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// Name.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// Value where nobody sets it; a list is empty.
    pub default: u32,
    /// What it is, with its unit.
    pub doc: &'static str,
}

/// Value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Of every kind but a list.
    Number(u32),
    /// Of a list.
    List(Vec<u32>),
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

    /// One of some names, the first by default.
    pub const fn choice(name: &'static str, names: &'static [&'static str], doc: &'static str) -> Param {
        Param { name, kind: Kind::Choice(names), default: 0, doc }
    }

    /// A number or none, none by default.
    pub const fn maybe(name: &'static str, max: u32, doc: &'static str) -> Param {
        Param { name, kind: Kind::Maybe { max }, default: NONE, doc }
    }

    /// A list, empty by default.
    pub const fn list(name: &'static str, max: u32, doc: &'static str) -> Param {
        Param { name, kind: Kind::List { max }, default: 0, doc }
    }

    /// Value where nobody sets it.
    pub fn initial(&self) -> Setting {
        match self.kind {
            Kind::List { .. } => Setting::List(Vec::new()),
            _ => Setting::Number(self.default),
        }
    }

    /// A value in text.
    pub fn print(&self, setting: &Setting) -> String {
        match (self.kind, setting) {
            (_, Setting::List(list)) => list.iter().map(u32::to_string).collect::<Vec<_>>().join(","),
            (Kind::Flag, Setting::Number(value)) => (*value != 0).to_string(),
            (Kind::Choice(names), &Setting::Number(at)) => names[at as usize].to_owned(),
            (Kind::Maybe { .. }, Setting::Number(NONE)) => "none".to_owned(),
            (_, Setting::Number(value)) => value.to_string(),
        }
    }

    fn parse(&self, text: &str) -> Result<Setting, SpecError> {
        let wanted = text.trim();
        let number = |min, max| wanted.parse::<u32>().ok().filter(|value| (min..=max).contains(value));
        let (found, expected) = match self.kind {
            Kind::Number { min, max } => (number(min, max), format!("a number from {min} to {max}")),
            Kind::Flag => {
                let at = ["false", "true", "0", "1"].iter().position(|&word| word == wanted);
                (at.map(|at| at as u32 % 2), "true or false".to_owned())
            }
            Kind::Choice(names) => {
                let at = names.iter().position(|&name| name == wanted);
                (at.map(|at| at as u32), format!("one of {}", names.join(", ")))
            }
            Kind::Maybe { max } => {
                let value = if wanted == "none" { Some(NONE) } else { number(0, max) };
                (value, format!("a number from 0 to {max}, or none"))
            }
            Kind::List { max } => {
                let expected = format!("numbers from 0 to {max}, ascending, with commas between");
                return parse_list(wanted, max).map(Setting::List).ok_or_else(|| self.wrong(text, expected));
            }
        };
        found.map(Setting::Number).ok_or_else(|| self.wrong(text, expected))
    }

    fn wrong(&self, text: &str, expected: String) -> SpecError {
        SpecError::Value { name: self.name.to_owned(), value: text.chars().take(40).collect(), expected }
    }
}

fn parse_list(text: &str, max: u32) -> Option<Vec<u32>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    let list: Vec<u32> = text.split(',').map(|part| part.trim().parse().ok()).collect::<Option<_>>()?;
    let ascending = list.is_sorted_by(|a, b| a < b) && list.last().is_none_or(|&last| last <= max);
    ascending.then_some(list)
}

/// Values of all parameters of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    table: &'static [Param],
    values: Vec<Setting>,
}

impl Params {
    /// The defaults.
    pub fn new(table: &'static [Param]) -> Params {
        Params { table, values: table.iter().map(Param::initial).collect() }
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
            if self.table.is_empty() {
                let name: String = name.chars().take(40).collect();
                return SpecError::Together(format!("unknown parameter `{name}`; this scenario has no parameters"));
            }
            let names: Vec<&str> = self.table.iter().map(|param| param.name).collect();
            SpecError::unknown("parameter", name, &names)
        })
    }

    fn setting(&self, name: &str) -> Option<&Setting> {
        self.table.iter().position(|param| param.name == name).map(|index| &self.values[index])
    }

    /// The value of a parameter; 0 where the scenario has none of that name, or a list.
    pub fn get(&self, name: &str) -> u32 {
        match self.setting(name) {
            Some(&Setting::Number(value)) => value,
            _ => 0,
        }
    }

    /// The flag is on.
    pub fn is(&self, name: &str) -> bool {
        self.get(name) != 0
    }

    /// The number, or none.
    pub fn maybe(&self, name: &str) -> Option<u32> {
        match self.setting(name) {
            Some(&Setting::Number(value)) if value != NONE => Some(value),
            _ => None,
        }
    }

    /// The list; empty where the scenario has none of that name.
    pub fn list(&self, name: &str) -> &[u32] {
        match self.setting(name) {
            Some(Setting::List(list)) => list,
            _ => &[],
        }
    }

    /// All parameters with their values, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Param, &Setting)> + '_ {
        self.table.iter().zip(&self.values)
    }

    /// The parameters that somebody has changed.
    pub fn changed(&self) -> impl Iterator<Item = (&'static Param, &Setting)> + '_ {
        self.iter().filter(|(param, setting)| **setting != param.initial())
    }
}
