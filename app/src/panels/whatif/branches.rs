//! The forks of a side's kernel, as a tree.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;

use crate::app::App;
use crate::dom::Node;
use crate::hash::BRANCH_NAME;
use crate::link::Which;
use crate::session::Session;
use crate::web;
use crate::whatif::Branch;

/// Where the name of a fork is typed.
const FIELD: &str = "fork-name";
/// How far a fork stands in from what it left, in pixels; from some depth on no further.
const INDENT: usize = 14;
const DEEPEST: usize = 5;

/// The original of a side's kernel, and under it the forks.
pub fn tree(session: &Session, which: Which, renamed: Option<u32>) -> Node {
    let variant = &session.subject.variants[which as usize];
    let tree = session.what_if.branches.tree(&session.subject, variant);
    let list = Node::html("ul").class("wi-forks").with("aria-label", format!("Forks of {}", which.name()));
    if tree.is_empty() {
        return list.with("hidden", "");
    }
    let forks = tree.into_iter().map(|(depth, branch)| row(session, which, depth, branch, renamed));
    list.children([original(session, which)]).children(forks)
}

fn button(name: &'static str, wish: &'static str, which: Which, label: String) -> Node {
    let button = Node::html("button").class("wi-do").with("data-do", wish).with("data-side", which.name());
    button.with("aria-label", label).text(name)
}

fn original(session: &Session, which: Which) -> Node {
    let shown = session.subject.own[which as usize].is_none();
    let words = Node::html("span").class("wi-task").children([
        Node::html("b").text("original"),
        Node::html("small").text(format!(" of {}", session.side(which).label())),
    ]);
    let side = which.name();
    let act = if shown {
        Node::html("small").text("shown")
    } else {
        button("show", "original", which, format!("{side}: show the original"))
    };
    let item = Node::html("li").key("original").with_if(shown, "aria-current", "true");
    item.children([words, Node::html("span").class("wi-dos").children([act])])
}

fn row(session: &Session, which: Which, depth: usize, branch: &Branch, renamed: Option<u32>) -> Node {
    let shown = branch.is_shown(&session.subject, which);
    let id = branch.id.to_string();
    let name = if renamed == Some(branch.id) {
        Node::html("input")
            .key("input")
            .with("id", FIELD)
            .with("type", "text")
            .with("maxlength", BRANCH_NAME.to_string())
            .with("aria-label", format!("Name of {}; Enter keeps it, Escape does not", branch.name))
            .with("autocomplete", "off")
            .with("value", branch.name.clone())
            .with("data-fork", id.clone())
    } else {
        Node::html("b").key("name").text(branch.name.clone())
    };
    let outcome = Node::html("small").text(format!(" {}", branch.outcome(&session.subject)));
    let words = Node::html("span").class("wi-task").children([name, outcome]);
    let act = |name: &'static str, wish: &'static str, said: &str| {
        button(name, wish, which, format!("{said} {}, {}", branch.name, which.name())).with("data-fork", id.clone())
    };
    let beside = shown.then(|| act("beside", "beside", "Put the original beside"));
    let show = (!shown).then(|| act("show", "show", "Show"));
    let broken = branch.broken.as_ref().filter(|_| shown).map(|(rule, step)| {
        let label = format!("to ✗: go to step {step}, where {rule} ends {}", branch.name);
        button("to ✗", "go", which, label).with("data-step", step.to_string())
    });
    let acts = show.into_iter().chain(beside).chain(broken);
    let acts = acts.chain([act("rename", "rename", "Rename"), act("delete", "delete", "Delete")]);
    let indent = (depth + 1).min(DEEPEST) * INDENT;
    Node::html("li")
        .with_if(shown, "aria-current", "true")
        .style("padding-left", format!("{indent}px"))
        .children([words, Node::html("span").class("wi-dos").children(acts)])
}

/// Lets the reader type a name.
pub fn start(renamed: RwSignal<Option<u32>>, id: u32) {
    renamed.set(Some(id));
    request_animation_frame(|| {
        let field = document().get_element_by_id(FIELD);
        if let Some(field) = field.and_then(|field| field.dyn_into::<web_sys::HtmlInputElement>().ok()) {
            // Focus fails for nothing that is shown.
            let _ = field.focus();
            field.select();
        }
    });
}

/// Enter keeps a name, Escape does not; Escape elsewhere closes the strip.
pub fn typed(app: App, event: &web_sys::KeyboardEvent, renamed: RwSignal<Option<u32>>) {
    let key = event.key();
    let field = web::target(event).filter(|target| target.id() == FIELD);
    let field = field.and_then(|field| field.dyn_into::<web_sys::HtmlInputElement>().ok());
    match (key.as_str(), field) {
        ("Enter" | "Escape", Some(field)) => {
            event.prevent_default();
            renamed.set(None);
            let id = field.get_attribute("data-fork").and_then(|id| id.parse().ok());
            if let Some(id) = id.filter(|_| key == "Enter")
                && app.with_mut(|session| session.rename_fork(id, &field.value()))
            {
                app.renamed();
            }
            request_animation_frame(move || {
                let id = id.map_or(String::new(), |id: u32| id.to_string());
                web::focus_first(&format!("[data-do=rename][data-fork=\"{id}\"]"));
            });
        }
        ("Escape", None) => {
            event.prevent_default();
            app.toggle_strip();
        }
        _ => {}
    }
}
