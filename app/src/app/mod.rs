//! Joins the session to the browser: commands, keys, the address, playing, what is announced.

mod address;
mod commands;
mod playing;
mod questions;
mod share;
mod whatif;

use std::time::Duration;

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use sim_core::ask;
use sim_core::scenario::SCENARIOS;
use stage::Form;

use self::address::bad_link;
use self::whatif::WhatIfStrip;
use crate::chart::Size;
use crate::dom::{self, Node, watch};
use crate::embed;
use crate::embed::query::{self, Panes, Presentation};
use crate::hash;

use crate::link::{Link, Which};
use crate::panels;
use crate::questions::Break;
use crate::session::{Go, Moved, Session, Subject};
use crate::settings::{Motion, Settings, Theme};
use crate::web;

/// Steps in a second from which tiles no longer glide.
const CUT_SPEED: u32 = 20;
/// Speeds in the menu, in steps a second.
pub const SPEEDS: [u32; 8] = [1, 2, 4, 8, 16, 30, 60, 240];
/// The shortest time between two pictures while playing, in milliseconds.
const TICK: u32 = 16;
/// How long the address may be behind.
const HASH_DELAY: Duration = Duration::from_millis(300);
/// How often steps are announced while playing.
const SAY_EVERY: f64 = 3000.0;
/// What a banner says of a subject that cannot be recorded.
const NOT_SHOWN: &str = "That could not be shown.";

/// Something to tell the reader across the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Banner {
    /// What could not be done.
    pub title: &'static str,
    /// Why, and what was expected.
    pub detail: String,
}

/// A dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialog {
    /// Scenario and parameters.
    Scenario,
    /// Keys, settings, signs.
    Help,
    /// Counts, claims, times, published figures.
    Evidence,
    /// Link, what to embed, picture.
    Share,
    /// The search box, and breakpoints.
    Ask,
}

/// Everything that the panels share. Cheap to copy.
#[derive(Clone, Copy)]
pub struct App {
    session: StoredValue<Session, LocalStorage>,
    /// Counts pictures.
    pub shown: RwSignal<u64>,
    /// Counts pairs of runs.
    pub loaded: RwSignal<u64>,
    /// Steps are made by the clock.
    pub playing: RwSignal<bool>,
    /// Steps in a second.
    pub speed: RwSignal<u32>,
    /// What is looked at, and the side that it was chosen on.
    pub looked: RwSignal<Option<(Which, ask::Subject)>>,
    /// What went wrong.
    pub banner: RwSignal<Option<Banner>>,
    /// What is open.
    pub dialog: RwSignal<Option<Dialog>>,
    /// The table and the claims are open where they have no column of their own.
    pub counts: RwSignal<bool>,
    /// What the reader has chosen for good.
    pub settings: RwSignal<Settings>,
    /// Said to assistive technology.
    pub said: RwSignal<String>,
    /// Which of the three layouts.
    pub size: Memo<Size>,
    /// Nothing glides.
    pub still: Memo<bool>,
    /// The last picture is a cut.
    pub cut: RwSignal<bool>,
    /// The timeline is open.
    pub explorer: RwSignal<bool>,
    address: StoredValue<Address>,
    said_at: StoredValue<f64>,
    /// How the page is presented, by the query of its address.
    pub present: Presentation,
    /// Parts of the page that are shown.
    pub panes: Memo<Panes>,
    /// Nobody sees the page: what plays waits.
    pub resting: RwSignal<bool>,
    /// What if.
    pub strip: WhatIfStrip,
    /// Breakpoints.
    pub breaks: RwSignal<Vec<Break>>,
    /// Why the page has stopped, until it goes on.
    pub stopped: RwSignal<Option<String>>,
}

/// What is known of the address.
#[derive(Clone, Debug, Default)]
struct Address {
    /// The hash that was written or read last.
    hash: String,
    /// It could not be read, so it stays until the reader does something.
    kept: bool,
    timer: Option<TimeoutHandle>,
}

/// Starts the page.
pub fn start() {
    crate::start::listen(mount);
}

/// Shows the explorer.
fn mount() {
    let root = document().get_element_by_id("app").and_then(|element| element.dyn_into().ok());
    let root: web_sys::HtmlElement = root.unwrap_or_else(|| document().body().expect("the page has a body"));
    mount_to(root, || {
        let app = App::new();
        provide_context(app);
        app.listen();
        view! { <panels::Page /> }
    })
    .forget();
}

impl App {
    /// The app that the panels share.
    pub fn get() -> App {
        expect_context()
    }

    fn new() -> App {
        let (present, wrong) = query::read(&web::query());
        web::be_embedded(present.embed);
        let kept = web::stored_settings().map_or(Settings::default(), |line| Settings::parse(&line));
        let settings = RwSignal::new(present.settings(kept));
        let [narrow, medium] = [present.narrow(), "(max-width: 1400px)"].map(web::media);
        let reduced = web::media("(prefers-reduced-motion: reduce)");
        let size = Memo::new(move |_| match (narrow.get(), medium.get()) {
            (true, _) => Size::Narrow,
            (_, true) => Size::Medium,
            _ => Size::Wide,
        });
        let still = Memo::new(move |_| reduced.get() || settings.read().motion == Motion::Reduce);
        let panes = embed::port::panes(present, size);
        let (session, asked, banner) = open(form(size.get_untracked()));
        let kept = banner.is_some();
        let banner = banner.or_else(|| query::told(&wrong).map(|detail| Banner { title: query::TITLE, detail }));
        let app = App {
            session: StoredValue::new_local(session),
            shown: RwSignal::new(0),
            loaded: RwSignal::new(0),
            playing: RwSignal::new(false),
            speed: RwSignal::new(4),
            looked: RwSignal::new(None),
            banner: RwSignal::new(banner),
            dialog: RwSignal::new(None),
            counts: RwSignal::new(false),
            settings,
            said: RwSignal::new(String::new()),
            size,
            still,
            cut: RwSignal::new(true),
            explorer: RwSignal::new(false),
            address: StoredValue::new(Address { hash: web::hash(), kept, timer: None }),
            said_at: StoredValue::new(0.0),
            present,
            panes,
            resting: RwSignal::new(false),
            strip: WhatIfStrip::new(),
            breaks: RwSignal::new(Vec::new()),
            stopped: RwSignal::new(None),
        };
        app.ask_what_the_link_asks(&asked);
        app
    }

    /// Asks the session something, again after each picture.
    pub fn memo<T>(self, read: impl Fn(&Session) -> T + Send + Sync + 'static) -> Memo<T>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        Memo::new(move |_| {
            self.shown.track();
            self.with(&read)
        })
    }

    /// A part of the page that is drawn anew from each picture.
    pub fn live(self, draw: impl Fn(&Session) -> Node + 'static) -> AnyView {
        dom::live(move || {
            self.shown.track();
            self.with(&draw)
        })
    }

    /// Asks the session something.
    pub fn with<T>(self, read: impl FnOnce(&Session) -> T) -> T {
        self.session.with_value(read)
    }

    /// Asks the session something that moves its cursors for a while.
    pub fn with_mut<T>(self, read: impl FnOnce(&mut Session) -> T) -> T {
        self.session.try_update_value(read).expect("the session lives as long as the page")
    }

    fn listen(self) {
        watch(move || self.show_settings());
        watch(move || self.play());
        watch(move || {
            let still = self.still.get();
            self.with_mut(|session| session.ghosts = still);
        });
        watch(move || {
            let form = form(self.size.get());
            if self.with_mut(|session| session.set_form(form)) {
                self.show(true);
            }
        });
        watch(move || {
            self.loaded.track();
            document().set_title(&self.with(title));
        });
        window_event_listener(leptos::ev::keydown, move |event| self.key(&event));
        window_event_listener(leptos::ev::hashchange, move |_| self.address_changed());
        // After the first picture is in the document.
        leptos::task::spawn_local(async move {
            self.report("mmscope:ready");
            if let Some(banner) = self.banner.get_untracked() {
                report_error(&banner);
            }
            self.check_first_outcome();
        });
        if self.present.embed {
            embed::port::start(self);
        }
    }

    fn report(self, name: &str) {
        let (at, ends) = self.with(|session| (session.at(), session.beats.ends()));
        web::dispatch(name, &web::places(at, ends));
    }

    /// Moves through the runs.
    pub fn go(self, go: Go) {
        let start = web::now();
        let (go, stop) = self.stop_short(go);
        let moved = self.with_mut(|session| session.go(go));
        if moved == Moved::Not {
            return;
        }
        self.stopped.set(None);
        let fast = self.playing.get_untracked() && self.speed.get_untracked() >= CUT_SPEED;
        self.cut.set(moved == Moved::Jumped || fast);
        self.shown.update(|count| *count += 1);
        self.acted();
        self.say();
        if let Some(stop) = stop {
            self.stopped_at(stop);
        }
        // Queued behind the effects that bring the panels up to date.
        leptos::task::spawn_local(async move {
            web::measure("mmscope:step", start);
            self.report("mmscope:step");
        });
    }

    /// Shows the picture again.
    fn show(self, cut: bool) {
        self.cut.set(cut);
        self.shown.update(|count| *count += 1);
    }

    /// Shows something else; where that fails, a banner says why and everything stays.
    pub fn load(self, subject: &Subject) -> bool {
        let loaded = self.try_load(subject);
        if let Err(detail) = &loaded {
            self.fail(Banner { title: NOT_SHOWN, detail: detail.clone() });
        }
        loaded.is_ok()
    }

    /// The same for a caller that has a place of its own to say why.
    ///
    /// # Errors
    ///
    /// Why it fails; everything stays as it is.
    pub fn try_load(self, subject: &Subject) -> Result<(), String> {
        self.with_mut(|session| session.load(subject)).map_err(|error| error.to_string())?;
        self.shows_other_runs();
        Ok(())
    }

    /// The same with another kernel on one side.
    pub fn set_variant(self, which: Which, name: &str) {
        let (mut subject, milestone) = self.with(|session| (session.subject.clone(), session.milestones().0));
        subject.variants[which as usize] = name.to_string();
        // A fork is one of its kernel.
        subject.own[which as usize] = None;
        if !self.load(&subject) {
            return;
        }
        // Both sides stay at the milestone that they were at.
        let beat = self.with(|session| session.beats.all().iter().find(|beat| beat.milestone == milestone).copied());
        if let Some(beat) = beat {
            self.go(Go::Pair(beat.at));
        }
    }

    /// Joins the sides in another way.
    pub fn set_link(self, link: Link) {
        self.with_mut(|session| session.link = link);
        self.show(true);
    }

    /// Makes a side the one that moves alone.
    pub fn set_active(self, which: Which) {
        if self.with(|session| session.active != which) {
            self.with_mut(|session| session.active = which);
            self.show(true);
        }
    }

    fn fail(self, banner: Banner) {
        report_error(&banner);
        self.banner.set(Some(banner));
    }

    /// Changes what the reader has chosen for good.
    pub fn change_settings(self, change: impl FnOnce(&mut Settings)) {
        self.settings.update(change);
        web::store_settings(&self.settings.read_untracked().print());
    }

    fn show_settings(self) {
        let settings = *self.settings.read();
        let theme = (settings.theme != Theme::Auto).then(|| settings.theme.name());
        web::root_attribute("data-theme", theme);
        let motion = (settings.motion != Motion::Auto).then(|| settings.motion.name());
        web::root_attribute("data-motion", motion);
    }
}

/// The first session: what the address asks for, or what the page opens on, with what was wrong.
fn open(form: Form) -> (Session, hash::Link, Option<Banner>) {
    let file = crate::start::take_file().map(|subject| Session::open(&subject, form));
    let refused = match file {
        Some(Ok(session)) => return (session, hash::Link::default(), None),
        Some(Err(error)) => Some(Banner { title: NOT_SHOWN, detail: error.to_string() }),
        None => None,
    };
    let asked = match hash::decode(&web::hash()) {
        Ok(None) => None,
        Ok(Some(link)) => {
            let opened = Subject::from_link(&link)
                .and_then(|subject| Session::open(&subject, form).map_err(|error| error.to_string()));
            match opened {
                Ok(mut session) => {
                    session.go(Go::Pair(link.step));
                    session.name_forks(&link.branch);
                    return (session, link, None);
                }
                Err(error) => Some(error),
            }
        }
        Err(error) => Some(error.to_string()),
    };
    let session = Session::open(&Subject::of(&SCENARIOS[0]), form).expect("the first scenario can be recorded");
    (session, hash::Link::default(), refused.or(asked.map(|detail| bad_link(&detail))))
}

fn report_error(banner: &Banner) {
    let members = [("title", banner.title.into()), ("message", banner.detail.as_str().into())];
    web::dispatch("mmscope:error", &web::object(&members));
}

/// The drawing that suits a layout.
fn form(size: Size) -> Form {
    if size == Size::Narrow { Form::Narrow } else { Form::Wide }
}

fn title(session: &Session) -> String {
    let sides = Which::BOTH.map(|which| session.side(which).label());
    let pages = session.extent().map_or(String::new(), |extent| format!(" of {extent}"));
    format!("mmscope: {}{pages}, old {} beside new {}", session.subject.scenario, sides[0], sides[1])
}
