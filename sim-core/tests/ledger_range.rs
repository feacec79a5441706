//! Parts of a recorded run add up to its ledger.

use sim_core::ledger::{Key, of_steps};
use sim_core::scenario::{Run, RunSpec, SCENARIOS};

fn run(scenario: &str, variant: &str) -> Run {
    RunSpec::new(scenario, variant).unwrap().record().unwrap()
}

fn runs() -> Vec<Run> {
    SCENARIOS
        .iter()
        .flat_map(|scenario| [scenario.sides.0, scenario.sides.1].map(|side| run(scenario.name, side)))
        .collect()
}

#[test]
fn the_parts_of_a_partition_add_up_to_the_whole() {
    for run in runs() {
        let steps = run.timeline.len() as u32;
        let part = (steps / 7).max(1);
        let parts: Vec<_> = (0..steps)
            .step_by(part as usize)
            .map(|from| of_steps(&run.timeline, from..(from + part).min(steps)))
            .collect();
        assert!(parts.len() > 6 || steps < 7);
        for key in Key::all() {
            let sum = parts.iter().fold(0_u64, |sum, part| sum.wrapping_add(key.of(part)));
            assert_eq!(
                sum,
                key.of(&run.ledger),
                "{} {}: {}",
                run.spec.scenario.name,
                run.spec.variant.name,
                key.name()
            );
        }
    }
}

#[test]
fn a_part_is_the_difference_of_the_ledgers_at_its_ends() {
    for mut run in runs() {
        let steps = run.timeline.len() as u32;
        let (from, to) = (steps / 5, steps - steps / 3);
        let part = of_steps(&run.timeline, from..to);
        run.timeline.seek(from as usize);
        let before = run.timeline.world().ledger.clone();
        run.timeline.seek(to as usize);
        let after = &run.timeline.world().ledger;
        for key in Key::all() {
            assert_eq!(key.of(&part), key.of(after) - key.of(&before), "{}: {}", run.spec.scenario.name, key.name());
        }
    }
}

#[test]
fn nothing_is_in_an_empty_part_or_behind_the_end() {
    let run = run("munlock", "0");
    let nothing = sim_core::ledger::Ledger::default();
    assert_eq!(of_steps(&run.timeline, 5..5), nothing);
    assert_eq!(of_steps(&run.timeline, u32::MAX - 1..u32::MAX), nothing);
    assert_eq!(of_steps(&run.timeline, 0..u32::MAX).total_rmw(), run.ledger.total_rmw());
}
