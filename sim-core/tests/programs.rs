//! Programs: any mix of calls keeps the rules of the machine on every kernel, and can be taken back.

mod common;

use proptest::prelude::*;
use sim_core::engine::CALL_ORDER;
use sim_core::kernel::Patch;
use sim_core::kernel::fault::{Mempolicy, POLICY_ZONES};
use sim_core::kernel::rmap_map::FolioKind;
use sim_core::ledger::Count;
use sim_core::machine::{Event, PTE_DIRTY, PcpField, PcpSpec, Rss, Stat, SwapTuning, pte_page};
use sim_core::scenario::program::{
    Advice, Area, Call, FUNCTIONS, Folios, Heading, Kernel, Measure, Memory, MemoryKind, Process, Program, Span,
};
use sim_core::scenario::{Run, RunSpec, SERIES, Scenario};

const PAGES: u32 = 6;

fn policy(huge: bool) -> Mempolicy {
    let mut zones = [0; POLICY_ZONES];
    zones[1] = 1;
    Mempolicy { zones, nr: 2, huge }
}

fn area(start: u32, pages: u32, file: Option<(u8, u32)>, huge: bool) -> Area {
    Area { start, pages, file, policy: policy(huge), split: false, folios: None }
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
        memory: Memory::Plain,
        processes,
        setup,
        run,
        starts: Vec::new(),
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

// The program without the calls that cannot stand where they do.
fn sane(mut program: Program) -> Program {
    while let Err(misfit) = program.validate() {
        let at = |text: &str| text.split(']').next().and_then(|at| at.parse::<usize>().ok());
        match misfit.path.split('[').collect::<Vec<_>>()[..] {
            ["setup", call, ..] => drop(program.setup.remove(at(call).unwrap())),
            ["cpus", cpu, call, ..] => drop(program.run[at(cpu).unwrap()].remove(at(call).unwrap())),
            _ => panic!("{misfit}"),
        }
    }
    program
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
        let fork = (seed % 2 == 0).then_some((1, Call::Fork { process: 0, child: 1 }));
        let setup = fork.into_iter().chain(setup.into_iter().map(|call| (1, call))).collect();
        let scenario = scenario(sane(program(setup, vec![one, two, three], &format!("seed:{seed}"))));
        for variant in common::ALL {
            let mut run = record(scenario, variant);
            let early = run.timeline.violation().is_some_and(|broken| broken.rule == CALL_ORDER);
            let broken = run.timeline.violation().filter(|broken| !early && !is_known(&run, broken.rule));
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

// Calls of one process of two, on the machines that have more than lists.
fn calls_with(kind: MemoryKind, process: u8) -> BoxedStrategy<Call> {
    let span = (0u32..12, 1u32..=12).prop_map(move |(first, pages)| Span {
        process,
        vma: 0,
        first,
        pages: Some(pages.min(12 - first)),
    });
    let all = whole(process, 0);
    match kind {
        MemoryKind::Kworkers => prop_oneof![
            3 => span.clone().prop_map(Call::Touch),
            1 => span.clone().prop_map(Call::Isolate),
            2 => Just(Call::Mlock(all)),
            1 => Just(Call::Munlock(all)),
            1 => Just(Call::Munmap(all)),
            1 => Just(Call::Drain { all: true }),
            1 => Just(Call::Drain { all: false }),
        ]
        .boxed(),
        MemoryKind::Pcp => {
            let block = move |order: u8| process * 16 + order;
            prop_oneof![
                3 => span.clone().prop_map(Call::Touch),
                2 => Just(Call::Munmap(all)),
                1 => Just(Call::DrainPcp { zone: 0 }),
                1 => Just(Call::Drain { all: false }),
                2 => (0u8..4).prop_map(move |order| Call::Alloc { zone: 0, order, block: block(order) }),
                1 => any::<bool>().prop_map(|undo| Call::IsolateBlock { zone: 0, range: 0, undo }),
            ]
            .boxed()
        }
        MemoryKind::Swap => prop_oneof![
            4 => span.clone().prop_map(Call::Touch),
            2 => span.clone().prop_map(Call::Read),
            2 => span.clone().prop_map(|span| Call::Madvise(span, Advice::Free)),
            1 => span.clone().prop_map(|span| Call::Madvise(span, Advice::Dontneed)),
            1 => Just(Call::Munmap(all)),
            1 => Just(Call::Exit(process)),
            2 => (1u32..12).prop_map(|pages| Call::Reclaim { zone: 0, pages }),
        ]
        .boxed(),
        MemoryKind::Folios => prop_oneof![
            2 => Just(Call::Madvise(all, Advice::Pageout)),
            2 => Just(Call::Unmap(all)),
            1 => Just(Call::Drain { all: false }),
        ]
        .boxed(),
        MemoryKind::Plain => Just(Call::Drain { all: false }).boxed(),
    }
}

fn on_machines() -> impl Strategy<Value = (&'static str, Program)> {
    let kinds = [MemoryKind::Kworkers, MemoryKind::Pcp, MemoryKind::Swap, MemoryKind::Folios];
    let lists = prop::sample::select(kinds.to_vec()).prop_flat_map(|kind| {
        let list = |process| prop::collection::vec(calls_with(kind, process), 1..6);
        (Just(kind), list(0), list(1), 0u32..1000, 0u8..4, any::<bool>())
    });
    lists.prop_map(|(kind, one, two, seed, which, timed)| {
        // With swap, what a process has given up for good is the end of it.
        let cut = |mut calls: Vec<Call>| {
            let ends = |call: &Call| matches!(call, Call::Munmap(_) | Call::Exit(_));
            if let Some(at) = calls.iter().position(ends).filter(|_| kind == MemoryKind::Swap) {
                calls.truncate(at + 1);
            }
            calls
        };
        let (one, two) = (cut(one), cut(two));
        let schedule = if timed && kind == MemoryKind::Swap { "timed".to_string() } else { format!("seed:{seed}") };
        let mut run = vec![one, two];
        // Not together with the patch of lru-drain.
        if run.iter().flatten().any(|call| matches!(call, Call::Mlock(_))) {
            run.iter_mut().for_each(|calls| calls.retain(|call| *call != Call::Drain { all: true }));
        }
        match kind {
            MemoryKind::Pcp => ("pcp-free", small(PCP, Vec::new(), run, &schedule)),
            MemoryKind::Swap => ("madvise-free", Program { zones: vec![20], ..small(SWAP, Vec::new(), run, "timed") }),
            MemoryKind::Folios => {
                let kind = [FolioKind::File, FolioKind::Anon, FolioKind::Lazyfree][which as usize % 3];
                ("rmap-unmap", folios(kind, 2, run, &schedule))
            }
            MemoryKind::Kworkers | MemoryKind::Plain => {
                ("lru-drain", small(Memory::Kworkers, Vec::new(), run, &schedule))
            }
        }
    })
}

proptest! {
    #![proptest_config(common::cases(60))]

    #[test]
    fn any_mix_on_the_other_machines_keeps_the_rules_and_can_be_taken_back((series, program) in on_machines()) {
        let known = SERIES.iter().find(|known| known.name == series).unwrap();
        let scenario = of_series(program, series, known.scenarios[0].sides.0);
        for variant in known.scenarios[0].variants.iter().map(|variant| variant.name) {
            let mut run = record(scenario, variant);
            let broken = run.timeline.violation().filter(|broken| {
                // What a program can do by itself, and the slips of patch 5 as posted.
                !["out of memory", "a block is allocated once"].contains(&broken.rule)
            });
            prop_assert_eq!(broken, None, "{}, variant {}", series, variant);
            let end = run.timeline.world().clone();
            let start = RunSpec::of(scenario, variant).unwrap().start(false).unwrap();
            run.timeline.seek(0);
            prop_assert!(&*start.world() == run.timeline.world(), "{}, variant {}", series, variant);
            run.timeline.seek(run.timeline.len());
            prop_assert!(&end == run.timeline.world(), "{}, variant {}", series, variant);
            prop_assert!(!run.timeline.sentence().plain().is_empty());
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

// A program on another machine: one zone of 1024 pages, and two processes with 12 pages each.
fn small(memory: Memory, setup: Vec<(u8, Call)>, run: Vec<Vec<Call>>, schedule: &str) -> Program {
    let zones = [0; POLICY_ZONES];
    let one = Mempolicy { zones, nr: 1, huge: false };
    let area = Area { start: 0, pages: 12, file: None, policy: one, split: false, folios: None };
    let process = Process { child_of: None, vmas: vec![area] };
    let processes = vec![process.clone(), process];
    Program { zones: vec![1024], processes, memory, ..program(setup, run, schedule) }
}

fn of_series(program: Program, series: &str, variant: &str) -> &'static Scenario {
    with_patches(program, series, variant, &[])
}

fn with_patches(program: Program, series: &str, variant: &str, on: &[Patch]) -> &'static Scenario {
    let kernel = Kernel {
        series: series.into(),
        variant: variant.into(),
        compare: None,
        on: on.to_vec(),
        off: Vec::new(),
        pagevec: None,
    };
    program.into_scenario(Heading { name: "test".into(), ..Heading::default() }, &kernel).unwrap()
}

const PCP: Memory = Memory::Pcp(PcpSpec { batch: 4, high: 12, high_max: 12 });
const SWAP: Memory = Memory::Swap(SwapTuning { slots: 64, marks: [6, 8, 10], slice: 8, ratio: 1, write_time: 40 });

fn refused(scenario: &'static Scenario, variant: &str) -> String {
    RunSpec::of(scenario, variant).unwrap().record().err().map_or_else(String::new, |error| error.to_string())
}

#[test]
fn a_call_without_its_function_is_refused_by_every_kernel() {
    let missing = [
        (Call::Madvise(whole(0, 0), Advice::Free), "madvise_free_single_vma"),
        (Call::Reclaim { zone: 0, pages: 1 }, "__zone_reclaim"),
        (Call::Alloc { zone: 0, order: 0, block: 0 }, "get_page_from_freelist"),
        (Call::DrainPcp { zone: 0 }, "drain_local_pages"),
        (Call::IsolateBlock { zone: 0, range: 0, undo: false }, "set_migratetype_isolate"),
        (Call::Exit(0), "exit_mmap"),
    ];
    for (call, function) in missing {
        assert!(FUNCTIONS.iter().any(|row| row.call == call.name() && row.function == function));
        let program =
            Program { zones: vec![2000, 400], ..program(Vec::new(), vec![vec![], vec![call]], "round-robin") };
        let scenario = scenario(program);
        for variant in common::ALL {
            let expected = format!("cpus[1].run[0]: `{}`: this configuration has no {function}", call.name());
            assert_eq!(refused(scenario, variant), expected);
        }
    }
    for (call, function, variant) in [
        (Call::Madvise(whole(0, 0), Advice::Pageout), "madvise_pageout", "0"),
        (Call::Unmap(whole(0, 0)), "try_to_unmap", "v5.10"),
        (Call::Drain { all: true }, "lru_add_drain_all", "today"),
    ] {
        let scenario = scenario(program(Vec::new(), vec![vec![call]], "round-robin"));
        let expected = format!("cpus[0].run[0]: `{}`: this configuration has no {function}", call.name());
        assert_eq!(refused(scenario, variant), expected);
    }
}

#[test]
fn a_call_on_a_machine_of_another_kind_is_refused() {
    let plain = scenario(program(Vec::new(), vec![vec![Call::Drain { all: true }]], "turns"));
    assert_eq!(
        refused(plain, "0"),
        "cpus[0].run[0]: `drain all` is not modelled on a machine with none of `kworkers`, `pcp`, `swap` and `folios`; expected one with `kworkers`"
    );
    let run = vec![vec![Call::Mlock(whole(0, 0))]];
    assert_eq!(
        refused(of_series(small(PCP, Vec::new(), run.clone(), "turns"), "pcp-free", "v4.15"), "v4.15"),
        "cpus[0].run[0]: `mlock` is not modelled on a machine with `pcp`; expected one with none of `kworkers`, `pcp`, `swap` and `folios`"
    );
    let touch = vec![vec![Call::Touch(whole(0, 0))]];
    let on = |memory, series, variant| {
        refused(of_series(small(memory, Vec::new(), touch.clone(), "turns"), series, variant), variant)
    };
    assert_eq!(on(PCP, "munlock", "0"), "machine.pcp: this configuration has no get_page_from_freelist");
    assert_eq!(on(SWAP, "munlock", "0"), "machine.swap: this configuration has no add_to_swap");
    assert_eq!(
        on(Memory::Plain, "pcp-free", "merged"),
        "machine.pcp: is missing; this configuration has a page allocator: expected the sizes of its lists"
    );
    assert_eq!(
        on(Memory::Plain, "madvise-free", "v4.5"),
        "config.pagevec: is missing; the pagevecs of this configuration have no slots: expected a number from 1 to 31, or `swap` in `machine`"
    );
    assert_eq!(
        on(Memory::Kworkers, "munlock", "today"),
        "machine.kworkers: this configuration has no lru_add_drain_all"
    );
}

// Everything that a machine can be asked for, on every kernel of its series: finished, and the same backwards.
fn on_all(series: &str, program: Program, look: impl Fn(&str, &sim_core::machine::Machine)) {
    on_all_with(series, &[], program, look);
}

fn on_all_with(series: &str, on: &[Patch], program: Program, look: impl Fn(&str, &sim_core::machine::Machine)) {
    let known = SERIES.iter().find(|known| known.name == series).unwrap();
    let scenario = with_patches(program, series, known.scenarios[0].sides.0, on);
    for variant in scenario.variants.iter().map(|variant| variant.name) {
        let mut run = record(scenario, variant);
        assert_eq!(run.timeline.violation(), None, "{series}, variant {variant}");
        look(variant, &run.timeline.world().machine);
        let end = run.timeline.world().clone();
        run.timeline.seek(0);
        let start = RunSpec::of(scenario, variant).unwrap().start(false).unwrap();
        assert!(&*start.world() == run.timeline.world(), "{series}, variant {variant}: back at the start");
        run.timeline.seek(run.timeline.len());
        assert!(&end == run.timeline.world(), "{series}, variant {variant}: forward again");
    }
}

#[test]
fn blocks_go_out_and_come_back_to_the_free_lists() {
    let calls = vec![
        Call::Alloc { zone: 0, order: 0, block: 0 },
        Call::Alloc { zone: 0, order: 3, block: 1 },
        Call::Touch(whole(0, 0)),
        Call::Free { block: 1 },
        Call::Free { block: 0 },
        Call::Munmap(whole(0, 0)),
        // Today an unmap leaves the LRU batches alone, which hold the pages.
        Call::Drain { all: false },
        Call::DrainPcp { zone: 0 },
    ];
    on_all("pcp-free", small(PCP, Vec::new(), vec![calls], "turns"), |variant, machine| {
        assert_eq!(machine.buddy(0).unwrap().pcp[0].fields[PcpField::Count as usize], 0, "{variant}");
        assert_eq!(machine.stat(Stat::FreePages), 1024, "{variant}");
        assert_eq!(machine.stat(Stat::AnonPages), 0, "{variant}");
    });
}

/// Blocks of all orders, in a recorded run and in bulk. 7,168 pages of blocks, and what refills take beside.
#[test]
fn blocks_of_every_order_are_the_same_in_bulk() {
    let orders = [0, 1, 2, 3, 9, 4, 10, 8, 1, 3, 0, 9, 2];
    let block = |at: usize| at as u8;
    let alloc = orders.iter().enumerate().map(|(at, &order)| Call::Alloc { zone: 0, order, block: block(at) });
    let free = (0..orders.len()).rev().map(|at| Call::Free { block: block(at) });
    let calls: Vec<Call> = alloc.chain(free).chain([Call::DrainPcp { zone: 0 }]).collect();
    let program = Program { zones: vec![8192], ..small(PCP, Vec::new(), vec![calls], "turns") };
    on_all("pcp-free", program.clone(), |variant, machine| {
        assert_eq!(machine.stat(Stat::FreePages), 8192, "{variant}");
        assert_eq!(machine.buddy(0).unwrap().nr_free[10], 8, "{variant}");
        assert_eq!(machine.buddy(0).unwrap().pcp_pages(), 0, "{variant}");
    });
    for variant in sim_core::scenario::PCP_FREE_VARIANTS.iter().map(|variant| variant.name) {
        let scenario = of_series(program.clone(), "pcp-free", variant);
        let recorded = record(scenario, variant);
        let bulk = RunSpec::of(scenario, variant).unwrap().bulk(1000, |_| true).unwrap();
        assert!(*bulk.world() == *recorded.timeline.world(), "{variant}");
        let on_lists = recorded
            .timeline
            .records()
            .iter()
            .filter(|record| matches!(record.op, sim_core::op::Op::AreaDel { list, .. } if list.pindex() > 2));
        assert_eq!(on_lists.count() > 0, matches!(variant, "v5.18" | "today"), "{variant}");
    }
}

#[test]
fn isolated_pageblocks_give_no_page() {
    let isolate = |undo| Call::IsolateBlock { zone: 0, range: 0, undo };
    let out = vec![isolate(false), isolate(false), Call::Touch(whole(0, 0))];
    on_all("pcp-free", small(PCP, Vec::new(), vec![out], "turns"), |variant, machine| {
        assert_eq!(machine.stat(Stat::AnonPages), 0, "{variant}");
        assert_eq!(machine.stat(Stat::FreePages), 0, "{variant}");
    });
    let back = vec![isolate(false), isolate(true), isolate(true), Call::Touch(whole(0, 0))];
    on_all("pcp-free", small(PCP, Vec::new(), vec![back], "turns"), |variant, machine| {
        assert_eq!(machine.stat(Stat::AnonPages), 12, "{variant}");
    });
}

#[test]
fn a_block_that_is_freed_twice_stops_the_run() {
    let (alloc, free) = (Call::Alloc { zone: 0, order: 1, block: 9 }, Call::Free { block: 9 });
    let rule = |calls| {
        let scenario = of_series(small(PCP, Vec::new(), vec![calls], "turns"), "pcp-free", "merged");
        record(scenario, "merged").timeline.violation().unwrap().rule
    };
    assert_eq!(rule(vec![alloc, free, free]), "a block is freed once");
    assert_eq!(rule(vec![alloc, alloc, free]), "a block is allocated once");
}

#[test]
fn madvise_on_a_machine_with_swap() {
    let span = whole(0, 0);
    let with = |call| vec![Call::Touch(span), call];
    let frames =
        |memory, calls: Vec<Call>| Program { zones: vec![24], ..small(memory, Vec::new(), vec![calls], "timed") };
    on_all("madvise-free", frames(SWAP, with(Call::Madvise(span, Advice::Dontneed))), |variant, machine| {
        assert_eq!(machine.stat(Stat::AnonPages), 0, "{variant}");
    });
    on_all("madvise-free", frames(SWAP, with(Call::Munmap(span))), |variant, machine| {
        assert_eq!(machine.stat(Stat::AnonPages), 0, "{variant}");
    });
    on_all("madvise-free", frames(SWAP, with(Call::Exit(0))), |variant, machine| {
        assert_eq!(machine.swap().rss(0, Rss::Anon), 0, "{variant}");
    });
    on_all("madvise-free", frames(SWAP, with(Call::Madvise(span, Advice::Free))), |variant, machine| {
        let there = if variant == "dontneed" { 0 } else { 12 };
        assert_eq!(machine.stat(Stat::AnonPages), there, "{variant}");
        let ptes = (0..12).map(|addr| machine.pte(0, addr)).filter(|&pte| pte_page(pte).is_some());
        let dirty = ptes.filter(|&pte| pte & PTE_DIRTY != 0).count();
        assert_eq!(dirty, 0, "{variant}");
    });
}

#[test]
fn reclaim_writes_pages_to_the_device_and_a_read_brings_them_back() {
    let (span, other) = (whole(0, 0), Span { pages: Some(4), ..whole(0, 0) });
    let reclaim = Call::Reclaim { zone: 0, pages: 8 };
    let run = vec![Call::Touch(span), reclaim, Call::Touch(Span { first: 8, ..span }), reclaim, Call::Read(other)];
    let program = Program { zones: vec![64], ..small(SWAP, vec![(0, Call::Touch(whole(1, 0)))], vec![run], "timed") };
    on_all("madvise-free", program, |variant, machine| {
        assert!(machine.swap().inuse > 0, "{variant}");
        assert!((0..4).all(|addr| pte_page(machine.pte(0, addr)).is_some()), "{variant}");
        assert!((0..12).all(|addr| machine.pte(0, addr) != sim_core::machine::PTE_NONE), "{variant}");
    });
}

#[test]
fn a_drain_of_all_cpus_empties_every_pagevec() {
    let setup = vec![(1, Call::Touch(whole(0, 0))), (2, Call::Touch(whole(1, 0)))];
    let run = vec![vec![Call::Drain { all: true }], vec![Call::Drain { all: true }]];
    for schedule in ["round-robin", "seed:5", "turns"] {
        let program = small(Memory::Kworkers, setup.clone(), run.clone(), schedule);
        on_all("lru-drain", program, |variant, machine| {
            assert!(machine.pagevecs.iter().all(|pvec| pvec.nr == 0), "{variant}, {schedule}");
        });
    }
    let both = vec![vec![Call::Mlock(whole(0, 0))], vec![Call::Drain { all: true }]];
    let both = of_series(small(Memory::Kworkers, Vec::new(), both, "turns"), "lru-drain", "sync");
    assert_eq!(refused(both, "sync"), "");
    assert_eq!(
        refused(both, "async"),
        "cpus[1].run[0]: `drain all` and mlock share work items in this model of the patch; expected one of the two"
    );
    // Before any of the patches, mlock asks every CPU.
    let scenario =
        of_series(small(Memory::Kworkers, setup, vec![vec![Call::Mlock(whole(0, 0))]], "turns"), "munlock", "0");
    let run = record(scenario, "0");
    assert_eq!(run.timeline.violation(), None);
    assert_eq!(run.ledger.count(Count::WorksQueued), 3);
    assert_eq!(run.timeline.world().machine.stat(Stat::Mlock), 12);
}

#[test]
fn an_mlock_of_a_locked_range_drains_and_changes_nothing() {
    let span = whole(0, 0);
    let calls = vec![Call::Mlock(span), Call::Mlock(span), Call::Munlock(span), Call::Mlock(span), Call::Munlock(span)];
    on_all("lru-drain", small(Memory::Kworkers, Vec::new(), vec![calls], "turns"), |variant, machine| {
        assert_eq!(machine.stat(Stat::Mlock), 0, "{variant}");
    });
}

fn folios(kind: FolioKind, processes: usize, run: Vec<Vec<Call>>, schedule: &str) -> Program {
    let program = small(Memory::Folios, Vec::new(), run, schedule);
    let area = Area { pages: 32, folios: Some(Folios { layout: 3, kind }), ..program.processes[0].vmas[0] };
    let mut own = vec![Process { child_of: None, vmas: vec![area] }];
    own.resize(processes, Process { child_of: Some(0), vmas: Vec::new() });
    Program { processes: own, zones: vec![32], threshold: 125, ..program }
}

#[test]
fn folios_are_unmapped_from_every_process() {
    for kind in [FolioKind::File, FolioKind::Anon, FolioKind::Lazyfree] {
        for (processes, schedule) in [(1, "turns"), (3, "seed:2")] {
            let run = vec![vec![Call::Unmap(whole(0, 0))], vec![Call::Drain { all: false }]];
            on_all_with(
                "rmap-unmap",
                &[Patch::WholeFolios],
                folios(kind, processes, run, schedule),
                |variant, machine| {
                    let mapped = (0..processes as u8).flat_map(|mm| (0..32).map(move |addr| (mm, addr)));
                    let left = mapped.filter(|&(mm, addr)| pte_page(machine.pte(mm, addr)).is_some()).count();
                    // Before 6.16 a lazyfree folio that several map counts as in use.
                    assert!(left == 0 || kind == FolioKind::Lazyfree && processes > 1, "{kind:?}, {variant}: {left}");
                },
            );
        }
    }
}

#[test]
fn pageout_stops_at_a_large_folio_in_6_3_and_takes_it_today() {
    let run = vec![vec![Call::Madvise(whole(0, 0), Advice::Pageout)]];
    on_all("rmap-unmap", folios(FolioKind::File, 1, run, "turns"), |variant, machine| {
        let left = (0..32).filter(|&addr| pte_page(machine.pte(0, addr)).is_some()).count();
        let takes_large = ["v6.16", "v7.0", "today"].contains(&variant);
        assert_eq!(left, if takes_large { 0 } else { 32 }, "{variant}");
    });
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
