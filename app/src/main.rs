//! The page: two recorded runs side by side, and everything to move through them.
//!
//! What the page shows and what it does with a press of a key is plain Rust without a browser and is tested natively:
//! [`track`] (one side), [`session`] (both), [`keys`], [`settings`], [`text`], [`chart`] (the timeline's shapes),
//! [`roam`], [`tables`] (the complete ledger), [`claims`], [`embed`] (the page in a
//! frame), [`whatif`] (changes, forks, undo), [`lanes`] (the timeline that is opened). The crate [`permalink`] has what is shown, how the sides step
//! together, and the state in the address. [`app`] joins it to the browser; [`panels`] are the parts of the page,
//! [`dom`] keeps elements up to date that change with every step.

mod app;
mod chart;
mod claims;
mod dom;
mod embed;
mod evidence;
mod keys;
mod lanes;
mod panels;
mod questions;
mod reports;
mod roam;
mod session;
mod settings;
mod share;
mod start;
mod tables;
mod text;
mod times;
mod track;
mod web;
mod whatif;

use permalink::{hash, link, subject};

fn main() {
    web::report_panics();
    app::start();
}
