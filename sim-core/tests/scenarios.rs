//! Each scenario to its end: where the pages are, what the counters say, what waits where. Costs are in the tables.

mod common;

use common::{
    ALL, AtEnd, TABLES, VMA, config, drained, event, finish, flagged, list_of, munlock, page_at, prepared, run, run_as,
    spawn_munlock, waiting, with_kinds,
};
use sim_core::engine::{Engine, Schedule, Timeline, Turn, Until};
use sim_core::kernel::swap::lru_add_drain;
use sim_core::kernel::vmscan::cull_page;
use sim_core::kernel::{Config, Patch};
use sim_core::ledger::{Count, How};
use sim_core::machine::{Event, LockClass, Machine, PageFlag, Pfn, Stat};
use sim_core::op::{Op, Read};
use sim_core::scenario::{Layout, PageKind};

use PageKind::{Hole, InRemotePagevec, Mlocked, NotMlocked, Shared, SharedLocked, Zero};

const INACTIVE_ANON: u8 = 0;
const UNEVICTABLE: u8 = 4;

/// What munlock of a range must have done, when no isolation failed and nobody else has mlocked a page.
fn munlocked(what: &str, variant: &str, end: &Timeline, pages: u64) {
    let world = end.world();
    let machine = &world.machine;
    assert_eq!(flagged(machine, PageFlag::Mlocked), 0, "{what}, variant {variant}");
    assert_eq!(machine.stat(Stat::Mlock), 0, "{what}, variant {variant}");
    assert_eq!(event(world, Event::Munlocked), pages, "{what}, variant {variant}");
    let rescued = if config(variant).has(Patch::RfcPgrescued) { 0 } else { pages };
    assert_eq!(event(world, Event::Rescued), rescued, "{what}, variant {variant}");
}

/// Pages on the LRU lists of all zones, by list.
fn on_lists(machine: &Machine) -> [u32; 5] {
    let mut sums = [0; 5];
    for zone in &machine.zones {
        for (sum, list) in sums.iter_mut().zip(&zone.lru) {
            *sum += list.pages;
        }
    }
    sums
}

/// After a drain everywhere: no pagevec holds anything, each page is on a list and held by its PTEs and the page cache.
fn all_at_home(what: &str, config: Config, machine: &Machine) -> Machine {
    let machine = drained(config, machine);
    assert!(machine.pagevecs.iter().all(|pvec| pvec.nr == 0), "{what}");
    let cached: Vec<Pfn> = machine.mappings.iter().flat_map(|mapping| mapping.cache.iter().copied()).collect();
    for (pfn, page) in machine.pages.iter().enumerate() {
        if page.has(PageFlag::Free) || page.has(PageFlag::Tail) {
            continue;
        }
        assert!(page.has(PageFlag::Lru), "{what}: page {pfn} is on no list");
        let held = page.mapcount + i32::from(cached.contains(&(pfn as Pfn)));
        assert_eq!(page.count, held, "{what}: page {pfn}");
    }
    machine
}

#[test]
fn a_plain_range_of_whole_and_of_partial_batches() {
    for variant in ALL {
        for pages in (1..=31).chain([42, 56, 61, 124]) {
            let end = munlock(variant, &Layout::plain(pages));
            munlocked("plain", variant, &end, u64::from(pages));
            let machine = &end.world().machine;
            let left = waiting(machine, 0) as u32;
            let expected = match variant {
                "0" | "1" => 1,
                "2" | "3" | "4" => pages - 14 * (pages.div_ceil(14) - 1),
                _ => 0,
            };
            assert_eq!(left, expected, "variant {variant}, {pages} pages");
            assert_eq!(on_lists(machine), [pages - left, 0, 0, 0, 0], "variant {variant}, {pages} pages");
            let machine = all_at_home("plain", config(variant), machine);
            assert_eq!(on_lists(&machine), [pages, 0, 0, 0, 0], "variant {variant}, {pages} pages");
        }
    }
}

#[test]
fn holes_and_zero_pages() {
    let kinds = [Mlocked, Hole, Zero, Mlocked, Mlocked, Hole, Hole, Mlocked, Zero];
    for variant in ALL {
        for times in [1, 5] {
            let kinds = kinds.repeat(times);
            let end = munlock(variant, &with_kinds(&kinds));
            let pages = 4 * times;
            munlocked("holes", variant, &end, pages as u64);
            let machine = all_at_home("holes", config(variant), &end.world().machine);
            assert_eq!(on_lists(&machine), [pages as u32, 0, 0, 0, 0], "variant {variant}");
        }
    }
}

#[test]
fn page_tables_that_are_not_there() {
    // 100 pages, three page tables without any, 100 pages.
    let mut kinds = vec![Mlocked; 100];
    kinds.extend(vec![Hole; 512 * 3]);
    kinds.extend(vec![Mlocked; 100]);
    for variant in ALL {
        let end = munlock(variant, &with_kinds(&kinds));
        munlocked("missing page tables", variant, &end, 200);
    }
}

#[test]
fn two_zones() {
    for variant in ALL {
        for interleave in [false, true] {
            let layout = Layout { zones: 2, interleave, ..Layout::plain(50) };
            let end = munlock(variant, &layout);
            munlocked("two zones", variant, &end, 50);
            let machine = all_at_home("two zones", config(variant), &end.world().machine);
            for zone in &machine.zones {
                assert_eq!(zone.lru[0].pages, 25, "variant {variant}");
            }
        }
    }
}

#[test]
fn pages_in_a_remote_pagevec_come_back_with_its_drain() {
    let mut kinds = vec![Mlocked; 30];
    kinds[..5].fill(InRemotePagevec);
    for variant in ALL {
        let end = munlock(variant, &with_kinds(&kinds));
        let world = end.world();
        assert_eq!(waiting(&world.machine, 1), 5, "variant {variant}");
        assert_eq!(event(world, Event::Munlocked), 30, "variant {variant}");
        // A page that was never on the unevictable list is not rescued.
        let rescued = if config(variant).has(Patch::RfcPgrescued) { 0 } else { 25 };
        assert_eq!(event(world, Event::Rescued), rescued, "variant {variant}");
        let machine = all_at_home("remote pagevec", config(variant), &world.machine);
        assert_eq!(on_lists(&machine), [30, 0, 0, 0, 0], "variant {variant}");
    }
}

#[test]
fn truncation_frees_the_page_where_nothing_breaks() {
    for variant in ["0", "1", "2", "fixed", "v5.10", "v6.1", "today"] {
        let end = run("munlock-truncate", variant, &[]).at_end();
        assert_eq!(end.violation(), None, "variant {variant}");
        let machine = &end.world().machine;
        assert_eq!(flagged(machine, PageFlag::Free), 1, "variant {variant}");
        let machine = all_at_home("truncate", config(variant), machine);
        assert_eq!(on_lists(&machine), [0, 0, 13, 0, 0], "variant {variant}");
        assert_eq!(machine.events[Event::Free as usize], 1, "variant {variant}");
    }
}

#[test]
fn shared_pages_are_munlocked_unless_the_other_process_has_mlocked_them() {
    let mut kinds = vec![Mlocked; 30];
    kinds[3] = Shared;
    kinds[15] = Shared;
    kinds[16] = SharedLocked;
    for variant in ALL {
        let end = munlock(variant, &with_kinds(&kinds));
        let world = end.world();
        let machine = all_at_home("shared", config(variant), &world.machine);
        let page = page_at(&machine, 16);
        assert_eq!(flagged(&machine, PageFlag::Mlocked), 1, "variant {variant}");
        assert_eq!(list_of(config(variant), &machine, page), UNEVICTABLE, "variant {variant}");
        assert_eq!(machine.stat(Stat::Mlock), 1, "variant {variant}");
        assert_eq!(on_lists(&machine), [29, 0, 0, 0, 1], "variant {variant}");
        assert_eq!(event(world, Event::Munlocked), 29, "variant {variant}");
    }
}

/// Reclaim puts a page back on CPU 0, munlock passes on CPU 1; the page is what the event is about.
fn putback(config: Config, layout: &Layout, turns: impl Fn(Pfn) -> Vec<Turn>) -> (Timeline, Pfn) {
    let mut engine = layout.set_up(config);
    if layout.kinds[0] == InRemotePagevec {
        // The drain leaves the page mlocked on an evictable list.
        engine.spawn("kworker", 1, |cpu| async move { lru_add_drain(&cpu).await });
        engine.run().unwrap();
    }
    let page = page_at(&engine.world().machine, 0);
    let checker = Some(sim_core::engine::Checker::new(config, &engine.world().machine));
    let schedule = Schedule::Script(turns(page));
    engine.machine_mut().events = Default::default();
    engine.begin(sim_core::engine::Setup { schedule, checker, ..Default::default() }, false);
    engine.spawn("reclaim", 0, move |cpu| async move { cull_page(&cpu, page).await });
    spawn_munlock(&mut engine, 1);
    (finish(engine), page)
}

fn after(cpu: u8, op: Op) -> Turn {
    Turn { cpu, until: Until::After(op) }
}

fn to_the_end(cpu: u8) -> Turn {
    Turn { cpu, until: Until::Blocked }
}

const LRU_UNLOCK: Op = Op::SpinUnlock { class: LockClass::Lru, irq: true, index: 0 };

fn looked(page: Pfn) -> Op {
    Op::Read { what: Read::Evictable, page }
}

fn flag(flag: PageFlag, how: How, page: Pfn) -> Op {
    Op::Flag { flag, how, page }
}

/// Two CPUs, one page.
fn one_of_two(kind: PageKind) -> Layout {
    Layout { cpus: 2, ..with_kinds(&[kind]) }
}

/// Events of a run: PGRESCUED, PGCULLED, PGMUNLOCKED, PGSTRANDED.
fn events(machine: &Machine) -> [u64; 4] {
    [Event::Rescued, Event::Culled, Event::Munlocked, Event::Stranded].map(|event| machine.events[event as usize])
}

fn evictable_in_the_end(what: &str, variant: &str, end: &Timeline, page: Pfn) {
    assert_eq!(end.violation(), None, "{what}, variant {variant}");
    let machine = all_at_home(what, config(variant), &end.world().machine);
    assert_eq!(list_of(config(variant), &machine, page), INACTIVE_ANON, "{what}, variant {variant}");
}

#[test]
fn the_second_look_rescues_the_page() {
    for variant in TABLES {
        let turns = |page| vec![after(0, looked(page)), to_the_end(1)];
        // Isolated from the unevictable list: rescued in the end.
        let (end, page) = putback(config(variant), &one_of_two(Mlocked), turns);
        evictable_in_the_end("x = 1", variant, &end, page);
        assert_eq!(events(&end.world().machine), [1, 0, 1, 0], "variant {variant}");
        // Isolated from an evictable list: neither rescued nor culled, since it ends where it came from.
        let (end, page) = putback(config(variant), &one_of_two(InRemotePagevec), turns);
        evictable_in_the_end("x = 0", variant, &end, page);
        assert_eq!(events(&end.world().machine), [0, 0, 1, 0], "variant {variant}");
    }
}

#[test]
fn the_scenario_ends_as_the_race_does() {
    for variant in TABLES {
        let end = run("putback-race", variant, &[]).at_end();
        let page = page_at(&end.world().machine, 0);
        evictable_in_the_end("putback-race", variant, &end, page);
        // The second list_add of the page shows that it went round the loop once more.
        let adds = end.records().iter().filter(|record| matches!(record.op, Op::ListAdd { lru: UNEVICTABLE, .. }));
        assert_eq!(adds.count(), 1, "variant {variant}");
    }
}

#[test]
fn without_the_second_look_the_page_is_stranded() {
    for (name, value) in [("no_recheck", "true"), ("hoisted", "true")] {
        for variant in TABLES {
            let end = run("putback-race", variant, &[(name, value)]).at_end();
            let violation = end.violation().unwrap();
            assert!(violation.rule.starts_with("13: "), "variant {variant}, {name}: {violation:?}");
            let machine = &end.world().machine;
            let page = page_at(machine, 0);
            assert_eq!(list_of(config(variant), machine, page), UNEVICTABLE, "variant {variant}, {name}");
            assert!(!machine.page(page).has(PageFlag::Mlocked), "variant {variant}, {name}");
            // No drain helps: nothing scans that list.
            let machine = drained(config(variant), machine);
            assert_eq!(list_of(config(variant), &machine, page), UNEVICTABLE, "variant {variant}, {name}");
        }
    }
}

#[test]
fn without_the_second_look_only_stranding_can_happen_and_some_schedules_avoid_it() {
    for name in ["no_recheck", "hoisted"] {
        for variant in TABLES {
            let mut stranded = 0;
            for seed in 0..200 {
                let run = run_as("putback-race", variant, &[(name, "true")], &format!("seed:{seed}"));
                if let Some(violation) = run.timeline.violation() {
                    assert!(violation.rule.starts_with("13: "), "variant {variant}, seed {seed}: {violation:?}");
                    stranded += 1;
                }
            }
            assert!((1..200).contains(&stranded), "variant {variant}, {name}: {stranded} of 200");
        }
    }
}

#[test]
fn munlock_between_the_two_flags_counts_the_page_as_stranded() {
    // PG_unevictable is set and PG_lru is not yet: only a look without the lock can see that.
    for variant in TABLES {
        let turns =
            |page| vec![after(0, looked(page)), after(0, flag(PageFlag::Unevictable, How::Set, page)), to_the_end(1)];
        let (end, page) = putback(config(variant), &one_of_two(Mlocked), turns);
        evictable_in_the_end("between the flags", variant, &end, page);
        let under_lock = config(variant).has(Patch::BatchIsolate);
        let found = events(&end.world().machine);
        if under_lock {
            assert_eq!((found[2], found[3]), (1, 0), "variant {variant}: {found:?}");
        } else {
            assert_eq!(found, [1, 0, 0, 1], "variant {variant}");
        }
    }
}

#[test]
fn munlock_after_the_page_is_listed_wins_it() {
    for variant in TABLES {
        // The first unlock is that of the isolation, the next one that of the direct add.
        let turns = |page| {
            let isolated = flag(PageFlag::Lru, How::Clear, page);
            vec![after(0, looked(page)), after(0, LRU_UNLOCK), after(1, isolated), to_the_end(0)]
        };
        let (end, page) = putback(config(variant), &one_of_two(Mlocked), turns);
        evictable_in_the_end("listed", variant, &end, page);
        // Munlock rescues it (as posted, 5 and 6 do not count that); reclaim sees it gone and counts nothing.
        let rescued = u64::from(!config(variant).has(Patch::RfcPgrescued));
        assert_eq!(events(&end.world().machine), [rescued, 0, 1, 0], "variant {variant}");
    }
}

#[test]
fn of_two_that_see_the_page_listed_exactly_one_isolates_it() {
    for variant in ["0", "1", "2"] {
        for first in [0, 1] {
            let turns = |page| {
                let sees_it = Op::Read { what: Read::Flag(PageFlag::Lru), page };
                vec![
                    after(0, looked(page)),
                    after(0, LRU_UNLOCK),
                    after(1, flag(PageFlag::Mlocked, How::TestClear, page)),
                    after(0, looked(page)),
                    after(0, sees_it),
                    after(1, sees_it),
                    to_the_end(first),
                ]
            };
            let (end, page) = putback(config(variant), &one_of_two(Mlocked), turns);
            evictable_in_the_end("both look", variant, &end, page);
            let off = end.records().iter().filter(|record| matches!(record.op, Op::ListDel { lru: UNEVICTABLE, .. }));
            let by: Vec<u8> = off.map(|record| record.cpu).collect();
            assert_eq!(by, [0, first], "variant {variant}: the isolation of reclaim, then the one that wins");
        }
    }
}

#[test]
fn after_a_migration_pages_stay_in_the_pagevec_of_the_old_cpu() {
    let table = [
        // Variant, cond_resched calls before the move, left on CPU 0, left on CPU 1.
        ("0", "17", 1, 1),
        ("1", "17", 1, 1),
        // 18 pages fill one pagevec and leave 4; 38 fill two and leave 10.
        ("2", "17", 4, 10),
        // One batch is done by then, and stands in the pagevec in full; 42 pages follow.
        ("3", "17", 14, 14),
        ("4", "17", 14, 14),
        ("5", "17", 0, 0),
        ("6", "17", 0, 0),
        ("7-v2", "1", 0, 0),
        ("7", "1", 0, 0),
        ("fixed", "1", 0, 0),
        ("v5.10", "1", 0, 0),
    ];
    for (variant, at, old, new) in table {
        let end = run("munlock-migrate", variant, &[("at", at)]).at_end();
        assert_eq!(end.violation(), None, "variant {variant}");
        assert!(end.records().iter().any(|record| record.op == Op::Migrate { cpu: 1 }), "variant {variant}");
        let machine = &end.world().machine;
        assert_eq!((waiting(machine, 0), waiting(machine, 1)), (old, new), "variant {variant}");
        munlocked("migrate", variant, &end, 56);
        let machine = all_at_home("migrate", config(variant), machine);
        assert_eq!(on_lists(&machine), [56, 0, 0, 0, 0], "variant {variant}");
    }
    let end = run("munlock-migrate", "0", &[("at", "17")]).at_end();
    let machine = &end.world().machine;
    let left = |cpu| {
        let pv = sim_core::machine::Pv { kind: sim_core::view::PagevecKind::LruAdd, owner: cpu };
        machine.pagevec(pv).filled().to_vec()
    };
    assert_eq!(left(0), [page_at(machine, 17)], "the page before the move");
    assert_eq!(left(1), [page_at(machine, 55)], "the last page");
}

#[test]
fn a_remote_drain_and_munlock_in_any_order() {
    for variant in ALL.into_iter().filter(|variant| !["v6.1", "today"].contains(variant)) {
        for seed in 0..60 {
            let params = [("pages", "9"), ("in_remote_pagevec", "4")];
            let end = run_as("munlock-drain", variant, &params, &format!("seed:{seed}")).at_end();
            assert_eq!(end.violation(), None, "variant {variant}, seed {seed}");
            let machine = all_at_home("drain", config(variant), &end.world().machine);
            assert_eq!(on_lists(&machine), [9, 0, 0, 0, 0], "variant {variant}, seed {seed}");
            assert_eq!(event(end.world(), Event::Munlocked), 9, "variant {variant}, seed {seed}");
        }
    }
}

#[test]
fn two_processes_that_share_nothing_but_the_zone() {
    for variant in ALL {
        for seed in 0..20 {
            let end = run_as("munlock-two-cpus", variant, &[("pages", "20")], &format!("seed:{seed}")).at_end();
            assert_eq!(end.violation(), None, "variant {variant}, seed {seed}");
            munlocked("two processes", variant, &end, 40);
            let machine = all_at_home("two processes", config(variant), &end.world().machine);
            assert_eq!(on_lists(&machine), [40, 0, 0, 0, 0], "variant {variant}, seed {seed}");
        }
    }
}

#[test]
fn waiting_for_a_lock_changes_no_count() {
    for variant in ALL {
        let alone = munlock(variant, &Layout::plain(56));
        let one = &alone.world().ledger;
        let mut waited = 0;
        for schedule in ["round-robin", "seed:1", "seed:2", "seed:3"] {
            let both = run_as("munlock-two-cpus", variant, &[], schedule).at_end();
            let two = &both.world().ledger;
            let what = format!("variant {variant}, {schedule}");
            assert_eq!(two.page_rmw(), 2 * one.page_rmw(), "{what}");
            assert_eq!(two.spin_rmw(), 2 * one.spin_rmw(), "{what}");
            assert_eq!(two.count(Count::IrqPairs), 2 * one.count(Count::IrqPairs), "{what}");
            assert_eq!(two.lock(LockClass::Lru).acquired, 2 * one.lock(LockClass::Lru).acquired, "{what}");
            // Two tasks: one waits at most.
            let lru = two.lock(LockClass::Lru);
            assert_eq!(lru.max_waiters, u64::from(lru.contended > 0), "{what}");
            waited += lru.contended;
        }
        assert!(waited > 0, "variant {variant}: no schedule makes them meet");
    }
}

/// The events of munlock while reclaim has a page, when reclaim has made an operation.
fn against_reclaim(variant: &str, until: impl Fn(Pfn) -> Op) -> (Engine, Pfn) {
    let layout = Layout { cpus: 2, ..Layout::plain(20) };
    let page = page_at(&layout.set_up(config(variant)).world().machine, 9);
    let schedule = Schedule::Script(vec![after(1, until(page)), to_the_end(0)]);
    let mut engine = prepared(config(variant), &layout, schedule);
    spawn_munlock(&mut engine, 0);
    engine.spawn("reclaim", 1, move |cpu| async move { cull_page(&cpu, page).await });
    engine.run().unwrap();
    (engine, page)
}

#[test]
fn a_page_that_reclaim_has_is_stranded_or_munlocked_by_its_flag() {
    for variant in ALL {
        // Isolated, PG_unevictable still set.
        let (engine, page) = against_reclaim(variant, |_| LRU_UNLOCK);
        let world = engine.world().clone();
        assert_eq!(engine.violation(), None, "variant {variant}");
        assert_eq!((event(&world, Event::Stranded), event(&world, Event::Munlocked)), (1, 19), "variant {variant}");
        let machine = all_at_home("reclaim", config(variant), &world.machine);
        assert_eq!(list_of(config(variant), &machine, page), INACTIVE_ANON, "variant {variant}: reclaim repairs it");
        // From 4.16 on putback leaves the flag to the drain.
        if config(variant).has(Patch::DrainDecides) {
            continue;
        }
        let (engine, page) = against_reclaim(variant, |page| flag(PageFlag::Unevictable, How::Clear, page));
        let world = engine.world().clone();
        assert_eq!(engine.violation(), None, "variant {variant}");
        assert_eq!((event(&world, Event::Stranded), event(&world, Event::Munlocked)), (0, 20), "variant {variant}");
        let machine = all_at_home("reclaim", config(variant), &world.machine);
        assert_eq!(list_of(config(variant), &machine, page), INACTIVE_ANON, "variant {variant}: reclaim repairs it");
    }
}

#[test]
fn reclaim_of_one_page_leaves_the_rest_alone() {
    for variant in ALL {
        let end = run("munlock-reclaim", variant, &[]).at_end();
        assert_eq!(end.violation(), None, "variant {variant}");
        let world = end.world();
        assert_eq!((event(world, Event::Stranded), event(world, Event::Munlocked)), (1, 55), "variant {variant}");
        let machine = all_at_home("reclaim", config(variant), &world.machine);
        assert_eq!(on_lists(&machine), [56, 0, 0, 0, 0], "variant {variant}");
    }
}

#[test]
fn a_mixed_range_ends_where_it_should() {
    let kinds = [Mlocked, NotMlocked, Shared, Hole, SharedLocked, InRemotePagevec, Zero].repeat(6);
    for variant in ALL {
        let kinds: Vec<PageKind> = kinds.iter().copied().take(42).collect();
        let end = munlock(variant, &with_kinds(&kinds));
        let machine = all_at_home("mixed", config(variant), &end.world().machine);
        assert_eq!(on_lists(&machine), [24, 0, 0, 0, 6], "variant {variant}");
        assert_eq!(flagged(&machine, PageFlag::Mlocked), 6, "variant {variant}");
        assert!(!machine.vma(VMA).locked, "variant {variant}");
    }
}
