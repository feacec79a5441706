//! Locks: how often and how long they are held and waited for, and what is done meanwhile.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::clock::Clock;
use super::walk::{Held, Rest, Seen};
use super::work::{Lengths, Work};
use crate::engine::Effect;
use crate::machine::{LockClass, LockId};

/// One lock, or all of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockUse {
    /// Class.
    pub class: LockClass,
    /// Which of its class; none stands for all.
    pub index: Option<u32>,
    /// Times taken.
    pub acquired: u64,
    /// Times somebody had to wait.
    pub contended: u64,
    /// Holds, from the step that takes the lock to the one that releases it, as in the ledger.
    pub hold: Lengths,
    /// Waits, from the step that queues to the next one of the same task.
    pub wait: Lengths,
    /// Most tasks that waited at a time for one lock.
    pub queue: u64,
    /// What its holder did between taking and releasing it; these two steps are left out. Locks held at the same time
    /// have it each. For a class, what is done under two of its locks is there once.
    pub under: Work,
}

impl LockUse {
    fn new(class: LockClass, index: Option<u32>) -> LockUse {
        LockUse {
            class,
            index,
            acquired: 0,
            contended: 0,
            hold: Lengths::default(),
            wait: Lengths::default(),
            queue: 0,
            under: Work::default(),
        }
    }
}

/// Collects the uses of locks.
pub(super) struct Locks {
    uses: Vec<LockUse>,
    places: BTreeMap<(LockClass, u32), usize>,
    classes: Vec<LockUse>,
    // What each task has done so far: a hold has what it grew by meanwhile, however many locks are held.
    done: Vec<Work>,
    holds: Vec<Hold>,
    // Holds of each class by each task that are open, and what it had done before the first of them.
    nested: BTreeMap<(u8, LockClass), (u32, Work)>,
}

/// A hold that has not ended.
struct Hold {
    lock: LockId,
    since: usize,
    task: u8,
    before: Work,
}

impl Locks {
    pub fn new() -> Locks {
        let classes = LockClass::ALL.iter().map(|&class| LockUse::new(class, None)).collect();
        Locks {
            uses: Vec::new(),
            places: BTreeMap::new(),
            classes,
            done: Vec::new(),
            holds: Vec::new(),
            nested: BTreeMap::new(),
        }
    }

    pub fn step(&mut self, seen: &Seen, work: Work, clock: &Clock) {
        self.under(seen, work);
        if let Some(wait) = seen.waited.filter(|wait| wait.counted) {
            self.each(wait.lock, |lock| lock.wait.add(clock.wait(wait.since, seen.at)));
        }
        if let Some(hold) = seen.released.filter(|hold| hold.counted) {
            self.each(hold.lock, |lock| lock.hold.add(clock.span(hold.since, seen.at)));
        }
        let Some(lock) = seen.record.op.lock().filter(|_| seen.counted) else { return };
        match seen.effect {
            Effect::Takes => self.each(lock, |lock| lock.acquired += 1),
            Effect::Waits => self.each(lock, |lock| {
                lock.contended += 1;
                lock.queue = lock.queue.max(seen.queue);
            }),
            _ => {}
        }
    }

    /// All locks that were used, and all of each class: by class and index. What has not ended ends with the run.
    pub fn finish(mut self, rest: &Rest, clock: &Clock) -> (Vec<LockUse>, Vec<LockUse>) {
        for hold in rest.held.iter().filter(|hold| hold.counted) {
            self.each(hold.lock, |lock| lock.hold.add(clock.rest(hold.since)));
        }
        for &held in &rest.held {
            self.release(held);
        }
        for wait in rest.waits.iter().filter(|wait| wait.counted) {
            self.each(wait.lock, |lock| lock.wait.add(clock.rest(wait.since)));
        }
        let used = |lock: &LockUse| *lock != LockUse::new(lock.class, lock.index);
        self.uses.sort_unstable_by_key(|lock| (lock.class, lock.index));
        self.uses.retain(used);
        self.classes.retain(used);
        (self.uses, self.classes)
    }

    // A lock and its class.
    fn each(&mut self, lock: LockId, mut change: impl FnMut(&mut LockUse)) {
        let at = self.place(lock);
        change(&mut self.uses[at]);
        change(&mut self.classes[lock.class as usize]);
    }

    // The step that takes a lock is before its work, the one that releases it after.
    fn under(&mut self, seen: &Seen, work: Work) {
        if let Some(released) = seen.released {
            self.release(released);
        }
        let task = seen.record.task;
        if self.done.len() <= usize::from(task) {
            self.done.resize(usize::from(task) + 1, Work::default());
        }
        self.done[usize::from(task)] += work;
        if let (Effect::Takes, Some(lock)) = (seen.effect, seen.record.op.lock()) {
            let before = self.done[usize::from(task)];
            self.holds.push(Hold { lock, since: seen.at, task, before });
            self.nested.entry((task, lock.class)).or_insert((0, before)).0 += 1;
        }
    }

    fn release(&mut self, held: Held) {
        let this = |hold: &Hold| (hold.lock, hold.since) == (held.lock, held.since);
        let Some(at) = self.holds.iter().rposition(this) else { return };
        let Hold { lock, task, before, .. } = self.holds.swap_remove(at);
        let done = self.done[usize::from(task)];
        let place = self.place(lock);
        self.uses[place].under += done - before;
        let Some((open, before)) = self.nested.get_mut(&(task, lock.class)) else { return };
        *open -= 1;
        if *open == 0 {
            self.classes[lock.class as usize].under += done - *before;
            self.nested.remove(&(task, lock.class));
        }
    }

    fn place(&mut self, LockId { class, index }: LockId) -> usize {
        *self.places.entry((class, index)).or_insert_with(|| {
            self.uses.push(LockUse::new(class, Some(index)));
            self.uses.len() - 1
        })
    }
}
