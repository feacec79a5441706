//! What was claimed of each series: every claim of every variant, with what is expected and found, and a wrong run for
//! each that breaks it.

mod lru_drain;
mod madvise_free;
mod munlock;
mod pcp_free;
mod rmap_unmap;
mod table;
