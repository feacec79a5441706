//! Fills [`Lanes`] from a timeline.

use super::Lanes;
use crate::engine::Timeline;

impl Timeline {
    /// The lanes of the whole run.
    pub fn lanes(&self) -> Lanes {
        Lanes { steps: self.len() as u32, ..Lanes::default() }
    }
}
