//! What was published or recorded, beside what the model says of the same run.

mod report;

use ::evidence::REPORTS;
use leptos::prelude::*;

use crate::app::App;
use crate::dom::{Node, live};
use crate::reports::{self, Progress, State};

/// The tab.
pub fn content() -> AnyView {
    let app = App::get();
    let own = app.with(|session| session.series());
    let first = REPORTS.iter().find(|(series, _)| *series == own).or(REPORTS.first());
    let series = RwSignal::new(first.map_or("", |(series, _)| *series));
    let chosen = move |event: web_sys::Event| {
        let value = event_target_value(&event);
        if let Some((name, _)) = REPORTS.iter().find(|(name, _)| *name == value) {
            series.set(name);
        }
    };
    let begin = move |_| {
        let wanted = series.get_untracked();
        if let Some((name, make)) = REPORTS.iter().find(|(name, _)| *name == wanted) {
            reports::start(name, *make);
        }
    };
    let cancel = move |_| {
        reports::stop();
        app.tell("Stopped");
    };
    // Memos, so that the buttons stay the same ones while the progress moves.
    let making = Memo::new(move |_| {
        reports::track();
        matches!(reports::state(series.get()), State::Making(_))
    });
    let made = Memo::new(move |_| {
        reports::track();
        matches!(reports::state(series.get()), State::Made(_))
    });
    let progress = live(move || {
        reports::track();
        match reports::state(series.get()) {
            State::Making(progress) => bar(progress),
            _ => Node::html("div"),
        }
    });
    let stopped = Memo::new(move |_| {
        reports::track();
        matches!(reports::state(series.get()), State::Stopped)
    });
    let words = live(move || status(series.get(), making.get(), made.get(), stopped.get()));
    let shown = move || match (made.get(), reports::state(series.get())) {
        (true, State::Made(report)) => report::view(&report),
        _ => ().into_any(),
    };
    let option = move |(name, _): &(&'static str, ::evidence::Maker)| {
        let name = *name;
        view! { <option value=name selected=move || series.get() == name>{name}</option> }
    };
    view! {
        <div class="published">
            <p class="row">
                <label class="field">
                    <span>"Report"</span>
                    <select name="report" on:change=chosen>{REPORTS.iter().map(option).collect_view()}</select>
                </label>
                <Show when=move || !making.get()>
                    <button class="btn pri" type="button" on:click=begin>
                        {move || if made.get() { "Make it again" } else { "Make the report" }}
                    </button>
                </Show>
                <Show when=move || making.get()>
                    <button class="btn" type="button" on:click=cancel>
                        "Cancel"
                    </button>
                </Show>
            </p>
            <div role="status">{words}</div>
            {progress}
            {shown}
        </div>
    }
    .into_any()
}

fn status(series: &str, making: bool, made: bool, stopped: bool) -> Node {
    let paragraph = |text: String| Node::html("p").text(text);
    match (making, made) {
        (true, _) => paragraph(format!("The model makes the runs of {series}. The page can be used meanwhile.")),
        (_, true) => Node::html("p"),
        _ if stopped => paragraph(format!(
            "The report of {series} was stopped before its end. One report is made at a time; it begins anew."
        )),
        _ => paragraph(format!(
            "Nothing has been modelled yet: the report of {series} makes its runs at the size that was published, which \
             takes from a second to minutes, here in the page."
        )),
    }
}

fn bar(progress: Progress) -> Node {
    let percent = (progress.done * 100.0).floor();
    let left = progress.left().map_or("time left: not known yet".to_string(), |ms| format!("{} left", span(ms)));
    let bar = Node::html("progress").with("max", "100").with("value", percent.to_string());
    let bar = bar.with("aria-label", "Progress of the report");
    let words = format!("{percent} %, {} so far, {left}", span(progress.spent));
    Node::html("div").class("making").children([bar, Node::html("span").text(words)])
}

// Milliseconds in words.
fn span(ms: f64) -> String {
    let seconds = (ms / 1000.0).ceil().max(1.0) as u64;
    if seconds < 90 { format!("{seconds} s") } else { format!("{} min", seconds.div_ceil(60)) }
}
