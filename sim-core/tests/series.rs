//! Quantities over a run are those of the machine at every step, and holds are those of the ledger.

mod common;

use common::run_as;
use sim_core::cost::{CostClass, Costs, Timing};
use sim_core::ledger::Key;
use sim_core::ledger::detail::{Detail, holds};
use sim_core::ledger::series::{Quantity, Reader, Series, series};
use sim_core::machine::{LockClass, LockState, Machine, Member, NOBODY, PageFlag, Rss};
use sim_core::op::World;
use sim_core::scenario::{Run, RunSpec, SCENARIOS};
use std::rc::Rc;

/// Every scenario with the two variants that it opens with; the long one is made shorter.
fn everything() -> impl Iterator<Item = Run> {
    let short = [("processes", "3"), ("pages", "64"), ("ram", "128"), ("loops", "2")];
    SCENARIOS.iter().flat_map(move |scenario| {
        let params = short.into_iter().filter(|_| scenario.name == "madvise-free");
        [scenario.sides.0, scenario.sides.1].map(|variant| {
            let spec = RunSpec::of(scenario, variant).unwrap();
            params.clone().fold(spec, |spec, (name, value)| spec.set(name, value).unwrap()).record().unwrap()
        })
    })
}

fn what(run: &Run) -> String {
    format!("{} {}", run.spec.scenario.name, run.spec.variant.name)
}

/// All locks that have a state of their own, found anew by their names.
fn states(machine: &Machine) -> Vec<&LockState> {
    let mut all: Vec<&LockState> =
        machine.lru_locks.iter().chain(&machine.ptls).chain(&machine.mapping_locks).collect();
    machine.mm_locks.iter().for_each(|locks| all.extend([&locks.mmap_sem, &locks.page_table_lock]));
    machine.work.pools.iter().for_each(|pool| all.push(&pool.lock));
    all.extend([&machine.work.drain_mutex, &machine.work.hotplug]);
    for buddy in machine.zones.iter().filter_map(|zone| zone.buddy.as_deref()) {
        all.push(&buddy.lock);
        buddy.pcp.iter().for_each(|pcp| all.push(&pcp.lock));
    }
    if let Some(rmap) = &machine.rmap {
        all.extend(rmap.rss_locks.iter().chain(&rmap.locks));
    }
    if let Some(swap) = &machine.swap {
        all.extend(swap.cluster_locks.iter().chain([&swap.si_lock, &swap.avail_lock, &swap.tree_lock]));
    }
    all
}

/// The value that a world has, by counting everything.
fn counted(world: &World, what: Quantity) -> i64 {
    let machine = &world.machine;
    let zones = 0..machine.zones.len() as u8;
    let rss = |mm: u8| match (&machine.swap, &machine.rmap) {
        (Some(swap), _) => swap.rss(mm, Rss::Anon),
        (_, Some(rmap)) => [Member::File, Member::Anon, Member::Shmem].map(|member| rmap.rss(mm, member)).iter().sum(),
        _ => 0,
    };
    match what {
        Quantity::Held => {
            let locked = machine.pages.iter().filter(|page| page.has(PageFlag::Locked)).count() as i64;
            let of = |state: &&LockState| i64::from(state.holder != NOBODY) + i64::from(state.readers);
            locked + states(machine).iter().map(of).sum::<i64>()
        }
        Quantity::Waiting => {
            let queues: usize = states(machine).iter().map(|state| state.queue.len()).sum();
            (queues + machine.page_waiters.len()) as i64
        }
        Quantity::Rmw => world.ledger.total_rmw() as i64,
        Quantity::Lru(lru) => machine.zones.iter().map(|zone| i64::from(zone.lru[usize::from(lru)].pages)).sum(),
        Quantity::Pcp => zones.filter_map(|zone| machine.buddy(zone)).map(|buddy| i64::from(buddy.pcp_pages())).sum(),
        Quantity::Free => {
            let free =
                |zone: u8| machine.buddy(zone).map_or(machine.zones[zone as usize].free, |buddy| buddy.free_pages());
            zones.map(|zone| i64::from(free(zone))).sum()
        }
        Quantity::Rss(mm) => rss(mm),
        Quantity::RssOfAll => (0..machine.swap.as_ref().unwrap().rss.len() as u8).map(rss).sum(),
        Quantity::Swap => i64::from(machine.swap.as_ref().unwrap().inuse),
    }
}

/// Steps all over the run, always the same ones: about `n`, and both ends.
fn places(steps: usize, n: u64) -> Vec<usize> {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    let mut places: Vec<usize> = (0..n).map(|_| (random() % (steps as u64 + 1)) as usize).chain([0, steps]).collect();
    places.sort_unstable();
    places
}

fn check(run: &mut Run, n: u64) {
    let what = what(run);
    let all = series(&run.timeline);
    for place in places(run.timeline.len(), n) {
        run.timeline.seek(place);
        for series in &all {
            let expected = counted(run.timeline.world(), series.what);
            assert_eq!(series.at(place as u32), expected, "{what} at step {place}: {:?}", series.what);
        }
    }
    for series in &all {
        assert_eq!(series.points[0].0, 0, "{what}");
        let changes = series.points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 != pair[1].1);
        assert!(changes, "{what}: {:?} has a point where nothing changes", series.what);
    }
}

#[test]
fn quantities_are_those_of_the_machine() {
    for mut run in everything() {
        check(&mut run, 60);
    }
}

#[test]
fn with_several_cpus_too() {
    for (scenario, variant, params) in [
        ("munlock-two-cpus", "0", &[("pages", "12")][..]),
        ("pcp-free", "v4.15", &[("cpus", "4"), ("touch", "40"), ("rounds", "2")]),
        ("pcp-free", "today", &[("cpus", "3"), ("touch", "40"), ("rounds", "2")]),
        ("lru-drain", "sync", &[("cpus", "6"), ("filled_cpus", "3")]),
    ] {
        for schedule in ["round-robin", "seed:7"] {
            check(&mut run_as(scenario, variant, params, schedule), 200);
        }
    }
}

fn find(all: &[Series], what: Quantity) -> Option<&Series> {
    all.iter().find(|series| series.what == what)
}

#[test]
fn each_series_has_its_own() {
    let has = |scenario: &str, variant: &str| {
        let run = run_as(scenario, variant, &[], "round-robin");
        series(&run.timeline).iter().map(|series| series.what).collect::<Vec<_>>()
    };
    let munlock = has("munlock", "0");
    assert!(munlock.contains(&Quantity::Lru(4)) && !munlock.contains(&Quantity::Pcp), "{munlock:?}");
    assert!(!munlock.contains(&Quantity::Waiting), "nobody waits on one CPU: {munlock:?}");
    let pcp = has("pcp-free", "v4.15");
    assert!(pcp.contains(&Quantity::Pcp) && pcp.contains(&Quantity::Free), "{pcp:?}");
    let rmap = has("rmap-unmap", "v6.3");
    assert!(rmap.contains(&Quantity::Rss(0)) && !rmap.contains(&Quantity::Swap), "{rmap:?}");
    let short = [("processes", "5"), ("pages", "24"), ("ram", "72"), ("swap", "160"), ("loops", "2"), ("skew", "8")];
    let madvise = series(&run_as("madvise-free", "free-swap", &short, "timed").timeline);
    assert!(find(&madvise, Quantity::Swap).is_some() && find(&madvise, Quantity::RssOfAll).is_some());
    assert!(find(&madvise, Quantity::Rss(0)).is_none());
}

#[test]
fn munlock_moves_every_page_from_the_unevictable_list() {
    let run = run_as("munlock", "0", &[("pages", "56")], "round-robin");
    let all = series(&run.timeline);
    let unevictable = find(&all, Quantity::Lru(4)).unwrap();
    assert_eq!((unevictable.at(0), unevictable.at(u32::MAX)), (56, 0));
    let rmw = find(&all, Quantity::Rmw).unwrap();
    assert_eq!((rmw.at(0), rmw.at(u32::MAX)), (0, Key::Total.of(&run.ledger) as i64));
}

#[test]
fn slices_read_the_same() {
    let run = run_as("pcp-free", "v4.15", &[("cpus", "2")], "round-robin");
    let mut reader = Reader::new(&run.timeline);
    while !reader.advance(&run.timeline, 7) {
        assert_eq!(reader.read() % 7, 0);
    }
    assert_eq!(reader.read(), run.timeline.len());
    assert_eq!(reader.finish(), series(&run.timeline));
}

fn costs() -> Rc<Costs> {
    let mut costs = Costs::free("test");
    for (nth, &class) in CostClass::ALL.iter().enumerate() {
        costs.set(class, 1000 + 37 * nth as u64);
    }
    Rc::new(costs)
}

#[test]
fn holds_add_up_to_those_of_the_ledger() {
    for run in everything() {
        let timing = Timing::new(&run.timeline, &costs());
        let detail = Detail::new(&run.timeline, Some(&timing));
        let all = holds(&run.timeline, Some(&timing));
        for class in LockClass::ALL {
            let of = || all.iter().filter(|hold| hold.lock.class == class).map(|hold| hold.length);
            let steps: u64 = of().map(|length| u64::from(length.end - length.begin)).sum();
            let sums = (of().count() as u64, steps, of().map(|length| length.ps).sum::<u64>());
            let expected = detail.class(class).map(|lock| (lock.hold.spans, lock.hold.steps, lock.hold.ps));
            assert_eq!(sums, expected.unwrap_or_default(), "{} {class:?}", what(&run));
        }
    }
}

#[test]
fn batches_are_those_of_the_kernel() {
    let moved = |variant: &str| {
        let run = run_as("munlock", variant, &[("pages", "28")], "round-robin");
        let all = holds(&run.timeline, None);
        let lru = all.iter().filter(|hold| hold.lock.class == LockClass::Lru);
        lru.map(|hold| hold.moved).filter(|&moved| moved > 0).collect::<Vec<_>>()
    };
    // Before the batches a page is isolated on its own, and its pagevec of 14 is drained; then 14 at a time.
    assert!(moved("0").contains(&1), "{:?}", moved("0"));
    assert_eq!(moved("6"), [14, 14, 14, 14], "isolated and put back, two batches of 14");
    let run = run_as("pcp-free", "v4.15", &[("batch", "4"), ("high", "12"), ("touch", "24")], "round-robin");
    let zone = holds(&run.timeline, None);
    let freed: Vec<i64> =
        zone.iter().filter(|hold| hold.lock.class == LockClass::Zone).map(|hold| hold.freed).collect();
    assert!(freed.contains(&-4) && freed.contains(&4), "refills and drains are batches of 4: {freed:?}");
    let net: i64 = freed.iter().sum();
    let all = series(&run.timeline);
    let free = find(&all, Quantity::Free).unwrap();
    assert_eq!(net, free.at(u32::MAX) - free.at(0), "what holds of zone->lock free is what becomes free");
}
