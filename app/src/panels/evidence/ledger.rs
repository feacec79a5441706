//! The complete ledger: tables of either side or of both, sorted, filtered, copied; each count opens its steps.

use leptos::prelude::*;
use leptos::wasm_bindgen::{JsCast, JsValue};
use sim_core::ledger::detail::{By, Table};

use super::steps;
use crate::app::App;
use crate::dom::{Node, live};
use crate::link::Which;
use crate::panels::header::write_clipboard;
use crate::session::Session;
use crate::tables::{Choice, MEASURES, StepList, shown};
use crate::text::thousands;
use crate::web;

/// Rows that are shown at first, and that each "more" adds.
const SOME: usize = 200;
/// Columns of the widest table are fewer.
const STRIDE: usize = 32;

/// Analyses in the order of the menu.
const BY: [By; 8] = [By::Functions, By::Tree, By::Locks, By::EachLock, By::Spans, By::Cpus, By::Pages, By::Keys];

/// The tab.
pub fn content() -> AnyView {
    let app = App::get();
    let choice = RwSignal::new(Choice::default());
    let limit = RwSignal::new(SOME);
    let open = RwSignal::new(None::<StepList>);
    let done = RwSignal::new(String::new());
    let state = State { app, choice, limit, open, done };
    let table = live(move || choice.with(|choice| app.with(|session| table(session, choice, limit.get()))));
    let foot = live(move || Node::html("p").class("done").with("role", "status").text(done.get()));
    view! {
        <div
            class="counted"
            on:click=move |event| state.clicked(&event)
            on:change=move |event| state.changed(&event)
            on:input=move |event| state.typed(&event)
        >
            {live(move || choice.with(controls))}
            {foot}
            <div class="split">
                <div class="cells" tabindex="0" role="region" aria-label="Table">{table}</div>
                {steps::view(open)}
            </div>
        </div>
    }
    .into_any()
}

#[derive(Clone, Copy)]
struct State {
    app: App,
    choice: RwSignal<Choice>,
    limit: RwSignal<usize>,
    open: RwSignal<Option<StepList>>,
    done: RwSignal<String>,
}

impl State {
    fn changed(self, event: &web_sys::Event) {
        let Some(name) = web::target(event).and_then(|target| target.get_attribute("name")) else { return };
        let Ok(value) = event_target_value(event).parse::<usize>() else { return };
        self.limit.set(SOME);
        self.open.set(None);
        self.choice.update(|choice| {
            match name.as_str() {
                "by" => choice.choose(BY[value.min(BY.len() - 1)]),
                "side" => choice.side = value.checked_sub(1).map(|at| Which::BOTH[at.min(1)]),
                "measure" => choice.measure = value.min(MEASURES.len() - 1),
                _ => return,
            }
            choice.sort = None;
        });
    }

    fn typed(self, event: &web_sys::Event) {
        if web::target(event).is_some_and(|target| target.get_attribute("type").as_deref() == Some("search")) {
            let text = event_target_value(event);
            self.limit.set(SOME);
            self.choice.update(|choice| choice.filter = text);
        }
    }

    fn clicked(self, event: &web_sys::MouseEvent) {
        if let Some(column) = web::number_of(event, "data-sort") {
            self.choice.update(|choice| choice.sort_by((column as usize).checked_sub(1)));
        } else if let Some(cell) = web::number_of(event, "data-cell") {
            self.list(cell as usize);
        } else if web::closest(event, "[data-rows]").is_some() {
            self.limit.update(|limit| *limit += SOME);
        } else if let Some(button) = web::closest(event, "[data-form]") {
            let form = button.get_attribute("data-form").unwrap_or_default();
            self.hand_out(&form, button.has_attribute("data-save"));
        }
    }

    fn list(self, cell: usize) {
        let choice = self.choice.get_untracked();
        let list = self.app.with(|session| {
            let table = choice.table(session);
            choice.steps(session, &table, cell / STRIDE, cell % STRIDE)
        });
        if list.is_some() {
            self.open.set(list);
            steps::focus();
        }
    }

    // Copies the table, or saves it as a file.
    fn hand_out(self, form: &str, save: bool) {
        let choice = self.choice.get_untracked();
        let (text, name) = self.app.with(|session| {
            let text = match form {
                "csv" => choice.table(session).to_csv(),
                "json" => choice.table(session).to_json(),
                _ => choice.text(session),
            };
            (text, choice.file_name(session, form))
        });
        if save {
            let saved = download(&text, &name).is_ok();
            let refused = "The browser does not let this page save a file";
            return self.done.set(if saved { format!("Saved as {name}") } else { refused.to_string() });
        }
        let (done, form) = (self.done, form.to_uppercase());
        leptos::task::spawn_local(async move {
            let copied = write_clipboard(&text).await;
            let refused = "The browser does not let this page copy; save it as a file".to_string();
            done.set(if copied { format!("Copied as {form}") } else { refused });
        });
    }
}

fn download(text: &str, name: &str) -> Result<(), JsValue> {
    let options = web_sys::BlobPropertyBag::new();
    options.set_type("text/plain;charset=utf-8");
    let parts = js_sys::Array::of1(&text.into());
    let blob = web_sys::Blob::new_with_str_sequence_and_options(&parts, &options)?;
    let address = web_sys::Url::create_object_url_with_blob(&blob)?;
    let link: web_sys::HtmlAnchorElement = document().create_element("a")?.unchecked_into();
    link.set_href(&address);
    link.set_download(name);
    link.click();
    // The browser has begun to read it by the next turn at the latest.
    set_timeout(move || _ = web_sys::Url::revoke_object_url(&address), std::time::Duration::from_secs(10));
    Ok(())
}

fn controls(choice: &Choice) -> Node {
    let option = |(at, text): (usize, &str)| Node::html("option").with("value", at.to_string()).text(text);
    let select = |label: &'static str, name: &'static str, off: bool, texts: &[&str]| {
        let options = texts.iter().copied().enumerate().map(option);
        let select = Node::html("select").with("name", name).with("aria-label", label);
        let select = select.with_if(off, "disabled", "").children(options);
        Node::html("label").children([Node::html("span").text(label), select])
    };
    let filter = Node::html("label").children([
        Node::html("span").text("Filter"),
        Node::html("input").with("type", "search").with("placeholder", "part of a name").with("spellcheck", "false"),
    ]);
    let button = |text: &'static str, form: &'static str, save: bool| {
        Node::html("button").with("data-form", form).with_if(save, "data-save", "").text(text)
    };
    let copies =
        Node::html("div").class("copies").with("role", "group").with("aria-label", "Copy and save").children([
            button("Copy text", "txt", false),
            button("Copy CSV", "csv", false),
            button("Copy JSON", "json", false),
            button("Save text", "txt", true),
            button("Save CSV", "csv", true),
            button("Save JSON", "json", true),
        ]);
    Node::html("div").class("ask").children([
        select("By", "by", false, &BY.map(Choice::words)),
        select("Side", "side", false, &["old beside new", "old", "new"]),
        select("Compare", "measure", !choice.has_measure(), &MEASURES.map(|(name, _)| name)),
        filter,
        copies,
    ])
}

fn table(session: &Session, choice: &Choice, limit: usize) -> Node {
    let table = choice.table(session);
    let unit = session.opening().unit.1;
    let unit = if session.opening().per.len() > 1 { "page" } else { unit };
    let mut caption = choice.title(session).join("; ");
    if choice.is_timed(&table) {
        caption.push_str(&format!("; ns are modelled, with the cost profile {}", session.profile().name));
    }
    let caption = Node::html("caption").text(caption);
    let heads =
        table.columns.iter().enumerate().map(|(at, column)| head(choice, Some(at), choice.heading(column, unit)));
    let first = head(choice, None, table.by.heading().to_string());
    let head = Node::html("thead").children([Node::html("tr").children([first]).children(heads)]);
    let rows = (0..table.rows.len().min(limit)).map(|at| row(choice, &table, at));
    let body = Node::html("tbody").children(rows);
    let whole = Node::html("table").class("detail").children([caption, head, body]);
    let left = table.rows.len().saturating_sub(limit);
    let text = format!("{} more of {} rows", thousands(left.min(SOME) as u64), thousands(left as u64));
    let more = (left > 0).then(|| Node::html("button").class("more-rows").with("data-rows", "").text(text));
    let nothing = match (table.rows.is_empty(), choice.filter.trim()) {
        (false, _) => None,
        (true, "") => Some("Nothing of this kind happens in these runs.".to_string()),
        (true, text) => Some(format!("No row has \"{text}\" in it.")),
    };
    let nothing = nothing.map(|text| Node::html("p").key("nothing").text(text));
    Node::html("div").children([whole]).children(more).children(nothing)
}

fn head(choice: &Choice, column: Option<usize>, text: String) -> Node {
    let sorted = choice.sort.filter(|(by, _)| *by == column).map(|(_, descending)| descending);
    let (order, sign) = match sorted {
        None => ("none", ""),
        Some(false) => ("ascending", "▲"),
        Some(true) => ("descending", "▼"),
    };
    let button = Node::html("button")
        .with("data-sort", column.map_or(0, |at| at + 1).to_string())
        .children([Node::html("span").text(text), Node::html("i").with("aria-hidden", "true").text(sign)]);
    Node::html("th").with("scope", "col").with("aria-sort", order).children([button])
}

fn row(choice: &Choice, table: &Table, at: usize) -> Node {
    let row = &table.rows[at];
    let cell = |(column, cell)| {
        let text = shown(cell);
        if !choice.has_steps(table, at, column) {
            return Node::html("td").key("plain").text(text);
        }
        let place = (at * STRIDE + column).to_string();
        let button = Node::html("button").with("data-cell", place).with("title", "list the steps").text(text);
        Node::html("td").key("button").children([button])
    };
    let cells = row.cells.iter().copied().enumerate().map(cell);
    Node::html("tr").children([Node::html("th").with("scope", "row").text(row.label.clone())]).children(cells)
}
