//! Rectangles and texts that are collected by style and drawn together: a change of style costs more than a rectangle.

use web_sys::CanvasRenderingContext2d;

use super::colours::Colours;

/// How something is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// The other side is waited for here.
    Gap,
    /// Functions in five tones, from the outer ones to those that drain.
    Tone(u8),
    /// Held, with the share of the time in quarters.
    Held(u8),
    /// A task runs: a frame.
    Frame,
    /// A task runs: solid.
    Solid,
    /// A wait or a sleep.
    Dash,
}

const TONES: usize = 5;
const FILLS: usize = 1 + TONES + 4 + 3;

impl Fill {
    fn index(self) -> usize {
        match self {
            Fill::Gap => 0,
            Fill::Tone(tone) => 1 + usize::from(tone).min(TONES - 1),
            Fill::Held(quarters) => TONES + usize::from(quarters.clamp(1, 4)),
            Fill::Frame => TONES + 5,
            Fill::Solid => TONES + 6,
            Fill::Dash => TONES + 7,
        }
    }
}

/// A rectangle: left, top, width, height.
type Rect = [f64; 4];

/// What one frame draws.
#[derive(Default)]
pub struct Brush {
    rects: [Vec<Rect>; FILLS],
    // Left, middle, text, on a dark ground.
    texts: Vec<(f64, f64, String, bool)>,
}

impl Brush {
    /// Adds a rectangle; one that goes on where the last of its kind ended makes that longer.
    pub fn rect(&mut self, fill: Fill, rect: Rect) {
        let rects = &mut self.rects[fill.index()];
        if let Some(last) = rects.last_mut()
            && last[1] == rect[1]
            && (last[0] + last[2] - rect[0]).abs() < 0.01
            && rect[2] <= 1.0
            && fill != Fill::Frame
        {
            last[2] += rect[2];
            return;
        }
        rects.push(rect);
    }

    /// Adds a text with its left end and its middle.
    pub fn text(&mut self, x: f64, y: f64, text: &str, reversed: bool) {
        self.texts.push((x, y, text.to_string(), reversed));
    }

    /// Draws everything.
    pub fn flush(&self, context: &CanvasRenderingContext2d, colours: &Colours) {
        let fill = |fill: Fill, colour: &str, alpha: f64| {
            let rects = &self.rects[fill.index()];
            if !rects.is_empty() {
                context.set_fill_style_str(colour);
                context.set_global_alpha(alpha);
                rects.iter().for_each(|&[x, y, w, h]| context.fill_rect(x, y, w, h));
            }
        };
        fill(Fill::Gap, &colours.sunken, 1.0);
        let tones = [&colours.rib, &colours.hair, &colours.rule, &colours.slot, &colours.ink2];
        for (tone, colour) in (0..).zip(tones) {
            fill(Fill::Tone(tone), colour, 1.0);
        }
        for (quarters, alpha) in [(1, 0.36), (2, 0.55), (3, 0.78), (4, 1.0)] {
            fill(Fill::Held(quarters), &colours.held, alpha);
        }
        fill(Fill::Solid, &colours.ink2, 1.0);
        context.set_global_alpha(1.0);
        self.frames(context, colours);
        self.dashes(context, colours);
        for reversed in [false, true] {
            context.set_fill_style_str(if reversed { &colours.paper } else { &colours.ink });
            for (x, y, text, _) in self.texts.iter().filter(|text| text.3 == reversed) {
                // Fails for no text.
                let _ = context.fill_text(text, *x, *y);
            }
        }
    }

    fn frames(&self, context: &CanvasRenderingContext2d, colours: &Colours) {
        context.set_stroke_style_str(&colours.ink2);
        context.set_line_width(1.5);
        for &[x, y, w, h] in &self.rects[Fill::Frame.index()] {
            if w < 4.0 {
                context.set_fill_style_str(&colours.ink2);
                context.fill_rect(x, y, w.max(1.0), 1.5);
                context.fill_rect(x, y + h - 1.5, w.max(1.0), 1.5);
            } else {
                context.stroke_rect(x + 0.75, y + 0.75, w - 1.5, h - 1.5);
            }
        }
    }

    fn dashes(&self, context: &CanvasRenderingContext2d, colours: &Colours) {
        let rects = &self.rects[Fill::Dash.index()];
        if rects.is_empty() {
            return;
        }
        context.set_stroke_style_str(&colours.ink2);
        context.set_line_width(2.0);
        dash(context, &[4.0, 3.0]);
        context.begin_path();
        for &[x, y, w, h] in rects {
            let middle = y + h / 2.0;
            context.move_to(x, middle);
            context.line_to(x + w.max(2.0), middle);
        }
        context.stroke();
        dash(context, &[]);
    }
}

/// Sets the dashes of lines.
pub fn dash(context: &CanvasRenderingContext2d, pattern: &[f64]) {
    let list: js_sys::Array = pattern.iter().map(|&length| leptos::wasm_bindgen::JsValue::from_f64(length)).collect();
    // Fails for no list of numbers.
    let _ = context.set_line_dash(&list);
}
