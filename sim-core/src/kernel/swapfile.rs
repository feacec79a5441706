//! mm/swapfile.c: slots of the swap device and who counts on them.

use sim_macros::{kernel, look};

use super::Patch;
use super::swap::{put_page, unlock_page};
use super::swap_state::delete_from_swap_cache;
use crate::engine::Cpu;
use crate::ledger::Site;
use crate::machine::{NIL, PageFlag, Pfn, SWAP_COUNT, SWAP_HAS_CACHE};
use crate::op::Held;

/// get_swap_page: a slot for a page that goes into the swap cache, or 0. The slot is the first free one from
/// cluster_next on: clusters of 256 that are looked for on real disks are left out.
#[kernel("mm/swapfile.c", "4.4")]
pub async fn get_swap_page(cpu: &Cpu) -> u32 {
    if no_swap_left(cpu) {
        return 0;
    }
    cpu.add_nr_swap_pages(-1).await;
    cpu.lock_swap_avail().await;
    cpu.unlock_swap_avail().await;
    cpu.lock_si().await;
    let slot = cpu.scan_swap_map().await;
    if slot != 0 {
        cpu.write_swap_map(slot, SWAP_HAS_CACHE).await;
        cpu.update_swap_range(slot, false).await;
        cpu.add_inuse_pages(false, 1).await;
        cpu.set_cluster_next(slot).await;
    }
    cpu.unlock_si().await;
    if slot == 0 {
        cpu.add_nr_swap_pages(1).await;
    }
    slot
}

/// get_nr_swap_pages() <= 0
#[look]
#[inline(always)]
pub(super) fn no_swap_left(cpu: &Cpu) -> bool {
    cpu.machine().swap().free <= 0
}

/// swap_entry_free: one PTE less holds the entry, or (`cache`) the swap cache lets it go. The caller holds si.lock, or
/// the lock of the cluster. Returns the byte that is left.
#[kernel("mm/swapfile.c", "4.4")]
pub async fn swap_entry_free(cpu: &Cpu, slot: u32, cache: bool) -> u8 {
    let old = cpu.machine().swap().map[slot as usize];
    let byte = if cache { old & !SWAP_HAS_CACHE } else { old - 1 };
    cpu.write_swap_map(slot, byte).await;
    if byte == 0 {
        swap_slot_free(cpu, slot).await;
    }
    byte
}

/// A slot that nobody holds any more. With the swap table, inuse_pages is an atomic and there is no range to keep.
#[kernel("mm/swapfile.c", "4.4")]
pub async fn swap_slot_free(cpu: &Cpu, slot: u32) {
    if !cpu.has(Patch::SwapTable) {
        cpu.update_swap_range(slot, true).await;
    }
    cpu.add_nr_swap_pages(1).await;
    cpu.add_inuse_pages(cpu.has(Patch::SwapTable), -1).await;
}

/// swapcache_free: the swap cache lets its slot go.
#[kernel("mm/swapfile.c", "4.4")]
pub async fn swapcache_free(cpu: &Cpu, slot: u32) {
    cpu.lock_si().await;
    swap_entry_free(cpu, slot, true).await;
    cpu.unlock_si().await;
}

/// swap_free: a PTE lets its entry go.
#[kernel("mm/swapfile.c", "4.4")]
pub async fn swap_free(cpu: &Cpu, slot: u32) {
    lock_slot(cpu, slot).await;
    swap_entry_free(cpu, slot, false).await;
    unlock_slot(cpu, slot).await;
}

/// swap_duplicate: one more PTE holds the entry.
#[kernel("mm/swapfile.c", "4.4")]
pub async fn swap_duplicate(cpu: &Cpu, slot: u32) {
    lock_slot(cpu, slot).await;
    let byte = cpu.machine().swap().map[slot as usize];
    cpu.write_swap_map(slot, byte + 1).await;
    unlock_slot(cpu, slot).await;
}

/// swapcache_prepare: the slot is in use and nobody has put a page for it into the swap cache; from here on this task
/// does.
#[kernel("mm/swapfile.c", "4.4")]
pub async fn swapcache_prepare(cpu: &Cpu, slot: u32) -> bool {
    cpu.lock_si().await;
    let byte = cpu.read_swap_map(slot).await as u8;
    let ours = byte & SWAP_COUNT != 0 && byte & SWAP_HAS_CACHE == 0;
    if ours {
        cpu.write_swap_map(slot, byte | SWAP_HAS_CACHE).await;
    }
    cpu.unlock_si().await;
    ours
}

/// The lock that guards a slot's count: si.lock, or that of its cluster.
#[kernel("mm/swapfile.c", "4.4")]
pub async fn lock_slot(cpu: &Cpu, slot: u32) {
    if cpu.has(Patch::SwapTable) {
        cpu.lock_cluster(slot).await;
    } else {
        cpu.lock_si().await;
    }
}

/// Lets the lock of a slot go.
#[kernel("mm/swapfile.c", "4.4")]
pub async fn unlock_slot(cpu: &Cpu, slot: u32) {
    if cpu.has(Patch::SwapTable) {
        cpu.unlock_cluster(slot).await;
    } else {
        cpu.unlock_si().await;
    }
}

/// page_swapcount: PTEs that hold the entry of a page in the swap cache. The swap table is read without a lock.
#[kernel("mm/swapfile.c", "4.4")]
pub async fn page_swapcount(cpu: &Cpu, page: Pfn) -> u32 {
    let slot = cpu.page_private(page);
    if cpu.has(Patch::SwapTable) {
        return cpu.read_swap_map(slot).await & u32::from(SWAP_COUNT);
    }
    cpu.lock_si().await;
    let byte = cpu.read_swap_map(slot).await;
    cpu.unlock_si().await;
    byte & u32::from(SWAP_COUNT)
}

/// try_to_free_swap: takes a locked page out of the swap cache unless it is being written or a PTE holds its entry.
/// The page is dirty then: what is on the device is nobody's any more.
#[kernel("mm/swapfile.c", "4.4")]
pub async fn try_to_free_swap(cpu: &Cpu, page: Pfn) -> bool {
    if !cpu.page(page).has(PageFlag::SwapCache) {
        return false;
    }
    if cpu.test_page(PageFlag::Writeback, page).await {
        return false;
    }
    if page_swapcount(cpu, page).await > 0 {
        return false;
    }
    delete_from_swap_cache(cpu, page).await;
    cpu.set_page_dirty(page).await;
    true
}

/// reuse_swap_page: nobody but this task has the page, in its PTE or by a swap entry. Then it leaves the swap cache,
/// unless it is being written.
#[kernel("mm/swapfile.c", "4.4")]
pub async fn reuse_swap_page(cpu: &Cpu, page: Pfn) -> bool {
    let mut count = cpu.page_mapcount(page).await;
    if count <= 1 && cpu.page(page).has(PageFlag::SwapCache) {
        count += page_swapcount(cpu, page).await;
        if count == 1 && !cpu.test_page(PageFlag::Writeback, page).await {
            delete_from_swap_cache(cpu, page).await;
            cpu.set_page_dirty(page).await;
        }
    }
    count <= 1
}

/// free_swap_and_cache: a PTE lets its entry go for good. Where only the swap cache holds the slot then, its page goes
/// too, unless somebody has locked it or it is being written: then reclaim will find it.
#[kernel("mm/swapfile.c", "4.4")]
pub async fn free_swap_and_cache(cpu: &Cpu, slot: u32) {
    cpu.lock_si().await;
    let mut found = NIL;
    if swap_entry_free(cpu, slot, false).await == SWAP_HAS_CACHE {
        found = find_get_page(cpu, slot, Held::Pin).await;
        if found != NIL && !cpu.trylock_page(found).await {
            put_page(cpu, found, Held::Pin).await;
            found = NIL;
        }
    }
    cpu.unlock_si().await;
    if found != NIL {
        drop_unmapped(cpu, found).await;
        unlock_page(cpu, found).await;
        put_page(cpu, found, Held::Pin).await;
    }
}

/// The page of a slot in the swap cache, with a reference, or NIL. The look-up takes no lock: the page may be on its way
/// out, and must be looked for again then.
#[kernel("mm/filemap.c", "4.4")]
pub async fn find_get_page(cpu: &Cpu, slot: u32, held: Held) -> Pfn {
    loop {
        let page = cpu.swap_cache_lookup(slot).await;
        if page == NIL {
            return NIL;
        }
        if cpu.get_page_unless_zero(page, Site::PageCache, held).await {
            if cached_at(cpu, slot) == page {
                return page;
            }
            put_page(cpu, page, held).await;
        }
    }
}

#[look]
fn cached_at(cpu: &Cpu, slot: u32) -> Pfn {
    cpu.machine().swap().cache[slot as usize]
}

/// Takes a locked page out of the swap cache that no PTE maps any more (or whatever maps it, when swap gets full).
#[kernel("mm/swapfile.c", "4.4")]
pub async fn drop_unmapped(cpu: &Cpu, page: Pfn) {
    if !cpu.page(page).has(PageFlag::SwapCache) || cpu.test_page(PageFlag::Writeback, page).await {
        return;
    }
    if cpu.page(page).mapcount == 0 || cpu.vm_swap_full() {
        delete_from_swap_cache(cpu, page).await;
        cpu.set_page_dirty(page).await;
    }
}
