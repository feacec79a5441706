//! What the author of the series claimed of either side and of both together, and what was found.

use leptos::prelude::*;
use sim_core::scenario::{Claim, ClaimKind};

use super::go_to;
use crate::app::App;
use crate::claims::{Standing, value};
use crate::dom::{Node, live};
use crate::link::Which;
use crate::panels::icons::mark;
use crate::session::Session;
use crate::text::thousands;
use crate::web;

/// The tab.
pub fn content() -> AnyView {
    let app = App::get();
    let clicked = move |event: web_sys::MouseEvent| {
        if let (Some(side), Some(step)) = (web::number_of(&event, "data-side"), web::number_of(&event, "data-step")) {
            go_to(app, Which::BOTH[usize::from(side != 0)], step);
        }
    };
    let lists = live(move || {
        app.loaded.track();
        app.with(lists)
    });
    view! { <div class="claimed" on:click=clicked>{lists}</div> }.into_any()
}

fn lists(session: &Session) -> Node {
    let side = |which: Which| {
        let title = format!("{}: {}", which.name(), session.side(which).label());
        list(Some(which), title, &session.side(which).track.run.claims)
    };
    let both = list(None, "old beside new".to_string(), &session.compared);
    Node::html("div").children([key()]).children(Which::BOTH.map(side)).children([both])
}

// What the three signs mean.
fn key() -> Node {
    let sign = |standing: Standing| {
        let sign = Node::html("b").class(standing.class()).with("aria-hidden", "true").text(standing.sign());
        Node::html("span").children([sign, Node::html("span").text(standing.words())])
    };
    Node::html("p").class("signs").children([Standing::Held, Standing::Known, Standing::Broken].map(sign))
}

fn list(which: Option<Which>, title: String, claims: &[Claim]) -> Node {
    let held = claims.iter().filter(|claim| claim.holds).count() as u64;
    let count = format!("{} of {} hold", thousands(held), thousands(claims.len() as u64));
    let head = Node::html("h3").children(which.map(mark)).children([
        Node::html("span").text(title.clone()),
        Node::html("small").text(if claims.is_empty() { String::new() } else { count }),
    ]);
    let mut sorted: Vec<&Claim> = claims.iter().collect();
    sorted.sort_by_key(|claim| Standing::of(claim));
    let section = Node::html("section").children([head]);
    if claims.is_empty() {
        let text = "The series claims nothing here, for these kernels and parameters.";
        return section.children([Node::html("p").text(text)]);
    }
    let items = sorted.into_iter().map(|claim| item(which, claim));
    section.children([Node::html("ul").with("aria-label", title).children(items)])
}

fn item(which: Option<Which>, claim: &Claim) -> Node {
    let standing = Standing::of(claim);
    let fact = |name: &'static str, text: String| [Node::html("dt").text(name), Node::html("dd").text(text)];
    let mut facts: Vec<Node> = fact("expected", value(&claim.expected)).into();
    facts.extend(fact("found", value(&claim.found)));
    facts.extend(fact("compared", kind(claim.kind).to_string()));
    facts.extend(fact("source", claim.source.to_string()));
    if !claim.why.is_empty() {
        facts.extend(fact("why", claim.why.to_string()));
    }
    let go = claim.step.zip(which).map(|(step, which)| to_step(which, step));
    let head = Node::html("div").children([
        Node::html("b").class("sign").with("aria-hidden", "true").text(standing.sign()),
        Node::html("strong").text(claim.claim),
        Node::html("em").text(standing.words()),
    ]);
    Node::html("li").class(standing.class()).children([head.children(go), Node::html("dl").children(facts)])
}

/// A button that goes to a step of one side.
pub fn to_step(which: Which, step: u32) -> Node {
    let text = format!("go to {}, step {}", which.name(), thousands(step.into()));
    Node::html("button")
        .class("go")
        .with("data-side", (which as u8).to_string())
        .with("data-step", step.to_string())
        .text(text)
}

fn kind(kind: ClaimKind) -> &'static str {
    match kind {
        ClaimKind::Count => "to the digit",
        ClaimKind::PerUnit => "to the stated decimals",
        ClaimKind::AtMost => "as a bound from above",
        ClaimKind::AtLeast => "as a bound from below",
        ClaimKind::Never => "as what must not happen",
        ClaimKind::Equal => "as two that must be the same",
    }
}
