//! Operations of kswapd as a thread: its wait queue, its clock, the mark of the zone that it reclaims.

use super::{AnonOp, Outcome};
use crate::machine::{Machine, TaskRun};

// What an operation overwrites, and the ticks that a clock is set forward by.
const WAITED: u64 = 1;
const WAS_WOKEN: u64 = 2;
const TICKS: u32 = 2;

pub(super) fn apply(m: &mut Machine, task: u8, op: AnonOp) -> Outcome {
    match op {
        AnonOp::KswapdWaits => Outcome::ret(u32::from(m.swap().kswapd.waits)),
        AnonOp::KswapdQueue { on } => queue(m, on),
        AnonOp::WakeKswapd => wake(m, task),
        AnonOp::ReclaimActive { zone, active } => Outcome::undo(u64::from(mark(m, zone, active))),
        _ => Outcome::NONE,
    }
}

pub(super) fn revert(m: &mut Machine, op: AnonOp, ret: u32, undo: u64) {
    match op {
        AnonOp::KswapdQueue { .. } => {
            m.swap_mut().kswapd.waits = undo & WAITED != 0;
            set_woken(m, undo & WAS_WOKEN != 0);
        }
        AnonOp::WakeKswapd => unwake(m, ret, undo),
        AnonOp::ReclaimActive { zone, .. } => {
            mark(m, zone, undo != 0);
        }
        _ => {}
    }
}

// A wake-up from before it queued is none for this sleep, and one after it left none for the next.
fn queue(m: &mut Machine, on: bool) -> Outcome {
    let waited = core::mem::replace(&mut m.swap_mut().kswapd.waits, on);
    let woken = set_woken(m, false);
    Outcome::undo(bits(waited, woken))
}

// Off the queue, awake, and no earlier than the waker.
fn wake(m: &mut Machine, task: u8) -> Outcome {
    let now = m.clock_of(task);
    let kswapd = m.swap().kswapd.task;
    let ahead = now.saturating_sub(m.clock_of(kswapd));
    let waited = core::mem::replace(&mut m.swap_mut().kswapd.waits, false);
    let Some(state) = m.tasks.get_mut(usize::from(kswapd)) else { return Outcome::undo(bits(waited, false)) };
    let woken = state.woken;
    let slept = state.run == TaskRun::Sleeps;
    if !slept {
        state.woken = true;
        return Outcome { ret: 0, undo: bits(waited, woken) };
    }
    state.run = TaskRun::Runnable;
    super::anon::add_clock(m, kswapd, ahead);
    Outcome { ret: 1, undo: bits(waited, woken) | ahead << TICKS }
}

fn unwake(m: &mut Machine, ret: u32, undo: u64) {
    let kswapd = m.swap().kswapd.task;
    m.swap_mut().kswapd.waits = undo & WAITED != 0;
    set_woken(m, undo & WAS_WOKEN != 0);
    if ret == 1 {
        m.tasks[usize::from(kswapd)].run = TaskRun::Sleeps;
        super::anon::add_clock(m, kswapd, (undo >> TICKS).wrapping_neg());
    }
}

fn set_woken(m: &mut Machine, woken: bool) -> bool {
    let kswapd = usize::from(m.swap().kswapd.task);
    m.tasks.get_mut(kswapd).is_some_and(|state| core::mem::replace(&mut state.woken, woken))
}

fn mark(m: &mut Machine, zone: u8, active: bool) -> bool {
    let buddy = m.zones[usize::from(zone)].buddy.as_mut();
    buddy.is_some_and(|buddy| core::mem::replace(&mut buddy.reclaim_active, active))
}

fn bits(waited: bool, woken: bool) -> u64 {
    (if waited { WAITED } else { 0 }) | (if woken { WAS_WOKEN } else { 0 })
}
