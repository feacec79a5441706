//! The rules of the machine, and how each stands in either run.

use leptos::prelude::*;
use sim_core::engine::{Memory, Rule, Standing};

use super::claims::to_step;
use super::go_to;
use crate::app::App;
use crate::dom::{Node, live};
use crate::link::Which;
use crate::panels::icons::mark;
use crate::session::Session;
use crate::text::thousands;
use crate::web;

const INTRODUCTION: &str = "Each run was checked after every step against tallies that the checker keeps by itself, \
    and once more at its end. The first rule that is broken stops the run.";

type Line = (&'static Rule, [Standing; 2]);

/// The tab.
pub fn content() -> AnyView {
    let app = App::get();
    let clicked = move |event: web_sys::MouseEvent| {
        if let (Some(side), Some(step)) = (web::number_of(&event, "data-side"), web::number_of(&event, "data-step")) {
            go_to(app, Which::BOTH[usize::from(side != 0)], step);
        }
    };
    let lists = live(move || {
        app.shown.track();
        app.with(lists)
    });
    view! { <div class="ruled" on:click=clicked>{lists}</div> }.into_any()
}

fn lists(session: &Session) -> Node {
    let [old, new] = Which::BOTH.map(|which| session.side(which).track.run.timeline.rules());
    let lines: Vec<Line> = old.into_iter().zip(new).map(|((rule, old), (_, new))| (rule, [old, new])).collect();
    let absent = |(_, standings): &Line| standings.iter().all(|one| *one == Standing::Absent);
    let (apart, here): (Vec<Line>, Vec<Line>) = lines.into_iter().partition(absent);
    let of = |memory: Memory| {
        let rows: Vec<&Line> = here.iter().filter(|(rule, _)| rule.memory == memory).collect();
        (!rows.is_empty()).then(|| table(session, memory, &rows))
    };
    let now = session.at();
    let place = |which: Which| {
        let steps = thousands(session.beats.ends().of(which).into());
        format!("{} is at step {} of {steps}", which.name(), thousands(now.of(which).into()))
    };
    let text = format!("{INTRODUCTION} Now {}, {}.", place(Which::Old), place(Which::New));
    Node::html("div")
        .children([Node::html("p").text(text)])
        .children(Memory::ALL.into_iter().filter_map(of))
        .children([others(&apart)])
}

fn table(session: &Session, memory: Memory, rows: &[&Line]) -> Node {
    let head = |text: &'static str| Node::html("th").with("scope", "col").text(text);
    let side = |which: Which| {
        let name = format!("{}: {}", which.name(), session.side(which).label());
        Node::html("th").with("scope", "col").children([mark(which), Node::html("span").text(name)])
    };
    let heads = Node::html("tr").children([head("No."), head("Rule")]).children(Which::BOTH.map(side));
    Node::html("table").class("rules").children([
        Node::html("caption").text(memory.heading()),
        Node::html("thead").children([heads]),
        Node::html("tbody").children(rows.iter().map(|line| row(session, line))),
    ])
}

fn row(session: &Session, (rule, standings): &Line) -> Node {
    let words = Node::html("th")
        .with("scope", "row")
        .children([Node::html("strong").text(rule.short()), Node::html("small").text(rule.says)]);
    let cells = Which::BOTH.map(|which| {
        let at = session.at().of(which);
        cell(which, at, &standings[which as usize])
    });
    Node::html("tr").children([Node::html("td").class("no").text(rule.number()), words]).children(cells)
}

fn cell(which: Which, now: u32, standing: &Standing) -> Node {
    let sign = |sign: &'static str| Node::html("b").with("aria-hidden", "true").text(sign);
    let said = |text: String| Node::html("span").text(text);
    let cell = |class: &'static str| Node::html("td").class(class).key(class);
    match standing {
        Standing::Holds(step) => {
            cell("").children([sign("✓"), said(format!("holds after step {}", thousands((*step).into())))])
        }
        Standing::Broken(broken) => {
            let still = if now < broken.step { "; holds now" } else { "" };
            let text = format!("broken at step {}: {}{still}", thousands(broken.step.into()), broken.detail);
            cell("broken").children([sign("✗"), said(text), to_step(which, broken.step)])
        }
        Standing::NotReached => {
            cell("unasked").children([sign("…"), said("not checked: the run stops before its end".to_string())])
        }
        Standing::Absent => cell("absent").children([sign("–"), said("does not apply".to_string())]),
    }
}

// Rules about memory or kernels that neither side has.
fn others(lines: &[Line]) -> Node {
    let item = |(rule, _): &Line| {
        let name = Node::html("strong").text(format!("{}: {}", rule.memory.heading(), rule.name));
        Node::html("li").children([name, Node::html("small").text(rule.says)])
    };
    let text = format!("{} rules do not apply to either side", thousands(lines.len() as u64));
    Node::html("details")
        .children([Node::html("summary").text(text), Node::html("ul").children(lines.iter().map(item))])
}
