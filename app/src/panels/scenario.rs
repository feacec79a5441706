//! What is shown: the scenario and its parameters.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use sim_core::scenario::{Kind, Param, SCENARIOS, SERIES, Scenario, Series};

use super::help::Modal;
use crate::app::{App, Dialog};
use crate::dom::{Node, live};
use crate::link::Which;
use crate::session::Subject;
use crate::text::thousands;
use crate::track::MOST_PAGES;
use crate::web;

/// The dialog.
#[component]
pub fn ScenarioDialog() -> impl IntoView {
    view! { <Modal which=Dialog::Scenario title="Scenario" content=form /> }
}

fn form() -> AnyView {
    let app = App::get();
    let subject = StoredValue::new(app.with(|session| session.subject.clone()));
    let scenario = RwSignal::new(subject.with_value(|subject| subject.scenario.clone()));
    let error = RwSignal::new(String::new());
    let changed = move |event: web_sys::Event| {
        let Some(input) = web::target(&event) else { return };
        let name = input.get_attribute("name").unwrap_or_default();
        if name == "file" {
            return open_file(app, &input, error);
        }
        let value = event_target_value(&event);
        match name.as_str() {
            "scenario" => {
                subject.set_value(Subject::of(found(&value)));
                scenario.set(value);
            }
            "schedule" => {
                let text = value.trim().to_string();
                subject.update_value(|subject| {
                    subject.profile = subject.profile.take().filter(|_| text == "timed");
                    subject.schedule = (!text.is_empty()).then_some(text);
                });
            }
            _ if input.get_attribute("type").as_deref() == Some("checkbox") => {
                let on = event_target_checked(&event).to_string();
                subject.update_value(|subject| subject.set(&name, on));
            }
            _ => subject.update_value(|subject| subject.set(&name, value)),
        }
    };
    let submit = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        let wanted = subject.get_value();
        match wanted.spec(Which::Old).and_then(|_| wanted.spec(Which::New)) {
            Err(wrong) => error.set(wrong.to_string()),
            Ok(_) if app.load(&wanted) => app.dialog.set(None),
            Ok(_) => error.set(app.banner.get_untracked().map_or(String::new(), |banner| banner.detail)),
        }
    };
    let choices = live(move || scenarios(&scenario.get()));
    let fields = live(move || {
        let scenario = found(&scenario.get());
        subject.with_value(|subject| parameters(scenario, subject))
    });
    let wrong = live(move || {
        let error = error.get();
        Node::html("div").children((!error.is_empty()).then(|| Node::html("p").text(format!("✗ {error}"))))
    });
    view! {
        <form on:submit=submit on:input=changed novalidate>
            {choices}
            {fields}
            <label class="field wide file-field">
                <span>
                    <code>"file"</code>
                    " a scenario of your own, as JSON; docs/scenario-files.md says how"
                </span>
                <input type="file" name="file" accept=".json,application/json" />
            </label>
            <div class="wrong" role="alert">{wrong}</div>
            <footer>
                <button class="btn" type="button" data-close="">"Cancel"</button>
                <button class="btn pri" type="submit">"Show"</button>
            </footer>
        </form>
    }
    .into_any()
}

/// Reads a scenario file and shows it; what is wrong with it is said in the dialog.
fn open_file(app: App, input: &web_sys::Element, error: RwSignal<String>) {
    let input = input.dyn_ref::<web_sys::HtmlInputElement>();
    let Some(file) = input.and_then(|input| input.files()).and_then(|files| files.get(0)) else { return };
    leptos::task::spawn_local(async move {
        let read = wasm_bindgen_futures::JsFuture::from(file.text()).await;
        let Some(text) = read.ok().and_then(|text| text.as_string()) else {
            return error.set(format!("{} cannot be read; expected a text file", file.name()));
        };
        let scenario = scenario_file::parse(&text).map_err(|wrong| wrong.to_string());
        match scenario.and_then(|file| file.into_scenario().map_err(|wrong| wrong.to_string())) {
            Err(wrong) => error.set(format!("{}: {wrong}", file.name())),
            Ok(scenario) if app.load(&Subject::of_file(scenario)) => app.dialog.set(None),
            Ok(_) => error.set(app.banner.get_untracked().map_or(String::new(), |banner| banner.detail)),
        }
    });
}

fn found(name: &str) -> &'static Scenario {
    Scenario::find(name).unwrap_or(&SCENARIOS[0])
}

fn legend(text: &'static str) -> Node {
    Node::html("legend").text(text)
}

/// The five series, each with what its author claimed; below them the other scenarios of the one that is chosen.
fn scenarios(chosen: &str) -> Node {
    let list = Node::html("fieldset").class("scenarios").children([legend("Patch series")]);
    let list = list.children(
        SERIES
            .iter()
            .map(|series| choice(main_scenario(series), series.title, Some(series.year), series.claimed, chosen)),
    );
    let open = SERIES.iter().find(|series| series.scenarios.iter().any(|scenario| scenario.name == chosen));
    let more = open.map_or(&[][..], |series| &series.scenarios[1..]);
    let heading = open
        .filter(|_| !more.is_empty())
        .map(|series| Node::html("p").class("more-of").text(format!("More scenarios of {}", series.name)));
    let more = more.iter().map(|scenario| choice(scenario, scenario.title, None, scenario.summary, chosen));
    list.children(heading).children(more)
}

fn main_scenario(series: &'static Series) -> &'static Scenario {
    series.scenarios.first().expect("a series has a main scenario")
}

fn choice(scenario: &Scenario, title: &'static str, year: Option<u16>, about: &'static str, chosen: &str) -> Node {
    let input = Node::html("input").with("type", "radio").with("name", "scenario").with("value", scenario.name);
    let aside = year.map_or(format!(" {}", scenario.name), |year| format!(" {year}, {}", scenario.name));
    let words = Node::html("span").children([
        Node::html("b").text(title),
        Node::html("code").text(aside),
        Node::html("small").text(about),
    ]);
    let input = input.with_if(scenario.name == chosen, "checked", "");
    Node::html("label").key(scenario.name).class("choice").children([input, words])
}

/// The fields of a scenario. Each scenario has new ones, since an input keeps what was typed into it.
fn parameters(scenario: &'static Scenario, subject: &Subject) -> Node {
    let fields = scenario.params.iter().map(|param| field(param, &subject.get(param)));
    let inner = Node::html("div").key(scenario.name).children(fields).children([schedule(subject)]);
    Node::html("fieldset").class("params").children([legend("Parameters"), inner])
}

fn field(param: &'static Param, value: &str) -> Node {
    let name = Node::html("code").text(param.name);
    let doc = Node::html("span").text(format!(" {}", param.doc));
    let input = Node::html("input").with("name", param.name);
    match param.kind {
        Kind::Number { min, max } => {
            // What is larger is not recorded.
            let max = max.min(MOST_PAGES);
            let bounds = format!(", {} to {}", thousands(min.into()), thousands(max.into()));
            let words = Node::html("span").children([name, doc, Node::html("em").text(bounds)]);
            let input = input.with("type", "number").with("min", min.to_string()).with("max", max.to_string());
            Node::html("label").class("field").children([words, input.with("value", value.to_string())])
        }
        Kind::Choice(names) => {
            let words = Node::html("span").children([name, doc]);
            let option = |name: &&'static str| Node::html("option").with("value", *name).text(*name);
            let select = Node::html("select").with("name", param.name).children(names.iter().map(option));
            Node::html("label").class("field").children([words, select.with("value", value.to_string())])
        }
        Kind::Maybe { max } | Kind::List { max } => {
            let expected = match param.kind {
                Kind::Maybe { .. } => format!(", 0 to {}, or none", thousands(max.into())),
                _ => format!(", numbers from 0 to {} with commas between", thousands(max.into())),
            };
            let words = Node::html("span").children([name, doc, Node::html("em").text(expected)]);
            let input = input.with("type", "text").with("autocomplete", "off");
            Node::html("label").class("field").children([words, input.with("value", value.to_string())])
        }
        Kind::Flag => {
            let words = Node::html("span").children([name, doc]);
            let input = input.with("type", "checkbox").with_if(value == "true", "checked", "");
            Node::html("label").class("field flag").children([words, input])
        }
    }
}

fn schedule(subject: &Subject) -> Node {
    const WORDS: &str = " which CPU goes next: empty for the scenario's own, round-robin, turns, timed (by modelled time; \
        timed:xeon-2012 by another profile than the series'), seed:N such as seed:1, or choices:LIST such as \
        choices:0x12,1x3";
    let words = Node::html("span").children([Node::html("code").text("schedule"), Node::html("span").text(WORDS)]);
    let input = Node::html("input").with("type", "text").with("name", "schedule").with("autocomplete", "off");
    let input = input.with("spellcheck", "false").with("value", subject.schedule.clone().unwrap_or_default());
    Node::html("label").class("field wide").children([words, input])
}
