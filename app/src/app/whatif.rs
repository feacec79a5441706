//! What if: changes of what is run, forks, and the way back, as keys and buttons ask for them.

use leptos::prelude::*;
use sim_core::scenario::Until;

use super::{App, Banner};
use crate::keys::{self, Action, Press};
use crate::link::Which;
use crate::session::Session;
use crate::subject::Subject;
use crate::web;
use crate::whatif::Forked;

/// What the strip shows beside the runs.
#[derive(Clone, Copy)]
pub struct WhatIfStrip {
    /// It is open.
    pub open: RwSignal<bool>,
    /// What the last change did, or why there was none.
    pub said: RwSignal<String>,
    /// Counts changes of the forks and of what can be undone.
    pub changed: RwSignal<u64>,
}

impl WhatIfStrip {
    pub(super) fn new() -> WhatIfStrip {
        WhatIfStrip { open: RwSignal::new(false), said: RwSignal::new(String::new()), changed: RwSignal::new(0) }
    }
}

impl App {
    /// After other runs have come in place of those that were shown.
    pub(super) fn shows_other_runs(self) {
        self.playing.set(false);
        self.looked.set(None);
        self.banner.set(None);
        self.renew_breaks();
        self.show(true);
        self.loaded.update(|count| *count += 1);
        self.acted();
        self.warn_of_long_link();
        leptos::task::spawn_local(async move { self.report("mmscope:step") });
    }

    /// Undo and redo, which have their keys wherever no text is typed.
    pub(super) fn undo_key(self, event: &web_sys::KeyboardEvent) -> bool {
        let key = event.key();
        let command = (event.ctrl_key() || event.meta_key()) && !event.alt_key();
        let press = Press { key: &key, shift: event.shift_key(), modified: command };
        let Some(action) = keys::turn(press) else { return false };
        let typed = web::closest(event, "input, select, textarea, [contenteditable]").is_some();
        let stepper = web::closest(event, "[data-live]").is_some();
        if self.dialog.get_untracked().is_some() || typed && !stepper {
            return false;
        }
        event.prevent_default();
        self.turn(action == Action::Redo);
        true
    }

    /// Undo, or redo.
    pub fn turn(self, redo: bool) {
        let verb = if redo { "Done again" } else { "Undone" };
        match self.with_mut(|session| session.turn_back(redo)) {
            Ok(Some(what)) => {
                self.shows_other_runs();
                self.note(format!("{verb}: {what}."));
            }
            Ok(None) => self.note(format!("There is nothing to {}.", if redo { "do again" } else { "undo" })),
            Err(wrong) => self.fail(Banner { title: "That could not be undone.", detail: wrong.to_string() }),
        }
    }

    /// Says something in the strip and to assistive technology.
    pub fn note(self, what: String) {
        self.tell(&what);
        self.strip.said.set(what);
        self.strip.changed.update(|count| *count += 1);
    }

    /// Opens or closes the strip.
    pub fn toggle_strip(self) {
        let open = !self.strip.open.get_untracked();
        self.strip.open.set(open);
        let to = if open { "what-if" } else { "what-if-open" };
        // In the next frame it is there.
        request_animation_frame(move || web::focus_id(to));
    }

    /// Shows a subject at the milestone where both sides are.
    ///
    /// # Errors
    ///
    /// Why it fails; everything stays as it is.
    pub fn change(self, subject: &Subject) -> Result<(), String> {
        let said = self.with_mut(|session| session.change(subject)).map_err(|wrong| wrong.to_string())?;
        self.shows_other_runs();
        self.note(said);
        Ok(())
    }

    /// Lets a CPU go next on one side.
    pub fn fork(self, which: Which, cpu: u8, until: Until) {
        self.playing.set(false);
        let before = self.with(Session::at);
        match self.with_mut(|session| session.fork(which, cpu, until)) {
            Err(wrong) => return self.note(wrong),
            Ok(Forked::Same) => {
                self.show(false);
                self.acted();
                leptos::task::spawn_local(async move { self.report("mmscope:step") });
            }
            Ok(_) => self.shows_other_runs(),
        }
        let said = self.with(|session| {
            let (from, to) = (before.of(which), session.at().of(which));
            let steps = if to == from + 1 { "1 step".into() } else { format!("{} steps", to - from) };
            let made = format!("{}: CPU {cpu} made {steps}, from {from} to {to}.", which.name());
            match session.what_if.shown(&session.subject, which) {
                Some(branch) => format!("{made} {}: {}.", branch.name, branch.outcome(&session.subject)),
                None => format!("{made} It does so by itself."),
            }
        });
        self.note(said);
    }

    /// A fork has another name, and so has the link.
    pub fn renamed(self) {
        self.acted();
        self.note(self.with(|session| format!("{}.", session.what_if.undoes().unwrap_or_default())));
    }

    /// Does something with the forks, and shows what is shown then.
    pub fn with_forks(self, act: impl FnOnce(&mut Session) -> Result<(), String>) {
        match self.with_mut(act) {
            Ok(()) => {
                self.shows_other_runs();
                let undoes = self.with(|session| session.what_if.undoes().unwrap_or_default().to_string());
                self.note(format!("{undoes}."));
            }
            Err(wrong) => self.note(wrong),
        }
    }
}
