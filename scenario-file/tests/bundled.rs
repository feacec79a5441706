//! The bundled scenario files against the built-in scenarios.

use sim_core::scenario::{Run, RunSpec, Scenario};

const MUNLOCK: &str = include_str!("../../assets/scenarios/munlock.json");
const TWO_CPUS: &str = include_str!("../../assets/scenarios/munlock-two-cpus.json");

fn recorded(scenario: &'static Scenario, variant: &str) -> Run {
    let mut run = RunSpec::of(scenario, variant).unwrap().record().unwrap();
    run.timeline.seek(run.timeline.len());
    run
}

#[test]
fn munlock_is_the_built_in_one_step_by_step() {
    let file = scenario_file::parse(MUNLOCK).unwrap().into_scenario().unwrap();
    let own = Scenario::find("munlock").unwrap();
    assert_eq!(file.variants.len(), own.variants.len());
    assert_eq!(file.sides, own.sides);
    for variant in own.variants {
        let (theirs, ours) = (recorded(file, variant.name), recorded(own, variant.name));
        assert_eq!(theirs.timeline.violation(), None, "variant {}", variant.name);
        assert_eq!(theirs.ledger, ours.ledger, "variant {}", variant.name);
        let steps = |run: &Run| -> Vec<_> {
            let frame = |frame: u32| run.timeline.frames()[frame as usize].func.name;
            let records = run.timeline.records().iter();
            records
                .map(|record| (record.op, record.outcome, record.cpu, record.counted, record.frame().map(frame)))
                .collect()
        };
        assert_eq!(steps(&theirs), steps(&ours), "variant {}", variant.name);
        assert_eq!(theirs.timeline.world(), ours.timeline.world(), "variant {}", variant.name);
        let sums = |run: &Run| run.timeline.world().machine.digest();
        assert_eq!(sums(&theirs), sums(&ours), "variant {}", variant.name);
    }
}

#[test]
fn a_bulk_run_of_a_file_counts_what_a_recorded_run_counts() {
    let file = scenario_file::parse(MUNLOCK).unwrap().into_scenario().unwrap();
    for variant in file.variants {
        let bulk = RunSpec::of(file, variant.name).unwrap().bulk(1 << 20, |_| true).unwrap();
        assert_eq!(bulk.world().ledger, recorded(file, variant.name).ledger, "variant {}", variant.name);
    }
}

// The pages of the two ranges lie side by side here, and alternate there: all counts are the same.
#[test]
fn two_cpus_count_what_the_built_in_scenario_counts() {
    let file = scenario_file::parse(TWO_CPUS).unwrap().into_scenario().unwrap();
    let own = Scenario::find("munlock-two-cpus").unwrap();
    for variant in own.variants {
        let (theirs, ours) = (recorded(file, variant.name), recorded(own, variant.name));
        assert_eq!(theirs.timeline.violation(), None, "variant {}", variant.name);
        assert_eq!(theirs.ledger, ours.ledger, "variant {}", variant.name);
        assert_eq!(theirs.timeline.len(), ours.timeline.len(), "variant {}", variant.name);
    }
}
