//! Pointer, wheel and keys.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use web_sys::{HtmlCanvasElement, KeyboardEvent, MouseEvent, PointerEvent, WheelEvent};

use super::Ui;
use super::canvas::zoom;
use crate::lanes::window::{Window, ZOOM};
use crate::link::{Pair, Which};
use crate::session::Go;
use crate::web;

/// What the pointer is doing.
#[derive(Clone, Debug, Default)]
pub enum Drag {
    /// Nothing.
    #[default]
    Idle,
    /// It is down at a pixel: a click, or the beginning of a selection.
    Pressed(f64),
    /// It selects from a place on.
    Selects(f64),
    /// It moves what is shown. From a touch that does not move comes a click.
    Pans { x: f64, window: Window, tap: bool },
    /// Two fingers: where the first is, and how far the second was from it.
    Pinches { first: f64, apart: f64, window: Window },
    /// It moves the part in the overview, which it has taken so far from its beginning.
    MovesPart(f64),
    /// It moves one end of that part; the other stays.
    Resizes(f64),
}

/// Pixels that are still a click.
const CLICK: f64 = 4.0;
/// A line and a page of a wheel, in pixels.
const WHEEL: [f64; 3] = [1.0, 20.0, 300.0];
/// Zoom of a pixel of the wheel.
const WHEEL_ZOOM: f64 = 0.0022;

impl Ui {
    /// Where a pointer is in a canvas, in its own pixels.
    pub(super) fn local(self, event: &MouseEvent, head: bool) -> (f64, f64) {
        let canvas = if head { self.head.get_untracked() } else { self.lanes.get_untracked() };
        let Some(canvas): Option<HtmlCanvasElement> = canvas else { return (0.0, 0.0) };
        let (rect, zoom) = (canvas.get_bounding_client_rect(), zoom(&canvas).max(0.01));
        ((f64::from(event.client_x()) - rect.left()) / zoom, (f64::from(event.client_y()) - rect.top()) / zoom)
    }

    pub(super) fn window(self) -> Window {
        self.with(|explorer| explorer.window).unwrap_or_default()
    }

    pub(super) fn set_window(self, window: Window) {
        self.change(|explorer| explorer.window = window);
    }

    pub(super) fn down(self, event: &PointerEvent) {
        let (x, _) = self.local(event, false);
        let window = self.window();
        let touch = event.pointer_type() == "touch";
        let drag = match (self.drag.get_value(), event.button()) {
            (Drag::Pans { x: first, .. }, _) if touch => {
                Drag::Pinches { first, apart: (x - first).abs().max(10.0), window }
            }
            (_, 0) if touch => Drag::Pans { x, window, tap: true },
            (_, 1) => Drag::Pans { x, window, tap: false },
            (_, 0) if event.shift_key() => Drag::Pans { x, window, tap: false },
            (_, 0) => Drag::Pressed(x),
            _ => return,
        };
        if event.button() == 1 {
            // The browser would scroll by itself.
            event.prevent_default();
        }
        self.drag.set_value(drag);
        capture(event);
    }

    pub(super) fn moved(self, event: &PointerEvent) {
        let (x, y) = self.local(event, false);
        match self.drag.get_value() {
            Drag::Pressed(from) if (x - from).abs() > CLICK => {
                let place = self.window().place_within(from);
                self.drag.set_value(Drag::Selects(place));
                self.select_to(place, x);
            }
            Drag::Selects(from) => self.select_to(from, x),
            Drag::Pans { x: from, window, tap } => {
                self.drag.set_value(Drag::Pans { x: from, window, tap: tap && (x - from).abs() <= CLICK });
                self.set_window(window.pan(from - x));
            }
            Drag::Pinches { first, apart, window } if !event.is_primary() => {
                self.set_window(window.zoom((x - first).abs().max(10.0) / apart, first));
            }
            _ => {}
        }
        let scroll = self.scroller.get_untracked().map_or(0, |scroller| scroller.scroll_top());
        let under = self.with(|explorer| explorer.under(x, y + f64::from(scroll))).flatten();
        let words =
            under.map(|(which, cpu, item)| format!("{}, CPU {cpu}: {}: {}", which.name(), item.name, item.extent));
        if self.under.with_untracked(|under| *under != words) {
            self.under.set(words);
        }
        self.drawer.update_value(|drawer| drawer.pointer = Some(x));
        self.queue();
    }

    fn select_to(self, from: f64, x: f64) {
        let to = self.window().place_within(x);
        self.drawer.update_value(|drawer| drawer.dragged = Some((from, to)));
        self.queue();
    }

    pub(super) fn up(self, event: &PointerEvent) {
        let (x, _) = self.local(event, false);
        let drag = self.drag.try_update_value(std::mem::take).unwrap_or_default();
        self.drawer.update_value(|drawer| drawer.dragged = None);
        match drag {
            Drag::Pressed(x) | Drag::Pans { x, tap: true, .. } => self.seek(x),
            Drag::Selects(from) => {
                let to = self.window().place_within(x);
                self.change(|explorer| explorer.select(from, to));
                self.tell_range();
            }
            _ => self.queue(),
        }
    }

    fn seek(self, x: f64) {
        let at = self.with(|explorer| explorer.axis.pair_at(explorer.window.place_within(x)));
        if let Some(at) = at {
            self.app.step(Go::Pair(at));
        }
    }

    /// Says what is selected.
    pub(super) fn tell_range(self) {
        let text = self.with(|explorer| explorer.range.map(|range| super::aside::range_words(&range)));
        if let Some(Some(text)) = text {
            self.app.tell(&format!("range: {text}"));
        }
    }

    pub(super) fn left(self) {
        self.under.set(None);
        self.drawer.update_value(|drawer| drawer.pointer = None);
        self.queue();
    }

    pub(super) fn wheel(self, event: &WheelEvent, head: bool) {
        event.prevent_default();
        let unit = WHEEL[(event.delta_mode() as usize).min(2)];
        let (across, down) = (event.delta_x() * unit, event.delta_y() * unit);
        let window = self.window();
        if event.shift_key() || across.abs() > down.abs() {
            let by = if across.abs() > down.abs() { across } else { down };
            return self.set_window(window.pan(by));
        }
        let (x, _) = self.local(event, head);
        let x = if head { window.x(window.fit().place(x)) } else { x };
        self.set_window(window.zoom((-down * WHEEL_ZOOM).exp(), x.clamp(0.0, window.width)));
    }

    /// Zooms where the playhead is, or in the middle.
    pub(super) fn zoom(self, by: f64) {
        let at = self.app.with(|session| session.at());
        self.change(|explorer| {
            let window = explorer.window;
            let x = window.x(explorer.axis.moment(at)[0]);
            let x = if (0.0..=window.width).contains(&x) { x } else { window.width / 2.0 };
            explorer.window = window.zoom(by, x);
        });
    }

    /// Sets one end of the range at the playhead.
    pub(super) fn set_end(self, begin: bool) {
        let at: Pair = self.app.with(|session| session.at());
        self.change(|explorer| explorer.select_by_key(at, begin));
        match self.with(|explorer| explorer.range.is_some()) {
            Some(true) => self.tell_range(),
            _ => self.app.tell("range begins here"),
        }
    }

    /// Keys of the whole panel.
    pub(super) fn key(self, event: &KeyboardEvent) {
        let modified = event.ctrl_key() || event.alt_key() || event.meta_key();
        if modified || event.default_prevented() || web::closest(event, "input, select").is_some() {
            return;
        }
        let letters = self.app.settings.read_untracked().letters;
        let in_canvas = web::closest(event, "canvas").is_some();
        match event.key().as_str() {
            "Escape" => self.close(),
            _ if !letters && !in_canvas => return,
            "+" | "=" => self.zoom(ZOOM),
            "-" | "_" => self.zoom(1.0 / ZOOM),
            "[" => self.set_end(true),
            "]" => self.set_end(false),
            "z" => self.change(|explorer| explorer.zoom_to_range()),
            "f" => self.change(|explorer| explorer.window = explorer.window.fit()),
            "t" => self.close(),
            "ArrowDown" if in_canvas => self.scroll_by(40),
            "ArrowUp" if in_canvas => self.scroll_by(-40),
            _ => return,
        }
        event.prevent_default();
    }

    fn scroll_by(self, pixels: i32) {
        if let Some(scroller) = self.scroller.get_untracked() {
            scroller.set_scroll_top(scroller.scroll_top() + pixels);
        }
    }

    pub(super) fn fold_clicked(self, event: &MouseEvent) {
        let (Some(cpu), Some(side)) = (web::number_of(event, "data-cpu"), web::number_of(event, "data-side")) else {
            return;
        };
        let which = if side == 0 { Which::Old } else { Which::New };
        self.change(|explorer| explorer.fold(which, cpu as u8));
    }

    /// Goes to a mark; of several to the next one behind the playhead.
    pub(super) fn mark_clicked(self, event: &MouseEvent) {
        let (Some(first), Some(count)) = (web::number_of(event, "data-mark"), web::number_of(event, "data-marks"))
        else {
            return;
        };
        let now: Pair = self.app.with(|session| session.at());
        let at = self.with(|explorer| {
            let marks = explorer.marks.all.get(first as usize..(first + count) as usize)?;
            let behind = |which: Which| move |at: Pair| at.of(which) > now.of(which);
            let next = marks.iter().find(|mark| behind(mark.which.unwrap_or_default())(mark.at));
            next.or(marks.first()).map(|mark| mark.at)
        });
        if let Some(Some(at)) = at {
            self.app.step(Go::Pair(at));
        }
    }
}

pub(super) fn capture(event: &PointerEvent) {
    if let Some(target) = event.current_target().and_then(|target| target.dyn_into::<web_sys::Element>().ok()) {
        // A pointer that is gone needs no capture.
        let _ = target.set_pointer_capture(event.pointer_id());
    }
}
