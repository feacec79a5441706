//! What it costs: the milestone that both sides have reached, two counts in large, the table, the claims.

use leptos::prelude::*;
use sim_core::engine::Milestone;
use sim_core::ledger::Group;
use sim_core::scenario::Claim;

use super::icons::Mark;
use crate::app::App;
use crate::chart::Size;
use crate::link::Which;
use crate::session::{Go, Session};
use crate::text::{self, change, difference, quotient, thousands};

/// The middle column.
#[component]
pub fn Ledger() -> impl IntoView {
    let app = App::get();
    let (open, size) = (app.counts, app.size);
    view! {
        <section class="ledger" class:open=open aria-label="Ledger">
            <MilestoneHead />
            <Hero name="atomic operations" key="total" />
            <Hero name="times lru_lock was taken" key="lru_lock" />
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
    let digits = move || value(Which::Old).max(value(Which::New)).max(1).ilog10() + 1;
    // Of the half that a bar has, in thousandths.
    let length = move |which: Which| {
        let most = value(Which::Old).max(value(Which::New)).max(1);
        let part = value(which) * 500 / most;
        format!("{}.{}%", part / 10, part % 10)
    };
    view! {
        <div class="hero" class:long=move || digits() == 4 class:longer=move || 4 < digits()>
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
    let long = app.memo(|session| Which::BOTH.iter().any(|&which| session.side(which).track.end[0].value >= 10_000));
    view! {
        <table class="tab" class:long=long>
            <caption class="sr">"Counts of both sides"</caption>
            <thead>
                <tr class="over">
                    <td></td>
                    <th colspan="2" class="sf" scope="colgroup">"so far"</th>
                    <th colspan="3" scope="colgroup">"per page, whole run"</th>
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

/// Rows that count something on either side, with the headings of their groups. What is no atomic and the same on both
/// sides argues for neither and is left out.
fn table(session: &Session) -> Vec<TableRow> {
    let ends = Which::BOTH.map(|which| &session.side(which).track.end);
    let pages = session.side(Which::Old).track.pages;
    let mut rows = Vec::new();
    let mut group = Group::Total;
    for (at, (old, new)) in ends[0].iter().zip(ends[1]).enumerate() {
        let nothing = old.value == 0 && new.value == 0 && old.group != Group::Total;
        if nothing || old.group == Group::Beside && old.value == new.value {
            continue;
        }
        if old.group != group {
            group = old.group;
            rows.push(TableRow::Head(if group == Group::Words { "atomics by word" } else { "beside the atomics" }));
        }
        let whole = [old.value, new.value].map(|value| quotient(value, pages));
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

/// What the series' author claimed, checked on both sides.
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
                <em>{claim.claim}<span class="sr">": "{note}", "</span></em>
                <span>{claim.found}</span>
            </li>
        }
    };
    view! {
        <Show when=move || !claims.read().is_empty()>
            <ul class="claims" aria-label="Claims" tabindex="0">
                <li class="h">"claims, checked over the whole run"</li>
                {move || claims.get().into_iter().map(item).collect_view()}
            </ul>
        </Show>
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct ClaimRow {
    claim: &'static str,
    found: String,
    source: &'static str,
    holds: bool,
}

/// Claims of either side, broken ones first: what was found on the old side and on the new one.
fn claims(session: &Session) -> Vec<ClaimRow> {
    let of = |which: Which| &session.side(which).track.run.claims;
    let mut names: Vec<&'static str> = Vec::new();
    for claim in of(Which::New).iter().chain(of(Which::Old)) {
        if !names.contains(&claim.claim) {
            names.push(claim.claim);
        }
    }
    let row = |name: &'static str| {
        let sides = Which::BOTH.map(|which| of(which).iter().find(|claim| claim.claim == name));
        let shown = sides.into_iter().flatten();
        let found: Vec<String> = shown.clone().map(found).collect();
        let newest = sides[1].or(sides[0]);
        ClaimRow {
            claim: name,
            found: found.join(" → "),
            source: newest.map_or("", |claim| claim.source),
            holds: shown.clone().all(|claim| claim.holds),
        }
    };
    let mut rows: Vec<ClaimRow> = names.into_iter().map(row).collect();
    rows.sort_by_key(|row| row.holds);
    rows
}

/// What was found, with what was expected where that is something else.
fn found(claim: &Claim) -> String {
    let number = |text: &str| text.parse().map_or_else(|_| text.to_string(), thousands);
    let found = number(&claim.found);
    if claim.holds { found } else { format!("{found}, not {}", number(&claim.expected)) }
}
