//! Memory as a drawing: one element for each page, for its whole life.

use std::cell::RefCell;
use std::fmt::Write as _;

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use sim_core::view::PageNo;
use stage::{
    Arrow, Badge, Edge, Fence, Form, Key, Label, MapArea, Note, Part, Pte, Reference, Ring, Scene, Slot, Span, Tile,
    number,
};
use web_sys::Element;

use crate::app::App;
use crate::dom::{Layer, Node, style_property};
use crate::link::Which;
use crate::roam;
use crate::web;

/// A tile's glide is at most this part of the time between two steps, in percent.
const GLIDE: u32 = 60;
/// A tile's glide where the reader steps, in milliseconds.
const MOVE: u32 = 220;

/// The memory of one side.
#[component]
pub fn Stage(which: Which) -> impl IntoView {
    let app = App::get();
    let host = NodeRef::<html::Div>::new();
    let painter = StoredValue::new_local(RefCell::new(None::<Painter>));
    Effect::new(move |_| {
        app.shown.track();
        let looked = app.looked.get().filter(|(side, _)| *side == which).map(|(_, page)| page);
        let Some(host) = host.get() else { return };
        painter.with_value(|painter| {
            let mut painter = painter.borrow_mut();
            let painter = painter.get_or_insert_with(|| Painter::new(&host));
            painter.cut(app.cut.get_untracked(), glide(app));
            app.with(|session| painter.paint(which, &session.side(which).scene, looked));
        });
    });
    let click = move |event: MouseEvent| {
        if let Some(page) = page_of(&event) {
            toggle(app, which, page);
        }
    };
    let keys = move |event: KeyboardEvent| {
        let Some(page) = page_of(&event) else { return };
        match event.key().as_str() {
            "Enter" | " " => toggle(app, which, page),
            // After a click the arrows go on stepping; who came here by Tab goes from page to page.
            key if is_keyboard_focus(&event) => {
                let Some(direction) = roam::direction(key) else { return };
                let next = app.with(|session| roam::neighbour(&session.side(which).scene.tiles, page, direction));
                painter.with_value(|painter| {
                    if let (Some(painter), Some(next)) = (&mut *painter.borrow_mut(), next) {
                        painter.focus(next);
                    }
                });
            }
            _ => return,
        }
        event.prevent_default();
    };
    view! { <div node_ref=host on:click=click on:keydown=keys></div> }
}

fn toggle(app: App, which: Which, page: PageNo) {
    app.looked.update(|looked| *looked = if *looked == Some((which, page)) { None } else { Some((which, page)) });
}

fn page_of(event: &web_sys::Event) -> Option<PageNo> {
    web::closest(event, "[data-page]")?.get_attribute("data-page")?.parse().ok()
}

fn is_keyboard_focus(event: &web_sys::Event) -> bool {
    web::target(event).is_some_and(|target| target.matches(":focus-visible").unwrap_or(false))
}

/// How long a tile glides, where that is not the usual time.
fn glide(app: App) -> Option<u32> {
    let fast = app.playing.get_untracked() && !app.still.get_untracked();
    fast.then(|| (1000 * GLIDE / 100 / app.speed.get_untracked()).min(MOVE))
}

/// Keeps the drawing of one side up to date.
struct Painter {
    svg: Element,
    fences: Layer<Key, Fence>,
    slots: Layer<Key, Slot>,
    areas: Layer<Key, MapArea>,
    arrows: Layer<(Key, usize), Arrow>,
    ptes: Layer<Key, Pte>,
    edges: Layer<Key, Edge>,
    labels: Layer<Key, Label>,
    refs: Layer<Key, Reference>,
    tiles: Layer<Key, (Tile, Look)>,
    rings: Layer<Key, Ring>,
    notes: Layer<Key, Note>,
    shape: (Form, f32, f32),
    /// The tile that the Tab key comes to.
    stop: Option<PageNo>,
}

/// What the reader does with a tile.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Look {
    /// The Tab key comes to it.
    stop: bool,
    /// It is looked at.
    picked: bool,
}

impl Painter {
    fn new(host: &Element) -> Painter {
        let svg = Node::svg("svg").with("role", "group").create();
        // The host is an element and takes children.
        let _ = host.append_child(&svg);
        Painter {
            fences: Layer::new(&svg, "fences"),
            slots: Layer::new(&svg, ""),
            areas: Layer::new(&svg, ""),
            arrows: Layer::new(&svg, ""),
            ptes: Layer::new(&svg, ""),
            edges: Layer::new(&svg, ""),
            labels: Layer::new(&svg, ""),
            refs: Layer::new(&svg, ""),
            tiles: Layer::new(&svg, ""),
            rings: Layer::new(&svg, ""),
            notes: Layer::new(&svg, ""),
            svg,
            shape: Default::default(),
            stop: None,
        }
    }

    /// Whether the next change is a cut, and how long tiles glide.
    fn cut(&self, cut: bool, glide: Option<u32>) {
        // The attribute's name is valid.
        let _ = self.svg.toggle_attribute_with_force("data-cut", cut);
        let style = self.svg.unchecked_ref::<web_sys::SvgElement>().style();
        match glide.filter(|_| !cut) {
            Some(glide) => style_property(&style, "--move", &format!("{glide}ms")),
            None => _ = style.remove_property("--move"),
        }
    }

    fn paint(&mut self, which: Which, scene: &Scene, looked: Option<PageNo>) {
        self.resize(which, scene);
        let form = scene.form;
        self.fences.show(keyed(&scene.fences, |fence| fence.key), |fence| Node::part(&fence.part()));
        self.slots.show(keyed(&scene.slots, |slot| slot.key), |slot| Node::part(&slot.part()));
        self.areas.show(keyed(&scene.map, |area| area.key), area);
        let arrows = scene.arrows.iter().enumerate().map(|(i, arrow)| ((arrow.key, i), arrow.clone())).collect();
        self.arrows.show(arrows, |arrow| Node::svg("g").children(arrow.parts().iter().map(Node::part)));
        self.ptes.show(keyed(&scene.ptes, |pte| pte.key), pte);
        let titled = scene.fences.iter().filter(|fence| !fence.edge.title.is_empty());
        self.edges.show(titled.map(|fence| (fence.key, fence.edge.clone())).collect(), edge);
        self.labels.show(keyed(&scene.labels, |label| label.key), label);
        self.refs.show(keyed(&scene.refs, |one| one.key), |one| reference(one, form));
        self.show_tiles(scene, looked);
        self.rings.show(keyed(&scene.rings, |ring| ring.key), ring);
        self.notes.show(keyed(&scene.notes, |note| note.key), note);
    }

    fn resize(&mut self, which: Which, scene: &Scene) {
        let label = format!("{}: {}", which.name(), scene.title);
        let shape = (scene.form, scene.width, scene.height);
        let set = |name, value: &str| self.svg.set_attribute(name, value).expect("the attribute's name is valid");
        set("aria-label", &label);
        if self.shape == shape {
            return;
        }
        let [w, h] = [scene.width, scene.height].map(number);
        set("class", if scene.form == Form::Wide { "stage wide" } else { "stage nar" });
        set("viewBox", &format!("0 0 {w} {h}"));
        set("width", &w);
        set("height", &h);
        self.shape = shape;
    }

    fn show_tiles(&mut self, scene: &Scene, looked: Option<PageNo>) {
        if self.stop.is_none_or(|stop| scene.tile(stop).is_none()) {
            let first = scene.tiles.iter().find(|tile| tile.now).or(scene.tiles.first());
            self.stop = first.map(|tile| tile.page);
        }
        let stop = self.stop;
        let look = |tile: &Tile| Look { stop: stop == Some(tile.page), picked: looked == Some(tile.page) };
        let tiles = scene.tiles.iter().map(|tile| (Key::Page(tile.page), (tile.clone(), look(tile)))).collect();
        let form = scene.form;
        self.tiles.show(tiles, |(tile, look)| page(tile, *look, form));
    }

    /// Moves the focus to a tile.
    fn focus(&mut self, page: PageNo) {
        let element = |of: PageNo| self.tiles.element(Key::Page(of));
        let set = |element: Option<&Element>, value: &str| {
            if let Some(element) = element {
                element.set_attribute("tabindex", value).expect("the attribute's name is valid");
            }
        };
        if let Some(stop) = self.stop {
            set(element(stop), "-1");
        }
        let next = element(page);
        set(next, "0");
        if let Some(next) = next {
            // Focus fails for no tile that is shown.
            let _ = next.unchecked_ref::<web_sys::SvgElement>().focus();
        }
        self.stop = Some(page);
    }
}

fn keyed<T: Clone>(shapes: &[T], key: impl Fn(&T) -> Key) -> Vec<(Key, T)> {
    shapes.iter().map(|shape| (key(shape), shape.clone())).collect()
}

fn parts(class: String, at: stage::Rect, parts: &[Part]) -> Node {
    Node::svg("g").with("class", class).placed(at.x, at.y).children(parts.iter().map(Node::part))
}

fn page(tile: &Tile, look: Look, form: Form) -> Node {
    let picked = if look.picked { " picked" } else { "" };
    parts(format!("{}{picked}", tile.class()), tile.rect, &tile.parts(form))
        .with("role", "button")
        .with("tabindex", if look.stop { "0" } else { "-1" })
        .with("aria-haspopup", "dialog")
        .with("aria-expanded", if look.picked { "true" } else { "false" })
        .with("data-page", tile.page.to_string())
        .with("aria-label", tile.aria.clone())
}

fn reference(one: &Reference, form: Form) -> Node {
    parts("tile ref".into(), one.rect, &one.parts(form))
        .with("role", "img")
        .with("data-page", one.page.to_string())
        .with("aria-label", one.aria.clone())
}

fn ring(ring: &Ring) -> Node {
    parts("tringg".into(), ring.rect, &ring.parts()).with("aria-hidden", "true")
}

fn pte(pte: &Pte) -> Node {
    Node::svg("g").with("class", pte.class()).with("aria-hidden", "true").children(pte.parts().iter().map(Node::part))
}

/// A list that is too long for tiles: its squares are one path.
fn area(area: &MapArea) -> Node {
    let mut d = String::with_capacity(24 * area.squares() as usize);
    for i in 0..area.squares() {
        let square = area.square(i);
        let [x, y, w, h] = [square.x, square.y, square.w, square.h].map(number);
        // Writing to a string cannot fail.
        let _ = write!(d, "M{x} {y}h{w}v{h}h-{w}z");
    }
    Node::svg("path").with("class", area.class()).with("d", d)
}

fn label(label: &Label) -> Node {
    Node::svg("text").with("class", label.class).at("x", label.x).at("y", label.y).text(label.text.clone())
}

/// Titles and badges are HTML, so that the browser measures their text.
fn foreign(at: stage::Rect, inside: Node) -> Node {
    let node = Node::svg("foreignObject").at("x", at.x).at("y", at.y).at("width", at.w).at("height", at.h);
    node.children([inside])
}

fn edge(edge: &Edge) -> Node {
    let title = Node::html("span").with("class", "etitle").children(edge.title.iter().map(|one| span(one)));
    let badges = edge.badges.iter().map(|one| badge(one, false));
    foreign(edge.rect, Node::html("div").with("class", "edge").children([title]).children(badges))
}

fn note(note: &Note) -> Node {
    let class = if note.align == stage::Align::End { "plab end" } else { "plab" };
    foreign(note.rect, Node::html("div").with("class", class).children([badge(&note.badge, true)]))
}

fn badge(badge: &Badge, small: bool) -> Node {
    let lock = badge.padlock.map(|lock| {
        let sign = Node::svg("svg").with("class", "lk").with("viewBox", "0 0 12 12").with("aria-hidden", "true");
        sign.children([Node::svg("path").with("d", lock.shackle()), Node::part(&lock.body())])
    });
    let words = Node::html("span").children(badge.spans.iter().enumerate().map(|(i, one)| {
        let node = span(one);
        if i > 0 { node.with("class", "sp") } else { node }
    }));
    Node::html("span").with("class", badge.class(small)).children(lock).children([words])
}

fn span(span: &Span) -> Node {
    Node::html(if span.bold { "b" } else { "span" }).text(span.text.clone())
}
