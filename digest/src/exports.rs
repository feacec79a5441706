//! The same under the names that JavaScript calls.
#![allow(unsafe_code, reason = "an exported name is one that the compiler cannot check")]

use std::cell::OnceCell;

use sim_core::scenario::SCENARIOS;

use crate::{Case, bulk, cases};

thread_local! {
    static CASES: OnceCell<Vec<Case>> = const { OnceCell::new() };
}

fn with_cases<R>(look: impl FnOnce(&[Case]) -> R) -> R {
    CASES.with(|list| look(list.get_or_init(cases)))
}

/// How many runs are digested.
#[unsafe(no_mangle)]
pub extern "C" fn run_count() -> u32 {
    with_cases(|list| list.len() as u32)
}

/// The digest of one of them; 0 where there is none.
#[unsafe(no_mangle)]
pub extern "C" fn run_digest(index: u32) -> u64 {
    with_cases(|list| list.get(index as usize).map_or(0, Case::digest))
}

/// The digest of any run.
#[unsafe(no_mangle)]
pub extern "C" fn digest(scenario: u32, variant: u32, pages: u32, seed: u64) -> u64 {
    crate::digest(scenario, variant, pages, seed)
}

/// How many variants the first scenario has.
#[unsafe(no_mangle)]
pub extern "C" fn variant_count() -> u32 {
    SCENARIOS[0].variants.len() as u32
}

/// Where the name of a variant of the first scenario lies in memory; `variant_name_length` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn variant_name(variant: u32) -> *const u8 {
    name(variant).as_ptr()
}

/// Bytes of the name of a variant.
#[unsafe(no_mangle)]
pub extern "C" fn variant_name_length(variant: u32) -> usize {
    name(variant).len()
}

fn name(variant: u32) -> &'static str {
    SCENARIOS[0].variants.get(variant as usize).map_or("", |variant| variant.name)
}

/// See [`bulk::start`].
#[unsafe(no_mangle)]
pub extern "C" fn bulk_start(variant: u32, pages: u32) -> bool {
    bulk::start(variant, pages)
}

/// See [`bulk::advance`].
#[unsafe(no_mangle)]
pub extern "C" fn bulk_advance(operations: u32) -> bool {
    bulk::advance(u64::from(operations))
}

/// See [`bulk::total_rmw`].
#[unsafe(no_mangle)]
pub extern "C" fn bulk_total_rmw() -> u64 {
    bulk::total_rmw()
}

/// See [`bulk::end`].
#[unsafe(no_mangle)]
pub extern "C" fn bulk_end() {
    bulk::end();
}
