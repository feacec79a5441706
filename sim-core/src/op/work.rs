//! Work items, kworkers and what lru_add_drain_all keeps.

use super::Outcome;
use crate::machine::{Machine, NO_WORK, NOBODY, Pv, TaskRun, Work, WorkFunc, WorkId};
use crate::view::PagevecKind;

pub(super) fn percpu(m: &mut Machine, alloc: bool) {
    let allocated = &mut m.work.allocated;
    *allocated = if alloc { allocated.wrapping_add(1) } else { allocated.wrapping_sub(1) };
}

pub(super) fn init(m: &mut Machine, work: WorkId) -> Outcome {
    let work = &mut m.work.items[work as usize];
    let undo = encode(work);
    *work = Work { pending: work.func == WorkFunc::Barrier, done: false, waiter: NOBODY, ..*work };
    Outcome::undo(undo)
}

pub(super) fn restore(m: &mut Machine, work: WorkId, undo: u64) {
    let work = &mut m.work.items[work as usize];
    *work = Work { pending: undo & 1 != 0, done: undo & 2 != 0, waiter: (undo >> 8) as u8, ..*work };
}

fn encode(work: &Work) -> u64 {
    u64::from(work.pending) | u64::from(work.done) << 1 | u64::from(work.waiter) << 8
}

/// WORK_STRUCT_PENDING. Returns the old bit.
pub(super) fn pending(m: &mut Machine, work: WorkId, set: bool) -> Outcome {
    let work = &mut m.work.items[work as usize];
    let undo = encode(work);
    let old = core::mem::replace(&mut work.pending, set);
    Outcome { ret: u32::from(old), undo }
}

/// Behind so many others; behind all where it is more than there are. The undo is its place.
pub(super) fn insert(m: &mut Machine, work: WorkId, cpu: u8, at: u8) -> Outcome {
    let list = &mut m.work.pools[cpu as usize].list;
    let at = usize::from(at).min(list.len());
    list.insert(at, work);
    Outcome::undo(at as u64)
}

pub(super) fn uninsert(m: &mut Machine, cpu: u8, undo: u64) {
    m.work.pools[cpu as usize].list.remove(undo as usize);
}

/// Returns how much is queued; a worker that finds nothing counts as idle from here on.
pub(super) fn next(m: &mut Machine, cpu: u8) -> Outcome {
    let pool = &mut m.work.pools[cpu as usize];
    let undo = u64::from(pool.idle);
    pool.idle |= pool.list.is_empty();
    Outcome { ret: pool.list.len() as u32, undo }
}

/// Returns the work item.
pub(super) fn take(m: &mut Machine, cpu: u8) -> Outcome {
    let pool = &mut m.work.pools[cpu as usize];
    let work = if pool.list.is_empty() { NO_WORK } else { pool.list.remove(0) };
    let old = core::mem::replace(&mut pool.current, work);
    Outcome { ret: u32::from(work), undo: u64::from(old) }
}

pub(super) fn untake(m: &mut Machine, cpu: u8, ret: u32, undo: u64) {
    let pool = &mut m.work.pools[cpu as usize];
    pool.current = undo as WorkId;
    if ret != u32::from(NO_WORK) {
        pool.list.insert(0, ret as WorkId);
    }
}

pub(super) fn end(m: &mut Machine, cpu: u8, current: WorkId) -> Outcome {
    let old = core::mem::replace(&mut m.work.pools[cpu as usize].current, current);
    Outcome::undo(u64::from(old))
}

const SLEPT: u64 = 1;
const WAS_WOKEN: u64 = 2;
const WAS_IDLE: u64 = 4;

/// The kworker is idle no longer. Returns 1 when it slept.
pub(super) fn wake_worker(m: &mut Machine, cpu: u8) -> Outcome {
    let pool = &mut m.work.pools[cpu as usize];
    let was_idle = if core::mem::replace(&mut pool.idle, false) { WAS_IDLE } else { 0 };
    let task = &mut m.tasks[pool.worker as usize];
    let was_woken = if task.woken { WAS_WOKEN } else { 0 };
    let slept = task.run == TaskRun::Sleeps;
    if slept {
        task.run = TaskRun::Runnable;
    } else {
        task.woken = true;
    }
    Outcome { ret: u32::from(slept), undo: u64::from(slept) | was_woken | was_idle }
}

pub(super) fn unwake_worker(m: &mut Machine, cpu: u8, undo: u64) {
    let pool = &mut m.work.pools[cpu as usize];
    pool.idle = undo & WAS_IDLE != 0;
    let task = &mut m.tasks[pool.worker as usize];
    task.woken = undo & WAS_WOKEN != 0;
    if undo & SLEPT != 0 {
        task.run = TaskRun::Sleeps;
    }
}

/// Slots filled of the lru_add pagevec for a list of a CPU, or of another pagevec of it.
pub(super) fn peek(m: &Machine, pv: Pv, lru: u8) -> Outcome {
    let kind = if pv.kind == PagevecKind::LruAdd { PagevecKind::lru_add(lru) } else { pv.kind };
    Outcome::ret(u32::from(m.pagevec(Pv { kind, ..pv }).nr))
}

/// Sleeps unless the completion is done. Returns 1 when the task sleeps.
pub(super) fn wait(m: &mut Machine, task: u8, work: WorkId) -> Outcome {
    let item = &mut m.work.items[work as usize];
    let undo = encode(item);
    if item.done {
        item.waiter = NOBODY;
        return Outcome { ret: 0, undo };
    }
    item.waiter = task;
    m.tasks[task as usize].run = TaskRun::Sleeps;
    Outcome { ret: 1, undo }
}

pub(super) fn unwait(m: &mut Machine, task: u8, work: WorkId, ret: u32, undo: u64) {
    restore(m, work, undo);
    if ret == 1 {
        m.tasks[task as usize].run = TaskRun::Runnable;
    }
}

/// Completes, and wakes the task that sleeps for it. Returns 1 when one did.
pub(super) fn complete(m: &mut Machine, work: WorkId) -> Outcome {
    let item = &mut m.work.items[work as usize];
    let undo = encode(item);
    item.done = true;
    let Some(task) = m.tasks.get_mut(item.waiter as usize).filter(|task| task.run == TaskRun::Sleeps) else {
        return Outcome { ret: 0, undo };
    };
    task.run = TaskRun::Runnable;
    Outcome { ret: 1, undo }
}

pub(super) fn uncomplete(m: &mut Machine, work: WorkId, ret: u32, undo: u64) {
    restore(m, work, undo);
    if ret == 1 {
        let waiter = m.work.items[work as usize].waiter;
        m.tasks[waiter as usize].run = TaskRun::Sleeps;
    }
}

/// The cpumask of CPUs with queued work: one bit more, or none where `cpu` is [`NOBODY`].
pub(super) fn has_work(m: &mut Machine, cpu: u8) -> Outcome {
    let old = m.work.has_work;
    m.work.has_work = if cpu == NOBODY { 0 } else { old | 1 << cpu };
    // 96 CPUs fit: the upper ones where other operations have their result.
    Outcome { ret: (old >> 64) as u32, undo: old as u64 }
}

pub(super) fn unhas_work(m: &mut Machine, ret: u32, undo: u64) {
    m.work.has_work = u128::from(ret) << 64 | u128::from(undo);
}

/// A CPU goes down: its kworker is bound no longer and runs on another one.
pub(super) fn offline(m: &mut Machine, cpu: u8, to: u8) -> Outcome {
    let worker = m.work.pools[cpu as usize].worker;
    m.work.offline |= 1 << cpu;
    let old = core::mem::replace(&mut m.tasks[worker as usize].cpu, to);
    Outcome::undo(u64::from(old))
}

pub(super) fn unoffline(m: &mut Machine, cpu: u8, undo: u64) {
    let worker = m.work.pools[cpu as usize].worker;
    m.work.offline &= !(1 << cpu);
    m.tasks[worker as usize].cpu = undo as u8;
}

/// lru_drain_gen, raised where `advance`. Returns the old value.
pub(super) fn generation(m: &mut Machine, advance: bool) -> Outcome {
    let old = m.work.drain_gen;
    m.work.drain_gen = old.wrapping_add(u32::from(advance));
    Outcome::ret(old)
}
