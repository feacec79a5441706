//! 300,000 mlock calls, as the benchmark makes them: three ranges of a page in turn, each munlocked in between.

use super::{Case, head};
use crate::say::say;

const CALLS: u64 = 300_000;
/// CPUs of the only machine for which a number was posted; that of the benchmark is not known.
const CPUS: &str = "16";
/// Seconds that the calls took on the machine of 2012.
const REAL: (f64, f64) = (73.608, 3.939);

pub fn print() -> Result<(), String> {
    head(&format!("{CALLS} mlock calls on {CPUS} CPUs (lru-drain)"), "call");
    let operations = |variant, filled| {
        let set = [("cpus", CPUS), ("mlocks", "300000"), ("filled_cpus", filled)];
        let label = format!("({filled} filled)");
        let case = Case { scenario: "lru-drain", variant, set: &set, label: &label, units: CALLS, times: 1 };
        case.measure().map(|measured| (measured.operations as f64, measured.seconds))
    };
    let (sync, async_) = (operations("sync", "1")?, operations("async", "1")?);
    say!(
        "sync takes {:.1} times the operations of async, and {:.1} times the time here; in 2012 it took {:.1} times as long",
        sync.0 / async_.0,
        sync.1 / async_.1,
        REAL.0 / REAL.1
    );
    Ok(())
}
