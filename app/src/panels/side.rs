//! One side: its name, its step in a sentence, its memory, its code.

use leptos::prelude::*;
use sim_core::view::Words;

use super::code::Code;
use super::icons::Mark;
use super::inspector::Inspector;
use super::menu::{Choice, Menu};
use super::stage::Stage;
use crate::app::App;
use crate::chart::Size;
use crate::dom::{Node, live};
use crate::link::{Link, Which};
use crate::session::Session;
use crate::text::thousands;

/// One side.
#[component]
pub fn SidePanel(which: Which) -> impl IntoView {
    let app = App::get();
    let loaded = move |read: fn(&Session, Which) -> String| {
        Memo::new(move |_| {
            app.loaded.track();
            app.with(|session| read(session, which))
        })
    };
    let name = loaded(|session, which| format!("{}: {}", which.name(), session.side(which).label()));
    let variant = loaded(|session, which| session.subject.variants[which as usize].clone());
    let choices = Memo::new(move |_| {
        app.loaded.track();
        app.with(variants)
    });
    let active = app.memo(move |session| session.link == Link::Off && session.active == which);
    let wide_code = move || app.size.get() != Size::Narrow;
    let class = if which == Which::Old { "side old" } else { "side new" };
    let activate = move |_| {
        if app.with(|session| session.link == Link::Off) {
            app.set_active(which);
        }
    };
    view! {
        <section class=class class:active=active aria-label=name on:pointerdown=activate>
            <div class="shead">
                <h2>
                    <Menu
                        purpose="Choose the kernel of this side"
                        chosen=variant
                        choices=choices
                        choose=move |value: String| app.set_variant(which, &value)
                    >
                        <Mark which=which />
                        <span>{name}</span>
                    </Menu>
                </h2>
                {live(move || {
                    app.shown.track();
                    app.with(|session| step_number(session, which))
                })}
            </div>
            {live(move || {
                app.shown.track();
                app.with(|session| sentence(&session.side(which).moment.words))
            })}
            <div class="stagebox">
                <Stage which=which />
                <Inspector which=which />
            </div>
            <Show when=wide_code>
                <Code which=which />
            </Show>
        </section>
    }
}

fn step_number(session: &Session, which: Which) -> Node {
    let (at, ends) = (session.at().of(which), session.beats.ends().of(which));
    let number = format!("step {} of {}", thousands(at.into()), thousands(ends.into()));
    let waits = (session.waiting() == Some(which))
        .then(|| Node::html("span").class("waits").text(format!("waits for {}", which.other().name())));
    Node::html("span").class("stepno").children(waits).children([Node::html("span").text(number)])
}

fn variants(session: &Session) -> Vec<Choice> {
    let scenario = session.side(Which::Old).track.run.spec.scenario;
    scenario
        .variants
        .iter()
        .map(|variant| Choice { value: variant.name.into(), label: variant.label.into(), note: variant.title.into() })
        .collect()
}

fn sentence(words: &Words) -> Node {
    let piece = |(text, strong): &(String, bool)| Node::html(if *strong { "b" } else { "span" }).text(text.clone());
    Node::html("p").class("say").children(words.0.iter().map(piece))
}
