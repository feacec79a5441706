//! `mmscope validate`: published and recorded figures beside the model's.

use std::fmt::Write;

use evidence::{Check, Pace, REPORTS, Role, Row, Table};

use crate::Report;
use crate::table::wrapped;

/// What the columns say.
const LEGEND: &str = "\
error is the model's less the published, in percent of the published, or in
points (pt) where both are percentages. aim says how the number takes part:
  fitted   a parameter was fitted to it, so its error says nothing
  exact    a count that must be equal
  2 %, 2 pt
           predicted, and to be no further off than that
  order    only the direction counts, which a line below the table checks
  (blank)  shown beside, without an aim
'as known' is what the project knows to miss, with the reason below it; the
exit status is 1 only for what is not as known.

";

/// The reports of one series, or of all.
///
/// # Errors
///
/// Names the series that there are.
pub fn validate(series: Option<&str>, json: bool) -> Result<Report, String> {
    let known: Vec<&str> = REPORTS.iter().map(|(name, _)| *name).collect();
    if let Some(name) = series.filter(|name| !known.contains(name)) {
        return Err(format!("validate: unknown series `{name}`; expected one of {}", known.join(", ")));
    }
    let wanted = REPORTS.iter().filter(|(name, _)| series.is_none_or(|series| series == *name));
    let pace = Pace::steady(|_| true);
    let reports: Vec<evidence::Report> = wanted.filter_map(|(_, make)| evidence::run(make(&pace)).ok()).collect();
    let holds = reports.iter().all(evidence::Report::as_known);
    let text = if json {
        crate::json::print(&reports)
    } else {
        reports.iter().map(plain).fold(LEGEND.to_string(), |text, report| text + &report)
    };
    Ok(Report { text, holds })
}

fn plain(report: &evidence::Report) -> String {
    let mut text = format!("{}\n{}\n\n", report.series, "=".repeat(report.series.len()));
    for table in &report.tables {
        text.push_str(&self::table(table));
        text.push('\n');
    }
    text
}

fn table(table: &Table) -> String {
    let mut text = wrapped(&table.title, "");
    text.push_str(&wrapped(&format!("from: {}", table.source), "  "));
    if let Some(profile) = &table.profile {
        text.push_str(&wrapped(&format!("modelled with cost profile {profile}"), "  "));
    }
    for fit in &table.fits {
        let line = format!("fitted: {} = {} {}, to {}", fit.parameter, number(fit.value), fit.unit, fit.from);
        text.push_str(&wrapped(&line, "  "));
    }
    if !table.rows.is_empty() {
        let _ = writeln!(text, "  {:<28}{:>12}{:>12}{:>9}  aim", table.unit, "published", "modelled", "error");
    }
    for row in &table.rows {
        let what: String = crate::table::plain(&row.what);
        // A long name has a line of its own.
        let what = if what.chars().count() > 27 {
            text.push_str(&wrapped(&what, "  "));
            String::new()
        } else {
            what
        };
        let published = row.published.map_or_else(|| "-".to_string(), number);
        let error = error(row);
        let _ = writeln!(text, "  {what:<28}{published:>12}{:>12}{error:>9}  {}", number(row.modelled), verdict(row));
        if !row.note.is_empty() {
            text.push_str(&wrapped(&row.note, "      "));
        }
    }
    for check in &table.checks {
        text.push_str(&wrapped(&format!("{}: {}: {}", standing(check), check.what, check.found), "  "));
        if let Some(why) = &check.known {
            text.push_str(&wrapped(&format!("known: {why}"), "      "));
        }
    }
    for note in &table.notes {
        text.push_str(&wrapped(note, "  "));
    }
    text
}

fn error(row: &Row) -> String {
    match row.error() {
        None => String::new(),
        Some(error) if !error.is_finite() => "-".to_string(),
        Some(error) if row.points => format!("{error:+.1} pt"),
        Some(error) => format!("{error:+.1} %"),
    }
}

fn verdict(row: &Row) -> String {
    let aim = match (row.role, row.aim) {
        (Role::Fitted, _) => return "fitted".to_string(),
        (Role::Shown, _) => return String::new(),
        (Role::Order, _) => return "order".to_string(),
        (Role::Exact, _) => "exact".to_string(),
        (Role::HeldOut, Some(aim)) if row.points => format!("{aim} pt"),
        (Role::HeldOut, Some(aim)) => format!("{aim} %"),
        (Role::HeldOut, None) => String::new(),
    };
    match (row.holds(), row.known) {
        (Some(false), false) => format!("{aim} MISSED"),
        (Some(false), true) => format!("{aim} missed, as known"),
        (Some(true), true) => format!("{aim} MET, known to be missed"),
        _ => aim,
    }
}

fn standing(check: &Check) -> &'static str {
    match (check.holds, &check.known) {
        (true, None) => "holds",
        (false, None) => "BROKEN",
        (false, Some(_)) => "broken, as known",
        (true, Some(_)) => "HOLDS, known not to",
    }
}

// Whole numbers whole, others with as many digits as say something.
fn number(value: f64) -> String {
    match value.abs() {
        _ if value.fract() == 0.0 && value.abs() < 1e15 => format!("{value:.0}"),
        100.0.. => format!("{value:.1}"),
        1.0.. => format!("{value:.3}"),
        _ => format!("{value:.4}"),
    }
}
