//! Zones: lists as tapes inside the fence of `lru_lock`.

use sim_core::view::{Lru, PageNo, ZoneView};

use super::plan::{MAP_ROWS, Row, is_next, list_rows};
use super::{Density, Draw, text};
use crate::geom::Rect;
use crate::key::Key;
use crate::regions::ZoneRows;
use crate::scene::{Edge, MapArea, MapPlace, SlotKind};
use crate::tape::{FREE, LISTS, NEW, Tape};
use crate::type_width;
use crate::words::{self, bold, plain};

/// From the fence's top to its first row.
const HEAD: f32 = 15.0;
/// From the last row to the fence's bottom.
const FOOT: f32 = 6.0;
/// A gap between lists that holds a line of text.
const LINE_GAP: f32 = 17.0;
/// From one square of a map to the next, at most.
const MAP_PITCH: f32 = 6.0;

/// One list and where it goes.
struct Strip<'t> {
    zone: u8,
    list: u8,
    tape: &'t Tape,
    /// Top of its first row.
    y: f32,
    /// Rows that it may fill.
    height: u16,
}

impl Draw<'_> {
    /// Draws all zones.
    pub(super) fn zones(&mut self) {
        let view = self.view;
        for (i, zone) in view.zones.iter().enumerate() {
            let own = super::plan::zone_rows(view, zone, self.tapes, self.density);
            let rows = self.regions.zones.get(i).cloned().unwrap_or_default();
            let lists = core::array::from_fn(|l| rows.lists[l].max(own.lists[l]));
            self.zone(zone, &ZoneRows { lists, total: rows.total });
            self.y += self.m.fence_gap;
        }
    }

    fn zone(&mut self, zone: &ZoneView, rows: &ZoneRows) {
        let top = self.y;
        let mut y = top + HEAD;
        self.zone_tops.push((zone.id, y));
        let shown: Vec<u8> = (0..LISTS as u8).filter(|&list| rows.lists[usize::from(list)] > 0).collect();
        for (i, &list) in shown.iter().enumerate() {
            y = match i {
                0 => y,
                1 => self.empty_lists(zone, rows, y),
                _ => y + self.m.list_gap,
            };
            let height = rows.lists[usize::from(list)];
            if let Some(tape) = self.tapes.get(zone.id, list) {
                self.list(zone, &Strip { zone: zone.id, list, tape, y, height });
            }
            y += self.m.rows_h(height);
        }
        if shown.len() < 2 {
            // The line stands in the fence's foot.
            y = self.empty_lists(zone, rows, y) - FOOT;
        }
        let spare = rows.total.saturating_sub(rows.used());
        let bottom = y + f32::from(spare) * self.m.pitch_y + FOOT;
        self.fence(Key::Zone(zone.id), top, bottom, words::lock_fence(&zone.lru_lock), self.zone_edge(zone));
        self.y = bottom;
    }

    fn zone_edge(&self, zone: &ZoneView) -> Edge {
        let narrow = self.m.narrow();
        let mut title = vec![bold(zone.name.clone())];
        if !narrow {
            title.push(plain("LRU lists"));
        }
        Edge { rect: Rect::default(), title, badges: words::lock_badges(&zone.lru_lock, true, narrow) }
    }

    /// Names the lists that are not drawn, in the gap below `y`. Gives where that gap ends.
    fn empty_lists(&mut self, zone: &ZoneView, rows: &ZoneRows, y: f32) -> f32 {
        let hidden = Lru::ALL.iter().filter(|lru| rows.lists[lru.index()] == 0);
        let names: Vec<String> = hidden.map(|lru| format!("{} 0", lru.name())).collect();
        if names.is_empty() {
            return y + self.m.list_gap;
        }
        let key = Key::Text(text::ZONE, zone.id, 0);
        self.label(key, "empty", self.m.right - 1.0, y + LINE_GAP / 2.0, names.join(", "));
        y + LINE_GAP
    }

    fn list(&mut self, zone: &ZoneView, strip: &Strip) {
        self.list_labels(zone, strip);
        let pages: Vec<PageNo> = strip.tape.cells().iter().map(|cell| cell.page).collect();
        self.group(group_label(zone, strip.list, pages.len()), pages);
        if self.density == Density::Map && !strip.tape.cells().is_empty() {
            self.map(strip);
            return;
        }
        let rows = list_rows(self.view, strip.tape);
        for (i, row) in rows.iter().enumerate() {
            let y = strip.y + i as f32 * self.m.pitch_y;
            match *row {
                Row::Cells(row) => self.list_row(strip, row, y),
                Row::More(n) => {
                    let key = Key::Text(text::ZONE, strip.zone, line(strip.list, 3 + i as u16));
                    let says = format!("{} more", words::count(n, "row", "rows"));
                    let y = self.row_text_y(y);
                    self.label(key, "more", self.m.gutter + 1.0, y, says);
                }
            }
        }
        self.head_slot(strip, &rows);
    }

    fn list_row(&mut self, strip: &Strip, row: i32, y: f32) {
        let tape = strip.tape;
        let from = tape.cells().partition_point(|cell| tape.row(cell.at) < row);
        for cell in tape.cells()[from..].iter().take_while(|cell| tape.row(cell.at) == row) {
            let rect = self.m.cell(tape.column(cell.at), y, cell.span);
            if let Some(page) = words::page_of(self.view, cell.page) {
                self.tile(page, rect, cell.at);
            }
        }
    }

    /// Where the next page joins: shown while there is room, and always when the page in hand goes there.
    fn head_slot(&mut self, strip: &Strip, rows: &[Row]) {
        let end = strip.tape.end();
        let row = Row::Cells(strip.tape.row(end));
        let index = rows.iter().rposition(|r| *r == row).unwrap_or(rows.len());
        let wanted = is_next(self.view, strip.zone, strip.list);
        let receives = strip.list < NEW && strip.list != Lru::Unevictable.index() as u8;
        if index >= usize::from(strip.height) || !(wanted || receives) {
            return;
        }
        let column = strip.tape.column(end);
        let y = strip.y + index as f32 * self.m.pitch_y;
        let rect = self.m.cell(column, y, 1);
        let kind = if wanted { SlotKind::Wanted } else { SlotKind::Head };
        self.slot(Key::Head(strip.zone, strip.list), rect, kind, false);
        self.heads.push((strip.zone, strip.list, rect, self.m.columns - column - 1));
        self.head_label(strip, rect, wanted);
    }

    fn head_label(&mut self, strip: &Strip, rect: Rect, wanted: bool) {
        let page = self.view.next.map_or(0, |next| next.page);
        let long = format!("head of the list, where {page} is about to go");
        let x = rect.right() + 7.0;
        let room = self.m.right - x;
        let choices = [(wanted, long.as_str()), (strip.list < NEW, "head")];
        let fits = |text: &str| type_width::width(text, type_width::LABEL, false) <= room;
        if let Some((_, says)) = choices.into_iter().find(|(usable, text)| *usable && fits(text)) {
            let key = Key::Text(text::ZONE, strip.zone, line(strip.list, 2));
            let y = self.row_text_y(rect.y);
            self.label(key, "lab2", x, y, says);
        }
    }

    fn list_labels(&mut self, zone: &ZoneView, strip: &Strip) {
        let key = |n| Key::Text(text::ZONE, strip.zone, line(strip.list, n));
        let count = words::thousands(strip.tape.cells().len() as u32);
        let name = list_name(strip.list, self.m.narrow());
        let (x, first) = (self.m.label_x, self.row_text_y(strip.y));
        if strip.height < 2 {
            // One row: the count beside the name, or below it where there is no room beside.
            let apart = if self.m.narrow() { (-6.0, 7.0) } else { (0.0, 0.0) };
            self.label(key(0), "lab", x, first + apart.0, name);
            self.label(key(1), "cnt sm", self.m.count_x, first + apart.1, count);
            return;
        }
        let second = strip.y + self.m.tile_h / 2.0 + self.m.pitch_y;
        let long = count.chars().count() > 3;
        self.label(key(0), "lab", x, first, name);
        self.label(key(1), "cnt", self.m.count_x, second, count);
        let third = second + self.m.pitch_y;
        let order_y = if long { third } else { second };
        if !self.m.narrow() && strip.list < NEW && (!long || strip.height > 2) {
            let says = match self.density {
                Density::Map if self.per_square(strip) > 1 => format!("a square: {} pages", self.per_square(strip)),
                _ => order(zone, strip.list).to_owned(),
            };
            self.label(key(14), "lab2", x, order_y, says);
        }
    }

    /// Where a list's map is, how many squares it has in a row and in all.
    fn map_grid(&self, strip: &Strip) -> (Rect, u32, u32) {
        let rect = Rect::new(self.m.gutter, strip.y, self.m.right - self.m.gutter, self.m.rows_h(MAP_ROWS));
        let columns = (rect.w / MAP_PITCH) as u32;
        (rect, columns, columns * (rect.h / MAP_PITCH) as u32)
    }

    fn per_square(&self, strip: &Strip) -> u32 {
        let (_, _, squares) = self.map_grid(strip);
        (strip.tape.cells().len() as u32).div_ceil(squares.max(1)).max(1)
    }

    fn map(&mut self, strip: &Strip) {
        let (rect, columns, _) = self.map_grid(strip);
        let place = match strip.list {
            NEW => MapPlace::New(strip.zone),
            FREE => MapPlace::Free(strip.zone),
            list => MapPlace::List(strip.zone, Lru::ALL[usize::from(list)]),
        };
        let key = Key::Map(strip.zone, strip.list);
        let (count, per_cell) = (strip.tape.cells().len() as u32, self.per_square(strip));
        self.scene.map.push(MapArea { key, place, rect, count, pitch: MAP_PITCH, columns, per_cell });
    }
}

/// Line of a list's text in [`Key::Text`].
fn line(list: u8, n: u16) -> u16 {
    1 + u16::from(list) * 16 + n
}

fn list_name(list: u8, narrow: bool) -> &'static str {
    match (list, narrow) {
        (NEW, false) => "on no list yet",
        (NEW, true) => "no list",
        (FREE, _) => "free",
        (list, false) => Lru::ALL[usize::from(list)].name(),
        (list, true) => words::short_list(Lru::ALL[usize::from(list)]),
    }
}

fn is_ordered(zone: &ZoneView, list: u8) -> bool {
    zone.lists.iter().find(|l| l.lru.index() == usize::from(list)).is_none_or(|l| l.ordered)
}

fn order(zone: &ZoneView, list: u8) -> &'static str {
    if is_ordered(zone, list) { "tail → head" } else { "no order" }
}

fn group_label(zone: &ZoneView, list: u8, pages: usize) -> String {
    let order = if list >= NEW || !is_ordered(zone, list) { "in no order" } else { "tail first" };
    format!("{}, {}, {}, {order}", zone.name, list_name(list, false), words::count(pages as u32, "page", "pages"))
}
