//! Lines that join two regions: the page in hand to its next place, a slot to the page that it refers to.

use sim_core::view::Place;

use super::{Draw, text};
use crate::geom::{Form, Point, Rect};
use crate::key::Key;
use crate::parts::PathData;
use crate::scene::{Arrow, ArrowKind, SlotKind};
use crate::tape::{FREE, NEW};

/// From a tile to where a line begins: the width of a ring.
const CLEAR: f32 = 2.5;

impl Draw<'_> {
    /// Marks the next place of the page in hand, with its number and a dashed arrow.
    pub(super) fn next_place(&mut self) {
        let Some(next) = self.view.next else { return };
        let Some((key, to)) = self.place_rect(next.place, next.page) else {
            return;
        };
        if let Some(slot) = self.scene.slots.iter_mut().find(|s| s.key == key) {
            slot.kind = SlotKind::Wanted;
        }
        let from = self.scene.tiles.iter().find(|t| t.page == next.page && t.place != next.place).map(|t| t.rect);
        let Some(from) = from else { return };
        let region = match next.place {
            Place::List { zone, .. } => self.zone_tops.iter().find(|top| top.0 == zone).map(|top| top.1),
            _ => None,
        };
        let (d, end, towards, shift) = route(from, to, region, self.m.form);
        let middle = to.centre();
        let number = Key::Text(text::NEXT, 0, 0);
        self.label(number, "ghostn", middle.x + shift, middle.y + 0.5, next.page.to_string());
        let head = arrow_head(end, towards, self.m.form);
        self.scene.arrows.push(Arrow { key: Key::Next, kind: ArrowKind::Next, d, head });
    }

    fn place_rect(&self, place: Place, page: u32) -> Option<(Key, Rect)> {
        let head = |zone: u8, list: u8| {
            let found = self.heads.iter().find(|h| (h.0, h.1) == (zone, list))?;
            Some((Key::Head(zone, list), found.2))
        };
        let zone = crate::words::page_of(self.view, page).map_or(0, |p| p.zone);
        match place {
            Place::List { zone, lru } => head(zone, lru.index() as u8),
            Place::New => head(zone, NEW),
            Place::Free => head(zone, FREE),
            Place::Pagevec { cpu, kind, slot } => Some((Key::Slot(cpu, kind, slot), self.slot_rect(cpu, kind, slot)?)),
            Place::Isolated { cpu } => {
                let hands = self.scene.slots.iter().rev();
                let free = hands.into_iter().find(|s| matches!(s.key, Key::Hand(c, _) if c == cpu))?;
                Some((free.key, free.rect))
            }
        }
    }

    /// The amber line from the slot that this step wrote to the page that the slot refers to.
    pub(super) fn reference_line(&mut self) {
        let Some((cpu, kind, slot)) = self.view.touch.slot else {
            return;
        };
        let key = Key::Slot(cpu, kind, slot);
        let Some(reference) = self.scene.refs.iter().find(|r| r.key == key) else {
            return;
        };
        let Some(tile) = self.scene.tile(reference.page) else {
            return;
        };
        let d = join(reference.rect, tile.rect);
        self.scene.arrows.push(Arrow { key, kind: ArrowKind::Reference, d, head: String::new() });
    }
}

/// A line from one cell to another, straight where one is below the other.
fn join(from: Rect, to: Rect) -> String {
    let down = to.y > from.y;
    let start = Point { x: from.centre().x, y: if down { from.bottom() } else { from.y } };
    let end = Point { x: to.centre().x, y: if down { to.y } else { to.bottom() } };
    let data = PathData::default().push('M', &[start.x, start.y]);
    if start.x == end.x {
        return data.push('V', &[end.y]).end();
    }
    let middle = (start.y + end.y) / 2.0;
    data.push('C', &[start.x, middle, end.x, middle, end.x, end.y]).end()
}

/// Which way an arrow's head points.
#[derive(Clone, Copy, PartialEq)]
enum Towards {
    Right,
    Up,
    Down,
}

/// The way from a tile to the next place. Down it runs in the gap left of the target's column, so that tiles do not
/// hide it. Gives path data, its end, the direction there, and how far the number in the target steps aside.
fn route(from: Rect, to: Rect, region: Option<f32>, form: Form) -> (String, Point, Towards, f32) {
    let aim = to.centre();
    if aim.y - 5.0 > from.bottom() + CLEAR {
        return down(from, to, region, form);
    }
    if (aim.y - from.centre().y).abs() < from.h {
        return over(from, to);
    }
    // Up: from the gap left of the tile's column to the target's bottom edge.
    let gap = from.x - 1.0;
    let side = from.centre().y;
    let end = Point { x: aim.x, y: to.bottom() + CLEAR };
    let knee = (end.y + 26.0).min(side - 5.0);
    let d = PathData::default()
        .push('M', &[from.x + 2.0, side])
        .push('Q', &[gap, side, gap, side - 5.0])
        .push('V', &[knee])
        .push('C', &[gap, end.y + 8.0, end.x, end.y + 20.0, end.x, end.y])
        .end();
    (d, end, Towards::Up, 0.0)
}

fn down(from: Rect, to: Rect, region: Option<f32>, form: Form) -> (String, Point, Towards, f32) {
    let start = Point { x: from.centre().x, y: from.bottom() + CLEAR };
    let aim = to.centre().y;
    let gap = to.x - 1.0;
    let turn = aim - 5.0;
    let below = region.filter(|top| *top > start.y + 12.0);
    let knee = below.unwrap_or((start.y + turn) / 2.0).min(turn);
    let fall = knee - start.y;
    let end = Point { x: to.x + if form == Form::Wide { 4.5 } else { 2.0 }, y: aim };
    let d = PathData::default()
        .push('M', &[start.x, start.y])
        .push('C', &[start.x, start.y + fall * 0.55, gap, knee - fall * 0.73, gap, knee])
        .push('V', &[turn])
        .push('Q', &[gap, aim, end.x, end.y])
        .end();
    (d, end, Towards::Right, 3.0)
}

/// Over the tiles between two cells of a row.
fn over(from: Rect, to: Rect) -> (String, Point, Towards, f32) {
    let start = Point { x: from.centre().x, y: from.y - CLEAR };
    let end = Point { x: to.centre().x, y: to.y - CLEAR };
    let lift = start.y.min(end.y) - 12.0;
    let d =
        PathData::default().push('M', &[start.x, start.y]).push('C', &[start.x, lift, end.x, lift, end.x, end.y]).end();
    (d, end, Towards::Down, 0.0)
}

fn arrow_head(end: Point, towards: Towards, form: Form) -> String {
    let (long, half) = if form == Form::Wide { (5.0, 3.6) } else { (3.8, 2.8) };
    let (back, side) = match towards {
        Towards::Right => (Point { x: -long, y: 0.0 }, Point { x: 0.0, y: half }),
        Towards::Up => (Point { x: 0.0, y: long }, Point { x: half, y: 0.0 }),
        Towards::Down => (Point { x: 0.0, y: -long }, Point { x: half, y: 0.0 }),
    };
    PathData::default()
        .push('M', &[end.x + back.x - side.x, end.y + back.y - side.y])
        .push('L', &[end.x, end.y])
        .push('L', &[end.x + back.x + side.x, end.y + back.y + side.y])
        .end()
}
