//! The overview: which part of the runs is shown, by pointer and by keys.

use leptos::prelude::*;
use web_sys::{KeyboardEvent, PointerEvent};

use super::Ui;
use super::input::{Drag, capture};
use super::overview::RUN;
use crate::lanes::window::Window;

/// Pixels beside an end of the part that take hold of it.
const HANDLE: f64 = 8.0;

impl Ui {
    /// Keys of the overview.
    pub(super) fn part_key(self, event: &KeyboardEvent) {
        if event.ctrl_key() || event.alt_key() || event.meta_key() || event.shift_key() {
            return;
        }
        let window = self.window();
        let moved = match event.key().as_str() {
            "ArrowRight" | "ArrowUp" => window.pan(window.width * 0.1),
            "ArrowLeft" | "ArrowDown" => window.pan(-window.width * 0.1),
            "PageUp" => window.pan(window.width * 0.9),
            "PageDown" => window.pan(-window.width * 0.9),
            "Home" => window.moved_to(0.0),
            "End" => window.moved_to(window.end),
            _ => return,
        };
        event.prevent_default();
        self.set_window(moved);
    }

    pub(super) fn part_down(self, event: &PointerEvent) {
        let (x, y) = self.local(event, true);
        if event.button() != 0 || y > RUN {
            return;
        }
        let window = self.window();
        let whole = window.fit();
        let [left, right] = [window.from, window.to()].map(|place| whole.x(place));
        let drag = match () {
            () if !window.is_whole() && (x - left).abs() < HANDLE => Drag::Resizes(window.to()),
            () if !window.is_whole() && (x - right).abs() < HANDLE => Drag::Resizes(window.from),
            // A whole that is shown cannot be moved: the drag cuts a part out of it.
            () if window.is_whole() => Drag::Resizes(whole.place(x)),
            () if (left..=right).contains(&x) => Drag::MovesPart(whole.place(x) - window.from),
            () => {
                self.set_window(window.moved_to(whole.place(x) - window.length / 2.0));
                Drag::MovesPart(window.length / 2.0)
            }
        };
        self.drag.set_value(drag);
        capture(event);
    }

    pub(super) fn part_moved(self, event: &PointerEvent) {
        let (x, _) = self.local(event, true);
        let window = self.window();
        let place = window.fit().place_within(x);
        match self.drag.get_value() {
            Drag::MovesPart(taken) => self.set_window(window.moved_to(place - taken)),
            Drag::Resizes(other) if (place - other).abs() > 0.0 => {
                let (from, to) = (place.min(other), place.max(other));
                let length = (to - from).clamp(window.least, window.end);
                self.set_window(Window { length, ..window }.moved_to(from));
            }
            _ => {}
        }
    }
}
