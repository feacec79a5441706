//! Draws the rows in sight, and what lies over them.

use sim_core::view::FunctionKind;
use web_sys::CanvasRenderingContext2d;

use super::brush::{Brush, Fill};
use super::colours::Colours;
use crate::lanes::explorer::Explorer;
use crate::lanes::layout::{Line, TITLE};
use crate::lanes::rows::{Kind, Side};
use crate::lanes::shape::Block;
use crate::lanes::ticks::joints;
use crate::link::{Pair, Which};

/// What a frame shows beside the runs themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Frame {
    /// Pixels that the rows are scrolled by.
    pub scroll: f64,
    /// Width and height of the canvas, in CSS pixels.
    pub size: (f64, f64),
    /// Steps that both sides have made.
    pub at: Pair,
    /// Where the pointer is.
    pub pointer: Option<f64>,
    /// What is being dragged over, in places of the axis.
    pub dragged: Option<(f64, f64)>,
}

/// Pixels between two lines of milestones.
const JOINTS: f64 = 7.0;
/// Blocks from this width on are set apart from their neighbour, and may have their name.
const APART: f64 = 4.0;

/// Draws the rows.
pub fn rows(context: &CanvasRenderingContext2d, explorer: &Explorer, frame: &Frame, colours: &Colours) {
    let (width, height) = frame.size;
    context.set_global_alpha(1.0);
    context.set_fill_style_str(&colours.paper);
    context.fill_rect(0.0, 0.0, width, height);
    context.set_font(&colours.font);
    context.set_text_baseline("middle");
    gaps(context, explorer, frame, colours);
    milestones(context, explorer, frame, colours);
    let mut brush = Brush::default();
    for line in &explorer.layout.lines {
        let y = line.y - frame.scroll;
        if y + line.h >= 0.0 && y <= height {
            row(&mut brush, context, explorer, line, y, colours);
        }
    }
    brush.flush(context, colours);
    selection(context, explorer, frame, colours);
    playhead(context, explorer, frame, colours);
}

fn gaps(context: &CanvasRenderingContext2d, explorer: &Explorer, frame: &Frame, colours: &Colours) {
    let mut brush = Brush::default();
    for which in Which::BOTH {
        let (top, bottom) = explorer.layout.sides[which as usize];
        explorer.gaps[which as usize].blocks(&explorer.window, |block| {
            // A haze of waits shorter than a pixel says nothing.
            if block.quarters == 4 {
                brush.rect(Fill::Gap, [block.x, top + TITLE - frame.scroll, block.w, bottom - top - TITLE]);
            }
        });
    }
    brush.flush(context, colours);
}

/// A line down through both sides for each milestone, slanted where their clocks are apart.
fn milestones(context: &CanvasRenderingContext2d, explorer: &Explorer, frame: &Frame, colours: &Colours) {
    let [old, new] = explorer.layout.sides;
    let [top, upper, lower, bottom] = [0.0, old.1, new.0 + TITLE - 4.0, new.1].map(|y| y - frame.scroll);
    context.set_stroke_style_str(&colours.rule);
    context.set_line_width(1.0);
    context.begin_path();
    for joint in joints(&explorer.axis, &explorer.window, JOINTS) {
        let [x0, x1] = joint.x.map(|x| x.round() + 0.5);
        context.move_to(x0, top);
        context.line_to(x0, upper);
        context.line_to(x1, lower);
        context.line_to(x1, bottom);
    }
    context.stroke();
}

fn row(
    brush: &mut Brush,
    context: &CanvasRenderingContext2d,
    explorer: &Explorer,
    line: &Line,
    y: f64,
    colours: &Colours,
) {
    let [solid, dashed] = &explorer.shapes[line.which as usize][line.group][line.row];
    let side = &explorer.sides[line.which as usize];
    let spans = &side.groups[line.group].rows[line.row].solid;
    match line.kind {
        Kind::Functions(_) => solid.blocks(&explorer.window, |block| {
            let Some(function) =
                spans.get(block.first as usize).and_then(|span| side.functions.get(span.what as usize))
            else {
                return;
            };
            let tone = tone(function.kind);
            let w = if block.w >= APART { block.w - 1.0 } else { block.w };
            brush.rect(Fill::Tone(tone), [block.x, y + 1.0, w, line.h - 2.0]);
            name(brush, context, colours, &block, y + line.h / 2.0, function.name, tone == 4);
        }),
        Kind::Tasks => {
            let fill = if line.which == Which::Old { Fill::Frame } else { Fill::Solid };
            solid.blocks(&explorer.window, |block| {
                let w = if block.w >= APART { block.w - 1.0 } else { block.w };
                brush.rect(fill, [block.x, y + 4.0, w, line.h - 9.0]);
                if let Some(&span) = spans.get(block.first as usize) {
                    let middle = y + line.h / 2.0 - 0.5;
                    name(brush, context, colours, &block, middle, side.name(line.kind, span), fill == Fill::Solid);
                }
            });
        }
        Kind::Locks(_) => solid.blocks(&explorer.window, |block| {
            brush.rect(Fill::Held(block.quarters), [block.x, y + 3.0, separate(&block), line.h - 6.0]);
        }),
        Kind::Irqs => solid.blocks(&explorer.window, |block| {
            brush.rect(Fill::Held(block.quarters), [block.x, y + line.h / 2.0 - 2.0, separate(&block), 4.0]);
        }),
    }
    let at = if line.kind == Kind::Tasks { [y + line.h - 8.0, 6.0] } else { [y, line.h] };
    dashed.blocks(&explorer.window, |block| brush.rect(Fill::Dash, [block.x, at[0], block.w, at[1]]));
}

fn separate(block: &Block) -> f64 {
    if block.w >= APART { block.w - 0.75 } else { block.w }
}

/// A name where all of it has room in what is in sight of its block.
fn name(
    brush: &mut Brush,
    context: &CanvasRenderingContext2d,
    colours: &Colours,
    block: &Block,
    middle: f64,
    text: &str,
    reversed: bool,
) {
    let left = block.x.max(0.0);
    let room = block.x + block.w - left - 9.0;
    // Measured only where it could fit at all.
    if block.spans == 1 && room > 3.0 * text.len() as f64 && colours.width(context, text) <= room {
        brush.text(left + 4.0, middle, text, reversed);
    }
}

fn tone(kind: FunctionKind) -> u8 {
    match kind {
        FunctionKind::Other => 1,
        FunctionKind::Walk | FunctionKind::Putback => 2,
        FunctionKind::Isolate => 3,
        FunctionKind::Drain => 4,
    }
}

/// What is selected, and what is being selected: everything else lies under a veil.
fn selection(context: &CanvasRenderingContext2d, explorer: &Explorer, frame: &Frame, colours: &Colours) {
    let height = frame.size.1;
    let window = &explorer.window;
    let chosen = match (frame.dragged, explorer.range) {
        (Some(dragged), _) => [(dragged.0.min(dragged.1), dragged.0.max(dragged.1)); 2],
        (None, Some(range)) => explorer.places(range),
        (None, None) => {
            if let Some(begun) = explorer.begun {
                begun_line(context, explorer, frame, begun, colours);
            }
            return;
        }
    };
    for which in Which::BOTH {
        let (top, bottom) = explorer.layout.sides[which as usize];
        let (top, bottom) = ((top - frame.scroll).max(0.0), (bottom - frame.scroll).min(height));
        if bottom <= top {
            continue;
        }
        let (from, to) = chosen[which as usize];
        let (x0, x1) = (window.x(from).clamp(-4.0, window.width + 4.0), window.x(to).clamp(-4.0, window.width + 4.0));
        context.set_global_alpha(0.62);
        context.set_fill_style_str(&colours.paper);
        context.fill_rect(0.0, top, x0.max(0.0), bottom - top);
        context.fill_rect(x1, top, (window.width - x1).max(0.0), bottom - top);
        context.set_global_alpha(1.0);
        context.set_fill_style_str(&colours.ink);
        context.fill_rect(x0 - 1.0, top, 1.5, bottom - top);
        context.fill_rect(x1 - 0.5, top, 1.5, bottom - top);
    }
}

fn begun_line(context: &CanvasRenderingContext2d, explorer: &Explorer, frame: &Frame, begun: Pair, colours: &Colours) {
    context.set_fill_style_str(&colours.ink);
    let places = explorer.axis.moment(begun);
    for which in Which::BOTH {
        let (top, bottom) = explorer.layout.sides[which as usize];
        let x = explorer.window.x(places[which as usize]);
        context.fill_rect(x - 0.75, top - frame.scroll, 1.5, bottom - top);
    }
}

/// One moment on two clocks.
fn playhead(context: &CanvasRenderingContext2d, explorer: &Explorer, frame: &Frame, colours: &Colours) {
    let [old, new] = explorer.layout.sides;
    let [x0, x1] = explorer.axis.moment(frame.at).map(|place| explorer.window.x(place));
    let [upper, lower] = [old.1, new.0 + TITLE - 4.0].map(|y| y - frame.scroll);
    let bottom = (new.1 - frame.scroll).max(frame.size.1);
    for (colour, width) in [(&colours.case, 4.0), (&colours.now, 2.6)] {
        context.set_stroke_style_str(colour);
        context.set_line_width(width);
        context.set_line_join("round");
        context.begin_path();
        context.move_to(x0, 0.0);
        context.line_to(x0, upper.max(0.0));
        if upper > 0.0 {
            context.line_to(x1, lower);
        } else {
            context.move_to(x1, 0.0);
        }
        context.line_to(x1, bottom);
        context.stroke();
    }
    if let Some(x) = frame.pointer {
        context.set_fill_style_str(&colours.ink3);
        context.fill_rect(x.round(), 0.0, 1.0, frame.size.1);
    }
}

/// The names of a side's lanes are looked up by the parts of the page that write them.
pub fn row_label(side: &Side, line: &Line) -> String {
    match line.kind {
        Kind::Tasks => format!("CPU {}", line.cpu),
        Kind::Functions(_) => "functions".to_string(),
        kind @ (Kind::Locks(_) | Kind::Irqs) => side.name(kind, Default::default()).to_string(),
    }
}
