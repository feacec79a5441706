//! Which part of the axis is shown, at which size.

/// The shown part, in the axis' unit, and how many pixels it has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// First place that is shown.
    pub from: f64,
    /// How much is shown.
    pub length: f64,
    /// The whole axis: from 0 to here.
    pub end: f64,
    /// The least that may be shown.
    pub least: f64,
    /// Pixels across.
    pub width: f64,
}

/// A zoom by one press of a key.
pub const ZOOM: f64 = 1.6;
/// Places that the last step has beside it, in parts of what is shown.
const MARGIN: f64 = 0.02;

impl Default for Window {
    fn default() -> Window {
        Window::new(1.0, 1.0, 1.0)
    }
}

impl Window {
    /// The whole axis.
    pub fn new(end: f64, least: f64, width: f64) -> Window {
        let end = if end.is_finite() && end > 0.0 { end } else { 1.0 };
        Window { from: 0.0, length: end, end, least: least.clamp(0.0, end), width: width.max(1.0) }
    }

    /// The same part at another width.
    pub fn with_width(self, width: f64) -> Window {
        Window { width: if width.is_finite() { width.max(1.0) } else { 1.0 }, ..self }
    }

    /// The last place that is shown.
    pub fn to(&self) -> f64 {
        self.from + self.length
    }

    /// Everything is shown.
    pub fn is_whole(&self) -> bool {
        self.length >= self.end
    }

    /// Pixels from the left edge to a place.
    pub fn x(&self, place: f64) -> f64 {
        (place - self.from) / self.length * self.width
    }

    /// The place at a pixel.
    pub fn place(&self, x: f64) -> f64 {
        self.from + x / self.width * self.length
    }

    /// The place at a pixel, within the axis.
    pub fn place_within(&self, x: f64) -> f64 {
        self.place(x).clamp(0.0, self.end)
    }

    /// So many times as large, with the place at a pixel staying there.
    pub fn zoom(self, by: f64, x: f64) -> Window {
        if !by.is_finite() || by <= 0.0 {
            return self;
        }
        let fixed = self.place(x);
        let length = (self.length / by).clamp(self.least, self.end);
        Window { from: fixed - x / self.width * length, length, ..self }.kept()
    }

    /// Moved by so many pixels to the right.
    pub fn pan(self, pixels: f64) -> Window {
        if !pixels.is_finite() {
            return self;
        }
        Window { from: self.from + pixels / self.width * self.length, ..self }.kept()
    }

    /// The whole axis again.
    pub fn fit(self) -> Window {
        Window { from: 0.0, length: self.end, ..self }
    }

    /// Shows from one place to another, with a margin; what is too short is shown in its middle.
    pub fn show(self, from: f64, to: f64) -> Window {
        let (from, to) = (from.min(to), from.max(to));
        let margin = (to - from) * MARGIN;
        let length = (to - from + 2.0 * margin).clamp(self.least, self.end);
        Window { from: (from + to - length) / 2.0, length, ..self }.kept()
    }

    /// Moved so that its first place is this.
    pub fn moved_to(self, from: f64) -> Window {
        Window { from, ..self }.kept()
    }

    /// Moved as little as brings a place into sight, with some room beside it.
    pub fn reveal(self, place: f64) -> Window {
        let room = self.length * 0.1;
        if place >= self.from && place <= self.to() {
            return self;
        }
        let from = if place < self.from { place - room } else { place + room - self.length };
        Window { from, ..self }.kept()
    }

    /// The same part of another axis: `map` brings places over.
    pub fn mapped(self, end: f64, least: f64, map: impl Fn(f64) -> f64) -> Window {
        let fresh = Window::new(end, least, self.width);
        if self.is_whole() { fresh } else { fresh.bounded(map(self.from), map(self.to())) }
    }

    fn bounded(self, from: f64, to: f64) -> Window {
        let length = (to - from).clamp(self.least, self.end);
        Window { from, length, ..self }.kept()
    }

    // Nothing before the start, nothing behind the end.
    fn kept(self) -> Window {
        let most = (self.end - self.length).max(0.0);
        Window { from: self.from.clamp(0.0, most), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window() -> Window {
        Window::new(1000.0, 8.0, 500.0)
    }

    #[test]
    fn places_and_pixels_are_one_map() {
        let window = window().zoom(4.0, 125.0);
        for x in [0.0, 1.5, 250.0, 500.0] {
            assert!((window.x(window.place(x)) - x).abs() < 1e-9);
        }
        assert_eq!(window.place_within(-1e9), 0.0);
        assert_eq!(window.place_within(1e9), 1000.0);
    }

    #[test]
    fn a_zoom_keeps_the_place_under_the_pointer() {
        let before = window().zoom(2.0, 250.0);
        let at = before.place(100.0);
        let after = before.zoom(3.0, 100.0);
        assert!((after.place(100.0) - at).abs() < 1e-9);
        assert!((after.length - before.length / 3.0).abs() < 1e-9);
    }

    #[test]
    fn there_is_a_largest_and_a_smallest_zoom() {
        assert_eq!(window().zoom(1e12, 0.0).length, 8.0);
        assert_eq!(window().zoom(1e-12, 0.0), window());
        assert_eq!(window().zoom(f64::NAN, 0.0), window());
        assert_eq!(window().zoom(0.0, 0.0), window());
    }

    #[test]
    fn a_pan_stays_within_the_axis() {
        let zoomed = window().zoom(4.0, 0.0);
        assert_eq!(zoomed.pan(-100.0).from, 0.0);
        assert_eq!(zoomed.pan(1e12).to(), 1000.0);
        assert_eq!(zoomed.pan(50.0).from, 25.0);
        assert_eq!(window().pan(100.0), window());
    }

    #[test]
    fn a_part_is_shown_with_a_margin() {
        let shown = window().show(300.0, 200.0);
        assert!(shown.from < 200.0 && shown.to() > 300.0 && shown.length < 110.0);
        let short = window().show(500.0, 500.0);
        assert_eq!((short.from, short.length), (496.0, 8.0));
    }

    #[test]
    fn a_place_out_of_sight_comes_into_sight() {
        let zoomed = window().zoom(10.0, 0.0);
        assert_eq!(zoomed.reveal(50.0), zoomed);
        let later = zoomed.reveal(700.0);
        assert!(later.from < 700.0 && later.to() > 700.0);
        assert_eq!(zoomed.reveal(1000.0).to(), 1000.0);
    }

    #[test]
    fn an_axis_of_nothing_has_a_window() {
        let window = Window::new(0.0, 8.0, 0.0).zoom(3.0, 1.0).pan(4.0);
        assert!(window.from.is_finite() && window.length > 0.0);
    }
}
