//! Modelled kernel functions, their frames, and the milestones that variants have in common.

use super::sites::SiteId;

/// No frame: the step was made outside every modelled function, or the call by none.
pub(crate) const NO_FRAME: u32 = u32::MAX;

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

/// One call of a function in a recorded run.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The function.
    pub func: &'static Func,
    pub(crate) parent: u32,
    /// Steps that had been made when it was entered.
    pub start: u32,
    /// Steps that had been made when it returned.
    pub end: u32,
    /// The line that called it.
    pub site: SiteId,
    /// Task that made the call.
    pub task: u8,
}

impl Frame {
    /// Frame of the caller; none for the outermost call of a task.
    pub fn parent(&self) -> Option<u32> {
        (self.parent != NO_FRAME).then_some(self.parent)
    }
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
