//! Known bugs and later fixes: each happens in the variants that have it, and in no other.

mod common;

use common::{
    ALL, AtEnd, VMA, config, drained, event, finish, flagged, list_of, munlock, munlock_until_it_ends, page_at,
    prepared, run, spawn_munlock, with_kinds,
};
use sim_core::engine::{Schedule, Timeline, Turn, Until};
use sim_core::kernel::huge_memory::split_huge_page;
use sim_core::kernel::swap::unlock_page;
use sim_core::kernel::truncate::truncate_inode_page;
use sim_core::kernel::vmscan::cull_page;
use sim_core::ledger::{Count, How};
use sim_core::machine::{Event, LockClass, PageFlag, Stat};
use sim_core::op::Op;
use sim_core::scenario::{Layout, PageKind};

use PageKind::{InRemotePagevec, Mlocked, NotMlocked, Shared};

/// Patch 3 and later, as far as batches go.
const BATCHED: [&str; 8] = ["3", "4", "5", "6", "5-v2", "6-v2", "7-v2", "7"];
/// Patch 4 and later, until 4.11.
const ONE_STAT: [&str; 7] = ["4", "5", "6", "5-v2", "6-v2", "7-v2", "7"];

const INACTIVE_ANON: u8 = 0;
const UNEVICTABLE: u8 = 4;

#[test]
fn rescued_pages_are_not_counted_as_posted() {
    for variant in ALL {
        let expected = if ["5", "6"].contains(&variant) { 0 } else { 56 };
        let end = munlock(variant, &Layout::plain(56));
        assert_eq!(event(end.world(), Event::Rescued), expected, "variant {variant}");
        assert_eq!(event(end.world(), Event::Munlocked), 56, "variant {variant}");
    }
}

#[test]
fn rescued_pages_of_the_slow_path_are_counted_as_posted() {
    let mut kinds = vec![Mlocked; 30];
    kinds[2] = Shared;
    kinds[17] = Shared;
    for (variant, rescued) in [("5", 2), ("6", 2), ("5-v2", 30), ("6-v2", 30), ("7", 30), ("0", 30), ("4", 30)] {
        let end = munlock(variant, &with_kinds(&kinds));
        assert_eq!(event(end.world(), Event::Rescued), rescued, "variant {variant}");
    }
}

#[test]
fn nr_mlock_drifts_by_one_for_each_failed_isolation() {
    for variant in ALL {
        for failed in [1, 3, 13] {
            let mut kinds = vec![Mlocked; 40];
            kinds.splice(..failed, vec![InRemotePagevec; failed]);
            let end = munlock(variant, &with_kinds(&kinds));
            let machine = &end.world().machine;
            let expected = if ONE_STAT.contains(&variant) { failed as i64 } else { 0 };
            assert_eq!(machine.stat(Stat::Mlock), expected, "variant {variant}, {failed} failed");
            assert_eq!(flagged(machine, PageFlag::Mlocked), 0, "variant {variant}");
            assert_eq!(event(end.world(), Event::Munlocked), 40, "variant {variant}");
        }
    }
}

#[test]
fn a_page_that_was_not_mlocked_does_not_make_nr_mlock_drift() {
    for variant in ALL {
        let end = munlock(variant, &with_kinds(&[Mlocked, NotMlocked, Mlocked, NotMlocked]));
        assert_eq!(end.world().machine.stat(Stat::Mlock), 0, "variant {variant}");
    }
}

#[test]
fn the_last_put_under_lru_lock_never_ends() {
    for variant in ALL {
        let mut timeline = run("munlock-truncate", variant, &[]).timeline;
        let Some(violation) = timeline.violation().cloned() else {
            assert!(!BATCHED.contains(&variant), "variant {variant} ends");
            continue;
        };
        assert!(BATCHED.contains(&variant), "variant {variant}: {violation:?}");
        assert_eq!(violation.rule, "deadlock", "variant {variant}");
        assert!(violation.detail.contains("CPU 0 spins for lru_lock 0"), "variant {variant}: {violation:?}");
        // The run up to there is kept, and can be walked both ways.
        assert_eq!(violation.step as usize, timeline.len(), "variant {variant}");
        let start = timeline.world().clone();
        timeline.seek(timeline.len());
        assert!(
            matches!(timeline.last().unwrap().op, Op::SpinWait { class: LockClass::Lru, index: 0, .. }),
            "variant {variant}: {:?}",
            timeline.last()
        );
        let frames: Vec<&str> = timeline
            .stack(timeline.len() - 1)
            .iter()
            .map(|&frame| timeline.frames()[frame as usize].func.name)
            .collect();
        assert_eq!(frames.last(), Some(&"free_dead_page"), "variant {variant}");
        assert!(frames.contains(&"isolate_pagevec"), "variant {variant}: {frames:?}");
        while timeline.back() {}
        assert_eq!(*timeline.world(), start, "variant {variant}");
    }
}

#[test]
fn truncation_of_a_page_that_is_mlocked_is_harmless() {
    // clear_page_mlock waits for lru_lock with pins of its own, so the put under the lock is not the last one.
    let lock = Op::SpinLock { class: LockClass::Lru, irq: true, index: 0 };
    for variant in ["3", "4", "5", "6", "5-v2", "6-v2", "7-v2", "7", "fixed", "v5.10"] {
        let layout = Layout { file: true, cpus: 2, ..Layout::plain(14) };
        let turns = vec![Turn { cpu: 0, until: Until::After(lock) }, Turn { cpu: 1, until: Until::Blocked }];
        let mut engine = prepared(config(variant), &layout, Schedule::Script(turns));
        spawn_munlock(&mut engine, 0);
        engine.spawn("truncate", 1, |cpu| async move { truncate_inode_page(&cpu, VMA, 3).await });
        let end = finish(engine);
        assert_eq!(end.violation(), None, "variant {variant}");
        let world = end.world();
        assert_eq!(world.machine.events[Event::Cleared as usize], 1, "variant {variant}");
        assert_eq!(world.machine.stat(Stat::Mlock), 0, "variant {variant}");
    }
}

#[test]
fn a_huge_page_that_is_not_mlocked_is_walked_into() {
    for variant in ALL {
        let layout = Layout { thp: true, ..with_kinds(&[NotMlocked, Mlocked]) };
        let end = munlock_until_it_ends(variant, &layout);
        let rule = end.violation().map(|violation| violation.rule);
        let expected = BATCHED.contains(&variant).then_some("VM_BUG_ON(PageTail(page))");
        assert_eq!(rule, expected, "variant {variant}");
    }
}

/// The end of a run of munlock against a split, after a script.
fn split(variant: &str, turns: impl Fn(u32) -> Vec<Turn>) -> Timeline {
    let layout = Layout { thp: true, cpus: 2, ..Layout::plain(1) };
    let head = page_at(&layout.set_up(config(variant)).world().machine, 0);
    let mut engine = prepared(config(variant), &layout, Schedule::Script(turns(head)));
    spawn_munlock(&mut engine, 0);
    engine.spawn("split", 1, move |cpu| async move { split_huge_page(&cpu, VMA, 0, head).await });
    finish(engine)
}

const BEFORE_4_16: [&str; 12] = ["0", "1", "2", "3", "4", "5", "6", "5-v2", "6-v2", "7-v2", "7", "fixed"];

#[test]
fn a_split_leaves_tails_mlocked_and_nr_mlock_too_low() {
    for variant in BEFORE_4_16 {
        for tails in ["1", "256", "511"] {
            let end = run("munlock-split", variant, &[("tail", tails)]).at_end();
            let machine = &end.world().machine;
            if variant == "fixed" {
                assert_eq!(end.violation(), None, "variant {variant}");
                assert_eq!(flagged(machine, PageFlag::Mlocked), 0, "variant {variant}");
                assert_eq!(machine.stat(Stat::Mlock), 0, "variant {variant}");
                continue;
            }
            let rule = end.violation().unwrap().rule;
            assert!(rule.starts_with("9: "), "variant {variant}: {rule}");
            assert_eq!(flagged(machine, PageFlag::Mlocked).to_string(), tails, "variant {variant}");
            assert_eq!(machine.stat(Stat::Mlock), 0, "variant {variant}");
        }
    }
}

#[test]
fn a_split_before_the_size_is_read_leaves_nr_mlock_too_high() {
    for variant in BEFORE_4_16 {
        let end = split(variant, |head| {
            let cleared = Op::Flag { flag: PageFlag::Mlocked, how: How::TestClear, page: head };
            vec![Turn { cpu: 0, until: Until::After(cleared) }, Turn { cpu: 1, until: Until::Blocked }]
        });
        let machine = &end.world().machine;
        if variant == "fixed" {
            // Both are one section under lru_lock, for which the split waits.
            assert_eq!(machine.stat(Stat::Mlock), 0);
            assert_eq!(flagged(machine, PageFlag::Mlocked), 0);
            continue;
        }
        assert_eq!(flagged(machine, PageFlag::Mlocked), 0, "variant {variant}");
        assert_eq!(machine.stat(Stat::Mlock), 511, "variant {variant}");
        assert!(end.violation().unwrap().rule.starts_with("9: "), "variant {variant}");
    }
}

#[test]
fn a_folded_middle_level_does_not_bound_the_walk_in_rc1() {
    // The second batch would go on behind the page table, which ends after 22 pages.
    let range = [("pages", "56"), ("pmd_start", "490")];
    for variant in ALL {
        let with =
            |more: &[(&str, &str)]| run("munlock", variant, &[&range[..], more].concat()).timeline.violation().cloned();
        let both = with(&[("folded_pmd", "true"), ("rc1", "true")]);
        let rule = both.as_ref().map(|violation| violation.rule);
        assert_eq!(rule, (variant == "7").then_some("Bad page map"), "variant {variant}: {both:?}");
        assert_eq!(with(&[("folded_pmd", "true")]), None, "variant {variant}");
        assert_eq!(with(&[("rc1", "true")]), None, "variant {variant}");
    }
    // Where no batch reaches the end of the page table the bug does not show.
    let fits = run("munlock", "7", &[("pages", "14"), ("pmd_start", "490"), ("folded_pmd", "true"), ("rc1", "true")]);
    assert_eq!(fits.timeline.violation(), None);
}

/// Where the page that was mlocked again is in the end: its list, PG_mlocked.
fn mlocked_again(variant: &str, window: &str) -> (u8, bool) {
    let end = run("munlock-remlock", variant, &[("window", window)]).at_end();
    assert_eq!(end.violation(), None, "variant {variant}, window {window}");
    let page = page_at(&end.world().machine, 3);
    let machine = drained(config(variant), &end.world().machine);
    let mlocked = machine.page(page).has(PageFlag::Mlocked);
    assert_eq!(machine.stat(Stat::Mlock), i64::from(mlocked), "variant {variant}, window {window}");
    (list_of(config(variant), &machine, page), mlocked)
}

#[test]
fn mlock_between_isolation_and_the_page_lock() {
    for variant in ALL {
        let expected = match variant {
            // Under the page lock there is no such window: mlock comes after putback, and the drain does not look.
            "0" | "1" | "2" => (INACTIVE_ANON, true),
            // mlock sees PG_mlocked still set and does nothing; munlock then clears it.
            "v6.1" | "today" => (INACTIVE_ANON, false),
            _ => (UNEVICTABLE, true),
        };
        assert_eq!(mlocked_again(variant, "1"), expected, "variant {variant}");
    }
}

#[test]
fn mlock_between_unlock_page_and_the_add_to_the_list() {
    for variant in ALL {
        let expected = match variant {
            "v5.10" | "v6.1" | "today" => UNEVICTABLE,
            _ => INACTIVE_ANON,
        };
        assert_eq!(mlocked_again(variant, "2"), (expected, true), "variant {variant}");
    }
}

#[test]
fn reclaim_culls_a_page_that_ended_on_an_evictable_list() {
    for variant in ["0", "3", "5", "6", "7-v2", "7", "fixed"] {
        let config = config(variant);
        let end = run("munlock-remlock", variant, &[("window", "2")]).at_end();
        let page = page_at(&end.world().machine, 3);
        let machine = drained(config, &end.world().machine);
        let culled = machine.events[Event::Culled as usize];
        let mut engine = common::resumed(config, &machine);
        engine.spawn("reclaim", 0, move |cpu| async move { cull_page(&cpu, page).await });
        engine.run().unwrap();
        let machine = &engine.world().machine;
        assert_eq!(list_of(config, machine, page), UNEVICTABLE, "variant {variant}");
        assert_eq!(machine.events[Event::Culled as usize], culled + 1, "variant {variant}");
    }
}

#[test]
fn a_lock_given_back_before_the_waiter_is_in_line_is_not_missed() {
    // CPU 0 finds the page locked; CPU 1 then unlocks it and sees nobody waiting; CPU 0 must not sleep for ever.
    for variant in ["0", "1", "2", "3", "4", "5", "6", "5-v2", "6-v2", "7-v2", "7", "fixed", "v5.10"] {
        let layout = Layout { cpus: 2, ..Layout::plain(1) };
        let page = page_at(&layout.set_up(config(variant)).world().machine, 0);
        let tried = Op::TryLockPage { page };
        let turns = vec![
            Turn { cpu: 1, until: Until::After(tried) },
            Turn { cpu: 0, until: Until::After(tried) },
            Turn { cpu: 1, until: Until::Blocked },
        ];
        let mut engine = prepared(config(variant), &layout, Schedule::Script(turns));
        spawn_munlock(&mut engine, 0);
        engine.spawn("holder", 1, move |cpu| async move {
            cpu.lock_page(page).await;
            unlock_page(&cpu, page).await;
        });
        let end = finish(engine);
        assert_eq!(end.violation(), None, "variant {variant}");
        let waits = end.records().iter().filter(|record| matches!(record.op, Op::WaitPage { .. }));
        let slept: Vec<u32> = waits.map(|record| record.outcome.ret).collect();
        assert_eq!(slept, [0], "variant {variant}");
        let ledger = &end.world().ledger;
        let page_lock = ledger.lock(LockClass::Page);
        assert_eq!((ledger.count(Count::Sleeps), page_lock.contended), (0, 0), "variant {variant}");
        assert_eq!(ledger.flag(PageFlag::Locked, How::TestSet), 2, "variant {variant}");
    }
}
