//! The tables of exact totals: munlock of N mlocked pages of anonymous memory that one process maps, one zone, nobody
//! else about.

mod common;

use common::{AtEnd, TABLES, Totals, batch_sizes, batches_by_table, bulk, munlock, munlock_in_bulk, run, with_kinds};
use sim_core::scenario::PageKind;

// Columns of the tables. Level 1 is level 0; as posted and as mainline, patches 3 to 6 cost the same.
const COLUMNS: [(&str, usize); 12] = [
    ("0", 0),
    ("1", 0),
    ("2", 1),
    ("3", 2),
    ("4", 3),
    ("5", 4),
    ("5-v2", 4),
    ("6", 5),
    ("6-v2", 5),
    ("7", 6),
    ("fixed", 6),
    ("7-v2", 7),
];

const INACTIVE_ANON: u8 = 0;

/// Values of one row: levels 0, 2, 3, 4, 5, 6, 7 as merged, 7 as measured.
type Cells = [u64; 8];

/// A row: its name, how to read it, its values.
type Row = (&'static str, fn(&Totals) -> u64, Cells);

fn totals(variant: &str, pages: u64, pmd_start: u64) -> Totals {
    let engine = bulk("munlock", variant, &[("pages", &pages.to_string()), ("pmd_start", &pmd_start.to_string())]);
    Totals::of(&engine.world())
}

fn check(what: &str, rows: &[Row], totals: impl Fn(&str) -> Totals) {
    for (variant, column) in COLUMNS {
        let found = totals(variant);
        for (name, read, cells) in rows {
            assert_eq!(read(&found), cells[column], "{what}, variant {variant}, {name}: {found:?}");
        }
    }
}

// N = 56, so k = 4.
const ROWS_56: [Row; 30] = [
    ("PG_locked set", |t| t.locked_set, [56; 8]),
    ("PG_locked clear", |t| t.locked_clear, [56; 8]),
    ("PG_mlocked test&clear", |t| t.mlocked_clear, [56; 8]),
    ("PG_lru clear", |t| t.lru_clear, [56; 8]),
    ("PG_lru set", |t| t.lru_set, [55, 42, 42, 42, 56, 56, 56, 56]),
    ("PG_unevictable clear", |t| t.unevictable_clear, [56; 8]),
    ("_count +1 follow pin", |t| t.get_pin, [56; 8]),
    ("_count +1 isolate", |t| t.get_isolate, [56, 56, 56, 56, 56, 0, 0, 0]),
    ("_count +1 pagevec slot", |t| t.get_slot, [56, 56, 56, 56, 0, 0, 0, 0]),
    ("_count -1 putback", |t| t.put_putback, [56, 56, 56, 56, 0, 0, 0, 0]),
    ("_count -1 follow pin", |t| t.put_pin, [56, 56, 56, 56, 56, 0, 0, 0]),
    ("_count -1 release_pages", |t| t.put_release, [55, 42, 42, 42, 56, 56, 56, 56]),
    ("sum page RMW", |t| t.page, [670, 644, 644, 644, 560, 448, 448, 448]),
    ("ptl", |t| t.ptl, [56, 56, 56, 56, 56, 56, 8, 8]),
    ("lru_lock", |t| t.lru_lock, [111, 59, 7, 7, 8, 8, 8, 8]),
    ("all RMW", |t| t.all, [837, 759, 707, 707, 624, 512, 464, 464]),
    ("IRQ pairs", |t| t.irq, [111, 59, 7, 7, 8, 8, 8, 8]),
    ("PRE pairs", |t| t.preempt, [112, 56, 56, 56, 0, 0, 0, 0]),
    ("page-lock acquisitions", |t| t.page_locks, [56; 8]),
    ("LIST del", |t| t.list_del, [56; 8]),
    ("LIST add", |t| t.list_add, [55, 42, 42, 42, 56, 56, 56, 56]),
    ("per-CPU pvec adds", |t| t.cpu_adds, [56, 56, 56, 56, 0, 0, 0, 0]),
    ("non-empty drains", |t| t.drains, [55, 3, 3, 3, 0, 0, 0, 0]),
    ("on-stack pvec adds", |t| t.stack_adds, [0, 0, 56, 56, 112, 112, 112, 112]),
    ("mod_zone_page_state", |t| t.stat_safe, [56, 56, 0, 0, 0, 0, 0, 0]),
    ("__mod_zone_page_state", |t| t.stat_plain, [111, 98, 154, 102, 116, 116, 116, 116]),
    ("event updates", |t| t.events, [112, 112, 112, 112, 8, 8, 8, 8]),
    ("cond_resched calls", |t| t.resched, [56, 56, 56, 56, 56, 56, 4, 4]),
    ("page-table walks", |t| t.walks, [56, 56, 56, 56, 56, 56, 8, 8]),
    ("left in the per-CPU pvec", |t| t.left, [1, 14, 14, 14, 0, 0, 0, 0]),
];

#[test]
fn each_row_for_56_pages() {
    check("56 pages", &ROWS_56, |variant| totals(variant, 56, 0));
}

#[test]
fn checked_instances_of_the_text() {
    const INSTANCES: [(u64, u64, Cells, Cells); 6] = [
        // Pages, pmd_start, all RMW, lru_lock.
        (1, 0, [12, 12, 12, 12, 13, 11, 12, 12], [1, 1, 1, 1, 2, 2, 2, 2]),
        (56, 0, [837, 759, 707, 707, 624, 512, 464, 464], [111, 59, 7, 7, 8, 8, 8, 8]),
        (61, 0, [912, 848, 792, 792, 681, 559, 508, 508], [121, 65, 9, 9, 10, 10, 10, 10]),
        (504, 0, [7557, 7063, 6595, 6595, 5616, 4608, 4176, 4176], [1007, 539, 71, 71, 72, 72, 72, 72]),
        (560, 0, [8397, 7851, 7331, 7331, 6240, 5120, 4644, 4642], [1119, 599, 79, 79, 80, 80, 82, 80]),
        // 14 whole page tables: 518 batches as merged, 512 as measured.
        (
            7168,
            0,
            [107_517, 100_835, 94_179, 94_179, 79_872, 65_536, 59_416, 59_416],
            [14_335, 7679, 1023, 1023, 1024, 1024, 1036, 1024],
        ),
    ];
    for (pages, pmd_start, all, lru_lock) in INSTANCES {
        let rows: [Row; 2] = [("all RMW", |t| t.all, all), ("lru_lock", |t| t.lru_lock, lru_lock)];
        check(&format!("{pages} pages"), &rows, |variant| totals(variant, pages, pmd_start));
    }
    assert_eq!(totals("7", 560, 0).ptl, 82);
    assert_eq!(totals("7-v2", 560, 0).ptl, 82);
    assert_eq!(totals("7", 7168, 0).ptl, 1036);
    assert_eq!(totals("7-v2", 7168, 0).ptl, 1048);
}

#[test]
fn merged_level_7_needs_40_batches_for_560_pages_only_where_the_boundary_falls_between_two() {
    for pmd_start in 0..512 {
        let before = 512 - pmd_start;
        let fits = before % 14 == 0 && (4..=36).contains(&(before / 14));
        let found = totals("7", 560, pmd_start);
        assert_eq!((found.lru_lock, found.all) == (80, 4640), fits, "pmd_start {pmd_start}: {found:?}");
        let batches = batches_by_table(pmd_start, 560, 14).len() as u64;
        assert_eq!((found.lru_lock, found.all), (2 * batches, 4480 + 4 * batches), "pmd_start {pmd_start}");
    }
}

/// The table for any N. `b` is the number of batches of level 7 as merged, `c` the number of page-table ends that fall
/// inside a batch of level 7 as measured.
fn any_n(variant: &str, n: u64, b: u64, c: u64) -> Totals {
    let k = n.div_ceil(14);
    let r = n - 14 * (k - 1);
    let same = Totals {
        locked_set: n,
        locked_clear: n,
        mlocked_clear: n,
        lru_clear: n,
        unevictable_clear: n,
        get_pin: n,
        page_locks: n,
        list_del: n,
        ..Totals::default()
    };
    let by_page = Totals { ptl: n, walks: n, resched: n, ..same };
    let through_pagevec = |left: u64| Totals {
        lru_set: n - left,
        get_isolate: n,
        get_slot: n,
        put_putback: n,
        put_pin: n,
        put_release: n - left,
        page: 12 * n - 2 * left,
        list_add: n - left,
        cpu_adds: n,
        events: 2 * n,
        left,
        ..by_page
    };
    let fast = Totals { lru_set: n, put_release: n, list_add: n, stack_adds: 2 * n, ..by_page };
    let level_6 = Totals {
        page: 8 * n,
        lru_lock: 2 * k,
        irq: 2 * k,
        all: 9 * n + 2 * k,
        stat_plain: 2 * n + k,
        events: 2 * k,
        ..fast
    };
    match variant {
        "0" | "1" => Totals {
            lru_lock: 2 * n - 1,
            irq: 2 * n - 1,
            all: 15 * n - 3,
            preempt: 2 * n,
            drains: n - 1,
            stat_safe: n,
            stat_plain: 2 * n - 1,
            ..through_pagevec(1)
        },
        "2" => Totals {
            lru_lock: n + k - 1,
            irq: n + k - 1,
            all: 14 * n + k - 1 - 2 * r,
            preempt: n,
            drains: k - 1,
            stat_safe: n,
            stat_plain: 2 * n - r,
            ..through_pagevec(r)
        },
        "3" | "4" => Totals {
            lru_lock: 2 * k - 1,
            irq: 2 * k - 1,
            all: 13 * n + 2 * k - 1 - 2 * r,
            preempt: n,
            drains: k - 1,
            stack_adds: n,
            stat_plain: if variant == "3" { 3 * n - r } else { 2 * n - r + k },
            ..through_pagevec(r)
        },
        "5" | "5-v2" => Totals { get_isolate: n, put_pin: n, page: 10 * n, all: 11 * n + 2 * k, ..level_6 },
        "6" | "6-v2" => level_6,
        "7" | "fixed" => Totals {
            ptl: 2 * b,
            walks: 2 * b,
            lru_lock: 2 * b,
            irq: 2 * b,
            all: 8 * n + 4 * b,
            stat_plain: 2 * n + b,
            events: 2 * b,
            resched: b,
            ..level_6
        },
        "7-v2" => {
            Totals { ptl: 2 * k + 2 * c, walks: 2 * k + 2 * c, all: 8 * n + 4 * k + 2 * c, resched: n / 14, ..level_6 }
        }
        _ => unreachable!("{variant} has no column"),
    }
}

fn cut_batches(n: u64, pmd_start: u64) -> u64 {
    let ends = (pmd_start / 512 + 1..).map(|table| table * 512 - pmd_start).take_while(|&done| done < n);
    ends.filter(|done| done % 14 != 0).count() as u64
}

fn check_any_n(n: u64, pmd_start: u64) {
    let b = batches_by_table(pmd_start, n, 14).len() as u64;
    let c = cut_batches(n, pmd_start);
    for variant in TABLES {
        let expected = any_n(variant, n, b, c);
        assert_eq!(totals(variant, n, pmd_start), expected, "variant {variant}, {n} pages from {pmd_start}");
    }
}

#[test]
fn any_number_of_pages_up_to_199() {
    for n in 1..200 {
        check_any_n(n, 0);
    }
}

#[test]
fn multiples_of_14_and_every_remainder_around_them() {
    for k in [4, 36, 40] {
        for n in 14 * k..=14 * k + 14 {
            check_any_n(n, 0);
        }
    }
    check_any_n(7168, 0);
}

#[test]
fn any_start_in_the_page_table() {
    // A step that is prime to 512 and 14 visits all kinds of pairs.
    for i in 0..120 {
        check_any_n(1 + i * 157 % 2500, i * 211 % 512);
    }
}

#[test]
fn per_page_for_large_ranges() {
    // 280 whole page tables, and a multiple of 14.
    let n = 143_360;
    let hundredths = |value: u64| (value * 100 + n / 2) / n;
    let table = [
        // Variant, page RMW, ptl, lru_lock, all RMW, PRE, list moves, vmstat updates, event updates; times 100.
        ("0", [1200, 100, 200, 1500, 200, 200, 300, 200]),
        ("1", [1200, 100, 200, 1500, 200, 200, 300, 200]),
        ("2", [1200, 100, 107, 1407, 100, 200, 300, 200]),
        ("3", [1200, 100, 14, 1314, 100, 200, 300, 200]),
        ("4", [1200, 100, 14, 1314, 100, 200, 207, 200]),
        ("5", [1000, 100, 14, 1114, 0, 200, 207, 14]),
        ("6", [800, 100, 14, 914, 0, 200, 207, 14]),
        ("7", [800, 14, 14, 829, 0, 200, 207, 14]),
    ];
    for (variant, expected) in table {
        let t = totals(variant, n, 0);
        let stats = t.stat_safe + t.stat_plain;
        let moves = t.list_del + t.list_add;
        let found = [t.page, t.ptl, t.lru_lock, t.all, t.preempt, moves, stats, t.events].map(hundredths);
        assert_eq!(found, expected, "variant {variant}: {t:?}");
        assert_eq!(t.irq, t.lru_lock, "variant {variant}");
    }
    // 74 of 512, 37 batches for each page table: 8.289 in all.
    let merged = totals("7", n, 0);
    assert_eq!((merged.ptl, merged.lru_lock, merged.all), (280 * 74, 280 * 74, 8 * n + 280 * 148));
}

#[test]
fn a_hole_at_the_eleventh_of_28_addresses() {
    let mut kinds = [PageKind::Mlocked; 28];
    kinds[10] = PageKind::Hole;
    let layout = with_kinds(&kinds);
    let rows: [Row; 5] = [
        ("all RMW", |t| t.all, [403, 354, 329, 329, 302, 248, 229, 227]),
        ("lru_lock", |t| t.lru_lock, [53, 28, 3, 3, 4, 4, 6, 4]),
        ("ptl", |t| t.ptl, [28, 28, 28, 28, 28, 28, 7, 7]),
        ("walks", |t| t.walks, [28, 28, 28, 28, 28, 28, 7, 7]),
        ("cond_resched", |t| t.resched, [28, 28, 28, 28, 28, 28, 4, 2]),
    ];
    check("a hole", &rows, |variant| Totals::of(munlock(variant, &layout).world()));
    assert_eq!(batch_sizes(&munlock("6", &layout)), [14, 13]);
    assert_eq!(batch_sizes(&munlock("7", &layout)), [10, 14, 3]);
    assert_eq!(batch_sizes(&munlock("7-v2", &layout)), [14, 13]);
}

#[test]
fn batches_of_merged_level_7_end_at_the_page_table() {
    let sizes = batch_sizes(&run("munlock", "7", &[("pages", "1024")]).at_end());
    let table: Vec<u64> = [vec![14; 36], vec![8]].concat();
    assert_eq!(sizes, [table.clone(), table].concat());
}

#[test]
fn a_bulk_run_counts_what_a_recorded_run_counts() {
    for variant in common::ALL {
        for pages in ["1", "13", "14", "15", "61", "130"] {
            let params = [("pages", pages)];
            let recorded = run("munlock", variant, &params).at_end();
            let engine = bulk("munlock", variant, &params);
            let world = engine.world();
            assert_eq!(world.ledger, recorded.world().ledger, "variant {variant}, {pages} pages");
            assert_eq!(world.clock, recorded.world().clock, "variant {variant}, {pages} pages");
        }
    }
}

#[test]
fn a_layout_runs_as_its_parameters_do() {
    for variant in common::ALL {
        let layout = with_kinds(&[PageKind::Mlocked; 30]);
        let by_name = run("munlock", variant, &[("pages", "30")]).at_end();
        assert_eq!(munlock(variant, &layout).world(), by_name.world(), "variant {variant}");
        assert_eq!(munlock_in_bulk(variant, &layout).world().ledger, by_name.world().ledger, "variant {variant}");
    }
}

#[test]
fn the_first_address_ends_nearest_the_tail() {
    for variant in common::ALL {
        let end = run("munlock", variant, &[("pages", "61")]).at_end();
        let machine = &end.world().machine;
        let listed: Vec<u32> = machine.list(0, INACTIVE_ANON).collect();
        let left = common::waiting(machine, 0) as usize;
        let range: Vec<u32> = (0..61).map(|index| common::page_at(machine, index)).collect();
        assert_eq!(listed, range[..61 - left], "variant {variant}");
    }
}
