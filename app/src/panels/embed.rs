//! The page in a frame: a slim line that says what is shown and leads to the whole page, the parts that were asked for,
//! and the controls.

use leptos::prelude::*;

use super::icons::{brand, mark};
use super::{banner, ledger, side, timeline, transport};
use crate::app::App;
use crate::dom::{Node, live};
use crate::embed::query::Controls;
use crate::hash;
use crate::link::Which;
use crate::web;

/// The page in a frame.
#[component]
pub fn EmbedPage() -> impl IntoView {
    let app = App::get();
    let panes = app.panes;
    let sides = move || panes.get().sides();
    let controls = app.present.controls != Controls::None;
    let class = move || {
        let panes = panes.get();
        let words = [(panes.stage, "stage"), (panes.ledger, "ledger"), (panes.sides(), "sides")];
        words.into_iter().filter(|(on, _)| *on).map(|(_, word)| format!("with-{word} ")).collect::<String>()
    };
    view! {
        <header class="etop">
            {brand()}
            {live(move || title(app))}
            {live(move || explorer(app))}
        </header>
        <banner::BannerBar />
        <main class=class>
            <Show when=sides>
                <side::SidePanel which=Which::Old />
            </Show>
            <Show when=move || panes.get().ledger>
                <ledger::Ledger />
            </Show>
            <Show when=sides>
                <side::SidePanel which=Which::New />
            </Show>
        </main>
        <div class="bottom">
            <Show when=move || panes.get().timeline>
                <timeline::Timeline />
            </Show>
            <Show when=move || controls>
                <transport::Transport />
            </Show>
        </div>
        <div class="sr" role="status" aria-live="polite">{live(move || Node::html("div").text(app.said.get()))}</div>
    }
}

/// "munlock, 56 pages", and both sides by name.
fn title(app: App) -> Node {
    app.loaded.track();
    app.with(|session| {
        let extent = session.extent().map_or(String::new(), |extent| format!(", {extent}"));
        let what = Node::html("b").text(format!("{}{extent}", session.subject.scenario));
        let side = |which: Which| {
            let name = format!("{}: {}", which.name(), session.side(which).label());
            Node::html("span").children([mark(which), Node::html("span").text(name)])
        };
        Node::html("h1").children([what, side(Which::Old), side(Which::New)])
    })
}

/// The way to the whole page, at this moment.
fn explorer(app: App) -> Node {
    app.shown.track();
    app.looked.track();
    let href = explorer_address(&web::base(), &app.link());
    Node::html("a")
        .class("open")
        .with("href", href)
        .with("target", "_blank")
        .with("rel", "noopener")
        .children([Node::html("span").text("Open in mmscope"), out()])
}

/// An arrow that leaves.
fn out() -> Node {
    let svg = Node::svg("svg").with("viewBox", "0 0 12 12").with("aria-hidden", "true");
    svg.children([Node::svg("path").with("d", "M4.2 2.5h5.3v5.3H8.1V4.9L3.4 9.6 2.4 8.6 7.1 3.9H4.2z")])
}

fn explorer_address(folder: &str, link: &hash::Link) -> String {
    format!("{folder}{}", hash::encode(link))
}
