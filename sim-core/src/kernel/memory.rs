//! mm/memory.c: page-table walks and the fault path.

use sim_macros::kernel;

use super::Patch;
use super::huge_memory::do_huge_pmd_anonymous_page;
use super::mlock::mlock_vma_page;
use super::mlock_batch::{mlock_folio, mlock_new_folio};
use super::mlock_pagevec::table_of;
use super::rmap::page_add_new_anon_rmap;
use super::swap::{add_page_to_unevictable_list, lru_add_drain, lru_cache_add, put_page, unlock_page};
use crate::engine::{Cpu, OUT_OF_MEMORY};
use crate::ledger::Site;
use crate::machine::{Event, HPAGE_PMD_NR, NIL, PTRS_PER_PTE, Pfn, Pmd, Stat, VmaId, pte_page};
use crate::op::Held;

/// vm_normal_page: the page of a PTE that is present and not special.
#[inline(always)]
pub fn vm_normal_page(pte: u32) -> Option<Pfn> {
    pte_page(pte)
}

/// follow_page_mask with FOLL_GET and FOLL_DUMP: the page at an address, pinned. `page_mask` becomes 511 at a huge
/// pmd, also for the huge zero page, which has no page to return. A pmd that has been split meanwhile is followed to
/// its PTE.
#[kernel("mm/memory.c", "3.11")]
pub async fn follow_page_mask(cpu: &Cpu, vma: VmaId, addr: u32, page_mask: &mut u32) -> Option<Pfn> {
    if !cpu.walk_page_table(vma.mm, addr).await {
        return None;
    }
    if table_of(cpu, vma, addr).is_none() {
        cpu.lock_page_table(vma.mm).await;
        if table_of(cpu, vma, addr).is_none() {
            return follow_trans_huge_pmd(cpu, vma, addr, page_mask).await;
        }
        // Waiting for the lock was waiting for the end of a split.
        cpu.unlock_page_table(vma.mm).await;
    }
    let table = table_of(cpu, vma, addr)?;
    cpu.lock_ptl(table).await;
    let page = vm_normal_page(cpu.read_pte(vma.mm, addr).await);
    if let Some(page) = page {
        cpu.get_page(page, Site::FollowPage, Held::Pin).await;
    }
    cpu.unlock_ptl(table).await;
    page
}

/// follow_trans_huge_pmd: under page_table_lock in 3.11, which the caller took and this releases.
#[kernel("mm/huge_memory.c", "3.11")]
pub async fn follow_trans_huge_pmd(cpu: &Cpu, vma: VmaId, addr: u32, page_mask: &mut u32) -> Option<Pfn> {
    let page = vm_normal_page(cpu.read_pte(vma.mm, addr).await);
    if let Some(page) = page {
        cpu.get_page(page, Site::FollowPage, Held::Pin).await;
    }
    *page_mask = HPAGE_PMD_NR - 1;
    cpu.unlock_page_table(vma.mm).await;
    page
}

/// get_locked_pte: walks to an address and keeps its page table locked. Returns that table.
#[kernel("mm/memory.c", "3.11")]
pub async fn get_locked_pte(cpu: &Cpu, vma: VmaId, addr: u32) -> Option<u32> {
    if !cpu.walk_page_table(vma.mm, addr).await {
        return None;
    }
    let table = table_of(cpu, vma, addr)?;
    cpu.lock_ptl(table).await;
    Some(table)
}

/// A write fault on anonymous memory: allocate, map, put on a list. mmap_sem is held by the caller.
#[kernel("mm/memory.c", "3.11")]
pub async fn do_anonymous_page(cpu: &Cpu, vma: VmaId, addr: u32, zone: u8) {
    cpu.count_vm_events(Event::Fault, 1).await;
    if cpu.pmd(vma.mm, addr) == Pmd::None {
        cpu.pmd_populate(vma.mm, addr / PTRS_PER_PTE).await;
    }
    let page = alloc_pages(cpu, zone, 0).await;
    let Some(table) = table_of(cpu, vma, addr) else { return };
    cpu.lock_ptl(table).await;
    // Another thread may have been faster.
    if vm_normal_page(cpu.machine().pte(vma.mm, addr)).is_some() {
        cpu.unlock_ptl(table).await;
        put_page(cpu, page, Held::Map).await;
        return;
    }
    let area = *cpu.machine().vma(vma);
    page_add_new_anon_rmap(cpu, page, area.mapping, addr - area.start + area.pgoff).await;
    lru_cache_add_new(cpu, page, area.locked).await;
    cpu.set_pte_at(vma.mm, addr, page).await;
    cpu.unlock_ptl(table).await;
}

/// Where a page that has just been mapped goes: in a locked VMA straight to the unevictable list (3.11), with its
/// pagevec and the flag (4.16), or into the mlock batch (5.18); else into the lru_add pagevec.
#[kernel("mm/memory.c", "3.11")]
pub async fn lru_cache_add_new(cpu: &Cpu, page: Pfn, locked: bool) {
    if locked && cpu.has(Patch::MlockBatch) {
        mlock_new_folio(cpu, page).await;
        return;
    }
    if locked {
        mlocked_vma_newpage(cpu, page).await;
        if !cpu.has(Patch::DrainDecides) {
            add_page_to_unevictable_list(cpu, page).await;
            return;
        }
    }
    lru_cache_add(cpu, page).await;
}

/// mlocked_vma_newpage: PG_mlocked on a page that nobody else sees yet.
#[kernel("mm/internal.h", "3.11")]
pub async fn mlocked_vma_newpage(cpu: &Cpu, page: Pfn) {
    if !cpu.test_set_page_mlocked(page).await {
        let (zone, nr) = super::mm_inline::zone_and_size(cpu, page);
        cpu.mod_zone_page_state(zone, Stat::Mlock, nr).await;
        cpu.count_vm_events(Event::Mlocked, 1).await;
    }
}

/// The page that comes next from a zone: the one freed last, else a fresh one, aligned to its order. Stands for the
/// page allocator with the free lists of one CPU.
#[kernel("mm/page_alloc.c", "3.11")]
pub async fn alloc_pages(cpu: &Cpu, zone: u8, order: u8) -> Pfn {
    let page = {
        let machine = cpu.machine();
        let zone = &machine.zones[zone as usize];
        if order == 0 && zone.freed != NIL { zone.freed } else { zone.fresh.next_multiple_of(1 << order) }
    };
    let end = { cpu.machine().zones[zone as usize].end };
    if page + (1 << order) > end {
        cpu.bug(OUT_OF_MEMORY, alloc::format!("zone {zone} has no free page of order {order}")).await;
    }
    cpu.take_free_page(zone, order, page).await;
    page
}

/// populate of a locked VMA (MAP_LOCKED, mlock): faults the page in, then follow_page with FOLL_TOUCH and FOLL_MLOCK.
/// From 5.18 on the fault alone does it; a page that is there already is mlocked by the walk of mlock, which has
/// drained this CPU's batches.
#[kernel("mm/mlock.c", "3.11")]
pub async fn mlock_vma_pages_populate(cpu: &Cpu, vma: VmaId, addr: u32, zone: u8, huge: bool) {
    let present = vm_normal_page(cpu.machine().pte(vma.mm, addr));
    if present.is_none() {
        if huge {
            do_huge_pmd_anonymous_page(cpu, vma, addr, zone).await;
        } else {
            do_anonymous_page(cpu, vma, addr, zone).await;
        }
    }
    if !cpu.has(Patch::MlockBatch) {
        follow_page_mlock(cpu, vma, addr).await;
    } else if let Some(folio) = present {
        lru_add_drain(cpu).await;
        mlock_folio(cpu, folio).await;
    }
}

/// follow_page with FOLL_TOUCH and FOLL_MLOCK: marks the page accessed, drains this CPU's pagevecs, mlocks the page.
#[kernel("mm/memory.c", "3.11")]
pub async fn follow_page_mlock(cpu: &Cpu, vma: VmaId, addr: u32) {
    let found = cpu.walk_page_table(vma.mm, addr).await;
    let table = table_of(cpu, vma, addr);
    if !found {
        return;
    }
    match table {
        Some(table) => cpu.lock_ptl(table).await,
        None => cpu.lock_page_table(vma.mm).await,
    }
    if let Some(page) = vm_normal_page(cpu.read_pte(vma.mm, addr).await) {
        cpu.set_page_referenced(page).await;
        if cpu.trylock_page(page).await {
            lru_add_drain(cpu).await;
            mlock_vma_page(cpu, page).await;
            unlock_page(cpu, page).await;
        }
    }
    match table {
        Some(table) => cpu.unlock_ptl(table).await,
        None => cpu.unlock_page_table(vma.mm).await,
    }
}

/// fork of one PTE: another address space maps the same page.
#[kernel("mm/memory.c", "3.11")]
pub async fn copy_one_pte(cpu: &Cpu, from: VmaId, to: VmaId, addr: u32) {
    if cpu.pmd(to.mm, addr) == Pmd::None {
        cpu.pmd_populate(to.mm, addr / PTRS_PER_PTE).await;
    }
    let (Some(source), Some(target)) = (table_of(cpu, from, addr), table_of(cpu, to, addr)) else { return };
    cpu.lock_ptl(target).await;
    cpu.lock_ptl(source).await;
    if let Some(page) = vm_normal_page(cpu.read_pte(from.mm, addr).await) {
        cpu.get_page(page, Site::Unmap, Held::Map).await;
        cpu.add_mapcount(page, 1).await;
        cpu.set_pte_at(to.mm, addr, page).await;
    }
    cpu.unlock_ptl(source).await;
    cpu.unlock_ptl(target).await;
}
