//! The kernels of the series: patches as data. What the series does not change is that of 4.15 in all of its own
//! variants, so that they differ in nothing else.

use crate::kernel::{Config, Patch};
use crate::scenario::Variant;

const V4_15: Config = Config::base().with(&[
    Patch::PageAllocator,
    Patch::ClearActive,
    Patch::CountMlock,
    Patch::DrainWhenFull,
    Patch::NodeLru,
]);
const PICK: Config = V4_15.with(&[Patch::PickOutside]);
const PREFETCH_ALL: Config = PICK.with(&[Patch::PrefetchAll]);
const MERGED: Config = PICK.with(&[Patch::CountInside, Patch::PrefetchBuddy]);
const V5_18: Config = V4_15
    .with(&[
        Patch::CountInside,
        Patch::DrainDecides,
        Patch::InactiveAnon,
        Patch::ClampCount,
        Patch::TestClearLru,
        Patch::MlockBatch,
        Patch::SinglePass,
    ])
    .with_pagevec(15);
const TODAY: Config = V5_18
    .with(&[
        Patch::PcpLock,
        Patch::PcpAutoTune,
        Patch::FolioBatch,
        Patch::EncodedGather,
        Patch::FreshType,
        Patch::ClaimSteal,
    ])
    .with_pagevec(31);

/// Variants of the series, oldest first.
pub const PCP_FREE_VARIANTS: &[Variant] = &[
    Variant::new("v4.15", "v4.15", "4.15, before the series: pages are picked and freed under zone->lock", V4_15),
    Variant::new("pick-outside", "+ patch 1", "patch 1/2 as posted: pages are picked without zone->lock", PICK),
    Variant::new("prefetch-all", "+ patches 1–2", "patch 2/2 as posted: every buddy is prefetched", PREFETCH_ALL),
    Variant::new("merged", "v4.17", "4.17, as merged: the buddies of the first batch are prefetched", MERGED),
    Variant::new("v5.18", "v5.18", "5.18: one pass under zone->lock again, drains of a burst double", V5_18),
    Variant::new("today", "today (7.1)", "7.1: lists with a lock of their own that tune their size", TODAY),
];
