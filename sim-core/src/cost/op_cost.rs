//! Which classes of work an operation is made of, cache lines apart.

use super::class::CostClass;
use crate::op::{AnonOp, Note, Op, Outcome, RmapOp};

/// Calls `add` with each class, and how many halves of it: pairs are paid at both ends.
pub(super) fn classes(op: Op, outcome: Outcome, mut add: impl FnMut(CostClass, u64)) {
    let class = match op {
        Op::Flag { how, .. } if how.atomic() => CostClass::Rmw,
        Op::Get { .. } | Op::Put { .. } | Op::Mapcount { .. } | Op::TestSetPending { .. } | Op::GetClearPte { .. } => {
            CostClass::Rmw
        }
        Op::TryLockPage { .. } | Op::UnlockPage { .. } => CostClass::Rmw,
        Op::Down { .. } | Op::DownReadTrylock { .. } | Op::Up { .. } => CostClass::Rmw,
        Op::SpinLock { irq, .. } | Op::SpinWait { irq, .. } => {
            // Whoever queues pays for the interrupts when it takes the lock.
            if irq && matches!(op, Op::SpinLock { .. }) {
                add(CostClass::Irq, 1);
            }
            CostClass::Spin
        }
        Op::SpinTrylock { .. } => CostClass::Spin,
        Op::SpinUnlock { irq, .. } => {
            if irq {
                add(CostClass::Irq, 1);
            }
            CostClass::Unlock
        }
        Op::Irq { .. } => return add(CostClass::Irq, 1),
        Op::Preempt { .. } => return add(CostClass::Preempt, 1),
        Op::ListAdd { .. } | Op::ListDel { .. } | Op::AreaAdd { .. } | Op::AreaDel { .. } => CostClass::List,
        Op::PvecAdd { .. } => CostClass::Pagevec,
        Op::Stat { safe, .. } => {
            if safe {
                add(CostClass::StatSafe, 2);
            }
            if outcome.ret == 1 {
                add(CostClass::Rmw, 4);
            }
            CostClass::Stat
        }
        Op::Event { .. } => CostClass::Event,
        Op::Walk { .. } => CostClass::Walk,
        Op::Barrier => CostClass::Barrier,
        Op::CondResched => CostClass::Resched,
        Op::Sleep | Op::Idle | Op::WaitForCompletion { .. } | Op::DownWait { .. } | Op::WaitPage { .. } => {
            if outcome.ret == 0 && !matches!(op, Op::DownWait { .. }) { CostClass::Plain } else { CostClass::Switch }
        }
        Op::Wake { .. } | Op::Complete { .. } if outcome.ret == 1 => CostClass::Wake,
        Op::WakePage { .. } if outcome.undo != u64::MAX => CostClass::Wake,
        Op::WakeWorker { remote, .. } if outcome.ret == 1 => {
            if remote {
                add(CostClass::Ipi, 2);
            }
            CostClass::Wake
        }
        Op::PercpuWorks { alloc: true } => CostClass::PercpuAlloc,
        Op::FlushTlbMm { .. } => CostClass::TlbFlush,
        Op::Prefetch { .. } => CostClass::Prefetch,
        Op::PrepareNew { .. } => CostClass::Fill,
        Op::Rmap(op) => return rmap(op, outcome, add),
        Op::Anon(op) => anon(op),
        Op::Exit | Op::Migrate { .. } | Op::Offline { .. } => return,
        _ => CostClass::Plain,
    };
    add(class, 2);
}

fn anon(op: AnonOp) -> CostClass {
    match op {
        AnonOp::TestClearYoung { .. }
        | AnonOp::NrSwapPages { .. }
        | AnonOp::RssSync { .. }
        | AnonOp::TryGet { .. }
        | AnonOp::Freeze { .. }
        | AnonOp::GetAndClear { .. }
        | AnonOp::Inuse { atomic: true, .. }
        | AnonOp::Rss { atomic: true, .. } => CostClass::Rmw,
        AnonOp::TlbFlush { .. } => CostClass::TlbFlush,
        AnonOp::Submit { .. } | AnonOp::ReadIn { .. } => CostClass::Io,
        AnonOp::AddTail { .. } => CostClass::List,
        AnonOp::Copy { .. } => CostClass::Fill,
        _ => CostClass::Plain,
    }
}

fn rmap(op: RmapOp, outcome: Outcome, mut add: impl FnMut(CostClass, u64)) {
    let class = match op {
        RmapOp::Xchg { .. }
        | RmapOp::MkOld { .. }
        | RmapOp::FlushBatched { .. }
        | RmapOp::GenInc { .. }
        | RmapOp::NrMapped { .. }
        | RmapOp::Large { lock: true, .. }
        | RmapOp::RefSub { .. }
        | RmapOp::RefFreeze { .. } => CostClass::Rmw,
        RmapOp::StatsUpdates { .. } if outcome.ret > 0 => CostClass::Rmw,
        RmapOp::Invlpg { .. } => CostClass::Invlpg,
        RmapOp::FullFlush => CostClass::TlbFlush,
        RmapOp::Ipi { .. } => CostClass::Ipi,
        RmapOp::Note { what: Note::StatBegin, .. } => CostClass::FolioStat,
        _ => CostClass::Plain,
    };
    add(class, 2);
}
