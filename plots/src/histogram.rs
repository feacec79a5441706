//! Histograms: how often values fell between two bounds, on both sides.

use crate::axis::{Axis, Scale};
use crate::canvas::{Canvas, Chart};
use crate::layout::{self, Across, Layout, Parts};
use crate::legend::{self, Entry, Sample};
use crate::lines::{HUGE, left_out_note, limited, rounded, span, widened};
use crate::table::exact;
use crate::theme::Tone;
use crate::{Frame, Plot, PlotError, Side, Size, Theme};

/// Counts of both sides in the same bins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    /// Title.
    pub title: String,
    /// What was put into bins.
    pub x: Axis,
    /// What the counts are: "Holds".
    pub y: Axis,
    /// Scale of x. A logarithm leaves out bins that begin at 0 or below.
    pub scale: Scale,
    /// Bounds of the bins, ascending; one more than bins.
    pub edges: Vec<f64>,
    /// Counts of the old side and of the new one, one for each bin. What is missing is 0.
    pub counts: [Vec<f64>; 2],
    /// Names of the sides in the legend.
    pub names: [String; 2],
}

/// A bin that can be drawn.
#[derive(Clone, Copy)]
struct Bin {
    from: f64,
    to: f64,
    counts: [f64; 2],
}

/// No bin is narrower, in units of the viewBox.
const NARROWEST: f64 = 5.0;

impl Histogram {
    /// Bounds such that each whole number from `first` to `last` is in the middle of a bin of its own: for batch sizes.
    pub fn edges_of_numbers(first: u32, last: u32) -> Vec<f64> {
        (first..=last.saturating_add(1)).map(|number| f64::from(number) - 0.5).collect()
    }

    fn raw(&self) -> impl Iterator<Item = Bin> {
        self.edges.windows(2).enumerate().map(|(i, edge)| {
            let count = |side: Side| self.counts[side as usize].get(i).copied().unwrap_or(0.0);
            Bin { from: edge[0], to: edge[1], counts: Side::BOTH.map(count) }
        })
    }

    /// Bins that can be drawn, and how many cannot.
    fn bins(&self) -> (Vec<Bin>, usize) {
        let on_axis = |bin: &Bin| {
            let bounds = bin.from.is_finite() && bin.to.is_finite() && bin.from < bin.to;
            bounds
                && bin.counts.iter().all(|count| count.is_finite())
                && (self.scale == Scale::Linear || bin.from > 0.0)
        };
        let limited = |bin: Bin| Bin {
            from: limited(bin.from, self.scale),
            to: limited(bin.to, self.scale),
            counts: bin.counts.map(|count| limited(count, Scale::Linear)),
        };
        let mut bins: Vec<Bin> = self.raw().filter(on_axis).map(limited).collect();
        let left_out = self.edges.len().saturating_sub(1) - bins.len();
        bins.sort_by(|a, b| a.from.total_cmp(&b.from));
        (bins, left_out)
    }

    /// Neighbouring bins as one where they would be too narrow to be seen, and how many went into one.
    fn seen(bins: Vec<Bin>, frame: &Frame) -> (Vec<Bin>, usize) {
        let most = (((frame.right - frame.left) / NARROWEST) as usize).max(1);
        let each = bins.len().div_ceil(most).max(1);
        let join = |bins: &[Bin]| {
            let total = |side: usize| bins.iter().map(|bin| bin.counts[side]).sum::<f64>().clamp(-HUGE, HUGE);
            let to = bins.last().map_or(bins[0].to, |last| last.to);
            Bin { from: bins[0].from, to, counts: [total(0), total(1)] }
        };
        (bins.chunks(each).map(join).collect(), each)
    }

    fn parts(&self, bins: &[Bin], each: usize, left_out: usize) -> Parts<'_> {
        let bounds = || bins.iter().flat_map(|bin| [bin.from, bin.to]);
        let (min, max) = widened(span(bounds()), self.scale);
        let range = span(bins.iter().flat_map(|bin| bin.counts)).map(|range| rounded(range, true));
        let entry =
            |side: Side| Entry::new(Sample::Bar(Tone::Fill(side), Tone::Mark(side)), &self.names[side as usize]);
        let mut notes = left_out_note(left_out, self.scale);
        if each > 1 {
            notes.push(format!("Each bar is {each} bins together."));
        }
        Parts {
            title: &self.title,
            description: self.describe(bins),
            legend: Side::BOTH.map(entry).into(),
            y: &self.y,
            across: Across::Values { axis: &self.x, min, max, scale: self.scale },
            range,
            notes,
        }
    }

    fn describe(&self, bins: &[Bin]) -> String {
        let mut text = format!("{} by {}.", self.y.heading(), self.x.heading());
        for side in Side::BOTH {
            let name = &self.names[side as usize];
            let count = |bin: &Bin| bin.counts[side as usize];
            let total: f64 = bins.iter().map(count).sum();
            let most = bins.iter().max_by(|a, b| count(a).total_cmp(&count(b)));
            match most.filter(|bin| count(bin) > 0.0) {
                Some(bin) => {
                    let [from, to] = [bin.from, bin.to].map(|x| self.x.unit.say(x));
                    let [total, most] = [total, count(bin)].map(|y| self.y.unit.say(y));
                    text += &format!(" {name}: {total} in all, most of them ({most}) between {from} and {to}.");
                }
                None => text += &format!(" {name}: none."),
            }
        }
        text
    }

    /// The bins as a picture of that size has them.
    fn prepared(&self, size: Size) -> Result<(Vec<Bin>, Parts<'_>), PlotError> {
        let (bins, left_out) = self.bins();
        let frame = Layout::new(&self.parts(&bins, 1, left_out), size)?.frame;
        let (bins, each) = Self::seen(bins, &frame);
        let parts = self.parts(&bins, each, left_out);
        Ok((bins, parts))
    }
}

/// Draws each bin as two bars, the old one at the left.
fn data(bins: &[Bin], canvas: &Canvas, chart: &Chart) -> Result<(), PlotError> {
    for bin in bins {
        let (left, base) = chart.place((bin.from, 0.0));
        let (right, _) = chart.place((bin.to, 0.0));
        let margin = ((right - left) * 0.08).min(4.0);
        let middle = (left + right) / 2.0;
        for (side, from, to) in
            [(Side::Old, left + margin, middle - margin / 4.0), (Side::New, middle + margin / 4.0, right - margin)]
        {
            let count = bin.counts[side as usize];
            if count != 0.0 {
                let (_, y) = chart.place((bin.from, count));
                // What is there is to be seen, however little it is.
                let y = if (y - base).abs() < 1.5 { base - 1.5f64.copysign(count) } else { y };
                legend::bar(canvas, (from, y), (to, base), Tone::Fill(side), Tone::Mark(side))?;
            }
        }
    }
    Ok(())
}

impl Plot for Histogram {
    fn draw(&self, size: Size, theme: Theme) -> Result<String, PlotError> {
        let (bins, parts) = self.prepared(size)?;
        layout::draw(&parts, size, theme, |canvas, chart, _| data(&bins, canvas, chart))
    }

    fn frame(&self, size: Size) -> Result<Frame, PlotError> {
        Ok(Layout::new(&self.prepared(size)?.1, size)?.frame)
    }

    /// A row for each bin.
    fn to_table(&self) -> Vec<Vec<String>> {
        let unit = Axis::new("", self.x.unit.clone()).column();
        let [old, new] = &self.names;
        let bound = |word: &str| format!("{}{unit}, {word}", self.x.label);
        let heading = |name: &String| format!("{name}, {}", self.y.column());
        let mut table = vec![vec![bound("from"), bound("to"), heading(old), heading(new)]];
        let row = |bin: Bin| [bin.from, bin.to, bin.counts[0], bin.counts[1]].map(exact).to_vec();
        table.extend(self.raw().map(row));
        table
    }
}
