//! Shelves: fences with labelled rows.

use super::{Draw, text};
use crate::geom::Rect;
use crate::key::Key;
use crate::scene::{Edge, FenceState, Mark, Reference};
use crate::shelf::{Item, Shelf, ShelfRow, shelves};
use crate::words::{self, bold, plain};

/// From the fence's top to its first row.
const HEAD: f32 = 13.0;
/// From the last row to the fence's bottom.
const FOOT: f32 = 5.0;

impl Draw<'_> {
    /// Draws the shelves above the CPUs, or those below.
    pub(super) fn shelves(&mut self, first: bool) {
        for (id, shelf) in shelves(self.view).iter().enumerate() {
            if shelf.first == first {
                let lines = self.regions.shelves.get(id).cloned().unwrap_or_default();
                self.shelf(id as u8, shelf, &lines);
                self.y += self.m.fence_gap;
            }
        }
    }

    fn shelf(&mut self, id: u8, shelf: &Shelf, lines: &[u16]) {
        let top = self.y;
        let mut y = top + HEAD;
        for (line, row) in shelf.rows.iter().enumerate() {
            self.shelf_row(id, line as u16, row, y);
            y += f32::from(lines.get(line).copied().unwrap_or(1)) * self.m.pitch_y;
        }
        let bottom = y - 2.0 + FOOT;
        let state = shelf.lock.as_ref().map_or(FenceState::Free, words::lock_fence);
        let badges = shelf.lock.as_ref().map_or(Vec::new(), |lock| words::lock_badges(lock, false, self.m.narrow()));
        let mut title = vec![bold(shelf.title.clone())];
        if !self.m.narrow() {
            title.push(plain(shelf.about.clone()));
        }
        self.fence(Key::Shelf(id), top, bottom, state, Edge { rect: Rect::default(), title, badges });
        self.y = bottom;
    }

    fn shelf_row(&mut self, id: u8, line: u16, row: &ShelfRow, y: f32) {
        let key = |n| Key::Text(text::SHELF, id, line * 4 + n);
        let text_y = self.row_text_y(y);
        let label = if self.m.narrow() { &row.short } else { &row.label };
        self.label(key(0), "lab", self.m.label_x, text_y, label.clone());
        if let Some(count) = row.count.filter(|_| !self.m.narrow()) {
            self.label(key(1), "cnt sm", self.m.count_x, text_y, words::thousands(count));
        }
        if row.items.is_empty() && !row.empty.is_empty() {
            self.label(key(2), "lab2", self.m.gutter + 1.0, text_y, row.empty.clone());
        }
        let shown = row.shown(self.m.columns);
        for (at, item) in row.items[..shown].iter().enumerate() {
            let rect = self.hand_cell(at as u16, y);
            self.item(Key::Cell(id, line, at as u16), item, rect, &row.label);
        }
        let more = row.items.len() - shown;
        if more > 0 {
            let at = self.hand_cell(shown as u16, y);
            let says = format!("{} more", words::thousands(more as u32));
            let y = self.row_text_y(at.y);
            self.label(key(3), "more", at.x + 1.0, y, says);
        }
        self.shelf_group(row);
    }

    fn item(&mut self, key: Key, item: &Item, rect: Rect, row: &str) {
        match item {
            Item::Page(no) => {
                if let Some(page) = words::page_of(self.view, *no) {
                    self.tile(page, rect, 0);
                }
            }
            Item::Refers(no, aria) => {
                let label = no.to_string();
                self.scene.refs.push(Reference { key, page: *no, rect, label, aria: aria.clone() });
            }
            Item::Mark(kind, label, aria, now) => {
                let aria = format!("{row}: {aria}");
                self.scene.marks.push(Mark { key, rect, kind: *kind, label: label.clone(), aria, now: *now });
            }
        }
    }

    fn shelf_group(&mut self, row: &ShelfRow) {
        let pages = row.items.iter().filter_map(|item| match item {
            Item::Page(no) | Item::Refers(no, _) => Some(*no),
            Item::Mark(..) => None,
        });
        let pages: Vec<_> = pages.collect();
        if !pages.is_empty() {
            self.group(format!("{}, {}", row.label, words::count(pages.len() as u32, "page", "pages")), pages);
        }
    }
}
