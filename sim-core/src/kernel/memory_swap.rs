//! mm/memory.c: faults on anonymous memory with swap, and taking a range away.

use alloc::vec::Vec;

use sim_macros::kernel;

use super::Patch;
use super::alloc_2015::alloc_zeroed_user_highpage;
use super::madvise_today::drop_swap_entries;
use super::memory::vm_normal_page;
use super::mlock_pagevec::table_of;
use super::rmap::page_add_new_anon_rmap;
use super::rmap_2015::{page_add_anon_rmap, page_remove_anon_rmap};
use super::swap::{cond_resched, put_page, unlock_page};
use super::swap_lazy::{activate_page, lru_add_drain_anon, lru_cache_add_anon};
use super::swap_state::{free_page_and_swap_cache, lookup_swap_cache, read_swap_cache_async};
use super::swapfile::{reuse_swap_page, swap_free};
use crate::engine::Cpu;
use crate::machine::{
    Event, LockClass, NIL, PTE_DIRTY, PTE_EXCLUSIVE, PTE_NONE, PTE_WRITE, PTE_YOUNG, PTE_ZERO, PTRS_PER_PTE, PageFlag,
    Pfn, Pmd, RSS_EVENTS, Rss, VmaId, pte_swap,
};
use crate::op::{Held, present};

/// Ticks of a fault that allocates a page.
pub const FAULT_TICKS: u32 = 2;
/// Ticks of a fault that reads a page from swap.
pub const SWAP_IN_TICKS: u32 = 20;
/// Ticks of a fault that finds its page in the swap cache.
pub const CACHE_HIT_TICKS: u32 = 4;

/// handle_mm_fault: returns the ticks that the fault takes beside reclaim (`cost`), or 0 where it must be made again
/// later.
#[kernel("mm/memory.c", "4.4")]
pub async fn handle_mm_fault(cpu: &Cpu, vma: VmaId, addr: u32, write: bool, cost: &mut u32) -> u32 {
    cpu.count_vm_events(Event::Fault, 1).await;
    check_sync_rss_stat(cpu, vma.mm).await;
    cpu.down(LockClass::MmapSem, false, u32::from(vma.mm)).await;
    if cpu.pmd(vma.mm, addr) == Pmd::None {
        cpu.pmd_populate(vma.mm, addr / PTRS_PER_PTE).await;
    }
    let pte = cpu.read_pte(vma.mm, addr).await;
    let ticks = if pte == PTE_NONE {
        do_anonymous_page(cpu, vma, addr, write, cost).await
    } else if pte_swap(pte).is_some() {
        do_swap_page(cpu, vma, addr, pte, write, cost).await
    } else if write {
        do_wp_page(cpu, vma, addr, pte, cost).await
    } else {
        FAULT_TICKS
    };
    cpu.up(LockClass::MmapSem, false, u32::from(vma.mm)).await;
    ticks
}

/// check_sync_rss_stat: every so many faults the counters that the task has cached go to its mm. Not from the change to
/// per-CPU counters on.
#[kernel("mm/memory.c", "4.4")]
pub async fn check_sync_rss_stat(cpu: &Cpu, mm: u8) {
    if cpu.has(Patch::SwapTable) {
        return;
    }
    if cpu.rss_event(mm, false).await > RSS_EVENTS {
        sync_mm_rss(cpu, mm).await;
        cpu.rss_event(mm, true).await;
    }
}

/// sync_mm_rss: one atomic for each counter that has a cached change.
#[kernel("mm/memory.c", "4.4")]
pub async fn sync_mm_rss(cpu: &Cpu, mm: u8) {
    let cached = cpu.machine().swap().cached[mm as usize];
    if cached[Rss::Anon as usize] != 0 {
        cpu.sync_mm_counter(mm, Rss::Anon).await;
    }
    if cached[Rss::Swap as usize] != 0 {
        cpu.sync_mm_counter(mm, Rss::Swap).await;
    }
}

/// add_mm_counter: an atomic on the mm, later a per-CPU counter.
#[kernel("mm/memory.c", "4.4")]
pub async fn add_rss(cpu: &Cpu, mm: u8, counter: Rss, delta: i32) {
    if cpu.has(Patch::SwapTable) {
        cpu.add_percpu_mm_counter(mm, counter, delta).await;
    } else {
        cpu.add_mm_counter(mm, counter, delta).await;
    }
}

/// add_mm_counter_fast: in the task's cache, later a per-CPU counter.
#[kernel("mm/memory.c", "4.4")]
pub async fn add_rss_fast(cpu: &Cpu, mm: u8, counter: Rss, delta: i32) {
    if cpu.has(Patch::SwapTable) {
        cpu.add_percpu_mm_counter(mm, counter, delta).await;
    } else {
        cpu.add_mm_counter_cached(mm, counter, delta).await;
    }
}

/// do_anonymous_page: a write gets a page of zeroes, a read the zero page.
#[kernel("mm/memory.c", "4.4")]
pub async fn do_anonymous_page(cpu: &Cpu, vma: VmaId, addr: u32, write: bool, cost: &mut u32) -> u32 {
    let Some(table) = table_of(cpu, vma, addr) else { return FAULT_TICKS };
    if !write {
        cpu.lock_ptl(table).await;
        if cpu.read_pte(vma.mm, addr).await == PTE_NONE {
            cpu.set_pte_at(vma.mm, addr, PTE_ZERO).await;
        }
        cpu.unlock_ptl(table).await;
        return FAULT_TICKS;
    }
    let page = alloc_zeroed_user_highpage(cpu, cost).await;
    if page == NIL {
        return 0;
    }
    cpu.lock_ptl(table).await;
    if cpu.read_pte(vma.mm, addr).await == PTE_NONE {
        add_rss_fast(cpu, vma.mm, Rss::Anon, 1).await;
        map_new_page(cpu, vma, addr, page).await;
        cpu.unlock_ptl(table).await;
    } else {
        cpu.unlock_ptl(table).await;
        put_page(cpu, page, Held::Map).await;
    }
    FAULT_TICKS
}

/// A new page gets its mapping, its list and its PTE. Up to 5.8 it starts on the active list.
#[kernel("mm/memory.c", "4.4")]
pub async fn map_new_page(cpu: &Cpu, vma: VmaId, addr: u32, page: Pfn) {
    let area = *cpu.machine().vma(vma);
    page_add_new_anon_rmap(cpu, page, area.mapping, addr - area.start + area.pgoff).await;
    let active = !cpu.has(Patch::NewInactive);
    lru_cache_add_anon(cpu, page, active).await;
    cpu.set_pte_at(vma.mm, addr, present(page, PTE_WRITE | PTE_DIRTY | PTE_YOUNG)).await;
}

/// do_swap_page: the page of a swap entry comes back, from the swap cache or from the device.
#[kernel("mm/memory.c", "4.4")]
pub async fn do_swap_page(cpu: &Cpu, vma: VmaId, addr: u32, pte: u32, write: bool, cost: &mut u32) -> u32 {
    let (Some(table), Some(slot)) = (table_of(cpu, vma, addr), pte_swap(pte)) else { return FAULT_TICKS };
    let mut ticks = CACHE_HIT_TICKS;
    let mut page = lookup_swap_cache(cpu, slot).await;
    if page == NIL {
        ticks = SWAP_IN_TICKS;
        page = read_swap_cache_async(cpu, slot, cost).await;
        if page == NIL {
            return 0;
        }
        cpu.count_vm_events(Event::MajorFault, 1).await;
    }
    cpu.lock_page(page).await;
    let ours = cpu.test_page(PageFlag::SwapCache, page).await && cpu.page_private(page) == slot;
    if ours && cpu.has(Patch::SwapinActivate) {
        activate_page(cpu, page).await;
    }
    cpu.lock_ptl(table).await;
    if !ours || cpu.read_pte(vma.mm, addr).await != pte {
        cpu.unlock_ptl(table).await;
        unlock_page(cpu, page).await;
        put_page(cpu, page, Held::Map).await;
        return ticks;
    }
    add_rss_fast(cpu, vma.mm, Rss::Anon, 1).await;
    add_rss_fast(cpu, vma.mm, Rss::Swap, -1).await;
    let flags = swapped_in_flags(cpu, page, pte, write).await;
    let area = *cpu.machine().vma(vma);
    page_add_anon_rmap(cpu, page, area.mapping, addr - area.start + area.pgoff).await;
    cpu.set_pte_at(vma.mm, addr, present(page, flags)).await;
    swap_free(cpu, slot).await;
    if cpu.has(Patch::SwapTable) && write {
        free_swap_of_exclusive(cpu, page).await;
    }
    unlock_page(cpu, page).await;
    cpu.unlock_ptl(table).await;
    ticks
}

/// What the new PTE allows. A read leaves it clean, and write-protected where others may have the page. With the swap
/// table the entry itself says that nobody else has it.
#[kernel("mm/memory.c", "4.4")]
pub async fn swapped_in_flags(cpu: &Cpu, page: Pfn, pte: u32, write: bool) -> u32 {
    let written = PTE_WRITE | PTE_DIRTY | PTE_YOUNG;
    if cpu.has(Patch::SwapTable) {
        return match (pte & PTE_EXCLUSIVE != 0, write) {
            (true, true) => written,
            (true, false) => PTE_WRITE | PTE_YOUNG,
            (false, _) => PTE_YOUNG,
        };
    }
    if write && reuse_swap_page(cpu, page).await { written } else { PTE_YOUNG }
}

/// should_try_to_free_swap and folio_free_swap: only this fault and the swap cache hold the page.
#[kernel("mm/memory.c", "7.1")]
pub async fn free_swap_of_exclusive(cpu: &Cpu, page: Pfn) {
    if cpu.page(page).mapcount == 1 && cpu.page(page).count == 2 + listed_in_pagevec(cpu, page) {
        super::swapfile::try_to_free_swap(cpu, page).await;
    }
}

// A page that waits for its list has a reference more.
#[sim_macros::look]
fn listed_in_pagevec(cpu: &Cpu, page: Pfn) -> i32 {
    i32::from(!cpu.page(page).has(PageFlag::Lru))
}

/// do_wp_page: a store to a page that the PTE write-protects. Whoever has the page alone keeps it, else it is copied.
#[kernel("mm/memory.c", "4.4")]
pub async fn do_wp_page(cpu: &Cpu, vma: VmaId, addr: u32, pte: u32, cost: &mut u32) -> u32 {
    let Some(table) = table_of(cpu, vma, addr) else { return FAULT_TICKS };
    let old = vm_normal_page(pte);
    if let Some(page) = old {
        cpu.lock_ptl(table).await;
        let same = cpu.read_pte(vma.mm, addr).await == pte;
        let mut reuse = !same;
        if same && cpu.trylock_page(page).await {
            reuse = reuse_swap_page(cpu, page).await;
            unlock_page(cpu, page).await;
            if reuse {
                cpu.set_pte_at(vma.mm, addr, pte | PTE_WRITE | PTE_DIRTY | PTE_YOUNG).await;
            }
        }
        cpu.unlock_ptl(table).await;
        if reuse {
            return FAULT_TICKS;
        }
    }
    wp_page_copy(cpu, vma, addr, pte, cost).await
}

/// wp_page_copy: a new page with what the old one holds.
#[kernel("mm/memory.c", "4.4")]
pub async fn wp_page_copy(cpu: &Cpu, vma: VmaId, addr: u32, pte: u32, cost: &mut u32) -> u32 {
    let Some(table) = table_of(cpu, vma, addr) else { return FAULT_TICKS };
    let new = alloc_zeroed_user_highpage(cpu, cost).await;
    if new == NIL {
        return 0;
    }
    cpu.lock_ptl(table).await;
    if cpu.read_pte(vma.mm, addr).await != pte {
        cpu.unlock_ptl(table).await;
        put_page(cpu, new, Held::Map).await;
        return FAULT_TICKS;
    }
    let old = vm_normal_page(pte);
    if let Some(page) = old {
        cpu.copy_page(page, new).await;
        cpu.ptep_get_and_clear_full(vma.mm, addr).await;
        page_remove_anon_rmap(cpu, page).await;
    } else {
        add_rss_fast(cpu, vma.mm, Rss::Anon, 1).await;
    }
    map_new_page(cpu, vma, addr, new).await;
    cpu.unlock_ptl(table).await;
    if let Some(page) = old {
        put_page(cpu, page, Held::Map).await;
    }
    FAULT_TICKS
}

/// zap_page_range: everything in a range goes, table by table.
#[kernel("mm/memory.c", "4.4", pauses)]
pub async fn zap_page_range(cpu: &Cpu, vma: VmaId, start: u32, end: u32) {
    lru_add_drain_anon(cpu).await;
    let mut addr = start;
    while addr < end {
        let next = ((addr / PTRS_PER_PTE + 1) * PTRS_PER_PTE).min(end);
        zap_pte_range(cpu, vma, addr, next).await;
        addr = next;
        cond_resched(cpu).await;
    }
}

/// zap_pte_range: clears the PTEs of one table; the pages are freed when the TLB knows, after the lock.
#[kernel("mm/memory.c", "4.4")]
pub async fn zap_pte_range(cpu: &Cpu, vma: VmaId, start: u32, end: u32) {
    let Some(table) = table_of(cpu, vma, start) else { return };
    cpu.lock_ptl(table).await;
    let mut gathered = Vec::new();
    let mut entries = 0;
    let mut addr = start;
    while addr < end {
        let pte = cpu.read_pte(vma.mm, addr).await;
        if let Some(page) = vm_normal_page(pte) {
            cpu.ptep_get_and_clear_full(vma.mm, addr).await;
            cpu.tlb_remove_tlb_entry(vma.mm, addr).await;
            page_remove_anon_rmap(cpu, page).await;
            gathered.push(page);
        } else if pte_swap(pte).is_some() {
            let dropped = drop_swap_entries(cpu, vma, addr, end, pte).await;
            entries += dropped;
            addr += dropped - 1;
        } else if pte != PTE_NONE {
            cpu.set_pte_at(vma.mm, addr, PTE_NONE).await;
        }
        addr += 1;
    }
    if !gathered.is_empty() {
        add_rss(cpu, vma.mm, Rss::Anon, -(gathered.len() as i32)).await;
        cpu.flush_tlb(vma.mm).await;
    }
    if entries != 0 {
        add_rss(cpu, vma.mm, Rss::Swap, -(entries as i32)).await;
    }
    cpu.unlock_ptl(table).await;
    for &page in &gathered {
        free_page_and_swap_cache(cpu, page).await;
    }
}

/// copy_one_pte of fork for a swap entry: another address space holds it too.
#[kernel("mm/memory.c", "4.4")]
pub async fn copy_swap_pte(cpu: &Cpu, from: VmaId, to: VmaId, addr: u32) {
    if cpu.pmd(to.mm, addr) == Pmd::None {
        cpu.pmd_populate(to.mm, addr / PTRS_PER_PTE).await;
    }
    let pte = cpu.read_pte(from.mm, addr).await;
    let (Some(table), Some(slot)) = (table_of(cpu, to, addr), pte_swap(pte)) else { return };
    cpu.lock_ptl(table).await;
    super::swapfile::swap_duplicate(cpu, slot).await;
    add_rss(cpu, to.mm, Rss::Swap, 1).await;
    cpu.set_pte_at(to.mm, addr, pte & !PTE_EXCLUSIVE).await;
    cpu.unlock_ptl(table).await;
}
