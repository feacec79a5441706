//! The kernels of the rmap-unmap series.

use crate::kernel::{Config, Patch};
use crate::scenario::Variant;
use crate::scenario::munlock::variants;

const V6_3: Config = variants::V6_1;
const P1: Config = V6_3.with(&[Patch::SplitHugetlb]);
const P2_FIXED: Config = P1.with(&[Patch::UnmapOnePage]);
const P3_FIXED: Config = P2_FIXED.with(&[Patch::SingleExits]);
const P4_FIXED: Config = P3_FIXED.with(&[Patch::RmapRange]);
const P5_FIXED: Config = P4_FIXED.with(&[Patch::RmapBatch]);
const POSTED: &[Patch] = &[Patch::RfcPolarity];
const V6_16: Config = variants::TODAY.with(&[Patch::FlushBeforeFree, Patch::LazyfreeBatch]);
const V7_0: Config = V6_16.with(&[Patch::FileBatch]);
const TODAY: Config = V7_0.with(&[Patch::ResetNr]);

/// Variants of the rmap-unmap series, oldest first.
pub const RMAP_VARIANTS: &[Variant] = &[
    Variant::new("v6.3", "v6.3", "6.3, before the series", V6_3),
    Variant::new("1", "+ patch 1", "patch 1: hugetlb folios are unmapped by a function of their own", P1),
    Variant::new(
        "2",
        "+ patches 1–2",
        "patches 1 and 2: one PTE is unmapped by a function of its own",
        P2_FIXED.with(POSTED),
    ),
    Variant::new("3", "+ patches 1–3", "patches 1 to 3: that function has single exits", P3_FIXED.with(POSTED)),
    Variant::new(
        "4",
        "+ patches 1–4",
        "patches 1 to 4: the reverse map can be removed for a range",
        P4_FIXED.with(POSTED),
    ),
    Variant::new(
        "5",
        "+ patches 1–5",
        "patches 1 to 5: a run of PTEs is counted at once",
        P5_FIXED.with(POSTED).with(&[Patch::RfcLookahead, Patch::RfcMlockExit]),
    ),
    Variant::new("5-fixed", "+ fixes", "patches 1 to 5 with the three slips of the posting mended", P5_FIXED),
    Variant::new("v6.16", "v6.16", "6.16: runs of lazyfree PTEs are cleared and flushed at once", V6_16),
    Variant::new("v7.0", "v7.0", "7.0: and runs of file PTEs", V7_0),
    Variant::new("today", "today (7.1)", "7.1: the length of a run is set anew for each round", TODAY),
];
