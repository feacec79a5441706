//! Runs by name and by layout, and what they add up to.
#![allow(dead_code)]

use sim_core::engine::{Checker, Engine, Schedule, Setup, Timeline};
use sim_core::kernel::mlock::sys_munlock;
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

/// The rows of the tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub locked_set: u64,
    pub locked_clear: u64,
    pub mlocked_clear: u64,
    pub lru_clear: u64,
    pub lru_set: u64,
    pub unevictable_clear: u64,
    pub get_pin: u64,
    pub get_isolate: u64,
    pub get_slot: u64,
    pub put_putback: u64,
    pub put_pin: u64,
    pub put_release: u64,
    /// RMWs on page words.
    pub page: u64,
    pub ptl: u64,
    pub lru_lock: u64,
    /// Page words and spinlocks; folds and semaphores apart.
    pub all: u64,
    pub irq: u64,
    pub preempt: u64,
    pub page_locks: u64,
    pub list_del: u64,
    pub list_add: u64,
    pub cpu_adds: u64,
    pub drains: u64,
    pub stack_adds: u64,
    pub stat_safe: u64,
    pub stat_plain: u64,
    pub events: u64,
    pub resched: u64,
    pub walks: u64,
    /// Left in the lru_add pagevec of CPU 0.
    pub left: u64,
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
