//! Writes the start page and holds it against what the stage draws and the series say.
//!
//! `UPDATE_GOLDEN=1 cargo test -p app start::page` writes assets/start.html anew; look at it before it is kept.

use sim_core::scenario::{SERIES, Scenario, Series};
use stage::{FenceState, Form, Key, Rect};

use super::picture::{around, escape, picture};
use crate::hash;
use crate::link::{Pair, Which};
use crate::session::{Go, Session};
use crate::subject::Subject;
use crate::text::{difference, thousands};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../assets/start.html");

/// A real moment of a series, for its tiny picture.
struct Moment {
    series: &'static str,
    /// The side that is shown.
    which: Which,
    /// What the picture says to those who do not see it.
    alt: &'static str,
    /// What the author's figures say, in one line.
    claim: &'static str,
    /// Fences that are shown.
    fences: fn(&Session) -> Vec<Key>,
    /// How much there is to see; the first of the best moments is shown.
    worth: fn(&Session) -> usize,
}

fn held(session: &Session, which: Which, fence: Key) -> bool {
    let fences = &session.side(which).scene.fences;
    fences.iter().any(|one| one.key == fence && one.state == FenceState::Held)
}

/// Fences of shelves with this on their edge.
fn fence_of(session: &Session, which: Which, word: &str) -> Vec<Key> {
    let titled = |fence: &&stage::Fence| {
        let badges = fence.edge.badges.iter().flat_map(|badge| &badge.spans);
        fence.edge.title.iter().chain(badges).any(|span| span.text.contains(word))
    };
    let shelves = session.side(which).scene.fences.iter().filter(|fence| matches!(fence.key, Key::Shelf(_)));
    shelves.filter(titled).map(|fence| fence.key).collect()
}

/// Marks and tiles within a shelf whose lock is held.
fn locked(session: &Session, which: Which, word: &str) -> usize {
    let held = fence_of(session, which, word).iter().any(|&key| held(session, which, key));
    if held { filling(session, which, word) } else { 0 }
}

/// Marks and tiles within a fence.
fn filling(session: &Session, which: Which, word: &str) -> usize {
    let scene = &session.side(which).scene;
    let keys = fence_of(session, which, word);
    let inside =
        |rect: &Rect| scene.fences.iter().any(|fence| keys.contains(&fence.key) && fence.rect.contains(rect.centre()));
    scene.marks.iter().filter(|mark| inside(&mark.rect)).count()
        + scene.tiles.iter().filter(|tile| inside(&tile.rect)).count()
}

const MOMENTS: [Moment; 5] = [
    Moment {
        series: "munlock",
        which: Which::New,
        alt: "A batch of pages is isolated under one lru_lock.",
        claim: "One lru_lock for 14 pages: munlock of 56 GiB in 2.17 s instead of 3.39 s",
        fences: |_| vec![Key::Zone(0)],
        worth: |session| {
            let batch = (19..24).contains(&session.side(Which::New).moment.munlocked);
            usize::from(held(session, Which::New, Key::Zone(0)) && batch)
        },
    },
    Moment {
        series: "lru-drain",
        which: Which::Old,
        alt: "Work items wait for kworkers on every CPU.",
        claim: "300,000 calls of mlock in 3.9 s instead of 73.6 s",
        fences: |session| fence_of(session, Which::Old, "Work items"),
        worth: |session| filling(session, Which::Old, "Work items"),
    },
    Moment {
        series: "pcp-free",
        which: Which::Old,
        alt: "Pages picked from the per-CPU lists go to the free lists under zone->lock.",
        claim: "7.97 million page faults a second become 8.51 million, on 112 CPUs",
        fences: |session| fence_of(session, Which::Old, "zone->lock"),
        worth: |session| locked(session, Which::Old, "zone->lock"),
    },
    Moment {
        series: "madvise-free",
        which: Which::Old,
        alt: "Slots of the swap device are in use.",
        claim: "879,585 swap-ins become 1,878; 90.67 s become 64.45 s",
        fences: |session| fence_of(session, Which::Old, "Swap device"),
        worth: |session| locked(session, Which::Old, "Swap device"),
    },
    Moment {
        series: "rmap-unmap",
        which: Which::New,
        alt: "PTEs of isolated folios are cleared under ptl.",
        claim: "try_to_unmap_one takes 9.87 % of the time instead of 18.26 %",
        fences: |_| vec![Key::Space(0), Key::Cpu(0)],
        worth: |session| usize::from(held(session, Which::New, Key::Space(0)) && session.at().new > 400),
    },
];

fn open(series: &Series, form: Form) -> Session {
    let scenario = Scenario::find(series.name).expect("a series has a main scenario");
    Session::open(&Subject::of(scenario), form).expect("a series opens")
}

/// Goes to the first of the best moments, looking at every few steps.
fn seek(session: &mut Session, worth: fn(&Session) -> usize) {
    let end = session.clock_end();
    let mut best = (0, 0);
    for clock in (0..end).step_by((end as usize / 2000).max(1)) {
        session.go(Go::Clock(clock));
        let worth = worth(session);
        if worth > best.0 {
            best = (worth, clock);
        }
    }
    assert!(best.0 > 0, "no such moment in {}", session.subject.scenario);
    session.go(Go::Clock(best.1));
}

fn address(session: &Session) -> String {
    escape(&hash::encode(&session.link()))
}

fn count(session: &Session, which: Which, key: &str) -> u64 {
    let rows = &session.side(which).moment.rows;
    rows.iter().find(|row| row.key == key).map_or(0, |row| row.value)
}

/// Two counts in large, as the explorer has them.
fn hero(session: &Session, name: &str, key: &str) -> String {
    let [old, new] = Which::BOTH.map(|which| count(session, which, key));
    let most = old.max(new).max(1);
    let [a, b] = [old, new].map(|value| value * 140 / most);
    format!(
        "<div class=\"hero\"><h2><span><i class=\"ko\"></i>old</span><b>{name}</b>\
         <span>new<i class=\"kn\"></i></span></h2>\
         <p class=\"hn\"><span class=\"ho\">{}</span><span class=\"hd\">{}</span>\
         <span class=\"hw\">{}</span></p>\
         <svg class=\"bars\" viewBox=\"0 0 286 15\" aria-hidden=\"true\">\
         <rect class=\"bo\" x=\"{}\" y=\"3.75\" width=\"{a}\" \
         height=\"7.5\"/><rect class=\"bn\" x=\"143\" y=\"3\" width=\"{b}\" height=\"9\"/>\
         <path d=\"M143 0v15\"/></svg></div>\n",
        thousands(old),
        difference(old, new),
        thousands(new),
        143 - a,
    )
}

fn side(session: &Session, narrow: &Session, which: Which) -> String {
    let mark = if which == Which::Old { "ko" } else { "kn" };
    let label = escape(session.side(which).label());
    let words = session.side(which).moment.words.0.iter();
    let words: String =
        words.map(|(text, strong)| if *strong { format!("<b>{}</b>", escape(text)) } else { escape(text) }).collect();
    let scene = &session.side(which).scene;
    let whole = Rect::new(0.0, 0.0, scene.width, scene.height);
    let alt = escape(&format!("{}: {}", which.name(), scene.title));
    let small = &narrow.side(which).scene;
    let part = around(small, &[Key::Cpu(0), Key::Zone(0)]);
    format!(
        "<div class=\"half {}\">\n<p class=\"who\"><i class=\"{mark}\"></i>{}: {label}</p>\n\
         <p class=\"say\">{words}</p>\n{}{}</div>\n",
        which.name(),
        which.name(),
        picture(scene, &whole, "large", &alt),
        picture(small, &part, "small", &alt),
    )
}

/// The moment that stands large: old has taken `lru_lock` for page 17, new notes pages without a lock.
fn opening() -> String {
    let worth: fn(&Session) -> usize = |session| {
        let [old, new] = Which::BOTH.map(|which| session.side(which));
        let apart = old.moment.munlocked >= 17 && new.moment.munlocked >= 14;
        usize::from(apart && held(session, Which::Old, Key::Zone(0)))
    };
    let mut session = open(&SERIES[0], Form::Wide);
    seek(&mut session, worth);
    // New waits for old at the end of its own stretch: what it did there last is worth more than the wait.
    while !session.side(Which::New).moment.words.plain().contains("slot") {
        let at = session.at();
        session.go(Go::Pair(Pair::new(at.old, at.new - 1)));
    }
    let mut narrow = open(&SERIES[0], Form::Narrow);
    narrow.go(Go::Pair(session.at()));
    let milestone = session.milestones().0;
    let (strong, rest) = crate::text::milestone(milestone, session.units(), "page");
    format!(
        "<section class=\"moment\" aria-label=\"A moment of munlock, old and new\">\n{}<div class=\"between\">\n\
         <p class=\"where\"><em>both at</em><strong><b>{strong}</b> {rest}</strong></p>\n{}{}\
         <p class=\"onward\"><a class=\"btn pri\" href=\"{}\">Watch from here</a></p>\n</div>\n{}</section>\n",
        side(&session, &narrow, Which::Old),
        hero(&session, "atomic operations", "total"),
        hero(&session, SERIES[0].opening.hero.1, SERIES[0].opening.hero.0),
        address(&session),
        side(&session, &narrow, Which::New),
    )
}

/// Numbers stay on a line with what follows them.
fn together(text: &str) -> String {
    let mut before = ' ';
    let keep = |c: char| {
        let kept = if c == ' ' && before.is_ascii_digit() { '\u{a0}' } else { c };
        before = c;
        kept
    };
    text.chars().map(keep).collect()
}

fn entry(moment: &Moment) -> String {
    let series = SERIES.iter().find(|series| series.name == moment.series).expect("a series");
    let mut session = open(series, Form::Narrow);
    let start = address(&session);
    seek(&mut session, moment.worth);
    let scene = &session.side(moment.which).scene;
    let mut part = around(scene, &(moment.fences)(&session));
    part.h = part.h.min(170.0);
    format!(
        "<li>\n{}<h3>{}</h3>\n<p class=\"year\">{} <code>{}</code></p>\n<p class=\"claim\">{}</p>\n\
         <a class=\"watch\" href=\"{start}\">Watch<span class=\"sr\"> {}</span></a>\n</li>\n",
        picture(scene, &part, "tiny", &escape(moment.alt)),
        escape(series.title),
        series.year,
        series.name,
        together(&escape(moment.claim)),
        escape(series.title),
    )
}

fn page() -> String {
    let series: String = MOMENTS.iter().map(entry).collect();
    TEMPLATE.replace("{MOMENT}", &opening()).replace("{SERIES}", &series).replace("{NOTHING}", super::last::NOTHING)
}

const TEMPLATE: &str = include_str!("template.html");

#[test]
fn the_start_page_is_what_the_stage_draws_and_the_series_say() {
    let page = page();
    if std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
        std::fs::write(FILE, &page).expect("assets/ can be written");
        return;
    }
    let kept = std::fs::read_to_string(FILE).unwrap_or_default().replace("\r\n", "\n");
    let first = kept.lines().zip(page.lines()).position(|(kept, page)| kept != page);
    assert!(
        kept == page,
        "assets/start.html differs in line {}: `UPDATE_GOLDEN=1 cargo test -p app start::page` takes the new one",
        first.map_or(0, |line| line + 1)
    );
}

/// Every link of the page opens, at the steps that it names.
#[test]
fn every_link_leads_somewhere() {
    let page = std::fs::read_to_string(FILE).expect("assets/start.html");
    let links: Vec<&str> = page.split("href=\"#v").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(links.len(), 1 + SERIES.len());
    for link in links {
        let link = format!("#v{}", link.replace("&amp;", "&"));
        let link = hash::decode(&link).ok().flatten().expect("a link");
        let mut session = Session::open(&Subject::from_link(&link).unwrap(), Form::Narrow).expect("it opens");
        session.go(Go::Pair(link.step));
        assert_eq!(session.at(), link.step);
    }
}
