//! Random programs of stores, reads and madvise against reclaim: memory always holds what it must.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use sim_core::engine::{Checker, Cpu, Engine, Outcome, Schedule, Setup};
use sim_core::kernel::Config;
use sim_core::kernel::madvise::sys_madvise;
use sim_core::kernel::program::touch;
use sim_core::kernel::vmscan_anon::{ScanControl, shrink_zone};
use sim_core::machine::{Machine, MachineSpec, Mapping, SwapTuning, Vma, VmaId};
use sim_core::scenario::RunSpec;

const PAGES: u32 = 10;
const FRAMES: u32 = 18;

#[derive(Clone, Copy, Debug)]
enum Action {
    Store(u32),
    Load(u32),
    Free(u32, u32),
    Dontneed(u32, u32),
    Reclaim,
    Time(u32),
}

fn action() -> impl Strategy<Value = Action> {
    let range = (0..PAGES, 1..PAGES).prop_map(|(start, len)| (start, (start + len).min(PAGES)));
    prop_oneof![
        6 => (0..PAGES).prop_map(Action::Store),
        3 => (0..PAGES).prop_map(Action::Load),
        2 => range.clone().prop_map(|(start, end)| Action::Free(start, end)),
        1 => range.prop_map(|(start, end)| Action::Dontneed(start, end)),
        3 => Just(Action::Reclaim),
        2 => (1..60u32).prop_map(Action::Time),
    ]
}

async fn perform(cpu: Cpu, mm: u8, actions: Vec<Action>) {
    let vma = VmaId { mm, vma: 0 };
    for action in actions {
        match action {
            Action::Store(addr) => while !touch(&cpu, vma, addr, true, 0).await {},
            Action::Load(addr) => while !touch(&cpu, vma, addr, false, 0).await {},
            Action::Free(start, end) => sys_madvise(&cpu, vma, start, end, false).await,
            Action::Dontneed(start, end) => sys_madvise(&cpu, vma, start, end, true).await,
            Action::Reclaim => shrink_zone(&cpu, 0, &mut ScanControl::default()).await,
            Action::Time(ticks) => cpu.tick(ticks).await,
        }
    }
    for addr in 0..PAGES {
        while !touch(&cpu, vma, addr, false, 0).await {}
    }
}

fn engine(config: Config, tasks: u8, swap: u32) -> Engine {
    let mut machine = Machine::new(&MachineSpec { cpus: tasks, zones: vec![FRAMES], threshold: 20 });
    for mm in 0..tasks {
        let mapping = Mapping { file: false, unevictable: false, vmas: vec![VmaId { mm, vma: 0 }], cache: Vec::new() };
        let mapping = machine.add_mapping(mapping);
        let mm = machine.add_mm(PAGES);
        machine.mms[mm as usize].vmas.push(Vma { start: 0, end: PAGES, locked: false, mapping, pgoff: 0 });
    }
    let tuning = SwapTuning { slots: swap, marks: [1, 2, 4], slice: 3, ratio: 1, write_time: 15 };
    machine.add_swap(tuning, vec![0; tasks as usize]);
    Engine::new(config, machine)
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(2015), failure_persistence: None, ..ProptestConfig::default() }
}

const VARIANTS: [&str; 6] = ["dontneed", "free", "free-swap", "v4.5", "v4.12", "today"];

fn programs() -> impl Strategy<Value = Vec<Vec<Action>>> {
    prop::collection::vec(prop::collection::vec(action(), 5..40), 2)
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn no_store_is_ever_lost(
        programs in programs(),
        variant in 0..VARIANTS.len(),
        pagevec in prop_oneof![3 => Just(0u32), 1 => 1u32..5],
        swap in prop_oneof![4 => Just(24u32), 1 => Just(12)],
        seed in any::<u64>(),
        timed in any::<bool>(),
    ) {
        let variant = RunSpec::new("madvise-free", VARIANTS[variant]).expect("known").variant;
        let config = variant.config.with_pagevec(pagevec);
        let mut engine = engine(config, programs.len() as u8, swap);
        let start = engine.world().clone();
        let checker = Some(Checker::new(config, &start.machine));
        let schedule = if timed { Schedule::Timed } else { Schedule::Seed(seed) };
        engine.begin(Setup { schedule, checker, ..Setup::default() }, false);
        let started = engine.world().clone();
        for (mm, actions) in programs.into_iter().enumerate() {
            engine.spawn("program", mm as u8, move |cpu| perform(cpu, mm as u8, actions));
        }
        let begun = engine.world().machine.digest();
        let ended = engine.run().expect("no choices");
        let out_of_memory = engine.violation().is_some_and(|violation| violation.rule == "out of memory");
        prop_assert!(ended == Outcome::Finished || out_of_memory, "{}: {:?}", variant.name, engine.violation());
        let mut timeline = engine.into_timeline();
        timeline.seek(timeline.len());
        while timeline.back() {}
        prop_assert_eq!(timeline.world().machine.digest(), begun);
        prop_assert_eq!(&timeline.world().ledger, &started.ledger);
    }
}

#[test]
fn the_race_of_4_12_reads_what_nobody_wrote_and_its_fix_does_not() {
    let run = |variant| RunSpec::new("madvise-free-race", variant).expect("known").record().expect("short");
    let broken = run("v4.12-bug");
    let violation = broken.timeline.violation().expect("the bug shows");
    assert!(violation.rule.starts_with("16:"), "{violation:?}");
    assert!(violation.detail.contains("before anybody wrote"), "{violation:?}");
    assert_eq!(run("v4.12").timeline.violation(), None);
}

// Rules that runs of pseudo-random programs break.
fn broken_by(scenario: &str, variant: &str) -> Vec<&'static str> {
    let config = RunSpec::new(scenario, variant).expect("known").variant.config.with_pagevec(6);
    let mut broken = Vec::new();
    for seed in 0..150u64 {
        let mut state = seed;
        let mut below = |n: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32 % n
        };
        let mut engine = engine(config, 2, 24);
        let checker = Some(Checker::new(config, &engine.world().machine));
        engine.begin(Setup { schedule: Schedule::Seed(seed), checker, ..Setup::default() }, false);
        for mm in 0..2 {
            let actions = (0..60).map(|_| match below(8) {
                0..3 => Action::Store(below(PAGES)),
                3 => Action::Load(below(PAGES)),
                4 => Action::Free(0, PAGES),
                5 | 6 => Action::Reclaim,
                _ => Action::Time(20),
            });
            let actions = actions.collect();
            engine.spawn("program", mm, move |cpu| perform(cpu, mm, actions));
        }
        engine.run().expect("no choices");
        broken.extend(engine.violation().map(|violation| violation.rule));
    }
    broken
}

#[test]
fn random_programs_find_the_race_of_4_12() {
    let found = broken_by("madvise-free-race", "v4.12-bug");
    assert!(found.iter().any(|rule| rule.starts_with("16:")), "{found:?}");
    let fixed = broken_by("madvise-free-race", "v4.12");
    assert!(fixed.iter().all(|&rule| rule == "out of memory"), "{fixed:?}");
    assert!(fixed.len() < 30, "most programs run to their end: {}", fixed.len());
}
