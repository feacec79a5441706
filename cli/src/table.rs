//! Text that fits into a mail: 72 columns.

use std::fmt::Write;

use sim_core::engine::Violation;
use sim_core::ledger::{Group, Ledger, rows};
use sim_core::scenario::{Claim, Params};

/// Columns of a mail.
pub const WIDTH: usize = 72;

/// The parameters that differ from their defaults, and the number of pages.
pub fn params(params: &Params) -> String {
    let shown = params.iter().filter(|(param, value)| param.name == "pages" || *value != param.default);
    let list: Vec<String> = shown.map(|(param, value)| format!("{}={}", param.name, param.print(value))).collect();
    if list.is_empty() { "default parameters".to_string() } else { list.join(" ") }
}

/// The ledger of one run.
pub fn one(ledger: &Ledger, pages: u64) -> String {
    let mut text = format!("{:<24}{:>14}{:>12}\n", "", "count", "per page");
    for row in rows(ledger) {
        let _ = writeln!(
            text,
            "{:<24}{:>14}{:>12}",
            indented(row.group, row.label),
            number(row.value),
            per_page(row.value, pages)
        );
    }
    text
}

/// The ledgers of two runs with their difference.
pub fn two(old: &Ledger, new: &Ledger, pages: u64) -> String {
    let mut text = format!("{:<20}{:>12}{:>12}{:>12}{:>8}{:>8}\n", "", "old", "new", "diff", "old/pg", "new/pg");
    for (old, new) in rows(old).into_iter().zip(rows(new)) {
        let difference = new.value as i64 - old.value as i64;
        let _ = writeln!(
            text,
            "{:<20}{:>12}{:>12}{:>12}{:>8}{:>8}",
            indented(old.group, old.label),
            number(old.value),
            number(new.value),
            if difference == 0 { "0".to_string() } else { format!("{difference:+}") },
            per_page(old.value, pages),
            per_page(new.value, pages),
        );
    }
    text
}

fn indented(group: Group, label: &str) -> String {
    if group == Group::Words { format!("  {label}") } else { label.to_string() }
}

/// A number, as it is.
pub fn number(n: u64) -> String {
    n.to_string()
}

fn per_page(value: u64, pages: u64) -> String {
    if pages == 0 { String::new() } else { format!("{:.2}", value as f64 / pages as f64) }
}

/// Claims and broken rules, a line each; long ones are wrapped.
pub fn verdicts(claims: &[Claim], violations: &[Violation]) -> String {
    let mut text = String::new();
    for claim in claims {
        let verdict = match (claim.holds, claim.known) {
            (true, _) => "holds",
            (false, true) => "BROKEN, as known",
            (false, false) => "BROKEN",
        };
        let line = format!(
            "{verdict}: {}: expected {}, found {} [{}]",
            claim.claim, claim.expected, claim.found, claim.source
        );
        text.push_str(&wrapped(&line));
    }
    for violation in violations {
        text.push_str(&wrapped(&format!(
            "BROKEN RULE at step {}: {}: {}",
            violation.step, violation.rule, violation.detail
        )));
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

// Wraps at blanks; what follows the first line is set in.
fn wrapped(line: &str) -> String {
    let mut text = String::from(" ");
    let mut column = 1;
    for word in line.split(' ') {
        if column + 1 + word.chars().count() > WIDTH {
            text.push_str("\n    ");
            column = 4;
        }
        text.push(' ');
        text.push_str(word);
        column += 1 + word.chars().count();
    }
    text.push('\n');
    text
}
