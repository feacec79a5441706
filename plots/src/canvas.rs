//! A sheet to draw on: plotters with its SVG backend, in tenths of a unit of the viewBox, because plotters' coordinates
//! are whole numbers and a picture is to be sharp at any size. `finish` divides by ten again.

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::element::{Circle, PathElement, Polygon, Rectangle, Text};
use plotters::prelude::{Cartesian2d, DrawingArea, IntoDrawingArea, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontFamily, FontStyle, FontTransform, ShapeStyle, TextStyle};

use crate::theme::Tone;
use crate::{Frame, PlotError, Size};

/// Units of plotters in a unit of the viewBox.
pub const FINE: f64 = 10.0;
/// plotters draws text of `size` that much smaller.
const TEXT: f64 = 1.24;

/// A place in units of the viewBox.
pub type Place = (f64, f64);

/// Which end of a text is at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Clone, Copy, Debug)]
pub struct Type {
    pub size: f64,
    pub tone: Tone,
    pub bold: bool,
    /// Read from bottom to top.
    pub upright: bool,
}

pub struct Canvas<'a> {
    root: DrawingArea<SVGBackend<'a>, Shift>,
}

fn fine(value: f64) -> i32 {
    (value * FINE).round() as i32
}

fn place((x, y): Place) -> (i32, i32) {
    (fine(x), fine(y))
}

fn failed(error: impl std::fmt::Display) -> PlotError {
    PlotError::Drawing(error.to_string())
}

fn stroke(tone: Tone, width: f64) -> ShapeStyle {
    tone.stand_in().stroke_width(fine(width) as u32)
}

impl<'a> Canvas<'a> {
    /// A sheet that becomes text in `svg` when it is dropped.
    pub fn new(svg: &'a mut String, size: Size) -> Canvas<'a> {
        let (width, height) = place((size.width, size.height));
        Canvas { root: SVGBackend::with_string(svg, (width as u32, height as u32)).into_drawing_area() }
    }

    /// A text with its middle at the height of the place.
    pub fn text(&self, text: &str, at: Place, anchor: Anchor, look: Type) -> Result<(), PlotError> {
        let horizontal = match anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        let weight = if look.bold { FontStyle::Bold } else { FontStyle::Normal };
        let turn = if look.upright { FontTransform::Rotate270 } else { FontTransform::None };
        let color = look.tone.stand_in();
        let style = TextStyle::from((FontFamily::SansSerif, look.size * FINE * TEXT, weight))
            .color(&color)
            .transform(turn)
            .pos(Pos::new(horizontal, VPos::Center));
        self.root.draw(&Text::new(text, place(at), style)).map_err(failed)
    }

    pub fn line(&self, points: &[Place], tone: Tone, width: f64) -> Result<(), PlotError> {
        let points: Vec<_> = points.iter().copied().map(place).collect();
        self.root.draw(&PathElement::new(points, stroke(tone, width))).map_err(failed)
    }

    pub fn polygon(&self, points: &[Place], tone: Tone) -> Result<(), PlotError> {
        let points: Vec<_> = points.iter().copied().map(place).collect();
        self.root.draw(&Polygon::new(points, tone.stand_in().filled())).map_err(failed)
    }

    pub fn rect(&self, from: Place, to: Place, tone: Tone) -> Result<(), PlotError> {
        self.root.draw(&Rectangle::new([place(from), place(to)], tone.stand_in().filled())).map_err(failed)
    }

    pub fn disc(&self, at: Place, radius: f64, tone: Tone) -> Result<(), PlotError> {
        self.root.draw(&Circle::new(place(at), fine(radius), tone.stand_in().filled())).map_err(failed)
    }

    /// The area of the data, with their coordinates.
    pub fn chart(&self, frame: &Frame, (y_min, y_max): (f64, f64)) -> Chart<'a> {
        let scaled = |x: f64| if frame.log { x.log2() } else { x };
        let x = scaled(frame.x_min)..scaled(frame.x_max);
        let across = fine(frame.left)..fine(frame.right);
        let down = fine(frame.bottom)..fine(frame.top);
        let spec = Cartesian2d::new(x, y_min..y_max, (across, down));
        Chart { area: self.root.apply_coord_spec(spec), log: frame.log }
    }
}

/// The area of the data.
pub struct Chart<'a> {
    area: DrawingArea<SVGBackend<'a>, Cartesian2d<RangedCoordf64, RangedCoordf64>>,
    log: bool,
}

impl Chart<'_> {
    fn scaled(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (if self.log { x.log2() } else { x }, y)
    }

    /// Where a value is.
    pub fn place(&self, value: (f64, f64)) -> Place {
        let (x, y) = self.area.map_coordinate(&self.scaled(value));
        (f64::from(x) / FINE, f64::from(y) / FINE)
    }

    pub fn line(&self, values: &[(f64, f64)], tone: Tone, width: f64) -> Result<(), PlotError> {
        let values: Vec<_> = values.iter().map(|value| self.scaled(*value)).collect();
        self.area.draw(&PathElement::new(values, stroke(tone, width))).map_err(failed)
    }
}
