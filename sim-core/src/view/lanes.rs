//! What the timeline shows: spans along the steps of a run.

use alloc::string::String;
use alloc::vec::Vec;

/// The lanes of one side. Steps are step counts, `0..=steps`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lanes {
    /// Steps of the run.
    pub steps: u32,
    /// Rule that was broken where the run stopped before its end.
    pub stopped: Option<&'static str>,
    /// Blocks by milestone: where the loop is at each page, or each batch of pages.
    pub blocks: Vec<Block>,
    /// Spans of functions, by kind.
    pub functions: Vec<FunctionSpan>,
    /// Name of the lock that the picture is about.
    pub lock: &'static str,
    /// Its holds, any index.
    pub holds: Vec<Span>,
    /// Holds of page locks.
    pub page_lock: Vec<Span>,
    /// Holds of page-table locks.
    pub ptl: Vec<Span>,
    /// Times when a CPU waited for a lock.
    pub waits: Vec<Span>,
    /// Times when a kworker ran a drain work, by CPU.
    pub works: Vec<Span>,
    /// Times when a caller slept for another CPU's drain.
    pub sleeps: Vec<Span>,
}

/// A span of steps on a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// CPU.
    pub cpu: u8,
    /// First step count.
    pub start: u32,
    /// Last step count.
    pub end: u32,
}

/// Steps that belong to one page of the loop, or to one batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Span.
    pub span: Span,
    /// First and last page index in it.
    pub pages: (u32, u32),
    /// Phases within a batch, with their names: "pin", "isolate", "munlock", "put".
    pub phases: Vec<(String, u32, u32)>,
}

/// Steps of one kind of function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionSpan {
    /// Span.
    pub span: Span,
    /// Innermost function of a top-level call: the one right below the range loop.
    pub name: &'static str,
    /// Kind, for its shade.
    pub kind: FunctionKind,
}

/// Shades of the function lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// Draining pagevecs.
    Drain,
    /// Isolating pages.
    Isolate,
    /// Putting pages back.
    Putback,
    /// Walking page tables and pinning.
    Walk,
    /// Everything else.
    Other,
}
