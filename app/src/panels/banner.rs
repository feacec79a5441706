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

/// The rules that the runs broke: one line, whether one side breaks them or both.
fn broken(session: &Session) -> Node {
    let violation = |which: Which| session.side(which).track.run.timeline.violation();
    let broken: Vec<Which> = Which::BOTH.into_iter().filter(|&which| violation(which).is_some()).collect();
    let said = |which: Which| {
        let violation = violation(which)?;
        let rule = Node::html("b").text(format!("✗ {}", violation.rule));
        // What was asked for is at fault where the kernel is not.
        let ends = if violation.by_input() { "stops the run" } else { "breaks" };
        let detail = format!(" {ends} in {}: {}: {} ", which.name(), session.side(which).label(), violation.detail);
        Some([rule, Node::html("span").text(detail)])
    };
    // Where both break the same rule in the same words, they are said once.
    let same = match broken[..] {
        [old, new] => {
            let words = [violation(old), violation(new)].map(|one| one.map(|one| (one.rule, &one.detail)));
            words[0] == words[1]
        }
        _ => false,
    };
    let once = || {
        let violation = violation(Which::Old)?;
        let rule = Node::html("b").text(format!("✗ {}", violation.rule));
        Some([
            rule,
            Node::html("span").text(format!(
                " {} on both sides: {} ",
                if violation.by_input() { "stops the run" } else { "breaks" },
                violation.detail
            )),
        ])
    };
    let words: Vec<Node> = if same {
        once().into_iter().flatten().collect()
    } else {
        broken.iter().filter_map(|&which| said(which)).flatten().collect()
    };
    let go = |which: Which| {
        let step = violation(which)?.step.to_string();
        let attribute = if which == Which::Old { "data-old" } else { "data-new" };
        let side = if broken.len() > 1 { format!("{} ", which.name()) } else { String::new() };
        Some(Node::html("button").text(format!("Go to {side}step {step}")).with(attribute, step))
    };
    let bar = (!broken.is_empty()).then(|| {
        let words = Node::html("span").children(words);
        Node::html("div").class("banner note").children([words]).children(broken.iter().filter_map(|&which| go(which)))
    });
    Node::html("div").children(bar)
}
