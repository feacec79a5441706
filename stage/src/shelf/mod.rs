//! What memory has beside address spaces, CPUs and LRU lists, as shelves: a fence with labelled rows of tiles, of
//! references to pages, and of marks that are no page.

mod allocator;
mod rmap;
mod swap;
mod work;

use sim_core::view::{LockView, PageNo, View};

use crate::geom::Metrics;
use crate::scene::MarkKind;

/// Lines that the items of a row fill at most.
const LINES: u16 = 2;

/// One shelf.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shelf {
    /// Bold part of its title.
    pub title: String,
    /// The rest of its title.
    pub about: String,
    /// The lock that protects it, if one does.
    pub lock: Option<LockView>,
    /// The series is about it: it stands above the CPUs, not below them.
    pub first: bool,
    /// Rows, the same ones at every step of a run.
    pub rows: Vec<ShelfRow>,
}

/// One row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ShelfRow {
    /// What is in it.
    pub label: String,
    /// The same in the narrow drawing, which has room for eight letters.
    pub short: String,
    /// How many there are, where that is more than the items.
    pub count: Option<u32>,
    /// Its items in order.
    pub items: Vec<Item>,
    /// Said where there are none.
    pub empty: String,
}

/// One thing in a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Item {
    /// A page whose place this is.
    Page(PageNo),
    /// A reference to a page which is elsewhere; in words what refers to it.
    Refers(PageNo, String),
    /// No page: kind, text on it, in words, touched by this step.
    Mark(MarkKind, String, String, bool),
}

impl ShelfRow {
    /// A row without items.
    pub fn new(label: impl Into<String>) -> ShelfRow {
        let label: String = label.into();
        ShelfRow { short: label.clone(), label, count: None, items: Vec::new(), empty: String::new() }
    }

    /// The same with another label in the narrow drawing.
    pub fn short(mut self, short: impl Into<String>) -> ShelfRow {
        self.short = short.into();
        self
    }

    /// The same with items.
    pub fn with(mut self, items: impl IntoIterator<Item = Item>) -> ShelfRow {
        self.items.extend(items);
        self
    }

    /// The same with a count.
    pub fn count(mut self, count: u32) -> ShelfRow {
        self.count = Some(count);
        self
    }

    /// The same with words for when there is nothing in it.
    pub fn or_else(mut self, empty: impl Into<String>) -> ShelfRow {
        self.empty = empty.into();
        self
    }

    /// Items that are drawn where a line holds so many.
    pub fn shown(&self, columns: u16) -> usize {
        let room = usize::from(LINES * columns);
        // The last cells say how many more there are.
        if self.items.len() <= room { self.items.len() } else { room - usize::from(MORE_CELLS) }
    }

    fn lines(&self, columns: u16) -> u16 {
        (self.items.len().div_ceil(usize::from(columns.max(1))) as u16).clamp(1, LINES)
    }
}

/// Cells that "23 more" needs.
pub(crate) const MORE_CELLS: u16 = 2;

/// Lines of each row of each shelf.
pub(crate) fn lines(view: &View, m: &Metrics) -> Vec<Vec<u16>> {
    shelves(view).iter().map(|shelf| shelf.rows.iter().map(|row| row.lines(m.columns)).collect()).collect()
}

/// The shelves of a view, always the same ones within a run.
pub(crate) fn shelves(view: &View) -> Vec<Shelf> {
    let mut shelves: Vec<Shelf> = view.workqueue.iter().map(work::shelf).collect();
    shelves.extend(allocator::shelves(&view.allocators));
    shelves.extend(view.swap.iter().map(swap::shelf));
    shelves.extend(view.rmap.iter().flat_map(rmap::shelves));
    shelves
}
