//! Memory as a drawing: one element for each page, for its whole life.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::rc::Rc;

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use sim_core::ask::Subject;
use sim_core::view::PageNo;
use stage::{
    Badge, Edge, Fence, Form, Key, Label, MapArea, Mark, Note, Part, Pte, Reference, Ring, Scene, Span, Tile, number,
};
use web_sys::Element;

use super::things;
use crate::app::App;
use crate::dom::{Changes, List, Node, changes, style_property, watch};
use crate::link::Which;
use crate::questions::{lock_named, subject_of};
use crate::roam;
use crate::session::Side;
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
    watch(move || {
        app.shown.track();
        let looked = app.looked_page(which);
        let thing = app.looked.get();
        let Some(host) = host.get() else { return };
        painter.with_value(|painter| {
            let mut painter = painter.borrow_mut();
            let painter = painter.get_or_insert_with(|| Painter::new(&host));
            painter.cut(app.cut.get_untracked(), glide(app));
            app.with(|session| painter.paint(which, session.side(which), looked));
            things::mark(&host, thing.map(|(_, subject)| subject));
        });
    });
    let click = move |event: MouseEvent| {
        if let Some(page) = page_of(&event) {
            toggle(app, which, page);
        } else if let Some(subject) = app.subject_of_event(&event) {
            app.toggle_look(which, subject);
        }
    };
    let keys = move |event: KeyboardEvent| {
        let Some(page) = page_of(&event) else { return things::key(app, which, &event) };
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
    app.toggle_look(which, Subject::Page(page));
}

fn page_of(event: &web_sys::Event) -> Option<PageNo> {
    web::number_of(event, "data-page")
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
    lists: [List; LISTS],
    before: Rc<Scene>,
    /// The page that was looked at.
    looked: Option<PageNo>,
    /// The tile that the Tab key comes to.
    stop: Option<PageNo>,
}

/// What a drawing consists of, back to front.
const LISTS: usize = 12;
/// Where the tiles are among them.
const TILES: usize = 9;

impl Painter {
    fn new(host: &Element) -> Painter {
        let svg = Node::svg("svg").with("role", "group").create();
        // The host is an element and takes children.
        let _ = host.append_child(&svg);
        let lists = std::array::from_fn(|_| List::new(&svg));
        Painter { svg, lists, before: Rc::default(), looked: None, stop: None }
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

    fn paint(&mut self, which: Which, side: &Side, looked: Option<PageNo>) {
        let scene = &side.scene;
        let about = |key: Key| subject_of(&side.track, &side.view, key);
        self.resize(which, scene);
        let before = std::mem::replace(&mut self.before, scene.clone());
        let tiles = self.tiles(&before, looked);
        let (old, now, form) = (&*before, &**scene, scene.form);
        let titled = |scene: &Scene| -> Vec<Fence> {
            scene.fences.iter().filter(|fence| !fence.edge.title.is_empty()).cloned().collect()
        };
        let changed: [Changes; LISTS] = [
            changes(&old.fences, &now.fences, |fence| id(fence.key), &|fence| Node::part(&fence.part())),
            changes(&old.slots, &now.slots, |slot| id(slot.key), &|slot| Node::part(&slot.part())),
            changes(&old.map, &now.map, |area| id(area.key), &area),
            changes(&old.arrows, &now.arrows, |arrow| id(arrow.key), &|arrow| {
                Node::svg("g").children(arrow.parts().iter().map(Node::part))
            }),
            changes(&old.ptes, &now.ptes, |pte| id(pte.key), &|one| pte(one, about(one.key))),
            changes(&titled(old), &titled(now), |fence| id(fence.key), &|fence| edge(&fence.edge, about(fence.key))),
            changes(&old.labels, &now.labels, |label| id(label.key), &|one| label(one, about(one.key))),
            changes(&old.refs, &now.refs, |one| id(one.key), &|one| reference(one, form)),
            changes(&old.marks, &now.marks, |one| id(one.key), &|one| mark(one, form)),
            tiles,
            changes(&old.rings, &now.rings, |ring| id(ring.key), &ring),
            changes(&old.notes, &now.notes, |note| id(note.key), &note),
        ];
        for (list, changes) in self.lists.iter_mut().zip(changed) {
            list.show(changes);
        }
    }

    fn resize(&mut self, which: Which, scene: &Scene) {
        let set = |name, value: &str| self.svg.set_attribute(name, value).expect("the attribute's name is valid");
        set("aria-label", &format!("{}: {}", which.name(), scene.title));
        let before = &self.before;
        if before.form != scene.form {
            // The two drawings have no shape in common.
            self.before = Rc::default();
        } else if (before.width, before.height) == (scene.width, scene.height) {
            return;
        }
        let [w, h] = [scene.width, scene.height].map(number);
        set("class", if scene.form == Form::Wide { "stage wide" } else { "stage nar" });
        set("viewBox", &format!("0 0 {w} {h}"));
        set("width", &w);
        set("height", &h);
        // What a drawing that is a little too high for the window is made smaller by.
        style_property(&self.svg.unchecked_ref::<web_sys::SvgElement>().style(), "--h", &format!("{h}px"));
    }

    /// The tiles, with what the reader does with them.
    fn tiles(&mut self, before: &Scene, looked: Option<PageNo>) -> Changes {
        let scene = self.before.clone();
        let (old_stop, old_looked) = (self.stop, self.looked);
        if self.stop.is_none_or(|stop| scene.tile(stop).is_none()) {
            let first = scene.tiles.iter().find(|tile| tile.now).or(scene.tiles.first());
            self.stop = first.map(|tile| tile.page);
        }
        self.looked = looked;
        let stop = self.stop;
        let draw = |tile: &Tile| page(tile, stop == Some(tile.page), looked == Some(tile.page), scene.form);
        let mut changed = changes(&before.tiles, &scene.tiles, |tile| id(Key::Page(tile.page)), &draw);
        let touched = [old_stop, stop, old_looked, looked];
        for (tile, change) in scene.tiles.iter().zip(&mut changed) {
            if change.1.is_none() && touched.contains(&Some(tile.page)) {
                change.1 = Some(draw(tile));
            }
        }
        changed
    }

    /// Moves the focus to a tile.
    fn focus(&mut self, page: PageNo) {
        let element = |of: PageNo| self.lists[TILES].element(id(Key::Page(of)));
        let set = |element: Option<&Element>, value: &str| {
            if let Some(element) = element {
                element.set_attribute("tabindex", value).expect("the attribute's name is valid");
            }
        };
        set(self.stop.and_then(element), "-1");
        let next = element(page);
        set(next, "0");
        if let Some(next) = next {
            // Focus fails for no tile that is shown.
            let _ = next.unchecked_ref::<web_sys::SvgElement>().focus();
        }
        self.stop = Some(page);
    }
}

/// The number of a thing in its list.
fn id(key: Key) -> u64 {
    let (kind, rest) = match key {
        Key::Page(page) => (0, u64::from(page)),
        Key::Slot(cpu, kind, slot) => (1, u64::from(cpu) << 16 | (kind as u64) << 8 | u64::from(slot)),
        Key::Hand(cpu, cell) => (2, u64::from(cpu) << 16 | u64::from(cell)),
        Key::Head(zone, list) => (3, u64::from(zone) << 8 | u64::from(list)),
        Key::Pte(space, index) => (4, u64::from(space) << 32 | u64::from(index)),
        Key::Space(space) => (5, space.into()),
        Key::Cpu(cpu) => (6, cpu.into()),
        Key::Zone(zone) => (7, zone.into()),
        Key::Text(what, owner, line) => (8, u64::from(what) << 24 | u64::from(owner) << 16 | u64::from(line)),
        Key::Next => (9, 0),
        Key::Map(zone, list) => (10, u64::from(zone) << 8 | u64::from(list)),
        Key::Shelf(shelf) => (11, shelf.into()),
        Key::Cell(shelf, row, cell) => (12, u64::from(shelf) << 32 | u64::from(row) << 16 | u64::from(cell)),
    };
    kind << 48 | rest
}

fn parts(class: String, at: stage::Rect, parts: &[Part]) -> Node {
    Node::svg("g").with("class", class).placed(at.x, at.y).children(parts.iter().map(Node::part))
}

fn page(tile: &Tile, stop: bool, looked: bool, form: Form) -> Node {
    let picked = if looked { " picked" } else { "" };
    parts(format!("{}{picked}", tile.class()), tile.rect, &tile.parts(form))
        .with("role", "button")
        .with("tabindex", if stop { "0" } else { "-1" })
        .with("aria-haspopup", "dialog")
        .with("aria-expanded", if looked { "true" } else { "false" })
        .with("data-page", tile.page.to_string())
        .with("aria-label", tile.aria.clone())
}

fn reference(one: &Reference, form: Form) -> Node {
    parts("tile ref".into(), one.rect, &one.parts(form))
        .with("role", "img")
        .with("data-page", one.page.to_string())
        .with("aria-label", one.aria.clone())
}

fn mark(one: &Mark, form: Form) -> Node {
    parts(one.class(), one.rect, &one.parts(form)).with("role", "img").with("aria-label", one.aria.clone())
}

fn ring(ring: &Ring) -> Node {
    parts("tringg".into(), ring.rect, &ring.parts()).with("aria-hidden", "true")
}

fn pte(pte: &Pte, about: Option<Subject>) -> Node {
    let node = Node::svg("g").children(pte.parts().iter().map(Node::part));
    match about {
        Some(subject) => {
            let maps = if pte.label.is_empty() { "nothing there".to_string() } else { format!("maps {}", pte.label) };
            things::thing(node, pte.class(), subject, format!("{}, {maps}", subject.words()))
        }
        None => node.with("class", pte.class()).with("aria-hidden", "true"),
    }
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

fn label(label: &Label, about: Option<Subject>) -> Node {
    let node = Node::svg("text").at("x", label.x).at("y", label.y).text(label.text.clone());
    match about {
        Some(subject) => things::thing(node, label.class, subject, named(&label.text, subject)),
        None => node.with("class", label.class),
    }
}

// The name begins with what is to be seen of it.
fn named(text: &str, subject: Subject) -> String {
    let words = subject.words();
    if words.contains(text) { words } else { format!("{text}: {words}") }
}

/// Titles and badges are HTML, so that the browser measures their text.
fn foreign(at: stage::Rect, inside: Node) -> Node {
    let node = Node::svg("foreignObject").at("x", at.x).at("y", at.y).at("width", at.w).at("height", at.h);
    node.children([inside])
}

fn edge(edge: &Edge, about: Option<Subject>) -> Node {
    // Where there is no room for all of it.
    let whole: Vec<&str> = edge.title.iter().map(|span| span.text.as_str()).collect();
    let title = Node::html("span").with("class", "etitle").with("title", whole.join(" "));
    let title = title.children(edge.title.iter().map(span));
    let badges = edge.badges.iter().map(|one| badge(one, false, about));
    foreign(edge.rect, Node::html("div").with("class", "edge").children([title]).children(badges))
}

fn note(note: &Note) -> Node {
    let class = if note.align == stage::Align::End { "plab end" } else { "plab" };
    foreign(note.rect, Node::html("div").with("class", class).children([badge(&note.badge, true, page_lock(note.key))]))
}

fn page_lock(key: Key) -> Option<Subject> {
    let Key::Page(page) = key else { return None };
    Some(Subject::Lock(sim_core::machine::LockClass::Page, Some(page)))
}

fn badge(badge: &Badge, small: bool, about: Option<Subject>) -> Node {
    let lock = badge.padlock.map(|lock| {
        let sign = Node::svg("svg").with("class", "lk").with("viewBox", "0 0 12 12").with("aria-hidden", "true");
        sign.children([Node::svg("path").with("d", lock.shackle()), Node::part(&lock.body())])
    });
    let words = Node::html("span").children(badge.spans.iter().enumerate().map(|(i, one)| match i {
        0 => span(one),
        _ => Node::html(if one.bold { "b" } else { "span" }).text(format!(" {}", one.text)),
    }));
    // Of a shelf's lock the badge has the name; a badge without a padlock is of no lock.
    let about = badge.padlock.and_then(|_| about.or_else(|| lock_named(&badge.spans.first()?.text)));
    let node = Node::html("span").children(lock).children([words]);
    let said: Vec<&str> = badge.spans.iter().map(|span| span.text.as_str()).collect();
    match about {
        Some(subject) => things::thing(node, badge.class(small), subject, said.join(" ")),
        None => node.with("class", badge.class(small)),
    }
}

fn span(span: &Span) -> Node {
    Node::html(if span.bold { "b" } else { "span" }).text(span.text.clone())
}
