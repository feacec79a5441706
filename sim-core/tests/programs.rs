//! Programs: any mix of calls keeps the rules of the machine on every kernel, and can be taken back.

mod common;

use proptest::prelude::*;
use sim_core::kernel::Patch;
use sim_core::kernel::fault::{Mempolicy, POLICY_ZONES};
use sim_core::machine::{Event, Stat};
use sim_core::scenario::program::{Advice, Area, Call, FUNCTIONS, Heading, Kernel, Measure, Process, Program, Span};
use sim_core::scenario::{Run, RunSpec, Scenario};

const PAGES: u32 = 6;

fn policy(huge: bool) -> Mempolicy {
    let mut zones = [0; POLICY_ZONES];
    zones[1] = 1;
    Mempolicy { zones, nr: 2, huge }
}

fn area(start: u32, pages: u32, file: Option<(u8, u32)>, huge: bool) -> Area {
    Area { start, pages, file, policy: policy(huge) }
}

/// A parent with an anonymous VMA and two that map one file, its child, and a process that maps the file too.
fn program(setup: Vec<(u8, Call)>, run: Vec<Vec<Call>>, schedule: &str) -> Program {
    let parent = vec![
        area(0, PAGES, None, false),
        area(PAGES, PAGES, Some((0, 0)), false),
        area(510, PAGES, Some((0, 2)), false),
    ];
    let other = vec![area(0, PAGES, Some((0, 0)), false), area(PAGES, PAGES, None, false)];
    let processes = vec![
        Process { child_of: None, vmas: parent },
        Process { child_of: Some(0), vmas: Vec::new() },
        Process { child_of: None, vmas: other },
    ];
    Program {
        cpus: 3,
        zones: vec![400, 400],
        threshold: 7,
        processes,
        setup,
        run,
        measure: Measure::Everything,
        schedule: schedule.into(),
    }
}

fn scenario(program: Program) -> &'static Scenario {
    let kernel = Kernel {
        series: "munlock".into(),
        variant: "0".into(),
        compare: None,
        on: Vec::new(),
        off: Vec::new(),
        pagevec: None,
    };
    program.into_scenario(Heading { name: "test".into(), ..Heading::default() }, &kernel).unwrap()
}

fn whole(process: u8, vma: u8) -> Span {
    Span { process, vma, first: 0, pages: None }
}

fn record(scenario: &'static Scenario, variant: &str) -> Run {
    let mut run = RunSpec::of(scenario, variant).unwrap().record().unwrap();
    run.timeline.seek(run.timeline.len());
    run
}

// From 5.18 on, who munlocks a page that another process' mlock has just isolated leaves it where that one puts it, and
// counts it as stranded.
fn is_known(run: &Run, rule: &str) -> bool {
    let machine = &run.timeline.world().machine;
    let stranded = machine.events[Event::Stranded as usize] > 0;
    run.timeline.config().has(Patch::MlockBatch) && stranded && rule.starts_with("13: ")
}

fn spans() -> impl Strategy<Value = Span> {
    (0u8..3, 0u8..3, 0..PAGES, 1..=PAGES).prop_map(|(process, vma, first, pages)| Span {
        process,
        vma: if process == 2 { vma % 2 } else { vma },
        first,
        pages: Some(pages.min(PAGES - first)),
    })
}

fn calls() -> impl Strategy<Value = Call> {
    let vma = || spans().prop_map(|span| Span { first: 0, pages: None, ..span });
    prop_oneof![
        3 => spans().prop_map(Call::Touch),
        2 => spans().prop_map(Call::Read),
        2 => vma().prop_map(Call::Mlock),
        2 => vma().prop_map(Call::Munlock),
        1 => vma().prop_map(Call::Munmap),
        1 => (vma(), any::<bool>(), any::<bool>()).prop_map(|(at, locked, populate)| Call::Mmap { at, locked, populate }),
        1 => (0u8..3).prop_map(Call::Mlockall),
        1 => Just(Call::Fork { process: 0, child: 1 }),
        1 => spans().prop_map(|span| Call::Madvise(span, Advice::Dontneed)),
        1 => Just(Call::Drain { all: false }),
        1 => spans().prop_map(Call::Isolate),
    ]
}

fn lists(most: usize) -> impl Strategy<Value = Vec<Call>> {
    prop::collection::vec(calls(), 1..most)
}

proptest! {
    #![proptest_config(common::cases(40))]

    #[test]
    fn any_mix_of_calls_keeps_the_rules_and_can_be_taken_back(
        setup in lists(4), one in lists(5), two in lists(5), three in lists(5), seed in 0u32..1000,
    ) {
        let setup = setup.into_iter().map(|call| (1, call)).collect();
        let scenario = scenario(program(setup, vec![one, two, three], &format!("seed:{seed}")));
        for variant in common::ALL {
            let mut run = record(scenario, variant);
            let broken = run.timeline.violation().filter(|broken| !is_known(&run, broken.rule));
            prop_assert_eq!(broken, None, "variant {}", variant);
            let end = run.timeline.world().clone();
            let start = RunSpec::of(scenario, variant).unwrap().start(false).unwrap();
            run.timeline.seek(0);
            prop_assert_eq!(&*start.world(), run.timeline.world(), "variant {}", variant);
            run.timeline.seek(run.timeline.len());
            prop_assert_eq!(&end, run.timeline.world(), "variant {}", variant);
            let bulk = RunSpec::of(scenario, variant).unwrap().bulk(1 << 20, |_| true).unwrap();
            prop_assert_eq!(&end, &*bulk.world(), "variant {}", variant);
        }
    }
}

#[test]
fn munmap_and_dontneed_give_all_pages_back() {
    let whole = |vma| whole(0, vma);
    let setup = vec![(0, Call::Mlock(whole(0))), (0, Call::Touch(whole(1)))];
    let run = vec![vec![Call::Munmap(whole(0)), Call::Touch(whole(0)), Call::Madvise(whole(0), Advice::Dontneed)]];
    let scenario = scenario(program(setup, run, "round-robin"));
    for variant in common::ALL {
        let run = record(scenario, variant);
        let machine = &run.timeline.world().machine;
        assert_eq!(run.timeline.violation(), None, "variant {variant}");
        assert_eq!(machine.stat(Stat::AnonPages), 0, "variant {variant}");
        assert_eq!(machine.stat(Stat::Mlock), 0, "variant {variant}");
        assert_eq!(machine.stat(Stat::FileMapped), i64::from(PAGES), "variant {variant}");
        assert!((0..PAGES).all(|addr| machine.pte(0, addr) == sim_core::machine::PTE_NONE), "variant {variant}");
    }
}

#[test]
fn a_store_after_fork_copies_the_page() {
    let setup = vec![(0, Call::Touch(whole(0, 0))), (0, Call::Fork { process: 0, child: 1 })];
    let run = vec![vec![Call::Touch(Span { first: 2, pages: Some(3), ..whole(1, 0) })]];
    let run = record(scenario(program(setup, run, "round-robin")), "fixed");
    let machine = &run.timeline.world().machine;
    let shared: Vec<bool> = (0..PAGES).map(|addr| machine.pte(0, addr) == machine.pte(1, addr)).collect();
    assert_eq!(shared, [true, true, false, false, false, true]);
    assert_eq!(machine.stat(Stat::AnonPages), i64::from(PAGES) + 3);
    let mapped: Vec<i32> = (0..PAGES).map(|addr| machine.page(machine.pte(0, addr)).mapcount).collect();
    assert_eq!(mapped, [2, 2, 1, 1, 1, 2]);
}

#[test]
fn two_processes_that_read_a_file_share_its_pages() {
    let run = vec![vec![Call::Read(whole(0, 1))], vec![Call::Read(whole(2, 0))]];
    for seed in 0..20 {
        let run = record(scenario(program(Vec::new(), run.clone(), &format!("seed:{seed}"))), "0");
        let machine = &run.timeline.world().machine;
        assert_eq!(run.timeline.violation(), None);
        assert!((0..PAGES).all(|addr| machine.pte(0, PAGES + addr) == machine.pte(2, addr)));
        assert_eq!(machine.stat(Stat::FileMapped), i64::from(PAGES));
    }
}

#[test]
fn the_picture_follows_pages_that_the_run_allocates() {
    let fork = vec![Call::Touch(whole(0, 0)), Call::Fork { process: 0, child: 1 }, Call::Mlockall(1)];
    let run = vec![fork, vec![Call::Read(whole(2, 0)), Call::Munmap(whole(2, 0))]];
    for variant in ["0", "6", "today"] {
        let mut run = record(scenario(program(Vec::new(), run.clone(), "seed:3")), variant);
        assert_eq!(run.timeline.violation(), None, "variant {variant}");
        for step in 0..=run.timeline.len() {
            run.timeline.seek(step);
            let view = run.timeline.view();
            let machine = &run.timeline.world().machine;
            let mapped = (0..PAGES).filter(|&addr| machine.pte(0, addr) < sim_core::machine::PTE_SWAP).count();
            let shown = view.spaces[0].ptes.iter().filter(|pte| pte.page.is_some()).count();
            assert_eq!(shown, mapped, "step {step}");
            assert!(!run.timeline.sentence().plain().is_empty() && !run.timeline.listing(20).lines.is_empty());
        }
        // The parent's, the copies that populate makes for the child, and the file up to its eighth page.
        assert_eq!(run.timeline.view().pages.len() as u32, 2 * PAGES + 8, "variant {variant}");
    }
}

#[test]
fn huge_pages_are_mapped_mlocked_and_munlocked_whole() {
    let at = whole(0, 0);
    let program = Program {
        zones: vec![1024, 1024],
        processes: vec![Process { child_of: None, vmas: vec![area(512, 1024, None, true)] }],
        ..program(
            vec![(0, Call::Touch(at))],
            vec![vec![Call::Mlock(at), Call::Munlock(at), Call::Isolate(at)]],
            "turns",
        )
    };
    let scenario = scenario(program);
    for variant in common::ALL {
        let run = record(scenario, variant);
        let machine = &run.timeline.world().machine;
        assert_eq!(run.timeline.violation(), None, "variant {variant}");
        assert_eq!(machine.stat(Stat::Mlock), 0, "variant {variant}");
        assert_eq!(machine.stat(Stat::AnonPages), 1024, "variant {variant}");
        assert_eq!(machine.pages.iter().filter(|page| page.order() == 9).count(), 2, "variant {variant}");
    }
}

#[test]
fn a_call_without_its_function_is_refused_by_every_kernel() {
    let missing = [
        (Call::Madvise(whole(0, 0), Advice::Free), "madvise_free_single_vma"),
        (Call::Madvise(whole(0, 0), Advice::Pageout), "madvise_pageout"),
        (Call::Drain { all: true }, "lru_add_drain_all"),
        (Call::Reclaim { zone: 0, pages: 1 }, "try_to_free_pages"),
        (Call::Alloc { zone: 0, order: 0, block: 0 }, "get_page_from_freelist"),
        (Call::Free { block: 0 }, "free_unref_page"),
    ];
    for (call, function) in missing {
        assert!(FUNCTIONS.iter().any(|row| row.call == call.name() && row.function == function));
        let scenario = scenario(program(Vec::new(), vec![Vec::new(), vec![call]], "round-robin"));
        for variant in common::ALL {
            let error = RunSpec::of(scenario, variant).unwrap().record().err().unwrap().to_string();
            let expected = format!("cpus[1].run[0]: `{}`: this configuration has no {function}", call.name());
            assert_eq!(error, expected);
        }
    }
}

#[test]
fn a_run_that_needs_more_memory_stops_with_the_rule_named() {
    let small = Program { zones: vec![2, 400], ..program(Vec::new(), vec![vec![Call::Touch(whole(0, 0))]], "turns") };
    let scenario = scenario(small);
    let run = record(scenario, "0");
    assert_eq!(run.timeline.violation().unwrap().rule, "out of memory");
    let bulk = RunSpec::of(scenario, "0").unwrap().bulk(1 << 20, |_| true).unwrap();
    assert_eq!(bulk.violation().unwrap().rule, "out of memory");
}
