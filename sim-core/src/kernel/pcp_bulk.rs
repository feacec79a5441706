//! mm/page_alloc.c: the drain of per-CPU lists into the buddy lists, which the series is about.

use sim_macros::{kernel, look};

use super::Patch;
use super::page_free::__free_one_page;
use crate::engine::Cpu;
use crate::machine::{AreaList, MigrateType, PCP_TYPES, PcpField, Pfn};

/// free_pcppages_bulk up to 5.17: takes pages from the tails of the lists by turns, the more from a list the more of
/// the others were empty, and frees each. As of 4.15 all of it happens under zone->lock. Patch 1 of the series picks the
/// pages to a list on the stack first, and takes the lock to free them; patch 2 prefetches their buddies meanwhile.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn free_pcppages_bulk(cpu: &Cpu, zone: u8, count: u32) {
    let me = cpu.id();
    let mut left = count;
    if cpu.has(Patch::ClampCount) {
        left = left.min(cpu.pcp(zone, PcpField::Count));
    }
    let mut isolated = false;
    if !cpu.has(Patch::PickOutside) {
        cpu.lock_zone(zone, false).await;
        isolated = cpu.has_isolate_pageblock(zone).await;
    }
    let (mut mt, mut batch_free, mut picked) = (0, 0, 0);
    while left > 0 {
        mt = next_list(cpu, zone, mt, &mut batch_free).await;
        if batch_free == u32::from(PCP_TYPES) {
            batch_free = left;
        }
        let list = AreaList::Pcp { cpu: me, mt: MigrateType::from_index(mt) };
        while let Some(page) = cpu.area_tail(zone, list) {
            cpu.area_del(list, page).await;
            if cpu.has(Patch::CountInside) {
                let count = cpu.pcp(zone, PcpField::Count);
                cpu.set_pcp(zone, PcpField::Count, count - 1).await;
            }
            if cpu.has(Patch::PickOutside) {
                pick_page(cpu, zone, page, &mut picked).await;
            } else {
                free_picked(cpu, zone, page, 0, isolated).await;
            }
            left -= 1;
            if left == 0 {
                break;
            }
            batch_free -= 1;
            if batch_free == 0 || cpu.area_empty(zone, list, true).await {
                break;
            }
        }
    }
    if cpu.has(Patch::PickOutside) {
        free_local_list(cpu, zone).await;
    } else {
        cpu.unlock_zone(zone, false).await;
    }
}

/// The search for the next list that is not empty: each list looked at raises batch_free. Where all are empty it never
/// ends.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn next_list(cpu: &Cpu, zone: u8, from: u32, batch_free: &mut u32) -> u32 {
    let mut mt = from;
    let mut probes = 0;
    loop {
        *batch_free += 1;
        mt = (mt + 1) % u32::from(PCP_TYPES);
        let list = AreaList::Pcp { cpu: cpu.id(), mt: MigrateType::from_index(mt) };
        if !cpu.area_empty(zone, list, false).await {
            return mt;
        }
        probes += 1;
        if probes == u32::from(PCP_TYPES) {
            let lock = if cpu.has(Patch::PickOutside) { "without zone->lock" } else { "and holds zone->lock" };
            cpu.bug(
                "6: a drain asks for no more pages than the lists hold",
                alloc::format!(
                    "all lists of CPU {} are empty and pages are still wanted: the search for a list never ends, \
                     with interrupts off {lock}",
                    cpu.id()
                ),
            )
            .await;
        }
    }
}

/// Under the lock, up to 4.16: check the page, and free it by the type that it keeps.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn free_picked(cpu: &Cpu, zone: u8, page: Pfn, order: u8, isolated: bool) {
    let mt = type_of_picked(cpu, page, isolated).await;
    if cpu.check_page(page).await {
        __free_one_page(cpu, zone, page, order, mt).await;
    }
}

/// The type that the page keeps since it was freed; it is stale where its pageblock has been isolated since, so it is
/// read again where any is.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn type_of_picked(cpu: &Cpu, page: Pfn, isolated: bool) -> MigrateType {
    let mut mt = cpu.read_pcp_type(page).await;
    if isolated && !cpu.has(Patch::StaleType) {
        mt = cpu.read_pageblock(page).await;
    }
    MigrateType::from_index(mt)
}

/// Patch 1: a page that is fine goes to the tail of the list on the stack. Patch 2 asks for the line of its buddy: as
/// posted for every page, as merged for the first pcp->batch pages, since a drain of everything would throw the lines
/// out again before they are used.
#[kernel("mm/page_alloc.c", "4.17")]
pub async fn pick_page(cpu: &Cpu, zone: u8, page: Pfn, picked: &mut u32) {
    if !cpu.check_page(page).await {
        return;
    }
    cpu.area_add(AreaList::Local { cpu: cpu.id() }, true, page).await;
    if cpu.has(Patch::PrefetchAll) {
        prefetch_buddy(cpu, zone, page).await;
    }
    if cpu.has(Patch::PrefetchBuddy) && *picked < cpu.pcp(zone, PcpField::Batch) {
        prefetch_buddy(cpu, zone, page).await;
    }
    *picked += 1;
}

/// prefetch_buddy: the buddy of order 0 only.
#[kernel("mm/page_alloc.c", "4.17")]
pub async fn prefetch_buddy(cpu: &Cpu, zone: u8, page: Pfn) {
    let buddy = page ^ 1;
    if frame_of_zone(cpu, zone, buddy) {
        cpu.prefetch(buddy).await;
    }
}

/// Patch 1: the list on the stack goes into the buddy lists, in the order of the picks. Whether a pageblock is isolated
/// must be read under the lock, under which it changes.
#[kernel("mm/page_alloc.c", "4.17")]
pub async fn free_local_list(cpu: &Cpu, zone: u8) {
    let list = AreaList::Local { cpu: cpu.id() };
    cpu.lock_zone(zone, false).await;
    let isolated = cpu.has_isolate_pageblock(zone).await;
    while let Some(page) = cpu.area_head(zone, list) {
        cpu.area_next(list, page).await;
        let mt = type_of_picked(cpu, page, isolated).await;
        __free_one_page(cpu, zone, page, 0, mt).await;
    }
    cpu.unlock_zone(zone, false).await;
}

/// free_pcppages_bulk from 5.18 on: one pass under zone->lock, from the list that was freed to last; each list is
/// emptied from its tail before the next one is looked at. `count` is in pages, and the last block may be more than is
/// left of it.
#[kernel("mm/page_alloc.c", "5.18")]
pub async fn free_pcppages_bulk_single(cpu: &Cpu, zone: u8, count: u32, from: u8) {
    let me = cpu.id();
    let irq = cpu.has(Patch::PcpLock);
    let mut left = count.min(cpu.pcp(zone, PcpField::Count));
    let mut pindex = from;
    let (mut least, mut most) = (0, cpu.nr_pcp_lists() - 1);
    cpu.lock_zone(zone, irq).await;
    let isolated = !cpu.has(Patch::FreshType) && cpu.has_isolate_pageblock(zone).await;
    while left > 0 && least <= most {
        let list = AreaList::of_pindex(me, pindex);
        let mut done = cpu.area_empty(zone, list, false).await;
        if done {
            // An empty list at an end need not be looked at again.
            most = most.saturating_sub(u8::from(pindex == most));
            least += u8::from(pindex == least);
        }
        while !done {
            let Some(page) = cpu.area_tail(zone, list) else { break };
            take_and_free(cpu, zone, page, list, isolated).await;
            left = left.saturating_sub(1 << list.order());
            done = left == 0 || cpu.area_empty(zone, list, true).await;
        }
        pindex = if pindex < most { pindex + 1 } else { least };
    }
    cpu.unlock_zone(zone, irq).await;
}

/// One page or block of the single pass. From 6.10 on the pageblock is asked for the type, and nothing is checked.
#[kernel("mm/page_alloc.c", "5.18")]
pub async fn take_and_free(cpu: &Cpu, zone: u8, page: Pfn, list: AreaList, isolated: bool) {
    let order = list.order();
    if cpu.has(Patch::FreshType) {
        let mt = MigrateType::from_index(cpu.read_pageblock(page).await);
        cpu.area_del(list, page).await;
        let count = cpu.pcp(zone, PcpField::Count);
        cpu.set_pcp(zone, PcpField::Count, count - (1 << order)).await;
        __free_one_page(cpu, zone, page, order, mt).await;
    } else {
        cpu.area_del(list, page).await;
        let count = cpu.pcp(zone, PcpField::Count);
        cpu.set_pcp(zone, PcpField::Count, count - (1 << order)).await;
        free_picked(cpu, zone, page, order, isolated).await;
    }
}

/// drain_pages_zone: everything that a CPU's lists hold, which that CPU does itself (until 6.1).
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn drain_pages_zone(cpu: &Cpu, zone: u8) {
    cpu.local_irq_save().await;
    let count = cpu.pcp(zone, PcpField::Count);
    if count > 0 && cpu.has(Patch::SinglePass) {
        free_pcppages_bulk_single(cpu, zone, count, 0).await;
    } else if count > 0 {
        free_pcppages_bulk(cpu, zone, count).await;
        if !cpu.has(Patch::CountInside) {
            cpu.set_pcp(zone, PcpField::Count, 0).await;
        }
    }
    cpu.local_irq_restore().await;
}

#[look]
fn frame_of_zone(cpu: &Cpu, zone: u8, page: Pfn) -> bool {
    let (start, end) = cpu.zone_frames(zone);
    start <= page && page < end
}
