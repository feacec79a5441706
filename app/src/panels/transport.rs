//! The controls.

use leptos::prelude::*;

use super::icons::{Chevron, sign};
use crate::app::{App, SPEEDS};
use crate::chart::Size;
use crate::dom::{Node, live};
use crate::link::{Link, Pair, Which};
use crate::session::{Go, Session};

const RESTART: &str = "M2 2h1.6v8H2zM10 2v8L4.4 6z";
const BACK: &str = "M8.5 2L4 6l4.5 4z";
const STEP: &str = "M3.5 2L8 6l-4.5 4z";
const OVER: &str = "M11.6 4.4L9.9 8.6 6.9 5.6z";
const OVER_LINE: &str = "M1.5 8a4.2 4.2 0 0 1 8-1";
const NEXT: &str = "M1.5 2L6 6l-4.5 4zM6.5 2L11 6l-4.5 4z";
const PLAY: &str = "M2.5 1.5L10.5 6l-8 4.5z";
const PAUSE: &str = "M2.5 1.5h2.7v9H2.5zM6.8 1.5h2.7v9H6.8z";

/// The controls.
#[component]
pub fn Transport() -> impl IntoView {
    let app = App::get();
    let at_start = app.memo(|session| session.at() == Pair::default());
    let ended = app.memo(Session::ended);
    let signs = live(move || {
        app.loaded.track();
        signs(app.with(|session| session.side(Which::Old).track.run.spec.scenario.series().name))
    });
    view! {
        <footer class="transport">
            <div class="grp1" role="group" aria-label="Steps">
                <Press app go=Go::Clock(0) keys="Home" off=at_start class="ico">
                    <span class="sr">"Restart"</span>
                    {sign(RESTART, "")}
                </Press>
                <Press app go=Go::Back keys="ArrowLeft" off=at_start>
                    {sign(BACK, "")}
                    <span>"Back"</span>
                </Press>
                <Press app go=Go::Step keys="ArrowRight" off=ended class="pri">
                    <span>"Step"</span>
                    {sign(STEP, "")}
                </Press>
                <Press app go=Go::Over keys="o" off=ended>
                    <span>"Step over"</span>
                    {sign(OVER, OVER_LINE)}
                </Press>
                <Press app go=Go::Next keys="Shift+ArrowRight" off=ended>
                    {live(move || next_label(app))}
                    {sign(NEXT, "")}
                </Press>
                <button class="play" aria-keyshortcuts="Space" on:click=move |_| app.toggle_play()>
                    {live(move || play_button(app.playing.get()))}
                </button>
            </div>
            {signs}
            <div class="grp2">
                <Show when=move || app.size.get() == Size::Medium>
                    <MoreCounts />
                </Show>
                <Choices />
            </div>
        </footer>
    }
}

fn next_label(app: App) -> Node {
    app.loaded.track();
    Node::html("span").text(app.with(|session| format!("Next {}", session.opening().unit.1)))
}

/// A button that moves through the runs.
#[component]
fn Press(
    app: App,
    go: Go,
    /// Its key.
    keys: &'static str,
    /// There is nowhere to go.
    off: Memo<bool>,
    #[prop(default = "")] class: &'static str,
    children: Children,
) -> impl IntoView {
    let id = if go == Go::Step { Some("step") } else { None };
    view! {
        <button
            id=id
            class=class
            aria-keyshortcuts=keys
            aria-disabled=move || if off.get() { "true" } else { "false" }
            on:click=app.on(go)
        >
            {children()}
        </button>
    }
}

fn play_button(playing: bool) -> Node {
    let (word, d) = if playing { ("Pause", PAUSE) } else { ("Play", PLAY) };
    let svg = Node::svg("svg").with("viewBox", "0 0 12 12").with("aria-hidden", "true");
    Node::html("span")
        .class("live")
        .children([Node::html("span").text(word), svg.children([Node::svg("path").with("d", d)])])
}

/// Back to the start, where the controls have no room for it.
#[component]
pub fn Restart() -> impl IntoView {
    let app = App::get();
    view! { <button on:click=app.on(Go::Clock(0))>"Restart"</button> }
}

/// Opens the table and the claims where they have no column of their own.
#[component]
fn MoreCounts() -> impl IntoView {
    let app = App::get();
    let word = live(move || Node::html("b").text(if app.counts.get() { "fewer counts" } else { "all counts" }));
    view! {
        <button
            class="plain"
            aria-expanded=move || if app.counts.get() { "true" } else { "false" }
            on:click=move |_| app.counts.update(|open| *open = !*open)
        >
            {word}
            <Chevron />
        </button>
    }
}

/// What joins the sides, and how fast they play.
#[component]
pub fn Choices() -> impl IntoView {
    let app = App::get();
    let choose = move |event: web_sys::Event| {
        let value = event_target_value(&event);
        match value.parse() {
            Ok(speed) => app.speed.set(speed),
            Err(_) => app.set_link(Link::from_name(&value).unwrap_or_default()),
        }
    };
    let link = app.live(|session| {
        let option = |link: Link| (link.name().to_string(), link.name().to_string());
        select("link by", session.link.name().to_string(), Link::ALL.map(option).into())
    });
    let speed = live(move || {
        let option = |speed: u32| (speed.to_string(), format!("{speed}/s"));
        select("speed", app.speed.get().to_string(), SPEEDS.map(option).into())
    });
    view! { <div class="live" on:change=choose>{link}{speed}</div> }
}

/// A choice with its label, what is chosen, and the options' values and names.
fn select(label: &'static str, chosen: String, options: Vec<(String, String)>) -> Node {
    let option = |(value, name): (String, String)| Node::html("option").with("value", value).text(name);
    Node::html("label").class("plain").children([
        Node::html("span").text(label),
        Node::html("select").with("value", chosen).children(options.into_iter().map(option)),
        super::icons::chevron(),
    ])
}

/// What the signs of the drawing mean: those that this series shows.
fn signs(series: &str) -> Node {
    let own: &[(&'static str, &'static str)] = match series {
        "lru-drain" => &[
            ("k-pvec", "in a pagevec, off the lists"),
            ("k-unev", "unevictable"),
            ("k-inact", "inactive"),
            ("k-work", "work item that runs"),
        ],
        "pcp-free" => &[
            ("k-free", "free page or block"),
            ("k-pvec", "in a pagevec, off the lists"),
            ("k-act", "active anon"),
            ("k-iso", "isolated"),
        ],
        "madvise-free" => &[
            ("k-inact", "inactive anon"),
            ("k-act", "active anon"),
            ("k-swap", "swapped out"),
            ("k-free", "free"),
            ("k-iso", "isolated"),
        ],
        "rmap-unmap" => &[
            ("k-iso", "isolated by reclaim"),
            ("k-ref", "only a reference: TLB entry, folio"),
            ("k-inact", "inactive"),
            ("k-file", "file page"),
        ],
        _ => &[
            ("k-unev", "unevictable"),
            ("k-inact", "inactive anon"),
            ("k-pvec", "in a pagevec, off the lists"),
            ("k-ref", "only a reference"),
            ("k-pin", "pinned"),
        ],
    };
    let sign = |&(class, meaning): &(&'static str, &'static str)| {
        Node::html("li").children([Node::html("i").class(class), Node::html("span").text(meaning)])
    };
    let signs = [("k-now", "this step"), ("k-held", "lock held")];
    let list = Node::html("ul").class("key").with("aria-label", "Key");
    list.children(signs.iter().map(sign)).children(own.iter().map(sign))
}
