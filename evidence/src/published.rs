//! The published numbers, as the data files have them.

use serde::Deserialize;

/// One table of means by variant.
#[derive(Clone, Debug, Deserialize)]
pub struct Columns {
    /// Short name.
    pub name: String,
    /// Title.
    pub title: String,
    /// Where it was published.
    pub source: String,
    /// Variants.
    pub columns: Vec<String>,
    /// Means.
    pub mean: Vec<f64>,
    /// Standard deviations; empty where none were published.
    #[serde(default)]
    pub stddev: Vec<f64>,
}

/// Numbers of the munlock series.
#[derive(Clone, Debug, Deserialize)]
pub struct Munlock {
    /// What was measured.
    pub benchmark: String,
    /// Pages of one run.
    pub pages: u64,
    /// Tables of seconds.
    pub tables: Vec<Columns>,
}

/// Reads a data file that is part of the program.
///
/// # Panics
///
/// Where the file does not have the form that its reader expects: a mistake of ours, which every test of it shows.
pub fn read<T: for<'a> Deserialize<'a>>(text: &str) -> T {
    serde_json::from_str(text).expect("a data file of the project has the form that its reader expects")
}
