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
use crate::app::{App, Dialog};
use crate::dom::{Node, live};

/// A tab: its name, and what makes its content.
struct Tab {
    name: &'static str,
    content: fn() -> AnyView,
}

const TABS: &[Tab] = &[
    Tab { name: "Link", content: link::content },
    Tab { name: "Embed", content: embed::content },
    Tab { name: "Image", content: image::content },
];

/// The dialog.
#[component]
pub fn ShareDialog() -> impl IntoView {
    let chosen = RwSignal::new(0_usize);
    let content = move || tabs(chosen);
    view! { <Modal which=Dialog::Share title="Share" content /> }
}

fn tabs(chosen: RwSignal<usize>) -> AnyView {
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
        focus(&format!("share-tab-{to}"));
    };
    let tab = move |at: usize| {
        let selected = move || chosen.get() == at;
        view! {
            <button
                role="tab"
                id=format!("share-tab-{at}")
                aria-controls="share-panel"
                aria-selected=move || selected().to_string()
                tabindex=move || if selected() { "0" } else { "-1" }
                on:click=move |_| chosen.set(at)
            >
                {TABS[at].name}
            </button>
        }
    };
    view! {
        <div class="share-tabs" role="tablist" aria-label="Share" on:keydown=keys>
            {(0..TABS.len()).map(tab).collect_view()}
        </div>
        <section
            class="share-panel"
            id="share-panel"
            role="tabpanel"
            aria-labelledby=move || format!("share-tab-{}", chosen.get())
        >
            {move || (TABS[chosen.get()].content)()}
        </section>
    }
    .into_any()
}

fn focus(id: &str) {
    use leptos::wasm_bindgen::JsCast;
    let element = document().get_element_by_id(id);
    if let Some(element) = element.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
        // Focus fails for no button that is shown.
        let _ = element.focus();
    }
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
