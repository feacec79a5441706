//! Later kernels: 5.10 with pagevecs of 15, 6.1 and 7.2 with per-CPU mlock batches. The counts for 16,384 pages are
//! those that were recorded from Debian's kernels 5.10, 6.1 and 7.2.

mod common;

use common::{
    ALL, AtEnd, Totals, batch_sizes, bulk, config, event, finish, flagged, list_of, munlock, page_at, prepared, run,
    spawn_munlock, with_kinds,
};
use sim_core::engine::{Schedule, Timeline, Turn, Until};
use sim_core::kernel::Patch;
use sim_core::kernel::swap::lru_add_drain;
use sim_core::ledger::{Count, How};
use sim_core::machine::{Event, LockClass, PageFlag, Pv, Stat};
use sim_core::op::{Op, Read};
use sim_core::scenario::{Layout, PageKind};
use sim_core::view::PagevecKind;
use std::collections::BTreeMap;

use PageKind::{Hole, InRemotePagevec, Mlocked, NotMlocked, SharedLocked};

const UNEVICTABLE: u8 = 4;

/// Sizes of the mlock batches that were processed in the measured section.
fn mlock_batches(timeline: &Timeline) -> Vec<u64> {
    let emptied = |op| matches!(op, Op::PvecReinit { pv } if pv.kind == PagevecKind::Mlock);
    let records = timeline.records().iter().filter(|record| record.counted && emptied(record.op));
    records.map(|record| record.outcome.undo & 0xff).collect()
}

fn histogram(sizes: &[u64]) -> Vec<(u64, usize)> {
    let mut counts = BTreeMap::new();
    sizes.iter().for_each(|&size| *counts.entry(size).or_insert(0) += 1);
    counts.into_iter().rev().collect()
}

#[test]
fn mlock_batches_cost_six_atomics_a_folio_and_a_lock_a_batch() {
    for (variant, size) in [("v6.1", 15), ("today", 31)] {
        for mglru in [false, true] {
            let a_folio = if mglru { 7 } else { 6 };
            for n in (1..=64).chain([124, 465, 512, 513, 1000]) {
                for pmd_start in [0u64, 500] {
                    let params =
                        [("pages", n.to_string()), ("pmd_start", pmd_start.to_string()), ("mglru", mglru.to_string())];
                    let params: Vec<(&str, &str)> =
                        params.iter().map(|(name, value)| (*name, value.as_str())).collect();
                    let engine = bulk("munlock", variant, &params);
                    let world = engine.world();
                    let what = format!("variant {variant}, {params:?}");
                    let t = Totals::of(&world);
                    let tables = (pmd_start + n).div_ceil(512);
                    let batches = n.div_ceil(size);
                    assert_eq!(t.page, a_folio * n, "{what}");
                    assert_eq!((t.ptl, t.walks), (tables, tables), "{what}");
                    assert_eq!((t.lru_lock, t.irq), (batches, batches), "{what}");
                    assert_eq!(t.all, a_folio * n + tables + batches, "{what}");
                    assert_eq!(t.preempt, n + 4, "{what}");
                    assert_eq!((t.list_del, t.list_add), (0, n), "{what}");
                    // NR_MLOCK, and two counters off the one list and on the other.
                    assert_eq!((t.stat_safe, t.stat_plain), (n, 4 * n), "{what}");
                    assert_eq!(t.events, 2 * n, "{what}");
                    assert_eq!((t.page_locks, world.ledger.count(Count::Rwsem)), (0, 0), "{what}");
                    let left = [PagevecKind::Mlock, PagevecKind::LruAdd]
                        .map(|kind| world.machine.pagevec(Pv { kind, owner: 0 }).nr);
                    assert_eq!(left, [0, 0], "{what}");
                }
            }
        }
    }
}

#[test]
fn each_atomic_of_a_folio_once() {
    for variant in ["v6.1", "today"] {
        let end = munlock(variant, &Layout::plain(100));
        let ledger = &end.world().ledger;
        for (flag, how) in [
            (PageFlag::Lru, How::TestClear),
            (PageFlag::Mlocked, How::TestClear),
            (PageFlag::Unevictable, How::Clear),
            (PageFlag::Lru, How::Set),
        ] {
            assert_eq!(ledger.flag(flag, how), 100, "variant {variant}, {flag:?}, {how:?}");
        }
        assert_eq!(ledger.refcount_rmw(), 200, "variant {variant}");
        assert_eq!(ledger.page_rmw(), 600, "variant {variant}");
    }
}

#[test]
fn a_folio_of_another_zone_takes_its_lock() {
    for variant in ["v6.1", "today"] {
        let layout = Layout { zones: 2, interleave: true, ..Layout::plain(50) };
        assert_eq!(Totals::of(munlock(variant, &layout).world()).lru_lock, 50, "variant {variant}");
    }
}

#[test]
fn a_missing_page_table_is_walked_to_and_no_more() {
    let mut kinds = vec![Mlocked; 3];
    kinds.extend([Hole; 509 + 512]);
    kinds.push(Mlocked);
    for variant in ["v6.1", "today"] {
        let t = Totals::of(munlock(variant, &with_kinds(&kinds)).world());
        assert_eq!((t.walks, t.ptl, t.page), (3, 2, 24), "variant {variant}");
    }
}

#[test]
fn a_folio_that_is_not_mlocked_goes_back_as_it_was() {
    for variant in ["v6.1", "today"] {
        let end = munlock(variant, &with_kinds(&[NotMlocked]));
        let t = Totals::of(end.world());
        // Pin, PG_lru off, PG_mlocked tried, PG_lru on, pin off.
        assert_eq!((t.page, t.lru_lock, t.events, t.stat_safe + t.stat_plain), (5, 1, 0, 0), "variant {variant}");
        assert_eq!((t.list_del, t.list_add), (0, 0), "variant {variant}");
    }
}

#[test]
fn the_last_mlock_count_takes_the_folio_off_the_unevictable_list() {
    for variant in ["v6.1", "today"] {
        let config = config(variant);
        let mut start = prepared(config, &with_kinds(&[SharedLocked]), Schedule::RoundRobin);
        let page = page_at(&start.world().machine, 0);
        assert_eq!(start.world().machine.page(page).prev, 2, "variant {variant}: two processes have mlocked it");
        spawn_munlock(&mut start, 0);
        let end = finish(start);
        let world = end.world();
        assert_eq!(world.machine.page(page).prev, 1, "variant {variant}");
        assert!(world.machine.page(page).has(PageFlag::Mlocked), "variant {variant}");
        assert_eq!(list_of(config, &world.machine, page), UNEVICTABLE, "variant {variant}");
        let t = Totals::of(world);
        // Pin, PG_lru off and on, pin off: the count is a plain store under the lock.
        assert_eq!((t.page, t.lru_lock, t.events, t.stat_safe + t.stat_plain), (4, 1, 0, 0), "variant {variant}");
        assert_eq!(world.machine.stat(Stat::Mlock), 1, "variant {variant}");

        let mut engine = common::resumed(config, &world.machine);
        let other = sim_core::machine::VmaId { mm: 1, vma: 0 };
        engine.spawn("munlock", 0, move |cpu| async move { sim_core::kernel::mlock::sys_munlock(&cpu, other).await });
        engine.run().unwrap();
        let machine = &engine.world().machine;
        assert!(!machine.page(page).has(PageFlag::Mlocked), "variant {variant}");
        assert_eq!(list_of(config, machine, page), 0, "variant {variant}");
        assert_eq!(machine.stat(Stat::Mlock), 0, "variant {variant}");
    }
}

#[test]
fn a_huge_folio_is_a_batch_of_its_own() {
    for variant in ["v6.1", "today"] {
        let engine = common::munlock_in_bulk(variant, &Layout { thp: true, ..with_kinds(&[Mlocked; 3]) });
        let world = engine.world();
        let t = Totals::of(&world);
        assert_eq!((t.page, t.ptl, t.lru_lock, t.walks), (18, 3, 3, 3), "variant {variant}");
        assert_eq!(event(&world, Event::Munlocked), 3 * 512, "variant {variant}");
        assert_eq!(event(&world, Event::Rescued), 3 * 512, "variant {variant}");
        assert_eq!(world.machine.stat(Stat::Mlock), 0, "variant {variant}");
    }
}

#[test]
fn a_drain_that_decides_too_early_strands_the_page() {
    // CPU 1 drains: it has seen PG_mlocked and holds the lock; CPU 0 munlocks, and needs no lock for a page off its list.
    for variant in ["v6.1", "today"] {
        let layout = with_kinds(&[InRemotePagevec]);
        let page = page_at(&layout.set_up(config(variant)).world().machine, 0);
        let windows = [
            (Op::Read { what: Read::Evictable, page }, Event::Munlocked),
            (Op::Flag { flag: PageFlag::Unevictable, how: How::Set, page }, Event::Stranded),
        ];
        for (op, counted) in windows {
            let turns = vec![Turn { cpu: 1, until: Until::After(op) }, Turn { cpu: 0, until: Until::Blocked }];
            let mut engine = prepared(config(variant), &layout, Schedule::Script(turns));
            spawn_munlock(&mut engine, 0);
            engine.spawn("kworker", 1, |cpu| async move { lru_add_drain(&cpu).await });
            let end = finish(engine);
            let violation = end.violation().unwrap();
            assert!(violation.rule.starts_with("13: "), "variant {variant}: {violation:?}");
            assert_eq!(event(end.world(), counted), 1, "variant {variant}");
            let page = *end.world().machine.page(page);
            let flags = [PageFlag::Lru, PageFlag::Unevictable, PageFlag::Mlocked].map(|flag| page.has(flag));
            assert_eq!(flags, [true, true, false], "variant {variant}");
        }
    }
    // In 5.10 the drain has set PG_lru by then, so munlock waits for the lock and isolates the page.
    let layout = with_kinds(&[InRemotePagevec]);
    let page = page_at(&layout.set_up(config("v5.10")).world().machine, 0);
    let turns = vec![
        Turn { cpu: 1, until: Until::After(Op::Read { what: Read::Evictable, page }) },
        Turn { cpu: 0, until: Until::Blocked },
    ];
    let mut engine = prepared(config("v5.10"), &layout, Schedule::Script(turns));
    spawn_munlock(&mut engine, 0);
    engine.spawn("kworker", 1, |cpu| async move { lru_add_drain(&cpu).await });
    assert_eq!(finish(engine).violation(), None);
}

/// munlock of 16,384 pages that begin at such an index of their page table.
fn recorded_on_real_kernels(variant: &str, pmd_start: &str, mglru: &str) -> Timeline {
    run("munlock", variant, &[("pages", "16384"), ("pmd_start", pmd_start), ("mglru", mglru)]).at_end()
}

/// Updates of the counters of the node's lists, of their zone twins, and of NR_MLOCK.
fn stat_updates(timeline: &Timeline) -> [usize; 3] {
    let mut counts = [0; 3];
    for record in timeline.records().iter().filter(|record| record.counted) {
        if let Op::Stat { item, .. } = record.op {
            counts[match item {
                Stat::Mlock => 2,
                item if item >= Stat::ZoneInactiveAnon => 1,
                _ => 0,
            }] += 1;
        }
    }
    counts
}

#[test]
fn linux_5_10_munlocks_16384_pages_in_1120_batches() {
    // A full page table is 34 batches of 15 and one of 2. 31 of them leave 512 pages for the first and the last one:
    // a + b = 512 with remainders 8 and 9, so a is 8 or 9 more than a multiple of 15. Here a is 8.
    let pmd_start = 512 - 8;
    let end = recorded_on_real_kernels("v5.10", &pmd_start.to_string(), "false");
    assert_eq!(end.violation(), None);
    let sizes = batch_sizes(&end);
    assert_eq!(histogram(&sizes), [(15, 1087), (9, 1), (8, 1), (2, 31)]);
    assert_eq!(sizes.len(), 1120);
    let world = end.world();
    let t = Totals::of(world);
    // One round to isolate, one to put back.
    assert_eq!(t.lru_lock, 1120 + 1120);
    // follow_page_mask and get_locked_pte.
    assert_eq!(t.walks, 1120 + 1120);
    assert_eq!(stat_updates(&end), [32_768, 32_768, 1120]);
    assert_eq!((t.cpu_adds, t.drains), (0, 0));
    lands(&end, Stat::InactiveAnon);
}

#[test]
fn other_starts_give_other_remainders() {
    // Both remainders, wherever the range begins in the table.
    for (pmd_start, fits) in
        [(504, true), (503, true), (489, true), (488, true), (0, false), (505, false), (256, false)]
    {
        let mut sizes = common::batches_by_table(pmd_start, 16_384, 15);
        sizes.sort_unstable();
        let found = histogram(&sizes) == [(15, 1087), (9, 1), (8, 1), (2, 31)];
        assert_eq!(found, fits, "pmd_start {pmd_start}");
    }
}

#[test]
fn linux_6_1_munlocks_16384_pages_in_1093_batches() {
    let end = recorded_on_real_kernels("v6.1", "0", "false");
    assert_eq!(end.violation(), None);
    assert_eq!(histogram(&mlock_batches(&end)), [(15, 1092), (4, 1)]);
    let t = Totals::of(end.world());
    assert_eq!((t.lru_lock, t.walks), (1093, 32));
    assert_eq!(stat_updates(&end), [32_768, 32_768, 16_384]);
    lands(&end, Stat::InactiveAnon);
    // In the middle of a page table there are 33.
    assert_eq!(Totals::of(&bulk("munlock", "v6.1", &[("pages", "16384"), ("pmd_start", "77")]).world()).walks, 33);
}

#[test]
fn linux_6_1_munlocks_256_pages_in_18_batches() {
    let end = run("munlock", "v6.1", &[("pages", "256")]).at_end();
    assert_eq!(histogram(&mlock_batches(&end)), [(15, 17), (1, 1)]);
    assert_eq!(Totals::of(end.world()).lru_lock, 18);
    let calls = |name| end.frames().iter().filter(|frame| frame.func.name == name).count();
    assert_eq!((calls("munlock_folio"), calls("mlock_folio_batch"), calls("lru_add_drain")), (256, 18, 2));
}

#[test]
fn linux_7_2_munlocks_16384_pages_in_529_batches() {
    let end = recorded_on_real_kernels("today", "0", "true");
    assert_eq!(end.violation(), None);
    assert_eq!(histogram(&mlock_batches(&end)), [(31, 528), (16, 1)]);
    let t = Totals::of(end.world());
    assert_eq!((t.lru_lock, t.walks), (529, 32));
    assert_eq!(stat_updates(&end), [32_768, 32_768, 16_384]);
    // The youngest generation counts as active.
    lands(&end, Stat::ActiveAnon);
}

/// Where 16,384 pages are after munlock, and what has been counted since they were mapped.
fn lands(end: &Timeline, item: Stat) {
    let machine = &end.world().machine;
    assert_eq!(machine.stat(item), 16_384);
    assert_eq!((machine.stat(Stat::Unevictable), machine.stat(Stat::Mlock)), (0, 0));
    for event in [Event::Culled, Event::Mlocked, Event::Rescued, Event::Munlocked] {
        assert_eq!(machine.events[event as usize], 16_384, "{event:?}");
    }
}

#[test]
fn one_munlock_call_a_page_in_every_kernel() {
    for variant in ALL {
        let end = munlock(variant, &Layout::plain(40));
        let clears = end
            .records()
            .iter()
            .filter(|record| matches!(record.op, Op::Flag { flag: PageFlag::Mlocked, how: How::TestClear, .. }));
        assert_eq!(clears.count(), 40, "variant {variant}");
    }
}

#[test]
fn a_range_before_it_is_munlocked() {
    // What a range looks like before it is munlocked: everything on the unevictable list, nothing in a pagevec.
    for variant in ALL {
        let config = config(variant);
        let engine = Layout::plain(100).set_up(config);
        let machine = &engine.world().machine;
        assert_eq!(machine.stat(Stat::Unevictable), 100, "variant {variant}");
        assert_eq!(flagged(machine, PageFlag::Mlocked), 100, "variant {variant}");
        assert!(machine.pagevecs.iter().all(|pvec| pvec.nr == 0), "variant {variant}");
        assert!(machine.diffs.iter().flatten().all(|&diff| diff == 0), "variant {variant}");
        for page in &machine.pages {
            let expected = [PageFlag::Lru, PageFlag::Mlocked, PageFlag::Unevictable, PageFlag::Swapbacked];
            assert!(expected.iter().all(|&flag| page.has(flag)), "variant {variant}");
            assert_eq!((page.count, page.mapcount), (1, 1), "variant {variant}");
            assert!(!page.has(PageFlag::Active) && !page.has(PageFlag::Locked), "variant {variant}");
            let referenced = !config.has(Patch::MlockBatch);
            assert_eq!(page.has(PageFlag::Referenced), referenced, "variant {variant}");
        }
        let tail_first: Vec<u32> = machine.list(0, UNEVICTABLE).collect();
        let linked = if config.has(Patch::MlockBatch) { 0 } else { 100 };
        assert_eq!(tail_first.len(), linked, "variant {variant}");
        assert_eq!(machine.lock(sim_core::machine::LockId { class: LockClass::Lru, index: 0 }).holder, 255);
    }
}
