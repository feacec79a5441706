//! The complete ledger of a run: its sums are those of the ledger, and every number opens the list of its steps.

mod common;

use std::collections::BTreeSet;

use common::{run, run_as};
use sim_core::cost::Timing;
use sim_core::ledger::detail::{
    By, Cell, Detail, Measure, Off, Options, Query, Scope, Table, Under, Work, count_of, steps_of, weight_of,
};
use sim_core::ledger::{Count, How, Key, by_name, rows};
use sim_core::machine::{LockClass, LockId, PageFlag};
use sim_core::op::Op;
use sim_core::scenario::{Run, RunSpec, SCENARIOS};

/// Every scenario with every variant, as it stands.
fn everything() -> impl Iterator<Item = Run> {
    SCENARIOS.iter().flat_map(|scenario| {
        scenario.variants.iter().filter_map(|variant| RunSpec::of(scenario, variant.name).ok()?.record().ok())
    })
}

fn what(run: &Run) -> String {
    format!("{} {}", run.spec.scenario.name, run.spec.variant.name)
}

fn add(sum: Work, work: Work) -> Work {
    let mut sum = sum;
    sum += work;
    sum
}

/// What a detail says of itself and of the ledger.
fn check_sums(run: &Run) {
    let what = what(run);
    let detail = Detail::new(&run.timeline, None);
    assert_eq!(detail.ledger, run.ledger, "{what}");
    let counted = run.timeline.records().iter().filter(|record| record.counted).count() as u64;
    assert_eq!(detail.total.steps, counted, "{what}");
    assert_eq!(detail.total.rmw, run.ledger.total_rmw(), "{what}");
    assert_eq!(detail.total.locks, Key::Locks.of(&run.ledger), "{what}");
    assert_eq!(detail.total.lists, Key::ListMoves.of(&run.ledger), "{what}");
    let own = detail.functions.iter().fold(Work::default(), |sum, function| add(sum, function.own));
    assert_eq!(own, detail.total, "{what}: functions");
    let cpus = detail.cpus.iter().fold(Work::default(), |sum, cpu| add(sum, cpu.work));
    assert_eq!(cpus, detail.total, "{what}: CPUs");
    let pages = detail.pages.iter().fold(Work::default(), |sum, page| add(sum, page.work));
    assert_eq!((pages.steps, pages.touches), (detail.total.touches, detail.total.touches), "{what}: pages");
    for class in LockClass::ALL {
        let counts = run.ledger.lock(class);
        let each = detail.locks.iter().filter(|lock| lock.class == class);
        let (acquired, contended, held, queue) = each.fold((0, 0, 0, 0), |(acquired, contended, held, queue), lock| {
            let held = held + lock.hold.steps;
            (acquired + lock.acquired, contended + lock.contended, held, lock.queue.max(queue))
        });
        let expected = (counts.acquired, counts.contended, counts.max_waiters);
        assert_eq!((acquired, contended, queue), expected, "{what}: {}", class.name());
        let all = detail.class(class).map_or((0, 0, 0, 0), |lock| {
            (lock.acquired, lock.contended, lock.hold.steps, lock.queue)
        });
        assert_eq!(all, (acquired, contended, held, queue), "{what}: {}", class.name());
        // Exact while none is held.
        let free = detail.class(class).is_none_or(|lock| lock.hold.longest.is_none_or(|_| ended(run, class)));
        if free {
            assert_eq!(held, counts.held_steps(), "{what}: {} held", class.name());
        }
    }
}

/// Every counted hold of a class has been released by a counted step, and no other has.
fn ended(run: &Run, class: LockClass) -> bool {
    run.timeline.index().holds_of(class).all(|hold| {
        let counted = |step: u32| run.timeline.records().get(step as usize - 1).is_some_and(|record| record.counted);
        hold.end != u32::MAX && counted(hold.start) == counted(hold.end)
    })
}

#[test]
fn sums_are_those_of_the_ledger_in_every_run() {
    let mut runs = 0;
    for run in everything() {
        check_sums(&run);
        runs += 1;
    }
    assert!(runs > 100, "{runs}");
}

#[test]
fn sums_are_those_of_the_ledger_in_any_order() {
    for seed in 0..12 {
        for (scenario, variant) in [("munlock-two-cpus", "0"), ("munlock-two-cpus", "6"), ("lru-drain", "selective")] {
            check_sums(&run_as(scenario, variant, &[], &format!("seed:{seed}")));
        }
        check_sums(&run_as("pcp-free", "v4.15", &[("cpus", "4")], &format!("seed:{seed}")));
    }
}

#[test]
fn every_row_and_every_name_has_a_key() {
    let names: Vec<String> = Key::all().into_iter().map(Key::name).collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "two keys have one name");
    assert!(names.iter().all(|name| !name.is_empty()));
    for (name, key) in names.iter().zip(Key::all()) {
        assert_eq!(Key::find(name), Some(key), "{name}");
    }
    assert_eq!(Key::find("no such number"), None);
    for run in everything() {
        let what = what(&run);
        for row in rows(&run.ledger) {
            let key = Key::find(row.key).unwrap_or_else(|| panic!("{} has no key", row.key));
            assert_eq!(key.of(&run.ledger), row.value, "{what}: {}", row.key);
        }
        let names = by_name(&run.ledger);
        assert_eq!(names.values().sum::<u64>(), run.ledger.total_rmw(), "{what}");
        for (name, value) in names {
            assert_eq!(Key::find(&name).map(|key| key.of(&run.ledger)), Some(value), "{what}: {name}");
        }
    }
}

#[test]
fn a_list_has_as_many_steps_as_its_number_says() {
    let runs = [
        run("munlock", "0", &[("zones", "2")]),
        run("munlock-two-cpus", "6", &[]),
        run("lru-drain", "sync", &[]),
        run("pcp-free", "v4.15", &[("cpus", "2")]),
        run("rmap-unmap", "today", &[("pages", "64")]),
        run("madvise-free", "free", &[("pages", "16"), ("ram", "64"), ("loops", "1"), ("processes", "2")]),
    ];
    for run in &runs {
        for key in Key::all() {
            let list = weight_of(&run.timeline, &Query::of(key));
            let sum: u64 = list.iter().map(|(_, weight)| weight).sum();
            assert_eq!(sum, key.of(&run.ledger), "{}: {}", what(run), key.name());
            assert!(list.is_sorted_by(|one, two| one.0 < two.0));
        }
    }
    // One by one: what such a step is.
    let run = &runs[0];
    for step in steps_of(&run.timeline, &Query::of(Key::Flag(PageFlag::Lru, How::Clear))) {
        let op = run.timeline.records()[step as usize - 1].op;
        assert!(matches!(op, Op::Flag { flag: PageFlag::Lru, how: How::Clear, .. }), "{op:?}");
    }
    let folds = weight_of(&run.timeline, &Query::of(Key::Count(Count::Folds)));
    assert!(folds.iter().all(|&(_, weight)| weight == 2));
}

#[test]
fn every_value_of_a_table_opens_its_steps() {
    let runs = [run("munlock", "0", &[]), run("munlock-two-cpus", "0", &[]), run("rmap-unmap", "v6.3", &[("pages", "64")])];
    for run in &runs {
        for all in [false, true] {
            let detail = Detail::with(&run.timeline, None, Options { all, key: None });
            for by in By::ALL {
                let table = detail.table(by);
                for (at, row) in table.rows.iter().enumerate() {
                    for (column, cell) in row.cells.iter().enumerate() {
                        let Some(query) = table.query(at, column) else { continue };
                        let found = Cell::Count(count_of(&run.timeline, &query));
                        let heading = table.columns[column].key;
                        assert_eq!(*cell, found, "{}, {}: {}, {heading}", what(run), by.name(), row.key);
                    }
                }
            }
        }
    }
}

// N = 56, so k = 4: rounds of lru_lock, and who takes it.
#[test]
fn rounds_of_lru_lock_by_function() {
    let key = Key::find("lru_lock").unwrap();
    let table: [(&str, u64, &[(&str, u64)]); 6] = [
        ("0", 111, &[("isolate_lru_page", 56), ("lru_add_drain", 55)]),
        ("2", 59, &[("munlock_vma_page", 56), ("lru_add_drain", 3)]),
        ("3", 7, &[("isolate_pagevec", 4), ("lru_add_drain", 3)]),
        ("5", 8, &[("isolate_pagevec", 4), ("putback_lru_fast", 4)]),
        ("6", 8, &[("isolate_pagevec", 4), ("putback_lru_fast", 4)]),
        ("7", 8, &[("isolate_pagevec", 4), ("putback_lru_fast", 4)]),
    ];
    for (variant, rounds, by) in table {
        let run = run("munlock", variant, &[]);
        let detail = Detail::with(&run.timeline, None, Options { key: Some(key), ..Options::default() });
        assert_eq!(detail.total.of_key, rounds, "variant {variant}");
        assert_eq!(detail.class(LockClass::Lru).map(|lock| lock.acquired), Some(rounds));
        assert_eq!(steps_of(&run.timeline, &Query::of(key)).len() as u64, rounds);
        let listed: Vec<_> = detail.functions.iter().map(|f| (f.name, f.own.of_key, f.inclusive.of_key)).collect();
        for &(name, rounds) in by {
            let function = (name.to_string(), Scope::Inclusive);
            let query = Query { function: Some(function), ..Query::of(key) };
            assert_eq!(count_of(&run.timeline, &query), rounds, "variant {variant}, {name}: {listed:?}");
            assert_eq!(detail.function(name).map(|f| f.inclusive.of_key), Some(rounds), "variant {variant}, {name}");
        }
        let irqs: Vec<_> = detail.spans.iter().filter(|span| span.off == Off::Irq).collect();
        assert_eq!(irqs.len() as u64, rounds, "variant {variant}");
        assert!(irqs.iter().all(|span| span.cause.class() == Some(LockClass::Lru)));
    }
}
