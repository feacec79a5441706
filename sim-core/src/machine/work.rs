//! Work items, the pools of kworkers that run them, and what lru_add_drain_all keeps beside them.
//!
//! Empty in a machine that no scenario gives a workqueue.

use alloc::vec;
use alloc::vec::Vec;

use super::{LockState, NOBODY};

/// A work item: an index into [`Workqueue::items`].
pub type WorkId = u16;

/// No work item.
pub const NO_WORK: WorkId = WorkId::MAX;

/// What a work item does when a kworker runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkFunc {
    /// lru_add_drain_per_cpu: drains the pagevecs of the CPU that runs it.
    LruAddDrain,
    /// wq_barrier_func: completes whoever waits for the work item before it.
    Barrier,
}

/// struct work_struct, with the completion of a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// What it does.
    pub func: WorkFunc,
    /// CPU that it is meant for; of a barrier the task that waits.
    pub owner: u8,
    /// WORK_STRUCT_PENDING
    pub pending: bool,
    /// The completion is done.
    pub done: bool,
    /// Task that sleeps for the completion.
    pub waiter: u8,
}

/// The kworker of one CPU with what is queued there (gcwq in 3.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerPool {
    /// Queued work items, first in line first.
    pub list: Vec<WorkId>,
    /// The work item that runs.
    pub current: WorkId,
    /// Task of the kworker.
    pub worker: u8,
    /// The kworker has found nothing to do and nobody has woken it since.
    pub idle: bool,
    /// gcwq->lock, later pool->lock
    pub lock: LockState,
}

/// All of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workqueue {
    /// A set of work items, one for each CPU, for every task that may call lru_add_drain_all; then one barrier for each
    /// such task. Kernels with static items use the first set.
    pub items: Vec<Work>,
    /// One pool for each CPU.
    pub pools: Vec<WorkerPool>,
    /// Sets of work items that are allocated now (alloc_percpu).
    pub allocated: u8,
    /// The cpumask of lru_add_drain_all: CPUs on which it has queued work.
    pub has_work: u128,
    /// CPUs that have gone offline.
    pub offline: u128,
    /// lru_drain_gen
    pub drain_gen: u32,
    /// The static mutex of lru_add_drain_all (3.12 and later).
    pub drain_mutex: LockState,
    /// cpu_hotplug: get_online_cpus reads, cpu_down writes.
    pub hotplug: LockState,
}

impl Workqueue {
    /// What a machine without work items has.
    pub const NONE: Workqueue = Workqueue {
        items: Vec::new(),
        pools: Vec::new(),
        allocated: 0,
        has_work: 0,
        offline: 0,
        drain_gen: 0,
        drain_mutex: LockState::FREE,
        hotplug: LockState::FREE,
    };

    /// Idle pools for so many CPUs (96 at most), and work items for so many tasks that call lru_add_drain_all.
    pub(crate) fn new(cpus: u8, callers: u8) -> Workqueue {
        let work = |func, owner| Work { func, owner, pending: false, done: false, waiter: NOBODY };
        let sets = (0..callers).flat_map(|_| 0..cpus).map(|cpu| work(WorkFunc::LruAddDrain, cpu));
        let barriers = (0..callers).map(|task| work(WorkFunc::Barrier, task));
        let pool = WorkerPool { list: Vec::new(), current: NO_WORK, worker: NOBODY, idle: true, lock: LockState::FREE };
        Workqueue { items: sets.chain(barriers).collect(), pools: vec![pool; cpus as usize], ..Workqueue::NONE }
    }

    /// The work item of a CPU in the set of a task.
    pub fn drain_work(&self, set: u8, cpu: u8) -> WorkId {
        u16::from(set) * self.pools.len() as u16 + u16::from(cpu)
    }

    /// The barrier that a task puts behind a work item to wait for it. Tasks that call lru_add_drain_all come first.
    pub fn barrier_work(&self, task: u8) -> WorkId {
        let callers = self.items.iter().filter(|work| work.func == WorkFunc::Barrier).count() as u16;
        callers * self.pools.len() as u16 + u16::from(task)
    }

    /// A work item.
    pub fn item(&self, work: WorkId) -> &Work {
        &self.items[work as usize]
    }

    /// The CPU is online.
    pub fn online(&self, cpu: u8) -> bool {
        self.offline >> cpu & 1 == 0
    }
}
