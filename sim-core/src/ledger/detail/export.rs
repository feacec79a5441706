//! A table as text, CSV and JSON.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Write;

use super::table::{Cell, Column, Table, TableRow};

/// Columns of a mail.
const WIDTH: usize = 72;
// A label that is longer stands in a line of its own.
const LABEL: usize = 34;
// Between two columns.
const GAP: usize = 2;

impl Table {
    /// As text of at most 72 columns: where not all columns fit, the others follow below.
    pub fn to_text(&self) -> String {
        let longest = self.rows.iter().map(|row| row.label.chars().count()).max().unwrap_or(0);
        let label = longest.max(self.by.heading().len()).min(LABEL);
        let mut text = String::new();
        let mut from = 0;
        while from < self.columns.len() {
            let widths = self.fitting(from, WIDTH - label);
            if from > 0 {
                text.push('\n');
            }
            self.block(&mut text, label, from, &widths);
            from += widths.len();
        }
        text
    }

    // Widths of as many columns as fit, one at least.
    fn fitting(&self, from: usize, room: usize) -> Vec<usize> {
        let mut widths = Vec::new();
        let mut used = 0;
        for at in from..self.columns.len() {
            let cells = self.rows.iter().filter_map(|row| row.cells.get(at)).map(|cell| shown(*cell).len());
            let width = cells.max().unwrap_or(0).max(self.columns[at].label.len()) + GAP;
            if used + width > room && at > from {
                break;
            }
            used += width;
            widths.push(width);
        }
        widths
    }

    fn block(&self, text: &mut String, label: usize, from: usize, widths: &[usize]) {
        let _ = write!(text, "{:<label$}", self.by.heading());
        for (column, width) in self.columns[from..].iter().zip(widths) {
            let _ = write!(text, "{:>width$}", column.label);
        }
        text.push('\n');
        for row in &self.rows {
            if row.label.chars().count() > label {
                let cut: String = row.label.chars().take(WIDTH).collect();
                let _ = write!(text, "{}\n{:<label$}", cut.trim_end(), "");
            } else {
                let _ = write!(text, "{:<label$}", row.label);
            }
            for (at, width) in (from..).zip(widths) {
                let cell = row.cells.get(at).map_or_else(String::new, |cell| shown(*cell));
                let _ = write!(text, "{cell:>width$}");
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
    }

    /// As CSV after RFC 4180: a header, then the rows, each line ended by CRLF.
    pub fn to_csv(&self) -> String {
        let mut text = String::new();
        let heads = self.columns.iter().map(|column| column.key.to_string());
        line(&mut text, [self.by.heading().to_string()].into_iter().chain(heads));
        for row in &self.rows {
            line(&mut text, [row.key.clone()].into_iter().chain(row.cells.iter().map(ToString::to_string)));
        }
        text
    }

    /// As JSON: what the rows are, and each row with its key, its label and its values by column.
    pub fn to_json(&self) -> String {
        let rows: Vec<String> = self.rows.iter().map(|row| object(&self.columns, row)).collect();
        format!("{{\"by\":{},\"rows\":[{}]}}", quoted(self.by.name()), rows.join(","))
    }
}

// A difference has its sign.
fn shown(cell: Cell) -> String {
    match cell {
        Cell::Signed(n) if n > 0 => format!("+{n}"),
        cell => cell.to_string(),
    }
}

fn line(text: &mut String, fields: impl Iterator<Item = String>) {
    let fields: Vec<String> = fields.map(|field| csv(&field)).collect();
    text.push_str(&fields.join(","));
    text.push_str("\r\n");
}

fn csv(field: &str) -> String {
    if field.contains([',', '"', '\r', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_string()
    }
}

fn object(columns: &[Column], row: &TableRow) -> String {
    let mut fields = vec![format!("\"key\":{}", quoted(&row.key)), format!("\"label\":{}", quoted(row.label.trim()))];
    for (column, cell) in columns.iter().zip(&row.cells) {
        let value = if *cell == Cell::None { "null".to_string() } else { cell.to_string() };
        fields.push(format!("{}:{value}", quoted(column.key)));
    }
    format!("{{{}}}", fields.join(","))
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c < ' ' => {
                let _ = write!(quoted, "\\u{:04x}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
