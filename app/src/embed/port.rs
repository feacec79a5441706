//! Joins the page to the window around it: messages both ways, the height, and rest while nobody sees the page.

mod data;
mod rest;

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::wasm_bindgen::prelude::*;

use super::crossing::Crossing;
use super::limit::{self, Allowed, Bucket};
use super::moment;
use super::query::{self, Panes, Presentation};
use super::request::{self, Code, Id, Received, Refusal, Request};
use super::value::{Value, map};
use crate::app::App;
use crate::chart::Size;
use crate::dom::watch;
use crate::session::Go;
use crate::subject::Subject;
use crate::web;

/// Everybody: before the host has spoken, and for hosts that have no origin to name.
const ANYBODY: &str = "*";

/// What is known of the host.
struct Port {
    /// The window around this one; none where the page has a tab to itself.
    host: Option<web_sys::Window>,
    /// Whom messages are for.
    origin: String,
    bucket: Bucket,
    crossing: Crossing,
    /// Pairs of runs so far, as the crossing knows them.
    loaded: Option<u64>,
    /// What was told last.
    told: Option<Value>,
}

type Shared = StoredValue<Port, LocalStorage>;

/// Begins to listen and to tell.
pub fn start(app: App) {
    let own = window();
    let host = own.parent().ok().flatten().filter(|parent| !js_sys::Object::is(parent, &own));
    let origin = ANYBODY.to_string();
    let port = StoredValue::new_local(Port {
        host,
        origin,
        bucket: Bucket::default(),
        crossing: Crossing::default(),
        loaded: None,
        told: None,
    });
    web::root_attribute("data-embed", Some(app.present.controls.name()));
    rest::watch_sight(app);
    window_event_listener(leptos::ev::message, move |event| receive(app, port, &event));
    let ready = RwSignal::new(false);
    // After the first picture is in the document.
    leptos::task::spawn_local(async move {
        greet(app, port);
        rest::watch_height(move |height| post(port, None, "resize", map([("height", height.into())])));
        ready.set(true);
    });
    watch(move || {
        app.shown.track();
        app.playing.track();
        app.looked.track();
        if ready.get() {
            // Behind the effects that bring the panels up to date.
            leptos::task::spawn_local(async move { tell(app, port, None) });
        }
    });
    watch(move || {
        let banner = app.banner.get();
        if let Some(banner) = banner.filter(|_| ready.get_untracked()) {
            refuse(port, None, &Refusal::new(Code::Link, format!("{} {}", banner.title, banner.detail)));
        }
    });
}

/// Parts of the page that are shown: those that were asked for, or what the frame has room for.
pub fn panes(present: Presentation, size: Memo<Size>) -> Memo<Panes> {
    let [high, higher] = ["(min-width: 600px) and (min-height: 540px)", "(min-height: 700px)"].map(web::media);
    Memo::new(move |_| match present.panes {
        Some(panes) if present.embed => panes,
        _ if present.embed => Panes::fitting(high.get(), higher.get()),
        _ => Panes::fitting(true, size.get() != Size::Narrow),
    })
}

/// Gives the focus back to the host: its own page cannot take it out of a frame of another origin.
pub fn leave() {
    if let Some(element) =
        document().active_element().and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok())
    {
        // An element without the focus has none to lose.
        let _ = element.blur();
    }
    if let Ok(Some(host)) = window().parent() {
        // Some browsers only let the host itself take it: the message asks it to.
        let _ = host.focus();
        let message = data::give(&map([("mmscope", request::VERSION.into()), ("type", "blur".into())]));
        let _ = host.post_message(&message, ANYBODY);
    }
}

fn greet(app: App, port: Shared) {
    let Value::Map(mut members) = now(app) else { return };
    members.insert(0, ("version".to_string(), env!("CARGO_PKG_VERSION").into()));
    post(port, None, "ready", Value::Map(members));
    port.update_value(|port| port.told = Some(now(app)));
    for problem in query::read(&web::query()).1 {
        refuse(port, None, &Refusal::new(Code::Address, problem.to_string()));
    }
    if let Some(banner) = app.banner.get_untracked().filter(|banner| banner.title != query::TITLE) {
        refuse(port, None, &Refusal::new(Code::Link, format!("{} {}", banner.title, banner.detail)));
    }
    cross(app, port);
}

fn receive(app: App, port: Shared, event: &web_sys::MessageEvent) {
    let from_host = port.with_value(|port| {
        let source = event.source().map(JsValue::from);
        port.host.as_ref().zip(source).is_some_and(|(host, source)| js_sys::Object::is(host, &source))
    });
    if !from_host {
        return;
    }
    let received = request::read(&data::take(&event.data()));
    if received == Received::Foreign {
        return;
    }
    // A host without an origin of its own, such as a sandboxed frame, is reached by "*" alone.
    let origin = Some(event.origin()).filter(|origin| !matches!(origin.as_str(), "" | "null"));
    let cost = if matches!(received, Received::Asked(_, Request::Load(..))) { limit::LOAD } else { 1.0 };
    let mut allowed = Allowed::No;
    port.update_value(|port| {
        port.origin = origin.unwrap_or_else(|| ANYBODY.to_string());
        allowed = port.bucket.take(web::now(), cost);
    });
    match (allowed, received) {
        (Allowed::Yes, Received::Asked(id, request)) => answer(app, port, id, request),
        (Allowed::Yes, Received::Refused(id, refusal)) => refuse(port, id.as_ref(), &refusal),
        (Allowed::Tell, Received::Asked(id, _) | Received::Refused(id, _)) => {
            let message = "too many messages: 200 at once, then 100 a second; more are dropped";
            refuse(port, id.as_ref(), &Refusal::new(Code::Rate, message));
        }
        _ => {}
    }
}

fn answer(app: App, port: Shared, id: Option<Id>, request: Request) {
    if request == Request::Ping {
        return post(port, id.as_ref(), "pong", now(app));
    }
    match perform(app, request) {
        Ok(()) => tell(app, port, Some(id)),
        Err(refusal) => refuse(port, id.as_ref(), &refusal),
    }
}

fn perform(app: App, request: Request) -> Result<(), Refusal> {
    match request {
        Request::Ping => {}
        Request::Load(link, place) => {
            let loaded = Subject::from_link(&link).and_then(|subject| app.try_load(&subject));
            loaded.map_err(|message| Refusal::new(Code::Load, message))?;
            if let Some(place) = place {
                app.step(app.with(|session| moment::go_within(session, &place)));
            }
            app.with_mut(|session| session.name_forks(&link.branch));
            app.ask_what_the_link_asks(&link);
        }
        Request::Seek(place) => app.step(app.with(|session| moment::go(session, &place))?),
        Request::Step(by @ 1..) => app.step(Go::On(by.unsigned_abs())),
        Request::Step(by) => app.step(Go::By(by)),
        Request::Play(speed) => {
            if let Some(speed) = speed {
                app.speed.set(speed);
            }
            if !app.playing.get_untracked() {
                app.toggle_play();
            }
        }
        Request::Pause => {
            if app.playing.get_untracked() {
                app.toggle_play();
            }
        }
    }
    Ok(())
}

fn now(app: App) -> Value {
    let (playing, link) = (app.playing.get_untracked(), app.link());
    app.with(|session| moment::moment(session, playing, &link))
}

/// Tells where the runs are, where that is an answer or new.
fn tell(app: App, port: Shared, answer: Option<Option<Id>>) {
    let moment = now(app);
    let known = port.with_value(|port| port.told.as_ref() == Some(&moment));
    if known && answer.is_none() {
        return;
    }
    post(port, answer.flatten().as_ref(), "step", moment.clone());
    port.update_value(|port| port.told = Some(moment));
    cross(app, port);
}

/// Tells what has been passed.
fn cross(app: App, port: Shared) {
    let loaded = app.loaded.get_untracked();
    let mut passed = Vec::new();
    port.update_value(|port| {
        if port.loaded != Some(loaded) {
            port.loaded = Some(loaded);
            port.crossing = app.with(Crossing::new);
        }
        passed = port.crossing.pass(app.with(|session| session.at()));
    });
    for told in passed {
        let kind = told.get("type").and_then(Value::text).unwrap_or_default().to_string();
        post(port, None, &kind, told);
    }
}

fn refuse(port: Shared, id: Option<&Id>, refusal: &Refusal) {
    let field = refusal.field.map_or(Value::Nothing, Value::from);
    let told =
        map([("code", refusal.code.name().into()), ("field", field), ("message", refusal.message.as_str().into())]);
    post(port, id, "error", told);
}

fn post(port: Shared, id: Option<&Id>, kind: &str, members: Value) {
    let Value::Map(members) = members else { return };
    let mut message = vec![("mmscope".to_string(), request::VERSION.into()), ("type".to_string(), kind.into())];
    message.extend(id.map(|id| {
        let id = match id {
            Id::Number(number) => Value::Number(*number),
            Id::Text(text) => Value::Text(text.clone()),
        };
        ("id".to_string(), id)
    }));
    message.extend(members.into_iter().filter(|(name, value)| name != "type" && *value != Value::Nothing));
    let message = data::give(&Value::Map(message));
    port.with_value(|port| {
        if let Some(host) = &port.host {
            // A host that is gone hears nothing.
            let _ = host.post_message(&message, &port.origin);
        }
    });
}
