//! What lies over the tiles: rings, and the badges of page locks.

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
            if let Some(reference) = self.scene.refs.iter().find(|r| r.key == key) {
                self.scene.rings.push(Ring { key, rect: reference.rect, rx: 1.5, now: true, held: false });
            }
        }
        for tile in self.scene.tiles.iter().filter(|t| t.now || t.held) {
            let rx = tile.kind.radius(self.m.form);
            let key = Key::Page(tile.page);
            self.scene.rings.push(Ring { key, rect: tile.rect, rx, now: tile.now, held: tile.held });
        }
    }

    /// The badge of each page lock that is held, where cells beside the tile are free.
    pub(super) fn page_locks(&mut self) {
        for i in 0..self.scene.tiles.len() {
            let tile = &self.scene.tiles[i];
            let Some(hold) = words::page_of(self.view, tile.page).and_then(|p| p.lock) else { continue };
            let (key, rect) = (Key::Page(tile.page), tile.rect);
            let Some((free, align)) = self.free_beside(rect) else { continue };
            let roomy = words::page_lock_badge(hold, self.m.narrow());
            let badge = if type_width::badge(&roomy, true) <= free.w - 8.0 {
                roomy
            } else {
                words::page_lock_badge(hold, true)
            };
            self.scene.notes.push(Note { key, rect: free, align, badge });
        }
    }

    /// Free cells next to a tile, three if possible, else two; left of it if possible.
    fn free_beside(&self, tile: Rect) -> Option<(Rect, Align)> {
        let free = self.free_columns(tile.y);
        let first = ((tile.x - self.m.gutter) / self.m.pitch_x).round() as usize;
        let after = first + ((tile.w + 2.0) / self.m.pitch_x).round() as usize;
        let left = free[..first.min(free.len())].iter().rev().take_while(|f| **f).count();
        let right = free.get(after..).unwrap_or_default().iter().take_while(|f| **f).count();
        let width = |cells: usize| cells as f32 * self.m.pitch_x + 2.0;
        for cells in [3, 2] {
            let w = width(cells);
            if left >= cells {
                return Some((Rect::new(tile.x - 1.0 - w, tile.y, w, tile.h), Align::End));
            }
            if right >= cells {
                return Some((Rect::new(tile.right() + 1.0, tile.y, w, tile.h), Align::Start));
            }
        }
        None
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
