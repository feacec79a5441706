//! Questions about recorded runs: biographies and conditions, against runs that are gone through step by step.

#[path = "../common/mod.rs"]
mod common;

mod biographies;
mod conditions;
mod runs;
mod text;
