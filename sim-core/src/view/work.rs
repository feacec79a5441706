//! Work items and kworkers in the picture.

use alloc::vec::Vec;

use super::LockView;
use crate::engine::Timeline;
use crate::machine::{LockClass, LockId, NO_WORK, NOBODY, TaskRun, WorkFunc, WorkId, Workqueue};

/// The workqueue of a machine that has one: a pool for each CPU, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkqueueView {
    /// One for each CPU.
    pub pools: Vec<PoolView>,
    /// The mutex of lru_add_drain_all (3.12 and later).
    pub drain_mutex: LockView,
    /// The lock against CPU hotplug.
    pub hotplug: LockView,
    /// Sets of work items that are allocated now.
    pub allocated: u8,
    /// CPUs of the has_work mask.
    pub has_work: Vec<u8>,
    /// lru_drain_gen
    pub generation: u32,
    /// The last step read or changed the pool of this CPU, or looked into the pagevecs of it.
    pub touched: Option<u8>,
}

/// One pool: its list, what runs, and its kworker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PoolView {
    /// CPU of the pool.
    pub cpu: u8,
    /// The CPU is online.
    pub online: bool,
    /// CPU that the kworker runs on: another one where the pool's own has gone down.
    pub worker_cpu: u8,
    /// What the kworker does.
    pub worker: Worker,
    /// Pool lock.
    pub lock: LockView,
    /// Queued work items, first in line first.
    pub queued: Vec<WorkView>,
    /// The one that runs.
    pub running: Option<WorkView>,
}

/// State of a kworker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Worker {
    /// Asleep: nothing to do.
    #[default]
    Asleep,
    /// Runs, or waits for its turn on its CPU.
    Awake,
}

/// One work item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkView {
    /// Its number.
    pub id: WorkId,
    /// lru_add_drain_per_cpu, or a barrier.
    pub func: WorkFunc,
    /// CPU that it drains; of a barrier the task that waits.
    pub owner: u8,
    /// Its PENDING bit is set.
    pub pending: bool,
    /// Task that sleeps for it.
    pub waiter: Option<u8>,
}

impl Timeline {
    pub(super) fn workqueue(&self) -> Option<WorkqueueView> {
        let work = &self.world().machine.work;
        if work.pools.is_empty() {
            return None;
        }
        let lock = |class, index| self.lock_view(LockId { class, index });
        Some(WorkqueueView {
            pools: (0..work.pools.len() as u8).map(|cpu| self.pool(cpu)).collect(),
            drain_mutex: lock(LockClass::DrainMutex, 0),
            hotplug: lock(LockClass::Hotplug, 0),
            allocated: work.allocated,
            has_work: (0..work.pools.len() as u8).filter(|cpu| work.has_work >> cpu & 1 != 0).collect(),
            generation: work.drain_gen,
            touched: self.touched_pool(),
        })
    }

    fn pool(&self, cpu: u8) -> PoolView {
        let machine = &self.world().machine;
        let pool = &machine.work.pools[cpu as usize];
        let task = machine.tasks.get(pool.worker as usize);
        let asleep = task.is_none_or(|task| task.run == TaskRun::Sleeps);
        PoolView {
            cpu,
            online: machine.work.online(cpu),
            worker_cpu: task.map_or(cpu, |task| task.cpu),
            worker: if asleep { Worker::Asleep } else { Worker::Awake },
            lock: self.lock_view(LockId { class: LockClass::Pool, index: u32::from(cpu) }),
            queued: pool.list.iter().map(|&id| work_view(&machine.work, id)).collect(),
            running: (pool.current != NO_WORK).then(|| work_view(&machine.work, pool.current)),
        }
    }

    fn touched_pool(&self) -> Option<u8> {
        use crate::op::Op;
        match self.last()?.op {
            Op::InsertWork { cpu, .. }
            | Op::NextWork { cpu }
            | Op::TakeWork { cpu }
            | Op::EndWork { cpu }
            | Op::WakeWorker { cpu, .. }
            | Op::Offline { cpu, .. } => Some(cpu),
            Op::PeekPagevec { pv, .. } => Some(pv.owner),
            _ => None,
        }
    }
}

fn work_view(work: &Workqueue, id: WorkId) -> WorkView {
    let item = work.item(id);
    let waiter = (item.waiter != NOBODY && !item.done).then_some(item.waiter);
    WorkView { id, func: item.func, owner: item.owner, pending: item.pending, waiter }
}
