//! Where the data are in a picture.

/// The area of the data in units of the viewBox, and the values of x at its left and right edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Left edge.
    pub left: f64,
    /// Right edge.
    pub right: f64,
    /// Upper edge.
    pub top: f64,
    /// Lower edge.
    pub bottom: f64,
    /// Value at the left edge.
    pub x_min: f64,
    /// Value at the right edge.
    pub x_max: f64,
    /// Whether equal distances are equal ratios.
    pub log: bool,
}

impl Frame {
    /// Place of a value; a value out of the range is at the nearer edge, and what is no number at the left one.
    pub fn view_from_x(&self, x: f64) -> f64 {
        let (min, max) = (self.scaled(self.x_min), self.scaled(self.x_max));
        let share = (self.scaled(x) - min) / (max - min);
        let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
        self.left + share * (self.right - self.left)
    }

    /// Value at a place; a place outside has the value of the nearer edge.
    pub fn x_from_view(&self, view: f64) -> f64 {
        let share = (view - self.left) / (self.right - self.left);
        let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
        let (min, max) = (self.scaled(self.x_min), self.scaled(self.x_max));
        let scaled = min + share * (max - min);
        let x = if self.log { scaled.exp2() } else { scaled };
        x.clamp(self.x_min, self.x_max)
    }

    fn scaled(&self, x: f64) -> f64 {
        if self.log { x.log2() } else { x }
    }
}
