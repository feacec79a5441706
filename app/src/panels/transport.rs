//! The controls.

use leptos::prelude::*;

use super::icons::{Chevron, Sign};
use crate::app::{App, SPEEDS};
use crate::chart::Size;
use crate::link::Link;
use crate::session::{Go, Session};

const BACK: &str = "M8.5 2L4 6l4.5 4z";
const STEP: &str = "M3.5 2L8 6l-4.5 4z";
const NEXT: &str = "M1.5 2L6 6l-4.5 4zM6.5 2L11 6l-4.5 4z";
const PLAY: &str = "M2.5 1.5L10.5 6l-8 4.5z";
const PAUSE: &str = "M2.5 1.5h2.7v9H2.5zM6.8 1.5h2.7v9H6.8z";

/// The controls.
#[component]
pub fn Transport() -> impl IntoView {
    let app = App::get();
    let at_start = app.memo(|session| session.at() == crate::link::Pair::default());
    let ended = app.memo(Session::ended);
    let playing = app.playing;
    let play_sign = Signal::derive(move || if playing.get() { PAUSE } else { PLAY });
    view! {
        <footer class="transport">
            <div class="grp1" role="group" aria-label="Steps">
                <button
                    class="ico"
                    aria-label="Restart"
                    title="Restart"
                    aria-keyshortcuts="Home"
                    aria-disabled=move || at_start.get().to_string()
                    on:click=app.on(Go::Clock(0))
                >
                    <svg viewBox="0 0 12 12" aria-hidden="true">
                        <path d="M2 2h1.6v8H2zM10 2v8L4.4 6z" />
                    </svg>
                </button>
                <button
                    aria-keyshortcuts="ArrowLeft"
                    aria-disabled=move || at_start.get().to_string()
                    on:click=app.on(Go::Back)
                >
                    <Sign d=BACK />
                    <span>"Back"</span>
                </button>
                <button
                    id="step"
                    class="pri"
                    aria-keyshortcuts="ArrowRight"
                    aria-disabled=move || ended.get().to_string()
                    on:click=app.on(Go::Step)
                >
                    <span>"Step"</span>
                    <Sign d=STEP />
                </button>
                <button
                    aria-keyshortcuts="o"
                    aria-disabled=move || ended.get().to_string()
                    on:click=app.on(Go::Over)
                >
                    <span>"Step over"</span>
                    <svg viewBox="0 0 12 12" aria-hidden="true">
                        <path d="M1.5 8a4.2 4.2 0 0 1 8-1" class="s" />
                        <path d="M11.6 4.4L9.9 8.6 6.9 5.6z" />
                    </svg>
                </button>
                <button
                    aria-keyshortcuts="Shift+ArrowRight"
                    aria-disabled=move || ended.get().to_string()
                    on:click=app.on(Go::Next)
                >
                    <span>"Next page"</span>
                    <Sign d=NEXT />
                </button>
                <button class="play" aria-keyshortcuts="Space" on:click=move |_| app.toggle_play()>
                    <span>{move || if playing.get() { "Pause" } else { "Play" }}</span>
                    <Sign d=play_sign />
                </button>
            </div>
            <Signs />
            <div class="grp2">
                <Show when=move || app.size.get() == Size::Medium>
                    <button
                        class="plain"
                        aria-expanded=move || app.counts.get().to_string()
                        on:click=move |_| app.counts.update(|open| *open = !*open)
                    >
                        <b>{move || if app.counts.get() { "fewer counts" } else { "all counts" }}</b>
                        <Chevron />
                    </button>
                </Show>
                <LinkChoice />
                <SpeedChoice />
            </div>
        </footer>
    }
}

#[component]
fn LinkChoice() -> impl IntoView {
    let app = App::get();
    let link = app.memo(|session| session.link);
    let choose = move |event| {
        if let Some(link) = Link::from_name(&event_target_value(&event)) {
            app.set_link(link);
        }
    };
    let option =
        move |one: Link| view! { <option value=one.name() selected=move || link.get() == one>{one.name()}</option> };
    view! {
        <label class="plain">
            "link by"
            <select prop:value=move || link.get().name() on:change=choose>{Link::ALL.map(option)}</select>
            <Chevron />
        </label>
    }
}

#[component]
fn SpeedChoice() -> impl IntoView {
    let app = App::get();
    let choose = move |event| {
        if let Ok(speed) = event_target_value(&event).parse() {
            app.speed.set(speed);
        }
    };
    let option = move |speed: u32| {
        view! { <option value=speed.to_string() selected=move || app.speed.get() == speed>{format!("{speed}/s")}</option> }
    };
    view! {
        <label class="plain">
            "speed"
            <select prop:value=move || app.speed.get().to_string() on:change=choose>{SPEEDS.map(option)}</select>
            <Chevron />
        </label>
    }
}

/// What the signs of the drawing mean.
#[component]
fn Signs() -> impl IntoView {
    let signs = [
        ("k-now", "this step"),
        ("k-held", "lock held"),
        ("k-unev", "unevictable"),
        ("k-inact", "inactive anon"),
        ("k-pvec", "in a pagevec, off the lists"),
        ("k-ref", "only a reference"),
        ("k-pin", "pinned"),
    ];
    view! {
        <ul class="key" aria-label="Key">
            {signs.map(|(class, meaning)| view! { <li><i class=class></i>{meaning}</li> })}
        </ul>
    }
}
