//! mm/rmap.c, mm/swapfile.c: unmapping anonymous pages, to swap or for good.

use sim_macros::{kernel, look};

use super::Patch;
use super::memcontrol::add_mm_counter;
use super::rmap_walk::Walk;
use crate::engine::Cpu;
use crate::ledger::How;
use crate::machine::{LockClass, Member, NIL, PTE_EXCLUSIVE, PTE_SOFT_DIRTY, PTE_UFFD_WP, PageFlag, Pfn, swap_pte};
use crate::op::Note;

/// A page of MADV_FREE: gone, unless it was written to since or somebody else holds it. Where it stays, 6.3 puts its PTE
/// back and lets it be swapped like any other. The map count of a large folio is added up page by page.
#[kernel("mm/rmap.c", "6.3")]
pub async fn lazyfree_pte(cpu: &Cpu, walk: Walk, pte: u32) -> bool {
    let Walk { folio, vma, .. } = walk;
    cpu.smp_mb().await;
    let refs = cpu.folio_ref_count(folio).await;
    let maps = folio_mapcount(cpu, folio).await;
    if refs == 1 + maps && !cpu.page(folio).has(PageFlag::Dirty) {
        cpu.note(Note::Notify, folio, walk.addr).await;
        if !cpu.has(Patch::SingleExits) {
            add_mm_counter(cpu, vma.mm, Member::Anon, -1).await;
        }
        return true;
    }
    if cpu.has(Patch::SingleExits) {
        cpu.change_flag(PageFlag::Swapbacked, How::Set, folio).await;
        cpu.put_pte(vma.mm, walk.index, walk.addr, pte).await;
    } else {
        cpu.put_pte(vma.mm, walk.index, walk.addr, pte).await;
        cpu.change_flag(PageFlag::Swapbacked, How::Set, folio).await;
    }
    false
}

/// folio_mapcount: of a large folio the sum over its pages, unless none is mapped; from 6.10 on one count says it.
#[kernel("include/linux/mm.h", "6.3")]
pub async fn folio_mapcount(cpu: &Cpu, folio: Pfn) -> u32 {
    let page = cpu.page(folio);
    let state = cpu.machine().rmap().folios[folio as usize];
    if page.nr() == 1 {
        return cpu.page_mapcount(folio).await;
    }
    if cpu.has(Patch::LazyfreeBatch) {
        cpu.page_mapcount(folio).await;
        return state.large as u32;
    }
    let mut sum = state.entire as u32;
    if state.nr_mapped & (crate::machine::COMPOUND_MAPPED - 1) == 0 {
        return sum;
    }
    for page in folio..folio + page.nr() {
        sum += cpu.page_mapcount(page).await;
    }
    sum
}

/// A page of the swap cache: its PTE becomes a swap entry. Where that can't be, everything is as it was.
#[kernel("mm/rmap.c", "6.3")]
pub async fn swap_out_pte(cpu: &Cpu, walk: Walk, subpage: Pfn, pte: u32) -> bool {
    let Walk { folio, vma, .. } = walk;
    let entry = swap_entry(cpu, folio) + (subpage - folio);
    if !swap_duplicate(cpu, entry).await {
        cpu.put_pte(vma.mm, walk.index, walk.addr, pte).await;
        return false;
    }
    let exclusive = cpu.page(subpage).has(PageFlag::AnonExclusive);
    if exclusive && !page_try_share_anon_rmap(cpu, folio, subpage).await {
        swap_free(cpu, entry).await;
        cpu.put_pte(vma.mm, walk.index, walk.addr, pte).await;
        return false;
    }
    if !on_mmlist(cpu, vma.mm) {
        cpu.lock_spin(LockClass::MmList, false, 0).await;
        cpu.mmlist_add(vma.mm).await;
        cpu.unlock_spin(LockClass::MmList, false, 0).await;
    }
    if !cpu.has(Patch::SingleExits) {
        add_mm_counter(cpu, vma.mm, Member::Anon, -1).await;
    }
    add_mm_counter(cpu, vma.mm, Member::Swap, 1).await;
    let bits = pte & (PTE_SOFT_DIRTY | PTE_UFFD_WP) | if exclusive { PTE_EXCLUSIVE } else { 0 };
    cpu.put_pte(vma.mm, walk.index, walk.addr, swap_pte(entry) | bits).await;
    if !cpu.has(Patch::LazyfreeBatch) {
        cpu.note(Note::Notify, folio, walk.addr).await;
    }
    true
}

/// swap_duplicate: one entry more. Fails where the count is full and no page for its continuation can be had.
#[kernel("mm/swapfile.c", "6.3")]
pub async fn swap_duplicate(cpu: &Cpu, entry: u32) -> bool {
    cpu.lock_spin(LockClass::SwapCluster, false, 0).await;
    let done = cpu.swap_map_inc(entry).await;
    cpu.unlock_spin(LockClass::SwapCluster, false, 0).await;
    done
}

/// swap_free: one entry less.
#[kernel("mm/swapfile.c", "6.3")]
pub async fn swap_free(cpu: &Cpu, entry: u32) {
    cpu.lock_spin(LockClass::SwapCluster, false, 0).await;
    cpu.swap_map_dec(entry).await;
    cpu.unlock_spin(LockClass::SwapCluster, false, 0).await;
}

/// page_try_share_anon_rmap: the page is no longer its owner's alone. Not where DMA may be going on.
#[kernel("include/linux/rmap.h", "6.3")]
pub async fn page_try_share_anon_rmap(cpu: &Cpu, folio: Pfn, subpage: Pfn) -> bool {
    cpu.smp_mb().await;
    if maybe_dma_pinned(cpu, folio) {
        return false;
    }
    cpu.change_flag(PageFlag::AnonExclusive, How::PlainClear, subpage).await;
    cpu.smp_mb().await;
    true
}

#[look]
fn maybe_dma_pinned(cpu: &Cpu, folio: Pfn) -> bool {
    cpu.machine().rmap().folios[folio as usize].pincount > 0
}

#[look]
fn on_mmlist(cpu: &Cpu, mm: u8) -> bool {
    cpu.machine().rmap().mms[usize::from(mm)].on_mmlist
}

// page_private of the folio: its first swap entry.
#[look]
fn swap_entry(cpu: &Cpu, folio: Pfn) -> u32 {
    let swap = cpu.machine().rmap().folios[folio as usize].swap;
    if swap == NIL { 0 } else { swap }
}
