//! mm/madvise.c: MADV_DONTNEED and MADV_FREE.

use sim_macros::kernel;

use super::Patch;
use super::madvise_today::drop_swap_entries;
use super::memory::vm_normal_page;
use super::memory_swap::{add_rss, sync_mm_rss, zap_page_range};
use super::mlock_pagevec::table_of;
use super::swap::{cond_resched, unlock_page};
use super::swap_lazy::{deactivate_page, lru_add_drain_anon, mark_page_lazyfree};
use super::swapfile::{no_swap_left, try_to_free_swap};
use crate::engine::{Cpu, Milestone};
use crate::machine::{
    LockClass, PTE_DIRTY, PTE_HWPOISON, PTE_NONE, PTE_YOUNG, PTRS_PER_PTE, PageFlag, Pfn, Rss, VmaId, pte_swap,
};

/// madvise of a range. Up to 4.11, MADV_FREE without a free slot is MADV_DONTNEED.
#[kernel("mm/madvise.c", "4.0", pauses)]
pub async fn sys_madvise(cpu: &Cpu, vma: VmaId, start: u32, end: u32, dontneed: bool) {
    cpu.milestone(Milestone::SyscallEnter);
    cpu.enter_madvise(vma.mm, dontneed, start, end).await;
    cpu.down(LockClass::MmapSem, false, u32::from(vma.mm)).await;
    let no_swap = !cpu.has(Patch::LazyFileList) && no_swap_left(cpu);
    if dontneed || no_swap {
        zap_page_range(cpu, vma, start, end).await;
    } else {
        madvise_free_single_vma(cpu, vma, start, end).await;
    }
    cpu.up(LockClass::MmapSem, false, u32::from(vma.mm)).await;
    cpu.milestone(Milestone::SyscallExit);
}

/// madvise_free_single_vma: table by table; one TLB flush at the end.
#[kernel("mm/madvise.c", "4.0", pauses)]
pub async fn madvise_free_single_vma(cpu: &Cpu, vma: VmaId, start: u32, end: u32) {
    lru_add_drain_anon(cpu).await;
    let mut addr = start;
    let mut flush = false;
    while addr < end {
        let next = ((addr / PTRS_PER_PTE + 1) * PTRS_PER_PTE).min(end);
        flush |= madvise_free_pte_range(cpu, vma, addr, next).await;
        addr = next;
        cond_resched(cpu).await;
    }
    if flush {
        cpu.flush_tlb(vma.mm).await;
    }
}

/// madvise_free_pte_range: the PTEs of one table. The base leaves swap entries where they are; the patch drops them.
/// Returns whether a PTE was changed that the TLB may know.
#[kernel("mm/madvise.c", "4.0")]
pub async fn madvise_free_pte_range(cpu: &Cpu, vma: VmaId, start: u32, end: u32) -> bool {
    let Some(table) = table_of(cpu, vma, start) else { return false };
    cpu.lock_ptl(table).await;
    let mut nr_swap = 0;
    let mut flush = false;
    let mut addr = start;
    while addr < end {
        let pte = cpu.read_pte(vma.mm, addr).await;
        if let Some(page) = vm_normal_page(pte) {
            flush |= madvise_free_pte(cpu, vma, addr, pte, page).await;
        } else if cpu.has(Patch::FreeSwapEntry) && pte_swap(pte).is_some() {
            let dropped = drop_swap_entries(cpu, vma, addr, end, pte).await;
            nr_swap += dropped;
            addr += dropped - 1;
        } else if cpu.has(Patch::SwapTable) && pte == PTE_HWPOISON {
            cpu.set_pte_at(vma.mm, addr, PTE_NONE).await;
        }
        addr += 1;
    }
    if nr_swap != 0 {
        if !cpu.has(Patch::SwapTable) {
            sync_mm_rss(cpu, vma.mm).await;
        }
        add_rss(cpu, vma.mm, Rss::Swap, -(nr_swap as i32)).await;
    }
    cpu.unlock_ptl(table).await;
    flush
}

/// One present PTE: takes the page out of the swap cache, then makes the PTE old and clean, so that a later store shows.
/// Returns whether the PTE was changed.
#[kernel("mm/madvise.c", "4.0")]
pub async fn madvise_free_pte(cpu: &Cpu, vma: VmaId, addr: u32, pte: u32, page: Pfn) -> bool {
    let cached = cpu.test_page(PageFlag::SwapCache, page).await;
    let dirty = cpu.has(Patch::LazyClearDirty) && cpu.page(page).has(PageFlag::Dirty);
    if cached || dirty {
        if !cpu.trylock_page(page).await {
            return false;
        }
        let shared = cpu.has(Patch::LazyClearDirty) && cpu.page_mapcount(page).await != 1;
        if shared || cpu.page(page).has(PageFlag::SwapCache) && !try_to_free_swap(cpu, page).await {
            unlock_page(cpu, page).await;
            return false;
        }
        cpu.clear_page_dirty(page).await;
        unlock_page(cpu, page).await;
    }
    let used = pte & (PTE_YOUNG | PTE_DIRTY) != 0;
    if used || !cpu.has(Patch::LazyClearDirty) {
        cpu.ptep_get_and_clear_full(vma.mm, addr).await;
        cpu.set_pte_at(vma.mm, addr, pte & !(PTE_YOUNG | PTE_DIRTY)).await;
        cpu.tlb_remove_tlb_entry(vma.mm, addr).await;
        if cpu.has(Patch::LazyUnmap) {
            deactivate_page(cpu, page).await;
        }
    }
    if cpu.has(Patch::LazyFileList) {
        mark_page_lazyfree(cpu, page).await;
    }
    used || !cpu.has(Patch::LazyClearDirty)
}
