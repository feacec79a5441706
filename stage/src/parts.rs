//! The few primitives that shapes are made of, and how numbers are written.

use core::fmt::Write as _;

use crate::geom::Rect;

/// One SVG primitive. A shape gives its parts back to front.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// A rectangle with rounded corners.
    Rect {
        /// CSS class.
        class: &'static str,
        /// Where.
        rect: Rect,
        /// Radius of the corners.
        rx: f32,
    },
    /// A path.
    Path {
        /// CSS class.
        class: &'static str,
        /// The path's data.
        d: String,
    },
    /// A dot.
    Dot {
        /// CSS class.
        class: &'static str,
        /// Centre, to the right.
        cx: f32,
        /// Centre, down.
        cy: f32,
        /// Radius.
        r: f32,
    },
    /// A short text, centred on the point.
    Text {
        /// CSS class; empty for the usual number.
        class: &'static str,
        /// Middle of the text.
        x: f32,
        /// Middle of the capitals.
        y: f32,
        /// What it says.
        text: String,
    },
}

/// A number as SVG takes it: at most two decimals, no trailing zeros.
pub fn number(value: f32) -> String {
    let mut text = String::new();
    write_number(&mut text, value);
    text
}

/// Appends a number as [`number`] writes it.
pub(crate) fn write_number(out: &mut String, value: f32) {
    let hundredths = (value * 100.0).round() as i64;
    if hundredths < 0 {
        out.push('-');
    }
    let (whole, rest) = (hundredths.unsigned_abs() / 100, hundredths.unsigned_abs() % 100);
    // Writing to a string cannot fail.
    let _ = match rest {
        0 => write!(out, "{whole}"),
        r if r % 10 == 0 => write!(out, "{whole}.{}", r / 10),
        r => write!(out, "{whole}.{r:02}"),
    };
}

/// Path data under construction: commands with their numbers.
#[derive(Default)]
pub(crate) struct PathData(String);

impl PathData {
    /// Adds a command and its numbers.
    pub(crate) fn push(mut self, command: char, numbers: &[f32]) -> PathData {
        self.0.push(command);
        for (i, value) in numbers.iter().enumerate() {
            if i > 0 {
                self.0.push(' ');
            }
            write_number(&mut self.0, *value);
        }
        self
    }

    /// The data.
    pub(crate) fn end(self) -> String {
        self.0
    }
}

/// A rectangle whose top right corner is cut off: the sign of a file page.
pub(crate) fn clipped_rect(rect: Rect, rx: f32, cut: f32) -> String {
    let r = rx.min(rect.h / 2.0).min(rect.w / 2.0);
    let (x, y, right, bottom) = (rect.x, rect.y, rect.right(), rect.bottom());
    PathData::default()
        .push('M', &[x + r, y])
        .push('H', &[right - cut])
        .push('L', &[right, y + cut])
        .push('V', &[bottom - r])
        .push('A', &[r, r, 0.0, 0.0, 1.0, right - r, bottom])
        .push('H', &[x + r])
        .push('A', &[r, r, 0.0, 0.0, 1.0, x, bottom - r])
        .push('V', &[y + r])
        .push('A', &[r, r, 0.0, 0.0, 1.0, x + r, y])
        .push('Z', &[])
        .end()
}

/// Diagonal lines inside a rectangle: the sign of a page that is swapped out.
pub(crate) fn hatch(rect: Rect, step: f32) -> String {
    let mut data = PathData::default();
    let mut offset = step;
    while offset < rect.w + rect.h {
        let from = (rect.x + (offset - rect.h).max(0.0), rect.y + offset.min(rect.h));
        let to = (rect.x + offset.min(rect.w), rect.y + (offset - rect.w).max(0.0));
        data = data.push('M', &[from.0, from.1]).push('L', &[to.0, to.1]);
        offset += step;
    }
    data.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let written = [0.0, 1.0, -2.5, 12.345, 100.10, 0.05, -0.001].map(number);
        assert_eq!(written, ["0", "1", "-2.5", "12.35", "100.1", "0.05", "0"]);
    }

    #[test]
    fn hatch_stays_inside() {
        let d = hatch(Rect::new(0.0, 0.0, 20.0, 10.0), 5.0);
        assert_eq!(d, "M0 5L5 0M0 10L10 0M5 10L15 0M10 10L20 0M15 10L20 5");
    }
}
