//! Going back gives the same bytes; the same run gives the same steps; choices and bulk runs come to the same end.

mod common;

use common::{ALL, cases, config, prepared, resumed, spawn_munlock};
use proptest::prelude::*;
use sim_core::engine::{Schedule, print_choices};
use sim_core::op::World;
use sim_core::scenario::{Kind, Param, Run, RunSpec, SCENARIOS, SpecError};

/// A run that somebody could ask for.
#[derive(Clone, Debug)]
struct Asked {
    scenario: &'static str,
    variant: &'static str,
    params: Vec<(&'static str, String)>,
    seed: u64,
}

impl Asked {
    fn spec(&self) -> RunSpec {
        let spec = RunSpec::new(self.scenario, self.variant).unwrap();
        let spec = self.params.iter().fold(spec, |spec, (name, value)| spec.set(name, value).unwrap());
        spec.schedule(&format!("seed:{}", self.seed)).unwrap()
    }

    /// The recorded run; none where the parameters do not fit together.
    fn record(&self) -> Option<Run> {
        match self.spec().record() {
            Ok(run) => Some(run),
            Err(SpecError::Together(_)) => None,
            Err(error) => panic!("{self:?}: {error}"),
        }
    }
}

/// munlock alone, with every parameter that is cheap.
fn alone() -> impl Strategy<Value = Asked> {
    let special = prop::collection::vec(prop_oneof![3 => Just(0u32), 1 => 1u32..6], 5);
    let start = prop_oneof![Just(0u32), 490u32..512];
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (0..ALL.len(), 1u32..40, 0u32..32, special, 0u32..3, start, flags).prop_map(
        |(variant, pages, pagevec, special, zones, start, (mglru, folded, rc1))| {
            let mut params = vec![
                ("pages", pages.to_string()),
                ("pagevec", pagevec.to_string()),
                ("pmd_start", start.to_string()),
                ("zones", zones.clamp(1, 2).to_string()),
                ("interleave", (zones == 2).to_string()),
                ("mglru", mglru.to_string()),
                ("folded_pmd", folded.to_string()),
                ("rc1", rc1.to_string()),
            ];
            let names = ["not_mlocked", "in_remote_pagevec", "shared", "shared_locked", "holes"];
            params.extend(names.into_iter().zip(special.iter().map(u32::to_string)));
            Asked { scenario: "munlock", variant: ALL[variant], params, seed: 0 }
        },
    )
}

/// Two CPUs, in any order of steps.
fn against_somebody() -> impl Strategy<Value = Asked> {
    let scenarios: Vec<usize> = (0..SCENARIOS.len())
        .filter(|&at| !["munlock", "munlock-split", "madvise-free"].contains(&SCENARIOS[at].name))
        .collect();
    (prop::sample::select(scenarios), any::<prop::sample::Index>(), 1u32..12, 0u32..12, 0u32..9, any::<u64>()).prop_map(
        |(scenario, variant, pages, at, pagevec, seed)| {
            let scenario = &SCENARIOS[scenario];
            let value = |name| match name {
                "pages" => Some(pages),
                "at" => Some(at),
                "pagevec" => Some(pagevec),
                "in_remote_pagevec" => Some(1 + at % 4),
                "window" => Some(1 + at % 2),
                "no_recheck" => Some(u32::from(at == 0)),
                _ => None,
            };
            let in_bounds = |param: &Param| match param.kind {
                Kind::Number { min, max } => value(param.name).map(|value| value.clamp(min, max)),
                _ => value(param.name),
            };
            let params = scenario.params.iter().filter_map(|param| Some((param.name, in_bounds(param)?.to_string())));
            let variant = scenario.variants[variant.index(scenario.variants.len())].name;
            Asked { scenario: scenario.name, variant, params: params.collect(), seed }
        },
    )
}

fn any_run() -> impl Strategy<Value = Asked> {
    prop_oneof![alone(), against_somebody()]
}

/// Goes to the end and back, and looks at every world that was passed on the way.
fn there_and_back(run: Run, every: usize) {
    let mut timeline = run.timeline;
    let start = timeline.world().clone();
    let mut passed: Vec<(usize, World)> = Vec::new();
    while timeline.forward() {
        if timeline.cursor().is_multiple_of(every) {
            passed.push((timeline.cursor(), timeline.world().clone()));
        }
    }
    let end = timeline.world().clone();
    assert_eq!(timeline.cursor(), timeline.len());
    while timeline.back() {
        if passed.last().is_some_and(|(at, _)| *at == timeline.cursor()) {
            assert_eq!(*timeline.world(), passed.pop().unwrap().1, "step {}", timeline.cursor());
        }
    }
    assert_eq!((timeline.cursor(), timeline.world()), (0, &start));
    timeline.seek(usize::MAX);
    assert_eq!(*timeline.world(), end);
}

proptest! {
    #![proptest_config(cases(160))]

    #[test]
    fn a_step_back_gives_the_same_world(asked in any_run(), every in 1usize..40) {
        let Some(run) = asked.record() else { return Ok(()) };
        there_and_back(run, every);
    }

    #[test]
    fn seeking_comes_to_the_world_that_stepping_comes_to(asked in any_run(), points in prop::collection::vec(any::<prop::sample::Index>(), 8)) {
        let Some(run) = asked.record() else { return Ok(()) };
        let len = run.timeline.len();
        let mut stepped = run.timeline;
        let mut worlds = vec![stepped.world().clone()];
        while stepped.forward() {
            worlds.push(stepped.world().clone());
        }
        let mut timeline = asked.record().unwrap().timeline;
        for point in points {
            let at = point.index(len + 1);
            timeline.seek(at);
            prop_assert_eq!(timeline.cursor(), at);
            prop_assert_eq!(timeline.world(), &worlds[at]);
        }
    }

    #[test]
    fn the_same_run_is_the_same_run(asked in any_run()) {
        let (Some(one), Some(two)) = (asked.record(), asked.record()) else { return Ok(()) };
        prop_assert_eq!(one.timeline.choices(), two.timeline.choices());
        prop_assert_eq!(one.timeline.violation(), two.timeline.violation());
        let records = |run: &Run| -> Vec<_> {
            run.timeline.records().iter().map(|record| (record.op, record.outcome, record.task, record.cpu, record.counted)).collect()
        };
        prop_assert_eq!(records(&one), records(&two));
        prop_assert_eq!(&one.ledger, &two.ledger);
        let digest = |run: Run| {
            let mut timeline = run.timeline;
            timeline.seek(timeline.len());
            timeline.world().machine.digest()
        };
        prop_assert_eq!(digest(one), digest(two));
    }

    #[test]
    fn printed_choices_give_the_same_run(asked in any_run()) {
        let Some(one) = asked.record() else { return Ok(()) };
        let mut spec = asked.spec();
        spec.schedule = None;
        let text = format!("choices:{}", print_choices(one.timeline.choices()));
        let two = spec.schedule(&text).unwrap().record().unwrap();
        prop_assert_eq!(one.timeline.choices(), two.timeline.choices());
        prop_assert_eq!(one.timeline.violation(), two.timeline.violation());
        prop_assert_eq!(&one.ledger, &two.ledger);
        let (mut one, mut two) = (one.timeline, two.timeline);
        one.seek(one.len());
        two.seek(two.len());
        prop_assert_eq!(one.world(), two.world());
        prop_assert_eq!(one.world().machine.digest(), two.world().machine.digest());
    }

    #[test]
    fn a_bulk_run_ends_where_the_recorded_one_does(asked in alone()) {
        let Some(run) = asked.record() else { return Ok(()) };
        let engine = asked.spec().bulk(1 << 20, |_| true).unwrap();
        let mut timeline = run.timeline;
        timeline.seek(timeline.len());
        prop_assert_eq!(timeline.violation().map(|v| v.rule), engine.violation().map(|v| v.rule));
        prop_assert_eq!(timeline.world(), &*engine.world());
        prop_assert_eq!(timeline.world().machine.digest(), engine.world().machine.digest());
    }

    #[test]
    fn a_paused_bulk_run_ends_where_the_other_does(asked in alone(), slice in 1u64..500) {
        let Ok(whole) = asked.spec().bulk(u64::MAX, |_| true) else { return Ok(()) };
        let sliced = asked.spec().bulk(slice, |_| true).unwrap();
        prop_assert_eq!(&*whole.world(), &*sliced.world());
    }

    #[test]
    fn a_digest_tells_worlds_apart(asked in any_run(), at in any::<prop::sample::Index>()) {
        let Some(run) = asked.record() else { return Ok(()) };
        let mut timeline = run.timeline;
        timeline.seek(at.index(timeline.len()));
        let (before, old) = (timeline.world().machine.clone(), timeline.world().machine.digest());
        timeline.forward();
        let (after, new) = (&timeline.world().machine, timeline.world().machine.digest());
        prop_assert_eq!(before == *after, old == new, "step {}: {:?}", timeline.cursor(), timeline.last());
    }
}

#[test]
fn every_step_of_every_scenario_can_be_taken_back() {
    for scenario in SCENARIOS {
        for variant in scenario.variants {
            let spec = RunSpec::new(scenario.name, variant.name).unwrap();
            let takes = |param: &Param| {
                param.name == "pages" && matches!(param.kind, Kind::Number { min, max } if min <= 18 && 18 <= max)
            };
            let small = scenario.params.iter().any(takes) && scenario.name != "munlock-truncate";
            let spec = if small { spec.set("pages", "18").unwrap() } else { spec };
            let huge = ["munlock-split", "madvise-free"].contains(&scenario.name) || scenario.name.starts_with("pcp-");
            there_and_back(spec.record().unwrap(), if huge { 64 } else { 1 });
        }
    }
}

#[test]
fn a_bulk_run_pauses_and_can_be_stopped() {
    let spec = RunSpec::new("munlock", "0").unwrap().set("pages", "1000").unwrap();
    let whole = spec.bulk(u64::MAX, |_| panic!("there is budget enough")).unwrap();
    let mut pauses = 0;
    let sliced = spec
        .bulk(1000, |_| {
            pauses += 1;
            true
        })
        .unwrap();
    assert!(pauses >= 40, "47 operations a page make {pauses} pauses");
    assert_eq!(*whole.world(), *sliced.world());
    let stopped = spec.bulk(1000, |_| false).unwrap();
    let clock = stopped.world().clock;
    assert!((1000..2000).contains(&clock), "stopped after {clock} operations");
}

#[test]
fn a_run_longer_than_a_keyframe_seeks_anywhere() {
    // 2,000 pages are about 94,000 steps: one keyframe lies inside.
    let spec = RunSpec::new("munlock", "0").unwrap().set("pages", "2000").unwrap();
    let mut timeline = spec.record().unwrap().timeline;
    let len = timeline.len();
    assert!(len > 1 << 16);
    let mut digests = Vec::new();
    for at in [0, 1, 40_000, 65_535, 65_536, 65_537, 80_000, len - 1, len] {
        while timeline.cursor() < at {
            timeline.forward();
        }
        digests.push((at, timeline.world().machine.digest()));
    }
    for (at, digest) in digests.into_iter().rev() {
        for from in [0, 30_000, len] {
            timeline.seek(from);
            timeline.seek(at);
            assert_eq!(timeline.world().machine.digest(), digest, "from {from} to {at}");
        }
    }
}

#[test]
fn two_engines_made_from_the_same_machine_do_the_same() {
    for variant in ALL {
        let layout = common::with_kinds(&[sim_core::scenario::PageKind::Mlocked; 20]);
        let mut first = prepared(config(variant), &layout, Schedule::RoundRobin);
        let machine = first.world().machine.clone();
        spawn_munlock(&mut first, 0);
        first.run().unwrap();
        let mut second = resumed(config(variant), &machine);
        spawn_munlock(&mut second, 0);
        second.run().unwrap();
        assert_eq!(first.world().machine.digest(), second.world().machine.digest(), "variant {variant}");
    }
}
