//! The kernels of the lru-drain series: patches as data.

use crate::kernel::{Config, Patch};
use crate::scenario::Variant;

const V3_2: Config = Config::base().with(&[Patch::NoDrain, Patch::ListPvecs, Patch::DrainWhenFull]);
const POSTED: Config = V3_2.with(&[Patch::AsyncDrain, Patch::AwareDrain]);
const V3_12: Config = Config::base().with(&[
    Patch::IsUnevictable,
    Patch::NoDrain,
    Patch::BatchIsolate,
    Patch::BatchMlockStat,
    Patch::BatchPutback,
    Patch::NoIsolatePin,
    Patch::PagevecFill,
    Patch::ClearActive,
    Patch::ClampWalk,
    Patch::SelectiveDrain,
]);
const V4_15: Config = V3_12.with(&[
    Patch::DeferPut,
    Patch::ThpMask,
    Patch::ThpSplit,
    Patch::CountMlock,
    Patch::DrainWhenFull,
    Patch::NodeLru,
    Patch::NoMlockDrain,
]);
const TODAY: Config = V4_15
    .with(&[Patch::DrainDecides, Patch::TestClearLru, Patch::MlockBatch, Patch::FolioBatch, Patch::DrainGeneration])
    .with_pagevec(31);

/// Variants of the lru-drain series, oldest first.
pub const LRU_DRAIN_VARIANTS: &[Variant] = &[
    Variant::new("sync", "v3.2", "3.2: mlock has every CPU drain its pagevecs, and waits", V3_2),
    Variant::new(
        "async",
        "+ the patch",
        "the patch as posted on 3.2: asks those that have pages, and waits for none",
        POSTED,
    ),
    Variant::new("selective", "v3.12", "3.12: asks those that have pages, and waits for them", V3_12),
    Variant::new("none", "v4.15", "4.15: mlock drains its own CPU only", V4_15),
    Variant::new("today", "today (7.2)", "7.2: mlock batches; lru_add_drain_all counts generations", TODAY),
];
