//! What one operation counts in, seen alone.

use super::{Op, Outcome, World};
use crate::ledger::{Count, Ledger};
use crate::machine::{LockClass, LockId, Machine, MachineSpec};

/// Runs the tally of single operations, which is the one that a run was counted with.
pub(crate) struct Alone {
    // Its machine is never looked at: an operation that queues is counted here.
    world: World,
}

impl Alone {
    pub fn new() -> Alone {
        let machine = Machine::new(&MachineSpec { cpus: 1, zones: alloc::vec![1], threshold: 1 });
        Alone { world: World::new(machine) }
    }

    /// What has been added and not taken back.
    pub fn ledger(&self) -> &Ledger {
        &self.world.ledger
    }

    /// Adds an operation that was made after `clock` others. How long queues were is left out.
    pub fn add(&mut self, op: &Op, outcome: Outcome, clock: u64) {
        self.count(op, outcome, clock, 1);
    }

    /// Takes it back.
    pub fn take_back(&mut self, op: &Op, outcome: Outcome, clock: u64) {
        self.count(op, outcome, clock, u64::MAX);
    }

    /// Notes how long the queue of a class of locks was.
    pub fn queued(&mut self, class: LockClass, waiters: u64) {
        let longest = &mut self.world.ledger.locks[class as usize].max_waiters;
        *longest = waiters.max(*longest);
    }

    fn count(&mut self, op: &Op, outcome: Outcome, clock: u64, n: u64) {
        match op {
            Op::SpinWait { .. } | Op::DownWait { .. } | Op::WaitPage { .. } => self.wait(op.lock(), outcome, n),
            _ => {
                self.world.clock = clock;
                self.world.tally(op, outcome, n);
            }
        }
    }

    fn wait(&mut self, lock: Option<LockId>, outcome: Outcome, n: u64) {
        let Some(LockId { class, .. }) = lock else { return };
        if class == LockClass::Page && outcome.ret == 0 {
            return;
        }
        let ledger = &mut self.world.ledger;
        let contended = &mut ledger.locks[class as usize].contended;
        *contended = contended.wrapping_add(n);
        if class.sleeps() {
            let sleeps = &mut ledger.counts[Count::Sleeps as usize];
            *sleeps = sleeps.wrapping_add(n);
        }
    }
}
