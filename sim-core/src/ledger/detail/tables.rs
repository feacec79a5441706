//! The tables of one run, and of two side by side.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use super::Detail;
use super::locks::LockUse;
use super::spans::Off;
use super::table::{Cell, Column, Counts, Subject, Table, TableRow};
use super::work::{Lengths, Work};
use crate::ledger::Key;
use crate::named::named;

// Picoseconds in a nanosecond.
const PS: u64 = 1000;

named! {
    /// What the rows of a table are.
    enum By,
    /// Name, as the command line takes it.
    name {
        /// Numbers of the ledger.
        Keys = "keys",
        /// Functions.
        Functions = "functions",
        /// The call tree.
        Tree = "tree",
        /// Classes of locks.
        Locks = "locks",
        /// Single locks.
        EachLock = "each-lock",
        /// Spans with interrupts or preemption off, by cause.
        Spans = "spans",
        /// CPUs.
        Cpus = "cpus",
        /// Pages.
        Pages = "pages",
    }
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Steps.
    Steps,
    /// Atomics.
    Rmw,
    /// Locks taken; of a lock, how often it is.
    Locks,
    /// List operations.
    Lists,
    /// Steps that touch a struct page.
    Touches,
    /// The number that both were made with: [`super::Options::key`].
    OfKey,
    /// Modelled ns without waiting.
    Time,
}

impl By {
    /// The analysis with a name.
    pub fn find(name: &str) -> Option<By> {
        By::ALL.into_iter().find(|by| by.name() == name)
    }

    /// What one row is.
    pub const fn heading(self) -> &'static str {
        match self {
            By::Keys => "number",
            By::Functions | By::Tree => "function",
            By::Locks | By::EachLock => "lock",
            By::Spans => "off, by",
            By::Cpus => "CPU",
            By::Pages => "page",
        }
    }
}

const fn column(key: &'static str, label: &'static str, counts: Counts) -> Column {
    Column { key, label, counts }
}

const RMW: Column = column("rmw", "rmw", Counts::Steps(Some(Key::Total)));
const LOCKS: Column = column("locks", "locks", Counts::Steps(Some(Key::Locks)));
const LISTS: Column = column("lists", "lists", Counts::Steps(Some(Key::ListMoves)));
const TOUCHES: Column = column("touches", "touches", Counts::Touches);
const STEPS: Column = column("steps", "steps", Counts::Steps(None));
const CALLS: Column = column("calls", "calls", Counts::Nothing);
const OWN: Column = column("self", "self", Counts::Own(None));
const OWN_RMW: Column = column("self_rmw", "self rmw", Counts::Own(Some(Key::Total)));
const NS: Column = column("ns", "ns", Counts::Nothing);
const OWN_NS: Column = column("self_ns", "self ns", Counts::Nothing);
const WAIT_NS: Column = column("wait_ns", "wait ns", Counts::Nothing);

impl Detail {
    /// A table of this run. Functions come by steps, most first; everything else in its own order.
    pub fn table(&self, by: By) -> Table {
        let mut table = Table { by, all: self.options.all, columns: self.columns(by), rows: self.rows(by) };
        if by == By::Functions {
            table.sort(table.column("steps"), true);
        }
        if by == By::Keys {
            table.drop_zeros();
        }
        // Columns of modelled time come last.
        for row in &mut table.rows {
            row.cells.truncate(table.columns.len());
        }
        table
    }

    fn columns(&self, by: By) -> Vec<Column> {
        let (mut columns, time) = match by {
            By::Keys => (vec![column("value", "value", Counts::Steps(None))], vec![]),
            By::Functions => (vec![CALLS, OWN, STEPS, OWN_RMW, RMW, LOCKS, LISTS], vec![OWN_NS, NS]),
            By::Tree => (
                [CALLS, OWN, STEPS, OWN_RMW, RMW, LOCKS, LISTS].map(without_list).to_vec(),
                [OWN_NS, NS].map(without_list).to_vec(),
            ),
            By::Locks | By::EachLock => (
                vec![
                    column("acquired", "taken", Counts::Taken),
                    column("contended", "contended", Counts::Contended),
                    column("held_steps", "held", Counts::Nothing),
                    column("longest_hold", "longest", Counts::Nothing),
                    column("longest_at", "at step", Counts::Nothing),
                    column("wait_steps", "waited", Counts::Nothing),
                    column("longest_wait", "longest wait", Counts::Nothing),
                    column("max_waiters", "queue", Counts::Nothing),
                    column("steps_under", "steps", Counts::Steps(None)),
                    RMW,
                    LISTS,
                    TOUCHES,
                ],
                vec![column("held_ns", "held ns", Counts::Nothing), WAIT_NS],
            ),
            By::Spans => (
                vec![
                    column("spans", "spans", Counts::Nothing),
                    column("length", "length", Counts::Nothing),
                    column("longest", "longest", Counts::Nothing),
                    column("longest_at", "at step", Counts::Nothing),
                    without_list(STEPS),
                    without_list(RMW),
                    without_list(LOCKS),
                    without_list(LISTS),
                    without_list(TOUCHES),
                ],
                vec![NS],
            ),
            By::Cpus => (vec![STEPS, RMW, LOCKS, LISTS, TOUCHES], vec![NS, WAIT_NS]),
            By::Pages => (
                vec![
                    STEPS,
                    RMW,
                    LISTS,
                    column("first", "first step", Counts::Nothing),
                    column("last", "last step", Counts::Nothing),
                ],
                vec![NS],
            ),
        };
        if self.timed {
            columns.extend(time);
        }
        columns
    }

    fn rows(&self, by: By) -> Vec<TableRow> {
        match by {
            By::Keys => Key::all().into_iter().map(|key| self.key_row(key)).collect(),
            By::Functions => {
                let functions = self.functions.iter();
                functions
                    .map(|function| {
                        let cells = calls(function.calls, function.own, function.inclusive);
                        row(Subject::Function(function.name), function.name, function.name, cells)
                    })
                    .collect()
            }
            By::Tree => self.tree_rows(),
            By::Locks => self.classes.iter().map(lock_row).collect(),
            By::EachLock => self.locks.iter().map(lock_row).collect(),
            By::Spans => self.span_rows(),
            By::Cpus => {
                let cpus = self.cpus.iter();
                cpus.map(|cpu| {
                    let Work { steps, rmw, locks, lists, touches, ps, wait_ps, .. } = cpu.work;
                    let cells = counts([steps, rmw, locks, lists, touches, ps / PS, wait_ps / PS]);
                    row(Subject::Cpu(cpu.cpu), cpu.cpu, cpu.cpu, cells)
                })
                .collect()
            }
            By::Pages => {
                let pages = self.pages.iter();
                pages
                    .map(|page| {
                        let Work { steps, rmw, lists, ps, .. } = page.work;
                        let cells = [steps, rmw, lists, page.first.into(), page.last.into(), ps / PS];
                        let label = match page.number {
                            Some(number) => format!("#{number} (pfn {})", page.page),
                            None => format!("pfn {}", page.page),
                        };
                        row(Subject::Page(page.page), page.page, label, counts(cells))
                    })
                    .collect()
            }
        }
    }

    fn key_row(&self, key: Key) -> TableRow {
        row(Subject::Key(key), key.name(), key.name(), counts([key.of(&self.ledger)]))
    }

    fn tree_rows(&self) -> Vec<TableRow> {
        let mut rows = self.nodes();
        rows.sort_by(depth_first);
        rows
    }

    // One row for each node of the tree, in its order.
    fn nodes(&self) -> Vec<TableRow> {
        let mut paths: Vec<(String, usize)> = Vec::new();
        let mut rows = Vec::new();
        for node in &self.tree {
            let (path, depth) = match node.parent.and_then(|parent| paths.get(parent as usize)) {
                Some((path, depth)) => (format!("{path}/{}", node.name), depth + 1),
                None => (node.name.to_string(), 0),
            };
            let label = format!("{:indent$}{}", "", node.name, indent = 2 * depth);
            rows.push(row(Subject::Several, &path, label, calls(node.calls, node.own, node.inclusive)));
            paths.push((path, depth));
        }
        rows
    }

    fn span_rows(&self) -> Vec<TableRow> {
        let sums = self.span_sums();
        let rows = sums.iter().map(|sum| {
            let off = if sum.off == Off::Irq { "IRQs" } else { "preemption" };
            let Lengths { spans, steps, ps, longest } = sum.lengths;
            let (longest, at) = longest.map_or((0, 0), |span| (span.steps(), span.begin.into()));
            let Work { rmw, locks, lists, touches, .. } = sum.inside;
            let cells = [spans, steps, longest, at, sum.inside.steps, rmw, locks, lists, touches, ps / PS];
            let key = format!("{}:{}", if sum.off == Off::Irq { "irq" } else { "preempt" }, sum.cause);
            row(Subject::Several, key, format!("{off}, {}", sum.cause), counts(cells))
        });
        rows.collect()
    }
}

impl Table {
    /// Two runs side by side: old, new, difference, and both for each of `units`. The number of a key, of a function
    /// with what it calls, under a lock, on a CPU, of a page, in spans.
    pub fn compare(old: &Detail, new: &Detail, by: By, measure: Measure, units: u64) -> Table {
        let steps = measure.counts();
        let counts = match (by, measure) {
            (By::Tree | By::Spans, _) => Counts::Nothing,
            (By::Locks | By::EachLock, Measure::Locks) => Counts::Taken,
            _ => steps,
        };
        let columns = vec![
            column("old", "old", counts),
            column("new", "new", counts),
            column("difference", "diff", Counts::Nothing),
            column("old_per_unit", "old/pg", Counts::Nothing),
            column("new_per_unit", "new/pg", Counts::Nothing),
        ];
        let mut rows: Vec<(TableRow, u64, u64)> = Vec::new();
        for (row, value) in old.measured(by, measure) {
            rows.push((row, value, 0));
        }
        let mut places: alloc::collections::BTreeMap<String, usize> =
            rows.iter().enumerate().map(|(at, (row, ..))| (row.key.clone(), at)).collect();
        for (row, value) in new.measured(by, measure) {
            let at = *places.entry(row.key.clone()).or_insert(rows.len());
            match rows.get_mut(at) {
                Some((_, _, new)) => *new = value,
                None => rows.push((row, 0, value)),
            }
        }
        let rows = rows.into_iter().map(|(row, old, new)| {
            let difference = i64::try_from(i128::from(new) - i128::from(old)).unwrap_or(i64::MAX);
            let per = [old, new].map(|value| Cell::per(value, units));
            let cells = vec![Cell::Count(old), Cell::Count(new), Cell::Signed(difference), per[0], per[1]];
            TableRow { cells, ..row }
        });
        let mut table = Table { by, all: old.options.all, columns, rows: rows.collect() };
        table.drop_zeros();
        table
    }
}

impl Measure {
    fn counts(self) -> Counts {
        match self {
            Measure::Steps => Counts::Steps(None),
            Measure::Rmw => Counts::Steps(Some(Key::Total)),
            Measure::Locks => Counts::Steps(Some(Key::Locks)),
            Measure::Lists => Counts::Steps(Some(Key::ListMoves)),
            Measure::Touches => Counts::Touches,
            Measure::OfKey | Measure::Time => Counts::Nothing,
        }
    }

    fn of(self, work: Work) -> u64 {
        match self {
            Measure::Steps => work.steps,
            Measure::Rmw => work.rmw,
            Measure::Locks => work.locks,
            Measure::Lists => work.lists,
            Measure::Touches => work.touches,
            Measure::OfKey => work.of_key,
            Measure::Time => work.ps / PS,
        }
    }
}

impl Detail {
    // The rows of a table with one value each. Those of keys have the value of the key, locks how often they are taken.
    fn measured(&self, by: By, measure: Measure) -> Vec<(TableRow, u64)> {
        let locks = match by {
            By::Locks => Some(&self.classes),
            By::EachLock => Some(&self.locks),
            _ => None,
        };
        if let Some(locks) = locks.filter(|_| measure == Measure::Locks) {
            return self.rows(by).into_iter().zip(locks.iter().map(|lock| lock.acquired)).collect();
        }
        let works: Vec<Work> = match by {
            By::Keys => {
                let keys = Key::all().into_iter();
                return keys.map(|key| (self.key_row(key), key.of(&self.ledger))).collect();
            }
            By::Functions => self.functions.iter().map(|function| function.inclusive).collect(),
            By::Tree => {
                let nodes = self.tree.iter().map(|node| measure.of(node.inclusive));
                let mut rows: Vec<(TableRow, u64)> = self.nodes().into_iter().zip(nodes).collect();
                rows.sort_by(|(one, _), (two, _)| depth_first(one, two));
                return rows;
            }
            By::Locks => self.classes.iter().map(|lock| lock.under).collect(),
            By::EachLock => self.locks.iter().map(|lock| lock.under).collect(),
            By::Spans => self.span_sums().iter().map(|sum| sum.inside).collect(),
            By::Cpus => self.cpus.iter().map(|cpu| cpu.work).collect(),
            By::Pages => self.pages.iter().map(|page| page.work).collect(),
        };
        self.rows(by).into_iter().zip(works.into_iter().map(|work| measure.of(work))).collect()
    }
}

// A path comes before those that it begins.
fn depth_first(one: &TableRow, two: &TableRow) -> core::cmp::Ordering {
    one.key.split('/').cmp(two.key.split('/'))
}

fn row(subject: Subject, key: impl ToString, label: impl ToString, cells: Vec<Cell>) -> TableRow {
    TableRow { subject, key: key.to_string(), label: label.to_string(), cells }
}

fn counts<const N: usize>(values: [u64; N]) -> Vec<Cell> {
    values.map(Cell::Count).to_vec()
}

fn without_list(column: Column) -> Column {
    Column { counts: Counts::Nothing, ..column }
}

fn calls(calls: u64, own: Work, inclusive: Work) -> Vec<Cell> {
    let Work { steps, rmw, locks, lists, ps, .. } = inclusive;
    counts([calls, own.steps, steps, own.rmw, rmw, locks, lists, own.ps / PS, ps / PS])
}

fn lock_row(lock: &LockUse) -> TableRow {
    let Work { steps, rmw, lists, touches, .. } = lock.under;
    let (hold, wait) = (lock.hold, lock.wait);
    let longest = |lengths: Lengths| lengths.longest.map_or(0, |span| span.steps());
    let at = hold.longest.map_or(0, |span| span.begin.into());
    let cells = counts([
        lock.acquired,
        lock.contended,
        hold.steps,
        longest(hold),
        at,
        wait.steps,
        longest(wait),
        lock.queue,
        steps,
        rmw,
        lists,
        touches,
        hold.ps / PS,
        wait.ps / PS,
    ]);
    let name = lock.class.name();
    let name = lock.index.map_or_else(|| name.to_string(), |index| format!("{name} {index}"));
    row(Subject::Lock(lock.class, lock.index), &name, &name, cells)
}
