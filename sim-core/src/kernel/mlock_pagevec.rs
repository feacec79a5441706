//! mm/mlock.c of 3.12 to 5.17: munlock of a pagevec of pages.

use sim_macros::{kernel, look};

use super::Patch;
use super::memory::{get_locked_pte, vm_normal_page};
use super::mlock::{__munlock_isolate_lru_page, __munlock_isolated_page, __munlock_isolation_failed, is_empty};
use super::mm_inline::{del_page_from_lru_list, page_lru};
use super::swap::{__pagevec_lru_add, pagevec_release, put_page, unlock_page};
use crate::engine::{Cpu, Milestone};
use crate::ledger::Site;
use crate::machine::{Event, PTRS_PER_PTE, PageFlag, Pfn, Pmd, Pv, Stat, VmaId};
use crate::op::Held;
use crate::view::PagevecKind;

/// `__munlock_pagevec`: isolates all pages of a pagevec under one lru_lock, then munlocks each and puts it back.
/// Returns at once for an empty pagevec, which the kernel tests at the call.
#[kernel("mm/mlock.c", "3.12")]
pub async fn __munlock_pagevec(cpu: &Cpu, pvec: Pv, zone: u8) {
    if is_empty(cpu, pvec) {
        return;
    }
    isolate_pagevec(cpu, pvec, zone).await;
    let putback = cpu.stack_pvec(PagevecKind::Putback);
    let mut rescued = 0;
    for slot in 0..cpu.pagevec_count(pvec) {
        let Some(page) = cpu.pagevec_page(pvec, slot) else { continue };
        cpu.lock_page(page).await;
        let fast = cpu.has(Patch::BatchPutback) && __putback_lru_fast_prepare(cpu, page, putback, &mut rescued).await;
        if !fast {
            if cpu.has(Patch::NoIsolatePin) {
                cpu.get_page(page, Site::MunlockSlow, Held::Isolate).await;
            }
            __munlock_isolated_page(cpu, page).await;
        }
        unlock_page(cpu, page).await;
        let pinned_till_the_end = cpu.has(Patch::BatchPutback) && !cpu.has(Patch::NoIsolatePin);
        if !fast && !pinned_till_the_end {
            put_page(cpu, page, Held::Pin).await;
        }
    }
    if cpu.has(Patch::BatchPutback) && cpu.pagevec_count(putback) > 0 {
        __putback_lru_fast(cpu, putback, rescued).await;
    }
    if cpu.has(Patch::BatchPutback) && !cpu.has(Patch::NoIsolatePin) {
        for slot in 0..cpu.pagevec_count(pvec) {
            if let Some(page) = cpu.pagevec_page(pvec, slot) {
                put_page(cpu, page, Held::Pin).await;
            }
        }
    }
    cpu.pagevec_reinit(pvec).await;
}

/// Phase 1 of `__munlock_pagevec`. Pages that are not mlocked or not on a list leave the pagevec; until 3.12 their
/// reference is dropped right here, under lru_lock. Patch 4 updates NR_MLOCK once, and until 4.11 forgets those pages
/// whose PG_mlocked it cleared and that it could not isolate.
#[kernel("mm/mlock.c", "3.12")]
pub async fn isolate_pagevec(cpu: &Cpu, pvec: Pv, zone: u8) {
    let putback = cpu.stack_pvec(PagevecKind::Putback);
    let nr = cpu.pagevec_count(pvec);
    let mut delta_munlocked = -(nr as i32);
    cpu.lock_lru_irq(zone).await;
    for slot in 0..nr {
        let Some(page) = cpu.pagevec_page(pvec, slot) else { continue };
        let was_mlocked = cpu.test_clear_page_mlocked(page).await;
        if was_mlocked {
            if !cpu.has(Patch::BatchMlockStat) {
                cpu.raw_mod_zone_page_state(zone, Stat::Mlock, -1).await;
            }
            if isolate_one(cpu, page).await {
                continue;
            }
            __munlock_isolation_failed(cpu, page).await;
        }
        if !was_mlocked || !cpu.has(Patch::CountMlock) {
            delta_munlocked += 1;
        }
        cpu.pagevec_null(pvec, slot).await;
        if cpu.has(Patch::DeferPut) {
            cpu.pagevec_add(putback, page).await;
        } else {
            put_page(cpu, page, Held::Pin).await;
        }
    }
    if cpu.has(Patch::BatchMlockStat) {
        cpu.raw_mod_zone_page_state(zone, Stat::Mlock, delta_munlocked).await;
    }
    cpu.unlock_lru_irq(zone).await;
    if cpu.has(Patch::DeferPut) {
        pagevec_release(cpu, putback, Held::Pin).await;
    }
}

/// Isolates one page under the lru_lock of the batch. As posted, patches 3 and 4 call `__isolate_lru_page`; patch 5
/// spells it out; patch 6 lets the pin of the walk stand for the isolator's reference.
#[kernel("mm/mlock.c", "3.12")]
pub async fn isolate_one(cpu: &Cpu, page: Pfn) -> bool {
    if !cpu.has(Patch::RfcIsolate) {
        return __munlock_isolate_lru_page(cpu, page, !cpu.has(Patch::NoIsolatePin)).await;
    }
    if !cpu.test_page(PageFlag::Lru, page).await {
        return false;
    }
    cpu.get_page(page, Site::IsolateUnlessZero, Held::Isolate).await;
    cpu.clear_page_lru(page).await;
    del_page_from_lru_list(cpu, page, page_lru(cpu, page)).await;
    true
}

/// `__putback_lru_fast_prepare`: a page that only this mm maps, and that is evictable, goes back with its batch. As
/// posted, patch 5 advances the pointer to the counter instead of the counter.
#[kernel("mm/mlock.c", "3.12")]
pub async fn __putback_lru_fast_prepare(cpu: &Cpu, page: Pfn, putback: Pv, rescued: &mut u32) -> bool {
    if cpu.page_mapcount(page).await > 1 || !cpu.page_evictable(page).await {
        return false;
    }
    cpu.pagevec_add(putback, page).await;
    let was_unevictable = cpu.test_clear_page_unevictable(page).await;
    if was_unevictable && !cpu.has(Patch::RfcPgrescued) {
        *rescued += 1;
    }
    true
}

/// `__putback_lru_fast`: the batch goes on its lists under one lru_lock; the drain drops the reference that isolation
/// held: the isolator's, or from patch 6 on the pin.
#[kernel("mm/mlock.c", "3.12")]
pub async fn __putback_lru_fast(cpu: &Cpu, putback: Pv, rescued: u32) {
    cpu.count_vm_events(Event::Munlocked, cpu.pagevec_count(putback)).await;
    let held = if cpu.has(Patch::NoIsolatePin) { Held::Pin } else { Held::Isolate };
    __pagevec_lru_add(cpu, putback, held).await;
    cpu.count_vm_events(Event::Rescued, rescued).await;
}

/// `__munlock_pagevec_fill`: collects the following pages of the same page table and zone under one ptl. Returns the
/// address behind the last one. In 3.12-rc1 the end of a folded middle level did not bound the walk.
#[kernel("mm/mlock.c", "3.12")]
pub async fn __munlock_pagevec_fill(cpu: &Cpu, pvec: Pv, vma: VmaId, zone: u8, first: u32, addr: u32, end: u32) -> u32 {
    let table_end = (addr / PTRS_PER_PTE + 1) * PTRS_PER_PTE;
    let ptl = get_locked_pte(cpu, vma, addr).await;
    let clamped = !cpu.has(Patch::FoldedPmd) || cpu.has(Patch::ClampWalk);
    let end = if clamped { end.min(table_end) } else { end };
    let mut addr = addr + 1;
    while addr < end && cpu.pagevec_count(pvec) < cpu.pagevec_size() {
        cpu.milestone(Milestone::LoopAt(addr - first));
        if addr >= table_end {
            cpu.bug("Bad page map", alloc::format!("the walk has left the page table that ends at page {table_end}: it reads what lies behind it as a PTE for page {addr}")).await;
        }
        let Some(page) = vm_normal_page(cpu.read_pte(vma.mm, addr).await) else { break };
        if cpu.page_zone(page) != zone {
            break;
        }
        cpu.get_page(page, Site::FollowPage, Held::Pin).await;
        addr += 1;
        cpu.pagevec_add(pvec, page).await;
    }
    if let Some(table) = ptl {
        cpu.unlock_ptl(table).await;
    }
    addr
}

/// The page-table page of an address, where there is one.
#[look]
#[inline(always)]
pub(super) fn table_of(cpu: &Cpu, vma: VmaId, addr: u32) -> Option<u32> {
    match cpu.pmd(vma.mm, addr) {
        Pmd::Table(table) => Some(table),
        _ => None,
    }
}
