//! Over the run: a quantity of both sides in one picture, and the cursors of both, which can be moved there.

use std::rc::Rc;

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use plots::{Axis, Interpolation, Lines, Unit};
use sim_core::ledger::series::{Quantity, Reader, Series};

use super::axis::{Across, Places};
use super::breath::breathe;
use super::figure::{Drawn, Placed, figure};
use crate::app::App;
use crate::dom::{Node, live, watch};
use crate::link::Which;
use crate::session::{Go, Session};
use crate::text::thousands;
use crate::web;

/// Milliseconds of reading between two breaths.
const WORK: f64 = 12.0;
/// Steps that are read at a time.
const SLICE: usize = 500;

type Both = [Rc<Vec<Series>>; 2];
type Stored<T> = StoredValue<T, LocalStorage>;

/// What one picture shows.
#[derive(Clone, Debug, PartialEq)]
struct Group {
    /// In the choices.
    name: String,
    title: String,
    label: &'static str,
    unit: &'static str,
    quantities: Vec<Quantity>,
}

/// Everything that the section shares.
#[derive(Clone, Copy)]
struct Shared {
    app: App,
    data: Stored<Option<Both>>,
    places: Stored<Rc<Places>>,
    /// Counts readings of runs.
    read: RwSignal<u32>,
    /// Choice of the reader, by name: it stays where other runs have it too.
    group: RwSignal<Option<String>>,
    across: RwSignal<Across>,
}

/// The section.
pub fn section() -> AnyView {
    let shared = Shared {
        app: App::get(),
        data: StoredValue::new_local(None),
        places: StoredValue::new_local(Rc::default()),
        read: RwSignal::new(0),
        group: RwSignal::new(None),
        across: RwSignal::new(Across::Steps),
    };
    watch(move || {
        shared.app.loaded.track();
        leptos::task::spawn_local(read(shared));
    });
    let changed = move |event: web_sys::Event| match super::chosen(&event) {
        Some((group, at)) if group == "quantity" => {
            shared.group.set(shared.groups().get(at).map(|group| group.name.clone()));
        }
        Some((_, at)) => shared.across.set(Across::ALL.get(at).copied().unwrap_or_default()),
        None => {}
    };
    view! {
        <section aria-labelledby="plots-over">
            <h3 id="plots-over">"Over the run"</h3>
            <div class="menus" on:change=changed>
                {live(move || quantities(shared))}
                {live(|| super::choices("across", "along", Across::ALL.map(|across| across.name().into()).into(), 0))}
            </div>
            {figure(Box::new(move || drawn(shared)), Some(Box::new(move |placed| over(shared, placed))))}
            {shared.app.live(move |session| readout(shared, session))}
        </section>
    }
    .into_any()
}

/// Reads both runs in slices; gives up when others are shown, or the tab is left.
async fn read(shared: Shared) {
    let app = shared.app;
    let generation = app.loaded.get_untracked();
    let mut both = Vec::with_capacity(2);
    for which in Which::BOTH {
        let mut reader = app.with(|session| Reader::new(&session.side(which).track.run.timeline));
        loop {
            if app.loaded.get_untracked() != generation || shared.data.is_disposed() {
                return;
            }
            let (start, mut done) = (web::now(), false);
            while !done && web::now() - start < WORK {
                done = app.with(|session| reader.advance(&session.side(which).track.run.timeline, SLICE));
            }
            if done {
                break;
            }
            breathe().await;
        }
        both.push(Rc::new(reader.finish()));
    }
    let Ok(both) = Both::try_from(both) else { return };
    if shared.data.try_set_value(Some(both)).is_none() {
        shared.read.update(|count| *count += 1);
    }
}

impl Shared {
    fn groups(self) -> Vec<Group> {
        self.data.with_value(|data| data.as_ref().map(groups)).unwrap_or_default()
    }

    /// The group that is shown: the reader's, or the one that says most of the series.
    fn shown(self, groups: &[Group]) -> usize {
        let chosen = self.group.read();
        let by_name = |name: &String| groups.iter().position(|group| group.name == *name);
        chosen.as_ref().and_then(by_name).unwrap_or_else(|| first(groups))
    }
}

/// Slots of swap and per-CPU lists are what their series are about; all have atomics.
fn first(groups: &[Group]) -> usize {
    let with = |what: Quantity| groups.iter().position(|group| group.quantities.contains(&what));
    with(Quantity::Swap).or(with(Quantity::Pcp)).or(with(Quantity::Rmw)).unwrap_or(0)
}

fn groups(both: &Both) -> Vec<Group> {
    let mut all: Vec<Quantity> = Vec::new();
    for series in both.iter().flat_map(|side| side.iter()) {
        if !all.contains(&series.what) {
            all.push(series.what);
        }
    }
    all.sort_by_key(|what| rank(*what));
    let mut groups: Vec<Group> = Vec::new();
    for what in all {
        let group = group(what);
        match groups.iter_mut().find(|known| known.name == group.name) {
            Some(known) => known.quantities.push(what),
            None => groups.push(group),
        }
    }
    groups
}

fn rank(what: Quantity) -> (u8, u8) {
    match what {
        Quantity::Held => (0, 0),
        Quantity::Waiting => (1, 0),
        Quantity::Rmw => (2, 0),
        Quantity::Lru(lru) => (3, lru),
        Quantity::Pcp => (4, 0),
        Quantity::Free => (5, 0),
        Quantity::Rss(mm) => (6, mm),
        Quantity::RssOfAll => (7, 0),
        Quantity::Swap => (8, 0),
    }
}

fn group(what: Quantity) -> Group {
    let new = |name: &str, title: &str, label, unit| Group {
        name: name.into(),
        title: title.into(),
        label,
        unit,
        quantities: vec![what],
    };
    match what {
        Quantity::Held => new("locks held", "Locks held", "Locks held", "holds"),
        Quantity::Waiting => new("in line for locks", "Tasks in line for locks", "In line", "tasks"),
        Quantity::Rmw => new("atomics so far", "Atomic operations so far", "Atomics", "operations"),
        Quantity::Lru(lru) => {
            let names = ["inactive_anon", "active_anon", "inactive_file", "active_file", "unevictable"];
            let list = names.get(usize::from(lru)).copied().unwrap_or("LRU");
            new(list, &format!("Pages on the list {list}"), "List length", "pages")
        }
        Quantity::Pcp => new("PCP lists", "Pages on the per-CPU lists", "Pages on PCP lists", "pages"),
        Quantity::Free => new("free pages", "Free pages of the allocator", "Free pages", "pages"),
        Quantity::Rss(_) => new("RSS", "RSS of each address space", "RSS", "pages"),
        Quantity::RssOfAll => new("RSS", "RSS of all address spaces together", "RSS", "pages"),
        Quantity::Swap => new("swap slots", "Swap slots in use", "Slots in use", "slots"),
    }
}

fn quantities(shared: Shared) -> Node {
    shared.read.track();
    let groups = shared.groups();
    let chosen = shared.shown(&groups);
    super::choices("quantity", "show", groups.into_iter().map(|group| group.name).collect(), chosen)
}

fn drawn(shared: Shared) -> Result<Drawn, String> {
    shared.read.track();
    let across = shared.across.get();
    let groups = shared.groups();
    let Some(both) = shared.data.get_value() else { return Err("Reading the two runs…".into()) };
    let Some(group) = groups.get(shared.shown(&groups)) else {
        return Err("Neither run changes anything that could be drawn.".into());
    };
    shared.app.with(|session| {
        let places = Places::new(session, across);
        let plot = lines(session, &places, across, group, &both);
        shared.places.set_value(Rc::new(places));
        let file = format!("{}-{}", super::stem(session), group.name.replace(' ', "-"));
        Ok(Drawn { title: group.title.clone(), plot: Rc::new(plot), file })
    })
}

fn lines(session: &Session, places: &Places, across: Across, group: &Group, both: &Both) -> Lines {
    let line = |which: Which, what: Quantity| {
        let name = match what {
            Quantity::Rss(mm) if group.quantities.len() > 1 => format!("{}, process {mm}", super::name(session, which)),
            _ => super::name(session, which),
        };
        let found = both[which as usize].iter().find(|series| series.what == what);
        plots::Series::new(super::side(which), name, points(places, which, found))
    };
    let all = Which::BOTH.into_iter().flat_map(|which| group.quantities.iter().map(move |&what| line(which, what)));
    Lines {
        title: group.title.clone(),
        x: across.axis(&session.profile().name),
        y: Axis::new(group.label, Unit::Count(group.unit.into())),
        interpolation: Interpolation::Step,
        series: all.collect(),
        ..Lines::default()
    }
}

/// The changes, and the end of the run. What a side does not have is 0 all the time.
fn points(places: &Places, which: Which, series: Option<&Series>) -> Vec<(f64, f64)> {
    let changes = series.map_or(&[(0, 0)][..], |series| &series.points);
    let mut points: Vec<(f64, f64)> =
        changes.iter().map(|&(step, value)| (places.x(which, step), value as f64)).collect();
    if let Some(&(last, value)) = points.last()
        && last < places.end(which)
    {
        points.push((places.end(which), value));
    }
    points
}

// ---- The cursors

fn over(shared: Shared, placed: RwSignal<Option<Placed>>) -> AnyView {
    let app = shared.app;
    let grabbed = StoredValue::new(None::<Which>);
    let go = move |event: &PointerEvent, take: bool| {
        let Some(x) = value_at(event, placed) else { return };
        let places = shared.places.get_value();
        let (at, link) = app.with(|session| (session.at(), session.link));
        let which = match grabbed.get_value().filter(|_| !take) {
            Some(which) => which,
            None => places.grabbed(at, x),
        };
        grabbed.set_value(Some(which));
        app.step(places.go(link, which, x));
    };
    let down = move |event: PointerEvent| {
        if event.button() == 0 {
            if let Some(area) = event.current_target().and_then(|area| area.dyn_into::<web_sys::Element>().ok()) {
                // The pointer that is down can be captured.
                let _ = area.set_pointer_capture(event.pointer_id());
            }
            go(&event, true);
        }
    };
    let moved = move |event: PointerEvent| {
        if event.buttons() & 1 == 1 && grabbed.get_value().is_some() {
            go(&event, false);
        }
    };
    let place = app.memo(|session| (session.clock(), session.clock_end(), spoken(session)));
    let percent = move |read: fn(Placed) -> f64| {
        move || placed.get().map_or(String::from("0"), |placed| format!("{:.3}%", 100.0 * read(placed)))
    };
    view! {
        <div class="over" class:off=move || placed.read().is_none()>
            {app.live(move |session| cursors(shared, session, placed.get()))}
            <div
                class="grab"
                role="slider"
                tabindex="0"
                aria-label="Step, on the picture"
                aria-valuemin="0"
                aria-valuenow=move || place.read().0.to_string()
                aria-valuemax=move || place.read().1.to_string()
                aria-valuetext=move || place.read().2.clone()
                style:left=percent(|placed| placed.frame.left / placed.size.0)
                style:width=percent(|placed| (placed.frame.right - placed.frame.left) / placed.size.0)
                style:top=percent(|placed| placed.frame.top / placed.size.1)
                style:height=percent(|placed| (placed.frame.bottom - placed.frame.top) / placed.size.1)
                on:keydown=move |event| key(app, &event)
                on:pointerdown=down
                on:pointermove=moved
                on:pointerup=move |_| grabbed.set_value(None)
            ></div>
        </div>
    }
    .into_any()
}

fn key(app: App, event: &KeyboardEvent) {
    let go = match event.key().as_str() {
        "ArrowRight" | "ArrowUp" => Go::Step,
        "ArrowLeft" | "ArrowDown" => Go::Back,
        "PageUp" => Go::Next,
        "PageDown" => Go::Previous,
        "Home" => Go::Clock(0),
        "End" => Go::Clock(u32::MAX),
        _ => return,
    };
    event.prevent_default();
    event.stop_propagation();
    app.step(go);
}

/// The value under the pointer.
fn value_at(event: &PointerEvent, placed: RwSignal<Option<Placed>>) -> Option<f64> {
    let Placed { frame, .. } = placed.get_untracked()?;
    let area = event.current_target()?.dyn_into::<web_sys::Element>().ok()?.get_bounding_client_rect();
    let share = (f64::from(event.client_x()) - area.left()) / area.width().max(1.0);
    Some(frame.x_from_view(frame.left + share * (frame.right - frame.left)))
}

/// A line for each side.
fn cursors(shared: Shared, session: &Session, placed: Option<Placed>) -> Node {
    shared.read.track();
    let Some(Placed { frame, size }) = placed else { return Node::html("div") };
    let places = shared.places.get_value();
    let at = session.at();
    let line = |which: Which| {
        let x = frame.view_from_x(places.x(which, at.of(which)));
        let class = if which == Which::Old { "cursor old" } else { "cursor new" };
        let line = Node::html("div").class(class).style("left", format!("{:.3}%", 100.0 * x / size.0));
        let line = line.style("top", format!("{:.3}%", 100.0 * frame.top / size.1));
        line.style("height", format!("{:.3}%", 100.0 * (frame.bottom - frame.top) / size.1))
    };
    Node::html("div").with("aria-hidden", "true").children([line(Which::New), line(Which::Old)])
}

fn spoken(session: &Session) -> String {
    let (at, ends) = (session.at(), session.beats.ends());
    format!("old: step {} of {}, new: step {} of {}", at.old, ends.old, at.new, ends.new)
}

/// Where the cursors are, and what the picture has there.
fn readout(shared: Shared, session: &Session) -> Node {
    shared.read.track();
    let groups = shared.groups();
    let group = groups.get(shared.shown(&groups));
    let side = |which: Which| {
        let (at, end) = (session.at().of(which), session.beats.ends().of(which));
        let values = group.map(|group| value(shared, group, which, at)).unwrap_or_default();
        let class = if which == Which::Old { "ro old" } else { "ro new" };
        let step = format!("{}: step {} of {}", which.name(), thousands(at.into()), thousands(end.into()));
        Node::html("span").class(class).children([
            Node::html("i").with("aria-hidden", "true"),
            Node::html("span").text(step),
            Node::html("b").text(values),
        ])
    };
    let hint = "Click, drag, or use the arrow keys on the picture: both runs go there.";
    let all = Which::BOTH.map(side).into_iter().chain([Node::html("em").text(hint)]);
    Node::html("p").class("readout").children(all)
}

fn value(shared: Shared, group: &Group, which: Which, at: u32) -> String {
    let Some(both) = shared.data.get_value() else { return String::new() };
    let of = |what: &Quantity| {
        let series = both[which as usize].iter().find(|series| series.what == *what);
        series.map_or(0, |series| series.at(at)).to_string()
    };
    let values: Vec<String> = group.quantities.iter().map(of).collect();
    format!("{} {}", values.join(" + "), group.unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Subject;
    use plots::{Plot, Size, Theme};
    use sim_core::ledger::series::series;
    use sim_core::scenario::SERIES;
    use stage::Form;

    #[test]
    fn every_series_has_pictures_of_both_sides() {
        for all in SERIES {
            let session = Session::open(&Subject::of(&all.scenarios[0]), Form::Wide).unwrap();
            let both = Which::BOTH.map(|which| Rc::new(series(&session.side(which).track.run.timeline)));
            let groups = groups(&both);
            assert!(groups.len() >= 3, "{}: {groups:?}", all.name);
            for across in Across::ALL {
                let places = Places::new(&session, across);
                for group in &groups {
                    let plot = lines(&session, &places, across, group, &both);
                    assert_eq!(plot.series.len(), group.quantities.len() * 2, "{} {}", all.name, group.name);
                    assert!(group.quantities.len() <= 4, "lines of one side can be told apart");
                    let last = plot.series.iter().map(|line| line.points[line.points.len() - 1].0);
                    let ends = Which::BOTH.map(|which| places.end(which));
                    assert!(last.into_iter().all(|x| ends.contains(&x)), "{} {}", all.name, group.name);
                    plot.draw(Size::new(720.0, 340.0), Theme::Css).unwrap();
                }
            }
        }
    }

    #[test]
    fn what_a_series_is_about_comes_first() {
        let opened = |scenario: &str| {
            let scenario = sim_core::scenario::Scenario::find(scenario).unwrap();
            let session = Session::open(&Subject::of(scenario), Form::Wide).unwrap();
            let both = Which::BOTH.map(|which| Rc::new(series(&session.side(which).track.run.timeline)));
            let groups = groups(&both);
            groups[first(&groups)].name.clone()
        };
        assert_eq!(opened("munlock"), "atomics so far");
        assert_eq!(opened("pcp-free"), "PCP lists");
        assert_eq!(opened("madvise-free"), "swap slots");
    }
}
