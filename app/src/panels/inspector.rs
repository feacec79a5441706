//! A page looked at: what struct page says, and every step that touched it.

use leptos::html;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use sim_core::view::{PageNo, Place, View};

use super::icons::Mark;
use crate::app::App;
use crate::link::Which;
use crate::session::{Go, Session};
use crate::text::thousands;

/// Steps of a biography that are listed; more are around the present one.
const LISTED: usize = 200;
/// Width of the inspector in the drawing's measures, to keep it inside.
const WIDTH: f32 = 330.0;

/// The page that is looked at, where it is one of this side's.
#[component]
pub fn Inspector(which: Which) -> impl IntoView {
    let app = App::get();
    let page = Memo::new(move |_| app.looked.get().filter(|(side, _)| *side == which).map(|(_, page)| page));
    move || page.get().map(|page| view! { <Sheet which=which page=page /> })
}

#[component]
fn Sheet(which: Which, page: PageNo) -> impl IntoView {
    let app = App::get();
    let sheet = NodeRef::<html::Div>::new();
    let close_button = NodeRef::<html::Button>::new();
    let facts = app.memo(move |session| facts(session, which, page));
    let place = app.memo(move |session| place_on_stage(session, which, page));
    let close = move || {
        app.looked.set(None);
        focus_tile(which, page);
    };
    Effect::new(move |_| {
        if let Some(button) = close_button.get() {
            // Focus fails for no button that is shown.
            let _ = button.focus();
        }
    });
    let keys = move |event: web_sys::KeyboardEvent| {
        if event.key() == "Escape" {
            event.prevent_default();
            close();
        }
    };
    let label = format!("page {page}, {}", which.name());
    view! {
        <div
            class="inspect"
            class:above=move || place.get().is_some_and(|place| place.2)
            role="dialog"
            aria-label=label
            node_ref=sheet
            style:left=move || place.get().map(|place| format!("{:.2}%", place.0)).unwrap_or_default()
            style:top=move || place.get().map(|place| format!("{:.2}%", place.1)).unwrap_or_default()
            on:keydown=keys
        >
            <header>
                <h3><Mark which=which />"page "{page}</h3>
                <button class="ico" aria-label="Close" node_ref=close_button on:click=move |_| close()>"×"</button>
            </header>
            <dl class="facts">
                {move || {
                    facts.get().into_iter().map(|(name, value)| view! { <dt>{name}</dt><dd>{value}</dd> }).collect_view()
                }}
            </dl>
            <Biography which=which page=page />
        </div>
    }
}

/// Every step that touched the page.
#[component]
fn Biography(which: Which, page: PageNo) -> impl IntoView {
    let app = App::get();
    let list = NodeRef::<html::Ol>::new();
    let now = app.memo(move |session| session.side(which).moment.step);
    let steps = StoredValue::new(app.with(|session| session.side(which).track.biography(page).to_vec()));
    let window = Memo::new(move |before: Option<&(usize, usize)>| {
        let present = steps.with_value(|steps| steps.partition_point(|&step| step <= now.get()));
        let total = steps.with_value(Vec::len);
        match before {
            // The list stays while the present is in it.
            Some(&(from, to)) if (from..=to).contains(&present) => (from, to),
            _ => {
                let from = present.saturating_sub(LISTED / 2).min(total.saturating_sub(LISTED));
                (from, (from + LISTED).min(total))
            }
        }
    });
    let rows = Memo::new(move |_| {
        let (from, to) = window.get();
        let steps = steps.with_value(|steps| steps[from..to].to_vec());
        let sentences = app.with_mut(|session| session.sides[which as usize].track.sentences(&steps));
        steps.into_iter().zip(sentences).collect::<Vec<_>>()
    });
    let current = Memo::new(move |_| {
        let rows = rows.read();
        rows.partition_point(|(step, _)| *step <= now.get()).checked_sub(1).map(|at| rows[at].0)
    });
    Effect::new(move |_| {
        current.track();
        let row = list.get().and_then(|list| list.query_selector("[aria-current]").ok().flatten());
        if let (Some(list), Some(row)) = (list.get(), row) {
            show_row(&list, &row);
        }
    });
    let row = move |(step, sentence): (u32, String)| {
        let present = move || (current.get() == Some(step)).then_some("step");
        let later = move || step > now.get();
        view! {
            <li aria-current=present class:later=later>
                <button on:click=move |_| app.step(Go::Side(which, step))>
                    <span>{thousands(step.into())}</span>
                    {sentence}
                </button>
            </li>
        }
    };
    let title = move || {
        let total = steps.with_value(Vec::len) as u64;
        format!("touched by {} {}", thousands(total), if total == 1 { "step" } else { "steps" })
    };
    let beside = move |later: bool| {
        move |_| {
            let at = now.get_untracked();
            let step = steps.with_value(|steps| {
                let passed = steps.partition_point(|&step| if later { step <= at } else { step < at });
                if later { steps.get(passed).copied() } else { passed.checked_sub(1).map(|at| steps[at]) }
            });
            if let Some(step) = step {
                app.step(Go::Side(which, step));
            }
        }
    };
    view! {
        <div class="bio">
            <h4>{title}</h4>
            <button class="nav" aria-label="last step that touched it" on:click=beside(false)>"‹"</button>
            <button class="nav" aria-label="next step that touches it" on:click=beside(true)>"›"</button>
        </div>
        <ol class="biography" node_ref=list tabindex="0" aria-label="Steps that touch the page">
            {move || rows.get().into_iter().map(row).collect_view()}
        </ol>
    }
}

/// Scrolls a list, and nothing else, until a row shows.
fn show_row(list: &web_sys::HtmlElement, row: &web_sys::Element) {
    let row: &web_sys::HtmlElement = row.unchecked_ref();
    let (top, height) = (row.offset_top(), row.offset_height());
    let seen = list.scroll_top()..list.scroll_top() + list.client_height() - height;
    if !seen.contains(&top) {
        list.set_scroll_top((top - list.client_height() / 2).max(0));
    }
}

fn focus_tile(which: Which, page: PageNo) {
    let selector = format!(".side.{} .tile[data-page=\"{page}\"]:not(.ref)", which.name());
    if let Some(tile) = document().query_selector(&selector).ok().flatten() {
        // Focus fails for no tile that is shown.
        let _ = tile.unchecked_ref::<web_sys::SvgElement>().focus();
    }
}

/// Left and top in percent of the drawing, and whether it stands above the tile.
fn place_on_stage(session: &Session, which: Which, page: PageNo) -> Option<(f32, f32, bool)> {
    let scene = &session.side(which).scene;
    let tile = scene.tile(page)?.rect;
    let left = (tile.x + tile.w / 2.0 - WIDTH / 2.0).clamp(0.0, (scene.width - WIDTH).max(0.0));
    let above = tile.y > scene.height * 0.5;
    let top = if above { tile.y } else { tile.bottom() };
    Some((100.0 * left / scene.width, 100.0 * top / scene.height, above))
}

/// What struct page says.
fn facts(session: &Session, which: Which, page: PageNo) -> Vec<(&'static str, String)> {
    let side = session.side(which);
    let view = &side.view;
    let Some(page) = view
        .pages
        .get(page as usize)
        .filter(|found| found.no == page)
        .or_else(|| view.pages.iter().find(|found| found.no == page))
    else {
        return vec![("place", "no such page in this run".into())];
    };
    let lock = match page.lock {
        Some(hold) => format!("CPU {}, for {}", hold.cpu, steps(hold.steps)),
        None => "free".into(),
    };
    let flags = if page.flags.is_empty() { "none".into() } else { page.flags.join(" ") };
    vec![
        ("place", place(view, page.place)),
        ("flags", flags),
        ("_count", format!("{}{}", page.count, if page.pinned { ", pinned" } else { "" })),
        ("_mapcount", page.mapcount.to_string()),
        ("page lock", lock),
    ]
}

fn steps(n: u32) -> String {
    format!("{} {}", thousands(n.into()), if n == 1 { "step" } else { "steps" })
}

fn place(view: &View, place: Place) -> String {
    match place {
        Place::Free => "free".into(),
        Place::New => "on no list yet".into(),
        Place::List { zone, lru } => format!("{} list of zone {zone}", lru.name()),
        Place::Pagevec { cpu, kind, slot } => {
            let cpus = view.cpus.iter().filter(|one| one.id == cpu);
            let name =
                cpus.flat_map(|one| &one.pagevecs).find(|pvec| pvec.kind == kind).map_or("pagevec", |pvec| pvec.name);
            format!("slot {slot} of the {name} of CPU {cpu}, on no list")
        }
        Place::Isolated { cpu } => format!("isolated by CPU {cpu}, on no list"),
    }
}
