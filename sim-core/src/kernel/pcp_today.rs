//! mm/page_alloc.c as of 7.1: per-CPU lists under a lock of their own, which tune their size.

use sim_macros::kernel;

use super::Patch;
use super::page_alloc::{__rmqueue, rmqueue_bulk, take_head};
use super::page_free::free_one_page;
use super::pcp_bulk::free_pcppages_bulk_single;
use super::pcp_orders::{blocks_of_batch, frees_high_orders, nr_pcp_free_tuned};
use crate::engine::Cpu;
use crate::machine::{Event, MigrateType, PCP_BATCH_SCALE_MAX, PcpField, Pfn, Stat};

const HIGH_MARK: usize = 2;

/// rmqueue_pcplist with pcp.lock, which is only tried for: whoever does not get it takes one block from the buddy lists.
/// Interrupts stay on.
#[kernel("mm/page_alloc.c", "7.1")]
pub async fn rmqueue_pcplist_locked(cpu: &Cpu, zone: u8, order: u8, mt: MigrateType) -> Option<Pfn> {
    cpu.get_cpu().await;
    if !cpu.trylock_pcp(zone).await {
        cpu.put_cpu().await;
        return rmqueue_buddy(cpu, zone, order, mt).await;
    }
    let freed = cpu.pcp(zone, PcpField::FreeCount);
    cpu.set_pcp(zone, PcpField::FreeCount, freed / 2).await;
    let list = cpu.pcp_list(order, mt);
    if cpu.area_empty(zone, list, false).await {
        let n = nr_pcp_alloc(cpu, zone, order).await;
        let added = rmqueue_bulk(cpu, zone, n, list, mt).await;
        let count = cpu.pcp(zone, PcpField::Count);
        cpu.set_pcp(zone, PcpField::Count, count + (added << order)).await;
    }
    let page = take_head(cpu, zone, list).await;
    cpu.unlock_pcp_of(zone, cpu.id()).await;
    cpu.put_cpu().await;
    if page.is_some() {
        cpu.count_vm_events(Event::Alloc, 1 << order).await;
    }
    page
}

/// rmqueue_buddy: one page or block from the free lists.
#[kernel("mm/page_alloc.c", "7.1")]
pub async fn rmqueue_buddy(cpu: &Cpu, zone: u8, order: u8, mt: MigrateType) -> Option<Pfn> {
    let mut stole = false;
    cpu.lock_zone(zone, true).await;
    let page = __rmqueue(cpu, zone, order, mt, &mut stole).await;
    if page.is_some() {
        cpu.raw_mod_zone_page_state(zone, Stat::FreePages, -(1 << order)).await;
    }
    cpu.unlock_zone(zone, true).await;
    if page.is_some() {
        cpu.count_vm_events(Event::Alloc, 1 << order).await;
    }
    page
}

/// nr_pcp_alloc: blocks of a refill. That of order 0 doubles while allocations go on, and high grows with it where it
/// may.
#[kernel("mm/page_alloc.c", "7.1")]
pub async fn nr_pcp_alloc(cpu: &Cpu, zone: u8, order: u8) -> u32 {
    let batch = cpu.pcp(zone, PcpField::Batch);
    let (least, most) = (cpu.pcp(zone, PcpField::HighMin), cpu.pcp(zone, PcpField::HighMax));
    let mut high = clamp_high(cpu, zone).await;
    if high < batch {
        return 1;
    }
    let factor = cpu.pcp(zone, PcpField::AllocFactor);
    let mut n = if order == 0 { batch << factor } else { batch };
    if least != most && !cpu.below_high(zone) {
        high = most.min(high + n);
        cpu.set_pcp(zone, PcpField::High, high).await;
    }
    if order > 0 {
        return blocks_of_batch(n, order);
    }
    let room = high.saturating_sub(cpu.pcp(zone, PcpField::Count) + batch).max(batch);
    if n <= room && factor < PCP_BATCH_SCALE_MAX {
        cpu.set_pcp(zone, PcpField::AllocFactor, factor + 1).await;
    }
    n = n.min(room);
    if n > 1 { n.max(2) } else { n }
}

/// high between its bounds.
#[kernel("mm/page_alloc.c", "7.1")]
pub async fn clamp_high(cpu: &Cpu, zone: u8) -> u32 {
    let least = cpu.pcp(zone, PcpField::HighMin);
    let most = cpu.pcp(zone, PcpField::HighMax);
    let high = cpu.read_pcp(zone, PcpField::High).await.max(least).min(most);
    cpu.set_pcp(zone, PcpField::High, high).await;
    high
}

/// free_frozen_pages: one page or block without a reference. An isolated pageblock's page, and any page when pcp.lock is taken,
/// goes straight to the buddy lists.
#[kernel("mm/page_alloc.c", "7.1")]
pub async fn free_frozen_page(cpu: &Cpu, page: Pfn, order: u8) {
    let zone = cpu.page_zone(page);
    cpu.free_pages_prepare(page, order).await;
    let mt = MigrateType::from_index(cpu.read_pageblock(page).await);
    if mt == MigrateType::Isolate || !lock_own_pcp(cpu, zone).await {
        free_one_page(cpu, page, order, mt, true).await;
        cpu.count_vm_events(Event::Free, 1 << order).await;
        return;
    }
    if free_frozen_page_commit(cpu, zone, page, order, mt).await {
        unlock_own_pcp(cpu, zone).await;
    }
}

/// free_unref_folios: a batch of folios under one hold of pcp.lock, in two passes: prepare all, then commit all.
#[kernel("mm/page_alloc.c", "7.1")]
pub async fn free_unref_folios(cpu: &Cpu, folios: &[Pfn]) {
    for &page in folios {
        cpu.free_pages_prepare(page, 0).await;
    }
    let mut locked = None;
    for &page in folios {
        let zone = cpu.page_zone(page);
        let mt = MigrateType::from_index(cpu.read_pageblock(page).await);
        if let Some(old) = locked
            && (old != zone || mt == MigrateType::Isolate)
        {
            unlock_own_pcp(cpu, old).await;
            locked = None;
        }
        if locked.is_none() && mt != MigrateType::Isolate && lock_own_pcp(cpu, zone).await {
            locked = Some(zone);
        }
        if locked.is_none() {
            free_one_page(cpu, page, 0, mt, true).await;
            cpu.count_vm_events(Event::Free, 1).await;
        } else if !free_frozen_page_commit(cpu, zone, page, 0, mt).await {
            locked = None;
        }
    }
    if let Some(zone) = locked {
        unlock_own_pcp(cpu, zone).await;
    }
}

/// pcp_spin_trylock: preemption off, then the lock of this CPU's lists, without waiting.
#[kernel("mm/page_alloc.c", "7.1")]
pub async fn lock_own_pcp(cpu: &Cpu, zone: u8) -> bool {
    cpu.get_cpu().await;
    if cpu.trylock_pcp(zone).await {
        return true;
    }
    cpu.put_cpu().await;
    false
}

/// pcp_spin_unlock
#[kernel("mm/page_alloc.c", "7.1")]
pub async fn unlock_own_pcp(cpu: &Cpu, zone: u8) {
    cpu.unlock_pcp_of(zone, cpu.id()).await;
    cpu.put_cpu().await;
}

/// free_frozen_page_commit: to the head of its list; where count has reached high, a drain in parts of one batch, each
/// under its own zone->lock. Between two parts pcp.lock is given up; false where it did not come back.
#[kernel("mm/page_alloc.c", "7.1")]
pub async fn free_frozen_page_commit(cpu: &Cpu, zone: u8, page: Pfn, order: u8, mt: MigrateType) -> bool {
    let mt = if mt.has_pcp() { mt } else { MigrateType::Movable };
    let factor = cpu.pcp(zone, PcpField::AllocFactor);
    cpu.set_pcp(zone, PcpField::AllocFactor, factor / 2).await;
    cpu.count_vm_events(Event::Free, 1 << order).await;
    let list = cpu.pcp_list(order, mt);
    cpu.area_add(list, false, page).await;
    let count = cpu.pcp(zone, PcpField::Count) + (1 << order);
    cpu.set_pcp(zone, PcpField::Count, count).await;
    let batch = cpu.pcp(zone, PcpField::Batch);
    let free_high = frees_high_orders(cpu, zone, order).await;
    let freed = cpu.pcp(zone, PcpField::FreeCount);
    if freed < batch << PCP_BATCH_SCALE_MAX {
        cpu.set_pcp(zone, PcpField::FreeCount, freed + (1 << order)).await;
    }
    let high = nr_pcp_high_tuned(cpu, zone, count, free_high).await;
    if count < high {
        return true;
    }
    let me = cpu.id();
    let mut left = nr_pcp_free_tuned(cpu, zone, high, free_high);
    while left > 0 && cpu.pcp(zone, PcpField::Count) > 0 {
        let part = left.min(batch);
        free_pcppages_bulk_single(cpu, zone, part, list.pindex()).await;
        left -= part;
        if left == 0 || cpu.pcp(zone, PcpField::Count) == 0 {
            break;
        }
        unlock_own_pcp(cpu, zone).await;
        if !lock_own_pcp(cpu, zone).await {
            return false;
        }
        if cpu.id() != me {
            unlock_own_pcp(cpu, zone).await;
            return false;
        }
    }
    if cpu.below_high(zone) && cpu.zone_free_pages(zone).await > cpu.watermark(zone, HIGH_MARK) {
        cpu.set_below_high(zone, false).await;
    }
    true
}

/// nr_pcp_high: at how many pages this free drains. While memory is short high falls; while pages are freed in a burst
/// it grows for later. Blocks of order 1 to 3 that are freed one after the other leave nothing.
#[kernel("mm/page_alloc.c", "7.1")]
pub async fn nr_pcp_high_tuned(cpu: &Cpu, zone: u8, count: u32, free_high: bool) -> u32 {
    let batch = cpu.pcp(zone, PcpField::Batch);
    let (least, most) = (cpu.pcp(zone, PcpField::HighMin), cpu.pcp(zone, PcpField::HighMax));
    let high = clamp_high(cpu, zone).await;
    if high == 0 {
        return 0;
    }
    if free_high {
        let lowered = high.saturating_sub(batch << PCP_BATCH_SCALE_MAX).max(least);
        cpu.set_pcp(zone, PcpField::High, lowered).await;
        return 0;
    }
    let freed = cpu.pcp(zone, PcpField::FreeCount);
    let lowered = high.saturating_sub(freed.max(batch)).max(least);
    if cpu.reclaim_active(zone) {
        cpu.set_pcp(zone, PcpField::High, lowered).await;
        return lowered.min(4 * batch);
    }
    if least == most {
        return high;
    }
    if cpu.below_high(zone) {
        cpu.set_pcp(zone, PcpField::High, lowered).await;
        return count.max(least);
    }
    if count >= high && high < freed + batch {
        cpu.set_pcp(zone, PcpField::High, (freed + batch).max(least).min(most)).await;
    }
    high
}

/// drain_pages_zone with pcp.lock: any CPU can do it for another. Departs from 7.1 in emptying the lists in one part.
#[kernel("mm/page_alloc.c", "7.1")]
pub async fn drain_pages_zone_locked(cpu: &Cpu, zone: u8) {
    let me = cpu.id();
    cpu.lock_pcp_of(zone, me).await;
    let count = cpu.pcp(zone, PcpField::Count);
    if count > 0 && cpu.has(Patch::PcpLock) {
        free_pcppages_bulk_single(cpu, zone, count, 0).await;
    }
    cpu.unlock_pcp_of(zone, me).await;
}
