//! What if another CPU had gone next: forks are the same run until they leave it, and can be made again from what they
//! print.

mod common;

use std::sync::OnceLock;

use common::{cases, run_as, spec};
use proptest::prelude::*;
use sim_core::engine::{Schedule, parse_choices, print_choices, print_choices_in_turn};
use sim_core::scenario::{Run, RunSpec, SCENARIOS, Until};

/// Steps after which a run of a property test is left alone.
const MOST: u64 = 60_000;

/// Every scenario that ever has a choice, with every variant.
fn with_choices() -> &'static [(&'static str, &'static str)] {
    static ALL: OnceLock<Vec<(&'static str, &'static str)>> = OnceLock::new();
    ALL.get_or_init(find_with_choices)
}

fn find_with_choices() -> Vec<(&'static str, &'static str)> {
    let mut all = Vec::new();
    for scenario in SCENARIOS {
        for variant in scenario.variants {
            let run = RunSpec::new(scenario.name, variant.name).unwrap().record_within(MOST);
            if run.is_ok_and(|run| !run.timeline.choices().is_empty()) {
                all.push((scenario.name, variant.name));
            }
        }
    }
    all
}

fn digest(run: &mut Run) -> u64 {
    run.timeline.seek(run.timeline.len());
    run.timeline.world().machine.digest()
}

/// Steps that can be compared.
fn steps(run: &Run) -> Vec<(sim_core::op::Op, u8, u8)> {
    run.timeline.records().iter().map(|record| (record.op, record.task, record.cpu)).collect()
}

/// A place where a run had a choice, from some step on.
fn choice_from(run: &Run, from: usize) -> Option<usize> {
    let len = run.timeline.len();
    (from..len).chain(0..from.min(len)).find(|&step| run.timeline.decision(step).is_some())
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn a_fork_can_be_made_again_from_what_it_prints(
        which in any::<prop::sample::Index>(), place in any::<prop::sample::Index>(), other in any::<prop::sample::Index>(),
        rule in prop_oneof![Just(""), Just("round-robin"), Just("turns"), Just("seed:5")],
        until in prop_oneof![Just(Until::Step), Just(Until::Unlock), Just(Until::Blocked)],
    ) {
        let all = with_choices();
        let (scenario, variant) = all[which.index(all.len())];
        let mut base = RunSpec::new(scenario, variant).unwrap();
        if !rule.is_empty() {
            base = base.schedule(rule).unwrap();
        }
        let Ok(run) = base.clone().record_within(MOST) else { return Ok(()) };
        let Some(step) = choice_from(&run, place.index(run.timeline.len())) else { return Ok(()) };
        let decision = run.timeline.decision(step).unwrap();
        let cpu = decision.ready[other.index(decision.ready.len())].cpu;
        let Some((choices, end)) = base.fork(step as u64, cpu, until, MOST).unwrap() else {
            return Err(TestCaseError::fail(format!("{scenario} {variant}: CPU {cpu} could go on after step {step}")));
        };
        prop_assert!(choices.starts_with(decision.before), "the past is the same");
        prop_assert_eq!(choices[decision.before.len()], cpu);
        if until == Until::Step {
            prop_assert_eq!(Some(choices.clone()), decision.instead(cpu));
        }
        let Ok(mut fork) = base.forked(choices).record_within(MOST) else { return Ok(()) };
        prop_assert_eq!(&steps(&run)[..step], &steps(&fork)[..step]);
        prop_assert!(fork.timeline.records()[step..end as usize].iter().all(|record| record.cpu == cpu));
        // As its schedule says, and as the choices that it made say.
        let said = base.clone().schedule(&fork.spec.schedule_name()).unwrap();
        let mut again = said.record().unwrap();
        prop_assert_eq!(steps(&again), steps(&fork));
        let list = format!("choices:{}", print_choices_in_turn(fork.timeline.choices()));
        let mut listed = base.schedule(&list).unwrap().record().unwrap();
        let (wanted, found) = (digest(&mut fork), [digest(&mut again), digest(&mut listed)]);
        prop_assert_eq!(found, [wanted; 2], "{} {} {}", scenario, variant, list);
        prop_assert_eq!(fork.timeline.violation(), listed.timeline.violation());
    }

    /// The rule goes on as if it had chosen all along: a run that is forked from its own choices is itself.
    #[test]
    fn a_run_after_its_own_choices_is_itself(
        which in any::<prop::sample::Index>(), cut in any::<prop::sample::Index>(),
        rule in prop_oneof![Just("scenario"), Just("round-robin"), Just("turns"), Just("seed:7")],
    ) {
        let all = with_choices();
        let (scenario, variant) = all[which.index(all.len())];
        let own = RunSpec::new(scenario, variant).unwrap();
        let base = if rule == "scenario" { own.clone() } else { own.clone().schedule(rule).unwrap() };
        let Ok(run) = base.record_within(MOST) else { return Ok(()) };
        let choices = run.timeline.choices();
        let text = format!("choices:{}+{rule}", print_choices(&choices[..cut.index(choices.len() + 1)]));
        let again = own.schedule(&text).unwrap().record().unwrap();
        prop_assert_eq!(steps(&again), steps(&run), "{} {} {}", scenario, variant, text);
    }

    #[test]
    fn choices_in_turn_are_read_back(choices in prop::collection::vec(0u8..3, 0..200)) {
        let text = print_choices_in_turn(&choices);
        prop_assert_eq!(parse_choices(&text).unwrap(), choices);
    }
}

#[test]
fn choices_in_turn_are_short() {
    let alternating: Vec<u8> = [0, 1].repeat(150).into_iter().chain([1, 1, 1]).collect();
    assert_eq!(print_choices_in_turn(&alternating), "0.1x150,1x3");
    assert_eq!(print_choices_in_turn(&[]), "");
    assert_eq!(print_choices_in_turn(&[2]), "2");
    assert_eq!(parse_choices("0.1x2,3").unwrap(), [0, 1, 0, 1, 3]);
    assert!(parse_choices("0.x2").is_err());
    assert!(parse_choices("0.1x2000001").is_err(), "more choices than a list may hold");
}

#[test]
fn every_step_that_had_a_choice_says_who_could_go_on() {
    let run = run_as("munlock-two-cpus", "0", &[], "round-robin");
    let mut decisions = 0;
    for (step, record) in run.timeline.records().iter().enumerate() {
        let Some(decision) = run.timeline.decision(step) else { continue };
        assert_eq!(decision.chosen, record.cpu, "step {step}");
        assert!(decision.ready.iter().any(|ready| (ready.cpu, ready.task) == (record.cpu, record.task)));
        assert!(decision.ready.len() > 1);
        decisions += 1;
    }
    assert!(decisions > 50, "{decisions}");
    assert!(run.timeline.decision(run.timeline.len()).is_none());
}

#[test]
fn a_cpu_that_cannot_go_on_makes_no_fork() {
    let two = spec("munlock-two-cpus", "0", &[]);
    assert_eq!(two.fork(0, 7, Until::Step, MOST), Ok(None));
    assert_eq!(two.fork(1 << 40, 0, Until::Step, MOST), Ok(None), "beyond the end");
    assert!(two.fork(0, 1, Until::Blocked, 3).is_err(), "a turn that is too long");
}

#[test]
fn a_turn_ends_where_it_should() {
    let two = spec("munlock-two-cpus", "0", &[]);
    let (one, end) = two.fork(4, 1, Until::Step, MOST).unwrap().unwrap();
    assert_eq!((end, one.last()), (5, Some(&1)));
    let (_, end) = two.fork(4, 1, Until::Unlock, MOST).unwrap().unwrap();
    let (choices, _) = two.fork(4, 1, Until::Unlock, MOST).unwrap().unwrap();
    let run = two.forked(choices).record().unwrap();
    let last = run.timeline.records()[end as usize - 1];
    assert_eq!(last.cpu, 1);
    let text = sim_core::op::text(&last.op, 0);
    assert!(text.contains("released") || text.contains("clear"), "{text}");
    let (_, blocked) = two.fork(4, 1, Until::Blocked, MOST).unwrap().unwrap();
    assert!(blocked >= end);
}

#[test]
fn schedules_with_a_rule_are_named() {
    let one = spec("munlock-two-cpus", "0", &[]).schedule("choices:0.1x2,1x3+seed:4").unwrap();
    assert_eq!(one.schedule_name(), "choices:0,1,0,1x4+seed:4");
    assert_eq!(one.forked(vec![0, 0]).schedule_name(), "choices:0x2+seed:4");
    assert_eq!(spec("munlock", "0", &[]).forked(vec![1]).schedule_name(), "choices:1+scenario");
    let listed = RunSpec { schedule: Some(Schedule::Choices(vec![0])), ..spec("munlock", "0", &[]) };
    assert_eq!(listed.forked(vec![1]).schedule_name(), "choices:1");
    for wrong in ["choices:0+", "choices:0+choices:1", "choices:0+sometimes", "choices:0+turns+turns"] {
        assert!(spec("munlock", "0", &[]).schedule(wrong).is_err(), "{wrong}");
    }
}
