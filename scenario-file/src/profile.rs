//! Cost profiles: JSON text that says what each class of work takes in nanoseconds, each with where the number is from.

mod edit;
mod text;

pub use edit::Price;
pub use text::nanoseconds;

use serde_json::{Map, Value};
use sim_core::cost::{CostClass, Costs, MOST_PS};

use crate::{Error, MAX_TEXT, place};

/// Profiles that come with the project: name and text.
pub const BUNDLED: &[(&str, &str)] = &[
    ("opteron-2013", include_str!("../../assets/profiles/opteron-2013.json")),
    ("xeon-2012", include_str!("../../assets/profiles/xeon-2012.json")),
    ("skylake-2018", include_str!("../../assets/profiles/skylake-2018.json")),
    ("icelake-2023", include_str!("../../assets/profiles/icelake-2023.json")),
];

/// The profile that a series is shown with where nobody asks for another: that of the machines of its time.
pub fn of_series(series: &str) -> &'static str {
    match series {
        "munlock" => "opteron-2013",
        "pcp-free" => "skylake-2018",
        "rmap-unmap" => "icelake-2023",
        _ => "xeon-2012",
    }
}

/// Most functions that a profile may give a time to.
pub const MOST_FUNCTIONS: usize = 256;
/// Longest text of a profile's own words, in characters.
pub const MOST_WORDS: usize = 400;

/// A time with where it is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Key of the class, or name of the function.
    pub name: String,
    /// Picoseconds.
    pub ps: u64,
    /// Where the number is from.
    pub source: String,
}

/// A cost profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// Name.
    pub name: String,
    /// What it describes, in one line.
    pub title: String,
    /// What to know about it.
    pub note: String,
    /// Classes that it gives a time to; the others cost nothing.
    pub classes: Vec<Cost>,
    /// Functions that cost something beside their steps.
    pub functions: Vec<Cost>,
    /// Lines of 64 bytes of the first-level and of the second-level cache, with where the numbers are from; 0 keeps all.
    pub cache_lines: (u32, u32, String),
}

impl Profile {
    /// The profile as the meter uses it.
    pub fn costs(&self) -> Costs {
        let mut costs = Costs::free(&self.name);
        for cost in &self.classes {
            if let Some(&class) = CostClass::ALL.iter().find(|class| class.key() == cost.name) {
                costs.set(class, cost.ps);
            }
        }
        for cost in &self.functions {
            costs.set_function(&cost.name, cost.ps);
        }
        costs.near_lines = self.cache_lines.0;
        costs.cache_lines = self.cache_lines.1;
        costs
    }
}

/// The profile that comes with the project under a name.
pub fn bundled(name: &str) -> Option<Profile> {
    let (_, text) = BUNDLED.iter().find(|(bundled, _)| *bundled == name)?;
    parse(text).ok()
}

/// Reads a profile.
///
/// # Errors
///
/// The first thing that is wrong: where, what was expected, what was found.
pub fn parse(text: &str) -> Result<Profile, Error> {
    if text.len() > MAX_TEXT {
        let message = format!("the profile has {} bytes; expected {MAX_TEXT} at most", text.len());
        return Err(Error { line: 1, column: 1, path: String::new(), message });
    }
    let value: Value = serde_json::from_str(text).map_err(|error| crate::syntax(text, &error))?;
    if let Some((line, column, name)) = place::twice(text) {
        let message = "is there twice in one object; expected it once".to_string();
        return Err(Error { line, column, path: name.chars().take(crate::fields::NAME).collect(), message });
    }
    Reader { text }.profile(&value)
}

struct Reader<'a> {
    text: &'a str,
}

impl Reader<'_> {
    fn wrong(&self, path: &str, expected: &str) -> Error {
        Error::at(self.text, path, format!("expected {expected}"))
    }

    fn profile(&self, value: &Value) -> Result<Profile, Error> {
        let object = value.as_object().ok_or_else(|| self.wrong("", "an object with `profile`, `title`, `ns`"))?;
        const KNOWN: [&str; 6] = ["profile", "title", "note", "ns", "functions", "cache_lines"];
        if let Some(name) = object.keys().find(|name| !KNOWN.contains(&name.as_str())) {
            return Err(self.wrong(name, &format!("one of {}", KNOWN.join(", "))));
        }
        let classes = self.costs(object, "ns", |name| CostClass::ALL.iter().any(|class| class.key() == name))?;
        let functions = self.costs(object, "functions", is_function)?;
        Ok(Profile {
            name: self.words(object, "", "profile", true)?,
            title: self.words(object, "", "title", true)?,
            note: self.words(object, "", "note", false)?,
            classes,
            functions,
            cache_lines: self.cache_lines(object)?,
        })
    }

    fn words(&self, object: &Map<String, Value>, path: &str, name: &str, needed: bool) -> Result<String, Error> {
        let place = format!("{path}{name}");
        let text = match object.get(name) {
            None if needed => return Err(self.wrong(path.trim_end_matches('.'), &format!("a field `{name}`"))),
            None => "",
            Some(value) => value.as_str().ok_or_else(|| self.wrong(&place, "a text"))?,
        };
        if text.chars().count() > MOST_WORDS || text.chars().any(char::is_control) {
            return Err(self.wrong(&place, &format!("a text of {MOST_WORDS} characters at most, on one line")));
        }
        Ok(text.to_string())
    }

    fn costs(
        &self,
        object: &Map<String, Value>,
        field: &str,
        knows: impl Fn(&str) -> bool,
    ) -> Result<Vec<Cost>, Error> {
        let Some(value) = object.get(field) else { return Ok(Vec::new()) };
        let entries = value.as_object().ok_or_else(|| self.wrong(field, "an object of names and times"))?;
        if entries.len() > MOST_FUNCTIONS {
            return Err(self.wrong(field, &format!("{MOST_FUNCTIONS} entries at most")));
        }
        entries
            .iter()
            .map(|(name, value)| {
                let path = format!("{field}.{name}");
                if !knows(name) {
                    return Err(self.wrong(&path, &self.names(field)));
                }
                let entry = value.as_object().ok_or_else(|| self.wrong(&path, "an object with `ns` and `source`"))?;
                if let Some(other) = entry.keys().find(|key| *key != "ns" && *key != "source") {
                    return Err(self.wrong(&format!("{path}.{other}"), "`ns` and `source` alone"));
                }
                let ps = entry.get("ns").and_then(Value::as_f64).and_then(picoseconds);
                let ps = ps.ok_or_else(|| self.wrong(&format!("{path}.ns"), "nanoseconds from 0 to 1000000000"))?;
                Ok(Cost { name: name.clone(), ps, source: self.words(entry, &format!("{path}."), "source", true)? })
            })
            .collect()
    }

    fn names(&self, field: &str) -> String {
        if field == "functions" {
            return "the name of a kernel function".to_string();
        }
        let names: Vec<&str> = CostClass::ALL.iter().map(|class| class.key()).collect();
        format!("one of {}", names.join(", "))
    }

    fn cache_lines(&self, object: &Map<String, Value>) -> Result<(u32, u32, String), Error> {
        let Some(value) = object.get("cache_lines") else { return Ok((0, 0, String::new())) };
        let entry = value
            .as_object()
            .ok_or_else(|| self.wrong("cache_lines", "an object with `near`, `lines` and `source`"))?;
        let lines = |name: &str| {
            let lines = entry.get(name).map_or(Some(0), |lines| lines.as_u64().and_then(|n| u32::try_from(n).ok()));
            lines.ok_or_else(|| self.wrong(&format!("cache_lines.{name}"), "a whole number of lines"))
        };
        Ok((lines("near")?, lines("lines")?, self.words(entry, "cache_lines.", "source", true)?))
    }
}

fn is_function(name: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.len() <= 64 && name.chars().all(word)
}

// Rounded to whole picoseconds; nothing below zero, nothing above what the meter takes.
fn picoseconds(ns: f64) -> Option<u64> {
    let ps = (ns * 1000.0).round();
    (ps >= 0.0 && ps <= MOST_PS as f64).then_some(ps as u64)
}
