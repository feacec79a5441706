//! mm/mlock.c of 3.11 to 5.17: munlock of a range and of one page.

use sim_macros::{kernel, look};

use super::Patch;
use super::memory::{follow_page_mask, get_locked_pte, vm_normal_page};
use super::mlock_batch::mlock_vma_pages_range;
use super::mlock_pagevec::{__munlock_pagevec, __munlock_pagevec_fill};
use super::mm_inline::{del_page_from_lru_list, page_lru, zone_and_size};
use super::rmap::{SwapResult, try_to_munlock};
use super::swap::{cond_resched, lru_add_drain, put_page, unlock_page};
use super::vmscan::{isolate_lru_page, putback_lru_page};
use crate::engine::{Cpu, Milestone};
use crate::ledger::Site;
use crate::machine::{Event, HPAGE_PMD_NR, LockClass, PTRS_PER_PTE, PageFlag, Pfn, Pv, Stat, VmaId};
use crate::op::Held;
use crate::view::PagevecKind;

/// munlock(2) of one VMA: the range loop under mmap_sem.
#[kernel("mm/mlock.c", "3.11", pauses)]
pub async fn sys_munlock(cpu: &Cpu, vma: VmaId) {
    cpu.milestone(Milestone::SyscallEnter);
    let (start, end) = { (cpu.machine().vma(vma).start, cpu.machine().vma(vma).end) };
    cpu.down(LockClass::MmapSem, true, u32::from(vma.mm)).await;
    if cpu.has(Patch::MlockBatch) {
        mlock_vma_pages_range(cpu, vma, start, end, false).await;
    } else {
        munlock_vma_pages_range(cpu, vma, start, end).await;
    }
    cpu.up(LockClass::MmapSem, true, u32::from(vma.mm)).await;
    cpu.milestone(Milestone::SyscallExit);
}

/// Munlocks every page of a range of a VMA. Patches 3 to 6 collect pages in a pagevec on the stack.
#[kernel("mm/mlock.c", "3.11", pauses)]
pub async fn munlock_vma_pages_range(cpu: &Cpu, vma: VmaId, start: u32, end: u32) {
    cpu.set_vm_locked(vma, false).await;
    if cpu.has(Patch::ListPvecs) {
        lru_add_drain(cpu).await;
    }
    if cpu.has(Patch::PagevecFill) {
        munlock_range_by_fill(cpu, vma, start, end).await;
        return;
    }
    if cpu.has(Patch::HoldPte) {
        munlock_range_holding_pte(cpu, vma, start, end).await;
        return;
    }
    let pvec = cpu.stack_pvec(PagevecKind::OnStack);
    let mut zone = 0;
    let mut addr = start;
    while addr < end {
        cpu.milestone(Milestone::LoopAt(addr - start));
        let mut page_mask = 0;
        let found = follow_page_mask(cpu, vma, addr, &mut page_mask).await;
        if let Some(page) = found {
            if cpu.has(Patch::BatchIsolate) && cpu.page_zone(page) != zone {
                __munlock_pagevec(cpu, pvec, zone).await;
                zone = cpu.page_zone(page);
            }
            if cpu.has(Patch::BatchIsolate) && !page_trans_huge(cpu, page).await {
                if cpu.pagevec_add(pvec, page).await == cpu.pagevec_size() {
                    __munlock_pagevec(cpu, pvec, zone).await;
                }
            } else {
                if cpu.has(Patch::BatchIsolate) {
                    __munlock_pagevec(cpu, pvec, zone).await;
                }
                cpu.lock_page(page).await;
                if !cpu.has(Patch::NoDrain) {
                    lru_add_drain(cpu).await;
                }
                page_mask = munlock_vma_page(cpu, page).await;
                unlock_page(cpu, page).await;
                put_page(cpu, page, Held::Pin).await;
            }
        }
        addr += 1 + (!addr & page_mask);
        cond_resched(cpu).await;
    }
    if cpu.has(Patch::BatchIsolate) {
        __munlock_pagevec(cpu, pvec, zone).await;
    }
    cpu.milestone(Milestone::RangeDone);
}

/// The range loop of 7/7 as merged in 3.12: a batch is what one look at a page table gives.
#[kernel("mm/mlock.c", "3.12", pauses)]
pub async fn munlock_range_by_fill(cpu: &Cpu, vma: VmaId, start: u32, end: u32) {
    let pvec = cpu.stack_pvec(PagevecKind::OnStack);
    let mut addr = start;
    while addr < end {
        cpu.milestone(Milestone::LoopAt(addr - start));
        let mut page_mask = 0;
        let found = follow_page_mask(cpu, vma, addr, &mut page_mask).await;
        if let Some(page) = found {
            if !page_trans_huge(cpu, page).await {
                cpu.pagevec_add(pvec, page).await;
                let zone = cpu.page_zone(page);
                addr = __munlock_pagevec_fill(cpu, pvec, vma, zone, start, addr, end).await;
                __munlock_pagevec(cpu, pvec, zone).await;
                cond_resched(cpu).await;
                continue;
            }
            cpu.lock_page(page).await;
            page_mask = munlock_vma_page(cpu, page).await;
            unlock_page(cpu, page).await;
            put_page(cpu, page, Held::Pin).await;
        }
        addr += 1 + (!addr & page_mask);
        cond_resched(cpu).await;
    }
    cpu.milestone(Milestone::RangeDone);
}

/// The range loop of 7/7 as measured (v2): the page table stays locked from page to page.
#[kernel("mm/mlock.c", "v2 of 3.12", pauses)]
pub async fn munlock_range_holding_pte(cpu: &Cpu, vma: VmaId, start: u32, end: u32) {
    let pvec = cpu.stack_pvec(PagevecKind::OnStack);
    let mut zone = 0;
    let mut ptl = None;
    let mut pmd_end = start;
    let mut addr = start;
    while addr < end {
        cpu.milestone(Milestone::LoopAt(addr - start));
        let mut page_mask = 0;
        let mut found = None;
        if ptl.is_some() && addr < pmd_end {
            found = vm_normal_page(cpu.read_pte(vma.mm, addr).await);
            if let Some(page) = found {
                cpu.get_page(page, Site::FollowPage, Held::Pin).await;
            }
        }
        if found.is_none() {
            if let Some(table) = ptl.take() {
                cpu.unlock_ptl(table).await;
            }
            found = follow_page_mask(cpu, vma, addr, &mut page_mask).await;
            pmd_end = end.min((addr / PTRS_PER_PTE + 1) * PTRS_PER_PTE);
        }
        if let Some(page) = found {
            if cpu.page_zone(page) != zone {
                if let Some(table) = ptl.filter(|_| cpu.pagevec_count(pvec) > 0) {
                    cpu.unlock_ptl(table).await;
                    ptl = None;
                }
                __munlock_pagevec(cpu, pvec, zone).await;
                zone = cpu.page_zone(page);
            }
            if page_trans_huge(cpu, page).await {
                __munlock_pagevec(cpu, pvec, zone).await;
                cpu.lock_page(page).await;
                page_mask = munlock_vma_page(cpu, page).await;
                unlock_page(cpu, page).await;
                put_page(cpu, page, Held::Pin).await;
            } else {
                if ptl.is_none() {
                    ptl = get_locked_pte(cpu, vma, addr).await;
                }
                if cpu.pagevec_add(pvec, page).await == cpu.pagevec_size() {
                    if let Some(table) = ptl.take() {
                        cpu.unlock_ptl(table).await;
                    }
                    __munlock_pagevec(cpu, pvec, zone).await;
                }
            }
        }
        addr += 1 + (!addr & page_mask);
        if ptl.is_none() {
            cond_resched(cpu).await;
        }
    }
    if let Some(table) = ptl {
        cpu.unlock_ptl(table).await;
    }
    __munlock_pagevec(cpu, pvec, zone).await;
    cpu.milestone(Milestone::RangeDone);
}

/// PageTransHuge: asserts that the page is no tail.
#[kernel("include/linux/page-flags.h", "3.11")]
pub async fn page_trans_huge(cpu: &Cpu, page: Pfn) -> bool {
    if cpu.page(page).has(PageFlag::Tail) {
        cpu.bug(
            "VM_BUG_ON(PageTail(page))",
            alloc::format!("PageTransHuge was asked of page {page}, a tail of huge page {}", cpu.compound_head(page)),
        )
        .await;
    }
    cpu.page_trans_huge(page)
}

/// Munlocks one page, which is locked and pinned. Returns the mask of a huge page: its small pages less one.
///
/// Until 3.12 a huge page without PG_mlocked counts as one small page here. From 3.14 on clearing the flag and
/// isolating are one lru_lock section, which a split of the page cannot interrupt.
#[kernel("mm/mlock.c", "3.11")]
pub async fn munlock_vma_page(cpu: &Cpu, page: Pfn) -> u32 {
    if cpu.has(Patch::ThpSplit) {
        return munlock_vma_page_under_lock(cpu, page).await;
    }
    let mut page_mask = if cpu.has(Patch::ThpMask) { hpage_nr_pages(cpu, page) - 1 } else { 0 };
    if cpu.test_clear_page_mlocked(page).await {
        let nr_pages = hpage_nr_pages(cpu, page);
        page_mask = nr_pages - 1;
        cpu.mod_zone_page_state(cpu.page_zone(page), Stat::Mlock, -(nr_pages as i32)).await;
        if isolate_lru_page(cpu, page).await {
            __munlock_isolated_page(cpu, page).await;
        } else {
            __munlock_isolation_failed(cpu, page).await;
        }
    }
    page_mask
}

/// munlock_vma_page of 3.14.
#[kernel("mm/mlock.c", "3.14")]
pub async fn munlock_vma_page_under_lock(cpu: &Cpu, page: Pfn) -> u32 {
    let zone = cpu.page_zone(page);
    cpu.lock_lru_irq(zone).await;
    let nr_pages = hpage_nr_pages(cpu, page);
    if !cpu.test_clear_page_mlocked(page).await {
        cpu.unlock_lru_irq(zone).await;
        return nr_pages - 1;
    }
    cpu.raw_mod_zone_page_state(zone, Stat::Mlock, -(nr_pages as i32)).await;
    if __munlock_isolate_lru_page(cpu, page, true).await {
        cpu.unlock_lru_irq(zone).await;
        __munlock_isolated_page(cpu, page).await;
        return nr_pages - 1;
    }
    __munlock_isolation_failed(cpu, page).await;
    cpu.unlock_lru_irq(zone).await;
    nr_pages - 1
}

/// Takes a page off its list; the caller holds lru_lock. `getpage`: with a reference of its own.
#[kernel("mm/mlock.c", "3.14")]
pub async fn __munlock_isolate_lru_page(cpu: &Cpu, page: Pfn, getpage: bool) -> bool {
    if !cpu.test_page(PageFlag::Lru, page).await {
        return false;
    }
    if getpage {
        cpu.get_page(page, Site::Isolate, Held::Isolate).await;
    }
    cpu.clear_page_lru(page).await;
    del_page_from_lru_list(cpu, page, page_lru(cpu, page)).await;
    true
}

/// An isolated page goes back, unless another locked VMA wants it on the unevictable list.
#[kernel("mm/mlock.c", "3.11")]
pub async fn __munlock_isolated_page(cpu: &Cpu, page: Pfn) {
    let mut result = SwapResult::Again;
    if cpu.page_mapcount(page).await > 1 {
        result = try_to_munlock(cpu, page).await;
    }
    if result != SwapResult::Mlock {
        cpu.count_vm_events(Event::Munlocked, 1).await;
    }
    putback_lru_page(cpu, page).await;
}

/// The page is on no list: whoever has it will put it back by its flags.
#[kernel("mm/mlock.c", "3.11")]
pub async fn __munlock_isolation_failed(cpu: &Cpu, page: Pfn) {
    if cpu.test_page(PageFlag::Unevictable, page).await {
        cpu.count_vm_events(Event::Stranded, 1).await;
    } else {
        cpu.count_vm_events(Event::Munlocked, 1).await;
    }
}

/// Marks a page mlocked and moves it to the unevictable list if it can be isolated. The page is locked.
#[kernel("mm/mlock.c", "3.11")]
pub async fn mlock_vma_page(cpu: &Cpu, page: Pfn) {
    if cpu.test_set_page_mlocked(page).await {
        return;
    }
    let (zone, nr) = zone_and_size(cpu, page);
    cpu.mod_zone_page_state(zone, Stat::Mlock, nr).await;
    cpu.count_vm_events(Event::Mlocked, 1).await;
    if isolate_lru_page(cpu, page).await {
        putback_lru_page(cpu, page).await;
    }
}

/// Unmapping or truncation: PG_mlocked goes, whoever else has the page.
#[kernel("mm/mlock.c", "3.11")]
pub async fn clear_page_mlock(cpu: &Cpu, page: Pfn) {
    if !cpu.test_clear_page_mlocked(page).await {
        return;
    }
    let (zone, nr) = zone_and_size(cpu, page);
    cpu.mod_zone_page_state(zone, Stat::Mlock, -nr).await;
    cpu.count_vm_events(Event::Cleared, 1).await;
    if isolate_lru_page(cpu, page).await {
        putback_lru_page(cpu, page).await;
    } else if cpu.test_page(PageFlag::Unevictable, page).await {
        cpu.count_vm_events(Event::Stranded, 1).await;
    }
}

/// hpage_nr_pages
#[look]
#[inline(always)]
pub(super) fn hpage_nr_pages(cpu: &Cpu, page: Pfn) -> u32 {
    if cpu.page_trans_huge(page) { HPAGE_PMD_NR } else { 1 }
}

/// A pagevec that holds nothing is not worth a call: the callers of `__munlock_pagevec` say so here, once.
#[look]
#[inline(always)]
pub(super) fn is_empty(cpu: &Cpu, pvec: Pv) -> bool {
    cpu.pagevec_count(pvec) == 0
}
