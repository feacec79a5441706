//! mm/vmscan.c: isolation and putback.

use sim_macros::kernel;

use super::Patch;
use super::lru_drain::lru_cache_add_lru;
use super::mm_inline::{del_page_from_lru_list, page_lru};
use super::swap::{add_page_to_unevictable_list, free_dead_page, lru_cache_add, put_page};
use crate::engine::Cpu;
use crate::ledger::Site;
use crate::machine::{Event, PageFlag, Pfn};
use crate::op::Held;

/// Takes a page off its list for the caller, who then holds a reference. False when it is on no list.
#[kernel("mm/vmscan.c", "3.11")]
pub async fn isolate_lru_page(cpu: &Cpu, page: Pfn) -> bool {
    if cpu.has(Patch::TestClearLru) {
        if !cpu.test_clear_page_lru(page).await {
            return false;
        }
        cpu.get_page(page, Site::Isolate, Held::Isolate).await;
        let zone = cpu.page_zone(page);
        cpu.lock_lru_irq(zone).await;
        del_page_from_lru_list(cpu, page, page_lru(cpu, page)).await;
        cpu.unlock_lru_irq(zone).await;
        return true;
    }
    if !cpu.test_page(PageFlag::Lru, page).await {
        return false;
    }
    let zone = cpu.page_zone(page);
    cpu.lock_lru_irq(zone).await;
    let isolated = cpu.test_page(PageFlag::Lru, page).await;
    if isolated {
        cpu.get_page(page, Site::Isolate, Held::Isolate).await;
        cpu.clear_page_lru(page).await;
        del_page_from_lru_list(cpu, page, page_lru(cpu, page)).await;
    }
    cpu.unlock_lru_irq(zone).await;
    isolated
}

/// Puts an isolated page back: through the pagevec when it is evictable, straight on the unevictable list when not.
///
/// Nothing scans the unevictable list, so a page that became evictable in between must be found here: hence the second
/// look, ordered after SetPageLRU by the barrier. 3.2 takes PG_active off first, to choose the pagevec by it. From 4.16 on the drain decides, and putback only fills the pagevec.
#[kernel("mm/vmscan.c", "3.11")]
pub async fn putback_lru_page(cpu: &Cpu, page: Pfn) {
    if cpu.has(Patch::DrainDecides) {
        lru_cache_add(cpu, page).await;
        drop_isolated(cpu, page).await;
        return;
    }
    let was_unevictable = cpu.test_page(PageFlag::Unevictable, page).await;
    let mut was_active = false;
    if cpu.has(Patch::ListPvecs) {
        was_active = cpu.test_clear_page_active(page).await;
    }
    let is_unevictable = loop {
        cpu.clear_page_unevictable(page).await;
        if cpu.page_evictable(page).await {
            if !cpu.has(Patch::IsUnevictable) {
                cpu.test_page(PageFlag::Swapbacked, page).await;
            }
            if cpu.has(Patch::ListPvecs) {
                lru_cache_add_lru(cpu, page, page_lru(cpu, page) + u8::from(was_active)).await;
            } else {
                lru_cache_add(cpu, page).await;
            }
            break false;
        }
        let mut evictable = cpu.has(Patch::HoistedRead) && cpu.page_evictable(page).await;
        add_page_to_unevictable_list(cpu, page).await;
        if !cpu.has(Patch::HoistedRead) {
            cpu.smp_mb().await;
        }
        if cpu.has(Patch::NoRecheck) {
            break true;
        }
        if !cpu.has(Patch::HoistedRead) {
            evictable = cpu.page_evictable(page).await;
        }
        if evictable && isolate_lru_page(cpu, page).await {
            put_page(cpu, page, Held::Isolate).await;
            continue;
        }
        break true;
    };
    if was_unevictable && !is_unevictable {
        cpu.count_vm_events(Event::Rescued, 1).await;
    } else if !was_unevictable && is_unevictable {
        cpu.count_vm_events(Event::Culled, 1).await;
    }
    drop_isolated(cpu, page).await;
}

/// The isolator's reference goes.
#[kernel("mm/vmscan.c", "3.11")]
pub async fn drop_isolated(cpu: &Cpu, page: Pfn) {
    if cpu.put_page_testzero(page, Site::PutbackLruPage, Held::Isolate).await {
        free_dead_page(cpu, page, Site::PutPage).await;
    }
}

/// What reclaim does with a page that it finds unevictable: isolates it and puts it back ("culls" it).
#[kernel("mm/vmscan.c", "3.11")]
pub async fn cull_page(cpu: &Cpu, page: Pfn) {
    if isolate_lru_page(cpu, page).await {
        putback_lru_page(cpu, page).await;
    }
}
