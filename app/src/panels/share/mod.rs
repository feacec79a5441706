//! What is passed on: the link of the moment, what to paste into a page, the picture. One dialog with a tab for each;
//! nothing leaves the browser but by the reader's own hand.

mod embed;
mod image;
mod link;
mod meant;

use leptos::prelude::*;

pub use meant::Meant;

use super::header::write_clipboard;
use super::help::Modal;
use super::tabs::{Tab, Tabs};
use crate::app::{App, Dialog};
use crate::dom::{Node, live};

const TABS: Tabs = Tabs {
    name: "Share",
    tabs: &[
        Tab { name: "Link", content: link::content },
        Tab { name: "Embed", content: embed::content },
        Tab { name: "Image", content: image::content },
    ],
    id: "share-tab",
    panel: "share-panel",
    class: "share-tabs",
    scrolls: false,
};

/// The dialog.
#[component]
pub fn ShareDialog() -> impl IntoView {
    let chosen = RwSignal::new(0_usize);
    let content = move || TABS.view(chosen);
    view! { <Modal which=Dialog::Share title="Share" content /> }
}

/// A button that copies a text, and says whether it could.
fn copy_button(label: &'static str, text: impl Fn() -> Option<String> + Send + Sync + 'static) -> AnyView {
    let app = App::get();
    let word = RwSignal::new(label);
    let copy = move |_| {
        let Some(text) = text() else { return };
        leptos::task::spawn_local(async move {
            let done = write_clipboard(&text).await;
            word.set(if done { "Copied" } else { "Not copied" });
            app.tell(if done {
                "Copied"
            } else {
                "The browser does not let this page copy; select the text and copy it by hand"
            });
            set_timeout(move || _ = word.try_set(label), std::time::Duration::from_secs(2));
        });
    };
    view! { <button class="btn" type="button" on:click=copy>{move || word.get()}</button> }.into_any()
}

/// A text to be read, selected and copied, in a field of its own.
fn text_field(label: &'static str, rows: &'static str, text: impl Fn() -> String + Send + Sync + 'static) -> AnyView {
    view! {
        <label class="share-text">
            <span>{label}</span>
            <textarea readonly rows=rows spellcheck="false" prop:value=text></textarea>
        </label>
    }
    .into_any()
}

/// A check box.
fn check(name: &'static str, label: &'static str, on: bool) -> Node {
    let input = Node::html("input").with("type", "checkbox").with("name", name).with_if(on, "checked", "");
    Node::html("label").children([input, Node::html("span").text(label)])
}

/// A choice of one among names.
fn choice(legend: &'static str, name: &'static str, names: &[&'static str], chosen: &str) -> Node {
    let radio = |value: &&'static str| {
        let input = Node::html("input").with("type", "radio").with("name", name).with("value", *value);
        let input = input.with_if(*value == chosen, "checked", "");
        Node::html("label").children([input, Node::html("span").text(*value)])
    };
    let choices = names.iter().map(radio);
    Node::html("fieldset").children([Node::html("legend").text(legend)]).children(choices)
}

/// A line that is there only where there is something to say.
fn said(class: &'static str, text: impl Fn() -> Option<String> + 'static) -> AnyView {
    live(move || Node::html("div").children(text().map(|text| Node::html("p").class(class).text(text))))
}
