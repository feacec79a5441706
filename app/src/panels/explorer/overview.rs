//! The whole run in small with the part that is shown, and the numbers along the axis.

use web_sys::CanvasRenderingContext2d;

use super::brush::dash;
use super::colours::Colours;
use super::paint::Frame;
use crate::lanes::explorer::Explorer;
use crate::lanes::ticks::ticks;
use crate::lanes::window::Window;
use crate::link::Which;

/// Height of the whole run.
pub const RUN: f64 = 42.0;
/// Height of one side in it, and where each begins.
const SIDE: f64 = 15.0;
const TOPS: [f64; 2] = [4.0, 23.0];
/// The middle of the numbers.
const NUMBERS: f64 = 55.0;
/// Height of everything.
pub const HEIGHT: f64 = 66.0;

/// Draws both.
pub fn overview(context: &CanvasRenderingContext2d, explorer: &Explorer, frame: &Frame, colours: &Colours) {
    let window = &explorer.window;
    context.set_global_alpha(1.0);
    context.set_fill_style_str(&colours.paper);
    context.fill_rect(0.0, 0.0, frame.size.0, HEIGHT);
    let whole = window.fit();
    Which::BOTH.into_iter().for_each(|which| side(context, explorer, &whole, which, colours));
    for which in Which::BOTH {
        let x = whole.x(explorer.axis.moment(frame.at)[which as usize]);
        for (colour, width) in [(&colours.case, 4.0), (&colours.now, 2.6)] {
            context.set_fill_style_str(colour);
            context.fill_rect(x - width / 2.0, TOPS[which as usize] - 2.0, width, SIDE + 4.0);
        }
    }
    part(context, &whole, window, colours);
    numbers(context, explorer, colours);
}

fn side(context: &CanvasRenderingContext2d, explorer: &Explorer, whole: &Window, which: Which, colours: &Colours) {
    let top = TOPS[which as usize];
    let end = explorer.axis.point(which, explorer.sides[which as usize].steps);
    context.set_fill_style_str(&colours.rib);
    context.fill_rect(0.0, top, whole.x(end), SIDE);
    let [held, waits] = &explorer.overview[which as usize];
    // As high as the share of the time.
    context.set_fill_style_str(&colours.held);
    held.blocks(whole, |block| {
        let h = SIDE * f64::from(block.quarters) / 4.0;
        context.fill_rect(block.x, top + SIDE - h, block.w, h);
    });
    context.set_fill_style_str(&colours.ink);
    waits.blocks(whole, |block| context.fill_rect(block.x, top, block.w.max(1.0), 3.0));
    if let Some(range) = explorer.range {
        let (from, to) = explorer.places(range)[which as usize];
        context.set_fill_style_str(&colours.ink);
        context.fill_rect(whole.x(from), top + SIDE, (whole.x(to) - whole.x(from)).max(1.5), 2.0);
    }
}

/// What is not shown lies under a veil; what is has a frame.
fn part(context: &CanvasRenderingContext2d, whole: &Window, window: &Window, colours: &Colours) {
    let (left, right) = (whole.x(window.from), whole.x(window.to()));
    context.set_global_alpha(0.62);
    context.set_fill_style_str(&colours.paper);
    context.fill_rect(0.0, 0.0, left, RUN);
    context.fill_rect(right, 0.0, (whole.width - right).max(0.0), RUN);
    context.set_global_alpha(1.0);
    context.set_stroke_style_str(&colours.ink);
    context.set_line_width(1.5);
    dash(context, &[]);
    let width = (right - left).max(6.0);
    let left = left.min(whole.width - width);
    context.stroke_rect(left + 0.75, 0.75, width - 1.5, RUN - 1.5);
    // Handles.
    context.set_fill_style_str(&colours.ink);
    for x in [left, left + width - 3.0] {
        context.fill_rect(x, RUN / 2.0 - 8.0, 3.0, 16.0);
    }
}

fn numbers(context: &CanvasRenderingContext2d, explorer: &Explorer, colours: &Colours) {
    let window = &explorer.window;
    context.set_font(&colours.font);
    context.set_text_baseline("middle");
    context.set_fill_style_str(&colours.ink2);
    let mut end = f64::MIN;
    for tick in ticks(&explorer.axis, window, explorer.unit) {
        let width = colours.width(context, &tick.label);
        let x = (tick.x + 3.0).min(window.width - width);
        if tick.x < -1.0 || x < end {
            continue;
        }
        end = x + width + 8.0;
        // Fails for no text.
        let _ = context.fill_text(&tick.label, x, NUMBERS);
        context.fill_rect(tick.x.round(), NUMBERS - 7.0, 1.0, HEIGHT - NUMBERS + 7.0);
    }
}
