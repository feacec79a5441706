//! Modelled time: what steps cost, who waits, and that every way to run a scenario keeps the same time.

use std::rc::Rc;

use sim_core::cost::{CostClass, Costs, Timing, Totals};
use sim_core::engine::Schedule;
use sim_core::ledger::detail::{Detail, Options};
use sim_core::machine::LockClass;
use sim_core::scenario::{Run, RunSpec, SCENARIOS};

fn costs(set: &[(CostClass, u64)]) -> Rc<Costs> {
    let mut costs = Costs::free("test");
    for &(class, ps) in set {
        costs.set(class, ps);
    }
    Rc::new(costs)
}

// Every class with a time of its own, so that nothing can stand for something else.
fn all() -> Rc<Costs> {
    let mut costs = Costs::free("test");
    for (&class, n) in CostClass::ALL.iter().zip(1..) {
        costs.set(class, 2 * (1000 + 17 * n));
    }
    costs.set_function("free_pcppages_bulk", 5000);
    Rc::new(costs)
}

fn spec(scenario: &str, variant: &str, params: &[(&str, &str)]) -> RunSpec {
    let spec = RunSpec::new(scenario, variant).expect("known");
    params.iter().fold(spec, |spec, (name, value)| spec.set(name, value).expect("fits"))
}

fn record(spec: RunSpec) -> Run {
    spec.record().expect("runs")
}

fn timed(mut spec: RunSpec, costs: &Rc<Costs>) -> RunSpec {
    spec.schedule = Some(Schedule::Timed);
    spec.costs = Some(costs.clone());
    spec
}

fn bulk(spec: &RunSpec) -> Totals {
    let engine = spec.bulk(u64::MAX, |_| true).expect("runs");
    engine.modelled().expect("keeps time")
}

#[test]
fn nothing_costs_nothing() {
    let run = record(spec("munlock", "6", &[]));
    let timing = Timing::new(&run.timeline, &costs(&[]));
    assert_eq!(timing.totals.elapsed, 0);
    assert_eq!(timing.end.len(), run.timeline.len());
}

// munlock of 56 pages by patch 6: 448 RMWs on page words, 64 spinlocks, 8 IRQ pairs.
#[test]
fn a_class_costs_what_the_tables_count() {
    let run = record(spec("munlock", "6", &[]));
    let time = |class| Timing::new(&run.timeline, &costs(&[(class, 1000)])).totals.elapsed;
    // And two for mmap_sem, which the system call holds around it.
    assert_eq!(time(CostClass::Rmw), (448 + 2) * 1000);
    assert_eq!(time(CostClass::Spin), 64 * 1000);
    assert_eq!(time(CostClass::Irq), 8 * 1000);
    assert_eq!(time(CostClass::Walk), 56 * 1000);
    assert_eq!(time(CostClass::Event), 8 * 1000);
    assert_eq!(time(CostClass::List), 112 * 1000);
    // 56 struct pages come from memory; the list had nothing else on it.
    assert_eq!(time(CostClass::LineMemory) / 1000 - 56, locks_and_lists(&run));
}

// Lines that are no struct page: each lock once, each pagevec once.
fn locks_and_lists(run: &Run) -> u64 {
    let locks: std::collections::BTreeSet<_> = run
        .timeline
        .records()
        .iter()
        .filter_map(|record| record.op.lock())
        .filter(|lock| lock.class != LockClass::Page)
        .map(|lock| (lock.class, lock.index))
        .collect();
    let pagevecs: std::collections::BTreeSet<_> = run
        .timeline
        .records()
        .iter()
        .filter_map(|record| match record.op {
            sim_core::op::Op::PvecAdd { pv, .. } => Some((pv.kind as u8, pv.owner)),
            _ => None,
        })
        .collect();
    (locks.len() + pagevecs.len()) as u64
}

#[test]
fn a_function_costs_its_calls() {
    let run = record(spec("munlock", "6", &[]));
    let mut costs = Costs::free("test");
    costs.set_function("__munlock_pagevec", 7);
    assert_eq!(
        Timing::new(&run.timeline, &Rc::new(costs)).totals.elapsed,
        5 * 7,
        "four batches of 14 pages, and a call that finds none"
    );
}

#[test]
fn a_timed_run_keeps_the_same_time_recorded_replayed_and_in_bulk() {
    let costs = all();
    for (scenario, variant, params) in [
        ("munlock", "7", &[][..]),
        ("munlock-two-cpus", "0", &[]),
        ("lru-drain", "sync", &[("cpus", "3")]),
        ("pcp-free", "v4.15", &[("cpus", "4"), ("touch", "40")]),
        ("pcp-free", "today", &[("cpus", "3"), ("touch", "40")]),
        ("rmap-unmap", "v6.3", &[("pages", "64")]),
    ] {
        let spec = timed(spec(scenario, variant, params), &costs);
        let in_bulk = bulk(&spec);
        let run = record(spec);
        let replayed = Timing::new(&run.timeline, &costs);
        assert_eq!(replayed.totals, in_bulk, "{scenario} {variant}");
        assert!(in_bulk.elapsed > 0);
    }
}

#[test]
fn a_timed_run_lets_the_cpu_go_that_is_behind() {
    let costs = all();
    let run = record(timed(spec("pcp-free", "v4.15", &[("cpus", "4"), ("touch", "40")]), &costs));
    let timing = Timing::new(&run.timeline, &costs);
    let (mut last, mut latest) = ([0; 4], 0);
    for (record, (&begin, &end)) in run.timeline.records().iter().zip(timing.begin.iter().zip(&timing.end)) {
        assert!(begin >= last[usize::from(record.cpu)], "a CPU does one thing at a time");
        last[usize::from(record.cpu)] = end;
        // Whoever takes a lock may begin later than it was chosen for.
        if record.op.lock().is_none() {
            assert!(begin >= latest, "steps happen in the order of their times");
            latest = begin;
        }
    }
}

// Two CPUs want zone->lock; the one that comes second goes on when the first has let go, and the hand-over is paid once.
#[test]
fn who_waits_for_a_lock_goes_on_when_it_is_free() {
    let costs = costs(&[(CostClass::Spin, 10), (CostClass::List, 1000), (CostClass::Handover, 500)]);
    let run = record(timed(spec("pcp-free", "v4.15", &[("cpus", "2"), ("touch", "8")]), &costs));
    let timing = Timing::new(&run.timeline, &costs);
    let waits: Vec<usize> = (0..run.timeline.len()).filter(|&step| timing.wait[step] > 0).collect();
    assert!(!waits.is_empty());
    for step in waits {
        let record = run.timeline.records()[step];
        let lock = record.op.lock().expect("only locks are waited for here");
        let release = run.timeline.records()[..step].iter().rposition(|earlier| {
            earlier.op.lock() == Some(lock) && matches!(earlier.op, sim_core::op::Op::SpinUnlock { .. })
        });
        assert_eq!(timing.begin[step], timing.end[release.expect("somebody held it")]);
        assert_eq!(timing.end[step] - timing.begin[step], 500);
    }
    assert_eq!(timing.totals.all_lock_wait(), timing.wait.iter().sum::<u64>());
}

// The caller of lru_add_drain_all sleeps until the kworkers are through: each wake-up takes its latency.
#[test]
fn who_is_woken_goes_on_after_the_latency() {
    let costs = costs(&[(CostClass::WakeLatency, 1_000_000)]);
    let run = record(timed(spec("lru-drain", "sync", &[("cpus", "4"), ("mlocks", "1")]), &costs));
    let timing = Timing::new(&run.timeline, &costs);
    // The kworkers wake at the same time, and the last to finish wakes the caller.
    assert!(
        timing.totals.elapsed >= 2_000_000 && timing.totals.elapsed.is_multiple_of(1_000_000),
        "{}",
        timing.totals.elapsed
    );
}

#[test]
fn lines_go_back_and_forth_between_cpus() {
    let time = |cpus: &str, class| {
        let costs = costs(&[(CostClass::Plain, 10), (class, 1000)]);
        let run = record(timed(spec("pcp-free", "v4.15", &[("cpus", cpus), ("touch", "40")]), &costs));
        Timing::new(&run.timeline, &costs).totals.by_class[class as usize]
    };
    assert_eq!(time("1", CostClass::LineRemote), 0, "one CPU finds everything at home");
    assert!(time("4", CostClass::LineRemote) > 0);
    assert!(time("1", CostClass::LineMemory) > 0);
}

#[test]
fn absurd_costs_are_cut_and_do_not_overflow() {
    let mut costs = Costs::free("absurd");
    for &class in &CostClass::ALL {
        costs.set(class, u64::MAX);
    }
    assert_eq!(costs.of(CostClass::Rmw), sim_core::cost::MOST_PS);
    let run = record(spec("munlock", "0", &[]));
    let timing = Timing::new(&run.timeline, &Rc::new(costs));
    assert!(timing.totals.elapsed > 0);
}

#[test]
fn timed_without_costs_says_what_it_needs() {
    let mut spec = spec("munlock", "6", &[]);
    spec.schedule = Some(Schedule::Timed);
    let text = spec.record().err().expect("no clocks").to_string();
    assert!(text.contains("cost profile"), "{text}");
}

// Nothing is waited for on one CPU without works: a mutex that is free again is taken at once.
#[test]
fn a_lock_that_is_free_is_taken_at_once() {
    for (scenario, variant, params) in [
        ("lru-drain", "async", &[("cpus", "1"), ("filled_cpus", "0")][..]),
        ("madvise-free", "free", &[("processes", "1"), ("loops", "2")]),
    ] {
        let run = record(timed(spec(scenario, variant, params), &all()));
        let totals = Timing::new(&run.timeline, &all()).totals;
        assert_eq!((totals.elapsed, totals.all_lock_wait()), (totals.busy, 0), "{scenario}");
    }
}

// Sleeping for a work is no waiting for the lock that is taken next.
#[test]
fn locks_are_waited_for_as_long_by_lock_as_in_all() {
    let costs = all();
    let mut waited = [0; 2];
    for scenario in SCENARIOS {
        for variant in [scenario.variants.first(), scenario.variants.last()].into_iter().flatten() {
            for by_time in [false, true] {
                let spec = spec(scenario.name, variant.name, &[]);
                let run = record(if by_time { timed(spec, &costs) } else { spec });
                let timing = Timing::new(&run.timeline, &costs);
                let detail = Detail::with(&run.timeline, Some(&timing), Options { all: true, key: None });
                for lock in &detail.classes {
                    let total = timing.totals.lock_wait[lock.class as usize];
                    assert_eq!(lock.wait.ps, total, "{} {} {:?}", scenario.name, variant.name, lock.class);
                    assert!(total == 0 || lock.contended > 0, "{} {}", scenario.name, variant.name);
                    waited[usize::from(by_time)] += total;
                }
            }
        }
    }
    assert!(waited.iter().all(|&ps| ps > 0), "{waited:?}");
}

// A hand-over is paid for each spinlock that was queued for, and for nothing else.
#[test]
fn hand_overs_are_those_of_contended_locks() {
    let costs = costs(&[(CostClass::Handover, 1000)]);
    for by_time in [false, true] {
        let spec = spec("lru-drain", "sync", &[]);
        let run = record(if by_time { timed(spec, &costs) } else { spec });
        let spins = LockClass::ALL.iter().filter(|class| !class.sleeps());
        let contended: u64 = spins.map(|&class| run.ledger.lock(class).contended).sum();
        let totals = Timing::new(&run.timeline, &costs).totals;
        assert_eq!(totals.by_class[CostClass::Handover as usize], 1000 * contended);
    }
}
