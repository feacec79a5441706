//! Long work in slices: the page answers in between.

use std::cell::Cell;
use std::rc::Rc;

use ::evidence::{Breath, Pace};
use wasm_bindgen_futures::JsFuture;

use crate::web;

/// Milliseconds of work between two breaths; with one slice on top it stays far from 50, where a page feels slow.
const WORK: f64 = 12.0;
/// Operations of the model in a slice, which takes a few milliseconds.
const SLICE: u64 = 2000;

/// Lets the page do what it has to do.
pub async fn breathe() {
    let later = js_sys::Promise::new(&mut |resolve, _| {
        // Fails for no function; without the timer the work would stand still, and nothing else.
        let _ = leptos::prelude::window().set_timeout_with_callback(&resolve);
    });
    // The promise is never rejected.
    let _ = JsFuture::from(later).await;
}

/// A pace at which the page stays usable. `progress` gets how far the work is; false stops it.
pub fn pace(progress: impl Fn(f64) -> bool + 'static) -> Pace<'static> {
    let last = Rc::new(Cell::new(web::now()));
    let breathe = move || -> Breath {
        let last = last.clone();
        Box::pin(async move {
            if web::now() - last.get() >= WORK {
                breathe().await;
                last.set(web::now());
            }
        })
    };
    Pace { progress: Box::new(progress), breathe: Box::new(breathe), slice: SLICE }
}
