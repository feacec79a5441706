//! What it costs: the milestone that both sides have reached, two counts in large, the table, the claims.

use leptos::prelude::*;
use sim_core::engine::Milestone;
use sim_core::ledger::Group;

use super::icons::{Chevron, Mark};
use crate::app::App;
use crate::chart::Size;
use crate::link::{Link, Which};
use crate::session::{Go, Session};
use crate::text::{self, change, difference, quotient, thousands};

/// The middle column.
#[component]
pub fn Ledger() -> impl IntoView {
    let app = App::get();
    let open = RwSignal::new(false);
    let size = app.size;
    view! {
        <section class="ledger" class:open=open aria-label="Ledger">
            <MilestoneHead />
            <Hero name="atomic operations" key="total" />
            <Hero name="times lru_lock was taken" key="lru_lock" />
            <Show when=move || size.get() == Size::Medium>
                <button class="plain all" aria-expanded=move || open.get().to_string() on:click=move |_| open.update(|open| *open = !*open)>
                    {move || if open.get() { "fewer counts" } else { "all counts and claims" }}
                    <Chevron />
                </button>
            </Show>
            <Show when=move || size.get() == Size::Wide || size.get() == Size::Medium && open.get()>
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
    let words = app.memo(milestone_words);
    let munlocked = app.memo(|session| {
        let [old, new] = Which::BOTH.map(|which| thousands(session.side(which).moment.munlocked));
        format!("munlocked so far: old {old}, new {new}")
    });
    view! {
        <div class="mile">
            <button class="nav" aria-label="previous page" aria-keyshortcuts="Shift+ArrowLeft" on:click=move |_| app.step(Go::Previous)>
                "‹"
            </button>
            <div>
                <em>{move || words.read().0.clone()}</em>
                <strong>{move || words.read().1.clone()}" "<span>{move || words.read().2.clone()}</span></strong>
                <small>{munlocked}</small>
            </div>
            <button class="nav" aria-label="next page" aria-keyshortcuts="Shift+ArrowRight" on:click=move |_| app.step(Go::Next)>
                "›"
            </button>
        </div>
    }
}

/// Small words above, the headline, what follows it.
fn milestone_words(session: &Session) -> (String, String, String) {
    let (low, ahead) = session.milestones();
    let (strong, rest) = text::milestone(low, session.pages());
    let above = match ahead {
        None => "both at".to_string(),
        Some((which, milestone)) => {
            let further = match milestone {
                Some(Milestone::LoopAt(_)) => text::milestone(milestone, None).0,
                None if session.at().of(which) == session.beats.ends().of(which) => "the end".to_string(),
                other => text::milestone(other, None).0,
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
fn Hero(name: &'static str, key: &'static str) -> impl IntoView {
    let app = App::get();
    let counts = app.memo(move |session| Which::BOTH.map(|which| count(session, which, key)));
    let value = move |which: Which| counts.read()[which as usize].0;
    let added = move |which: Which| {
        let by = counts.read()[which as usize].1;
        (by > 0).then(|| view! { <sup>{change(by)}</sup> })
    };
    // Of the half that a bar has, in thousandths.
    let length = move |which: Which| {
        let most = value(Which::Old).max(value(Which::New)).max(1);
        let part = value(which) * 500 / most;
        format!("{}.{}%", part / 10, part % 10)
    };
    view! {
        <div class="hero">
            <h3>
                <span><Mark which=Which::Old /><u>"old"</u></span>
                <b>{name}</b>
                <span><u>"new"</u><Mark which=Which::New /></span>
            </h3>
            <div class="hn">
                <span class="ho">{move || thousands(value(Which::Old))}{move || added(Which::Old)}</span>
                <span class="hd">{move || difference(value(Which::Old), value(Which::New))}</span>
                <span class="hw">{move || added(Which::New)}{move || thousands(value(Which::New))}</span>
            </div>
            <div class="hb" aria-hidden="true">
                <span class="bo" style:width=move || length(Which::Old)></span>
                <span class="bn" style:width=move || length(Which::New)></span>
            </div>
        </div>
    }
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
    let shape = Memo::new(move |_| {
        app.loaded.track();
        app.with(table)
    });
    let per_page = Memo::new(move |_| {
        app.loaded.track();
        app.with(Session::pages).is_some()
    });
    view! {
        <table class="tab">
            <caption class="sr">"Counts of both sides"</caption>
            <thead>
                <tr class="over">
                    <td></td>
                    <th colspan="2" class="sf" scope="colgroup">"so far"</th>
                    <th colspan="3" scope="colgroup">{move || if per_page.get() { "per page, whole run" } else { "whole run" }}</th>
                </tr>
                <tr class="sides">
                    <td></td>
                    <th scope="col"><Mark which=Which::Old />"old"</th>
                    <th scope="col"><Mark which=Which::New />"new"</th>
                    <th scope="col">"diff"</th>
                    <th class="pp" scope="col"><Mark which=Which::Old />"old"</th>
                    <th class="pp" scope="col"><Mark which=Which::New />"new"</th>
                </tr>
            </thead>
            <tbody>
                <For each=move || shape.get() key=|row| row.clone() let:row>
                    {match row {
                        TableRow::Head(text) => view! { <tr class="grp"><th colspan="6" scope="rowgroup">{text}</th></tr> }.into_any(),
                        TableRow::Count { at, label, whole, total } => view! { <CountRow at=at label=label whole=whole total=total /> }.into_any(),
                    }}
                </For>
                <HoldRow />
            </tbody>
        </table>
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum TableRow {
    Head(&'static str),
    Count { at: usize, label: &'static str, whole: [String; 2], total: bool },
}

/// Rows that count something on either side, with the headings of their groups.
fn table(session: &Session) -> Vec<TableRow> {
    let ends = Which::BOTH.map(|which| &session.side(which).track.end);
    let pages = session.pages().map(u64::from);
    let mut rows = Vec::new();
    let mut group = Group::Total;
    for (at, (old, new)) in ends[0].iter().zip(ends[1]).enumerate() {
        if old.value == 0 && new.value == 0 && old.group != Group::Total {
            continue;
        }
        if old.group != group {
            group = old.group;
            rows.push(TableRow::Head(if group == Group::Words { "atomics by word" } else { "beside the atomics" }));
        }
        let whole = [old.value, new.value].map(|value| match pages {
            Some(pages) => quotient(value, pages),
            None => thousands(value),
        });
        rows.push(TableRow::Count { at, label: old.label, whole, total: group == Group::Total });
    }
    rows
}

#[component]
fn CountRow(at: usize, label: &'static str, whole: [String; 2], total: bool) -> impl IntoView {
    let app = App::get();
    let cells = app.memo(move |session| {
        Which::BOTH.map(|which| {
            let moment = &session.side(which).moment;
            (moment.rows[at].value, moment.added[at] > 0)
        })
    });
    let value = move |which: Which| cells.read()[which as usize].0;
    let changed = move |which: Which| cells.read()[which as usize].1;
    let [old, new] = whole;
    view! {
        <tr class:tot=total>
            <th scope="row">{label}</th>
            <td class:chg=move || changed(Which::Old)><span>{move || thousands(value(Which::Old))}</span></td>
            <td class:chg=move || changed(Which::New)><span>{move || thousands(value(Which::New))}</span></td>
            <td class="d">{move || difference(value(Which::Old), value(Which::New))}</td>
            <td class="pp">{old}</td>
            <td class="pp">{new}</td>
        </tr>
    }
}

#[component]
fn HoldRow() -> impl IntoView {
    let app = App::get();
    let cells = app.memo(|session| {
        Which::BOTH.map(|which| {
            let moment = &session.side(which).moment;
            (u64::from(moment.longest_hold), moment.hold_grew)
        })
    });
    let value = move |which: Which| cells.read()[which as usize].0;
    let changed = move |which: Which| cells.read()[which as usize].1;
    view! {
        <tr>
            <th scope="row">"longest hold"</th>
            <td class:chg=move || changed(Which::Old)><span>{move || thousands(value(Which::Old))}</span></td>
            <td class:chg=move || changed(Which::New)><span>{move || thousands(value(Which::New))}</span></td>
            <td class="d">{move || difference(value(Which::Old), value(Which::New))}</td>
            <td class="pp n" colspan="2">"steps, lru_lock"</td>
        </tr>
    }
}

/// What the series' author claimed of the new side, checked.
#[component]
pub fn Claims() -> impl IntoView {
    let app = App::get();
    let claims = Memo::new(move |_| {
        app.loaded.track();
        app.with(claims)
    });
    let item = |claim: ClaimRow| {
        let note = if claim.holds { "holds" } else { "does not hold" };
        view! {
            <li class:bad=!claim.holds title=claim.source>
                <b aria-hidden="true">{if claim.holds { "✓" } else { "✗" }}</b>
                <span class="sr">{note}": "</span>
                <em>{claim.claim}</em>
                <span>{claim.found}</span>
            </li>
        }
    };
    view! {
        <Show when=move || !claims.read().is_empty()>
            <ul class="claims" tabindex="0" aria-label="Claims">
                <li class="h">"claims, checked over the whole run"</li>
                {move || claims.get().into_iter().map(item).collect_view()}
            </ul>
        </Show>
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct ClaimRow {
    claim: String,
    found: String,
    source: String,
    holds: bool,
}

fn claims(session: &Session) -> Vec<ClaimRow> {
    let of = |which: Which| &session.side(which).track.run.claims;
    // The patches are on the new side; the old one's claims are shown where the new one has none.
    let from = if of(Which::New).is_empty() { Which::Old } else { Which::New };
    let mut rows: Vec<ClaimRow> = of(from)
        .iter()
        .map(|claim| ClaimRow {
            claim: claim.claim.to_string(),
            found: if claim.holds { claim.found.clone() } else { format!("{} → {}", claim.expected, claim.found) },
            source: claim.source.to_string(),
            holds: claim.holds,
        })
        .collect();
    rows.sort_by_key(|row| row.holds);
    rows
}

/// What joins the sides, for whoever asks.
pub fn link_name(session: &Session) -> Link {
    session.link
}
