//! How a scene differs from the one before: which tiles moved, which only made room, and where they came from.

use crate::geom::Rect;
use crate::key::Key;
use crate::parts::PathData;
use crate::scene::{Arrow, ArrowKind, Motion, Scene, Slot, SlotKind, Tile};

impl Scene {
    /// Notes on each tile how it came here from the scene of the step before.
    ///
    /// With `ghosts`, each page that moved leaves a dashed outline where it was and an arrow from there, in place of
    /// an animation. A seek is a cut: do not call this then.
    pub fn compare(&mut self, before: &Scene, ghosts: bool) {
        let mut moved: Vec<(Key, Rect, Rect)> = Vec::new();
        for tile in &mut self.tiles {
            let Some(old) = before.tile(tile.page) else {
                continue;
            };
            tile.motion = motion(old, tile);
            if tile.motion == Motion::Moved {
                moved.push((Key::Page(tile.page), old.rect, tile.rect));
            }
        }
        if !ghosts {
            return;
        }
        for (key, old, new) in moved {
            self.slots.push(Slot { key, rect: old, kind: SlotKind::Ghost, capsule: false });
            let (from, to) = (old.centre(), new.centre());
            let d = PathData::default().push('M', &[from.x, from.y]).push('L', &[to.x, to.y]).end();
            self.arrows.push(Arrow { key, kind: ArrowKind::Ghost, d, head: String::new() });
        }
    }
}

fn motion(old: &Tile, new: &Tile) -> Motion {
    if old.rect == new.rect {
        Motion::Still
    } else if old.place == new.place && old.cell == new.cell {
        Motion::Shifted
    } else {
        Motion::Moved
    }
}
