//! A page looked at: what struct page says, and every step that touched it.

use leptos::html;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use sim_core::view::{PageNo, Place, View};
use stage::number;

use super::icons::{cross, left, mark, right};
use crate::app::App;
use crate::dom::{Node, live, watch};
use crate::link::Which;
use crate::session::{Go, Session};
use crate::text::thousands;
use crate::web;

/// Steps of a biography that are listed; more are around the present one.
const LISTED: usize = 200;
/// Width of the sheet in the drawing's measures, to keep it inside.
const WIDTH: f32 = 330.0;

/// The page that is looked at, where it is one of this side's.
#[component]
pub fn Inspector(which: Which) -> impl IntoView {
    let app = App::get();
    let page = Memo::new(move |_| app.looked.get().filter(|(side, _)| *side == which).map(|(_, page)| page));
    let host = NodeRef::<html::Div>::new();
    let life = StoredValue::new_local(Life::default());
    let sheet = live(move || {
        app.shown.track();
        let Some(page) = page.get() else { return Node::html("div").with("hidden", "") };
        app.with_mut(|session| {
            life.try_update_value(|life| {
                life.bring(session, which, page);
                sheet(session, which, page, life)
            })
            .unwrap_or_else(|| Node::html("div"))
        })
    });
    let close = move || {
        let page = page.get_untracked();
        app.looked.set(None);
        focus_tile(which, page);
    };
    let clicked = move |event: web_sys::MouseEvent| {
        if let Some(step) = web::number_of(&event, "data-step") {
            app.step(Go::Side(which, step));
        } else if web::closest(&event, ".ico").is_some() {
            close();
        }
    };
    let keys = move |event: web_sys::KeyboardEvent| {
        if event.key() == "Escape" {
            event.prevent_default();
            close();
        }
    };
    // In the next frame the sheet is there.
    let focused = StoredValue::new(None::<PageNo>);
    watch(move || {
        let now = page.get();
        if now.is_some() && focused.get_value() != now {
            request_animation_frame(move || _ = focus_in(host, ".ico"));
        }
        focused.set_value(now);
    });
    watch(move || {
        app.shown.track();
        page.track();
        request_animation_frame(move || _ = show_present(host));
    });
    view! { <div node_ref=host on:click=clicked on:keydown=keys>{sheet}</div> }
}

/// Every step that touched a page, with what it did.
#[derive(Default)]
struct Life {
    of: Option<(PageNo, String)>,
    steps: Vec<u32>,
    /// The part of it that is listed.
    from: usize,
    sentences: Vec<String>,
}

impl Life {
    /// Makes this the life of a page, with a list that the present is in.
    fn bring(&mut self, session: &mut Session, which: Which, page: PageNo) {
        let of = Some((page, format!("{:?}", session.subject)));
        let track = &mut session.sides[which as usize].track;
        let fresh = self.of != of;
        if fresh {
            self.of = of;
            self.steps = track.biography(page);
        }
        let present = self.passed(track.cursor());
        if fresh || !(self.from..=self.from + self.sentences.len()).contains(&present) {
            self.from = present.saturating_sub(LISTED / 2).min(self.steps.len().saturating_sub(LISTED));
            let listed = &self.steps[self.from..(self.from + LISTED).min(self.steps.len())];
            self.sentences = track.sentences(listed);
        }
    }

    fn passed(&self, step: u32) -> usize {
        self.steps.partition_point(|&touched| touched <= step)
    }
}

fn sheet(session: &Session, which: Which, page: PageNo, life: &Life) -> Node {
    let place = place_on_stage(session, which, page);
    let heading = Node::html("h3").children([mark(which), Node::html("span").text(format!("page {page}"))]);
    let close = Node::html("button").class("ico").with("aria-label", "Close").children([cross()]);
    let facts = facts(session, which, page).into_iter();
    let facts = facts.flat_map(|(name, value)| [Node::html("dt").text(name), Node::html("dd").text(value)]);
    let (left, top, above) = place.unwrap_or_default();
    Node::html("div")
        .class(if above { "inspect above" } else { "inspect" })
        .with("role", "dialog")
        .with("aria-label", format!("page {page}, {}", which.name()))
        .style("left", format!("{}%", number(left)))
        .style("top", format!("{}%", number(top)))
        .children([
            Node::html("header").children([heading, close]),
            Node::html("dl").class("facts").children(facts),
            beside(life, session.at().of(which)),
            biography(life, session.at().of(which)),
        ])
}

/// How often it was touched, and the steps before and after the present one that do.
fn beside(life: &Life, now: u32) -> Node {
    let total = life.steps.len() as u64;
    let title = format!("touched by {} {}", thousands(total), if total == 1 { "step" } else { "steps" });
    let passed = life.passed(now);
    let before = life.steps[..passed].iter().rev().find(|&&step| step < now);
    let button = |label: &'static str, sign: Node, step: Option<&u32>| {
        let button = Node::html("button").class("nav").with("aria-label", label).children([sign]);
        match step {
            Some(step) => button.with("data-step", step.to_string()),
            None => button.with("aria-disabled", "true"),
        }
    };
    Node::html("div").class("bio").children([
        Node::html("h4").text(title),
        button("last step that touched it", left(), before),
        button("next step that touches it", right(), life.steps.get(passed)),
    ])
}

fn biography(life: &Life, now: u32) -> Node {
    let present = life.passed(now).checked_sub(1);
    let row = |(i, sentence): (usize, &String)| {
        let step = life.steps[life.from + i];
        let button = Node::html("button")
            .with("data-step", step.to_string())
            .children([Node::html("span").text(thousands(step.into())), Node::html("b").text(sentence.clone())]);
        Node::html("li")
            .class(if step > now { "later" } else { "" })
            .with_if(present == Some(life.from + i), "aria-current", "step")
            .children([button])
    };
    Node::html("ol")
        .class("biography")
        .with("tabindex", "0")
        .with("aria-label", "Steps that touch the page")
        .children(life.sentences.iter().enumerate().map(row))
}

fn focus_in(host: NodeRef<html::Div>, selector: &str) -> Option<()> {
    let element = host.try_get_untracked()??.query_selector(selector).ok()??;
    element.unchecked_ref::<web_sys::HtmlElement>().focus().ok()
}

/// Scrolls the list to the present.
fn show_present(host: NodeRef<html::Div>) -> Option<()> {
    let host = host.try_get_untracked()??;
    let list = host.query_selector(".biography").ok()??;
    let row = list.query_selector("[aria-current]").ok()??;
    show_row(list.unchecked_ref(), &row);
    Some(())
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

fn focus_tile(which: Which, page: Option<PageNo>) {
    let Some(page) = page else { return };
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
