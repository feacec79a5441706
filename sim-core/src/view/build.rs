//! Fills a [`View`] from a timeline at its cursor.

use super::View;
use crate::engine::Timeline;

impl Timeline {
    /// The picture at the cursor.
    pub fn view(&self) -> View {
        View { step: self.cursor() as u32, steps: self.len() as u32, ..View::default() }
    }
}
