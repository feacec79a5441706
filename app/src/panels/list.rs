//! The picture in words: the same pages as a list, for those who do not see it and for fingers.

use leptos::prelude::*;
use sim_core::view::PageNo;

use crate::app::App;
use crate::dom::{Node, live};
use crate::link::Which;
use crate::web;

/// The pages of one side, region by region.
#[component]
pub fn Pages(which: Which) -> impl IntoView {
    let app = App::get();
    let list = live(move || {
        app.shown.track();
        let looked = app.looked_page(which);
        app.with(|session| pages(which, &session.side(which).scene.groups, looked))
    });
    let look = move |event: web_sys::MouseEvent| {
        if let Some(page) = web::number_of(&event, "data-look") {
            app.looked.set(Some((which, sim_core::ask::Subject::Page(page))));
        }
    };
    view! { <div on:click=look>{list}</div> }
}

fn pages(which: Which, groups: &[stage::Group], looked: Option<PageNo>) -> Node {
    let button = |&page: &PageNo| {
        Node::html("button")
            .with("data-look", page.to_string())
            .with("aria-pressed", if looked == Some(page) { "true" } else { "false" })
            .text(page.to_string())
    };
    let group = |group: &stage::Group| {
        let title = Node::html("h3").text(group.label.clone());
        Node::html("li").children([title]).children(group.pages.iter().map(button))
    };
    let label = format!("{}: pages", which.name());
    Node::html("ul").class("listview").with("aria-label", label).children(groups.iter().map(group))
}
