//! mm/page_alloc.c: how a page is allocated: watermarks, per-CPU lists, refill, splitting.

use sim_macros::{kernel, look};

use super::Patch;
use super::page_alloc_fallback::{__rmqueue_claim, __rmqueue_fallback, __rmqueue_steal};
use super::pcp_orders::blocks_of_batch;
use super::pcp_today::rmqueue_pcplist_locked;
use crate::engine::Cpu;
use crate::machine::{AreaList, Event, MAX_ORDER, MigrateType, PcpField, Pfn, Stat};

const LOW: usize = 1;
const HIGH: usize = 2;
const MIN: usize = 0;

/// get_page_from_freelist for one page of one zone: the watermark test, then a page of this CPU's lists. Departs from
/// 4.15 in the slow path, which here only tries again down to the min watermark: nobody reclaims. What is reserved for
/// HIGHATOMIC does not count as free.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn get_page_from_freelist(cpu: &Cpu, zone: u8, mt: MigrateType) -> Option<Pfn> {
    let reserved = cpu.reserved_highatomic(zone);
    let mut enough = false;
    if cpu.has(Patch::PcpAutoTune) && !cpu.below_high(zone) {
        enough = cpu.zone_free_pages(zone).await > cpu.watermark(zone, HIGH) + reserved;
        if !enough {
            cpu.set_below_high(zone, true).await;
        }
    }
    if !enough
        && cpu.zone_free_pages(zone).await <= cpu.watermark(zone, LOW) + reserved
        && cpu.zone_free_pages(zone).await <= cpu.watermark(zone, MIN) + reserved
    {
        return None;
    }
    let page = rmqueue_pcplist(cpu, zone, 0, mt).await?;
    cpu.prep_new_page(page, 0).await;
    Some(page)
}

/// rmqueue_pcplist: the head of this CPU's list of the type, which is refilled when it is empty. Orders above 0 have
/// lists from 5.14 on.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn rmqueue_pcplist(cpu: &Cpu, zone: u8, order: u8, mt: MigrateType) -> Option<Pfn> {
    if cpu.has(Patch::PcpLock) {
        return rmqueue_pcplist_locked(cpu, zone, order, mt).await;
    }
    cpu.local_irq_save().await;
    if cpu.has(Patch::SinglePass) {
        let factor = cpu.pcp(zone, PcpField::FreeFactor);
        cpu.set_pcp(zone, PcpField::FreeFactor, factor / 2).await;
    }
    let list = cpu.pcp_list(order, mt);
    if cpu.area_empty(zone, list, false).await {
        let batch = blocks_of_batch(cpu.pcp(zone, PcpField::Batch), order);
        let added = rmqueue_bulk(cpu, zone, batch, list, mt).await;
        let count = cpu.pcp(zone, PcpField::Count);
        cpu.set_pcp(zone, PcpField::Count, count + (added << order)).await;
    }
    let page = take_head(cpu, zone, list).await;
    if page.is_some() {
        cpu.count_vm_events(Event::Alloc, 1 << order).await;
    }
    cpu.local_irq_restore().await;
    page
}

/// Takes the head of a per-CPU list and counts its pages off.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn take_head(cpu: &Cpu, zone: u8, list: AreaList) -> Option<Pfn> {
    let page = cpu.area_head(zone, list)?;
    cpu.area_del(list, page).await;
    let count = cpu.pcp(zone, PcpField::Count);
    cpu.set_pcp(zone, PcpField::Count, count - (1 << list.order())).await;
    Some(page)
}

/// rmqueue_bulk: moves blocks from the free lists to the tail of a per-CPU list, ascending, under one zone->lock. A block
/// that fails the check is given up. Returns how many were taken. 7.1 counts each block at once, 4.15 all in the end.
/// Departs from 5.18 in that the check is of the first page of a block.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn rmqueue_bulk(cpu: &Cpu, zone: u8, count: u32, list: AreaList, mt: MigrateType) -> u32 {
    let irq = cpu.has(Patch::PcpLock);
    let order = list.order();
    let mut taken = 0;
    let mut stole = false;
    cpu.lock_zone(zone, irq).await;
    while taken < count {
        let Some(page) = __rmqueue(cpu, zone, order, mt, &mut stole).await else { break };
        taken += 1;
        if cpu.has(Patch::PcpLock) {
            cpu.raw_mod_zone_page_state(zone, Stat::FreePages, -(1 << order)).await;
        } else if !cpu.check_page(page).await {
            continue;
        }
        cpu.area_add(list, true, page).await;
    }
    if !cpu.has(Patch::PcpLock) {
        cpu.raw_mod_zone_page_state(zone, Stat::FreePages, -((taken << order) as i32)).await;
    }
    cpu.unlock_zone(zone, irq).await;
    taken
}

/// `__rmqueue`: a block of the type, or else of another type. `stole` is what 6.16 remembers within a refill.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn __rmqueue(cpu: &Cpu, zone: u8, order: u8, mt: MigrateType, stole: &mut bool) -> Option<Pfn> {
    if cpu.has(Patch::ClaimSteal) {
        return __rmqueue_by_mode(cpu, zone, order, mt, stole).await;
    }
    loop {
        let page = __rmqueue_smallest(cpu, zone, order, mt).await;
        if page.is_some() || !__rmqueue_fallback(cpu, zone, order, mt).await {
            return page;
        }
    }
}

/// `__rmqueue` of 6.16 and later: own lists, then claim a pageblock, then steal a block; whoever has stolen goes on so.
#[kernel("mm/page_alloc.c", "6.16")]
pub async fn __rmqueue_by_mode(cpu: &Cpu, zone: u8, order: u8, mt: MigrateType, stole: &mut bool) -> Option<Pfn> {
    if !*stole {
        let own = __rmqueue_smallest(cpu, zone, order, mt).await;
        if own.is_some() {
            return own;
        }
        let claimed = __rmqueue_claim(cpu, zone, order, mt).await;
        if claimed.is_some() {
            return claimed;
        }
    }
    let page = __rmqueue_steal(cpu, zone, order, mt).await;
    *stole = page.is_some();
    page
}

/// `__rmqueue_smallest`: the head of the first list of the type that holds a block large enough. What is left of it
/// goes back by halves.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn __rmqueue_smallest(cpu: &Cpu, zone: u8, order: u8, mt: MigrateType) -> Option<Pfn> {
    let (page, from) = smallest_block(cpu, zone, order, mt)?;
    del_from_free_list(cpu, zone, page, from).await;
    expand(cpu, zone, page, order, from, mt).await;
    if !cpu.has(Patch::FreshType) {
        cpu.set_pcp_type(page, mt).await;
    }
    Some(page)
}

/// Unlinks a free block and clears its mark.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn del_from_free_list(cpu: &Cpu, zone: u8, page: Pfn, order: u8) {
    let list = cpu.list_of_block(zone, page);
    cpu.area_del(list, page).await;
    cpu.clear_buddy(page).await;
    cpu.add_nr_free(zone, order, false).await;
}

/// expand: the upper halves go back to the heads of the lists of the type; the lowest pages stay.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn expand(cpu: &Cpu, zone: u8, page: Pfn, low: u8, high: u8, mt: MigrateType) {
    let mut order = high;
    while order > low {
        order -= 1;
        let half = page + (1 << order);
        cpu.area_add(AreaList::Free { order, mt }, false, half).await;
        cpu.add_nr_free(zone, order, true).await;
        cpu.set_buddy(half, order).await;
    }
}

/// rmqueue for orders that have no per-CPU list: straight from the free lists. Up to 5.13 those are all above 0. With
/// ALLOC_HARDER, `harder`, what is reserved comes first. Departs from 4.15 in that nothing is reserved on the way.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn rmqueue_order(cpu: &Cpu, zone: u8, order: u8, mt: MigrateType, harder: bool) -> Option<Pfn> {
    cpu.local_irq_save().await;
    cpu.lock_zone(zone, false).await;
    let mut stole = false;
    let mut page = None;
    if harder {
        page = __rmqueue_smallest(cpu, zone, order, MigrateType::HighAtomic).await;
    }
    if page.is_none() {
        page = __rmqueue(cpu, zone, order, mt, &mut stole).await;
    }
    cpu.unlock_zone(zone, false).await;
    if let Some(page) = page {
        cpu.raw_mod_zone_page_state(zone, Stat::FreePages, -(1 << order)).await;
        cpu.count_vm_events(Event::Alloc, 1 << order).await;
        cpu.local_irq_restore().await;
        cpu.prep_new_page(page, order).await;
    } else {
        cpu.local_irq_restore().await;
    }
    page
}

#[look]
fn smallest_block(cpu: &Cpu, zone: u8, order: u8, mt: MigrateType) -> Option<(Pfn, u8)> {
    (order..MAX_ORDER).find_map(|order| Some((cpu.area_head(zone, AreaList::Free { order, mt })?, order)))
}
