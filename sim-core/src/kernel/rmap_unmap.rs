//! mm/rmap.c: try_to_unmap_one of 6.3, as it was and as the series makes it, patch by patch.

use sim_macros::{kernel, look};

use super::Patch;
use super::memcontrol::{add_mm_counter, folio_test_anon, mm_counter};
use super::mlock_batch::{mlock_drain_local, mlock_folio};
use super::rmap_remove::{folio_remove_rmap_range, is_large, page_remove_rmap};
use super::rmap_swap::{lazyfree_pte, swap_out_pte};
use super::rmap_walk::{Walk, page_vma_mapped_walk, page_vma_mapped_walk_done, vma_address_end};
use super::tlb::{ptep_clear_flush, set_tlb_ubc_flush_pending, should_defer_flush};
use crate::engine::{Cpu, Milestone};
use crate::ledger::{How, Site};
use crate::machine::{PTE_DIRTY, PTE_HWPOISON, PTRS_PER_PTE, PageFlag, Pfn, VmaId, pte_page};
use crate::op::{Held, Look, Note};

/// TTU_ flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ttu {
    /// TTU_BATCH_FLUSH
    pub batch_flush: bool,
    /// TTU_SYNC
    pub sync: bool,
    /// TTU_HWPOISON
    pub hwpoison: bool,
    /// TTU_IGNORE_MLOCK
    pub ignore_mlock: bool,
}

/// Unmaps a folio from one VMA. False where a page could not be unmapped: the caller gives the folio up.
///
/// Until patch 4 each PTE is finished before the next: cleared, flushed, counted, its reference dropped. Patch 5 clears
/// and flushes each one and counts a run of them at once. Departs from 6.3 in leaving out the branch of hugetlb folios,
/// which patch 1 makes a function of its own, and the split of a pmd.
#[kernel("mm/rmap.c", "6.3")]
pub async fn try_to_unmap_one(cpu: &Cpu, folio: Pfn, vma: VmaId, address: u32, ttu: Ttu) -> bool {
    cpu.page_head_huge(folio).await;
    cpu.page_head_huge(folio).await;
    let end = vma_address_end(cpu, folio, vma);
    let mut walk = Walk::new(folio, cpu.page(folio).nr(), vma, address, end, Look::Walk);
    walk.sync = ttu.sync;
    cpu.note(Note::NotifierStart, folio, 0).await;
    let mut unmapped = true;
    let mut start = None;
    let mut count = 0;
    while page_vma_mapped_walk(cpu, &mut walk).await {
        if !ttu.ignore_mlock && vma_locked(cpu, vma) {
            if cpu.has(Patch::RmapBatch) && !cpu.has(Patch::RfcMlockExit) {
                folio_remove_rmap_and_update_count(cpu, walk, start, count).await;
            }
            mlock_vma_folio(cpu, folio).await;
            page_vma_mapped_walk_done(cpu, &mut walk).await;
            unmapped = false;
            break;
        }
        if cpu.has(Patch::RmapBatch) {
            cpu.page_head_huge(folio).await;
            if start.is_none() {
                start = Some(read_page(cpu, walk).await);
            }
            if !try_to_unmap_one_page(cpu, walk, ttu).await {
                folio_remove_rmap_and_update_count(cpu, walk, start, count).await;
                page_vma_mapped_walk_done(cpu, &mut walk).await;
                unmapped = false;
                break;
            }
            count += 1;
            if pvmw_walk_skip_or_end_on_next(cpu, &mut walk).await {
                folio_remove_rmap_and_update_count(cpu, walk, start, count).await;
                count = 0;
                start = None;
            }
            continue;
        }
        if !unmap_one_by_one(cpu, walk, ttu).await {
            page_vma_mapped_walk_done(cpu, &mut walk).await;
            unmapped = false;
            break;
        }
    }
    cpu.note(Note::NotifierEnd, folio, u32::from(unmapped) | u32::from(vma.mm) << 1).await;
    unmapped
}

/// One round of the loop without batches: unmap, remove the reverse map, drop the reference. In 6.3 a part of
/// try_to_unmap_one.
#[kernel("mm/rmap.c", "6.3")]
pub async fn unmap_one_by_one(cpu: &Cpu, walk: Walk, ttu: Ttu) -> bool {
    let folio = walk.folio;
    if cpu.has(Patch::SplitHugetlb) {
        cpu.page_head_huge(folio).await;
    }
    let subpage = read_page(cpu, walk).await;
    if !cpu.has(Patch::SplitHugetlb) {
        cpu.page_head_huge(folio).await;
    }
    let done = if cpu.has(Patch::UnmapOnePage) {
        try_to_unmap_one_page(cpu, walk, ttu).await
    } else {
        unmap_one_pte(cpu, walk, subpage, ttu).await
    };
    if !done {
        return false;
    }
    if !cpu.has(Patch::SingleExits) {
        cpu.page_head_huge(folio).await;
    }
    page_remove_rmap(cpu, folio, subpage).await;
    if vma_locked(cpu, walk.vma) {
        mlock_drain_local(cpu).await;
    }
    cpu.put_page_testzero(folio, Site::Unmap, Held::Map).await;
    true
}

/// Patch 2: what is done with one PTE, in a function of its own. Walk and range are passed by value. Patch 3 gives it
/// one exit for success, where the counter of the address space is lowered.
#[kernel("mm/rmap.c", "patch 2")]
pub async fn try_to_unmap_one_page(cpu: &Cpu, walk: Walk, ttu: Ttu) -> bool {
    cpu.remark(Note::ByValue).await;
    let subpage = read_page(cpu, walk).await;
    unmap_one_pte(cpu, walk, subpage, ttu).await
}

/// Clears the PTE, flushes its address, and does what its kind of page asks for. In 6.3 a part of try_to_unmap_one,
/// from patch 2 on of try_to_unmap_one_page. False where the page must stay mapped: its PTE is as it was.
#[kernel("mm/rmap.c", "6.3")]
pub async fn unmap_one_pte(cpu: &Cpu, walk: Walk, subpage: Pfn, ttu: Ttu) -> bool {
    let Walk { folio, vma, .. } = walk;
    cpu.milestone(Milestone::LoopAt(range_index(cpu, walk)));
    let pte = clear_pte(cpu, walk, ttu).await;
    if pte & PTE_DIRTY != 0 {
        let dirty = cpu.has(Patch::SingleExits) && cpu.page(folio).has(PageFlag::Dirty);
        if !dirty {
            folio_mark_dirty(cpu, folio).await;
        }
    }
    cpu.update_hiwater_rss(vma.mm).await;
    cpu.note(Note::HwpoisonTest, subpage, 0).await;
    let member = mm_counter(cpu, folio);
    let poisoned = cpu.page(subpage).has(PageFlag::Hwpoison);
    let wanted = if cpu.has(Patch::RfcPolarity) { !ttu.hwpoison } else { ttu.hwpoison };
    if poisoned && wanted {
        if cpu.has(Patch::SingleExits) {
            cpu.put_pte(vma.mm, walk.index, walk.addr, PTE_HWPOISON).await;
        } else {
            add_mm_counter(cpu, vma.mm, member, -1).await;
            cpu.put_pte(vma.mm, walk.index, walk.addr, PTE_HWPOISON).await;
            return true;
        }
    } else if folio_test_anon(cpu, folio) {
        if !unmap_anon_pte(cpu, walk, subpage, pte).await {
            return false;
        }
        if !cpu.has(Patch::SingleExits) {
            return true;
        }
    }
    add_mm_counter(cpu, vma.mm, member, -1).await;
    true
}

/// The branches of anonymous pages. Until patch 3 each lowers the counters itself.
#[kernel("mm/rmap.c", "6.3")]
pub async fn unmap_anon_pte(cpu: &Cpu, walk: Walk, subpage: Pfn, pte: u32) -> bool {
    let page = cpu.page(walk.folio);
    if page.has(PageFlag::Swapbacked) != page.has(PageFlag::SwapCache) {
        cpu.note(Note::Warn, walk.folio, 0).await;
        cpu.note(Note::Notify, walk.folio, walk.addr).await;
        return false;
    }
    if page.has(PageFlag::Swapbacked) {
        return swap_out_pte(cpu, walk, subpage, pte).await;
    }
    lazyfree_pte(cpu, walk, pte).await
}

/// Clears the PTE and flushes, at once or later.
#[kernel("mm/rmap.c", "6.3")]
pub async fn clear_pte(cpu: &Cpu, walk: Walk, ttu: Ttu) -> u32 {
    if should_defer_flush(cpu, walk.vma.mm, ttu) {
        let pte = cpu.xchg_pte(walk.vma.mm, walk.index, walk.addr).await;
        set_tlb_ubc_flush_pending(cpu, walk.vma.mm, pte).await;
        return pte;
    }
    ptep_clear_flush(cpu, walk).await
}

/// Patch 5: what is due for a run of PTEs: the reverse map, the mlock batch, the references by one atomic.
#[kernel("mm/rmap.c", "patch 5")]
pub async fn folio_remove_rmap_and_update_count(cpu: &Cpu, walk: Walk, start: Option<Pfn>, count: u32) {
    let Some(first) = start else { return };
    if count == 0 {
        return;
    }
    cpu.page_head_huge(walk.folio).await;
    folio_remove_rmap_range(cpu, walk.folio, first, count).await;
    if vma_locked(cpu, walk.vma) {
        mlock_drain_local(cpu).await;
    }
    cpu.ref_sub(walk.folio, count).await;
}

/// Patch 5: a run ends at the folio's or the VMA's end, at the end of a page table, and where the next entry does not
/// map the folio. As posted, the entry of the walk is not stepped back where the next one is none.
#[kernel("include/linux/rmap.h", "patch 5")]
pub async fn pvmw_walk_skip_or_end_on_next(cpu: &Cpu, walk: &mut Walk) -> bool {
    let next = walk.addr + 1;
    if next >= walk.end() || next.is_multiple_of(PTRS_PER_PTE) {
        return true;
    }
    walk.index += 1;
    let pte = cpu.look_pte(Look::Ahead, walk.vma.mm, walk.index, walk.addr).await;
    if pte == crate::machine::PTE_NONE {
        if !cpu.has(Patch::RfcLookahead) {
            walk.index -= 1;
        }
        return true;
    }
    walk.index -= 1;
    !walk.maps(pte)
}

/// The page that the entry of the walk maps.
#[kernel("mm/rmap.c", "6.3")]
pub async fn read_page(cpu: &Cpu, walk: Walk) -> Pfn {
    let pte = cpu.look_pte(Look::Read, walk.vma.mm, walk.index, walk.addr).await;
    pte_page(pte).unwrap_or(walk.folio)
}

/// folio_mark_dirty: clears the reclaim flag if it is set, then sets the dirty one. The file system's part is left out.
#[kernel("mm/page-writeback.c", "6.3")]
pub async fn folio_mark_dirty(cpu: &Cpu, folio: Pfn) {
    if cpu.page(folio).has(PageFlag::Reclaim) {
        cpu.change_flag(PageFlag::Reclaim, How::Clear, folio).await;
    }
    cpu.change_flag(PageFlag::Dirty, How::TestSet, folio).await;
}

/// mlock_vma_folio: a folio that is mapped by PTEs is mlocked only when it is small.
#[kernel("mm/internal.h", "6.3")]
pub async fn mlock_vma_folio(cpu: &Cpu, folio: Pfn) {
    if !is_large(cpu, folio) {
        mlock_folio(cpu, folio).await;
    }
}

/// VM_LOCKED, which another CPU may set meanwhile.
#[look]
pub(super) fn vma_locked(cpu: &Cpu, vma: VmaId) -> bool {
    cpu.machine().vma(vma).locked
}

/// Number of the page in the range, which the entry maps.
#[look]
pub(super) fn range_index(cpu: &Cpu, walk: Walk) -> u32 {
    let area = *cpu.machine().vma(walk.vma);
    (walk.addr - walk.addr % PTRS_PER_PTE + u32::from(walk.index)).saturating_sub(area.start)
}
