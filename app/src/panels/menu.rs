//! The name of a side, which is a button with the choice of kernels under it.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;

use super::icons::{chevron, mark};
use crate::app::App;
use crate::dom::{Node, live};
use crate::link::Which;
use crate::session::Session;
use crate::web;

/// "old: v3.11-rc3", and what else there is.
#[component]
pub fn VariantMenu(which: Which) -> impl IntoView {
    let app = App::get();
    let open = RwSignal::new(false);
    let host = NodeRef::<html::Div>::new();
    let name = live(move || {
        app.loaded.track();
        let open = open.get();
        app.with(|session| name(session, which, open))
    });
    let close = move || {
        open.set(false);
        focus(host, ".pick");
    };
    let clicked = move |event: web_sys::MouseEvent| {
        if let Some(value) = web::closest(&event, "[data-value]").and_then(|item| item.get_attribute("data-value")) {
            close();
            app.set_variant(which, &value);
        } else if web::closest(&event, ".pick").is_some() {
            open.update(|open| *open = !*open);
            // In the next frame the menu is there; a key may have been quicker.
            request_animation_frame(move || {
                let inside = document()
                    .active_element()
                    .is_some_and(|element| element.matches("[role=menuitemradio]") == Ok(true));
                if !inside {
                    focus(host, "[aria-checked=true]");
                }
            });
        }
    };
    let keys = move |event: KeyboardEvent| {
        if !open.get_untracked() {
            return;
        }
        match event.key().as_str() {
            "ArrowDown" => move_focus(host, |at, count| (at + 1) % count),
            "ArrowUp" => move_focus(host, |at, count| (at + count - 1) % count),
            "Home" => move_focus(host, |_, _| 0),
            "End" => move_focus(host, |_, count| count - 1),
            "Escape" => close(),
            "Tab" => return open.set(false),
            _ => return,
        }
        event.prevent_default();
    };
    let left = move |event: web_sys::FocusEvent| {
        let to = event.related_target().and_then(|target| target.dyn_into::<web_sys::Node>().ok());
        if !host.get_untracked().is_some_and(|host| host.contains(to.as_ref())) {
            open.set(false);
        }
    };
    view! { <div class="under" node_ref=host on:click=clicked on:keydown=keys on:focusout=left>{name}</div> }
}

fn name(session: &Session, which: Which, open: bool) -> Node {
    let label = format!("{}: {}", which.name(), session.side(which).label());
    let button = Node::html("button")
        .class("pick")
        .with("aria-haspopup", "menu")
        .with("aria-expanded", if open { "true" } else { "false" })
        .with("title", "Choose the kernel of this side")
        .children([mark(which), Node::html("span").text(label), chevron()]);
    let heading = Node::html("h2").children([button]);
    Node::html("div").class("live").children([heading]).children(open.then(|| menu(session, which)))
}

fn menu(session: &Session, which: Which) -> Node {
    let spec = &session.side(which).track.run.spec;
    let item = |variant: &'static sim_core::scenario::Variant| {
        let chosen = variant.name == spec.variant.name;
        Node::html("button")
            .with("role", "menuitemradio")
            .with("tabindex", "-1")
            .with("aria-checked", if chosen { "true" } else { "false" })
            .with("data-value", variant.name)
            .children([Node::html("span").text(variant.label), Node::html("small").text(variant.title)])
    };
    let label = format!("Kernels for the {} side", which.name());
    let menu = Node::html("div").class("menu").with("role", "menu").with("aria-label", label);
    menu.children(spec.scenario.variants.iter().map(item))
}

fn focus(host: NodeRef<html::Div>, selector: &str) {
    let found = host.try_get_untracked().flatten().and_then(|host| host.query_selector(selector).ok().flatten());
    if let Some(element) = found {
        // Focus fails for no button that is shown.
        let _ = element.unchecked_into::<web_sys::HtmlElement>().focus();
    }
}

fn move_focus(host: NodeRef<html::Div>, to: impl Fn(u32, u32) -> u32) {
    let menu = host.get_untracked().and_then(|host| host.query_selector(".menu").ok().flatten());
    let Some(items) = menu.map(|menu| menu.children()) else { return };
    let focused = document().active_element();
    let at = (0..items.length()).find(|&i| items.item(i) == focused).unwrap_or(0);
    if let Some(item) = items.item(to(at, items.length().max(1))) {
        // Focus fails for no button that is shown.
        let _ = item.unchecked_into::<web_sys::HtmlElement>().focus();
    }
}
