//! The rules of the machine, checked after every step.
//!
//! The checker keeps its own tallies from the operations that it sees (who holds the references of each page, which
//! pages are mlocked), so that it does not believe the state that it checks. A page's place is checked once the
//! lru_lock of its zone is free again, since "set PG_lru, then link" is one unit to everybody who takes the lock.

mod allocator;
mod rmap;
mod rmap_rules;
mod steps;
mod swap;
mod whole;
mod work;

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use self::allocator::AllocatorChecker;
use self::rmap::RmapChecker;
use self::steps::{seed_others, small_pages};
use self::swap::SwapChecker;
pub use self::whole::check_all;
use self::whole::{global_sum, within_threshold};
use self::work::WorkChecker;
use crate::kernel::Config;
use crate::machine::{Machine, NIL, PageFlag, Pfn, Pv, Stat};
use crate::op::{Held, Op, Outcome, World};

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Step count after which it is broken.
    pub step: u32,
    /// Which rule.
    pub rule: &'static str,
    /// What was found, and what was expected.
    pub detail: String,
}

impl Violation {
    pub(crate) fn at(self, step: u32) -> Violation {
        Violation { step, ..self }
    }
}

pub(super) type Checked = Result<(), Violation>;

pub(super) fn broken(rule: &'static str, detail: String) -> Checked {
    Err(Violation { step: 0, rule, detail })
}

/// Tallies that a recorded run is checked against.
#[derive(Clone, Debug)]
pub struct Checker {
    config: Config,
    /// References of each page by [`Held`].
    held: Vec<[i32; 5]>,
    /// lru_add slots that each page waits in.
    slots: Vec<u8>,
    /// Slots whose drain has put the page on its list, and which are not empty yet: others may have it meanwhile.
    drained: Vec<u8>,
    /// Small pages with PG_mlocked.
    mlocked: i64,
    /// What NR_MLOCK is too high by, through failed isolations (until 4.12).
    leaked: i64,
    /// Pages touched while the lru_lock of their zone was held.
    pending: Vec<Pfn>,
    /// Tasks in the run.
    tasks: i64,
    /// Rules of work items.
    work: WorkChecker,
    /// The page allocator, where there is one.
    allocator: Option<AllocatorChecker>,
    /// Rules of the reverse map, for machines that have it, in place of those of lists and references.
    rmap: Option<RmapChecker>,
    /// Tallies of swap, where there is any.
    swap: Option<alloc::boxed::Box<SwapChecker>>,
}

impl Checker {
    /// A checker for a machine at rest.
    pub fn new(config: Config, machine: &Machine) -> Checker {
        let mut held = vec![[0; 5]; machine.pages.len()];
        let mut slots = vec![0; machine.pages.len()];
        for (tally, page) in held.iter_mut().zip(&machine.pages) {
            tally[Held::Map as usize] = page.mapcount;
        }
        for &page in machine.mappings.iter().flat_map(|mapping| &mapping.cache).filter(|&&page| page != NIL) {
            held[page as usize][Held::Cache as usize] += 1;
        }
        for (index, pvec) in machine.pagevecs.iter().enumerate() {
            for &page in pvec.filled() {
                held[page as usize][Held::Slot as usize] += 1;
                slots[page as usize] += u8::from(Pv::at(index).kind.list().is_some());
            }
        }
        seed_others(&mut held, machine);
        let rmap = machine.rmap.is_some().then(|| RmapChecker::new(config, machine));
        let mlocked = machine.pages.iter().filter(|page| page.has(PageFlag::Mlocked)).map(small_pages).sum();
        let leaked = machine.stat(Stat::Mlock) - mlocked;
        let work = WorkChecker::new(machine);
        let allocator = AllocatorChecker::new(config, machine);
        let swap = SwapChecker::new(config, machine);
        let drained = vec![0; machine.pages.len()];
        let pending = Vec::new();
        Checker { config, held, slots, drained, mlocked, leaked, pending, tasks: 1, work, allocator, rmap, swap }
    }

    /// Checks the world after one step.
    ///
    /// # Errors
    ///
    /// The rule that is broken; the step is filled in by the caller.
    pub(crate) fn after(&mut self, world: &World, task: u8, op: Op, outcome: Outcome) -> Checked {
        let machine = &world.machine;
        if let Some(rmap) = &mut self.rmap {
            rmap.after(world, task, op, outcome)?;
            return self.locks(machine, task, op, outcome);
        }
        self.tasks = machine.tasks.len() as i64;
        self.observe(machine, task, op, outcome)?;
        self.work.after(machine, task, op, outcome)?;
        if let Some(page) = op.page() {
            self.references(machine, page)?;
            self.pending.push(page);
        }
        self.locks(machine, task, op, outcome)?;
        if let Some(swap) = &mut self.swap {
            swap.after(machine, task, op, outcome)?;
        }
        self.counters(machine, task, op)?;
        if let Some(allocator) = &mut self.allocator {
            allocator.after(machine, task, op, outcome.ret)?;
        }
        self.places(machine, op)
    }
}
