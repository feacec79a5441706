//! The page.

use leptos::prelude::*;

fn main() {
    mount_to_body(|| view! { <main><h1>"mmscope"</h1></main> });
    let ready = web_sys::CustomEvent::new("mmscope:ready").expect("the name is valid");
    document().dispatch_event(&ready).expect("the event is new");
}
