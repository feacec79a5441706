//! Lines: what changes over a run, or with a parameter.

use std::collections::BTreeMap;

use crate::axis::{Axis, Scale};
use crate::canvas::{Canvas, Chart};
use crate::layout::{self, Across, Layout, Parts};
use crate::legend::{self, Entry, Sample};
use crate::table::exact;
use crate::theme::Tone;
use crate::thin::thin;
use crate::{Frame, Plot, PlotError, Side, Size, Theme};

/// What is between two points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// The value stays until the next point: for counts over a run.
    #[default]
    Step,
    /// A straight line: for measurements at a few places.
    Linear,
}

/// One line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Whose it is.
    pub side: Side,
    /// Its name in the legend, which should name the side.
    pub name: String,
    /// x and y, in any order. A y that is not finite makes a gap.
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// A line.
    pub fn new(side: Side, name: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
        Series { side, name: name.into(), points }
    }
}

/// Lines of both sides in one picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Lines {
    /// Title.
    pub title: String,
    /// What x is.
    pub x: Axis,
    /// What y is.
    pub y: Axis,
    /// What is between two points.
    pub interpolation: Interpolation,
    /// Scale of x. A logarithm leaves out what is not positive.
    pub scale: Scale,
    /// Whether y begins at 0. Otherwise it begins near the least value, which makes small changes large.
    pub from_zero: bool,
    /// The lines; up to four of each side can be told apart.
    pub series: Vec<Series>,
}

impl Default for Lines {
    fn default() -> Lines {
        Lines {
            title: String::new(),
            x: Axis::default(),
            y: Axis::default(),
            interpolation: Interpolation::Step,
            scale: Scale::Linear,
            from_zero: true,
            series: Vec::new(),
        }
    }
}

/// Values beyond that are drawn as that: sums and differences of them are still numbers.
pub(crate) const HUGE: f64 = 1e300;

/// The value, or the limit that it is beyond.
pub(crate) fn limited(value: f64, scale: Scale) -> f64 {
    value.clamp(if scale == Scale::Log2 { HUGE.recip() } else { -HUGE }, HUGE)
}

type Point = (f64, f64);

/// What of a series can be drawn.
struct Drawable<'l> {
    series: &'l Series,
    /// Which of its side's it is.
    nth: usize,
    /// Points without a gap between them, by x.
    runs: Vec<Vec<Point>>,
    /// Points that are not shown.
    left_out: usize,
}

impl Lines {
    fn drawable(&self) -> Vec<Drawable<'_>> {
        let mut counts = [0; 2];
        let drawable = self.series.iter().map(|series| {
            let nth = counts[series.side as usize];
            counts[series.side as usize] += 1;
            let (runs, left_out) = self.runs(&series.points);
            Drawable { series, nth, runs, left_out }
        });
        drawable.collect()
    }

    fn runs(&self, points: &[Point]) -> (Vec<Vec<Point>>, usize) {
        let on_axis = |&&(x, _): &&Point| x.is_finite() && (self.scale == Scale::Linear || x > 0.0);
        let mut sorted: Vec<Point> = points.iter().filter(on_axis).copied().collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let runs: Vec<Vec<Point>> = sorted
            .split(|(_, y)| !y.is_finite())
            .filter(|run| !run.is_empty())
            .map(|run| run.iter().map(|&(x, y)| (limited(x, self.scale), limited(y, Scale::Linear))).collect())
            .collect();
        let shown: usize = runs.iter().map(Vec::len).sum();
        (runs, points.len() - shown)
    }

    fn parts(&self, drawable: &[Drawable]) -> Parts<'_> {
        let points = || drawable.iter().flat_map(|line| line.runs.iter().flatten());
        let (min, max) = widened(span(points().map(|point| point.0)), self.scale);
        let range = span(points().map(|point| point.1)).map(|range| rounded(range, self.from_zero));
        let legend =
            drawable.iter().map(|line| Entry::new(Sample::Line(line.series.side, line.nth), &line.series.name));
        let left_out: usize = drawable.iter().map(|line| line.left_out).sum();
        Parts {
            title: &self.title,
            description: self.describe(drawable),
            legend: legend.collect(),
            y: &self.y,
            across: Across::Values { axis: &self.x, min, max, scale: self.scale },
            range,
            notes: left_out_note(left_out, self.scale),
        }
    }

    fn describe(&self, drawable: &[Drawable]) -> String {
        let mut text = format!("{} by {}.", self.y.heading(), self.x.heading());
        for line in drawable {
            let ys = || line.runs.iter().flatten().map(|point| point.1);
            match (span(ys()), ys().next(), ys().next_back()) {
                (Some((min, max)), Some(first), Some(last)) => {
                    let [min, max, first, last] = [min, max, first, last].map(|y| self.y.unit.say(y));
                    text += &format!(
                        " {}: from {first} to {last}, lowest {min}, highest {max}, {} points.",
                        line.series.name,
                        ys().count()
                    );
                }
                _ => text += &format!(" {}: no data.", line.series.name),
            }
        }
        text
    }

    fn data(&self, drawable: &[Drawable], canvas: &Canvas, chart: &Chart, frame: &Frame) -> Result<(), PlotError> {
        // The new side first: where both are equal, its line shows between the dashes of the old one.
        let ordered = || drawable.iter().rev().filter(|line| line.series.side == Side::New);
        let ordered = || ordered().chain(drawable.iter().rev().filter(|line| line.series.side == Side::Old));
        for line in ordered() {
            for run in &closed(&line.runs, frame) {
                let thinned = thin(run, |(x, _)| frame.view_from_x(x) as i64, |(_, y)| y);
                let width = if run.len() > thinned.len() { 1.4 } else { legend::LINE };
                chart.line(&self.joined(&thinned), Tone::line(line.series.side, line.nth), width)?;
            }
        }
        for (i, line) in ordered().enumerate() {
            let offset = (i as f64 + 0.5) / drawable.len() as f64;
            for point in marked(line, frame, self.interpolation, offset) {
                legend::marker(canvas, chart.place(point), line.series.side, line.nth)?;
            }
        }
        Ok(())
    }

    /// With the corners of the steps.
    fn joined(&self, points: &[Point]) -> Vec<Point> {
        if self.interpolation == Interpolation::Linear {
            return points.to_vec();
        }
        let mut joined = Vec::with_capacity(points.len() * 2);
        for (i, &point) in points.iter().enumerate() {
            if i > 0 && points[i - 1].1 != point.1 {
                joined.push((point.0, points[i - 1].1));
            }
            joined.push(point);
        }
        joined
    }
}

/// Runs with those gaps closed that are narrower than a column: they would not be seen, and there may be very many.
/// What stands alone is left to its marker.
fn closed(runs: &[Vec<Point>], frame: &Frame) -> Vec<Vec<Point>> {
    let column = |point: &Point| frame.view_from_x(point.0) as i64;
    let together = runs.chunk_by(|a, b| a.last().map(column) == b.first().map(column));
    together.map(<[_]>::concat).filter(|run| run.len() > 1).collect()
}

/// Points with markers: all of a few; of many some here and there, and those that stand alone, as far as there is room.
fn marked(line: &Drawable, frame: &Frame, interpolation: Interpolation, offset: f64) -> Vec<Point> {
    let points: Vec<Point> = line.runs.iter().flatten().copied().collect();
    let room = frame.right - frame.left;
    // On a stair of small steps, markers would hide the risers.
    if points.len() as f64 * if interpolation == Interpolation::Step { 56.0 } else { 28.0 } <= room {
        return points;
    }
    let pitch = (room / 5.0).min(160.0);
    let places = (0..64).map(|i| frame.left + (f64::from(i) + offset) * pitch).take_while(|place| *place < frame.right);
    let spread = places.filter_map(|place| {
        let after = points.partition_point(|point| frame.view_from_x(point.0) <= place);
        after.checked_sub(1).map(|at| points[at])
    });
    let alone: Vec<Point> = line.runs.iter().filter(|run| run.len() == 1).map(|run| run[0]).collect();
    let mut marked: Vec<Point> =
        spread.chain(thin(&alone, |(x, _)| frame.view_from_x(x) as i64 / 9, |(_, y)| y)).collect();
    marked.sort_by(|a, b| a.0.total_cmp(&b.0));
    marked.dedup();
    marked
}

/// Least and most.
pub(crate) fn span(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |span, value| match span {
        None => Some((value, value)),
        Some((min, max)) => Some((value.min(min), value.max(max))),
    })
}

/// A range of x in which two values are some way apart.
pub(crate) fn widened(span: Option<(f64, f64)>, scale: Scale) -> (f64, f64) {
    let Some((min, max)) = span else { return if scale == Scale::Log2 { (1.0, 2.0) } else { (0.0, 1.0) } };
    if scale == Scale::Log2 {
        let narrow = max.log2() - min.log2() < 1e-6;
        return if narrow { (min / 2.0, max * 2.0) } else { (min, max) };
    }
    let least = (min.abs().max(max.abs()) * 1e-9).max(1e-290);
    if max - min >= least {
        return (min, max);
    }
    let more = (min.abs().max(max.abs()) * 0.01).max(0.5);
    (min - more, max + more)
}

/// A range of y with 0 in it, or near to the values; never of no height.
pub(crate) fn rounded((min, max): (f64, f64), from_zero: bool) -> (f64, f64) {
    let (low, high) = if from_zero { (min.min(0.0), max.max(0.0)) } else { (min, max) };
    let least = (low.abs().max(high.abs()) * 1e-9).max(1e-290);
    match (high - low >= least, low.abs().max(high.abs()) * 0.05) {
        (true, _) => (low, high),
        (false, more) if more > 1e-280 => (low - more, high + more),
        (false, _) => (0.0, 1.0),
    }
}

/// What is said when points cannot be shown.
pub(crate) fn left_out_note(count: usize, scale: Scale) -> Vec<String> {
    let what = if scale == Scale::Log2 { "no number, or not above 0 on this axis" } else { "no number" };
    match count {
        0 => Vec::new(),
        1 => vec![format!("1 value is left out: {what}.")],
        _ => vec![format!("{count} values are left out: {what}.")],
    }
}

impl Plot for Lines {
    fn draw(&self, size: Size, theme: Theme) -> Result<String, PlotError> {
        let drawable = self.drawable();
        layout::draw(&self.parts(&drawable), size, theme, |canvas, chart, layout| {
            self.data(&drawable, canvas, chart, &layout.frame)
        })
    }

    fn frame(&self, size: Size) -> Result<Frame, PlotError> {
        Ok(Layout::new(&self.parts(&self.drawable()), size)?.frame)
    }

    /// A row for each x. Where a line has several values for one x, there are several rows; where it has none, a field
    /// is empty.
    fn to_table(&self) -> Vec<Vec<String>> {
        let names = self.series.iter().map(|series| series.name.clone());
        let unit = Axis::new("", self.y.unit.clone()).column();
        let names = names.map(|name| format!("{name}, {}{unit}", self.y.label));
        let mut table = vec![std::iter::once(self.x.column()).chain(names).collect()];
        let mut rows: BTreeMap<(Ordered, usize), Vec<Option<f64>>> = BTreeMap::new();
        for (column, series) in self.series.iter().enumerate() {
            let mut seen: BTreeMap<Ordered, usize> = BTreeMap::new();
            for (x, y) in &series.points {
                let nth = seen.entry(Ordered(*x)).or_default();
                rows.entry((Ordered(*x), *nth)).or_insert_with(|| vec![None; self.series.len()])[column] = Some(*y);
                *nth += 1;
            }
        }
        let fields = |y: Option<f64>| y.map(exact).unwrap_or_default();
        table.extend(
            rows.into_iter()
                .map(|((Ordered(x), _), ys)| std::iter::once(exact(x)).chain(ys.into_iter().map(fields)).collect()),
        );
        table
    }
}

/// A number in the total order of IEEE 754.
#[derive(Clone, Copy)]
struct Ordered(f64);

impl Ord for Ordered {
    fn cmp(&self, other: &Ordered) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Ordered) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ordered {
    fn eq(&self, other: &Ordered) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ordered {}
