//! What if: a strip over the picture, not in front of it, with the parameters, the choice of the CPU that goes next on
//! each side, and the forks.

mod branches;
mod next;
mod params;

use leptos::html;
use leptos::prelude::*;
use sim_core::scenario::{Scenario, Until};

use crate::app::App;
use crate::dom::{Node, live};
use crate::link::Which;
use crate::session::{Go, Session, Subject};
use crate::web;

/// Opens and closes the strip.
#[component]
pub fn Opener(#[prop(default = "")] id: &'static str) -> impl IntoView {
    let app = App::get();
    let id = (!id.is_empty()).then_some(id);
    view! {
        <button
            id=id
            class="what-if-open"
            aria-keyshortcuts="f"
            aria-expanded=move || if app.strip.open.get() { "true" } else { "false" }
            title="Change a parameter, choose the CPU that goes next, fork the past (f)"
            on:click=move |_| app.toggle_strip()
        >
            "What if"
        </button>
    }
}

/// The name of the fork that a side shows.
#[component]
pub fn Tag(which: Which) -> impl IntoView {
    let app = App::get();
    live(move || {
        app.loaded.track();
        app.strip.changed.track();
        let name = app.with(|session| session.what_if.shown(&session.subject, which).map(|one| one.name.clone()));
        let tag = Node::html("span").class("fork-tag");
        match name {
            Some(name) => tag.with("title", name.clone()).text(name),
            None => tag.with("hidden", ""),
        }
    })
}

/// The strip.
#[component]
pub fn Strip() -> impl IntoView {
    let app = App::get();
    view! { <Show when=move || app.strip.open.get()><Open /></Show> }
}

/// The strip while it is open.
#[component]
fn Open() -> impl IntoView {
    let app = App::get();
    let renamed = RwSignal::new(None::<u32>);
    let host = NodeRef::<html::Section>::new();
    let turns = live(move || {
        app.loaded.track();
        app.strip.changed.track();
        app.with(turns)
    });
    let said = live(move || Node::html("p").text(app.strip.said.get()));
    let sides = Which::BOTH.map(|which| {
        let tasks = app.live(move |session| next::tasks_of(session, which));
        let forks = live(move || {
            app.loaded.track();
            app.strip.changed.track();
            let renamed = renamed.get();
            app.with(|session| branches::tree(session, which, renamed))
        });
        let label = format!("What goes next: {}", which.name());
        view! { <section class="wi-side" aria-label=label>{tasks}{forks}</section> }
    });
    let [old, new] = sides;
    let clicked = move |event: web_sys::MouseEvent| press(app, &event, renamed);
    let keys = move |event: web_sys::KeyboardEvent| branches::typed(app, &event, renamed);
    view! {
        <section class="what-if" id="what-if" aria-label="What if" tabindex="-1" node_ref=host on:click=clicked on:keydown=keys>
            <header>
                <h2>"What if"</h2>
                {turns}
                <div class="wi-said">{said}</div>
                <button class="ico" aria-label="Close What if" data-do="close">"×"</button>
            </header>
            <div class="wi-body">{old}<params::Params />{new}</div>
        </section>
    }
}

fn turns(session: &Session) -> Node {
    let turn = |name: &'static str, keys: &'static str, what: Option<&str>| {
        let label = what.map_or(format!("{name}: nothing"), |what| format!("{name}: {what}"));
        Node::html("button")
            .class("btn")
            .with("data-do", name)
            .with("aria-keyshortcuts", keys)
            .with("aria-disabled", if what.is_some() { "false" } else { "true" })
            .with("aria-label", label.clone())
            .with("title", label)
            .text(name)
    };
    Node::html("div").class("wi-turns").children([
        turn("Undo", "Control+Z", session.what_if.undoes()),
        turn("Redo", "Control+Shift+Z", session.what_if.redoes()),
    ])
}

/// What the buttons of the strip do; each says so in its `data-do`.
fn press(app: App, event: &web_sys::MouseEvent, renamed: RwSignal<Option<u32>>) {
    let Some(button) = web::closest(event, "[data-do]") else { return };
    let attribute = |name: &str| button.get_attribute(name).unwrap_or_default();
    let off = attribute("aria-disabled") == "true";
    let side = if attribute("data-side") == "new" { Which::New } else { Which::Old };
    let number = |name: &str| attribute(name).parse::<u32>().ok();
    let fork = |until| {
        if let Some(cpu) = number("data-cpu").and_then(|cpu| u8::try_from(cpu).ok()) {
            app.fork(side, cpu, until);
        }
    };
    match (attribute("data-do").as_str(), number("data-fork")) {
        _ if off => {}
        ("close", _) => app.toggle_strip(),
        ("Undo", _) => app.turn(false),
        ("Redo", _) => app.turn(true),
        ("step", _) => fork(Until::Step),
        ("unlock", _) => fork(Until::Unlock),
        ("blocked", _) => fork(Until::Blocked),
        ("original", _) => app.with_forks(|session| session.show_original(side)),
        ("beside", _) => app.with_forks(|session| session.put_beside(side)),
        ("show", Some(id)) => app.with_forks(|session| session.show_fork(id)),
        ("delete", Some(id)) => app.with_forks(|session| session.delete_fork(id)),
        ("rename", Some(id)) => branches::start(renamed, id),
        ("go", _) => {
            if let Some(step) = number("data-step") {
                app.step(Go::Side(side, step));
            }
        }
        ("scenario", _) => {
            if let Ok(scenario) = Scenario::find(&attribute("data-name")) {
                app.load(&Subject::of(scenario));
                app.note(format!("{}: {}", scenario.name, scenario.summary));
            }
        }
        _ => {}
    }
}
