//! How long the complete ledger of about 100,000 steps takes. Prints figures, tests nothing.
//!
//! ```text
//! cargo run --release -p bench --example detail
//! ```

use std::time::Instant;

use sim_core::ledger::Key;
use sim_core::ledger::detail::{By, Detail, Query, steps_of};
use sim_core::scenario::RunSpec;

fn main() {
    for (scenario, variant, pages) in
        [("munlock", "0", "2130"), ("munlock-two-cpus", "6", "1900"), ("rmap-unmap", "v6.3", "3400")]
    {
        let spec = RunSpec::new(scenario, variant).and_then(|spec| spec.set("pages", pages));
        let run = match spec.and_then(RunSpec::record) {
            Ok(run) => run,
            Err(error) => return eprintln!("{scenario}: {error}"),
        };
        let start = Instant::now();
        let detail = Detail::new(&run.timeline, None);
        let analysed = start.elapsed();
        let start = Instant::now();
        let rows: usize = By::ALL.iter().map(|&by| detail.table(by).rows.len()).sum();
        let tables = start.elapsed();
        let start = Instant::now();
        let list = steps_of(&run.timeline, &Query::of(Key::Total)).len();
        let query = start.elapsed();
        println!(
            "{scenario} {variant}: {} steps: analysis {analysed:?}; {rows} rows {tables:?}; list of {list} steps {query:?}",
            run.timeline.len()
        );
    }
}
