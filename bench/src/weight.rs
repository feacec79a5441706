//! What a recorded run of 100,000 steps weighs, for each series. Each is weighed in a process of its own, so that no
//! memory of another run is in the balance.

use std::process::{Command, ExitCode};

use sim_core::engine::Outcome;
use sim_core::scenario::RunSpec;

use crate::memory;
use crate::say::say;

/// Steps of each run.
const STEPS: u64 = 100_000;
/// Bytes that a step may take.
const LIMIT: f64 = 64.0;
/// First argument of a process that weighs one run.
pub const ARGUMENT: &str = "--weigh";

/// Scenario, variant, and parameters of runs that are hardly longer: copies of memory are weighed with them.
const RUNS: [(&str, &str, &[&str]); 9] = [
    ("munlock", "0", &["pages=2200"]),
    ("munlock", "today", &["pages=4500"]),
    ("munlock-two-cpus", "6", &["pages=2100"]),
    ("lru-drain", "sync", &["mlocks=3000"]),
    ("lru-drain", "async", &["mlocks=10000"]),
    ("pcp-free", "merged", &["cpus=4", "pages=4096", "touch=512", "rounds=8", "batch=31", "high=186"]),
    ("madvise-free", "free-swap", &["loops=40"]),
    ("rmap-unmap", "v6.3", &["pages=3840"]),
    ("rmap-unmap", "today", &["pages=1792", "layout=0"]),
];

/// Prints a line for each run.
pub fn print() -> Result<(), String> {
    say!(
        "Recorded: bytes a step of {STEPS} steps, everything counted that the timeline keeps; the aim is below {LIMIT}"
    );
    say!("scenario          variant      bytes   records  function calls  milestones");
    let program = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
    for (scenario, variant, set) in RUNS {
        let mut command = Command::new(&program);
        // Every larger piece of memory by itself, so that what is given back is gone.
        command.args([ARGUMENT, scenario, variant]).args(set).env("MALLOC_MMAP_THRESHOLD_", "65536");
        let output = command.output().map_err(|error| format!("{}: {error}", program.display()))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).trim_end().to_string());
        }
        say!("{}", String::from_utf8_lossy(&output.stdout).trim_end());
    }
    Ok(())
}

/// The process that weighs one run.
pub fn main(arguments: &[String]) -> ExitCode {
    match weigh(arguments) {
        Ok(line) => {
            say!("{line}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn weigh(arguments: &[String]) -> Result<String, String> {
    let [scenario, variant, set @ ..] = arguments else {
        return Err(format!("{ARGUMENT}: expected a scenario, a variant, and parameters as name=value"));
    };
    let mut spec = RunSpec::new(scenario, variant).map_err(|error| error.to_string())?;
    for pair in set {
        let (name, value) = pair.split_once('=').ok_or_else(|| format!("{pair}: expected name=value"))?;
        spec = spec.set(name, value).map_err(|error| error.to_string())?;
    }
    let mut engine = spec.start(false).map_err(|error| error.to_string())?;
    let before = memory::kibibytes();
    let ended = engine.advance(STEPS).map_err(|error| error.to_string())?;
    if ended != Outcome::Paused {
        return Err(format!(
            "{scenario} {variant}: expected more than {STEPS} steps: {ended:?}, {:?}",
            engine.violation()
        ));
    }
    let timeline = engine.into_timeline();
    let steps = timeline.len() as f64;
    let bytes = match (before, memory::kibibytes()) {
        (Some(before), Some(after)) => Some((after.saturating_sub(before) << 10) as f64 / steps),
        _ => None,
    };
    let text = bytes.map_or("?".to_string(), |bytes| format!("{bytes:.1}"));
    let records = timeline.weight().records as f64 / steps;
    let frames = timeline.weight().frames as f64 / steps;
    let marks = timeline.weight().marks as f64 / steps;
    let over = if bytes.is_some_and(|bytes| bytes >= LIMIT) { "  over" } else { "" };
    Ok(format!("{scenario:<18}{variant:<10}{text:>8}{records:>10.1}{frames:>16.1}{marks:>12.1}{over}"))
}
