//! The page allocator: per-CPU lists above the zones, free lists of the buddy allocator below.

use sim_core::machine::MigrateType;
use sim_core::view::{AllocatorView, FreeListView, LockView, PcpListView, PcpView};

use super::{Item, Shelf, ShelfRow};
use crate::words;

/// CPUs up to which the lists of each are shown.
const CPUS: usize = 4;
/// Orders that have a row of their own; the rest share one.
const ORDERS: u8 = 4;

/// The shelves of all zones that have an allocator.
pub(super) fn shelves(allocators: &[AllocatorView]) -> Vec<Shelf> {
    allocators.iter().flat_map(|zone| zone.pcps.iter().take(CPUS).map(pcp).chain([free_lists(zone)])).collect()
}

fn pcp(pcp: &PcpView) -> Shelf {
    let row = |label: &str, pages: &[u32], empty: &str| {
        ShelfRow::new(label).count(pages.len() as u32).with(pages.iter().map(|&page| Item::Page(page))).or_else(empty)
    };
    let main = |list: &&PcpListView| list.order == 0 && list.mt == MigrateType::Movable;
    let (movable, others): (Vec<_>, Vec<_>) = pcp.lists.iter().partition(main);
    let mut rows: Vec<ShelfRow> = movable.iter().map(|list| row("movable", &list.pages, "")).collect();
    rows.push(row("picked", &pcp.picked, "on no list: pages picked to be freed"));
    if !pcp.dead.is_empty() {
        rows.push(row("to be freed", &pcp.dead, "").short("dead"));
    }
    rows.extend(others.iter().filter(|list| !list.pages.is_empty()).map(|list| match list.order {
        0 => row(list.mt.name(), &list.pages, ""),
        order => row(&format!("order {order} {}", list.mt.name()), &list.pages, "").short(format!("order {order}")),
    }));
    Shelf {
        title: format!("PCP lists of CPU {}", pcp.cpu),
        about: format!("{} of {}, in batches of {}", pcp.count, pcp.high, pcp.batch),
        lock: used(&pcp.lock),
        first: true,
        rows,
    }
}

fn free_lists(zone: &AllocatorView) -> Shelf {
    let mut rows: Vec<ShelfRow> =
        (0..ORDERS).map(|order| orders(zone, order..=order, format!("order {order}"))).collect();
    rows.push(orders(zone, ORDERS..=u8::MAX, format!("orders {ORDERS} to 10")).short(format!("{ORDERS} to 10")));
    Shelf {
        title: format!("Zone {}", zone.zone),
        about: format!("free lists, {} pages", words::thousands(zone.nr_free_pages.max(0) as u32)),
        lock: Some(zone.lock.clone()),
        first: true,
        rows,
    }
}

// The blocks of some orders, by their first pages: head of each list first.
fn orders(zone: &AllocatorView, wanted: std::ops::RangeInclusive<u8>, label: String) -> ShelfRow {
    let lists: Vec<&FreeListView> = zone.free_lists.iter().filter(|list| wanted.contains(&list.order)).collect();
    let blocks: u32 = lists.iter().map(|list| list.blocks.len() as u32).sum();
    let items = lists.iter().flat_map(|list| list.blocks.iter().map(|&page| Item::Page(page)));
    ShelfRow::new(label).count(blocks).with(items)
}

fn used(lock: &LockView) -> Option<LockView> {
    (lock.taken > 0 || lock.holder.is_some()).then(|| lock.clone())
}
