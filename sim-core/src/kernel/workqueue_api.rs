//! The vocabulary of lru_add_drain_all, work items and kworkers: each method is one micro-operation.

use sim_macros::primitives;

use crate::engine::{Cpu, LockStep, Step, Want};
use crate::ledger::How;
use crate::machine::{LockClass, NOBODY, PageFlag, Pfn, Pv, WorkId};
use crate::op::Op;
use crate::view::PagevecKind;

#[primitives]
impl Cpu {
    /// TestClearPageActive
    #[inline(always)]
    #[track_caller]
    pub fn test_clear_page_active(&self, page: Pfn) -> Step<'_, bool> {
        self.step(Op::Flag { flag: PageFlag::Active, how: How::TestClear, page })
    }

    /// alloc_percpu(struct work_struct), or free_percpu
    #[inline(always)]
    #[track_caller]
    pub fn percpu_works(&self, alloc: bool) -> Step<'_, ()> {
        self.step(Op::PercpuWorks { alloc })
    }

    /// INIT_WORK
    #[inline(always)]
    #[track_caller]
    pub fn init_work(&self, work: WorkId) -> Step<'_, ()> {
        self.step(Op::InitWork { work })
    }

    /// test_and_set_bit(WORK_STRUCT_PENDING)
    #[inline(always)]
    #[track_caller]
    pub fn test_set_work_pending(&self, work: WorkId) -> Step<'_, bool> {
        self.step(Op::TestSetPending { work })
    }

    /// work_clear_pending
    #[inline(always)]
    #[track_caller]
    pub fn clear_work_pending(&self, work: WorkId) -> Step<'_, ()> {
        self.step(Op::ClearPending { work })
    }

    /// list_add of a work item behind `at` others
    #[inline(always)]
    #[track_caller]
    pub fn list_add_work(&self, work: WorkId, on: u8, at: u8, barrier: bool) -> Step<'_, ()> {
        self.step(Op::InsertWork { work, cpu: on, at, barrier })
    }

    /// list_empty of the worklist, turned round; a worker that finds nothing is idle.
    #[inline(always)]
    #[track_caller]
    pub fn next_work(&self, pool: u8) -> Step<'_, bool> {
        self.step(Op::NextWork { cpu: pool })
    }

    /// The first work item leaves the worklist and becomes the worker's current one.
    #[inline(always)]
    #[track_caller]
    pub fn take_work(&self, pool: u8) -> Step<'_, u32> {
        self.step(Op::TakeWork { cpu: pool })
    }

    /// worker->current_work = NULL
    #[inline(always)]
    #[track_caller]
    pub fn end_work(&self, pool: u8) -> Step<'_, ()> {
        self.step(Op::EndWork { cpu: pool })
    }

    /// wake_up_process of the pool's idle worker; on another CPU by an IPI.
    #[inline(always)]
    #[track_caller]
    pub fn wake_worker(&self, pool: u8, remote: bool) -> Step<'_, ()> {
        self.step(Op::WakeWorker { cpu: pool, remote })
    }

    /// schedule() of a worker that has nothing to do
    #[inline(always)]
    #[track_caller]
    pub fn idle(&self) -> Step<'_, ()> {
        self.step(Op::Idle)
    }

    /// One round of wait_for_completion: true when the task slept.
    #[inline(always)]
    #[track_caller]
    pub fn wait_for_completion(&self, barrier: WorkId) -> Step<'_, bool> {
        self.step(Op::WaitForCompletion { work: barrier })
    }

    /// complete
    #[inline(always)]
    #[track_caller]
    pub fn complete(&self, barrier: WorkId) -> Step<'_, ()> {
        self.step(Op::Complete { work: barrier })
    }

    /// spin_lock_irqsave(&pool->lock)
    #[inline(always)]
    #[track_caller]
    pub fn lock_pool(&self, pool: u8) -> LockStep<'_> {
        self.take(Want::Spin { class: LockClass::Pool, irq: true, index: u32::from(pool) })
    }

    /// spin_unlock_irqrestore(&pool->lock)
    #[inline(always)]
    #[track_caller]
    pub fn unlock_pool(&self, pool: u8) -> Step<'_, ()> {
        self.step(Op::SpinUnlock { class: LockClass::Pool, irq: true, index: u32::from(pool) })
    }

    /// pagevec_count of a pagevec of any CPU, without a lock; asked of every CPU.
    #[inline(always)]
    #[track_caller]
    pub fn peek_pagevec_of(&self, kind: PagevecKind, of: u8, lru: u8) -> Step<'_, bool> {
        self.step(Op::PeekPagevec { pv: Pv { kind, owner: of }, lru, remote: true })
    }

    /// pagevec_count of the lru_add pagevec for one list of a CPU, by whoever drains it.
    #[inline(always)]
    #[track_caller]
    pub fn read_list_pagevec(&self, of: u8, lru: u8) -> Step<'_, bool> {
        self.step(Op::PeekPagevec { pv: Pv { kind: PagevecKind::LruAdd, owner: of }, lru, remote: false })
    }

    /// cpumask_clear(&has_work)
    #[inline(always)]
    #[track_caller]
    pub fn clear_has_work(&self) -> Step<'_, ()> {
        self.step(Op::HasWork { cpu: NOBODY })
    }

    /// cpumask_set_cpu(cpu, &has_work)
    #[inline(always)]
    #[track_caller]
    pub fn set_has_work(&self, on: u8) -> Step<'_, ()> {
        self.step(Op::HasWork { cpu: on })
    }

    /// Reads lru_drain_gen, and raises it where `advance`.
    #[inline(always)]
    #[track_caller]
    pub fn drain_gen(&self, advance: bool) -> Step<'_, u32> {
        self.step(Op::DrainGen { advance })
    }

    /// The CPU leaves the online mask; its kworker is bound no longer and goes on elsewhere.
    #[inline(always)]
    #[track_caller]
    pub fn take_cpu_down(&self, dead: u8, to: u8) -> Step<'_, ()> {
        self.step(Op::Offline { cpu: dead, to })
    }
}
