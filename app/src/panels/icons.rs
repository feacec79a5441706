//! Small drawings.

use leptos::prelude::*;

use crate::dom::{Node, live};
use crate::link::Which;

/// Says that a button opens a choice.
pub fn chevron() -> Node {
    let svg = Node::svg("svg").class("ch").with("viewBox", "0 0 10 10").with("aria-hidden", "true");
    svg.children([Node::svg("path").with("d", "M2 3.5L5 6.5L8 3.5")])
}

/// The same as a view.
#[component]
pub fn Chevron() -> impl IntoView {
    live(chevron)
}

/// Hollow for old, solid for new.
pub fn mark(which: Which) -> Node {
    Node::html("i").class(if which == Which::Old { "ko" } else { "kn" })
}

/// A sign of a button, in a box of 12 by 12: paths that are filled, and one that is a line.
pub fn sign(filled: &'static str, line: &'static str) -> AnyView {
    live(move || {
        let svg = Node::svg("svg").with("viewBox", "0 0 12 12").with("aria-hidden", "true");
        let line = (!line.is_empty()).then(|| Node::svg("path").class("s").with("d", line));
        svg.children(line).children([Node::svg("path").with("d", filled)])
    })
}

/// The program's own sign: two pages in their places, one that is about to move, one in hand.
pub fn brand() -> AnyView {
    live(|| {
        let square = |class: &'static str, x: f32, y: f32, side: f32, rx: f32| {
            let rect = Node::svg("rect").class(class).at("x", x).at("y", y);
            rect.at("width", side).at("height", side).at("rx", rx)
        };
        let hand = Node::svg("circle").class("c").at("cx", 16.5).at("cy", 16.5).at("r", 3.7);
        Node::svg("svg").with("viewBox", "0 0 22 22").with("aria-hidden", "true").children([
            square("a", 1.0, 1.0, 9.0, 1.0),
            square("b", 12.75, 1.75, 7.5, 3.0),
            square("b", 1.75, 12.75, 7.5, 3.0),
            hand,
        ])
    })
}

/// A line of the same hand as the chevron's, in a box of 10 by 10.
fn line(d: &'static str) -> Node {
    let svg = Node::svg("svg").class("ch").with("viewBox", "0 0 10 10").with("aria-hidden", "true");
    svg.children([Node::svg("path").with("d", d)])
}

/// Closes what it stands on.
pub fn cross() -> Node {
    line("M1.8 1.8L8.2 8.2M8.2 1.8L1.8 8.2")
}

/// To what was before.
pub fn left() -> Node {
    line("M6.5 1.8L3.3 5L6.5 8.2")
}

/// To what comes next.
pub fn right() -> Node {
    line("M3.5 1.8L6.7 5L3.5 8.2")
}
