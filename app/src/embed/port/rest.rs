//! Whether anybody sees the page, and how high it would like to be.

use std::cell::Cell;

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::wasm_bindgen::prelude::*;
use web_sys::{HtmlElement, IntersectionObserver, IntersectionObserverEntry, ResizeObserver};

use crate::app::App;

/// Lets the page rest while it is scrolled out of sight or in a tab behind others.
pub fn watch_sight(app: App) {
    let scrolled = RwSignal::new(false);
    let hidden = RwSignal::new(document().hidden());
    crate::dom::watch(move || app.resting.set(scrolled.get() || hidden.get()));
    document_listener("visibilitychange", move || hidden.set(document().hidden()));
    let seen = Closure::<dyn Fn(js_sys::Array)>::new(move |entries: js_sys::Array| {
        if let Ok(entry) = entries.at(-1).dyn_into::<IntersectionObserverEntry>() {
            scrolled.set(!entry.is_intersecting());
        }
    });
    // Without a root of its own, it looks out of the frame at what is on the screen.
    let observer = IntersectionObserver::new(seen.into_js_value().unchecked_ref());
    if let (Ok(observer), Some(root)) = (observer, document().document_element()) {
        observer.observe(&root);
    }
}

fn document_listener(name: &str, react: impl Fn() + 'static) {
    let react = Closure::<dyn Fn()>::new(react);
    // Lives as long as the page. Listening fails for no event.
    let _ = document().add_event_listener_with_callback(name, react.into_js_value().unchecked_ref());
}

/// Tells the height that the page needs, in CSS pixels, now and whenever it changes.
pub fn watch_height(tell: impl Fn(u32) + 'static) {
    let Some(app) = document().get_element_by_id("app") else { return };
    let parts = move || {
        let children = app.children();
        let parts = (0..children.length()).filter_map(move |i| children.item(i)?.dyn_into::<HtmlElement>().ok());
        // What is said and not shown lies over the rest.
        parts.filter(|part| !part.class_list().contains("sr"))
    };
    let told = Cell::new(0);
    let observed = parts.clone();
    let changed = Closure::<dyn Fn()>::new(move || {
        let height = parts().map(|part| u32::try_from(part.offset_height()).unwrap_or(0)).sum();
        if told.replace(height) != height {
            tell(height);
        }
    });
    if let Ok(observer) = ResizeObserver::new(changed.into_js_value().unchecked_ref()) {
        observed().for_each(|part| observer.observe(&part));
    }
}
