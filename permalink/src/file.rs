//! Scenarios and cost profiles that somebody wrote, as a link carries them.

use std::cell::RefCell;

use scenario_file::profile::{self, Profile};
use serde_json::Value;
use sim_core::scenario::Scenario;

use crate::pack;

/// What stands for a scenario's name where the link carries the scenario itself.
pub const NAME: &str = "file";

thread_local! {
    /// A scenario of a file stays in memory for good: the same text gives the same one.
    static OPENED: RefCell<Vec<Opened>> = const { RefCell::new(Vec::new()) };
}

/// A scenario with the text that it is from, without its spaces, and as a link carries it.
struct Opened {
    text: String,
    packed: String,
    scenario: &'static Scenario,
}

/// The scenario of a file's text; the same one for the same text.
///
/// # Errors
///
/// What is wrong with the text, and where.
pub fn open(text: &str) -> Result<&'static Scenario, String> {
    let file = scenario_file::parse(text).map_err(|error| error.to_string())?;
    let short = shorter(text);
    let known =
        OPENED.with_borrow(|opened| opened.iter().find(|known| known.text == short).map(|known| known.scenario));
    if let Some(scenario) = known {
        return Ok(scenario);
    }
    let scenario = file.into_scenario().map_err(|error| error.to_string())?;
    let packed = pack::pack(&short);
    OPENED.with_borrow_mut(|opened| opened.push(Opened { text: short, packed, scenario }));
    Ok(scenario)
}

/// A scenario as a link carries it; none for one that comes with the project.
pub fn packed(scenario: &'static Scenario) -> Option<String> {
    let same = |known: &&Opened| std::ptr::eq(known.scenario, scenario);
    OPENED.with_borrow(|opened| opened.iter().find(same).map(|known| known.packed.clone()))
}

/// The scenario that a link carries.
///
/// # Errors
///
/// What is wrong with it.
pub fn unpacked(packed: &str) -> Result<&'static Scenario, String> {
    let text = pack::unpack(packed).map_err(|error| format!("the scenario in the link (file=): {error}"))?;
    open(&text).map_err(|error| format!("the scenario in the link (file=): {error}"))
}

/// A cost profile as a link carries it.
pub fn packed_profile(profile: &Profile) -> String {
    pack::pack(&shorter(&profile.to_json()))
}

/// The cost profile that a link carries.
///
/// # Errors
///
/// What is wrong with it.
pub fn unpacked_profile(packed: &str) -> Result<Profile, String> {
    let text = pack::unpack(packed).map_err(|error| format!("the cost profile in the link (profile=): {error}"))?;
    profile::parse(&text).map_err(|error| format!("the cost profile in the link (profile=): {error}"))
}

// Without spaces, and without the note to editors. Text that is no JSON stays as it is.
fn shorter(text: &str) -> String {
    let value = serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}'));
    let Ok(mut value) = value else { return text.to_string() };
    if let Some(object) = value.as_object_mut() {
        object.remove("$schema");
    }
    value.to_string()
}
