//! A program is as right with its first calls in the set-up as with all of them in the run.

mod common;

use proptest::prelude::*;
use sim_core::kernel::Patch;
use sim_core::kernel::fault::{Mempolicy, POLICY_ZONES};
use sim_core::kernel::rmap_map::FolioKind;
use sim_core::machine::{PcpSpec, SwapTuning};
use sim_core::scenario::program::{
    Advice, Area, Call, Folios, Heading, Kernel, Measure, Memory, Process, Program, Span,
};
use sim_core::scenario::{RunSpec, SERIES, Scenario, SpecError};

const PAGES: u32 = 12;
const PCP: Memory = Memory::Pcp(PcpSpec { batch: 4, high: 12, high_max: 12 });
const SWAP: Memory = Memory::Swap(SwapTuning { slots: 64, marks: [6, 8, 10], slice: 8, ratio: 1, write_time: 40 });

/// Two processes; what each CPU runs, of which the first calls go into the set-up.
fn split(memory: Memory, frames: u32, lists: &[Vec<Call>], at: &[usize]) -> Program {
    let policy = Mempolicy { zones: [0; POLICY_ZONES], nr: 1, huge: false };
    let folios = (memory == Memory::Folios).then_some(Folios { layout: 3, kind: FolioKind::File });
    let area = |start, file| Area { start, pages: PAGES, file, policy, split: false, folios };
    let file = (memory == Memory::Plain).then_some(area(PAGES, Some((0, 0))));
    let vmas: Vec<Area> = [area(0, None)].into_iter().chain(file).collect();
    let mut setup = Vec::new();
    let mut run = Vec::new();
    for (cpu, (calls, &at)) in (0..).zip(lists.iter().zip(at)) {
        let (before, after) = calls.split_at(at.min(calls.len()));
        setup.extend(before.iter().map(|&call| (cpu, call)));
        run.push(after.to_vec());
    }
    Program {
        cpus: 2,
        zones: vec![frames],
        threshold: 7,
        memory,
        processes: match memory {
            Memory::Folios => {
                vec![Process { child_of: None, vmas }, Process { child_of: Some(0), vmas: Vec::new() }]
            }
            _ => vec![Process { child_of: None, vmas }; 2],
        },
        setup,
        run,
        starts: Vec::new(),
        measure: Measure::Everything,
        schedule: if matches!(memory, Memory::Swap(_)) { "timed" } else { "turns" }.into(),
    }
}

fn scenario(program: Program, series: &str, variant: &str) -> Result<&'static Scenario, SpecError> {
    let kernel = Kernel {
        series: series.into(),
        variant: variant.into(),
        compare: None,
        on: if series == "rmap-unmap" { vec![Patch::WholeFolios] } else { Vec::new() },
        off: Vec::new(),
        pagevec: None,
    };
    program.into_scenario(Heading { name: "test".into(), ..Heading::default() }, &kernel)
}

/// What is broken, unless the calls themselves are at fault: then nothing can be said.
fn broken(scenario: &'static Scenario, variant: &str) -> Option<String> {
    match RunSpec::of(scenario, variant).unwrap().record() {
        Ok(run) => run.timeline.violation().filter(|broken| !broken.by_input()).map(|broken| format!("{broken:?}")),
        Err(error) => {
            let text = error.to_string();
            let fault = ["out of memory", "a block is allocated once", "a block is freed once"];
            (!fault.iter().any(|fault| text.contains(fault))).then_some(text)
        }
    }
}

fn check(series: &str, memory: Memory, frames: u32, lists: &[Vec<Call>], at: &[usize]) -> Result<(), TestCaseError> {
    let known = SERIES.iter().find(|known| known.name == series).unwrap();
    for at in [&[0, 0], at] {
        let program = split(memory, frames, lists, at);
        if program.validate().is_err() {
            return Ok(());
        }
        let scenario = scenario(program, series, known.scenarios[0].sides.0).unwrap();
        for variant in scenario.variants.iter().map(|variant| variant.name) {
            prop_assert_eq!(broken(scenario, variant), None, "{}, variant {}, set-up of {:?}", series, variant, at);
        }
    }
    Ok(())
}

fn whole(process: u8) -> Span {
    Span { process, vma: 0, first: 0, pages: None }
}

fn spans(process: u8, vmas: u8) -> impl Strategy<Value = Span> + Clone {
    (0..vmas, 0..PAGES, 1..=PAGES).prop_map(move |(vma, first, pages)| Span {
        process,
        vma,
        first,
        pages: Some(pages.min(PAGES - first)),
    })
}

fn on_lists(process: u8) -> BoxedStrategy<Call> {
    let vma = || (0u8..2).prop_map(move |vma| Span { vma, ..whole(process) });
    prop_oneof![
        3 => spans(process, 2).prop_map(Call::Touch),
        1 => spans(process, 2).prop_map(Call::Read),
        2 => vma().prop_map(Call::Mlock),
        2 => vma().prop_map(Call::Munlock),
        1 => vma().prop_map(Call::Munmap),
        1 => spans(process, 2).prop_map(|span| Call::Madvise(span, Advice::Dontneed)),
        1 => Just(Call::Drain { all: false }),
        1 => spans(process, 2).prop_map(Call::Isolate),
    ]
    .boxed()
}

fn with_allocator(process: u8) -> BoxedStrategy<Call> {
    let block = move |order: u8| process * 16 + order;
    prop_oneof![
        3 => spans(process, 1).prop_map(Call::Touch),
        2 => Just(Call::Munmap(whole(process))),
        1 => Just(Call::DrainPcp { zone: 0 }),
        1 => Just(Call::Drain { all: false }),
        3 => (0u8..4).prop_map(move |order| Call::Alloc { zone: 0, order, block: block(order) }),
        1 => any::<bool>().prop_map(|undo| Call::IsolateBlock { zone: 0, range: 0, undo }),
    ]
    .boxed()
}

fn with_swap(process: u8) -> BoxedStrategy<Call> {
    prop_oneof![
        4 => spans(process, 1).prop_map(Call::Touch),
        2 => spans(process, 1).prop_map(Call::Read),
        2 => spans(process, 1).prop_map(|span| Call::Madvise(span, Advice::Free)),
        1 => spans(process, 1).prop_map(|span| Call::Madvise(span, Advice::Dontneed)),
        1 => Just(Call::Munmap(whole(process))),
        1 => Just(Call::Exit(process)),
        2 => (1u32..12).prop_map(|pages| Call::Reclaim { zone: 0, pages }),
    ]
    .boxed()
}

fn on_folios(process: u8) -> BoxedStrategy<Call> {
    prop_oneof![
        2 => Just(Call::Madvise(whole(process), Advice::Pageout)),
        2 => Just(Call::Unmap(whole(process))),
        1 => Just(Call::Drain { all: false }),
    ]
    .boxed()
}

type Lists = (Vec<Vec<Call>>, Vec<usize>);

fn lists(calls: fn(u8) -> BoxedStrategy<Call>) -> impl Strategy<Value = Lists> {
    let list = move |process| prop::collection::vec(calls(process), 1..7);
    (list(0), list(1), 0usize..7, 0usize..7).prop_map(|(one, two, first, second)| (vec![one, two], vec![first, second]))
}

// Every block that is allocated is freed, in the run at the latest.
fn with_frees((mut lists, at): Lists) -> Lists {
    for calls in &mut lists {
        let blocks = calls.iter().filter_map(|call| match *call {
            Call::Alloc { block, .. } => Some(block),
            _ => None,
        });
        let blocks: std::collections::BTreeSet<u8> = blocks.collect();
        calls.extend(blocks.into_iter().map(|block| Call::Free { block }));
    }
    (lists, at)
}

proptest! {
    #![proptest_config(common::cases(60))]

    #[test]
    fn calls_on_lists((calls, at) in lists(on_lists)) {
        check("munlock", Memory::Plain, 200, &calls, &at)?;
    }

    #[test]
    fn calls_with_a_page_allocator((calls, at) in lists(with_allocator).prop_map(with_frees)) {
        check("pcp-free", PCP, 1024, &calls, &at)?;
    }

    #[test]
    fn calls_with_folios((calls, at) in lists(on_folios)) {
        check("rmap-unmap", Memory::Folios, PAGES, &calls, &at)?;
    }

    #[test]
    fn calls_with_swap((calls, at) in lists(with_swap)) {
        check("madvise-free", SWAP, 20, &calls, &at)?;
    }
}

#[test]
fn a_set_up_of_many_calls_on_folios() {
    let calls = vec![Call::Unmap(whole(0)); 40];
    for at in [0, 20, 40] {
        check("rmap-unmap", Memory::Folios, PAGES, &[calls.clone(), Vec::new()], &[at, 0]).unwrap();
    }
}

#[test]
fn a_block_of_the_set_up_is_freed_in_the_run() {
    for order in [0, 3] {
        let calls = [Call::Alloc { zone: 0, order, block: 0 }, Call::Free { block: 0 }].to_vec();
        check("pcp-free", PCP, 1024, &[calls, Vec::new()], &[1, 0]).unwrap();
    }
}

#[test]
fn pages_of_the_swap_cache_outlive_the_set_up() {
    let calls = vec![
        Call::Touch(whole(0)),
        Call::Reclaim { zone: 0, pages: 8 },
        Call::Read(whole(0)),
        Call::Reclaim { zone: 0, pages: 8 },
        Call::Read(whole(0)),
        Call::Exit(0),
    ];
    for at in 0..calls.len() {
        check("madvise-free", SWAP, 20, &[calls.clone(), Vec::new()], &[at, 0]).unwrap();
    }
}
