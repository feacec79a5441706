//! Parts of a drawing that are no pages and can be looked at all the same: locks, lists, PTEs. They are one stop of the
//! Tab key; the arrow keys go from one to the next.

use leptos::ev::KeyboardEvent;
use leptos::wasm_bindgen::JsCast;
use sim_core::ask::Subject;
use web_sys::Element;

use crate::app::App;
use crate::dom::Node;
use crate::link::Which;
use crate::web;

/// A part that can be looked at.
pub fn thing(node: Node, class: impl Into<String>, subject: Subject, said: String) -> Node {
    node.with("class", format!("{} thing", class.into()))
        .with("role", "button")
        .with("tabindex", "-1")
        .with("aria-haspopup", "dialog")
        .with("data-subject", subject.to_string())
        .with("aria-label", said)
}

fn all(host: &Element) -> Vec<Element> {
    let things = host.get_elements_by_class_name("thing");
    (0..things.length()).filter_map(|at| things.item(at)).collect()
}

/// Marks what is looked at, and leaves one stop for the Tab key.
pub fn mark(host: &Element, looked: Option<Subject>) {
    let find = |selector: &str| host.query_selector(selector).ok().flatten();
    let looked = looked.map(|subject| format!(".thing[data-subject=\"{subject}\"]")).and_then(|looked| find(&looked));
    let pick = |element: &Element, on: bool| {
        // The class is one word.
        let _ = element.class_list().toggle_with_force("picked", on);
    };
    if let Some(before) = find(".thing.picked").filter(|before| Some(before) != looked.as_ref()) {
        pick(&before, false);
    }
    if let Some(looked) = &looked {
        pick(looked, true);
    }
    if find(".thing[tabindex=\"0\"]").is_none()
        && let Some(first) = find(".thing")
    {
        // The attribute's name is valid.
        let _ = first.set_attribute("tabindex", "0");
    }
}

/// What a key does on a part that has the focus.
pub fn key(app: App, which: Which, event: &KeyboardEvent) {
    let Some(here) = web::closest(event, ".thing") else { return };
    let by = match event.key().as_str() {
        "Enter" | " " => {
            event.prevent_default();
            if let Some(subject) = app.subject_of_event(event) {
                app.toggle_look(which, subject);
            }
            return;
        }
        "ArrowRight" | "ArrowDown" => 1,
        "ArrowLeft" | "ArrowUp" => -1,
        _ => return,
    };
    // After a click the arrows go on stepping.
    if !here.matches(":focus-visible").unwrap_or(false) {
        return;
    }
    event.prevent_default();
    let Some(all) = here.closest("svg.stage").ok().flatten().map(|svg| all(&svg)) else { return };
    let at = all.iter().position(|one| *one == here).unwrap_or(0);
    let Some(next) = at.checked_add_signed(by).and_then(|at| all.get(at)) else { return };
    // The attribute's name is valid, and focus fails for no part that is shown.
    let _ = here.set_attribute("tabindex", "-1");
    let _ = next.set_attribute("tabindex", "0");
    let _ = next.unchecked_ref::<web_sys::SvgElement>().focus();
}
