//! The bundled scenario files against the built-in scenarios.

use sim_core::scenario::{Run, RunSpec, Scenario};

const MUNLOCK: &str = include_str!("../../assets/scenarios/munlock.json");
const TWO_CPUS: &str = include_str!("../../assets/scenarios/munlock-two-cpus.json");

fn recorded(scenario: &'static Scenario, variant: &str) -> Run {
    let mut run = RunSpec::of(scenario, variant).unwrap().record().unwrap();
    run.timeline.seek(run.timeline.len());
    run
}

// The file, run by every variant of the series, against the built-in scenario: ledger, steps and the machine at the end.
fn same(text: &str, built_in: &str, params: &[(&str, &str)]) {
    let file = scenario_file::parse(text).unwrap().into_scenario().unwrap();
    let own = Scenario::find(built_in).unwrap();
    assert_eq!(file.variants.len(), own.variants.len());
    assert_eq!(file.sides, own.sides);
    assert_eq!(file.series().name, built_in);
    for variant in own.variants {
        let spec = RunSpec::of(own, variant.name).unwrap();
        let spec = params.iter().fold(spec, |spec, (name, value)| spec.set(name, value).unwrap());
        let mut ours = spec.clone().record().unwrap();
        ours.timeline.seek(ours.timeline.len());
        let mut theirs = recorded(file, variant.name);
        let title = format!("{built_in}, variant {}", variant.name);
        assert_eq!(theirs.timeline.violation(), ours.timeline.violation(), "{title}");
        assert_eq!(theirs.ledger, ours.ledger, "{title}");
        let steps = |run: &Run| -> Vec<_> {
            let frame = |frame: u32| run.timeline.frames()[frame as usize].func.name;
            // Who lets time pass after a call: a program of its own there, the one of all files here.
            let who = |name| if name == "spend" { "memset_and_madvise" } else { name };
            let records = run.timeline.records().iter();
            records
                .map(|record| {
                    (record.op, record.outcome, record.cpu, record.counted, record.frame().map(frame).map(who))
                })
                .collect()
        };
        let (theirs_steps, ours_steps) = (steps(&theirs), steps(&ours));
        let differ = theirs_steps.iter().zip(&ours_steps).position(|(one, other)| one != other);
        assert_eq!(differ.map(|at| (at, theirs_steps[at], ours_steps[at])), None, "{title}");
        assert_eq!(theirs_steps.len(), ours_steps.len(), "{title}");
        let sums = |run: &Run| run.timeline.world().machine.digest();
        assert_eq!(sums(&theirs), sums(&ours), "{title}");
        assert!(theirs.timeline.world() == ours.timeline.world(), "{title}: the worlds at the end differ");
        let bulk = |spec: RunSpec| spec.bulk(1 << 20, |_| true).unwrap().world().machine.digest();
        assert_eq!(bulk(RunSpec::of(file, variant.name).unwrap()), bulk(spec), "{title}, bulk");
        theirs.timeline.seek(0);
        ours.timeline.seek(0);
        assert_eq!(sums(&theirs), sums(&ours), "{title}, at the start");
    }
}

#[test]
fn munlock_is_the_built_in_one_step_by_step() {
    same(MUNLOCK, "munlock", &[]);
}

#[test]
fn lru_drain_is_the_built_in_one_step_by_step() {
    same(include_str!("../../assets/scenarios/lru-drain.json"), "lru-drain", &[]);
}

#[test]
fn pcp_free_is_the_built_in_one_step_by_step() {
    same(include_str!("../../assets/scenarios/pcp-free.json"), "pcp-free", &[]);
}

#[test]
fn madvise_free_is_the_built_in_one_step_by_step() {
    let params = [("processes", "2"), ("pages", "24"), ("ram", "36"), ("swap", "64"), ("loops", "2"), ("skew", "8")];
    same(include_str!("../../assets/scenarios/madvise-free.json"), "madvise-free", &params);
}

#[test]
fn rmap_unmap_is_the_built_in_one_step_by_step() {
    let params = [("pages", "56"), ("layout", "3")];
    same(include_str!("../../assets/scenarios/rmap-unmap.json"), "rmap-unmap", &params);
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
