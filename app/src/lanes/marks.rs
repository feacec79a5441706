//! Places that are worth a jump: where the sides first differ, where a rule is broken, where somebody waits for a lock.

use std::ops::Range;

use sim_core::machine::LockClass;

use super::axis::Axis;
use super::window::Window;
use crate::link::{Pair, Which};
use crate::session::Session;
use crate::text::thousands;

/// Why a place is worth a jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// The first step in which the sides do not do the same.
    Differs,
    /// A rule is broken: the run stops here.
    Broken(&'static str),
    /// A task begins to wait for a lock.
    Waits(LockClass),
}

/// One such place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Why.
    pub sort: Sort,
    /// The side that it is on; none for both.
    pub which: Option<Which>,
    /// Steps of both sides there.
    pub at: Pair,
}

/// A button in the band of marks.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Left edge, in pixels.
    pub x: f64,
    /// Where the first of its marks is, in pixels.
    pub tick: f64,
    /// Numbers of the marks in it, in [`Marks::all`].
    pub marks: Range<usize>,
    /// What stands on it.
    pub text: String,
}

/// The places of a pair of runs.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// First what there is one of, then waits by their place on the axis.
    pub all: Vec<Mark>,
    // Where each is on the axis.
    places: Vec<f64>,
    // Numbers of the waits begin here.
    waits: usize,
}

/// Width of a button without its text, and of a letter.
const PADDING: f64 = 30.0;
const LETTER: f64 = 7.2;
/// Between two buttons.
const APART: f64 = 4.0;

impl Mark {
    /// What it is, in words.
    pub fn words(&self) -> String {
        let side = self.which.map_or(String::new(), |which| format!("{}: ", which.name()));
        match self.sort {
            Sort::Differs => "first difference".to_string(),
            Sort::Broken(rule) => format!("{side}broken rule: {rule}"),
            Sort::Waits(class) => format!("{side}wait for {}", class.words()),
        }
    }

    fn place(&self, axis: &Axis) -> f64 {
        axis.moment(self.at)[self.which.unwrap_or_default() as usize]
    }
}

/// All places of two runs.
pub fn marks(session: &Session) -> Vec<Mark> {
    let record = |which: Which, at: u32| session.side(which).track.run.timeline.records().get(at as usize);
    let same = |old: u32, new: u32| match (record(Which::Old, old), record(Which::New, new)) {
        (Some(old), Some(new)) => old.op == new.op,
        _ => false,
    };
    let differs = session.beats.next_difference(Pair::default(), same);
    let mut marks: Vec<Mark> = differs.map(|at| Mark { sort: Sort::Differs, which: None, at }).into_iter().collect();
    for which in Which::BOTH {
        let timeline = &session.side(which).track.run.timeline;
        let partner = |step| session.beats.partner(which, step);
        marks.extend(timeline.violation().map(|violation| Mark {
            sort: Sort::Broken(violation.rule),
            which: Some(which),
            at: partner(violation.step),
        }));
        let waits = timeline.index().waits().iter();
        marks.extend(waits.map(|wait| Mark {
            sort: Sort::Waits(wait.lock.class),
            which: Some(which),
            at: partner(wait.start),
        }));
    }
    marks
}

impl Marks {
    /// The places on an axis.
    pub fn new(mut all: Vec<Mark>, axis: &Axis) -> Marks {
        let waits = |mark: &Mark| matches!(mark.sort, Sort::Waits(_));
        all.sort_by(|a, b| waits(a).cmp(&waits(b)).then(a.place(axis).total_cmp(&b.place(axis))));
        let places = all.iter().map(|mark| mark.place(axis)).collect();
        let waits = all.partition_point(|mark| !waits(mark));
        Marks { all, places, waits }
    }

    /// The buttons of a window, none over another, from left to right. Waits that are closer than their buttons are
    /// wide share one.
    pub fn labels(&self, window: &Window) -> Vec<Label> {
        let mut labels: Vec<Label> = (0..self.waits).filter_map(|at| self.label(at..at + 1, window)).collect();
        let mut at = self.waits + self.places[self.waits..].partition_point(|&place| place < window.from);
        while at < self.places.len() && self.places[at] <= window.to() {
            let widest = window.x(self.places[at]) + width("999 waits") + APART;
            let next = at + self.places[at..].partition_point(|&place| window.x(place) < widest).max(1);
            labels.extend(self.label(at..next, window));
            at = next;
        }
        labels.sort_by(|a, b| a.x.total_cmp(&b.x));
        let mut end = f64::MIN;
        for label in &mut labels {
            label.x = label.x.max(end);
            end = label.x + width(&label.text) + APART;
        }
        // From the right again: what would stand over the edge moves back.
        let mut limit = window.width;
        for label in labels.iter_mut().rev() {
            label.x = label.x.min(limit - width(&label.text)).max(0.0);
            limit = label.x - APART;
        }
        labels
    }

    fn label(&self, marks: Range<usize>, window: &Window) -> Option<Label> {
        let tick = window.x(self.places[marks.start]);
        if tick < -0.5 || tick > window.width + 0.5 {
            return None;
        }
        let text = match (self.all[marks.start].sort, marks.len()) {
            (Sort::Differs, _) => "differ".to_string(),
            (Sort::Broken(_), _) => "broken".to_string(),
            (Sort::Waits(_), 1) => "wait".to_string(),
            (Sort::Waits(_), count) => format!("{} waits", thousands(count as u64)),
        };
        Some(Label { x: tick, tick, marks, text })
    }
}

/// Pixels of a button.
pub fn width(text: &str) -> f64 {
    PADDING + LETTER * text.chars().count() as f64
}
