//! The picture in words: the same pages as a list, for those who do not see it and for fingers.

use leptos::prelude::*;
use sim_core::view::PageNo;

use crate::app::App;
use crate::link::Which;

/// The pages of one side, region by region.
#[component]
pub fn Pages(which: Which) -> impl IntoView {
    let app = App::get();
    let groups = app.memo(move |session| session.side(which).scene.groups.clone());
    let button = move |page: PageNo| {
        let pressed = move || (app.looked.get() == Some((which, page))).to_string();
        let look = move |_| app.looked.set(Some((which, page)));
        view! { <button aria-pressed=pressed on:click=look>{page}</button> }
    };
    let items = move || {
        let groups = groups.get().into_iter();
        let item = |group: stage::Group| {
            view! {
                <li>
                    <h3>{group.label}</h3>
                    {group.pages.into_iter().map(button).collect_view()}
                </li>
            }
        };
        groups.map(item).collect_view()
    };
    view! {
        <ul class="listview" aria-label=format!("{}: pages", which.name())>{items}</ul>
    }
}
