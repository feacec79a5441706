//! The parts of the page.

mod banner;
mod code;
mod embed;
mod evidence;
mod explorer;
mod header;
mod help;
mod icons;
mod inspector;
mod ledger;
mod list;
mod menu;
mod questions;
mod scenario;
mod share;
mod side;
mod stage;
mod tabs;
mod things;
mod timeline;
mod transport;
mod whatif;

use leptos::prelude::*;

use crate::app::App;
use crate::chart::Size;
use crate::dom::{Node, live};
use crate::link::Which;

/// The whole page.
#[component]
pub fn Page() -> impl IntoView {
    let app = App::get();
    if app.present.embed {
        return view! { <embed::EmbedPage /> }.into_any();
    }
    let narrow = move || app.size.get() == Size::Narrow;
    view! {
        <a class="skip" href="#step" on:click=skip>"Skip to the controls"</a>
        <header::Header />
        <banner::BannerBar />
        <whatif::Strip />
        <share::Meant />
        <main>
            <side::SidePanel which=Which::Old />
            <ledger::Ledger />
            <side::SidePanel which=Which::New />
        </main>
        <div class="bottom">
            <questions::Notice />
            <timeline::Timeline />
            <explorer::ExplorerPanel />
            <Show when=narrow>
                <More />
            </Show>
            <transport::Transport />
        </div>
        <questions::Ask />
        <help::Help />
        <evidence::EvidenceDialog />
        <scenario::ScenarioDialog />
        <share::ShareDialog />
        <div class="sr" role="status" aria-live="polite">{live(move || Node::html("div").text(app.said.get()))}</div>
    }
    .into_any()
}

/// What a narrow page keeps folded.
#[component]
fn More() -> impl IntoView {
    view! {
        <details class="more">
            <summary>"Controls, code, counts, claims, pages as a list"</summary>
            <transport::Restart />
            <transport::Choices />
            <header::Share />
            <header::Evidence />
            <whatif::Opener />
            <questions::Open />
            <ledger::Table />
            <ledger::Claims />
            {Which::BOTH.map(|which| view! { <code::Code which=which /> <list::Pages which=which /> })}
        </details>
    }
}

// The address says where the runs are, so a link within the page must not change it.
fn skip(event: web_sys::MouseEvent) {
    use leptos::wasm_bindgen::JsCast;
    event.prevent_default();
    let step = document().get_element_by_id("step").and_then(|step| step.dyn_into::<web_sys::HtmlElement>().ok());
    if let Some(step) = step {
        // Focus fails for no button that is shown.
        let _ = step.focus();
    }
}
