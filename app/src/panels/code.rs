//! The code that runs: the very Rust function, its running line lit.

use leptos::prelude::*;
use sim_core::view::{Line, LineState, Listing};

use crate::app::App;
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
    let stack = app.memo(move |session| session.side(which).moment.listing.stack.clone());
    let file = app.memo(move |session| {
        let listing = &session.side(which).moment.listing;
        (listing.file, listing.follows.clone())
    });
    let row = move |i: usize| {
        let line = app.memo(move |session| {
            let listing = &session.side(which).moment.listing;
            let left =
                listing.lines.iter().filter(|line| !line.text.is_empty()).map(|line| line.indent).min().unwrap_or(0);
            listing.lines.get(i).map(|line| {
                let indent = line.indent.saturating_sub(left);
                (Line { indent, ..line.clone() }, is_near(listing, i))
            })
        });
        view! { <Row line=line /> }
    };
    view! {
        <div class="code">
            <p class="crumb">
                <span class="calls">
                    <span class="sr">{which.name()}", call stack: "</span>
                    {move || crumbs(&stack.read())}
                </span>
                <span class="file" title=move || format!("follows {}", file.read().1)>{move || file.read().0}</span>
            </p>
            <ol>{(0..CODE_ROWS).map(row).collect_view()}</ol>
        </div>
    }
}

#[component]
fn Row(line: Memo<Option<(Line, bool)>>) -> impl IntoView {
    let with =
        move |read: fn(&Line) -> String| move || line.read().as_ref().map_or(String::new(), |(line, _)| read(line));
    let class = move || match &*line.read() {
        None => "none",
        Some((line, near)) => class(line.state, *near),
    };
    let current =
        move || line.read().as_ref().is_some_and(|(line, _)| line.state == LineState::Running).then_some("step");
    let text = move || line.read().as_ref().map(|(line, _)| pieces(line));
    view! {
        <li class=class aria-current=current>
            <span class="c">{with(|line| line.count.map_or(String::new(), |n| format!("{n}×")))}</span>
            <span class="l">{with(|line| line.number.to_string())}</span>
            <code>{text}</code>
            <span class="nt">{with(|line| line.note.clone().unwrap_or_default())}</span>
        </li>
    }
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
fn pieces(line: &Line) -> impl IntoView + use<> {
    let indent = "  ".repeat(line.indent.into());
    let mut rest = line.text.split(".await");
    let first = format!("{indent}{}", rest.next().unwrap_or_default());
    let rest = rest.map(|text| view! { <i>".await"</i>{text} }).collect_view();
    (first, rest)
}

fn crumbs(stack: &[&'static str]) -> impl IntoView + use<> {
    let shown = shortened(stack);
    let last = shown.len().saturating_sub(1);
    let crumb = |(i, name): (usize, &'static str)| {
        let name = if i == last { view! { <b>{name}</b> }.into_any() } else { name.into_any() };
        (if i == 0 { "" } else { " › " }, name)
    };
    shown.into_iter().enumerate().map(crumb).collect_view()
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
        let long =
            ["sys_munlock", "munlock_vma_pages_range", "munlock_vma_page", "munlock_isolated_page", "putback_lru_page"];
        assert_eq!(shortened(&long), ["sys_munlock", "…", "munlock_isolated_page", "putback_lru_page"]);
        assert_eq!(shortened(&["a", "b", &"x".repeat(90)]), ["a", "…", &"x".repeat(90)]);
    }
}
