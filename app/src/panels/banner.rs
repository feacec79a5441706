//! What went wrong, under the top line.

use leptos::prelude::*;

use crate::app::App;

/// The banner, where there is one.
#[component]
pub fn BannerBar() -> impl IntoView {
    let app = App::get();
    view! {
        <div role="alert">
            {move || {
                app.banner.get().map(|banner| {
                    view! {
                        <div class="banner bad">
                            <span><b>{banner.title}</b>" "{banner.detail}</span>
                            <button on:click=move |_| app.banner.set(None)>"Dismiss"</button>
                        </div>
                    }
                })
            }}
        </div>
        <Broken />
    }
}

/// A rule that a run broke.
#[component]
fn Broken() -> impl IntoView {
    let app = App::get();
    let broken = Memo::new(move |_| {
        app.loaded.track();
        app.with(|session| {
            crate::link::Which::BOTH.map(|which| {
                let side = session.side(which);
                side.track.run.timeline.violation().map(|violation| {
                    (
                        format!("{}: {}", which.name(), side.label()),
                        violation.rule,
                        violation.detail.clone(),
                        violation.step,
                    )
                })
            })
        })
    });
    let bars = move || {
        crate::link::Which::BOTH
            .into_iter()
            .zip(broken.get())
            .filter_map(|(which, broken)| {
                let (side, rule, detail, step) = broken?;
                let go = move |_| app.step(crate::session::Go::Side(which, step));
                Some(view! {
                    <div class="banner note">
                        <span><b>"✗ "{rule}</b>" breaks in "{side}": "{detail}</span>
                        <button on:click=go>{format!("Go to step {step}")}</button>
                    </div>
                })
            })
            .collect_view()
    };
    view! { {bars} }
}
