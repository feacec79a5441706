//! Bulk runs of the other series, each at the size of its published benchmark.

mod lru_drain;
mod madvise_free;
mod pcp_free;
mod rmap_unmap;

use sim_core::engine::Engine;
use sim_core::op::World;
use sim_core::scenario::RunSpec;

use crate::clock::Moment;
use crate::munlock::run;
use crate::say::say;

/// A run to measure.
struct Case<'a> {
    scenario: &'a str,
    variant: &'a str,
    /// Parameters, as on the command line.
    set: &'a [(&'a str, &'a str)],
    /// What stands in the first column beside the variant.
    label: &'a str,
    /// Pages, PTEs or calls of one run.
    units: u64,
    /// Times that it is set up and run, so that there is something to measure.
    times: u64,
}

/// What was measured.
struct Measured {
    /// Seconds of all runs, set-up left out.
    seconds: f64,
    /// Operations of one run.
    operations: u64,
    /// How one run left the world.
    engine: Engine,
}

/// Prints a section for each series.
pub fn print() -> Result<(), String> {
    let sections = [lru_drain::print, pcp_free::print, madvise_free::print, rmap_unmap::print];
    for (at, section) in sections.iter().enumerate() {
        if at > 0 {
            say!();
        }
        section()?;
    }
    Ok(())
}

fn head(title: &str, unit: &str) {
    say!("Bulk: {title}");
    say!("                               set-up      run    ns per   ops per   thousand {unit}s");
    say!("variant                             s        s{unit:>10}{unit:>10}   a second");
}

impl Case<'_> {
    fn spec(&self) -> Result<RunSpec, String> {
        // Several CPUs take turns of a call or a page, not of an operation.
        let timed = self.scenario == "madvise-free";
        let mut spec = RunSpec::new(self.scenario, self.variant)
            .and_then(|spec| spec.schedule(if timed { "timed" } else { "turns" }));
        for (name, value) in self.set {
            spec = spec.and_then(|spec| spec.set(name, value));
        }
        spec.map_err(|error| format!("{} {}: {error}", self.scenario, self.variant))
    }

    /// Runs it and prints its line.
    fn measure(&self) -> Result<Measured, String> {
        let spec = self.spec()?;
        let failed = |error: &dyn std::fmt::Display| format!("{} {}: {error}", self.scenario, self.variant);
        let (mut set_up, mut seconds) = (0.0, 0.0);
        let mut last = None;
        for _ in 0..self.times {
            // Memory of the run before goes first.
            drop(last.take());
            let start = Moment::now();
            let mut engine = spec.start(true).map_err(|error| failed(&error))?;
            set_up += start.seconds();
            let start = Moment::now();
            run(&mut engine).map_err(|error| failed(&error))?;
            seconds += start.seconds();
            last = Some(engine);
        }
        let engine = last.ok_or_else(|| failed(&"no runs"))?;
        let operations = {
            let world = engine.world();
            self.check(&spec, &world)?;
            world.clock
        };
        self.line(set_up, seconds, operations);
        Ok(Measured { seconds, operations, engine })
    }

    fn line(&self, set_up: f64, seconds: f64, operations: u64) {
        let units = (self.units * self.times) as f64;
        let name = format!("{} {}", self.variant, self.label);
        say!(
            "{name:<26}{set_up:>11.2}{seconds:>9.2}{:>10.1}{:>10.2}{:>11.1}",
            seconds * 1e9 / units,
            operations as f64 / self.units as f64,
            units / seconds / 1e3
        );
    }

    // Counts that the series makes a claim of must be as claimed; where it is known not to hold, it says so itself.
    fn check(&self, spec: &RunSpec, end: &World) -> Result<(), String> {
        match spec.check_claims(end).into_iter().find(|claim| !claim.holds && !claim.known) {
            Some(claim) => Err(format!(
                "{} {}: {}: {} was found; expected {}",
                self.scenario, self.variant, claim.claim, claim.found, claim.expected
            )),
            None => Ok(()),
        }
    }
}
