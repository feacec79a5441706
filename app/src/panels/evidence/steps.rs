//! The steps behind a number: each goes to its moment.

use leptos::prelude::*;

use super::go_to;
use crate::app::App;
use crate::dom::{Node, live};
use crate::link::Which;
use crate::panels::icons::{cross, mark};
use crate::tables::{Entry, StepList};
use crate::text::thousands;
use crate::web;

/// Steps that are listed at first, and that each "more" adds.
const SOME: usize = 200;

/// The list that is open.
pub fn view(open: RwSignal<Option<StepList>>) -> AnyView {
    let app = App::get();
    let limit = RwSignal::new(SOME);
    let list = live(move || {
        let limit = limit.get();
        open.with(|list| match list {
            None => Node::html("section").with("hidden", ""),
            Some(list) => section(list, &app.with_mut(|session| list.entries(session, limit))),
        })
    });
    let shown = StoredValue::new(None::<StepList>);
    crate::dom::watch(move || {
        // Another list begins at its first steps.
        let now = open.get();
        if shown.with_value(|before| *before != now) {
            shown.set_value(now);
            limit.set(SOME);
        }
    });
    let clicked = move |event: web_sys::MouseEvent| {
        if web::closest(&event, "[data-shut]").is_some() {
            open.set(None);
        } else if web::closest(&event, "[data-more]").is_some() {
            limit.update(|limit| *limit += SOME);
        } else if let (Some(step), Some(which)) =
            (web::number_of(&event, "data-step"), open.with_untracked(|list| list.as_ref().map(|list| list.which)))
        {
            go_to(app, which, step);
        }
    };
    view! { <div class="steps" on:click=clicked>{list}</div> }.into_any()
}

fn section(list: &StepList, entries: &[Entry]) -> Node {
    let head = Node::html("header").children([
        Node::html("h3")
            .with("id", "steps-title")
            .with("tabindex", "-1")
            .children([mark(list.which), Node::html("span").text(list.title.clone())]),
        Node::html("button").with("data-shut", "").with("aria-label", "Close the list").children([cross()]),
    ]);
    let rows = Node::html("ol").children(entries.iter().map(|entry| row(list.which, entry)));
    let left = list.steps.len() - entries.len();
    let text = format!("{} more of {}", thousands(left.min(SOME) as u64), thousands(left as u64));
    let more = (left > 0).then(|| Node::html("button").class("more-rows").with("data-more", "").text(text));
    Node::html("section")
        .with("aria-labelledby", "steps-title")
        .children([head, Node::html("p").text(list.summary()), rows])
        .children(more)
}

fn row(which: Which, entry: &Entry) -> Node {
    let adds = (entry.adds != 1).then(|| Node::html("i").text(format!("×{}", thousands(entry.adds))));
    let button = Node::html("button").with("data-step", entry.step.to_string()).children([
        Node::html("b").text(format!("{}, step {}", which.name(), thousands(entry.step.into()))),
        Node::html("code").text(entry.function),
        Node::html("span").text(entry.sentence.clone()),
    ]);
    Node::html("li").children([button.children(adds)])
}

/// Puts the focus on the list that has been opened.
pub fn focus() {
    use leptos::wasm_bindgen::JsCast;
    // Queued behind the effect that makes the list.
    leptos::task::spawn_local(async {
        let title = document().get_element_by_id("steps-title");
        if let Some(title) = title.and_then(|title| title.dyn_into::<web_sys::HtmlElement>().ok()) {
            // Focus fails for no element that is shown.
            let _ = title.focus();
        }
    });
}
