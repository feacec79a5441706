//! The worst case: neighbouring pages come from two zones, so that a pagevec never holds more than one of them.

mod common;

use common::{TABLES, Totals, bulk};

fn totals(variant: &str, pages: u64, pmd_start: u64) -> Totals {
    let (pages, pmd_start) = (pages.to_string(), pmd_start.to_string());
    let params = [("pages", pages.as_str()), ("pmd_start", pmd_start.as_str()), ("zones", "2"), ("interleave", "true")];
    Totals::of(&bulk("munlock", variant, &params).world())
}

/// Pages, page tables that they touch, pages in the last pagevec.
struct Range {
    n: u64,
    tables: u64,
    r: u64,
}

/// page RMW, ptl, lru_lock, event updates, PRE, cond_resched, stat updates.
fn expected(variant: &str, Range { n, tables, r }: Range) -> [u64; 7] {
    match variant {
        "0" | "1" => [12 * n - 2, n, 2 * n - 1, 2 * n, 2 * n, n, 3 * n - 1],
        "2" | "3" | "4" => [12 * n - 2 * r, n, 2 * n - r, 2 * n, n, n, 3 * n - r],
        "5" | "5-v2" => [10 * n, n, 2 * n, 2 * n, 0, n, 3 * n],
        "6" | "6-v2" => [8 * n, n, 2 * n, 2 * n, 0, n, 3 * n],
        "7" | "fixed" => [8 * n, 2 * n, 2 * n, 2 * n, 0, n, 3 * n],
        "7-v2" => [8 * n, n + tables, 2 * n, 2 * n, 0, 0, 3 * n],
        _ => unreachable!("{variant} has no column"),
    }
}

#[test]
fn every_row_exactly() {
    let starts = [0, 1, 300, 511];
    for n in (2..40).chain([512, 560, 1000, 1400]) {
        let pmd_start = starts[n as usize % 4];
        for variant in TABLES {
            let t = totals(variant, n, pmd_start);
            let range = Range { n, tables: (pmd_start + n).div_ceil(512), r: n - 14 * (n.div_ceil(14) - 1) };
            let found = [t.page, t.ptl, t.lru_lock, t.events, t.preempt, t.resched, t.stat_safe + t.stat_plain];
            let expected = expected(variant, range);
            assert_eq!(found, expected, "variant {variant}, {n} pages from {pmd_start}");
            assert_eq!(t.irq, t.lru_lock, "variant {variant}, {n} pages");
            assert_eq!(t.walks, t.ptl, "variant {variant}, {n} pages");
            assert_eq!(t.all, t.page + t.ptl + t.lru_lock, "variant {variant}, {n} pages");
        }
    }
}

#[test]
fn per_page_for_large_ranges() {
    let n = 100_352;
    let per_page = |value: u64| (value + n / 2) / n;
    let table = [
        // Variant, page RMW, ptl, lru_lock, all RMW, event updates, PRE, cond_resched, stat updates.
        ("0", [12, 1, 2, 15, 2, 2, 1, 3]),
        ("2", [12, 1, 2, 15, 2, 1, 1, 3]),
        ("3", [12, 1, 2, 15, 2, 1, 1, 3]),
        ("4", [12, 1, 2, 15, 2, 1, 1, 3]),
        ("5", [10, 1, 2, 13, 2, 0, 1, 3]),
        ("6", [8, 1, 2, 11, 2, 0, 1, 3]),
        ("7", [8, 2, 2, 12, 2, 0, 1, 3]),
        ("7-v2", [8, 1, 2, 11, 2, 0, 0, 3]),
    ];
    for (variant, expected) in table {
        let t = totals(variant, n, 0);
        let stats = t.stat_safe + t.stat_plain;
        let found = [t.page, t.ptl, t.lru_lock, t.all, t.events, t.preempt, t.resched, stats].map(per_page);
        assert_eq!(found, expected, "variant {variant}: {t:?}");
    }
}

#[test]
fn a_pagevec_of_two_zones_is_drained_with_14_locks() {
    // 28 pages at level 2: 28 isolations, and one drain that changes the zone 14 times.
    assert_eq!(totals("2", 28, 0).lru_lock, 42);
    assert_eq!(totals("2", 28, 0).drains, 1);
    assert_eq!(totals("3", 28, 0).lru_lock, 42);
}
