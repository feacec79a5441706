//! Modelled kernel functions, and the milestones that variants have in common.

/// A modelled kernel function, made by `#[kernel]`.
#[derive(Debug, PartialEq, Eq)]
pub struct Func {
    /// Kernel name.
    pub name: &'static str,
    /// Kernel file: "mm/swap.c".
    pub file: &'static str,
    /// Kernel version that it follows first.
    pub version: &'static str,
    /// Rust file that models it.
    pub source: &'static str,
    /// Line of its attribute there.
    pub line: u32,
}

/// Points that every variant of a scenario passes, in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Milestone {
    /// The system call was entered.
    SyscallEnter,
    /// The range loop is at the page with this index in the range.
    LoopAt(u32),
    /// The range has been walked and what was pending is done.
    RangeDone,
    /// The system call returned.
    SyscallExit,
    /// The workload makes its call with this number, from 0.
    Call(u32),
    /// So many page tables have been unmapped in the whole run.
    Zapped(u32),
}
