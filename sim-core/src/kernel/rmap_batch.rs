//! mm/rmap.c: try_to_unmap_one of 6.16 and later, which clears and flushes a run of PTEs at once.

use sim_macros::{kernel, look};

use super::Patch;
use super::memcontrol::{add_mm_counter, folio_test_anon, mm_counter};
use super::mlock_batch::{mlock_drain_local, mlock_folio};
use super::rmap_remove::folio_remove_rmap_ptes;
use super::rmap_swap::{folio_mapcount, swap_out_pte};
use super::rmap_unmap::{Ttu, folio_mark_dirty, range_index, vma_locked};
use super::rmap_walk::{Walk, page_vma_mapped_walk, page_vma_mapped_walk_done, vma_address_end};
use super::tlb::{flush_tlb_range, set_tlb_ubc_flush_pending, should_defer_flush};
use crate::engine::{Cpu, Milestone};
use crate::ledger::How;
use crate::machine::{
    Member, PTE_DIRTY, PTE_HWPOISON, PTE_SOFT_DIRTY, PTE_WRITE, PTE_YOUNG, PTRS_PER_PTE, PageFlag, Pfn, VmaId, pte_page,
};
use crate::op::{Look, Note};

/// Unmaps a folio from one VMA, run by run: lazyfree pages since 6.16, file pages since 7.0. A run that can't be unmapped
/// is put back whole. 7.1 sets the length of a run anew for each round, which matters for device entries alone. Departs in
/// leaving out huge pmds, hugetlb, device entries and uffd.
#[kernel("mm/rmap.c", "6.16")]
pub async fn try_to_unmap_one_(cpu: &Cpu, folio: Pfn, vma: VmaId, address: u32, ttu: Ttu) -> bool {
    let end = vma_address_end(cpu, folio, vma);
    let mut walk = Walk::new(folio, cpu.page(folio).nr(), vma, address, end, Look::Walk);
    walk.sync = ttu.sync;
    cpu.note(Note::NotifierStart, folio, 0).await;
    let mut unmapped = true;
    let mut locked_ptes = 0;
    while page_vma_mapped_walk(cpu, &mut walk).await {
        if !ttu.ignore_mlock && vma_locked(cpu, vma) {
            unmapped = false;
            locked_ptes += 1;
            if locked_ptes < walk.nr {
                continue;
            }
            if !walk.crossed {
                mlock_folio(cpu, folio).await;
            }
            page_vma_mapped_walk_done(cpu, &mut walk).await;
            break;
        }
        let pte = cpu.look_pte(Look::Read, vma.mm, walk.index, walk.addr).await;
        let subpage = pte_page(pte).unwrap_or(folio);
        let nr = folio_unmap_pte_batch(cpu, walk, pte, ttu).await;
        if !unmap_batch(cpu, walk, subpage, nr, ttu).await {
            page_vma_mapped_walk_done(cpu, &mut walk).await;
            unmapped = false;
            break;
        }
        folio_remove_rmap_ptes(cpu, folio, subpage, nr, vma).await;
        if vma_locked(cpu, vma) {
            mlock_drain_local(cpu).await;
        }
        cpu.ref_sub_and_test(folio, nr).await;
        if nr == walk.nr {
            page_vma_mapped_walk_done(cpu, &mut walk).await;
            break;
        }
    }
    cpu.note(Note::NotifierEnd, folio, u32::from(unmapped) | u32::from(vma.mm) << 1).await;
    unmapped
}

/// How many PTEs from here on map consecutive pages of the folio with the same bits, young and dirty apart; one where
/// they must be taken one by one. Until 6.19 the write and soft-dirty bits were not compared.
#[kernel("mm/rmap.c", "6.16")]
pub async fn folio_unmap_pte_batch(cpu: &Cpu, walk: Walk, first: u32, ttu: Ttu) -> u32 {
    if ttu.hwpoison || walk.nr == 1 || takes_one(cpu, walk.folio) {
        return 1;
    }
    let mut ignored = PTE_YOUNG | PTE_DIRTY;
    if !cpu.has(Patch::FileBatch) {
        ignored |= PTE_WRITE | PTE_SOFT_DIRTY;
    }
    let left = (walk.folio + walk.nr).saturating_sub(pte_page(first).unwrap_or(walk.folio));
    let in_vma = walk.end - walk.addr;
    let in_table = PTRS_PER_PTE - u32::from(walk.index);
    let max = left.min(in_vma).min(in_table);
    let mut nr = 1;
    while nr < max {
        let pte = cpu.look_pte(Look::Ahead, walk.vma.mm, walk.index + nr as u16, walk.addr + nr).await;
        if pte & !ignored != (first & !ignored) + nr {
            break;
        }
        nr += 1;
    }
    nr
}

/// Clears a run, flushes it, and does what its kind of page asks for. False where it must stay mapped: put back whole.
#[kernel("mm/rmap.c", "6.16")]
pub async fn unmap_batch(cpu: &Cpu, walk: Walk, subpage: Pfn, nr: u32, ttu: Ttu) -> bool {
    let Walk { folio, vma, .. } = walk;
    let pte = get_and_clear_ptes(cpu, walk, nr).await;
    if should_defer_flush(cpu, vma.mm, ttu) {
        set_tlb_ubc_flush_pending(cpu, vma.mm, pte).await;
    } else {
        flush_tlb_range(cpu, vma.mm, walk.addr, nr).await;
    }
    if pte & PTE_DIRTY != 0 {
        folio_mark_dirty(cpu, folio).await;
    }
    cpu.update_hiwater_rss(vma.mm).await;
    cpu.note(Note::HwpoisonTest, subpage, 0).await;
    let member = mm_counter(cpu, folio);
    if cpu.page(subpage).has(PageFlag::Hwpoison) && ttu.hwpoison {
        add_mm_counter(cpu, vma.mm, member, -1).await;
        cpu.put_pte(vma.mm, walk.index, walk.addr, PTE_HWPOISON).await;
        return true;
    }
    if !folio_test_anon(cpu, folio) {
        add_mm_counter(cpu, vma.mm, member, -(nr as i32)).await;
        return true;
    }
    let page = cpu.page(folio);
    if page.has(PageFlag::Swapbacked) != page.has(PageFlag::SwapCache) {
        cpu.note(Note::Warn, folio, 0).await;
        return false;
    }
    if page.has(PageFlag::Swapbacked) {
        return swap_out_pte(cpu, walk, subpage, pte).await;
    }
    lazyfree_batch(cpu, walk, pte, nr).await
}

/// A run of lazyfree pages: gone, unless it was written to or somebody else holds the folio. Only what was written to
/// becomes swappable again.
#[kernel("mm/rmap.c", "6.16")]
pub async fn lazyfree_batch(cpu: &Cpu, walk: Walk, pte: u32, nr: u32) -> bool {
    let Walk { folio, vma, .. } = walk;
    cpu.smp_mb().await;
    let refs = cpu.folio_ref_count(folio).await;
    let maps = folio_mapcount(cpu, folio).await;
    let dirty = cpu.page(folio).has(PageFlag::Dirty);
    if !dirty && refs == 1 + maps {
        add_mm_counter(cpu, vma.mm, Member::Anon, -(nr as i32)).await;
        return true;
    }
    if dirty {
        cpu.change_flag(PageFlag::Swapbacked, How::Set, folio).await;
    }
    for i in 0..nr {
        cpu.put_pte(vma.mm, walk.index + i as u16, walk.addr + i, pte + i).await;
    }
    false
}

/// get_and_clear_ptes: each entry by an exchange; the first one's value with the dirty and young bits of all.
#[kernel("mm/internal.h", "6.16")]
pub async fn get_and_clear_ptes(cpu: &Cpu, walk: Walk, nr: u32) -> u32 {
    let mut first = 0;
    for i in 0..nr {
        let at = Walk { index: walk.index + i as u16, addr: walk.addr + i, ..walk };
        cpu.milestone(Milestone::LoopAt(range_index(cpu, at)));
        let pte = cpu.xchg_pte(at.vma.mm, at.index, at.addr).await;
        first = if i == 0 { pte } else { first | pte & (PTE_DIRTY | PTE_YOUNG) };
    }
    first
}

// Swapbacked anonymous pages go one by one, and before 7.0 those of files.
#[look]
fn takes_one(cpu: &Cpu, folio: Pfn) -> bool {
    let page = cpu.page(folio);
    if folio_test_anon(cpu, folio) { page.has(PageFlag::Swapbacked) } else { !cpu.has(Patch::FileBatch) }
}
