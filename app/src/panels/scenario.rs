//! What is shown: the scenario and its parameters.

use leptos::prelude::*;
use sim_core::scenario::{Kind, Param, SCENARIOS, Scenario};

use super::help::Modal;
use crate::app::{App, Dialog};
use crate::link::Which;
use crate::session::Subject;
use crate::text::thousands;
use crate::track::MOST_PAGES;

/// The dialog.
#[component]
pub fn ScenarioDialog() -> impl IntoView {
    view! {
        <Modal which=Dialog::Scenario title="Scenario">
            <Form />
        </Modal>
    }
}

#[component]
fn Form() -> impl IntoView {
    let app = App::get();
    let subject = RwSignal::new(app.with(|session| session.subject.clone()));
    let error = RwSignal::new(None::<String>);
    let scenario = Memo::new(move |_| found(&subject.read()).name);
    let submit = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        let wanted = subject.get();
        match wanted.spec(Which::Old).and_then(|_| wanted.spec(Which::New)) {
            Err(wrong) => error.set(Some(wrong.to_string())),
            Ok(_) if app.load(&wanted) => app.dialog.set(None),
            Ok(_) => error.set(app.banner.get_untracked().map(|banner| banner.detail)),
        }
    };
    let fields = move || {
        scenario.track();
        let scenario = found(&subject.read_untracked());
        scenario.params.iter().map(|param| view! { <Field subject=subject param=param /> }).collect_view()
    };
    view! {
        <form on:submit=submit novalidate>
            <fieldset class="scenarios">
                <legend>"What happens"</legend>
                {SCENARIOS.iter().map(|one| view! { <Choice subject=subject scenario=one /> }).collect_view()}
            </fieldset>
            <fieldset class="params">
                <legend>"Parameters"</legend>
                {fields}
                <Schedule subject=subject />
            </fieldset>
            <div class="wrong" role="alert">{move || error.get().map(|error| view! { <p>"✗ "{error}</p> })}</div>
            <footer>
                <button class="btn" type="button" on:click=move |_| app.dialog.set(None)>"Cancel"</button>
                <button class="btn pri" type="submit">"Show"</button>
            </footer>
        </form>
    }
}

fn found(subject: &Subject) -> &'static Scenario {
    Scenario::find(&subject.scenario).unwrap_or(&SCENARIOS[0])
}

#[component]
fn Choice(subject: RwSignal<Subject>, scenario: &'static Scenario) -> impl IntoView {
    let checked = move || subject.read().scenario == scenario.name;
    let choose = move |_| subject.set(Subject::of(scenario));
    view! {
        <label class="choice">
            <input type="radio" name="scenario" prop:checked=checked on:change=choose />
            <span>
                <b>{scenario.title}</b>
                " "
                <code>{scenario.name}</code>
                <small>{scenario.summary}</small>
            </span>
        </label>
    }
}

#[component]
fn Field(subject: RwSignal<Subject>, param: &'static Param) -> impl IntoView {
    let value = move || {
        let subject = subject.read();
        let set = subject.params.iter().find(|(name, _)| name == param.name);
        set.map_or_else(|| param.print(param.default), |(_, value)| value.clone())
    };
    let set = move |value: String| {
        subject.update(|subject| match subject.params.iter_mut().find(|(name, _)| name == param.name) {
            Some(entry) => entry.1 = value,
            None => subject.params.push((param.name.to_string(), value)),
        });
    };
    match param.kind {
        Kind::Number { min, max } => {
            // What is larger is not recorded.
            let max = max.min(MOST_PAGES);
            let bounds = format!("{} to {}", thousands(min.into()), thousands(max.into()));
            view! {
                <label class="field">
                    <span><code>{param.name}</code>" "{param.doc}<em>", "{bounds}</em></span>
                    <input
                        type="number"
                        name=param.name
                        min=min.to_string()
                        max=max.to_string()
                        prop:value=value
                        on:input=move |event| set(event_target_value(&event))
                    />
                </label>
            }
            .into_any()
        }
        Kind::Flag => view! {
            <label class="field flag">
                <input
                    type="checkbox"
                    name=param.name
                    prop:checked=move || value() == "true"
                    on:change=move |event| set(event_target_checked(&event).to_string())
                />
                <span><code>{param.name}</code>" "{param.doc}</span>
            </label>
        }
        .into_any(),
    }
}

#[component]
fn Schedule(subject: RwSignal<Subject>) -> impl IntoView {
    let value = move || subject.read().schedule.clone().unwrap_or_default();
    let set = move |event| {
        let text = event_target_value(&event).trim().to_string();
        subject.update(|subject| subject.schedule = (!text.is_empty()).then_some(text));
    };
    view! {
        <label class="field wide">
            <span>
                <code>"schedule"</code>
                " which CPU goes next: empty for the scenario's own, round-robin, seed:1, or choices:0x12,1x3"
            </span>
            <input type="text" name="schedule" autocomplete="off" spellcheck="false" prop:value=value on:input=set />
        </label>
    }
}
