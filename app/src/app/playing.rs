//! Steps made by the clock, and what is said of them to assistive technology.

use std::time::Duration;

use leptos::prelude::*;

use super::{App, SAY_EVERY, TICK};
use crate::link::Which;
use crate::session::{Go, Session};
use crate::web;

impl App {
    /// Starts or stops.
    pub fn toggle_play(self) {
        let start = !self.playing.get_untracked();
        if start && self.with(Session::ended) {
            self.go(Go::Clock(0));
        }
        self.playing.set(start);
        if !start {
            self.say_now();
        }
    }

    pub(super) fn play(self) {
        // Who plays out of sight goes on when seen again.
        if !self.playing.get() || self.resting.get() {
            return;
        }
        let interval = (1000 / self.speed.get()).max(TICK);
        let steps = (self.speed.get() * interval).div_ceil(1000);
        let tick = move || {
            self.go(Go::On(steps));
            if self.with(Session::ended) {
                self.playing.set(false);
                self.say_now();
            }
        };
        let timer = set_interval_with_handle(tick, Duration::from_millis(interval.into()));
        if let Ok(timer) = timer {
            on_cleanup(move || timer.clear());
        }
    }

    pub(super) fn say(self) {
        let wait = self.playing.get_untracked() && web::now() - self.said_at.get_value() < SAY_EVERY;
        if !wait {
            self.say_now();
        }
    }

    pub(super) fn say_now(self) {
        self.said_at.set_value(web::now());
        self.said.set(self.with(spoken));
    }

    /// Says something once.
    pub fn tell(self, what: &str) {
        self.said.set(what.to_string());
    }
}

/// The step in words: both sides, or the one that is not waiting.
fn spoken(session: &Session) -> String {
    let waiting = session.waiting();
    let sides = Which::BOTH.into_iter().filter(|&which| waiting != Some(which));
    let sentences = sides.map(|which| {
        let moment = &session.side(which).moment;
        format!("{}, step {}: {}", which.name(), moment.step, moment.words.plain())
    });
    sentences.collect::<Vec<_>>().join(" ")
}
