//! Who goes next on one side, and who could.

use crate::dom::Node;
use crate::link::Which;
use crate::panels::icons::mark;
use crate::session::Session;
use crate::text::thousands;
use crate::whatif::{Standing, Task, somewhere_else, tasks};

/// Tasks that are listed; of more than that, those that have finished are left out.
const LISTED: usize = 6;

/// What a CPU may do: the name of the button, what it asks for, and how a screen reader says it.
const TURNS: [(&str, &str, &str); 3] = [
    ("1 step", "step", ""),
    ("to unlock", "unlock", ", until it gives a lock back"),
    ("to a wait", "blocked", ", until it waits or has finished"),
];

/// The tasks at the cursor of one side, each with what it may do next.
pub fn tasks_of(session: &Session, which: Which) -> Node {
    let side = session.side(which);
    let step = thousands(side.track.cursor().into());
    let heading = Node::html("h3").children([
        mark(which),
        Node::html("span").text(format!("{}: who goes next, after step {step}", which.name())),
    ]);
    let mut tasks = tasks(side);
    if tasks.len() == 1 || side.track.run.timeline.choices().is_empty() {
        return Node::html("div").class("wi-next").children([heading]).children(no_choice(session, which));
    }
    if tasks.len() > LISTED {
        tasks.retain(|task| task.standing != Standing::Done);
    }
    let rows = tasks.iter().map(|task| row(which, task));
    let list = Node::html("ul").class("wi-tasks").children(rows);
    Node::html("div").class("wi-next").children([heading, list])
}

fn row(which: Which, task: &Task) -> Node {
    let class = if task.standing == Standing::Next { "next" } else { "" };
    let sign = if task.standing == Standing::Next { "▸" } else { "" };
    let words = Node::html("span").class("wi-task").children([
        Node::html("i").with("aria-hidden", "true").text(sign),
        Node::html("b").text(format!("CPU {}", task.cpu)),
        Node::html("span").text(format!(" {}", task.name)),
        Node::html("small").text(format!(" {}", task.words)),
    ]);
    let can = matches!(task.standing, Standing::Next | Standing::Ready);
    let button = |(name, wish, said): (&'static str, &'static str, &'static str)| {
        Node::html("button")
            .class("wi-do")
            .with("data-do", wish)
            .with("data-side", which.name())
            .with("data-cpu", task.cpu.to_string())
            .with("aria-label", format!("{name}: {}, CPU {}, {}{said}", which.name(), task.cpu, task.name))
            .with("aria-disabled", if can { "false" } else { "true" })
            .text(name)
    };
    Node::html("li").class(class).children([words, Node::html("span").class("wi-dos").children(TURNS.map(button))])
}

/// One CPU: there is nothing to choose, and here is where there is.
fn no_choice(session: &Session, which: Which) -> Vec<Node> {
    let scenario = session.side(which).track.run.spec.scenario;
    let words = "Only one CPU has work at a time in this run, so nobody could go instead. Scenarios with a choice:";
    let button = |other: &sim_core::scenario::Scenario| {
        Node::html("button")
            .class("wi-do")
            .with("data-do", "scenario")
            .with("data-name", other.name)
            .with("title", other.summary)
            .text(other.name)
    };
    let others = somewhere_else(scenario);
    vec![Node::html("p").text(words), Node::html("p").class("wi-dos").children(others.into_iter().map(button))]
}
