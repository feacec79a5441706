//! The meter: what each step takes, on which CPU, and who waits for whom.
//!
//! Each CPU has a clock. A step begins when its CPU is free and its task can go on, and takes what its classes, its cache
//! lines and the function that it opens cost. A task that waits for a lock goes on when the holder has released it, in the
//! order of the queue; one that was woken goes on after the latency of a wake-up.

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::class::{CLASSES, CostClass};
use super::costs::Costs;
use super::lines::Lines;
use super::op_cost;
use super::touches::{Touches, touches};
use crate::machine::{LockClass, LockId, Machine, TaskRun};
use crate::op::{AnonOp, Op, Outcome};

/// When one step happened, in picoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// When it begins, waiting left out.
    pub begin: u64,
    /// When it ends.
    pub end: u64,
    /// How long its task had been waiting before.
    pub wait: u64,
}

/// Sums of a metered run, in picoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Totals {
    /// When the last step ended.
    pub elapsed: u64,
    /// Waited for locks of each class, spinning or asleep.
    pub lock_wait: [u64; LockClass::ALL.len()],
    /// Held by locks of each class.
    pub lock_hold: [u64; LockClass::ALL.len()],
    /// Spent on each class of work.
    pub by_class: [u64; CLASSES],
    /// Spent in steps, and in functions beside their steps; waiting left out.
    pub busy: u64,
}

impl Default for Totals {
    fn default() -> Totals {
        let locks = [0; LockClass::ALL.len()];
        Totals { elapsed: 0, lock_wait: locks, lock_hold: locks, by_class: [0; CLASSES], busy: 0 }
    }
}

impl Totals {
    /// Waited for all locks.
    pub fn all_lock_wait(&self) -> u64 {
        self.lock_wait.iter().sum()
    }

    /// Spent spinning: waited for locks whose waiters do not sleep.
    pub fn spin(&self) -> u64 {
        LockClass::ALL.iter().filter(|class| !class.sleeps()).map(|&class| self.lock_wait[class as usize]).sum()
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct TaskTime {
    /// The earliest moment at which it can go on.
    ready: u64,
    /// It has waited since then, and for what.
    since: Option<(u64, Wait)>,
    /// Functions that it has entered since its last step.
    entered: u64,
}

/// What a task waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    Lock(LockId),
    /// Somebody who wakes it.
    Wake,
}

#[derive(Clone, Copy, Debug, Default)]
struct LockTime {
    taken: u64,
    free: u64,
}

/// Clocks of the CPUs and tasks of a run.
#[derive(Clone, Debug)]
pub struct Meter {
    costs: Rc<Costs>,
    lines: Lines,
    cpus: Vec<u64>,
    tasks: Vec<TaskTime>,
    locks: BTreeMap<(u8, u32), LockTime>,
    totals: Totals,
}

/// What has to be seen before a step is applied.
#[derive(Clone, Copy, Debug)]
pub struct Before {
    touches: Touches,
    cpu: u8,
}

impl Meter {
    /// A meter at zero for a machine with so many CPUs.
    pub fn new(costs: Rc<Costs>, cpus: usize) -> Meter {
        let lines = Lines::new(cpus, costs.near_lines, costs.cache_lines);
        Meter {
            costs,
            lines,
            cpus: alloc::vec![0; cpus],
            tasks: Vec::new(),
            locks: BTreeMap::new(),
            totals: Totals::default(),
        }
    }

    /// Sums so far.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// The profile.
    pub fn costs(&self) -> &Costs {
        &self.costs
    }

    /// A task enters a function.
    pub fn enter(&mut self, task: u8, function: &str) {
        let ps = self.costs.function(function);
        self.task(task).entered += ps;
    }

    /// Looks at the machine before a step.
    pub fn before(&self, machine: &Machine, task: u8, op: Op) -> Before {
        Before { touches: touches(op, machine), cpu: machine.tasks[usize::from(task)].cpu }
    }

    /// When a task could make its next step on its CPU.
    pub fn ready(&self, machine: &Machine, task: u8) -> u64 {
        let state = &machine.tasks[usize::from(task)];
        let own = self.tasks.get(usize::from(task)).map_or(0, |time| time.ready);
        let cpu = self.cpus[usize::from(state.cpu)];
        let lock = match state.run {
            TaskRun::Waits(lock) => self.handed_on(lock),
            _ => 0,
        };
        own.max(cpu).max(lock)
    }

    /// Nobody else's time to go on depends on the step.
    pub fn is_private(op: Op, outcome: Outcome) -> bool {
        let releases = matches!(
            op,
            Op::SpinUnlock { .. } | Op::Up { .. } | Op::UnlockPage { .. } | Op::Wake { .. } | Op::WakePage { .. }
        );
        let wakes = matches!(op, Op::WakeWorker { .. } | Op::Complete { .. } | Op::Migrate { .. } | Op::Exit);
        let waits =
            matches!(op, Op::SpinWait { .. } | Op::DownWait { .. } | Op::WaitPage { .. }) || op.sleeps(outcome.ret);
        !(releases || wakes || waits)
    }

    /// Counts a step that has been applied.
    pub fn charge(&mut self, machine: &Machine, task: u8, op: Op, outcome: Outcome, before: Before) -> Moment {
        let since = self.task(task).since.take();
        let taken = acquired(op, outcome);
        let mut begin = self.task(task).ready.max(self.cpus[usize::from(before.cpu)]);
        let queued = |lock| since.is_some_and(|(_, wait)| wait == Wait::Lock(lock));
        if let Some(lock) = taken {
            begin = begin.max(if queued(lock) { self.handed_on(lock) } else { self.freed(lock) });
        }
        let handed_over = taken.is_some_and(queued) && matches!(op, Op::SpinLock { .. });
        let cost = self.cost(op, outcome, before, handed_over) + core::mem::take(&mut self.task(task).entered);
        let end = begin + cost;
        let wait = since.map_or(0, |(since, _)| begin.saturating_sub(since));
        self.totals.busy += cost;
        self.totals.elapsed = self.totals.elapsed.max(end);
        self.cpus[usize::from(before.cpu)] = end;
        let time = self.task(task);
        time.ready = end;
        time.since = machine.tasks.get(usize::from(task)).and_then(|state| Some((end, awaited(state.run)?)));
        if let Some(lock) = taken {
            self.totals.lock_wait[lock.class as usize] += if queued(lock) { wait } else { 0 };
            self.lock(lock).taken = begin;
        }
        self.release(op, end);
        if let Some(woken) = woken(machine, op, outcome) {
            let latency = self.costs.of(CostClass::WakeLatency);
            let time = self.task(woken);
            time.ready = time.ready.max(end + latency);
        }
        Moment { begin, end, wait }
    }

    // Classes and lines of a step.
    fn cost(&mut self, op: Op, outcome: Outcome, before: Before, handed_over: bool) -> u64 {
        let Meter { costs, totals, lines, .. } = self;
        let mut sum = 0;
        let mut add = |class: CostClass, halves: u64| {
            let ps = costs.of(class) * halves / 2;
            totals.by_class[class as usize] += ps;
            sum += ps;
        };
        op_cost::classes(op, outcome, |class, halves| {
            add(if handed_over && class == CostClass::Spin { CostClass::Handover } else { class }, halves);
        });
        if matches!(op, Op::PrepareNew { .. } | Op::Anon(AnonOp::Copy { .. })) {
            lines.fill(before.cpu);
        }
        for (line, write) in before.touches.iter() {
            let moved = lines.touch(before.cpu, line, write);
            // A prefetch is not waited for; the line of a lock that is handed over is in the time of that.
            if let Some(class) = moved
                && !handed_over
                && !matches!(op, Op::Prefetch { .. })
            {
                add(class, 2);
            }
        }
        sum
    }

    fn release(&mut self, op: Op, end: u64) {
        let lock = match op {
            Op::SpinUnlock { class, index, .. } | Op::Up { class, index, .. } => LockId { class, index },
            Op::UnlockPage { page } | Op::Anon(AnonOp::PlainUnlock { page }) => {
                LockId { class: LockClass::Page, index: page }
            }
            _ => return,
        };
        let time = self.lock(lock);
        time.free = end;
        let held = end - time.taken;
        self.totals.lock_hold[lock.class as usize] += held;
    }

    fn freed(&self, lock: LockId) -> u64 {
        self.locks.get(&(lock.class as u8, lock.index)).map_or(0, |time| time.free)
    }

    // When a waiter has it: one that sleeps has to be woken first.
    fn handed_on(&self, lock: LockId) -> u64 {
        self.freed(lock) + if lock.class.sleeps() { self.costs.of(CostClass::WakeLatency) } else { 0 }
    }

    fn lock(&mut self, lock: LockId) -> &mut LockTime {
        self.locks.entry((lock.class as u8, lock.index)).or_default()
    }

    fn task(&mut self, task: u8) -> &mut TaskTime {
        let at = usize::from(task);
        if at >= self.tasks.len() {
            self.tasks.resize(at + 1, TaskTime::default());
        }
        &mut self.tasks[at]
    }
}

fn awaited(run: TaskRun) -> Option<Wait> {
    match run {
        TaskRun::Waits(lock) => Some(Wait::Lock(lock)),
        TaskRun::Sleeps => Some(Wait::Wake),
        _ => None,
    }
}

// The lock that the step has taken.
fn acquired(op: Op, outcome: Outcome) -> Option<LockId> {
    let got = match op {
        Op::SpinLock { .. } | Op::Down { .. } => true,
        Op::SpinTrylock { .. } | Op::DownReadTrylock { .. } | Op::TryLockPage { .. } => outcome.ret == 1,
        _ => false,
    };
    if got { op.lock() } else { None }
}

// The task that the step has made runnable.
fn woken(machine: &Machine, op: Op, outcome: Outcome) -> Option<u8> {
    match op {
        Op::Wake { task } if outcome.ret == 1 => Some(task),
        Op::WakeWorker { cpu, .. } if outcome.ret == 1 => Some(machine.work.pools[usize::from(cpu)].worker),
        Op::Complete { work } if outcome.ret == 1 => Some(machine.work.items[usize::from(work)].waiter),
        Op::WakePage { .. } => {
            let undo = outcome.undo;
            (undo != u64::MAX).then_some((undo >> 32) as u8)
        }
        _ => None,
    }
}
