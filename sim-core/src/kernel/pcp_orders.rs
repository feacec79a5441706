//! mm/page_alloc.c: per-CPU lists of blocks, orders 1 to 3 and that of a huge page (5.14 and later).

use sim_macros::{kernel, look};

use super::Patch;
use super::page_alloc::{rmqueue_order, rmqueue_pcplist};
use super::page_free::{__free_one_page, free_pages_ok, free_unref_page};
use crate::engine::Cpu;
use crate::machine::{
    MigrateType, PAGE_ALLOC_COSTLY_ORDER, PAGEBLOCK_NR, PAGEBLOCK_ORDER, PCP_BATCH_SCALE_MAX, PcpField, Pfn,
    pcp_allowed_order,
};

/// rmqueue: a page or block from this CPU's lists where its order has some, else from the free lists. Up to 5.13 only
/// order 0 has lists. There is no watermark test here.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn rmqueue(cpu: &Cpu, zone: u8, order: u8, mt: MigrateType) -> Option<Pfn> {
    let mut listed = order == 0;
    if cpu.has(Patch::SinglePass) {
        listed = pcp_allowed_order(order);
    }
    if !listed {
        return rmqueue_order(cpu, zone, order, mt, false).await;
    }
    let page = rmqueue_pcplist(cpu, zone, order, mt).await?;
    cpu.prep_new_page(page, order).await;
    Some(page)
}

/// free_the_page: a page or block without a reference, to this CPU's lists where its order has some.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn free_the_page(cpu: &Cpu, page: Pfn, order: u8) {
    let mut listed = order == 0;
    if cpu.has(Patch::SinglePass) {
        listed = pcp_allowed_order(order);
    }
    if listed {
        free_unref_page(cpu, page, order).await;
    } else {
        free_pages_ok(cpu, page, order).await;
    }
}

/// split_large_buddy of 6.10 and later: a block above a pageblock is freed by pageblocks, each by its own type.
#[kernel("mm/page_alloc.c", "6.10")]
pub async fn split_large_buddy(cpu: &Cpu, zone: u8, page: Pfn, order: u8) {
    let mut at = page;
    while at < page + (1 << order) {
        let mt = MigrateType::from_index(cpu.read_pageblock(at).await);
        __free_one_page(cpu, zone, at, PAGEBLOCK_ORDER, mt).await;
        at += PAGEBLOCK_NR;
    }
}

/// Blocks of a refill: as many as make a batch of pages, but two at least. A batch of 1 is that of lists that hold
/// nothing.
pub const fn blocks_of_batch(batch: u32, order: u8) -> u32 {
    if order == 0 || batch < 2 {
        return batch;
    }
    if batch >> order > 2 { batch >> order } else { 2 }
}

/// Orders 1 to 3, blocks of which may not gather on the lists.
pub const fn is_costly_or_less(order: u8) -> bool {
    order > 0 && order <= PAGE_ALLOC_COSTLY_ORDER
}

/// 6.7 and later: blocks of order 1 to 3 are freed one after the other, and much has been freed lately. Remembers what
/// sort of free this one is. Departs from 7.1, which asks for a batch of pages only where a CPU's share of the cache is
/// large enough, in that it always does.
#[kernel("mm/page_alloc.c", "7.1")]
pub async fn frees_high_orders(cpu: &Cpu, zone: u8, order: u8) -> bool {
    let before = cpu.pcp(zone, PcpField::Flags) > 0;
    if !is_costly_or_less(order) {
        if before {
            cpu.set_pcp(zone, PcpField::Flags, 0).await;
        }
        return false;
    }
    cpu.set_pcp(zone, PcpField::Flags, 1).await;
    let batch = cpu.pcp(zone, PcpField::Batch);
    let much = batch + cpu.pcp(zone, PcpField::HighMin) / 2;
    before && cpu.pcp(zone, PcpField::FreeCount) >= much && cpu.pcp(zone, PcpField::Count) >= batch
}

/// nr_pcp_free of 6.7 and later: pages of a drain.
#[look]
pub fn nr_pcp_free_tuned(cpu: &Cpu, zone: u8, high: u32, free_high: bool) -> u32 {
    let batch = cpu.pcp(zone, PcpField::Batch);
    if free_high {
        cpu.pcp(zone, PcpField::Count).min(batch << PCP_BATCH_SCALE_MAX)
    } else if high < batch {
        1
    } else {
        cpu.pcp(zone, PcpField::FreeCount).max(batch).min(high - batch)
    }
}
