//! Page flags, LRU lists, pagevecs and counters.

use super::Outcome;
use super::apply::with;
use crate::ledger::How;
use crate::machine::{Machine, NIL, NOBODY, Page, PageFlag, Pfn, Pv, Stat};

#[inline(always)]
pub(super) fn flag(m: &mut Machine, flag: PageFlag, how: How, page: Pfn) -> Outcome {
    let page = m.page_mut(page);
    let old = page.flags;
    let set = matches!(how, How::Set | How::TestSet | How::PlainSet);
    page.flags = with(old, flag, set);
    Outcome { ret: u32::from(old & flag.bit() != 0), undo: u64::from(old) }
}

#[inline(always)]
pub(super) fn list_add(m: &mut Machine, lru: u8, pfn: Pfn) -> Outcome {
    let (zone, nr) = zone_and_size(m, pfn);
    let list = &mut m.zones[zone].lru[lru as usize];
    let old_head = list.head;
    list.head = pfn;
    list.entries += 1;
    list.pages += nr;
    if old_head == NIL {
        list.tail = pfn;
    } else {
        m.page_mut(old_head).prev = pfn;
    }
    let page = m.page_mut(pfn);
    let undo = u64::from(page.isolator) << 32 | u64::from(page.prev);
    page.next = old_head;
    page.prev = NIL;
    page.isolator = NOBODY;
    Outcome::undo(undo)
}

/// list_add_tail: the page that reclaim takes next.
pub(super) fn list_add_tail(m: &mut Machine, lru: u8, pfn: Pfn) -> Outcome {
    let (zone, nr) = zone_and_size(m, pfn);
    let prev = m.zones[zone].lru[lru as usize].tail;
    let page = m.page_mut(pfn);
    let undo = u64::from(page.isolator) << 32 | u64::from(page.prev);
    page.prev = prev;
    page.next = NIL;
    page.isolator = NOBODY;
    relink(m, zone, lru, NIL, prev, pfn, pfn);
    let list = &mut m.zones[zone].lru[lru as usize];
    list.entries += 1;
    list.pages += nr;
    Outcome::undo(undo)
}

pub(super) fn unlist_add_tail(m: &mut Machine, lru: u8, pfn: Pfn, undo: u64) {
    let (zone, nr) = zone_and_size(m, pfn);
    let prev = m.page(pfn).prev;
    relink(m, zone, lru, NIL, prev, NIL, prev);
    let page = m.page_mut(pfn);
    page.next = NIL;
    page.prev = undo as u32;
    page.isolator = (undo >> 32) as u8;
    let list = &mut m.zones[zone].lru[lru as usize];
    list.entries -= 1;
    list.pages -= nr;
}

pub(super) fn unlist_add(m: &mut Machine, lru: u8, pfn: Pfn, undo: u64) {
    let (zone, nr) = zone_and_size(m, pfn);
    let next = m.page(pfn).next;
    let list = &mut m.zones[zone].lru[lru as usize];
    list.head = next;
    list.entries -= 1;
    list.pages -= nr;
    if next == NIL {
        list.tail = NIL;
    } else {
        m.page_mut(next).prev = NIL;
    }
    let page = m.page_mut(pfn);
    page.next = NIL;
    page.prev = undo as u32;
    page.isolator = (undo >> 32) as u8;
}

#[inline(always)]
pub(super) fn list_del(m: &mut Machine, task: u8, lru: u8, pfn: Pfn) -> Outcome {
    let (zone, nr) = zone_and_size(m, pfn);
    let page = m.page_mut(pfn);
    let Page { next, prev, .. } = *page;
    page.next = NIL;
    page.prev = NIL;
    page.isolator = task;
    relink(m, zone, lru, next, prev, next, prev);
    let list = &mut m.zones[zone].lru[lru as usize];
    list.entries -= 1;
    list.pages -= nr;
    Outcome::undo(u64::from(prev))
}

pub(super) fn unlist_del(m: &mut Machine, lru: u8, pfn: Pfn, undo: u64) {
    let (zone, nr) = zone_and_size(m, pfn);
    let prev = undo as u32;
    let next = if prev == NIL { m.zones[zone].lru[lru as usize].head } else { m.page(prev).next };
    relink(m, zone, lru, next, prev, pfn, pfn);
    let page = m.page_mut(pfn);
    page.next = next;
    page.prev = prev;
    page.isolator = NOBODY;
    let list = &mut m.zones[zone].lru[lru as usize];
    list.entries += 1;
    list.pages += nr;
}

// Makes `after` the follower of `prev` and `before` the predecessor of `next`; the list's ends are neighbours too.
#[inline(always)]
fn relink(m: &mut Machine, zone: usize, lru: u8, next: Pfn, prev: Pfn, after: Pfn, before: Pfn) {
    if prev == NIL {
        m.zones[zone].lru[lru as usize].head = after;
    } else {
        m.page_mut(prev).next = after;
    }
    if next == NIL {
        m.zones[zone].lru[lru as usize].tail = before;
    } else {
        m.page_mut(next).prev = before;
    }
}

#[inline(always)]
pub(super) fn list_size(m: &mut Machine, task: u8, lru: u8, add: bool, pfn: Pfn) -> Outcome {
    let old = core::mem::replace(&mut m.page_mut(pfn).isolator, if add { NOBODY } else { task });
    resize(m, lru, add, pfn);
    Outcome::undo(u64::from(old))
}

pub(super) fn unlist_size(m: &mut Machine, lru: u8, add: bool, pfn: Pfn, undo: u64) {
    m.page_mut(pfn).isolator = undo as u8;
    resize(m, lru, !add, pfn);
}

#[inline(always)]
fn resize(m: &mut Machine, lru: u8, add: bool, pfn: Pfn) {
    let (zone, nr) = zone_and_size(m, pfn);
    let list = &mut m.zones[zone].lru[lru as usize];
    if add {
        list.entries += 1;
        list.pages += nr;
    } else {
        list.entries -= 1;
        list.pages -= nr;
    }
}

#[inline(always)]
fn zone_and_size(m: &Machine, pfn: Pfn) -> (usize, u32) {
    let page = m.page(pfn);
    (page.zone() as usize, page.nr())
}

#[inline(always)]
pub(super) fn reclaim_stat(m: &mut Machine, zone: u8, file: bool, rotated: bool, n: u64) -> Outcome {
    let zone = &mut m.zones[zone as usize];
    zone.recent_scanned[file as usize] = zone.recent_scanned[file as usize].wrapping_add(n);
    if rotated {
        zone.recent_rotated[file as usize] = zone.recent_rotated[file as usize].wrapping_add(n);
    }
    Outcome::NONE
}

#[inline(always)]
pub(super) fn pvec_add(m: &mut Machine, pv: Pv, new: bool, page: Pfn) -> Outcome {
    let pvec = m.pagevec_mut(pv);
    let old = core::mem::replace(&mut pvec.slots[pvec.nr as usize], page);
    let undo = u64::from(pvec.new) << 32 | u64::from(old);
    let bit = 1 << pvec.nr;
    pvec.new = if new { pvec.new | bit } else { pvec.new & !bit };
    pvec.nr += 1;
    Outcome { ret: u32::from(pvec.nr), undo }
}

pub(super) fn unpvec_add(m: &mut Machine, pv: Pv, undo: u64) {
    let pvec = m.pagevec_mut(pv);
    pvec.nr -= 1;
    pvec.slots[pvec.nr as usize] = undo as u32;
    pvec.new = (undo >> 32) as u32;
}

#[inline(always)]
pub(super) fn pvec_null(m: &mut Machine, pv: Pv, slot: u8) -> Outcome {
    let old = core::mem::replace(&mut m.pagevec_mut(pv).slots[slot as usize], NIL);
    Outcome::undo(u64::from(old))
}

#[inline(always)]
pub(super) fn pvec_reinit(m: &mut Machine, pv: Pv) -> Outcome {
    let old = core::mem::replace(&mut m.pagevec_mut(pv).nr, 0);
    Outcome::undo(u64::from(old))
}

const FOLDED: u64 = 1 << 8;

// __mod_zone_page_state: the difference stays per CPU until it passes the threshold.
#[inline(always)]
pub(super) fn stat(m: &mut Machine, task: u8, zone: u8, item: Stat, delta: i32) -> Outcome {
    let cpu = m.tasks[task as usize].cpu as usize;
    let zones = m.zones.len();
    let diff = &mut m.diffs[cpu * zones + zone as usize][item as usize];
    let old = *diff;
    let sum = i32::from(old) + delta;
    let zone = &mut m.zones[zone as usize];
    if sum.abs() <= i32::from(zone.threshold) {
        *diff = sum as i8;
        return Outcome::undo(u64::from(old as u8));
    }
    *diff = 0;
    zone.stat[item as usize] += i64::from(sum);
    m.vm_stat[item as usize] += i64::from(sum);
    Outcome { ret: 1, undo: FOLDED | u64::from(old as u8) }
}

pub(super) fn unstat(m: &mut Machine, task: u8, zone: u8, item: Stat, delta: i32, undo: u64) {
    let cpu = m.tasks[task as usize].cpu as usize;
    let zones = m.zones.len();
    let old = undo as u8 as i8;
    m.diffs[cpu * zones + zone as usize][item as usize] = old;
    if undo & FOLDED != 0 {
        let sum = i64::from(old) + i64::from(delta);
        m.zones[zone as usize].stat[item as usize] -= sum;
        m.vm_stat[item as usize] -= sum;
    }
}

// One tail of a huge page becomes a page of its own: it inherits the flags and stands before the head on its list.
pub(super) fn split_tail(m: &mut Machine, head: Pfn, tail: u16) -> Outcome {
    const INHERITED: [PageFlag; 7] = [
        PageFlag::Referenced,
        PageFlag::Dirty,
        PageFlag::Swapbacked,
        PageFlag::Mlocked,
        PageFlag::Unevictable,
        PageFlag::Active,
        PageFlag::Lru,
    ];
    let from = *m.page(head);
    let pfn = head + u32::from(tail);
    let page = m.page_mut(pfn);
    let undo = u64::from(page.flags);
    let mut flags = with(page.flags, PageFlag::Tail, false);
    for flag in INHERITED {
        flags = with(flags, flag, from.has(flag));
    }
    *page = Page { flags, count: 1, mapcount: 1, index: from.index + u32::from(tail), mapping: from.mapping, ..*page };
    if from.has(PageFlag::Lru) {
        link_before(m, head, pfn);
    }
    Outcome::undo(undo)
}

pub(super) fn unsplit_tail(m: &mut Machine, head: Pfn, tail: u16, undo: u64) {
    let pfn = head + u32::from(tail);
    if m.page(head).has(PageFlag::Lru) {
        let (zone, lru) = (m.page(head).zone() as usize, m.page(head).lru());
        let Page { next, prev, .. } = *m.page(pfn);
        relink(m, zone, lru, next, prev, next, prev);
        m.zones[zone].lru[lru as usize].entries -= 1;
    }
    let zone = m.page(pfn).zone();
    *m.page_mut(pfn) = Page { flags: undo as u32, ..Page::free(zone) };
}

// The tail takes the place between the head and the head's neighbour towards the tail of the list. The list's size in
// small pages is the same before and after.
fn link_before(m: &mut Machine, head: Pfn, pfn: Pfn) {
    let (zone, lru) = (m.page(head).zone() as usize, m.page(head).lru());
    let next = m.page(head).next;
    m.page_mut(pfn).next = next;
    m.page_mut(pfn).prev = head;
    m.page_mut(head).next = pfn;
    if next == NIL {
        m.zones[zone].lru[lru as usize].tail = pfn;
    } else {
        m.page_mut(next).prev = pfn;
    }
    m.zones[zone].lru[lru as usize].entries += 1;
}

pub(super) fn split_head(m: &mut Machine, head: Pfn) -> Outcome {
    let page = m.page_mut(head);
    let old = page.flags;
    page.flags = with(Page::with_order(old, 0), PageFlag::Head, false);
    Outcome::undo(u64::from(old))
}

pub(super) fn unsplit_head(m: &mut Machine, head: Pfn, undo: u64) {
    m.page_mut(head).flags = undo as u32;
}
