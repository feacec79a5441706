//! The complete ledger of a run: its sums are those of the ledger, and every number opens the list of its steps.

mod common;

use std::collections::BTreeSet;

use common::{run, run_as};
use sim_core::cost::{Timing, Totals};
use sim_core::ledger::detail::{
    By, Cell, Detail, Measure, Off, Options, Query, Scope, Table, Under, Work, count_of, steps_of, weight_of,
};
use sim_core::ledger::{Count, How, Key, by_name, rows};
use sim_core::machine::{LockClass, LockId, PageFlag};
use sim_core::op::Op;
use sim_core::scenario::{Run, RunSpec, SCENARIOS};

/// Every scenario with every variant, as it stands; that of hundreds of thousands of steps is made shorter.
fn everything() -> impl Iterator<Item = Run> {
    let short: [(&'static str, &'static str); 4] =
        [("processes", "3"), ("pages", "64"), ("ram", "128"), ("loops", "2")];
    SCENARIOS.iter().flat_map(move |scenario| {
        let params = short.into_iter().filter(|_| scenario.name == "madvise-free");
        scenario.variants.iter().map(move |variant| {
            let spec = RunSpec::of(scenario, variant.name).unwrap();
            params.clone().fold(spec, |spec, (name, value)| spec.set(name, value).unwrap()).record().unwrap()
        })
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
    let all = Detail::with(&run.timeline, None, Options { all: true, key: None });
    let irqs = all.spans.iter().filter(|span| span.off == Off::Irq);
    let irqs: Vec<_> = irqs.map(|span| (span.cpu, span.length.begin, span.length.end)).collect();
    let end = run.timeline.len() as u32;
    let expected = run.timeline.index().irqs_off().iter().map(|span| (span.cpu, span.start, span.end.min(end)));
    assert_eq!(irqs, expected.collect::<Vec<_>>(), "{what}: interrupts off");
    for class in LockClass::ALL {
        let counts = run.ledger.lock(class);
        let each = detail.locks.iter().filter(|lock| lock.class == class);
        let (acquired, contended, held, queue) = each.fold((0, 0, 0, 0), |(acquired, contended, held, queue), lock| {
            let held = held + lock.hold.steps;
            (acquired + lock.acquired, contended + lock.contended, held, lock.queue.max(queue))
        });
        let expected = (counts.acquired, counts.contended, counts.max_waiters);
        assert_eq!((acquired, contended, queue), expected, "{what}: {}", class.name());
        let all = detail
            .class(class)
            .map_or((0, 0, 0, 0), |lock| (lock.acquired, lock.contended, lock.hold.steps, lock.queue));
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
    let variants: usize = SCENARIOS.iter().map(|scenario| scenario.variants.len()).sum();
    assert_eq!(runs, variants);
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
    let runs =
        [run("munlock", "0", &[]), run("munlock-two-cpus", "0", &[]), run("rmap-unmap", "v6.3", &[("pages", "64")])];
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

/// A variant, its rounds of lru_lock, and those of some functions with what they call.
type Rounds = (&'static str, u64, &'static [(&'static str, u64)]);

// N = 56, so k = 4: rounds of lru_lock, and who takes it.
#[test]
fn rounds_of_lru_lock_by_function() {
    let key = Key::find("lru_lock").unwrap();
    let table: [Rounds; 6] = [
        ("0", 111, &[("isolate_lru_page", 56), ("lru_add_drain", 55)]),
        ("2", 59, &[("isolate_lru_page", 56), ("__pagevec_lru_add", 3)]),
        ("3", 7, &[("isolate_pagevec", 4), ("__pagevec_lru_add", 3)]),
        ("5", 8, &[("isolate_pagevec", 4), ("__putback_lru_fast", 4)]),
        ("6", 8, &[("isolate_pagevec", 4), ("__putback_lru_fast", 4)]),
        ("7", 8, &[("isolate_pagevec", 4), ("__putback_lru_fast", 4)]),
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

// What the tables of one run say of who holds what, and for how long.
#[test]
fn holds_and_waits_of_two_cpus() {
    let run = run_as("munlock-two-cpus", "0", &[], "seed:3");
    let detail = Detail::new(&run.timeline, None);
    let lru = detail.class(LockClass::Lru).unwrap();
    let holds: Vec<_> = run.timeline.index().holds_of(LockClass::Lru).collect();
    let longest = holds.iter().map(|hold| hold.end - hold.start).max().unwrap();
    assert_eq!(lru.hold.spans, holds.len() as u64);
    assert_eq!(lru.hold.longest.map(|span| span.steps()), Some(longest.into()));
    let waits: Vec<_> = run.timeline.index().waits().iter().filter(|wait| wait.lock.class == LockClass::Lru).collect();
    assert!(!waits.is_empty());
    assert_eq!(lru.wait.spans, waits.len() as u64);
    assert_eq!(lru.wait.steps, waits.iter().map(|wait| u64::from(wait.end - wait.start)).sum::<u64>());
    assert_eq!(lru.queue, 1);
    // What is done under it: steps of the holder alone, the two ends left out.
    let inside: u64 = holds
        .iter()
        .map(|hold| {
            let records = &run.timeline.records()[hold.start as usize..hold.end as usize - 1];
            records.iter().filter(|record| record.task == hold.task).count() as u64
        })
        .sum();
    assert_eq!(lru.under.steps, inside);
}

// A step is under each lock that its task holds, and under each class once.
#[test]
fn nested_locks_have_a_step_each() {
    let mut nested = 0;
    for run in everything() {
        let detail = Detail::new(&run.timeline, None);
        for class in &detail.classes {
            let locks = detail.locks.iter().filter(|lock| lock.class == class.class);
            let each: u64 = locks.clone().map(|lock| lock.under.steps).sum();
            assert!(each >= class.under.steps, "{}: {}", what(&run), class.class.name());
            nested += u64::from(each > class.under.steps);
        }
    }
    // Reclaim of folios holds the page locks of all of them.
    assert!(nested > 0);
    let run = run("munlock", "3", &[("pages", "16")]);
    let detail = Detail::new(&run.timeline, None);
    for lock in &detail.locks {
        let Some(index) = lock.index else { continue };
        let under = Some(Under::Lock(LockId { class: lock.class, index }));
        let query = Query { under, ..Query::default() };
        assert_eq!(steps_of(&run.timeline, &query).len() as u64, lock.under.steps);
    }
    // The page lock is held while lru_lock is taken for an isolation: its work is that of both.
    let steps = |class| detail.class(class).map(|lock| lock.under.steps);
    assert!(steps(LockClass::Lru) > Some(0) && steps(LockClass::Page) > Some(0));
}

#[test]
fn a_function_that_calls_itself_is_counted_once() {
    for run in [run("munlock", "0", &[]), run("rmap-unmap", "today", &[("pages", "32")])] {
        let detail = Detail::with(&run.timeline, None, Options { all: true, key: None });
        for function in &detail.functions {
            assert!(function.inclusive.steps <= detail.total.steps, "{}", function.name);
            assert!(function.own.steps <= function.inclusive.steps, "{}", function.name);
        }
        // Roots of the tree have everything.
        let roots = detail.tree.iter().filter(|node| node.parent.is_none());
        let outside = detail.function(sim_core::ledger::detail::OUTSIDE).map_or(0, |outside| outside.own.steps);
        assert_eq!(roots.map(|node| node.inclusive.steps).sum::<u64>() + outside, detail.total.steps);
        let calls: u64 = detail.tree.iter().map(|node| node.calls).sum();
        assert_eq!(calls, detail.functions.iter().map(|function| function.calls).sum::<u64>());
        assert!(calls <= run.timeline.frames().len() as u64);
    }
    // In the measured section: one call for each page.
    let detail = Detail::new(&run("munlock", "0", &[]).timeline, None);
    let calls = |name: &str| detail.function(name).map(|function| function.calls);
    assert_eq!((calls("munlock_vma_page"), calls("follow_page_mask")), (Some(56), Some(56)));
    assert_eq!(calls("munlock_vma_pages_range"), Some(1));
}

#[test]
fn modelled_time_is_divided_like_steps() {
    let run = run_as("munlock-two-cpus", "0", &[], "seed:3");
    let steps = run.timeline.len() as u64;
    let timing = Timing {
        begin: (0..steps).map(|at| at * 10_000).collect(),
        end: (0..steps).map(|at| at * 10_000 + 7_000).collect(),
        wait: (0..steps).map(|at| at % 3).collect(),
        totals: Totals { elapsed: steps * 10_000, ..Totals::default() },
    };
    let detail = Detail::new(&run.timeline, Some(&timing));
    assert_eq!(detail.total.ps, detail.total.steps * 7_000);
    let own: u64 = detail.functions.iter().map(|function| function.own.ps).sum();
    assert_eq!(own, detail.total.ps);
    for lock in &detail.classes {
        assert_eq!(lock.hold.ps, lock.hold.steps * 10_000, "{}", lock.class.name());
    }
    for span in &detail.spans {
        assert_eq!(span.length.ps, span.length.steps() * 10_000);
    }
    let columns = |by| detail.table(by).columns.len() - Detail::new(&run.timeline, None).table(by).columns.len();
    assert_eq!((columns(By::Functions), columns(By::Locks), columns(By::Keys)), (2, 2, 0));
}

#[test]
fn preempt_spans_take_locks_and_explicit_pairs() {
    let run = run("munlock", "0", &[]);
    let detail = Detail::new(&run.timeline, None);
    assert_eq!(run.ledger.count(Count::PreemptPairs), 112);
    let sums = detail.span_sums();
    let spans =
        |off, cause: &str| sums.iter().find(|sum| (sum.off, sum.cause) == (off, cause)).map(|sum| sum.lengths.spans);
    // 2N get_cpu sections, 55 of them with a drain and its lru_lock inside; N of ptl, N of lru_lock for an isolation.
    assert_eq!(spans(Off::Preempt, "explicit"), Some(112));
    assert_eq!(spans(Off::Preempt, "ptl"), Some(56));
    assert_eq!(spans(Off::Preempt, "lru_lock"), Some(56));
    assert_eq!(spans(Off::Irq, "lru_lock"), Some(111));
    assert_eq!(spans(Off::Irq, "explicit"), None);
}

#[test]
fn two_runs_side_by_side() {
    let (old, new) = (run("munlock", "0", &[]), run("munlock", "6", &[]));
    let key = Key::find("lru_lock");
    let [old, new] = [&old, &new].map(|run| Detail::with(&run.timeline, None, Options { all: false, key }));
    let keys = Table::compare(&old, &new, By::Keys, Measure::Steps, 56);
    let row =
        |table: &Table, row: &str| table.columns.iter().map(|column| table.cell(row, column.key)).collect::<Vec<_>>();
    let cells = |old, new, difference, per: [u64; 2]| {
        let per = per.map(Cell::Hundredths);
        [Cell::Count(old), Cell::Count(new), Cell::Signed(difference), per[0], per[1]].map(Some).to_vec()
    };
    assert_eq!(row(&keys, "total"), cells(837, 512, -325, [1495, 914]));
    assert_eq!(row(&keys, "lru_lock.lock"), cells(111, 8, -103, [198, 14]));
    assert_eq!(row(&keys, "_count.inc:follow_page"), cells(56, 56, 0, [100, 100]));
    let functions = Table::compare(&old, &new, By::Functions, Measure::OfKey, 56);
    assert_eq!(row(&functions, "isolate_lru_page"), cells(56, 0, -56, [100, 0]));
    assert_eq!(row(&functions, "isolate_pagevec"), cells(0, 4, 4, [0, 7]));
    assert_eq!(functions.cell("follow_page_mask", "old"), None, "rows of zeros are left out");
    // Of a lock it is asked how often it is taken, not what is taken under it.
    let locks = Table::compare(&old, &new, By::Locks, Measure::Locks, 56);
    assert_eq!(row(&locks, "lru_lock"), cells(111, 8, -103, [198, 14]));
    for by in By::ALL {
        for measure in [Measure::Steps, Measure::Rmw, Measure::Locks, Measure::Lists, Measure::Touches, Measure::Time] {
            fits(&Table::compare(&old, &new, by, measure, 56));
        }
    }
}

fn fits(table: &Table) {
    let text = table.to_text();
    let widest = text.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(72), "{widest:?} columns:\n{text}");
}

#[test]
fn text_fits_into_a_mail_and_has_every_column() {
    for run in [run("munlock", "0", &[]), run("rmap-unmap", "today", &[]), run("lru-drain", "sync", &[])] {
        let detail = Detail::new(&run.timeline, None);
        for by in By::ALL {
            let table = detail.table(by);
            fits(&table);
            let text = table.to_text();
            assert!(table.columns.iter().all(|column| text.contains(column.label)), "{text}");
            assert!(table.rows.iter().all(|row| text.contains(row.label.trim_end())), "{text}");
        }
    }
}

#[test]
fn tables_are_sorted_and_filtered() {
    let run = run("munlock", "0", &[]);
    let detail = Detail::new(&run.timeline, None);
    let mut table = detail.table(By::Functions);
    let steps = |table: &Table| -> Vec<u64> {
        let at = table.column("steps").unwrap();
        table.rows.iter().map(|row| if let Cell::Count(n) = row.cells[at] { n } else { 0 }).collect()
    };
    assert!(steps(&table).is_sorted_by(|one, two| one >= two));
    table.sort(table.column("steps"), false);
    assert!(steps(&table).is_sorted());
    table.sort(None, false);
    assert!(table.rows.is_sorted_by(|one, two| one.label <= two.label));
    table.filter("LRU_ADD");
    let names: Vec<&str> = table.rows.iter().map(|row| row.label.as_str()).collect();
    assert_eq!(names, ["__pagevec_lru_add", "__pagevec_lru_add_fn", "lru_add_drain", "lru_add_drain_cpu"]);
}

#[test]
fn csv_and_json_quote_what_must_be() {
    let detail = Detail::new(&run("munlock", "0", &[("pages", "1")]).timeline, None);
    let mut table = detail.table(By::Cpus);
    table.columns.truncate(2);
    table.rows.truncate(1);
    let row = &mut table.rows[0];
    (row.key, row.label) = ("a \"b\", c".to_string(), "new\nline\\".to_string());
    row.cells = vec![Cell::Hundredths(1495), Cell::None];
    assert_eq!(table.to_csv(), "CPU,steps,rmw\r\n\"a \"\"b\"\", c\",14.95,\r\n");
    let json = r#"{"by":"cpus","rows":[{"key":"a \"b\", c","label":"new\u000aline\\","steps":14.95,"rmw":null}]}"#;
    assert_eq!(table.to_json(), json);
}
