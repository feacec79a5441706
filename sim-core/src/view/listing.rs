//! What the code panel shows: lines of the very source that runs.

use alloc::string::String;
use alloc::vec::Vec;

/// The code at one step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Functions from the outermost to the one that made the step.
    pub stack: Vec<&'static str>,
    /// Kernel file and version that the innermost function follows: "mm/mlock.c, 3.11".
    pub follows: String,
    /// Rust file: "mlock.rs".
    pub file: &'static str,
    /// Lines, the running one in the middle where there is room.
    pub lines: Vec<Line>,
}

/// One line of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Number in its file.
    pub number: u32,
    /// Leading blanks, in steps of one level.
    pub indent: u8,
    /// The text without them.
    pub text: &'static str,
    /// Times that it has run so far; none for a line that makes no step.
    pub count: Option<u32>,
    /// How it is drawn.
    pub state: LineState,
    /// A few words at the right: "patch 3 adds", or the file where it differs from [`Listing::file`].
    pub note: Option<String>,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineState {
    /// It made the last step.
    Running,
    /// It called the function that did.
    Call,
    /// It belongs to this variant.
    Plain,
    /// It belongs to this variant and has never run in the whole run.
    Idle,
    /// This variant does not have it.
    Absent,
}
