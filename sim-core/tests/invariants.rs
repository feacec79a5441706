//! The rules of the machine hold after every step of every variant; and the checker that says so can fail: each rule
//! has a run or a world that breaks it.

mod common;

use common::{ALL, AtEnd, VMA, config, finish, page_at, prepared, run, run_as, spec, with_kinds};
use sim_core::engine::{Cpu, Schedule, Timeline, Turn, Until, check_all};
use sim_core::kernel::swap::{add_page_to_unevictable_list, unlock_page};
use sim_core::kernel::vmscan::isolate_lru_page;
use sim_core::kernel::{Config, Patch};
use sim_core::ledger::Site;
use sim_core::machine::{LockClass, LockId, Machine, PageFlag, Pv, Stat, TaskRun};
use sim_core::op::{Held, Op};
use sim_core::scenario::{Layout, PageKind, SCENARIOS, SpecError};
use sim_core::view::PagevecKind;

/// Patch 3 and later, until the fixes of 3.13.
const BATCHED: [&str; 8] = ["3", "4", "5", "6", "5-v2", "6-v2", "7-v2", "7"];

/// A small generator with a fixed start, for combinations that are the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// Values for some of the parameters of `munlock`.
fn combination(numbers: &mut Numbers) -> Vec<(&'static str, String)> {
    let thp = numbers.below(12) == 0;
    let pages = if thp { 512 * (1 + numbers.below(2)) } else { 1 + numbers.below(48) };
    let mut params = vec![("pages", pages.to_string()), ("thp", thp.to_string())];
    let mut number = |name, limit: u64| {
        if numbers.below(3) == 0 {
            params.push((name, numbers.below(limit).to_string()));
        }
    };
    number("pagevec", 32);
    if !thp {
        for name in ["not_mlocked", "in_remote_pagevec", "shared", "shared_locked", "holes"] {
            number(name, pages / 4 + 1);
        }
    }
    if numbers.below(3) == 0 {
        params.push(("zones", "2".to_string()));
        params.push(("interleave", (numbers.below(2) == 0).to_string()));
    }
    if !thp && numbers.below(3) == 0 {
        params.push(("pmd_start", (480 + numbers.below(32)).to_string()));
    }
    params.push(("mglru", (numbers.below(4) == 0).to_string()));
    params.push(("folded_pmd", (numbers.below(4) == 0).to_string()));
    params
}

#[test]
fn every_rule_holds_for_many_ranges() {
    let mut numbers = Numbers(1);
    let (mut checked, mut refused) = (0, 0);
    for _ in 0..120 {
        let params = combination(&mut numbers);
        let params: Vec<(&str, &str)> = params.iter().map(|(name, value)| (*name, value.as_str())).collect();
        for variant in ALL {
            match spec("munlock", variant, &params).record() {
                Ok(run) => {
                    let timeline = run.at_end();
                    assert_eq!(timeline.violation(), None, "variant {variant}, {params:?}");
                    // The first steps of a task are checked like all others.
                    assert_eq!(timeline.checked(), timeline.len() as u64, "variant {variant}");
                    let machine = &timeline.world().machine;
                    check_all(machine, config(variant), true).unwrap();
                    checked += timeline.checked();
                }
                // Too few slots for the pages that shall wait in them, too many special pages.
                Err(SpecError::Together(_)) => refused += 1,
                Err(error) => panic!("variant {variant}, {params:?}: {error}"),
            }
        }
    }
    assert!(checked > 500_000, "only {checked} steps were checked");
    assert!(refused < 600, "{refused} combinations were refused");
}

/// Rules that a variant is known to break in a scenario, under some schedule.
fn known(scenario: &str, variant: &str) -> &'static [&'static str] {
    match scenario {
        "munlock-truncate" if BATCHED.contains(&variant) => &["deadlock"],
        // Tails of a page that is isolated meanwhile go to the list that its flags name at that moment.
        "munlock-split" if variant == "fixed" => &["13"],
        "munlock-split" => &["9", "13"],
        "munlock-drain" if ["v6.1", "today"].contains(&variant) => &["13"],
        _ => &[],
    }
}

fn every_schedule(scenario: &str, params: &[(&str, &str)], seeds: u64) {
    let scenario = SCENARIOS.iter().find(|known| known.name == scenario).unwrap();
    for variant in scenario.variants {
        for seed in 0..seeds {
            let run = run_as(scenario.name, variant.name, params, &format!("seed:{seed}"));
            if let Some(violation) = run.timeline.violation() {
                let number = violation.rule.split(':').next().unwrap();
                let expected = known(scenario.name, variant.name);
                assert!(expected.contains(&number), "{}, {}, seed {seed}: {violation:?}", scenario.name, variant.name);
            }
        }
    }
}

#[test]
fn every_rule_holds_while_two_processes_munlock() {
    every_schedule("munlock-two-cpus", &[("pages", "5"), ("pagevec", "3")], 200);
}

#[test]
fn every_rule_holds_against_truncation() {
    every_schedule("munlock-truncate", &[("pages", "4"), ("at", "2")], 200);
}

#[test]
fn every_rule_holds_against_another_mlock() {
    every_schedule("munlock-remlock", &[("pages", "5"), ("at", "2"), ("pagevec", "3")], 200);
}

#[test]
fn every_rule_holds_against_the_holder_of_a_page_lock() {
    every_schedule("munlock-page-lock", &[("pages", "4"), ("at", "1"), ("pagevec", "3")], 200);
}

#[test]
fn every_rule_holds_against_reclaim() {
    every_schedule("munlock-reclaim", &[("pages", "5"), ("at", "3"), ("pagevec", "4")], 200);
}

#[test]
fn every_rule_holds_against_a_remote_drain() {
    every_schedule("munlock-drain", &[("pages", "5"), ("in_remote_pagevec", "3"), ("pagevec", "4")], 200);
}

#[test]
fn every_rule_holds_in_the_putback_race() {
    every_schedule("putback-race", &[], 200);
}

#[test]
fn every_rule_holds_against_a_split() {
    every_schedule("munlock-split", &[], 40);
}

#[test]
fn every_rule_holds_wherever_the_task_moves() {
    for variant in ALL {
        for at in 0..20 {
            let params = [("pages", "18"), ("at", &at.to_string())];
            if at < 18 {
                assert_eq!(
                    run("munlock-migrate", variant, &params).timeline.violation(),
                    None,
                    "variant {variant}, {at}"
                );
            }
        }
    }
}

#[test]
fn scenarios_run_to_their_end_by_themselves() {
    for scenario in SCENARIOS {
        for variant in scenario.variants {
            let run = run(scenario.name, variant.name, &[]);
            let rule = run.timeline.violation().map(|violation| violation.rule.split(':').next().unwrap());
            let broken = match scenario.name {
                "madvise-free-race" if variant.name == "v4.12-bug" => Some("16"),
                "munlock-truncate" if BATCHED.contains(&variant.name) => Some("deadlock"),
                "munlock-split" if variant.name != "fixed" => Some("9"),
                "pcp-hang" if !["v5.18", "today"].contains(&variant.name) => Some("6"),
                "rmap-stale-tlb" if variant.name == "5" => Some("G12"),
                "rmap-table-end" if variant.name == "5" => Some("G10"),
                "rmap-mlock" if variant.name == "5" => Some("G9"),
                "rmap-poison" if ["2", "3", "4", "5"].contains(&variant.name) => Some("G9"),
                _ => None,
            };
            assert_eq!(rule, broken, "{}, variant {}", scenario.name, variant.name);
        }
    }
}

// What follows breaks the rules on purpose.

const RC4: Config = Config::base().with(&[Patch::ClearActive]);

/// A run of one task over some mlocked pages, on two CPUs and two zones.
fn broken_by<F, Fut>(config: Config, task: F) -> Timeline
where
    F: FnOnce(Cpu) -> Fut,
    Fut: Future<Output = ()> + 'static,
{
    let layout = Layout { zones: 2, cpus: 2, ..Layout::plain(6) };
    let mut engine = prepared(config, &layout, Schedule::RoundRobin);
    engine.spawn("culprit", 0, task);
    finish(engine)
}

fn rule_of(timeline: &Timeline) -> &'static str {
    timeline.violation().map_or("none", |violation| violation.rule)
}

macro_rules! breaks {
    ($($(#[$meta:meta])* $name:ident: $rule:expr, $config:expr, |$cpu:ident, $page:ident| $body:block)*) => {$(
        $(#[$meta])*
        #[test]
        fn $name() {
            let timeline = broken_by($config, |$cpu| async move {
                let $page = page_at(&$cpu.machine(), 1);
                $body
            });
            assert_eq!(rule_of(&timeline), $rule, "{:?}", timeline.violation());
            assert!(timeline.violation().unwrap().step as usize <= timeline.len());
        }
    )*};
}

const BASE: Config = Config::base();

fn lru_add(owner: u8) -> Pv {
    Pv { kind: PagevecKind::LruAdd, owner }
}

breaks! {
    rule_1_two_slots: "1: a page is in one lru_add slot at most", BASE, |cpu, page| {
        isolate_lru_page(&cpu, page).await;
        cpu.clear_page_unevictable(page).await;
        for owner in 0..2 {
            cpu.get_page(page, Site::LruCacheAdd, Held::Slot).await;
            cpu.pagevec_add(lru_add(owner), page).await;
        }
    }
    rule_1_flag_without_link: "1: a page is on one list exactly when PG_lru is set", BASE, |cpu, page| {
        cpu.lock_lru_irq(0).await;
        cpu.clear_page_lru(page).await;
        cpu.unlock_lru_irq(0).await;
    }
    rule_1_link_without_flag: "1: a page is on one list exactly when PG_lru is set", BASE, |cpu, page| {
        cpu.lock_lru_irq(0).await;
        cpu.list_del(4, page).await;
        cpu.raw_mod_zone_page_state(0, Stat::Unevictable, -1).await;
        cpu.unlock_lru_irq(0).await;
    }
    rule_1_lost_page: "1: at rest a page off its list waits in a pagevec", BASE, |cpu, page| {
        cpu.lock_lru_irq(0).await;
        cpu.clear_page_lru(page).await;
        cpu.list_del(4, page).await;
        cpu.raw_mod_zone_page_state(0, Stat::Unevictable, -1).await;
        cpu.unlock_lru_irq(0).await;
    }
    rule_2_flags_name_another_list: "1: a page is on one list exactly when PG_lru is set", BASE, |cpu, page| {
        // In the middle of its list, so that its neighbours are where they should be.
        cpu.lock_lru_irq(0).await;
        cpu.clear_page_unevictable(page).await;
        cpu.unlock_lru_irq(0).await;
    }
    rule_3_set_without_lock: "3: PG_lru changes under lru_lock", BASE, |cpu, page| {
        cpu.set_page_lru(page).await;
    }
    rule_3_clear_under_the_lock_of_another_zone: "3: PG_lru changes under lru_lock", BASE, |cpu, page| {
        cpu.lock_lru_irq(1).await;
        cpu.clear_page_lru(page).await;
        cpu.unlock_lru_irq(1).await;
    }
    rule_4_put_without_get: "4: _count is the sum of the holders", BASE, |cpu, page| {
        cpu.put_page_testzero(page, Site::PutPage, Held::Pin).await;
    }
    rule_4_put_of_another_holder: "4: _count is the sum of the holders", BASE, |cpu, page| {
        cpu.get_page(page, Site::FollowPage, Held::Pin).await;
        cpu.put_page_testzero(page, Site::PutPage, Held::Isolate).await;
    }
    rule_4_free_with_flags: "4: bad_page", BASE, |cpu, page| {
        cpu.give_free_page(page).await;
    }
    rule_5_mapped_more_often_than_held: "5: mapcount is at most _count", BASE, |cpu, page| {
        cpu.add_mapcount(page, 1).await;
    }
    rule_5_count_without_entry: "5: mapcount is the number of PTEs", BASE, |cpu, page| {
        cpu.get_page(page, Site::Unmap, Held::Map).await;
        cpu.add_mapcount(page, 1).await;
    }
    rule_6_unlock_of_a_free_lock: "6: only the owner unlocks a page", BASE, |cpu, page| {
        cpu.clear_page_locked(page).await;
    }
    rule_7_interrupts_on: "7: lru_lock is held with interrupts off", BASE, |cpu, _page| {
        cpu.lock_lru_irq(0).await;
        cpu.local_irq_restore().await;
    }
    rule_7_two_at_a_time: "7: one lru_lock at a time", BASE, |cpu, _page| {
        cpu.lock_lru_irq(0).await;
        cpu.lock_lru_irq(1).await;
    }
    rule_7_page_lock: "7: no sleep and no page lock under lru_lock", BASE, |cpu, page| {
        cpu.lock_lru_irq(0).await;
        cpu.lock_page(page).await;
    }
    rule_7_semaphore: "7: no sleep and no page lock under lru_lock", BASE, |cpu, _page| {
        cpu.lock_lru_irq(0).await;
        cpu.down(LockClass::MmapSem, false, 0).await;
    }
    rule_7_ptl: "7: no ptl under lru_lock", BASE, |cpu, _page| {
        cpu.lock_lru_irq(0).await;
        cpu.lock_ptl(0).await;
    }
    rule_7_page_table_lock: "7: no ptl under lru_lock", BASE, |cpu, _page| {
        cpu.lock_lru_irq(0).await;
        cpu.lock_page_table(0).await;
    }
    rule_7_the_same_lock_twice: "deadlock", BASE, |cpu, _page| {
        cpu.lock_lru_irq(0).await;
        cpu.lock_lru_irq(0).await;
    }
    rule_8_counter_without_list: "8: the LRU counters equal the lists", BASE, |cpu, _page| {
        cpu.lock_lru_irq(0).await;
        cpu.raw_mod_zone_page_state(0, Stat::ActiveFile, 1).await;
        cpu.unlock_lru_irq(0).await;
    }
    rule_8_list_without_counter: "8: the LRU counters equal the lists", BASE, |cpu, page| {
        cpu.lock_lru_irq(0).await;
        cpu.clear_page_lru(page).await;
        cpu.list_del(4, page).await;
        cpu.unlock_lru_irq(0).await;
    }
    rule_8_zone_twin: "8: the LRU counters equal the lists", common::config("v5.10"), |cpu, _page| {
        cpu.lock_lru_irq(0).await;
        cpu.raw_mod_zone_page_state(0, Stat::ZoneInactiveAnon, 1).await;
        cpu.unlock_lru_irq(0).await;
    }
    rule_9_far_off: "9: NR_MLOCK counts the mlocked pages", BASE, |cpu, _page| {
        cpu.mod_zone_page_state(0, Stat::Mlock, -2).await;
        // Said at once, long before the task is done.
        cpu.smp_mb().await;
        cpu.smp_mb().await;
    }
    rule_9_one_off_at_rest: "9: NR_MLOCK counts the mlocked pages", BASE, |cpu, _page| {
        cpu.mod_zone_page_state(0, Stat::Mlock, -1).await;
    }
    rule_9_flag_without_counter: "9: NR_MLOCK counts the mlocked pages", BASE, |cpu, page| {
        cpu.test_clear_page_mlocked(page).await;
    }
    rule_11_page_on_a_list: "11: a page in an lru_add pagevec is on no list", BASE, |cpu, page| {
        cpu.get_page(page, Site::LruCacheAdd, Held::Slot).await;
        cpu.pagevec_add(lru_add(0), page).await;
    }
    rule_11_unevictable_page: "11: a page in an lru_add pagevec is on no list", BASE, |cpu, page| {
        isolate_lru_page(&cpu, page).await;
        cpu.get_page(page, Site::LruCacheAdd, Held::Slot).await;
        cpu.pagevec_add(lru_add(0), page).await;
    }
    rule_11_too_many: "11: a pagevec holds what its size says at most", BASE.with_pagevec(1), |cpu, page| {
        for page in [page, page + 1] {
            isolate_lru_page(&cpu, page).await;
            cpu.clear_page_unevictable(page).await;
            cpu.get_page(page, Site::LruCacheAdd, Held::Slot).await;
            cpu.pagevec_add(lru_add(0), page).await;
        }
    }
    rule_12_active_and_unevictable: "12: no page on a list is active and unevictable", RC4, |cpu, page| {
        cpu.lock_lru_irq(0).await;
        cpu.set_page_active(page).await;
        cpu.unlock_lru_irq(0).await;
    }
    rule_13_stranded: "13: no evictable page is stranded on the unevictable list", BASE, |cpu, page| {
        cpu.test_clear_page_mlocked(page).await;
        cpu.mod_zone_page_state(0, Stat::Mlock, -1).await;
    }
    rule_14_isolated: "14: at rest no page is isolated or pinned", BASE, |cpu, page| {
        isolate_lru_page(&cpu, page).await;
    }
    rule_14_pinned: "14: at rest no page is isolated or pinned", BASE, |cpu, page| {
        cpu.get_page(page, Site::FollowPage, Held::Pin).await;
    }
    rule_14_locked: "14: at rest no page is locked", BASE, |cpu, page| {
        cpu.lock_page(page).await;
    }
}

#[test]
fn rule_12_does_not_hold_until_rc3() {
    let task = |cpu: Cpu| async move {
        let page = page_at(&cpu.machine(), 1);
        cpu.lock_lru_irq(0).await;
        cpu.set_page_active(page).await;
        cpu.unlock_lru_irq(0).await;
    };
    assert_eq!(broken_by(BASE, task).violation(), None);
}

#[test]
fn rule_3_does_not_hold_where_the_bit_comes_before_the_lock() {
    let task = |cpu: Cpu| async move {
        let page = page_at(&cpu.machine(), 1);
        cpu.test_clear_page_lru(page).await;
        cpu.set_page_lru(page).await;
    };
    assert_eq!(broken_by(config("today"), task).violation(), None);
    assert_eq!(rule_of(&broken_by(config("v5.10"), task)), "3: PG_lru changes under lru_lock");
}

#[test]
fn a_page_may_be_active_when_it_is_mlocked_until_rc3_and_comes_back_active() {
    // Which list munlock gives such a page back to.
    for (base, list) in [(BASE, 1), (RC4, 0)] {
        let timeline = broken_by(base, |cpu| async move {
            let page = page_at(&cpu.machine(), 1);
            isolate_lru_page(&cpu, page).await;
            cpu.clear_page_unevictable(page).await;
            cpu.set_page_active(page).await;
            add_page_to_unevictable_list(&cpu, page).await;
            cpu.put_page_testzero(page, Site::PutbackLruPage, Held::Isolate).await;
            sim_core::kernel::mlock::sys_munlock(&cpu, VMA).await;
            sim_core::kernel::swap::lru_add_drain(&cpu).await;
        });
        assert_eq!(timeline.violation(), None);
        let machine = &timeline.world().machine;
        assert_eq!(common::list_of(base, machine, page_at(machine, 1)), list);
    }
}

#[test]
fn two_tasks_that_take_two_locks_in_two_orders() {
    let layout = Layout { cpus: 2, ..Layout::plain(2) };
    let turns =
        vec![Turn { cpu: 0, until: Until::After(Op::TryLockPage { page: 0 }) }, Turn { cpu: 1, until: Until::Blocked }];
    let mut engine = prepared(BASE, &layout, Schedule::Script(turns));
    for (cpu, pages) in [(0, [0, 1]), (1, [1, 0])] {
        engine.spawn("culprit", cpu, move |cpu| async move {
            cpu.lock_page(pages[0]).await;
            cpu.lock_page(pages[1]).await;
            unlock_page(&cpu, pages[1]).await;
            unlock_page(&cpu, pages[0]).await;
        });
    }
    let timeline = finish(engine);
    let violation = timeline.violation().unwrap();
    assert_eq!(violation.rule, "deadlock");
    assert!(violation.detail.contains("CPU 0 waits for page_lock 1, held on CPU 1"), "{violation:?}");
    assert!(violation.detail.contains("CPU 1 waits for page_lock 0, held on CPU 0"), "{violation:?}");
}

type Change = dyn Fn(&mut Machine);

/// A world at rest that a change has broken.
fn broken_world(config: Config, change: impl Fn(&mut Machine)) -> &'static str {
    let engine = Layout { zones: 2, cpus: 2, ..Layout::plain(6) }.set_up(config);
    let mut machine = engine.world().machine.clone();
    assert_eq!(check_all(&machine, config, true), Ok(()), "it is whole before the change");
    change(&mut machine);
    check_all(&machine, config, true).map_or_else(|violation| violation.rule, |()| "none")
}

#[test]
fn worlds_that_are_not_whole() {
    const NR: usize = Stat::Unevictable as usize;
    let table: [(&str, &Change); 19] = [
        ("1: lists are linked", &|m| m.zones[0].lru[4].entries += 1),
        ("1: lists are linked", &|m| {
            let next = m.pages[1].next;
            m.pages[2].prev = next;
        }),
        ("2: a page is on the list that its flags name", &|m| m.pages[1].flags &= !PageFlag::Unevictable.bit()),
        ("1: a page is on one list exactly when PG_lru is set", &|m| m.pages[1].flags &= !PageFlag::Lru.bit()),
        ("5: mapcount is the number of PTEs", &|m| m.pages[1].mapcount = 2),
        ("5: mapcount is the number of PTEs", &|m| m.tables[1] = sim_core::machine::PTE_NONE),
        ("8: a global counter is the sum of the zones", &|m| m.vm_stat[NR] += 1),
        ("8: a global counter is the sum of the zones", &|m| m.zones[1].stat[Stat::Mlock as usize] -= 1),
        ("8: the LRU counters equal the lists", &|m| m.diffs[0][NR] += 1),
        ("8: the LRU counters equal the lists", &|m| m.zones[0].lru[4].pages -= 1),
        ("10: a per-CPU difference stays within the threshold", &|m| {
            m.diffs[0][NR] = 126;
            m.zones[0].stat[NR] -= 126;
            m.vm_stat[NR] -= 126;
        }),
        ("10: a per-CPU difference stays within the threshold", &|m| m.diffs[3][Stat::Mlock as usize] = -128),
        ("11: a page in an lru_add pagevec is on no list", &|m| {
            m.pagevecs[0].nr = 1;
            m.pagevecs[0].slots[0] = 1;
        }),
        ("13: no evictable page is stranded on the unevictable list", &|m| {
            m.pages[1].flags &= !PageFlag::Mlocked.bit();
        }),
        ("14: at rest no page is locked", &|m| m.pages[1].flags |= PageFlag::Locked.bit()),
        ("14: at rest no page is locked", &|m| m.pages[1].locker = 0),
        ("14: at rest nobody waits", &|m| {
            let lock = LockId { class: LockClass::Page, index: 1 };
            m.tasks[0].run = TaskRun::Waits(lock);
        }),
        ("none", &|m| m.pages[1].flags |= PageFlag::Referenced.bit()),
        ("none", &|m| m.mappings[0].unevictable = true),
    ];
    for (number, (rule, change)) in table.into_iter().enumerate() {
        assert_eq!(broken_world(BASE, change), rule, "change {number}");
    }
}

#[test]
fn worlds_of_later_kernels_that_are_not_whole() {
    let today = config("today");
    let lost = |m: &mut Machine| m.pages[1].flags &= !PageFlag::Lru.bit();
    assert_eq!(broken_world(today, lost), "1: at rest a page off its list waits in a pagevec");
    let stranded = |m: &mut Machine| m.pages[1].flags &= !PageFlag::Mlocked.bit();
    assert_eq!(broken_world(today, stranded), "13: no evictable page is stranded on the unevictable list");
    // Its flags name a list that has links, and it is not on it.
    let unlisted = |m: &mut Machine| m.pages[1].flags &= !PageFlag::Unevictable.bit();
    assert_eq!(broken_world(today, unlisted), "1: a page is on one list exactly when PG_lru is set");
    let twin = |m: &mut Machine| m.diffs[0][Stat::ZoneUnevictable as usize] += 1;
    assert_eq!(broken_world(today, twin), "8: the LRU counters equal the lists");
}

#[test]
fn a_count_that_nobody_holds() {
    let mut engine = prepared(BASE, &with_kinds(&[PageKind::Mlocked; 3]), Schedule::RoundRobin);
    engine.machine_mut().pages[1].count += 1;
    common::spawn_munlock(&mut engine, 0);
    let timeline = finish(engine);
    let violation = timeline.violation().unwrap();
    assert_eq!(violation.rule, "4: _count is the sum of the holders");
    assert!(violation.detail.starts_with("page 1: _count is 3, holders are 1 mapped, 0 cached"), "{violation:?}");
    // Found at the first step that touches the page, not at the end.
    let touched = timeline.records().iter().position(|record| record.op.page() == Some(1)).unwrap();
    assert_eq!(violation.step as usize, touched + 1);
}

#[test]
fn nr_mlock_may_not_drift_where_the_fix_is() {
    // The same drift that is known until 4.11 is a broken rule in a kernel that should not have it.
    for variant in ["0", "3", "fixed"] {
        let mut engine = prepared(config(variant), &with_kinds(&[PageKind::Mlocked; 20]), Schedule::RoundRobin);
        engine.machine_mut().zones[0].stat[Stat::Mlock as usize] += 1;
        engine.machine_mut().vm_stat[Stat::Mlock as usize] += 1;
        common::spawn_munlock(&mut engine, 0);
        assert_eq!(rule_of(&finish(engine)), "9: NR_MLOCK counts the mlocked pages", "variant {variant}");
    }
}
