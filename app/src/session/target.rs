//! Where each wish of the reader leads.

use super::{Go, Session};
use crate::link::{Link, Pair, Which};

impl Session {
    pub(super) fn target(&self, go: Go, at: Pair) -> Pair {
        let ends = self.beats.ends();
        let to = match go {
            Go::Step => self.step(at),
            Go::Back => self.back(at),
            Go::Over => self.over(at),
            Go::Next => self.next(at),
            Go::Previous => self.previous(at),
            Go::Difference => self.beats.next_difference(at, |old, new| self.same(old, new)).unwrap_or(at),
            Go::On(steps) => (0..steps).fold(at, |at, _| self.step(at).min(ends)),
            Go::Clock(place) => self.at_clock(place.min(self.clock_end())),
            Go::By(1) => self.step(at),
            Go::By(-1) => self.back(at),
            Go::By(by) => self.at_clock(self.clock().saturating_add_signed(by).min(self.clock_end())),
            Go::Side(which, step) => self.side_to(at, which, step),
            Go::Pair(pair) => pair,
            Go::Tenths(tenths) => self.at_clock((u64::from(self.clock_end()) * u64::from(tenths) / 10) as u32),
        };
        to.min(ends)
    }

    pub(super) fn step(&self, at: Pair) -> Pair {
        match self.link {
            Link::Milestone => self.beats.step(at),
            Link::Step => Pair::new(at.old + 1, at.new + 1),
            Link::Off => at.with(self.active, at.of(self.active) + 1),
        }
    }

    fn back(&self, at: Pair) -> Pair {
        if let Some(&(from, to)) = self.history.last()
            && to == at
        {
            return from;
        }
        match self.link {
            Link::Milestone => self.beats.back(at),
            // The longer run goes back alone until it is where the other ended.
            Link::Step => {
                let most = at.old.max(at.new);
                Pair::new(
                    at.old - u32::from(at.old == most && most > 0),
                    at.new - u32::from(at.new == most && most > 0),
                )
            }
            Link::Off => at.with(self.active, at.of(self.active).saturating_sub(1)),
        }
    }

    fn over(&self, at: Pair) -> Pair {
        let over = |which: Which| self.side(which).track.run.timeline.step_over(at.of(which) as usize) as u32;
        match self.link {
            Link::Milestone => self.beats.within(at, Pair::new(over(Which::Old), over(Which::New))),
            Link::Step => Pair::new(over(Which::Old), over(Which::New)),
            Link::Off => at.with(self.active, over(self.active)),
        }
    }

    fn next(&self, at: Pair) -> Pair {
        match self.link {
            Link::Off => at.with(self.active, self.beats.beside(self.active, at.of(self.active), 1)),
            _ => self.beats.next(at),
        }
    }

    fn previous(&self, at: Pair) -> Pair {
        match self.link {
            Link::Off => at.with(self.active, self.beats.beside(self.active, at.of(self.active), -1)),
            _ => self.beats.previous(at),
        }
    }

    fn at_clock(&self, place: u32) -> Pair {
        match self.link {
            Link::Milestone => self.beats.at_clock(place),
            Link::Step => Pair::new(place, place),
            Link::Off => self.at().with(self.active, place),
        }
    }

    fn side_to(&self, at: Pair, which: Which, step: u32) -> Pair {
        match self.link {
            Link::Milestone => self.beats.partner(which, step),
            Link::Step => Pair::new(step, step),
            Link::Off => at.with(which, step),
        }
    }

    // Both sides do the same in these steps.
    pub(super) fn same(&self, old: u32, new: u32) -> bool {
        let record = |which: Which, at: u32| &self.side(which).track.run.timeline.records()[at as usize];
        record(Which::Old, old).op == record(Which::New, new).op
    }
}
