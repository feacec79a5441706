//! What lies over the tiles: rings, and the badges of page locks.

use sim_core::view::Place;

use super::Draw;
use crate::geom::Rect;
use crate::key::Key;
use crate::scene::{Align, Note, Ring, SlotKind};
use crate::type_width;
use crate::words;

impl Draw<'_> {
    /// A ring round each tile that this step touches or whose lock is held, and round the slot that it wrote.
    pub(super) fn rings(&mut self) {
        if let Some((cpu, kind, slot)) = self.view.touch.slot {
            let key = Key::Slot(cpu, kind, slot);
            let is_place = self.scene.tiles.iter().any(|t| t.place == Place::Pagevec { cpu, kind, slot });
            let slot = self.scene.slots.iter().find(|s| s.key == key && !is_place);
            if let Some(slot) = slot {
                let is_reference = self.scene.refs.iter().any(|r| r.key == key);
                let rx = match (is_reference, slot.capsule) {
                    (true, _) => 1.5,
                    (false, true) => slot.rect.h / 2.0,
                    (false, false) => 3.0,
                };
                self.scene.rings.push(Ring { key, rect: slot.rect, rx, now: true, held: false });
            }
        }
        for tile in self.scene.tiles.iter().filter(|t| t.now || t.held) {
            let rx = tile.kind.radius(self.m.form);
            let key = Key::Page(tile.page);
            self.scene.rings.push(Ring { key, rect: tile.rect, rx, now: tile.now, held: tile.held });
        }
    }

    /// The badge of each page lock that is held, in the nearest free cells of the tile's row.
    pub(super) fn page_locks(&mut self) {
        for i in 0..self.scene.tiles.len() {
            let tile = &self.scene.tiles[i];
            let Some(hold) = words::page_of(self.view, tile.page).and_then(|p| p.lock) else {
                continue;
            };
            let (page, rect) = (tile.page, tile.rect);
            let narrow = self.m.narrow();
            let near = [words::page_lock_badge(hold, narrow), words::page_lock_badge(hold, true)];
            let far = words::far_page_lock_badge(page, hold, narrow);
            let beside = self.free_beside(rect);
            let found = beside.and_then(|(free, align)| {
                let badge = near.into_iter().find(|b| type_width::badge(b, true) <= free.w - 8.0)?;
                Some((free, align, badge))
            });
            let found = found
                .or_else(|| Some((self.free_after(rect, type_width::badge(&far, true) + 8.0)?, Align::Start, far)));
            if let Some((rect, align, badge)) = found {
                self.scene.notes.push(Note { key: Key::Page(page), rect, align, badge });
            }
        }
    }

    /// Free cells next to a tile, three if possible, else two; left of it if possible.
    fn free_beside(&self, tile: Rect) -> Option<(Rect, Align)> {
        let free = self.free_columns(tile.y);
        let (first, after) = self.columns_of(tile);
        let left = free[..first.min(free.len())].iter().rev().take_while(|f| **f).count();
        let right = free.get(after..).unwrap_or_default().iter().take_while(|f| **f).count();
        for cells in [3, 2] {
            let w = cells as f32 * self.m.pitch_x + 2.0;
            if left >= cells {
                return Some((Rect::new(tile.x - 1.0 - w, tile.y, w, tile.h), Align::End));
            }
            if right >= cells {
                return Some((Rect::new(tile.right() + 1.0, tile.y, w, tile.h), Align::Start));
            }
        }
        None
    }

    /// The first free cells right of a tile that are `width` wide together.
    fn free_after(&self, tile: Rect, width: f32) -> Option<Rect> {
        let free = self.free_columns(tile.y);
        let cells = (width / self.m.pitch_x).ceil() as usize;
        let (_, after) = self.columns_of(tile);
        let at = (after..(free.len() + 1).saturating_sub(cells)).find(|&at| free[at..at + cells].iter().all(|f| *f))?;
        Some(Rect { w: cells as f32 * self.m.pitch_x - 2.0, ..self.m.cell(at as u16, tile.y, 1) })
    }

    /// The first column of a tile, and the first after it.
    fn columns_of(&self, tile: Rect) -> (usize, usize) {
        let first = ((tile.x - self.m.gutter) / self.m.pitch_x).round() as usize;
        (first, first + ((tile.w + 2.0) / self.m.pitch_x).round() as usize)
    }

    /// Which columns of the row at `y` hold nothing.
    fn free_columns(&self, y: f32) -> Vec<bool> {
        let mut free = vec![true; usize::from(self.m.columns)];
        let tiles = self.scene.tiles.iter().map(|t| t.rect);
        let slots = self.scene.slots.iter().filter(|s| s.kind != SlotKind::Ghost).map(|s| s.rect);
        let texts = self.scene.labels.iter().filter(|l| l.x > self.m.gutter && l.class == "lab2");
        let texts = texts.map(|l| {
            let w = type_width::width(&l.text, type_width::LABEL, false);
            Rect::new(l.x, l.y - self.m.tile_h / 2.0, w, self.m.tile_h)
        });
        for rect in tiles.chain(slots).chain(texts).filter(|r| (r.y - y).abs() < 2.0) {
            let from = ((rect.x - self.m.gutter) / self.m.pitch_x).floor().max(0.0) as usize;
            let to = ((rect.right() - self.m.gutter) / self.m.pitch_x).ceil().max(0.0) as usize;
            for cell in free.iter_mut().take(to).skip(from) {
                *cell = false;
            }
        }
        free
    }
}
