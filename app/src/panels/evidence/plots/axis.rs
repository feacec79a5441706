//! What the x axis of a run is: steps, modelled time, or the clock that both sides share. Nothing here knows of a browser.

use plots::{Axis, Unit};
use sim_core::cost::Timing;

use crate::link::{Beats, Link, Which};
use crate::session::{Go, Session};

/// What x is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Across {
    /// Steps of each side.
    #[default]
    Steps,
    /// Steps with both sides at the same milestones: the shorter stretch waits.
    Beats,
    /// Modelled time of each side.
    Time,
}

impl Across {
    /// All, in the order of the choices.
    pub const ALL: [Across; 3] = [Across::Steps, Across::Beats, Across::Time];

    /// What the choice says.
    pub const fn name(self) -> &'static str {
        match self {
            Across::Steps => "steps",
            Across::Beats => "common milestones",
            Across::Time => "modelled time",
        }
    }

    /// The axis.
    pub fn axis(self, profile: &str) -> Axis {
        match self {
            Across::Steps => Axis::new("Step", Unit::Count(String::new())),
            Across::Beats => Axis::new("Steps, both sides at the same milestones", Unit::Plain),
            Across::Time => Axis::new(format!("Modelled time, {profile}"), Unit::Nanoseconds),
        }
    }
}

/// Places of the steps of both sides.
#[derive(Clone, Debug, Default)]
pub struct Places {
    across: Across,
    beats: Beats,
    /// When each step has ended, in ps, never less than the one before: with several CPUs, steps end out of turn.
    ends: [Vec<u64>; 2],
}

impl Places {
    /// The places of a session's runs.
    pub fn new(session: &Session, across: Across) -> Places {
        let ends = match across {
            Across::Time => Which::BOTH.map(|which| in_turn(&session.timing(which))),
            _ => Default::default(),
        };
        Places { across, beats: session.beats.clone(), ends }
    }

    /// Where a side is after so many steps.
    pub fn x(&self, which: Which, step: u32) -> f64 {
        match self.across {
            Across::Steps => f64::from(step),
            Across::Beats => f64::from(self.beats.place(which, step)),
            Across::Time => {
                let ends = &self.ends[which as usize];
                let end = (step as usize).min(ends.len()).checked_sub(1).map_or(0, |at| ends[at]);
                end as f64 / 1000.0
            }
        }
    }

    /// Steps that a side has made at a place.
    fn step(&self, which: Which, x: f64) -> u32 {
        match self.across {
            Across::Steps => x.round() as u32,
            Across::Beats => self.beats.at_clock(x.round() as u32).of(which),
            Across::Time => self.ends[which as usize].partition_point(|&end| end as f64 / 1000.0 <= x) as u32,
        }
    }

    /// Where the whole run of a side ends.
    pub fn end(&self, which: Which) -> f64 {
        self.x(which, self.beats.ends().of(which))
    }

    /// The way to a place: one side goes there, the other as the link says.
    pub fn go(&self, link: Link, which: Which, x: f64) -> Go {
        match (self.across, link) {
            (Across::Beats, Link::Milestone) => Go::Clock(x.round() as u32),
            (Across::Beats, _) => Go::Pair(self.beats.at_clock(x.round() as u32)),
            _ => Go::Side(which, self.step(which, x)),
        }
    }

    /// The side that a press at a place takes hold of: the one whose line is nearer, of those that run as far.
    pub fn grabbed(&self, at: crate::link::Pair, x: f64) -> Which {
        let far = |which: Which| (self.x(which, at.of(which)) - x).abs();
        let reaches = |which: Which| x <= self.end(which);
        match (reaches(Which::Old), reaches(Which::New)) {
            (true, false) => Which::Old,
            (false, true) => Which::New,
            _ if far(Which::Old) <= far(Which::New) => Which::Old,
            _ => Which::New,
        }
    }
}

fn in_turn(timing: &Timing) -> Vec<u64> {
    let mut latest = 0;
    let so_far = |&end: &u64| {
        latest = end.max(latest);
        latest
    };
    timing.end.iter().map(so_far).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::Pair;
    use crate::session::Subject;
    use sim_core::scenario::SCENARIOS;
    use stage::Form;

    #[test]
    fn a_click_on_a_step_goes_to_that_step() {
        for scenario in SCENARIOS {
            let mut session = Session::open(&Subject::of(scenario), Form::Wide).unwrap();
            for across in Across::ALL {
                let places = Places::new(&session, across);
                for which in Which::BOTH {
                    let steps = session.beats.ends().of(which);
                    for step in [0, steps / 3, steps / 2, steps] {
                        let x = places.x(which, step);
                        session.go(places.go(session.link, which, x));
                        // Steps at the same place are all made there.
                        let found = places.x(which, session.at().of(which));
                        assert!((found - x).abs() < 0.5, "{} {across:?} {which:?} {step}", scenario.name);
                    }
                }
            }
        }
    }

    #[test]
    fn places_never_go_back() {
        let session = Session::open(&Subject::of(&SCENARIOS[0]), Form::Wide).unwrap();
        for across in Across::ALL {
            let places = Places::new(&session, across);
            for which in Which::BOTH {
                let steps = session.beats.ends().of(which);
                let all: Vec<f64> = (0..=steps).map(|step| places.x(which, step)).collect();
                assert!(all.windows(2).all(|pair| pair[0] <= pair[1]), "{across:?}");
                assert_eq!((all[0], all[all.len() - 1]), (0.0, places.end(which)));
            }
        }
    }

    #[test]
    fn the_nearer_line_is_taken_hold_of() {
        let session = Session::open(&Subject::of(&SCENARIOS[0]), Form::Wide).unwrap();
        let places = Places::new(&session, Across::Steps);
        let ends = session.beats.ends();
        assert_eq!(places.grabbed(Pair::new(100, 10), 12.0), Which::New);
        assert_eq!(places.grabbed(Pair::new(100, 10), 99.0), Which::Old);
        let longer = if ends.old > ends.new { Which::Old } else { Which::New };
        assert_eq!(places.grabbed(Pair::default(), f64::from(ends.old.max(ends.new))), longer);
    }
}
