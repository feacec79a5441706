//! Sweeps: what grows with the CPUs, the batch and the pages. They run in slices, and can be cancelled.

use std::rc::Rc;

use ::evidence::sweep::{Over, Plan, Point, SweepError, plans, sweep};
use leptos::prelude::*;
use plots::{Axis, Interpolation, Lines, Scale, Series, Unit};

use super::breath;
use super::figure::{Drawn, figure};
use crate::app::App;
use crate::dom::{Node, live, watch};
use crate::link::Which;
use crate::session::Session;
use crate::web;

type Sides = [Vec<Point>; 2];

/// What a run of a sweep has come to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum State {
    #[default]
    Idle,
    /// How far it is, from 0 to 1, and the seconds that it has taken.
    Runs(f64, f64),
}

/// What the sweeps have come to: it outlives the tab, so that a sweep goes on while the reader looks at something else.
#[derive(Clone, Copy)]
pub struct Shared {
    app: App,
    /// The chosen one of the plans of the series.
    plan: RwSignal<usize>,
    state: RwSignal<State>,
    said: RwSignal<String>,
    /// Points of each plan, by its place.
    points: StoredValue<Vec<(usize, Sides)>, LocalStorage>,
    /// Counts points.
    version: RwSignal<u32>,
    /// Number of the run in force; others give up.
    ticket: StoredValue<u32>,
}

/// Keeps what the sweeps come to for as long as the page lives.
pub fn provide() {
    let shared = Shared {
        app: App::get(),
        plan: RwSignal::new(0),
        state: RwSignal::new(State::Idle),
        said: RwSignal::new(String::new()),
        points: StoredValue::new_local(Vec::new()),
        version: RwSignal::new(0),
        ticket: StoredValue::new(0),
    };
    // Other runs are other kernels: what was measured is not of them.
    watch(move || {
        shared.app.loaded.track();
        shared.stop();
        shared.plan.set(0);
        shared.said.set(String::new());
        shared.points.set_value(Vec::new());
        shared.version.update(|count| *count += 1);
    });
    provide_context(shared);
}

/// The section.
pub fn section() -> AnyView {
    let shared = expect_context::<Shared>();
    let changed = move |event: web_sys::Event| {
        if let Some((_, at)) = super::chosen(&event) {
            let on = shared.state.get_untracked() != State::Idle;
            let said =
                if on { format!("The other sweep was cancelled after {}.", count(shared)) } else { String::new() };
            shared.stop();
            shared.said.set(said);
            shared.plan.set(at);
        }
    };
    let menu = move || {
        shared.app.loaded.track();
        let names = shared.plans().into_iter().map(plan_name).collect();
        super::choices("sweep", "against", names, shared.plan.get())
    };
    let by_cpus = move || shared.chosen().is_some_and(|plan| plan.over == Over::Cpus);
    view! {
        <section aria-labelledby="plots-sweeps">
            <h3 id="plots-sweeps">"Sweeps"</h3>
            <div class="menus" on:change=changed>{live(menu)}</div>
            <div class="run" on:click=move |event| clicked(shared, &event)>{live(move || controls(shared))}</div>
            <p class="sweep-said" role="status">{move || shared.said.get()}</p>
            {figure(Box::new(move || drawn(shared, if by_cpus() { What::Rate } else { What::Cost })), None)}
            {move || by_cpus().then(|| figure(Box::new(move || drawn(shared, What::Wait)), None))}
        </section>
    }
    .into_any()
}

fn plan_name(plan: &Plan) -> String {
    match plan.over {
        Over::Cpus => "CPUs".into(),
        Over::Batch => format!("batch size ({})", plan.param),
        Over::Size if plan.param == "pages" => "pages".into(),
        Over::Size => format!("{}s ({})", plan.unit, plan.param),
    }
}

impl Shared {
    /// Sweeps of the series that is shown; a scenario of the reader's own belongs to none.
    fn plans(self) -> Vec<&'static Plan> {
        self.app.with(|session| {
            let own = session.subject.file.is_some();
            if own {
                Vec::new()
            } else {
                plans(session.side(Which::Old).track.run.spec.scenario.series().name).collect()
            }
        })
    }

    fn chosen(self) -> Option<&'static Plan> {
        self.plans().get(self.plan.get()).copied()
    }

    fn stop(self) {
        self.ticket.update_value(|ticket| *ticket += 1);
        self.state.set(State::Idle);
    }
}

fn controls(shared: Shared) -> Node {
    shared.app.loaded.track();
    let Some(plan) = shared.chosen() else { return Node::html("div") };
    let button = |class: &'static str, act: &'static str, text: &'static str| {
        Node::html("button").class(class).with("data-act", act).key(act).text(text)
    };
    let note = Node::html("p").class("note").text(plan.note);
    match shared.state.get() {
        State::Idle => {
            Node::html("div").class("idle").key("idle").children([button("btn pri", "run", "Run the sweep"), note])
        }
        State::Runs(done, seconds) => {
            let bar = Node::html("progress").with("max", "1").with("value", format!("{done:.3}"));
            let bar = bar.with("aria-label", "Sweep");
            let left = Node::html("span").class("left").text(left(done, seconds));
            Node::html("div").class("busy").key("busy").children([button("btn", "cancel", "Cancel"), bar, left])
        }
    }
}

/// How long the rest takes at the pace so far.
fn left(done: f64, seconds: f64) -> String {
    let percent = (done * 100.0).floor();
    if seconds < 1.0 || done < 0.02 {
        return format!("{percent} %");
    }
    let left = (seconds / done * (1.0 - done)).ceil().max(1.0);
    format!("{percent} %, {left} s left")
}

fn clicked(shared: Shared, event: &web_sys::MouseEvent) {
    let act = web::closest(event, "[data-act]").and_then(|button| button.get_attribute("data-act"));
    match act.as_deref() {
        Some("run") => run(shared),
        Some("cancel") => {
            let points = count(shared);
            shared.stop();
            shared.said.set(format!("Cancelled after {points}."));
        }
        _ => return,
    }
    focus_control();
}

/// The reader's focus is on a button that is about to go.
fn holds_focus() -> bool {
    document().active_element().is_some_and(|element| element.has_attribute("data-act"))
}

/// The button that was pressed has become another one, which takes the focus.
fn focus_control() {
    leptos::task::spawn_local(async {
        use leptos::wasm_bindgen::JsCast;
        breath::breathe().await;
        let button = document().query_selector(".plots .run button").ok().flatten();
        if let Some(button) = button.and_then(|button| button.dyn_into::<web_sys::HtmlElement>().ok()) {
            // Focus fails for no button that is shown.
            let _ = button.focus();
        }
    });
}

fn count(shared: Shared) -> String {
    let Some(plan) = shared.plans().get(shared.plan.get_untracked()).copied() else { return String::new() };
    let sides = sides(shared, shared.plan.get_untracked());
    format!("{} of {} runs", sides[0].len() + sides[1].len(), plan.values.len() * 2)
}

fn sides(shared: Shared, plan: usize) -> Sides {
    let find = |points: &Vec<(usize, Sides)>| points.iter().find(|known| known.0 == plan).map(|known| known.1.clone());
    shared.points.with_value(find).unwrap_or_default()
}

fn run(shared: Shared) {
    let at = shared.plan.get_untracked();
    let Some(plan) = shared.plans().get(at).copied() else { return };
    shared.stop();
    let ticket = shared.ticket.get_value();
    shared.points.update_value(|points| points.retain(|known| known.0 != at));
    shared.version.update(|count| *count += 1);
    shared.said.set("The sweep runs; the page stays usable.".into());
    shared.state.set(State::Runs(0.0, 0.0));
    let start = web::now();
    let (variants, costs) = shared.app.with(|session| (session.subject.variants.clone(), session.costs()));
    let in_force = move || shared.ticket.try_get_value() == Some(ticket);
    let progress = move |done: f64| {
        let on = in_force();
        if on {
            shared.state.set(State::Runs(done, (web::now() - start) / 1000.0));
        }
        on
    };
    leptos::task::spawn_local(async move {
        // The click is answered first.
        breath::breathe().await;
        let pace = breath::pace(progress);
        let got = |side: usize, point: Point| {
            if in_force() {
                add(shared, at, side, point);
            }
        };
        let made = sweep(plan, [&variants[0], &variants[1]], &costs, &pace, got).await;
        if in_force() {
            if holds_focus() {
                focus_control();
            }
            shared.state.set(State::Idle);
            shared.said.set(match made {
                Ok(()) => format!("{} in {:.1} s.", count(shared), (web::now() - start) / 1000.0),
                Err(SweepError::Stopped) => String::new(),
                Err(error) => format!("The sweep could not go on: {error}."),
            });
        }
    });
}

fn add(shared: Shared, plan: usize, side: usize, point: Point) {
    shared.points.update_value(|points| match points.iter_mut().find(|known| known.0 == plan) {
        Some(known) => known.1[side].push(point),
        None => {
            let mut sides = Sides::default();
            sides[side].push(point);
            points.push((plan, sides));
        }
    });
    // Two sides make a picture; one more alone need not be drawn.
    if side == 1 {
        shared.version.update(|count| *count += 1);
    }
}

/// What is drawn of the points.
#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    Rate,
    Wait,
    Cost,
}

fn drawn(shared: Shared, what: What) -> Result<Drawn, String> {
    shared.version.track();
    shared.app.loaded.track();
    let Some(plan) = shared.chosen() else {
        let own = shared.app.with(|session| session.subject.file.is_some());
        let why = if own { "a scenario from a file belongs to none" } else { "this one has none" };
        return Err(format!("Sweeps are of the five series: {why}."));
    };
    let sides = sides(shared, shared.plan.get());
    if sides.iter().all(Vec::is_empty) {
        return Err(match what {
            What::Wait => String::from("The share of waiting for locks comes with the same sweep."),
            _ => format!("Nothing has been run yet: {} runs, both kernels.", plan.values.len() * 2),
        });
    }
    Ok(shared.app.with(|session| picture(session, plan, what, &sides)))
}

fn picture(session: &Session, plan: &Plan, what: What, sides: &Sides) -> Drawn {
    let profile = session.profile().name.clone();
    let unit = plan.unit;
    let (title, y, file): (String, Axis, &str) = match what {
        What::Rate => (
            format!("Throughput by number of CPUs, modelled ({profile})"),
            Axis::new(format!("{}s a second", capital(unit)), Unit::Of(format!("{unit}s/s"))),
            "throughput",
        ),
        What::Wait => (
            format!("Share of CPU time spent waiting for locks, modelled ({profile})"),
            Axis::new("Waiting for locks", Unit::Share),
            "lock-wait",
        ),
        What::Cost => (
            format!("Modelled time per {unit} by {} ({profile})", lower(plan.label)),
            Axis::new(format!("Time of a CPU per {unit}"), Unit::Nanoseconds),
            "cost",
        ),
    };
    let value = |point: &Point| match what {
        What::Rate => point.rate(),
        What::Wait => point.wait_share(),
        What::Cost => point.ns_per_unit(),
    };
    let line = |which: Which| {
        let points = sides[which as usize].iter().map(|point| (f64::from(point.x), value(point)));
        Series::new(super::side(which), super::name(session, which), points.collect())
    };
    let plot = Lines {
        title: title.clone(),
        x: Axis::new(plan.label, Unit::Plain),
        y,
        interpolation: Interpolation::Linear,
        scale: Scale::Log2,
        series: Which::BOTH.map(line).into(),
        ..Lines::default()
    };
    let file = format!("{}-{}-{file}", super::stem(session), plan.param);
    Drawn { plot: Rc::new(plot), title, file }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// The first letter small, but for what is written large: "CPUs".
fn lower(text: &str) -> String {
    if text.chars().nth(1).is_some_and(char::is_uppercase) {
        return text.into();
    }
    let mut chars = text.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Subject;
    use ::evidence::sweep::Size;
    use sim_core::scenario::SERIES;
    use stage::Form;

    #[test]
    fn every_series_has_sweeps_whose_pictures_name_both_sides() {
        for series in SERIES {
            let session = Session::open(&Subject::of(&series.scenarios[0]), Form::Wide).unwrap();
            let all: Vec<_> = plans(series.name).collect();
            assert!(!all.is_empty(), "{}", series.name);
            for plan in all {
                let size = Size { units: 10, cpus: 2 };
                let point = Point { x: plan.values[0], size, operations: 9, elapsed: 5000, lock_wait: 2500 };
                for what in [What::Rate, What::Wait, What::Cost] {
                    let drawn = picture(&session, plan, what, &[vec![point], vec![point]]);
                    let svg = drawn.plot.draw(plots::Size::new(720.0, 340.0), plots::Theme::Css).unwrap();
                    for which in Which::BOTH {
                        assert!(svg.contains(&format!("{}: ", which.name())), "{} {what:?}", plan.param);
                    }
                }
            }
        }
    }

    #[test]
    fn time_left_is_what_the_rest_takes() {
        assert_eq!(left(0.0, 0.0), "0 %");
        assert_eq!(left(0.25, 5.0), "25 %, 15 s left");
        assert_eq!(left(0.999, 5.0), "99 %, 1 s left");
    }

    #[test]
    fn units_come_from_the_size_of_the_run() {
        let size = Size { units: 100, cpus: 4 };
        let point = Point { x: 1, size, operations: 1, elapsed: 1_000_000, lock_wait: 2_000_000 };
        assert_eq!((point.rate(), point.wait_share(), point.ns_per_unit()), (1e8, 0.5, 40.0));
        assert_eq!(
            (capital("page"), lower("Pages of it"), lower("CPUs")),
            ("Page".into(), "pages of it".into(), "CPUs".into())
        );
    }
}
