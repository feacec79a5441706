//! The code that runs: the very Rust function, its running line lit.

use leptos::prelude::*;
use sim_core::view::{Line, LineState, Listing};

use crate::app::App;
use crate::dom::Node;
use crate::link::Which;
use crate::track::CODE_ROWS;

/// Characters that there is room for in the call stack.
const ROOM: usize = 58;
/// Characters between two calls, with what stands for those left out.
const BETWEEN: usize = 3;

/// The code of one side.
#[component]
pub fn Code(which: Which) -> impl IntoView {
    let app = App::get();
    app.live(move |session| code(which, &session.side(which).moment.listing))
}

fn code(which: Which, listing: &Listing) -> Node {
    let title = Node::html("span").class("sr").text(format!("{}, call stack: ", which.name()));
    let calls = Node::html("span").class("calls").children([title]).children(crumbs(&listing.stack));
    let file =
        Node::html("span").class("file").with("title", format!("follows {}", listing.follows)).text(listing.file);
    let left = listing.lines.iter().filter(|line| !line.text.is_empty()).map(|line| line.indent).min().unwrap_or(0);
    let rows = (0..CODE_ROWS)
        .map(|i| listing.lines.get(i).map_or(Node::html("li"), |line| row(line, left, is_near(listing, i))));
    Node::html("div")
        .class("code")
        .children([Node::html("p").class("crumb").children([calls, file]), Node::html("ol").children(rows)])
}

fn row(line: &Line, left: u8, near: bool) -> Node {
    let span = |class: &'static str, text: String| Node::html("span").class(class).text(text);
    Node::html("li")
        .class(class(line.state, near))
        .with_if(line.state == LineState::Running, "aria-current", "step")
        .children([
            span("c", line.count.map_or(String::new(), |n| format!("{n}×"))),
            span("l", line.number.to_string()),
            Node::html("code").children(pieces(line, left)),
            span("nt", line.note.clone().unwrap_or_default()),
        ])
}

fn class(state: LineState, near: bool) -> &'static str {
    match (state, near) {
        (LineState::Running, _) => "run near",
        (LineState::Call, _) => "call near",
        (LineState::Plain, true) => "near",
        (LineState::Plain, false) => "",
        (LineState::Idle, true) => "idle near",
        (LineState::Idle, false) => "idle",
        (LineState::Absent, true) => "gone near",
        (LineState::Absent, false) => "gone",
    }
}

/// One of the three lines that there is room for beside little else: the running one, its call site or the line
/// before, and the next.
fn is_near(listing: &Listing, i: usize) -> bool {
    let Some(running) = listing.lines.iter().position(|line| line.state == LineState::Running) else { return i < 3 };
    i.abs_diff(running) <= 1
}

/// The text of a line; what every primitive ends in is set back.
fn pieces(line: &Line, left: u8) -> Vec<Node> {
    let indent = "  ".repeat(line.indent.saturating_sub(left).into());
    let mut pieces = Vec::new();
    for (i, text) in line.text.split(".await").enumerate() {
        if i == 0 {
            pieces.push(Node::html("span").text(format!("{indent}{text}")));
        } else {
            pieces.extend([Node::html("i").text(".await"), Node::html("span").text(text)]);
        }
    }
    pieces
}

fn crumbs(stack: &[&'static str]) -> Vec<Node> {
    let shown = shortened(stack);
    let last = shown.len().saturating_sub(1);
    let crumb = |(i, name): (usize, &'static str)| {
        let name = if i == last { Node::html("b").text(name) } else { Node::html("span").text(name) };
        let between = if i == 0 { "" } else { " › " };
        [Node::html("span").text(between), name]
    };
    shown.into_iter().enumerate().flat_map(crumb).collect()
}

/// The innermost calls that there is room for, and the outermost one.
fn shortened(stack: &[&'static str]) -> Vec<&'static str> {
    let Some((&first, inner)) = stack.split_first() else { return Vec::new() };
    let mut left = ROOM.saturating_sub(first.len());
    let fitting = inner.iter().rev().take_while(|name| {
        let needs = name.len() + BETWEEN;
        let fits = needs <= left;
        left = left.saturating_sub(needs);
        fits
    });
    let count = fitting.count().max(usize::from(!inner.is_empty()));
    let gap = (count < inner.len()).then_some("…");
    [first].into_iter().chain(gap).chain(inner[inner.len() - count..].iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_stacks_lose_their_middle() {
        assert_eq!(shortened(&[]), Vec::<&str>::new());
        assert_eq!(shortened(&["munlock_vma_pages_range", "pagevec_add"]), ["munlock_vma_pages_range", "pagevec_add"]);
        let long = [
            "sys_munlock",
            "munlock_vma_pages_range",
            "munlock_vma_page",
            "__munlock_isolated_page",
            "putback_lru_page",
        ];
        assert_eq!(shortened(&long), ["sys_munlock", "…", "__munlock_isolated_page", "putback_lru_page"]);
        const LONG: &str = "a_function_whose_name_is_far_too_long_to_stand_beside_any_other_in_the_line_above_the_code";
        assert_eq!(shortened(&["a", "b", LONG]), ["a", "…", LONG]);
    }
}
