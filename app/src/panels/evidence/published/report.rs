//! A report: its tables, each with a picture.

use ::evidence::{Report, Role, Row, Table};
use leptos::prelude::*;
use plots::{Axis, Bar, Bars, Group, Plot, Size, Theme, Unit};

use crate::dom::{Node, live};

/// A picture of bars: wide enough for names side by side.
const PICTURE: Size = Size::new(880.0, 340.0);
/// Most groups of bars that can be told apart.
const MOST_BARS: usize = 16;

/// The whole report.
pub fn view(report: &Report) -> AnyView {
    let verdict = format!("Report of {}. {}", report.series, verdict(report));
    view! {
        <div class="report">
            <p class="verdict">{verdict}</p>
            {report.tables.iter().map(table).collect_view()}
        </div>
    }
    .into_any()
}

fn verdict(report: &Report) -> String {
    let count = |tables: usize| if tables == 1 { "1 table".to_string() } else { format!("{tables} tables") };
    let missed = report.tables.iter().filter(|table| !table.holds()).count();
    let news = report.tables.iter().filter(|table| !table.as_known()).count();
    match (missed, news) {
        (0, 0) => format!("In {}, every aim is met and every check holds.", count(report.tables.len())),
        (_, 0) => format!("In {} an aim is missed, as is known; the reason stands there.", count(missed)),
        _ => format!("MISSED: in {} an aim is not met, or a check does not hold.", count(news)),
    }
}

fn table(table: &Table) -> AnyView {
    let profile = table.profile.as_ref().map(|profile| format!(" Modelled with {profile}."));
    let source = format!("Published: {}.{}", table.source.trim_end_matches('.'), profile.unwrap_or_default());
    let (numbers, below) = (numbers(table), below(table));
    view! {
        <section class="figure">
            <h3>{table.title.clone()}</h3>
            <p class="source">{source}</p>
            {live(move || numbers.clone())}
            {picture(table)}
            {live(move || below.clone())}
        </section>
    }
    .into_any()
}

fn numbers(table: &Table) -> Node {
    let head = ["", "published", "modelled", "error", "role", "aim", "", "why"];
    // Words stand at the left, numbers at the right.
    let class = |head| if matches!(head, "role" | "aim" | "why") { "word" } else { "" };
    let head = head.map(|head| Node::html("th").with("scope", "col").class(class(head)).text(head));
    let caption = Node::html("caption").children([
        Node::html("b").text(table.unit.clone()),
        Node::html("span").text(match table.worst() {
            Some(_) => String::new(),
            None => " nothing is held out: this table tests no number".to_string(),
        }),
    ]);
    let head = Node::html("thead").children([Node::html("tr").children(head)]);
    let body = Node::html("tbody").children(table.rows.iter().map(row));
    let inner = Node::html("table").class("evid").children([caption, head, body]);
    let scroll = Node::html("div").class("scroll").with("tabindex", "0").with("role", "region");
    scroll.with("aria-label", format!("{}, numbers", table.title)).children([inner])
}

fn row(row: &Row) -> Node {
    let published = match (row.published, row.stddev) {
        (Some(value), Some(spread)) => format!("{} ± {}", number(value), number(spread)),
        (Some(value), None) => number(value),
        (None, _) => "\u{2013}".to_string(),
    };
    let unit = if row.points { "points" } else { "%" };
    let error = row.error().map_or("\u{2013}".to_string(), |error| match error.is_finite() {
        true => format!("{} {unit}", signed(error)),
        false => "published: 0".to_string(),
    });
    let aim = match (row.role, row.aim) {
        (Role::Exact, _) => "equal".to_string(),
        (_, Some(aim)) => format!("within {} {unit}", number(aim)),
        _ => String::new(),
    };
    let met = match row.holds() {
        Some(true) => "met",
        Some(false) if row.known => "missed, as known",
        Some(false) => "MISSED",
        None => "",
    };
    let cell = |text: String| Node::html("td").text(text);
    let cells = [published, number(row.modelled), error].map(cell);
    let words = [role(row.role).to_string(), aim].map(|text| cell(text).class("word"));
    let met = cell(met.to_string()).class(if row.holds() == Some(false) { "word missed" } else { "word" });
    Node::html("tr")
        .children([Node::html("th").with("scope", "row").text(row.what.clone())])
        .children(cells)
        .children(words)
        .children([met, cell(row.note.clone()).class("why")])
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Fitted => "fitted",
        Role::HeldOut => "held out",
        Role::Exact => "exact",
        Role::Order => "order",
        Role::Shown => "shown",
    }
}

// Four digits that count.
fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_string();
    }
    let digits = (3 - value.abs().log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{value:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    text.replace('-', "\u{2212}")
}

fn signed(value: f64) -> String {
    let text = format!("{:.1}", value.abs());
    match text.as_str() {
        "0.0" => text,
        _ if value < 0.0 => format!("\u{2212}{text}"),
        _ => format!("+{text}"),
    }
}

/// Published beside modelled, fitted ones marked; in words for those who don't see it.
fn picture(table: &Table) -> AnyView {
    let drawn = bars(table);
    if drawn.groups.is_empty() {
        return ().into_any();
    }
    let more = table.rows.len().saturating_sub(drawn.groups.len());
    let more =
        (more > 0).then(|| view! { <p class="source">{format!("{more} more rows are in the table alone.")}</p> });
    match drawn.draw(PICTURE, Theme::Css) {
        Ok(svg) => view! { <div class="picture" inner_html=svg></div> {more} }.into_any(),
        Err(error) => view! { <p class="source">{format!("No picture: {error}.")}</p> }.into_any(),
    }
}

fn bars(table: &Table) -> Bars {
    let group = |row: &Row| {
        let published = row.published.map(|value| {
            let error = row.stddev.map(|spread| (value - spread, value + spread));
            Bar { value, error, fitted: false }
        });
        let modelled = Bar { value: row.modelled, error: None, fitted: row.role == Role::Fitted };
        Group { name: row.what.clone(), published, modelled: Some(modelled) }
    };
    Bars {
        title: table.title.clone(),
        x: "row of the table".to_string(),
        y: Axis::new(table.unit.clone(), Unit::Plain),
        groups: table.rows.iter().filter(|row| !row.apart).take(MOST_BARS).map(group).collect(),
        names: ["published".to_string(), "modelled".to_string()],
        error: "standard deviation".to_string(),
    }
}

fn below(table: &Table) -> Node {
    let list = |title: &'static str, items: Vec<Node>| {
        (!items.is_empty()).then(|| {
            let items = Node::html("ul").children(items);
            Node::html("div").children([Node::html("h4").text(title), items])
        })
    };
    let item = |text: String| Node::html("li").text(text);
    let checks = table.checks.iter().map(|check| {
        let (mark, word) = match (check.holds, &check.known) {
            (true, None) => ("✓", "holds"),
            (true, Some(_)) => ("✓", "HOLDS, known not to"),
            (false, None) => ("✗", "BROKEN"),
            (false, Some(_)) => ("✗", "broken, as known"),
        };
        let why = check.known.as_ref().map_or(String::new(), |why| format!(" Known: {why}."));
        item(format!("{mark} {word}: {}. Found: {}.{why}", check.what, check.found))
    });
    let fits = table
        .fits
        .iter()
        .map(|fit| item(format!("fitted: {} = {} {}, to {}", fit.parameter, number(fit.value), fit.unit, fit.from)));
    let notes = table.notes.iter().map(|note| item(note.clone()));
    let parts = [list("Checks", checks.collect()), list("Fitted", fits.collect()), list("Notes", notes.collect())];
    Node::html("div").class("below").children(parts.into_iter().flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        let shown = [0.0, 0.01234567, 7.5, 1234.6, -2.0, 400.0].map(number);
        assert_eq!(shown, ["0", "0.01235", "7.5", "1235", "\u{2212}2", "400"]);
        assert_eq!([0.04, -0.26, 12.0].map(signed), ["0.0", "\u{2212}0.3", "+12.0"]);
    }

    #[test]
    fn fitted_bars_are_marked_and_spreads_are_drawn() {
        let mut table = Table::new("t", "s", "ms");
        table.rows = vec![
            Row::new("a", 10.0, 10.0, Role::Fitted).spread(Some(1.0)),
            Row::new("b", 20.0, 30.0, Role::HeldOut).within(10.0),
        ];
        let bars = bars(&table);
        assert_eq!(bars.groups[0].published.unwrap().error, Some((9.0, 11.0)));
        assert!(bars.groups[0].modelled.unwrap().fitted && !bars.groups[1].modelled.unwrap().fitted);
        assert!(bars.draw(PICTURE, Theme::Css).unwrap().contains("<svg"));
    }
}
