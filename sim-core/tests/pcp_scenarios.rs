//! The scenarios of the series: every variant there and back, the two races, many CPUs, large runs.

mod pcp;

use pcp::*;
use sim_core::engine::Outcome;
use sim_core::ledger::Count;
use sim_core::machine::{AreaList, Event, LockClass, MigrateType};
use sim_core::op::{Op, Read};
use sim_core::scenario::{RunSpec, SCENARIOS, SpecError};

fn spec(scenario: &str, variant: &str, params: &[(&str, &str)]) -> RunSpec {
    let spec = RunSpec::new(scenario, variant).unwrap();
    params.iter().fold(spec, |spec, (name, value)| spec.set(name, value).unwrap())
}

fn there_and_back(scenario: &str, variant: &str, params: &[(&str, &str)]) {
    let mut timeline = spec(scenario, variant, params).record().unwrap().timeline;
    timeline.seek(0);
    let start = timeline.world().clone();
    timeline.seek(timeline.len());
    let end = timeline.world().clone();
    for at in (0..timeline.len()).rev().step_by(97) {
        timeline.seek(at);
        assert!(!timeline.sentence().plain().is_empty());
    }
    timeline.seek(0);
    assert_eq!(&start, timeline.world(), "{scenario} {variant}");
    assert_eq!(start.machine.digest(), timeline.world().machine.digest());
    timeline.seek(timeline.len());
    assert_eq!(&end, timeline.world(), "{scenario} {variant}");
}

#[test]
fn every_variant_goes_there_and_back() {
    for variant in ALL {
        there_and_back("pcp-free", variant, &[("rounds", "3"), ("touch", "40")]);
        there_and_back("pcp-free", variant, &[("cpus", "3"), ("rounds", "2"), ("batch", "1"), ("high", "0")]);
        there_and_back("pcp-free", variant, &[("high_max", "40"), ("touch", "50"), ("rounds", "2")]);
        there_and_back("pcp-hang", variant, &[]);
        there_and_back("pcp-isolate", variant, &[]);
    }
}

#[test]
fn every_frame_has_a_number_and_a_place() {
    for variant in ALL {
        let run = run("pcp-free", variant, &[("pages", "512")]);
        let mut timeline = run.timeline;
        for at in (0..timeline.len()).step_by(23) {
            timeline.seek(at);
            let view = timeline.view();
            assert_eq!(view.pages.len(), 512);
            let [allocator] = &view.allocators[..] else { panic!("one allocator") };
            let machine = &timeline.world().machine;
            assert_eq!(allocator.nr_free, buddy(machine).nr_free);
            assert_eq!(allocator.pcps[0].lists[1].pages, pcp_list(machine, 0));
            if buddy(machine).lock.holder != sim_core::machine::NOBODY {
                continue;
            }
            let blocks: usize = allocator.free_lists.iter().map(|list| list.blocks.len() << list.order).sum();
            assert_eq!(blocks as u32, buddy(machine).free_pages());
            assert!(allocator.free_lists.iter().all(|list| list.mt == MigrateType::Movable));
        }
    }
}

#[test]
fn same_end_in_the_variants_of_the_series() {
    for params in
        [vec![], vec![("rounds", "4"), ("touch", "100")], vec![("rounds", "3"), ("batch", "7"), ("high", "42")]]
    {
        let digest = |variant| run("pcp-free", variant, &params).timeline.world().machine.digest();
        let first = digest("v4.15");
        for variant in SAME {
            assert_eq!(digest(variant), first, "{variant} {params:?}");
        }
    }
}

#[test]
fn a_drain_of_more_than_there_is_never_ends() {
    for variant in SAME {
        let run = spec("pcp-hang", variant, &[]).record().unwrap();
        let mut timeline = run.timeline;
        let violation = timeline.violation().cloned().unwrap();
        assert_eq!(violation.rule, "6: a drain asks for no more pages than the lists hold", "{variant}");
        timeline.seek(timeline.len());
        let holds = buddy(&timeline.world().machine).lock.holder != sim_core::machine::NOBODY;
        assert_eq!(holds, variant == "v4.15", "{variant}: before the series the whole zone hangs");
        assert!(timeline.world().machine.cpus[1].irqs_off);
        let fixed = spec("pcp-hang", variant, &[("fixed", "true")]).record().unwrap();
        assert_eq!(fixed.timeline.violation(), None);
    }
    for variant in ["v5.18", "today"] {
        assert_eq!(run("pcp-hang", variant, &[]).timeline.violation(), None);
    }
}

#[test]
fn an_isolated_pageblock_keeps_its_pages() {
    for variant in ALL {
        let run = run("pcp-isolate", variant, &[]);
        let machine = &run.timeline.world().machine;
        let isolated = machine.area_list(0, AreaList::Free { order: 10, mt: MigrateType::Isolate });
        assert_eq!(isolated.collect::<Vec<_>>(), [0], "{variant}");
        assert_eq!((nr_free_pages(machine), buddy(machine).nr_isolate), (1024, 2));
        let last = run
            .timeline
            .records()
            .iter()
            .rev()
            .find(|record| matches!(record.op, Op::Read { what: Read::Pageblock, .. }));
        assert_eq!(last.unwrap().outcome.ret, MigrateType::Isolate as u32);
    }
}

#[test]
fn a_stale_type_puts_pages_on_the_wrong_list() {
    for variant in ["v4.15", "pick-outside", "prefetch-all", "merged", "v5.18"] {
        let run = spec("pcp-isolate", variant, &[("no_reread", "true")]).record().unwrap();
        let violation = run.timeline.violation().unwrap();
        assert_eq!(violation.rule, "B.8.2: free pages of an isolated pageblock are on the ISOLATE lists", "{variant}");
    }
    // No type is kept in the page any more.
    assert_eq!(run("pcp-isolate", "today", &[("no_reread", "true")]).timeline.violation(), None);
}

#[test]
fn many_cpus_in_any_order() {
    for variant in ALL {
        for seed in 0..3 {
            let params = [("cpus", "4"), ("touch", "30"), ("rounds", "2")];
            let run = spec("pcp-free", variant, &params).schedule(&format!("seed:{seed}")).unwrap().record().unwrap();
            assert_eq!(run.timeline.violation(), None, "{variant} seed {seed}");
        }
        let run = run("pcp-free", variant, &[("cpus", "8"), ("touch", "20")]);
        assert!(run.ledger.lock(LockClass::Zone).contended > 0, "{variant}");
    }
}

#[test]
fn a_large_run_in_bulk() {
    // 327,680 pages: 4 x 20 x 4096 as on a real machine, on 4 CPUs; and 56 CPUs on a zone of that size.
    let full = !cfg!(debug_assertions);
    let rounds = if full { "20" } else { "1" };
    for variant in if full { &ALL[..] } else { &["merged"] } {
        let params = [
            ("cpus", "4"),
            ("pages", "327680"),
            ("touch", "4096"),
            ("rounds", rounds),
            ("batch", "31"),
            ("high", "186"),
        ];
        let engine = spec("pcp-free", variant, &params).bulk(1 << 20, |_| true).unwrap();
        let pages = if full { 327_680 } else { 16_384 };
        assert_eq!(engine.world().ledger.count(Count::Allocs), pages);
        let many = [("cpus", "56"), ("pages", "327680"), ("touch", "64"), ("batch", "31"), ("high", "186")];
        let engine = spec("pcp-free", variant, &many).bulk(1 << 20, |_| true).unwrap();
        let world = engine.world();
        assert_eq!(world.ledger.events[Event::Alloc as usize], 56 * 64);
        assert_eq!(world.machine.tasks.len(), 56);
    }
}

#[test]
fn bulk_and_recorded_agree() {
    for variant in ALL {
        let params = [("rounds", "3"), ("touch", "60")];
        let recorded = run("pcp-free", variant, &params);
        let mut engine = spec("pcp-free", variant, &params).start(true).unwrap();
        while engine.advance(1 << 20).unwrap() == Outcome::Paused {}
        let world = engine.world();
        assert_eq!(world.machine.digest(), recorded.timeline.world().machine.digest(), "{variant}");
        let mut ledger = world.ledger.clone();
        ledger.locks = recorded.ledger.locks;
        assert_eq!(ledger, recorded.ledger, "{variant}");
    }
}

#[test]
fn what_does_not_fit_is_said() {
    let wrong = [
        [("batch", "13"), ("high", "12")],
        [("high_max", "4"), ("high", "12")],
        [("touch", "1000"), ("rounds", "1")],
        [("cpus", "64"), ("rounds", "1")],
        [("batch", "4"), ("high", "0")],
    ];
    for params in wrong {
        match spec("pcp-free", "today", &params).record() {
            Err(SpecError::Together(text)) => assert!(text.contains("expected"), "{text}"),
            other => panic!("{params:?}: {:?}", other.map(|run| run.timeline.len())),
        }
    }
    let ours = SCENARIOS.iter().filter(|scenario| scenario.name.starts_with("pcp-"));
    assert_eq!(ours.map(|scenario| scenario.variants.len()).collect::<Vec<_>>(), [6, 6, 6]);
}

#[test]
fn memory_that_is_used_up_ends_a_round() {
    // The smallest zone that is accepted is never too small.
    for variant in ALL {
        let most = (1..900).rev().find_map(|touch| {
            let touch = touch.to_string();
            spec("pcp-free", variant, &[("touch", &touch), ("rounds", "2")]).bulk(1 << 20, |_| true).ok().map(
                |engine| {
                    let allocs = engine.world().ledger.count(Count::Allocs);
                    (touch.parse::<u64>().unwrap(), allocs)
                },
            )
        });
        let (touch, allocs) = most.unwrap();
        assert_eq!(allocs, 2 * touch, "{variant}");
    }
}
