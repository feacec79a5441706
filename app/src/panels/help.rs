//! Keys, settings, and what the signs mean.

use leptos::html;
use leptos::prelude::*;

use crate::app::{App, Dialog};
use crate::keys::{Binding, FOCUSED, TABLE};
use crate::settings::{Motion, Theme};

/// The help.
#[component]
pub fn Help() -> impl IntoView {
    let app = App::get();
    view! {
        <Modal which=Dialog::Help title="Help">
            <p>
                "Two kernels do the same work, one step at a time. A step is one micro-operation: an atomic, a lock taken \
                or given back, a page moved. Linked by milestone, both sides go from page to page of the range together: \
                whoever has less to do waits for the other."
            </p>
            <h3>"Keys"</h3>
            <dl class="keys">{TABLE.iter().chain(FOCUSED).map(binding).collect_view()}</dl>
            <h3>"Settings"</h3>
            <Settings app=app />
            <h3>"Signs"</h3>
            <Signs />
        </Modal>
    }
}

fn binding(binding: &'static Binding) -> impl IntoView {
    let key = |(i, key): (usize, &'static str)| {
        let between = if i > 0 { " " } else { "" };
        let key = if key == "…" { key.into_any() } else { view! { <kbd>{key}</kbd> }.into_any() };
        (between, key)
    };
    view! {
        <dt>{binding.keys.iter().copied().enumerate().map(key).collect_view()}</dt>
        <dd>{binding.does}</dd>
    }
}

#[component]
fn Settings(app: App) -> impl IntoView {
    let theme = move |one: Theme| {
        let checked = move || app.settings.read().theme == one;
        let choose = move |_| app.change_settings(|settings| settings.theme = one);
        view! { <label><input type="radio" name="theme" prop:checked=checked on:change=choose />{one.name()}</label> }
    };
    let motion = move |one: Motion| {
        let checked = move || app.settings.read().motion == one;
        let choose = move |_| app.change_settings(|settings| settings.motion = one);
        view! { <label><input type="radio" name="motion" prop:checked=checked on:change=choose />{one.name()}</label> }
    };
    let letters = move |event: web_sys::Event| {
        let on = event_target_checked(&event);
        app.change_settings(|settings| settings.letters = on);
    };
    view! {
        <div class="settings">
            <fieldset><legend>"Theme"</legend>{Theme::ALL.map(theme)}</fieldset>
            <fieldset><legend>"Motion"</legend>{Motion::ALL.map(motion)}</fieldset>
            <fieldset>
                <legend>"Keys"</legend>
                <label>
                    <input type="checkbox" prop:checked=move || app.settings.read().letters on:change=letters />
                    "letters, digits and signs are commands"
                </label>
            </fieldset>
        </div>
    }
}

#[component]
fn Signs() -> impl IntoView {
    let signs = [
        ("k-now", "touched by this step"),
        ("k-held", "lock held: a fence round what it protects"),
        ("k-unev", "page on the unevictable list"),
        ("k-inact", "page on an inactive list"),
        ("k-act", "page on an active list"),
        ("k-pvec", "page in a pagevec and on no list"),
        ("k-iso", "page isolated by a CPU"),
        ("k-ref", "only a reference: the page is elsewhere"),
        ("k-file", "file page"),
        ("k-pin", "pinned: an extra reference"),
    ];
    view! { <ul class="key all">{signs.map(|(class, meaning)| view! { <li><i class=class></i>{meaning}</li> })}</ul> }
}

/// A dialog over the page.
#[component]
pub fn Modal(which: Dialog, title: &'static str, children: ChildrenFn) -> impl IntoView {
    let app = App::get();
    let dialog = NodeRef::<html::Dialog>::new();
    let children = StoredValue::new(children);
    let open = Memo::new(move |_| app.dialog.get() == Some(which));
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        match (open.get(), dialog.open()) {
            // Fails for no dialog that is in the document and closed.
            (true, false) => _ = dialog.show_modal(),
            (false, true) => dialog.close(),
            _ => {}
        }
    });
    let closed = move |_| {
        if app.dialog.get_untracked() == Some(which) {
            app.dialog.set(None);
        }
    };
    // A click on the ground beside the dialog closes it.
    let outside = move |event: web_sys::MouseEvent| {
        if crate::web::target(&event).is_some_and(|target| target.tag_name().eq_ignore_ascii_case("dialog")) {
            app.dialog.set(None);
        }
    };
    view! {
        <dialog node_ref=dialog class="big" aria-label=title on:close=closed on:click=outside>
            <Show when=move || open.get()>
                <header>
                    <h2>{title}</h2>
                    <button class="ico" aria-label="Close" on:click=move |_| app.dialog.set(None)>"×"</button>
                </header>
                <div tabindex="-1">{children.with_value(|children| children())}</div>
            </Show>
        </dialog>
    }
}
