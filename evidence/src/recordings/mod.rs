//! Counts that were recorded from real kernels of three ages, beside those of the model.
//!
//! A count is exact where the kernel's code fixes it: then the model must give it to the unit. Elsewhere something took
//! part that the model leaves out, and the row says what.

mod count;
mod drain_all;
mod lazyfree;
mod munlock;
mod page_fault;
mod pageout;
mod program;
mod small_mlock;

use serde::Deserialize;

use self::count::Counts;
use crate::pace::{Pace, Stopped};
use crate::report::{Report, Role, Row, Table};

/// The recordings, as the data file has them.
#[derive(Clone, Debug, Deserialize)]
struct Recordings {
    /// The machine that all of them were made on.
    machine: String,
    /// Which kernel stands behind each version.
    kernels: std::collections::BTreeMap<String, String>,
    tables: Vec<Recorded>,
}

/// One workload.
#[derive(Clone, Debug, Deserialize)]
struct Recorded {
    /// What models it.
    name: String,
    /// The series that it belongs to.
    series: String,
    title: String,
    /// What was run, and how it was counted.
    workload: String,
    tool: String,
    rows: Vec<Line>,
    #[serde(default)]
    notes: Vec<String>,
}

/// One count.
#[derive(Clone, Debug, Deserialize)]
struct Line {
    kernel: String,
    /// What was counted, by the names of that kernel.
    what: String,
    recorded: f64,
    /// The model's name of it, where that is another one.
    model: Option<String>,
    /// The kernel's code fixes it.
    #[serde(default)]
    exact: bool,
    #[serde(default)]
    note: String,
}

type Model = fn(&str) -> Option<Counts>;

/// What models each workload: counts by their names, for a kernel that it has.
const MODELS: &[(&str, Model)] = &[
    ("populate", munlock::populate),
    ("munlock", munlock::munlock),
    ("unmap", munlock::unmap),
    ("page-fault", page_fault::counts),
    ("small-mlock", small_mlock::counts),
    ("drain-all", drain_all::counts),
    ("lazyfree", lazyfree::counts),
    ("pageout-file", pageout::file),
    ("pageout-anon", pageout::anon),
];

/// The data file.
pub const RECORDED: &str = include_str!("../../../assets/published/recordings.json");

/// The report.
///
/// # Errors
///
/// [`Stopped`]
///
/// # Panics
///
/// Where the project's own data names what the model does not count: a mistake of ours, which its test shows.
pub async fn report(pace: &Pace<'_>) -> Result<Report, Stopped> {
    of(RECORDED, pace).await.expect("the project's own data names what the model counts")
}

/// The report of recordings in the form of [`RECORDED`], or that it was stopped.
///
/// # Errors
///
/// Text that is no such data, or a workload, a kernel or a count that the model does not know.
pub async fn of(text: &str, pace: &Pace<'_>) -> Result<Result<Report, Stopped>, String> {
    let data: Recordings = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let runs: usize = data.tables.iter().map(|table| kernels_of(table).len()).sum();
    let (mut done, mut tables) = (0, Vec::new());
    for recorded in &data.tables {
        let mut table = Table::new(
            format!("{}: {}", recorded.series, recorded.title),
            format!("{}; {}. {}", recorded.workload, recorded.tool, data.machine),
            "times",
        );
        let model = MODELS.iter().find(|(name, _)| *name == recorded.name);
        let (_, model) = model.ok_or_else(|| format!("`{}`: no such workload is modelled", recorded.name))?;
        let mut named = Vec::new();
        for kernel in kernels_of(recorded) {
            let name = data.kernels.get(kernel).ok_or_else(|| format!("kernel `{kernel}` has no name"))?;
            named.push(format!("{kernel} is {name}"));
            let counts = model(kernel).ok_or_else(|| format!("`{}`: kernel `{kernel}` has no model", recorded.name))?;
            for line in recorded.rows.iter().filter(|line| line.kernel == kernel) {
                table.rows.push(row(line, &counts).map_err(|what| format!("`{}`: {what}", recorded.name))?);
            }
            done += 1;
            if let Err(stopped) = pace.at(f64::from(done) / runs as f64).await {
                return Ok(Err(stopped));
            }
        }
        table.notes.push(format!("{}.", named.join(", ")));
        table.notes.extend(recorded.notes.iter().cloned());
        tables.push(table);
    }
    Ok(Ok(Report { series: "recordings", tables }))
}

// Kernels of a table, in the order of its rows.
fn kernels_of(table: &Recorded) -> Vec<&str> {
    let mut kernels: Vec<&str> = table.rows.iter().map(|line| line.kernel.as_str()).collect();
    kernels.dedup();
    kernels
}

fn row(line: &Line, counts: &Counts) -> Result<Row, String> {
    let name = line.model.as_deref().unwrap_or(&line.what);
    let modelled = counts.get(name).ok_or_else(|| format!("kernel {}: the model counts no `{name}`", line.kernel))?;
    if !line.exact && line.note.is_empty() {
        return Err(format!("kernel {}: `{}` is not exact and says not why", line.kernel, line.what));
    }
    let role = if line.exact { Role::Exact } else { Role::Shown };
    Ok(Row::new(format!("{} {}", line.kernel, line.what), line.recorded, modelled, role).note(&line.note))
}
