//! Plots: the two runs over their steps, how long locks were held, and what grows with CPUs, batches and pages.

mod axis;
mod breath;
mod figure;
mod histograms;
mod over;
pub(in crate::panels) mod save;
mod sweeps;

use leptos::prelude::*;
use plots::Side;

use crate::dom::Node;
use crate::link::Which;
use crate::session::Session;

/// The tab.
pub fn content() -> AnyView {
    view! {
        <div class="plots">
            {over::section()}
            {histograms::section()}
            {sweeps::section()}
        </div>
    }
    .into_any()
}

/// Keeps what sweeps come to while the tab is closed.
pub fn keep_sweeps() {
    sweeps::provide();
}

/// The side of a picture.
const fn side(which: Which) -> Side {
    match which {
        Which::Old => Side::Old,
        Which::New => Side::New,
    }
}

/// "old: v3.11-rc3", as the legend names a side.
fn name(session: &Session, which: Which) -> String {
    format!("{}: {}", which.name(), session.side(which).label())
}

/// "munlock-0-6": what the names of files begin with.
fn stem(session: &Session) -> String {
    let subject = &session.subject;
    let text = format!("mmscope-{}-{}-{}", subject.scenario, subject.variants[0], subject.variants[1]);
    text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).collect()
}

/// Some choices, of which one is made.
fn choices(group: &'static str, legend: &'static str, names: Vec<String>, chosen: usize) -> Node {
    let choice = |(at, name): (usize, String)| {
        let input = Node::html("input").with("type", "radio").with("name", group).with("value", at.to_string());
        let input = input.with_if(at == chosen, "checked", "");
        Node::html("label").children([input, Node::html("span").text(name)])
    };
    let names = names.into_iter().enumerate().map(choice);
    Node::html("fieldset").class("chips").children([Node::html("legend").text(legend)]).children(names)
}

/// The choice that an event made: the group and the place in it.
fn chosen(event: &web_sys::Event) -> Option<(String, usize)> {
    let input = crate::web::target(event)?;
    Some((input.get_attribute("name")?, input.get_attribute("value")?.parse().ok()?))
}
