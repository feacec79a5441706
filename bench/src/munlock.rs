//! Bulk runs: munlock of the whole range by every variant, the ledger alone.

use sim_core::engine::{Engine, EngineError, Outcome};
use sim_core::scenario::{MUNLOCK_VARIANTS, RunSpec};

use crate::clock::Moment;
use crate::say::say;
use crate::{expected, memory};

/// Operations of a slice, as a page in a browser makes it.
const SLICE: u64 = 1 << 20;
/// Seconds that the real kernel took for 56 GiB in 2013.
const REAL: [(&str, f64); 7] =
    [("0", 3.39), ("2", 3.01), ("3", 2.73), ("4", 2.73), ("5", 2.36), ("6", 2.17), ("7-v2", 1.92)];
/// Pages of those figures.
const REAL_PAGES: f64 = (56 << 18) as f64;

/// Prints a line for each variant.
pub fn print(pages: u32) -> Result<(), String> {
    say!("Bulk: munlock of {pages} pages ({:.1} GiB)", f64::from(pages) / (1 << 18) as f64);
    say!("           set-up      run   ns per   ops per   real kernel     share      MiB");
    say!("variant         s        s     page      page     of 2013, s   of that   in use");
    for variant in MUNLOCK_VARIANTS {
        line(variant.name, pages)?;
    }
    Ok(())
}

fn line(variant: &str, pages: u32) -> Result<(), String> {
    let start = Moment::now();
    let mut engine = set_up(variant, pages)?;
    let set_up = start.seconds();
    let start = Moment::now();
    run(&mut engine).map_err(|error| error.to_string())?;
    let seconds = start.seconds();
    let memory = memory::in_use().map_or("?".to_string(), |mebibytes| mebibytes.to_string());
    let world = engine.world();
    expected::check(variant, u64::from(pages), &world.ledger)?;
    let (per_page, operations) = (seconds * 1e9 / f64::from(pages), world.clock as f64 / f64::from(pages));
    let (real, ratio) = match REAL.iter().find(|(name, _)| *name == variant) {
        Some((_, real)) => {
            let scaled = real * f64::from(pages) / REAL_PAGES;
            (format!("{scaled:.2}"), format!("{:.2}", seconds / scaled))
        }
        None => ("-".to_string(), "-".to_string()),
    };
    say!("{variant:<8}{set_up:>9.2}{seconds:>9.2}{per_page:>9.1}{operations:>10.2}{real:>15}{ratio:>10}{memory:>9}");
    Ok(())
}

/// Memory with the range mapped and mlocked, and the task ready to start.
pub fn set_up(variant: &str, pages: u32) -> Result<Engine, String> {
    let spec = RunSpec::new("munlock", variant).and_then(|spec| spec.set("pages", &pages.to_string()));
    spec.and_then(|spec| spec.start(true)).map_err(|error| error.to_string())
}

/// Runs it to its end.
pub fn run(engine: &mut Engine) -> Result<(), EngineError> {
    while engine.advance(SLICE)? == Outcome::Paused {}
    Ok(())
}
