//! What is looked at, on both sides: what it is now, who left it so, and every step that touched it.

use leptos::html;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use sim_core::ask::{Condition, Manner, Subject};
use stage::{Rect, number};

use super::icons::{cross, left, mark, right};
use crate::app::App;
use crate::dom::{Node, live, watch};
use crate::link::Which;
use crate::questions::{Life, Row, facts, subject_of};
use crate::session::{Go, Session};
use crate::text::thousands;
use crate::web;

/// Width of the sheet in the drawing's measures, to keep it inside.
const WIDTH: f32 = 360.0;

/// The sheet of one side; both show the same subject.
#[component]
pub fn Inspector(which: Which) -> impl IntoView {
    let app = App::get();
    let host = NodeRef::<html::Div>::new();
    let life = StoredValue::new_local(Life::default());
    let turned = RwSignal::new(0u32);
    let sheet = live(move || {
        app.shown.track();
        app.loaded.track();
        turned.track();
        let Some((side, subject)) = app.looked.get() else { return Node::html("div").with("hidden", "") };
        app.with_mut(|session| {
            life.try_update_value(|life| {
                life.bring(session, which, subject);
                sheet(session, which, subject, life, side == which)
            })
            .unwrap_or_else(|| Node::html("div"))
        })
    });
    let close = move || {
        let looked = app.looked.get_untracked();
        app.looked.set(None);
        if let Some((side, subject)) = looked {
            focus_subject(side, subject);
        }
    };
    let clicked = move |event: web_sys::MouseEvent| {
        let asks = |name: &str| web::closest(&event, &format!("[data-{name}]")).is_some();
        if let Some(step) = web::number_of(&event, "data-step") {
            app.step(Go::Side(which, step));
        } else if asks("earlier") || asks("later") {
            app.with_mut(|session| life.try_update_value(|life| life.turn(session, which, asks("later"))));
            turned.update(|count| *count += 1);
        } else if asks("stop") {
            if let Some((_, subject)) = app.looked.get_untracked() {
                app.add_break(stop_at(subject));
            }
        } else if asks("other") {
            app.looked.update(|looked| {
                if let Some((side, _)) = looked {
                    *side = which.other();
                }
            });
        } else if asks("close") {
            close();
        }
    };
    let keys = move |event: web_sys::KeyboardEvent| {
        if event.key() == "Escape" {
            event.prevent_default();
            close();
        }
    };
    // In the next frame the sheet is there.
    let focused = StoredValue::new(None::<Subject>);
    watch(move || {
        let now = app.looked.get();
        let subject = now.map(|(_, subject)| subject);
        if now.is_some_and(|(side, _)| side == which) && focused.get_value() != subject {
            request_animation_frame(move || _ = focus_in(host, ".ico"));
        }
        focused.set_value(subject);
    });
    watch(move || {
        app.shown.track();
        app.looked.track();
        request_animation_frame(move || _ = show_present(host));
    });
    view! { <div node_ref=host on:click=clicked on:keydown=keys>{sheet}</div> }
}

/// What "stop here" waits for.
fn stop_at(subject: Subject) -> Condition {
    let manner = match subject {
        Subject::Lock(..) => Manner::Taken,
        Subject::Function(_) => Manner::Touched,
        _ => Manner::Written,
    };
    Condition::Touched(subject, manner)
}

fn sheet(session: &Session, which: Which, subject: Subject, life: &Life, chosen: bool) -> Node {
    let (x, y, above) = place_on_stage(session, which, subject);
    let heading = Node::html("h3").children([mark(which), Node::html("span").text(subject.words())]);
    let button = |name: &'static str, text: String| Node::html("button").class("small").with(name, "").text(text);
    let close =
        Node::html("button").class("ico").with("aria-label", "Close").with("data-close", "").children([cross()]);
    let other = button("data-other", which.other().name().to_string())
        .with("aria-label", format!("the same in {}", which.other().name()));
    let stop = button("data-stop", "stop here".into()).with("title", format!("Breakpoint: {}", stop_at(subject)));
    let facts = facts(session, which, subject).into_iter();
    let facts = facts.flat_map(|(name, value)| [Node::html("dt").text(name), Node::html("dd").text(value)]);
    let now = session.at().of(which);
    Node::html("div")
        .class(format!("inspect{}{}", if above { " above" } else { "" }, if chosen { "" } else { " beside" }))
        .with("role", "dialog")
        .with("aria-label", format!("{}, {}", subject.words(), which.name()))
        .style("left", format!("{}%", number(x)))
        .style("top", format!("{}%", number(y)))
        .children([
            Node::html("header").children([heading, other, stop, close]),
            Node::html("dl").class("facts").children(facts),
            writer(session, which, life, now),
            beside(life, now),
            biography(life, now),
        ])
}

/// Who left it as it is.
fn writer(session: &Session, which: Which, life: &Life, now: u32) -> Node {
    let line = Node::html("div").class("writer");
    let Some(step) = life.writer(now) else {
        return line.children([Node::html("span").text("no step has written it yet")]);
    };
    let timeline = &session.side(which).track.run.timeline;
    let stack = step.checked_sub(1).map(|at| timeline.stack(at as usize)).unwrap_or_default();
    let function = stack.last().map_or("", |&frame| timeline.frames()[frame as usize].func.name);
    let present = if step == now { "this step, " } else { "" };
    let words = format!("last writer: {present}step {}, {function}", thousands(step.into()));
    let words = Node::html("span").text(words);
    let go = life.writer_to_go(now).map(|step| {
        let label = if life.writer(now) == Some(now) { "the writer before" } else { "go there" };
        Node::html("button")
            .class("small")
            .with("data-step", step.to_string())
            .with("aria-keyshortcuts", "w")
            .with("title", format!("step {step} (w)"))
            .text(label)
    });
    line.children([words]).children(go)
}

/// How often it was touched, and the steps before and after the present one that do.
fn beside(life: &Life, now: u32) -> Node {
    let total = life.len() as u64;
    let title = format!("touched by {} {}", thousands(total), if total == 1 { "step" } else { "steps" });
    let button = |label: &'static str, sign: Node, step: Option<u32>| {
        let button = Node::html("button").class("nav").with("aria-label", label).children([sign]);
        match step {
            Some(step) => button.with("data-step", step.to_string()),
            None => button.with("aria-disabled", "true"),
        }
    };
    Node::html("div").class("bio").children([
        Node::html("h4").text(title),
        button("last step that touched it", left(), life.before(now)),
        button("next step that touches it", right(), life.next(now)),
    ])
}

fn biography(life: &Life, now: u32) -> Node {
    let row = |row: Row<'_>| {
        let button = Node::html("button").with("data-step", row.step.to_string()).children([
            Node::html("span").text(thousands(row.step.into())),
            Node::html("i").text(row.touch.word()),
            Node::html("b").text(row.sentence),
        ]);
        let class = match (row.later, row.touch.writes()) {
            (true, true) => "later",
            (true, false) => "later reads",
            (false, true) => "",
            (false, false) => "reads",
        };
        Node::html("li").class(class).with_if(row.present, "aria-current", "step").children([button])
    };
    // What is not listed is said, and one press away.
    let more = |left: usize, name: &'static str, words: &'static str| {
        (left > 0).then(|| {
            let text = format!("{} {words}", thousands(left as u64));
            Node::html("li").class("rest").children([Node::html("button").with(name, "").text(text)])
        })
    };
    let window = life.window();
    Node::html("ol")
        .class("biography")
        .with("tabindex", "0")
        .with("aria-label", "Steps that touch it")
        .children(more(window.earlier, "data-earlier", "earlier"))
        .children(life.rows(now).map(row))
        .children(more(window.later, "data-later", "later"))
}

fn focus_in(host: NodeRef<html::Div>, selector: &str) -> Option<()> {
    let element = host.try_get_untracked()??.query_selector(selector).ok()??;
    element.unchecked_ref::<web_sys::HtmlElement>().focus().ok()
}

/// Scrolls the list to the present.
fn show_present(host: NodeRef<html::Div>) -> Option<()> {
    let host = host.try_get_untracked()??;
    let list = host.query_selector(".biography").ok()??;
    let row = list.query_selector("[aria-current]").ok()??;
    show_row(list.unchecked_ref(), &row);
    Some(())
}

/// Scrolls a list, and nothing else, until a row shows.
fn show_row(list: &web_sys::HtmlElement, row: &web_sys::Element) {
    let row: &web_sys::HtmlElement = row.unchecked_ref();
    let (top, height) = (row.offset_top(), row.offset_height());
    let seen = list.scroll_top()..list.scroll_top() + list.client_height() - height;
    if !seen.contains(&top) {
        list.set_scroll_top((top - list.client_height() / 2).max(0));
    }
}

fn focus_subject(which: Which, subject: Subject) {
    let selector = match subject {
        Subject::Page(page) => format!(".side.{} .tile[data-page=\"{page}\"]:not(.ref)", which.name()),
        other => format!(".side.{} [data-subject=\"{other}\"]", which.name()),
    };
    if let Some(element) = document().query_selector(&selector).ok().flatten() {
        // Focus fails for no element that is shown.
        let _ = element.unchecked_ref::<web_sys::SvgElement>().focus();
    }
}

/// Where the drawing has a subject.
fn rect_of(session: &Session, which: Which, subject: Subject) -> Option<Rect> {
    let side = session.side(which);
    let scene = &side.scene;
    if let Subject::Page(page) | Subject::Lock(sim_core::machine::LockClass::Page, Some(page)) = subject {
        return scene.tile(page).map(|tile| tile.rect);
    }
    let is_it = |key: stage::Key| subject_of(&side.track, &side.view, key) == Some(subject);
    match subject {
        Subject::Pte(..) => scene.ptes.iter().find(|pte| is_it(pte.key)).map(|pte| pte.rect),
        Subject::List(_) => {
            let label = scene.labels.iter().find(|label| is_it(label.key));
            label.map(|label| Rect { x: label.x, y: label.y - 8.0, w: 90.0, h: 16.0 })
        }
        Subject::Lock(class, _) => {
            let class = Some(Subject::Lock(class, None));
            let fences = scene.fences.iter();
            let fence = fences
                .filter(|fence| !fence.edge.title.is_empty())
                .find(|fence| is_it(fence.key) || subject_of(&side.track, &side.view, fence.key) == class);
            fence.map(|fence| Rect { x: scene.width - 40.0, ..fence.edge.rect })
        }
        _ => None,
    }
}

/// Left and top in percent of the drawing, and whether it stands above its place. What the drawing has no place for
/// stands at its top.
fn place_on_stage(session: &Session, which: Which, subject: Subject) -> (f32, f32, bool) {
    let scene = &session.side(which).scene;
    let most = (scene.width - WIDTH).max(0.0);
    let percent = |x: f32, y: f32| (100.0 * x / scene.width.max(1.0), 100.0 * y / scene.height.max(1.0));
    let Some(place) = rect_of(session, which, subject) else {
        let (left, top) = percent(most / 2.0, 0.0);
        return (left, top, false);
    };
    let left = (place.x + place.w / 2.0 - WIDTH / 2.0).clamp(0.0, most);
    let above = place.y > scene.height * 0.5;
    let (left, top) = percent(left, if above { place.y } else { place.bottom() });
    (left, top, above)
}
