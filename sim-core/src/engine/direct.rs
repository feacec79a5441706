//! The handle of direct kernel code: operations are applied at once, in plain functions.
//!
//! A bulk run with one task left needs no coroutines, since nobody is there to wait for. Each kernel function then runs
//! in its direct form, which `#[kernel]` makes from the same body. The few functions that give control back in between
//! stay coroutines and call it.

use alloc::string::String;
use alloc::vec::Vec;

use super::check::Violation;
use super::cpu::{Migration, Ret, Want};
use super::func::Milestone;
use crate::kernel::{Config, Patch};
use crate::machine::{Machine, Page, Pfn};
use crate::op::{Op, World};

/// The running task of a direct run, as kernel code sees it; and the world, which it owns between steps.
pub struct Direct {
    pub(crate) world: World,
    config: Config,
    pub(crate) task: u8,
    /// 1 while the ledger counts, else 0.
    counts: u64,
    /// At the n-th cond_resched of a task, the task moves to a CPU.
    pub(super) migrations: Vec<Migration>,
    /// What broke, if anything did.
    pub(super) violation: Option<Violation>,
}

/// The task cannot go on, now or later: the operation that stopped it has been made.
#[derive(Clone, Copy, Debug)]
pub struct Stop;

impl Stop {
    /// Waits for ever, which the engine notices.
    pub(crate) fn forever<T>(self) -> core::future::Pending<T> {
        core::future::pending()
    }
}

impl Direct {
    pub(super) fn new(config: Config, machine: Machine) -> Direct {
        Direct { world: World::new(machine), config, task: 0, counts: 0, migrations: Vec::new(), violation: None }
    }

    pub(super) fn enter(&mut self, task: u8, counted: bool) {
        self.task = task;
        self.counts = u64::from(counted);
    }

    /// The CPU that the task moves to at this cond_resched, if any.
    #[inline(always)]
    pub(crate) fn migration(&mut self) -> Option<u8> {
        if self.migrations.is_empty() { None } else { self.migration_of(self.task) }
    }

    #[inline(never)]
    pub(super) fn migration_of(&mut self, task: u8) -> Option<u8> {
        let at = self.migrations.iter().position(|migration| migration.task == task)?;
        if self.migrations[at].after > 0 {
            self.migrations[at].after -= 1;
            return None;
        }
        Some(self.migrations.remove(at).cpu)
    }

    /// The patch is in force.
    #[inline(always)]
    pub fn has(&self, patch: Patch) -> bool {
        self.config.has(patch)
    }

    /// Slots of a pagevec in this kernel.
    #[inline(always)]
    pub fn pagevec_size(&self) -> u32 {
        self.config.pagevec
    }

    /// The CPU that the task is on.
    #[inline(always)]
    pub fn id(&self) -> u8 {
        self.world.machine.tasks[self.task as usize].cpu
    }

    /// The machine, to read what no other CPU can change at this point.
    #[inline(always)]
    pub fn machine(&self) -> &Machine {
        &self.world.machine
    }

    /// A page frame, to read what cannot change at this point: its zone, its order.
    #[inline(always)]
    pub fn page(&self, pfn: Pfn) -> Page {
        *self.world.machine.page(pfn)
    }

    /// Milestones are of recorded runs.
    #[inline(always)]
    pub fn milestone(&self, _: Milestone) {}

    /// The kernel finds something that must not be.
    #[cold]
    pub(crate) fn bug(&mut self, rule: &'static str, detail: String) -> Result<(), Stop> {
        self.violation.get_or_insert(Violation { step: 0, rule, detail });
        Err(Stop)
    }

    /// Makes one operation. By reference, since a copy would hide from the compiler which one it is (on 32-bit targets).
    #[inline(always)]
    pub(crate) fn step<T: Ret>(&mut self, op: &Op) -> Result<T, Stop> {
        let ret = self.world.apply_counting(self.task, op, self.counts).ret;
        // Nobody is left to wake the task.
        if matches!(op, Op::Sleep) && ret == 1 { Err(Stop) } else { Ok(T::from_ret(ret)) }
    }

    /// Takes a lock; where it is not free, nobody is left to give it back.
    #[inline(always)]
    pub(crate) fn take(&mut self, want: Want) -> Result<(), Stop> {
        if !want.is_open(&self.world.machine, self.task) {
            return self.wait(want);
        }
        self.step(&want.take())
    }

    #[cold]
    #[inline(never)]
    fn wait(&mut self, want: Want) -> Result<(), Stop> {
        self.step::<()>(&want.wait())?;
        Err(Stop)
    }
}
