//! Spans as they are drawn: what is narrower than a pixel is drawn as one block with the share that it covers, found by
//! binary search, so that a row costs as much as it has pixels and not as it has spans.

use super::window::Window;

/// Spans of a row on the axis, by their start, none of which overlap: those that do are one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    from: Vec<f64>,
    to: Vec<f64>,
    /// Number of the first span in each; what follows up to the next is in it too.
    first: Vec<u32>,
    /// How much is covered before each.
    covered: Vec<f64>,
    spans: u32,
}

/// Something to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Left edge, in pixels; at 0 at the least.
    pub x: f64,
    /// Width, in pixels.
    pub w: f64,
    /// Number of the first span in it.
    pub first: u32,
    /// How many spans are in it.
    pub spans: u32,
    /// How much of it is covered: 1 to 4 quarters.
    pub quarters: u8,
}

/// Spans from this width on, in pixels, are drawn by themselves.
const ALONE: f64 = 1.0;

impl Shape {
    /// The shape of spans that are in order of their start.
    pub fn new(spans: impl Iterator<Item = (f64, f64)>) -> Shape {
        let mut shape = Shape::default();
        let mut sum = 0.0;
        for (number, (from, to)) in (0..).zip(spans) {
            shape.spans = number + 1;
            match shape.to.last_mut() {
                // Spans that only touch stay apart.
                Some(last) if from < *last => {
                    sum += (to - *last).max(0.0);
                    *last = last.max(to);
                }
                _ => {
                    shape.from.push(from);
                    shape.to.push(to);
                    shape.first.push(number);
                    shape.covered.push(sum);
                    sum += to - from;
                }
            }
        }
        shape
    }

    /// How much of the axis is covered before a place.
    pub fn covered(&self, place: f64) -> f64 {
        let passed = self.from.partition_point(|&from| from < place);
        let Some(last) = passed.checked_sub(1) else { return 0.0 };
        self.covered[last] + (place.min(self.to[last]) - self.from[last]).max(0.0)
    }

    /// What is drawn of it in a window, from left to right.
    pub fn blocks(&self, window: &Window, mut draw: impl FnMut(Block)) {
        let mut at = self.to.partition_point(|&to| to <= window.from);
        while at < self.from.len() && self.from[at] < window.to() {
            let (left, right) = (window.x(self.from[at]), window.x(self.to[at]));
            if right - left >= ALONE {
                draw(self.block(at, at + 1, left.max(-2.0), right.min(window.width + 2.0), 4));
                at += 1;
                continue;
            }
            // All that begins in this pixel; only the last of them can be wide.
            let pixel = left.max(0.0).floor();
            let edge = window.place(pixel + 1.0);
            let mut next = at + self.from[at..].partition_point(|&from| from < edge).max(1);
            if next - at > 1 && window.x(self.to[next - 1]) - window.x(self.from[next - 1]) >= ALONE {
                next -= 1;
            }
            let share = (self.covered(edge) - self.covered(window.place(pixel))) / (edge - window.place(pixel));
            let quarters = (share * 4.0 - 1e-6).ceil().clamp(1.0, 4.0) as u8;
            draw(self.block(at, next, pixel, pixel + 1.0, quarters));
            at = next;
        }
    }

    fn block(&self, at: usize, next: usize, left: f64, right: f64, quarters: u8) -> Block {
        let end = self.first.get(next).copied().unwrap_or(self.spans);
        Block { x: left, w: right - left, first: self.first[at], spans: end - self.first[at], quarters }
    }

    /// The spans nearest to a place, within a reach: number of the first, and how many.
    pub fn hit(&self, place: f64, reach: f64) -> Option<(u32, u32)> {
        let start = self.to.partition_point(|&to| to < place - reach);
        let end = self.from.partition_point(|&from| from <= place + reach);
        if start >= end {
            return None;
        }
        // What the place is in goes before what is only near.
        let inside = self.from.partition_point(|&from| from <= place).checked_sub(1).filter(|&at| self.to[at] > place);
        let (start, end) = inside.filter(|&at| at >= start && at < end).map_or((start, end), |at| (at, at + 1));
        let block = self.block(start, end, 0.0, 0.0, 4);
        Some((block.first, block.spans))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(spans: &[(f64, f64)], window: &Window) -> Vec<Block> {
        let mut blocks = Vec::new();
        Shape::new(spans.iter().copied()).blocks(window, |block| blocks.push(block));
        blocks
    }

    fn many(count: u32) -> Vec<(f64, f64)> {
        (0..count).map(|i| (f64::from(i) * 4.0, f64::from(i) * 4.0 + 1.0)).collect()
    }

    #[test]
    fn wide_spans_are_where_they_are() {
        let window = Window::new(100.0, 1.0, 200.0);
        let drawn = blocks(&[(0.0, 10.0), (10.0, 20.0), (50.0, 60.0)], &window);
        let places: Vec<_> = drawn.iter().map(|block| (block.x, block.w, block.first, block.spans)).collect();
        assert_eq!(places, [(0.0, 20.0, 0, 1), (20.0, 20.0, 1, 1), (100.0, 20.0, 2, 1)]);
    }

    #[test]
    fn a_row_costs_pixels_and_not_spans() {
        let window = Window::new(400_000.0, 8.0, 1000.0);
        let drawn = blocks(&many(100_000), &window);
        assert!(drawn.len() <= 1001, "{}", drawn.len());
        assert_eq!(drawn.iter().map(|block| block.spans).sum::<u32>(), 100_000, "none is left out");
        assert!(drawn.iter().all(|block| block.quarters == 1), "a quarter of the time");
        assert!(drawn.windows(2).all(|pair| pair[0].x + pair[0].w <= pair[1].x + 1e-6), "none is drawn twice");
    }

    #[test]
    fn zoomed_in_each_span_is_drawn_by_itself() {
        let window = Window::new(400_000.0, 8.0, 1000.0).show(1000.0, 1100.0);
        let drawn = blocks(&many(100_000), &window);
        assert!((25..30).contains(&drawn.len()), "{}", drawn.len());
        assert!(drawn.iter().all(|block| block.spans == 1 && block.quarters == 4));
        assert!(drawn.iter().all(|block| block.x > -5.0 && block.x < 1005.0));
    }

    #[test]
    fn a_wide_span_behind_narrow_ones_keeps_its_width() {
        let window = Window::new(1000.0, 1.0, 1000.0);
        let drawn = blocks(&[(10.1, 10.2), (10.3, 10.4), (10.5, 90.0), (90.2, 90.3)], &window);
        assert_eq!(drawn.iter().map(|block| block.spans).collect::<Vec<_>>(), [2, 1, 1]);
        assert!(drawn[1].w > 79.0 && drawn[1].first == 2);
    }

    #[test]
    fn what_overlaps_is_one() {
        let window = Window::new(100.0, 1.0, 100.0);
        let drawn = blocks(&[(0.0, 40.0), (10.0, 20.0), (30.0, 60.0), (60.0, 70.0)], &window);
        assert_eq!(drawn.iter().map(|block| (block.first, block.spans)).collect::<Vec<_>>(), [(0, 3), (3, 1)]);
        let shape = Shape::new([(0.0, 40.0), (10.0, 20.0), (30.0, 60.0), (80.0, 90.0)].into_iter());
        assert_eq!(
            (shape.covered(-1.0), shape.covered(35.0), shape.covered(70.0), shape.covered(1e9)),
            (0.0, 35.0, 60.0, 70.0)
        );
    }

    #[test]
    fn the_span_under_a_pointer_is_found() {
        let shape = Shape::new([(0.0, 10.0), (10.0, 20.0), (50.0, 60.0), (60.5, 61.0)].into_iter());
        assert_eq!(shape.hit(5.0, 0.5), Some((0, 1)));
        assert_eq!(shape.hit(10.0, 0.5), Some((1, 1)), "what begins there");
        assert_eq!(shape.hit(30.0, 0.5), None);
        assert_eq!(shape.hit(49.8, 0.5), Some((2, 1)), "near enough");
        assert_eq!(shape.hit(60.2, 0.5), Some((2, 2)), "both are as near");
        assert_eq!(Shape::default().hit(0.0, 10.0), None);
    }
}
