//! What the two runs would take on a machine that a cost profile describes. Everything here is modelled, and says so.

mod edit;
mod numbers;

use std::rc::Rc;

use leptos::prelude::*;
use scenario_file::profile::{self, BUNDLED, Profile};

use crate::app::App;
use crate::dom::{Node, live};

/// What the parts of the tab share.
#[derive(Clone, Copy)]
struct Desk {
    app: App,
    /// The profile that edits are compared with, and that "reset" brings back.
    base: StoredValue<Rc<Profile>, LocalStorage>,
    /// Counts profiles that were put in force: numbers follow it.
    version: RwSignal<u64>,
    /// Counts those that the fields have not been told of: they are made anew.
    fields: RwSignal<u64>,
    /// Counts those that the text has not been told of.
    text: RwSignal<u64>,
    /// What is wrong with the last edit.
    error: RwSignal<String>,
}

/// Where a profile comes from, which is where nothing has to be told of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    Menu,
    Field,
    Text,
}

/// The tab.
pub fn content() -> AnyView {
    let app = App::get();
    let base = StoredValue::new_local(base_of(&app.with(|session| session.profile())));
    let [version, fields, text] = [0; 3].map(|_| RwSignal::new(0));
    let desk = Desk { app, base, version, fields, text, error: RwSignal::new(String::new()) };
    let shown = live(move || {
        desk.version.track();
        desk.app.loaded.track();
        desk.app.with(numbers::draw)
    });
    view! {
        <div class="times">
            {head(desk)}
            {edit::view(desk)}
            {shown}
        </div>
    }
    .into_any()
}

// The profile that an edited one was.
fn base_of(profile: &Rc<Profile>) -> Rc<Profile> {
    let name = profile.name.strip_suffix(", edited").unwrap_or(&profile.name);
    profile::bundled(name).map_or_else(|| profile.clone(), Rc::new)
}

impl Desk {
    /// The tab has been left: what was to follow has nobody to show it to.
    fn gone(self) -> bool {
        self.base.try_get_value().is_none()
    }

    fn profile(self) -> Rc<Profile> {
        self.app.with(|session| session.profile())
    }

    /// Puts a profile in force, and tells everything that shows it but what it comes from.
    fn put(self, profile: Profile, from: From) {
        self.app.with(|session| session.set_profile(Some(Rc::new(profile))));
        self.error.set(String::new());
        self.version.update(|count| *count += 1);
        if from != From::Field {
            self.fields.update(|count| *count += 1);
        }
        if from != From::Text {
            self.text.update(|count| *count += 1);
        }
    }

    /// Starts anew from a profile.
    fn choose(self, profile: Profile) {
        self.base.set_value(Rc::new(profile.clone()));
        self.put(profile, From::Menu);
    }
}

/// What is said of runs whose order no profile changes.
const OWN_CLOCKS: &str = "The programs of these runs have clocks of their own, in ticks: by default the CPU goes next that \
    is behind by them, with every profile. The profile says what each step takes.";

fn head(desk: Desk) -> AnyView {
    let chosen = move |event: web_sys::Event| {
        if let Some(profile) = profile::bundled(&event_target_value(&event)) {
            desk.choose(profile);
        }
    };
    let menu = live(move || {
        desk.version.track();
        menu(&desk.profile())
    });
    let about = live(move || {
        desk.version.track();
        about(&desk.profile(), &desk.base.get_value())
    });
    let run = move |_| {
        let subject = desk.app.with(|session| session.subject.by_time(session.series(), &session.profile()));
        if desk.app.load(&subject) {
            desk.app.tell("Run by time");
        }
    };
    let state = live(move || {
        desk.version.track();
        desk.app.loaded.track();
        Node::html("p").class("run-state").text(desk.app.with(|session| {
            let side = session.side(crate::link::Which::Old);
            if side.track.run.timeline.world().machine.swap.is_some() {
                return OWN_CLOCKS.to_string();
            }
            match session.subject.schedule.as_deref() {
                Some(schedule) if schedule.starts_with("timed") => {
                    let by = session.side(crate::link::Which::Old).track.run.spec.costs.clone();
                    let by = by.map_or(String::new(), |costs| costs.name.clone());
                    format!("These runs went by modelled time, with {by}.")
                }
                _ => "The CPUs of these runs did not take turns by time: the order of their steps is the schedule's, and \
                      only what each step takes is modelled."
                    .to_string(),
            }
        }))
    });
    view! {
        <section class="times-head" aria-label="Cost profile">
            <label class="field" on:change=chosen>
                <span>"Cost profile"</span>
                {menu}
            </label>
            {about}
            <div class="by-time">
                <button class="btn" type="button" on:click=run>
                    "Run by time"
                </button>
                {state}
            </div>
        </section>
    }
    .into_any()
}

fn menu(profile: &Profile) -> Node {
    let option = |name: &str, text: String| Node::html("option").with("value", name.to_string()).text(text);
    let bundled = BUNDLED.iter().map(|(name, _)| option(name, (*name).to_string()));
    let own = profile::bundled(&profile.name).as_ref() != Some(profile);
    let value = if own { "" } else { profile.name.as_str() };
    let select = Node::html("select").with("name", "profile").with("aria-label", "Cost profile").children(bundled);
    let select = select.children(own.then(|| option("", profile.name.clone())));
    select.with("value", value.to_string())
}

fn about(profile: &Profile, base: &Profile) -> Node {
    let paragraph = |text: String| Node::html("p").text(text);
    let missing = profile.missing();
    let nothing = format!("Without a price, so counted as 0: {}.", missing.join(", "));
    let changes = profile.changes(base);
    let changed = format!("Changed: {}.", changes.join("; "));
    Node::html("div").class("about").children([paragraph(format!("{}. {}", profile.title, profile.note))]).children(
        [(!changes.is_empty()).then(|| paragraph(changed)), (!missing.is_empty()).then(|| paragraph(nothing))]
            .into_iter()
            .flatten(),
    )
}
