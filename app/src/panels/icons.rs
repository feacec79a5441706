//! Small drawings.

use leptos::prelude::*;

use crate::link::Which;

/// Says that a button opens a choice.
#[component]
pub fn Chevron() -> impl IntoView {
    view! {
        <svg class="ch" viewBox="0 0 10 10" aria-hidden="true">
            <path d="M2 3.5L5 6.5L8 3.5" />
        </svg>
    }
}

/// Hollow for old, solid for new.
#[component]
pub fn Mark(which: Which) -> impl IntoView {
    view! { <i class=if which == Which::Old { "ko" } else { "kn" }></i> }
}

/// A sign of the transport.
#[component]
pub fn Sign(#[prop(into)] d: Signal<&'static str>) -> impl IntoView {
    view! {
        <svg viewBox="0 0 12 12" aria-hidden="true">
            <path d=d />
        </svg>
    }
}

/// The program's own sign: two pages in their places, one that is about to move, one in hand.
#[component]
pub fn Brand() -> impl IntoView {
    view! {
        <svg viewBox="0 0 22 22" aria-hidden="true">
            <rect x="1" y="1" width="9" height="9" rx="1" class="a" />
            <rect x="12.75" y="1.75" width="7.5" height="7.5" rx="3" class="b" />
            <rect x="1.75" y="12.75" width="7.5" height="7.5" rx="3" class="b" />
            <circle cx="16.5" cy="16.5" r="3.7" class="c" />
        </svg>
    }
}
