//! Operations of anonymous memory and swap in words.

use alloc::format;
use alloc::string::{String, ToString};

use super::AnonOp;
use crate::machine::NIL;

/// One operation with its result, in one line.
pub(super) fn text(op: AnonOp, ret: u32) -> String {
    match op {
        AnonOp::Store { mm, vpn } => format!("store to {vpn} of mm {mm}: {}", hit(ret)),
        AnonOp::Load { mm, vpn } => format!("load from {vpn} of mm {mm}: {}", hit(ret)),
        AnonOp::Madvise { mm, dontneed, start, end } => {
            format!("madvise({}) of {start}..{end} of mm {mm}", advice(dontneed))
        }
        AnonOp::TestClearYoung { mm, vpn } => {
            format!("young of PTE {vpn} of mm {mm} cleared, it was {}", if ret == 1 { "set" } else { "clear" })
        }
        AnonOp::GetAndClear { mm, vpn } => format!("PTE {vpn} of mm {mm} taken and cleared"),
        AnonOp::TlbQueue { mm, vpn } => format!("{vpn} of mm {mm} noted for the TLB flush"),
        AnonOp::TlbFlush { mm } => format!("TLB of mm {mm} flushed"),
        AnonOp::Watermark { mark } => format!("free frames above {mark}: {}", if ret == 1 { "yes" } else { "no" }),
        AnonOp::ScanMap => format!("swap map scanned: slot {ret}"),
        AnonOp::ReadMap { slot } => format!("swap_map[{slot}]: {ret:#04x}"),
        AnonOp::WriteMap { slot, byte } => format!("swap_map[{slot}] = {byte:#04x}"),
        AnonOp::WriteWord { slot, byte, page: NIL } => format!("swap table [{slot}] = {byte:#04x}, no page"),
        AnonOp::WriteWord { slot, byte, page } => format!("swap table [{slot}] = {byte:#04x}, page {page}"),
        AnonOp::MapRange { slot, freed } => {
            format!("lowest_bit, highest_bit after slot {slot} was {}", if freed { "freed" } else { "taken" })
        }
        AnonOp::ClusterNext { slot } => format!("cluster_next behind slot {slot}"),
        AnonOp::Inuse { delta, .. } => format!("inuse_pages {delta:+}"),
        AnonOp::NrSwapPages { delta } => format!("nr_swap_pages {delta:+}"),
        AnonOp::LookupCache { slot } if ret == NIL => format!("swap cache at {slot}: nothing"),
        AnonOp::LookupCache { slot } => format!("swap cache at {slot}: page {ret}"),
        AnonOp::SetCache { slot, page: NIL } => format!("swap cache at {slot} emptied"),
        AnonOp::SetCache { slot, page } => format!("swap cache at {slot} = page {page}"),
        AnonOp::SetPrivate { page, slot } => format!("private of page {page} = {slot}"),
        AnonOp::Rss { mm, counter, delta, .. } => format!("{} {delta:+} in mm {mm}", counter.name()),
        AnonOp::RssCached { mm, counter, delta } => format!("{} {delta:+} in the task of mm {mm}", counter.name()),
        AnonOp::RssSync { mm, counter } => format!("{} of mm {mm} gets what the task has cached", counter.name()),
        AnonOp::RssEvent { reset: true, .. } => "fault events = 0".to_string(),
        AnonOp::RssEvent { .. } => format!("fault events were {ret}"),
        AnonOp::Submit { page, slot } => format!("write of page {page} to slot {slot} submitted"),
        AnonOp::Complete { page } => format!("write of page {page} done"),
        AnonOp::ReadIn { page, slot } => format!("page {page} read from slot {slot}"),
        AnonOp::Copy { from, to } => format!("page {from} copied to page {to}"),
        AnonOp::Tick { ticks } => format!("{ticks} ticks"),
        AnonOp::WaitWrite { ticks } => format!("{ticks} ticks, then waits for the first write"),
        AnonOp::TryGet { page, .. } => {
            format!("get page {page} unless nobody has it: {}", if ret == 1 { "got it" } else { "nobody has" })
        }
        AnonOp::AddTail { lru, page } => {
            format!("list_add_tail page {page} to {}", crate::view::Lru::ALL[lru as usize].name())
        }
        AnonOp::Freeze { page, refs } => {
            format!("_count of page {page} {refs} -> 0: {}", if ret == 1 { "frozen" } else { "not so" })
        }
        AnonOp::PlainUnlock { page } => format!("page {page} unlocked by a plain store"),
        AnonOp::KswapdWaits => format!("kswapd on its wait queue: {}", if ret == 1 { "yes" } else { "no" }),
        AnonOp::KswapdQueue { on: true } => "kswapd on its wait queue".to_string(),
        AnonOp::KswapdQueue { on: false } => "kswapd off its wait queue".to_string(),
        AnonOp::WakeKswapd => format!("kswapd woken, slept {ret}"),
        AnonOp::ReclaimActive { zone, active } => {
            format!("ZONE_RECLAIM_ACTIVE of zone {zone} {}", if active { "set" } else { "cleared" })
        }
    }
}

fn hit(ret: u32) -> &'static str {
    if ret == 1 { "present" } else { "page fault" }
}

pub(super) fn advice(dontneed: bool) -> &'static str {
    if dontneed { "MADV_DONTNEED" } else { "MADV_FREE" }
}
