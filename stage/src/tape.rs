//! Lists as tapes: which cell of its list a page has.
//!
//! A page keeps its cell while it is on the list. Pages that join at the head get the cells after the head, pages that
//! join at the tail the cells before the tail, and pages that leave from the middle leave a gap. A row of cells that
//! is empty is left out of the drawing, so the tape closes up row by row and never tile by tile.
//!
//! A view alone does not say where gaps are, so cells are state: [`Tapes::of`] is the state at the first step and
//! [`Tapes::advance`] takes it over one step. Both are functions without memory of anything else, so the cells at step
//! `n` are the same however one came there; [`TapeLog`](crate::TapeLog) keeps the states that a seek needs.

use sim_core::view::{Lru, PageNo, Place, View, ZoneView};

/// Index of the pages that are on no list yet, after the five lists in kernel order.
pub(crate) const NEW: u8 = 5;
/// Index of the free pages.
pub(crate) const FREE: u8 = 6;
/// Lists and what is drawn like one.
pub(crate) const LISTS: usize = 7;

/// Rows that may be more than the pages need before a tape is packed again.
const SLACK_ROWS: usize = 2;

/// A page's place on a tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The page.
    pub page: PageNo,
    /// Its first cell; below 0 before the first page of the run.
    pub at: i32,
    /// Cells that it takes: 2 for a huge page.
    pub span: u16,
}

impl Cell {
    fn end(&self) -> i32 {
        self.at + i32::from(self.span)
    }
}

/// The cells of one list, tail first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tape {
    cells: Vec<Cell>,
    columns: i32,
}

impl Tape {
    /// Cells for a list of which only the present is known. Pages in order of their numbers get the cell of their
    /// number, so that a page stands below its PTE; other lists are packed from the first cell.
    fn of(pages: &[Cell], columns: u16) -> Tape {
        let mut tape = Tape { cells: pages.to_vec(), columns: i32::from(columns) };
        let in_order = pages.windows(2).all(|pair| pair[0].page < pair[1].page);
        let numbered = in_order && pages.iter().all(|c| c.span == 1 && c.page <= i32::MAX as u32);
        if numbered {
            for cell in &mut tape.cells {
                cell.at = cell.page as i32;
            }
        }
        if !numbered || tape.row_count() > tape.rows_needed() + 1 {
            tape.pack();
        }
        tape
    }

    /// The cells, tail first.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The cell after the head: where the next page of the list goes.
    pub fn end(&self) -> i32 {
        self.cells.last().map_or(0, Cell::end)
    }

    /// Row of a cell.
    pub fn row(&self, at: i32) -> i32 {
        at.div_euclid(self.columns)
    }

    /// Column of a cell.
    pub fn column(&self, at: i32) -> u16 {
        at.rem_euclid(self.columns) as u16
    }

    /// Rows that the pages need at least.
    pub(crate) fn rows_needed(&self) -> usize {
        let cells: usize = self.cells.iter().map(|c| usize::from(c.span)).sum();
        cells.div_ceil(self.columns as usize)
    }

    /// Rows with a page, tail first.
    pub(crate) fn rows(&self) -> Vec<i32> {
        let mut rows: Vec<i32> = self.cells.iter().map(|c| self.row(c.at)).collect();
        rows.dedup();
        rows
    }

    fn row_count(&self) -> usize {
        self.rows().len()
    }

    /// Gives every page the next free cell, from the first cell on.
    fn pack(&mut self) {
        let mut end = 0;
        for i in 0..self.cells.len() {
            self.cells[i].at = self.fit_after(end, self.cells[i].span);
            end = self.cells[i].end();
        }
    }

    /// First cell at or after `end` where `span` cells are in one row.
    fn fit_after(&self, end: i32, span: u16) -> i32 {
        let column = i32::from(self.column(end));
        if column + i32::from(span) > self.columns { end - column + self.columns } else { end }
    }

    /// Last cell from which `span` cells end at or before `start` and are in one row.
    fn fit_before(&self, start: i32, span: u16) -> i32 {
        let at = start - i32::from(span);
        let over = i32::from(self.column(at)) + i32::from(span) - self.columns;
        at - over.max(0)
    }

    /// Takes over the list as it is now.
    fn advance(&mut self, now: &[Cell], ordered: bool) {
        if now.len() == self.cells.len() && now.iter().zip(&self.cells).all(|(a, b)| a.page == b.page) {
            return;
        }
        let old = self.sorted_by_page();
        let known: Vec<Option<i32>> = now.iter().map(|c| at_of(&old, c.page)).collect();
        if ordered {
            self.advance_ordered(now, &known);
        } else {
            self.advance_unordered(now, &known);
        }
        if self.row_count() > self.rows_needed() + SLACK_ROWS {
            self.pack();
        }
    }

    fn sorted_by_page(&self) -> Vec<(PageNo, i32)> {
        let mut old: Vec<(PageNo, i32)> = self.cells.iter().map(|c| (c.page, c.at)).collect();
        old.sort_unstable();
        old
    }

    /// Pages that kept their order keep their cells; the others get cells between, before or after them.
    fn advance_ordered(&mut self, now: &[Cell], known: &[Option<i32>]) {
        let keep = longest_increasing(known);
        self.cells.clear();
        self.cells.extend_from_slice(now);
        for &i in &keep {
            self.cells[i].at = known[i].unwrap_or_default();
        }
        let (Some(&first), Some(&last)) = (keep.first(), keep.last()) else {
            self.pack();
            return;
        };
        for i in (0..first).rev() {
            self.cells[i].at = self.fit_before(self.cells[i + 1].at, self.cells[i].span);
        }
        let mut fixed = keep.iter().copied().peekable();
        for i in first..self.cells.len() {
            if fixed.next_if_eq(&i).is_some() {
                continue;
            }
            self.cells[i].at = self.fit_after(self.cells[i - 1].end(), self.cells[i].span);
        }
        if self.cells[..=last].windows(2).any(|pair| pair[1].at < pair[0].end()) {
            self.pack();
        }
    }

    /// A "list" without order: whoever stays keeps the cell, whoever comes goes to the end.
    fn advance_unordered(&mut self, now: &[Cell], known: &[Option<i32>]) {
        let stay = now.iter().zip(known).filter_map(|(cell, at)| at.map(|at| Cell { at, ..*cell }));
        let mut cells: Vec<Cell> = stay.collect();
        cells.sort_unstable_by_key(|c| c.at);
        self.cells = cells;
        for (cell, at) in now.iter().zip(known) {
            if at.is_none() {
                let at = self.fit_after(self.end(), cell.span);
                self.cells.push(Cell { at, ..*cell });
            }
        }
    }
}

fn at_of(old: &[(PageNo, i32)], page: PageNo) -> Option<i32> {
    old.binary_search_by_key(&page, |entry| entry.0).ok().map(|i| old[i].1)
}

/// Indices of a longest increasing run of the values that are known.
fn longest_increasing(values: &[Option<i32>]) -> Vec<usize> {
    let mut tops: Vec<(i32, usize)> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; values.len()];
    for (i, value) in values.iter().enumerate() {
        let Some(value) = *value else { continue };
        let pile = tops.partition_point(|top| top.0 < value);
        before[i] = pile.checked_sub(1).map(|p| tops[p].1);
        tops.truncate(tops.len().max(pile));
        match tops.get_mut(pile) {
            Some(top) => *top = (value, i),
            None => tops.push((value, i)),
        }
    }
    let mut chain = Vec::with_capacity(tops.len());
    let mut next = tops.last().map(|top| top.1);
    while let Some(i) = next {
        chain.push(i);
        next = before[i];
    }
    chain.reverse();
    chain
}

/// The tapes of all lists of a view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tapes {
    columns: u16,
    /// One entry for each zone: its id and its tapes.
    zones: Vec<(u8, [Tape; LISTS])>,
}

impl Tapes {
    /// The tapes of a view of which the past is not known, or has none.
    pub fn of(view: &View, columns: u16) -> Tapes {
        let columns = columns.max(1);
        let zones = view.zones.iter().map(|zone| {
            let lists = contents(view, zone);
            (zone.id, lists.map(|list| Tape::of(&list.pages, columns)))
        });
        Tapes { columns, zones: zones.collect() }
    }

    /// Takes the tapes over the step that led to this view.
    pub fn advance(&mut self, view: &View) {
        let known = self.zones.iter().map(|zone| zone.0);
        if !known.eq(view.zones.iter().map(|zone| zone.id)) {
            *self = Tapes::of(view, self.columns);
            return;
        }
        for (zone, (_, tapes)) in view.zones.iter().zip(&mut self.zones) {
            for (list, tape) in contents(view, zone).into_iter().zip(tapes) {
                tape.advance(&list.pages, list.ordered);
            }
        }
    }

    /// The tape of an LRU list.
    pub fn list(&self, zone: u8, lru: Lru) -> Option<&Tape> {
        self.get(zone, lru.index() as u8)
    }

    /// Cells in a row.
    pub fn columns(&self) -> u16 {
        self.columns
    }

    pub(crate) fn get(&self, zone: u8, list: u8) -> Option<&Tape> {
        let tapes = &self.zones.iter().find(|entry| entry.0 == zone)?.1;
        tapes.get(usize::from(list))
    }
}

/// What is on a list now.
struct Contents {
    pages: Vec<Cell>,
    ordered: bool,
}

/// Pages of a zone's lists, and those that are new or free, tail first.
fn contents(view: &View, zone: &ZoneView) -> [Contents; LISTS] {
    let mut lists: [Contents; LISTS] =
        core::array::from_fn(|i| Contents { pages: Vec::new(), ordered: i < usize::from(NEW) });
    for list in &zone.lists {
        let to = &mut lists[list.lru.index()];
        to.ordered = list.ordered;
        to.pages.extend(list.pages.iter().map(|&page| cell_of(view, page)));
        if !list.ordered {
            to.pages.sort_unstable_by_key(|c| c.page);
        }
    }
    for page in view.pages.iter().filter(|p| p.zone == zone.id) {
        let list = match page.place {
            Place::New => NEW,
            // The shelves of the page allocator have them.
            Place::Free if in_allocator(view, zone.id) => continue,
            Place::Free => FREE,
            _ => continue,
        };
        lists[usize::from(list)].pages.push(Cell { page: page.no, at: 0, span: span(page.nr) });
    }
    lists
}

/// The free pages of a zone are on the lists of a page allocator.
pub(crate) fn in_allocator(view: &View, zone: u8) -> bool {
    view.allocators.iter().any(|allocator| allocator.zone == zone)
}

fn cell_of(view: &View, page: PageNo) -> Cell {
    let nr = crate::words::page_of(view, page).map_or(1, |p| p.nr);
    Cell { page, at: 0, span: span(nr) }
}

/// Cells that a page of so many small pages takes.
pub(crate) fn span(nr: u32) -> u16 {
    if nr > 1 { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(pages: &[u32]) -> Vec<Cell> {
        pages.iter().map(|&page| Cell { page, at: 0, span: 1 }).collect()
    }

    /// Cells after the lists, one after the other, on four columns.
    #[track_caller]
    fn check(lists: &[&[u32]], expect: &[i32]) {
        let mut tape = Tape::of(&cells(lists[0]), 4);
        for list in &lists[1..] {
            tape.advance(&cells(list), true);
        }
        let found: Vec<i32> = tape.cells().iter().map(|c| c.at).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn pages_in_order_stand_below_their_ptes() {
        check(&[&[5, 6, 7, 8]], &[5, 6, 7, 8]);
    }

    #[test]
    fn a_list_out_of_order_is_packed() {
        check(&[&[9, 2, 5]], &[0, 1, 2]);
    }

    #[test]
    fn far_numbers_are_packed() {
        check(&[&[0, 40, 80, 120]], &[0, 1, 2, 3]);
    }

    #[test]
    fn leaving_at_the_tail_moves_nothing() {
        check(&[&[0, 1, 2, 3], &[1, 2, 3], &[2, 3]], &[2, 3]);
    }

    #[test]
    fn leaving_from_the_middle_leaves_a_gap() {
        check(&[&[0, 1, 2, 3], &[0, 3]], &[0, 3]);
    }

    #[test]
    fn joining_at_the_head_appends() {
        check(&[&[], &[7], &[7, 3], &[7, 3, 9]], &[0, 1, 2]);
    }

    #[test]
    fn joining_at_the_tail_prepends() {
        check(&[&[0, 1, 2], &[9, 0, 1, 2]], &[-1, 0, 1, 2]);
    }

    #[test]
    fn rotating_to_the_head_moves_one_page() {
        check(&[&[0, 1, 2], &[1, 2, 0]], &[1, 2, 3]);
    }

    #[test]
    fn rotating_to_the_tail_moves_one_page() {
        check(&[&[0, 1, 2], &[2, 0, 1]], &[-1, 0, 1]);
    }

    #[test]
    fn joining_in_a_gap_moves_nothing_else() {
        check(&[&[0, 1, 2, 3], &[0, 1, 3], &[0, 1, 9, 3]], &[0, 1, 2, 3]);
    }

    #[test]
    fn joining_where_no_gap_is_packs() {
        check(&[&[0, 1, 2], &[0, 9, 1, 2]], &[0, 1, 2, 3]);
    }

    #[test]
    fn a_tape_that_got_thin_is_packed() {
        let all: Vec<u32> = (0..20).collect();
        check(&[&all, &[0, 5, 10, 19]], &[0, 1, 2, 3]);
    }

    #[test]
    fn a_huge_page_stays_in_one_row() {
        let huge = |page| Cell { page, at: 0, span: 2 };
        let mut tape = Tape::of(&[cells(&[0])[0], cells(&[1])[0], cells(&[2])[0], huge(3)], 4);
        assert_eq!(tape.cells()[3].at, 4);
        tape.advance(&[huge(9), cells(&[0])[0]], true);
        assert_eq!(tape.cells()[0].at, -2);
        tape.advance(&[cells(&[8])[0], huge(9), cells(&[0])[0]], true);
        tape.advance(&[huge(7), cells(&[8])[0], huge(9), cells(&[0])[0]], true);
        assert_eq!(tape.cells().iter().map(|c| c.at).collect::<Vec<_>>(), [-6, -3, -2, 0]);
    }

    #[test]
    fn a_list_without_order_keeps_cells() {
        let mut tape = Tape::of(&cells(&[0, 1, 2, 3]), 4);
        tape.advance(&cells(&[0, 2, 3]), false);
        tape.advance(&cells(&[0, 1, 2, 3]), false);
        let found: Vec<_> = tape.cells().iter().map(|c| (c.page, c.at)).collect();
        assert_eq!(found, [(0, 0), (2, 2), (3, 3), (1, 4)]);
        tape.advance(&cells(&[0, 1, 2, 3]), false);
        assert_eq!(tape.end(), 5);
    }
}
