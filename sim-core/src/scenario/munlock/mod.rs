//! munlock of a range of mlocked pages, alone and against somebody else.

mod claims;
mod compare;
mod cost;
mod layout;
mod races;
mod setup;
pub(super) mod variants;

pub use layout::{Layout, PageKind};

use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

pub use variants::MUNLOCK_VARIANTS;

use super::built::Built;
use super::params::{Param, Params};
use super::spec::SpecError;
use super::{Opening, Scenario, Series, Variant};
use crate::engine::{Engine, Schedule};
use crate::kernel::mlock::sys_munlock;
use crate::kernel::{Config, Patch};
use crate::machine::{LockClass, VmaId};

/// Most pages of a run: 64 GiB.
const MAX_PAGES: u32 = 1 << 24;

/// The VMA under study.
pub(crate) const VMA: VmaId = VmaId { mm: 0, vma: 0 };

const PAGES: Param = Param::number("pages", 56, 1, MAX_PAGES, "pages of 4 KiB in the range");
const PAGEVEC: Param =
    Param::number("pagevec", 0, 0, 31, "slots of a pagevec; 0 is what the variant has (14, 15 or 31)");

const MUNLOCK_PARAMS: &[Param] = &[
    PAGES,
    Param::number("zones", 1, 1, 2, "zones that the pages come from"),
    Param::flag("interleave", "neighbouring pages come from different zones (needs zones=2)"),
    Param::flag("thp", "the range is mapped by transparent huge pages (pages is a multiple of 512)"),
    Param::number("not_mlocked", 0, 0, MAX_PAGES, "pages of the range without PG_mlocked; with thp, huge pages"),
    Param::number("in_remote_pagevec", 0, 0, 14, "mlocked pages that wait in the lru_add pagevec of another CPU"),
    Param::number("shared", 0, 0, MAX_PAGES, "pages that another process maps too, which has not locked them"),
    Param::number("shared_locked", 0, 0, MAX_PAGES, "pages that another process maps too and has mlocked"),
    Param::number("holes", 0, 0, MAX_PAGES, "addresses of the range without a page"),
    Param::number("pmd_start", 0, 0, 511, "index of the first page in its page table"),
    PAGEVEC,
    Param::flag("mglru", "today: the multi-generational LRU is on, so pages land in the youngest generation"),
    Param::flag("folded_pmd", "two levels of page tables: the middle level is folded (see rc1)"),
    Param::flag("rc1", "7: as in 3.12-rc1, where a folded middle level does not bound the walk of a batch"),
];

const ONE_PAGE: &[Param] =
    &[PAGES, Param::number("at", 17, 0, MAX_PAGES, "index of the page that the other CPU goes for"), PAGEVEC];

const TWO_CPUS: &[Param] =
    &[Param::number("pages", 56, 1, MAX_PAGES / 2, "pages of 4 KiB in the range of each process"), PAGEVEC];

const TRUNCATE: &[Param] = &[
    Param::number("pages", 14, 1, 4096, "pages of the file that are mapped, locked and munlocked"),
    Param::number("at", 3, 0, 4095, "index of the page that is truncated; it is not mlocked"),
    PAGEVEC,
];

const REMLOCK: &[Param] = &[
    Param::number("pages", 28, 1, 4096, "pages of 4 KiB in the range"),
    Param::number("at", 3, 0, 4095, "index of the page that is mlocked again"),
    Param::number("window", 1, 1, 2, "1: between isolation and the page lock; 2: between unlock_page and the LRU add"),
    PAGEVEC,
];

const PUTBACK: &[Param] = &[
    Param::flag("no_recheck", "putback_lru_page does not look again at page_evictable"),
    Param::flag("hoisted", "the second look is satisfied before SetPageLRU is visible: no barrier"),
];

const DRAIN: &[Param] = &[
    PAGES,
    Param::number("in_remote_pagevec", 3, 1, 14, "mlocked pages that wait in the lru_add pagevec of CPU 1"),
    PAGEVEC,
];

const SPLIT: &[Param] =
    &[Param::number("tail", 256, 1, 511, "tails that have been split off when munlock clears PG_mlocked")];

// From 4.5 on a split takes the page lock and gives up on a page that munlock has pinned; from 4.16 on putback does not
// look twice.
const BEFORE_4_16: &[Variant] = MUNLOCK_VARIANTS.split_at(12).0;

/// The series.
pub(super) const SERIES: Series = Series {
    name: "munlock",
    title: "munlock in batches",
    year: 2013,
    claimed: "one lru_lock for a pagevec of 14 pages instead of two for every page",
    opening: Opening {
        lock: LockClass::Lru,
        hero: ("lru_lock", "times lru_lock was taken"),
        unit: ("pages", "page"),
        per: &["pages"],
        params: &[],
    },
    scenarios: SCENARIOS,
};

const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "munlock",
        title: "munlock of a range",
        summary: "A process munlocks a range of mlocked pages; every page goes from the unevictable list back to the inactive one.",
        watch: "How often lru_lock is taken, and by how many pages at a time.",
        params: MUNLOCK_PARAMS,
        variants: MUNLOCK_VARIANTS,
        sides: ("0", "6"),
        build: build_munlock,
        claims: claims::claims,
        compare_claims: compare::claims,
    },
    Scenario {
        name: "munlock-two-cpus",
        title: "two processes munlock at once",
        summary: "Two CPUs munlock ranges of two processes whose pages come from one zone.",
        watch: "How long each CPU waits for the other's lru_lock.",
        params: TWO_CPUS,
        variants: MUNLOCK_VARIANTS,
        sides: ("0", "6"),
        build: races::two_cpus,
        claims: claims::claims,
        compare_claims: compare::claims,
    },
    Scenario {
        name: "munlock-truncate",
        title: "munlock against truncation",
        summary: "Another CPU truncates a page of the file while munlock holds the last pin of it.",
        watch: "Who drops the last reference, and whether lru_lock is held by then.",
        params: TRUNCATE,
        variants: MUNLOCK_VARIANTS,
        sides: ("6", "fixed"),
        build: races::truncate,
        claims: claims::claims,
        compare_claims: compare::claims,
    },
    Scenario {
        name: "munlock-split",
        title: "munlock against the split of a huge page",
        summary: "Another CPU splits a huge page: each tail copies PG_mlocked from the head while munlock clears it there.",
        watch: "NR_MLOCK against the tails that stay mlocked.",
        params: SPLIT,
        variants: BEFORE_4_16,
        sides: ("7", "fixed"),
        build: races::split,
        claims: claims::claims,
        compare_claims: compare::claims,
    },
    Scenario {
        name: "munlock-remlock",
        title: "munlock against mlock of the same page",
        summary: "Another process mlocks a page again while it is isolated, or just before it goes back to its list.",
        watch: "Which list the page ends on; NR_MLOCK stays right.",
        params: REMLOCK,
        variants: MUNLOCK_VARIANTS,
        sides: ("0", "6"),
        build: races::remlock,
        claims: claims::claims,
        compare_claims: compare::claims,
    },
    Scenario {
        name: "munlock-page-lock",
        title: "munlock meets a locked page",
        summary: "Another CPU holds the lock of one page for a while; munlock sleeps for it.",
        watch: "How many isolated pages wait along with the one.",
        params: ONE_PAGE,
        variants: MUNLOCK_VARIANTS,
        sides: ("0", "6"),
        build: races::page_lock,
        claims: claims::claims,
        compare_claims: compare::claims,
    },
    Scenario {
        name: "munlock-reclaim",
        title: "munlock against reclaim",
        summary: "Reclaim has isolated a page when munlock comes by, and puts it back afterwards.",
        watch: "PGSTRANDED against PGMUNLOCKED, and who repairs the page.",
        params: ONE_PAGE,
        variants: MUNLOCK_VARIANTS,
        sides: ("0", "6"),
        build: races::reclaim,
        claims: claims::claims,
        compare_claims: compare::claims,
    },
    Scenario {
        name: "munlock-drain",
        title: "munlock against a remote drain",
        summary: "Some mlocked pages wait in the pagevec of another CPU, which drains it meanwhile.",
        watch: "Pages that could not be isolated, and NR_MLOCK.",
        params: DRAIN,
        variants: MUNLOCK_VARIANTS,
        sides: ("0", "6"),
        build: races::drain,
        claims: claims::claims,
        compare_claims: compare::claims,
    },
    Scenario {
        name: "munlock-migrate",
        title: "munlock moves to another CPU",
        summary: "The scheduler moves the task between two pages.",
        watch: "The page that stays behind in the old CPU's pagevec.",
        params: ONE_PAGE,
        variants: MUNLOCK_VARIANTS,
        sides: ("0", "6"),
        build: races::migrate,
        claims: claims::claims,
        compare_claims: compare::claims,
    },
    Scenario {
        name: "putback-race",
        title: "the race that putback_lru_page re-checks for",
        summary: "Reclaim puts an mlocked page back while munlock makes it evictable.",
        watch: "The second look at page_evictable; without it the page is stranded.",
        params: PUTBACK,
        variants: BEFORE_4_16,
        sides: ("0", "fixed"),
        build: races::putback,
        claims: claims::claims,
        compare_claims: compare::claims,
    },
];

fn build_munlock(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let config = configured(variant, params);
    let layout = Layout::from_params(params)?;
    pagevec_room(config, params.get("in_remote_pagevec"))?;
    let engine = setup::memory(config, &layout);
    Ok(Built {
        engine,
        measured: Some(measured(config)),
        migrations: Vec::new(),
        script: Schedule::RoundRobin,
        tasks: Box::new(|engine| {
            engine.spawn("munlock", 0, |cpu| async move { sys_munlock(&cpu, VMA).await });
        }),
    })
}

/// The kernel of a variant with what the parameters change in it.
fn configured(variant: &Variant, params: &Params) -> Config {
    let mut config = variant.config;
    let pagevec = params.get("pagevec");
    if pagevec > 0 {
        config = config.with_pagevec(pagevec);
    }
    if params.is("rc1") && config.has(Patch::ClampWalk) && !config.has(Patch::DeferPut) {
        config = config.without(Patch::ClampWalk);
    }
    for (name, patch) in [
        ("mglru", Patch::Mglru),
        ("folded_pmd", Patch::FoldedPmd),
        ("no_recheck", Patch::NoRecheck),
        ("hoisted", Patch::HoistedRead),
    ] {
        if params.is(name) {
            config = config.with(&[patch]);
        }
    }
    config
}

// A pagevec holds less than its size between two calls where a full one is drained at once.
fn pagevec_room(config: Config, remote: u32) -> Result<(), SpecError> {
    let room = config.pagevec - u32::from(config.has(Patch::DrainWhenFull));
    if remote <= room {
        return Ok(());
    }
    let text = format!(
        "in_remote_pagevec is {remote}, which a pagevec of {} does not hold; expected {room} at most",
        config.pagevec
    );
    Err(SpecError::Together(text))
}

/// The measured section: one call of the range function.
pub(super) fn measured(config: Config) -> &'static str {
    if config.has(Patch::MlockBatch) { "mlock_vma_pages_range" } else { "munlock_vma_pages_range" }
}

/// A run of two CPUs after a turn script.
fn scripted(
    engine: Engine,
    config: Config,
    turns: Vec<crate::engine::Turn>,
    tasks: Box<dyn FnOnce(&mut Engine)>,
) -> Built {
    let script = if turns.is_empty() { Schedule::RoundRobin } else { Schedule::Script(turns) };
    Built { engine, measured: Some(measured(config)), migrations: vec![], script, tasks }
}
