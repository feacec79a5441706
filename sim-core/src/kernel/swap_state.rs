//! mm/swap_state.c: the swap cache.

use sim_macros::kernel;

use super::Patch;
use super::alloc_2015::alloc_zeroed_user_highpage;
use super::mm_inline::zone_and_size;
use super::swap::{put_page, unlock_page};
use super::swap_lazy::lru_cache_add_anon;
use super::swapfile::{
    find_get_page, get_swap_page, no_swap_left, swap_slot_free, swapcache_free, swapcache_prepare, try_to_free_swap,
};
use crate::engine::Cpu;
use crate::ledger::Site;
use crate::machine::{Event, NIL, PageFlag, Pfn, SWAP_COUNT, SWAP_HAS_CACHE, Stat};
use crate::op::Held;

/// add_to_swap: gives an anonymous page a slot and puts it into the swap cache. It is dirty then, so that it will be
/// written; from 4.5 to 4.13 it stays as clean as it was.
#[kernel("mm/swap_state.c", "4.4")]
pub async fn add_to_swap(cpu: &Cpu, page: Pfn) -> bool {
    if cpu.has(Patch::SwapTable) {
        return folio_alloc_swap(cpu, page).await;
    }
    let slot = get_swap_page(cpu).await;
    if slot == 0 {
        return false;
    }
    add_to_swap_cache(cpu, page, slot).await;
    if !cpu.has(Patch::CleanAddToSwap) {
        cpu.set_page_dirty(page).await;
    }
    true
}

/// folio_alloc_swap: count and cache are one word, written under the lock of the slot's cluster.
#[kernel("mm/swapfile.c", "7.1")]
pub async fn folio_alloc_swap(cpu: &Cpu, page: Pfn) -> bool {
    if no_swap_left(cpu) {
        return false;
    }
    cpu.get_cpu().await;
    let slot = loop {
        let slot = cpu.scan_swap_map().await;
        if slot == 0 {
            break 0;
        }
        cpu.lock_cluster(slot).await;
        if cpu.read_swap_map(slot).await == 0 {
            break slot;
        }
        cpu.unlock_cluster(slot).await;
    };
    if slot != 0 {
        cpu.get_page(page, Site::PageCache, Held::Cache).await;
        cpu.set_page_swapcache(page).await;
        cpu.set_page_private(page, slot).await;
        cpu.write_swap_table(slot, SWAP_HAS_CACHE, page).await;
        cpu.set_cluster_next(slot).await;
        cpu.add_nr_swap_pages(-1).await;
        cpu.add_inuse_pages(true, 1).await;
        let (zone, nr) = zone_and_size(cpu, page);
        cpu.raw_mod_zone_page_state(zone, Stat::FilePages, nr).await;
        cpu.unlock_cluster(slot).await;
    }
    cpu.put_cpu().await;
    if slot != 0 {
        cpu.set_page_dirty(page).await;
    }
    slot != 0
}

/// __add_to_swap_cache: the slot belongs to the page from here on.
#[kernel("mm/swap_state.c", "4.4")]
pub async fn add_to_swap_cache(cpu: &Cpu, page: Pfn, slot: u32) {
    cpu.get_page(page, Site::PageCache, Held::Cache).await;
    cpu.set_page_swapcache(page).await;
    cpu.set_page_private(page, slot).await;
    cpu.lock_tree_irq().await;
    cpu.swap_cache_set(slot, page).await;
    let (zone, nr) = zone_and_size(cpu, page);
    cpu.raw_mod_zone_page_state(zone, Stat::FilePages, nr).await;
    cpu.unlock_tree_irq().await;
}

/// __delete_from_swap_cache, under tree_lock.
#[kernel("mm/swap_state.c", "4.4")]
pub async fn delete_from_swap_cache_locked(cpu: &Cpu, page: Pfn, slot: u32) {
    cpu.swap_cache_set(slot, NIL).await;
    cpu.set_page_private(page, 0).await;
    cpu.clear_page_swapcache(page).await;
    let (zone, nr) = zone_and_size(cpu, page);
    cpu.raw_mod_zone_page_state(zone, Stat::FilePages, -nr).await;
}

/// delete_from_swap_cache: takes a locked page out, and frees its slot where no PTE holds the entry.
#[kernel("mm/swap_state.c", "4.4")]
pub async fn delete_from_swap_cache(cpu: &Cpu, page: Pfn) {
    let slot = cpu.page_private(page);
    if cpu.has(Patch::SwapTable) {
        cpu.lock_cluster(slot).await;
        swap_cache_del_folio(cpu, page, slot).await;
        cpu.unlock_cluster(slot).await;
    } else {
        cpu.lock_tree_irq().await;
        delete_from_swap_cache_locked(cpu, page, slot).await;
        cpu.unlock_tree_irq().await;
        swapcache_free(cpu, slot).await;
    }
    put_page(cpu, page, Held::Cache).await;
}

/// The same in one hold of the cluster's lock, which the caller has taken.
#[kernel("mm/swap_state.c", "7.1")]
pub async fn swap_cache_del_folio(cpu: &Cpu, page: Pfn, slot: u32) {
    let count = { cpu.machine().swap().map[slot as usize] } & SWAP_COUNT;
    cpu.write_swap_table(slot, count, NIL).await;
    cpu.set_page_private(page, 0).await;
    cpu.clear_page_swapcache(page).await;
    let (zone, nr) = zone_and_size(cpu, page);
    cpu.raw_mod_zone_page_state(zone, Stat::FilePages, -nr).await;
    if count == 0 {
        swap_slot_free(cpu, slot).await;
    }
}

/// lookup_swap_cache: the page of a slot with a reference that will be the PTE's, or NIL.
#[kernel("mm/swap_state.c", "4.4")]
pub async fn lookup_swap_cache(cpu: &Cpu, slot: u32) -> Pfn {
    find_get_page(cpu, slot, Held::Map).await
}

/// read_swap_cache_async: allocates a page, puts it into the swap cache and reads the slot. Returns NIL where the
/// allocation has to wait. The window of readahead is one page here, and the read is waited for at once. `cost` is the
/// time that reclaim took.
#[kernel("mm/swap_state.c", "4.4")]
pub async fn read_swap_cache_async(cpu: &Cpu, slot: u32, cost: &mut u32) -> Pfn {
    let page = alloc_zeroed_user_highpage(cpu, cost).await;
    if page == NIL {
        return NIL;
    }
    cpu.set_page_swapbacked(page).await;
    if !reserve(cpu, page, slot).await {
        put_page(cpu, page, Held::Map).await;
        return lookup_swap_cache(cpu, slot).await;
    }
    lru_cache_add_anon(cpu, page, false).await;
    cpu.read_in(page, slot).await;
    cpu.count_vm_events(Event::SwapIn, 1).await;
    unlock_page(cpu, page).await;
    page
}

/// The page becomes that of the slot, and is locked; false where somebody else was faster.
#[kernel("mm/swap_state.c", "4.4")]
pub async fn reserve(cpu: &Cpu, page: Pfn, slot: u32) -> bool {
    if !cpu.has(Patch::SwapTable) {
        if !swapcache_prepare(cpu, slot).await {
            return false;
        }
        cpu.lock_page(page).await;
        add_to_swap_cache(cpu, page, slot).await;
        return true;
    }
    cpu.lock_page(page).await;
    cpu.lock_cluster(slot).await;
    let byte = cpu.read_swap_map(slot).await as u8;
    let ours = byte & SWAP_COUNT != 0 && byte & SWAP_HAS_CACHE == 0;
    if ours {
        cpu.get_page(page, Site::PageCache, Held::Cache).await;
        cpu.set_page_swapcache(page).await;
        cpu.set_page_private(page, slot).await;
        cpu.write_swap_table(slot, byte | SWAP_HAS_CACHE, page).await;
        let (zone, nr) = zone_and_size(cpu, page);
        cpu.raw_mod_zone_page_state(zone, Stat::FilePages, nr).await;
    }
    cpu.unlock_cluster(slot).await;
    if !ours {
        unlock_page(cpu, page).await;
    }
    ours
}

/// free_page_and_swap_cache: a page that has just been unmapped leaves the swap cache, and the PTE's reference goes.
/// Gathered pages are freed one by one here.
#[kernel("mm/swap_state.c", "4.4")]
pub async fn free_page_and_swap_cache(cpu: &Cpu, page: Pfn) {
    let cached = cpu.test_page(PageFlag::SwapCache, page).await;
    if cached && cpu.page(page).mapcount == 0 && cpu.trylock_page(page).await {
        try_to_free_swap(cpu, page).await;
        unlock_page(cpu, page).await;
    }
    put_page(cpu, page, Held::Map).await;
}
