//! What the author of a series claimed, checked against a run.

use alloc::string::{String, ToString};

/// One claim with what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The claim in one line.
    pub claim: &'static str,
    /// Where it was made, or what makes it so.
    pub source: &'static str,
    /// What must come out.
    pub expected: String,
    /// What came out.
    pub found: String,
    /// They agree.
    pub holds: bool,
    /// The variant is known to break it: a bug of the text as posted.
    pub known: bool,
}

impl Claim {
    /// Two counts that must be equal; `known` where the variant is known to break that.
    pub fn equal(claim: &'static str, source: &'static str, expected: u64, found: u64, known: bool) -> Claim {
        let holds = expected == found;
        Claim { claim, source, expected: expected.to_string(), found: found.to_string(), holds, known: known && !holds }
    }
}
