//! CPUs and tasks.

/// State of a CPU that code can change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuState {
    /// Interrupts are disabled.
    pub irqs_off: bool,
    /// preempt_count of explicit get_cpu/put_cpu sections.
    pub preempt: u8,
}

/// What a task does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskRun {
    /// Runs, or waits for its turn on its CPU.
    Runnable,
    /// Spins or sleeps for a lock.
    Waits(super::LockId),
    /// Sleeps until somebody wakes it.
    Sleeps,
    /// Has finished.
    Done,
}

/// A task: one thread of kernel code, on one CPU at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskState {
    /// CPU that it is on.
    pub cpu: u8,
    /// What it does.
    pub run: TaskRun,
    /// Somebody woke it while it was awake: its next sleep ends at once.
    pub woken: bool,
    /// A thread of the kernel that serves others: it may sleep when the run ends.
    pub daemon: bool,
}
