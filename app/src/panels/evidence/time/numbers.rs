//! The tables of modelled times.

use crate::dom::Node;
use crate::link::Which;
use crate::session::Session;
use crate::text::thousands;
use crate::times::{self, Line, Scale, change, per_unit, words};

/// All tables, each named after the profile.
pub fn draw(session: &Session) -> Node {
    let timings = Which::BOTH.map(|which| session.timing(which));
    let timings = [&*timings[0], &*timings[1]];
    let details = Which::BOTH.map(|which| session.detail(which));
    let profile = session.costs().name.clone();
    let units = session.units().map(|units| (units, session.opening().unit.1));
    Node::html("div").class("numbers").children([
        sums(&profile, &times::sums(timings), units),
        locks(&profile, &times::locks(timings)),
        classes(&profile, &times::classes(timings)),
        functions(&profile, &times::functions([&details[0], &details[1]])),
    ])
}

/// A table that scrolls by itself where it is wider than the page. `what` ends with the unit.
fn table(key: &'static str, what: &str, profile: &str, heads: &[&str], rows: Vec<Node>) -> Node {
    let caption = Node::html("caption").children([
        Node::html("b").text(what.to_string()),
        Node::html("span").text(format!(" modelled with {profile}")),
    ]);
    let head = heads.iter().map(|head| Node::html("th").with("scope", "col").text((*head).to_string()));
    let head = Node::html("thead").children([Node::html("tr").children(head)]);
    let table = Node::html("table").class("evid").children([caption, head, Node::html("tbody").children(rows)]);
    let scroll = Node::html("div").class("scroll").with("tabindex", "0").with("role", "region");
    scroll.key(key).with("aria-label", what.to_string()).children([table])
}

fn row(name: Node, cells: impl IntoIterator<Item = String>) -> Node {
    let cells = cells.into_iter().map(|cell| Node::html("td").text(cell));
    Node::html("tr").children([Node::html("th").with("scope", "row").children([name])]).children(cells)
}

fn plain(text: impl Into<String>) -> Node {
    Node::html("span").text(text)
}

fn code(text: &'static str) -> Node {
    Node::html("code").text(text)
}

fn difference(ps: [u64; 2]) -> String {
    change(ps).unwrap_or_else(|| "\u{2013}".to_string())
}

fn most(ps: impl IntoIterator<Item = [u64; 2]>) -> Scale {
    Scale::of(ps.into_iter().flatten().max().unwrap_or(0))
}

fn sums(profile: &str, lines: &[Line], units: Option<(u32, &str)>) -> Node {
    let scale = most(lines.iter().map(|line| line.ps));
    let (units, unit) = units.unwrap_or((1, "run"));
    let small = most(lines.iter().map(|line| line.ps.map(|ps| per_unit(ps, units))));
    let what = format!("Times of the whole run, {}", scale.unit());
    let each = ["old", "new"].map(|side| format!("{side}, {} per {unit}", small.unit()));
    let rows = lines.iter().map(|line| {
        let each = line.ps.map(|ps| small.show(per_unit(ps, units)));
        let cells = line.ps.map(|ps| scale.show(ps)).into_iter().chain([difference(line.ps)]).chain(each);
        row(plain(line.name), cells)
    });
    table("sums", &what, profile, &["", "old", "new", "difference", &each[0], &each[1]], rows.collect())
}

fn locks(profile: &str, lines: &[times::LockLine]) -> Node {
    let scale = most(lines.iter().flat_map(|line| [line.wait, line.hold]));
    let what = format!("Locks by class, {}", scale.unit());
    const HEADS: [&str; 8] =
        ["", "waiters", "waited, old", "waited, new", "difference", "held, old", "held, new", "difference"];
    let rows = lines.iter().map(|line| {
        let waiters = if line.class.sleeps() { "sleep" } else { "spin" }.to_string();
        let part = |ps: [u64; 2]| ps.map(|ps| scale.show(ps)).into_iter().chain([difference(ps)]);
        row(code(line.class.name()), [waiters].into_iter().chain(part(line.wait)).chain(part(line.hold)))
    });
    let rows: Vec<Node> = rows.collect();
    if rows.is_empty() {
        return Node::html("p").key("locks").text("No lock is taken in these runs.");
    }
    table("locks", &what, profile, &HEADS, rows)
}

fn classes(profile: &str, lines: &[(Option<sim_core::cost::CostClass>, [u64; 2])]) -> Node {
    let scale = most(lines.iter().map(|(_, ps)| *ps));
    let what = format!("Busy by class of work, {}", scale.unit());
    let longest = lines.iter().flat_map(|(_, ps)| *ps).max().unwrap_or(0).max(1);
    let rows = lines.iter().map(|(class, ps)| {
        let name = match class {
            Some(class) => plain(format!("{} ", words(*class))),
            None => plain("functions, beside their steps"),
        };
        let key = Node::html("span").children([name]).children(class.map(|class| code(class.key())));
        let bars = Node::html("td").class("bars").with("aria-hidden", "true").children(bars(*ps, longest));
        row(key, ps.map(|ps| scale.show(ps)).into_iter().chain([difference(*ps)])).children([bars])
    });
    table("classes", &what, profile, &["", "old", "new", "difference", "old above new"], rows.collect())
}

// The old side's bar is hollow, the new one's solid.
fn bars(ps: [u64; 2], longest: u64) -> [Node; 2] {
    let bar = |class: &'static str, ps: u64| {
        let tenths = u128::from(ps) * 1000 / u128::from(longest);
        Node::html("span").class(class).style("width", format!("{}.{}%", tenths / 10, tenths % 10))
    };
    [bar("bar-old", ps[0]), bar("bar-new", ps[1])]
}

fn functions(profile: &str, lines: &[times::FunctionLine]) -> Node {
    let scale = most(lines.iter().map(|line| line.inclusive));
    let what = format!("Busy by function, in what the ledger counts, {}", scale.unit());
    const HEADS: [&str; 9] = [
        "",
        "calls, old",
        "calls, new",
        "self, old",
        "self, new",
        "difference",
        "with callees, old",
        "with callees, new",
        "difference",
    ];
    let rows = lines.iter().map(|line| {
        let part = |ps: [u64; 2]| ps.map(|ps| scale.show(ps)).into_iter().chain([difference(ps)]);
        row(code(line.name), line.calls.map(thousands).into_iter().chain(part(line.own)).chain(part(line.inclusive)))
    });
    table("functions", &what, profile, &HEADS, rows.collect())
}
