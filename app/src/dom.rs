//! Elements that change with every step, kept up to date by hand.
//!
//! A step changes a handful of the thousand elements of a drawing. A [`Node`] says what one element should be; a
//! [`Layer`] keeps a keyed list of them in the document and touches only those whose shape has changed. An element
//! stays the same element while its key is there, so that a change of its place is a movement and not a new element.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::Hash;

use leptos::prelude::document;
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
    /// Set as a style property, which a policy against inline styles allows and a style sheet can animate.
    place: Option<(f32, f32)>,
    text: Option<String>,
    children: Vec<Node>,
}

impl Node {
    /// An element of SVG.
    pub fn svg(tag: &'static str) -> Node {
        Node { tag, html: false, attributes: Vec::new(), place: None, text: None, children: Vec::new() }
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

    /// Moved to a place.
    pub fn placed(mut self, x: f32, y: f32) -> Node {
        self.place = Some((x, y));
        self
    }

    /// With a text.
    pub fn text(mut self, text: impl Into<String>) -> Node {
        self.text = Some(text.into());
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
        for (name, value) in &self.attributes {
            set(&element, name, value);
        }
        if let Some(place) = self.place {
            move_to(&element, place);
        }
        if let Some(text) = &self.text {
            element.set_text_content(Some(text));
        }
        for child in &self.children {
            append(&element, &child.create());
        }
        element
    }

    /// Brings an element that was `before` up to date.
    fn update(&self, before: &Node, element: &Element) {
        if self.attributes != before.attributes {
            self.update_attributes(before, element);
        }
        if let Some(place) = self.place
            && before.place != Some(place)
        {
            move_to(element, place);
        }
        if self.text != before.text {
            element.set_text_content(self.text.as_deref());
        }
        if self.children != before.children {
            self.update_children(before, element);
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
                (Some(there), Some(old)) if old.tag == child.tag => child.update(old, there),
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
    element.set_attribute(name, value).expect("the attribute's name is valid");
}

fn append(parent: &Element, child: &Element) {
    parent.append_child(child).expect("an element takes children");
}

fn move_to(element: &Element, (x, y): (f32, f32)) {
    let style = element.unchecked_ref::<web_sys::SvgElement>().style();
    style_property(&style, "transform", &format!("translate({}px,{}px)", number(x), number(y)));
}

/// Sets a style property.
pub fn style_property(style: &web_sys::CssStyleDeclaration, name: &str, value: &str) {
    // Only a sheet that cannot be changed refuses.
    let _ = style.set_property(name, value);
}

struct Item<K, T> {
    key: K,
    shape: T,
    node: Node,
    element: Element,
}

/// A keyed list of shapes in the document.
pub struct Layer<K, T> {
    root: Element,
    items: Vec<Item<K, T>>,
}

impl<K: Copy + Eq + Hash, T: Clone + PartialEq> Layer<K, T> {
    /// An empty layer at the end of an element.
    pub fn new(parent: &Element, class: &'static str) -> Layer<K, T> {
        let root = Node::svg("g").with("class", class).create();
        append(parent, &root);
        Layer { root, items: Vec::new() }
    }

    /// The element of a key.
    pub fn element(&self, key: K) -> Option<&Element> {
        self.items.iter().find(|item| item.key == key).map(|item| &item.element)
    }

    /// Shows these shapes.
    pub fn show(&mut self, shapes: Vec<(K, T)>, draw: impl Fn(&T) -> Node) {
        let same =
            shapes.len() == self.items.len() && shapes.iter().zip(&self.items).all(|(new, old)| new.0 == old.key);
        if same {
            for (item, (_, shape)) in self.items.iter_mut().zip(shapes) {
                item.show(shape, &draw);
            }
        } else {
            self.rebuild(shapes, &draw);
        }
    }

    fn rebuild(&mut self, shapes: Vec<(K, T)>, draw: &impl Fn(&T) -> Node) {
        let mut known: HashMap<K, Item<K, T>> = self.items.drain(..).map(|item| (item.key, item)).collect();
        for (key, shape) in shapes {
            let item = match known.remove(&key) {
                Some(mut item) => {
                    item.show(shape, draw);
                    item
                }
                None => {
                    let node = draw(&shape);
                    Item { key, shape, element: node.create(), node }
                }
            };
            self.items.push(item);
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
                self.root.insert_before(&item.element, next).expect("the next element is in this layer");
            }
            next = Some(&item.element);
        }
    }
}

impl<K, T: PartialEq> Item<K, T> {
    fn show(&mut self, shape: T, draw: &impl Fn(&T) -> Node) {
        if shape == self.shape {
            return;
        }
        let node = draw(&shape);
        node.update(&self.node, &self.element);
        self.node = node;
        self.shape = shape;
    }
}
