//! The list of breakpoints: each can be switched and removed.

use leptos::prelude::*;

use crate::app::App;
use crate::dom::{Node, live};
use crate::questions::Break;
use crate::web;

/// The list.
pub fn view(app: App) -> AnyView {
    let list = live(move || app.breaks.with(|breaks| list(breaks)));
    let clicked = move |event: web_sys::MouseEvent| {
        if let Some(at) = web::number_of(&event, "data-break") {
            app.change_breaks(|breaks| {
                if let Some(one) = breaks.get_mut(at as usize) {
                    one.on = !one.on;
                }
            });
        } else if let Some(at) = web::number_of(&event, "data-remove") {
            app.change_breaks(|breaks| {
                if (at as usize) < breaks.len() {
                    breaks.remove(at as usize);
                }
            });
            app.tell("Breakpoint removed");
            // The button that had the focus is gone.
            super::focus_box();
        }
    };
    view! { <section class="breaks" aria-label="Breakpoints" on:click=clicked>{list}</section> }.into_any()
}

fn list(breaks: &[Break]) -> Node {
    let title = Node::html("h3").text("Breakpoints");
    if breaks.is_empty() {
        let how = "None. Playing and “next page” stop at one: write a condition above and choose “stop whenever”, \
            or “stop here” on anything that you look at.";
        return Node::html("div").key("none").children([title, Node::html("p").text(how)]);
    }
    let items = breaks.iter().enumerate().map(|(at, one)| item(at, one));
    Node::html("div").key("some").children([title, Node::html("ul").children(items)])
}

fn item(at: usize, one: &Break) -> Node {
    let number = at.to_string();
    let switch = Node::html("button")
        .class("switch")
        .with("role", "switch")
        .with("aria-checked", if one.on { "true" } else { "false" })
        .with("data-break", number.clone())
        .children([Node::html("i").with("aria-hidden", "true"), Node::html("span").text(one.text.clone())]);
    let why = one.condition.as_ref().err().map(|why| Node::html("small").text(why.clone()));
    let remove = Node::html("button")
        .class("ico")
        .with("aria-label", format!("Remove {}", one.text))
        .with("data-remove", number)
        .text("×");
    Node::html("li").children([switch]).children(why).children([remove])
}
