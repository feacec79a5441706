//! Sentences for steps of anonymous memory and swap.

use alloc::format;
use alloc::string::{String, ToString};

use super::Lru;
use super::narrate::Sentence;
use crate::machine::{NIL, SWAP_COUNT, SWAP_HAS_CACHE};
use crate::op::AnonOp;

impl Sentence<'_> {
    pub(super) fn anon(&self, op: AnonOp, ret: u32) -> String {
        match op {
            AnonOp::Store { mm, vpn } if ret == 1 => {
                format!("*stores* to address {}: the CPU sets *young and dirty* in the PTE", self.index(mm, vpn))
            }
            AnonOp::Store { mm, vpn } => format!("stores to address {}: *page fault*", self.index(mm, vpn)),
            AnonOp::Load { mm, vpn } if ret == 1 => {
                format!("*reads* address {}: the CPU sets *young* in the PTE", self.index(mm, vpn))
            }
            AnonOp::Load { mm, vpn } => format!("reads address {}: *page fault*", self.index(mm, vpn)),
            AnonOp::Madvise { dontneed, start, end, .. } => {
                let advice = if dontneed { "MADV_DONTNEED" } else { "MADV_FREE" };
                format!("calls *madvise({advice})* for {} pages", end - start)
            }
            AnonOp::TestClearYoung { mm, vpn } => {
                let was = if ret == 1 { "*was used*" } else { "was *not used*" };
                format!("clears young in the PTE of address {}: it {was} since the last look", self.index(mm, vpn))
            }
            AnonOp::GetAndClear { mm, vpn } => {
                format!("*takes the PTE* of address {} away, with what the CPU last wrote in it", self.index(mm, vpn))
            }
            AnonOp::TlbQueue { mm, vpn } => format!("notes address {} for the *TLB flush*", self.index(mm, vpn)),
            AnonOp::TlbFlush { .. } => "*flushes the TLB*: no CPU uses the old PTE any more".to_string(),
            AnonOp::Watermark { mark } if ret == 1 => format!("finds *more than {mark}* frames free"),
            AnonOp::Watermark { mark } => format!("finds *{mark} frames or fewer* free"),
            AnonOp::Tick { ticks } => format!("has used *{ticks} ticks* of time"),
            AnonOp::TryGet { page, .. } if ret == 1 => format!("takes a *reference* of {}", self.page(page)),
            AnonOp::TryGet { page, .. } => format!("finds that {} *is being freed*", self.page(page)),
            AnonOp::WaitWrite { .. } => "*waits* until the first write is done: nothing else can be freed".to_string(),
            AnonOp::AddTail { lru, page } => {
                let list = Lru::ALL[lru as usize].name();
                format!("puts {} at the *tail* of the {list} list: it goes next", self.page(page))
            }
            AnonOp::Freeze { page, .. } if ret == 1 => {
                format!("takes the last references of {} at once: *nobody can find it* any more", self.page(page))
            }
            AnonOp::Freeze { page, .. } => format!("finds that *somebody else holds* {}", self.page(page)),
            AnonOp::PlainUnlock { page } => format!("*unlocks* {}, which nobody else can see", self.page(page)),
            AnonOp::KswapdWaits if ret == 1 => "finds *kswapd asleep*".to_string(),
            AnonOp::KswapdWaits => "finds *kswapd awake* already".to_string(),
            AnonOp::KswapdQueue { on: true } => "*queues to be woken* before it looks a last time".to_string(),
            AnonOp::KswapdQueue { on: false } => "*leaves the queue* of those to be woken".to_string(),
            AnonOp::WakeKswapd if ret == 1 => "*wakes kswapd*, whose clock starts from here, and goes on".to_string(),
            AnonOp::WakeKswapd => "wakes kswapd, which *was about to sleep*".to_string(),
            AnonOp::ReclaimActive { active: true, .. } => "marks the zone: *kswapd reclaims*".to_string(),
            AnonOp::ReclaimActive { active: false, .. } => "marks the zone: kswapd *reclaims no longer*".to_string(),
            AnonOp::Copy { from, to } => format!("*copies* {} to {}", self.page(from), self.page(to)),
            _ => self.swap(op, ret),
        }
    }

    fn swap(&self, op: AnonOp, ret: u32) -> String {
        match op {
            AnonOp::ScanMap if ret == 0 => "finds *no free slot* in the swap map".to_string(),
            AnonOp::ScanMap => format!("finds *slot {ret}* free in the swap map"),
            AnonOp::ReadMap { slot } => format!("reads the swap map at slot {slot}: {}", byte(ret as u8)),
            AnonOp::WriteMap { slot, byte: value } => format!("writes the swap map at *slot {slot}*: {}", byte(value)),
            AnonOp::WriteWord { slot, byte: value, page } => {
                let with = if page == NIL { "no page".to_string() } else { self.page(page) };
                format!("writes the swap table at *slot {slot}*: {}, {with}", byte(value))
            }
            AnonOp::MapRange { .. } => "keeps the *range of free slots* up to date".to_string(),
            AnonOp::ClusterNext { .. } => "will look for the next slot *behind this one*".to_string(),
            AnonOp::Inuse { delta, .. } => format!("counts *{delta:+}* slots in use"),
            AnonOp::NrSwapPages { delta } => format!("counts *{delta:+}* free slots, atomically"),
            AnonOp::LookupCache { slot } if ret == NIL => {
                format!("looks for slot {slot} in the swap cache: *not there*")
            }
            AnonOp::LookupCache { slot } => format!("looks for slot {slot} in the swap cache: *{}*", self.page(ret)),
            AnonOp::SetCache { slot, page: NIL } => format!("takes the page of slot {slot} *out of the swap cache*"),
            AnonOp::SetCache { slot, page } => format!("puts {} into the *swap cache* at slot {slot}", self.page(page)),
            AnonOp::SetPrivate { page, slot: 0 } => format!("{} *has no slot* any more", self.page(page)),
            AnonOp::SetPrivate { page, slot } => format!("notes in {} that *slot {slot}* is its own", self.page(page)),
            AnonOp::Rss { counter, delta, .. } => format!("counts *{} {delta:+}* in the mm", counter.name()),
            AnonOp::RssCached { counter, delta, .. } => {
                format!("counts *{} {delta:+}* in the task alone: no atomic", counter.name())
            }
            AnonOp::RssSync { counter, .. } => format!("gives the mm its cached *{}*", counter.name()),
            AnonOp::RssEvent { .. } => "counts the *fault*, for the next flush of its counters".to_string(),
            AnonOp::Submit { page, slot } => format!("*writes* {} to slot {slot}: it takes a while", self.page(page)),
            AnonOp::Complete { page } => format!("hears that {} *has been written*", self.page(page)),
            AnonOp::ReadIn { page, slot } => format!("*reads* {} from slot {slot} of the swap device", self.page(page)),
            _ => String::new(),
        }
    }
}

fn byte(value: u8) -> String {
    let cached = if value & SWAP_HAS_CACHE != 0 { ", in the swap cache" } else { "" };
    match value & SWAP_COUNT {
        0 if value == 0 => "*free*".to_string(),
        0 => format!("*no PTE*{cached}"),
        1 => format!("*1 PTE*{cached}"),
        n => format!("*{n} PTEs*{cached}"),
    }
}
