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
use crate::app::{App, Dialog};

/// A tab: its name, and what makes its content.
struct Tab {
    name: &'static str,
    content: fn() -> AnyView,
}

const TABS: &[Tab] = &[
    Tab { name: "Ledger", content: ledger::content },
    Tab { name: "Claims", content: claims::content },
    Tab { name: "Time", content: time::content },
    Tab { name: "Published", content: published::content },
    Tab { name: "Plots", content: plots::content },
    Tab { name: "Rules", content: rules::content },
];

/// The dialog.
#[component]
pub fn EvidenceDialog() -> impl IntoView {
    plots::keep_sweeps();
    let chosen = RwSignal::new(0_usize);
    let content = move || view! { <Tabs chosen /> }.into_any();
    view! { <Modal which=Dialog::Evidence title="Evidence" content /> }
}

#[component]
fn Tabs(chosen: RwSignal<usize>) -> impl IntoView {
    let keys = move |event: web_sys::KeyboardEvent| {
        let last = TABS.len() - 1;
        let to = match (event.key().as_str(), chosen.get_untracked()) {
            ("ArrowRight", at) => (at + 1) % TABS.len(),
            ("ArrowLeft", at) => at.checked_sub(1).unwrap_or(last),
            ("Home", _) => 0,
            ("End", _) => last,
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        chosen.set(to);
        focus(to);
    };
    let tab = move |at: usize| {
        let selected = move || chosen.get() == at;
        view! {
            <button
                role="tab"
                id=format!("tab-{at}")
                aria-controls="tab-panel"
                aria-selected=move || selected().to_string()
                tabindex=move || if selected() { "0" } else { "-1" }
                on:click=move |_| chosen.set(at)
            >
                {TABS[at].name}
            </button>
        }
    };
    view! {
        <div class="tabs" role="tablist" aria-label="Evidence" on:keydown=keys>
            {(0..TABS.len()).map(tab).collect_view()}
        </div>
        <section
            class="tab-panel"
            id="tab-panel"
            role="tabpanel"
            aria-labelledby=move || format!("tab-{}", chosen.get())
            tabindex="0"
        >
            {move || (TABS[chosen.get()].content)()}
        </section>
    }
}

fn focus(tab: usize) {
    use leptos::wasm_bindgen::JsCast;
    let button = document().get_element_by_id(&format!("tab-{tab}"));
    if let Some(button) = button.and_then(|button| button.dyn_into::<web_sys::HtmlElement>().ok()) {
        // Focus fails for no button that is shown.
        let _ = button.focus();
    }
}

/// Goes to a step of one side, with the picture in sight.
pub fn go_to(app: App, which: crate::link::Which, step: u32) {
    app.dialog.set(None);
    app.step(crate::session::Go::Side(which, step));
}
