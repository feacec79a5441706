//! What it costs: the milestone that both sides have reached, two counts in large, the table, the claims.

use leptos::prelude::*;
use sim_core::engine::Milestone;
use sim_core::ledger::Group;

use super::icons::{self, mark};
use crate::app::App;
use crate::chart::Size;
use crate::claims::{self, Row};
use crate::dom::{Node, live};
use crate::link::Which;
use crate::session::{Go, Session};
use crate::text::{self, change, difference, quotient, thousands};

/// The middle column.
#[component]
pub fn Ledger() -> impl IntoView {
    let app = App::get();
    let (open, size, alone) = (app.counts, app.size, app.present.counts_alone());
    view! {
        <section class="ledger" class:open=move || open.get() aria-label="Ledger">
            <MilestoneHead />
            <Hero total=true />
            <Hero total=false />
            <Show when=move || alone || size.get() == Size::Wide || size.get() == Size::Medium && open.get()>
                <Table />
                <Claims />
            </Show>
        </section>
    }
}

/// Where both sides are.
#[component]
fn MilestoneHead() -> impl IntoView {
    let app = App::get();
    let words = app.live(milestone);
    view! {
        <div class="mile">
            <button class="nav" aria-label="previous page" aria-keyshortcuts="Shift+ArrowLeft" on:click=app.on(Go::Previous)>
                {live(icons::left)}
            </button>
            {words}
            <button class="nav" aria-label="next page" aria-keyshortcuts="Shift+ArrowRight" on:click=app.on(Go::Next)>
                {live(icons::right)}
            </button>
        </div>
    }
}

fn milestone(session: &Session) -> Node {
    let (above, strong, rest) = milestone_words(session);
    let munlocked = Which::BOTH.map(|which| session.side(which).moment.munlocked);
    let sofar = munlocked.map(thousands);
    let progress = if Which::BOTH.into_iter().any(|which| session.side(which).track.munlocks()) {
        format!("munlocked so far: old {}, new {}", sofar[0], sofar[1])
    } else {
        // The headline says of how many already, the top line too.
        String::new()
    };
    let class = if strong.chars().count() + rest.chars().count() > LONG_HEADLINE { "where long" } else { "where" };
    let headline = [Node::html("b").text(format!("{strong} ")), Node::html("span").text(rest)];
    Node::html("div").class(class).children([
        Node::html("em").text(above),
        Node::html("strong").children(headline),
        Node::html("small").text(progress),
    ])
}

/// Letters of a headline that has room in one line.
const LONG_HEADLINE: usize = 18;

/// A run that a broken rule has stopped, where it is shown.
fn stopped(session: &Session, which: Which) -> Option<(String, String, String)> {
    let rule = session.side(which).track.lanes.stopped?;
    let there = session.at().of(which) == session.beats.ends().of(which);
    there.then(|| (format!("{} is stopped", which.name()), rule.to_string(), String::new()))
}

/// Small words above, the headline, what follows it.
fn milestone_words(session: &Session) -> (String, String, String) {
    if let Some(stopped) = Which::BOTH.into_iter().find_map(|which| stopped(session, which)) {
        return stopped;
    }
    let unit = session.opening().unit.1;
    let (low, ahead) = session.milestones();
    let (strong, rest) = text::milestone(low, session.units(), unit);
    let above = match ahead {
        None => "both at".to_string(),
        Some((which, milestone)) => {
            let further = match milestone {
                Some(Milestone::LoopAt(_)) => text::milestone(milestone, None, unit).0,
                None if session.at().of(which) == session.beats.ends().of(which) => "the end".to_string(),
                other => text::milestone(other, None, unit).0,
            };
            let waits = if session.waiting() == Some(which) { "waits" } else { "is" };
            format!("{} {waits} at {further}, {} at", which.name(), which.other().name())
        }
    };
    if ahead.is_none() && low.is_none() && session.at() == session.beats.ends() {
        return (above, "the end".into(), String::new());
    }
    (above, strong, rest)
}

/// A count in large.
#[component]
fn Hero(total: bool) -> impl IntoView {
    let app = App::get();
    app.live(move |session| {
        let (key, name) = if total { ("total", "atomic operations") } else { session.opening().hero };
        hero(name, Which::BOTH.map(|which| count(session, which, key)))
    })
}

fn hero(name: &'static str, [old, new]: [(u64, u64); 2]) -> Node {
    let span = |class: &'static str| Node::html("span").class(class);
    let most = old.0.max(new.0).max(1);
    let class = match most.ilog10() {
        0..3 => "hero",
        3 => "hero long",
        _ => "hero longer",
    };
    let added = |by: u64| (by > 0).then(|| Node::html("sup").text(change(by)));
    let number = |value: u64| Node::html("span").text(thousands(value));
    // Of the half that a bar has, in thousandths.
    let length = |value: u64| {
        let part = value * 500 / most;
        format!("{}.{}%", part / 10, part % 10)
    };
    let name_of = |which: Which| Node::html("u").text(which.name());
    let heading = Node::html("h3").children([
        Node::html("span").children([mark(Which::Old), name_of(Which::Old)]),
        // A word that has a hyphen in it, as zone->lock, is not broken there.
        Node::html("b").text(name.replace('-', "-\u{2060}")),
        Node::html("span").children([name_of(Which::New), mark(Which::New)]),
    ]);
    let numbers = span("hn").children([
        span("ho").children([number(old.0)]).children(added(old.1)),
        span("hd").text(difference(old.0, new.0)),
        span("hw").children(added(new.1)).children([number(new.0)]),
    ]);
    let bars = Node::html("div")
        .class("hb")
        .with("aria-hidden", "true")
        .children([span("bo").style("width", length(old.0)), span("bn").style("width", length(new.0))]);
    Node::html("div").class(class).children([heading, numbers, bars])
}

/// A row's value and what the last step added.
fn count(session: &Session, which: Which, key: &str) -> (u64, u64) {
    let moment = &session.side(which).moment;
    let at = moment.rows.iter().position(|row| row.key == key);
    at.map_or((0, 0), |at| (moment.rows[at].value, moment.added[at]))
}

/// The table.
#[component]
pub fn Table() -> impl IntoView {
    let app = App::get();
    let table = app.live(table);
    view! { <div class="live" on:click=move |event| app.look_clicked(&event)>{table}</div> }
}

fn table(session: &Session) -> Node {
    let long = Which::BOTH.iter().any(|&which| session.side(which).track.end[0].value >= 10_000);
    let head = |class: &'static str, text: &'static str| Node::html("th").class(class).with("scope", "col").text(text);
    let side = |class: &'static str, which: Which| {
        Node::html("th")
            .class(class)
            .with("scope", "col")
            .children([mark(which), Node::html("span").text(which.name())])
    };
    let per = if session.opening().per.len() > 1 { "page" } else { session.opening().unit.1 };
    let divided = session.side(Which::Old).track.pages.is_some();
    let whole = || Node::html("th").class("pp").with("colspan", "2").text(format!("per {per}"));
    let over = Node::html("tr")
        .class("over")
        .children([Node::html("td"), head("sf", "so far").with("colspan", "3")])
        .children(divided.then(|| whole().with("title", "of the whole run")));
    let sides = Node::html("tr")
        .class("sides")
        .children([Node::html("td"), side("", Which::Old), side("", Which::New), head("", "diff")])
        .children(divided.then(|| side("pp", Which::Old)))
        .children(divided.then(|| side("pp", Which::New)));
    let columns = ["name", "n", "n", "n", "pp", "pp"].into_iter().take(if divided { 6 } else { 4 });
    let columns = columns.map(|class| Node::html("col").class(class));
    Node::html("table").class(if long { "tab long" } else { "tab" }).children([
        Node::html("caption").class("sr").text("Counts of both sides"),
        Node::html("colgroup").children(columns),
        Node::html("thead").children([over, sides]),
        Node::html("tbody").children(rows(session)).children([hold_row(session)]),
    ])
}

/// Rows that count something on either side, with the headings of their groups. What is no atomic and the same on both
/// sides argues for neither and is left out.
fn rows(session: &Session) -> Vec<Node> {
    let [old, new] = Which::BOTH.map(|which| session.side(which));
    let mut rows = Vec::new();
    let mut group = Group::Total;
    for (at, (old_end, new_end)) in old.track.end.iter().zip(&new.track.end).enumerate() {
        let nothing = old_end.value == 0 && new_end.value == 0 && old_end.group != Group::Total;
        if nothing || old_end.group == Group::Beside && old_end.value == new_end.value {
            continue;
        }
        if old_end.group != group {
            group = old_end.group;
            let text = if group == Group::Words { "atomics by word" } else { "beside the atomics" };
            let head = Node::html("th").with("colspan", "6").with("scope", "rowgroup").text(text);
            rows.push(Node::html("tr").class("grp").children([head]));
        }
        let counts = [old, new].map(|side| (side.moment.rows[at].value, side.moment.added[at] > 0));
        let per_page = old.track.pages.into_iter().flat_map(|pages| {
            [old_end, new_end].map(|row| Node::html("td").class("pp").text(quotient(row.value, pages)))
        });
        rows.push(
            row_of(old_end.label, old_end.key, counts)
                .class(if group == Group::Total { "tot" } else { "" })
                .children(per_page),
        );
    }
    rows
}

fn hold_row(session: &Session) -> Node {
    let counts = Which::BOTH.map(|which| {
        let moment = &session.side(which).moment;
        (u64::from(moment.longest_hold), moment.hold_grew)
    });
    let lock = session.opening().lock.words();
    let unit = |_| Node::html("td").class("pp n").with("colspan", "2").text(format!("steps, {lock}"));
    row("longest hold", counts).children(session.side(Which::Old).track.pages.map(unit))
}

/// The same, of a number that can be looked at.
fn row_of(label: &'static str, key: &'static str, counts: [(u64, bool); 2]) -> Node {
    let name = Node::html("button").class("rowname").with("data-subject", format!("count:{key}")).text(label);
    row_named(Node::html("th").with("scope", "row").children([name]), counts)
}

/// A label, the counts of both sides, marked where the last step changed them, and their difference.
fn row(label: &'static str, counts: [(u64, bool); 2]) -> Node {
    row_named(Node::html("th").with("scope", "row").text(label), counts)
}

fn row_named(name: Node, counts: [(u64, bool); 2]) -> Node {
    let cell = |(value, changed): (u64, bool)| {
        let number = Node::html("span").text(thousands(value));
        Node::html("td").class(if changed { "chg" } else { "" }).children([number])
    };
    let [old, new] = counts;
    Node::html("tr").children([name, cell(old), cell(new), Node::html("td").class("d").text(difference(old.0, new.0))])
}

/// What the series' author claimed, checked on both sides, and what compares the two.
#[component]
pub fn Claims() -> impl IntoView {
    let app = App::get();
    live(move || {
        app.loaded.track();
        claims_list(app.with(claims::rows))
    })
}

fn claims_list(rows: Vec<Row>) -> Node {
    if rows.is_empty() {
        return Node::html("ul").class("claims").with("hidden", "");
    }
    let item = |row: Row| {
        Node::html("li").class(row.standing.class()).with("title", row.note).children([
            Node::html("b").with("aria-hidden", "true").text(row.standing.sign()),
            Node::html("em").text(row.claim),
            Node::html("i").class("sr").text(format!(" {}: ", row.standing.words())),
            Node::html("span").text(row.found),
        ])
    };
    let head = Node::html("li").class("h").text("claims, checked over the whole run");
    let list = Node::html("ul").class("claims").with("aria-label", "Claims").with("tabindex", "0");
    list.children([head]).children(rows.into_iter().map(item))
}
