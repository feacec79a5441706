//! The handle through which kernel code acts: one primitive, one micro-operation.

use alloc::rc::Rc;
use core::cell::{Cell, Ref, RefCell, RefMut};
use core::future::Future;
use core::marker::PhantomData;
use core::panic::Location;
use core::pin::Pin;
use core::task::{Context, Poll};

use super::direct::Direct;
use super::func::{Func, Milestone};
use super::record::Recorder;
use crate::cost::Meter;
use crate::kernel::{Config, Patch};
use crate::machine::{LockClass, LockId, Machine, Page, PageFlag, Pfn, TaskRun};
use crate::op::{Op, World};

/// What all tasks of a run share.
pub(crate) struct Shared {
    pub config: Config,
    /// The world, in the hands of direct code.
    pub direct: RefCell<Direct>,
    pub recorder: RefCell<Recorder>,
    /// Only the ledger is kept, and operations complete at once unless `stepwise`.
    pub bulk: Cell<bool>,
    /// A bulk run whose schedule decides after each operation who goes next.
    pub stepwise: Cell<bool>,
    /// The operation that a stepwise run made last.
    pub made: Cell<Option<Op>>,
    /// A bulk run with one task left: nobody else can hold or want anything.
    pub alone: Cell<bool>,
    /// The task that is behind goes first: between two ticks of a task nobody else runs.
    pub timed: Cell<bool>,
    /// Kernel functions take their direct form now.
    pub directly: Cell<bool>,
    /// A bulk run gives control back at the first cond_resched after this many operations.
    pub pause_at: Cell<u64>,
    /// The function whose calls are counted; none counts everything.
    pub measured: Cell<Option<&'static str>>,
    /// A bit for each task that is inside the measured function.
    pub counting: Cell<[u64; 4]>,
    /// Clocks of a run whose time is modelled while it goes on.
    pub meter: RefCell<Option<Meter>>,
    /// There is a meter.
    pub metered: Cell<bool>,
    /// When the next CPU in line would go, in a timed bulk run: until then the running one goes on by itself.
    pub next_up: Cell<Option<(u64, u8)>>,
}

impl Shared {
    /// A task comes into, or out of, the section that the ledger counts.
    #[cold]
    fn count(&self, task: u8, counted: bool) {
        let mut tasks = self.counting.get();
        let word = &mut tasks[usize::from(task / 64)];
        *word = *word & !(1 << (task % 64)) | u64::from(counted) << (task % 64);
        self.counting.set(tasks);
        self.lend(task);
    }

    #[inline(always)]
    fn counts(&self, task: u8) -> bool {
        self.counting.get()[usize::from(task / 64)] >> (task % 64) & 1 != 0
    }

    /// Hands the world to the task that runs next. The function that is measured has to be entered as a coroutine, which
    /// switches the counting on.
    pub fn lend(&self, task: u8) {
        let counted = self.counts(task);
        let undisturbed = (self.alone.get() || self.timed.get() && self.bulk.get()) && !self.metered.get();
        self.directly.set(undisturbed && (counted || self.measured.get().is_none()));
        self.direct.borrow_mut().enter(task, counted);
    }

    #[inline(always)]
    pub fn world(&self) -> Ref<'_, World> {
        Ref::map(self.direct.borrow(), |direct| &direct.world)
    }

    #[inline(always)]
    pub fn world_mut(&self) -> RefMut<'_, World> {
        RefMut::map(self.direct.borrow_mut(), |direct| &mut direct.world)
    }
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
        Ref::map(self.shared.world(), |world| &world.machine)
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

    /// What the task does from here on is in the ledger, or not; in runs that count no single function.
    pub(crate) fn count(&self, counted: bool) {
        if self.shared.measured.get().is_none() {
            self.shared.count(self.task, counted);
        }
    }

    #[inline(always)]
    pub(crate) fn enter(&self, func: &'static Func, site: &'static Location<'static>) -> FrameGuard<'_> {
        let measured = self.shared.measured.get().is_some_and(|name| name == func.name);
        if measured {
            self.shared.count(self.task, true);
        }
        if !self.shared.bulk.get() {
            self.enter_frame(func, site);
        }
        if self.shared.metered.get() {
            self.meter_call(func);
        }
        FrameGuard { cpu: self, measured }
    }

    #[inline(never)]
    fn enter_frame(&self, func: &'static Func, site: &'static Location<'static>) {
        self.shared.recorder.borrow_mut().enter(self.task, func, site);
    }

    #[inline(never)]
    fn meter_call(&self, func: &'static Func) {
        if let Some(meter) = &mut *self.shared.meter.borrow_mut() {
            meter.enter(self.task, func.name);
        }
    }

    #[inline(never)]
    fn leave_frame(&self) {
        self.shared.recorder.borrow_mut().leave(self.task);
    }

    /// The handle of direct code, where kernel functions take their direct form: nothing in them has to wait for
    /// somebody else, and the function that is measured is not among them.
    #[inline(always)]
    pub(crate) fn direct(&self) -> Option<RefMut<'_, Direct>> {
        (cfg!(feature = "direct") && self.shared.directly.get()).then(|| self.shared.direct.borrow_mut())
    }

    #[inline(always)]
    fn counted(&self) -> bool {
        self.shared.counts(self.task)
    }

    /// Makes one operation, and says whether the task goes on at once.
    #[inline(never)]
    fn make(&self, op: Op, site: &'static Location<'static>) -> (u32, bool) {
        if self.shared.metered.get() {
            return self.make_metered(op, site);
        }
        let mut world = self.shared.world_mut();
        if self.shared.bulk.get() {
            let ret = world.apply(self.task, op, self.counted()).ret;
            let stepwise = self.shared.stepwise.get();
            if stepwise {
                self.shared.made.set(Some(op));
            }
            return (ret, !stepwise && !op.sleeps(ret));
        }
        let mut recorder = self.shared.recorder.borrow_mut();
        (recorder.step(&mut world, self.task, op, site, self.counted()).ret, false)
    }

    /// The same with the meter running.
    #[inline(never)]
    fn make_metered(&self, op: Op, site: &'static Location<'static>) -> (u32, bool) {
        let mut meter = self.shared.meter.borrow_mut();
        let mut world = self.shared.world_mut();
        let before = meter.as_ref().map(|meter| meter.before(&world.machine, self.task, op));
        let bulk = self.shared.bulk.get();
        let outcome = if bulk {
            world.apply(self.task, op, self.counted())
        } else {
            self.shared.recorder.borrow_mut().step(&mut world, self.task, op, site, self.counted())
        };
        let mut first = false;
        if let (Some(meter), Some(before)) = (&mut *meter, before) {
            let end = meter.charge(&world.machine, self.task, op, outcome, before).end;
            let cpu = world.machine.tasks[self.task as usize].cpu;
            first = self.shared.next_up.get().is_some_and(|next| (end, cpu) < next) && Meter::is_private(op, outcome);
        }
        let stepwise = self.shared.stepwise.get();
        if bulk && stepwise {
            self.shared.made.set(Some(op));
        }
        // Nothing depends on where a run by the meter pauses: the same task goes on.
        let over = world.clock >= self.shared.pause_at.get();
        (outcome.ret, bulk && !over && !op.sleeps(outcome.ret) && (!stepwise || first))
    }

    /// Makes one operation a step.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn step<T: Ret>(&self, op: Op) -> Step<'_, T> {
        Step { cpu: self, op, site: Location::caller(), ret: None, marker: PhantomData }
    }

    /// Gives control back if this is a bulk run whose budget is used up.
    #[inline(always)]
    pub(crate) fn pause_point(&self) -> Pause {
        let shared = &self.shared;
        if !shared.bulk.get() || shared.stepwise.get() {
            return Pause(false);
        }
        let world = shared.world();
        let over = world.clock >= shared.pause_at.get();
        Pause(over || shared.timed.get() && !is_behind(&world.machine, self.task))
    }

    /// Lets the other CPUs of a bulk run go on; a recorded run does so at each step.
    pub(crate) fn let_others_run(&self) -> Pause {
        Pause(self.shared.bulk.get() && !self.shared.stepwise.get())
    }

    /// The CPU that the task moves to at this cond_resched, if any.
    pub(crate) fn migration(&self) -> Option<u8> {
        self.shared.direct.borrow_mut().migration_of(self.task)
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
        LockStep { cpu: self, want, site: Location::caller(), done: false, failed: false }
    }

    // The bit of the page lock must be tried: only trying tells.
    fn can_take(&self, want: Want) -> bool {
        let tries = matches!(want, Want::Page { .. }) && (!self.shared.bulk.get() || self.shared.stepwise.get());
        tries || want.is_open(&self.shared.world().machine, self.task)
    }
}

impl Drop for FrameGuard<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        let shared = &self.cpu.shared;
        if self.measured {
            shared.count(self.cpu.task, false);
        }
        if !shared.bulk.get() {
            self.cpu.leave_frame();
        }
    }
}

// The task is the one that the clocks let go on. One that sleeps begins at its waker's time.
fn is_behind(machine: &Machine, task: u8) -> bool {
    let at = |task: u8| (machine.clock_of(task), machine.tasks[task as usize].cpu);
    let own = at(task);
    let rests = |task: u8| matches!(machine.tasks[task as usize].run, TaskRun::Done | TaskRun::Sleeps);
    (0..machine.tasks.len() as u8).all(|other| other == task || rests(other) || own <= at(other))
}

/// A lock to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    Spin { class: LockClass, irq: bool, index: u32 },
    Sem { class: LockClass, write: bool, index: u32 },
    Page { page: Pfn },
}

impl Want {
    /// The task would get it at once.
    #[inline(always)]
    pub fn is_open(self, machine: &Machine, task: u8) -> bool {
        match self {
            Want::Spin { class, index, .. } | Want::Sem { class, write: true, index } => {
                machine.lock(LockId { class, index }).open_to(task)
            }
            Want::Sem { class, write: false, index } => machine.lock(LockId { class, index }).open_to_reader(task),
            Want::Page { page } => !machine.page(page).has(PageFlag::Locked),
        }
    }

    #[inline(always)]
    pub fn take(self) -> Op {
        match self {
            Want::Spin { class, irq, index } => Op::SpinLock { class, irq, index },
            Want::Sem { class, write, index } => Op::Down { class, write, index },
            Want::Page { page } => Op::TryLockPage { page },
        }
    }

    pub fn wait(self) -> Op {
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
    /// The result, once it has been made.
    ret: Option<u32>,
    marker: PhantomData<fn() -> T>,
}

impl<T: Ret> Future for Step<'_, T> {
    type Output = T;

    #[inline(always)]
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<T> {
        self.advance().map(T::from_ret)
    }
}

impl<T> Step<'_, T> {
    fn advance(&mut self) -> Poll<u32> {
        if let Some(ret) = self.ret {
            return Poll::Ready(ret);
        }
        let (ret, goes_on) = self.cpu.make(self.op, self.site);
        self.ret = Some(ret);
        if goes_on { Poll::Ready(ret) } else { Poll::Pending }
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
        self.advance()
    }
}

impl LockStep<'_> {
    #[inline(never)]
    fn advance(&mut self) -> Poll<()> {
        if self.done {
            return Poll::Ready(());
        }
        let cpu = self.cpu;
        let takes = !self.failed && cpu.can_take(self.want);
        let (ret, goes_on) = cpu.make(if takes { self.want.take() } else { self.want.wait() }, self.site);
        self.done = takes && ret >= self.want.success();
        self.failed = takes && !self.done;
        if self.done && goes_on { Poll::Ready(()) } else { Poll::Pending }
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
