//! Runs by name and by layout, and what they add up to.
#![allow(dead_code)]

use proptest::test_runner::{Config as ProptestConfig, RngSeed};
use sim_core::engine::{Checker, Engine, Schedule, Setup, Timeline};
use sim_core::kernel::mlock::sys_munlock;
use sim_core::kernel::swap::lru_add_drain;
use sim_core::kernel::{Config, Patch};
use sim_core::ledger::{Count, How, Ledger, Site};
use sim_core::machine::{Event, LockClass, Machine, PageFlag, Pfn, Pv, VmaId};
use sim_core::op::{Op, World};
use sim_core::scenario::{Layout, MUNLOCK_VARIANTS, PageKind, Run, RunSpec};
use sim_core::view::PagevecKind;

/// The VMA under study.
pub const VMA: VmaId = VmaId { mm: 0, vma: 0 };

/// Every variant, oldest first.
pub const ALL: [&str; 15] =
    ["0", "1", "2", "3", "4", "5", "6", "5-v2", "6-v2", "7-v2", "7", "fixed", "v5.10", "v6.1", "today"];
/// Variants with pagevecs of 14: those of the tables.
pub const TABLES: [&str; 12] = ["0", "1", "2", "3", "4", "5", "6", "5-v2", "6-v2", "7-v2", "7", "fixed"];

/// A run that has been asked for by name.
pub fn spec(scenario: &str, variant: &str, params: &[(&str, &str)]) -> RunSpec {
    let spec = RunSpec::new(scenario, variant).unwrap();
    params.iter().fold(spec, |spec, (name, value)| spec.set(name, value).unwrap())
}

/// The recorded run.
pub fn run(scenario: &str, variant: &str, params: &[(&str, &str)]) -> Run {
    spec(scenario, variant, params).record().unwrap()
}

/// The recorded run after a schedule in text.
pub fn run_as(scenario: &str, variant: &str, params: &[(&str, &str)], schedule: &str) -> Run {
    spec(scenario, variant, params).schedule(schedule).unwrap().record().unwrap()
}

/// The bulk run.
pub fn bulk(scenario: &str, variant: &str, params: &[(&str, &str)]) -> Engine {
    spec(scenario, variant, params).bulk(1 << 20, |_| true).unwrap()
}

/// The kernel of a variant.
pub fn config(variant: &str) -> Config {
    MUNLOCK_VARIANTS.iter().find(|known| known.name == variant).unwrap().config
}

/// The name of the function that the ledger counts.
pub fn measured(config: Config) -> &'static str {
    if config.has(Patch::MlockBatch) { "mlock_vma_pages_range" } else { "munlock_vma_pages_range" }
}

/// A layout that is populated, with the tasks still to be started; recorded and checked.
pub fn prepared(config: Config, layout: &Layout, schedule: Schedule) -> Engine {
    let mut engine = layout.set_up(config);
    let checker = Some(Checker::new(config, &engine.world().machine));
    engine.begin(Setup { schedule, measured: Some(measured(config)), checker, ..Setup::default() }, false);
    engine
}

/// Starts munlock of the whole range on a CPU.
pub fn spawn_munlock(engine: &mut Engine, cpu: u8) {
    engine.spawn("munlock", cpu, |cpu| async move { sys_munlock(&cpu, VMA).await });
}

/// The end of a run of one task: its world, and what broke.
pub fn finish(mut engine: Engine) -> Timeline {
    engine.run().unwrap();
    let mut timeline = engine.into_timeline();
    timeline.seek(timeline.len());
    timeline
}

/// munlock of a layout, recorded, at its end. Nothing may break.
pub fn munlock(variant: &str, layout: &Layout) -> Timeline {
    let timeline = munlock_until_it_ends(variant, layout);
    assert_eq!(timeline.violation(), None, "variant {variant}, {layout:?}");
    timeline
}

/// munlock of a layout, recorded, at its end, whatever that is.
pub fn munlock_until_it_ends(variant: &str, layout: &Layout) -> Timeline {
    let mut engine = prepared(config(variant), layout, Schedule::RoundRobin);
    spawn_munlock(&mut engine, 0);
    finish(engine)
}

/// munlock of a layout in bulk.
pub fn munlock_in_bulk(variant: &str, layout: &Layout) -> Engine {
    let config = config(variant);
    let mut engine = layout.set_up(config);
    engine.begin(Setup { measured: Some(measured(config)), ..Setup::default() }, true);
    spawn_munlock(&mut engine, 0);
    engine.run().unwrap();
    engine
}

/// A plain range with one address of another kind.
pub fn one(kind: PageKind) -> Layout {
    with_kinds(&[kind])
}

/// A range of such kinds.
pub fn with_kinds(kinds: &[PageKind]) -> Layout {
    let remote = kinds.contains(&PageKind::InRemotePagevec);
    Layout { kinds: kinds.to_vec(), cpus: 1 + u8::from(remote), ..Layout::plain(0) }
}

/// The page at an index of the range.
pub fn page_at(machine: &Machine, index: u32) -> Pfn {
    machine.pte(VMA.mm, machine.vma(VMA).start + index)
}

/// Pages in the lru_add pagevec of a CPU.
pub fn waiting(machine: &Machine, cpu: u8) -> u64 {
    u64::from(machine.pagevec(Pv { kind: PagevecKind::LruAdd, owner: cpu }).nr)
}

/// Small pages with a flag.
pub fn flagged(machine: &Machine, flag: PageFlag) -> u64 {
    machine.pages.iter().filter(|page| page.has(flag)).map(|page| u64::from(page.nr())).sum()
}

/// How often an event was counted since the run began.
pub fn event(world: &World, event: Event) -> u64 {
    world.ledger.events[event as usize]
}

macro_rules! totals {
    ($($(#[$doc:meta])* $field:ident,)*) => {
        /// The rows of the tables.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Totals {
            $($(#[$doc])* pub $field: u64,)*
        }

        impl std::ops::Add for Totals {
            type Output = Totals;

            fn add(self, other: Totals) -> Totals {
                Totals { $($field: self.$field + other.$field,)* }
            }
        }
    };
}

totals! {
    locked_set,
    locked_clear,
    mlocked_clear,
    lru_clear,
    lru_set,
    unevictable_clear,
    get_pin,
    get_isolate,
    get_slot,
    put_putback,
    put_pin,
    put_release,
    /// RMWs on page words.
    page,
    ptl,
    lru_lock,
    /// Page words and spinlocks; folds and semaphores apart.
    all,
    irq,
    preempt,
    page_locks,
    list_del,
    list_add,
    cpu_adds,
    drains,
    stack_adds,
    stat_safe,
    stat_plain,
    events,
    resched,
    walks,
    /// Left in the lru_add pagevec of CPU 0.
    left,
}

impl Totals {
    /// The rows of a world at the end of its run.
    pub fn of(world: &World) -> Totals {
        let l = &world.ledger;
        let flag = |flag, how| l.flag(flag, how);
        let get = |site: Site| l.gets[site as usize];
        let put = |site: Site| l.puts[site as usize];
        Totals {
            locked_set: flag(PageFlag::Locked, How::TestSet),
            locked_clear: flag(PageFlag::Locked, How::Clear),
            mlocked_clear: flag(PageFlag::Mlocked, How::TestClear),
            lru_clear: flag(PageFlag::Lru, How::Clear),
            lru_set: flag(PageFlag::Lru, How::Set),
            unevictable_clear: flag(PageFlag::Unevictable, How::Clear) + flag(PageFlag::Unevictable, How::TestClear),
            get_pin: get(Site::FollowPage),
            get_isolate: get(Site::Isolate) + get(Site::IsolateUnlessZero),
            get_slot: get(Site::LruCacheAdd),
            put_putback: put(Site::PutbackLruPage),
            put_pin: put(Site::PutPage),
            put_release: put(Site::ReleasePages),
            page: l.page_rmw(),
            ptl: ptl(l),
            lru_lock: l.lock(LockClass::Lru).acquired,
            all: all_rmw(l),
            irq: l.count(Count::IrqPairs),
            preempt: l.count(Count::PreemptPairs),
            page_locks: l.lock(LockClass::Page).acquired,
            list_del: l.count(Count::ListDel),
            list_add: l.count(Count::ListAdd),
            cpu_adds: l.count(Count::PvecPerCpu),
            drains: l.count(Count::Drains),
            stack_adds: l.count(Count::PvecOnStack),
            stat_safe: l.count(Count::StatSafe),
            stat_plain: l.count(Count::StatPlain),
            events: l.count(Count::EventUpdates),
            resched: l.count(Count::Resched),
            walks: l.count(Count::Walks),
            left: waiting(&world.machine, 0),
        }
    }
}

/// Locks on page tables of both kinds.
pub fn ptl(ledger: &Ledger) -> u64 {
    ledger.lock(LockClass::Ptl).acquired + ledger.lock(LockClass::PageTable).acquired
}

/// RMWs as the tables add them up: page words and spinlocks. Folds and semaphores have counters of their own.
pub fn all_rmw(ledger: &Ledger) -> u64 {
    ledger.page_rmw() + ledger.spin_rmw() - ledger.count(Count::Rwsem)
}

/// Batches of `size` pages that `pages` make, page table by page table.
pub fn batches_by_table(start: u64, pages: u64, size: u64) -> Vec<u64> {
    let mut batches = Vec::new();
    let (mut at, end) = (start, start + pages);
    while at < end {
        let stop = end.min((at / 512 + 1) * 512).min(at + size);
        batches.push(stop - at);
        at = stop;
    }
    batches
}

/// Sizes of the batches that `__munlock_pagevec` was given, in order.
pub fn batch_sizes(timeline: &Timeline) -> Vec<u64> {
    let reinit = |op| matches!(op, Op::PvecReinit { pv } if pv.kind == PagevecKind::OnStack);
    let batches = timeline.records().iter().filter(|record| reinit(record.op));
    // What an emptied pagevec had held is what takes the step back.
    batches.map(|record| record.outcome.undo).collect()
}

/// A run's timeline, moved to its end.
pub trait AtEnd {
    fn at_end(self) -> Timeline;
}

impl AtEnd for Run {
    fn at_end(self) -> Timeline {
        let mut timeline = self.timeline;
        timeline.seek(timeline.len());
        timeline
    }
}

/// What a variant of the tables does with a page, by its newest patch that matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Levels 0 and 1: a drain for each page.
    Drains,
    /// Level 2.
    NoDrain,
    /// Level 3: batches are isolated.
    Isolates,
    /// Level 4: one NR_MLOCK update for a batch.
    OneStat,
    /// Level 5: batches are put back.
    PutsBack,
    /// Level 6: the pin is the isolator's reference.
    OnePin,
    /// Level 7 as measured.
    Measured,
    /// Level 7 as merged in 3.12.
    Merged,
    /// 3.14 and later.
    Fixed,
}

/// The level of a variant of the tables.
pub fn level(variant: &str) -> Level {
    match variant {
        "0" | "1" => Level::Drains,
        "2" => Level::NoDrain,
        "3" => Level::Isolates,
        "4" => Level::OneStat,
        "5" | "5-v2" => Level::PutsBack,
        "6" | "6-v2" => Level::OnePin,
        "7-v2" => Level::Measured,
        "7" => Level::Merged,
        "fixed" => Level::Fixed,
        _ => unreachable!("{variant} is not in the tables"),
    }
}

/// Steps forward until a world is as asked; it must come to that.
pub fn forward_until(timeline: &mut Timeline, condition: impl Fn(&World) -> bool) {
    while !condition(timeline.world()) {
        assert!(timeline.forward(), "the run ends before the condition holds");
    }
}

/// An engine that goes on from a machine at rest, in bulk.
pub fn resumed(config: Config, machine: &Machine) -> Engine {
    let mut machine = machine.clone();
    machine.tasks.clear();
    machine.stacks.clear();
    Engine::new(config, machine)
}

/// The machine after lru_add_drain on every CPU.
pub fn drained(config: Config, machine: &Machine) -> Machine {
    let mut engine = resumed(config, machine);
    for cpu in 0..machine.cpus.len() as u8 {
        engine.spawn("kworker", cpu, |cpu| async move { lru_add_drain(&cpu).await });
    }
    engine.run().unwrap();
    engine.world().machine.clone()
}

/// The list that a page is on. From 5.18 on the unevictable one has no links.
pub fn list_of(config: Config, machine: &Machine, page: Pfn) -> u8 {
    let frame = machine.page(page);
    assert!(frame.has(PageFlag::Lru), "page {page} is on no list");
    let lru = frame.lru();
    if !(config.has(Patch::MlockBatch) && lru == 4) {
        assert!(machine.list(frame.zone(), lru).any(|listed| listed == page), "page {page} is not on list {lru}");
    }
    lru
}

/// Random cases that are the same each time; PROPTEST_CASES and PROPTEST_RNG_SEED look further.
pub fn cases(cases: u32) -> ProptestConfig {
    let set = |name| std::env::var_os(name).is_some();
    let asked = ProptestConfig::default();
    ProptestConfig {
        cases: if set("PROPTEST_CASES") { asked.cases } else { cases },
        rng_seed: if set("PROPTEST_RNG_SEED") { asked.rng_seed } else { RngSeed::Fixed(2013) },
        failure_persistence: None,
        ..asked
    }
}
