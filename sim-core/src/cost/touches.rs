//! Which cache lines an operation touches.

use super::lines::Line;
use crate::machine::{AreaList, LRU_LISTS, Machine, NIL, Pfn};
use crate::op::{AnonOp, Op};

/// Lines of an operation that another CPU may have, with whether they are written: at most four.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Touches {
    lines: [Option<(Line, bool)>; 4],
    nr: usize,
}

impl Touches {
    fn add(&mut self, line: Line, write: bool) {
        if let Some(slot) = self.lines.get_mut(self.nr) {
            *slot = Some((line, write));
            self.nr += 1;
        }
    }

    fn add_page(&mut self, page: Pfn, machine: &Machine) {
        if (page as usize) < machine.pages.len() {
            self.add(Line::Page(page), true);
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (Line, bool)> + '_ {
        self.lines.iter().flatten().copied()
    }
}

/// Lines of an operation that is about to be applied to the machine. The neighbours of a page on a list are among them.
pub(super) fn touches(op: Op, machine: &Machine) -> Touches {
    let mut touches = Touches::default();
    if let Some(lock) = op.lock().filter(|lock| lock.class != crate::machine::LockClass::Page) {
        touches.add(Line::of_lock(lock), true);
        return touches;
    }
    if let Op::PeekPagevec { pv, .. } | Op::PvecAdd { pv, .. } = op {
        touches.add(
            Line::Pagevec(pv.slot() as u32 | u32::from(pv.on_stack()) << 31),
            !matches!(op, Op::PeekPagevec { .. }),
        );
        return touches;
    }
    let Some(page) = op.page() else { return touches };
    let reads = matches!(op, Op::Read { .. } | Op::AreaNext { .. });
    if (page as usize) < machine.pages.len() {
        touches.add(Line::Page(page), !reads);
    }
    match op {
        Op::ListAdd { lru, page } => {
            let zone = machine.page(page).zone();
            touches.add_page(machine.zones[usize::from(zone)].lru[usize::from(lru) % LRU_LISTS].head, machine);
        }
        Op::Anon(AnonOp::AddTail { lru, page }) => {
            let zone = machine.page(page).zone();
            touches.add_page(machine.zones[usize::from(zone)].lru[usize::from(lru) % LRU_LISTS].tail, machine);
        }
        Op::ListDel { page, .. } => neighbours(&mut touches, machine, page),
        Op::AreaAdd { list, tail, page } => {
            let zone = machine.page(page).zone();
            if let Some(buddy) = machine.buddy(zone) {
                let list = buddy.list(list);
                touches.add_page(if tail { list.tail } else { list.head }, machine);
            }
            area(&mut touches, list, zone);
        }
        Op::AreaDel { list, page } => {
            neighbours(&mut touches, machine, page);
            area(&mut touches, list, machine.page(page).zone());
        }
        _ => {}
    }
    touches
}

fn neighbours(touches: &mut Touches, machine: &Machine, page: Pfn) {
    let page = machine.page(page);
    for neighbour in [page.next, page.prev] {
        if neighbour != NIL {
            touches.add_page(neighbour, machine);
        }
    }
}

// The head of a free list is a line that all CPUs of the zone write; that of a per-CPU list is its CPU's own.
fn area(touches: &mut Touches, list: AreaList, zone: u8) {
    if let AreaList::Free { order, mt } = list {
        touches.add(Line::Area(u32::from(zone) << 16 | u32::from(order) << 8 | mt as u32), true);
    }
}
