//! Numbers of three bytes: a recorded run has fewer than 2^24 steps and function calls, and refers to them everywhere.

use super::run::MAX_STEPS;

/// A number below 2^24 - 1, or none. It may stand at any address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct U24([u8; 3]);

const _: () = assert!(MAX_STEPS < U24::LIMIT, "step counts fit, that of the step beyond the last allowed one too");

impl U24 {
    pub const NONE: U24 = U24([u8::MAX; 3]);
    /// The first number that it can't hold.
    pub const LIMIT: usize = (1 << 24) - 1;

    /// The number; none where it is too large.
    #[inline]
    pub fn new(number: usize) -> U24 {
        match (number < U24::LIMIT, (number as u32).to_le_bytes()) {
            (true, [a, b, c, _]) => U24([a, b, c]),
            (false, _) => U24::NONE,
        }
    }

    /// The number, if there is one.
    #[inline]
    pub fn get(self) -> Option<u32> {
        let [a, b, c] = self.0;
        (self != U24::NONE).then_some(u32::from_le_bytes([a, b, c, 0]))
    }
}
