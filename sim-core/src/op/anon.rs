//! Operations of anonymous memory and swap: stores, PTE exchanges, the swap map, the swap cache, writes, clocks.

use super::apply::with;
use super::{Held, Outcome};
use crate::ledger::Site;
use crate::machine::{
    Machine, NIL, NOBODY, PTE_DIRTY, PTE_NONE, PTE_PFN, PTE_WRITE, PTE_YOUNG, PTE_ZERO, PTRS_PER_PTE, PageFlag, Pfn,
    Pmd, Rss, SwapWrite, pte_page,
};

/// One micro-operation of anonymous memory or swap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnonOp {
    /// The program stores to a page. Where the PTE is present and writable, the CPU sets young and dirty and returns 1.
    Store { mm: u8, vpn: u32 },
    /// The program reads a page. Where the PTE is present, the CPU sets young and returns 1.
    Load { mm: u8, vpn: u32 },
    /// The program asks for madvise of a range, MADV_DONTNEED or MADV_FREE.
    Madvise { mm: u8, dontneed: bool, start: u32, end: u32 },
    /// ptep_test_and_clear_young; returns 1 where it was young.
    TestClearYoung { mm: u8, vpn: u32 },
    /// ptep_get_and_clear; returns the old PTE.
    GetAndClear { mm: u8, vpn: u32 },
    /// A PTE is noted for the TLB flush to come.
    TlbQueue { mm: u8, vpn: u32 },
    /// The TLB entries of an address space that were noted are flushed.
    TlbFlush { mm: u8 },
    /// Watermark test: returns 1 where more frames are free.
    Watermark { mark: u32 },
    /// Looks for a free slot from cluster_next on; returns it, or 0.
    ScanMap,
    /// Reads a byte of the swap map.
    ReadMap { slot: u32 },
    /// Writes a byte of the swap map.
    WriteMap { slot: u32, byte: u8 },
    /// Writes a word of the swap table: count and page at once.
    WriteWord { slot: u32, byte: u8, page: Pfn },
    /// lowest_bit and highest_bit follow a slot that has been freed, or taken.
    MapRange { slot: u32, freed: bool },
    /// cluster_next
    ClusterNext { slot: u32 },
    /// inuse_pages; atomic in the swap table of today.
    Inuse { atomic: bool, delta: i16 },
    /// nr_swap_pages, atomic.
    NrSwapPages { delta: i32 },
    /// Reads the swap cache at a slot; returns the page or NIL.
    LookupCache { slot: u32 },
    /// Puts a page into the swap cache, or takes it out (NIL).
    SetCache { slot: u32, page: Pfn },
    /// page->private
    SetPrivate { page: Pfn, slot: u32 },
    /// A counter of an mm, changed directly.
    Rss { mm: u8, counter: Rss, atomic: bool, delta: i32 },
    /// A counter of an mm, changed in the task's cache.
    RssCached { mm: u8, counter: Rss, delta: i32 },
    /// The cached change of a counter goes to the mm.
    RssSync { mm: u8, counter: Rss },
    /// Counts a fault for the next flush of cached counters, or starts anew; returns how many there were.
    RssEvent { mm: u8, reset: bool },
    /// A page goes to the device.
    Submit { page: Pfn, slot: u32 },
    /// The write that was submitted first is done.
    Complete { page: Pfn },
    /// A page is read from the device.
    ReadIn { page: Pfn, slot: u32 },
    /// A page is copied.
    Copy { from: Pfn, to: Pfn },
    /// The clock of the task goes on.
    Tick { ticks: u32 },
    /// The clock of the task goes on, and then to the end of the first write, if that lies ahead.
    WaitWrite { ticks: u32 },
    /// get_page_unless_zero: returns 1 where the page had a reference.
    TryGet { page: Pfn, site: Site, held: Held },
    /// Adds a page at the tail of an LRU list.
    AddTail { lru: u8, page: Pfn },
    /// page_ref_freeze: `_count` becomes 0 where it is as expected; returns 1 then.
    Freeze { page: Pfn, refs: u8 },
    /// __clear_page_locked: a plain store, when nobody else can see the page.
    PlainUnlock { page: Pfn },
    /// waitqueue_active of kswapd_wait: returns 1 where kswapd is on it.
    KswapdWaits,
    /// kswapd goes on kswapd_wait before it sleeps, or leaves it.
    KswapdQueue { on: bool },
    /// Wakes kswapd, which begins at the time of whoever wakes it; returns 1 when it slept.
    WakeKswapd,
    /// ZONE_RECLAIM_ACTIVE of a zone with per-CPU page lists.
    ReclaimActive { zone: u8, active: bool },
}

impl AnonOp {
    /// The page whose words or links it touches.
    pub fn page(&self) -> Option<Pfn> {
        match *self {
            AnonOp::SetPrivate { page, .. }
            | AnonOp::Submit { page, .. }
            | AnonOp::Complete { page }
            | AnonOp::ReadIn { page, .. }
            | AnonOp::Copy { to: page, .. }
            | AnonOp::AddTail { page, .. }
            | AnonOp::Freeze { page, .. }
            | AnonOp::TryGet { page, .. }
            | AnonOp::PlainUnlock { page } => Some(page),
            AnonOp::SetCache { page, .. } | AnonOp::WriteWord { page, .. } => (page != NIL).then_some(page),
            _ => None,
        }
    }

    /// The address whose PTE it touches.
    pub fn address(&self) -> Option<(u8, u32)> {
        match *self {
            AnonOp::Store { mm, vpn }
            | AnonOp::Load { mm, vpn }
            | AnonOp::TestClearYoung { mm, vpn }
            | AnonOp::GetAndClear { mm, vpn }
            | AnonOp::TlbQueue { mm, vpn } => Some((mm, vpn)),
            _ => None,
        }
    }

    /// The slot of the swap device that it touches.
    pub fn slot(&self) -> Option<u32> {
        match *self {
            AnonOp::ReadMap { slot }
            | AnonOp::WriteMap { slot, .. }
            | AnonOp::WriteWord { slot, .. }
            | AnonOp::MapRange { slot, .. }
            | AnonOp::LookupCache { slot }
            | AnonOp::SetCache { slot, .. }
            | AnonOp::SetPrivate { slot, .. }
            | AnonOp::Submit { slot, .. }
            | AnonOp::ReadIn { slot, .. } => (slot != 0).then_some(slot),
            _ => None,
        }
    }
}

// A write to the swap table: byte and page of a slot in one undo word.
const BYTE: u32 = 32;

pub(super) fn apply(m: &mut Machine, task: u8, op: AnonOp) -> Outcome {
    match op {
        AnonOp::Store { mm, vpn } => touch(m, mm, vpn, PTE_WRITE, PTE_YOUNG | PTE_DIRTY),
        AnonOp::Load { mm, vpn } => touch(m, mm, vpn, 0, PTE_YOUNG),
        AnonOp::Madvise { .. } | AnonOp::TlbQueue { .. } | AnonOp::TlbFlush { .. } | AnonOp::Copy { .. } => {
            Outcome::NONE
        }
        AnonOp::TestClearYoung { mm, vpn } => {
            let Some(pte) = pte_mut(m, mm, vpn) else { return Outcome::NONE };
            let old = *pte;
            if pte_page(old).is_some() {
                *pte &= !PTE_YOUNG;
            }
            Outcome { ret: u32::from(*pte != old), undo: u64::from(old) }
        }
        AnonOp::GetAndClear { mm, vpn } => {
            let Some(pte) = pte_mut(m, mm, vpn) else { return Outcome::NONE };
            let old = core::mem::replace(pte, PTE_NONE);
            Outcome { ret: old, undo: u64::from(old) }
        }
        AnonOp::Watermark { mark } => Outcome::ret(u32::from(m.zones[0].free > mark)),
        AnonOp::ScanMap => Outcome::ret(m.swap().scan()),
        AnonOp::ReadMap { slot } => Outcome::ret(u32::from(m.swap().map[slot as usize])),
        AnonOp::LookupCache { slot } => Outcome::ret(m.swap().cache[slot as usize]),
        AnonOp::AddTail { lru, page } => super::lru::list_add_tail(m, lru, page),
        AnonOp::Freeze { page, refs } => {
            let page = m.page_mut(page);
            let frozen = page.count == i32::from(refs);
            if frozen {
                page.count = 0;
            }
            Outcome::ret(u32::from(frozen))
        }
        AnonOp::TryGet { page, .. } => {
            let page = m.page_mut(page);
            let alive = page.count > 0;
            page.count += i32::from(alive);
            Outcome::ret(u32::from(alive))
        }
        AnonOp::PlainUnlock { page } => {
            let page = m.page_mut(page);
            page.flags = with(page.flags, PageFlag::Locked, false);
            Outcome::undo(u64::from(core::mem::replace(&mut page.locker, NOBODY)))
        }
        AnonOp::Tick { ticks } => {
            add_clock(m, task, u64::from(ticks));
            Outcome::NONE
        }
        AnonOp::WaitWrite { ticks } => {
            let due = m.swap().writes.front().map_or(0, |write| write.due);
            let ahead = due.saturating_sub(m.clock_of(task)).max(u64::from(ticks));
            add_clock(m, task, ahead);
            Outcome::undo(ahead)
        }
        AnonOp::Submit { page, .. } => {
            let due = m.clock_of(task) + u64::from(m.swap().tuning.write_time);
            m.swap_mut().writes.push_back(SwapWrite { due, page });
            Outcome::NONE
        }
        AnonOp::KswapdWaits | AnonOp::KswapdQueue { .. } | AnonOp::WakeKswapd | AnonOp::ReclaimActive { .. } => {
            super::kswapd::apply(m, task, op)
        }
        _ => swap(m, op),
    }
}

pub(super) fn revert(m: &mut Machine, task: u8, op: AnonOp, Outcome { ret, undo }: Outcome) {
    match op {
        AnonOp::Store { mm, vpn }
        | AnonOp::Load { mm, vpn }
        | AnonOp::TestClearYoung { mm, vpn }
        | AnonOp::GetAndClear { mm, vpn } => {
            if let Some(pte) = pte_mut(m, mm, vpn) {
                *pte = undo as u32;
            }
        }
        AnonOp::AddTail { lru, page } => super::lru::unlist_add_tail(m, lru, page, undo),
        AnonOp::Freeze { page, refs } => {
            if ret == 1 {
                m.page_mut(page).count = i32::from(refs);
            }
        }
        AnonOp::PlainUnlock { page } => {
            let page = m.page_mut(page);
            page.flags = with(page.flags, PageFlag::Locked, true);
            page.locker = undo as u8;
        }
        AnonOp::Tick { ticks } => add_clock(m, task, u64::from(ticks).wrapping_neg()),
        AnonOp::TryGet { page, .. } => m.page_mut(page).count -= ret as i32,
        AnonOp::WaitWrite { .. } => add_clock(m, task, undo.wrapping_neg()),
        AnonOp::Submit { .. } => {
            m.swap_mut().writes.pop_back();
        }
        AnonOp::KswapdQueue { .. } | AnonOp::WakeKswapd | AnonOp::ReclaimActive { .. } => {
            super::kswapd::revert(m, op, ret, undo);
        }
        _ => unswap(m, op, ret, undo),
    }
}

fn swap(m: &mut Machine, op: AnonOp) -> Outcome {
    let swap = m.swap_mut();
    match op {
        AnonOp::WriteMap { slot, byte } => {
            Outcome::undo(u64::from(core::mem::replace(&mut swap.map[slot as usize], byte)))
        }
        AnonOp::WriteWord { slot, byte, page } => {
            let byte = core::mem::replace(&mut swap.map[slot as usize], byte);
            let page = core::mem::replace(&mut swap.cache[slot as usize], page);
            Outcome::undo(u64::from(byte) << BYTE | u64::from(page))
        }
        AnonOp::MapRange { slot, freed } => {
            let undo = u64::from(swap.lowest) << 32 | u64::from(swap.highest);
            if freed {
                swap.lowest = swap.lowest.min(slot);
                swap.highest = swap.highest.max(slot);
            } else if slot == swap.lowest {
                swap.lowest += 1;
            } else if slot == swap.highest {
                swap.highest -= 1;
            }
            Outcome::undo(undo)
        }
        AnonOp::ClusterNext { slot } => {
            let next = if slot >= swap.tuning.slots { 1 } else { slot + 1 };
            Outcome::undo(u64::from(core::mem::replace(&mut swap.next, next)))
        }
        AnonOp::Inuse { delta, .. } => {
            swap.inuse = swap.inuse.wrapping_add_signed(i32::from(delta));
            Outcome::NONE
        }
        AnonOp::NrSwapPages { delta } => {
            swap.free += delta;
            Outcome::NONE
        }
        AnonOp::SetCache { slot, page } => {
            Outcome::undo(u64::from(core::mem::replace(&mut swap.cache[slot as usize], page)))
        }
        AnonOp::SetPrivate { page, slot } => {
            Outcome::undo(u64::from(core::mem::replace(&mut swap.private[page as usize], slot)))
        }
        AnonOp::Rss { mm, counter, delta, .. } => {
            swap.rss[mm as usize][counter as usize] += i64::from(delta);
            Outcome::NONE
        }
        AnonOp::RssCached { mm, counter, delta } => {
            swap.cached[mm as usize][counter as usize] += delta;
            Outcome::NONE
        }
        AnonOp::RssSync { mm, counter } => {
            let cached = core::mem::take(&mut swap.cached[mm as usize][counter as usize]);
            swap.rss[mm as usize][counter as usize] += i64::from(cached);
            Outcome::undo(u64::from(cached as u32))
        }
        AnonOp::RssEvent { mm, reset } => {
            let events = &mut swap.rss_events[mm as usize];
            let old = *events;
            *events = if reset { 0 } else { old + 1 };
            Outcome { ret: old, undo: u64::from(old) }
        }
        AnonOp::Complete { .. } => {
            let done = swap.writes.pop_front();
            Outcome::undo(done.map_or(0, |write| write.due))
        }
        _ => Outcome::NONE,
    }
}

fn unswap(m: &mut Machine, op: AnonOp, _: u32, undo: u64) {
    let Some(swap) = &mut m.swap else { return };
    match op {
        AnonOp::WriteMap { slot, .. } => swap.map[slot as usize] = undo as u8,
        AnonOp::WriteWord { slot, .. } => {
            swap.map[slot as usize] = (undo >> BYTE) as u8;
            swap.cache[slot as usize] = undo as u32;
        }
        AnonOp::MapRange { .. } => {
            swap.lowest = (undo >> 32) as u32;
            swap.highest = undo as u32;
        }
        AnonOp::ClusterNext { .. } => swap.next = undo as u32,
        AnonOp::Inuse { delta, .. } => swap.inuse = swap.inuse.wrapping_add_signed(-i32::from(delta)),
        AnonOp::NrSwapPages { delta } => swap.free -= delta,
        AnonOp::SetCache { slot, .. } => swap.cache[slot as usize] = undo as u32,
        AnonOp::SetPrivate { page, .. } => swap.private[page as usize] = undo as u32,
        AnonOp::Rss { mm, counter, delta, .. } => swap.rss[mm as usize][counter as usize] -= i64::from(delta),
        AnonOp::RssCached { mm, counter, delta } => swap.cached[mm as usize][counter as usize] -= delta,
        AnonOp::RssSync { mm, counter } => {
            let cached = undo as u32 as i32;
            swap.cached[mm as usize][counter as usize] = cached;
            swap.rss[mm as usize][counter as usize] -= i64::from(cached);
        }
        AnonOp::RssEvent { mm, .. } => swap.rss_events[mm as usize] = undo as u32,
        AnonOp::Complete { page } => swap.writes.push_front(SwapWrite { due: undo, page }),
        _ => {}
    }
}

pub(super) fn add_clock(m: &mut Machine, task: u8, ticks: u64) {
    if let Some(clock) = m.swap.as_mut().and_then(|swap| swap.clocks.get_mut(task as usize)) {
        *clock = clock.wrapping_add(ticks);
    }
}

// The CPU goes through a PTE: sets flags where the PTE is present and allows it.
#[inline(always)]
fn touch(m: &mut Machine, mm: u8, vpn: u32, needs: u32, sets: u32) -> Outcome {
    let Some(pte) = pte_mut(m, mm, vpn) else { return Outcome::NONE };
    let old = *pte;
    let undo = u64::from(old);
    if old == PTE_ZERO {
        return Outcome { ret: u32::from(needs == 0), undo };
    }
    if pte_page(old).is_none() || old & needs != needs {
        return Outcome::undo(undo);
    }
    *pte = old | sets;
    Outcome { ret: 1, undo }
}

#[inline(always)]
fn pte_mut(m: &mut Machine, mm: u8, vpn: u32) -> Option<&mut u32> {
    let Pmd::Table(table) = m.pmd(mm, vpn) else { return None };
    m.tables.get_mut((table * PTRS_PER_PTE + vpn % PTRS_PER_PTE) as usize)
}

/// A present PTE with a page.
pub const fn present(page: Pfn, flags: u32) -> u32 {
    page & PTE_PFN | flags
}
