//! mm/memory.c and mm/swap.c: a fault on anonymous memory and the unmap of a range, with the page allocator behind.

use alloc::vec::Vec;

use sim_macros::{kernel, look};

use super::Patch;
use super::memory::vm_normal_page;
use super::mlock_pagevec::table_of;
use super::mm_inline::del_page_from_lru_list;
use super::page_alloc::get_page_from_freelist;
use super::page_free::free_collected;
use super::rmap::{page_add_new_anon_rmap, page_remove_rmap};
use super::swap::{lru_add_drain, lru_cache_add};
use crate::engine::{Cpu, Milestone};
use crate::ledger::Site;
use crate::machine::{
    AreaList, Event, LockClass, MigrateType, PTE_DIRTY, PTE_WRITE, PTE_YOUNG, PTRS_PER_PTE, PageFlag, Pfn, Pmd, VmaId,
};
use crate::op::Held;

/// Pages for which one lru_lock is kept.
const SWAP_CLUSTER_MAX: u32 = 32;
/// MAX_GATHER_BATCH_COUNT
const MAX_GATHER_BATCH_COUNT: usize = 19;

/// Pages to free once the TLB is flushed: a few slots on the stack, then pages full of slots.
#[derive(Default)]
pub struct MmuGather {
    chunks: Vec<Vec<Pfn>>,
}

impl MmuGather {
    /// Notes a page; true when all slots are filled and the gather must be flushed. Up to 6.8 a batch is filled to its
    /// last slot; later one slot is left, for an entry of two.
    fn add(&mut self, page: Pfn, spare: usize) -> bool {
        let full = |chunks: &Vec<Vec<Pfn>>| {
            let size = if chunks.len() <= 1 { 8 } else { 510 };
            chunks.last().is_none_or(|chunk| chunk.len() == size - spare)
        };
        if self.chunks.is_empty() || full(&self.chunks) {
            self.chunks.push(Vec::new());
        }
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.push(page);
        }
        self.chunks.len() == MAX_GATHER_BATCH_COUNT + 1 && full(&self.chunks)
    }
}

/// A write fault on anonymous memory, from mmap_sem to the PTE. False where no page is free. Memory cgroups and the
/// counters of the address space are left out.
#[kernel("mm/memory.c", "4.15")]
pub async fn handle_mm_fault(cpu: &Cpu, vma: VmaId, addr: u32, zone: u8) -> bool {
    cpu.down(LockClass::MmapSem, false, u32::from(vma.mm)).await;
    cpu.count_vm_events(Event::Fault, 1).await;
    if cpu.pmd(vma.mm, addr) == Pmd::None {
        cpu.pmd_populate(vma.mm, addr / PTRS_PER_PTE).await;
    }
    let mapped = do_anonymous_page(cpu, vma, addr, zone).await;
    cpu.up(LockClass::MmapSem, false, u32::from(vma.mm)).await;
    mapped
}

/// do_anonymous_page: allocate, map, into the lru_add pagevec. Up to 5.8 the page is active from the start.
#[kernel("mm/memory.c", "4.15")]
pub async fn do_anonymous_page(cpu: &Cpu, vma: VmaId, addr: u32, zone: u8) -> bool {
    let Some(page) = get_page_from_freelist(cpu, zone, MigrateType::Movable).await else { return false };
    let Some(table) = table_of(cpu, vma, addr) else { return false };
    cpu.lock_ptl(table).await;
    let area = area_of(cpu, vma);
    page_add_new_anon_rmap(cpu, page, area.0, addr - area.1).await;
    if !cpu.has(Patch::InactiveAnon) {
        cpu.plain_set_page_active(page).await;
    }
    lru_cache_add(cpu, page).await;
    cpu.set_pte_at(vma.mm, addr, page | PTE_YOUNG | PTE_DIRTY | PTE_WRITE).await;
    cpu.unlock_ptl(table).await;
    true
}

/// munmap of a whole VMA. Departs from 4.15 in keeping the page tables, and from 4.20 and later in holding mmap_sem to
/// write all along.
#[kernel("mm/mmap.c", "4.15")]
pub async fn do_munmap(cpu: &Cpu, vma: VmaId, zone: u8, first_mark: u32) {
    cpu.down(LockClass::MmapSem, true, u32::from(vma.mm)).await;
    if !cpu.has(Patch::FolioBatch) {
        lru_add_drain(cpu).await;
    }
    let (start, end) = range_of(cpu, vma);
    let mut gather = MmuGather::default();
    let mut addr = start;
    let mut mark = first_mark;
    while addr < end {
        let stop = end.min((addr / PTRS_PER_PTE + 1) * PTRS_PER_PTE);
        while addr < stop {
            addr = zap_pte_range(cpu, vma, addr, stop, &mut gather).await;
            if addr < stop {
                tlb_flush_mmu(cpu, vma.mm, zone, &mut gather).await;
            }
        }
        cpu.milestone(Milestone::Zapped(mark));
        mark += 1;
    }
    tlb_flush_mmu(cpu, vma.mm, zone, &mut gather).await;
    cpu.up(LockClass::MmapSem, true, u32::from(vma.mm)).await;
}

/// zap_pte_range: under the lock of one page table, clears each PTE and hands its page to the gather. Ends early where
/// the gather is full; returns where to go on.
#[kernel("mm/memory.c", "4.15")]
pub async fn zap_pte_range(cpu: &Cpu, vma: VmaId, from: u32, end: u32, gather: &mut MmuGather) -> u32 {
    let Some(table) = table_of(cpu, vma, from) else { return end };
    let mut addr = from;
    let mut full = false;
    cpu.lock_ptl(table).await;
    while addr < end && !full {
        let pte = cpu.read_pte(vma.mm, addr).await;
        if let Some(page) = vm_normal_page(pte) {
            cpu.ptep_get_and_clear(vma.mm, addr).await;
            page_remove_rmap(cpu, page).await;
            full = gather.add(page, usize::from(cpu.has(Patch::EncodedGather)));
        }
        addr += 1;
    }
    cpu.unlock_ptl(table).await;
    addr
}

/// tlb_flush_mmu: the TLB, then the pages, one batch of slots after the other.
#[kernel("mm/memory.c", "4.15")]
pub async fn tlb_flush_mmu(cpu: &Cpu, mm: u8, zone: u8, gather: &mut MmuGather) {
    if gather.chunks.is_empty() {
        return;
    }
    cpu.flush_tlb_mm(mm).await;
    for chunk in core::mem::take(&mut gather.chunks) {
        free_pages_and_swap_cache(cpu, zone, &chunk).await;
    }
}

/// free_pages_and_swap_cache: up to 6.8 this CPU's pagevecs are drained first; later pages go on in batches of 31. No
/// page is in the swap cache here.
#[kernel("mm/swap_state.c", "4.15")]
pub async fn free_pages_and_swap_cache(cpu: &Cpu, zone: u8, pages: &[Pfn]) {
    if !cpu.has(Patch::FolioBatch) {
        lru_add_drain(cpu).await;
        release_pages_list(cpu, zone, pages, Held::Map).await;
        return;
    }
    for folios in pages.chunks(31) {
        release_pages_list(cpu, zone, folios, Held::Map).await;
    }
}

/// release_pages (folios_put_refs from 6.9 on): drops a reference of each page; those without any leave their LRU list,
/// 32 pages under one lru_lock, and are freed together: up to 6.8 in the order of a list that was added to at its head.
#[kernel("mm/swap.c", "4.15")]
pub async fn release_pages_list(cpu: &Cpu, zone: u8, pages: &[Pfn], held: Held) {
    let me = cpu.id();
    let mut locked = false;
    let mut batch = 0;
    let mut dead = Vec::new();
    for &page in pages {
        if locked && !cpu.has(Patch::FolioBatch) {
            batch += 1;
            if batch == SWAP_CLUSTER_MAX {
                cpu.unlock_lru_irq(zone).await;
                locked = false;
            }
        }
        if !cpu.put_page_testzero(page, Site::ReleasePages, held).await {
            continue;
        }
        if on_lru(cpu, page) {
            if !locked {
                cpu.lock_lru_irq(zone).await;
                (locked, batch) = (true, 0);
            }
            off_lru(cpu, page).await;
        }
        if cpu.has(Patch::FolioBatch) {
            dead.push(page);
        } else {
            cpu.area_add(AreaList::Dead { cpu: me }, false, page).await;
        }
    }
    if locked {
        cpu.unlock_lru_irq(zone).await;
    }
    free_collected(cpu, zone, &dead).await;
}

/// `__page_cache_release` under lru_lock.
#[kernel("mm/swap.c", "4.15")]
pub async fn off_lru(cpu: &Cpu, page: Pfn) {
    let lru = cpu.page(page).lru();
    cpu.plain_clear_page_lru(page).await;
    del_page_from_lru_list(cpu, page, lru).await;
    if cpu.page(page).has(PageFlag::Active) {
        cpu.plain_clear_page_active(page).await;
    }
}

#[look]
fn on_lru(cpu: &Cpu, page: Pfn) -> bool {
    cpu.page(page).has(PageFlag::Lru)
}

// Mapping of a VMA, and what to subtract from an address for the index in it.
#[look]
fn area_of(cpu: &Cpu, vma: VmaId) -> (u16, u32) {
    let machine = cpu.machine();
    let area = machine.vma(vma);
    (area.mapping, area.start - area.pgoff)
}

#[look]
fn range_of(cpu: &Cpu, vma: VmaId) -> (u32, u32) {
    let machine = cpu.machine();
    let area = machine.vma(vma);
    (area.start, area.end)
}
