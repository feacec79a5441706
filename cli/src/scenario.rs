//! `SCENARIO`: a name, or a file that a user has written.

use std::fs::File;
use std::io::Read;

use sim_core::scenario::program::Misfit;
use sim_core::scenario::{Scenario, SpecError};

/// The scenario that was asked for. What holds a `/` or ends in `.json` is a file.
///
/// # Errors
///
/// Says which name is unknown, or what of the file is wrong and where.
pub fn find(name: &str) -> Result<&'static Scenario, String> {
    if !is_file(name) {
        return Scenario::find(name).map_err(|error| error.to_string());
    }
    let bytes = read(name).map_err(|error| format!("{name}: {error}; expected a scenario file"))?;
    let file = scenario_file::parse_bytes(&bytes).map_err(|error| format!("{name}: {error}"))?;
    file.into_scenario().map_err(|error| format!("{name}: {error}"))
}

/// A scenario is asked for by the name of a file.
pub fn is_file(name: &str) -> bool {
    name.contains('/') || name.ends_with(".json")
}

/// What is wrong with a run of a scenario; of a file's program with the file, line and field.
pub fn explain(name: &str, error: &SpecError) -> String {
    match error {
        SpecError::At(misfit) if is_file(name) => place(name, misfit),
        _ => error.to_string(),
    }
}

/// Where something in a scenario file stands.
pub fn place(name: &str, misfit: &Misfit) -> String {
    match read(name).ok().and_then(|bytes| String::from_utf8(bytes).ok()) {
        Some(text) => format!("{name}: {}", scenario_file::Error::at(&text, &misfit.path, misfit.text.clone())),
        None => format!("{name}: {misfit}"),
    }
}

// A byte more than a scenario file may have is enough to say so.
fn read(path: &str) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(scenario_file::MAX_TEXT as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
