//! The evidence: what the two runs count, what was claimed, what it would take, what was published. One dialog with a
//! tab for each; a tab's content is made when it is opened.

mod claims;
mod files;
mod ledger;
mod plots;
mod published;
mod rules;
mod steps;
mod time;

pub(super) use plots::save;

use leptos::prelude::*;

use super::help::Modal;
use super::tabs::{Tab, Tabs};
use crate::app::{App, Dialog};

const TABS: Tabs = Tabs {
    name: "Evidence",
    tabs: &[
        Tab { name: "Ledger", content: ledger::content },
        Tab { name: "Claims", content: claims::content },
        Tab { name: "Time", content: time::content },
        Tab { name: "Published", content: published::content },
        Tab { name: "Plots", content: plots::content },
        Tab { name: "Rules", content: rules::content },
    ],
    id: "tab",
    panel: "tab-panel",
    class: "tabs",
    scrolls: true,
};

/// The dialog.
#[component]
pub fn EvidenceDialog() -> impl IntoView {
    plots::keep_sweeps();
    let chosen = RwSignal::new(0_usize);
    let content = move || TABS.view(chosen);
    view! { <Modal which=Dialog::Evidence title="Evidence" content /> }
}

/// Goes to a step of one side, with the picture in sight.
pub fn go_to(app: App, which: crate::link::Which, step: u32) {
    app.dialog.set(None);
    app.step(crate::session::Go::Side(which, step));
}
