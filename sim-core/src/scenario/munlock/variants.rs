//! The kernels of the munlock series: patches as data.

use crate::kernel::{Config, Patch};
use crate::scenario::Variant;

const P1: Config = Config::base().with(&[Patch::IsUnevictable]);
const P2: Config = P1.with(&[Patch::NoDrain]);
const P3: Config = P2.with(&[Patch::BatchIsolate]);
const P4: Config = P3.with(&[Patch::BatchMlockStat]);
const P5: Config = P4.with(&[Patch::BatchPutback]);
const P6: Config = P5.with(&[Patch::NoIsolatePin]);
const V3_12: Config = P6.with(&[Patch::PagevecFill, Patch::ClearActive, Patch::ClampWalk]);
const V3_14: Config = V3_12.with(&[Patch::DeferPut, Patch::ThpMask, Patch::ThpSplit]);
const FIXED: Config = V3_14.with(&[Patch::CountMlock]);
const V5_10: Config = FIXED.with(&[Patch::DrainWhenFull, Patch::NodeLru, Patch::DrainDecides]).with_pagevec(15);
pub(in crate::scenario) const V6_1: Config = V5_10.with(&[Patch::TestClearLru, Patch::MlockBatch]);
pub(in crate::scenario) const TODAY: Config = V6_1.with(&[Patch::FolioBatch]).with_pagevec(31);

/// Variants of the munlock series, oldest first.
pub const MUNLOCK_VARIANTS: &[Variant] = &[
    Variant::new("0", "v3.11-rc3", "3.11-rc3, before the series", Config::base()),
    Variant::new("1", "+ patch 1", "RFC patch 1: putback keeps a boolean", P1),
    Variant::new("2", "+ patches 1–2", "RFC patches 1 and 2: no drain for each page", P2),
    Variant::new(
        "3",
        "+ patches 1–3",
        "RFC patches 1 to 3: isolate a pagevec under one lru_lock",
        P3.with(&[Patch::RfcIsolate]),
    ),
    Variant::new(
        "4",
        "+ patches 1–4",
        "RFC patches 1 to 4: one NR_MLOCK update for a pagevec",
        P4.with(&[Patch::RfcIsolate]),
    ),
    Variant::new(
        "5",
        "+ patches 1–5",
        "RFC patches 1 to 5: put a pagevec back under one lru_lock",
        P5.with(&[Patch::RfcPgrescued]),
    ),
    Variant::new(
        "6",
        "+ patches 1–6",
        "RFC patches 1 to 6: no extra get_page and put_page",
        P6.with(&[Patch::RfcPgrescued]),
    ),
    Variant::new("5-v2", "v2, patches 1–5", "second posting, patches 1 to 5: rescued pages counted right", P5),
    Variant::new("6-v2", "v2, patches 1–6", "second posting, patches 1 to 6: rescued pages counted right", P6),
    Variant::new(
        "7-v2",
        "v2, patches 1–7",
        "second posting, patches 1 to 7, as measured: the page table stays locked",
        P6.with(&[Patch::HoldPte]),
    ),
    Variant::new("7", "v3.12", "3.12, as merged: a batch from one look at a page table", V3_12),
    Variant::new("fixed", "v4.12", "3.14 and the NR_MLOCK fix of 4.12", FIXED),
    Variant::new("v5.10", "v5.10", "5.10: the same with pagevecs of 15; the drain decides which list", V5_10),
    Variant::new("v6.1", "v6.1", "6.1: per-CPU mlock batches of 15, no page lock", V6_1),
    Variant::new("today", "today (7.2)", "7.2: per-CPU mlock batches of 31 folios", TODAY),
];
