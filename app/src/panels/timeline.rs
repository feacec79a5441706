//! Both runs along one scale, and the slider that goes through them.

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::html;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use stage::number;
use web_sys::Element;

use crate::app::App;
use crate::chart::{Cell, Chart, Head, Measures, Size, Text};
use crate::dom::{Node, watch};
use crate::keys::{self, Press};
use crate::link::{Pair, Which};
use crate::session::{Go, Session};
use crate::text::thousands;

/// The timeline.
#[component]
pub fn Timeline() -> impl IntoView {
    let app = App::get();
    let host = NodeRef::<html::Div>::new();
    let drawing = StoredValue::new_local(None::<Drawing>);
    watch(move || {
        app.loaded.track();
        let size = app.size.get();
        let Some(host) = host.get() else { return };
        let chart = app.with(|session| {
            let lanes = |which: Which| &session.side(which).track.lanes;
            Chart::new(lanes(Which::Old), lanes(Which::New), size, session.opening().unit.1)
        });
        host.set_text_content(None);
        let mut fresh = Drawing::new(&host, chart);
        fresh.show(app.with(Session::at));
        drawing.set_value(Some(fresh));
    });
    watch(move || {
        app.shown.track();
        let at = app.with(Session::at);
        drawing.update_value(|drawing| {
            if let Some(drawing) = drawing {
                drawing.show(at);
            }
        });
    });
    watch(move || {
        app.shown.track();
        if let Some(host) = host.get() {
            app.with(|session| describe(&host, session));
        }
    });
    // The clock on which the reader drags.
    let dragged = StoredValue::new(None::<Which>);
    let place = move |event: &PointerEvent| {
        drawing.with_value(|drawing| {
            let chart = &drawing.as_ref()?.chart;
            let (x, y) = within(event, chart)?;
            Some(match dragged.get_value() {
                Some(which) => (which, chart.step_on(which, x)),
                None => chart.step_at(x, y),
            })
        })
    };
    let down = move |event: PointerEvent| {
        if event.button() != 0 {
            return;
        }
        let Some((which, step)) = place(&event) else { return };
        dragged.set_value(Some(which));
        if let Some(target) = event.current_target().and_then(|target| target.dyn_into::<Element>().ok()) {
            // A pointer that is gone needs no capture.
            let _ = target.set_pointer_capture(event.pointer_id());
        }
        app.step(Go::Side(which, step));
    };
    let moved = move |event: PointerEvent| {
        if dragged.get_value().is_some()
            && let Some((which, step)) = place(&event)
        {
            app.step(Go::Side(which, step));
        }
    };
    let keys = move |event: KeyboardEvent| {
        let modified = event.ctrl_key() || event.alt_key() || event.meta_key();
        if let Some(by) = keys::scrub(Press { key: &event.key(), shift: event.shift_key(), modified }) {
            event.prevent_default();
            app.step(Go::By(by));
        }
    };
    view! {
        <section class="time" aria-label="Timeline">
            <div
                class="scrub"
                role="slider"
                tabindex="0"
                aria-label="Step"
                aria-valuemin="0"
                aria-keyshortcuts="ArrowRight ArrowLeft Home End"
                node_ref=host
                on:pointerdown=down
                on:pointermove=moved
                on:pointerup=move |_| dragged.set_value(None)
                on:pointercancel=move |_| dragged.set_value(None)
                on:keydown=keys
            ></div>
            <super::explorer::OpenButton />
        </section>
    }
}

/// The slider's own words for where it is.
pub(super) fn describe(slider: &Element, session: &Session) {
    set(slider, "aria-valuemax", &session.clock_end().to_string());
    set(slider, "aria-valuenow", &session.clock().to_string());
    set(slider, "aria-valuetext", &value_text(session));
}

/// "step 41 of 187: lru_add_drain on CPU 1", for the side that leads and then for the other.
fn value_text(session: &Session) -> String {
    let side = |which: Which| {
        let side = session.side(which);
        let [step, steps] = [side.moment.step, side.track.steps()].map(|n| thousands(n.into()));
        let made = match side.moment.function {
            "" if side.moment.step > 0 => "its task has finished".to_string(),
            "" => "nothing has run yet".to_string(),
            function => format!("{function} on CPU {}", side.moment.cpu),
        };
        format!("{}: step {step} of {steps}: {made}", which.name())
    };
    format!("{}; {}", side(Which::Old), side(Which::New))
}

/// Where a pointer is, in the drawing's own measures.
fn within(event: &PointerEvent, chart: &Chart) -> Option<(f32, f32)> {
    let target = event.current_target()?.dyn_into::<Element>().ok()?;
    let rect = target.query_selector("svg").ok()??.get_bounding_client_rect();
    let m = Measures::of(chart.size);
    let part = |at: f64, start: f64, length: f64| ((at - start) / length.max(1.0)) as f32;
    let x = part(event.client_x().into(), rect.left(), rect.width());
    let y = part(event.client_y().into(), rect.top(), rect.height());
    Some((x * m.width, y * m.height))
}

/// The elements that the playhead changes.
struct Drawing {
    chart: Chart,
    lines: [Element; 2],
    knob: Element,
    fades: [Element; 2],
    cells: [Current; 2],
    ribbons: Vec<Element>,
    labels: [Vec<Element>; 2],
    head: Head,
}

/// The cell that a side is in.
struct Current {
    rect: Element,
    label: Element,
}

impl Drawing {
    fn new(host: &Element, chart: Chart) -> Drawing {
        let m = Measures::of(chart.size);
        let class = match chart.size {
            Size::Wide => "tline tw",
            Size::Medium => "tline tm",
            Size::Narrow => "tline tn",
        };
        let [w, h] = [m.width, m.height].map(number);
        let svg = Node::svg("svg")
            .with("class", class)
            .with("viewBox", format!("0 0 {w} {h}"))
            .with("width", w)
            .with("height", h)
            .with("aria-hidden", "true")
            .create();
        let add = |node: Node| {
            let element = node.create();
            svg.append_child(&element).expect("a drawing takes shapes");
            element
        };
        let path = |class: &'static str, d: &str| Node::svg("path").with("class", class).with("d", d.to_string());
        let ribbons = chart.ribbons.iter().map(|(_, d)| add(path("rib", d))).collect();
        for shape in &chart.shapes {
            add(path(shape.class, &shape.d));
        }
        let fades = Which::BOTH.map(|which| add(fade(which, &m)));
        add(path("ribl", &chart.joints));
        let cells = Which::BOTH.map(|which| {
            let y = if which == Which::Old { 12.0 } else { 12.0 + m.shift };
            add(Node::svg("rect").with("class", "cell cur").at("y", y).at("height", 14.0))
        });
        let lines = ["pl case", "pl"].map(|class| add(path(class, "")));
        let knob = add(path("knob", ""));
        let labels = Which::BOTH.map(|which| {
            let y = m.text + if which == Which::Old { 0.0 } else { m.shift };
            let shown = chart.cells[which as usize].iter().filter(|cell| cell.shown);
            shown.map(|cell| add(cell_label(cell, y))).collect()
        });
        let rects = cells.into_iter().zip(Which::BOTH);
        let mut current = rects.map(|(rect, which)| {
            let y = m.text + if which == Which::Old { 0.0 } else { m.shift };
            Current { rect, label: add(Node::svg("text").with("class", "cn cur").at("y", y)) }
        });
        let cells = [current.next(), current.next()].map(|one| one.expect("there are two sides"));
        chart.texts.iter().for_each(|text| _ = add(words(text)));
        Which::BOTH.into_iter().for_each(|which| _ = add(mark(which, &m)));
        for (x, y, class) in &chart.tones {
            add(Node::svg("rect").with("class", *class).at("x", *x).at("y", *y).at("width", 8.0).at("height", 7.0));
        }
        host.append_child(&svg).expect("the slider takes the drawing");
        let head = Head { cells: [Some(usize::MAX); 2], ribbon: Some(usize::MAX), ..Head::default() };
        Drawing { chart, lines, knob, fades, cells, ribbons, labels, head }
    }

    fn show(&mut self, at: Pair) {
        let head = self.chart.head(at);
        if head.line != self.head.line {
            self.lines.iter().for_each(|line| set(line, "d", &head.line));
            set(&self.knob, "d", &head.knob);
            for (fade, (x, width)) in self.fades.iter().zip(head.future) {
                set(fade, "x", &number(x));
                set(fade, "width", &number(width));
            }
        }
        for which in Which::BOTH {
            if head.cells[which as usize] != self.head.cells[which as usize] {
                self.show_cell(which, head.cells[which as usize]);
            }
        }
        if head.ribbon != self.head.ribbon {
            for (i, ribbon) in self.ribbons.iter().enumerate() {
                let class = match (head.ribbon == Some(i), i % 2) {
                    (true, _) => "rib r1",
                    (false, 0) => "rib r0",
                    _ => "rib",
                };
                set(ribbon, "class", class);
            }
        }
        self.head = head;
    }

    fn show_cell(&self, which: Which, at: Option<usize>) {
        let cells = &self.chart.cells[which as usize];
        let current = &self.cells[which as usize];
        let cell = at.and_then(|at| cells.get(at));
        set(&current.rect, "width", &number(cell.map_or(0.0, |cell| cell.w)));
        current.label.set_text_content(cell.map(|cell| cell.label.as_str()));
        if let Some(cell) = cell {
            set(&current.rect, "x", &number(cell.x));
            set(&current.label, "x", &number(self.chart.label_x(which, cell)));
        }
        let shown = cells.iter().enumerate().filter(|(_, cell)| cell.shown);
        for (label, (i, _)) in self.labels[which as usize].iter().zip(shown) {
            let class = match at.map(|at| i.cmp(&at)) {
                Some(std::cmp::Ordering::Less) => "cn",
                Some(std::cmp::Ordering::Equal) => "cn under",
                _ => "cn fut",
            };
            if label.get_attribute("class").as_deref() != Some(class) {
                set(label, "class", class);
            }
        }
    }
}

fn set(element: &Element, name: &str, value: &str) {
    element.set_attribute(name, value).expect("the attribute's name is valid");
}

/// What is still to come lies under a veil.
fn fade(which: Which, m: &Measures) -> Node {
    let (top, bottom) = match which {
        Which::Old => (if m.short { 8.0 } else { 11.0 }, m.upper),
        Which::New => (m.lower, m.height),
    };
    Node::svg("rect").with("class", "veil").at("y", top).at("height", bottom - top)
}

fn cell_label(cell: &Cell, y: f32) -> Node {
    Node::svg("text").with("class", "cn").at("x", cell.x + cell.w / 2.0).at("y", y).text(cell.label.clone())
}

fn words(text: &Text) -> Node {
    Node::svg("text").with("class", text.class).at("x", text.x).at("y", text.y).text(text.text.clone())
}

fn mark(which: Which, m: &Measures) -> Node {
    let (class, down) = if which == Which::Old { ("ko", 0.0) } else { ("kn", m.shift) };
    Node::svg("circle").with("class", class).at("cx", 5.5).at("cy", m.text - 0.5 + down).at("r", 4.0)
}
