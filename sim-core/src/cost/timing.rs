//! When each step of a recorded run happens, in modelled time.

use alloc::vec::Vec;

/// Modelled times of the steps of one recorded run, in picoseconds since its start; the vectors have one entry a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// When the step begins, waiting left out.
    pub begin: Vec<u64>,
    /// When it ends.
    pub end: Vec<u64>,
    /// How long its task had been waiting before it began: for a lock, or asleep.
    pub wait: Vec<u64>,
    /// When the last step ends.
    pub elapsed: u64,
}
