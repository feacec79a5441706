//! The common axis: from the steps of either side to a place on it, and back.

use std::rc::Rc;

use sim_core::cost::Timing;
use sim_core::engine::Record;

use super::rows::{Kind, Span};
use crate::link::{Beats, Pair, Which};

/// What the axis counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// Presses of Step: both sides are at the same place where they pass the same milestone.
    #[default]
    Milestone,
    /// Steps.
    Step,
    /// Modelled time, in picoseconds.
    Time,
}

impl By {
    /// All, in the order of the choice.
    pub const ALL: [By; 3] = [By::Milestone, By::Step, By::Time];

    /// Name in the choice.
    pub const fn name(self) -> &'static str {
        match self {
            By::Milestone => "milestone",
            By::Step => "step",
            By::Time => "modelled time",
        }
    }

    /// The one with this name.
    pub fn from_name(name: &str) -> Option<By> {
        By::ALL.into_iter().find(|by| by.name() == name)
    }
}

/// When the steps of one side happen, in picoseconds.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    timing: Rc<Timing>,
    /// Indices of the steps of each CPU: the clock of one CPU runs on.
    cpus: Vec<Vec<u32>>,
    /// By step: when it and all before it are over. CPUs have clocks of their own, so their ends alone are in no order.
    reached: Vec<u64>,
}

impl Clock {
    /// The clock of a run with these steps.
    pub fn new(timing: Rc<Timing>, records: &[Record]) -> Clock {
        let mut cpus: Vec<Vec<u32>> = Vec::new();
        for (step, record) in (0u32..).zip(records) {
            let cpu = usize::from(record.cpu);
            cpus.resize(cpus.len().max(cpu + 1), Vec::new());
            cpus[cpu].push(step);
        }
        let mut last = 0;
        let reached = timing.end.iter().map(|&end| {
            last = end.max(last);
            last
        });
        Clock { reached: reached.collect(), timing, cpus }
    }

    /// It is that of these times.
    pub fn is_of(&self, timing: &Rc<Timing>) -> bool {
        Rc::ptr_eq(&self.timing, timing)
    }

    /// When so many steps have been made.
    pub fn after(&self, step: u32) -> u64 {
        let at = (step as usize).min(self.reached.len());
        at.checked_sub(1).map_or(0, |at| self.reached[at])
    }

    /// The most steps that have been made at a time.
    pub fn step_at(&self, ps: u64) -> u32 {
        self.reached.partition_point(|&end| end <= ps) as u32
    }

    /// When a CPU begins its first step from this one on.
    fn begin(&self, cpu: u8, step: u32) -> u64 {
        let Some(steps) = self.cpus.get(usize::from(cpu)) else { return self.after(step) };
        let at = steps.partition_point(|&own| own < step);
        steps.get(at).and_then(|&own| self.timing.begin.get(own as usize)).copied().unwrap_or(self.after(u32::MAX))
    }

    /// When a CPU has ended its last step before this one.
    fn end(&self, cpu: u8, step: u32) -> u64 {
        let Some(steps) = self.cpus.get(usize::from(cpu)) else { return self.after(step) };
        let at = steps.partition_point(|&own| own < step);
        at.checked_sub(1).and_then(|at| self.timing.end.get(steps[at] as usize)).copied().unwrap_or(0)
    }

    /// From when to when a span of a CPU lasts, in picoseconds.
    pub fn span(&self, cpu: u8, kind: Kind, dashed: bool, span: Span) -> (u64, u64) {
        let start = if covers(kind, dashed) { self.begin(cpu, span.start) } else { self.end(cpu, span.start) };
        (start, self.end(cpu, span.end).max(start))
    }
}

/// It begins with a step; what does not, begins when a step is over.
fn covers(kind: Kind, dashed: bool) -> bool {
    !dashed && matches!(kind, Kind::Tasks | Kind::Functions(_))
}

/// The axis of a pair of runs.
#[derive(Clone, Debug, Default)]
pub struct Axis {
    by: By,
    beats: Beats,
    clocks: Option<Rc<[Clock; 2]>>,
}

impl Axis {
    /// An axis. By time it needs the clocks of both sides; without them it is one by milestone.
    pub fn new(by: By, beats: &Beats, clocks: Option<Rc<[Clock; 2]>>) -> Axis {
        let by = if by == By::Time && clocks.is_none() { By::Milestone } else { by };
        Axis { by, beats: beats.clone(), clocks }
    }

    /// What it counts.
    pub fn by(&self) -> By {
        self.by
    }

    /// Where both runs end, in the axis' own unit; never 0.
    pub fn end(&self) -> f64 {
        let ends = self.beats.ends();
        let end = match (self.by, &self.clocks) {
            (By::Time, Some(clocks)) => clocks[0].after(u32::MAX).max(clocks[1].after(u32::MAX)) as f64,
            (By::Step, _) => f64::from(ends.old.max(ends.new)),
            _ => f64::from(self.beats.clock_end()),
        };
        end.max(1.0)
    }

    /// Where a side is after so many steps, before it goes on.
    pub fn point(&self, which: Which, step: u32) -> f64 {
        match (self.by, &self.clocks) {
            (By::Time, Some(clocks)) => clocks[which as usize].after(step) as f64,
            (By::Step, _) => f64::from(step),
            _ => f64::from(self.beats.place(which, step)),
        }
    }

    /// Where a side comes to after so many steps: before it has waited for the other at a milestone.
    fn arrival(&self, which: Which, step: u32) -> f64 {
        match step.checked_sub(1) {
            Some(before) if self.by == By::Milestone => f64::from(self.beats.place(which, before)) + 1.0,
            _ => self.point(which, step),
        }
    }

    /// Where both sides are at a moment. A side that waits at a milestone is where the other has come to.
    pub fn moment(&self, at: Pair) -> [f64; 2] {
        Which::BOTH.map(|which| {
            let point = self.point(which, at.of(which));
            if self.by == By::Milestone {
                f64::from(self.beats.clock(at)).clamp(self.arrival(which, at.of(which)).min(point), point)
            } else {
                point
            }
        })
    }

    /// From where to where a span reaches.
    pub fn span(&self, which: Which, cpu: u8, kind: Kind, dashed: bool, span: Span) -> (f64, f64) {
        if let (By::Time, Some(clocks)) = (self.by, &self.clocks) {
            let (from, to) = clocks[which as usize].span(cpu, kind, dashed, span);
            return (from as f64, to as f64);
        }
        let from = match covers(kind, dashed) {
            true => self.point(which, span.start),
            false => self.arrival(which, span.start),
        };
        (from, self.arrival(which, span.end).max(from))
    }

    /// Stretches in which a side waits for the other at a milestone, in order.
    pub fn gaps(&self, which: Which) -> Vec<(f64, f64)> {
        if self.by != By::Milestone {
            return Vec::new();
        }
        let steps = self.beats.all().iter().skip(1).map(|beat| beat.at.of(which)).filter(|&step| step > 0);
        let mut gaps: Vec<(f64, f64)> =
            steps.map(|step| (self.arrival(which, step), self.point(which, step))).collect();
        gaps.retain(|gap| gap.1 > gap.0);
        gaps.dedup();
        gaps
    }

    /// Steps that a side has made at a place.
    pub fn step_at(&self, which: Which, place: f64) -> u32 {
        let place = place.clamp(0.0, self.end());
        match (self.by, &self.clocks) {
            (By::Time, Some(clocks)) => clocks[which as usize].step_at(place.round() as u64),
            (By::Step, _) => (place.round() as u32).min(self.beats.ends().of(which)),
            _ => self.beats.at_clock(place.round() as u32).of(which),
        }
    }

    /// Steps that both have made at a place.
    pub fn pair_at(&self, place: f64) -> Pair {
        Pair::new(self.step_at(Which::Old, place), self.step_at(Which::New, place))
    }

    /// The milestones that both pass, without start and end.
    pub fn beats(&self) -> &Beats {
        &self.beats
    }
}
