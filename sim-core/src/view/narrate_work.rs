//! Sentences for work items, kworkers and lru_add_drain_all.

use alloc::format;
use alloc::string::{String, ToString};

use crate::engine::{Record, Timeline};
use crate::machine::{NOBODY, WorkFunc, WorkId};
use crate::op::Op;
use crate::view::PagevecKind;

/// The step of a record in words, without its CPU; empty where it is about something else.
pub(super) fn say(timeline: &Timeline, record: &Record) -> String {
    let ret = record.outcome.ret;
    let work = |id| name(timeline, id);
    match record.op {
        Op::PercpuWorks { alloc: true } => "*allocates* a work item for every CPU".to_string(),
        Op::PercpuWorks { .. } => "*frees* the work items".to_string(),
        Op::InitWork { work: id } => format!("prepares the {}", work(id)),
        Op::TestSetPending { work: id } if ret == 1 => {
            format!("finds the {} *pending already* and leaves it", work(id))
        }
        Op::TestSetPending { work: id } => format!("marks the {} *pending*", work(id)),
        Op::ClearPending { work: id } if is_drain(timeline, id) => {
            format!("clears the *pending* bit of the {}: from now on it can be queued again", work(id))
        }
        Op::ClearPending { work: id } => format!("clears the *pending* bit of the {}", work(id)),
        Op::InsertWork { work: id, cpu, barrier: true, .. } => {
            format!("puts a *{}* on the list of CPU {cpu}, to be woken when it is reached", work(id))
        }
        Op::InsertWork { work: id, cpu, .. } => format!("*queues* the {} on CPU {cpu}", work(id)),
        Op::NextWork { .. } if ret == 0 => "finds *nothing more to do*".to_string(),
        Op::NextWork { .. } => format!("looks at its list: *{ret} to do*"),
        Op::TakeWork { .. } => format!("takes the *{}* off its list", work(ret as WorkId)),
        Op::EndWork { .. } => "*is done* with the work item".to_string(),
        Op::WakeWorker { cpu, remote: true } if ret == 1 => format!("*wakes the kworker* of CPU {cpu} by an *IPI*"),
        Op::WakeWorker { cpu, .. } if ret == 1 => format!("*wakes the kworker* of CPU {cpu}"),
        Op::WakeWorker { cpu, .. } => format!("tells the kworker of CPU {cpu}, which is awake, that there is more"),
        Op::Idle if ret == 1 => "*goes to sleep*: the kworker is idle".to_string(),
        Op::Idle => "would go to sleep, but *has been woken* already".to_string(),
        Op::WaitForCompletion { work: id } if ret == 1 => {
            format!("*sleeps* until CPU {} has drained its pagevecs", flushed(timeline, id))
        }
        Op::WaitForCompletion { .. } => "sees that the drain it waits for *is done*".to_string(),
        Op::Complete { .. } if ret == 1 => "*wakes* the caller, which waits for this CPU's drain".to_string(),
        Op::Complete { .. } => "notes that this CPU's *drain is done*".to_string(),
        Op::PeekPagevec { pv, lru, remote } => peek(pv.kind, pv.owner, lru, remote, ret),
        Op::HasWork { cpu: NOBODY } => "clears the *mask* of CPUs with work".to_string(),
        Op::HasWork { cpu } => format!("notes CPU {cpu} in the *mask* of CPUs with work"),
        Op::Offline { cpu, to } => format!("takes *CPU {cpu} down*; its kworker goes on on CPU {to}"),
        Op::DrainGen { advance: true } => "begins a *new generation* of drains".to_string(),
        Op::DrainGen { .. } => format!("reads the *generation* of drains: {ret}"),
        _ => String::new(),
    }
}

fn name(timeline: &Timeline, id: WorkId) -> String {
    match timeline.world().machine.work.items.get(id as usize) {
        Some(item) if item.func == WorkFunc::LruAddDrain => format!("drain work of CPU {}", item.owner),
        Some(_) => "barrier work".to_string(),
        None => "work item".to_string(),
    }
}

fn is_drain(timeline: &Timeline, id: WorkId) -> bool {
    timeline.world().machine.work.item(id).func == WorkFunc::LruAddDrain
}

// The CPU whose list the barrier is on.
fn flushed(timeline: &Timeline, barrier: WorkId) -> String {
    let pools = &timeline.world().machine.work.pools;
    let queued = pools.iter().position(|pool| pool.list.contains(&barrier));
    let at = queued.or_else(|| pools.iter().position(|pool| pool.current == barrier));
    at.map_or_else(|| "it".to_string(), |cpu| cpu.to_string())
}

fn peek(kind: PagevecKind, owner: u8, lru: u8, remote: bool, ret: u32) -> String {
    const LISTS: [&str; 5] = ["inactive anon", "active anon", "inactive file", "active file", "unevictable"];
    let pagevec = kind.name();
    let list = if lru > 0 { format!(" for {}", LISTS[lru as usize % 5]) } else { String::new() };
    let found = match ret {
        0 => "*empty*".to_string(),
        1 => "*1 page waits*".to_string(),
        n => format!("*{n} pages wait*"),
    };
    if remote {
        format!("looks, *without any lock*, into the {pagevec}{list} of CPU {owner}: {found}")
    } else {
        format!("looks into its {pagevec}{list}: {found}")
    }
}
