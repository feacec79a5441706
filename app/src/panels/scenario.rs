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

/// What stands for a scenario from a file among the choices: no name of one.
const OWN: &str = "file:";

/// What is wrong, and with what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Wrong {
    #[default]
    Nothing,
    /// The file that was chosen.
    File(String),
    /// The parameters, or what the run makes of them.
    Run(String),
}

fn form() -> AnyView {
    let app = App::get();
    let subject = StoredValue::new(app.with(|session| session.subject.clone()));
    let own = subject.with_value(|subject| subject.file.map(|file| file.0));
    let found = move |name: &str| match own {
        Some(own) if name == OWN => own,
        _ => Scenario::find(name).unwrap_or(&SCENARIOS[0]),
    };
    let first = subject.with_value(|subject| if own.is_some() { OWN.to_string() } else { subject.scenario.clone() });
    let scenario = RwSignal::new(first);
    let wrong = RwSignal::new(Wrong::default());
    let changed = move |event: web_sys::Event| {
        let Some(input) = web::target(&event) else { return };
        // It was about what was chosen before.
        wrong.set(Wrong::Nothing);
        let name = input.get_attribute("name").unwrap_or_default();
        if name == "file" {
            return open_file(app, &input, wrong);
        }
        let value = event_target_value(&event);
        match name.as_str() {
            "scenario" => {
                let scenario_of = found(&value);
                let own = value == OWN;
                subject.set_value(if own { Subject::of_file(scenario_of) } else { Subject::of(scenario_of) });
                scenario.set(value);
            }
            "schedule" => {
                let text = value.trim().to_string();
                subject.update_value(|subject| {
                    subject.profile = subject.profile.take().filter(|_| text == "timed");
                    subject.schedule = (!text.is_empty()).then_some(text);
                    // It is that of both sides.
                    subject.own = Default::default();
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
        let specs = wanted.spec(Which::Old).and_then(|_| wanted.spec(Which::New)).map_err(|wrong| wrong.to_string());
        match specs.and_then(|_| app.try_load(&wanted)) {
            Err(text) => wrong.set(Wrong::Run(text)),
            Ok(()) => app.dialog.set(None),
        }
    };
    let choices = live(move || scenarios(&scenario.get(), own));
    let fields = live(move || {
        let scenario = found(&scenario.get());
        subject.with_value(|subject| parameters(scenario, subject))
    });
    let of_file = live(move || {
        said(match &*wrong.read() {
            Wrong::File(text) => text,
            _ => "",
        })
    });
    let of_run = live(move || {
        said(match &*wrong.read() {
            Wrong::Run(text) => text,
            _ => "",
        })
    });
    let bad_file = move || matches!(*wrong.read(), Wrong::File(_)).then_some("true");
    view! {
        <form on:submit=submit on:input=changed novalidate>
            <div class="wide file-field">
                <label class="field">
                    <span>
                        <code>"file"</code>
                        " a scenario of your own, as JSON; docs/scenario-files.md says how"
                    </span>
                    <input
                        type="file"
                        name="file"
                        accept=".json,application/json"
                        aria-invalid=bad_file
                        aria-describedby="wrong-file"
                    />
                </label>
                <div class="wrong" id="wrong-file" role="alert">{of_file}</div>
            </div>
            {choices}
            {fields}
            <footer>
                <div class="wrong" role="alert">{of_run}</div>
                <button class="btn" type="button" data-close="">"Cancel"</button>
                <button class="btn pri" type="submit">"Show"</button>
            </footer>
        </form>
    }
    .into_any()
}

fn said(text: &str) -> Node {
    Node::html("div").children((!text.is_empty()).then(|| Node::html("p").text(format!("✗ {text}"))))
}

/// Reads a scenario file and shows it; what is wrong with it is said beside the input, which is brought into sight.
fn open_file(app: App, input: &web_sys::Element, wrong: RwSignal<Wrong>) {
    let Some(input) = input.dyn_ref::<web_sys::HtmlInputElement>().cloned() else { return };
    let Some(file) = input.files().and_then(|files| files.get(0)) else { return };
    leptos::task::spawn_local(async move {
        let name = file.name();
        let read = wasm_bindgen_futures::JsFuture::from(file.text()).await;
        let text = read.ok().and_then(|text| text.as_string());
        let shown = text.ok_or_else(|| format!("{name} cannot be read; expected a text file")).and_then(|text| {
            let scenario = permalink::file::open(&text).map_err(|wrong| format!("{name}: {wrong}"))?;
            app.try_load(&Subject::of_file(scenario)).map_err(|wrong| format!("{name}: {wrong}"))
        });
        match shown {
            Ok(()) => app.dialog.set(None),
            Err(text) => {
                wrong.set(Wrong::File(text));
                input.scroll_into_view();
                // Focus fails for no input that is shown.
                let _ = input.focus();
            }
        }
    });
}

fn legend(text: &'static str) -> Node {
    Node::html("legend").text(text)
}

/// The five series, each with what its author claimed; below them the other scenarios of the one that is chosen.
fn scenarios(chosen: &str, own: Option<&'static Scenario>) -> Node {
    let list = Node::html("fieldset").class("scenarios").children([legend("Patch series")]);
    let list = list.children(own.map(|own| own_choice(own, chosen)));
    let list = list.children(
        SERIES
            .iter()
            .map(|series| choice(main_scenario(series), series.title, Some(series.year), series.claimed, chosen)),
    );
    // Of a file's series none is open: its name may be that of another scenario.
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

/// The file that is shown.
fn own_choice(own: &'static Scenario, chosen: &str) -> Node {
    let title = if own.title.is_empty() { own.name } else { own.title };
    let input = Node::html("input").with("type", "radio").with("name", "scenario").with("value", OWN);
    let input = input.with_if(chosen == OWN, "checked", "");
    let words = Node::html("span").children([
        Node::html("b").text(title),
        Node::html("code").text(format!(" {}", own.name)),
        Node::html("small").text("your file, as it was read"),
    ]);
    Node::html("label").key(OWN).class("choice").children([input, words])
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
