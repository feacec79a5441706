//! mm/vmscan.c: what reclaim does with one page that it has isolated.

use sim_macros::{kernel, look};

use super::Patch;
use super::page_io::swap_writepage;
use super::rmap_2015::{Ttu, Unmapped, page_referenced, try_to_unmap};
use super::swap::unlock_page;
use super::swap_state::{add_to_swap, delete_from_swap_cache_locked, swap_cache_del_folio};
use super::swapfile::{swapcache_free, try_to_free_swap};
use super::vmscan_anon::{ScanControl, WRITE_TICKS};
use crate::engine::Cpu;
use crate::ledger::Site;
use crate::machine::{Event, PageFlag, Pfn};
use crate::op::Held;

/// Where a page goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// To the head of the inactive list.
    Keep,
    /// To the head of the active list.
    Activate,
    /// On with it: nobody has used it.
    Reclaim,
    /// It is free.
    Freed,
}

/// shrink_page_list for one page.
#[kernel("mm/vmscan.c", "4.4")]
pub async fn shrink_page(cpu: &Cpu, page: Pfn, sc: &mut ScanControl) -> Fate {
    if !cpu.trylock_page(page).await {
        return Fate::Keep;
    }
    if cpu.test_page(PageFlag::Writeback, page).await {
        cpu.set_page_reclaim(page).await;
        if cpu.has(Patch::WritebackActivate) {
            return activate_locked(cpu, page).await;
        }
        return keep_locked(cpu, page).await;
    }
    let (young, dirty) = page_referenced(cpu, page).await;
    match page_check_references(cpu, page, young).await {
        Fate::Activate => return activate_locked(cpu, page).await,
        Fate::Keep => return keep_locked(cpu, page).await,
        _ => {}
    }
    if cpu.has(Patch::LazyInPlace) && is_freeable(cpu, page, dirty) {
        return free_lazy(cpu, page, Ttu::Free).await;
    }
    if cpu.has(Patch::LazyFileList) && !cpu.test_page(PageFlag::Swapbacked, page).await {
        return free_lazy(cpu, page, Ttu::Unmap).await;
    }
    let mut ttu = Ttu::Unmap;
    if !cpu.test_page(PageFlag::SwapCache, page).await {
        if !add_to_swap(cpu, page).await {
            return activate_locked(cpu, page).await;
        }
        if cpu.has(Patch::LazyUnmap) {
            ttu = Ttu::Lazyfree;
        }
    }
    let mut lazy = false;
    if cpu.page_mapcount(page).await > 0 {
        match try_to_unmap(cpu, page, ttu).await {
            Unmapped::Fail => return activate_locked(cpu, page).await,
            Unmapped::Lazyfree => lazy = true,
            Unmapped::Success => {}
        }
    }
    if !lazy && cpu.test_page(PageFlag::Dirty, page).await {
        return pageout(cpu, page, sc).await;
    }
    __remove_mapping(cpu, page, lazy).await
}

/// page_check_references: used since the last look? Before 5.9 one use is enough for a page that swap backs.
#[kernel("mm/vmscan.c", "4.4")]
pub async fn page_check_references(cpu: &Cpu, page: Pfn, young: u32) -> Fate {
    let one_is_enough = !cpu.has(Patch::TwoTouch) && cpu.page(page).has(PageFlag::Swapbacked);
    if one_is_enough {
        return if young > 0 { Fate::Activate } else { Fate::Reclaim };
    }
    let before = cpu.test_clear_page_referenced(page).await;
    if young == 0 {
        return Fate::Reclaim;
    }
    cpu.set_page_referenced(page).await;
    if before || young > 1 { Fate::Activate } else { Fate::Keep }
}

/// page_freeable of the base of 2015: anonymous, and clean in every way.
#[look]
fn is_freeable(cpu: &Cpu, page: Pfn, dirty: bool) -> bool {
    let page = cpu.page(page);
    page.mapcount > 0 && !dirty && !page.has(PageFlag::SwapCache) && !page.has(PageFlag::Dirty)
}

/// A lazy page: unmapped without a swap entry and freed, unless it turns out dirty.
#[kernel("mm/vmscan.c", "4.0")]
pub async fn free_lazy(cpu: &Cpu, page: Pfn, ttu: Ttu) -> Fate {
    if cpu.page_mapcount(page).await > 0 && try_to_unmap(cpu, page, ttu).await == Unmapped::Fail {
        return activate_locked(cpu, page).await;
    }
    __remove_mapping(cpu, page, true).await
}

/// activate_locked: once half of the slots are in use, a page that stays in memory gives its slot back.
#[kernel("mm/vmscan.c", "4.4")]
pub async fn activate_locked(cpu: &Cpu, page: Pfn) -> Fate {
    if cpu.page(page).has(PageFlag::SwapCache) && cpu.vm_swap_full() {
        try_to_free_swap(cpu, page).await;
    }
    cpu.set_page_active(page).await;
    cpu.count_vm_events(Event::Activate, 1).await;
    unlock_page(cpu, page).await;
    Fate::Activate
}

/// keep_locked
#[kernel("mm/vmscan.c", "4.4")]
pub async fn keep_locked(cpu: &Cpu, page: Pfn) -> Fate {
    unlock_page(cpu, page).await;
    Fate::Keep
}

/// pageout: starts the write of a dirty page that only the swap cache and reclaim hold. Where nothing has to be written
/// the last reference is that of reclaim, and putting the page back frees it.
#[kernel("mm/vmscan.c", "4.4")]
pub async fn pageout(cpu: &Cpu, page: Pfn, sc: &mut ScanControl) -> Fate {
    if cpu.page(page).count != 2 {
        return keep_locked(cpu, page).await;
    }
    if !cpu.test_clear_page_dirty(page).await {
        return keep_locked(cpu, page).await;
    }
    cpu.set_page_reclaim(page).await;
    if swap_writepage(cpu, page).await {
        sc.ticks += WRITE_TICKS;
    }
    Fate::Keep
}

/// `__remove_mapping`: takes the last references at once and frees the page. The base of 2015 and 7.1 don't look at
/// PG_dirty again after that.
#[kernel("mm/vmscan.c", "4.4")]
pub async fn __remove_mapping(cpu: &Cpu, page: Pfn, lazy: bool) -> Fate {
    let cached = cpu.page(page).has(PageFlag::SwapCache);
    if cached {
        if !remove_cached(cpu, page).await {
            return keep_locked(cpu, page).await;
        }
    } else {
        if !cpu.page_freeze_refs(page, 1).await {
            return keep_locked(cpu, page).await;
        }
        let looks_again = cpu.has(Patch::LazyClearDirty) && !cpu.has(Patch::SwapTable);
        if looks_again && cpu.test_page(PageFlag::Dirty, page).await {
            cpu.get_page(page, Site::Reclaim, Held::Isolate).await;
            return keep_locked(cpu, page).await;
        }
    }
    if lazy {
        cpu.count_vm_events(Event::Lazyfreed, 1).await;
    }
    cpu.plain_clear_page_locked(page).await;
    cpu.count_vm_events(Event::Free, 1).await;
    cpu.give_free_page(page).await;
    Fate::Freed
}

/// The same for a page in the swap cache, whose slot goes on holding what was written as long as PTEs name it.
#[kernel("mm/vmscan.c", "4.4")]
pub async fn remove_cached(cpu: &Cpu, page: Pfn) -> bool {
    let slot = cpu.page_private(page);
    if cpu.has(Patch::SwapTable) {
        cpu.lock_cluster(slot).await;
        let frozen = cpu.page_freeze_refs(page, 2).await;
        if frozen {
            swap_cache_del_folio(cpu, page, slot).await;
        }
        cpu.unlock_cluster(slot).await;
        return frozen;
    }
    cpu.lock_tree_irq().await;
    let frozen = cpu.page_freeze_refs(page, 2).await;
    if frozen {
        delete_from_swap_cache_locked(cpu, page, slot).await;
    }
    cpu.unlock_tree_irq().await;
    if frozen {
        swapcache_free(cpu, slot).await;
    }
    frozen
}
