//! A picture with its numbers as a table, and as files to take away.

use std::rc::Rc;

use leptos::html;
use leptos::prelude::*;
use plots::{Frame, Plot, PlotError, Size, Theme};

use super::save;
use crate::app::App;
use crate::dom::{Node, live, watch};
use crate::text::thousands;

/// Height of a picture.
const HEIGHT: f64 = 340.0;
/// The same where narrow labels take more lines.
const TALL: f64 = 460.0;
/// Least width that a picture is drawn at.
const LEAST: f64 = 300.0;
/// Width of a file.
const FILE: Size = Size::new(960.0, 440.0);
/// Rows of the table; all of them are in the CSV.
const ROWS: usize = 200;

/// What is drawn.
#[derive(Clone)]
pub struct Drawn {
    /// The picture.
    pub plot: Rc<dyn Plot>,
    /// Its title once more, for names.
    pub title: String,
    /// Name of its files, without the ending.
    pub file: String,
}

/// Where the data are in the picture that is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// The area of the data.
    pub frame: Frame,
    /// Measures of the picture.
    pub size: (f64, f64),
}

/// What lies over the picture: it gets to know where the data are.
pub type Over = Box<dyn Fn(RwSignal<Option<Placed>>) -> AnyView>;

/// The figure. `make` says what is drawn, again when a signal that it reads has changed; nothing where it has no data,
/// with the words that say so.
pub fn figure(make: Box<dyn Fn() -> Result<Drawn, String>>, over: Option<Over>) -> AnyView {
    let host = NodeRef::<html::Div>::new();
    let drawn = StoredValue::new_local(None::<Drawn>);
    let placed = RwSignal::new(None::<Placed>);
    let version = RwSignal::new(0_u32);
    let words = RwSignal::new(String::new());
    let resized = RwSignal::new(0_u32);
    let listener = window_event_listener(leptos::ev::resize, move |_| resized.update(|count| *count += 1));
    on_cleanup(move || listener.remove());
    watch(move || {
        resized.track();
        let made = make();
        let Some(host) = host.get() else { return };
        let shown = made.and_then(|made| {
            let width = f64::from(host.client_width()).max(LEAST);
            let (svg, size) = draw(&*made.plot, width).map_err(|error| error.to_string())?;
            host.set_inner_html(&svg);
            let frame = made.plot.frame(size).map_err(|error| error.to_string())?;
            placed.set(Some(Placed { frame, size: (size.width, size.height) }));
            Ok(made)
        });
        let (made, why) = match shown {
            Ok(made) => (Some(made), String::new()),
            Err(why) => (None, why),
        };
        if made.is_none() {
            host.set_inner_html("");
            placed.set(None);
        }
        drawn.set_value(made);
        words.set(why);
        version.update(|count| *count += 1);
    });
    let empty = move || !words.read().is_empty();
    view! {
        <figure class="fig">
            <p class="nodata" hidden=move || !empty()>{move || words.get()}</p>
            <div class="canvas">
                <div node_ref=host></div>
                {over.map(|over| over(placed))}
            </div>
            <figcaption hidden=empty>{table(drawn, version)} {files(drawn, version)}</figcaption>
        </figure>
    }
    .into_any()
}

/// At the width that there is; higher where it is too narrow for what stands around the data.
fn draw(plot: &dyn Plot, width: f64) -> Result<(String, Size), PlotError> {
    let size = Size::new(width, if width < 520.0 { TALL } else { HEIGHT });
    let svg = plot.draw(size, Theme::Css)?;
    Ok((svg, size))
}

type Current = StoredValue<Option<Drawn>, LocalStorage>;

/// The numbers. They are written when somebody opens them.
fn table(drawn: Current, version: RwSignal<u32>) -> AnyView {
    let open = RwSignal::new(false);
    let toggled = move |event: web_sys::Event| {
        open.set(crate::web::target(&event).is_some_and(|details| details.has_attribute("open")));
    };
    let content = move || {
        version.track();
        let rows = if open.get() {
            drawn.with_value(|drawn| drawn.as_ref().map(|drawn| (drawn.title.clone(), drawn.plot.to_table())))
        } else {
            None
        };
        rows.map_or(Node::html("div"), |(title, rows)| numbers(&title, &rows))
    };
    view! {
        <details class="numbers" on:toggle=toggled>
            <summary>"as a table"</summary>
            {live(content)}
        </details>
    }
    .into_any()
}

// Six digits are enough to read; the CSV has all of them.
fn rounded(text: &str) -> String {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value.fract() != 0.0 => {
            let digits = (5 - value.abs().log10().floor() as i32).clamp(0, 9) as usize;
            let text = format!("{value:.digits$}");
            if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
        }
        _ => text.to_string(),
    }
}

fn numbers(title: &str, rows: &[Vec<String>]) -> Node {
    let Some((head, body)) = rows.split_first() else { return Node::html("div") };
    let cell = |tag: &'static str, scope: &'static str, text: &String| {
        let node = Node::html(tag).text(if scope.is_empty() { rounded(text) } else { text.clone() });
        if scope.is_empty() { node } else { node.with("scope", scope) }
    };
    let row = |fields: &Vec<String>| {
        let cells = fields.iter().enumerate().map(|(at, field)| match at {
            0 => cell("th", "row", field),
            _ => cell("td", "", field),
        });
        Node::html("tr").children(cells)
    };
    let heads = Node::html("tr").children(head.iter().map(|text| cell("th", "col", text)));
    let table = Node::html("table").children([
        Node::html("caption").text(title),
        Node::html("thead").children([heads]),
        Node::html("tbody").children(body.iter().take(ROWS).map(row)),
    ]);
    let all = thousands(body.len() as u64);
    let note = (body.len() > ROWS)
        .then(|| Node::html("p").text(format!("The first {ROWS} of {all} rows; the CSV has all of them.")));
    let scroll = Node::html("div").class("rows").with("tabindex", "0").with("role", "region");
    let scroll = scroll.with("aria-label", format!("Numbers: {title}")).children([table]);
    Node::html("div").children([scroll]).children(note)
}

/// The kinds of files.
const FILES: [&str; 3] = ["SVG", "PNG", "CSV"];

fn files(drawn: Current, version: RwSignal<u32>) -> AnyView {
    let app = App::get();
    let clicked = move |event: web_sys::MouseEvent| {
        let Some(kind) =
            crate::web::closest(&event, "[data-kind]").and_then(|button| button.get_attribute("data-kind"))
        else {
            return;
        };
        if let Some(drawn) = drawn.get_value() {
            write(app, drawn, &kind);
        }
    };
    let buttons = move || {
        version.track();
        let title = drawn.with_value(|drawn| drawn.as_ref().map(|drawn| drawn.title.clone())).unwrap_or_default();
        let button = |kind: &'static str| {
            let button = Node::html("button").class("btn").with("data-kind", kind);
            button.with("aria-label", format!("Save as {kind}: {title}")).text(kind)
        };
        Node::html("div").class("files").children([Node::html("span").text("save as")]).children(FILES.map(button))
    };
    view! { <div on:click=clicked>{live(buttons)}</div> }.into_any()
}

fn write(app: App, drawn: Drawn, kind: &str) {
    let file = format!("{}.{}", drawn.file, kind.to_ascii_lowercase());
    let failed = move || app.tell("The file could not be made by this browser.");
    let svg = || picture(&*drawn.plot);
    match kind {
        "CSV" => _ = save::text(&file, "text/csv", &drawn.plot.to_csv()).map_err(|_| failed()),
        "SVG" => match svg() {
            Ok(svg) => _ = save::text(&file, "image/svg+xml", &svg).map_err(|_| failed()),
            Err(_) => failed(),
        },
        _ => match svg() {
            Ok(svg) => leptos::task::spawn_local(async move {
                if save::png(file, svg, FILE.width, FILE.height).await.is_err() {
                    failed();
                }
            }),
            Err(_) => failed(),
        },
    }
}

/// For a file: colours of its own, since there is no style sheet, and the measures that a viewer needs.
fn picture(plot: &dyn Plot) -> Result<String, PlotError> {
    let svg = plot.draw(FILE, Theme::Light)?;
    let measures = format!("<svg width=\"{}\" height=\"{}\" ", FILE.width, FILE.height);
    Ok(svg.replacen("<svg ", &measures, 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use plots::Lines;

    #[test]
    fn a_file_has_measures_and_colours_of_its_own() {
        let svg = picture(&Lines::default()).unwrap();
        assert!(svg.starts_with("<svg width=\"960\" height=\"440\" xmlns="), "{}", &svg[..80]);
        assert!(!svg.contains("var("));
    }

    #[test]
    fn pictures_fit_the_width_of_a_phone() {
        let plot = Lines { title: "Pages on the list unevictable".into(), ..Lines::default() };
        for width in [LEAST, 360.0, 720.0, 1200.0] {
            draw(&plot, width).unwrap();
        }
    }
}
