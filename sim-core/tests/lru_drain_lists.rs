//! The five lru_add pagevecs of 3.2, one for each LRU list: which is filled, in which order they are drained, and what
//! a drain costs in lru_locks.

mod common;

use common::{bulk, run, run_as, spec};
use sim_core::engine::{Cpu, Engine, Outcome, Setup, Timeline};
use sim_core::kernel::lru_drain::lru_cache_add_lru;
use sim_core::kernel::memory::alloc_pages;
use sim_core::kernel::swap::{lru_add_drain, lru_cache_add};
use sim_core::kernel::vmscan::{isolate_lru_page, putback_lru_page};
use sim_core::ledger::{Count, How};
use sim_core::machine::{LockClass, Machine, MachineSpec, PageFlag, Pv};
use sim_core::op::Op;
use sim_core::scenario::LRU_DRAIN_VARIANTS;
use sim_core::view::PagevecKind;

const NAMES: [&str; 5] = ["inactive_anon", "active_anon", "inactive_file", "active_file", "unevictable"];
const ALL: [&str; 5] = ["sync", "async", "selective", "none", "today"];
const ACTIVE_ANON: u8 = 1;
const UNEVICTABLE: u8 = 4;

fn waiting(machine: &Machine, cpu: u8) -> [u8; 5] {
    core::array::from_fn(|lru| machine.pagevec(Pv { kind: PagevecKind::lru_add(lru as u8), owner: cpu }).nr)
}

fn listed(machine: &Machine) -> [usize; 5] {
    core::array::from_fn(|lru| machine.list(0, lru as u8).count())
}

#[test]
fn pages_wait_in_the_pagevec_of_their_list() {
    for variant in ["sync", "async"] {
        for (lru, name) in NAMES.iter().enumerate() {
            let timeline = run("lru-drain", variant, &[("lists", name), ("waiting", "3")]).timeline;
            let mut expected = [0; 5];
            expected[lru] = 3;
            assert_eq!(waiting(&timeline.world().machine, 1), expected, "{variant}, {name}");
        }
        let timeline = run("lru-drain", variant, &[("lists", "all"), ("waiting", "2")]).timeline;
        assert_eq!(waiting(&timeline.world().machine, 1), [2; 5], "{variant}");
    }
    // Later kernels have one for all of them, and it is full after 14: the fifteenth drains it.
    let timeline = run("lru-drain", "selective", &[("lists", "all"), ("waiting", "2")]).timeline;
    assert_eq!(waiting(&timeline.world().machine, 1), [8, 0, 0, 0, 0], "mlocked pages go straight to their list");
}

#[test]
fn a_page_in_a_pagevec_has_no_flag_of_its_list_until_the_drain() {
    for variant in ["sync", "async"] {
        let mut timeline = run("lru-drain", variant, &[("lists", "all"), ("mlocks", "1")]).timeline;
        let pages: Vec<_> = PagevecKind::OF_LISTS
            .map(|kind| timeline.world().machine.pagevec(Pv { kind, owner: 1 }).filled()[0])
            .to_vec();
        let bits = [PageFlag::Lru, PageFlag::Active, PageFlag::Unevictable];
        let flags = |timeline: &Timeline, page| bits.map(|flag| timeline.world().machine.page(page).has(flag));
        for &page in &pages {
            assert_eq!(flags(&timeline, page), [false; 3], "{variant}");
        }
        timeline.seek(timeline.len());
        let expected = [[true, true, false], [true, false, false], [true, true, false], [true, false, true]];
        for (&page, expected) in pages.iter().zip(expected) {
            assert_eq!(flags(&timeline, page), expected, "{variant}");
        }
        // The page of the range is on the unevictable list too.
        assert_eq!(listed(&timeline.world().machine), [1, 1, 1, 1, 2], "{variant}");
        assert_eq!(timeline.violation(), None, "{variant}");
    }
}

#[test]
fn a_look_ends_at_the_first_pagevec_that_is_not_empty() {
    // Four CPUs of which one has pages: five reads for each empty one, and as many as it takes for the other.
    for (lru, name) in (1..).zip(NAMES) {
        let ledger = bulk("lru-drain", "async", &[("lists", name), ("mlocks", "1")]).world().ledger.clone();
        assert_eq!(ledger.count(Count::RemoteReads), 15 + lru, "{name}");
        assert_eq!(ledger.count(Count::WorksQueued), 1, "{name}");
    }
    let ledger = bulk("lru-drain", "async", &[("lists", "all"), ("mlocks", "1")]).world().ledger.clone();
    assert_eq!(ledger.count(Count::RemoteReads), 15 + 1);
}

// lru_locks that a CPU takes in a run.
fn locks_on(timeline: &Timeline, cpu: u8) -> usize {
    let taken = |op: &Op| matches!(op, Op::SpinLock { class: LockClass::Lru, .. });
    timeline.records().iter().filter(|record| record.cpu == cpu && taken(&record.op)).count()
}

#[test]
fn a_drain_takes_one_lru_lock_for_each_pagevec_that_is_not_empty() {
    for (variant, all) in [("sync", 5), ("async", 5), ("selective", 1)] {
        for waiting in ["1", "3"] {
            let locks = |lists| {
                let params = [("lists", lists), ("mlocks", "1"), ("waiting", waiting)];
                locks_on(&run("lru-drain", variant, &params).timeline, 1)
            };
            for name in &NAMES[..4] {
                assert_eq!(locks(name), 1, "{variant}, {name}");
            }
            assert_eq!(locks("all"), all, "{variant}, all, {waiting} waiting");
        }
    }
}

/// A machine of 3.2 with two zones, on which a task runs to its end.
fn two_zones<F, Fut>(task: F) -> Engine
where
    F: FnOnce(Cpu) -> Fut,
    Fut: std::future::Future<Output = ()> + 'static,
{
    let config = LRU_DRAIN_VARIANTS[0].config;
    let machine = Machine::new(&MachineSpec { cpus: 1, zones: vec![32, 32], threshold: 125 });
    let mut engine = Engine::new(config, machine);
    engine.begin(Setup::default(), false);
    engine.spawn("task", 0, task);
    assert_eq!(engine.run().unwrap(), Outcome::Finished);
    engine
}

#[test]
fn and_one_more_where_the_zone_changes_within_a_pagevec() {
    // Zones of the pages in each pagevec, in the order in which they came; runs of one zone in it.
    let cases: [([&[u8]; 5], u64); 6] = [
        ([&[], &[], &[], &[], &[]], 0),
        ([&[0, 0], &[], &[], &[], &[]], 1),
        ([&[0, 1, 0], &[], &[1, 1], &[], &[]], 3 + 1),
        ([&[0], &[0], &[0], &[0], &[0]], 5),
        ([&[0], &[1], &[0], &[1], &[0]], 5),
        ([&[1, 0, 0], &[0, 1], &[], &[0, 1, 0, 1], &[1]], 2 + 2 + 4 + 1),
    ];
    for (zones, locks) in cases {
        let engine = two_zones(move |cpu| async move {
            for (lru, zones) in (0..).zip(zones) {
                for &zone in zones {
                    let page = alloc_pages(&cpu, zone, 0).await;
                    cpu.set_page_swapbacked(page).await;
                    lru_cache_add_lru(&cpu, page, lru).await;
                }
            }
            lru_add_drain(&cpu).await;
        });
        let world = engine.world();
        assert_eq!(world.ledger.lock(LockClass::Lru).acquired, locks, "{zones:?}");
        assert_eq!(world.ledger.count(Count::IrqPairs), locks, "{zones:?}");
        let filled = zones.iter().filter(|zones| !zones.is_empty()).count() as u64;
        assert_eq!(world.ledger.count(Count::Drains), filled, "{zones:?}");
        assert_eq!(waiting(&world.machine, 0), [0; 5], "{zones:?}");
    }
}

#[test]
fn pagevecs_are_drained_in_lru_order() {
    for variant in ["sync", "async"] {
        let timeline = run("lru-drain", variant, &[("lists", "all"), ("mlocks", "1")]).timeline;
        let emptied: Vec<_> = timeline
            .records()
            .iter()
            .filter(|record| record.cpu == 1)
            .filter_map(|record| match record.op {
                Op::PvecReinit { pv } => pv.kind.list(),
                _ => None,
            })
            .collect();
        assert_eq!(emptied, [0, 1, 2, 3, 4], "{variant}");
    }
}

#[test]
fn the_fourteenth_page_of_one_list_drains_that_pagevec_alone() {
    let engine = two_zones(|cpu| async move {
        for lru in [0, 2, 2, 3] {
            let page = alloc_pages(&cpu, 0, 0).await;
            lru_cache_add_lru(&cpu, page, lru).await;
        }
        for _ in 0..14 {
            let page = alloc_pages(&cpu, 0, 0).await;
            cpu.set_page_swapbacked(page).await;
            cpu.set_page_active(page).await;
            lru_cache_add(&cpu, page).await;
        }
    });
    let world = engine.world();
    assert_eq!(waiting(&world.machine, 0), [1, 0, 2, 1, 0]);
    assert_eq!(listed(&world.machine), [0, 14, 0, 0, 0]);
    assert_eq!(world.ledger.lock(LockClass::Lru).acquired, 1);
    // Once by whoever made the page, and by the drain; in between it is off.
    assert_eq!(world.ledger.flag(PageFlag::Active, How::Set), 28);
    assert_eq!(world.ledger.flag(PageFlag::Active, How::Clear), 14);
}

#[test]
fn an_active_page_that_is_put_back_waits_for_the_active_list() {
    let engine = two_zones(|cpu| async move {
        let page = alloc_pages(&cpu, 0, 0).await;
        cpu.set_page_swapbacked(page).await;
        lru_cache_add_lru(&cpu, page, ACTIVE_ANON).await;
        lru_add_drain(&cpu).await;
        assert!(isolate_lru_page(&cpu, page).await);
        putback_lru_page(&cpu, page).await;
    });
    assert_eq!(waiting(&engine.world().machine, 0), [0, 1, 0, 0, 0]);
}

#[test]
fn the_patch_files_an_evictable_page_of_the_unevictable_pagevec_elsewhere() {
    let patched = LRU_DRAIN_VARIANTS[1].config;
    let machine = Machine::new(&MachineSpec { cpus: 1, zones: vec![32], threshold: 125 });
    let mut engine = Engine::new(patched, machine);
    engine.spawn("task", 0, |cpu| async move {
        let page = alloc_pages(&cpu, 0, 0).await;
        cpu.set_page_swapbacked(page).await;
        lru_cache_add_lru(&cpu, page, UNEVICTABLE).await;
        lru_add_drain(&cpu).await;
    });
    engine.run().unwrap();
    assert_eq!(listed(&engine.world().machine), [1, 0, 0, 0, 0]);
}

#[test]
fn no_list_changes_what_a_call_costs_in_works_and_waits() {
    for variant in ALL {
        let cost = |lists| {
            let ledger = bulk("lru-drain", variant, &[("lists", lists)]).world().ledger.clone();
            [Count::WorksQueued, Count::Ipis, Count::PercpuAllocs].map(|count| ledger.count(count))
        };
        let expected = cost("inactive_anon");
        for name in ["active_anon", "inactive_file", "active_file", "all"] {
            assert_eq!(cost(name), expected, "{variant}, {name}");
        }
    }
}

#[test]
fn any_order_of_steps_keeps_the_rules() {
    for variant in ALL {
        for lists in NAMES.iter().copied().chain(["all"]) {
            for seed in 0..4 {
                let params = [("lists", lists), ("filled_cpus", "3"), ("waiting", "5")];
                let mut timeline = run_as("lru-drain", variant, &params, &format!("seed:{seed}")).timeline;
                assert_eq!(timeline.violation(), None, "{variant}, {lists}, seed {seed}");
                let start = timeline.world().clone();
                timeline.seek(timeline.len());
                while timeline.back() {}
                assert_eq!(*timeline.world(), start, "{variant}, {lists}, seed {seed}");
            }
        }
    }
}

#[test]
fn somebody_who_wants_all_pagevecs_empty_gets_the_five() {
    for variant in ["sync", "async", "selective"] {
        let run = run("lru-drain-all", variant, &[("lists", "all")]);
        let mut timeline = run.timeline;
        timeline.seek(timeline.len());
        for cpu in 0..4 {
            assert_eq!(waiting(&timeline.world().machine, cpu), [0; 5], "{variant}");
        }
        assert_eq!(timeline.violation(), None);
    }
    let error = spec("lru-drain-all", "sync", &[("lists", "all"), ("in", "rotate")]).record().err().unwrap();
    let text = "in is not lru_add and lists is not inactive_anon; expected one of them to be, as lists is for lru_add";
    assert_eq!(error.to_string(), text);
}

#[test]
fn the_view_shows_those_in_use_at_every_step() {
    let kinds = |timeline: &Timeline| -> Vec<_> {
        let own = timeline.view().cpus[1].pagevecs.iter().map(|pagevec| pagevec.kind).collect::<Vec<_>>();
        own.into_iter().filter_map(PagevecKind::list).collect()
    };
    let cases: [(&str, &[u8]); 4] =
        [("inactive_anon", &[0]), ("active_file", &[0, 3]), ("unevictable", &[0, 4]), ("all", &[0, 1, 2, 3, 4])];
    for variant in ["sync", "async"] {
        for (lists, expected) in cases {
            let mut timeline = run("lru-drain", variant, &[("lists", lists), ("mlocks", "1")]).timeline;
            assert_eq!(kinds(&timeline), expected, "{variant}, {lists}, at the start");
            while timeline.forward() {
                assert_eq!(kinds(&timeline), expected, "{variant}, {lists}, step {}", timeline.cursor());
                assert!(timeline.sentence().plain().len() > 12);
            }
        }
    }
    // A pagevec that waits all through the run, of which no step speaks.
    let none = run("lru-drain", "none", &[("lists", "all")]).timeline;
    assert_eq!(kinds(&none), [0], "later kernels have one");
}

#[test]
fn a_lock_says_how_many_pages_it_is_taken_for() {
    let mut timeline = run("lru-drain", "sync", &[("lists", "all"), ("mlocks", "1"), ("waiting", "3")]).timeline;
    let mut said = Vec::new();
    while timeline.forward() {
        let record = *timeline.last().unwrap();
        if record.cpu == 1 && matches!(record.op, Op::SpinLock { class: LockClass::Lru, .. }) {
            said.push(timeline.sentence().plain());
        }
    }
    assert_eq!(said.len(), 5);
    assert!(said.iter().all(|text| text.contains("3 pages")), "{said:?}");
}
