//! Tables: rows that can be sorted, filtered, opened and copied.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;

use super::query::{Query, Scope, Under};
use crate::ledger::Key;
use crate::machine::{LockClass, LockId, Pfn};

/// One value of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// It says nothing here.
    None,
    /// A count, a step or a time.
    Count(u64),
    /// A difference.
    Signed(i64),
    /// A count for each unit, in hundredths.
    Hundredths(u64),
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Stable key.
    pub key: &'static str,
    /// Label.
    pub label: &'static str,
    /// Which steps of its row it counts.
    pub counts: Counts,
}

/// Which steps of its row a column counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// None: it has no list.
    Nothing,
    /// Those that are in a number, or all; of a function with what it calls, of a lock those of its holder.
    Steps(Option<Key>),
    /// Those that a function makes itself.
    Own(Option<Key>),
    /// Those that touch a page.
    Touches,
    /// Those that take the lock.
    Taken,
    /// Those that queue for the lock.
    Contended,
}

/// What a row is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A number of the whole run.
    Key(Key),
    /// A function.
    Function(&'static str),
    /// A CPU.
    Cpu(u8),
    /// A page.
    Page(Pfn),
    /// A lock, or all of its class.
    Lock(LockClass, Option<u32>),
    /// Several calls or spans, whose steps have no list of their own.
    Several,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRow {
    /// What it is about.
    pub subject: Subject,
    /// Stable key.
    pub key: String,
    /// Label.
    pub label: String,
    /// One value for each column.
    pub cells: Vec<Cell>,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// What its rows are.
    pub by: super::By,
    /// Steps outside the measured section are in it.
    pub all: bool,
    /// Columns beside the label.
    pub columns: Vec<Column>,
    /// Rows.
    pub rows: Vec<TableRow>,
}

impl Table {
    /// The column with a key.
    pub fn column(&self, key: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.key == key)
    }

    /// The value in a row, by keys.
    pub fn cell(&self, row: &str, column: &str) -> Option<Cell> {
        let column = self.column(column)?;
        self.rows.iter().find(|found| found.key == row)?.cells.get(column).copied()
    }

    /// Sorts the rows by a column, or by their labels; rows with equal values stay in their order.
    pub fn sort(&mut self, column: Option<usize>, descending: bool) {
        let order = |one: &TableRow, two: &TableRow| match column {
            None => one.label.cmp(&two.label),
            Some(at) => compare(one.cells.get(at), two.cells.get(at)),
        };
        self.rows.sort_by(|one, two| if descending { order(two, one) } else { order(one, two) });
    }

    /// Keeps the rows whose label or key has a text in it, whatever its case.
    pub fn filter(&mut self, text: &str) {
        let wanted = text.to_lowercase();
        let has = |found: &str| found.to_lowercase().contains(&wanted);
        self.rows.retain(|row| has(&row.label) || has(&row.key));
    }

    /// Removes the rows that say nothing: those of zeros.
    pub fn drop_zeros(&mut self) {
        let zero = |cell: &Cell| matches!(cell, Cell::None | Cell::Count(0) | Cell::Signed(0) | Cell::Hundredths(0));
        self.rows.retain(|row| !row.cells.iter().all(zero));
    }

    /// The steps that a value counts; none where it is no count of steps.
    pub fn query(&self, row: usize, column: usize) -> Option<Query> {
        let (row, column) = (self.rows.get(row)?, self.columns.get(column)?);
        let mut query = Query { all: self.all, ..Query::default() };
        let mut scope = Scope::Inclusive;
        match column.counts {
            Counts::Nothing => return None,
            Counts::Steps(key) => query.key = key,
            Counts::Own(key) => (query.key, scope) = (key, Scope::Own),
            Counts::Touches => query.touches = true,
            Counts::Taken | Counts::Contended => {
                let Subject::Lock(class, index) = row.subject else { return None };
                let taken = column.counts == Counts::Taken;
                query.key = Some(if taken { Key::Acquired(class) } else { Key::Contended(class) });
                query.lock = index.map(|index| LockId { class, index });
                return Some(query);
            }
        }
        match row.subject {
            Subject::Key(key) => query.key = Some(key),
            Subject::Function(name) => query.function = Some((name.to_string(), scope)),
            Subject::Cpu(cpu) => query.cpu = Some(cpu),
            Subject::Page(page) => query.page = Some(page),
            Subject::Lock(class, index) => {
                query.under = Some(index.map_or(Under::Class(class), |index| Under::Lock(LockId { class, index })));
            }
            Subject::Several => return None,
        }
        Some(query)
    }
}

// What says nothing comes first.
fn compare(one: Option<&Cell>, two: Option<&Cell>) -> Ordering {
    let value = |cell: Option<&Cell>| match cell {
        None | Some(Cell::None) => None,
        Some(&Cell::Count(n) | &Cell::Hundredths(n)) => Some(i128::from(n)),
        Some(&Cell::Signed(n)) => Some(i128::from(n)),
    };
    value(one).cmp(&value(two))
}

impl Cell {
    /// A count for each unit, rounded to hundredths.
    pub fn per(value: u64, unit: u64) -> Cell {
        let hundredths = || (u128::from(value) * 200 / u128::from(unit)).div_ceil(2);
        if unit == 0 { Cell::None } else { Cell::Hundredths(u64::try_from(hundredths()).unwrap_or(u64::MAX)) }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match *self {
            Cell::None => Ok(()),
            Cell::Count(n) => write!(f, "{n}"),
            Cell::Signed(n) => write!(f, "{n}"),
            Cell::Hundredths(n) => write!(f, "{}.{:02}", n / 100, n % 100),
        }
    }
}
