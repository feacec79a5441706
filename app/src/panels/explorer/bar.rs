//! The line above the lanes: the axis, the zoom, how large, close.

use leptos::prelude::*;

use super::Ui;
use crate::dom::{Node, live};
use crate::lanes::axis::By;
use crate::lanes::window::ZOOM;

const FIT: &str = "M1.5 3v6M10.5 3v6M3.2 6h5.6";
const FIT_ENDS: &str = "M4.8 3.8L2.6 6l2.2 2.2zM7.2 3.8L9.4 6 7.2 8.2z";

/// The line.
#[component]
pub(super) fn Bar(ui: Ui) -> impl IntoView {
    let chosen = move |event: web_sys::Event| {
        if let Some(by) = By::from_name(&event_target_value(&event)) {
            ui.by.set(by);
        }
    };
    let note = live(move || {
        let text = match ui.by.get() {
            By::Time => ui.app.with(|session| format!("modelled, profile {}", session.costs().name)),
            By::Step => "both from their first step".to_string(),
            By::Milestone => "both at the same milestone".to_string(),
        };
        Node::html("span").class("xp-note").text(text)
    });
    let size = live(move || Node::html("span").text(if ui.tall.get() { "Lower half" } else { "Whole page" }));
    view! {
        <div class="xp-bar">
            <h2>"Timeline"</h2>
            <fieldset class="xp-axis" on:change=chosen>
                <legend>"axis"</legend>
                {By::ALL.map(|by| axis_choice(ui, by))}
            </fieldset>
            {note}
            <div class="xp-tools" role="group" aria-label="Zoom">
                {small_button("−", "Zoom out", "-", move || ui.zoom(1.0 / ZOOM))}
                {small_button("+", "Zoom in", "+", move || ui.zoom(ZOOM))}
                <button
                    aria-keyshortcuts="f"
                    title="Show the whole runs (f)"
                    on:click=move |_| ui.change(|explorer| explorer.window = explorer.window.fit())
                >
                    {crate::panels::icons::sign(FIT_ENDS, FIT)}
                    "Fit"
                </button>
                <button class="xp-size" on:click=move |_| ui.tall.update(|tall| *tall = !*tall)>{size}</button>
                {small_button("×", "Close the timeline", "Escape", move || ui.close())}
            </div>
        </div>
    }
}

/// A button with a sign, its name and its key.
fn small_button(sign: &'static str, name: &'static str, key: &'static str, act: impl Fn() + 'static) -> AnyView {
    let title = format!("{name} ({key})");
    view! {
        <button class="ico" aria-label=name aria-keyshortcuts=key title=title on:click=move |_| act()>
            {sign}
        </button>
    }
    .into_any()
}

fn axis_choice(ui: Ui, by: By) -> impl IntoView {
    view! {
        <label>
            <input type="radio" name="axis" value=by.name() prop:checked=move || ui.by.get() == by />
            <span>{by.name()}</span>
        </label>
    }
}
