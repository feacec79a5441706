//! Every report at the size that its series allows here, and what the rows say. The full-size run of madvise-free is made
//! by `mmscope validate`.

use evidence::{Check, Pace, REPORTS, Report, Role, Row, Stopped, Table};
use sim_core::cost::CostClass;

fn report(series: &str) -> Report {
    let (_, make) = REPORTS.iter().find(|(name, _)| *name == series).expect("a series");
    let pace = Pace::steady(|_| true);
    evidence::run(make(&pace)).expect("nobody stops it")
}

fn row<'a>(table: &'a Table, what: &str) -> &'a Row {
    table.rows.iter().find(|row| row.what == what).unwrap_or_else(|| panic!("no row {what} in {}", table.title))
}

fn holds(report: &Report) {
    for table in &report.tables {
        for row in &table.rows {
            assert_ne!(row.holds(), Some(false), "{}: {} {:?}", table.title, row.what, row.error());
        }
        for Check { what, found, holds, .. } in &table.checks {
            assert!(holds, "{}: {what}: {found}", table.title);
        }
    }
}

#[test]
fn munlock_is_predicted_from_three_columns() {
    let report = report("munlock");
    holds(&report);
    let [rfc, v2, interleave] = report.tables.as_slice() else { panic!("three tables") };
    let held_out = rfc.rows.iter().filter(|row| row.role == Role::HeldOut).count();
    assert_eq!((held_out, rfc.rows.len()), (4, 7), "three columns are fitted and no more");
    assert!(rfc.worst().unwrap() <= 2.0 && v2.worst().unwrap() <= 4.0);
    assert_eq!(interleave.checks.len(), 1);
    assert_eq!(rfc.fits.len(), 3);
    for column in ["0", "2", "6"] {
        assert!(
            row(rfc, &format!("variant {column}")).error().unwrap().abs() < 1e-6,
            "the fit meets what it is fitted to"
        );
    }
}

// What the profile's file says is what the columns give.
#[test]
fn the_profile_holds_what_was_fitted() {
    let (fitted, profile) =
        (evidence::munlock_fitted(), scenario_file::profile::bundled("opteron-2013").unwrap().costs());
    for class in CostClass::ALL {
        let (fitted, said) = (fitted.of(class) as i64, profile.of(class) as i64);
        assert!((fitted - said).abs() <= 10, "{}: fitted {fitted} ps, the file says {said}", class.key());
    }
}

#[test]
fn lru_drain_keeps_the_published_ratio() {
    let report = report("lru-drain");
    holds(&report);
    let table = &report.tables[0];
    assert!(table.worst().unwrap() <= 10.0);
    let related = row(table, "related report, 16 CPUs");
    assert!(related.role == Role::Fitted && related.error().unwrap().abs() < 2.0, "the wake-up is fitted to it");
}

#[test]
fn rmap_unmap_predicts_four_shares() {
    let report = report("rmap-unmap");
    holds(&report);
    assert_eq!(report.tables[0].rows.len(), 4);
    assert!(report.tables[0].worst().unwrap() <= 5.0);
}

// Full size: 12 processes of 131,072 pages.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes without optimisation; made in release")]
fn madvise_free_at_full_size() {
    let report = report("madvise-free");
    holds(&report);
    let [reads, elapsed] = report.tables.as_slice() else { panic!("two tables") };
    assert!(reads.worst().unwrap() <= 2.0 && elapsed.worst().unwrap() <= 15.0);
    // 804,972 of 6,291,456: the figure that the reduced model gives at this size.
    assert!((row(reads, "free").modelled - 12.795).abs() < 0.001, "{}", row(reads, "free").modelled);
}

// zone->lock's share is missed, and the report says so; directions hold, but for the one that the variant cannot show.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes without optimisation; made in release")]
fn pcp_free_keeps_the_directions() {
    let report = report("pcp-free");
    let table = |title: &str| report.tables.iter().find(|table| table.title.starts_with(title)).expect("a table");
    for check in &table("Gains").checks {
        assert!(check.holds, "{}: {}", check.what, check.found);
    }
    assert!(table("Batches").checks.iter().all(|check| check.holds));
    let wait = row(table("Waiting"), "zone->lock");
    assert!(wait.points && wait.error().unwrap() < 0.0, "{:?}", wait.error());
    assert!(!wait.note.is_empty() && !table("One pass").notes.is_empty(), "what is missed is explained");
    let score = row(table("Score"), "v4.15").error().unwrap();
    assert!(report.as_known() && !report.holds(), "two aims are missed, and known to be");
    assert!(score.abs() < 10.0, "the base score comes out without a fit: {score}");
}

#[test]
fn a_report_can_be_stopped_and_tells_how_far_it_is() {
    let quick = ["munlock", "lru-drain", "rmap-unmap"];
    for (series, make) in REPORTS.iter().filter(|(series, _)| quick.contains(series)) {
        let stopped = Pace::steady(|at| at <= 0.0);
        assert_eq!(evidence::run(make(&stopped)).err(), Some(Stopped), "{series}");
    }
    let seen = std::cell::RefCell::new(Vec::new());
    let pace = Pace::steady(|at| {
        seen.borrow_mut().push(at);
        true
    });
    let (_, make) = REPORTS[4];
    evidence::run(make(&pace)).expect("nobody stops it");
    let seen = seen.borrow();
    assert!(seen.windows(2).all(|pair| pair[0] <= pair[1]) && seen.last() == Some(&1.0), "{seen:?}");
}

#[test]
fn errors_are_counted_in_percent_or_points() {
    let row = |published, modelled| Row::new("a row", published, modelled, Role::HeldOut);
    assert_eq!(row(200.0, 190.0).error(), Some(-5.0));
    assert_eq!(row(200.0, 190.0).within(4.9).holds(), Some(false));
    assert_eq!(row(200.0, 190.0).within(5.1).holds(), Some(true));
    assert_eq!(row(14.0, 12.8).within_points(2.0).holds(), Some(true));
    assert_eq!(row(14.0, 11.8).within_points(2.0).holds(), Some(false));
    assert_eq!(Row::new("a count", 0.0, 0.0, Role::Exact).holds(), Some(true));
    assert_eq!(Row::new("a count", 0.0, 1.0, Role::Exact).holds(), Some(false));
    assert_eq!(Row::new("a count", 5.0, 5.5, Role::Shown).holds(), None);
}
