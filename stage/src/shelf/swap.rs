//! The swap device: one mark for each slot that holds something.

use sim_core::view::{LockView, SlotView, SwapView};

use super::{Item, Shelf, ShelfRow};
use crate::scene::MarkKind;
use crate::words;

/// The shelf of the device.
pub(super) fn shelf(swap: &SwapView) -> Shelf {
    let filled = |slot: &SlotView| slot.count > 0 || slot.has_cache;
    let used = swap.slots.iter().enumerate().filter(|(_, slot)| filled(slot));
    let slots = used.map(|(at, slot)| mark(at as u32 + 1, slot, swap.touched_slot == Some(at as u32 + 1)));
    let writes = swap.writes.iter().filter_map(|write| {
        write.page.map(|page| Item::Refers(page, format!("page {page} is being written to slot {}", write.slot)))
    });
    let [_, low, high] = swap.marks;
    Shelf {
        title: "Swap device".into(),
        about: format!(
            "{}, {} free; {}",
            words::count(swap.free_slots.max(0) as u32, "slot", "slots"),
            words::count(swap.free_frames, "frame", "frames"),
            kswapd(swap, low, high)
        ),
        lock: busiest(&swap.locks),
        first: true,
        rows: vec![
            ShelfRow::new("slots in use")
                .short("slots")
                .count(swap.slots.iter().filter(|slot| filled(slot)).count() as u32)
                .with(slots),
            ShelfRow::new("writes").count(swap.writes.len() as u32).with(writes).or_else("nothing on its way"),
        ],
    }
}

fn mark(number: u32, slot: &SlotView, now: bool) -> Item {
    let cache = match slot.page {
        Some(page) => format!(", page {page} in the swap cache"),
        None if slot.has_cache => ", in the swap cache".into(),
        None => String::new(),
    };
    let held = words::count(slot.count, "PTE holds", "PTEs hold");
    Item::Mark(MarkKind::Swap, number.to_string(), format!("slot {number}: {held} it{cache}"), now)
}

// The lock that is held, else the one that was taken most.
fn busiest(locks: &[LockView]) -> Option<LockView> {
    let held = locks.iter().find(|lock| lock.holder.is_some());
    held.or_else(|| locks.iter().max_by_key(|lock| lock.taken)).filter(|lock| lock.taken > 0).cloned()
}

// It works from the low mark up to the high one; where it is a task of its own, also what it does.
fn kswapd(swap: &SwapView, low: u32, high: u32) -> String {
    match &swap.kswapd {
        None => format!("kswapd {low} to {high}"),
        Some(kswapd) if kswapd.asleep => format!("kswapd0 asleep until {low}"),
        Some(_) => format!("kswapd0 works up to {high}"),
    }
}
