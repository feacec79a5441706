fn main() {
    for (series, make) in evidence::REPORTS {
        if std::env::args().nth(1).is_some_and(|wanted| wanted != *series) {
            continue;
        }
        let start = std::time::Instant::now();
        let pace = evidence::Pace::steady(|_| true);
        let report = evidence::run(make(&pace)).unwrap();
        println!("{series} holds {} in {:?}", report.holds(), start.elapsed());
        for table in &report.tables {
            println!("## {} [{}] worst {:?}", table.title, table.unit, table.worst());
            for row in &table.rows {
                println!(
                    "{:50} {:>12.4} {:>12.4} {:>8.2} {:?} {:?}",
                    row.what,
                    row.published.unwrap_or(f64::NAN),
                    row.modelled,
                    row.error().unwrap_or(f64::NAN),
                    row.role,
                    row.holds()
                );
            }
            for check in &table.checks {
                println!("  check {} {} {}", check.holds, check.what, check.found);
            }
            for fit in &table.fits {
                println!("  fit {} {}", fit.parameter, fit.value);
            }
        }
    }
}
