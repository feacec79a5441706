//! mm/swap.c for anonymous pages: onto the LRU lists, off the active one, to the file list, to the tail.

use sim_macros::kernel;

use super::Patch;
use super::mm_inline::{add_page_to_lru_list, del_page_from_lru_list, page_lru, zone_and_size};
use super::swap::{lru_add_drain, lru_cache_add};
use crate::engine::Cpu;
use crate::machine::{Event, PageFlag, Pfn, Stat};
use crate::op::Held;
use crate::view::PagevecKind;

/// lru_cache_add_active_or_unevictable: a new anonymous page goes to its list. Where pagevecs have no slots, straight
/// there.
#[kernel("mm/swap.c", "4.4")]
pub async fn lru_cache_add_anon(cpu: &Cpu, page: Pfn, active: bool) {
    if active {
        cpu.set_page_active(page).await;
    }
    if cpu.pagevec_size() > 0 {
        lru_cache_add(cpu, page).await;
        return;
    }
    let zone = cpu.page_zone(page);
    cpu.lock_lru_irq(zone).await;
    cpu.set_page_lru(page).await;
    add_page_to_lru_list(cpu, page, page_lru(cpu, page)).await;
    cpu.unlock_lru_irq(zone).await;
}

/// lru_add_drain, where pagevecs have slots.
#[kernel("mm/swap.c", "4.4")]
pub async fn lru_add_drain_anon(cpu: &Cpu) {
    if cpu.pagevec_size() > 0 {
        lru_add_drain(cpu).await;
    }
}

/// Puts a page into the pagevec that MADV_FREE uses: deactivate (4.5) or lazyfree (4.12).
#[kernel("mm/swap.c", "4.5")]
pub async fn into_lazy_pagevec(cpu: &Cpu, page: Pfn) {
    cpu.get_cpu().await;
    let pvec = cpu.this_cpu_pvec(PagevecKind::LruDeactivate);
    cpu.get_page(page, crate::ledger::Site::LruCacheAdd, Held::Slot).await;
    let filled = cpu.pagevec_add(pvec, page).await;
    if filled == cpu.pagevec_size() {
        super::swap::pagevec_move(cpu, pvec, super::swap::Move::Deactivate).await;
    }
    cpu.put_cpu().await;
}

/// deactivate_page: an active page that MADV_FREE has cleaned goes to the head of the inactive anon list.
#[kernel("mm/swap.c", "4.5")]
pub async fn deactivate_page(cpu: &Cpu, page: Pfn) {
    let listed = cpu.page(page);
    if !listed.has(PageFlag::Lru) || !listed.has(PageFlag::Active) || listed.has(PageFlag::Unevictable) {
        return;
    }
    if cpu.pagevec_size() > 0 {
        into_lazy_pagevec(cpu, page).await;
        return;
    }
    let zone = cpu.page_zone(page);
    cpu.lock_lru_irq(zone).await;
    lru_deactivate_fn(cpu, page).await;
    cpu.unlock_lru_irq(zone).await;
}

/// lru_deactivate_fn, under lru_lock.
#[kernel("mm/swap.c", "4.5")]
pub async fn lru_deactivate_fn(cpu: &Cpu, page: Pfn) {
    let listed = cpu.page(page);
    if !listed.has(PageFlag::Lru) || !listed.has(PageFlag::Active) {
        return;
    }
    del_page_from_lru_list(cpu, page, listed.lru()).await;
    cpu.clear_page_active(page).await;
    cpu.clear_page_referenced(page).await;
    add_page_to_lru_list(cpu, page, page_lru(cpu, page)).await;
    cpu.count_vm_events(Event::Deactivate, 1).await;
}

/// mark_page_lazyfree: a page that MADV_FREE has cleaned goes to the head of the inactive file list.
#[kernel("mm/swap.c", "4.12")]
pub async fn mark_page_lazyfree(cpu: &Cpu, page: Pfn) {
    if !is_lazy_candidate(cpu, page) {
        return;
    }
    if cpu.pagevec_size() > 0 {
        into_lazy_pagevec(cpu, page).await;
        return;
    }
    let zone = cpu.page_zone(page);
    cpu.lock_lru_irq(zone).await;
    lru_lazyfree_fn(cpu, page).await;
    cpu.unlock_lru_irq(zone).await;
}

/// On a list, swap backed and not in the swap cache.
#[sim_macros::look]
fn is_lazy_candidate(cpu: &Cpu, page: Pfn) -> bool {
    let page = cpu.page(page);
    page.has(PageFlag::Lru) && page.has(PageFlag::Swapbacked) && !page.has(PageFlag::SwapCache)
}

/// lru_lazyfree_fn, under lru_lock: from here on reclaim discards the page unless it finds it dirty.
#[kernel("mm/swap.c", "4.12")]
pub async fn lru_lazyfree_fn(cpu: &Cpu, page: Pfn) {
    if !is_lazy_candidate(cpu, page) {
        return;
    }
    del_page_from_lru_list(cpu, page, page_lru(cpu, page)).await;
    cpu.clear_page_active(page).await;
    cpu.clear_page_referenced(page).await;
    cpu.clear_page_swapbacked(page).await;
    add_page_to_lru_list(cpu, page, page_lru(cpu, page)).await;
    cpu.count_vm_events(Event::Lazyfree, 1).await;
}

/// activate_page: from the inactive to the head of the active list.
#[kernel("mm/swap.c", "4.4")]
pub async fn activate_page(cpu: &Cpu, page: Pfn) {
    let listed = cpu.page(page);
    if !listed.has(PageFlag::Lru) || listed.has(PageFlag::Active) {
        return;
    }
    let zone = cpu.page_zone(page);
    cpu.lock_lru_irq(zone).await;
    let listed = cpu.page(page);
    if listed.has(PageFlag::Lru) && !listed.has(PageFlag::Active) {
        del_page_from_lru_list(cpu, page, listed.lru()).await;
        cpu.set_page_active(page).await;
        add_page_to_lru_list(cpu, page, page_lru(cpu, page)).await;
        cpu.count_vm_events(Event::Activate, 1).await;
    }
    cpu.unlock_lru_irq(zone).await;
}

/// rotate_reclaimable_page: a page whose write is done, and that reclaim wants, goes to the tail of the inactive list.
/// Up to 4.14 only if it is there already. The rotate pagevec is left out.
#[kernel("mm/swap.c", "4.4")]
pub async fn rotate_reclaimable_page(cpu: &Cpu, page: Pfn) {
    let listed = cpu.page(page);
    let busy = listed.has(PageFlag::Locked) || listed.has(PageFlag::Dirty) || listed.has(PageFlag::Unevictable);
    if busy || !listed.has(PageFlag::Lru) {
        return;
    }
    if !cpu.has(Patch::WritebackActivate) && listed.has(PageFlag::Active) {
        return;
    }
    let zone = cpu.page_zone(page);
    cpu.lock_lru_irq(zone).await;
    let listed = cpu.page(page);
    if listed.has(PageFlag::Lru) {
        del_page_from_lru_list(cpu, page, listed.lru()).await;
        cpu.clear_page_active(page).await;
        let lru = page_lru(cpu, page);
        cpu.list_add_tail(lru, page).await;
        let (zone, nr) = zone_and_size(cpu, page);
        cpu.raw_mod_zone_page_state(zone, Stat::lru(lru), nr).await;
        if cpu.has(Patch::NodeLru) {
            cpu.raw_mod_zone_page_state(zone, Stat::zone_lru(lru), nr).await;
        }
    }
    cpu.unlock_lru_irq(zone).await;
}
