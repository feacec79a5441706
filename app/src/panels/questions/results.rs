//! What the box finds: groups with their counts, as a list of choices.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;

use super::Search;
use crate::dom::{Node, live};
use crate::questions::{Answer, Found, Group, Hit};
use crate::text::thousands;

/// The list.
pub fn view(it: Search) -> AnyView {
    let list = live(move || it.found.with(|found| list(found, it.marked.get())));
    view! { <div class="hitbox" on:click=move |event| it.click(&event)>{list}</div> }.into_any()
}

fn list(found: &Found, marked: usize) -> Node {
    let mut at = 0;
    let groups: Vec<Node> = found.groups.iter().map(|shown| group(shown, &mut at, marked)).collect();
    let note = (!found.note.is_empty()).then(|| Node::html("p").class("asknote").text(found.note.clone()));
    // A list of choices without any is none.
    let list = Node::html("div").with("id", "hits").class("hits");
    let list = match groups.is_empty() {
        true => list,
        false => list.with("role", "listbox").with("aria-label", "Found").children(groups),
    };
    Node::html("div").children([list]).children(note)
}

fn group(group: &Group, at: &mut usize, marked: usize) -> Node {
    let shown = group.hits.len();
    let count = match group.total {
        total if total > shown => format!("{shown} of {}", thousands(total as u64)),
        total => thousands(total as u64),
    };
    let head = Node::html("div")
        .class("hithead")
        .with("role", "presentation")
        .children([Node::html("b").text(group.name), Node::html("span").text(count)]);
    let hits = group.hits.iter().map(|found| {
        let node = hit(found, *at, *at == marked);
        *at += 1;
        node
    });
    let hits: Vec<Node> = hits.collect();
    Node::html("div").with("role", "group").with("aria-label", group.name).children([head]).children(hits)
}

fn hit(hit: &Hit, at: usize, marked: bool) -> Node {
    let sign = match hit.answer {
        Answer::Run(_) => "→",
        Answer::Stop(_) => "◆",
        Answer::Look(_) => "◎",
        Answer::Step(..) => "#",
    };
    Node::html("div")
        .class(if marked { "hit marked" } else { "hit" })
        .with("role", "option")
        .with("id", format!("hit-{at}"))
        .with("data-hit", at.to_string())
        .with("aria-selected", if marked { "true" } else { "false" })
        .children([
            Node::html("i").with("aria-hidden", "true").text(sign),
            Node::html("b").text(hit.label.clone()),
            Node::html("span").text(hit.detail.clone()),
        ])
}

/// Scrolls the list, and nothing else, until a hit shows.
pub fn show(hit: &web_sys::Element) {
    let Some(list) = hit.closest(".hits").ok().flatten() else { return };
    let (hit, list): (&web_sys::HtmlElement, web_sys::HtmlElement) = (hit.unchecked_ref(), list.unchecked_into());
    let (top, bottom) = (hit.offset_top(), hit.offset_top() + hit.offset_height());
    if top < list.scroll_top() {
        list.set_scroll_top(top - 28);
    } else if bottom > list.scroll_top() + list.client_height() {
        list.set_scroll_top(bottom - list.client_height());
    }
}
