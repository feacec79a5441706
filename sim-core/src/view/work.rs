//! Work items and kworkers in the picture.

use alloc::vec::Vec;

use super::timeline_lanes::kind;
use super::{FunctionKind, FunctionSpan, LockView, Span};
use crate::engine::{Frame, Timeline};
use crate::machine::{LockClass, LockId, NO_WORK, NOBODY, TaskRun, WorkFunc, WorkId, Workqueue};
use crate::op::Op;

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
    /// Tasks that sleep until a CPU has drained its pagevecs.
    pub waits: Vec<WaitView>,
    /// The last step read or changed the pool of this CPU, or looked into the pagevecs of it.
    pub touched: Option<u8>,
}

/// A task that sleeps for a CPU's drain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitView {
    /// What the task does: "mlock".
    pub task: &'static str,
    /// CPU that the task is on.
    pub cpu: u8,
    /// CPU that it waits for.
    pub on: u8,
    /// Steps that it has slept.
    pub steps: u32,
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
            waits: self.drain_waits(),
            touched: self.touched_pool(),
        })
    }

    fn drain_waits(&self) -> Vec<WaitView> {
        let machine = &self.world().machine;
        let asleep = machine.work.items.iter().filter(|item| item.func == WorkFunc::Barrier && !item.done);
        let sleepers = asleep.map(|item| item.waiter).filter(|&task| task != NOBODY);
        sleepers.filter_map(|task| self.drain_wait(task)).collect()
    }

    fn drain_wait(&self, task: u8) -> Option<WaitView> {
        let machine = &self.world().machine;
        let step = self.cursor();
        let since = self.records()[..step].iter().rposition(|record| record.task == task)?;
        let Op::WaitForCompletion { work } = self.records()[since].op else { return None };
        let pools = &machine.work.pools;
        let on = pools.iter().position(|pool| pool.list.contains(&work) || pool.current == work)?;
        Some(WaitView {
            task: self.task_names()[usize::from(task)],
            cpu: machine.tasks[usize::from(task)].cpu,
            on: on as u8,
            steps: (step - since - 1) as u32,
        })
    }

    pub(super) fn work_spans(&self) -> Vec<Span> {
        let works = self.frames().iter().filter(|frame| frame.func.name == "process_one_work");
        works.filter_map(|frame| self.span_of(&frame)).collect()
    }

    // A span of a call on the CPU that made its first step.
    fn span_of(&self, frame: &Frame) -> Option<Span> {
        let end = frame.end.min(self.len() as u32);
        let first = self.records()[..end as usize].get(frame.start as usize..)?;
        let cpu = first.iter().find(|record| record.task == frame.task)?.cpu;
        Some(Span { cpu, start: frame.start, end })
    }

    pub(super) fn sleep_spans(&self) -> Vec<Span> {
        let (mut spans, mut open) = (Vec::new(), Vec::<(u8, Span)>::new());
        for (step, record) in (1u32..).zip(self.records()) {
            if let Some(at) = open.iter().position(|&(task, _)| task == record.task) {
                spans.push(Span { end: step, ..open.swap_remove(at).1 });
            }
            if matches!(record.op, Op::WaitForCompletion { .. }) && record.outcome.ret == 1 {
                open.push((record.task, Span { cpu: record.cpu, start: step, end: self.len() as u32 }));
            }
        }
        spans.extend(open.into_iter().map(|(_, span)| span));
        spans.sort_by_key(|span| span.start);
        spans
    }

    /// The calls right below mlock and the work items, in a run that makes calls; none in others.
    pub(super) fn spans_of_calls(&self) -> Option<Vec<FunctionSpan>> {
        if self.world().machine.work.pools.is_empty() {
            return None;
        }
        let below = |frame: &Frame| {
            let parent = frame.parent().map(|parent| self.frames()[parent as usize].func.name);
            frame.end > frame.start && matches!(parent, Some("sys_mlock" | "worker_thread"))
        };
        let span = |frame: Frame| {
            let name = frame.func.name;
            let kind = if name == "process_one_work" { FunctionKind::Drain } else { kind(name) };
            Some(FunctionSpan { span: self.span_of(&frame)?, name, kind })
        };
        Some(self.frames().iter().filter(below).filter_map(span).collect())
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
