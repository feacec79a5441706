//! The state in the address: written a moment after each step, read when it is changed by hand.

use leptos::prelude::*;
use sim_core::scenario::SCENARIOS;

use super::{App, Banner, HASH_DELAY};
use crate::hash;
use crate::session::Go;
use crate::start;
use crate::subject::Subject;
use crate::web;

impl App {
    pub(super) fn acted(self) {
        self.address.update_value(|address| {
            address.kept = false;
            if address.timer.is_none() {
                address.timer = set_timeout_with_handle(move || self.write_address(), HASH_DELAY).ok();
            }
        });
    }

    /// Brings the address up to date.
    pub fn write_address(self) {
        let written = hash::encode(&self.link());
        self.address.update_value(|address| {
            if let Some(timer) = address.timer.take() {
                timer.clear();
            }
            if start::shown() || address.kept || written.len() > hash::LIMIT {
                return;
            }
            web::store_last(&written);
            if address.hash != written {
                web::replace_hash(&written);
                address.hash = written;
            }
        });
    }

    pub(super) fn address_changed(self) {
        let hash = web::hash();
        if self.address.with_value(|address| address.hash == hash) {
            return;
        }
        self.address.update_value(|address| address.hash.clone_from(&hash));
        if start::shown() {
            // What stood here waits: nothing moves and nothing is open when the reader comes back.
            self.playing.set(false);
            return self.dialog.set(None);
        }
        if let Some(file) = start::take_file() {
            self.load(&file);
            return;
        }
        match hash::decode(&hash) {
            Ok(None) => _ = self.load(&Subject::of(&SCENARIOS[0])),
            Ok(Some(link)) => self.follow(&link),
            Err(error) => {
                self.fail(bad_link(&error.to_string()));
                self.keep_address();
            }
        }
    }

    pub(super) fn follow(self, link: &hash::Link) {
        let loaded = match Subject::from_link(link) {
            Ok(subject) => self.load(&subject),
            Err(detail) => {
                self.fail(bad_link(&detail));
                false
            }
        };
        if !loaded {
            self.banner.update(|banner| {
                if let Some(banner) = banner {
                    *banner = bad_link(&banner.detail);
                }
            });
            self.keep_address();
            return;
        }
        self.with_mut(|session| session.name_forks(&link.branch));
        self.go(Go::Pair(link.step));
        self.ask_what_the_link_asks(link);
        self.check_outcome(link);
    }

    pub(super) fn keep_address(self) {
        self.address.update_value(|address| address.kept = true);
    }
}

pub(super) fn bad_link(detail: &str) -> Banner {
    Banner { title: "The link could not be followed.", detail: detail.to_string() }
}
