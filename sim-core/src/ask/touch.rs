//! What each step touches.

use alloc::vec::Vec;

use super::subject::{Counter, ListId, Subject};
use crate::engine::{Effect, Record, effect};
use crate::machine::{HPAGE_PMD_NR, LockClass, LockId, Machine, PTRS_PER_PTE, PageFlag, Pfn, Pmd, Stat};
use crate::op::{AnonOp, Op, RmapOp};
use crate::view::{Lru, Numbers};

/// What a step does to something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Touch {
    /// Looks at it.
    Reads,
    /// Changes it, or stores what was there.
    Writes,
    /// A page enters the list.
    Enters,
    /// A page leaves the list.
    Leaves,
    /// Takes the lock.
    Takes,
    /// Gives the lock back.
    Releases,
    /// Queues for the lock.
    Waits,
    /// Enters the function.
    Calls,
}

impl Touch {
    /// It may have left something else than was there.
    pub const fn writes(self) -> bool {
        !matches!(self, Touch::Reads)
    }

    /// "reads", "enters".
    pub const fn word(self) -> &'static str {
        match self {
            Touch::Reads => "reads",
            Touch::Writes => "writes",
            Touch::Enters => "enters",
            Touch::Leaves => "leaves",
            Touch::Takes => "takes",
            Touch::Releases => "releases",
            Touch::Waits => "waits",
            Touch::Calls => "calls",
        }
    }
}

/// Tells what a step touches that is about to be made on this machine. Function calls are no steps.
pub(super) fn each(record: &Record, machine: &Machine, numbers: &Numbers, see: &mut impl FnMut(Subject, Touch)) {
    let page = |pfn: Pfn, touch: Touch, see: &mut dyn FnMut(Subject, Touch)| {
        if let Some(number) = numbers.of(pfn) {
            see(Subject::Page(number), touch);
        }
    };
    if let Some(pfn) = record.op.page() {
        page(pfn, of_page(record), see);
    }
    match record.op {
        Op::SplitTail { head, tail } => page(head + u32::from(tail), Touch::Writes, see),
        // The tails of a compound page go with its head.
        Op::Free { page: head } => {
            (1..machine.page(head).nr()).for_each(|tail| page(head + tail, Touch::Writes, see));
        }
        Op::PvecReinit { pv } => {
            let filled: Vec<Pfn> = machine.pagevec(pv).filled().to_vec();
            filled.into_iter().for_each(|pfn| page(pfn, Touch::Leaves, see));
        }
        _ => {}
    }
    lock(record, numbers, see);
    list(&record.op, machine, see);
    match record.op {
        Op::Stat { item, .. } => see(Subject::Counter(Counter::Stat(item)), Touch::Writes),
        Op::ReadFreePages { .. } => see(Subject::Counter(Counter::Stat(Stat::FreePages)), Touch::Reads),
        Op::Event { event, .. } => see(Subject::Counter(Counter::Event(event)), Touch::Writes),
        _ => {}
    }
    pte(record, machine, see);
}

// What a step does to the page of `Op::page`.
fn of_page(record: &Record) -> Touch {
    let failed = record.outcome.ret == 0;
    match record.op {
        Op::Read { .. } | Op::WaitPage { .. } | Op::WakePage { .. } | Op::Prefetch { .. } => Touch::Reads,
        Op::TryLockPage { .. } | Op::Anon(AnonOp::TryGet { .. } | AnonOp::Freeze { .. }) if failed => Touch::Reads,
        Op::Anon(AnonOp::Submit { .. }) | Op::Rmap(RmapOp::Note { .. }) => Touch::Reads,
        Op::Rmap(RmapOp::RefFreeze { .. }) if failed => Touch::Reads,
        Op::ListAdd { .. }
        | Op::ListSize { add: true, .. }
        | Op::PvecAdd { .. }
        | Op::AreaAdd { .. }
        | Op::Anon(AnonOp::AddTail { .. }) => Touch::Enters,
        Op::ListDel { .. } | Op::ListSize { .. } | Op::AreaDel { .. } | Op::AreaNext { .. } => Touch::Leaves,
        _ => Touch::Writes,
    }
}

fn lock(record: &Record, numbers: &Numbers, see: &mut impl FnMut(Subject, Touch)) {
    let Some(LockId { class, index }) = record.op.lock() else { return };
    let touch = match (effect(record), record.op) {
        // Whoever looks again and finds it free does not wait.
        (_, Op::WaitPage { .. }) if record.outcome.ret == 0 => Touch::Reads,
        (Effect::Waits, _) => Touch::Waits,
        (Effect::Takes, _) => Touch::Takes,
        (Effect::Releases, _) => Touch::Releases,
        // Whoever wakes a waiter takes it out of the line.
        (Effect::None, Op::WakePage { .. }) => Touch::Writes,
        (Effect::None, _) => Touch::Reads,
    };
    see(Subject::Lock(class, None), touch);
    let index = if class == LockClass::Page { numbers.of(index) } else { Some(index) };
    if index.is_some() {
        see(Subject::Lock(class, index), touch);
    }
}

fn list(op: &Op, machine: &Machine, see: &mut impl FnMut(Subject, Touch)) {
    let zone = |page: Pfn| machine.page(page).zone();
    let lru = |page: Pfn, lru: u8| ListId::Lru(zone(page), Lru::ALL[usize::from(lru) % Lru::ALL.len()]);
    let (list, touch) = match *op {
        Op::ListAdd { lru: l, page }
        | Op::Anon(AnonOp::AddTail { lru: l, page })
        | Op::ListSize { lru: l, add: true, page } => (lru(page, l), Touch::Enters),
        Op::ListDel { lru: l, page } | Op::ListSize { lru: l, page, .. } => (lru(page, l), Touch::Leaves),
        Op::SplitTail { head, .. } if machine.page(head).has(PageFlag::Lru) => {
            (lru(head, machine.page(head).lru()), Touch::Enters)
        }
        Op::PvecAdd { pv, .. } => (ListId::of_pagevec(pv), Touch::Enters),
        Op::PvecNull { pv, .. } | Op::PvecReinit { pv } => (ListId::of_pagevec(pv), Touch::Leaves),
        Op::ReadPagevec { pv } | Op::PeekPagevec { pv, .. } => (ListId::of_pagevec(pv), Touch::Reads),
        Op::AreaAdd { list, page, .. } => (ListId::of_area(zone(page), list), Touch::Enters),
        Op::AreaDel { list, page } | Op::AreaNext { list, page } => (ListId::of_area(zone(page), list), Touch::Leaves),
        Op::AreaEmpty { list, zone, .. } => (ListId::of_area(zone, list), Touch::Reads),
        Op::NrFree { zone, order, .. } => (ListId::Free(zone, order), Touch::Writes),
        _ => return,
    };
    see(Subject::List(list), touch);
}

fn pte(record: &Record, machine: &Machine, see: &mut impl FnMut(Subject, Touch)) {
    let changed = record.outcome.ret == 1;
    let (mm, vpn, touch) = match record.op {
        Op::SetPte { mm, vpn, .. } | Op::GetClearPte { mm, vpn } => (mm, vpn, Touch::Writes),
        Op::Walk { mm, vpn } | Op::ReadPte { mm, vpn } => (mm, vpn, Touch::Reads),
        // An empty page table where there was none changes no PTE.
        Op::PopulatePmd { mm, pmd } if machine.pmd(mm, pmd * PTRS_PER_PTE) == Pmd::None => return,
        Op::SetHugePmd { mm, pmd, .. } | Op::PopulatePmd { mm, pmd } => {
            let entries = (pmd * PTRS_PER_PTE..).take(HPAGE_PMD_NR as usize);
            entries.for_each(|vpn| at(machine, mm, vpn, Touch::Writes, see));
            return;
        }
        Op::Anon(op) => {
            let Some((mm, vpn)) = op.address() else { return };
            let reads = match op {
                AnonOp::Store { .. } | AnonOp::Load { .. } | AnonOp::TestClearYoung { .. } => !changed,
                AnonOp::TlbQueue { .. } => true,
                _ => false,
            };
            (mm, vpn, if reads { Touch::Reads } else { Touch::Writes })
        }
        Op::Rmap(op) => {
            let Some((mm, vpn)) = op.entry() else { return };
            let reads = matches!(op, RmapOp::Look { .. } | RmapOp::Invlpg { .. });
            (mm, vpn, if reads { Touch::Reads } else { Touch::Writes })
        }
        _ => return,
    };
    at(machine, mm, vpn, touch, see);
}

// Addresses outside the range have no PTE on the page.
fn at(machine: &Machine, mm: u8, vpn: u32, touch: Touch, see: &mut impl FnMut(Subject, Touch)) {
    let Some(range) = machine.mms.get(usize::from(mm)).map(|mm| &mm.vmas) else { return };
    if let (Some(first), Some(last)) = (range.first(), range.last())
        && (first.start..last.end).contains(&vpn)
    {
        see(Subject::Pte(mm, vpn - first.start), touch);
    }
}
