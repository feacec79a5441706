//! Which rows of a region are drawn, and how many it needs.

use sim_core::view::{CpuView, PageNo, Place, SpaceView, View, ZoneView};

use super::Density;
use crate::geom::Metrics;
use crate::regions::{CpuRows, ZoneRows};
use crate::tape::{FREE, LISTS, NEW, Tape, Tapes, span};

/// Rows of a list that are all drawn.
const LIST_ROWS: usize = 4;
/// Rows of PTE marks that are all drawn.
const PTE_ROWS: usize = 6;
/// Rows that touched pages may add to a list that is not drawn in full.
const TOUCHED_ROWS: usize = 3;
/// Rows that a list's map gets.
pub(super) const MAP_ROWS: u16 = 3;
/// CPUs up to which each that runs something shows its isolated pages even when there are none.
const ROOMY_CPUS: usize = 2;

/// A row of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    /// This row of the tape.
    Cells(i32),
    /// So many rows that are not drawn.
    More(u32),
}

/// Picks the rows to draw: all of them up to `limit`, else the first, the last, those in `touched`, and notes of how
/// many are left out between.
pub(crate) fn pick_rows(rows: &[i32], touched: &[i32], limit: usize) -> Vec<Row> {
    let n = rows.len();
    if n <= limit {
        return rows.iter().map(|&row| Row::Cells(row)).collect();
    }
    let mut chosen = vec![0, n - 1];
    let middle = (1..n - 1).filter(|&i| touched.contains(&rows[i])).take(TOUCHED_ROWS);
    chosen.extend(middle);
    if chosen.len() == 2 {
        chosen.extend([1, n - 2]);
    }
    chosen.sort_unstable();
    chosen.dedup();
    let mut picked = Vec::with_capacity(chosen.len() * 2);
    let mut next = 0;
    for i in chosen {
        match i - next {
            0 => {}
            1 => picked.push(Row::Cells(rows[next])),
            left_out => picked.push(Row::More(left_out as u32)),
        }
        picked.push(Row::Cells(rows[i]));
        next = i + 1;
    }
    picked
}

/// The rows of a list's tape that are drawn.
pub(crate) fn list_rows(view: &View, tape: &Tape) -> Vec<Row> {
    let rows = tape.rows();
    // A gap at the tail may make one row more than the pages need.
    let limit = if tape.rows_needed() <= LIST_ROWS { rows.len() } else { LIST_ROWS };
    if rows.len() <= limit {
        return pick_rows(&rows, &[], limit);
    }
    let of_interest = |page: PageNo| {
        let locked = crate::words::page_of(view, page).is_some_and(|p| p.lock.is_some());
        locked || view.touch.pages.contains(&page) || view.next.is_some_and(|next| next.page == page)
    };
    let cells = tape.cells().iter().filter(|c| of_interest(c.page));
    let touched: Vec<i32> = cells.map(|c| tape.row(c.at)).collect();
    pick_rows(&rows, &touched, limit)
}

/// True where the page in hand goes to this list next.
pub(crate) fn is_next(view: &View, zone: u8, list: u8) -> bool {
    let Some(next) = view.next else { return false };
    let page_zone = || crate::words::page_of(view, next.page).map(|p| p.zone);
    match next.place {
        Place::List { zone: z, lru } => z == zone && lru.index() as u8 == list,
        Place::New => list == NEW && page_zone() == Some(zone),
        Place::Free => list == FREE && page_zone() == Some(zone),
        Place::Pagevec { .. } | Place::Isolated { .. } => false,
    }
}

/// Rows that a zone needs.
pub(crate) fn zone_rows(view: &View, zone: &ZoneView, tapes: &Tapes, density: Density) -> ZoneRows {
    let lists: [u16; LISTS] = core::array::from_fn(|i| {
        let tape = tapes.get(zone.id, i as u8);
        tape.map_or(0, |tape| list_height(view, zone.id, i as u8, tape, density))
    });
    let used = lists.iter().sum();
    let shown = lists.iter().filter(|&&rows| rows > 0).count() as u16;
    let pages = view.pages.iter().filter(|p| p.zone == zone.id);
    let cells: usize = pages.map(|p| usize::from(span(p.nr))).sum();
    let full = cells.div_ceil(usize::from(tapes.columns()).max(1));
    // While pages move from one list to another, each list has a row that is not full.
    let reserve = if full <= LIST_ROWS { full as u16 + shown.saturating_sub(1) } else { 0 };
    ZoneRows { lists, total: reserve.max(used) }
}

fn list_height(view: &View, zone: u8, list: u8, tape: &Tape, density: Density) -> u16 {
    let next = is_next(view, zone, list);
    if tape.cells().is_empty() {
        return u16::from(next);
    }
    if density == Density::Map {
        return MAP_ROWS;
    }
    let rows = list_rows(view, tape);
    let opens_row = next && rows.last() != Some(&Row::Cells(tape.row(tape.end())));
    rows.len() as u16 + u16::from(opens_row)
}

/// Rows that a CPU needs.
pub(crate) fn cpu_rows(view: &View, cpu: &CpuView, m: &Metrics) -> CpuRows {
    let isolated = view.pages.iter().filter(|p| p.place == Place::Isolated { cpu: cpu.id }).count();
    let next = view.next.is_some_and(|next| next.place == Place::Isolated { cpu: cpu.id });
    let cells = isolated + usize::from(next);
    let busy = cpu.task.is_some() || view.cpus.len() == 1;
    let roomy = !m.narrow() && busy && view.cpus.len() <= ROOMY_CPUS;
    let rows = |cells: usize| cells.div_ceil(usize::from(m.columns)) as u16;
    CpuRows {
        isolated: rows(cells).max(u16::from(roomy)),
        pagevecs: cpu
            .pagevecs
            .iter()
            .map(|p| if p.absent.is_some() { 1 } else { rows(usize::from(p.capacity)).max(1) })
            .collect(),
    }
}

/// True where an address space is a strip of plain marks: always in the narrow drawing, where work items need the room,
/// and all but the first where there are more than two.
pub(crate) fn is_strip(view: &View, index: usize, m: &Metrics) -> bool {
    m.narrow() || view.workqueue.is_some() || (view.spaces.len() > 2 && index > 0)
}

/// Rows of PTE marks that an address space needs.
pub(crate) fn space_rows(view: &View, space: &SpaceView, index: usize, m: &Metrics) -> u16 {
    if is_strip(view, index, m) { 1 } else { pte_rows(space, &pte_items(space, m.columns), m.columns).len() as u16 }
}

/// A PTE mark: one entry, or the entries of a huge page together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PteItem {
    /// Index of its first entry.
    pub(crate) first: u32,
    /// Entries.
    pub(crate) count: u32,
    /// Cell of the grid.
    pub(crate) at: i32,
    /// Cells that it takes.
    pub(crate) span: u16,
}

/// The marks of an address space, each with its cell.
pub(crate) fn pte_items(space: &SpaceView, columns: u16) -> Vec<PteItem> {
    let columns = i32::from(columns.max(1));
    let mut items: Vec<PteItem> = Vec::with_capacity(space.ptes.len());
    let mut end = 0;
    for (i, pte) in space.ptes.iter().enumerate() {
        let same_huge = pte.huge && pte.page.is_some() && i > 0 && space.ptes[i - 1] == *pte;
        if let Some(last) = items.last_mut().filter(|_| same_huge) {
            last.count += 1;
            continue;
        }
        let span = if pte.huge { 2 } else { 1 };
        let column = end % columns;
        let at = if column + i32::from(span) > columns { end - column + columns } else { end };
        items.push(PteItem { first: i as u32, count: 1, at, span });
        end = at + i32::from(span);
    }
    items
}

/// The rows of PTE marks that are drawn.
pub(crate) fn pte_rows(space: &SpaceView, items: &[PteItem], columns: u16) -> Vec<Row> {
    let row = |item: &PteItem| item.at / i32::from(columns.max(1));
    let mut rows: Vec<i32> = items.iter().map(row).collect();
    rows.dedup();
    let cursor = space.cursor.and_then(|at| items.iter().find(|i| (i.first..i.first + i.count).contains(&at)));
    pick_rows(&rows, cursor.map(row).as_slice(), PTE_ROWS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(rows: &[Row]) -> String {
        let words = rows.iter().map(|row| match row {
            Row::Cells(n) => n.to_string(),
            Row::More(n) => format!("({n} more)"),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[track_caller]
    fn check(rows: i32, touched: &[i32], expect: &str) {
        let rows: Vec<i32> = (0..rows).collect();
        assert_eq!(text(&pick_rows(&rows, touched, 4)), expect);
    }

    #[test]
    fn short_lists_are_drawn_in_full() {
        check(0, &[], "");
        check(4, &[], "0 1 2 3");
    }

    #[test]
    fn long_lists_show_both_ends_and_what_is_touched() {
        check(30, &[], "0 1 (26 more) 28 29");
        check(30, &[0, 29], "0 1 (26 more) 28 29");
        check(30, &[10], "0 (9 more) 10 (18 more) 29");
        check(30, &[1], "0 1 (27 more) 29");
        check(30, &[2], "0 1 2 (26 more) 29");
        check(5, &[], "0 1 2 3 4");
    }
}
