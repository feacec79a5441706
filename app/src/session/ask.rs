//! What the session is asked about its runs: biographies, conditions, where to stop.

use sim_core::ask::{Condition, Subject, Touched};

use super::{Go, Session};
use crate::link::{Link, Pair, Which};

/// Where enabled breakpoints stop each side.
#[derive(Clone, Debug, Default)]
pub struct Stops {
    // Step counts of each side, ascending, with the number of the breakpoint.
    steps: [Vec<(u32, usize)>; 2],
    // Places of both sides together.
    pairs: Vec<(Pair, usize)>,
}

/// A breakpoint that is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Where both sides are then.
    pub at: Pair,
    /// The side that reaches it; none where it is about both.
    pub which: Option<Which>,
    /// Number of the breakpoint.
    pub of: usize,
}

impl Stops {
    // The first that is reached on the way from one pair to another, where each side moves by a step at most.
    fn between(&self, from: Pair, to: Pair) -> Option<Stop> {
        let reached = |which: Which| {
            let steps = &self.steps[which as usize];
            let first = steps.partition_point(|&(step, _)| step <= from.of(which));
            let &(_, of) = steps.get(first).filter(|(step, _)| *step <= to.of(which))?;
            Some(Stop { at: to, which: Some(which), of })
        };
        let has = |pair: Pair, at: Pair| at.old >= pair.old && at.new >= pair.new;
        let both = || {
            let pair = self.pairs.iter().find(|(pair, _)| has(*pair, to) && !has(*pair, from));
            pair.map(|&(_, of)| Stop { at: to, which: None, of })
        };
        Which::BOTH.into_iter().find_map(reached).or_else(both)
    }

    fn is_empty(&self) -> bool {
        self.pairs.is_empty() && self.steps.iter().all(Vec::is_empty)
    }
}

impl Session {
    /// Names of the kernel functions that either run calls.
    pub fn functions(&self) -> Vec<&'static str> {
        let mut names = self.sides[0].track.functions().to_vec();
        names.extend(self.sides[1].track.functions());
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Every step of one side that touches a subject.
    pub fn life(&self, which: Which, subject: Subject) -> Vec<Touched> {
        let track = &self.side(which).track;
        track.lives().of(&track.run.timeline, subject).into_owned()
    }

    /// Steps of one side that bring a condition about.
    pub fn steps_to(&mut self, which: Which, condition: &Condition) -> Vec<u32> {
        let track = &mut self.sides[which as usize].track;
        let lives = track.lives();
        lives.find_all(&mut track.run.timeline, condition)
    }

    /// Where to go for a condition: forwards, or back, on these sides; the side where it comes first takes the other
    /// along as the link says.
    pub fn run_to(&mut self, condition: &Condition, back: bool, sides: &[Which]) -> Option<(Go, Option<Which>)> {
        let at = self.at();
        if *condition == Condition::Differ {
            let here = self.beats.clock(at);
            let all = self.differences();
            let clock = |pair: &&Pair| self.beats.clock(**pair);
            let found = if back {
                all.iter().rfind(|pair| clock(pair) < here)
            } else {
                all.iter().find(|pair| clock(pair) > here)
            };
            return found.map(|&pair| (Go::Pair(pair), None));
        }
        let mut found: Vec<(Which, u32)> = Vec::new();
        for &which in sides {
            let track = &mut self.sides[which as usize].track;
            let lives = track.lives();
            let step = lives.find(&mut track.run.timeline, condition, at.of(which), back);
            found.extend(step.map(|step| (which, step)));
        }
        let place = |&(which, step): &(Which, u32)| match self.link {
            Link::Milestone => self.beats.place(which, step),
            Link::Step | Link::Off => step,
        };
        let first = if back {
            // The nearest one: of two at once the old side's.
            found.iter().rev().max_by_key(|found| place(found))
        } else {
            found.iter().min_by_key(|found| place(found))
        };
        first.map(|&(which, step)| (Go::Side(which, step), Some(which)))
    }

    /// Every place where the two sides begin to differ, stretch by stretch.
    pub fn differences(&self) -> Vec<Pair> {
        let next = |&at: &Pair| self.beats.next_difference(at, |old, new| self.same(old, new));
        std::iter::successors(next(&Pair::default()), next).collect()
    }

    /// Makes these the breakpoints that are obeyed, by number.
    pub fn set_stops(&mut self, conditions: &[(usize, Condition)]) {
        let mut stops = Stops::default();
        for (of, condition) in conditions {
            if *condition == Condition::Differ {
                stops.pairs.extend(self.differences().into_iter().map(|pair| (pair, *of)));
                continue;
            }
            for which in Which::BOTH {
                let steps = self.steps_to(which, condition);
                stops.steps[which as usize].extend(steps.into_iter().map(|step| (step, *of)));
            }
        }
        stops.steps.iter_mut().for_each(|steps| steps.sort_unstable());
        self.stops = stops;
    }

    /// The breakpoint that comes first on the way; only steps that go on by themselves stop at one.
    pub fn first_stop(&self, go: Go) -> Option<Stop> {
        if self.stops.is_empty() || !matches!(go, Go::On(_) | Go::Next) {
            return None;
        }
        let mut here = self.at();
        let to = self.target(go, here);
        while here != to {
            let next = self.step(here).min(to);
            let next = if next == here { to } else { next };
            if let Some(stop) = self.stops.between(here, next) {
                return Some(stop);
            }
            here = next;
        }
        None
    }
}
