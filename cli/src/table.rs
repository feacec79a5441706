//! Text that fits into a mail: 72 columns.

use std::fmt::Write;

use sim_core::engine::Violation;
use sim_core::ledger::{Group, Ledger, Row, rows};
use sim_core::scenario::{Claim, ClaimKind, Params};

/// Columns of a mail.
pub const WIDTH: usize = 72;

/// The parameters that differ from their defaults, and the number of pages.
pub fn params(params: &Params) -> String {
    let shown = params.iter().filter(|(param, value)| param.name == "pages" || **value != param.initial());
    let list: Vec<String> = shown.map(|(param, value)| format!("{}={}", param.name, param.print(value))).collect();
    if list.is_empty() { "default parameters".to_string() } else { list.join(" ") }
}

/// The ledger of one run.
pub fn one(ledger: &Ledger, pages: u64) -> String {
    let mut text = format!("{:<24}{:>14}{}\n", "", "count", if pages == 0 { "" } else { "    per page" });
    for row in rows(ledger).into_iter().filter(|row| row.value > 0 || row.group == Group::Total) {
        let _ =
            writeln!(text, "{:<24}{:>14}{}", indented(row.group, row.label), row.value, per_page(row.value, pages, 12));
    }
    text
}

/// The ledgers of two runs with their difference.
pub fn two(old: &Ledger, new: &Ledger, pages: u64) -> String {
    let mut text = format!("{:<20}{:>12}{:>12}{:>12}", "", "old", "new", "diff");
    text.push_str(if pages == 0 { "\n" } else { "  old/pg  new/pg\n" });
    for (old, new) in pairs(old, new) {
        let difference = new.value as i64 - old.value as i64;
        let _ = writeln!(
            text,
            "{:<20}{:>12}{:>12}{:>12}{}{}",
            indented(old.group, old.label),
            old.value,
            new.value,
            if difference == 0 { "0".to_string() } else { format!("{difference:+}") },
            per_page(old.value, pages, 8),
            per_page(new.value, pages, 8),
        );
    }
    text
}

/// Rows of two ledgers side by side: those in which either counts something.
pub fn pairs(old: &Ledger, new: &Ledger) -> impl Iterator<Item = (Row, Row)> {
    let says = |(old, new): &(Row, Row)| old.value + new.value > 0 || old.group == Group::Total;
    rows(old).into_iter().zip(rows(new)).filter(says)
}

fn indented(group: Group, label: &str) -> String {
    if group == Group::Words { format!("  {label}") } else { label.to_string() }
}

// Nothing where nobody says how many pages there are.
fn per_page(value: u64, pages: u64, width: usize) -> String {
    if pages == 0 { String::new() } else { format!("{:>width$.2}", value as f64 / pages as f64) }
}

/// Claims and broken rules, a line each; long ones are wrapped.
pub fn verdicts(claims: &[Claim], violations: &[Violation]) -> String {
    let mut text = String::new();
    for claim in claims {
        text.push_str(&wrapped(&verdict(claim), "  "));
    }
    for violation in violations {
        let line = format!("BROKEN RULE at step {}: {}: {}", violation.step, violation.rule, violation.detail);
        text.push_str(&wrapped(&line, "  "));
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

fn verdict(claim: &Claim) -> String {
    let verdict = match (claim.holds, claim.known) {
        (true, _) => "holds",
        (false, true) => "BROKEN, as known",
        (false, false) => "BROKEN",
    };
    let mut line = format!("{verdict}: {}: expected {}, found {}", claim.claim, claim.expected, claim.found);
    // What never happens names its first step itself.
    if let Some(step) = claim.step.filter(|_| claim.kind != ClaimKind::Never) {
        let _ = write!(line, " at step {step}");
    }
    if claim.known {
        let _ = write!(line, " ({})", claim.why);
    }
    let _ = write!(line, " [{}]", claim.source);
    line
}

/// A line that starts at an indent, wrapped at blanks; what follows its first line is set in further. A word that is
/// longer than a line stands alone.
pub fn wrapped(line: &str, indent: &str) -> String {
    let mut text = String::from(indent);
    let mut column = indent.len();
    let start = column;
    for word in plain(line).split(' ') {
        let length = word.chars().count();
        if column > start && column + 1 + length > WIDTH {
            text.push('\n');
            text.push_str(indent);
            text.push_str("   ");
            column = indent.len() + 3;
        } else if column > start {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text.push('\n');
    text
}

/// The text without what a mail may garble.
pub fn plain(text: &str) -> String {
    text.replace(['–', '—'], "-").replace('×', "x")
}

/// The same for a bulk run.
pub fn verdicts_in_bulk(claims: &[Claim], violations: &[Violation]) -> String {
    let mut text = verdicts(claims, &[]);
    if text.is_empty() && !violations.is_empty() {
        text.push('\n');
    }
    for violation in violations {
        let line = format!("BROKEN RULE in a bulk run: {}: {}", violation.rule, violation.detail);
        text.push_str(&wrapped(&line, "  "));
    }
    text
}
