//! Address spaces: page tables as small, quiet marks shaped like the place of the page they map.

use sim_core::view::{AnonPteView, PteView, SpaceView, View};

use super::plan::{PteItem, Row, is_strip, pte_items, pte_rows};
use super::{Draw, text, tile_kind};
use crate::geom::Rect;
use crate::key::Key;
use crate::scene::{Edge, FenceState, Pte, PteKind, TileKind};
use crate::words::{self, bold, plain};

/// Height of the text's line that the fence's first row leaves free.
const HEAD: f32 = 13.0;
/// Rows of marks that the labels beside them need, in a drawing that has room.
const LABEL_ROWS: u16 = 3;

/// The same where the room is for what else there is: one line says "page table", two where a walk is.
fn label_rows(view: &View, index: u8) -> u16 {
    match (view.spaces.len(), view.swap.is_some()) {
        (1, false) => LABEL_ROWS,
        (_, false) if index == 0 => 2,
        _ => 1,
    }
}

impl Draw<'_> {
    /// Draws all address spaces.
    pub(super) fn spaces(&mut self) {
        let view = self.view;
        self.y = 0.0;
        let (full, strips): (Vec<_>, Vec<_>) =
            view.spaces.iter().enumerate().partition(|(i, _)| !is_strip(view, *i, &self.m));
        let mut top = 12.0;
        for (index, space) in full {
            self.full_space(index as u8, space, top);
            top = self.y + self.m.fence_gap;
        }
        if !strips.is_empty() {
            self.strips(&strips);
        }
        self.y += if self.m.narrow() && !strips.is_empty() { 14.0 } else { self.m.fence_gap };
        if view.spaces.is_empty() {
            self.y = 12.0;
        }
    }

    fn full_space(&mut self, index: u8, space: &SpaceView, top: f32) {
        let items = pte_items(space, self.m.columns);
        let rows = pte_rows(space, &items, self.m.columns);
        let height = self.regions.spaces.get(usize::from(index)).copied().unwrap_or(0).max(rows.len() as u16);
        let first = top + HEAD;
        let bottom = first + f32::from(height.max(label_rows(self.view, index))) * self.m.pte_pitch - 2.0 + 6.0;
        self.fence(Key::Space(index), top, bottom, words::lock_fence(&space.ptl), space_edge(space));
        for (i, row) in rows.iter().enumerate() {
            let y = first + i as f32 * self.m.pte_pitch;
            match *row {
                Row::Cells(row) => self.pte_row(index, space, &items, row, y),
                Row::More(n) => {
                    let key = Key::Text(text::SPACE, index, 8 + i as u16);
                    let says = format!("{} more", words::count(n, "row", "rows"));
                    self.label(key, "more", self.m.gutter + 1.0, y + 7.0, says);
                }
            }
        }
        self.walk_labels(index, space, first);
        self.space_group(space);
        self.y = bottom;
    }

    fn pte_row(&mut self, index: u8, space: &SpaceView, items: &[PteItem], row: i32, y: f32) {
        let columns = i32::from(self.m.columns);
        let from = items.partition_point(|item| item.at < row * columns);
        for item in items[from..].iter().take_while(|item| item.at < (row + 1) * columns) {
            let cell = self.m.cell((item.at - row * columns) as u16, y, item.span);
            let rect = Rect { h: self.m.pte_pitch - 2.0, ..cell };
            let slot = self.swap_slot(index, item.first).map(|slot| format!("s{slot}"));
            let label = slot.unwrap_or_else(|| self.pte_label(&space.ptes[item.first as usize]));
            let pte = self.pte(index, space, item, rect);
            self.scene.ptes.push(Pte { label, ..pte });
        }
    }

    fn pte_label(&self, pte: &PteView) -> String {
        match pte.page {
            Some(no) if pte.huge => format!("THP {no}"),
            Some(no) => no.to_string(),
            None if pte.huge => "zero".into(),
            None => String::new(),
        }
    }

    fn pte(&self, index: u8, space: &SpaceView, item: &PteItem, rect: Rect) -> Pte {
        let covers = |at: u32| (item.first..item.first + item.count).contains(&at);
        let page = space.ptes[item.first as usize].page.and_then(|no| words::page_of(self.view, no));
        Pte {
            key: Key::Pte(index, item.first),
            rect,
            kind: match page {
                Some(page) => PteKind::Page(tile_kind(page.place)),
                None if self.swap_slot(index, item.first).is_some() => PteKind::Page(TileKind::Swapped),
                None => PteKind::Hole,
            },
            cursor: space.cursor.is_some_and(covers),
            now: index == 0 && self.view.touch.pte.is_some_and(covers),
            strip: false,
            label: String::new(),
        }
    }

    /// The slot of the swap device that a PTE names.
    fn swap_slot(&self, space: u8, at: u32) -> Option<u32> {
        let spaces = &self.view.swap.as_ref()?.spaces;
        match spaces.iter().find(|one| one.mm == space)?.ptes.get(at as usize)? {
            AnonPteView::Swapped { slot } => Some(*slot),
            _ => None,
        }
    }

    fn walk_labels(&mut self, index: u8, space: &SpaceView, first: f32) {
        let walk = match self.view.cpus.iter().find_map(|cpu| cpu.task.as_ref()) {
            Some(task) if space.cursor.is_some() => format!("{task} walk"),
            _ => "page table".into(),
        };
        let (x, y) = (self.m.label_x, first + 30.0);
        self.label(Key::Text(text::SPACE, index, 0), "lab", x, first + 7.0, walk);
        if let Some(cursor) = space.cursor {
            self.label(Key::Text(text::SPACE, index, 1), "lab2", x, y, "at page");
            let at = words::thousands(cursor);
            self.label(Key::Text(text::SPACE, index, 2), "cnt", self.m.count_x, y, at);
        }
    }

    /// Draws address spaces as strips, one below the other, without fences unless a lock is held.
    fn strips(&mut self, spaces: &[(usize, &SpaceView)]) {
        let alone = spaces.len() == 1 && self.m.narrow() && self.regions.shelves.is_empty();
        let (x, right) = if alone { (1.0, self.m.width - 1.0) } else { (self.m.gutter, self.m.right) };
        let pitch = if self.m.narrow() { 14.0 } else { self.m.pte_pitch };
        let mut y = if self.y > 0.0 { self.y + 8.0 } else { 0.0 };
        for &(index, space) in spaces {
            let index = index as u8;
            if !alone {
                let key = Key::Text(text::SPACE, index, 0);
                self.label(key, "lab2", self.m.label_x, y + 6.5, strip_name(space, self.m.narrow()));
            }
            self.strip(index, space, Rect::new(x, y, right - x, 12.0));
            self.space_group(space);
            y += pitch;
        }
        self.y = y - pitch + 12.0;
    }

    fn strip(&mut self, index: u8, space: &SpaceView, area: Rect) {
        let state = words::lock_fence(&space.ptl);
        if state != FenceState::Free {
            self.fence(Key::Space(index), area.y - 1.0, area.bottom() + 1.0, state, Edge::default());
        }
        let pitch = area.w / space.ptes.len().max(1) as f32;
        let gap = (pitch * 0.2).min(0.8);
        for i in 0..space.ptes.len() {
            let item = PteItem { first: i as u32, count: 1, at: 0, span: 1 };
            let x = area.x + i as f32 * pitch + gap / 2.0;
            let mark = self.pte(index, space, &item, Rect::new(x, area.y + 2.0, pitch - gap, 8.0));
            let rect = if mark.cursor { Rect { y: area.y, h: 12.0, ..mark.rect } } else { mark.rect };
            self.scene.ptes.push(Pte { rect, strip: true, ..mark });
        }
    }

    fn space_group(&mut self, space: &SpaceView) {
        let mut label = format!("{}, {}", space.name, words::count(space.ptes.len() as u32, "PTE", "PTEs"));
        if let Some(cursor) = space.cursor {
            label.push_str(&format!(", walk at page {cursor}"));
        }
        self.group(label, space.ptes.iter().filter_map(|pte| pte.page).collect());
    }
}

/// The narrow drawing has room for eight letters.
fn strip_name(space: &SpaceView, narrow: bool) -> String {
    match space.name.strip_prefix("Process ") {
        Some(number) if narrow => format!("proc. {number}"),
        None if narrow => "PTEs".into(),
        _ => space.name.clone(),
    }
}

fn space_edge(space: &SpaceView) -> Edge {
    let mut about = words::count(space.ptes.len() as u32, "PTE", "PTEs");
    if space.vm_locked {
        about.push_str(", VM_LOCKED");
    }
    let mut badges = Vec::new();
    if space.mmap_sem.changed || !space.mmap_sem.waiters.is_empty() {
        badges.extend(words::lock_badges(&space.mmap_sem, false, true));
    }
    badges.extend(words::lock_badges(&space.ptl, false, false));
    Edge { rect: Rect::default(), title: vec![bold(space.name.clone()), plain(about)], badges }
}
