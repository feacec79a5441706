//! A row of tabs with one panel: arrow keys, Home and End go from one to the next. A tab's content is made when it is
//! opened.

use leptos::prelude::*;

use crate::web;

/// A tab: its name, and what makes its content.
pub struct Tab {
    pub name: &'static str,
    pub content: fn() -> AnyView,
}

/// The tabs of a dialog.
#[derive(Clone, Copy)]
pub struct Tabs {
    /// Name of the row.
    pub name: &'static str,
    pub tabs: &'static [Tab],
    /// What the ids of the tabs begin with.
    pub id: &'static str,
    /// Id and class of the panel.
    pub panel: &'static str,
    /// Class of the row.
    pub class: &'static str,
    /// The panel itself takes the focus, to be scrolled by keys.
    pub scrolls: bool,
}

impl Tabs {
    /// The row and the panel of the tab that is chosen.
    pub fn view(self, chosen: RwSignal<usize>) -> AnyView {
        let Tabs { name, tabs, id, panel, class, scrolls } = self;
        let keys = move |event: web_sys::KeyboardEvent| {
            let last = tabs.len() - 1;
            let to = match (event.key().as_str(), chosen.get_untracked()) {
                ("ArrowRight", at) => (at + 1) % tabs.len(),
                ("ArrowLeft", at) => at.checked_sub(1).unwrap_or(last),
                ("Home", _) => 0,
                ("End", _) => last,
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            chosen.set(to);
            web::focus_id(&format!("{id}-{to}"));
        };
        let tab = move |at: usize| {
            let selected = move || chosen.get() == at;
            view! {
                <button
                    role="tab"
                    id=format!("{id}-{at}")
                    aria-controls=panel
                    aria-selected=move || selected().to_string()
                    tabindex=move || if selected() { "0" } else { "-1" }
                    on:click=move |_| chosen.set(at)
                >
                    {tabs[at].name}
                </button>
            }
        };
        view! {
            <div class=class role="tablist" aria-label=name on:keydown=keys>
                {(0..tabs.len()).map(tab).collect_view()}
            </div>
            <section
                class=panel
                id=panel
                role="tabpanel"
                aria-labelledby=move || format!("{id}-{}", chosen.get())
                tabindex=scrolls.then_some("0")
            >
                {move || (tabs[chosen.get()].content)()}
            </section>
        }
        .into_any()
    }
}
