//! Runs that stop because of what they were asked to do: the machine keeps its rules and cannot go on.

use super::Violation;

/// The parameters leave no memory for what the tasks ask for.
pub const OUT_OF_MEMORY: &str = "out of memory";
/// A call of a program comes where it cannot: its process or its VMA is not as it needs it.
pub const CALL_ORDER: &str = "a call comes in its order";
/// A block of a program is allocated while it is.
pub const ALLOCATED_ONCE: &str = "a block is allocated once";
/// A block of a program is freed while it is not allocated.
pub const FREED_ONCE: &str = "a block is freed once";

impl Violation {
    /// The input is at fault, not the kernel: parameters or the calls of a program.
    pub fn by_input(&self) -> bool {
        [OUT_OF_MEMORY, CALL_ORDER, ALLOCATED_ONCE, FREED_ONCE].contains(&self.rule)
    }
}
