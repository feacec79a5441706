//! The profile's numbers as fields and as text. What is changed shows at once.

use std::time::Duration;

use leptos::html;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use scenario_file::profile::{Cost, Price, Profile, parse};
use sim_core::cost::CostClass;

use super::{Desk, From};
use crate::app::App;
use crate::dom::{Node, live, watch};
use crate::panels::evidence::files;
use crate::times::words;
use crate::web;

/// How long a change waits for the next one.
const PAUSE: Duration = Duration::from_millis(200);

/// The part that opens with "Edit".
pub fn view(desk: Desk) -> AnyView {
    let reset = move |_| {
        let base = Profile::clone(&desk.base.get_value());
        desk.choose(base);
        desk.app.tell("The profile is as it was");
    };
    let wrong = live(move || {
        let error = desk.error.get();
        Node::html("div").children((!error.is_empty()).then(|| Node::html("p").text(format!("✗ {error}"))))
    });
    view! {
        <details class="price-edit">
            <summary>"Edit the profile"</summary>
            <div class="wrong" role="alert">{wrong}</div>
            {fields(desk)}
            {text(desk)}
            <p>
                <button class="btn" type="button" on:click=reset>"Reset"</button>
            </p>
        </details>
    }
    .into_any()
}

/// Does something once nothing has been changed for a while.
fn later(desk: Desk, timer: StoredValue<Option<TimeoutHandle>>, act: impl FnOnce() + 'static) {
    let act = move || {
        if !desk.gone() {
            act();
        }
    };
    timer.update_value(|timer| {
        if let Some(timer) = timer.take() {
            timer.clear();
        }
        *timer = set_timeout_with_handle(act, PAUSE).ok();
    });
}

fn fields(desk: Desk) -> AnyView {
    let timer = StoredValue::new(None);
    let typed = move |event: web_sys::Event| {
        let Some(price) = web::target(&event).and_then(|field| price_of(&field)) else { return };
        let text = event_target_value(&event);
        // A browser hands over nothing for what is no number at all.
        let bad = web::target(&event)
            .and_then(|field| field.dyn_into::<web_sys::HtmlInputElement>().ok())
            .is_some_and(|field| !field.check_validity());
        later(desk, timer, move || {
            let text = if bad && text.is_empty() { "no number" } else { text.as_str() };
            match desk.profile().with(&desk.base.get_value(), &price, text) {
                Ok(profile) => desk.put(profile, From::Field),
                Err(expected) => desk.error.set(format!("{}: {expected}", name_of(&price))),
            }
        });
    };
    // Made anew where the numbers come from elsewhere: a field keeps what was typed into it.
    let made = move || {
        desk.fields.track();
        let (profile, base) = (desk.profile(), desk.base.get_value());
        live(move || table(&profile, &base))
    };
    view! { <div class="prices" on:input=typed>{made}</div> }.into_any()
}

fn price_of(field: &web_sys::Element) -> Option<Price> {
    let name = field.get_attribute("data-name")?;
    Some(match field.get_attribute("data-kind")?.as_str() {
        "class" => Price::Class(name),
        "function" => Price::Function(name),
        _ if name == "near" => Price::NearLines,
        _ => Price::CacheLines,
    })
}

fn name_of(price: &Price) -> String {
    match price {
        Price::Class(name) => format!("ns.{name}"),
        Price::Function(name) => format!("functions.{name}"),
        Price::NearLines => "cache_lines.near".to_string(),
        Price::CacheLines => "cache_lines.lines".to_string(),
    }
}

fn table(profile: &Profile, base: &Profile) -> Node {
    let group = |title: &'static str, fields: Vec<Node>| {
        Node::html("fieldset").children([Node::html("legend").text(title)]).children(fields)
    };
    let classes = CostClass::ALL.iter().map(|&class| {
        let price = Price::Class(class.key().to_string());
        let source = source(&profile.classes, class.key());
        field(profile, &price, ("class", class.key()), words(class), &source)
    });
    let mut names: Vec<&str> = profile.functions.iter().chain(&base.functions).map(|cost| cost.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let functions = names.into_iter().map(|name| {
        let price = Price::Function(name.to_string());
        field(profile, &price, ("function", name), "a call, beside its steps", &source(&profile.functions, name))
    });
    let lines = [
        (Price::NearLines, "near", "lines of the first-level cache; 0 keeps all"),
        (Price::CacheLines, "lines", "lines of the second-level cache; 0 keeps all"),
    ];
    let lines = lines.map(|(price, name, what)| field(profile, &price, ("cache", name), what, &profile.cache_lines.2));
    let functions: Vec<Node> = functions.collect();
    Node::html("div").children([group("Classes of work, ns", classes.collect())]).children(
        [
            (!functions.is_empty()).then(|| group("Functions, ns", functions)),
            Some(group("Caches, lines", lines.into())),
        ]
        .into_iter()
        .flatten(),
    )
}

fn source(costs: &[Cost], name: &str) -> String {
    let found = costs.iter().find(|cost| cost.name == name);
    found.map_or_else(|| "not in the profile: counts as 0".to_string(), |cost| cost.source.clone())
}

fn field(
    profile: &Profile,
    price: &Price,
    (kind, name): (&'static str, &str),
    what: &'static str,
    source: &str,
) -> Node {
    let input = Node::html("input").with("type", "number").with("min", "0").with("data-kind", kind);
    let step = if kind == "cache" { "1" } else { "any" };
    let input = input.with("step", step).with("data-name", name.to_string()).with("value", profile.shown(price));
    let input = input.with("placeholder", "0").with("inputmode", "decimal");
    let words = Node::html("span").children([
        Node::html("code").text(name.to_string()),
        Node::html("span").text(format!(" {what}")),
        Node::html("small").text(source.to_string()),
    ]);
    Node::html("label").class("price").children([input, words])
}

fn text(desk: Desk) -> AnyView {
    let area = NodeRef::<html::Textarea>::new();
    watch(move || {
        desk.text.track();
        if let Some(area) = area.get() {
            area.set_value(&desk.profile().to_json());
        }
    });
    let timer = StoredValue::new(None);
    let typed = move |event: web_sys::Event| {
        let text = event_target_value(&event);
        later(desk, timer, move || read(desk, "", &text));
    };
    let import = move |event: web_sys::Event| {
        let input = web::target(&event).and_then(|input| input.dyn_into::<web_sys::HtmlInputElement>().ok());
        let Some(file) = input.and_then(|input| input.files()).and_then(|files| files.get(0)) else { return };
        leptos::task::spawn_local(async move {
            let text = files::read(&file).await;
            if desk.gone() {
                return;
            }
            match text {
                Some(text) => {
                    if let Some(area) = area.get_untracked() {
                        area.set_value(&text);
                    }
                    read(desk, &format!("{}: ", file.name()), &text);
                }
                None => desk.error.set(format!("{} cannot be read; expected a text file", file.name())),
            }
        });
    };
    let download = move |_| {
        let profile = desk.profile();
        let name: String =
            profile.name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
        files::save(&format!("{name}.json"), "application/json", &profile.to_json());
    };
    view! {
        <div class="price-text">
            <label class="field">
                <span>"The profile as JSON"</span>
                <textarea rows="12" spellcheck="false" node_ref=area on:input=typed></textarea>
            </label>
            <p class="row">
                <label class="field">
                    <span>"Import a file"</span>
                    <input type="file" accept=".json,application/json" on:change=import />
                </label>
                <button class="btn" type="button" on:click=download>"Download"</button>
                <button class="btn" type="button" on:click=move |_| copy(desk.app, desk.profile().to_json())>"Copy"</button>
            </p>
        </div>
    }
    .into_any()
}

// The numbers stay those of the last profile that could be read.
fn read(desk: Desk, file: &str, text: &str) {
    match parse(text) {
        Ok(profile) => desk.put(profile, From::Text),
        Err(error) => desk.error.set(format!("{file}{error}. The numbers are those of {}", desk.profile().name)),
    }
}

fn copy(app: App, text: String) {
    leptos::task::spawn_local(async move {
        let done = files::copy(&text).await;
        app.tell(if done { "Profile copied" } else { "The browser does not let this page copy: use Download" });
    });
}
