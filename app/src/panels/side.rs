//! One side: its name, its step in a sentence, its memory, its code.

use leptos::prelude::*;
use sim_core::view::Words;

use super::code::Code;
use super::inspector::Inspector;
use super::menu::VariantMenu;
use super::stage::Stage;
use crate::app::App;
use crate::dom::Node;
use crate::link::{Link, Which};
use crate::session::Session;
use crate::text::thousands;

// Height of a drawing under which all lines of code fit, at 1440 by 900.
const ROOM: f32 = 400.0;

/// One side.
#[component]
pub fn SidePanel(which: Which) -> impl IntoView {
    let app = App::get();
    let code = move || app.panes.get().code;
    let activate = move |_| {
        if app.with(|session| session.link == Link::Off) {
            app.set_active(which);
        }
    };
    let number = app.live(move |session| step_number(session, which));
    let words = app.live(move |session| match session.side(which).moment.step {
        0 => first_words(session),
        _ => sentence(&session.side(which).moment.words),
    });
    let tall = app.memo(move |session| session.side(which).scene.height > ROOM);
    let class = move || {
        let name = if which == Which::Old { "side old" } else { "side new" };
        if tall.get() { format!("{name} tall") } else { name.to_string() }
    };
    view! {
        <section class=class aria-label=which.name() on:pointerdown=activate>
            <div class="shead">
                <VariantMenu which=which />
                <super::whatif::Tag which=which />
                {number}
            </div>
            {words}
            <div class="stagebox">
                <Stage which=which />
                <Inspector which=which />
            </div>
            <Show when=code>
                <Code which=which />
            </Show>
        </section>
    }
}

/// How far this side is, and whether it waits for the other or is the one that moves.
fn step_number(session: &Session, which: Which) -> Node {
    let (at, ends) = (session.at().of(which), session.beats.ends().of(which));
    let number = format!("step {} of {}", thousands(at.into()), thousands(ends.into()));
    let state = if session.waiting() == Some(which) {
        Some(format!("waits for {}", which.other().name()))
    } else if session.link == Link::Off && session.active == which {
        Some("moves".to_string())
    } else {
        None
    };
    let state = state.map(|state| Node::html("span").class("waits").text(state));
    Node::html("span").class("stepno").children(state).children([Node::html("span").text(number)])
}

/// Before the first step: what to watch for.
fn first_words(session: &Session) -> Node {
    let watch = session.sides[0].track.run.spec.scenario.watch;
    if watch.is_empty() {
        return Node::html("p").class("say").text("Nothing has run yet.");
    }
    let words = [Node::html("b").text("Watch: "), Node::html("span").text(watch)];
    Node::html("p").class("say").children(words)
}

fn sentence(words: &Words) -> Node {
    let piece = |(text, strong): &(String, bool)| Node::html(if *strong { "b" } else { "span" }).text(text.clone());
    Node::html("p").class("say").children(words.0.iter().map(piece))
}
