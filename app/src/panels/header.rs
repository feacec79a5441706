//! The top line: name, scenario, and what concerns the whole page.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;

use super::icons::{Chevron, brand};
use super::questions;
use crate::app::{App, Dialog};
use crate::dom::{Node, live};
use crate::session::Session;

/// The top line.
#[component]
pub fn Header() -> impl IntoView {
    let app = App::get();
    let scenario = live(move || {
        app.loaded.track();
        Node::html("span").class("name").text(app.with(what_is_shown))
    });
    let theme = Memo::new(move |_| format!("Theme: {}", app.settings.read().theme.name()));
    view! {
        <header class="top">
            <h1 class="brand">
                <a href="#" title="Start page" on:click=move |_| app.write_address()>{brand()}"mmscope"</a>
            </h1>
            <span class="tag">"Linux memory management, one micro-operation at a time"</span>
            <button
                class="pick sc"
                aria-haspopup="dialog"
                on:click=move |_| app.open(Dialog::Scenario)
            >
                <em>"scenario"</em>
                {scenario}
                <Chevron />
            </button>
            <div class="acts">
                <super::whatif::Opener id="what-if-open" />
                <questions::Open />
                <Evidence />
                <Share />
                <button
                    class="ico"
                    aria-label=theme
                    title=theme
                    on:click=move |_| app.change_settings(|settings| settings.theme = settings.theme.next())
                >
                    {live(half)}
                </button>
                <button
                    class="ico"
                    aria-label="Help, keys and settings"
                    aria-keyshortcuts="?"
                    aria-haspopup="dialog"
                    title="Help, keys and settings"
                    on:click=move |_| app.open(Dialog::Help)
                >
                    "?"
                </button>
            </div>
        </header>
    }
}

/// Opens the evidence.
#[component]
pub fn Evidence() -> impl IntoView {
    let app = App::get();
    view! {
        <button
            aria-haspopup="dialog"
            aria-keyshortcuts="e"
            title="Counts, claims, modelled times, published figures (e)"
            on:click=move |_| app.open(Dialog::Evidence)
        >
            "Evidence"
        </button>
    }
}

/// Half light, half dark.
fn half() -> Node {
    let circle = Node::svg("circle").at("cx", 8.0).at("cy", 8.0).at("r", 5.6);
    let svg = Node::svg("svg").with("viewBox", "0 0 16 16").with("aria-hidden", "true");
    svg.children([circle, Node::svg("path").with("d", "M8 2.4a5.6 5.6 0 0 1 0 11.2z")])
}

fn what_is_shown(session: &Session) -> String {
    let pages = session.extent().map_or(String::new(), |extent| format!(", {extent}"));
    format!("{}{pages}", session.subject.scenario)
}

/// Opens the link, what to embed, the picture.
#[component]
pub fn Share() -> impl IntoView {
    let app = App::get();
    view! {
        <button
            aria-haspopup="dialog"
            aria-keyshortcuts="k"
            title="Link, embed, image (k)"
            on:click=move |_| app.open(Dialog::Share)
        >
            "Share"
        </button>
    }
}

/// False where the browser does not let us, for example on a page that is not secure.
pub async fn write_clipboard(what: &str) -> bool {
    let clipboard = js_sys::Reflect::get(&window().navigator(), &"clipboard".into());
    let Some(clipboard) = clipboard.ok().and_then(|value| value.dyn_into::<web_sys::Clipboard>().ok()) else {
        return false;
    };
    wasm_bindgen_futures::JsFuture::from(clipboard.write_text(what)).await.is_ok()
}
