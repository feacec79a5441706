//! What was recorded from real kernels, beside the model.

use std::sync::OnceLock;

use evidence::recordings::{RECORDED, of};
use evidence::{Pace, Report, Role, Row, run};

fn made(text: &str) -> Result<Report, String> {
    let pace = Pace::steady(|_| true);
    run(of(text, &pace)).map(|made| made.expect("nothing stops it"))
}

fn report() -> &'static Report {
    static MADE: OnceLock<Report> = OnceLock::new();
    MADE.get_or_init(|| made(RECORDED).expect("the data fits the model"))
}

fn rows(of: &str) -> impl Iterator<Item = &'static Row> {
    report().tables.iter().filter(move |table| table.title.contains(of)).flat_map(|table| &table.rows)
}

#[test]
fn every_exact_row_holds() {
    for table in &report().tables {
        let missed: Vec<String> = table
            .rows
            .iter()
            .filter(|row| row.holds() == Some(false))
            .map(|row| format!("{}: {} and not {:?}", row.what, row.modelled, row.published))
            .collect();
        assert_eq!(missed, [""; 0], "{}", table.title);
        assert!(table.rows.iter().any(|row| row.role == Role::Exact), "{}", table.title);
    }
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
fn changed(from: &str, to: &str) -> Result<Report, String> {
    let mut data: serde_json::Value = serde_json::from_str(RECORDED).expect("the data is JSON");
    let tables = data["tables"].as_array_mut().expect("it has tables");
    tables.retain(|table| table["name"] == "drain-all");
    let text = data.to_string();
    assert!(text.contains(from), "{from}");
    made(&text.replacen(from, to, 1))
}

#[test]
fn broken_data_is_noticed() {
    let small = changed("\"recorded\":80", "\"recorded\":80").expect("it fits");
    assert!(small.holds());
    let wrong = changed("\"recorded\":80", "\"recorded\":81").expect("it fits");
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
    let asked = std::cell::Cell::new(0);
    let pace = Pace::steady(|_| {
        asked.set(asked.get() + 1);
        false
    });
    assert_eq!(run(of(RECORDED, &pace)).expect("the data fits the model").err(), Some(evidence::Stopped));
    assert_eq!(asked.get(), 1);
}
