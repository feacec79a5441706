//! mm/rmap.c of 2015 and later for small anonymous pages: who uses a page, and taking it away from them.

use sim_macros::{kernel, look};

use super::Patch;
use super::memory_swap::add_rss;
use super::mlock_pagevec::table_of;
use super::mm_inline::zone_and_size;
use super::swap::put_page;
use super::swapfile::swap_duplicate;
use crate::engine::Cpu;
use crate::machine::{
    LockClass, NO_MAPPING, PTE_DIRTY, PTE_EXCLUSIVE, PTE_SWAP, PTE_YOUNG, PageFlag, Pfn, Rss, Stat, VmaId, pte_page,
};
use crate::op::Held;

/// What try_to_unmap is asked to do with a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ttu {
    /// TTU_UNMAP: a swap entry takes the place of each PTE; a page without PG_swapbacked is discarded (4.12).
    Unmap,
    /// TTU_FREE alone (2015): the page is discarded if it is clean.
    Free,
    /// TTU_LZFREE (4.5): discarded if clean, else as [`Ttu::Unmap`].
    Lazyfree,
}

/// What became of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmapped {
    /// SWAP_SUCCESS: nobody maps it.
    Success,
    /// SWAP_LZFREE: nobody maps it, and nobody will ask for what is in it.
    Lazyfree,
    /// SWAP_FAIL: it is in use, or dirty where it must not be.
    Fail,
}

/// A VMA of an anon_vma.
#[look]
#[inline(always)]
fn mapper(cpu: &Cpu, mapping: u32, at: usize) -> Option<VmaId> {
    cpu.machine().mappings[mapping as usize].vmas.get(at).copied()
}

/// vma_address: where a VMA would map a page.
#[look]
#[inline(always)]
fn vma_address(cpu: &Cpu, page: Pfn, vma: VmaId) -> Option<u32> {
    let index = cpu.page(page).index;
    let area = *cpu.machine().vma(vma);
    let inside = index >= area.pgoff && index - area.pgoff < area.end - area.start;
    inside.then(|| area.start + (index - area.pgoff))
}

/// page_referenced: how many PTEs have been used since the last look, and whether one of them is dirty, which the base
/// of 2015 wants to know too.
#[kernel("mm/rmap.c", "4.0")]
pub async fn page_referenced(cpu: &Cpu, page: Pfn) -> (u32, bool) {
    let mut found = (0, false);
    if cpu.page_mapcount(page).await == 0 || cpu.page(page).mapping == NO_MAPPING {
        return found;
    }
    let mapping = u32::from(cpu.page(page).mapping);
    cpu.down(LockClass::AnonVma, false, mapping).await;
    let mut at = 0;
    while let Some(vma) = mapper(cpu, mapping, at) {
        let (young, dirty) = page_referenced_one(cpu, page, vma).await;
        found.0 += u32::from(young);
        found.1 |= dirty;
        at += 1;
    }
    cpu.up(LockClass::AnonVma, false, mapping).await;
    found
}

/// One VMA: takes the young bit out of its PTE.
#[kernel("mm/rmap.c", "4.0")]
pub async fn page_referenced_one(cpu: &Cpu, page: Pfn, vma: VmaId) -> (bool, bool) {
    let Some(addr) = vma_address(cpu, page, vma) else { return (false, false) };
    let Some(table) = table_of(cpu, vma, addr) else { return (false, false) };
    cpu.lock_ptl(table).await;
    let pte = cpu.read_pte(vma.mm, addr).await;
    let maps = pte_page(pte) == Some(page);
    let young = maps && pte & PTE_YOUNG != 0 && cpu.ptep_test_and_clear_young(vma.mm, addr).await;
    cpu.unlock_ptl(table).await;
    (young, maps && pte & PTE_DIRTY != 0)
}

/// try_to_unmap: takes a locked page out of every PTE.
#[kernel("mm/rmap.c", "4.0")]
pub async fn try_to_unmap(cpu: &Cpu, page: Pfn, ttu: Ttu) -> Unmapped {
    let mapping = u32::from(cpu.page(page).mapping);
    cpu.down(LockClass::AnonVma, false, mapping).await;
    let mut result = Unmapped::Success;
    let mut at = 0;
    while let Some(vma) = mapper(cpu, mapping, at) {
        let one = try_to_unmap_one(cpu, page, vma, ttu).await;
        at += 1;
        if one != Unmapped::Success {
            result = one;
        }
        if one == Unmapped::Fail || cpu.page(page).mapcount == 0 {
            break;
        }
    }
    cpu.up(LockClass::AnonVma, false, mapping).await;
    if result != Unmapped::Fail && cpu.page(page).mapcount > 0 {
        return Unmapped::Fail;
    }
    result
}

/// One VMA. The PTE is taken first, so that no store can slip in between the look and the change.
#[kernel("mm/rmap.c", "4.0")]
pub async fn try_to_unmap_one(cpu: &Cpu, page: Pfn, vma: VmaId, ttu: Ttu) -> Unmapped {
    let Some(addr) = vma_address(cpu, page, vma) else { return Unmapped::Success };
    let Some(table) = table_of(cpu, vma, addr) else { return Unmapped::Success };
    cpu.lock_ptl(table).await;
    let pte = cpu.read_pte(vma.mm, addr).await;
    if pte_page(pte) != Some(page) {
        cpu.unlock_ptl(table).await;
        return Unmapped::Success;
    }
    if pte & PTE_YOUNG != 0 && cpu.ptep_test_and_clear_young(vma.mm, addr).await {
        cpu.unlock_ptl(table).await;
        return Unmapped::Fail;
    }
    let pte = cpu.ptep_get_and_clear_full(vma.mm, addr).await;
    cpu.flush_tlb(vma.mm).await;
    let result = unmap_cleared(cpu, page, vma, addr, pte, ttu).await;
    if result != Unmapped::Fail {
        page_remove_anon_rmap(cpu, page).await;
        put_page(cpu, page, Held::Map).await;
    }
    cpu.unlock_ptl(table).await;
    result
}

/// What takes the place of a PTE that has been cleared: nothing, a swap entry, or the PTE again.
#[kernel("mm/rmap.c", "4.0")]
pub async fn unmap_cleared(cpu: &Cpu, page: Pfn, vma: VmaId, addr: u32, pte: u32, ttu: Ttu) -> Unmapped {
    if pte & PTE_DIRTY != 0 {
        cpu.set_page_dirty(page).await;
    }
    if ttu == Ttu::Free {
        if cpu.test_page(PageFlag::Dirty, page).await {
            cpu.set_pte_at(vma.mm, addr, pte).await;
            return Unmapped::Fail;
        }
        add_rss(cpu, vma.mm, Rss::Anon, -1).await;
        return Unmapped::Lazyfree;
    }
    if cpu.has(Patch::LazyFileList) && !cpu.test_page(PageFlag::Swapbacked, page).await {
        if cpu.test_page(PageFlag::Dirty, page).await || is_pinned(cpu, page) {
            cpu.set_pte_at(vma.mm, addr, pte).await;
            cpu.set_page_swapbacked_again(page).await;
            return Unmapped::Fail;
        }
        add_rss(cpu, vma.mm, Rss::Anon, -1).await;
        return Unmapped::Lazyfree;
    }
    if ttu == Ttu::Lazyfree && !cpu.test_page(PageFlag::Dirty, page).await {
        add_rss(cpu, vma.mm, Rss::Anon, -1).await;
        return Unmapped::Lazyfree;
    }
    if !cpu.page(page).has(PageFlag::SwapCache) {
        cpu.set_pte_at(vma.mm, addr, pte).await;
        return Unmapped::Fail;
    }
    let slot = cpu.page_private(page);
    swap_duplicate(cpu, slot).await;
    add_rss(cpu, vma.mm, Rss::Anon, -1).await;
    add_rss(cpu, vma.mm, Rss::Swap, 1).await;
    let exclusive = if cpu.has(Patch::SwapTable) { PTE_EXCLUSIVE } else { 0 };
    cpu.set_pte_at(vma.mm, addr, PTE_SWAP | slot | exclusive).await;
    Unmapped::Success
}

/// Somebody but the mappings and the isolator holds the page. Asked from 4.12 on, as far as the model goes.
#[look]
fn is_pinned(cpu: &Cpu, page: Pfn) -> bool {
    let page = cpu.page(page);
    page.count > page.mapcount + 1
}

/// page_remove_rmap of an anonymous page, lazy or not.
#[kernel("mm/rmap.c", "4.0")]
pub async fn page_remove_anon_rmap(cpu: &Cpu, page: Pfn) {
    if cpu.add_mapcount(page, -1).await == 0 {
        let (zone, nr) = zone_and_size(cpu, page);
        cpu.mod_zone_page_state(zone, Stat::AnonPages, -nr).await;
    }
}

/// do_page_add_anon_rmap: a PTE more maps an anonymous page.
#[kernel("mm/rmap.c", "4.0")]
pub async fn page_add_anon_rmap(cpu: &Cpu, page: Pfn, mapping: u16, index: u32) {
    if cpu.add_mapcount(page, 1).await == 1 {
        let (zone, nr) = zone_and_size(cpu, page);
        cpu.mod_zone_page_state(zone, Stat::AnonPages, nr).await;
        cpu.set_page_mapping(page, mapping, index).await;
    }
}
