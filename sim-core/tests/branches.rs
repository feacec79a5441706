//! What one page costs when it is not the plain case: each row of the table of branches, for each variant.
//!
//! Most rows are runs of one page, whose counts are the row; expectations are written out by level.

mod common;

use common::{
    Level, TABLES, Totals, VMA, batch_sizes, config, event, finish, flagged, forward_until, level, munlock,
    munlock_in_bulk, munlock_until_it_ends, one, page_at, prepared, run, spawn_munlock, waiting, with_kinds,
};
use sim_core::engine::{Checker, Schedule, Setup, Timeline, Turn, Until};
use sim_core::kernel::huge_memory::split_huge_page;
use sim_core::kernel::swap::lru_add_drain;
use sim_core::kernel::truncate::truncate_inode_page;
use sim_core::kernel::vmscan::isolate_lru_page;
use sim_core::kernel::{Config, Patch};
use sim_core::ledger::{Count, Site};
use sim_core::machine::{Event, LockClass, NOBODY, PageFlag, Stat, TaskRun, Vma, VmaId};
use sim_core::op::{Held, Op, Read};
use sim_core::scenario::{Layout, PageKind};

use PageKind::{Hole, InRemotePagevec, Mlocked, NotMlocked, Shared, SharedLocked, Zero};

const INACTIVE_ANON: u8 = 0;
const UNEVICTABLE: u8 = 4;

fn totals(timeline: &Timeline) -> Totals {
    Totals::of(timeline.world())
}

/// Rows that every level shares for one page: the walk, the pin, PG_mlocked.
fn found_and_cleared(level: Level) -> Totals {
    let walks = if matches!(level, Level::Merged | Level::Fixed | Level::Measured) { 2 } else { 1 };
    let resched = u64::from(level != Level::Measured);
    Totals { get_pin: 1, mlocked_clear: 1, ptl: walks, walks, resched, ..Totals::default() }
}

/// Adds up `page` and `all` of a row, with RMWs that have no row of their own.
fn summed(t: Totals, others: u64) -> Totals {
    let flags = t.locked_set + t.locked_clear + t.mlocked_clear + t.lru_clear + t.lru_set + t.unevictable_clear;
    let counts = t.get_pin + t.get_isolate + t.get_slot + t.put_putback + t.put_pin + t.put_release;
    let page = flags + counts + others;
    Totals { page, all: page + t.ptl + t.lru_lock, irq: t.lru_lock, page_locks: t.locked_set, ..t }
}

fn by_page(level: Level) -> bool {
    matches!(level, Level::Drains | Level::NoDrain)
}

#[test]
fn an_address_without_a_page_table_costs_a_walk() {
    for variant in TABLES {
        let expected = Totals { walks: 1, resched: 1, ..Totals::default() };
        assert_eq!(totals(&munlock(variant, &one(Hole))), expected, "variant {variant}");
    }
}

#[test]
fn an_address_without_a_page_costs_a_walk_and_a_lock() {
    let skip = Totals { walks: 1, ptl: 1, all: 1, resched: 1, ..Totals::default() };
    for variant in TABLES {
        assert_eq!(totals(&munlock(variant, &one(Zero))), skip, "variant {variant}, the zero page");
        for kind in [Hole, Zero] {
            let plain = totals(&munlock(variant, &with_kinds(&[Mlocked; 3])));
            let with = totals(&munlock(variant, &with_kinds(&[Mlocked, Mlocked, Mlocked, kind])));
            assert_eq!(with, plain + skip, "variant {variant}, {kind:?}");
        }
    }
}

#[test]
fn the_huge_zero_page_is_skipped_whole() {
    for variant in TABLES {
        for pages in [1, 3] {
            let layout = Layout { thp: true, ..with_kinds(&vec![Zero; pages as usize]) };
            let timeline = munlock(variant, &layout);
            let expected = Totals { walks: pages, ptl: pages, all: pages, resched: pages, ..Totals::default() };
            assert_eq!(totals(&timeline), expected, "variant {variant}");
            assert_eq!(timeline.world().ledger.lock(LockClass::PageTable).acquired, pages, "variant {variant}");
        }
    }
}

#[test]
fn a_pagevec_is_kept_over_a_hole_but_not_by_merged_level_7() {
    let layout = with_kinds(&[Mlocked, Mlocked, Mlocked, Hole, Mlocked, Mlocked]);
    for (variant, expected) in [("3", &[5][..]), ("4", &[5]), ("5", &[5]), ("6", &[5]), ("7-v2", &[5]), ("7", &[3, 2])]
    {
        assert_eq!(batch_sizes(&munlock(variant, &layout)), expected, "variant {variant}");
    }
}

#[test]
fn a_change_of_the_zone_ends_a_batch() {
    // Ten pages of each zone.
    let layout = Layout { zones: 2, ..Layout::plain(20) };
    let table = [
        // Variant, lru_lock, walks, cond_resched, batches.
        ("0", 39, 20, 20, &[][..]),
        ("2", 22, 20, 20, &[]),
        ("3", 4, 20, 20, &[10, 10]),
        ("4", 4, 20, 20, &[10, 10]),
        ("5", 4, 20, 20, &[10, 10]),
        ("6", 4, 20, 20, &[10, 10]),
        ("7", 4, 4, 2, &[10, 10]),
        ("fixed", 4, 4, 2, &[10, 10]),
        ("7-v2", 4, 3, 0, &[10, 10]),
    ];
    for (variant, lru_lock, walks, resched, batches) in table {
        let timeline = munlock(variant, &layout);
        let t = totals(&timeline);
        assert_eq!((t.lru_lock, t.walks, t.ptl, t.resched), (lru_lock, walks, walks, resched), "variant {variant}");
        assert_eq!(batch_sizes(&timeline), batches, "variant {variant}");
    }
    assert_eq!(batch_sizes(&munlock("6", &Layout::plain(20))), [14, 6]);
}

#[test]
fn a_batch_that_is_not_full_is_flushed_at_the_end() {
    for variant in ["3", "4", "5", "5-v2", "6", "6-v2", "7", "7-v2", "fixed"] {
        for (pages, sizes) in [(1, &[1][..]), (13, &[13]), (15, &[14, 1]), (31, &[14, 14, 3])] {
            assert_eq!(batch_sizes(&munlock(variant, &Layout::plain(pages))), sizes, "variant {variant}");
        }
    }
}

#[test]
fn a_page_that_is_not_mlocked() {
    for variant in TABLES {
        let level = level(variant);
        let base = found_and_cleared(level);
        let (expected, page) = match level {
            Level::Drains => (Totals { locked_set: 1, locked_clear: 1, put_pin: 1, preempt: 1, ..base }, 5),
            Level::NoDrain => (Totals { locked_set: 1, locked_clear: 1, put_pin: 1, ..base }, 5),
            Level::Isolates => (Totals { put_pin: 1, lru_lock: 1, stack_adds: 1, ..base }, 3),
            // The reference is dropped after a local drain of nothing.
            Level::Fixed => {
                (Totals { put_release: 1, preempt: 1, lru_lock: 1, stack_adds: 2, stat_plain: 1, ..base }, 3)
            }
            _ => (Totals { put_pin: 1, lru_lock: 1, stack_adds: 1, stat_plain: 1, ..base }, 3),
        };
        let timeline = munlock(variant, &one(NotMlocked));
        assert_eq!(totals(&timeline), summed(expected, 0), "variant {variant}");
        assert_eq!(totals(&timeline).page, page, "variant {variant}");
        assert_eq!(timeline.world().machine.stat(Stat::Mlock), 0, "variant {variant}");
    }
}

#[test]
fn a_page_whose_last_reference_munlock_drops() {
    // A file page that is not mlocked and that is truncated once munlock has pinned it. Patch 3 and later until 3.12
    // would drop it under lru_lock.
    for (variant, page, lru_lock) in [("0", 5, 1), ("1", 5, 1), ("2", 5, 1), ("fixed", 3 + 1, 2)] {
        let layout = Layout { file: true, cpus: 2, ..one(NotMlocked) };
        let pfn = page_at(&layout.set_up(config(variant)).world().machine, 0);
        let pinned = Op::Get { page: pfn, site: Site::FollowPage, held: Held::Pin };
        let unlocked = Op::SpinUnlock { class: LockClass::Ptl, irq: false, index: 0 };
        let schedule = Schedule::Script(vec![
            Turn { cpu: 0, until: Until::After(pinned) },
            Turn { cpu: 0, until: Until::After(unlocked) },
            Turn { cpu: 1, until: Until::Blocked },
        ]);
        let mut engine = prepared(config(variant), &layout, schedule);
        spawn_munlock(&mut engine, 0);
        engine.spawn("truncate", 1, |cpu| async move { truncate_inode_page(&cpu, VMA, 0).await });
        let timeline = finish(engine);
        assert_eq!(timeline.violation(), None, "variant {variant}");
        let world = timeline.world();
        assert!(world.machine.page(pfn).has(PageFlag::Free), "variant {variant}");
        // release_pages clears PG_active with an atomic, put_page does not.
        let t = totals(&timeline);
        assert_eq!((t.page, t.lru_lock, t.list_del), (page, lru_lock, 1), "variant {variant}: {t:?}");
        assert_eq!(event(world, Event::Free), 1, "variant {variant}");
    }
}

#[test]
fn a_deferred_put_drains_what_waits_on_this_cpu() {
    // A shared page goes into the pagevec, the page behind it in the next batch is not mlocked.
    let mut kinds = vec![Shared; 14];
    kinds.push(NotMlocked);
    let timeline = munlock("fixed", &with_kinds(&kinds));
    let t = totals(&timeline);
    assert_eq!((t.cpu_adds, t.drains, t.left), (14, 1, 0));
    let timeline = munlock("7", &with_kinds(&kinds));
    let t = totals(&timeline);
    assert_eq!((t.cpu_adds, t.drains, t.left), (14, 0, 14));
}

#[test]
fn an_mlocked_page_in_a_remote_pagevec() {
    for variant in TABLES {
        let level = level(variant);
        let base = Totals { events: 1, ..found_and_cleared(level) };
        let locked = Totals { locked_set: 1, locked_clear: 1, put_pin: 1, stat_safe: 1, ..base };
        let batched = Totals { lru_lock: 1, stack_adds: 1, stat_plain: 1, ..base };
        let (expected, page) = match level {
            Level::Drains => (Totals { preempt: 1, ..locked }, 5),
            Level::NoDrain => (locked, 5),
            Level::Fixed => (Totals { put_release: 1, preempt: 1, stack_adds: 2, ..batched }, 3),
            _ => (Totals { put_pin: 1, ..batched }, 3),
        };
        let timeline = munlock(variant, &one(InRemotePagevec));
        assert_eq!(totals(&timeline), summed(expected, 0), "variant {variant}");
        assert_eq!(totals(&timeline).page, page, "variant {variant}");
        // In a pagevec PG_unevictable is clear.
        let world = timeline.world();
        assert_eq!(event(world, Event::Munlocked), 1, "variant {variant}");
        assert_eq!(event(world, Event::Stranded), 0, "variant {variant}");
        let leaks = config(variant).has(Patch::BatchMlockStat) && !config(variant).has(Patch::CountMlock);
        assert_eq!(world.machine.stat(Stat::Mlock), i64::from(leaks), "variant {variant}");
        assert_eq!(flagged(&world.machine, PageFlag::Mlocked), 0, "variant {variant}");
    }
}

#[test]
fn a_page_that_reclaim_isolates_between_the_look_and_the_lock() {
    for variant in TABLES {
        let level = level(variant);
        let mut engine = prepared(config(variant), &Layout { cpus: 2, ..Layout::plain(1) }, Schedule::RoundRobin);
        let page = page_at(&engine.world().machine, 0);
        let looked = Op::Read { what: Read::Flag(PageFlag::Lru), page };
        drop(engine);
        let schedule = Schedule::Script(vec![
            Turn { cpu: 0, until: Until::After(looked) },
            Turn { cpu: 1, until: Until::Blocked },
            Turn { cpu: 0, until: Until::Blocked },
        ]);
        engine = prepared(config(variant), &Layout { cpus: 2, ..Layout::plain(1) }, schedule);
        spawn_munlock(&mut engine, 0);
        // It keeps the page: what happens to it later is another row.
        engine.spawn("reclaim", 1, move |cpu| async move {
            isolate_lru_page(&cpu, page).await;
        });
        engine.run().unwrap();
        let world = engine.world().clone();
        let t = Totals::of(&world);
        if by_page(level) {
            // The first look saw PG_lru, so the lock was taken once, for nothing.
            assert_eq!((t.lru_lock, t.irq, t.page, t.page_locks), (1, 1, 5, 1), "variant {variant}");
            assert_eq!(event(&world, Event::Stranded), 1, "variant {variant}");
            assert_eq!(t.stat_safe, 1, "variant {variant}");
        } else {
            // There the look is under the lock: reclaim comes too late.
            assert_eq!(event(&world, Event::Stranded), 0, "variant {variant}");
            assert_eq!(t.list_del, 1, "variant {variant}");
        }
    }
}

#[test]
fn a_page_that_another_process_maps() {
    for variant in TABLES {
        let level = level(variant);
        let base = Totals {
            locked_set: 1,
            locked_clear: 1,
            lru_clear: 1,
            unevictable_clear: 1,
            get_slot: 1,
            put_putback: 1,
            put_pin: 1,
            lru_lock: 1,
            list_del: 1,
            cpu_adds: 1,
            preempt: 1,
            events: 2,
            left: 1,
            ..found_and_cleared(level)
        };
        // The reverse map walk takes the ptl of both page tables.
        let base = Totals { ptl: base.ptl + 2, ..base };
        let isolated = Totals { get_isolate: 1, ..base };
        let (expected, others) = match level {
            Level::Drains => (Totals { preempt: 2, stat_safe: 1, stat_plain: 1, ..isolated }, 0),
            Level::NoDrain => (Totals { stat_safe: 1, stat_plain: 1, ..isolated }, 0),
            Level::Isolates | Level::OneStat | Level::PutsBack => {
                (Totals { stat_plain: 2, stack_adds: 1, ..isolated }, 0)
            }
            // The isolator's reference is taken in the slow path only.
            _ => (Totals { stat_plain: 2, stack_adds: 1, ..base }, 1),
        };
        let timeline = munlock(variant, &one(Shared));
        let world = timeline.world();
        assert_eq!(totals(&timeline), summed(expected, others), "variant {variant}");
        // Twelve, less the two that come with the drain.
        assert_eq!(totals(&timeline).page, 10, "variant {variant}");
        assert_eq!(world.ledger.gets[Site::MunlockSlow as usize], others, "variant {variant}");
        assert_eq!(world.ledger.count(Count::Rwsem), 2, "variant {variant}");
        assert_eq!((event(world, Event::Munlocked), event(world, Event::Rescued)), (1, 1), "variant {variant}");
        assert_eq!(world.machine.stat(Stat::Mlock), 0, "variant {variant}");
    }
}

#[test]
fn a_range_of_shared_pages_costs_twelve_a_page_at_every_level() {
    for variant in TABLES {
        let timeline = munlock(variant, &with_kinds(&[Shared; 28]));
        let t = totals(&timeline);
        let left = if level(variant) == Level::Drains { 1 } else { 14 };
        assert_eq!((t.page, t.left, t.events), (12 * 28 - 2 * left, left, 56), "variant {variant}");
        // No page of a batch is fast: no third phase, whose lock would be one more for each.
        let lru_lock = match level(variant) {
            Level::Drains => 2 * 28 - 1,
            Level::NoDrain => 28 + 1,
            _ => 2 + 1,
        };
        assert_eq!(t.lru_lock, lru_lock, "variant {variant}");
    }
}

#[test]
fn one_shared_page_in_a_fast_batch() {
    let mut kinds = [Mlocked; 14];
    kinds[3] = Shared;
    for variant in ["5", "5-v2", "6", "6-v2", "7", "7-v2", "fixed"] {
        let timeline = munlock(variant, &with_kinds(&kinds));
        let t = totals(&timeline);
        let fast = if level(variant) == Level::PutsBack { 10 } else { 8 };
        // Two updates for the page on top of the two of the batch.
        assert_eq!((t.page, t.events, t.lru_lock), (13 * fast + 10, 4, 2), "variant {variant}");
        assert_eq!((t.stack_adds, t.cpu_adds, t.preempt, t.left), (14 + 13, 1, 1, 1), "variant {variant}");
        assert_eq!(event(timeline.world(), Event::Munlocked), 14, "variant {variant}");
    }
}

#[test]
fn a_file_page_that_the_same_process_has_mapped_and_locked_twice() {
    // munlock holds the mmap_sem that the reverse map walk tries for, so the other VMA is never seen.
    for variant in TABLES {
        let mut engine = Layout { file: true, ..one(Mlocked) }.set_up(config(variant));
        let other = VmaId { mm: 0, vma: 1 };
        {
            let mut machine = engine.machine_mut();
            machine.mms[0].vmas.push(Vma { start: 100, end: 101, locked: true, mapping: 0, pgoff: 0 });
            machine.mappings[0].vmas.push(other);
        }
        engine.spawn("mmap", 0, |cpu| async move {
            let page = page_at(&cpu.machine(), 0);
            cpu.get_page(page, Site::Unmap, Held::Map).await;
            cpu.add_mapcount(page, 1).await;
            cpu.set_pte_at(0, 100, page).await;
        });
        engine.run().unwrap();
        engine.machine_mut().fold_diffs();
        let checker = Some(Checker::new(config(variant), &engine.world().machine));
        engine.begin(Setup { measured: Some("munlock_vma_pages_range"), checker, ..Setup::default() }, false);
        spawn_munlock(&mut engine, 0);
        let timeline = finish(engine);
        assert_eq!(timeline.violation(), None, "variant {variant}");
        let world = timeline.world();
        let tried = timeline.records().iter().filter(|record| matches!(record.op, Op::DownReadTrylock { .. }));
        assert_eq!(tried.map(|record| record.outcome.ret).collect::<Vec<_>>(), [0], "variant {variant}");
        // i_mmap_mutex taken and released, mmap_sem tried for.
        assert_eq!(world.ledger.count(Count::Rwsem), 3, "variant {variant}");
        assert_eq!((event(world, Event::Munlocked), event(world, Event::Mlocked)), (1, 0), "variant {variant}");
        assert_eq!(flagged(&world.machine, PageFlag::Mlocked), 0, "variant {variant}");
    }
}

/// A page that goes straight back to the unevictable list, common rows.
fn stays_unevictable(level: Level) -> Totals {
    let isolate = u64::from(!matches!(level, Level::OnePin | Level::Merged | Level::Measured | Level::Fixed));
    let batched = !by_page(level);
    Totals {
        locked_set: 1,
        locked_clear: 1,
        lru_clear: 1,
        lru_set: 1,
        unevictable_clear: 1,
        get_isolate: isolate,
        put_putback: 1,
        put_pin: 1,
        lru_lock: 2,
        list_del: 1,
        list_add: 1,
        preempt: u64::from(level == Level::Drains),
        stack_adds: u64::from(batched),
        stat_safe: u64::from(!batched),
        stat_plain: 2 + u64::from(batched),
        events: 1,
        ..found_and_cleared(level)
    }
}

/// ClearPageActive before the direct add, from 3.11-rc4 on.
fn clears_active(variant: &str) -> u64 {
    u64::from(config(variant).has(Patch::ClearActive))
}

#[test]
fn a_page_that_another_process_has_mlocked() {
    for variant in TABLES {
        let level = level(variant);
        let base = stays_unevictable(level);
        let expected = Totals { ptl: base.ptl + 2, stat_safe: base.stat_safe + 1, ..base };
        // TestSetPageMlocked, SetPageUnevictable and, from level 6 on, the get of the slow path.
        let others = 2 + (1 - base.get_isolate) + clears_active(variant);
        let timeline = munlock(variant, &one(SharedLocked));
        let world = timeline.world();
        assert_eq!(totals(&timeline), summed(expected, others), "variant {variant}");
        assert_eq!(totals(&timeline).page, 12 + clears_active(variant), "variant {variant}");
        assert_eq!(world.ledger.count(Count::Rwsem), 4, "variant {variant}");
        assert_eq!(world.ledger.count(Count::Barriers), 1, "variant {variant}");
        let events = [Event::Mlocked, Event::Munlocked, Event::Rescued, Event::Culled].map(|e| event(world, e));
        assert_eq!(events, [1, 0, 0, 0], "variant {variant}");
        assert_eq!(world.machine.stat(Stat::Mlock), 1, "variant {variant}");
        assert_eq!(flagged(&world.machine, PageFlag::Mlocked), 1, "variant {variant}");
        assert_eq!(world.machine.list(0, UNEVICTABLE).count(), 1, "variant {variant}");
    }
}

#[test]
fn another_process_has_mlocked_the_page_but_its_mmap_sem_is_taken() {
    for variant in TABLES {
        let layout = Layout { cpus: 2, ..one(SharedLocked) };
        let down = Op::Down { class: LockClass::MmapSem, write: true, index: 1 };
        let schedule = Schedule::Script(vec![
            Turn { cpu: 1, until: Until::After(down) },
            Turn { cpu: 0, until: Until::Blocked },
            Turn { cpu: 1, until: Until::Blocked },
        ]);
        let mut engine = prepared(config(variant), &layout, schedule);
        spawn_munlock(&mut engine, 0);
        engine.spawn("mmap", 1, |cpu| async move {
            cpu.down(LockClass::MmapSem, true, 1).await;
            cpu.up(LockClass::MmapSem, true, 1).await;
        });
        let timeline = finish(engine);
        assert_eq!(timeline.violation(), None, "variant {variant}");
        let world = timeline.world();
        let events = [Event::Mlocked, Event::Munlocked, Event::Rescued, Event::Culled].map(|e| event(world, e));
        assert_eq!(events, [0, 1, 1, 0], "variant {variant}");
        // anon_vma taken and released, mmap_sem tried for.
        assert_eq!(world.ledger.count(Count::Rwsem), 3, "variant {variant}");
        assert_eq!(totals(&timeline).page, 10, "variant {variant}");
        assert_eq!(waiting(&world.machine, 0), 1, "variant {variant}");
        assert_eq!(flagged(&world.machine, PageFlag::Mlocked), 0, "variant {variant}");
    }
}

#[test]
fn a_page_of_an_unevictable_mapping() {
    for variant in TABLES {
        let level = level(variant);
        let base = stays_unevictable(level);
        let others = 1 + (1 - base.get_isolate) + clears_active(variant);
        let layout = Layout { file: true, unevictable: true, ..one(Mlocked) };
        let timeline = munlock(variant, &layout);
        let world = timeline.world();
        assert_eq!(totals(&timeline), summed(base, others), "variant {variant}");
        assert_eq!(totals(&timeline).page, 11 + clears_active(variant), "variant {variant}");
        assert_eq!(world.ledger.count(Count::Rwsem), 0, "variant {variant}");
        assert_eq!(world.ledger.count(Count::Barriers), 1, "variant {variant}");
        // Counted as munlocked although it stays.
        let events = [Event::Munlocked, Event::Rescued, Event::Culled].map(|e| event(world, e));
        assert_eq!(events, [1, 0, 0], "variant {variant}");
        assert_eq!(world.machine.list(0, UNEVICTABLE).count(), 1, "variant {variant}");
    }
}

#[test]
fn a_page_that_is_mlocked_again_after_isolation() {
    for variant in ["3", "4", "5", "5-v2", "6", "6-v2", "7-v2", "7", "fixed"] {
        let level = level(variant);
        let base = stays_unevictable(level);
        let others = 1 + (1 - base.get_isolate) + clears_active(variant);
        let mut timeline = run("munlock-remlock", variant, &[("pages", "1"), ("at", "0"), ("window", "1")]).timeline;
        assert_eq!(timeline.violation(), None, "variant {variant}");
        timeline.seek(timeline.len());
        assert_eq!(totals(&timeline), summed(base, others), "variant {variant}");
        let world = timeline.world();
        let events = [Event::Munlocked, Event::Rescued, Event::Culled].map(|e| event(world, e));
        assert_eq!(events, [1, 0, 0], "variant {variant}");
        assert_eq!(world.machine.stat(Stat::Mlock), 1, "variant {variant}");
        assert_eq!(world.machine.list(0, UNEVICTABLE).count(), 1, "variant {variant}");
    }
}

#[test]
fn a_page_lock_that_somebody_holds() {
    let table = [
        // Variant, pages off their lists while munlock sleeps, whether the page itself is one of them.
        ("0", 1, false),
        ("1", 1, false),
        ("2", 3, false),
        ("3", 14, true),
        ("4", 14, true),
        ("5", 14, true),
        ("5-v2", 14, true),
        ("6", 14, true),
        ("6-v2", 14, true),
        ("7", 14, true),
        ("7-v2", 14, true),
        ("fixed", 14, true),
    ];
    for (variant, off, isolated) in table {
        let mut timeline = run("munlock-page-lock", variant, &[("pages", "28"), ("at", "17")]).timeline;
        assert_eq!(timeline.violation(), None, "variant {variant}");
        let asleep = |task: &sim_core::machine::TaskState| matches!(task.run, TaskRun::Waits(lock) if lock.class == LockClass::Page);
        forward_until(&mut timeline, |world| world.machine.tasks.iter().any(asleep));
        let machine = &timeline.world().machine;
        let page = page_at(machine, 17);
        let off_lists = machine.pages.iter().filter(|page| !page.has(PageFlag::Lru)).count();
        assert_eq!((off_lists, !machine.page(page).has(PageFlag::Lru)), (off, isolated), "variant {variant}");
        // The pin of the walk, and the isolator's where it has one of its own.
        let own = matches!(level(variant), Level::Isolates | Level::OneStat | Level::PutsBack);
        assert_eq!(machine.page(page).count, 2 + i32::from(own), "variant {variant}");
        timeline.seek(timeline.len());
        let plain = totals(&munlock(variant, &Layout::plain(28)));
        let found = totals(&timeline);
        // The try that failed; all else is as without contention.
        let expected = Totals { locked_set: plain.locked_set + 1, page: plain.page + 1, all: plain.all + 1, ..plain };
        assert_eq!(found, expected, "variant {variant}");
        assert_eq!(timeline.world().ledger.count(Count::Sleeps), 1, "variant {variant}");
        assert_eq!(timeline.world().ledger.lock(LockClass::Page).contended, 1, "variant {variant}");
        assert_eq!(timeline.world().ledger.lock(LockClass::Page).max_waiters, 1, "variant {variant}");
    }
}

fn huge(kinds: &[PageKind]) -> Layout {
    Layout { thp: true, ..with_kinds(kinds) }
}

#[test]
fn huge_pages_take_the_single_page_path_at_every_level() {
    for variant in TABLES {
        for n in [1u64, 2, 14, 15, 29] {
            let level = level(variant);
            let left = if level == Level::Drains { 1 } else { n - 14 * (n.div_ceil(14) - 1) };
            let drains = if level == Level::Drains { n - 1 } else { n.div_ceil(14) - 1 };
            // One lru_lock section from 3.14 on, with the update of NR_MLOCK inside.
            let safe = if level == Level::Fixed { 0 } else { n };
            let expected = Totals {
                locked_set: n,
                locked_clear: n,
                mlocked_clear: n,
                lru_clear: n,
                lru_set: n - left,
                unevictable_clear: n,
                get_pin: n,
                get_isolate: n,
                get_slot: n,
                put_putback: n,
                put_pin: n,
                put_release: n - left,
                ptl: n,
                lru_lock: n + drains,
                preempt: if level == Level::Drains { 2 * n } else { n },
                list_del: n,
                list_add: n - left,
                cpu_adds: n,
                drains,
                stat_safe: safe,
                stat_plain: 3 * n - left - safe,
                events: 2 * n,
                resched: n,
                walks: n,
                left,
                ..Totals::default()
            };
            let engine = munlock_in_bulk(variant, &huge(&vec![Mlocked; n as usize]));
            let world = engine.world();
            assert_eq!(Totals::of(&world), summed(expected, 0), "variant {variant}, {n} huge pages");
            assert_eq!(world.ledger.lock(LockClass::PageTable).acquired, n, "variant {variant}");
            assert_eq!(event(&world, Event::Munlocked), n, "variant {variant}");
            // Every update is of 512 and folds at once.
            let updates = 3 * n - left;
            assert_eq!(world.ledger.count(Count::Folds), 2 * updates, "variant {variant}, {n} huge pages");
        }
    }
}

#[test]
fn a_huge_page_that_is_not_mlocked_is_one_step_with_the_fix() {
    let timeline = munlock("fixed", &huge(&[NotMlocked, Mlocked]));
    let t = totals(&timeline);
    // The lock is entered even though PG_mlocked turns out to be clear.
    assert_eq!((t.walks, t.lru_lock, t.page), (2, 2, 5 + 10));
    assert_eq!(t.resched, 2);
}

#[test]
fn a_huge_page_that_is_not_mlocked_is_512_steps_before_patch_3() {
    for variant in ["0", "1", "2"] {
        let t = totals(&munlock(variant, &huge(&[NotMlocked])));
        assert_eq!((t.walks, t.page, t.lru_lock), (512, 512 * 5, 0), "variant {variant}");
    }
    for variant in ["3", "6", "7", "7-v2"] {
        let ends = munlock_until_it_ends(variant, &huge(&[NotMlocked]));
        assert_eq!(ends.violation().unwrap().rule, "VM_BUG_ON(PageTail(page))", "variant {variant}");
    }
}

/// 512 small pages, then a huge one.
fn small_then_huge(config: Config) -> Timeline {
    let mut engine = huge(&[Mlocked, Mlocked]).set_up(config);
    let head = page_at(&engine.world().machine, 0);
    engine.spawn("split", 0, move |cpu| async move { split_huge_page(&cpu, VMA, 0, head).await });
    engine.run().unwrap();
    engine.machine_mut().fold_diffs();
    engine.begin(Setup { measured: Some("munlock_vma_pages_range"), ..Setup::default() }, false);
    spawn_munlock(&mut engine, 0);
    finish(engine)
}

#[test]
fn a_huge_page_flushes_what_is_pending() {
    let sizes: Vec<u64> = [vec![14; 36], vec![8]].concat();
    for variant in ["3", "4", "5", "5-v2", "6", "6-v2", "7-v2", "7", "fixed"] {
        let timeline = small_then_huge(config(variant));
        assert_eq!(batch_sizes(&timeline), sizes, "variant {variant}");
        let t = totals(&timeline);
        let (lru_lock, left) = match level(variant) {
            // Isolations of 37 batches and of the huge page; 513 adds make 36 drains and leave 9.
            Level::Isolates | Level::OneStat => (37 + 1 + 36, 9),
            _ => (37 + 37 + 1, 1),
        };
        assert_eq!((t.lru_lock, t.left, t.list_del), (lru_lock, left, 513), "variant {variant}");
        assert_eq!(timeline.world().machine.stat(Stat::Mlock), 0, "variant {variant}");
    }
}

#[test]
fn a_batch_with_a_failed_isolation_goes_on_with_the_others() {
    let kinds = [Mlocked, InRemotePagevec, Mlocked, NotMlocked, Mlocked];
    for variant in TABLES {
        let timeline = munlock(variant, &with_kinds(&kinds));
        let machine = &timeline.world().machine;
        let isolated = totals(&timeline).list_del;
        assert_eq!(isolated, 3, "variant {variant}");
        assert_eq!(flagged(machine, PageFlag::Mlocked), 0, "variant {variant}");
        assert!(machine.pages.iter().all(|page| page.locker == NOBODY), "variant {variant}");
        assert_eq!(machine.list(0, UNEVICTABLE).count(), 0, "variant {variant}");
    }
}

#[test]
fn who_has_a_page_that_could_not_be_isolated_repairs_it() {
    for variant in TABLES {
        let schedule = Schedule::Script(vec![Turn { cpu: 0, until: Until::Blocked }]);
        let mut engine = prepared(config(variant), &one(InRemotePagevec), schedule);
        spawn_munlock(&mut engine, 0);
        engine.spawn("kworker", 1, |cpu| async move { lru_add_drain(&cpu).await });
        let timeline = finish(engine);
        assert_eq!(timeline.violation(), None, "variant {variant}");
        let machine = &timeline.world().machine;
        assert_eq!(machine.list(0, INACTIVE_ANON).count(), 1, "variant {variant}");
        assert_eq!(waiting(machine, 1), 0, "variant {variant}");
    }
}
