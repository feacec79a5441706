//! What a recorded run weighs, computed: equal on every machine with pointers of one size.

use super::timeline::Timeline;

/// Bytes of what a recorded run keeps for its steps. Copies of memory come on top: the first one, the present one and
/// one for each 65,536 steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weight {
    /// Steps.
    pub records: usize,
    /// Function calls.
    pub frames: usize,
    /// Milestones.
    pub marks: usize,
    /// Choices of the next CPU.
    pub choices: usize,
    /// What was derived from all this: holds, lines, biographies.
    pub index: usize,
}

impl Weight {
    /// All of it.
    pub fn sum(&self) -> usize {
        self.records + self.frames + self.marks + self.choices + self.index
    }
}

impl Timeline {
    /// What the run weighs, but for copies of memory.
    pub fn weight(&self) -> Weight {
        Weight {
            records: size_of_val(self.records()),
            frames: self.frames().bytes(),
            marks: size_of_val(self.marks()),
            choices: size_of_val(self.choices()) + self.decided_bytes(),
            index: self.index().bytes(),
        }
    }
}
