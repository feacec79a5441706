//! `SCENARIO`: a name, or a file that a user has written.

use std::fs::File;
use std::io::Read;

use sim_core::scenario::Scenario;

/// The scenario that was asked for. What holds a `/` or ends in `.json` is a file.
///
/// # Errors
///
/// Says which name is unknown, or what of the file is wrong and where.
pub fn find(name: &str) -> Result<&'static Scenario, String> {
    if !name.contains('/') && !name.ends_with(".json") {
        return Scenario::find(name).map_err(|error| error.to_string());
    }
    let text = read(name).map_err(|error| format!("{name}: {error}; expected a scenario file"))?;
    let file = scenario_file::parse(&text).map_err(|error| format!("{name}: {error}"))?;
    file.into_scenario().map_err(|error| format!("{name}: {error}"))
}

// A byte more than a scenario file may have is enough to say so.
fn read(path: &str) -> std::io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(scenario_file::MAX_TEXT as u64 + 1).read_to_string(&mut text)?;
    Ok(text)
}
