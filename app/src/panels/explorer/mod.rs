//! The timeline that opens in place: lanes for each CPU of both sides on a common axis, with zoom, selection and
//! marks.
//!
//! What it shows is plain Rust ([`crate::lanes`]); here it is drawn on two canvases and moved by pointer and keys. What
//! the canvases show stands beside them in words.

mod aside;
mod bar;
mod brush;
mod canvas;
mod colours;
mod input;
mod overview;
mod paint;
mod part;

use leptos::html;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;

use self::canvas::Drawer;
use self::input::Drag;
use crate::app::App;
use crate::dom::{Node, live, watch};
use crate::lanes::axis::By;
use crate::lanes::explorer::Explorer;
use crate::link::Which;
use crate::web;

/// What the parts of the open timeline share. Cheap to copy.
#[derive(Clone, Copy)]
struct Ui {
    app: App,
    /// What the axis counts.
    by: RwSignal<By>,
    /// It takes the whole page.
    tall: RwSignal<bool>,
    /// The system asks for dark.
    dark: RwSignal<bool>,
    state: StoredValue<Option<Explorer>, LocalStorage>,
    /// Counts states: pairs of runs.
    made: RwSignal<u64>,
    /// Counts changes of the state.
    changed: RwSignal<u64>,
    /// What is under the pointer, in words.
    under: RwSignal<Option<String>>,
    drag: StoredValue<Drag>,
    drawer: StoredValue<Drawer, LocalStorage>,
    lanes: NodeRef<html::Canvas>,
    head: NodeRef<html::Canvas>,
    scroller: NodeRef<html::Div>,
}

/// The timeline, while it is open.
#[component]
pub fn ExplorerPanel() -> impl IntoView {
    let app = App::get();
    let (by, tall) = (RwSignal::new(By::default()), RwSignal::new(false));
    let dark = web::media("(prefers-color-scheme: dark)");
    view! {
        <Show when=move || app.explorer.get()>
            <Opened by tall dark />
        </Show>
    }
}

/// Opens it. Its button stands on the strip of both runs.
#[component]
pub fn OpenButton() -> impl IntoView {
    let app = App::get();
    view! {
        <button
            class="xp-open"
            id="open-timeline"
            aria-keyshortcuts="t"
            aria-label="Explore the timeline"
            title="Explore the timeline: zoom, select, every CPU (t)"
            on:click=move |_| app.explorer.set(true)
        >
            {super::icons::sign("", "M1.5 4.5v-3h3M10.5 7.5v3h-3M1.5 1.5l3.6 3.6M10.5 10.5L6.9 6.9")}
            <span>"explore"</span>
        </button>
    }
}

#[component]
fn Opened(by: RwSignal<By>, tall: RwSignal<bool>, dark: RwSignal<bool>) -> impl IntoView {
    let ui = Ui {
        app: App::get(),
        by,
        tall,
        dark,
        state: StoredValue::new_local(None),
        made: RwSignal::new(0),
        changed: RwSignal::new(0),
        under: RwSignal::new(None),
        drag: StoredValue::new(Drag::default()),
        drawer: StoredValue::new_local(Drawer::default()),
        lanes: NodeRef::new(),
        head: NodeRef::new(),
        scroller: NodeRef::new(),
    };
    ui.listen();
    let class = move || if tall.get() { "explorer tall" } else { "explorer" };
    view! {
        <section class=class aria-label="Timeline explorer" on:keydown=move |event| ui.key(&event)>
            <bar::Bar ui />
            <div class="xp-body">
                <div class="xp-main">
                    <div class="xp-head">
                        {live(head_labels)}
                        <canvas
                            node_ref=ui.head
                            role="slider"
                            tabindex="0"
                            aria-label="Part that is shown"
                            aria-keyshortcuts="ArrowLeft ArrowRight + -"
                            on:pointerdown=move |event| ui.part_down(&event)
                            on:pointermove=move |event| ui.part_moved(&event)
                            on:pointerup=move |_| ui.drag.set_value(Drag::Idle)
                            on:pointercancel=move |_| ui.drag.set_value(Drag::Idle)
                            on:wheel=move |event| ui.wheel(&event, true)
                            on:keydown=move |event| ui.part_key(&event)
                        ></canvas>
                        <span></span>
                        {aside::band(ui)}
                    </div>
                    <div class="xp-scroll" node_ref=ui.scroller on:scroll=move |_| ui.queue()>
                        <div class="xp-field" on:click=move |event| ui.fold_clicked(&event)>
                            {aside::names(ui)}
                            <canvas
                                node_ref=ui.lanes
                                role="slider"
                                tabindex="0"
                                aria-label="Moment of both runs"
                                aria-valuemin="0"
                                aria-keyshortcuts="ArrowLeft ArrowRight + - [ ] z f"
                                on:pointerdown=move |event| ui.down(&event)
                                on:pointermove=move |event| ui.moved(&event)
                                on:pointerup=move |event| ui.up(&event)
                                on:pointercancel=move |_| ui.drag.set_value(Drag::Idle)
                                on:pointerleave=move |_| ui.left()
                                on:wheel=move |event| ui.wheel(&event, false)
                            ></canvas>
                        </div>
                    </div>
                    {aside::foot(ui)}
                </div>
                {aside::aside(ui)}
            </div>
        </section>
    }
}

fn head_labels() -> Node {
    let label =
        |which: Which| Node::html("span").children([super::icons::mark(which), Node::html("span").text(which.name())]);
    Node::html("div").class("xp-sides").with("aria-hidden", "true").children(Which::BOTH.map(label))
}

impl Ui {
    fn listen(self) {
        let app = self.app;
        watch(move || {
            app.loaded.track();
            let start = web::now();
            let by = self.by.get_untracked();
            let fresh = app.with(|session| Explorer::new(session, by, 1000.0));
            self.by.set(fresh.axis.by());
            self.state.set_value(Some(fresh));
            self.made.update(|count| *count += 1);
            self.touch();
            web::measure("mmscope:timeline-open", start);
        });
        watch(move || {
            app.shown.track();
            let at = app.with(|session| session.at());
            if self.drag.with_value(|drag| matches!(drag, Drag::Idle)) {
                self.change(|explorer| explorer.reveal(at));
            } else {
                self.queue();
            }
            if let Some(canvas) = self.lanes.get() {
                app.with(|session| super::timeline::describe(&canvas, session));
            }
        });
        watch(move || {
            let by = self.by.get();
            if self.with(|explorer| explorer.axis.by()) != Some(by) {
                self.change(|explorer| app.with(|session| explorer.set_axis(session, by)));
            }
        });
        // Prices can be changed in a dialog.
        watch(move || {
            let closed = app.dialog.get().is_none();
            let stale = |explorer: &Explorer| app.with(|session| explorer.is_stale(session));
            if closed && self.with(stale) == Some(true) {
                self.change(|explorer| app.with(|session| explorer.forget_times(session)));
            }
        });
        watch(move || {
            app.settings.track();
            self.dark.track();
            self.drawer.update_value(Drawer::forget_colours);
            self.queue();
        });
        watch(move || {
            self.changed.track();
            self.tall.track();
            app.size.track();
            self.queue();
            if let (Some(head), Some(text)) = (self.head.get(), self.with(part_text)) {
                let set =
                    |name: &str, value: &str| head.set_attribute(name, value).expect("the attribute's name is valid");
                let now = self.with(|explorer| explorer.window.from / explorer.window.end * 100.0).unwrap_or_default();
                set("aria-valuemin", "0");
                set("aria-valuemax", "100");
                set("aria-valuenow", &format!("{now:.0}"));
                set("aria-valuetext", &text);
            }
        });
        let resized = window_event_listener(leptos::ev::resize, move |_| self.queue());
        on_cleanup(move || resized.remove());
        // The keys go on in what has been opened; what was left gets them back.
        watch(move || {
            if let Some(canvas) = self.lanes.get() {
                web::focus_in_place(&canvas);
            }
        });
    }

    /// Asks the state something.
    fn with<T>(self, read: impl FnOnce(&Explorer) -> T) -> Option<T> {
        self.state.try_with_value(|state| state.as_ref().map(read)).flatten()
    }

    /// Changes the state, and what is drawn of it.
    fn change(self, change: impl FnOnce(&mut Explorer)) {
        self.state.update_value(|state| {
            if let Some(explorer) = state {
                change(explorer);
            }
        });
        self.touch();
    }

    fn touch(self) {
        self.changed.update(|count| *count += 1);
    }

    /// A part of the state that is looked at again with each change, and matters where it is another.
    fn part<T: PartialEq + Send + Sync + 'static>(self, read: fn(&Explorer) -> T) -> Memo<Option<T>> {
        Memo::new(move |_| {
            self.changed.track();
            self.with(read)
        })
    }

    /// A part of the page that is said anew for each pair of runs, and when a signal that was read before has changed.
    fn draw_node(self, draw: impl FnOnce(&Explorer) -> Node) -> Node {
        self.made.track();
        self.with(draw).unwrap_or_else(|| Node::html("div"))
    }

    fn close(self) {
        self.app.explorer.set(false);
        // The button comes back with the strip.
        request_animation_frame(move || {
            let button = document().get_element_by_id("open-timeline");
            if let Some(button) = button.and_then(|button| button.dyn_into::<web_sys::HtmlElement>().ok()) {
                web::focus_in_place(&button);
            }
        });
    }
}

fn part_text(explorer: &Explorer) -> String {
    let window = &explorer.window;
    let [from, to] = [window.from, window.to()].map(|place| explorer.axis.pair_at(place));
    let side = |which: Which| format!("{}: steps {} to {}", which.name(), from.of(which), to.of(which));
    format!("{}; {}", side(Which::Old), side(Which::New))
}
