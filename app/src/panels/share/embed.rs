//! What to paste into another page.

use leptos::prelude::*;

use super::{check, choice, copy_button, said, text_field};
use crate::app::App;
use crate::dom::{Node, live};
use crate::hash;
use crate::share::embed::{CONTROLS, Embed, HEIGHTS, MOTIONS, PANES, THEMES, height};
use crate::web;

/// Width of the column of text that the preview shows, in pixels.
const COLUMN: u32 = 720;

pub fn content() -> AnyView {
    let app = App::get();
    let link = StoredValue::new(app.shared_link());
    let title = StoredValue::new(document().title());
    let embed = RwSignal::new(Embed::default());
    let wrong = RwSignal::new(None::<String>);
    let changed = move |event: web_sys::Event| {
        let Some(input) = web::target(&event) else { return };
        let (name, value) = (input.get_attribute("name").unwrap_or_default(), event_target_value(&event));
        let on = event_target_checked(&event);
        let among = |names: &[&'static str]| names.iter().find(|name| **name == value).copied();
        embed.update(|embed| match name.as_str() {
            "embed-theme" => embed.theme = among(&THEMES).unwrap_or(embed.theme),
            "embed-controls" => embed.controls = among(&CONTROLS).unwrap_or(embed.controls),
            "embed-motion" => embed.motion = among(&MOTIONS).unwrap_or(embed.motion),
            "embed-click" => embed.on_click = on,
            "embed-height" => match height(&value) {
                Ok(height) => {
                    embed.height = height;
                    wrong.set(None);
                }
                Err(text) => wrong.set(Some(format!("height: {text}"))),
            },
            pane => {
                let at = PANES.iter().position(|name| pane.strip_prefix("pane-") == Some(*name));
                if let Some(pane) = at.and_then(|at| embed.panes.get_mut(at)) {
                    *pane = on;
                }
            }
        });
    };
    let no_link = link.with_value(permalink::length::too_long);
    let hash = StoredValue::new(link.with_value(hash::encode));
    let make = move |make: fn(&Embed, &str, &str, &str) -> String| {
        embed.with(|embed| hash.with_value(|hash| title.with_value(|title| make(embed, &web::base(), hash, title))))
    };
    let iframe = move || make(Embed::iframe);
    let element = move || make(Embed::element);
    let bad_height = move || wrong.with(Option::is_some).then_some("true");
    if let Some(text) = no_link {
        return view! { {said("share-wrong", move || Some(text.clone()))} }.into_any();
    }
    view! {
        <div class="share-two">
            <div class="share-choices" on:change=changed on:input=changed>
                {live(options)}
                <label class="share-height">
                    <span>"Height"</span>
                    <input
                        type="number"
                        name="embed-height"
                        value=Embed::default().height.to_string()
                        min=HEIGHTS.0.to_string()
                        max=HEIGHTS.1.to_string()
                        aria-invalid=bad_height
                    />
                    <span>"pixels"</span>
                </label>
                {said("share-wrong", move || wrong.get())}
            </div>
            {live(move || preview(&embed.read()))}
        </div>
        {text_field("As an iframe", "3", iframe)}
        <div class="share-row">{copy_button("Copy iframe", move || Some(iframe()))}</div>
        {text_field("As an element, for a page that may run a script", "4", element)}
        <div class="share-row">{copy_button("Copy element", move || Some(element()))}</div>
        <p class="share-note">
            "An embedded page takes keys only while it has the focus, never changes its address, and links to the whole page."
        </p>
    }
    .into_any()
}

fn options() -> Node {
    let usual = Embed::default();
    let name = |pane: &'static str| match pane {
        "stage" => check("pane-stage", pane, false),
        "code" => check("pane-code", pane, false),
        "ledger" => check("pane-ledger", pane, false),
        _ => check("pane-timeline", pane, false),
    };
    let panes = Node::html("fieldset").children([Node::html("legend").text("Parts")]).children(PANES.map(name));
    let load = Node::html("fieldset").children([Node::html("legend").text("Loads")]).children([check(
        "embed-click",
        "when the reader opens it",
        usual.on_click,
    )]);
    Node::html("div").class("settings").children([
        choice("Theme", "embed-theme", &THEMES, usual.theme),
        choice("Controls", "embed-controls", &CONTROLS, usual.controls),
        panes,
        choice("Motion", "embed-motion", &MOTIONS, usual.motion),
        load,
    ])
}

/// How large it is in a column of text.
fn preview(embed: &Embed) -> Node {
    // A sixth of its size.
    let line = |class: &'static str| Node::html("i").class(class);
    let text = |n: usize| (0..n).map(move |_| line("l"));
    let words = if embed.on_click { "a line to open, then " } else { "" };
    let frame = Node::html("div")
        .class("frame")
        .style("height", format!("{}px", embed.height / 4))
        .children([Node::html("span").text(format!("{COLUMN} × {}", embed.height))]);
    let column = Node::html("div").class("column").with("aria-hidden", "true");
    Node::html("figure").class("share-preview").children([
        column.children(text(2)).children([frame]).children(text(2)),
        Node::html("figcaption")
            .text(format!("{words}{} pixels high, as wide as the text; here a column of {COLUMN}", embed.height)),
    ])
}
