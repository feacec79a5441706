//! mm/page_alloc.c: taking from another migratetype.

use sim_macros::{kernel, look};

use super::page_alloc::{__rmqueue_smallest, del_from_free_list, expand};
use crate::engine::Cpu;
use crate::machine::{AreaList, MAX_ORDER, MigrateType, PAGEBLOCK_NR, PAGEBLOCK_ORDER, PageFlag, Pfn};

/// `__rmqueue_fallback`: moves blocks of another type to the lists of this one; false where there is nothing to move.
/// The largest block is preferred, since its pageblock may change hands whole; a movable request that cannot take the
/// pageblock looks for the smallest block instead.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn __rmqueue_fallback(cpu: &Cpu, zone: u8, order: u8, start: MigrateType) -> bool {
    let Some(largest) = largest_fallback(cpu, zone, order, start) else { return false };
    let can_steal = can_steal_fallback(largest.0, start);
    let smaller = !can_steal && start == MigrateType::Movable && largest.0 > order;
    let found = if smaller { smallest_fallback(cpu, zone, order, start) } else { Some(largest) };
    let (at, mt) = found.unwrap_or(largest);
    let Some(page) = cpu.area_head(zone, AreaList::Free { order: at, mt }) else { return false };
    steal_suitable_fallback(cpu, zone, page, start, can_steal).await;
    true
}

/// steal_suitable_fallback: this block alone, or all free blocks of its pageblock; the pageblock changes its type where
/// half of it or more is free or used alike.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn steal_suitable_fallback(cpu: &Cpu, zone: u8, page: Pfn, start: MigrateType, whole: bool) {
    let old = MigrateType::from_index(cpu.read_pageblock(page).await);
    let order = cpu.page(page).order();
    if old == MigrateType::HighAtomic {
        move_to_free_list(cpu, zone, page, start, false).await;
        return;
    }
    if order >= PAGEBLOCK_ORDER {
        change_pageblock_range(cpu, page, order, start).await;
        move_to_free_list(cpu, zone, page, start, false).await;
        return;
    }
    if !whole || !pageblock_in_zone(cpu, zone, page) {
        move_to_free_list(cpu, zone, page, start, false).await;
        return;
    }
    let (free, movable) = count_pageblock(cpu, page);
    move_freepages_block(cpu, zone, page, start, false).await;
    if free + alike_pages(free, movable, old, start) >= PAGEBLOCK_NR / 2 {
        cpu.set_pageblock(page, start).await;
    }
}

/// move_freepages_block: every free block of the pageblock goes to the lists of the type, lowest address first. 4.15
/// moves them to the head, later kernels to the tail. Returns the pages moved.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn move_freepages_block(cpu: &Cpu, zone: u8, page: Pfn, mt: MigrateType, tail: bool) -> u32 {
    let mut at = page - page % PAGEBLOCK_NR;
    let end = at + PAGEBLOCK_NR;
    let mut moved = 0;
    while at < end {
        if cpu.page(at).has(PageFlag::Free) {
            let nr = cpu.page(at).nr();
            move_to_free_list(cpu, zone, at, mt, tail).await;
            moved += nr;
            at += nr;
        } else {
            at += 1;
        }
    }
    moved
}

/// list_move of a free block to the list of another type.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn move_to_free_list(cpu: &Cpu, zone: u8, page: Pfn, mt: MigrateType, tail: bool) {
    let order = cpu.page(page).order();
    let list = cpu.list_of_block(zone, page);
    cpu.area_del(list, page).await;
    cpu.area_add(AreaList::Free { order, mt }, tail, page).await;
}

/// change_pageblock_range: all pageblocks of a block get a type.
#[kernel("mm/page_alloc.c", "4.15")]
pub async fn change_pageblock_range(cpu: &Cpu, page: Pfn, order: u8, mt: MigrateType) {
    let mut at = page;
    while at < page + (1 << order) {
        cpu.set_pageblock(at, mt).await;
        at += PAGEBLOCK_NR;
    }
}

/// `__rmqueue_claim`: takes over a pageblock of another type, and a block of it; none where no pageblock is worth it.
#[kernel("mm/page_alloc.c", "6.16")]
pub async fn __rmqueue_claim(cpu: &Cpu, zone: u8, order: u8, start: MigrateType) -> Option<Pfn> {
    let mut at = MAX_ORDER;
    while at > order && can_steal_fallback(at - 1, start) {
        at -= 1;
        if let Some(mt) = fallback_at(cpu, zone, at, start) {
            let page = try_to_claim_block(cpu, zone, at, mt, order, start).await;
            if page.is_some() {
                return page;
            }
        }
    }
    None
}

/// try_to_claim_block: a block of a pageblock or more changes hands whole; a smaller one with its pageblock, where half
/// of that or more is free or used alike.
#[kernel("mm/page_alloc.c", "6.16")]
pub async fn try_to_claim_block(
    cpu: &Cpu,
    zone: u8,
    at: u8,
    mt: MigrateType,
    order: u8,
    start: MigrateType,
) -> Option<Pfn> {
    let page = cpu.area_head(zone, AreaList::Free { order: at, mt })?;
    if at >= PAGEBLOCK_ORDER {
        del_from_free_list(cpu, zone, page, at).await;
        change_pageblock_range(cpu, page, at, start).await;
        expand(cpu, zone, page, order, at, start).await;
        return Some(page);
    }
    if !pageblock_in_zone(cpu, zone, page) {
        return None;
    }
    let old = MigrateType::from_index(cpu.read_pageblock(page).await);
    let (free, movable) = count_pageblock(cpu, page);
    if free + alike_pages(free, movable, old, start) < PAGEBLOCK_NR / 2 {
        return None;
    }
    move_freepages_block(cpu, zone, page, start, true).await;
    cpu.set_pageblock(page, start).await;
    __rmqueue_smallest(cpu, zone, order, start).await
}

/// `__rmqueue_steal`: the smallest block of another type; what is left of it stays of that type.
#[kernel("mm/page_alloc.c", "6.16")]
pub async fn __rmqueue_steal(cpu: &Cpu, zone: u8, order: u8, start: MigrateType) -> Option<Pfn> {
    let (at, mt) = smallest_fallback(cpu, zone, order, start)?;
    let page = cpu.area_head(zone, AreaList::Free { order: at, mt })?;
    del_from_free_list(cpu, zone, page, at).await;
    expand(cpu, zone, page, order, at, mt).await;
    Some(page)
}

/// can_steal_fallback: the whole pageblock may be asked for.
const fn can_steal_fallback(order: u8, start: MigrateType) -> bool {
    order >= PAGEBLOCK_ORDER / 2 || matches!(start, MigrateType::Reclaimable | MigrateType::Unmovable)
}

// Pages in use that suit the new type: movable ones, or those that the old type says are of no movable kind.
fn alike_pages(free: u32, movable: u32, old: MigrateType, start: MigrateType) -> u32 {
    match (start, old) {
        (MigrateType::Movable, _) => movable,
        (_, MigrateType::Movable) => PAGEBLOCK_NR - (free + movable),
        _ => 0,
    }
}

#[look]
fn fallback_at(cpu: &Cpu, zone: u8, order: u8, start: MigrateType) -> Option<MigrateType> {
    start.fallbacks().into_iter().find(|&mt| cpu.area_head(zone, AreaList::Free { order, mt }).is_some())
}

#[look]
fn largest_fallback(cpu: &Cpu, zone: u8, order: u8, start: MigrateType) -> Option<(u8, MigrateType)> {
    let mut found = None;
    for at in (order..MAX_ORDER).rev() {
        let mt = fallback_at(cpu, zone, at, start);
        if found.is_none() {
            found = mt.map(|mt| (at, mt));
        }
    }
    found
}

#[look]
fn smallest_fallback(cpu: &Cpu, zone: u8, order: u8, start: MigrateType) -> Option<(u8, MigrateType)> {
    let mut found = None;
    for at in order..MAX_ORDER {
        let mt = fallback_at(cpu, zone, at, start);
        if found.is_none() {
            found = mt.map(|mt| (at, mt));
        }
    }
    found
}

#[look]
fn pageblock_in_zone(cpu: &Cpu, zone: u8, page: Pfn) -> bool {
    page - page % PAGEBLOCK_NR + PAGEBLOCK_NR <= cpu.zone_frames(zone).1
}

// Pages of a pageblock that are free, and those in use that could be moved.
#[look]
fn count_pageblock(cpu: &Cpu, page: Pfn) -> (u32, u32) {
    let start = page - page % PAGEBLOCK_NR;
    let (mut free, mut movable, mut at) = (0, 0, start);
    while at < start + PAGEBLOCK_NR {
        let here = cpu.page(at);
        if here.has(PageFlag::Free) {
            free += here.nr();
            at += here.nr();
            continue;
        }
        movable += u32::from(here.count > 0 && here.has(PageFlag::Lru));
        at += 1;
    }
    (free, movable)
}
