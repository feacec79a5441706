//! What keys and buttons ask for.

use leptos::prelude::*;

use super::{App, Dialog};
use crate::embed;
use crate::keys::{self, Action, Press};
use crate::link::Link;
use crate::session::Go;
use crate::web;

impl App {
    pub(super) fn key(self, event: &web_sys::KeyboardEvent) {
        if event.default_prevented() || event.is_composing() || crate::start::shown() {
            return;
        }
        if self.undo_key(event) {
            return;
        }
        let modified = event.ctrl_key() || event.alt_key() || event.meta_key();
        let (key, shift) = (event.key(), event.shift_key());
        let Some(action) = keys::action(Press { key: &key, shift, modified }, self.settings.read_untracked().letters)
        else {
            return;
        };
        if !self.present.takes(action)
            || self.dialog.get_untracked().is_some()
            || takes_keys(event, action) && !(self.present.embed && action == Action::Close)
        {
            return;
        }
        if self.perform(action) {
            event.prevent_default();
            event.stop_propagation();
        }
    }

    /// Does what a key asks for; false where there is nothing to do.
    pub(super) fn perform(self, action: Action) -> bool {
        match action {
            Action::Step => self.step(Go::Step),
            Action::Back => self.step(Go::Back),
            Action::StepOver => self.step(Go::Over),
            Action::NextMilestone => self.step(Go::Next),
            Action::PreviousMilestone => self.step(Go::Previous),
            Action::NextDifference => self.step(Go::Difference),
            Action::Start => self.step(Go::Clock(0)),
            Action::End => self.step(Go::Clock(u32::MAX)),
            Action::Tenths(tenths) => self.step(Go::Tenths(tenths)),
            Action::Play => self.toggle_play(),
            Action::Inspect => self.look_at_touched(),
            Action::Link => self.next_link(),
            Action::OtherSide => self.set_active(self.with(|session| session.active.other())),
            Action::Help => self.open(Dialog::Help),
            Action::Evidence => self.open(Dialog::Evidence),
            Action::Share => self.open(Dialog::Share),
            Action::Ask => self.open(Dialog::Ask),
            Action::LastWriter => self.to_last_writer(),
            Action::Close => return self.close(),
            Action::WhatIf => self.toggle_strip(),
            Action::Undo => self.turn(false),
            Action::Redo => self.turn(true),
            Action::Timeline => self.explorer.update(|open| *open = !*open),
        }
        true
    }

    /// What a button does that moves through the runs.
    pub fn on(self, go: Go) -> impl Fn(web_sys::MouseEvent) + 'static {
        move |_| self.step(go)
    }

    /// Opens a dialog; what plays behind it would be missed.
    pub fn open(self, dialog: Dialog) {
        self.playing.set(false);
        self.dialog.set(Some(dialog));
    }

    /// A step by hand ends playing.
    pub fn step(self, go: Go) {
        self.playing.set(false);
        self.go(go);
    }

    pub(super) fn close(self) -> bool {
        if self.looked.get_untracked().is_some() {
            self.looked.set(None);
        } else if self.playing.get_untracked() {
            self.toggle_play();
        } else if self.strip.open.get_untracked() {
            self.toggle_strip();
        } else {
            if self.present.embed {
                embed::port::leave();
            }
            return self.present.embed;
        }
        true
    }

    pub(super) fn next_link(self) {
        let link = self.with(|session| session.link);
        let at = Link::ALL.iter().position(|&one| one == link).unwrap_or(0);
        let next = Link::ALL[(at + 1) % Link::ALL.len()];
        self.set_link(next);
        self.tell(&format!("link by {}", next.name()));
    }
}

/// The element with the focus has its own use for the key.
fn takes_keys(event: &web_sys::KeyboardEvent, action: Action) -> bool {
    let inside = |selector: &str| web::closest(event, selector).is_some();
    if inside("input, select, textarea, [contenteditable], [role=menu]") {
        return true;
    }
    action == Action::Play && inside("button, a, summary, [role=button]")
}
