//! What was recorded from real kernels, beside the model.

use std::sync::OnceLock;

use evidence::recordings::{RECORDED, of};
use evidence::{Report, Role, Row};

fn report() -> &'static Report {
    static MADE: OnceLock<Report> = OnceLock::new();
    MADE.get_or_init(|| of(RECORDED, &mut |_| true).expect("the data fits the model").expect("nothing stops it"))
}

fn rows(of: &str) -> impl Iterator<Item = &'static Row> {
    report().tables.iter().filter(move |table| table.title.contains(of)).flat_map(|table| &table.rows)
}

/// From 5.18 on the kernel drains once, at the end of populate. The model drains twice before it, and not after.
const MISSED: [&str; 8] = [
    "6.1 mlock_pagevec",
    "6.1 mlock_pagevec of 4 pages",
    "6.1 lru_add_drain",
    "6.1 unevictable_pgs_culled",
    "7.2 mlock_folio_batch",
    "7.2 mlock_folio_batch of 16 pages",
    "7.2 lru_add_drain",
    "7.2 unevictable_pgs_culled",
];

#[test]
fn every_exact_row_holds_but_for_the_drain_of_populate() {
    let missed = |rows: &mut dyn Iterator<Item = &Row>| -> Vec<String> {
        let missed = rows.filter(|row| row.holds() == Some(false));
        missed.map(|row| format!("{}: {} and not {:?}", row.what, row.modelled, row.published)).collect()
    };
    for table in report().tables.iter().filter(|table| !table.title.contains("populate")) {
        assert_eq!(missed(&mut table.rows.iter()), [""; 0], "{}", table.title);
        assert!(table.rows.iter().any(|row| row.role == Role::Exact), "{}", table.title);
    }
    let found: Vec<&str> =
        rows("populate").filter(|row| row.holds() == Some(false)).map(|row| row.what.as_str()).collect();
    assert_eq!(found, MISSED);
    assert!(rows("populate").filter(|row| MISSED.contains(&row.what.as_str())).all(|row| !row.note.is_empty()));
}

#[test]
fn what_is_not_exact_says_why_and_is_close() {
    let shown = || report().tables.iter().flat_map(|table| &table.rows).filter(|row| row.role == Role::Shown);
    assert!(shown().all(|row| !row.note.is_empty()));
    // Counts that the model has but a little off: pages of others, page tables, a list that held something.
    for what in ["5.10 pagevec_lru_move_fn", "6.1 rmqueue_bulk", "6.1 lru_lock at unmap", "5.10 free_pcppages_bulk"] {
        let row = rows("page_fault1").find(|row| row.what == what).expect("the row is there");
        assert!(row.error().is_some_and(|error| error.abs() < 0.2), "{what}: {}", row.modelled);
    }
}

#[test]
fn the_counts_of_the_specification_are_there() {
    let exact = |table: &str, what: &str, count: f64| {
        let row = rows(table).find(|row| row.what == what);
        let row = row.unwrap_or_else(|| panic!("{table}: no row `{what}`"));
        assert_eq!((row.published, row.role), (Some(count), Role::Exact), "{table}: {what}");
    };
    exact("munlock of", "5.10 __munlock_pagevec", 1120.0);
    exact("munlock of", "6.1 mlock_pagevec", 1093.0);
    exact("munlock of", "7.2 mlock_folio_batch", 529.0);
    exact("munmap", "6.1 folio_lruvec_lock_irqsave", 516.0);
    exact("munmap", "7.2 folios_put_refs of 31 pages", 514.0);
    exact("page_fault1", "6.1 free_pcppages_bulk of 174 pages", 1760.0);
    exact("three small ranges", "6.1 mlock_pagevec of 1 page", 4000.0);
    exact("every CPU", "6.1 works (lru_add_drain_per_cpu)", 80.0);
    for kernel in ["5.10", "6.1", "7.2"] {
        exact("MADV_FREE", &format!("{kernel} pglazyfree"), 16_384.0);
        exact("MADV_FREE", &format!("{kernel} pglazyfreed"), 12_284.0);
        exact("MADV_FREE", &format!("{kernel} rewritten pages that kept their content"), 4100.0);
    }
    exact("4096 file pages", "6.1 try_to_unmap_one", 4096.0);
    exact("4096 file pages", "7.2 try_to_unmap_one", 2560.0);
    exact("anonymous pages", "7.2 try_to_unmap_one", 4096.0);
}

#[test]
fn sizes_times_calls_are_the_pages() {
    // Every page of the range goes through a batch once, and through a gather once.
    for (table, start, pages) in [
        ("munlock of", "5.10 __munlock_pagevec of ", 16_384.0),
        ("munlock of", "6.1 mlock_pagevec of ", 16_384.0),
        ("munlock of", "7.2 mlock_folio_batch of ", 16_384.0),
        // With the page tables of the range.
        ("munmap", "6.1 free_pages_and_swap_cache of ", 16_384.0 + 32.0),
        ("munmap", "7.2 free_pages_and_swap_cache of ", 16_384.0),
        ("munmap", "7.2 folios_put_refs of ", 16_384.0),
        ("4096 file pages", "7.2 folio_remove_rmap_ptes of ", 4096.0),
    ] {
        let of = |row: &Row| {
            let size = row.what.strip_prefix(start)?.split(' ').next()?.parse::<f64>().ok()?;
            Some(size * row.published?)
        };
        assert_eq!(rows(table).filter_map(of).sum::<f64>(), pages, "{start}");
    }
}

/// One workload that takes no time, with a change.
fn changed(from: &str, to: &str) -> Result<Option<Report>, String> {
    let mut data: serde_json::Value = serde_json::from_str(RECORDED).expect("the data is JSON");
    let tables = data["tables"].as_array_mut().expect("it has tables");
    tables.retain(|table| table["name"] == "drain-all");
    let text = data.to_string();
    assert!(text.contains(from), "{from}");
    of(&text.replacen(from, to, 1), &mut |_| true)
}

#[test]
fn broken_data_is_noticed() {
    let small = changed("\"recorded\":80", "\"recorded\":80").expect("it fits").expect("nothing stops it");
    assert!(small.holds());
    let wrong = changed("\"recorded\":80", "\"recorded\":81").expect("it fits").expect("nothing stops it");
    assert!(!wrong.holds());
    for (from, to, named) in [
        ("works queued", "works", "the model counts no `works`"),
        ("\"drain-all\"", "\"drains\"", "no such workload"),
        ("\"kernel\":\"6.1\"", "\"kernel\":\"6.2\"", "kernel `6.2` has no name"),
        ("\"kernel\":\"6.1\"", "\"kernel\":\"5.10\"", "kernel `5.10` has no model"),
        ("\"note\":\"one more", "\"word\":\"one more", "says not why"),
        ("\"rows\"", "\"lines\"", "missing field `rows`"),
        ("{", "", "expected"),
    ] {
        let error = changed(from, to).expect_err(to);
        assert!(error.contains(named), "{error}");
    }
}

#[test]
fn it_stops_when_it_is_told_to() {
    let mut asked = 0;
    let stopped = of(RECORDED, &mut |_| {
        asked += 1;
        false
    });
    assert!(stopped.expect("the data fits the model").is_none());
    assert_eq!(asked, 1);
}
