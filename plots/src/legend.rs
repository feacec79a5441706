//! The legend: a sample of each look and its name, in as many rows as it needs. And the markers, which it shares with
//! lines.

use crate::canvas::{Anchor, Canvas, Place, Type};
use crate::measure::{clean, shorten, width};
use crate::theme::Tone;
use crate::{PlotError, Side};

/// What a sample shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sample {
    /// The nth line of a side, with its marker.
    Line(Side, usize),
    /// Bars: their fill and outline.
    Bar(Tone, Tone),
    /// An error bar.
    Error,
    /// The mark of a value that was fitted.
    Fitted,
}

impl Sample {
    fn usual_name(self) -> &'static str {
        match self {
            Sample::Line(Side::Old, _) | Sample::Bar(Tone::Fill(Side::Old), _) => "old",
            Sample::Line(Side::New, _) | Sample::Bar(Tone::Fill(Side::New), _) => "new",
            Sample::Bar(Tone::Published, _) => "published",
            Sample::Bar(..) => "modelled",
            Sample::Error => "least and most",
            Sample::Fitted => "fitted: agrees by construction",
        }
    }
}

/// A row's part of the legend.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub sample: Sample,
    pub name: String,
}

impl Entry {
    /// An entry; the legend names each look, if need be by what it is.
    pub fn new(sample: Sample, name: &str) -> Entry {
        let name = Some(clean(name)).filter(|name| !name.is_empty());
        Entry { sample, name: name.unwrap_or_else(|| sample.usual_name().into()) }
    }

    fn sample_width(&self) -> f64 {
        match self.sample {
            Sample::Line(..) => 36.0,
            Sample::Bar(..) => 22.0,
            Sample::Error | Sample::Fitted => 12.0,
        }
    }
}

const GAP: f64 = 7.0;
const BETWEEN: f64 = 20.0;

/// An entry with the left edge and the row that it has.
pub type Placed = (Entry, f64, usize);

/// Entries in rows of at most `room`, and how many rows that makes.
pub fn place(entries: &[Entry], room: f64, font: f64) -> (Vec<Placed>, usize) {
    let (mut x, mut row) = (0.0, 0);
    let mut placed = Vec::new();
    for entry in entries {
        let left = (room - entry.sample_width() - GAP).max(font);
        let name = shorten(entry.name.clone(), left, |text| width(text, font));
        let wide = entry.sample_width() + GAP + width(&name, font);
        if x > 0.0 && x + wide > room {
            (x, row) = (0.0, row + 1);
        }
        placed.push((Entry { sample: entry.sample, name }, x, row));
        x += wide + BETWEEN;
    }
    let rows = if placed.is_empty() { 0 } else { row + 1 };
    (placed, rows)
}

/// Draws an entry with its left edge and middle there.
pub fn draw(canvas: &Canvas, entry: &Entry, (x, y): Place, font: f64) -> Result<(), PlotError> {
    let wide = entry.sample_width();
    let middle = (x + wide / 2.0, y);
    match entry.sample {
        Sample::Line(side, nth) => {
            canvas.line(&[(x, y), (x + wide, y)], Tone::line(side, nth), LINE)?;
            marker(canvas, middle, side, nth)?;
        }
        Sample::Bar(fill, edge) => bar(canvas, (x, y - 6.5), (x + wide, y + 6.5), fill, edge)?,
        Sample::Error => error(canvas, middle.0, y - 7.0, y + 7.0, Tone::Text)?,
        Sample::Fitted => diamond(canvas, middle)?,
    }
    let look = Type { size: font, tone: Tone::Text, bold: false, upright: false };
    canvas.text(&entry.name, (x + wide + GAP, y), Anchor::Start, look)
}

/// Width of a line.
pub const LINE: f64 = 2.0;

/// A marker: hollow is old, solid is new; the shape tells lines of one side apart.
pub fn marker(canvas: &Canvas, at: Place, side: Side, nth: usize) -> Result<(), PlotError> {
    let color = Tone::Mark(side);
    // A casing in the colour of the ground, so that it stands out from lines that are as thick as it is.
    if nth.is_multiple_of(4) {
        canvas.disc(at, 5.6, Tone::Paper)?;
        canvas.disc(at, 4.5, color)?;
        return if side == Side::Old { canvas.disc(at, 2.7, Tone::Paper) } else { Ok(()) };
    }
    canvas.polygon(&shape(at, 5.6, nth), Tone::Paper)?;
    canvas.polygon(&shape(at, 4.5, nth), color)?;
    if side == Side::Old { canvas.polygon(&shape(at, 2.4, nth), Tone::Paper) } else { Ok(()) }
}

fn shape((x, y): Place, r: f64, nth: usize) -> Vec<Place> {
    match nth % 4 {
        1 => vec![(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)],
        2 => vec![(x, y - r * 1.3), (x + r * 1.2, y + r * 0.9), (x - r * 1.2, y + r * 0.9)],
        _ => vec![(x, y - r * 1.4), (x + r * 1.4, y), (x, y + r * 1.4), (x - r * 1.4, y)],
    }
}

/// The mark of a value that was fitted.
pub fn diamond(canvas: &Canvas, at: Place) -> Result<(), PlotError> {
    canvas.polygon(&shape(at, 4.6, 3), Tone::Text)?;
    canvas.polygon(&shape(at, 2.6, 3), Tone::Paper)
}

/// A filled bar with its outline; `from` and `to` are corners.
pub fn bar(canvas: &Canvas, from: Place, to: Place, fill: Tone, edge: Tone) -> Result<(), PlotError> {
    canvas.rect(from, to, fill)?;
    // Half of the outline's width inside, so that it stays within the bar.
    let half = 0.6f64.min((to.0 - from.0).abs() / 2.0).min((to.1 - from.1).abs() / 2.0);
    let (left, right) = (from.0.min(to.0) + half, from.0.max(to.0) - half);
    let (top, bottom) = (from.1.min(to.1) + half, from.1.max(to.1) - half);
    canvas.line(&[(left, top), (right, top), (right, bottom), (left, bottom), (left, top), (right, top)], edge, 1.2)
}

/// An error bar from one height to the other.
pub fn error(canvas: &Canvas, x: f64, top: f64, bottom: f64, tone: Tone) -> Result<(), PlotError> {
    for (tone, more) in [(Tone::Paper, 2.4), (tone, 0.0)] {
        // A casing in the colour of the ground keeps it visible on a full bar.
        canvas.line(&[(x, top), (x, bottom)], tone, 1.6 + more)?;
        for y in [top, bottom] {
            canvas.line(&[(x - 4.5 - more / 4.0, y), (x + 4.5 + more / 4.0, y)], tone, 1.6 + more)?;
        }
    }
    Ok(())
}
