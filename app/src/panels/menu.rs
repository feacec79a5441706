//! A choice under a button.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;

use super::icons::Chevron;

/// One thing to choose.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Name.
    pub value: String,
    /// What it is called.
    pub label: String,
    /// What it is.
    pub note: String,
}

/// A button with a choice under it.
#[component]
pub fn Menu(
    /// What the choice is for, for assistive technology.
    purpose: &'static str,
    /// What is chosen.
    #[prop(into)]
    chosen: Signal<String>,
    /// What there is to choose.
    #[prop(into)]
    choices: Signal<Vec<Choice>>,
    /// Called with the value that was chosen.
    #[prop(into)]
    choose: Callback<String>,
    /// What the button shows.
    children: Children,
) -> impl IntoView {
    let open = RwSignal::new(false);
    let button = NodeRef::<html::Button>::new();
    let list = NodeRef::<html::Div>::new();
    let close = move || {
        open.set(false);
        if let Some(button) = button.get_untracked() {
            // Focus fails for no button that is shown.
            let _ = button.focus();
        }
    };
    let keys = move |event: KeyboardEvent| match event.key().as_str() {
        "ArrowDown" => move_focus(&list, &event, |at, len| (at + 1) % len),
        "ArrowUp" => move_focus(&list, &event, |at, len| (at + len - 1) % len),
        "Home" => move_focus(&list, &event, |_, _| 0),
        "End" => move_focus(&list, &event, |_, len| len - 1),
        "Escape" => {
            event.prevent_default();
            close();
        }
        "Tab" => open.set(false),
        _ => {}
    };
    let left = move |event: web_sys::FocusEvent| {
        let to = event.related_target().and_then(|target| target.dyn_into::<web_sys::Node>().ok());
        let inside = list.get_untracked().is_some_and(|list| list.contains(to.as_ref()));
        let on_button = button.get_untracked().is_some_and(|button| button.contains(to.as_ref()));
        if !inside && !on_button {
            open.set(false);
        }
    };
    Effect::new(move |_| {
        if open.get()
            && let Some(list) = list.get()
        {
            focus_item(&list, "[aria-checked=true]");
        }
    });
    let items = move || {
        let chosen = chosen.get();
        let item = |choice: Choice| {
            let checked = choice.value == chosen;
            let value = choice.value;
            view! {
                <button
                    role="menuitemradio"
                    tabindex="-1"
                    aria-checked=checked.to_string()
                    on:click=move |_| {
                        close();
                        choose.run(value.clone());
                    }
                >
                    {choice.label}
                    <small>{choice.note}</small>
                </button>
            }
        };
        choices.get().into_iter().map(item).collect_view()
    };
    view! {
        <span class="under">
            <button
                class="pick"
                node_ref=button
                aria-haspopup="menu"
                aria-expanded=move || open.get().to_string()
                title=purpose
                on:click=move |_| open.update(|open| *open = !*open)
            >
                {children()}
                <Chevron />
            </button>
            <Show when=move || open.get()>
                <div class="menu" role="menu" aria-label=purpose node_ref=list on:keydown=keys on:focusout=left>
                    {items}
                </div>
            </Show>
        </span>
    }
}

fn focus_item(list: &web_sys::Element, selector: &str) {
    let wanted = list.query_selector(selector).ok().flatten().or_else(|| list.first_element_child());
    if let Some(item) = wanted.and_then(|item| item.dyn_into::<web_sys::HtmlElement>().ok()) {
        // Focus fails for no button that is shown.
        let _ = item.focus();
    }
}

fn move_focus(list: &NodeRef<html::Div>, event: &KeyboardEvent, to: impl Fn(u32, u32) -> u32) {
    event.prevent_default();
    let Some(list) = list.get_untracked() else { return };
    let items = list.children();
    let focused = document().active_element();
    let at = (0..items.length()).find(|&i| items.item(i) == focused).unwrap_or(0);
    let item = items.item(to(at, items.length().max(1)));
    if let Some(item) = item.and_then(|item| item.dyn_into::<web_sys::HtmlElement>().ok()) {
        // Focus fails for no button that is shown.
        let _ = item.focus();
    }
}
