//! The code under study: Linux memory management as `async fn`s that read like the functions they follow.
//!
//! One file for each `mm/*.c`. Calls, branches and loops come in the kernel's order, one primitive for each
//! micro-operation. A branch that depends on a patch asks `cpu.has(Patch::..)`; the code panel dims the side that a
//! variant does not have. Each function says which kernel file and version it follows, and where it departs.

pub mod alloc_2015;
mod api;
mod api_alloc;
mod api_swap;
mod config;
pub mod fault;
pub mod huge_memory;
pub mod lru_drain;
pub mod madvise;
pub mod madvise_today;
pub mod memory;
pub mod memory_swap;
pub mod mlock;
pub mod mlock_batch;
pub mod mlock_call;
pub mod mlock_pagevec;
pub mod mlock_range;
pub mod mm_inline;
pub mod mmap;
pub mod mmu_gather;
pub mod page_alloc;
pub mod page_alloc_fallback;
pub mod page_free;
pub mod page_io;
pub mod page_isolation;
pub mod pcp_bulk;
pub mod pcp_orders;
pub mod pcp_today;
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
pub mod workqueue;
mod workqueue_api;

pub mod memcontrol;
pub mod pageout;
mod rmap_api;
pub mod rmap_batch;
pub mod rmap_map;
pub mod rmap_remove;
pub mod rmap_swap;
pub mod rmap_unmap;
pub mod rmap_walk;
pub mod shrink;
pub mod tlb;
pub mod vmscan_anon;
pub mod vmscan_kswapd;
pub mod vmscan_page;

pub use config::{Config, Patch};
