//! Folds of the per-CPU differences into the counters of the zone, which have a counter of their own in the ledger.

mod common;

use common::{TABLES, batches_by_table, config, munlock, munlock_in_bulk};
use sim_core::kernel::Patch;
use sim_core::ledger::Count;
use sim_core::machine::{NOBODY, Stat, stat_threshold};
use sim_core::op::Op;
use sim_core::scenario::Layout;

/// 64 GiB in pages of 4 KiB.
const GIB_64: u64 = 64 << 18;

#[test]
fn threshold_of_a_zone() {
    let table = [
        // CPUs, pages, threshold.
        (16, GIB_64, 110),
        (31, GIB_64, 110),
        (32, GIB_64, 125),
        (64, GIB_64, 125),
        (4096, GIB_64, 125),
        // 2 * fls(CPUs) * (1 + fls(units of 128 MiB)).
        (1, 0, 2),
        (1, 32_767, 2),
        (1, 32_768, 4),
        (4, 131_072, 24),
        (8, 1 << 20, 56),
    ];
    for (cpus, pages, expected) in table {
        assert_eq!(stat_threshold(cpus, pages), expected, "{cpus} CPUs, {pages} pages");
    }
}

/// RMWs of the folds of one counter that moves by these steps: zone and global, when it has passed the threshold.
fn folds(threshold: i64, steps: impl IntoIterator<Item = i64>) -> u64 {
    let (mut diff, mut rmw) = (0, 0);
    for step in steps {
        diff += step;
        if i64::abs(diff) > threshold {
            diff = 0;
            rmw += 2;
        }
    }
    rmw
}

/// What munlock of a range costs in folds.
fn expected(variant: &str, threshold: i64, pages: u64, pmd_start: u64) -> u64 {
    let config = config(variant);
    let last_pagevec = pages - 14 * (pages.div_ceil(14) - 1);
    let left = match variant {
        "0" | "1" => 1,
        "2" | "3" | "4" => last_pagevec,
        _ => 0,
    };
    let one_by_one = |n: u64, step: i64| folds(threshold, (0..n).map(|_| step));
    let batches: Vec<u64> = if config.has(Patch::PagevecFill) {
        batches_by_table(pmd_start, pages, 14)
    } else {
        batches_by_table(0, pages, 14).iter().map(|_| 14).take(pages as usize / 14).chain([pages % 14]).collect()
    };
    let mlock = if config.has(Patch::BatchMlockStat) {
        folds(threshold, batches.iter().map(|&n| -(n as i64)))
    } else {
        one_by_one(pages, -1)
    };
    one_by_one(pages, -1) + one_by_one(pages - left, 1) + mlock
}

fn layout(threshold: i8, pages: u32, pmd_start: u32) -> Layout {
    Layout { threshold, pmd_start, ..Layout::plain(pages) }
}

#[test]
fn folds_of_a_range_step_by_step() {
    for threshold in [125, 110, 24, 2] {
        for (pages, pmd_start) in [(125, 0), (126, 0), (127, 0), (1000, 0), (1764, 0), (5120, 0), (3000, 300)] {
            for variant in TABLES {
                let engine = munlock_in_bulk(variant, &layout(threshold, pages, pmd_start));
                let found = engine.world().ledger.count(Count::Folds);
                let expected = expected(variant, i64::from(threshold), u64::from(pages), u64::from(pmd_start));
                assert_eq!(found, expected, "variant {variant}, threshold {threshold}, {pages} pages from {pmd_start}");
            }
        }
    }
}

#[test]
fn folds_per_page_of_a_long_range() {
    let pages = 195_804;
    for (threshold, batches_a_fold, texts) in [(125, 9.0, ["0.0476", "0.0476"]), (110, 8.0, ["0.0541", "0.0539"])] {
        let t = f64::from(threshold);
        let rates = [6.0 / (t + 1.0), 4.0 / (t + 1.0) + 2.0 / (14.0 * batches_a_fold)];
        assert_eq!(rates.map(|rate| format!("{rate:.4}")), texts);
        let table = [("0", 0), ("1", 0), ("2", 0), ("3", 0), ("4", 1), ("5", 1), ("6", 1), ("7-v2", 1)];
        for (variant, column) in table {
            let engine = munlock_in_bulk(variant, &layout(threshold, pages, 0));
            let found = engine.world().ledger.count(Count::Folds) as f64;
            // Three counters, each at most one fold short at the end of the range.
            let short = rates[column] * f64::from(pages) - found;
            assert!((0.0..=6.0).contains(&short), "variant {variant}, threshold {threshold}: {found} folds");
        }
    }
}

#[test]
fn exact_folds_for_1764_pages() {
    // 14 * 126 pages: at 125, 14 folds of each counter; the page or the pagevec that is left behind misses one.
    for (variant, folds) in [("0", 28 + 26 + 28), ("2", 28 + 26 + 28), ("5", 84), ("6", 84)] {
        let engine = munlock_in_bulk(variant, &layout(125, 1764, 0));
        assert_eq!(engine.world().ledger.count(Count::Folds), folds, "variant {variant}");
    }
    // At 110: 1764 / 111 is 15; batches fold every eighth, 126 / 8 is 15.
    for (variant, folds) in [("0", 90), ("4", 90), ("6", 90)] {
        let engine = munlock_in_bulk(variant, &layout(110, 1764, 0));
        assert_eq!(engine.world().ledger.count(Count::Folds), folds, "variant {variant}");
    }
}

#[test]
fn a_fold_happens_where_its_update_does() {
    for variant in TABLES {
        let config = config(variant);
        let mut timeline = munlock(variant, &layout(125, 600, 0));
        timeline.seek(0);
        let mut last_under_lock = 0;
        let mut seen = [0; 3];
        while timeline.forward() {
            let record = *timeline.last().unwrap();
            let Op::Stat { item, .. } = record.op else { continue };
            if record.outcome.ret == 0 {
                continue;
            }
            let at = timeline.cursor();
            let locked = timeline.world().machine.lru_locks[0].holder != NOBODY;
            match item {
                Stat::Mlock => {
                    seen[0] += 1;
                    assert_eq!(locked, config.has(Patch::BatchIsolate), "variant {variant}, step {at}");
                    let next = timeline.records()[at].op;
                    let ends_section = matches!(next, Op::SpinUnlock { .. });
                    assert_eq!(
                        ends_section,
                        config.has(Patch::BatchMlockStat),
                        "variant {variant}, step {at}: {next:?}"
                    );
                    let page_locked = timeline.world().machine.pages.iter().any(|page| page.locker != NOBODY);
                    assert_eq!(page_locked, !config.has(Patch::BatchIsolate), "variant {variant}, step {at}");
                }
                Stat::Unevictable | Stat::InactiveAnon => {
                    seen[1 + usize::from(item == Stat::InactiveAnon)] += 1;
                    assert!(locked, "variant {variant}, step {at}: {item:?}");
                }
                other => panic!("variant {variant}, step {at}: {other:?} folds"),
            }
            last_under_lock = at;
        }
        assert!(last_under_lock > 0 && seen.iter().all(|&n| n == 4), "variant {variant}: {seen:?}");
    }
}

#[test]
fn differences_and_counters_add_up() {
    for variant in TABLES {
        let timeline = munlock(variant, &layout(2, 100, 0));
        let machine = &timeline.world().machine;
        assert_eq!(machine.stat(Stat::Mlock), 0, "variant {variant}");
        assert_eq!(machine.stat(Stat::Unevictable), 0, "variant {variant}");
        let left = common::waiting(machine, 0) as i64;
        assert_eq!(machine.stat(Stat::InactiveAnon), 100 - left, "variant {variant}");
    }
}
