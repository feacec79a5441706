//! The moment as a picture, as text, and in words.

use leptos::prelude::*;
use stage::{Figure, Theme};

use super::super::evidence::save;
use super::{choice, copy_button, said, text_field};
use crate::app::App;
use crate::dom::live;

/// Themes of a picture.
const THEMES: [&str; 3] = ["light", "dark", "print"];

pub fn content() -> AnyView {
    let app = App::get();
    let figure = StoredValue::new(app.figure());
    let theme = RwSignal::new(THEMES[0]);
    let failed = RwSignal::new(None::<String>);
    let svg = move || figure.with_value(|figure| figure.svg(&Theme::from_name(theme.get()).unwrap_or(Theme::LIGHT)));
    let name = move |ending: &str| {
        let theme = theme.get();
        let marked = if theme == THEMES[0] { ending.to_string() } else { format!("{theme}.{ending}") };
        figure.with_value(|figure| figure.file_name(if ending == "txt" { ending } else { &marked }))
    };
    let changed = move |event: web_sys::Event| {
        let value = event_target_value(&event);
        theme.set(THEMES.into_iter().find(|theme| *theme == value).unwrap_or(THEMES[0]));
    };
    let done = move |result: Result<(), leptos::wasm_bindgen::JsValue>| {
        failed.set(
            result
                .err()
                .map(|_| "The browser could not make this file; the SVG may work where PNG does not.".to_string()),
        );
    };
    let save_svg = move |_| done(save::text(&name("svg"), "image/svg+xml", &svg()));
    let save_text =
        move |_| done(save::text(&name("txt"), "text/plain;charset=utf-8", &figure.with_value(Figure::text)));
    let save_png = move |_| {
        let (width, height) = figure.with_value(Figure::size);
        let (name, svg) = (name("png"), svg());
        leptos::task::spawn_local(async move {
            done(save::png(name, svg, width.into(), height.into()).await);
        });
    };
    let source =
        move || format!("data:image/svg+xml;charset=utf-8,{}", String::from(js_sys::encode_uri_component(&svg())));
    let alt = StoredValue::new(figure.with_value(Figure::alt));
    view! {
        <div class="settings share-choices" on:change=changed>
            {live(move || choice("Theme", "image-theme", &THEMES, THEMES[0]))}
        </div>
        <img class="share-image" src=source alt=alt.get_value() />
        <div class="share-row">
            <button class="btn pri" type="button" on:click=save_svg>"Save SVG"</button>
            <button class="btn" type="button" on:click=save_png>"Save PNG"</button>
            <button class="btn" type="button" on:click=save_text>"Save text"</button>
            <code class="share-length">{move || name("svg")}</code>
        </div>
        {said("share-wrong", move || failed.get())}
        {text_field("Words for those who cannot see it", "4", move || alt.get_value())}
        <div class="share-row">
            {copy_button("Copy words", move || Some(alt.get_value()))}
            {copy_button("Copy as text", move || Some(figure.with_value(Figure::text)))}
        </div>
        <p class="share-note">
            "The same picture comes from "<code>"mmscope render"</code>" with the link of this moment."
        </p>
    }
    .into_any()
}
