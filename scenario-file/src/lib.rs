//! Scenario files: JSON text that says what a machine is like, what is mapped, and which calls each CPU makes.
//!
//! One table of fields ([`fields`]) says what may stand where, with units and bounds. The parser goes by it, and so do
//! the JSON Schema and the tables of the documentation. No files are read here: the text comes from whoever has it.

pub mod fields;
mod lower;
mod place;
pub mod profile;
mod reference;
mod shape;

pub use reference::{schema, tables};

use std::fmt;

use serde_json::Value;
use sim_core::scenario::program::{Heading, Kernel, Misfit, Program};
use sim_core::scenario::{Scenario, SpecError};

/// The mark that some editors put in front of a text.
const BOM: char = '\u{feff}';

/// Longest text in bytes.
pub const MAX_TEXT: usize = 1 << 18;

/// What a scenario file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioFile {
    /// Name, title, summary.
    pub heading: Heading,
    /// Series, variants, patches.
    pub kernel: Kernel,
    /// Machine, processes, calls.
    pub program: Program,
}

/// What is wrong with a scenario file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Field, as `cpus[0].run[2].pages`; empty for the file as a whole.
    pub path: String,
    /// What was expected and what was found.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: ", self.line, self.column)?;
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl Error {
    /// What is wrong with a field of a file, and where it stands.
    pub fn at(text: &str, path: &str, message: String) -> Error {
        let text = text.trim_start_matches(BOM);
        let (line, column) = place::find(text, path);
        Error { line, column, path: path.to_string(), message }
    }

    fn misfit(text: &str, Misfit { path, text: message }: Misfit) -> Error {
        Error::at(text, &path, message)
    }
}

/// Reads a scenario file as bytes, which must be UTF-8.
///
/// # Errors
///
/// As [`parse`]; or the first byte that is no UTF-8.
pub fn parse_bytes(bytes: &[u8]) -> Result<ScenarioFile, Error> {
    if bytes.len() > MAX_TEXT {
        return Err(too_long(bytes.len()));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(text),
        Err(error) => Err(no_text(bytes, error.valid_up_to())),
    }
}

fn too_long(length: usize) -> Error {
    let message = format!("the file has {length} bytes; expected {MAX_TEXT} at most");
    Error { line: 1, column: 1, path: String::new(), message }
}

fn no_text(bytes: &[u8], at: usize) -> Error {
    let before = String::from_utf8_lossy(&bytes[..at]).into_owned();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let byte = bytes.get(at).copied().unwrap_or_default();
    let hint = match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "; the file begins as UTF-16 does",
        _ => "",
    };
    let message = format!("byte {at} of the file is 0x{byte:02x}, which is no UTF-8{hint}; expected text in UTF-8");
    Error { line, column, path: String::new(), message }
}

/// Reads a scenario file.
///
/// # Errors
///
/// The first thing that is wrong: where, what was expected, what was found.
pub fn parse(text: &str) -> Result<ScenarioFile, Error> {
    if text.len() > MAX_TEXT {
        return Err(too_long(text.len()));
    }
    let text = text.strip_prefix(BOM).unwrap_or(text);
    let value: Value = serde_json::from_str(text).map_err(|error| syntax(text, &error))?;
    if let Some((line, column, name)) = place::twice(text) {
        let path = name.chars().take(fields::NAME).collect();
        let message = "is there twice in one object; expected it once".to_string();
        return Err(Error { line, column, path, message });
    }
    shape::check(&value).map_err(|misfit| Error::misfit(text, shape::as_written(text, misfit)))?;
    let file = lower::file(&value).map_err(|misfit| Error::misfit(text, misfit))?;
    file.program.validate().map_err(|misfit| Error::misfit(text, misfit))?;
    file.kernel(text)?;
    Ok(file)
}

// serde_json ends its messages with the place, which stands in front here, and counts columns in bytes.
fn syntax(text: &str, error: &serde_json::Error) -> Error {
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    // What is missing at the end is missing behind the last line that there is.
    let line = error.line().clamp(1, text.lines().count().max(1));
    let end = if line < error.line() { usize::MAX } else { error.column() };
    let shown = text.lines().nth(line - 1).unwrap_or_default();
    let column = shown.char_indices().filter(|&(at, _)| at < end).count().max(1);
    Error { line, column, path: String::new(), message: format!("this is not JSON: {message}") }
}

impl ScenarioFile {
    // The kernels that the file names exist and have what its calls need.
    fn kernel(&self, text: &str) -> Result<(), Error> {
        let wrong = |path: &'static str| move |error: SpecError| Error::at(text, path, error.to_string());
        self.kernel.series().map_err(wrong("config.series"))?;
        let config = self.kernel.config(&self.kernel.variant).map_err(wrong("config.variant"))?;
        self.program.runs_on(config).map_err(|misfit| Error::misfit(text, misfit))?;
        self.program.ignores_nothing(&self.kernel).map_err(|misfit| Error::misfit(text, misfit))?;
        if let Some(other) = &self.kernel.compare {
            let config = self.kernel.config(other).map_err(wrong("config.compare"))?;
            self.program.runs_on(config).map_err(|misfit| Error::misfit(text, misfit))?;
        }
        Ok(())
    }

    /// The scenario to run. It stays in memory for good, so make it once for a file.
    ///
    /// # Errors
    ///
    /// None for a file that has been read by [`parse`].
    pub fn into_scenario(self) -> Result<&'static Scenario, SpecError> {
        self.program.into_scenario(self.heading, &self.kernel)
    }
}
