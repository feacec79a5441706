//! The state of the open timeline: which axis, which part, which rows, what is selected.

use std::rc::Rc;

use sim_core::machine::LockClass;

use super::axis::{Axis, By, Clock};
use super::layout::{Folded, Layout, folded_at_first, layout};
use super::marks::{Mark, Marks, marks};
use super::range::Range;
use super::rows::{Kind, Side};
use super::shape::Shape;
use super::window::Window;
use super::words::{self, Item};
use crate::link::{Pair, Which};
use crate::session::Session;

/// Steps of both runs up to which modelled times are made when the timeline opens, not only when they are asked for.
const TIMED: u32 = 60_000;
/// The least that is shown: steps, or picoseconds.
const LEAST: (f64, f64) = (8.0, 20_000.0);

/// The solid and the dashed spans of each row, by group and row.
pub type Shapes = Vec<Vec<[Shape; 2]>>;

/// The open timeline.
#[derive(Clone, Debug, Default)]
pub struct Explorer {
    /// Rows of both sides.
    pub sides: [Side; 2],
    /// Modelled times, once somebody has asked for them.
    pub clocks: Option<Rc<[Clock; 2]>>,
    /// The axis.
    pub axis: Axis,
    /// What is drawn of each side.
    pub shapes: [Shapes; 2],
    /// Where each side waits for the other.
    pub gaps: [Shape; 2],
    /// Holds of, and waits for, the lock that the series is about: what the whole run shows in small.
    pub overview: [[Shape; 2]; 2],
    /// The part that is shown.
    pub window: Window,
    /// CPUs whose rows are folded.
    pub folded: Folded,
    /// Where the rows are.
    pub layout: Layout,
    /// What is selected.
    pub range: Option<Range>,
    /// Where a selection by keyboard has begun.
    pub begun: Option<Pair>,
    /// Places worth a jump.
    pub marks: Marks,
    /// The lock that the series is about.
    pub lock: Option<LockClass>,
    /// What the run goes through: "page".
    pub unit: &'static str,
}

impl Explorer {
    /// The timeline of what a session shows.
    pub fn new(session: &Session, by: By, width: f64) -> Explorer {
        let sides = Which::BOTH.map(|which| Side::new(&session.side(which).track.run.timeline));
        let folded = folded_at_first(&sides);
        let mut explorer = Explorer {
            layout: layout(&sides, &folded),
            folded,
            lock: Some(session.opening().lock),
            unit: session.opening().unit.1,
            window: Window::new(1.0, 1.0, width),
            ..Explorer::default()
        };
        if sides[0].steps.saturating_add(sides[1].steps) <= TIMED {
            explorer.clocks = Some(clocks(session));
        }
        explorer.sides = sides;
        explorer.put_on(session, by, marks(session));
        explorer
    }

    /// Puts everything on another axis; the same part stays in sight.
    pub fn set_axis(&mut self, session: &Session, by: By) {
        let marks = std::mem::take(&mut self.marks.all);
        self.put_on(session, by, marks);
    }

    /// Its times are those of other prices.
    pub fn is_stale(&self, session: &Session) -> bool {
        self.clocks.as_deref().is_some_and(|clocks| !clocks[0].is_of(&session.timing(Which::Old)))
    }

    /// Other prices are in force: times are made anew.
    pub fn forget_times(&mut self, session: &Session) {
        self.clocks = None;
        self.set_axis(session, self.axis.by());
    }

    fn put_on(&mut self, session: &Session, by: By, marks: Vec<Mark>) {
        if by == By::Time && self.clocks.is_none() {
            self.clocks = Some(clocks(session));
        }
        let axis = Axis::new(by, &session.beats, self.clocks.clone());
        let least = if axis.by() == By::Time { LEAST.1 } else { LEAST.0 };
        let before = &self.axis;
        // By the side that is still under way where the window begins.
        let ended = before.step_at(Which::Old, self.window.from) >= self.sides[0].steps;
        let which = if ended { Which::New } else { Which::Old };
        let map = |place| axis.point(which, before.step_at(which, place));
        self.window = self.window.mapped(axis.end(), least, map);
        self.shapes = Which::BOTH.map(|which| shapes(&self.sides[which as usize], which, &axis));
        self.gaps = Which::BOTH.map(|which| Shape::new(axis.gaps(which).into_iter()));
        self.overview = Which::BOTH.map(|which| [false, true].map(|dashed| self.overview_of(which, dashed, &axis)));
        self.marks = Marks::new(marks, &axis);
        self.axis = axis;
    }

    fn overview_of(&self, which: Which, dashed: bool, axis: &Axis) -> Shape {
        let mut spans: Vec<(f64, f64)> = Vec::new();
        for group in &self.sides[which as usize].groups {
            let shown = |kind: Kind| matches!(kind, Kind::Locks(class) if dashed || Some(class) == self.lock);
            for row in group.rows.iter().filter(|row| shown(row.kind)) {
                let row_spans = if dashed { &row.dashed } else { &row.solid };
                spans.extend(row_spans.iter().map(|&span| axis.span(which, group.cpu, row.kind, dashed, span)));
            }
        }
        spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        Shape::new(spans.into_iter())
    }

    /// Folds the rows of a CPU, or unfolds them.
    pub fn fold(&mut self, which: Which, cpu: u8) {
        if !self.folded.remove(&(which, cpu)) {
            self.folded.insert((which, cpu));
        }
        self.layout = layout(&self.sides, &self.folded);
    }

    /// From where to where a range reaches on the axis, for each side.
    pub fn places(&self, range: Range) -> [(f64, f64); 2] {
        let [from, to] = [range.from, range.to].map(|at| self.axis.moment(at));
        [(from[0], to[0]), (from[1], to[1])]
    }

    /// Selects between two places; nothing where that is no step.
    pub fn select(&mut self, a: f64, b: f64) {
        let range = Range::new(self.axis.pair_at(a), self.axis.pair_at(b));
        self.range = (!range.is_empty()).then_some(range);
        self.begun = None;
    }

    /// Begins, or ends, a selection at a moment. An end that nothing has begun begins at the start.
    pub fn select_by_key(&mut self, at: Pair, begin: bool) {
        let other = match (begin, self.range) {
            (true, Some(range)) => Some(range.to),
            (false, Some(range)) => Some(range.from),
            (true, None) => None,
            (false, None) => Some(self.begun.unwrap_or_default()),
        };
        // A beginning behind the end begins anew.
        let behind = |to: Pair| begin && (to.old < at.old || to.new < at.new);
        match other.filter(|&to| !behind(to)).map(|other| Range::new(other, at)).filter(|range| !range.is_empty()) {
            Some(range) => (self.range, self.begun) = (Some(range), None),
            None => (self.range, self.begun) = (None, begin.then_some(at)),
        }
    }

    /// Shows the selected part alone.
    pub fn zoom_to_range(&mut self) {
        if let Some(range) = self.range {
            let [old, new] = self.places(range);
            self.window = self.window.show(old.0.min(new.0), old.1.max(new.1));
        }
    }

    /// Brings a moment into sight.
    pub fn reveal(&mut self, at: Pair) {
        let places = self.axis.moment(at);
        if places.iter().all(|&place| place < self.window.from || place > self.window.to()) {
            self.window = self.window.reveal(places[0].max(places[1]));
        }
    }

    /// What is under a pointer: in words, with the CPU.
    pub fn under(&self, x: f64, y: f64) -> Option<(Which, u8, Item)> {
        let line = self.layout.at(y)?;
        let side = &self.sides[line.which as usize];
        let row = side.groups.get(line.group)?.rows.get(line.row)?;
        let place = self.window.place(x);
        let reach = self.window.length / self.window.width * 2.0;
        let shapes = &self.shapes[line.which as usize][line.group][line.row];
        let hit =
            [false, true].into_iter().find_map(|dashed| Some((dashed, shapes[usize::from(dashed)].hit(place, reach)?)));
        let (dashed, (first, count)) = hit?;
        let spans = if dashed { &row.dashed } else { &row.solid };
        let clock = self.clocks.as_deref().map(|clocks| &clocks[line.which as usize]);
        let span = *spans.get(first as usize)?;
        let mut item = words::item(side, clock, line.cpu, row.kind, dashed, span);
        if count > 1 {
            item.name = words::several(side, row.kind, dashed, count, span);
            let last = spans.get((first + count - 1) as usize).map_or(span.end, |span| span.end);
            item.extent = format!("steps {}–{}", span.start, last);
        }
        Some((line.which, line.cpu, item))
    }
}

fn clocks(session: &Session) -> Rc<[Clock; 2]> {
    Rc::new(
        Which::BOTH.map(|which| Clock::new(session.timing(which), session.side(which).track.run.timeline.records())),
    )
}

fn shapes(side: &Side, which: Which, axis: &Axis) -> Shapes {
    let of_group = |group: &super::rows::Group| {
        let rows = group.rows.iter().map(|row| {
            [(&row.solid, false), (&row.dashed, true)].map(|(spans, dashed)| {
                Shape::new(spans.iter().map(|&span| axis.span(which, group.cpu, row.kind, dashed, span)))
            })
        });
        rows.collect()
    };
    side.groups.iter().map(of_group).collect()
}
