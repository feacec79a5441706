//! The search box with what it finds, and the list of breakpoints under it.

mod breaks;
mod results;

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use sim_core::ask::Condition;

use super::help::Modal;
use crate::app::{App, Dialog};
use crate::dom::{Node, live};
use crate::link::Which;
use crate::questions::{Answer, Found, search};
use crate::session::Go;
use crate::web;

/// Opens the box.
#[component]
pub fn Open() -> impl IntoView {
    let app = App::get();
    view! {
        <button
            class="find"
            aria-haspopup="dialog"
            aria-keyshortcuts="/"
            title="Search, run to a condition, breakpoints (/)"
            on:click=move |_| app.open(Dialog::Ask)
        >
            "Find"
        </button>
    }
}

/// Why the page has stopped, until it goes on.
#[component]
pub fn Notice() -> impl IntoView {
    let app = App::get();
    let notice = live(move || {
        let Some(text) = app.stopped.get() else { return Node::html("p").class("stopped").with("hidden", "") };
        Node::html("p").class("stopped").children([Node::html("span").text(text)])
    });
    view! { <div class="noticebox">{notice}</div> }
}

/// The dialog.
#[component]
pub fn Ask() -> impl IntoView {
    view! { <Modal which=Dialog::Ask title="Find or run to" content=content /> }
}

/// What the box holds, beside the text: which of the hits is marked, whose steps are searched, what went wrong.
#[derive(Clone, Copy)]
struct Search {
    app: App,
    text: RwSignal<String>,
    marked: RwSignal<usize>,
    sides: RwSignal<Option<Which>>,
    wrong: RwSignal<String>,
    found: Memo<Found>,
}

fn content() -> AnyView {
    let app = App::get();
    let text = RwSignal::new(String::new());
    let found = Memo::new(move |_| {
        app.loaded.track();
        let text = text.get();
        app.with_mut(|session| search(session, &text))
    });
    let it = Search {
        app,
        text,
        marked: RwSignal::new(0),
        sides: RwSignal::new(None),
        wrong: RwSignal::new(String::new()),
        found,
    };
    // In the next frame the dialog is open.
    request_animation_frame(focus_box);
    let typed = move |event: web_sys::Event| {
        it.text.set(event_target_value(&event));
        it.marked.set(0);
        it.wrong.set(String::new());
    };
    let active = move || {
        let any = it.found.with(|found| found.hits().next().is_some());
        any.then(|| format!("hit-{}", it.marked.get()))
    };
    view! {
        <div class="asking">
            <input
                id="askbox"
                type="text"
                class="askbox"
                role="combobox"
                aria-label="Name, condition, step or words"
                aria-expanded=move || active().is_some().to_string()
                aria-controls="hits"
                aria-autocomplete="list"
                aria-activedescendant=active
                autocomplete="off"
                spellcheck="false"
                placeholder="page 17, lru_lock taken, NR_MLOCK = 3, lru_add_drain, differ"
                on:input=typed
                on:keydown=move |event| it.key(&event)
            />
            {sides(it)}
            <p class="askhint">
                <kbd>"Enter"</kbd> " runs forwards or looks at it, " <kbd>"Shift Enter"</kbd> " runs backwards, "
                <kbd>"↑"</kbd> <kbd>"↓"</kbd> " choose"
            </p>
            <div class="askwrong" role="status">{live(move || Node::html("p").text(it.wrong.get()))}</div>
            {results::view(it)}
            {breaks::view(app)}
        </div>
    }
    .into_any()
}

/// Puts the focus into the box.
fn focus_box() {
    let input = document().get_element_by_id("askbox");
    if let Some(input) = input.and_then(|input| input.dyn_into::<web_sys::HtmlElement>().ok()) {
        // Focus fails for no element that is shown.
        let _ = input.focus();
    }
}

/// Whose steps a condition is looked for on.
fn sides(it: Search) -> AnyView {
    let choices = [(None, "both sides"), (Some(Which::Old), "old"), (Some(Which::New), "new")];
    let radio = move |(side, name): (Option<Which>, &'static str)| {
        view! {
            <label>
                <input
                    type="radio"
                    name="askside"
                    prop:checked=move || it.sides.get() == side
                    on:change=move |_| it.sides.set(side)
                />
                <span>{name}</span>
            </label>
        }
    };
    view! {
        <fieldset class="asksides">
            <legend class="sr">"Run to it on"</legend>
            {choices.into_iter().map(radio).collect_view()}
        </fieldset>
    }
    .into_any()
}

impl Search {
    fn key(self, event: &web_sys::KeyboardEvent) {
        let hits = self.found.with_untracked(|found| found.hits().count());
        match event.key().as_str() {
            "ArrowDown" => self.marked.update(|at| *at = (*at + 1) % hits.max(1)),
            "ArrowUp" => self.marked.update(|at| *at = (*at + hits.max(1) - 1) % hits.max(1)),
            "Enter" => self.choose(self.marked.get_untracked(), event.shift_key()),
            _ => return,
        }
        event.prevent_default();
        let id = format!("hit-{}", self.marked.get_untracked());
        request_animation_frame(move || {
            if let Some(hit) = document().get_element_by_id(&id) {
                results::show(&hit);
            }
        });
    }

    fn choose(self, at: usize, back: bool) {
        let answer = self.found.with_untracked(|found| found.hits().nth(at).map(|hit| hit.answer.clone()));
        let Some(answer) = answer else {
            let note = self.found.with_untracked(|found| found.note.clone());
            self.wrong.set(if note.is_empty() { "Nothing is found.".into() } else { note });
            return;
        };
        let app = self.app;
        match answer {
            Answer::Run(condition) => self.run(&condition, back),
            Answer::Stop(condition) => app.add_break(condition),
            Answer::Look(subject) => {
                let which = self.sides.get_untracked().unwrap_or_else(|| app.with(|session| session.active));
                app.dialog.set(None);
                app.looked.set(Some((which, subject)));
            }
            Answer::Step(which, step) => {
                app.dialog.set(None);
                app.step(Go::Side(which, step));
            }
        }
    }

    fn run(self, condition: &Condition, back: bool) {
        let sides = self.sides.get_untracked().map_or(Which::BOTH.to_vec(), |which| vec![which]);
        match self.app.run_to(condition, back, &sides) {
            Ok(()) => self.app.dialog.set(None),
            Err(why) => self.wrong.set(why),
        }
    }

    fn click(self, event: &web_sys::MouseEvent) {
        if let Some(hit) = web::number_of(event, "data-hit") {
            self.marked.set(hit as usize);
            self.choose(hit as usize, event.shift_key());
        }
    }
}
