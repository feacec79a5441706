//! What the canvases show, in words and buttons: names of rows, marks, the range and what it counts, what is at the
//! playhead.

use leptos::prelude::*;

use super::Ui;
use super::paint::row_label;
use crate::dom::{Node, live};
use crate::lanes::explorer::Explorer;
use crate::lanes::marks::{Mark, Sort};
use crate::lanes::range::{Count, Range, counts};
use crate::lanes::rows::Kind;
use crate::lanes::words::{self, Item, OnCpu};
use crate::link::{Pair, Which};
use crate::panels::icons::mark as sign_of;
use crate::text::{difference, thousands};

/// Marks in the list at most.
const LISTED: usize = 200;

/// The names of the rows, which change where some are folded.
pub(super) fn names(ui: Ui) -> AnyView {
    let folded = ui.part(|explorer| explorer.folded.clone());
    live(move || {
        folded.with(|_| ());
        ui.draw_node(gutter)
    })
}

/// The names of the rows, and buttons that fold those of a CPU.
fn gutter(explorer: &Explorer) -> Node {
    let mut names: Vec<Node> = Vec::new();
    for which in Which::BOTH {
        let (top, _) = explorer.layout.sides[which as usize];
        names.push(at(top + 4.0, Node::html("h3")).children([sign_of(which), Node::html("span").text(which.name())]));
    }
    for line in explorer.layout.lines.iter().filter(|line| line.named) {
        let text = row_label(&explorer.sides[line.which as usize], line);
        names.push(if line.kind == Kind::Tasks {
            let open = !explorer.folded.contains(&(line.which, line.cpu));
            let button = at(line.y, Node::html("button"))
                .with("data-cpu", line.cpu.to_string())
                .with("data-side", (line.which as u8).to_string())
                .with("aria-expanded", if open { "true" } else { "false" })
                .with("aria-label", format!("{}, {text}", line.which.name()));
            button.children([
                Node::html("i").with("aria-hidden", "true").text(if open { "▾" } else { "▸" }),
                Node::html("span").text(text),
            ])
        } else {
            at(line.y + line.h / 2.0 - 9.0, Node::html("span")).text(text)
        });
    }
    Node::html("div").class("xp-gutter").style("height", format!("{}px", explorer.layout.height)).children(names)
}

fn at(y: f64, node: Node) -> Node {
    node.style("top", format!("{y}px"))
}

/// The band of marks above the rows.
pub(super) fn band(ui: Ui) -> AnyView {
    let marks = live(move || {
        ui.changed.track();
        ui.draw_node(mark_buttons)
    });
    view! {
        <div class="xp-marks" role="group" aria-label="Marks" on:click=move |event| ui.mark_clicked(&event)>
            {marks}
        </div>
    }
    .into_any()
}

fn mark_buttons(explorer: &Explorer) -> Node {
    let labels = explorer.marks.labels(&explorer.window);
    let buttons = labels.iter().map(|label| {
        let first = &explorer.marks.all[label.marks.start];
        let words = match label.marks.len() {
            1 => format!("{}: {}", label.text, mark_words(first)),
            _ => format!("{}, the first: {}", label.text, mark_words(first)),
        };
        Node::html("button")
            .class("xp-mark")
            .with("data-mark", label.marks.start.to_string())
            .with("data-marks", label.marks.len().to_string())
            .with("aria-label", words.clone())
            .with("title", words)
            .style("left", format!("{:.1}px", label.x))
            .children([sort_sign(first.sort), Node::html("span").text(label.text.clone())])
    });
    Node::html("div").class("xp-band").children(buttons)
}

fn mark_words(mark: &Mark) -> String {
    let Pair { old, new } = mark.at;
    match mark.which {
        None => format!("{}, old step {}, new step {}", mark.words(), thousands(old.into()), thousands(new.into())),
        Some(which) => format!("{}, step {}", mark.words(), thousands(mark.at.of(which).into())),
    }
}

/// Each sort has a shape of its own.
fn sort_sign(sort: Sort) -> Node {
    let d = match sort {
        Sort::Differs => "M1.5 4h9M1.5 8h9M8.5 1.5l-5 9",
        Sort::Broken(_) => "M2 2l8 8M10 2l-8 8",
        Sort::Waits(_) => "M2.5 1.5h7M2.5 10.5h7M3.5 1.5L6 6l2.5-4.5M3.5 10.5L6 6l2.5 4.5",
    };
    Node::svg("svg").with("viewBox", "0 0 12 12").with("aria-hidden", "true").children([Node::svg("path").with("d", d)])
}

/// "old 120–340, 220 steps; new 60–200, 140 steps".
pub(super) fn range_words(range: &Range) -> String {
    let side = |which: Which| {
        let [from, to, steps] =
            [range.from.of(which), range.to.of(which), range.steps(which)].map(|n| thousands(n.into()));
        format!("{} {from}–{to}, {steps} steps", which.name())
    };
    format!("{}; {}", side(Which::Old), side(Which::New))
}

/// The line under the rows: what is under the pointer, and the range with its commands.
pub(super) fn foot(ui: Ui) -> AnyView {
    let under = live(move || {
        let words = ui.under.get();
        let class = if words.is_some() { "xp-under" } else { "xp-under hint" };
        let hint = "click goes there · drag selects · wheel zooms · Shift drag moves";
        Node::html("p").class(class).text(words.unwrap_or_else(|| hint.to_string()))
    });
    let chosen = ui.part(|explorer| (explorer.range, explorer.begun));
    let range = live(move || {
        chosen.with(|_| ());
        ui.draw_node(range_line)
    });
    let none = Memo::new(move |_| matches!(chosen.get(), None | Some((None, None))));
    let clear = move |_| {
        ui.change(|explorer| (explorer.range, explorer.begun) = (None, None));
        ui.app.tell("no range");
    };
    view! {
        <div class="xp-foot">
            {under}
            {range}
            <div class="xp-tools" role="group" aria-label="Range">
                {end_button(ui, true)}
                {end_button(ui, false)}
                <Show when=move || !none.get()>
                    <button
                        aria-keyshortcuts="z"
                        title="Show the range alone (z)"
                        on:click=move |_| ui.change(|explorer| explorer.zoom_to_range())
                    >
                        "Zoom to range"
                    </button>
                    <button on:click=clear>"Clear"</button>
                </Show>
            </div>
        </div>
    }
    .into_any()
}

fn range_line(explorer: &Explorer) -> Node {
    let text = match (explorer.range, explorer.begun) {
        (Some(range), _) => range_words(&range),
        (None, Some(Pair { old, new })) => {
            format!("begins at old {}, new {}", thousands(old.into()), thousands(new.into()))
        }
        (None, None) => "none".to_string(),
    };
    Node::html("p").class("xp-range").children([Node::html("b").text("Range "), Node::html("span").text(text)])
}

/// Sets one end of the range at the playhead.
fn end_button(ui: Ui, begin: bool) -> AnyView {
    let (key, title, word) = match begin {
        true => ("[", "Begin a range at the playhead ([)", "Begin here"),
        false => ("]", "End the range at the playhead (])", "End here"),
    };
    view! { <button aria-keyshortcuts=key title=title on:click=move |_| ui.set_end(begin)>{word}</button> }.into_any()
}

/// What stands beside the rows.
pub(super) fn aside(ui: Ui) -> AnyView {
    let (range, by) = (ui.part(|explorer| explorer.range), ui.part(|explorer| explorer.axis.by()));
    let ledger = live(move || {
        range.with(|_| ());
        ui.draw_node(|explorer| match explorer.range {
            None => Node::html("div").with("hidden", ""),
            Some(range) => ledger(&ui.app.with(|session| counts(session, range))),
        })
    });
    let here = live(move || {
        ui.app.shown.track();
        by.with(|_| ());
        let at = ui.app.with(|session| session.at());
        ui.draw_node(|explorer| here(explorer, at))
    });
    let marks = live(move || {
        by.with(|_| ());
        ui.draw_node(list)
    });
    view! {
        <aside class="xp-aside" aria-label="In words" tabindex="0" on:click=move |event| ui.mark_clicked(&event)>
            {ledger}
            {here}
            {marks}
        </aside>
    }
    .into_any()
}

fn ledger(counts: &[Count]) -> Node {
    let head = |text: &'static str, which: Option<Which>| {
        let head = Node::html("th").with("scope", "col").children(which.map(sign_of));
        head.children([Node::html("span").text(text)])
    };
    let heads = [head("old", Some(Which::Old)), head("new", Some(Which::New)), head("diff", None)];
    let row = |count: &Count| {
        let [old, new] = count.of;
        Node::html("tr").children([
            Node::html("th").with("scope", "row").text(count.label.clone()),
            Node::html("td").text(thousands(old)),
            Node::html("td").text(thousands(new)),
            Node::html("td").class("d").text(difference(old, new)),
        ])
    };
    Node::html("table").class("xp-ledger").children([
        Node::html("caption").text("Counts of the range"),
        Node::html("thead").children([Node::html("tr").children([Node::html("td")]).children(heads)]),
        Node::html("tbody").children(counts.iter().map(row)),
    ])
}

fn here(explorer: &Explorer, at: Pair) -> Node {
    let side = |which: Which| {
        let clock = explorer.clocks.as_deref().map(|clocks| &clocks[which as usize]);
        let cpus = words::at(&explorer.sides[which as usize], clock, at.of(which));
        let step = format!("{}, after step {}", which.name(), thousands(at.of(which).into()));
        let nothing = cpus.is_empty().then(|| Node::html("p").text("nothing has run yet"));
        let head = Node::html("h4").children([sign_of(which), Node::html("span").text(step)]);
        Node::html("section").children([head]).children(nothing).children(cpus.iter().flat_map(on_cpu))
    };
    let head = Node::html("h3").text("At the playhead");
    Node::html("div").class("xp-here").children([head]).children(Which::BOTH.map(side))
}

fn on_cpu(on: &OnCpu) -> [Node; 2] {
    let item = |item: &Item| {
        let class = match (item.kind, item.dashed) {
            (Kind::Locks(_) | Kind::Irqs, false) => "held",
            (_, true) => "waits",
            (Kind::Functions(_), _) => "func",
            _ => "",
        };
        let words = [Node::html("b").text(item.name.clone()), Node::html("small").text(item.extent.clone())];
        Node::html("li").class(class).children(words)
    };
    [Node::html("h5").text(format!("CPU {}", on.cpu)), Node::html("ul").children(on.items.iter().map(item))]
}

fn list(explorer: &Explorer) -> Node {
    let all = &explorer.marks.all;
    let item = |(number, mark): (usize, &Mark)| {
        let button = Node::html("button").with("data-mark", number.to_string()).with("data-marks", "1");
        Node::html("li").children([button.children([sort_sign(mark.sort), Node::html("span").text(mark_words(mark))])])
    };
    let rest = all.len().saturating_sub(LISTED);
    let rest = (rest > 0).then(|| Node::html("p").text(format!("and {} waits more", thousands(rest as u64))));
    let summary = Node::html("summary").text(format!("Marks ({})", thousands(all.len() as u64)));
    let items = Node::html("ol").children(all.iter().enumerate().take(LISTED).map(item));
    Node::html("details").class("xp-list").children([summary, items]).children(rest)
}
