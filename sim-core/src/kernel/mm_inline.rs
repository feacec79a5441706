//! include/linux/mm_inline.h and mm/vmstat.h: LRU lists with their counters.

use sim_macros::{kernel, look};

use super::Patch;
use crate::engine::Cpu;
use crate::machine::{PageFlag, Pfn, Stat};

/// Lists from 5.18 on: the unevictable one has a size and no links.
const LRU_UNEVICTABLE: u8 = 4;

/// Puts a page at the head of a list and counts it. Before 4.8 one counter (of the zone), then two (node and zone).
#[kernel("include/linux/mm_inline.h", "3.11")]
pub async fn add_page_to_lru_list(cpu: &Cpu, page: Pfn, lru: u8) {
    if cpu.has(Patch::MlockBatch) && lru == LRU_UNEVICTABLE {
        cpu.update_lru_size(lru, true, page).await;
    } else {
        cpu.list_add(lru, page).await;
    }
    let (zone, nr) = zone_and_size(cpu, page);
    cpu.raw_mod_zone_page_state(zone, Stat::lru(lru), nr).await;
    if cpu.has(Patch::NodeLru) {
        cpu.raw_mod_zone_page_state(zone, Stat::zone_lru(lru), nr).await;
    }
}

/// Takes a page off its list and counts it.
#[kernel("include/linux/mm_inline.h", "3.11")]
pub async fn del_page_from_lru_list(cpu: &Cpu, page: Pfn, lru: u8) {
    if cpu.has(Patch::MlockBatch) && lru == LRU_UNEVICTABLE {
        cpu.update_lru_size(lru, false, page).await;
    } else {
        cpu.list_del(lru, page).await;
    }
    let (zone, nr) = zone_and_size(cpu, page);
    cpu.raw_mod_zone_page_state(zone, Stat::lru(lru), -nr).await;
    if cpu.has(Patch::NodeLru) {
        cpu.raw_mod_zone_page_state(zone, Stat::zone_lru(lru), -nr).await;
    }
}

#[look]
#[inline(always)]
pub(super) fn zone_and_size(cpu: &Cpu, page: Pfn) -> (u8, i32) {
    let page = cpu.page(page);
    (page.zone(), page.nr() as i32)
}

/// page_lru: the list that the flags name, read under lru_lock.
#[look]
#[inline(always)]
pub(super) fn page_lru(cpu: &Cpu, page: Pfn) -> u8 {
    cpu.page(page).lru()
}

/// page_is_file_cache
#[look]
#[inline(always)]
pub(super) fn page_is_file_cache(cpu: &Cpu, page: Pfn) -> bool {
    !cpu.page(page).has(PageFlag::Swapbacked)
}
