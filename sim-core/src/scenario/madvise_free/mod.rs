//! Processes that fill memory again and again and give it up in between by madvise, with a swap device.

mod claims;
mod daemon;
mod race;
mod setup;
mod variants;

use alloc::boxed::Box;
use alloc::vec::Vec;

use setup::{Sizes, memory};

use super::built::Built;
use super::params::{Param, Params};
use super::spec::SpecError;
use super::{Opening, Scenario, Series, Variant};
use crate::engine::{Engine, Schedule};
use crate::kernel::program::{bystander, memset_and_madvise};
use crate::machine::{LockClass, VmaId};

const PARAMS: &[Param] = &[
    Param::number("processes", 12, 1, 64, "processes, each on a CPU of its own"),
    Param::number("pages", 128, 1, 1 << 20, "pages of 4 KiB that each process fills"),
    Param::number("ram", 768, 16, 1 << 23, "page frames"),
    Param::number("swap", 2048, 1, (1 << 24) - 2, "slots of the swap device, a page each"),
    Param::number("loops", 5, 1, 1000, "times that each process fills its pages and calls madvise"),
    Param::number("skew", 64, 0, 1 << 24, "ticks by which each process starts later than the one before it"),
    Param::number("bystander", 0, 0, 1 << 20, "pages of one more process, which never calls madvise; 0 is none"),
    Param::number("slice", 0, 0, 1024, "pages that reclaim takes at a time; 0 is by the size of ram (8 or 32)"),
    Param::number("min", 0, 0, 1 << 20, "lowest watermark in frames; with low and high 0, by the size of ram"),
    Param::number("low", 0, 0, 1 << 20, "watermark that wakes kswapd"),
    Param::number("high", 0, 0, 1 << 20, "watermark at which kswapd stops"),
    Param::number(
        "ratio",
        1,
        1,
        100,
        "the active list gives up pages when it is longer than the inactive one times this",
    ),
    Param::number("pagevec", 0, 0, 31, "slots of the per-CPU pagevecs; 0 puts every page on its list at once"),
    daemon::KSWAPD,
];

/// The series.
pub(super) const SERIES: Series = Series {
    name: "madvise-free",
    title: "MADV_FREE frees swap entries",
    year: 2015,
    claimed: "879,585 swap-ins become 1,878, and 90.67 s become 64.45 s",
    opening: Opening {
        lock: LockClass::Lru,
        hero: ("swap_in", "pages swapped in"),
        unit: ("loops", "loop"),
        per: &["processes", "pages", "loops"],
        params: &[("processes", "2"), ("pages", "24"), ("ram", "36"), ("swap", "64"), ("loops", "2"), ("skew", "8")],
    },
    scenarios: SCENARIOS,
};

const SCENARIOS: &[Scenario] = &[MAIN, RACE, daemon::SCENARIO];

const MAIN: Scenario = Scenario {
    name: "madvise-free",
    title: "memset and madvise, over and over",
    summary: "Processes whose memory is twice the RAM fill it, give it up by madvise, and fill it again.",
    watch: "Swap entries that madvise leaves in the page table: the next store to each reads dead data from the device.",
    params: PARAMS,
    variants: variants::VARIANTS,
    sides: ("free", "free-swap"),
    build,
    claims: claims::claims,
    compare_claims: claims::compare,
};

const RACE: Scenario = Scenario {
    name: "madvise-free-race",
    title: "MADV_FREE against reclaim",
    summary: "Reclaim has isolated pages when the pagevec of MADV_FREE is flushed, so they never become lazy pages.",
    watch: "Whether a page whose PTE becomes a swap entry is ever written to its slot.",
    params: race::PARAMS,
    variants: variants::RACE_VARIANTS,
    sides: ("v4.12-bug", "v4.12"),
    build: race::build,
    claims: race::claims,
    compare_claims: |_, _| Vec::new(),
};

fn build(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let sizes = Sizes::new(params)?;
    Ok(Built {
        engine: memory(variant.config.with_pagevec(params.get("pagevec")), &sizes),
        measured: None,
        migrations: Vec::new(),
        script: Schedule::Timed,
        tasks: Box::new(move |engine| spawn(engine, &sizes)),
    })
}

fn spawn(engine: &mut Engine, sizes: &Sizes) {
    let Sizes { processes, loops, .. } = *sizes;
    for mm in 0..processes {
        let vma = VmaId { mm, vma: 0 };
        engine.spawn("memset", mm, move |cpu| async move { memset_and_madvise(&cpu, vma, loops).await });
    }
    if sizes.bystander > 0 {
        let vma = VmaId { mm: processes, vma: 0 };
        engine.spawn("bystander", processes, move |cpu| async move { bystander(&cpu, vma, processes).await });
    }
    if sizes.kswapd {
        daemon::spawn(engine, processes + u8::from(sizes.bystander > 0));
    }
}
