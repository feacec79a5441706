//! Runs tasks to their end, recorded or in bulk.

use alloc::boxed::Box;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};

use super::check::{Checker, Violation};
use super::cpu::{Cpu, Migration, Shared};
use super::decisions::{Decisions, Ready};
use super::direct::Direct;
use super::record::Recorder;
use super::schedule::{Chooser, Schedule};
use super::timeline::Timeline;
use crate::cost::{Costs, Meter, Totals};
use crate::kernel::Config;
use crate::machine::{LockClass, Machine, TaskRun};
use crate::op::{Op, World};

/// Most steps that a recorded run may have.
pub const MAX_STEPS: usize = 4_000_000;

/// A run that cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineError {
    /// A choice names a CPU that cannot go on at that decision.
    Choice {
        /// Number of the decision, from 1.
        decision: usize,
        /// CPU that was named.
        cpu: u8,
        /// CPUs that could go on.
        runnable: Vec<u8>,
    },
    /// There are more choices than decisions.
    LeftOver {
        /// Choices that were given.
        given: usize,
        /// Decisions that there were.
        decisions: usize,
    },
    /// The recorded run is longer than [`MAX_STEPS`].
    TooLong,
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineError::Choice { decision, cpu, runnable } => {
                let cpus: Vec<String> = runnable.iter().map(|cpu| format!("{cpu}")).collect();
                write!(
                    f,
                    "choices: decision {decision} is CPU {cpu}, which cannot run there; expected one of {}",
                    cpus.join(", ")
                )
            }
            EngineError::LeftOver { given, decisions } => {
                write!(
                    f,
                    "choices: {given} given, but the run makes only {decisions} decisions; expected {decisions} or fewer"
                )
            }
            EngineError::TooLong => {
                write!(f, "the run has more than {MAX_STEPS} steps; expected fewer pages, or a bulk run")
            }
        }
    }
}

impl core::error::Error for EngineError {}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every task has finished.
    Finished,
    /// The budget is used up; there is more to do.
    Paused,
    /// A rule was broken: see [`Engine::violation`].
    Broken,
}

struct Task {
    future: Option<Pin<Box<dyn Future<Output = ()>>>>,
}

/// What a measured run starts with.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// Who goes next.
    pub schedule: Schedule,
    /// Function whose calls the ledger counts; none counts everything.
    pub measured: Option<&'static str>,
    /// Tasks that move to another CPU.
    pub migrations: Vec<Migration>,
    /// Rules to check after every step.
    pub checker: Option<Checker>,
    /// Costs by which the run keeps time while it goes on.
    pub costs: Option<Rc<Costs>>,
}

/// A machine with the tasks that run on it.
pub struct Engine {
    shared: Rc<Shared>,
    tasks: Vec<Task>,
    /// Task that each CPU is at.
    current: Vec<Option<u8>>,
    /// CPUs that can go on, as found last.
    runnable: Vec<u8>,
    chooser: Chooser,
    choices: Vec<u8>,
    decisions: usize,
    /// Where each decision of a recorded run was, and among whom.
    decided: Decisions,
    /// The CPU that goes next if it can, whatever the schedule says.
    by_hand: Option<u8>,
    violation: Option<Violation>,
    start: Option<World>,
}

impl Engine {
    /// An engine in bulk mode, which is how memory is set up.
    pub fn new(config: Config, machine: Machine) -> Engine {
        let cpus = machine.cpus.len();
        let shared = Shared {
            config,
            direct: RefCell::new(Direct::new(config, machine)),
            recorder: RefCell::default(),
            bulk: Cell::new(true),
            stepwise: Cell::new(false),
            made: Cell::new(None),
            alone: Cell::new(false),
            timed: Cell::new(false),
            directly: Cell::new(false),
            pause_at: Cell::new(u64::MAX),
            measured: Cell::new(None),
            counting: Cell::new([0; 4]),
            meter: RefCell::default(),
            metered: Cell::new(false),
            next_up: Cell::new(None),
        };
        Engine {
            shared: Rc::new(shared),
            tasks: Vec::new(),
            current: alloc::vec![None; cpus],
            runnable: Vec::new(),
            chooser: Chooser::new(Schedule::Turns),
            choices: Vec::new(),
            decisions: 0,
            decided: Decisions::default(),
            by_hand: None,
            violation: None,
            start: None,
        }
    }

    /// The kernel that runs.
    pub fn config(&self) -> Config {
        self.shared.config
    }

    /// Who goes next.
    pub fn schedule(&self) -> &Schedule {
        self.chooser.schedule()
    }

    /// The world as it is now.
    pub fn world(&self) -> core::cell::Ref<'_, World> {
        self.shared.world()
    }

    /// Changes what no task does: address spaces and mappings of the set-up.
    pub fn machine_mut(&mut self) -> core::cell::RefMut<'_, Machine> {
        core::cell::RefMut::map(self.shared.world_mut(), |world| &mut world.machine)
    }

    /// Starts a task on a CPU; the name says what it does ("munlock").
    pub fn spawn<F, Fut>(&mut self, name: &'static str, cpu: u8, task: F) -> u8
    where
        F: FnOnce(Cpu) -> Fut,
        Fut: Future<Output = ()> + 'static,
    {
        let id = self.machine_mut().add_task(cpu);
        self.shared.recorder.borrow_mut().add_task(name);
        let handle = Cpu { shared: self.shared.clone(), task: id };
        self.tasks.push(Task { future: Some(Box::pin(task(handle))) });
        id
    }

    /// Starts a thread of the kernel that serves others: the run ends while it sleeps.
    pub fn spawn_daemon<F, Fut>(&mut self, name: &'static str, cpu: u8, task: F) -> u8
    where
        F: FnOnce(Cpu) -> Fut,
        Fut: Future<Output = ()> + 'static,
    {
        let id = self.spawn(name, cpu, task);
        self.machine_mut().tasks[id as usize].daemon = true;
        id
    }

    /// Ends the set-up: what ran so far is forgotten, the counters start at zero, and what is spawned from here on is
    /// the run, recorded or in bulk.
    pub fn begin(&mut self, setup: Setup, bulk: bool) {
        self.tasks.clear();
        self.current.fill(None);
        let mut world = self.shared.world_mut();
        world.machine.tasks.clear();
        world.machine.stacks.clear();
        world.ledger = Default::default();
        world.clock = 0;
        *self.shared.recorder.borrow_mut() = Recorder { checker: setup.checker, ..Recorder::default() };
        drop(world);
        self.shared.direct.borrow_mut().migrations = setup.migrations;
        self.shared.bulk.set(bulk);
        self.shared.alone.set(false);
        self.shared.directly.set(false);
        self.shared.measured.set(setup.measured);
        self.shared.counting.set([if setup.measured.is_some() { 0 } else { u64::MAX }; 4]);
        self.shared.timed.set(setup.schedule == Schedule::Timed);
        self.chooser = Chooser::new(setup.schedule);
        let meter = setup.costs.map(|costs| Meter::new(costs, self.current.len()));
        self.shared.metered.set(meter.is_some());
        self.shared.meter.replace(meter);
    }

    /// Lets a CPU go on until it has made one operation, whatever the schedule says. False where it cannot; then nothing
    /// has happened, but that it may have found that it has to wait.
    ///
    /// # Errors
    ///
    /// See [`EngineError`].
    pub fn step_of(&mut self, cpu: u8) -> Result<bool, EngineError> {
        self.remember_start();
        let clock = self.shared.world().clock;
        while self.violation.is_none() && self.can_go_on(cpu) {
            self.by_hand = Some(cpu);
            let next = self.next_cpu();
            self.by_hand = None;
            let Some(next) = next? else { return Ok(false) };
            self.poll(next);
            if self.shared.recorder.borrow().is_full() {
                return Err(EngineError::TooLong);
            }
            if self.shared.world().clock > clock {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn can_go_on(&mut self, cpu: u8) -> bool {
        let mut runnable = core::mem::take(&mut self.runnable);
        self.find_runnable(&mut runnable);
        let can = runnable.contains(&cpu);
        self.runnable = runnable;
        can
    }

    fn remember_start(&mut self) {
        if self.start.is_none() && !self.shared.bulk.get() {
            self.start = Some(self.shared.world().clone());
        }
    }

    /// Choices that were made so far in a recorded run.
    pub fn choices(&self) -> &[u8] {
        &self.choices
    }

    /// The operation that a recorded run made last, and its CPU.
    pub fn last_made(&self) -> Option<(u8, Op)> {
        self.shared.recorder.borrow().records.last().map(|record| (record.cpu, record.op))
    }

    /// Modelled time so far, of a run that keeps time.
    pub fn modelled(&self) -> Option<Totals> {
        self.shared.meter.borrow().as_ref().map(|meter| meter.totals().clone())
    }

    /// What broke, if anything did.
    pub fn violation(&self) -> Option<&Violation> {
        self.violation.as_ref()
    }

    /// Runs until every task has finished or a rule is broken.
    ///
    /// # Errors
    ///
    /// See [`EngineError`].
    pub fn run(&mut self) -> Result<Outcome, EngineError> {
        self.advance(u64::MAX)
    }

    /// Runs about `budget` operations; a bulk run pauses only where the kernel could reschedule.
    ///
    /// # Errors
    ///
    /// See [`EngineError`].
    pub fn advance(&mut self, budget: u64) -> Result<Outcome, EngineError> {
        self.remember_start();
        let clock = self.shared.world().clock;
        self.shared.pause_at.set(clock.saturating_add(budget));
        loop {
            if self.violation.is_some() {
                return Ok(Outcome::Broken);
            }
            let Some(cpu) = self.next_cpu()? else { return self.ended() };
            self.poll(cpu);
            if !self.shared.bulk.get() && self.shared.recorder.borrow().is_full() {
                return Err(EngineError::TooLong);
            }
            if self.shared.world().clock >= self.shared.pause_at.get() {
                return Ok(Outcome::Paused);
            }
        }
    }

    fn ended(&mut self) -> Result<Outcome, EngineError> {
        let left = self.chooser.left_over();
        if left > 0 {
            return Err(EngineError::LeftOver { given: self.decisions + left, decisions: self.decisions });
        }
        let waiting = self.waiting();
        if !waiting.is_empty() {
            self.broke("deadlock", waiting.join("; "));
            return Ok(Outcome::Broken);
        }
        let recorder = self.shared.recorder.borrow();
        let rest = recorder.checker.as_ref().map_or(Ok(()), |checker| checker.at_rest(&self.shared.world().machine));
        let step = recorder.records.len() as u32;
        drop(recorder);
        let Err(violation) = rest else { return Ok(Outcome::Finished) };
        self.violation.get_or_insert(violation.at(step));
        Ok(Outcome::Broken)
    }

    fn next_cpu(&mut self) -> Result<Option<u8>, EngineError> {
        let mut runnable = core::mem::take(&mut self.runnable);
        self.find_runnable(&mut runnable);
        let cpu = self.choose(&runnable);
        self.runnable = runnable;
        cpu
    }

    // CPUs whose task can go on, in ascending order.
    fn find_runnable(&mut self, runnable: &mut Vec<u8>) {
        let world = self.shared.world();
        let machine = &world.machine;
        runnable.clear();
        let mut idle = false;
        for (cpu, current) in (0..).zip(&mut self.current) {
            if !current.is_some_and(|task| keeps_cpu(machine, task, cpu)) {
                *current = None;
                idle = true;
            }
        }
        if idle {
            Engine::fill_idle(&mut self.current, machine);
        }
        let at_work = (0..).zip(&self.current).filter(|(_, task)| task.is_some_and(|task| can_run(machine, task)));
        runnable.extend(at_work.map(|(cpu, _)| cpu));
    }

    // Each idle CPU gets its first task that has work, in one pass over all of them.
    fn fill_idle(current: &mut [Option<u8>], machine: &Machine) {
        for task in 0..machine.tasks.len() as u8 {
            let cpu = machine.tasks[task as usize].cpu;
            if let Some(current @ None) = current.get_mut(cpu as usize)
                && keeps_cpu(machine, task, cpu)
            {
                *current = Some(task);
            }
        }
    }

    fn choose(&mut self, runnable: &[u8]) -> Result<Option<u8>, EngineError> {
        self.chooser.prune(runnable);
        match runnable {
            [] => Ok(None),
            [cpu] => Ok(Some(*cpu)),
            _ => {
                let ordered = self.by_clock(runnable);
                let offered = ordered.as_ref().map_or(runnable, |first| first);
                let cpu = match self.by_hand.take().filter(|cpu| runnable.contains(cpu)) {
                    Some(cpu) => {
                        self.chooser.overruled(offered, cpu);
                        cpu
                    }
                    None => self.chooser.choose(offered).map_err(|misfit| EngineError::Choice {
                        decision: misfit.index + 1,
                        cpu: misfit.cpu,
                        runnable: runnable.to_vec(),
                    })?,
                };
                self.decisions += 1;
                if !self.shared.bulk.get() {
                    self.choices.push(cpu);
                    let step = self.shared.world().clock as u32;
                    let ready = runnable.iter().filter_map(|&cpu| {
                        Some(Ready { cpu, task: self.current.get(usize::from(cpu)).copied().flatten()? })
                    });
                    self.decided.add(step, ready);
                }
                Ok(Some(cpu))
            }
        }
    }

    // In a timed run: the CPU whose task is behind all others.
    fn by_clock(&self, runnable: &[u8]) -> Option<[u8; 1]> {
        if !self.shared.timed.get() && !self.chooser.goes_by_clock() {
            return None;
        }
        let world = self.shared.world();
        let meter = self.shared.meter.borrow();
        let meter = meter.as_ref().filter(|_| world.machine.swap.is_none());
        let clock = |cpu: u8| {
            let Some(task) = self.current[cpu as usize] else { return 0 };
            meter.map_or_else(|| world.machine.clock_of(task), |meter| meter.ready(&world.machine, task))
        };
        let first = runnable.iter().map(|&cpu| (clock(cpu), cpu)).min()?;
        let rest = runnable.iter().filter(|&&cpu| cpu != first.1).map(|&cpu| (clock(cpu), cpu)).min();
        self.shared.next_up.set(rest.filter(|_| meter.is_some()));
        Some([first.1])
    }

    fn poll(&mut self, cpu: u8) {
        let Some(id) = self.current[cpu as usize] else { return };
        let before = self.shared.recorder.borrow().records.len();
        if self.shared.bulk.get() {
            let alone = self.tasks.iter().filter(|task| task.future.is_some()).count() == 1;
            self.shared.alone.set(alone);
            let whole_turns = matches!(self.chooser.schedule(), Schedule::Turns | Schedule::Timed);
            self.shared.stepwise.set(!alone && (!whole_turns || self.shared.metered.get()));
            self.shared.lend(id);
        }
        let task = &mut self.tasks[id as usize];
        let Some(future) = &mut task.future else { return };
        if let Poll::Ready(()) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            task.future = None;
            let handle = Cpu { shared: self.shared.clone(), task: id };
            handle.exit();
        }
        let mut recorder = self.shared.recorder.borrow_mut();
        let made = recorder.records.get(before).map(|record| record.op).or_else(|| self.shared.made.take());
        self.chooser.stepped(cpu, made);
        self.violation = recorder.violation.take().or_else(|| self.shared.direct.borrow_mut().violation.take());
        drop(recorder);
        self.find_self_deadlock(id);
    }

    fn find_self_deadlock(&mut self, task: u8) {
        let world = self.shared.world();
        let TaskRun::Waits(lock) = world.machine.tasks[task as usize].run else { return };
        let cpu = world.machine.tasks[task as usize].cpu;
        let Some(holder) = world.machine.holder(lock) else { return };
        if lock.class.sleeps() || world.machine.tasks[holder as usize].cpu != cpu {
            return;
        }
        drop(world);
        let detail =
            format!("CPU {cpu} spins for {} {}, which it holds itself: it never ends", lock.class.words(), lock.index);
        self.broke("deadlock", detail);
    }

    fn waiting(&self) -> Vec<String> {
        let world = self.shared.world();
        let tasks = world.machine.tasks.iter();
        let asleep = tasks.clone().filter(|task| task.run == TaskRun::Sleeps && !task.daemon);
        let asleep = asleep.map(|task| format!("the task of CPU {} sleeps and nobody wakes it", task.cpu));
        let waits = tasks.filter_map(|task| match task.run {
            TaskRun::Waits(lock) => Some((task.cpu, lock)),
            _ => None,
        });
        waits
            .map(|(cpu, lock)| match world.machine.holder(lock) {
                Some(holder) => format!(
                    "CPU {cpu} waits for {} {}, held on CPU {}",
                    lock.class.words(),
                    lock.index,
                    world.machine.tasks[holder as usize].cpu
                ),
                None => format!("CPU {cpu} waits for {} {}", lock.class.words(), lock.index),
            })
            .chain(asleep)
            .collect()
    }

    fn broke(&mut self, rule: &'static str, detail: String) {
        let step = self.shared.world().clock as u32;
        self.violation.get_or_insert(Violation { step, rule, detail });
    }

    /// The recorded run, with everything that can be asked of it.
    pub fn into_timeline(mut self) -> Timeline {
        // Frames that a stopped run left open end where it stopped.
        self.tasks.clear();
        let recorder = core::mem::take(&mut *self.shared.recorder.borrow_mut());
        let world = self.shared.world().clone();
        let start = self.start.take().unwrap_or_else(|| world.clone());
        Timeline::new(self.shared.config, start, world, recorder, self.choices, self.violation)
            .with_decisions(self.decided)
    }
}

// A task that spins keeps its CPU; one that sleeps or has gone elsewhere does not.
fn keeps_cpu(machine: &Machine, task: u8, cpu: u8) -> bool {
    let state = &machine.tasks[task as usize];
    let at_work = match state.run {
        TaskRun::Runnable => true,
        TaskRun::Waits(lock) => !lock.class.sleeps() || can_run(machine, task),
        TaskRun::Sleeps | TaskRun::Done => false,
    };
    state.cpu == cpu && at_work
}

fn can_run(machine: &Machine, task: u8) -> bool {
    match machine.tasks[task as usize].run {
        TaskRun::Runnable => true,
        // The waker makes the waiter of a page lock runnable.
        TaskRun::Waits(lock) => lock.class != LockClass::Page && machine.lock(lock).open_to(task),
        TaskRun::Sleeps | TaskRun::Done => false,
    }
}

impl Cpu {
    #[track_caller]
    fn exit(&self) {
        let step = self.step::<()>(Op::Exit);
        let mut step = core::pin::pin!(step);
        let _ = step.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    }
}
