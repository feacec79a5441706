//! The link of the moment, with its parts in words.

use leptos::prelude::*;

use super::{check, copy_button, said, text_field};
use crate::app::App;
use crate::dom::{Node, live};
use crate::hash;
use crate::link::Which;
use crate::share::Parts;
use crate::share::explain::{Piece, explain};
use crate::web;

pub fn content() -> AnyView {
    let app = App::get();
    let whole = StoredValue::new(app.shared_link());
    let parts = RwSignal::new(Parts::default());
    let link = move || parts.get().of(whole.get_value());
    let address = move || format!("{}{}", web::base(), hash::encode(&link()));
    let too_long = move || permalink::length::too_long(&link());
    let changed = move |event: web_sys::Event| {
        let Some(input) = web::target(&event) else { return };
        let on = event_target_checked(&event);
        parts.update(|parts| match input.get_attribute("name").as_deref() {
            Some("step") => parts.step = on,
            Some("look") => parts.look = on,
            _ => parts.outcome = on,
        });
    };
    // Inputs keep what is chosen while the tab is open.
    let looked = whole.with_value(|link| link.look.is_some());
    let options = live(move || options(looked));
    let field =
        text_field("Link to this moment", "3", move || if too_long().is_some() { String::new() } else { address() });
    let length = move || match too_long() {
        Some(_) => String::new(),
        None => format!("{} characters", address().len()),
    };
    let about = live(move || app.with(|session| pieces(explain_of(session, &link()))));
    view! {
        <div on:change=changed>{options}</div>
        {field}
        <div class="share-row">
            {copy_button("Copy link", move || too_long().is_none().then(address))}
            <span class="share-length">{length}</span>
        </div>
        {said("share-wrong", too_long)}
        {said("share-note", move || permalink::length::long(&address()).filter(|_| too_long().is_none()))}
        <h3>"What it says"</h3>
        {about}
        <p class="share-note">"Whoever opens it runs the same steps in their own browser. Nothing is stored anywhere."</p>
    }
    .into_any()
}

fn options(looked: bool) -> Node {
    let boxes = [
        Some(check("step", "this step, not the start", true)),
        looked.then(|| check("look", "what is looked at", true)),
        Some(check("outcome", "what comes out, so that a change of the model is noticed", true)),
    ];
    let legend = Node::html("legend").text("It holds");
    Node::html("fieldset").class("share-options").children([legend]).children(boxes.into_iter().flatten())
}

fn explain_of(session: &crate::session::Session, link: &hash::Link) -> Vec<Piece> {
    let labels = Which::BOTH.map(|which| session.side(which).label());
    explain(link, session.sides[0].track.run.spec.scenario, labels)
}

fn pieces(pieces: Vec<Piece>) -> Node {
    let line = |piece: Piece| {
        let part = Node::html("dt").children([Node::html("code").text(piece.part)]);
        [part, Node::html("dd").text(piece.says)]
    };
    Node::html("dl").class("share-parts").children(pieces.into_iter().flat_map(line))
}
