//! The code under study: Linux memory management as `async fn`s that read like the functions they follow.
//!
//! One file for each `mm/*.c`. Calls, branches and loops come in the kernel's order, one primitive for each
//! micro-operation. A branch that depends on a patch asks `cpu.has(Patch::..)`; the code panel dims the side that a
//! variant does not have. Each function says which kernel file and version it follows, and where it departs.

pub mod alloc_2015;
mod api;
mod api_swap;
mod config;
pub mod huge_memory;
pub mod madvise;
pub mod madvise_today;
pub mod memory;
pub mod memory_swap;
pub mod mlock;
pub mod mlock_batch;
pub mod mlock_pagevec;
pub mod mm_inline;
pub mod page_io;
pub mod program;
pub mod rmap;
pub mod rmap_2015;
pub mod source;
pub mod swap;
pub mod swap_lazy;
pub mod swap_state;
pub mod swapfile;
pub mod truncate;
pub mod vmscan;
pub mod vmscan_anon;
pub mod vmscan_page;

pub use config::{Config, Patch};
