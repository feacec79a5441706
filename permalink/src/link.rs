//! How the two sides step together.
//!
//! What both runs have in common are their milestones. A [`Beat`] is one that both pass, in the same order; two beats
//! bound a *stretch*. Linked by milestone, both sides go through a stretch at one step each, and whoever comes to its
//! end first waits there for the other: so a side that has more to do is seen at work while the other stands still, a
//! press of Step always moves something, and the sides are never in two different stretches.
//!
//! Everything here is a function of numbers alone.

use std::collections::BTreeMap;

use sim_core::engine::{Mark, Milestone};

/// One of the two sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Which {
    /// At the left, hollow.
    #[default]
    Old,
    /// At the right, solid.
    New,
}

impl Which {
    /// Both.
    pub const BOTH: [Which; 2] = [Which::Old, Which::New];

    /// The other side.
    pub const fn other(self) -> Which {
        match self {
            Which::Old => Which::New,
            Which::New => Which::Old,
        }
    }

    /// "old" or "new".
    pub const fn name(self) -> &'static str {
        match self {
            Which::Old => "old",
            Which::New => "new",
        }
    }
}

/// A number for each side: steps made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    /// The old side's.
    pub old: u32,
    /// The new side's.
    pub new: u32,
}

impl Pair {
    /// A number for each side.
    pub const fn new(old: u32, new: u32) -> Pair {
        Pair { old, new }
    }

    /// One side's.
    pub const fn of(self, which: Which) -> u32 {
        match which {
            Which::Old => self.old,
            Which::New => self.new,
        }
    }

    /// The same with one side's replaced.
    pub const fn with(self, which: Which, value: u32) -> Pair {
        match which {
            Which::Old => Pair { old: value, ..self },
            Which::New => Pair { new: value, ..self },
        }
    }

    /// Joins two pairs side by side.
    pub fn join(self, other: Pair, f: impl Fn(u32, u32) -> u32) -> Pair {
        Pair::new(f(self.old, other.old), f(self.new, other.new))
    }

    /// The smaller of each.
    pub fn min(self, other: Pair) -> Pair {
        self.join(other, u32::min)
    }

    fn largest(self) -> u32 {
        self.old.max(self.new)
    }
}

/// What joins the sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Link {
    /// Both go from milestone to milestone together.
    #[default]
    Milestone,
    /// Both make every step together.
    Step,
    /// Nothing: the active side moves alone.
    Off,
}

impl Link {
    /// All, in the order of the menu.
    pub const ALL: [Link; 3] = [Link::Milestone, Link::Step, Link::Off];

    /// Name in the menu and in a link.
    pub const fn name(self) -> &'static str {
        match self {
            Link::Milestone => "milestone",
            Link::Step => "step",
            Link::Off => "off",
        }
    }

    /// The link with this name.
    pub fn from_name(name: &str) -> Option<Link> {
        Link::ALL.into_iter().find(|link| link.name() == name)
    }
}

/// A milestone that both sides pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    /// Which; none for the start and the end of the run.
    pub milestone: Option<Milestone>,
    /// Steps that each side has made when it passes.
    pub at: Pair,
}

/// The beats of two runs: from (0, 0) to the ends, each later than the one before on at least one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beats {
    beats: Vec<Beat>,
    /// Where each stretch begins on the common clock, and the clock's end.
    clock: Vec<u32>,
}

impl Default for Beats {
    fn default() -> Self {
        Beats::new(&[], &[], Pair::default())
    }
}

impl Beats {
    /// The beats of two runs with these milestones and lengths.
    pub fn new(old: &[Mark], new: &[Mark], ends: Pair) -> Beats {
        let mut first = BTreeMap::new();
        for mark in new {
            first.entry((mark.task, mark.milestone)).or_insert(mark.step);
        }
        let common: Vec<Beat> = old
            .iter()
            .filter_map(|mark| {
                let step = first.remove(&(mark.task, mark.milestone))?;
                Some(Beat { milestone: Some(mark.milestone), at: Pair::new(mark.step, step) })
            })
            .collect();
        let mut beats = vec![Beat { milestone: None, at: Pair::default() }];
        for beat in in_order(&common) {
            push(&mut beats, beat);
        }
        if beats.last().is_some_and(|last| last.at != ends) {
            beats.push(Beat { milestone: None, at: ends });
        }
        let mut clock = vec![0];
        for pair in beats.windows(2) {
            let length = pair[1].at.join(pair[0].at, |end, start| end - start).largest();
            clock.push(clock[clock.len() - 1] + length);
        }
        Beats { beats, clock }
    }

    /// All beats.
    pub fn all(&self) -> &[Beat] {
        &self.beats
    }

    /// Where both runs end.
    pub fn ends(&self) -> Pair {
        self.beats[self.beats.len() - 1].at
    }

    /// The last beat that one side has passed.
    pub fn level(&self, which: Which, step: u32) -> usize {
        self.beats.partition_point(|beat| beat.at.of(which) <= step) - 1
    }

    /// The last beat that both sides have passed.
    pub fn common(&self, at: Pair) -> usize {
        self.level(Which::Old, at.old).min(self.level(Which::New, at.new))
    }

    /// The end of the stretch after a beat; none after the last.
    fn limit(&self, beat: usize) -> Option<Pair> {
        self.beats.get(beat + 1).map(|beat| beat.at)
    }

    /// Sides that the next step moves. Nobody at the end.
    fn movers(&self, at: Pair) -> [bool; 2] {
        let Some(limit) = self.limit(self.common(at)) else { return [false; 2] };
        [at.old < limit.old, at.new < limit.new]
    }

    /// The side that waits for the other at a milestone, if one does.
    pub fn waiting(&self, at: Pair) -> Option<Which> {
        match self.movers(at) {
            [true, false] => Some(Which::New),
            [false, true] => Some(Which::Old),
            _ => None,
        }
    }

    /// One step of the common clock.
    pub fn step(&self, at: Pair) -> Pair {
        let [old, new] = self.movers(at);
        Pair::new(at.old + u32::from(old), at.new + u32::from(new))
    }

    /// Where both sides would be after `to`, kept from going beyond the stretch that they are in.
    pub fn within(&self, at: Pair, to: Pair) -> Pair {
        let Some(limit) = self.limit(self.common(at)) else { return at };
        let capped = to.min(limit);
        let [old, new] = self.movers(at);
        Pair::new(if old { capped.old } else { at.old }, if new { capped.new } else { at.new })
    }

    /// Takes one step of the common clock back.
    pub fn back(&self, at: Pair) -> Pair {
        let mut offset = self.offset(at, self.common(at));
        if offset.largest() == 0 {
            let Some(before) = self.common(at).checked_sub(1) else { return at };
            offset = self.offset(at, before);
        }
        let most = offset.largest();
        Pair::new(at.old - u32::from(offset.old == most), at.new - u32::from(offset.new == most))
    }

    fn offset(&self, at: Pair, beat: usize) -> Pair {
        at.join(self.beats[beat].at, |at, start| at - start)
    }

    /// The next beat that neither side has reached with all of itself.
    pub fn next(&self, at: Pair) -> Pair {
        self.limit(self.common(at)).unwrap_or(at)
    }

    /// The beat before.
    pub fn previous(&self, at: Pair) -> Pair {
        let beat = self.common(at);
        if self.beats[beat].at != at { self.beats[beat].at } else { self.beats[beat.saturating_sub(1)].at }
    }

    /// Where one side is after going `by` beats on or back by itself.
    pub fn beside(&self, which: Which, step: u32, by: i32) -> u32 {
        let level = self.level(which, step);
        let passes = |level: usize| self.beats[level].at.of(which);
        if by > 0 {
            let later = self.beats.iter().map(|beat| beat.at.of(which));
            return later.skip(level + 1).find(|&place| place > step).unwrap_or(step);
        }
        let earlier = (0..=level).rev().map(passes);
        earlier.into_iter().find(|&place| place < step).unwrap_or(step)
    }

    /// Where both sides are when one of them, stepping together, has made so many steps.
    pub fn partner(&self, which: Which, step: u32) -> Pair {
        let step = step.min(self.ends().of(which));
        let beat = self.level(which, step);
        let start = self.beats[beat].at;
        let Some(limit) = self.limit(beat) else { return start };
        let made = step - start.of(which);
        let other = which.other();
        let partner = (start.of(other) + made).min(limit.of(other));
        Pair::default().with(which, step).with(other, partner)
    }

    /// Presses of Step from the start until here.
    pub fn clock(&self, at: Pair) -> u32 {
        let beat = self.common(at);
        let end = self.clock.get(beat + 1).copied().unwrap_or(self.clock[beat]);
        (self.clock[beat] + self.offset(at, beat).largest()).min(end)
    }

    /// Presses of Step for the whole run.
    pub fn clock_end(&self) -> u32 {
        self.clock[self.clock.len() - 1]
    }

    /// Where both sides are after so many presses of Step.
    pub fn at_clock(&self, presses: u32) -> Pair {
        let beat = self.clock.partition_point(|&start| start <= presses) - 1;
        let start = self.beats[beat].at;
        let Some(limit) = self.limit(beat) else { return start };
        let made = presses - self.clock[beat];
        start.join(limit, |start, limit| (start + made).min(limit))
    }

    /// Place on the common clock of one side alone: where it is first after so many steps.
    pub fn place(&self, which: Which, step: u32) -> u32 {
        let step = step.min(self.ends().of(which));
        let beat = self.level(which, step);
        self.clock[beat] + (step - self.beats[beat].at.of(which))
    }

    /// The first place after `at`, on the common clock, where the sides' next steps differ by `same(old, new)`, or
    /// where only one side has a step left in the stretch. A place in the same stretch, behind the first difference
    /// there, is no new one.
    pub fn next_difference(&self, at: Pair, same: impl Fn(u32, u32) -> bool) -> Option<Pair> {
        let here = self.clock(at);
        let first = self.common(at);
        (first..self.beats.len() - 1).find_map(|beat| {
            let place = self.first_difference(beat, &same)?;
            (place > here).then(|| self.at_clock(place))
        })
    }

    fn first_difference(&self, beat: usize, same: impl Fn(u32, u32) -> bool) -> Option<u32> {
        let (start, limit) = (self.beats[beat].at, self.beats[beat + 1].at);
        let length = limit.join(start, |limit, start| limit - start);
        let shared = length.old.min(length.new);
        let differs = (0..shared).find(|&i| !same(start.old + i, start.new + i));
        let differs = differs.or((length.old != length.new).then_some(shared))?;
        // The step that differs has been made.
        Some(self.clock[beat] + differs + 1)
    }
}

/// Adds a beat, or replaces the last where both sides pass the two at the same step.
fn push(beats: &mut Vec<Beat>, beat: Beat) {
    match beats.last_mut() {
        Some(last) if last.at == beat.at => *last = beat,
        _ => beats.push(beat),
    }
}

/// The longest run of beats that both sides pass in the same order. With one task that is all of them; with several,
/// tasks may overtake each other on one side only.
fn in_order(beats: &[Beat]) -> Vec<Beat> {
    // Patience sorting: `tops[n]` ends the run of n + 1 beats that ends lowest.
    let mut tops: Vec<usize> = Vec::new();
    let mut before = vec![usize::MAX; beats.len()];
    for (i, beat) in beats.iter().enumerate() {
        let place = tops.partition_point(|&top| beats[top].at.new <= beat.at.new);
        if place > 0 {
            before[i] = tops[place - 1];
        }
        match tops.get_mut(place) {
            Some(top) => *top = i,
            None => tops.push(i),
        }
    }
    let mut chain = Vec::new();
    let mut next = tops.last().copied().unwrap_or(usize::MAX);
    while next != usize::MAX {
        chain.push(beats[next]);
        next = before[next];
    }
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small generator, so that a failure can be repeated.
    struct Random(u64);

    impl Random {
        fn below(&mut self, n: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 33) % n
        }
    }

    fn mark(step: u32, milestone: Milestone) -> Mark {
        Mark { step, task: 0, milestone }
    }

    /// Milestones of a run that skips some pages and makes up to `most` steps for each of the others.
    fn run(random: &mut Random, pages: u32, most: u64) -> (Vec<Mark>, u32) {
        let mut step = random.below(3) as u32;
        let mut marks = vec![mark(step, Milestone::SyscallEnter)];
        for page in 0..pages {
            if random.below(5) > 0 {
                marks.push(mark(step, Milestone::LoopAt(page)));
            }
            step += random.below(most) as u32;
        }
        marks.push(mark(step, Milestone::RangeDone));
        (marks, step + random.below(2) as u32)
    }

    fn random_beats(seed: u64) -> Beats {
        let mut random = Random(seed);
        let (old, old_end) = run(&mut random, 9, 12);
        let (new, new_end) = run(&mut random, 9, 5);
        Beats::new(&old, &new, Pair::new(old_end, new_end))
    }

    fn walk(beats: &Beats) -> Vec<Pair> {
        let mut places = vec![Pair::default()];
        loop {
            let last = places[places.len() - 1];
            let next = beats.step(last);
            if next == last {
                return places;
            }
            places.push(next);
        }
    }

    #[test]
    fn a_step_moves_a_side_until_the_end() {
        for seed in 0..300 {
            let beats = random_beats(seed);
            let places = walk(&beats);
            assert_eq!(places[places.len() - 1], beats.ends(), "seed {seed}");
            for pair in places.windows(2) {
                let moved = pair[1].join(pair[0], |to, from| to - from);
                assert!(moved.largest() == 1, "seed {seed}: {pair:?}");
            }
        }
    }

    #[test]
    fn both_sides_are_in_one_stretch() {
        for seed in 0..300 {
            let beats = random_beats(seed);
            for at in walk(&beats) {
                let common = beats.common(at);
                let limit = beats.limit(common).unwrap_or(beats.ends());
                assert!(at.old <= limit.old && at.new <= limit.new, "seed {seed}: {at:?}");
            }
        }
    }

    #[test]
    fn back_takes_a_step_back() {
        for seed in 0..300 {
            let beats = random_beats(seed);
            for pair in walk(&beats).windows(2) {
                assert_eq!(beats.back(pair[1]), pair[0], "seed {seed}");
            }
            assert_eq!(beats.back(Pair::default()), Pair::default());
        }
    }

    #[test]
    fn the_clock_counts_steps() {
        for seed in 0..300 {
            let beats = random_beats(seed);
            let places = walk(&beats);
            assert_eq!(places.len() as u32, beats.clock_end() + 1, "seed {seed}");
            for (i, &at) in places.iter().enumerate() {
                assert_eq!(beats.clock(at), i as u32, "seed {seed}: {at:?}");
                assert_eq!(beats.at_clock(i as u32), at, "seed {seed}");
            }
        }
    }

    #[test]
    fn a_partner_is_on_the_common_clock() {
        for seed in 0..100 {
            let beats = random_beats(seed);
            for which in Which::BOTH {
                for step in 0..=beats.ends().of(which) {
                    let at = beats.partner(which, step);
                    assert_eq!(at.of(which), step);
                    assert_eq!(beats.at_clock(beats.clock(at)), at, "seed {seed}");
                }
            }
        }
    }

    #[test]
    fn sides_that_are_apart_come_together() {
        let beats = random_beats(7);
        let mut at = Pair::new(beats.ends().old, 0);
        while beats.step(at) != at {
            let next = beats.step(at);
            assert_eq!(next.old, at.old, "the side that is ahead waits");
            at = next;
        }
        assert_eq!(at, beats.ends());
    }

    #[test]
    fn next_and_previous_go_from_beat_to_beat() {
        let old = [mark(0, Milestone::LoopAt(0)), mark(10, Milestone::LoopAt(1)), mark(20, Milestone::LoopAt(2))];
        let new = [mark(0, Milestone::LoopAt(0)), mark(3, Milestone::LoopAt(1)), mark(6, Milestone::LoopAt(2))];
        let beats = Beats::new(&old, &new, Pair::new(30, 40));
        let at = Pair::new(12, 5);
        assert_eq!(beats.next(at), Pair::new(20, 6));
        assert_eq!(beats.previous(at), Pair::new(10, 3));
        assert_eq!(beats.previous(Pair::new(10, 3)), Pair::default());
        assert_eq!(beats.next(Pair::new(20, 6)), Pair::new(30, 40));
        assert_eq!(beats.waiting(Pair::new(15, 6)), Some(Which::New));
        assert_eq!(beats.waiting(Pair::new(15, 5)), None);
    }

    #[test]
    fn only_milestones_in_the_same_order_are_beats() {
        let of = |task, step| Mark { step, task, milestone: Milestone::RangeDone };
        let loops = |task, step| Mark { step, task, milestone: Milestone::LoopAt(0) };
        let old = [loops(0, 1), loops(1, 2), of(0, 5), of(1, 9)];
        let new = [loops(1, 1), loops(0, 4), of(1, 6), of(0, 7)];
        let beats = Beats::new(&old, &new, Pair::new(10, 10));
        let places: Vec<Pair> = beats.all().iter().map(|beat| beat.at).collect();
        assert!(places.windows(2).all(|pair| pair[0].old <= pair[1].old && pair[0].new <= pair[1].new));
        assert_eq!(places.len(), 4);
    }

    #[test]
    fn differences_are_found_stretch_by_stretch() {
        let marks = [mark(0, Milestone::LoopAt(0)), mark(4, Milestone::LoopAt(1))];
        let beats = Beats::new(&marks, &marks, Pair::new(8, 9));
        let same = |old: u32, new: u32| old == new && old != 2;
        let first = beats.next_difference(Pair::default(), same);
        assert_eq!(first, Some(Pair::new(3, 3)));
        // The second stretch is longer on one side.
        assert_eq!(beats.next_difference(Pair::new(3, 3), same), Some(Pair::new(8, 9)));
        assert_eq!(beats.next_difference(Pair::new(8, 9), same), None);
    }
}
