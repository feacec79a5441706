//! mm/page_isolation.c: pageblocks whose pages nobody may allocate, and what changes pagesets under way.

use sim_macros::{kernel, look};

use super::Patch;
use super::page_alloc_fallback::move_freepages_block;
use super::pcp_bulk::drain_pages_zone;
use super::pcp_today::drain_pages_zone_locked;
use crate::engine::Cpu;
use crate::machine::{MigrateType, PAGEBLOCK_NR, PcpField, Pfn, Stat};

/// set_migratetype_isolate: the pageblock changes its type under zone->lock, and its free blocks go to lists that
/// nobody allocates from. One that is isolated already stays as it is.
#[kernel("mm/page_isolation.c", "4.15")]
pub async fn set_migratetype_isolate(cpu: &Cpu, zone: u8, page: Pfn) {
    cpu.lock_zone(zone, true).await;
    if is_migrate_isolate_page(cpu, zone, page) {
        cpu.unlock_zone(zone, true).await;
        return;
    }
    cpu.set_pageblock(page, MigrateType::Isolate).await;
    cpu.add_nr_isolate(zone, true).await;
    let moved = move_freepages_block(cpu, zone, page, MigrateType::Isolate, false).await;
    cpu.raw_mod_zone_page_state(zone, Stat::FreePages, -(moved as i32)).await;
    cpu.unlock_zone(zone, true).await;
}

/// unset_migratetype_isolate. Departs from 4.15 in one point: a block that could merge with a buddy outside is not
/// taken out and freed again, since whole order-10 ranges are isolated here.
#[kernel("mm/page_isolation.c", "4.15")]
pub async fn unset_migratetype_isolate(cpu: &Cpu, zone: u8, page: Pfn) {
    cpu.lock_zone(zone, true).await;
    if !is_migrate_isolate_page(cpu, zone, page) {
        cpu.unlock_zone(zone, true).await;
        return;
    }
    let moved = move_freepages_block(cpu, zone, page, MigrateType::Movable, false).await;
    cpu.raw_mod_zone_page_state(zone, Stat::FreePages, moved as i32).await;
    cpu.set_pageblock(page, MigrateType::Movable).await;
    cpu.add_nr_isolate(zone, false).await;
    cpu.unlock_zone(zone, true).await;
}

/// drain_local_pages: what the work item of drain_all_pages does on each CPU that holds pages.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn drain_local_pages(cpu: &Cpu, zone: u8) {
    if cpu.has(Patch::PcpLock) {
        drain_pages_zone_locked(cpu, zone).await;
    } else {
        drain_pages_zone(cpu, zone).await;
    }
}

/// zone_pcp_update: memory has come to a zone, and its pagesets get batch and high. batch is 1 in between, which
/// helps only readers that read both in order, and there are none.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn zone_pcp_update(cpu: &Cpu, zone: u8, of: u8, high: u32, batch: u32) {
    cpu.set_pcp_of(zone, of, PcpField::Batch, 1).await;
    cpu.smp_mb().await;
    if cpu.has(Patch::PcpAutoTune) {
        cpu.set_pcp_of(zone, of, PcpField::HighMin, high).await;
        cpu.set_pcp_of(zone, of, PcpField::HighMax, high).await;
    }
    cpu.set_pcp_of(zone, of, PcpField::High, high).await;
    cpu.smp_mb().await;
    cpu.set_pcp_of(zone, of, PcpField::Batch, batch).await;
}

/// is_migrate_isolate_page
#[look]
fn is_migrate_isolate_page(cpu: &Cpu, zone: u8, page: Pfn) -> bool {
    let machine = cpu.machine();
    let block = (page - machine.zones[zone as usize].start) / PAGEBLOCK_NR;
    machine.buddy(zone).is_some_and(|buddy| buddy.pageblocks[block as usize] == MigrateType::Isolate)
}
