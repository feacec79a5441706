//! The page: two recorded runs side by side, and everything to move through them.
//!
//! What the page shows and what it does with a press of a key is plain Rust without a browser and is tested natively:
//! [`link`] (how the sides step together), [`track`] (one side), [`session`] (both), [`subject`] (what they are runs of),
//! [`hash`] (the state in the address), [`keys`], [`settings`], [`text`], [`chart`] (the timeline's shapes), [`roam`],
//! [`tables`] (the complete ledger), [`claims`], [`lanes`] (the timeline that is opened). [`app`] joins it to the
//! browser; [`panels`] are the parts of the page, [`dom`] keeps elements up to date that change with every step.

mod app;
mod chart;
mod claims;
mod dom;
mod evidence;
mod hash;
mod keys;
mod lanes;
mod link;
mod panels;
mod reports;
mod roam;
mod session;
mod settings;
mod subject;
mod tables;
mod text;
mod times;
mod track;
mod web;

fn main() {
    web::report_panics();
    app::start();
}
