//! The direct form of kernel code, which bulk runs of one task take: the same operations in the same order as the
//! coroutines of a recorded run.

mod common;

use common::{bulk, run};
use sim_core::engine::{Engine, Outcome};
use sim_core::kernel::Config;
use sim_core::kernel::vmscan::isolate_lru_page;
use sim_core::machine::{LockClass, Machine, MachineSpec, PageFlag};
use sim_core::scenario::{RunSpec, SCENARIOS};

/// The machine, the ledger and the number of operations at the end of both runs.
#[track_caller]
fn check(variant: &str, params: &[(&str, &str)]) {
    let recorded = run("munlock", variant, params);
    let mut timeline = recorded.timeline;
    assert_eq!(timeline.violation(), None, "{variant} {params:?}");
    timeline.seek(timeline.len());
    let bulk = bulk("munlock", variant, params);
    assert!(*bulk.world() == *timeline.world(), "{variant} {params:?}");
}

fn check_all(params: &[(&str, &str)]) {
    for variant in SCENARIOS[0].variants {
        check(variant.name, params);
    }
}

#[test]
fn plain_pages() {
    for pages in ["1", "13", "14", "15", "31", "61", "600"] {
        check_all(&[("pages", pages)]);
    }
}

#[test]
fn two_zones() {
    check_all(&[("pages", "70"), ("zones", "2")]);
    check_all(&[("pages", "70"), ("zones", "2"), ("interleave", "true")]);
}

#[test]
fn holes_and_pages_that_are_not_mlocked() {
    check_all(&[("pages", "97"), ("holes", "7"), ("not_mlocked", "5"), ("pmd_start", "500")]);
}

#[test]
fn shared_pages() {
    check_all(&[("pages", "97"), ("shared", "9"), ("shared_locked", "8")]);
}

#[test]
fn pages_in_the_pagevec_of_another_cpu() {
    check_all(&[("pages", "56"), ("in_remote_pagevec", "5")]);
}

#[test]
fn huge_pages() {
    check_all(&[("pages", "2048"), ("thp", "true")]);
}

#[test]
fn a_run_in_small_slices_is_the_same_run() {
    for variant in ["0", "6", "7-v2", "today"] {
        let spec = common::spec("munlock", variant, &[("pages", "600")]);
        let sliced = spec.bulk(100, |_| true).unwrap();
        let whole = spec.bulk(u64::MAX, |_| true).unwrap();
        assert!(*sliced.world() == *whole.world(), "{variant}");
    }
}

#[test]
fn a_spinlock_that_the_task_holds_already_stops_the_run() {
    let machine = Machine::new(&MachineSpec { cpus: 1, zones: vec![8], threshold: 125 });
    let mut engine = Engine::new(Config::base(), machine);
    engine.spawn("isolate", 0, |cpu| async move {
        cpu.take_free_page(0, 0, 0).await;
        cpu.set_page_lru(0).await;
        cpu.lock_lru_irq(0).await;
        isolate_lru_page(&cpu, 0).await;
        unreachable!("the lock is never free");
    });
    assert_eq!(engine.run(), Ok(Outcome::Broken));
    let violation = engine.violation().expect("it waits for itself");
    assert_eq!(violation.rule, "deadlock");
    assert!(violation.detail.contains("lru_lock"), "{violation:?}");
    let world = engine.world();
    assert_eq!(world.machine.lru_locks[0].queue, [0], "it stands in line");
    assert_eq!(world.ledger.lock(LockClass::Lru).acquired, 0, "the set-up is not counted");
    assert!(world.machine.page(0).has(PageFlag::Lru));
}

/// A bulk run of several tasks goes after the same schedule as the recorded one.
#[test]
fn several_tasks_in_the_order_of_the_schedule() {
    for scenario in &SCENARIOS[1..] {
        for variant in scenario.variants {
            for schedule in [None, Some("round-robin"), Some("turns"), Some("seed:7")] {
                same_order(scenario.name, variant.name, schedule);
            }
        }
    }
}

#[track_caller]
fn same_order(scenario: &str, variant: &str, schedule: Option<&str>) {
    let spec = RunSpec::new(scenario, variant).unwrap();
    let spec = schedule.map_or(spec.clone(), |schedule| spec.schedule(schedule).unwrap());
    let mut recorded = spec.clone().record().unwrap().timeline;
    recorded.seek(recorded.len());
    let found = recorded.violation();
    // The rules are checked in recorded runs only; what stops the tasks themselves stops both.
    if found.is_some_and(|violation| violation.rule != "deadlock") {
        return;
    }
    let bulk = spec.bulk(1000, |_| true).unwrap();
    assert_eq!(bulk.violation(), found, "{scenario} {variant} {schedule:?}");
    assert!(*bulk.world() == *recorded.world(), "{scenario} {variant} {schedule:?}");
}
