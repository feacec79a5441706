//! Cost profiles by name.

use sim_core::cost::Costs;

/// A profile of the project.
///
/// # Panics
///
/// Where there is none of that name: a mistake of ours, which every test of the report shows.
pub fn costs(name: &str) -> Costs {
    scenario_file::profile::bundled(name).expect("a profile of the project").costs()
}
