//! Where everything but the data is: title, legend, labels of the axes, notes. What is left is the frame of the data.

use crate::axis::{Axis, Scale};
use crate::canvas::{Anchor, Canvas, Chart, Place, Type};
use crate::finish::{Words, finish};
use crate::legend::{self, Entry, Placed};
use crate::measure::{bold_width, clean, shorten, width, wrap};
use crate::theme::Tone;
use crate::tick::{self, Tick};
use crate::{Frame, PlotError, Size, Theme};

/// What the x axis is.
pub enum Across<'p> {
    /// Numbers from the least to the most.
    Values { axis: &'p Axis, min: f64, max: f64, scale: Scale },
    /// Groups side by side, each one unit wide.
    Groups { heading: &'p str, names: Vec<String> },
}

/// What a plot says.
pub struct Parts<'p> {
    pub title: &'p str,
    /// For those who do not see the picture.
    pub description: String,
    pub legend: Vec<Entry>,
    pub y: &'p Axis,
    pub across: Across<'p>,
    /// Least and most; `None` when there is nothing to show.
    pub range: Option<(f64, f64)>,
    /// What is left out, and the like.
    pub notes: Vec<String>,
}

/// A label below the frame.
struct Below {
    /// Where the tick is; none between groups.
    tick: Option<f64>,
    at: f64,
    lines: Vec<String>,
    upright: bool,
}

/// Everything with its place.
pub struct Layout {
    size: Size,
    pub frame: Frame,
    pub range: (f64, f64),
    title: Vec<String>,
    legend: Vec<Placed>,
    legend_top: f64,
    y_heading: String,
    y_ticks: Vec<Tick>,
    below: Vec<Below>,
    below_height: f64,
    x_heading: Vec<String>,
    notes: Vec<String>,
    empty: bool,
}

const PAD: f64 = 8.0;
/// Least width and height of the frame.
const LEAST: (f64, f64) = (96.0, 56.0);

impl Size {
    fn title_font(self) -> f64 {
        (self.font * 1.15).round()
    }

    /// Height of a line of text.
    fn line(self) -> f64 {
        (self.font * 1.35).round()
    }
}

impl Layout {
    pub fn new(parts: &Parts, size: Size) -> Result<Layout, PlotError> {
        let size = size.checked()?;
        let room = (size.width - 2.0 * PAD).max(1.0);
        let line = size.line();
        let title = wrap(&clean(parts.title), room, 3, |text| bold_width(text, size.title_font()));
        let (legend, rows) = legend::place(&parts.legend, room, size.font);
        let legend_top = PAD + title.len() as f64 * (size.title_font() * 1.3).round() + 2.0;
        let y_heading = shorten(clean(&parts.y.heading()), room, |text| width(text, size.font));
        let top = legend_top + rows as f64 * (line + 2.0) + 4.0 + line + (size.font * 0.7).round();
        let heading = match &parts.across {
            Across::Values { axis, .. } => axis.heading(),
            Across::Groups { heading, .. } => (*heading).to_string(),
        };
        let words = |text: &str, most| wrap(&clean(text), room, most, |text| width(text, size.font));
        let x_heading = words(&heading, 2);
        let notes: Vec<String> = parts.notes.iter().flat_map(|note| words(note, 3)).collect();
        let fixed = PAD + (x_heading.len() + notes.len()) as f64 * line + if notes.is_empty() { 0.0 } else { 4.0 };
        let mut layout = Layout {
            size,
            frame: Frame { left: 0.0, right: 0.0, top, bottom: 0.0, x_min: 0.0, x_max: 1.0, log: false },
            range: (0.0, 1.0),
            title,
            legend,
            legend_top,
            y_heading,
            y_ticks: Vec::new(),
            below: Vec::new(),
            below_height: line + 6.0,
            x_heading,
            notes,
            empty: parts.range.is_none(),
        };
        // Heights of the labels below depend on the width, and widths of those at the left on the height.
        for _ in 0..4 {
            let below_height = layout.below_height;
            layout.fit(parts, fixed)?;
            if layout.below_height <= below_height {
                layout.below_height = below_height;
                break;
            }
        }
        layout.fit_rows(parts, fixed)?;
        Ok(layout)
    }

    /// Sets the frame, and the labels around it.
    fn fit(&mut self, parts: &Parts, fixed: f64) -> Result<(), PlotError> {
        self.fit_rows(parts, fixed)?;
        self.below = match &parts.across {
            _ if self.empty => Vec::new(),
            Across::Values { axis, scale, .. } => self.values(axis, *scale),
            Across::Groups { names, .. } => self.groups(names),
        };
        let em = self.size.font;
        let height = |below: &Below| match below.upright {
            true => below.lines.iter().map(|text| width(text, em)).fold(0.0, f64::max),
            false => below.lines.len() as f64 * self.size.line(),
        };
        self.below_height = self.below.iter().map(height).fold(self.size.line(), f64::max).ceil() + 8.0;
        Ok(())
    }

    fn fit_rows(&mut self, parts: &Parts, fixed: f64) -> Result<(), PlotError> {
        let Size { width: wide, height: high, font } = self.size;
        self.frame.bottom = (high - fixed - self.below_height).round();
        let height = self.frame.bottom - self.frame.top;
        self.vertical(parts, height.max(1.0));
        let labels = self.y_ticks.iter().map(|tick| width(&tick.label, font)).fold(0.0, f64::max);
        self.frame.left = (PAD + labels + 8.0).ceil();
        self.frame.right = wide - PAD - 10.0;
        let left = (self.frame.right - self.frame.left, height);
        if left.0 < LEAST.0 || left.1 < LEAST.1 {
            let whole = |(x, y): (f64, f64)| (x as i32, y as i32);
            return Err(PlotError::TooSmall { left: whole(left), needed: whole(LEAST) });
        }
        let (min, max, log) = match &parts.across {
            Across::Values { min, max, scale, .. } => (*min, *max, *scale == Scale::Log2),
            Across::Groups { names, .. } => (0.0, names.len().max(1) as f64, false),
        };
        (self.frame.x_min, self.frame.x_max, self.frame.log) = (min, max, log);
        Ok(())
    }

    /// Range and labels of y: from one round number to another.
    fn vertical(&mut self, parts: &Parts, height: f64) {
        let Some((min, max)) = parts.range else { return };
        let most = ((height / (self.size.font * 2.4)) as usize).clamp(1, 6);
        let step = tick::step(max - min, min.abs().max(max.abs()), most, &parts.y.unit);
        let (first, last) = ((min / step + 1e-9).floor(), (max / step - 1e-9).ceil());
        self.range = (min.min(first * step), max.max(last * step));
        self.y_ticks = tick::linear(self.range.0, self.range.1, step, &parts.y.unit);
    }

    /// Labels of numbers: as many as there is room for.
    fn values(&self, axis: &Axis, scale: Scale) -> Vec<Below> {
        let Frame { left, right, x_min, x_max, .. } = self.frame;
        // A whole number may be a bin, which should have its label.
        let (em, most) = (self.size.font, if axis.unit.whole() { 16.0 } else { 12.0 });
        let most = ((right - left) / (em * if axis.unit.whole() { 2.5 } else { 3.5 })).clamp(1.0, most) as usize;
        let mut step = tick::step(x_max - x_min, x_min.abs().max(x_max.abs()), most, &axis.unit);
        for stride in 1..64 {
            let ticks = match scale {
                Scale::Linear => tick::linear(x_min, x_max, step, &axis.unit),
                Scale::Log2 => tick::log2(x_min, x_max, stride, &axis.unit),
            };
            let labels: Vec<Below> = ticks.into_iter().map(|tick| self.under(tick)).collect();
            if labels.len() < 2 || !self.overlap(&labels) {
                return labels;
            }
            step = tick::longer(step);
        }
        Vec::new()
    }

    /// A label below its value, moved as far as it takes to keep it in the picture.
    fn under(&self, tick: Tick) -> Below {
        let x = self.frame.view_from_x(tick.value);
        let half = width(&tick.label, self.size.font) / 2.0;
        let at = x.min(self.size.width - half - 2.0).max(half + 2.0);
        Below { tick: Some(x), at, lines: vec![tick.label], upright: false }
    }

    fn overlap(&self, labels: &[Below]) -> bool {
        let em = self.size.font;
        let half = |below: &Below| below.lines.iter().map(|text| width(text, em)).fold(0.0, f64::max) / 2.0;
        labels.windows(2).any(|pair| pair[0].at + half(&pair[0]) + em * 0.6 > pair[1].at - half(&pair[1]))
    }

    /// Names of groups: in up to three lines, or upright; where even that is too close, not each has its name.
    fn groups(&self, names: &[String]) -> Vec<Below> {
        let em = self.size.font;
        let slot = (self.frame.right - self.frame.left) / names.len().max(1) as f64;
        let fits = |name: &String| {
            let lines = wrap(name, slot - em * 0.5, 3, |text| width(text, em));
            !lines.iter().any(|line| line.ends_with('…'))
        };
        let upright = !names.iter().all(fits);
        let stride = if upright { (em * 1.2 / slot).ceil().max(1.0) as usize } else { 1 };
        let (room, most) = match upright {
            true => (em * 8.0, ((slot * stride as f64 / self.size.line()) as usize).clamp(1, 3)),
            false => (slot - em * 0.5, 3),
        };
        let label = |(i, name): (usize, &String)| {
            let lines = wrap(name, room, most, |text| width(text, em));
            Below { tick: None, at: self.frame.left + (i as f64 + 0.5) * slot, lines, upright }
        };
        names.iter().enumerate().step_by(stride).map(label).collect()
    }
}

/// Draws the plot: what `data` draws is in front of the grid.
pub fn draw(
    parts: &Parts,
    size: Size,
    theme: Theme,
    data: impl FnOnce(&Canvas, &Chart, &Layout) -> Result<(), PlotError>,
) -> Result<String, PlotError> {
    let layout = Layout::new(parts, size)?;
    let mut drawn = String::new();
    let canvas = Canvas::new(&mut drawn, layout.size);
    layout.grid(&canvas)?;
    if layout.empty {
        layout.message(&canvas)?;
    } else {
        let chart = canvas.chart(&layout.frame, layout.range);
        data(&canvas, &chart, &layout)?;
        layout.axis(&canvas, &chart)?;
        drop(chart);
    }
    layout.words(&canvas)?;
    drop(canvas);
    let words = Words { title: parts.title, description: &parts.description };
    Ok(finish(&drawn, layout.size, theme, &words))
}

impl Layout {
    fn look(&self, tone: Tone) -> Type {
        Type { size: self.size.font, tone, bold: false, upright: false }
    }

    fn grid(&self, canvas: &Canvas) -> Result<(), PlotError> {
        let Frame { left, right, top, bottom, .. } = self.frame;
        let chart = canvas.chart(&self.frame, self.range);
        for tick in &self.y_ticks {
            let y = crisp(chart.place((self.frame.x_min, tick.value)).1);
            canvas.line(&[(left, y), (right, y)], Tone::Grid, 1.0)?;
            canvas.text(&tick.label, (left - 8.0, y), Anchor::End, self.look(Tone::Quiet))?;
        }
        for x in self.below.iter().filter_map(|below| below.tick).map(crisp) {
            canvas.line(&[(x, top), (x, bottom)], Tone::Grid, 1.0)?;
        }
        Ok(())
    }

    /// The line of nothing, or the lower edge, with its ticks.
    fn axis(&self, canvas: &Canvas, chart: &Chart) -> Result<(), PlotError> {
        let zero = 0f64.clamp(self.range.0, self.range.1);
        let y = crisp(chart.place((self.frame.x_min, zero)).1);
        canvas.line(&[(self.frame.left, y), (self.frame.right, y)], Tone::Axis, 1.0)?;
        for x in self.below.iter().filter_map(|below| below.tick).map(crisp) {
            canvas.line(&[(x, self.frame.bottom), (x, self.frame.bottom + 5.0)], Tone::Axis, 1.0)?;
        }
        Ok(())
    }

    fn message(&self, canvas: &Canvas) -> Result<(), PlotError> {
        let Frame { right, top, bottom, .. } = self.frame;
        let (left, right) = (PAD, right);
        for y in [top, bottom].map(crisp) {
            canvas.line(&[(left, y), (right, y)], Tone::Grid, 1.0)?;
        }
        let middle: Place = ((left + right) / 2.0, (top + bottom) / 2.0);
        canvas.text(NOTHING, middle, Anchor::Middle, self.look(Tone::Quiet))
    }

    fn words(&self, canvas: &Canvas) -> Result<(), PlotError> {
        let line = self.size.line();
        let title = Type { size: self.size.title_font(), bold: true, ..self.look(Tone::Text) };
        for (text, y) in rows(&self.title, PAD, (title.size * 1.3).round()) {
            canvas.text(text, (PAD, y), Anchor::Start, title)?;
        }
        for (entry, x, row) in &self.legend {
            let y = self.legend_top + (*row as f64 + 0.5) * (line + 2.0);
            legend::draw(canvas, entry, (PAD + x, y), self.size.font)?;
        }
        let y = self.frame.top - (self.size.font * 0.7).round() - line / 2.0;
        self.text(canvas, &self.y_heading, (PAD, y), Anchor::Start)?;
        for below in &self.below {
            self.label(canvas, below)?;
        }
        let mut y = self.frame.bottom + self.below_height;
        let middle = (self.frame.left + self.frame.right) / 2.0;
        for (text, y) in rows(&self.x_heading, y, line) {
            // In the middle of the frame, or of the picture where there is no room for that.
            let half = width(text, self.size.font) / 2.0;
            let at = middle.min(self.size.width - PAD - half).max(half + PAD);
            self.text(canvas, text, (at, y), Anchor::Middle)?;
        }
        y += self.x_heading.len() as f64 * line + 4.0;
        for (text, y) in rows(&self.notes, y, line) {
            self.text(canvas, text, (PAD, y), Anchor::Start)?;
        }
        Ok(())
    }

    fn text(&self, canvas: &Canvas, text: &str, at: Place, anchor: Anchor) -> Result<(), PlotError> {
        if text.is_empty() { Ok(()) } else { canvas.text(text, at, anchor, self.look(Tone::Quiet)) }
    }

    fn label(&self, canvas: &Canvas, below: &Below) -> Result<(), PlotError> {
        let top = self.frame.bottom + 6.0;
        if below.upright {
            let look = Type { upright: true, ..self.look(Tone::Quiet) };
            let line = self.size.line();
            let left = below.at - below.lines.len() as f64 / 2.0 * line;
            let mut lines = rows(&below.lines, left, line);
            return lines.try_for_each(|(text, x)| canvas.text(text, (x, top), Anchor::End, look));
        }
        for (text, y) in rows(&below.lines, top, self.size.line()) {
            self.text(canvas, text, (below.at, y), Anchor::Middle)?;
        }
        Ok(())
    }
}

/// What stands where there is nothing to draw.
const NOTHING: &str = "No data to show";

fn rows(lines: &[String], top: f64, line: f64) -> impl Iterator<Item = (&String, f64)> {
    lines.iter().enumerate().map(move |(i, text)| (text, top + (i as f64 + 0.5) * line))
}

/// The middle of a pixel, where a line one pixel wide is sharp.
fn crisp(at: f64) -> f64 {
    at.floor() + 0.5
}
