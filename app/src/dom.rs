//! Elements that change with every step, kept up to date by hand.
//!
//! A step changes a handful of the thousand elements of a drawing. A [`Node`] says what one element should be, and is
//! compared with what it was; only what is different is touched. A [`List`] keeps numbered elements, such as the tiles
//! of pages; [`live`] is a part of the page that is said anew for each picture.

use std::borrow::Cow;
use std::collections::HashMap;

use leptos::html;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use stage::{Part, number};
use web_sys::Element;

const SVG: &str = "http://www.w3.org/2000/svg";
const HTML: &str = "http://www.w3.org/1999/xhtml";

/// What an element should be.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    tag: &'static str,
    html: bool,
    attributes: Vec<(&'static str, Cow<'static, str>)>,
    /// Set one by one, which a policy against inline styles allows.
    styles: Vec<(&'static str, String)>,
    text: Option<String>,
    children: Vec<Node>,
    key: &'static str,
}

impl Node {
    /// An element of SVG.
    pub fn svg(tag: &'static str) -> Node {
        Node { tag, html: false, attributes: Vec::new(), styles: Vec::new(), text: None, children: Vec::new(), key: "" }
    }

    /// An element of HTML.
    pub fn html(tag: &'static str) -> Node {
        Node { html: true, ..Node::svg(tag) }
    }

    /// With an attribute; an empty class is left out.
    pub fn with(mut self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Node {
        let value = value.into();
        if name != "class" || !value.is_empty() {
            self.attributes.push((name, value));
        }
        self
    }

    /// With a number as an attribute.
    pub fn at(self, name: &'static str, value: f32) -> Node {
        self.with(name, number(value))
    }

    /// With a class.
    pub fn class(self, class: impl Into<Cow<'static, str>>) -> Node {
        self.with("class", class)
    }

    /// With an attribute, where `on`.
    pub fn with_if(self, on: bool, name: &'static str, value: &'static str) -> Node {
        if on { self.with(name, value) } else { self }
    }

    /// With a style property.
    pub fn style(mut self, name: &'static str, value: String) -> Node {
        self.styles.push((name, value));
        self
    }

    /// Moved to a place, in a way that a style sheet can animate.
    pub fn placed(self, x: f32, y: f32) -> Node {
        self.style("transform", format!("translate({}px,{}px)", number(x), number(y)))
    }

    /// With a text.
    pub fn text(mut self, text: impl Into<String>) -> Node {
        self.text = Some(text.into());
        self
    }

    /// Another element for each key, where it would else be kept and changed.
    pub fn key(mut self, key: &'static str) -> Node {
        self.key = key;
        self
    }

    /// With elements inside.
    pub fn children(mut self, children: impl IntoIterator<Item = Node>) -> Node {
        self.children.extend(children);
        self
    }

    /// One of the primitives of a drawing.
    pub fn part(part: &Part) -> Node {
        match part {
            Part::Rect { class, rect, rx } => {
                let node = Node::svg("rect").with("class", *class).at("x", rect.x).at("y", rect.y);
                node.at("width", rect.w).at("height", rect.h).at("rx", *rx)
            }
            // The line grows by its dash, which is as long as the path.
            Part::Path { class, d } if class.starts_with("nowline") => {
                Node::svg("path").with("class", *class).with("pathLength", "1").with("d", d.clone())
            }
            Part::Path { class, d } => Node::svg("path").with("class", *class).with("d", d.clone()),
            Part::Dot { class, cx, cy, r } => {
                Node::svg("circle").with("class", *class).at("cx", *cx).at("cy", *cy).at("r", *r)
            }
            Part::Text { class, x, y, text } => {
                Node::svg("text").with("class", *class).at("x", *x).at("y", *y).text(text.clone())
            }
        }
    }

    /// Makes the element.
    pub fn create(&self) -> Element {
        let namespace = if self.html { HTML } else { SVG };
        let element = document().create_element_ns(Some(namespace), self.tag).expect("the tag is a valid name");
        if let Some(text) = &self.text {
            element.set_text_content(Some(text));
        }
        for child in &self.children {
            append(&element, &child.create());
        }
        for (name, value) in &self.attributes {
            set(&element, name, value);
        }
        for (name, value) in &self.styles {
            style(&element, name, value);
        }
        element
    }

    /// Whether the element of `before` can become this one.
    fn continues(&self, before: &Node) -> bool {
        (before.tag, before.html, before.key) == (self.tag, self.html, self.key)
    }

    /// Brings an element that was `before` up to date.
    fn update(&self, before: &Node, element: &Element) {
        for (i, (name, value)) in self.styles.iter().enumerate() {
            if before.styles.get(i).is_none_or(|old| old.1 != *value) {
                style(element, name, value);
            }
        }
        if self.text != before.text {
            element.set_text_content(self.text.as_deref());
        }
        if self.children != before.children {
            self.update_children(before, element);
        }
        if self.attributes != before.attributes {
            self.update_attributes(before, element);
        }
    }

    fn update_attributes(&self, before: &Node, element: &Element) {
        let same_names = self.attributes.len() == before.attributes.len()
            && self.attributes.iter().zip(&before.attributes).all(|(new, old)| new.0 == old.0);
        if !same_names {
            for (name, _) in
                before.attributes.iter().filter(|(name, _)| self.attributes.iter().all(|new| new.0 != *name))
            {
                // Fails for no element.
                let _ = element.remove_attribute(name);
            }
        }
        for (i, (name, value)) in self.attributes.iter().enumerate() {
            if !same_names || before.attributes[i].1 != *value {
                set(element, name, value);
            }
        }
    }

    fn update_children(&self, before: &Node, element: &Element) {
        let present = element.children();
        let elements: Vec<Element> = (0..present.length()).filter_map(|i| present.item(i)).collect();
        for (i, child) in self.children.iter().enumerate() {
            match (elements.get(i), before.children.get(i)) {
                (Some(there), Some(old)) if child.continues(old) => child.update(old, there),
                (Some(there), _) => {
                    // The element is a child of this one.
                    let _ = element.replace_child(&child.create(), there);
                }
                (None, _) => append(element, &child.create()),
            }
        }
        elements.iter().skip(self.children.len()).for_each(Element::remove);
    }
}

fn set(element: &Element, name: &str, value: &str) {
    match element.dyn_ref::<web_sys::HtmlSelectElement>() {
        // A choice has no such attribute, and what the reader chose goes before the options' own.
        Some(select) if name == "value" => select.set_value(value),
        _ => element.set_attribute(name, value).expect("the attribute's name is valid"),
    }
}

fn append(parent: &Element, child: &Element) {
    parent.append_child(child).expect("an element takes children");
}

fn style(element: &Element, name: &str, value: &str) {
    // An element of HTML has the same property.
    style_property(&element.unchecked_ref::<web_sys::SvgElement>().style(), name, value);
}

/// Sets a style property.
pub fn style_property(style: &web_sys::CssStyleDeclaration, name: &str, value: &str) {
    // Only a sheet that cannot be changed refuses.
    let _ = style.set_property(name, value);
}

/// What a list should hold, in order: the number of each element, and what it should be where that has changed.
pub type Changes = Vec<(u64, Option<Node>)>;

/// Compares the shapes of a drawing with those before.
pub fn changes<T: PartialEq>(before: &[T], now: &[T], number: fn(&T) -> u64, draw: &dyn Fn(&T) -> Node) -> Changes {
    let change = |(i, shape): (usize, &T)| {
        let key = number(shape);
        let has_it = |old: &&T| number(old) == key;
        let old = before.get(i).filter(has_it).or_else(|| before.iter().find(has_it));
        (key, (old != Some(shape)).then(|| draw(shape)))
    };
    now.iter().enumerate().map(change).collect()
}

struct Item {
    key: u64,
    node: Node,
    element: Element,
}

/// Elements in the document, each with a number that stays the same for the same thing. An element is the same one as
/// long as its number is there, so that a change of its place is a movement.
pub struct List {
    root: Element,
    items: Vec<Item>,
}

impl List {
    /// An empty list at the end of an element.
    pub fn new(parent: &Element) -> List {
        let root = Node::svg("g").create();
        append(parent, &root);
        List { root, items: Vec::new() }
    }

    /// The element with a number.
    pub fn element(&self, key: u64) -> Option<&Element> {
        self.items.iter().find(|item| item.key == key).map(|item| &item.element)
    }

    /// Brings the elements up to date.
    pub fn show(&mut self, changes: Changes) {
        let same =
            changes.len() == self.items.len() && changes.iter().zip(&self.items).all(|(new, old)| new.0 == old.key);
        if same {
            for (item, (_, node)) in self.items.iter_mut().zip(changes) {
                item.show(node);
            }
        } else {
            self.rebuild(changes);
        }
    }

    fn rebuild(&mut self, changes: Changes) {
        let mut known: HashMap<u64, Item> = self.items.drain(..).map(|item| (item.key, item)).collect();
        for (key, node) in changes {
            match (known.remove(&key), node) {
                (Some(mut item), node) => {
                    item.show(node);
                    self.items.push(item);
                }
                (None, Some(node)) => self.items.push(Item { key, element: node.create(), node }),
                (None, None) => {}
            }
        }
        known.into_values().for_each(|item| item.element.remove());
        self.put_in_order();
    }

    // From the last to the first: an element that stands where it should is not touched, since taking it out would end
    // its movement.
    fn put_in_order(&self) {
        let mut next: Option<&web_sys::Node> = None;
        for item in self.items.iter().rev() {
            let placed = item.element.parent_node().is_some() && item.element.next_sibling().as_ref() == next;
            if !placed {
                self.root.insert_before(&item.element, next).expect("the next element is in this list");
            }
            next = Some(&item.element);
        }
    }
}

impl Item {
    fn show(&mut self, node: Option<Node>) {
        if let Some(node) = node {
            node.update(&self.node, &self.element);
            self.node = node;
        }
    }
}

/// Does something now, and again whenever a signal that it reads has changed.
pub fn watch(react: impl Fn() + 'static) {
    watch_boxed(Box::new(react));
}

// One effect for all: each kind of closure would bring its own copy of the machinery.
fn watch_boxed(react: Box<dyn Fn()>) {
    Effect::new(move |_| react());
}

/// A part of the page that follows the runs: what it should be is said anew for each picture, and only what is
/// different is touched. Signals that `draw` reads bring it up to date as well.
pub fn live(draw: impl Fn() -> Node + 'static) -> AnyView {
    live_boxed(Box::new(draw))
}

// One function for all of them: a view for each would be the greater part of the program.
fn live_boxed(draw: Box<dyn Fn() -> Node>) -> AnyView {
    let host = NodeRef::<html::Div>::new();
    let shown = StoredValue::new_local(None::<(Node, Element)>);
    watch(move || {
        let Some(host) = host.get() else { return };
        let node = draw();
        shown.update_value(|shown| {
            let element = match shown.take() {
                Some((before, element)) if node.continues(&before) => {
                    node.update(&before, &element);
                    element
                }
                before => {
                    if let Some((_, old)) = before {
                        old.remove();
                    }
                    let element = node.create();
                    append(&host, &element);
                    element
                }
            };
            *shown = Some((node, element));
        });
    });
    // A view that takes this one's place may go on with the same host.
    on_cleanup(move || {
        if let Some(Some((_, element))) = shown.try_update_value(Option::take) {
            element.remove();
        }
    });
    view! { <div class="live" node_ref=host></div> }.into_any()
}
