//! Allocation, page tables, mappings.

use alloc::vec::Vec;

use super::Outcome;
use super::apply::with;
use crate::machine::{LockState, Machine, NIL, NO_MAPPING, NOBODY, PTE_NONE, PTRS_PER_PTE, Page, PageFlag, Pfn, Pmd};

const FRESH: u64 = 1 << 63;

#[inline(always)]
pub(super) fn alloc(m: &mut Machine, zone: u8, order: u8, pfn: Pfn) -> Outcome {
    let nr = 1u32 << order;
    let old = *m.page(pfn);
    let zone = &mut m.zones[zone as usize];
    let mut undo = u64::from(old.flags);
    if pfn >= zone.fresh {
        undo |= FRESH | u64::from(pfn - zone.fresh) << 32;
        zone.fresh = pfn + nr;
    } else {
        undo |= u64::from(old.isolator) << 32;
        zone.freed = old.next;
    }
    zone.free -= nr;
    let page = m.page_mut(pfn);
    page.flags = with(Page::with_order(page.flags, order), PageFlag::Free, false);
    page.count = 1;
    page.next = NIL;
    page.isolator = NOBODY;
    if order > 0 {
        page.flags |= PageFlag::Head.bit();
        set_tails(m, pfn, nr, PageFlag::Free, PageFlag::Tail);
    }
    Outcome::undo(undo)
}

fn set_tails(m: &mut Machine, head: Pfn, nr: u32, from: PageFlag, to: PageFlag) {
    for pfn in head + 1..head + nr {
        let page = m.page_mut(pfn);
        page.flags = with(with(page.flags, from, false), to, true);
    }
}

pub(super) fn unalloc(m: &mut Machine, zone: u8, pfn: Pfn, undo: u64) {
    let nr = m.page(pfn).nr();
    if nr > 1 {
        set_tails(m, pfn, nr, PageFlag::Tail, PageFlag::Free);
    }
    let zone = &mut m.zones[zone as usize];
    zone.free += nr;
    let page = &mut m.pages[pfn as usize];
    page.flags = undo as u32;
    page.count = 0;
    if undo & FRESH != 0 {
        zone.fresh = pfn - (undo >> 32 & 0x7fff_ffff) as u32;
    } else {
        page.isolator = (undo >> 32) as u8;
        page.next = zone.freed;
        zone.freed = pfn;
    }
}

pub(super) fn free(m: &mut Machine, pfn: Pfn) -> Outcome {
    let old = *m.page(pfn);
    let zone = &mut m.zones[old.zone() as usize];
    let page = &mut m.pages[pfn as usize];
    let undo = u64::from(old.mapping) << 32 | u64::from(old.flags);
    page.flags = with(Page::free(old.zone()).flags, PageFlag::Free, true);
    page.mapping = NO_MAPPING;
    page.next = zone.freed;
    zone.freed = pfn;
    zone.free += old.nr();
    for tail in pfn + 1..pfn + old.nr() {
        let page = m.page_mut(tail);
        page.flags = with(with(page.flags, PageFlag::Tail, false), PageFlag::Free, true);
    }
    Outcome::undo(undo)
}

pub(super) fn unfree(m: &mut Machine, pfn: Pfn, undo: u64) {
    let zone = m.page(pfn).zone() as usize;
    let next = m.page(pfn).next;
    m.zones[zone].freed = next;
    let page = m.page_mut(pfn);
    page.flags = undo as u32;
    page.mapping = (undo >> 32) as u16;
    page.next = NIL;
    let nr = page.nr();
    m.zones[zone].free -= nr;
    set_tails(m, pfn, nr, PageFlag::Free, PageFlag::Tail);
}

pub(super) fn set_mapping(m: &mut Machine, page: Pfn, mapping: u16, index: u32) -> Outcome {
    let page = m.page_mut(page);
    let undo = u64::from(page.mapping) << 32 | u64::from(page.index);
    page.mapping = mapping;
    page.index = index;
    Outcome::undo(undo)
}

pub(super) fn unset_mapping(m: &mut Machine, page: Pfn, undo: u64) {
    let page = m.page_mut(page);
    page.mapping = (undo >> 32) as u16;
    page.index = undo as u32;
}

#[inline(always)]
pub(super) fn set_pte(m: &mut Machine, mm: u8, vpn: u32, pte: u32) -> Outcome {
    let Pmd::Table(table) = m.pmd(mm, vpn) else { return Outcome::NONE };
    let slot = &mut m.tables[(table * PTRS_PER_PTE + vpn % PTRS_PER_PTE) as usize];
    Outcome::undo(u64::from(core::mem::replace(slot, pte)))
}

const HUGE: u64 = 1 << 32;
const HUGE_ZERO: u64 = 2 << 32;
const TABLE: u64 = 3 << 32;

fn encode(pmd: Pmd) -> u64 {
    match pmd {
        Pmd::None => 0,
        Pmd::Huge(page) => HUGE | u64::from(page),
        Pmd::HugeZero => HUGE_ZERO,
        Pmd::Table(table) => TABLE | u64::from(table),
    }
}

fn decode(undo: u64) -> Pmd {
    match undo & !0xffff_ffff {
        HUGE => Pmd::Huge(undo as u32),
        HUGE_ZERO => Pmd::HugeZero,
        TABLE => Pmd::Table(undo as u32),
        _ => Pmd::None,
    }
}

pub(super) fn populate_pmd(m: &mut Machine, mm: u8, pmd: u32) -> Outcome {
    let table = m.ptls.len() as u32;
    m.tables.resize(m.tables.len() + PTRS_PER_PTE as usize, PTE_NONE);
    m.ptls.push(LockState { queue: Vec::new(), ..LockState::FREE });
    let old = core::mem::replace(&mut m.mms[mm as usize].pmds[pmd as usize], Pmd::Table(table));
    Outcome::undo(encode(old))
}

pub(super) fn unpopulate_pmd(m: &mut Machine, mm: u8, pmd: u32, undo: u64) {
    m.ptls.pop();
    m.tables.truncate(m.tables.len() - PTRS_PER_PTE as usize);
    m.mms[mm as usize].pmds[pmd as usize] = decode(undo);
}

pub(super) fn set_huge_pmd(m: &mut Machine, mm: u8, pmd: u32, page: Pfn) -> Outcome {
    let new = if page == NIL { Pmd::HugeZero } else { Pmd::Huge(page) };
    let old = core::mem::replace(&mut m.mms[mm as usize].pmds[pmd as usize], new);
    Outcome::undo(encode(old))
}

pub(super) fn unset_huge_pmd(m: &mut Machine, mm: u8, pmd: u32, undo: u64) {
    m.mms[mm as usize].pmds[pmd as usize] = decode(undo);
}

pub(super) fn set_vm_locked(m: &mut Machine, mm: u8, vma: u8, locked: bool) -> Outcome {
    let vma = &mut m.mms[mm as usize].vmas[vma as usize];
    Outcome::undo(u64::from(core::mem::replace(&mut vma.locked, locked)))
}

pub(super) fn set_cache(m: &mut Machine, mapping: u16, index: u32, page: Pfn) -> Outcome {
    let slot = &mut m.mappings[mapping as usize].cache[index as usize];
    Outcome::undo(u64::from(core::mem::replace(slot, page)))
}
