//! Plain data as pictures: lines over a run, histograms, and published values beside modelled ones.
//!
//! A plot goes in as a plain struct and comes out as an SVG text, as a table for those who do not see the picture, and
//! as CSV. The crate knows nothing of kernels or of the page. Coordinates and shapes are plotters' work; where text
//! goes is decided in `layout` from its own estimate of widths, so that a plot is the same text natively and in a
//! browser.
//!
//! ```
//! use plots::{Axis, Interpolation, Lines, Plot, Series, Side, Size, Theme, Unit};
//!
//! let plot = Lines {
//!     title: "Pages on the unevictable list".into(),
//!     x: Axis::new("Step", Unit::Plain),
//!     y: Axis::new("List length", Unit::Count("pages".into())),
//!     interpolation: Interpolation::Step,
//!     series: vec![
//!         Series::new(Side::Old, "old", vec![(0.0, 56.0), (38.0, 55.0)]),
//!         Series::new(Side::New, "new", vec![(0.0, 56.0), (311.0, 42.0)]),
//!     ],
//!     ..Lines::default()
//! };
//! let size = Size::new(720.0, 320.0);
//! let svg = plot.draw(size, Theme::Light)?;
//! assert!(svg.starts_with("<svg"));
//! let frame = plot.frame(size)?;
//! assert!((frame.x_from_view(frame.view_from_x(38.0)) - 38.0).abs() < 1e-9);
//! # Ok::<(), plots::PlotError>(())
//! ```

mod axis;
mod bars;
mod canvas;
mod finish;
mod frame;
mod histogram;
mod layout;
mod legend;
mod lines;
mod measure;
mod table;
mod theme;
mod thin;
mod tick;

pub use axis::{Axis, Scale, Unit};
pub use bars::{Bar, Bars, Group};
pub use frame::Frame;
pub use histogram::Histogram;
pub use lines::{Interpolation, Lines, Series};
pub use table::csv;
pub use theme::Theme;

use std::fmt;

/// Which of the two that are compared. Hollow is old, solid is new.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// Before the patches.
    #[default]
    Old,
    /// With them.
    New,
}

impl Side {
    /// Both, the old one first.
    pub const BOTH: [Side; 2] = [Side::Old, Side::New];
}

/// Measures of a picture, in units of its viewBox: CSS pixels when it is shown at 100 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// Height of the smallest text. Less than [`Size::LEAST_FONT`] is taken as that.
    pub font: f64,
}

impl Size {
    /// No text is smaller.
    pub const LEAST_FONT: f64 = 14.0;
    /// No picture is wider or higher.
    pub const MOST: f64 = 16_384.0;

    /// A picture with the smallest text.
    pub const fn new(width: f64, height: f64) -> Size {
        Size { width, height, font: Size::LEAST_FONT }
    }

    /// The same in whole units, or what is wrong with it.
    fn checked(self) -> Result<Size, PlotError> {
        let measures = [self.width, self.height, self.font];
        if measures.iter().any(|measure| !measure.is_finite() || !(1.0..=Size::MOST).contains(measure)) {
            return Err(PlotError::Measure);
        }
        let font = self.font.max(Size::LEAST_FONT).round();
        Ok(Size { width: self.width.round(), height: self.height.round(), font })
    }
}

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq)]
pub enum PlotError {
    /// A measure is not a number, or is out of all proportion.
    Measure,
    /// Title, legend and labels leave no room for the data.
    TooSmall {
        /// Width and height that are left, in units of the viewBox.
        left: (i32, i32),
        /// Width and height that are needed.
        needed: (i32, i32),
    },
    /// The drawing itself failed; the text says how.
    Drawing(String),
}

impl fmt::Display for PlotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlotError::Measure => write!(f, "width, height and font must be from 1 to {}", Size::MOST),
            PlotError::TooSmall { left, needed } => write!(
                f,
                "the labels leave {} by {} for the data, which needs {} by {}: make the picture larger",
                left.0, left.1, needed.0, needed.1
            ),
            PlotError::Drawing(error) => write!(f, "the plot cannot be drawn: {error}"),
        }
    }
}

impl std::error::Error for PlotError {}

/// What every plot can do.
pub trait Plot {
    /// The picture as an SVG text that needs nothing else. Data that cannot be shown are named in the picture; no data
    /// at all is a picture that says so.
    ///
    /// # Errors
    /// [`PlotError::Measure`] and [`PlotError::TooSmall`] where `size` allows no picture.
    fn draw(&self, size: Size, theme: Theme) -> Result<String, PlotError>;

    /// Where the data are in the picture of that size, for a cursor and for clicks.
    ///
    /// # Errors
    /// The same as for [`Plot::draw`].
    fn frame(&self, size: Size) -> Result<Frame, PlotError>;

    /// The numbers, exactly: a row of headings, then the rows.
    fn to_table(&self) -> Vec<Vec<String>>;

    /// The table as RFC 4180 has it.
    fn to_csv(&self) -> String {
        csv(&self.to_table())
    }
}
