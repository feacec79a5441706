//! Keys, settings, and what the signs mean.

use leptos::html;
use leptos::prelude::*;

use crate::app::{App, Dialog};
use crate::dom::{Node, live, watch};
use crate::keys::{Binding, FOCUSED, TABLE};
use crate::settings::{Motion, Settings, Theme};
use crate::web;

const INTRODUCTION: &str = "Two kernels do the same work, one step at a time. A step is one micro-operation: an atomic, \
    a lock taken or given back, a page moved. Linked by milestone, both sides go from page to page of the range \
    together: whoever has less to do waits for the other.";

/// The help.
#[component]
pub fn Help() -> impl IntoView {
    let app = App::get();
    let changed = move |event: web_sys::Event| {
        let (Some(input), on) = (web::target(&event), event_target_checked(&event)) else { return };
        let value = input.get_attribute("value").unwrap_or_default();
        app.change_settings(|settings| match input.get_attribute("name").as_deref() {
            Some("theme") => settings.theme = Theme::from_name(&value),
            Some("motion") => settings.motion = Motion::from_name(&value),
            _ => settings.letters = on,
        });
    };
    let content = move || {
        // What is chosen while the dialog is open shows in the inputs by itself.
        let settings = app.settings.get_untracked();
        view! { <div on:change=changed>{live(move || help(settings))}</div> }.into_any()
    };
    view! { <Modal which=Dialog::Help title="Help" content /> }
}

fn help(settings: Settings) -> Node {
    let title = |text: &'static str| Node::html("h3").text(text);
    Node::html("div").children([
        Node::html("p").text(INTRODUCTION),
        title("Keys"),
        Node::html("dl").class("keys").children(TABLE.iter().chain(FOCUSED).flat_map(binding)),
        title("Settings"),
        Node::html("div").class("settings").children([
            field("Theme", Theme::ALL.map(|theme| radio("theme", theme.name(), theme == settings.theme)).into()),
            field("Motion", Motion::ALL.map(|motion| radio("motion", motion.name(), motion == settings.motion)).into()),
            field("Keys", vec![letters(settings.letters)]),
        ]),
        title("Signs"),
        signs(),
    ])
}

fn binding(binding: &'static Binding) -> [Node; 2] {
    let key = |&key: &&'static str| Node::html(if key == "…" { "span" } else { "kbd" }).text(key);
    [Node::html("dt").children(binding.keys.iter().map(key)), Node::html("dd").text(binding.does)]
}

fn field(legend: &'static str, inputs: Vec<Node>) -> Node {
    Node::html("fieldset").children([Node::html("legend").text(legend)]).children(inputs)
}

fn radio(name: &'static str, value: &'static str, chosen: bool) -> Node {
    let input = Node::html("input").with("type", "radio").with("name", name).with("value", value);
    Node::html("label").children([input.with_if(chosen, "checked", ""), Node::html("span").text(value)])
}

fn letters(on: bool) -> Node {
    let input = Node::html("input").with("type", "checkbox").with_if(on, "checked", "");
    Node::html("label").children([input, Node::html("span").text("letters, digits and signs are commands")])
}

fn signs() -> Node {
    let signs = [
        ("k-now", "touched by this step"),
        ("k-held", "lock held: a fence round what it protects"),
        ("k-unev", "page on the unevictable list"),
        ("k-inact", "page on an inactive list"),
        ("k-act", "page on an active list"),
        ("k-pvec", "page in a pagevec and on no list"),
        ("k-iso", "page isolated by a CPU"),
        ("k-ref", "only a reference: the page is elsewhere"),
        ("k-file", "file page"),
        ("k-pin", "pinned: an extra reference"),
    ];
    let sign =
        |(class, meaning)| Node::html("li").children([Node::html("i").class(class), Node::html("span").text(meaning)]);
    Node::html("ul").class("key all").children(signs.map(sign))
}

/// A dialog over the page. What is in it is made when it opens.
#[component]
pub fn Modal(
    which: Dialog,
    title: &'static str,
    content: impl Fn() -> AnyView + Send + Sync + 'static,
) -> impl IntoView {
    modal(which, title, Box::new(content))
}

fn modal(which: Dialog, title: &'static str, content: Box<dyn Fn() -> AnyView + Send + Sync>) -> AnyView {
    let app = App::get();
    let dialog = NodeRef::<html::Dialog>::new();
    let open = Memo::new(move |_| app.dialog.get() == Some(which));
    let content = StoredValue::new(content);
    watch(move || {
        let Some(dialog) = dialog.get() else { return };
        match (open.get(), dialog.open()) {
            // Fails for no dialog that is in the document and closed.
            (true, false) => _ = dialog.show_modal(),
            (false, true) => dialog.close(),
            _ => {}
        }
    });
    let closed = move |_| {
        if app.dialog.get_untracked() == Some(which) {
            app.dialog.set(None);
        }
    };
    // So does a click on the ground beside the dialog.
    let clicked = move |event: web_sys::MouseEvent| {
        let beside = web::target(&event).is_some_and(|target| target.tag_name().eq_ignore_ascii_case("dialog"));
        if beside || web::closest(&event, "[data-close]").is_some() {
            app.dialog.set(None);
        }
    };
    view! {
        <dialog class="big" node_ref=dialog aria-label=title on:close=closed on:click=clicked>
            <header>
                <h2>{title}</h2>
                <button class="ico" aria-label="Close" data-close="">{live(super::icons::cross)}</button>
            </header>
            <div tabindex="-1">{move || open.get().then(|| content.with_value(|content| content()))}</div>
        </dialog>
    }
    .into_any()
}
