//! The code under study: Linux memory management as `async fn`s that read like the functions they follow.
//!
//! One file for each `mm/*.c`. Calls, branches and loops come in the kernel's order, one primitive for each
//! micro-operation. A branch that depends on a patch asks `cpu.has(Patch::..)`; the code panel dims the side that a
//! variant does not have. Each function says which kernel file and version it follows, and where it departs.

mod api;
mod config;
pub mod fault;
pub mod huge_memory;
pub mod memory;
pub mod mlock;
pub mod mlock_batch;
pub mod mlock_pagevec;
pub mod mlock_range;
pub mod mm_inline;
pub mod mmap;
pub mod rmap;
pub mod source;
pub mod swap;
pub mod truncate;
pub mod vmscan;

pub use config::{Config, Patch};
