//! The page allocator: its lists, the marks of its pages, its numbers.

use super::Outcome;
use super::apply::with;
use crate::machine::{
    AreaList, Buddy, LockClass, LockId, Machine, MigrateType, NIL, NO_MAPPING, NOBODY, ON_NONE, PAGEBLOCK_NR, Page,
    PageFlag, PageList, PcpField, Pfn,
};

fn buddy_mut(m: &mut Machine, zone: u8) -> Option<&mut Buddy> {
    m.zones[zone as usize].buddy.as_deref_mut()
}

fn zone_of(m: &Machine, page: Pfn) -> u8 {
    m.page(page).zone()
}

fn with_list(m: &mut Machine, zone: u8, list: AreaList, change: impl FnOnce(&mut PageList)) {
    if let Some(buddy) = buddy_mut(m, zone) {
        change(buddy.list_mut(list));
    }
}

// Where a free block is listed is remembered beside the list, so that whoever unlinks it can name the list.
fn note_type(m: &mut Machine, zone: u8, list: AreaList, page: Pfn, on: bool) {
    let start = m.zones[zone as usize].start;
    if let (AreaList::Free { mt, .. }, Some(buddy)) = (list, buddy_mut(m, zone)) {
        buddy.on[(page - start) as usize] = if on { mt as u8 } else { ON_NONE };
    }
}

/// The result says whether zone->lock was held by the task.
fn under_lock(m: &Machine, task: u8, zone: u8) -> u32 {
    u32::from(m.buddy(zone).is_some_and(|buddy| buddy.lock.holder == task))
}

pub(super) fn add(m: &mut Machine, task: u8, list: AreaList, tail: bool, pfn: Pfn) -> Outcome {
    let zone = zone_of(m, pfn);
    let old = *m.page(pfn);
    insert(m, zone, list, tail, pfn);
    note_type(m, zone, list, pfn, true);
    Outcome { ret: under_lock(m, task, zone), undo: u64::from(old.prev) << 32 | u64::from(old.next) }
}

fn insert(m: &mut Machine, zone: u8, list: AreaList, tail: bool, pfn: Pfn) {
    let Some(&PageList { head, tail: last, .. }) = m.buddy(zone).map(|buddy| buddy.list(list)) else { return };
    let (prev, next) = if tail { (last, NIL) } else { (NIL, head) };
    link(m, zone, list, prev, next, pfn);
}

fn link(m: &mut Machine, zone: u8, list: AreaList, prev: Pfn, next: Pfn, pfn: Pfn) {
    let page = m.page_mut(pfn);
    page.prev = prev;
    page.next = next;
    if prev != NIL {
        m.page_mut(prev).next = pfn;
    }
    if next != NIL {
        m.page_mut(next).prev = pfn;
    }
    with_list(m, zone, list, |list| {
        list.len += 1;
        if prev == NIL {
            list.head = pfn;
        }
        if next == NIL {
            list.tail = pfn;
        }
    });
}

fn unlink(m: &mut Machine, zone: u8, list: AreaList, pfn: Pfn) {
    let Page { next, prev, .. } = *m.page(pfn);
    if prev != NIL {
        m.page_mut(prev).next = next;
    }
    if next != NIL {
        m.page_mut(next).prev = prev;
    }
    with_list(m, zone, list, |list| {
        list.len -= 1;
        if prev == NIL {
            list.head = next;
        }
        if next == NIL {
            list.tail = prev;
        }
    });
}

pub(super) fn unadd(m: &mut Machine, list: AreaList, pfn: Pfn, undo: u64) {
    let zone = zone_of(m, pfn);
    unlink(m, zone, list, pfn);
    note_type(m, zone, list, pfn, false);
    let page = m.page_mut(pfn);
    page.prev = (undo >> 32) as u32;
    page.next = undo as u32;
}

pub(super) fn del(m: &mut Machine, task: u8, list: AreaList, pfn: Pfn) -> Outcome {
    let zone = zone_of(m, pfn);
    let prev = m.page(pfn).prev;
    unlink(m, zone, list, pfn);
    note_type(m, zone, list, pfn, false);
    let page = m.page_mut(pfn);
    page.prev = NIL;
    page.next = NIL;
    Outcome { ret: under_lock(m, task, zone), undo: u64::from(prev) }
}

pub(super) fn undel(m: &mut Machine, list: AreaList, pfn: Pfn, undo: u64) {
    let zone = zone_of(m, pfn);
    let prev = undo as u32;
    let next = if prev == NIL { m.buddy(zone).map_or(NIL, |buddy| buddy.list(list).head) } else { m.page(prev).next };
    link(m, zone, list, prev, next, pfn);
    note_type(m, zone, list, pfn, true);
}

pub(super) fn set_buddy(m: &mut Machine, order: u8, page: Pfn) -> Outcome {
    let page = m.page_mut(page);
    let old = page.flags;
    page.flags = Page::with_order(with(old, PageFlag::Free, true), order);
    Outcome::undo(u64::from(old))
}

pub(super) fn clear_buddy(m: &mut Machine, page: Pfn) -> Outcome {
    let page = m.page_mut(page);
    let old = page.flags;
    page.flags = Page::with_order(with(old, PageFlag::Free, false), 0);
    Outcome::undo(u64::from(old))
}

pub(super) fn nr_free(m: &mut Machine, zone: u8, order: u8, add: bool) -> Outcome {
    if let Some(buddy) = buddy_mut(m, zone) {
        let blocks = &mut buddy.nr_free[order as usize];
        *blocks = if add { *blocks + 1 } else { *blocks - 1 };
    }
    Outcome::NONE
}

pub(super) fn nr_isolate(m: &mut Machine, zone: u8, add: bool) -> Outcome {
    if let Some(buddy) = buddy_mut(m, zone) {
        buddy.nr_isolate = if add { buddy.nr_isolate + 1 } else { buddy.nr_isolate - 1 };
    }
    Outcome::NONE
}

fn pageblock_mut(m: &mut Machine, page: Pfn) -> Option<&mut MigrateType> {
    let zone = zone_of(m, page);
    let at = (page - m.zones[zone as usize].start) / PAGEBLOCK_NR;
    buddy_mut(m, zone).map(|buddy| &mut buddy.pageblocks[at as usize])
}

pub(super) fn pageblock(m: &Machine, page: Pfn) -> u32 {
    let zone = zone_of(m, page);
    let at = (page - m.zones[zone as usize].start) / PAGEBLOCK_NR;
    m.buddy(zone).map_or(MigrateType::Movable, |buddy| buddy.pageblocks[at as usize]) as u32
}

pub(super) fn set_pageblock(m: &mut Machine, page: Pfn, mt: MigrateType) -> Outcome {
    let old = pageblock_mut(m, page).map_or(mt, |block| core::mem::replace(block, mt));
    Outcome::undo(old as u64)
}

pub(super) fn set_pcp_type(m: &mut Machine, page: Pfn, index: u32) -> Outcome {
    let old = core::mem::replace(&mut m.page_mut(page).index, index);
    Outcome::undo(u64::from(old))
}

pub(super) fn pcp(m: &Machine, zone: u8, cpu: u8, field: PcpField) -> u32 {
    m.buddy(zone).map_or(0, |buddy| buddy.pcp[cpu as usize].get(field))
}

pub(super) fn set_pcp(m: &mut Machine, zone: u8, cpu: u8, field: PcpField, value: u32) -> Outcome {
    let Some(buddy) = buddy_mut(m, zone) else { return Outcome::NONE };
    let old = core::mem::replace(&mut buddy.pcp[cpu as usize].fields[field as usize], value);
    Outcome::undo(u64::from(old))
}

pub(super) fn zone_below_high(m: &mut Machine, zone: u8, on: bool) -> Outcome {
    let old = buddy_mut(m, zone).is_some_and(|buddy| core::mem::replace(&mut buddy.below_high, on));
    Outcome::undo(u64::from(old))
}

pub(super) fn prepare_new(m: &mut Machine, page: Pfn) -> Outcome {
    m.page_mut(page).count = 1;
    Outcome::NONE
}

pub(super) fn unprepare_new(m: &mut Machine, page: Pfn) {
    m.page_mut(page).count = 0;
}

pub(super) fn prepare_free(m: &mut Machine, page: Pfn) -> Outcome {
    let page = m.page_mut(page);
    let undo = u64::from(page.flags) | u64::from(page.mapping) << 32 | u64::from(page.isolator) << 48;
    page.flags = with(Page::free(page.zone()).flags, PageFlag::Free, false);
    page.mapping = NO_MAPPING;
    page.isolator = NOBODY;
    Outcome::undo(undo)
}

pub(super) fn unprepare_free(m: &mut Machine, page: Pfn, undo: u64) {
    let page = m.page_mut(page);
    page.flags = undo as u32;
    page.mapping = (undo >> 32) as u16;
    page.isolator = (undo >> 48) as u8;
}

/// Order of the free block that starts here, plus one; 0 where none does.
pub(super) fn buddy_order(page: &Page) -> u32 {
    if page.has(PageFlag::Free) { u32::from(page.order()) + 1 } else { 0 }
}

/// The page may be handed out: nobody refers to it and no flag says otherwise.
pub(super) fn is_good(page: &Page) -> bool {
    let clean = page.flags & ((1 << PageFlag::Free as u8) - 1) == 0;
    page.count == 0 && page.mapcount == 0 && page.mapping == NO_MAPPING && clean
}

pub(super) fn spin_trylock(m: &mut Machine, task: u8, class: LockClass, index: u32) -> Outcome {
    let lock = m.lock_mut(LockId { class, index });
    let open = lock.is_free() && lock.queue.is_empty();
    if open {
        lock.holder = task;
    }
    Outcome::ret(u32::from(open))
}

pub(super) fn unspin_trylock(m: &mut Machine, class: LockClass, index: u32, ret: u32) {
    if ret == 1 {
        m.lock_mut(LockId { class, index }).holder = NOBODY;
    }
}
