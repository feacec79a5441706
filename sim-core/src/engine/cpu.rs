//! The handle through which kernel code acts: one primitive, one micro-operation.

use alloc::rc::Rc;
use core::cell::{Cell, Ref, RefCell};
use core::future::Future;
use core::marker::PhantomData;
use core::panic::Location;
use core::pin::Pin;
use core::task::{Context, Poll};

use super::func::{Func, Milestone};
use super::record::Recorder;
use crate::kernel::{Config, Patch};
use crate::machine::{LockClass, LockId, Machine, Page, PageFlag, Pfn};
use crate::op::{Op, World};

/// What all tasks of a run share.
pub(crate) struct Shared {
    pub config: Config,
    pub world: RefCell<World>,
    pub recorder: RefCell<Recorder>,
    /// Operations complete at once and only the ledger is kept.
    pub bulk: Cell<bool>,
    /// A bulk run gives control back at the first cond_resched after this many operations.
    pub pause_at: Cell<u64>,
    /// The function whose calls are counted; none counts everything.
    pub measured: Cell<Option<&'static str>>,
    /// Bit of each task that is inside the measured function.
    pub counting: Cell<u64>,
    /// At the n-th cond_resched of a task, the task moves to a CPU.
    pub migrations: RefCell<alloc::vec::Vec<Migration>>,
}

/// A task moves to another CPU at one of its cond_resched calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Migration {
    /// Task.
    pub task: u8,
    /// Number of cond_resched calls to let pass.
    pub after: u32,
    /// CPU to move to.
    pub cpu: u8,
}

/// The running task, as kernel code sees it.
#[derive(Clone)]
pub struct Cpu {
    pub(crate) shared: Rc<Shared>,
    pub(crate) task: u8,
}

/// Leaves the frame that [`Cpu::enter`] entered.
pub(crate) struct FrameGuard<'a> {
    cpu: &'a Cpu,
    measured: bool,
}

impl Cpu {
    /// The patch is in force.
    #[inline(always)]
    pub fn has(&self, patch: Patch) -> bool {
        self.shared.config.has(patch)
    }

    /// Slots of a pagevec in this kernel.
    #[inline(always)]
    pub fn pagevec_size(&self) -> u32 {
        self.shared.config.pagevec
    }

    /// The CPU that the task is on.
    #[inline(always)]
    pub fn id(&self) -> u8 {
        self.machine().tasks[self.task as usize].cpu
    }

    /// The machine, to read what no other CPU can change at this point.
    #[inline(always)]
    pub fn machine(&self) -> Ref<'_, Machine> {
        Ref::map(self.shared.world.borrow(), |world| &world.machine)
    }

    /// A page frame, to read what cannot change at this point: its zone, its order.
    #[inline(always)]
    pub fn page(&self, pfn: Pfn) -> Page {
        *self.machine().page(pfn)
    }

    /// Passes a milestone.
    #[inline(always)]
    pub fn milestone(&self, milestone: Milestone) {
        if !self.shared.bulk.get() {
            self.shared.recorder.borrow_mut().mark(self.task, milestone);
        }
    }

    #[inline(always)]
    pub(crate) fn enter(&self, func: &'static Func, site: &'static Location<'static>) -> FrameGuard<'_> {
        let measured = self.shared.measured.get().is_some_and(|name| name == func.name);
        if measured {
            self.shared.counting.set(self.shared.counting.get() | 1 << self.task);
        }
        if !self.shared.bulk.get() {
            self.shared.recorder.borrow_mut().enter(self.task, func, site);
        }
        FrameGuard { cpu: self, measured }
    }

    #[inline(always)]
    fn counted(&self) -> bool {
        self.shared.counting.get() >> self.task & 1 != 0
    }

    #[inline(always)]
    fn apply(&self, op: Op) -> u32 {
        self.shared.world.borrow_mut().apply(self.task, op, self.counted()).ret
    }

    #[cold]
    #[inline(never)]
    fn record(&self, op: Op, site: &'static Location<'static>) -> u32 {
        let mut recorder = self.shared.recorder.borrow_mut();
        recorder.step(&mut self.shared.world.borrow_mut(), self.task, op, site, self.counted())
    }

    /// Makes one operation a step.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn step<T: Ret>(&self, op: Op) -> Step<'_, T> {
        let site = Location::caller();
        let (ret, done) = if self.shared.bulk.get() { (self.apply(op), true) } else { (0, false) };
        Step { cpu: self, op, site, ret, done, marker: PhantomData }
    }

    /// Gives control back if this is a bulk run whose budget is used up.
    #[inline(always)]
    pub(crate) fn pause_point(&self) -> Pause {
        Pause(self.shared.bulk.get() && self.shared.world.borrow().clock >= self.shared.pause_at.get())
    }

    /// The CPU that the task moves to at this cond_resched, if any.
    pub(crate) fn migration(&self) -> Option<u8> {
        let mut migrations = self.shared.migrations.borrow_mut();
        let at = migrations.iter().position(|migration| migration.task == self.task)?;
        if migrations[at].after > 0 {
            migrations[at].after -= 1;
            return None;
        }
        Some(migrations.remove(at).cpu)
    }

    /// The kernel finds something that must not be: the run stops at this point with the rule named.
    #[cold]
    pub(crate) fn bug(&self, rule: &'static str, detail: alloc::string::String) -> Pause {
        let mut recorder = self.shared.recorder.borrow_mut();
        let step = recorder.records.len() as u32;
        recorder.violation.get_or_insert(super::check::Violation { step, rule, detail });
        Pause(true)
    }

    /// Takes a spinlock or semaphore, or the page lock; waits in line while somebody else holds it.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn take(&self, want: Want) -> LockStep<'_> {
        let site = Location::caller();
        let done = self.shared.bulk.get() && self.can_take(want) && self.apply(want.take()) >= want.success();
        LockStep { cpu: self, want, site, done, failed: false }
    }

    #[inline(always)]
    fn can_take(&self, want: Want) -> bool {
        let world = self.shared.world.borrow();
        match want {
            Want::Spin { class, index, .. } => world.machine.lock(LockId { class, index }).open_to(self.task),
            Want::Sem { class, write: true, index } => world.machine.lock(LockId { class, index }).open_to(self.task),
            Want::Sem { class, write: false, index } => {
                world.machine.lock(LockId { class, index }).open_to_reader(self.task)
            }
            // The bit must be tried: only trying tells.
            Want::Page { page } => !self.shared.bulk.get() || !world.machine.page(page).has(PageFlag::Locked),
        }
    }
}

impl Drop for FrameGuard<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        let shared = &self.cpu.shared;
        if self.measured {
            shared.counting.set(shared.counting.get() & !(1 << self.cpu.task));
        }
        if !shared.bulk.get() {
            shared.recorder.borrow_mut().leave(self.cpu.task);
        }
    }
}

/// A lock to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    Spin { class: LockClass, irq: bool, index: u32 },
    Sem { class: LockClass, write: bool, index: u32 },
    Page { page: Pfn },
}

impl Want {
    #[inline(always)]
    fn take(self) -> Op {
        match self {
            Want::Spin { class, irq, index } => Op::SpinLock { class, irq, index },
            Want::Sem { class, write, index } => Op::Down { class, write, index },
            Want::Page { page } => Op::TryLockPage { page },
        }
    }

    fn wait(self) -> Op {
        match self {
            Want::Spin { class, irq, index } => Op::SpinWait { class, irq, index },
            Want::Sem { class, write, index } => Op::DownWait { class, write, index },
            Want::Page { page } => Op::WaitPage { page },
        }
    }

    // Least result of the operation that means it worked: trying the page lock is the only one that can fail.
    #[inline(always)]
    const fn success(self) -> u32 {
        matches!(self, Want::Page { .. }) as u32
    }
}

/// What a step returns to kernel code.
pub trait Ret {
    /// From the result of the operation.
    fn from_ret(ret: u32) -> Self;
}

impl Ret for () {
    #[inline(always)]
    fn from_ret(_: u32) {}
}

impl Ret for bool {
    #[inline(always)]
    fn from_ret(ret: u32) -> bool {
        ret != 0
    }
}

impl Ret for u32 {
    #[inline(always)]
    fn from_ret(ret: u32) -> u32 {
        ret
    }
}

/// One micro-operation to await.
#[must_use = "a step happens when it is awaited"]
pub struct Step<'a, T> {
    cpu: &'a Cpu,
    op: Op,
    site: &'static Location<'static>,
    ret: u32,
    done: bool,
    marker: PhantomData<fn() -> T>,
}

impl<T: Ret> Future for Step<'_, T> {
    type Output = T;

    #[inline(always)]
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<T> {
        if self.done {
            return Poll::Ready(T::from_ret(self.ret));
        }
        self.ret = self.cpu.record(self.op, self.site);
        self.done = true;
        Poll::Pending
    }
}

/// A lock to await.
#[must_use = "a lock is taken when it is awaited"]
pub struct LockStep<'a> {
    cpu: &'a Cpu,
    want: Want,
    site: &'static Location<'static>,
    done: bool,
    /// The last try of the page lock failed: the next thing to do is to queue.
    failed: bool,
}

impl Future for LockStep<'_> {
    type Output = ();

    #[inline(always)]
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.done {
            return Poll::Ready(());
        }
        self.advance()
    }
}

impl LockStep<'_> {
    #[cold]
    #[inline(never)]
    fn advance(&mut self) -> Poll<()> {
        let cpu = self.cpu;
        let op = if !self.failed && cpu.can_take(self.want) { self.want.take() } else { self.want.wait() };
        let took = op == self.want.take();
        let ret = if cpu.shared.bulk.get() { cpu.apply(op) } else { cpu.record(op, self.site) };
        self.done = took && ret >= self.want.success();
        self.failed = took && !self.done;
        if self.done && cpu.shared.bulk.get() { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// Gives control back once: where a bulk run may pause.
pub(crate) struct Pause(pub bool);

impl Future for Pause {
    type Output = ();

    #[inline(always)]
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if core::mem::replace(&mut self.0, false) { Poll::Pending } else { Poll::Ready(()) }
    }
}
