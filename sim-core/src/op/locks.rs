//! Locks: spinlocks in ticket order, semaphores, the page lock.

use super::Outcome;
use super::apply::{cpu_mut, with};
use crate::machine::{LockClass, LockId, Machine, NOBODY, PageFlag, Pfn, TaskRun};

const QUEUED: u64 = 1;
const IRQS_WERE_OFF: u64 = 2;
// The operation left the interrupt state alone.
const NO_IRQ: u64 = 4;

#[inline(always)]
pub(super) fn spin_lock(m: &mut Machine, task: u8, class: LockClass, irq: bool, index: u32) -> Outcome {
    let lock = m.lock_mut(LockId { class, index });
    debug_assert!(lock.open_to(task), "a spinlock is taken only when it is free");
    lock.holder = task;
    let mut undo = 0;
    if !lock.queue.is_empty() {
        leave_queue(m, task, class, index);
        undo |= QUEUED;
    }
    if !irq {
        return Outcome::undo(undo | NO_IRQ);
    }
    let cpu = cpu_mut(m, task);
    undo |= if cpu.irqs_off { IRQS_WERE_OFF } else { 0 };
    cpu.irqs_off = true;
    Outcome::undo(undo)
}

#[cold]
#[inline(never)]
fn leave_queue(m: &mut Machine, task: u8, class: LockClass, index: u32) {
    m.lock_mut(LockId { class, index }).queue.remove(0);
    m.tasks[task as usize].run = TaskRun::Runnable;
}

pub(super) fn unspin_lock(m: &mut Machine, task: u8, class: LockClass, index: u32, undo: u64) {
    let id = LockId { class, index };
    let lock = m.lock_mut(id);
    lock.holder = NOBODY;
    if undo & QUEUED != 0 {
        lock.queue.insert(0, task);
        m.tasks[task as usize].run = TaskRun::Waits(id);
    }
    restore_irqs(m, task, undo);
}

fn restore_irqs(m: &mut Machine, task: u8, undo: u64) {
    if undo & NO_IRQ == 0 {
        cpu_mut(m, task).irqs_off = undo & IRQS_WERE_OFF != 0;
    }
}

pub(super) fn spin_wait(m: &mut Machine, task: u8, class: LockClass, irq: bool, index: u32) -> Outcome {
    let id = LockId { class, index };
    m.lock_mut(id).queue.push(task);
    m.tasks[task as usize].run = TaskRun::Waits(id);
    let cpu = cpu_mut(m, task);
    let undo = if cpu.irqs_off { IRQS_WERE_OFF } else { 0 };
    cpu.irqs_off |= irq;
    Outcome::undo(undo)
}

pub(super) fn unspin_wait(m: &mut Machine, task: u8, class: LockClass, index: u32, undo: u64) {
    m.lock_mut(LockId { class, index }).queue.pop();
    m.tasks[task as usize].run = TaskRun::Runnable;
    restore_irqs(m, task, undo);
}

#[inline(always)]
pub(super) fn spin_unlock(m: &mut Machine, task: u8, class: LockClass, irq: bool, index: u32) -> Outcome {
    let lock = m.lock_mut(LockId { class, index });
    let undo = u64::from(lock.holder) << 8;
    lock.holder = NOBODY;
    if !irq {
        return Outcome::undo(undo | NO_IRQ);
    }
    let cpu = cpu_mut(m, task);
    let undo = undo | if cpu.irqs_off { IRQS_WERE_OFF } else { 0 };
    cpu.irqs_off = false;
    Outcome::undo(undo)
}

pub(super) fn unspin_unlock(m: &mut Machine, task: u8, class: LockClass, index: u32, undo: u64) {
    m.lock_mut(LockId { class, index }).holder = (undo >> 8) as u8;
    restore_irqs(m, task, undo);
}

pub(super) fn down(m: &mut Machine, task: u8, class: LockClass, write: bool, index: u32) -> Outcome {
    let lock = m.lock_mut(LockId { class, index });
    if write {
        lock.holder = task;
    } else {
        lock.readers += 1;
    }
    if lock.queue.first() != Some(&task) {
        return Outcome::NONE;
    }
    lock.queue.remove(0);
    m.tasks[task as usize].run = TaskRun::Runnable;
    Outcome::undo(QUEUED)
}

pub(super) fn undown(m: &mut Machine, task: u8, class: LockClass, write: bool, index: u32, undo: u64) {
    let id = LockId { class, index };
    let lock = m.lock_mut(id);
    if write {
        lock.holder = NOBODY;
    } else {
        lock.readers -= 1;
    }
    if undo & QUEUED != 0 {
        lock.queue.insert(0, task);
        m.tasks[task as usize].run = TaskRun::Waits(id);
    }
}

pub(super) fn down_read_trylock(m: &mut Machine, class: LockClass, index: u32) -> Outcome {
    let lock = m.lock_mut(LockId { class, index });
    let open = lock.holder == NOBODY && lock.queue.is_empty();
    lock.readers += u8::from(open);
    Outcome::ret(u32::from(open))
}

pub(super) fn undown_read_trylock(m: &mut Machine, class: LockClass, index: u32, ret: u32) {
    m.lock_mut(LockId { class, index }).readers -= ret as u8;
}

pub(super) fn down_wait(m: &mut Machine, task: u8, class: LockClass, index: u32) -> Outcome {
    let id = LockId { class, index };
    m.lock_mut(id).queue.push(task);
    m.tasks[task as usize].run = TaskRun::Waits(id);
    Outcome::NONE
}

pub(super) fn undown_wait(m: &mut Machine, task: u8, class: LockClass, index: u32) {
    m.lock_mut(LockId { class, index }).queue.pop();
    m.tasks[task as usize].run = TaskRun::Runnable;
}

pub(super) fn up(m: &mut Machine, class: LockClass, write: bool, index: u32) -> Outcome {
    let lock = m.lock_mut(LockId { class, index });
    if !write {
        lock.readers -= 1;
        return Outcome::NONE;
    }
    let holder = core::mem::replace(&mut lock.holder, NOBODY);
    Outcome::undo(u64::from(holder))
}

pub(super) fn unup(m: &mut Machine, class: LockClass, write: bool, index: u32, undo: u64) {
    let lock = m.lock_mut(LockId { class, index });
    if write {
        lock.holder = undo as u8;
    } else {
        lock.readers += 1;
    }
}

#[inline(always)]
pub(super) fn trylock_page(m: &mut Machine, task: u8, pfn: Pfn) -> Outcome {
    let page = m.page_mut(pfn);
    if page.has(PageFlag::Locked) {
        return Outcome::ret(0);
    }
    page.flags = with(page.flags, PageFlag::Locked, true);
    page.locker = task;
    Outcome::ret(1)
}

pub(super) fn untrylock_page(m: &mut Machine, pfn: Pfn, ret: u32) {
    if ret == 1 {
        let page = m.page_mut(pfn);
        page.flags = with(page.flags, PageFlag::Locked, false);
        page.locker = NOBODY;
    }
}

#[inline(always)]
pub(super) fn unlock_page(m: &mut Machine, pfn: Pfn) -> Outcome {
    let page = m.page_mut(pfn);
    page.flags = with(page.flags, PageFlag::Locked, false);
    let locker = core::mem::replace(&mut page.locker, NOBODY);
    Outcome::undo(u64::from(locker))
}

pub(super) fn relock_page(m: &mut Machine, pfn: Pfn, undo: u64) {
    let page = m.page_mut(pfn);
    page.flags = with(page.flags, PageFlag::Locked, true);
    page.locker = undo as u8;
}

// Whoever queues looks again before it sleeps: the lock may have been given back since the try, by somebody who saw an
// empty queue. Returns 0 when there is nothing to sleep for.
pub(super) fn wait_page(m: &mut Machine, task: u8, page: Pfn) -> Outcome {
    if !m.page(page).has(PageFlag::Locked) {
        return Outcome::ret(0);
    }
    m.page_waiters.push((page, task));
    m.tasks[task as usize].run = TaskRun::Waits(LockId { class: LockClass::Page, index: page });
    Outcome::ret(1)
}

pub(super) fn unwait_page(m: &mut Machine, task: u8, ret: u32) {
    if ret == 1 {
        m.page_waiters.pop();
        m.tasks[task as usize].run = TaskRun::Runnable;
    }
}

// The waiter's place in the line is its undo, so that a revert puts it back there.
pub(super) fn wake_page(m: &mut Machine, page: Pfn) -> Outcome {
    let Some(at) = m.page_waiters.iter().position(|&(waited, _)| waited == page) else {
        return Outcome::undo(u64::MAX);
    };
    let (_, task) = m.page_waiters.remove(at);
    m.tasks[task as usize].run = TaskRun::Runnable;
    Outcome::undo(u64::from(task) << 32 | at as u64)
}

pub(super) fn unwake_page(m: &mut Machine, page: Pfn, undo: u64) {
    if undo == u64::MAX {
        return;
    }
    let (task, at) = ((undo >> 32) as u8, undo as u32 as usize);
    m.page_waiters.insert(at, (page, task));
    m.tasks[task as usize].run = TaskRun::Waits(LockId { class: LockClass::Page, index: page });
}

/// The task sleeps, unless somebody has woken it since it last slept. Returns 1 when it sleeps.
pub(super) fn sleep(m: &mut Machine, task: u8) -> Outcome {
    let state = &mut m.tasks[task as usize];
    if core::mem::take(&mut state.woken) {
        return Outcome::ret(0);
    }
    state.run = TaskRun::Sleeps;
    Outcome::ret(1)
}

pub(super) fn unsleep(m: &mut Machine, task: u8, ret: u32) {
    let state = &mut m.tasks[task as usize];
    state.run = TaskRun::Runnable;
    state.woken = ret == 0;
}

/// A task that sleeps can go on; one that is awake will not sleep the next time. Returns 1 when it slept.
pub(super) fn wake(m: &mut Machine, task: u8) -> Outcome {
    let state = &mut m.tasks[task as usize];
    let before = *state;
    match before.run {
        TaskRun::Sleeps => state.run = TaskRun::Runnable,
        TaskRun::Done => {}
        _ => state.woken = true,
    }
    let slept = u32::from(before.run == TaskRun::Sleeps);
    Outcome { ret: slept, undo: u64::from(slept) | u64::from(before.woken) << 1 }
}

pub(super) fn unwake(m: &mut Machine, task: u8, undo: u64) {
    let state = &mut m.tasks[task as usize];
    state.woken = undo & 2 != 0;
    if undo & 1 != 0 {
        state.run = TaskRun::Sleeps;
    }
}
