//! The kernels of the MADV_FREE series: patches as data.

use crate::kernel::{Config, Patch};
use crate::scenario::Variant;

// Pagevecs have no slots unless a parameter gives them some: a page goes straight to its list.
const BASE: Config = Config::base().with(&[Patch::LazyInPlace]).with_pagevec(0);
const V4_5: Config = Config::base()
    .with(&[Patch::FreeSwapEntry, Patch::LazyClearDirty, Patch::LazyUnmap, Patch::CleanAddToSwap])
    .with_pagevec(0);
const LAZY_FILE: Config = Config::base()
    .with(&[
        Patch::FreeSwapEntry,
        Patch::LazyClearDirty,
        Patch::LazyFileList,
        Patch::WritebackActivate,
        Patch::NodeLru,
        Patch::DrainWhenFull,
    ])
    .with_pagevec(0);
const V4_12: Config = LAZY_FILE.with(&[Patch::SwapinActivate]);
const TODAY: Config = LAZY_FILE.with(&[
    Patch::NewInactive,
    Patch::TwoTouch,
    Patch::SwapTable,
    Patch::DrainDecides,
    Patch::TestClearLru,
    Patch::MlockBatch,
    Patch::FolioBatch,
]);

/// Variants of the MADV_FREE series, oldest first.
pub(super) const VARIANTS: &[Variant] = &[
    Variant::new(
        "dontneed",
        "MADV_DONTNEED",
        "the base of the patch, and a program that calls MADV_DONTNEED instead",
        BASE.with(&[Patch::ProgramDontneed]),
    ),
    Variant::new("free", "MADV_FREE, before", "mmotm of March 2015, before the patch: swap entries stay", BASE),
    Variant::new(
        "free-swap",
        "+ the patch",
        "\"free swp_entry in madvise_free\": swap entries are dropped at the call",
        BASE.with(&[Patch::FreeSwapEntry]),
    ),
    Variant::new("v4.5", "v4.5", "4.5, as merged: PG_dirty is cleared too, and pages are deactivated", V4_5),
    Variant::new("v4.12", "v4.12", "4.12, with the fix of 4.14: lazy pages go to the inactive file list", V4_12),
    Variant::new("today", "today (7.1)", "7.1: swap entries go in runs; new pages start inactive", TODAY),
];

/// 4.12 and 4.13 as they were, where add_to_swap leaves a page clean, and the kernel with the fix.
pub(super) const RACE_VARIANTS: &[Variant] = &[
    Variant::new(
        "v4.12-bug",
        "v4.12, v4.13",
        "4.12 as it was: add_to_swap leaves a clean page clean",
        V4_12.with(&[Patch::CleanAddToSwap]),
    ),
    Variant::new("v4.12", "v4.14", "with the fix of 4.14: add_to_swap makes the page dirty", V4_12),
];
