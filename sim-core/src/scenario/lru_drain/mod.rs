//! mlock of small ranges and lru_add_drain_all, alone and against somebody else.

mod claims;
mod lists;
mod races;
mod setup;
mod variants;

pub(super) use setup::spawn_workers;
pub use variants::LRU_DRAIN_VARIANTS;

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use super::built::Built;
use super::params::{Param, Params};
use super::spec::SpecError;
use super::{Opening, Scenario, Series, Variant};
use crate::engine::{Cpu, Engine, Milestone, Schedule, Turn};
use crate::kernel::mlock::munlock_vma_pages_range;
use crate::kernel::mlock_batch::mlock_vma_pages_range;
use crate::kernel::mlock_call::sys_mlock;
use crate::kernel::{Config, Patch};
use crate::machine::{LockClass, VmaId};
use setup::Layout;

/// Ranges that the process mlocks in turn, as the benchmark does.
const RANGES: u32 = 3;

const CPUS: Param = Param::number("cpus", 4, 1, 96, "CPUs that are online");

const MAIN: &[Param] = &[
    CPUS,
    Param::number("mlocks", 3, 1, 1 << 20, "mlock calls, of three ranges of one page in turn"),
    Param::number(
        "filled_cpus",
        1,
        0,
        96,
        "CPUs whose lru_add pagevecs hold pages: 1, 2, .. and the caller's, 0, last",
    ),
    Param::number("waiting", 1, 1, 13, "pages in each of these pagevecs"),
    lists::LISTS,
];

const CHECK: &[Param] = &[Param::choice(
    "change",
    &["added", "drained"],
    "what CPU 1 does just after it was looked at: it adds a page, or drains its own",
)];

const REQUEUE: &[Param] = &[Param::choice(
    "meets",
    &["pending", "running"],
    "what the second caller finds: the work item pending, or running",
)];

const MLOCKED: &[Param] =
    &[Param::flag("old_callback", "async: the drain callback does not look for PG_mlocked, as before the patch")];

const BARRIER: &[Param] = &[Param::choice(
    "hoisted",
    &["none", "first", "both"],
    "reads of page_evictable that are satisfied before SetPageLRU is visible: none, the first, or both (no barrier)",
)];

const ALL: &[Param] = &[
    CPUS,
    Param::number("filled_cpus", 4, 0, 96, "CPUs whose pagevecs hold a page: 1, 2, .. and the caller's, 0, last"),
    Param::choice("in", &["lru_add", "rotate", "deactivate", "activate"], "pagevec that the pages wait in"),
    Param::number("callers", 1, 1, 2, "tasks that call it, on CPUs 0 and 1"),
    lists::LISTS,
];

const STARVED: &[Param] =
    &[CPUS, Param::number("busy", 200, 1, 10_000, "operations for which CPU 1 lets no other task run")];

const HOTPLUG: &[Param] = &[Param::number("cpus", 3, 3, 64, "CPUs that are online at first")];

// The kernels that the patch is about.
const OF_THE_PATCH: &[Variant] = LRU_DRAIN_VARIANTS.split_at(2).0;
// Those that look into pagevecs before they queue work.
const LOOKING: &[Variant] = LRU_DRAIN_VARIANTS.split_at(3).0.split_at(1).1;

/// The series.
pub(super) const SERIES: Series = Series {
    name: "lru-drain",
    title: "asynchronous lru_add_drain_all",
    year: 2012,
    claimed: "mlock wakes only the CPUs that have pages waiting, and waits for none: 300,000 calls in 3.9 s instead of 73.6 s",
    opening: Opening {
        lock: LockClass::Lru,
        hero: ("works", "works queued on CPUs"),
        unit: ("mlocks", "call"),
        per: &["mlocks"],
        params: &[],
    },
    scenarios: SCENARIOS,
};

const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "lru-drain",
        title: "mlock of small ranges",
        summary: "A process mlocks three ranges of one page; before or after each, other CPUs are asked to drain their pagevecs.",
        watch: "Work items, woken kworkers and sleeps of the caller for each call.",
        params: MAIN,
        variants: LRU_DRAIN_VARIANTS,
        sides: ("sync", "async"),
        build: build_main,
        claims: claims::claims,
        compare_claims: claims::compare,
    },
    Scenario {
        name: "lru-drain-check",
        title: "a CPU changes just after it was looked at",
        summary: "mlock looks into the pagevecs of CPU 1 without a lock; CPU 1 adds a page or drains in that very moment.",
        watch: "A page that nobody drains, or a work item with nothing to do.",
        params: CHECK,
        variants: LOOKING,
        sides: ("async", "selective"),
        build: races::check,
        claims: claims::none,
        compare_claims: claims::compare,
    },
    Scenario {
        name: "lru-drain-requeue",
        title: "two callers queue the same work item",
        summary: "A second mlock asks CPU 2 for a drain while the first one's work item is still pending there, or runs.",
        watch: "The PENDING bit: pending means nothing to do, running means once more.",
        params: REQUEUE,
        variants: OF_THE_PATCH,
        sides: ("sync", "async"),
        build: races::requeue,
        claims: claims::none,
        compare_claims: claims::compare,
    },
    Scenario {
        name: "lru-drain-mlocked",
        title: "mlock of a page that waits in another CPU's pagevec",
        summary: "The page of the range was touched on CPU 1 and waits in the pagevec there when the process mlocks it on CPU 0.",
        watch: "Which list the page ends on, and what meminfo says when mlock returns.",
        params: MLOCKED,
        variants: LRU_DRAIN_VARIANTS,
        sides: ("sync", "async"),
        build: races::mlocked,
        claims: claims::filed,
        compare_claims: claims::compare,
    },
    Scenario {
        name: "lru-drain-barrier",
        title: "the barrier in the drain callback",
        summary: "CPU 1 drains an mlocked page while CPU 0 munlocks it, or a page that CPU 0 mlocks.",
        watch: "The second look at page_evictable; without the barrier before it the page is stranded.",
        params: BARRIER,
        variants: OF_THE_PATCH,
        sides: ("sync", "async"),
        build: races::barrier,
        claims: claims::barrier,
        compare_claims: claims::compare,
    },
    Scenario {
        name: "lru-drain-all",
        title: "lru_add_drain_all for its own sake",
        summary: "Somebody other than mlock wants every pagevec of the machine empty, because slots hold references.",
        watch: "Which pagevecs are looked at, and which CPUs get work.",
        params: ALL,
        variants: LRU_DRAIN_VARIANTS,
        sides: ("async", "selective"),
        build: races::all,
        claims: claims::emptied,
        compare_claims: claims::compare,
    },
    Scenario {
        name: "lru-drain-hotplug",
        title: "a CPU goes down with work queued",
        summary: "CPU 1 is seen with a page in its pagevec and goes down before it has drained it.",
        watch: "Where the work item runs, and who drains the dead CPU.",
        params: HOTPLUG,
        variants: OF_THE_PATCH,
        sides: ("sync", "async"),
        build: races::hotplug,
        claims: claims::waits_for_nobody,
        compare_claims: claims::compare,
    },
    Scenario {
        name: "lru-drain-starved",
        title: "a CPU that lets nobody run",
        summary: "A real-time task spins on CPU 1, so that its kworker gets no turn.",
        watch: "How long mlock on CPU 0 takes.",
        params: STARVED,
        variants: LRU_DRAIN_VARIANTS,
        sides: ("sync", "async"),
        build: races::starved,
        claims: claims::waits_for_nobody,
        compare_claims: claims::compare,
    },
];

fn build_main(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let mlocks = params.get("mlocks");
    let (ranges, waiting) = (mlocks.min(RANGES) as u8, params.get("waiting"));
    let layout = Layout { ranges, waiting, lists: lists::lists(params), ..filled_layout(params)? };
    let engine = setup::memory(variant.config, &layout);
    Ok(built(engine, Vec::new(), move |engine| {
        engine.spawn("mlock", 0, move |cpu| async move { mlock_in_turn(&cpu, mlocks).await });
    }))
}

fn filled_layout(params: &Params) -> Result<Layout, SpecError> {
    let (cpus, filled) = (params.get("cpus"), params.get("filled_cpus"));
    if filled > cpus {
        let text = format!("filled_cpus is {filled} and cpus is {cpus}; expected {cpus} at most, one for each CPU");
        return Err(SpecError::Together(text));
    }
    Ok(Layout::new(cpus as u8).fill(filled as u8))
}

/// A run that counts everything but what its tasks leave out; kworkers come behind the tasks that use them.
fn built(engine: Engine, turns: Vec<Turn>, tasks: impl FnOnce(&mut Engine) + 'static) -> Built {
    let script = if turns.is_empty() { Schedule::RoundRobin } else { Schedule::Script(turns) };
    let tasks = move |engine: &mut Engine| {
        tasks(engine);
        setup::spawn_workers(engine);
    };
    Built { engine, measured: None, migrations: Vec::new(), script, tasks: Box::new(tasks) }
}

// The workload: each range is munlocked, uncounted, before it is mlocked again.
async fn mlock_in_turn(cpu: &Cpu, mlocks: u32) {
    for call in 0..mlocks {
        let vma = VmaId { mm: 0, vma: (call % RANGES) as u8 };
        if call >= RANGES {
            cpu.count(false);
            munlock(cpu, vma).await;
            cpu.count(true);
        }
        cpu.milestone(Milestone::Call(call));
        sys_mlock(cpu, vma).await;
        cpu.let_others_run().await;
    }
    cpu.milestone(Milestone::SyscallExit);
}

/// munlock of a whole range.
async fn munlock(cpu: &Cpu, vma: VmaId) {
    let area = *cpu.machine().vma(vma);
    cpu.down(LockClass::MmapSem, true, u32::from(vma.mm)).await;
    if cpu.has(Patch::MlockBatch) {
        mlock_vma_pages_range(cpu, vma, area.start, area.end, false).await;
    } else {
        munlock_vma_pages_range(cpu, vma, area.start, area.end).await;
    }
    cpu.up(LockClass::MmapSem, true, u32::from(vma.mm)).await;
}

/// The kernel of a variant with what the parameters change in it.
fn configured(variant: &Variant, params: &Params) -> Config {
    let mut config = variant.config;
    if params.is("old_callback") {
        config = config.without(Patch::AwareDrain);
    }
    match params.get("hoisted") {
        1 => config.with(&[Patch::HoistedFirst]),
        2 => config.with(&[Patch::HoistedRead]),
        _ => config,
    }
}
