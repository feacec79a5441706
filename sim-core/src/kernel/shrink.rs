//! mm/vmscan.c: shrink_folio_list, for folios that somebody wants to reclaim.

use alloc::vec::Vec;

use sim_macros::{kernel, look};

use super::Patch;
use super::memcontrol::{__mod_lruvec_page_state, folio_test_anon};
use super::rmap_remove::is_large;
use super::rmap_unmap::{Ttu, vma_locked};
use super::rmap_walk::{
    Walk, folio_mapped, page_vma_mapped_walk, page_vma_mapped_walk_done, try_to_unmap, vma_address, vma_address_end,
    vmas_of,
};
use super::swap::{cond_resched, unlock_page};
use super::tlb::{try_to_unmap_flush, try_to_unmap_flush_dirty};
use super::vmscan::putback_lru_page;
use crate::engine::Cpu;
use crate::ledger::{How, Site};
use crate::machine::{Event, LockClass, PageFlag, Pfn, Stat, VmaId};
use crate::op::{Held, Look};

/// Folios of a batch that are flushed and freed together (6.9 and later).
const FOLIO_BATCH: usize = 31;

/// What becomes of a folio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It has no users left.
    Reclaimed,
    /// Back to its list.
    Kept,
    /// Back to the active list.
    Activated,
}

/// Reclaims the folios of a list, one after the other; returns how many pages that were. In 6.3 a large folio is freed
/// at once, a small one at the end after the flush; from 6.9 on all are freed in batches, each after its flush.
///
/// Departs from the kernel in that nothing is written: a dirty folio is activated, and one that was swapped out stays in
/// the swap cache.
#[kernel("mm/vmscan.c", "6.3", pauses)]
pub async fn shrink_folio_list(cpu: &Cpu, folios: &[Pfn], ignore_references: bool) -> u32 {
    let mut reclaimed = 0;
    let mut free = Vec::new();
    for &folio in folios {
        cond_resched(cpu).await;
        match shrink_folio(cpu, folio, ignore_references).await {
            Fate::Reclaimed => {
                reclaimed += cpu.page(folio).nr();
                if is_large(cpu, folio) && !cpu.has(Patch::FlushBeforeFree) {
                    free_folio(cpu, folio).await;
                } else {
                    free.push(folio);
                }
            }
            fate => put_back(cpu, folio, fate).await,
        }
        if cpu.has(Patch::FlushBeforeFree) && free.len() == FOLIO_BATCH {
            try_to_unmap_flush(cpu).await;
            free_folios(cpu, &free).await;
            free.clear();
        }
    }
    try_to_unmap_flush(cpu).await;
    free_folios(cpu, &free).await;
    reclaimed
}

/// One folio of the list; it comes back unlocked. In the kernel a part of shrink_folio_list.
#[kernel("mm/vmscan.c", "6.3")]
pub async fn shrink_folio(cpu: &Cpu, folio: Pfn, ignore_references: bool) -> Fate {
    let fate = unmap_folio(cpu, folio, ignore_references).await;
    if fate != Fate::Reclaimed {
        return fate;
    }
    let fate = reclaim_unmapped(cpu, folio).await;
    unlock_page(cpu, folio).await;
    fate
}

/// Locks a folio and unmaps it, if nothing speaks against it: then it comes back locked, and only then. In the kernel a
/// part of shrink_folio_list.
#[kernel("mm/vmscan.c", "6.3")]
pub async fn unmap_folio(cpu: &Cpu, folio: Pfn, ignore_references: bool) -> Fate {
    if !cpu.trylock_page(folio).await {
        return Fate::Kept;
    }
    let mut fate = Fate::Reclaimed;
    if !cpu.page_evictable(folio).await {
        fate = Fate::Kept;
    } else if !ignore_references && folio_mapped(cpu, folio) {
        fate = folio_check_references(cpu, folio).await;
    }
    if fate == Fate::Reclaimed && folio_mapped(cpu, folio) {
        let sync = cpu.has(Patch::LazyfreeBatch) && is_large(cpu, folio);
        try_to_unmap(cpu, folio, Ttu { batch_flush: true, sync, ..Ttu::default() }).await;
        if folio_mapped(cpu, folio) {
            fate = Fate::Activated;
        }
    }
    if fate != Fate::Reclaimed {
        unlock_page(cpu, folio).await;
    }
    fate
}

/// A folio that is not reclaimed goes back to a list.
#[kernel("mm/vmscan.c", "6.3")]
pub async fn put_back(cpu: &Cpu, folio: Pfn, fate: Fate) {
    if fate == Fate::Activated {
        cpu.set_page_active(folio).await;
        cpu.count_vm_events(Event::Activate, 1).await;
    }
    putback_lru_page(cpu, folio).await;
}

/// A folio that nothing maps any more: out of the page cache, or gone if it was lazyfree. In the kernel a part of
/// shrink_folio_list.
#[kernel("mm/vmscan.c", "6.3")]
pub async fn reclaim_unmapped(cpu: &Cpu, folio: Pfn) -> Fate {
    let page = cpu.page(folio);
    if folio_test_anon(cpu, folio) && page.has(PageFlag::Swapbacked) {
        try_to_unmap_flush_dirty(cpu).await;
        return Fate::Kept;
    }
    if cpu.test_page(PageFlag::Dirty, folio).await {
        cpu.change_flag(PageFlag::Reclaim, How::Set, folio).await;
        return Fate::Activated;
    }
    if folio_test_anon(cpu, folio) {
        return if cpu.ref_freeze(folio, 1).await { Fate::Reclaimed } else { Fate::Kept };
    }
    if page.has(PageFlag::Private) {
        filemap_release_folio(cpu, folio).await;
    }
    if __remove_mapping(cpu, folio).await { Fate::Reclaimed } else { Fate::Kept }
}

/// filemap_release_folio: the file system lets go of what it keeps with the folio.
#[kernel("mm/filemap.c", "6.3")]
pub async fn filemap_release_folio(cpu: &Cpu, folio: Pfn) {
    cpu.change_flag(PageFlag::Private, How::Clear, folio).await;
    cpu.put_page_testzero(folio, Site::Reclaim, Held::Private).await;
}

/// `__remove_mapping`: out of the page cache, if nobody but the cache and the caller holds the folio.
#[kernel("mm/vmscan.c", "6.3")]
pub async fn __remove_mapping(cpu: &Cpu, folio: Pfn) -> bool {
    let nr = cpu.page(folio).nr();
    cpu.lock_spin(LockClass::ILock, false, 0).await;
    cpu.lock_spin(LockClass::XaLock, true, 0).await;
    let frozen = cpu.ref_freeze(folio, 1 + nr).await;
    if frozen {
        cpu.delete_from_page_cache(folio).await;
        __mod_lruvec_page_state(cpu, folio, Stat::FilePages, -(nr as i32)).await;
    }
    cpu.unlock_spin(LockClass::XaLock, true, 0).await;
    cpu.unlock_spin(LockClass::ILock, false, 0).await;
    frozen
}

/// folio_check_references: young PTEs and PG_referenced say whether the folio is in use. Nothing is young or referenced:
/// reclaim it. Referenced before, or by several, too: activate it. Else keep it for another round.
#[kernel("mm/vmscan.c", "6.3")]
pub async fn folio_check_references(cpu: &Cpu, folio: Pfn) -> Fate {
    let mut young = 0;
    let mut locked = false;
    let mapping = u32::from(cpu.page(folio).mapping);
    let class = if folio_test_anon(cpu, folio) { LockClass::AnonVma } else { LockClass::IMmap };
    if !cpu.down_read_trylock(class, mapping).await {
        return Fate::Kept;
    }
    for vma in vmas_of(cpu, folio) {
        if vma_locked(cpu, vma) {
            locked = true;
            break;
        }
        young += folio_referenced_one(cpu, folio, vma).await;
    }
    cpu.up(class, false, mapping).await;
    let referenced = cpu.change_flag(PageFlag::Referenced, How::TestClear, folio).await;
    if locked {
        return Fate::Activated;
    }
    if young == 0 {
        return Fate::Reclaimed;
    }
    cpu.set_page_referenced(folio).await;
    if referenced || young > cpu.page(folio).nr() { Fate::Activated } else { Fate::Kept }
}

/// Tests and clears the young bit of each PTE that maps the folio in a VMA, without a flush; how many were young.
#[kernel("mm/rmap.c", "6.3")]
pub async fn folio_referenced_one(cpu: &Cpu, folio: Pfn, vma: VmaId) -> u32 {
    let (address, end) = (vma_address(cpu, folio, vma), vma_address_end(cpu, folio, vma));
    let mut walk = Walk::new(folio, cpu.page(folio).nr(), vma, address, end, Look::Age);
    let mut young = 0;
    while page_vma_mapped_walk(cpu, &mut walk).await {
        if cpu.test_clear_young(vma.mm, walk.index, walk.addr).await {
            young += 1;
        }
    }
    page_vma_mapped_walk_done(cpu, &mut walk).await;
    young
}

/// Gives the folios of a list back, all of them unmapped and flushed.
#[kernel("mm/page_alloc.c", "6.3")]
pub async fn free_folios(cpu: &Cpu, folios: &[Pfn]) {
    for &folio in folios {
        free_folio(cpu, folio).await;
    }
}

/// Gives one folio back, which nobody holds.
#[kernel("mm/page_alloc.c", "6.3")]
pub async fn free_folio(cpu: &Cpu, folio: Pfn) {
    let page = cpu.page(folio);
    if page.has(PageFlag::Active) {
        cpu.plain_clear_page_active(folio).await;
    }
    cpu.count_vm_events(Event::Free, page.nr()).await;
    cpu.give_free_page(folio).await;
}

/// The folio is on a list: nobody has isolated it.
#[look]
pub(super) fn on_lru(cpu: &Cpu, folio: Pfn) -> bool {
    cpu.page(folio).has(PageFlag::Lru)
}
