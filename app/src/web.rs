//! The few things of the browser that the page uses outside its views.

use std::cell::Cell;

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::wasm_bindgen::prelude::*;

use crate::link::Pair;

const SETTINGS: &str = "mmscope.settings";
const LAST: &str = "mmscope.last";

#[wasm_bindgen]
extern "C" {
    /// Shows that the program has stopped on an error of its own (assets/boot.js).
    #[wasm_bindgen(js_name = mmscopePanic, catch)]
    fn show_panic(message: &str) -> Result<(), JsValue>;
}

/// Panics show in the page, and in the console with their place.
pub fn report_panics() {
    std::panic::set_hook(Box::new(|info| {
        // Without the boot script there is only the console.
        if show_panic(&info.to_string()).is_err() {
            leptos::logging::error!("{info}");
        }
    }));
}

/// Milliseconds since the page was opened.
pub fn now() -> f64 {
    window().performance().map_or(0.0, |clock| clock.now())
}

/// Entries of the browser's timeline after which the old ones are dropped: it keeps them for ever.
const MEASURES: u32 = 10_000;

thread_local! {
    static MEASURED: Cell<u32> = const { Cell::new(0) };
    static EMBEDDED: Cell<bool> = const { Cell::new(false) };
}

/// Notes how long something took, for `performance.getEntriesByName`.
pub fn measure(name: &str, start: f64) {
    let Some(clock) = window().performance() else { return };
    let measured = MEASURED.get() + 1;
    MEASURED.set(measured % MEASURES);
    if measured == MEASURES {
        clock.clear_measures_with_measure_name(name);
    }
    let options = object(&[("start", start.into()), ("end", clock.now().into())]);
    if let Ok(function) = js_sys::Reflect::get(&clock, &"measure".into())
        && let Some(function) = function.dyn_ref::<js_sys::Function>()
    {
        // A browser without the options form of measure() has no use for it either.
        let _ = function.call2(&clock, &name.into(), &options);
    }
}

/// An object with these members.
pub fn object(members: &[(&str, JsValue)]) -> JsValue {
    let object = js_sys::Object::new();
    for (name, value) in members {
        // Setting a member of a plain object does not fail.
        let _ = js_sys::Reflect::set(&object, &(*name).into(), value);
    }
    object.into()
}

/// Dispatches an event on the document.
pub fn dispatch(name: &str, detail: &JsValue) {
    let init = web_sys::CustomEventInit::new();
    init.set_detail(detail);
    if let Ok(event) = web_sys::CustomEvent::new_with_event_init_dict(name, &init) {
        // False only says that a listener prevented the default, of which there is none.
        let _ = document().dispatch_event(&event);
    }
}

/// Where both sides are, as events tell it.
pub fn places(at: Pair, ends: Pair) -> JsValue {
    let place = |step: u32, steps: u32| object(&[("step", step.into()), ("steps", steps.into())]);
    object(&[("old", place(at.old, ends.old)), ("new", place(at.new, ends.new))])
}

/// In a frame of another page nothing is read from or written to what outlives it: the address, history, storage.
pub fn be_embedded(embedded: bool) {
    EMBEDDED.set(embedded);
}

/// The line of settings that the browser keeps, where it lets us read it.
pub fn stored_settings() -> Option<String> {
    if EMBEDDED.get() {
        return None;
    }
    window().local_storage().ok()??.get_item(SETTINGS).ok()?
}

/// Keeps the line of settings, where the browser lets us.
pub fn store_settings(line: &str) {
    if EMBEDDED.get() {
        return;
    }
    if let Ok(Some(storage)) = window().local_storage() {
        // A browser that keeps nothing is a choice of its owner.
        let _ = storage.set_item(SETTINGS, line);
    }
}

/// The hash of the address, with its `#`.
pub fn hash() -> String {
    window().location().hash().unwrap_or_default()
}

/// Replaces the hash without an entry in the history, where the browser lets us.
pub fn replace_hash(hash: &str) {
    if EMBEDDED.get() {
        return;
    }
    if let Ok(history) = window().history() {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(hash));
    }
}

/// The query of the address, with its `?`.
pub fn query() -> String {
    window().location().search().unwrap_or_default()
}

/// The address without what follows the path.
pub fn base() -> String {
    let href = window().location().href().unwrap_or_default();
    href.split(['#', '?']).next().unwrap_or_default().to_string()
}

/// Sets an attribute of `<html>`, or takes it away.
pub fn root_attribute(name: &str, value: Option<&str>) {
    let Some(root) = document().document_element() else { return };
    // The names and values are ours and valid.
    let _ = match value {
        Some(value) => root.set_attribute(name, value),
        None => root.remove_attribute(name),
    };
}

/// A media query that is kept up to date in a signal.
pub fn media(query: &str) -> RwSignal<bool> {
    let Some(list) = window().match_media(query).ok().flatten() else { return RwSignal::new(false) };
    let matches = RwSignal::new(list.matches());
    let changed = Closure::<dyn Fn(web_sys::MediaQueryListEvent)>::new(move |event: web_sys::MediaQueryListEvent| {
        let _ = matches.try_set(event.matches());
    });
    // Lives as long as the page.
    let _ = list.add_event_listener_with_callback("change", changed.into_js_value().unchecked_ref());
    matches
}

/// The element that an event came from.
pub fn target(event: &web_sys::Event) -> Option<web_sys::Element> {
    event.target()?.dyn_into().ok()
}

/// The nearest element around the event's origin that a selector matches.
pub fn closest(event: &web_sys::Event, selector: &str) -> Option<web_sys::Element> {
    target(event)?.closest(selector).ok().flatten()
}

/// The number in an attribute of the element that an event came from, or of one around it.
pub fn number_of(event: &web_sys::Event, attribute: &str) -> Option<u32> {
    closest(event, &format!("[{attribute}]"))?.get_attribute(attribute)?.parse().ok()
}

/// Lets the browser paint and answer the reader, then goes on.
pub async fn pause() {
    let promise = js_sys::Promise::new(&mut |resolve, _| {
        // A page that has no timers has no way on either.
        let _ = window().set_timeout_with_callback(&resolve);
    });
    // The promise is never rejected.
    let _ = wasm_bindgen_futures::JsFuture::from(promise).await;
}

/// The last link, where the browser keeps it.
pub fn stored_last() -> Option<String> {
    if EMBEDDED.get() {
        return None;
    }
    window().local_storage().ok()??.get_item(LAST).ok()?
}

/// Keeps the last link, where the browser lets us.
pub fn store_last(hash: &str) {
    if EMBEDDED.get() {
        return;
    }
    if let Ok(Some(storage)) = window().local_storage() {
        // A browser that keeps nothing, or no more, is a choice of its owner.
        let _ = storage.set_item(LAST, hash);
    }
}

/// Goes to a hash, with an entry in the history.
pub fn go_to_hash(hash: &str) {
    // Fails only where the browser takes the page for one that floods its history.
    let _ = window().location().set_hash(hash);
}

/// Gives the focus to an element, where there is one with this id.
pub fn focus_id(id: &str) {
    let found = document().get_element_by_id(id).and_then(|found| found.dyn_into::<web_sys::HtmlElement>().ok());
    if let Some(element) = found {
        // Focus fails for nothing that is shown.
        let _ = element.focus();
    }
}

/// Gives the focus to the first element that a selector matches, where there is one.
pub fn focus_first(selector: &str) {
    let found = document().query_selector(selector).ok().flatten();
    if let Some(element) = found.and_then(|found| found.dyn_into::<web_sys::HtmlElement>().ok()) {
        // Focus fails for nothing that is shown.
        let _ = element.focus();
    }
}

/// Gives an element the focus without scrolling the page to it.
pub fn focus_in_place(element: &web_sys::HtmlElement) {
    let options = object(&[("preventScroll", true.into())]);
    if let Ok(function) = js_sys::Reflect::get(element, &"focus".into())
        && let Some(function) = function.dyn_ref::<js_sys::Function>()
    {
        // Focus fails for no element that is shown.
        let _ = function.call1(element, &options);
    }
}
