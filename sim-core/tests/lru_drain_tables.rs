//! What one mlock of a small range costs in work items, wake-ups and sleeps: the tables for N CPUs of which some have
//! pages in their lru_add pagevecs.

mod common;

use common::{bulk, event, run, run_as, spec};
use sim_core::engine::Milestone;
use sim_core::ledger::{Count, Ledger};
use sim_core::machine::{Event, Machine, PageFlag, Pv, Stat};
use sim_core::scenario::LRU_DRAIN_VARIANTS;
use sim_core::view::PagevecKind;

const ALL: [&str; 5] = ["sync", "async", "selective", "none", "today"];

/// The rows of the table for one call, or for several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cost {
    works: u64,
    ipis: u64,
    dispatches: u64,
    allocations: u64,
    peeks: u64,
    /// Least and most sleeps of the caller.
    sleeps: (u64, u64),
    /// A wait puts a barrier behind what is still queued or runs.
    barriers: u64,
}

const NOTHING: Cost = Cost { works: 0, ipis: 0, dispatches: 0, allocations: 0, peeks: 0, sleeps: (0, 0), barriers: 0 };

/// One call of a variant on `n` CPUs; `first` of the run, so that `filled` CPUs have pages.
fn expected(variant: &str, n: u64, filled: u64, first: bool) -> Cost {
    let others = filled.min(n - 1);
    match variant {
        // A work for every CPU, whatever is in its pagevecs; a sleep at least, since the local kworker needs the CPU.
        "sync" => Cost { works: n, ipis: n - 1, dispatches: n, allocations: 1, peeks: 0, sleeps: (1, n), barriers: n },
        // populate has drained the caller's own pagevec by the time of the look. Five reads where all are empty.
        "async" if first => {
            Cost { works: others, ipis: others, dispatches: others, peeks: 5 * (n - others) + others, ..NOTHING }
        }
        "async" => Cost { peeks: 5 * n, ..NOTHING },
        // The look comes first, so the caller's own pages count.
        "selective" if first => Cost {
            works: filled,
            ipis: others,
            dispatches: filled,
            peeks: 4 * (n - filled) + filled,
            sleeps: (0, filled),
            barriers: filled,
            ..NOTHING
        },
        "selective" => Cost { peeks: 4 * n, ..NOTHING },
        _ => NOTHING,
    }
}

fn assert_cost(found: &Ledger, before: &Ledger, expected: Cost, context: &str) {
    let count = |count| found.count(count) - before.count(count);
    let exact = Cost {
        works: count(Count::WorksQueued),
        ipis: count(Count::Ipis),
        dispatches: count(Count::Dispatches),
        allocations: count(Count::PercpuAllocs),
        peeks: count(Count::RemoteReads),
        sleeps: expected.sleeps,
        barriers: expected.barriers,
    };
    assert_eq!(exact, expected, "{context}");
    let sleeps = count(Count::Sleeps);
    assert!((expected.sleeps.0..=expected.sleeps.1).contains(&sleeps), "{context}: {sleeps} sleeps");
    let barriers = count(Count::BarrierWorks);
    assert!(barriers <= expected.barriers, "{context}: {barriers} barriers");
    assert!(sleeps <= barriers, "{context}: {sleeps} sleeps for {barriers} barriers");
}

fn params(cpus: u64, mlocks: u64, filled: u64) -> Vec<(&'static str, String)> {
    vec![("cpus", cpus.to_string()), ("mlocks", mlocks.to_string()), ("filled_cpus", filled.to_string())]
}

fn borrowed<'a>(params: &'a [(&'static str, String)]) -> Vec<(&'static str, &'a str)> {
    params.iter().map(|(name, value)| (*name, value.as_str())).collect()
}

fn ledger_of_bulk(variant: &str, cpus: u64, mlocks: u64, filled: u64) -> Ledger {
    let params = params(cpus, mlocks, filled);
    let engine = bulk("lru-drain", variant, &borrowed(&params));
    engine.world().ledger.clone()
}

#[test]
fn variants_are_those_that_scripts_rely_on() {
    let names: Vec<&str> = LRU_DRAIN_VARIANTS.iter().map(|variant| variant.name).collect();
    assert_eq!(names, ALL);
    let spec = spec("lru-drain", "sync", &[]);
    let values = ["cpus", "mlocks", "filled_cpus"].map(|name| spec.params.get(name));
    assert_eq!(values, [4, 3, 1]);
    assert_eq!((spec.scenario.sides.0, spec.scenario.sides.1), ("sync", "async"));
}

#[test]
fn one_call_for_every_number_of_cpus_and_every_number_of_filled_ones() {
    for n in 1..=64 {
        for filled in 0..=n {
            for variant in ["async", "selective"] {
                let context = format!("{variant}, {n} CPUs, {filled} filled");
                let ledger = ledger_of_bulk(variant, n, 1, filled);
                assert_cost(&ledger, &Ledger::default(), expected(variant, n, filled, true), &context);
            }
        }
        for filled in [0, n / 2, n] {
            for variant in ["sync", "none", "today"] {
                let context = format!("{variant}, {n} CPUs, {filled} filled");
                let ledger = ledger_of_bulk(variant, n, 1, filled);
                assert_cost(&ledger, &Ledger::default(), expected(variant, n, filled, true), &context);
            }
        }
    }
}

#[test]
fn each_call_of_a_recorded_run() {
    for variant in ALL {
        for (n, filled) in [(1, 0), (1, 1), (2, 1), (2, 2), (3, 2), (4, 0), (4, 1), (4, 4), (7, 3), (16, 5), (64, 64)] {
            let params = params(n, 7, filled);
            let mut timeline = run("lru-drain", variant, &borrowed(&params)).timeline;
            assert_eq!(timeline.violation(), None, "{variant}, {n} CPUs, {filled} filled");
            let mut ledgers = Vec::new();
            for call in 0..7 {
                timeline.seek(timeline.step_of(Milestone::Call(call)).unwrap());
                ledgers.push(timeline.world().ledger.clone());
            }
            timeline.seek(timeline.len());
            ledgers.push(timeline.world().ledger.clone());
            for (call, pair) in ledgers.windows(2).enumerate() {
                let context = format!("{variant}, {n} CPUs, {filled} filled, call {call}");
                assert_cost(&pair[1], &pair[0], expected(variant, n, filled, call == 0), &context);
            }
        }
    }
}

#[test]
fn the_default_run() {
    let totals = |variant| {
        let ledger = run("lru-drain", variant, &[]).ledger;
        [Count::WorksQueued, Count::Ipis, Count::PercpuAllocs, Count::RemoteReads].map(|count| ledger.count(count))
    };
    assert_eq!(totals("sync"), [12, 9, 3, 0]);
    assert_eq!(totals("async"), [1, 1, 0, 16 + 20 + 20]);
    assert_eq!(totals("selective"), [1, 1, 0, 13 + 16 + 16]);
    assert_eq!(totals("none"), [0; 4]);
    assert_eq!(totals("today"), [0; 4]);
}

#[test]
fn any_order_of_steps_keeps_the_bounds() {
    for variant in ALL {
        for seed in 0..12 {
            for (n, filled) in [(2, 2), (4, 1), (5, 5)] {
                let params = params(n, 3, filled);
                let run = run_as("lru-drain", variant, &borrowed(&params), &format!("seed:{seed}"));
                let context = format!("{variant}, {n} CPUs, {filled} filled, seed {seed}");
                assert_eq!(run.timeline.violation(), None, "{context}");
                let count = |count| run.ledger.count(count);
                let first = expected(variant, n, filled, true);
                // Another call may find the page still there, and a work item that runs is queued once more.
                let most = if variant == "sync" { 3 * n } else { 3 * first.works };
                assert!(count(Count::WorksQueued) <= most, "{context}");
                assert!(count(Count::WorksQueued) >= first.works, "{context}");
                assert!(count(Count::Ipis) <= 3 * (n - 1), "{context}");
                let sleeps = if variant == "sync" { 3 * n } else { 3 * first.sleeps.1 };
                assert!(count(Count::Sleeps) <= sleeps, "{context}");
                assert!(variant != "sync" || count(Count::Sleeps) >= 3, "{context}");
                assert!(run.claims().iter().all(|claim| claim.holds), "{context}");
            }
        }
    }
}

#[test]
fn a_long_bulk_run_costs_what_its_calls_cost() {
    for variant in ALL {
        let ledger = ledger_of_bulk(variant, 4, 3000, 2);
        let (first, later) = (expected(variant, 4, 2, true), expected(variant, 4, 2, false));
        assert_eq!(ledger.count(Count::WorksQueued), first.works + 2999 * later.works, "{variant}");
        assert_eq!(ledger.count(Count::RemoteReads), first.peeks + 2999 * later.peeks, "{variant}");
        assert_eq!(ledger.count(Count::PercpuAllocs), first.allocations + 2999 * later.allocations, "{variant}");
    }
}

fn waiting(machine: &Machine, cpu: u8) -> u8 {
    machine.pagevec(Pv { kind: PagevecKind::LruAdd, owner: cpu }).nr
}

#[test]
fn the_other_pagevecs_are_empty_when_a_call_that_waits_returns() {
    for (variant, empty) in [("sync", true), ("selective", true), ("none", false), ("today", false)] {
        let mut timeline = run("lru-drain", variant, &[("mlocks", "1"), ("filled_cpus", "3")]).timeline;
        timeline.seek(timeline.step_of(Milestone::SyscallExit).unwrap());
        let left: u8 = (1..4).map(|cpu| waiting(&timeline.world().machine, cpu)).sum();
        assert_eq!(left, if empty { 0 } else { 3 }, "{variant}");
        timeline.seek(timeline.len());
        let left: u8 = (1..4).map(|cpu| waiting(&timeline.world().machine, cpu)).sum();
        assert_eq!(left, if empty { 0 } else { 3 }, "{variant}");
    }
    let mut timeline = run("lru-drain", "async", &[("mlocks", "1"), ("filled_cpus", "3")]).timeline;
    timeline.seek(timeline.len());
    let left: u8 = (0..4).map(|cpu| waiting(&timeline.world().machine, cpu)).sum();
    assert_eq!(left, 0, "the work items have run in the end");
}

#[test]
fn every_range_ends_mlocked_on_the_unevictable_list() {
    for variant in ALL {
        let mut timeline = run("lru-drain", variant, &[]).timeline;
        timeline.seek(timeline.len());
        let world = timeline.world();
        let machine = &world.machine;
        assert_eq!(machine.stat(Stat::Mlock), 3, "{variant}");
        assert_eq!(machine.stat(Stat::Unevictable), 3, "{variant}");
        assert_eq!(event(world, Event::Mlocked), 3, "{variant}");
        for range in 0..3 {
            let page = machine.page(machine.pte(0, range));
            assert!(page.has(PageFlag::Mlocked) && page.has(PageFlag::Unevictable), "{variant}, range {range}");
        }
    }
}

#[test]
fn the_pending_bit_and_the_pool_locks_are_counted() {
    // One test_and_set for each work item.
    let ledger = run("lru-drain", "async", &[("mlocks", "1")]).ledger;
    assert_eq!(ledger.other_rmw() - ledger.count(Count::Folds), 1);
    let locks = ledger.lock(sim_core::machine::LockClass::Pool);
    // Queued under it once; the kworker takes it to look and again when the work has run.
    assert_eq!(locks.acquired, 3);
    // The mask of 3.12 is an atomic for each CPU with work.
    let ledger = run("lru-drain", "selective", &[("mlocks", "1")]).ledger;
    assert_eq!(ledger.other_rmw() - ledger.count(Count::Folds), 2);
}

#[test]
fn going_back_gives_the_same_bytes_for_every_variant() {
    for variant in ALL {
        let mut timeline = run("lru-drain", variant, &[("mlocks", "4"), ("filled_cpus", "4")]).timeline;
        let start = timeline.world().clone();
        let mut digests = vec![start.machine.digest()];
        while timeline.forward() {
            digests.push(timeline.world().machine.digest());
        }
        let end = timeline.world().clone();
        while timeline.back() {
            assert_eq!(timeline.world().machine.digest(), digests[timeline.cursor()], "{variant}");
        }
        assert_eq!(*timeline.world(), start, "{variant}");
        timeline.seek(timeline.len());
        assert_eq!(*timeline.world(), end, "{variant}");
    }
}

#[test]
fn every_step_has_a_sentence_and_a_picture() {
    for variant in ALL {
        let mut timeline = run("lru-drain", variant, &[("mlocks", "4"), ("filled_cpus", "4")]).timeline;
        while timeline.forward() {
            let words = timeline.sentence().plain();
            assert!(words.len() > "CPU 0 .".len() + 5, "{variant}, step {}: {words}", timeline.cursor());
            let view = timeline.view();
            let workqueue = view.workqueue.expect("the machine has kworkers");
            assert_eq!(workqueue.pools.len(), 4);
            assert_eq!(view.pages.len(), 3 + 4, "every page has a number");
        }
    }
}

#[test]
fn parameters_that_do_not_fit_are_named() {
    let error = spec("lru-drain", "sync", &[("cpus", "2"), ("filled_cpus", "3")]).record().err().unwrap();
    assert_eq!(error.to_string(), "filled_cpus is 3 and cpus is 2; expected 2 at most, one for each CPU");
    let error = spec("lru-drain-starved", "sync", &[("cpus", "1")]).record().err().unwrap();
    assert_eq!(error.to_string(), "cpus is 1; expected 2 or more, one of them busy");
}
