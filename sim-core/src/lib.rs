//! The core of mmscope: a deterministic, reversible simulation of Linux memory management.
//!
//! One machine, one kernel, patches as data:
//!
//! - [`machine`] is what memory looks like: pages, LRU lists, pagevecs, page tables, counters, locks, CPUs. Plain data.
//! - [`op`] is the one vocabulary of micro-operations. Applying an [`op::Op`] is the only way to change the machine.
//! - [`kernel`] is the code under study, written as `async fn`s that read like the functions they follow.
//! - [`engine`] runs that code step by step on several CPUs, records a timeline, goes back and seeks.
//! - [`ask`] answers: who touched this, and when does that happen next.
//! - [`ledger`] counts every lock and atomic.
//! - [`scenario`] sets memory up, says what each CPU runs, and names the variants.
//! - [`view`] is the plain copy that a picture is drawn from.
//!
//! What is deliberately absent: no web, no files, no clock, no randomness but a seeded generator that is passed in, no
//! hash maps, no floating point in the state. The same run gives the same bytes on every machine.

#![no_std]

extern crate alloc;

mod named;

pub mod ask;
pub mod cost;
pub mod digest;
pub mod engine;
pub mod kernel;
pub mod ledger;
pub mod machine;
pub mod op;
pub mod scenario;
pub mod view;
