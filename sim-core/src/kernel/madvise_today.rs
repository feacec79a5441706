//! Swap entries that a range lets go: one by one, or as runs of consecutive slots (7.1).

use alloc::vec::Vec;

use sim_macros::{kernel, look};

use super::Patch;
use super::swap::{put_page, unlock_page};
use super::swap_state::delete_from_swap_cache;
use super::swapfile::{find_get_page, free_swap_and_cache};
use crate::engine::Cpu;
use crate::machine::{NIL, PTE_NONE, PageFlag, Pfn, SWAP_CLUSTER, SWAP_COUNT, SWAP_HAS_CACHE, VmaId, pte_swap};
use crate::op::Held;

/// Drops the swap entry of an address, and with the swap table all that follow it with consecutive slots. Returns how
/// many PTEs are none now. The caller holds the lock of the table.
#[kernel("mm/madvise.c", "4.0")]
pub async fn drop_swap_entries(cpu: &Cpu, vma: VmaId, addr: u32, end: u32, pte: u32) -> u32 {
    let Some(slot) = pte_swap(pte) else { return 1 };
    if !cpu.has(Patch::SwapTable) {
        free_swap_and_cache(cpu, slot).await;
        cpu.set_pte_at(vma.mm, addr, PTE_NONE).await;
        return 1;
    }
    let nr = swap_pte_batch(cpu, vma, addr, end, slot).await;
    swap_put_entries_direct(cpu, slot, nr).await;
    for at in addr..addr + nr {
        cpu.set_pte_at(vma.mm, at, PTE_NONE).await;
    }
    nr
}

/// swap_pte_batch: how many PTEs from here on hold consecutive slots.
#[kernel("mm/internal.h", "7.1")]
pub async fn swap_pte_batch(cpu: &Cpu, vma: VmaId, addr: u32, end: u32, slot: u32) -> u32 {
    let mut nr = 1;
    while addr + nr < end {
        let pte = cpu.read_pte(vma.mm, addr + nr).await;
        if pte_swap(pte) != Some(slot + nr) {
            break;
        }
        nr += 1;
    }
    nr
}

/// swap_put_entries_direct: lets a run of slots go, cluster by cluster.
#[kernel("mm/swapfile.c", "7.1")]
pub async fn swap_put_entries_direct(cpu: &Cpu, slot: u32, nr: u32) {
    let mut at = slot;
    while at < slot + nr {
        let end = ((at / SWAP_CLUSTER + 1) * SWAP_CLUSTER).min(slot + nr);
        let mut cached = Vec::new();
        cpu.lock_cluster(at).await;
        swap_put_entries_cluster(cpu, at, end, &mut cached).await;
        cpu.unlock_cluster(at).await;
        for &slot in &cached {
            reclaim_swap_slot(cpu, slot).await;
        }
        at = end;
    }
}

/// The slots of one cluster, under its lock: a slot that nobody counts on and that caches nothing is free. Fills
/// `cached` with those whose folio alone holds them now.
#[kernel("mm/swapfile.c", "7.1")]
pub async fn swap_put_entries_cluster(cpu: &Cpu, start: u32, end: u32, cached: &mut Vec<u32>) {
    let mut freed = 0;
    for slot in start..end {
        let byte = map_byte(cpu, slot) - 1;
        cpu.write_swap_map(slot, byte).await;
        if byte == 0 {
            freed += 1;
            continue;
        }
        swap_range_free(cpu, freed).await;
        freed = 0;
        if byte == SWAP_HAS_CACHE {
            cached.push(slot);
        }
    }
    swap_range_free(cpu, freed).await;
}

/// An unbroken stretch of slots is free.
#[kernel("mm/swapfile.c", "7.1")]
pub async fn swap_range_free(cpu: &Cpu, nr: i16) {
    if nr > 0 {
        cpu.add_nr_swap_pages(i32::from(nr)).await;
        cpu.add_inuse_pages(true, -nr).await;
    }
}

/// __try_to_reclaim_swap: drops the folio of a slot that nobody counts on any more, unless it is busy.
#[kernel("mm/swapfile.c", "7.1")]
pub async fn reclaim_swap_slot(cpu: &Cpu, slot: u32) {
    let folio = find_get_page(cpu, slot, Held::Pin).await;
    if folio == NIL {
        return;
    }
    if cpu.trylock_page(folio).await {
        if !cpu.test_page(PageFlag::Writeback, folio).await && unmapped_or_full(cpu, folio, slot) {
            cpu.lock_cluster(slot).await;
            let count = cpu.read_swap_map(slot).await as u8 & SWAP_COUNT;
            cpu.unlock_cluster(slot).await;
            if count == 0 {
                delete_from_swap_cache(cpu, folio).await;
                cpu.set_page_dirty(folio).await;
            }
        }
        unlock_page(cpu, folio).await;
    }
    put_page(cpu, folio, Held::Pin).await;
}

#[look]
fn unmapped_or_full(cpu: &Cpu, folio: Pfn, slot: u32) -> bool {
    let page = cpu.page(folio);
    let ours = page.has(PageFlag::SwapCache) && cpu.page_private(folio) == slot;
    ours && (page.mapcount == 0 || cpu.vm_swap_full())
}

#[look]
fn map_byte(cpu: &Cpu, slot: u32) -> u8 {
    cpu.machine().swap().map[slot as usize]
}
