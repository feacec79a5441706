//! mm/page_alloc.c: how a page is freed: to this CPU's lists, and from there into the buddy lists.

use sim_macros::{kernel, look};

use super::Patch;
use super::pcp_bulk::{free_pcppages_bulk, free_pcppages_bulk_single};
use super::pcp_orders::{is_costly_or_less, split_large_buddy};
use super::pcp_today::{free_frozen_page, free_unref_folios};
use crate::engine::Cpu;
use crate::machine::{AreaList, Event, MAX_ORDER, MigrateType, PAGEBLOCK_ORDER, PcpField, Pfn, Stat};

/// Pages freed with interrupts off in one go.
const SWAP_CLUSTER_MAX: u32 = 32;

/// free_unref_page: one page without a reference, or a block of an order that has per-CPU lists (5.14 and later).
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn free_unref_page(cpu: &Cpu, page: Pfn, order: u8) {
    if cpu.has(Patch::PcpLock) {
        free_frozen_page(cpu, page, order).await;
        return;
    }
    let mt = free_unref_page_prepare(cpu, page, order).await;
    if cpu.has(Patch::SinglePass) && mt == MigrateType::Isolate {
        free_one_page(cpu, page, order, mt, true).await;
        return;
    }
    cpu.local_irq_save().await;
    free_unref_page_commit(cpu, page, order).await;
    cpu.local_irq_restore().await;
}

/// free_unref_page_prepare: clears what the page was, and keeps the type of its pageblock in the page: read once, with
/// interrupts on.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn free_unref_page_prepare(cpu: &Cpu, page: Pfn, order: u8) -> MigrateType {
    cpu.free_pages_prepare(page, order).await;
    let mt = MigrateType::from_index(cpu.read_pageblock(page).await);
    cpu.set_pcp_type(page, mt).await;
    mt
}

/// free_unref_page_commit: to the head of the list of its type; a drain when count has reached high. Up to 4.16 the
/// caller of the drain subtracts from count. Whoever changes batch and high meanwhile is not waited for. 5.18 counts one
/// PGFREE for a block of any order.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn free_unref_page_commit(cpu: &Cpu, page: Pfn, order: u8) {
    let zone = cpu.page_zone(page);
    let mut mt = MigrateType::from_index(cpu.read_pcp_type(page).await);
    cpu.count_vm_events(Event::Free, 1).await;
    if !mt.has_pcp() {
        if mt == MigrateType::Isolate {
            free_one_page(cpu, page, order, mt, false).await;
            return;
        }
        mt = MigrateType::Movable;
    }
    let list = cpu.pcp_list(order, mt);
    cpu.area_add(list, false, page).await;
    let count = cpu.pcp(zone, PcpField::Count) + (1 << order);
    cpu.set_pcp(zone, PcpField::Count, count).await;
    if cpu.has(Patch::SinglePass) {
        let free_high = is_costly_or_less(order) && cpu.pcp(zone, PcpField::FreeFactor) > 0;
        let high = nr_pcp_high(cpu, zone, free_high).await;
        if count >= high {
            let n = nr_pcp_free(cpu, zone, high, free_high).await;
            free_pcppages_bulk_single(cpu, zone, n, list.pindex()).await;
        }
        return;
    }
    if count >= cpu.read_pcp(zone, PcpField::High).await {
        let batch = cpu.read_pcp(zone, PcpField::Batch).await;
        free_pcppages_bulk(cpu, zone, batch).await;
        if !cpu.has(Patch::CountInside) {
            let freed = if cpu.has(Patch::ClampCount) { batch.min(count) } else { batch };
            cpu.set_pcp(zone, PcpField::Count, count.wrapping_sub(freed)).await;
        }
    }
}

/// nr_pcp_high of 5.14 to 6.6: less while kswapd reclaims; nothing may stay where blocks of order 1 to 3 are freed in a
/// burst.
#[kernel("mm/page_alloc.c", "5.18")]
pub async fn nr_pcp_high(cpu: &Cpu, zone: u8, free_high: bool) -> u32 {
    let high = cpu.read_pcp(zone, PcpField::High).await;
    if free_high {
        return 0;
    }
    if cpu.reclaim_active(zone) { high.min(4 * cpu.pcp(zone, PcpField::Batch)) } else { high }
}

/// nr_pcp_free of 5.14 to 6.6: batch doubles with each drain of a burst, up to high less one batch.
#[kernel("mm/page_alloc.c", "5.18")]
pub async fn nr_pcp_free(cpu: &Cpu, zone: u8, high: u32, free_high: bool) -> u32 {
    let batch = cpu.read_pcp(zone, PcpField::Batch).await;
    if free_high {
        return cpu.pcp(zone, PcpField::Count);
    }
    if high < batch {
        return 1;
    }
    let factor = cpu.pcp(zone, PcpField::FreeFactor);
    let scaled = batch.saturating_mul(1 << factor.min(16));
    if scaled < high - batch {
        cpu.set_pcp(zone, PcpField::FreeFactor, factor + 1).await;
    }
    scaled.max(batch).min(high - batch)
}

/// free_unref_page_list: the pages that release_pages has collected, in two passes: prepare all, then commit all. Every
/// 32 pages interrupts are let in.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn free_unref_page_list(cpu: &Cpu, zone: u8) {
    let list = AreaList::Dead { cpu: cpu.id() };
    let mut next = cpu.area_head(zone, list);
    if next.is_none() {
        return;
    }
    while let Some(page) = next {
        next = follower(cpu, page);
        let mt = free_unref_page_prepare(cpu, page, 0).await;
        if cpu.has(Patch::SinglePass) && mt == MigrateType::Isolate {
            cpu.area_del(list, page).await;
            free_one_page(cpu, page, 0, mt, true).await;
        }
    }
    let mut committed = 0;
    cpu.local_irq_save().await;
    while let Some(page) = cpu.area_head(zone, list) {
        cpu.area_next(list, page).await;
        free_unref_page_commit(cpu, page, 0).await;
        committed += 1;
        if committed == SWAP_CLUSTER_MAX {
            cpu.local_irq_restore().await;
            committed = 0;
            cpu.local_irq_save().await;
        }
    }
    cpu.local_irq_restore().await;
}

/// free_one_page: straight into the buddy lists. The type is read again under the lock where a pageblock is isolated.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn free_one_page(cpu: &Cpu, page: Pfn, order: u8, mt: MigrateType, irq: bool) {
    let zone = cpu.page_zone(page);
    let mut mt = mt;
    cpu.lock_zone(zone, irq).await;
    if cpu.has(Patch::FreshType) && order > PAGEBLOCK_ORDER {
        split_large_buddy(cpu, zone, page, order).await;
        cpu.unlock_zone(zone, irq).await;
        return;
    }
    if cpu.has_isolate_pageblock(zone).await || mt == MigrateType::Isolate {
        mt = MigrateType::from_index(cpu.read_pageblock(page).await);
    }
    __free_one_page(cpu, zone, page, order, mt).await;
    cpu.unlock_zone(zone, irq).await;
}

/// `__free_pages_ok`: a block of an order that has no per-CPU list.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn free_pages_ok(cpu: &Cpu, page: Pfn, order: u8) {
    cpu.free_pages_prepare(page, order).await;
    let mt = MigrateType::from_index(cpu.read_pageblock(page).await);
    cpu.local_irq_save().await;
    cpu.count_vm_events(Event::Free, 1 << order).await;
    free_one_page(cpu, page, order, mt, false).await;
    cpu.local_irq_restore().await;
}

/// `__free_one_page`: merges a block with its buddy as long as that is free, and lists what comes out. Under zone->lock.
///
/// Below order 9 both halves lie in one pageblock, so any buddy will do. From there on 4.15 asks whether one of the two
/// pageblocks is isolated; 7.1 merges types that may mix, and gives the buddy's pageblocks the type of the page.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn __free_one_page(cpu: &Cpu, zone: u8, page: Pfn, order: u8, mt: MigrateType) {
    if mt != MigrateType::Isolate {
        cpu.raw_mod_zone_page_state(zone, Stat::FreePages, 1 << order).await;
    }
    let (mut page, mut order) = (page, order);
    while order < MAX_ORDER - 1 {
        let buddy = page ^ (1 << order);
        if order == PAGEBLOCK_ORDER && !cpu.has(Patch::FreshType) && !may_merge_pageblocks(cpu, zone, buddy, mt).await {
            break;
        }
        if !in_zone(cpu, zone, buddy) || cpu.read_buddy(buddy).await != u32::from(order) + 1 {
            break;
        }
        if cpu.has(Patch::FreshType) && order >= PAGEBLOCK_ORDER && !merge_pageblock_types(cpu, buddy, order, mt).await
        {
            break;
        }
        del_buddy(cpu, zone, buddy, order).await;
        page &= buddy;
        order += 1;
    }
    cpu.set_buddy(page, order).await;
    let tail = order < MAX_ORDER - 2 && buddy_merge_likely(cpu, zone, page, order).await;
    cpu.area_add(AreaList::Free { order, mt }, tail, page).await;
    cpu.add_nr_free(zone, order, true).await;
}

/// The buddy leaves its list, whatever type that is of.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn del_buddy(cpu: &Cpu, zone: u8, buddy: Pfn, order: u8) {
    let list = cpu.list_of_block(zone, buddy);
    cpu.area_del(list, buddy).await;
    cpu.add_nr_free(zone, order, false).await;
    cpu.clear_buddy(buddy).await;
}

/// No pageblock is isolated, or both are, or none of the two is.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn may_merge_pageblocks(cpu: &Cpu, zone: u8, buddy: Pfn, mt: MigrateType) -> bool {
    if !in_zone(cpu, zone, buddy) || !cpu.has_isolate_pageblock(zone).await {
        return true;
    }
    let theirs = MigrateType::from_index(cpu.read_pageblock(buddy).await);
    theirs == mt || theirs != MigrateType::Isolate && mt != MigrateType::Isolate
}

/// 6.10 and later: the two types are the same, or may mix: then the buddy's pageblocks get the type of the page.
#[kernel("mm/page_alloc.c", "6.10")]
pub async fn merge_pageblock_types(cpu: &Cpu, buddy: Pfn, order: u8, mt: MigrateType) -> bool {
    let theirs = MigrateType::from_index(cpu.read_pageblock(buddy).await);
    if theirs == mt {
        return true;
    }
    if !theirs.has_pcp() || !mt.has_pcp() {
        return false;
    }
    super::page_alloc_fallback::change_pageblock_range(cpu, buddy, order, mt).await;
    true
}

/// The pair of this block and its buddy would merge again: then it is best left alone, at the tail.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn buddy_merge_likely(cpu: &Cpu, zone: u8, page: Pfn, order: u8) -> bool {
    let parent = page & (page ^ (1 << order));
    let higher = parent ^ (2 << order);
    in_zone(cpu, zone, higher) && cpu.read_higher_buddy(higher).await == u32::from(order) + 2
}

#[look]
fn in_zone(cpu: &Cpu, zone: u8, page: Pfn) -> bool {
    let (start, end) = cpu.zone_frames(zone);
    start <= page && page < end
}

// The page behind this one on its list, read in the pass that prepares.
#[look]
fn follower(cpu: &Cpu, page: Pfn) -> Option<Pfn> {
    let next = cpu.page(page).next;
    (next != crate::machine::NIL).then_some(next)
}

/// Frees the pages that release_pages has collected, as the kernel does it.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn free_collected(cpu: &Cpu, zone: u8, folios: &[Pfn]) {
    if cpu.has(Patch::PcpLock) {
        free_unref_folios(cpu, folios).await;
    } else {
        free_unref_page_list(cpu, zone).await;
    }
}
