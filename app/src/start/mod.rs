//! The start page: shown where the address names no moment.
//!
//! It comes with the page (assets/start.html) and is painted before the program is here; assets/boot.js puts it into
//! the document and takes it out. Here is what it needs the program for: going on where the reader was, opening a
//! scenario file, and recording the first run only when one is asked for. `page` writes the file.

mod last;
#[cfg(test)]
mod page;
#[cfg(test)]
mod picture;

use std::cell::{Cell, RefCell};

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::wasm_bindgen::JsValue;

use crate::hash;
use crate::link::Pair;
use crate::subject::Subject;
use crate::web;

const FILE_INPUT: &str = "start-file";

thread_local! {
    /// Makes the explorer, until there is one.
    static EXPLORER: Cell<Option<fn()>> = const { Cell::new(None) };
    /// A scenario from a file that the explorer is to show next.
    static FILE: RefCell<Option<Subject>> = const { RefCell::new(None) };
}

/// True while the start page is in sight.
pub fn shown() -> bool {
    document().document_element().is_some_and(|root| root.has_attribute("data-start"))
}

/// The file that was opened here and has not been shown yet.
pub fn take_file() -> Option<Subject> {
    FILE.take()
}

/// Shows what the address asks for, now and from now on: the explorer, which `explorer` makes, or the start page.
pub fn listen(explorer: fn()) {
    EXPLORER.set(Some(explorer));
    // The page comes and goes, so its events are heard at the window.
    window_event_listener(leptos::ev::change, |event| {
        web::target(&event).filter(|target| target.id() == FILE_INPUT).into_iter().for_each(open_file);
    });
    // A reader may have been quicker than the program.
    element(FILE_INPUT).into_iter().for_each(open_file);
    window_event_listener(leptos::ev::hashchange, |_| {
        place();
        if !shown() {
            // Behind the effects that show the explorer: its controls are where the reader goes on.
            wasm_bindgen_futures::spawn_local(async { web::focus_id("step") });
        }
    });
    place();
}

fn place() {
    if shown() {
        offer();
        web::dispatch("mmscope:start", &JsValue::NULL);
    } else if let Some(explorer) = EXPLORER.take() {
        explorer();
    }
}

/// Offers to go on with the last link, where there is one and it still leads somewhere.
fn offer() {
    let (Some(words), Some(link)) = (element("start-last"), element("start-continue")) else { return };
    let last = web::stored_last().and_then(|hash| Some((last::words(&hash)?, hash)));
    let _ = link.toggle_attribute_with_force("hidden", last.is_none());
    let Some((said, hash)) = last else { return words.set_text_content(Some(last::NOTHING)) };
    words.set_text_content(Some(&said));
    // The attribute's name is valid.
    let _ = link.set_attribute("href", &hash);
}

fn element(id: &str) -> Option<web_sys::Element> {
    document().get_element_by_id(id)
}

/// Shows the scenario of a file; what is wrong with it is said beside the input.
fn open_file(input: web_sys::Element) {
    let Ok(input) = input.dyn_into::<web_sys::HtmlInputElement>() else { return };
    let Some(file) = input.files().and_then(|files| files.get(0)) else { return };
    // Not a task of leptos: those start with the first view.
    wasm_bindgen_futures::spawn_local(async move {
        let name = file.name();
        let read = wasm_bindgen_futures::JsFuture::from(file.text()).await;
        let text = read.ok().and_then(|text| text.as_string());
        let scenario = text
            .ok_or("cannot be read; expected a text file".to_string())
            .and_then(|text| permalink::file::open(&text));
        // The same file can be chosen again after it was mended.
        input.set_value("");
        let wrong = scenario.as_ref().err().map(|wrong| format!("✗ {name}: {wrong}"));
        if let Some(place) = element("start-wrong") {
            place.set_text_content(wrong.as_deref());
        }
        if let Ok(scenario) = scenario {
            let subject = Subject::of_file(scenario);
            let own = hash::encode(&subject.link(Pair::default()));
            if own.len() <= hash::LIMIT {
                return web::go_to_hash(&own);
            }
            // Too large for a link: Back leads here, and the address is that of its series.
            let series = Subject::of(scenario.series().scenarios.first().unwrap_or(scenario));
            FILE.set(Some(subject));
            web::go_to_hash(&hash::encode(&series.link(Pair::default())));
        }
    });
}
