//! What went wrong, under the top line.

use leptos::prelude::*;

use crate::app::{App, Banner};
use crate::dom::{Node, live};
use crate::link::Which;
use crate::session::{Go, Session};
use crate::web;

/// The banners, where there are any.
#[component]
pub fn BannerBar() -> impl IntoView {
    let app = App::get();
    let wrong = live(move || Node::html("div").children(app.banner.get().map(banner)));
    let broken = live(move || {
        app.loaded.track();
        app.with(broken)
    });
    let clicked = move |event: web_sys::MouseEvent| {
        let side = Which::BOTH.into_iter().find_map(|which| {
            let step = web::number_of(&event, if which == Which::Old { "data-old" } else { "data-new" })?;
            Some(Go::Side(which, step))
        });
        match side {
            Some(go) => app.step(go),
            None if web::closest(&event, "button").is_some() => app.banner.set(None),
            None => {}
        }
    };
    view! { <div on:click=clicked><div role="alert">{wrong}</div>{broken}</div> }
}

fn banner(banner: Banner) -> Node {
    let words = [Node::html("b").text(banner.title), Node::html("span").text(format!(" {}", banner.detail))];
    Node::html("div")
        .class("banner bad")
        .children([Node::html("span").children(words), Node::html("button").text("Dismiss")])
}

/// The rules that the runs broke.
fn broken(session: &Session) -> Node {
    let bar = |which: Which| {
        let side = session.side(which);
        let violation = side.track.run.timeline.violation()?;
        let rule = Node::html("b").text(format!("✗ {}", violation.rule));
        // What was asked for is at fault where the kernel is not.
        let ends = if violation.by_input() { "stops the run" } else { "breaks" };
        let detail = format!(" {ends} in {}: {}: {}", which.name(), side.label(), violation.detail);
        let attribute = if which == Which::Old { "data-old" } else { "data-new" };
        let step = violation.step.to_string();
        let go = Node::html("button").text(format!("Go to step {step}")).with(attribute, step);
        let words = Node::html("span").children([rule, Node::html("span").text(detail)]);
        Some(Node::html("div").class("banner note").children([words, go]))
    };
    Node::html("div").children(Which::BOTH.into_iter().filter_map(bar))
}
