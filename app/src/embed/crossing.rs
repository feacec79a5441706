//! What the runs pass on their way: the first step in which the sides differ, and rules that a side breaks.

use super::value::{Value, map};
use crate::link::{Pair, Which};
use crate::session::Session;

/// Something that is passed.
#[derive(Clone, Debug, PartialEq)]
struct Gate {
    /// Steps that a side has to have made; none: it does not matter.
    at: [Option<u32>; 2],
    /// What is told then.
    told: Value,
    passed: bool,
}

/// What two runs have to pass. Each is told again when it is passed again.
#[derive(Clone, Debug, Default)]
pub struct Crossing {
    gates: Vec<Gate>,
}

impl Crossing {
    /// What a pair of runs has to pass; nothing is passed yet.
    pub fn new(session: &Session) -> Crossing {
        let mut gates: Vec<Gate> = first_difference(session).map(divergence).into_iter().collect();
        gates.extend(Which::BOTH.into_iter().filter_map(|which| invariant(session, which)));
        Crossing { gates }
    }

    /// What has been passed since the last time.
    pub fn pass(&mut self, at: Pair) -> Vec<Value> {
        let mut told = Vec::new();
        for gate in &mut self.gates {
            let steps = Which::BOTH.into_iter().zip(gate.at);
            let passed = steps.into_iter().all(|(which, step)| step.is_none_or(|step| step <= at.of(which)));
            if passed && !gate.passed {
                told.push(gate.told.clone());
            }
            gate.passed = passed;
        }
        told
    }
}

/// Steps of both sides after the first step in which they do not do the same.
fn first_difference(session: &Session) -> Option<Pair> {
    let record = |which: Which, step: u32| session.side(which).track.run.timeline.records().get(step as usize);
    session.beats.next_difference(Pair::default(), |old, new| {
        let ops = [record(Which::Old, old), record(Which::New, new)].map(|record| record.map(|record| record.op));
        ops[0] == ops[1]
    })
}

fn divergence(at: Pair) -> Gate {
    let step = Value::List(vec![at.old.into(), at.new.into()]);
    Gate { at: [Some(at.old), Some(at.new)], told: map([("type", "divergence".into()), ("step", step)]), passed: false }
}

fn invariant(session: &Session, which: Which) -> Option<Gate> {
    let violation = session.side(which).track.run.timeline.violation()?;
    let told = map([
        ("type", "invariant".into()),
        ("side", which.name().into()),
        ("step", violation.step.into()),
        ("rule", violation.rule.into()),
        ("detail", violation.detail.as_str().into()),
        // What was asked for is at fault, not the kernel.
        ("input", violation.by_input().into()),
    ]);
    let at = Which::BOTH.map(|side| (side == which).then_some(violation.step));
    Some(Gate { at, told, passed: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash;
    use crate::session::Go;
    use crate::subject::Subject;
    use stage::Form;

    fn open(link: &str) -> Session {
        let link = hash::decode(link).unwrap().unwrap();
        Session::open(&Subject::from_link(&link).unwrap(), Form::Narrow).unwrap()
    }

    fn kinds(told: &[Value]) -> Vec<&str> {
        told.iter().filter_map(|value| value.get("type")?.text()).collect()
    }

    #[test]
    fn the_first_difference_is_told_when_it_is_passed() {
        let mut session = open("#v1/munlock/0/6?pages=14");
        session.go(Go::Difference);
        let place = session.at();
        let mut crossing = Crossing::new(&session);
        session.go(Go::Back);
        assert_eq!(kinds(&crossing.pass(session.at())), Vec::<&str>::new());
        session.go(Go::Step);
        assert_eq!(session.at(), place);
        let told = crossing.pass(session.at());
        assert_eq!(kinds(&told), ["divergence"]);
        assert_eq!(told[0].get("step"), Some(&Value::List(vec![place.old.into(), place.new.into()])));
        session.go(Go::Clock(u32::MAX));
        assert_eq!(crossing.pass(session.at()), [], "once");
        session.go(Go::Clock(0));
        assert_eq!(crossing.pass(session.at()), []);
        session.go(Go::Clock(u32::MAX));
        assert_eq!(kinds(&crossing.pass(session.at())), ["divergence"], "again when passed again");
    }

    #[test]
    fn equal_runs_have_nothing_to_pass() {
        let mut session = open("#v1/munlock/6/6?pages=14");
        session.go(Go::Clock(u32::MAX));
        assert_eq!(Crossing::new(&session).pass(session.at()), []);
    }

    #[test]
    fn a_broken_rule_is_told_with_its_side_and_step() {
        // Truncation against patches 1 to 6 ends in a deadlock.
        let mut session = open("#v1/munlock-truncate/0/6");
        let mut crossing = Crossing::new(&session);
        session.go(Go::Clock(u32::MAX));
        let told = crossing.pass(session.at());
        let broken = told.iter().find(|one| one.get("type") == Some(&"invariant".into())).unwrap();
        assert_eq!(broken.get("side"), Some(&"new".into()));
        assert_eq!(broken.get("step"), Some(&session.beats.ends().new.into()));
        assert_eq!(broken.get("input"), Some(&false.into()));
    }
}
