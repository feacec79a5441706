//! CPUs: what each has in its hands, inside the fence of its interrupts.

use sim_core::view::{CpuView, PageNo, PagevecKind, PagevecView, Place};

use super::{Draw, text};
use crate::geom::Rect;
use crate::key::Key;
use crate::regions::CpuRows;
use crate::scene::{Edge, FenceState, Reference, SlotKind};
use crate::words::{self, bold, plain};

/// From the fence's top to its first row.
const HEAD: f32 = 13.0;
/// From the last row to the fence's bottom.
const FOOT: f32 = 5.0;

impl Draw<'_> {
    /// Draws all CPUs.
    pub(super) fn cpus(&mut self) {
        let view = self.view;
        for (i, cpu) in view.cpus.iter().enumerate() {
            let own = super::plan::cpu_rows(view, cpu, &self.m);
            let rows = self.regions.cpus.get(i).filter(|rows| rows.pagevecs.len() >= own.pagevecs.len());
            let rows = rows.cloned().unwrap_or(own);
            self.cpu(cpu, &rows);
            self.y += self.m.fence_gap;
        }
    }

    fn cpu(&mut self, cpu: &CpuView, rows: &CpuRows) {
        let top = self.y;
        let mut y = top + HEAD;
        if rows.isolated > 0 {
            self.isolated(cpu, rows.isolated, y);
            y += f32::from(rows.isolated) * self.m.pitch_y;
        }
        for (line, (pagevec, &height)) in cpu.pagevecs.iter().zip(&rows.pagevecs).enumerate() {
            self.pagevec(cpu.id, pagevec, line as u16, y);
            y += f32::from(height) * self.m.pitch_y;
        }
        let bottom = if rows.total() == 0 { y + 4.0 } else { y - 2.0 + FOOT };
        self.fence(Key::Cpu(cpu.id), top, bottom, cpu_fence(cpu), self.cpu_edge(cpu));
        self.y = bottom;
    }

    fn cpu_edge(&self, cpu: &CpuView) -> Edge {
        let narrow = self.m.narrow();
        let touch = &self.view.touch;
        // Where a lock brings interrupts along, the lock's badge has the ring.
        let switched = touch.irq && touch.cpu == cpu.id && touch.lock.is_none();
        let mut state = words::cpu_state(cpu, narrow);
        if let Some(task) = cpu.task.as_ref().filter(|_| self.view.cpus.len() > 1) {
            state = format!("{task}, {state}");
        }
        Edge {
            rect: Rect::default(),
            title: vec![bold(format!("CPU {}", cpu.id)), plain(state)],
            badges: vec![words::irq_badge(cpu, switched, narrow)],
        }
    }

    fn isolated(&mut self, cpu: &CpuView, rows: u16, y: f32) {
        let name = if self.m.narrow() { "isolated" } else { "isolated page" };
        let text_y = self.row_text_y(y);
        self.label(Key::Text(text::CPU, cpu.id, 0), "lab", self.m.label_x, text_y, name);
        let pages = self.in_hand(cpu);
        for (i, &no) in pages.iter().enumerate() {
            let rect = self.hand_cell(i as u16, y);
            self.slot(Key::Hand(cpu.id, i as u16), rect, SlotKind::Empty, true);
            if let Some(page) = words::page_of(self.view, no) {
                self.tile(page, rect, 0);
            }
        }
        // The cell for the next one, as long as the rows have room.
        let free = pages.len() as u16;
        if free < rows * self.m.columns && (free == 0 || self.is_next_hand(cpu.id)) {
            let rect = self.hand_cell(free, y);
            self.slot(Key::Hand(cpu.id, free), rect, SlotKind::Empty, false);
            if free == 0 && !self.is_next_hand(cpu.id) {
                let key = Key::Text(text::CPU, cpu.id, 1);
                self.label(key, "lab2", rect.right() + 7.0, text_y, "none at this step");
            }
        }
        if !pages.is_empty() {
            let what = words::count(pages.len() as u32, "page", "pages");
            self.group(format!("isolated by CPU {}, {what}", cpu.id), pages);
        }
    }

    fn is_next_hand(&self, cpu: u8) -> bool {
        self.view.next.is_some_and(|next| next.place == Place::Isolated { cpu })
    }

    pub(super) fn hand_cell(&self, i: u16, y: f32) -> Rect {
        let row = i / self.m.columns;
        self.m.cell(i % self.m.columns, y + f32::from(row) * self.m.pitch_y, 1)
    }

    /// Pages isolated by a CPU: first those it names, in its order.
    fn in_hand(&self, cpu: &CpuView) -> Vec<PageNo> {
        let here = Place::Isolated { cpu: cpu.id };
        let is_here = |no: &PageNo| words::page_of(self.view, *no).is_some_and(|p| p.place == here);
        let mut pages: Vec<PageNo> = cpu.isolated.iter().copied().filter(is_here).collect();
        for page in self.view.pages.iter().filter(|p| p.place == here) {
            if !pages.contains(&page.no) {
                pages.push(page.no);
            }
        }
        pages
    }

    fn pagevec(&mut self, cpu: u8, pagevec: &PagevecView, line: u16, y: f32) {
        let narrow = self.m.narrow();
        let name = if narrow { words::short_pagevec(pagevec.kind) } else { pagevec.name };
        let text_y = self.row_text_y(y);
        let key = |n| Key::Text(text::CPU, cpu, 2 + 2 * line + n);
        let class = if pagevec.absent.is_some() { "lab off" } else { "lab" };
        self.label(key(0), class, self.m.label_x, text_y, name);
        if let Some(why) = pagevec.absent {
            self.label(key(1), "lab2", self.m.gutter + 1.0, text_y, why);
            return;
        }
        for slot in 0..pagevec.capacity {
            self.pagevec_slot(cpu, pagevec, slot, y);
        }
        self.pagevec_group(cpu, pagevec);
    }

    fn pagevec_slot(&mut self, cpu: u8, pagevec: &PagevecView, slot: u8, y: f32) {
        let rect = self.hand_cell(u16::from(slot), y);
        let key = Key::Slot(cpu, pagevec.kind, slot);
        self.slot(key, rect, SlotKind::Empty, holds_places(pagevec.kind));
        let Some(no) = pagevec.slots.get(usize::from(slot)).copied().flatten() else {
            return;
        };
        let Some(page) = words::page_of(self.view, no) else {
            return;
        };
        if page.place == (Place::Pagevec { cpu, kind: pagevec.kind, slot }) {
            self.tile(page, rect, 0);
            return;
        }
        self.scene.refs.push(Reference {
            key,
            page: no,
            rect,
            label: if page.nr > 1 { format!("T{no}") } else { no.to_string() },
            aria: words::reference_sentence(self.view, no, pagevec.name, usize::from(slot)),
        });
    }

    fn pagevec_group(&mut self, cpu: u8, pagevec: &PagevecView) {
        let pages: Vec<PageNo> = pagevec.slots.iter().copied().flatten().collect();
        let label = format!("{} of CPU {cpu}, {} of {} slots", pagevec.name, pages.len(), pagevec.capacity);
        self.group(label, pages);
    }
}

/// True where pages in such a pagevec are on no list, so that the slot is their place.
fn holds_places(kind: PagevecKind) -> bool {
    kind.list().is_some() || kind == PagevecKind::Putback
}

fn cpu_fence(cpu: &CpuView) -> FenceState {
    match (cpu.irqs_off, cpu.preempt_off) {
        (Some(_), _) => FenceState::Held,
        (None, true) => FenceState::Preempt,
        (None, false) => FenceState::Free,
    }
}
