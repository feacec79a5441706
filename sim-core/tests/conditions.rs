//! Running to a condition, forwards and backwards.

mod common;

use common::run;
use sim_core::engine::{Condition, Milestone, Timeline};
use sim_core::machine::{LockClass, LockId, PageFlag};

const LRU_LOCK: LockId = LockId { class: LockClass::Lru, index: 0 };

fn timeline(scenario: &str, variant: &str) -> Timeline {
    run(scenario, variant, &[]).timeline
}

#[test]
fn a_flag_becomes_clear_and_set_again() {
    let mut timeline = timeline("munlock", "0");
    let clear = Condition::Flag { page: 17, flag: PageFlag::Lru, set: false };
    let set = Condition::Flag { page: 17, flag: PageFlag::Lru, set: true };
    let cleared = timeline.run_to(clear).unwrap();
    assert!(!timeline.world().machine.page(17).has(PageFlag::Lru));
    let listed = timeline.run_to(set).unwrap();
    assert!(listed > cleared);
    assert_eq!(timeline.run_back_to(clear), Some(cleared));
    assert_eq!(timeline.run_back_to(clear), None, "it was clear for the first time there");
    assert_eq!(timeline.cursor(), cleared, "the cursor stays where nothing is found");
}

#[test]
fn the_lru_lock_is_taken_as_often_as_the_ledger_says() {
    for (variant, rounds) in [("0", 111), ("6", 8)] {
        let mut timeline = timeline("munlock", variant);
        let taken = std::iter::from_fn(|| timeline.run_to(Condition::Taken(LRU_LOCK))).count();
        assert_eq!(taken, rounds, "variant {variant}");
    }
}

#[test]
fn a_page_enters_the_inactive_list_once() {
    let mut timeline = timeline("munlock", "6");
    let enters = Condition::Enters { page: 20, lru: 0 };
    assert!(timeline.run_to(enters).is_some());
    assert_eq!(timeline.run_to(enters), None);
}

#[test]
fn contention_is_found_where_two_cpus_meet() {
    let mut both = timeline("munlock-two-cpus", "0");
    assert!(both.run_to(Condition::Contended(LRU_LOCK)).is_some());
    let mut alone = timeline("munlock", "0");
    assert_eq!(alone.run_to(Condition::Contended(LRU_LOCK)), None);
}

#[test]
fn milestones_functions_and_counts_are_found() {
    let mut timeline = timeline("munlock", "0");
    let at_page_17 = timeline.run_to(Condition::Passed(Milestone::LoopAt(17)));
    assert_eq!(at_page_17, timeline.step_of(Milestone::LoopAt(17)));
    let drained = timeline.run_to(Condition::Entered("lru_add_drain")).unwrap();
    assert_eq!(timeline.stack(drained - 1).len(), 3, "sys_munlock, the range loop, the drain");
    assert!(timeline.run_to(Condition::Count { page: 17, count: 3 }).is_some());
    assert_eq!(timeline.world().machine.page(17).count, 3);
}
