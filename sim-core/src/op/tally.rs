//! What each operation adds to the ledger.

use super::{AnonOp, Op, Outcome, World};
use crate::ledger::{Count, How, Ledger, LockCounts, Site};
use crate::machine::{AreaList, LockClass, LockId, PageFlag};

// The old longest queue travels in the upper half of the undo word of a wait.
const MAX_WAITERS_SHIFT: u32 = 32;

impl World {
    /// Counts an operation `n` times; `u64::MAX` takes one back. Returns what must be added to the undo word.
    #[inline(always)]
    pub(super) fn tally(&mut self, op: &Op, outcome: Outcome, n: u64) -> u64 {
        let clock = self.clock;
        let l = &mut self.ledger;
        match *op {
            Op::Read { .. } | Op::ReadPagevec { .. } | Op::ReadPte { .. } => l.add(Count::Reads, n),
            Op::Flag { flag, how, .. } => l.add_flag(flag, how, n),
            Op::Get { site, .. } => add(&mut l.gets[site as usize], n),
            Op::Put { site, .. } => add(&mut l.puts[site as usize], n),
            Op::Mapcount { .. } => l.add(Count::Mapcount, n),
            Op::TryLockPage { .. } => {
                l.add_flag(PageFlag::Locked, How::TestSet, n);
                if outcome.ret == 1 {
                    l.class(LockClass::Page).acquire(clock, n);
                }
            }
            Op::UnlockPage { .. } => {
                l.add_flag(PageFlag::Locked, How::Clear, n);
                l.class(LockClass::Page).release(clock, n);
            }
            Op::SpinLock { class, irq, .. } => {
                l.class(class).acquire(clock, n);
                if irq {
                    l.add(Count::IrqPairs, n);
                }
            }
            Op::SpinUnlock { class, .. } => l.class(class).release(clock, n),
            Op::Down { class, .. } => {
                l.add(Count::Rwsem, n);
                l.class(class).acquire(clock, n);
            }
            Op::DownReadTrylock { class, .. } => {
                l.add(Count::Rwsem, n);
                if outcome.ret == 1 {
                    l.class(class).acquire(clock, n);
                }
            }
            Op::Up { class, .. } => {
                l.add(Count::Rwsem, n);
                l.class(class).release(clock, n);
            }
            Op::SpinWait { class, index, .. } | Op::DownWait { class, index, .. } => {
                return self.tally_wait(LockId { class, index }, outcome, n);
            }
            Op::WaitPage { page } => {
                return self.tally_wait(LockId { class: LockClass::Page, index: page }, outcome, n);
            }
            Op::Irq { off: true } => l.add(Count::IrqPairs, n),
            Op::Preempt { off: true } => l.add(Count::PreemptPairs, n),
            Op::ListAdd { .. } => l.add(Count::ListAdd, n),
            Op::ListDel { .. } => l.add(Count::ListDel, n),
            Op::PvecAdd { pv, .. } => l.add(if pv.on_stack() { Count::PvecOnStack } else { Count::PvecPerCpu }, n),
            Op::PvecReinit { pv } if !pv.on_stack() => l.add(Count::Drains, n),
            Op::Stat { safe, .. } => {
                l.add(if safe { Count::StatSafe } else { Count::StatPlain }, n);
                if outcome.ret == 1 {
                    l.add(Count::Folds, n.wrapping_mul(2));
                }
            }
            Op::Event { event, n: value } => {
                l.add(Count::EventUpdates, n);
                add(&mut l.events[event as usize], n.wrapping_mul(u64::from(value)));
            }
            Op::Alloc { .. } => l.add(Count::Allocs, n),
            Op::Free { .. } => l.add(Count::Frees, n),
            Op::Walk { .. } => l.add(Count::Walks, n),
            Op::SetPte { .. } => l.add(Count::PteWrites, n),
            Op::Barrier => l.add(Count::Barriers, n),
            Op::CondResched => l.add(Count::Resched, n),
            Op::Sleep if outcome.ret == 1 => l.add(Count::Sleeps, n),
            Op::WaitForCompletion { .. } if outcome.ret == 1 => l.add(Count::Sleeps, n),
            Op::PercpuWorks { alloc: true } => l.add(Count::PercpuAllocs, n),
            Op::TestSetPending { .. } => l.add(Count::OtherRmw, n),
            Op::HasWork { cpu } if cpu != crate::machine::NOBODY => l.add(Count::OtherRmw, n),
            Op::InsertWork { barrier: true, .. } => l.add(Count::BarrierWorks, n),
            Op::InsertWork { .. } => l.add(Count::WorksQueued, n),
            Op::WakeWorker { remote, .. } if outcome.ret == 1 => {
                l.add(Count::Dispatches, n);
                if remote {
                    l.add(Count::Ipis, n);
                }
            }
            Op::PeekPagevec { remote, .. } => {
                l.add(Count::Reads, n);
                if remote {
                    l.add(Count::RemoteReads, n);
                }
            }
            Op::DrainGen { advance: false } => l.add(Count::Reads, n),
            Op::AreaAdd { .. } | Op::AreaDel { .. } => l.area(op, outcome.ret == 1, n),
            Op::AreaNext { .. }
            | Op::AreaEmpty { .. }
            | Op::ReadIsolate { .. }
            | Op::ReadPcp { .. }
            | Op::ReadFreePages { .. } => l.add(Count::Reads, n),
            Op::PrepareNew { .. } => l.add(Count::Allocs, n),
            Op::PrepareFree { .. } => l.add(Count::Frees, n),
            Op::SpinTrylock { class, .. } if outcome.ret == 1 => l.class(class).acquire(clock, n),
            Op::GetClearPte { .. } => l.add(Count::OtherRmw, n),
            Op::FlushTlbMm { .. } => l.add(Count::TlbFlushes, n),
            Op::Rmap(op) => op.tally(outcome, |count, times| add(&mut l.counts[count as usize], n.wrapping_mul(times))),
            Op::Anon(AnonOp::KswapdWaits) => l.add(Count::Reads, n),
            // kswapd has a CPU of its own.
            Op::Anon(AnonOp::WakeKswapd) if outcome.ret == 1 => l.add(Count::Ipis, n),
            Op::Anon(AnonOp::ReclaimActive { .. }) => l.add(Count::OtherRmw, n),
            Op::Anon(op) => l.add_anon(op, clock, n),
            _ => {}
        }
        0
    }

    fn tally_wait(&mut self, lock: LockId, outcome: Outcome, n: u64) -> u64 {
        if n == 0 {
            return 0;
        }
        if lock.class == LockClass::Page && outcome.ret == 0 {
            return 0;
        }
        if lock.class.sleeps() {
            self.ledger.add(Count::Sleeps, n);
        }
        let queue = match lock.class {
            LockClass::Page => self.machine.page_waiters.iter().filter(|waiter| waiter.0 == lock.index).count(),
            _ => self.machine.lock(lock).queue.len(),
        } as u64;
        let counts = self.ledger.class(lock.class);
        add(&mut counts.contended, n);
        if n == u64::MAX {
            counts.max_waiters = outcome.undo >> MAX_WAITERS_SHIFT;
            return 0;
        }
        let old = counts.max_waiters;
        counts.max_waiters = old.max(queue);
        old << MAX_WAITERS_SHIFT
    }
}

impl Ledger {
    // A list of the page allocator has changed, under zone->lock or not.
    fn area(&mut self, op: &Op, locked: bool, n: u64) {
        self.add(if matches!(op, Op::AreaAdd { .. }) { Count::ListAdd } else { Count::ListDel }, n);
        if !locked {
            return;
        }
        self.add(Count::ListUnderZone, n);
        if matches!(op, Op::AreaDel { list: AreaList::Pcp { .. } | AreaList::PcpOrder { .. }, .. }) {
            self.add(Count::PicksUnderZone, n);
        }
    }

    #[inline(always)]
    fn add(&mut self, count: Count, n: u64) {
        add(&mut self.counts[count as usize], n);
    }

    #[inline(always)]
    fn add_flag(&mut self, flag: PageFlag, how: How, n: u64) {
        add(&mut self.flags[flag as usize * 6 + how as usize], n);
    }

    #[inline(always)]
    fn class(&mut self, class: LockClass) -> &mut LockCounts {
        &mut self.locks[class as usize]
    }
}

impl Ledger {
    fn add_anon(&mut self, op: AnonOp, clock: u64, n: u64) {
        match op {
            AnonOp::TestClearYoung { .. } | AnonOp::NrSwapPages { .. } | AnonOp::RssSync { .. } => {
                self.add(Count::OtherRmw, n);
            }
            AnonOp::Inuse { atomic: true, .. } | AnonOp::Rss { atomic: true, .. } => self.add(Count::OtherRmw, n),
            AnonOp::GetAndClear { .. } => self.add(Count::PteWrites, n),
            AnonOp::TlbFlush { .. } => self.add(Count::TlbFlushes, n),
            AnonOp::Watermark { .. } | AnonOp::ScanMap | AnonOp::ReadMap { .. } | AnonOp::LookupCache { .. } => {
                self.add(Count::Reads, n);
            }
            AnonOp::Submit { .. } => self.add(Count::SwapOut, n),
            AnonOp::ReadIn { .. } => self.add(Count::SwapIn, n),
            AnonOp::AddTail { .. } => self.add(Count::ListAdd, n),
            AnonOp::TryGet { site, .. } => add(&mut self.gets[site as usize], n),
            AnonOp::Freeze { .. } => add(&mut self.puts[Site::Reclaim as usize], n),
            AnonOp::PlainUnlock { .. } => self.class(LockClass::Page).release(clock, n),
            _ => {}
        }
    }
}

impl LockCounts {
    #[inline(always)]
    fn acquire(&mut self, clock: u64, n: u64) {
        add(&mut self.acquired, n);
        self.held = self.held.wrapping_sub(clock.wrapping_mul(n));
    }

    #[inline(always)]
    fn release(&mut self, clock: u64, n: u64) {
        self.held = self.held.wrapping_add(clock.wrapping_mul(n));
    }
}

#[inline(always)]
fn add(counter: &mut u64, n: u64) {
    *counter = counter.wrapping_add(n);
}
