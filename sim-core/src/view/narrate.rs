//! One sentence for each step, in plain words.

use alloc::string::String;
use alloc::vec::Vec;

use crate::engine::Timeline;

/// A sentence in pieces; the key words are strong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words(pub Vec<(String, bool)>);

impl Timeline {
    /// What the last step did.
    pub fn sentence(&self) -> Words {
        Words::default()
    }
}
