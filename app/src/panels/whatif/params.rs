//! Parameters that can be changed while one looks.

use std::time::Duration;

use leptos::html;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use sim_core::scenario::{Kind, Param};

use crate::app::App;
use crate::dom::{Node, live, watch};
use crate::session::Session;
use crate::track::MOST_PAGES;
use crate::web;

/// How long a change waits for the next one, so that a held key records once; longer where text is typed.
const WAIT: Duration = Duration::from_millis(180);
const WAIT_FOR_TEXT: Duration = Duration::from_millis(600);

/// A change that waits.
#[derive(Default)]
struct Waiting {
    timer: Option<TimeoutHandle>,
    /// Values by name, of which only the last counts.
    values: Vec<(String, String)>,
}

/// What is wrong with a parameter, by its name.
type Wrong = Option<(String, String)>;

/// The fields.
#[component]
pub fn Params() -> impl IntoView {
    let app = App::get();
    let wrong = RwSignal::new(Wrong::None);
    let waiting = StoredValue::new_local(Waiting::default());
    let host = NodeRef::<html::Section>::new();
    let fields = live(move || {
        app.loaded.track();
        let wrong = wrong.get();
        app.with(|session| fields(session, &wrong))
    });
    // An input keeps what was typed into it: after undo it has to be told.
    watch(move || {
        app.loaded.track();
        wrong.set(None);
        if waiting.with_value(|waiting| waiting.values.is_empty()) {
            app.with(|session| set_inputs(host, session));
        }
    });
    let changed = move |event: web_sys::Event| {
        let Some(input) = web::target(&event) else { return };
        let value = match input.get_attribute("type").as_deref() {
            Some("checkbox") => event_target_checked(&event).to_string(),
            _ => event_target_value(&event),
        };
        let wait = if input.get_attribute("type").as_deref() == Some("text") { WAIT_FOR_TEXT } else { WAIT };
        wait_for_more(app, waiting, wrong, (input.get_attribute("name").unwrap_or_default(), value), wait);
    };
    let clicked = move |event: web_sys::MouseEvent| {
        let Some(button) = web::closest(&event, "[data-by]") else { return };
        let by: i64 = button.get_attribute("data-by").and_then(|by| by.parse().ok()).unwrap_or(0);
        let input = button.parent_element().and_then(|field| field.query_selector("input").ok().flatten());
        let Some(input) = input.and_then(|input| input.dyn_into::<web_sys::HtmlInputElement>().ok()) else { return };
        let bound = |name: &str| input.get_attribute(name).and_then(|bound| bound.parse::<i64>().ok()).unwrap_or(0);
        let value = input.value().parse::<i64>().unwrap_or(0).saturating_add(by).clamp(bound("min"), bound("max"));
        input.set_value(&value.to_string());
        wait_for_more(app, waiting, wrong, (input.name(), value.to_string()), WAIT);
    };
    on_cleanup(move || {
        waiting.try_update_value(|waiting| waiting.timer.take().map(|timer| timer.clear()));
    });
    view! {
        <section class="wi-params" aria-label="Parameters" data-live="" node_ref=host on:input=changed on:click=clicked>
            <h3>"parameters of both sides"</h3>
            {fields}
        </section>
    }
}

fn wait_for_more(
    app: App,
    waiting: StoredValue<Waiting, LocalStorage>,
    wrong: RwSignal<Wrong>,
    (name, value): (String, String),
    wait: Duration,
) {
    let go = move || {
        let values = waiting.try_update_value(|waiting| {
            waiting.timer = None;
            std::mem::take(&mut waiting.values)
        });
        apply(app, wrong, values.unwrap_or_default());
    };
    waiting.update_value(|waiting| {
        if let Some(timer) = waiting.timer.take() {
            timer.clear();
        }
        waiting.values.retain(|(other, _)| *other != name);
        waiting.values.push((name, value));
        waiting.timer = set_timeout_with_handle(go, wait).ok();
    });
}

fn apply(app: App, wrong: RwSignal<Wrong>, values: Vec<(String, String)>) {
    let Some(last) = values.last().map(|(name, _)| name.clone()) else { return };
    let mut subject = app.with(|session| session.subject.clone());
    let before = subject.clone();
    for (name, value) in values {
        subject.set(&name, value);
    }
    if subject == before {
        return wrong.set(None);
    }
    match app.change(&subject) {
        Ok(()) => wrong.set(None),
        Err(text) => {
            // Every CPU of the fork has its place in the list; with other parameters others may have it.
            let forked = text.starts_with("choices:") && subject.own.iter().any(Option::is_some);
            let hint = if forked { ". The fork that is shown does not fit; show the original first" } else { "" };
            wrong.set(Some((last, format!("{text}{hint}"))));
        }
    }
}

fn set_inputs(host: NodeRef<html::Section>, session: &Session) {
    let Some(host) = host.get_untracked() else { return };
    for param in session.sides[0].track.run.spec.scenario.params {
        let value = session.subject.get(param);
        let field = host.query_selector(&format!("[name=\"{}\"]", param.name)).ok().flatten();
        match field.and_then(|field| field.dyn_into::<web_sys::HtmlInputElement>().ok()) {
            Some(input) if param.kind == Kind::Flag => input.set_checked(value == "true"),
            Some(input) if input.value() != value => input.set_value(&value),
            _ => {}
        }
    }
}

fn fields(session: &Session, wrong: &Wrong) -> Node {
    let scenario = session.sides[0].track.run.spec.scenario;
    let list = Node::html("div").key(scenario.name).class("wi-fields");
    if scenario.params.is_empty() {
        return list.children([Node::html("p").text("This scenario has no parameters.")]);
    }
    list.children(scenario.params.iter().map(|param| field(param, &session.subject.get(param), wrong)))
}

fn field(param: &'static Param, value: &str, wrong: &Wrong) -> Node {
    let wrong = wrong.as_ref().filter(|(name, _)| name == param.name).map(|(_, text)| text);
    let id = format!("wi-{}", param.name);
    let error = format!("wi-wrong-{}", param.name);
    let label = Node::html("label").with("for", id.clone()).with("title", param.doc).text(param.name);
    let input = match param.kind {
        Kind::Choice(names) => {
            let option = |name: &&'static str| Node::html("option").with("value", *name).text(*name);
            Node::html("select").children(names.iter().map(option)).with("value", value.to_string())
        }
        Kind::Number { min, max } => {
            let max = max.min(MOST_PAGES);
            let input = Node::html("input").with("type", "number").with("value", value.to_string());
            input.with("min", min.to_string()).with("max", max.to_string())
        }
        Kind::Flag => Node::html("input").with("type", "checkbox").with_if(value == "true", "checked", ""),
        Kind::Maybe { .. } | Kind::List { .. } => {
            let input = Node::html("input").with("type", "text").with("autocomplete", "off");
            input.with("value", value.to_string())
        }
    };
    let input = input.with("id", id).with("name", param.name);
    let input = input.with("aria-invalid", if wrong.is_some() { "true" } else { "false" });
    let input = input.with("aria-describedby", error.clone());
    let by = |sign: &'static str, by: &'static str, word: &str| {
        let label = format!("{word} {}", param.name);
        Node::html("button")
            .class("wi-by")
            .with("type", "button")
            .with("data-by", by)
            .with("aria-label", label)
            .text(sign)
    };
    let stepper = matches!(param.kind, Kind::Number { .. });
    let inner = if stepper { vec![by("−", "-1", "less"), input, by("+", "1", "more")] } else { vec![input] };
    let said = Node::html("small").class("wi-wrong").with("id", error).with("role", "alert");
    let said = said.text(wrong.map_or(String::new(), |text| format!("✗ {text}")));
    Node::html("div").class(if wrong.is_some() { "wi-field bad-field" } else { "wi-field" }).children([
        label,
        Node::html("span").class("wi-input").children(inner),
        said,
    ])
}
