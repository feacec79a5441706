//! One pass over the steps of a run, which knows what locks each task holds and waits for.

use alloc::vec;
use alloc::vec::Vec;

use crate::engine::{Effect, Record, Timeline, effect};
use crate::ledger::Ledger;
use crate::machine::LockId;
use crate::op::{Alone, Op};

/// A lock that a task holds, or waits for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub lock: LockId,
    /// Index of the step that took it, or queued for it.
    pub since: usize,
    /// That step is counted.
    pub counted: bool,
    /// Who waited has been woken, and is no longer in the queue.
    woken: bool,
}

/// One step.
pub(super) struct Seen<'a> {
    /// Its index.
    pub at: usize,
    pub record: &'a Record,
    /// What it adds to the ledger; nothing where it is not counted.
    pub adds: &'a Ledger,
    pub counted: bool,
    pub effect: Effect,
    /// Locks that its task holds before and after it: those that it takes or releases are not among them.
    pub held: &'a [Held],
    /// The lock that it releases.
    pub released: Option<Held>,
    /// The wait of its task that is over with it.
    pub waited: Option<Held>,
    /// Where it queues: how many then wait for that lock, itself included.
    pub queue: u64,
}

/// What is left when the run has ended.
pub(super) struct Rest {
    /// What all counted steps add up to.
    pub sum: Ledger,
    /// Locks that are held.
    pub held: Vec<Held>,
    /// Waits that have not ended.
    pub waits: Vec<Held>,
}

/// Calls `visit` for each step. Steps outside the measured section count too where `all` is set.
pub(super) fn walk(timeline: &Timeline, all: bool, mut visit: impl FnMut(&Seen)) -> Rest {
    let tasks = timeline.records().iter().map(|record| usize::from(record.task) + 1).max().unwrap_or(0);
    let mut locks = Locks { held: vec![Vec::new(); tasks], waits: vec![None; tasks] };
    let (mut alone, mut sum) = (Alone::new(), Alone::new());
    for (at, record) in timeline.records().iter().enumerate() {
        let Record { op, outcome, task, .. } = *record;
        let counted = all || record.counted;
        let waited: Option<Held> = locks.waits[usize::from(task)].take();
        let effect = locks.effect(record);
        let released = if effect == Effect::Releases { locks.release(record) } else { None };
        let queue = locks.queue(record, effect, at, counted);
        if counted {
            alone.add(&op, outcome, at as u64);
            sum.add(&op, outcome, at as u64);
            if let (true, Some(lock)) = (effect == Effect::Waits, op.lock()) {
                sum.queued(lock.class, queue);
            }
        }
        let held = &locks.held[usize::from(task)];
        let adds = alone.ledger();
        visit(&Seen { at, record, adds, counted, effect, held, released, waited, queue });
        if counted {
            alone.take_back(&op, outcome, at as u64);
        }
        if let (Effect::Takes, Some(lock)) = (effect, op.lock()) {
            locks.held[usize::from(task)].push(Held { lock, since: at, counted, woken: false });
        }
    }
    let Locks { held, waits } = locks;
    Rest { sum: sum.ledger().clone(), held: held.concat(), waits: waits.into_iter().flatten().collect() }
}

struct Locks {
    // By task.
    held: Vec<Vec<Held>>,
    waits: Vec<Option<Held>>,
}

impl Locks {
    // Whoever looks at the page lock again before it sleeps, and finds it free, does not wait.
    fn effect(&self, record: &Record) -> Effect {
        match record.op {
            Op::WaitPage { .. } if record.outcome.ret == 0 => Effect::None,
            _ => effect(record),
        }
    }

    // A page lock may be released by another task than took it.
    fn release(&mut self, record: &Record) -> Option<Held> {
        let lock = record.op.lock()?;
        let own = usize::from(record.task);
        let by = |locks: &Vec<Held>| locks.iter().rposition(|held| held.lock == lock);
        let task =
            if by(&self.held[own]).is_some() { own } else { self.held.iter().position(|all| by(all).is_some())? };
        let at = by(&self.held[task])?;
        Some(self.held[task].remove(at))
    }

    // Length of the queue that a step joins; a step that wakes somebody shortens one.
    fn queue(&mut self, record: &Record, effect: Effect, at: usize, counted: bool) -> u64 {
        let Some(lock) = record.op.lock() else { return 0 };
        if effect == Effect::Waits {
            let wait = Held { lock, since: at, counted, woken: false };
            self.waits[usize::from(record.task)] = Some(wait);
            return self.waits.iter().flatten().filter(|wait| wait.lock == lock && !wait.woken).count() as u64;
        }
        if matches!(record.op, Op::WakePage { .. }) {
            let queue = self.waits.iter_mut().flatten().filter(|wait| wait.lock == lock && !wait.woken);
            if let Some(first) = queue.min_by_key(|wait| wait.since) {
                first.woken = true;
            }
        }
        0
    }
}
