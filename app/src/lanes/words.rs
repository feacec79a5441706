//! What is at a place, in words.

use super::axis::Clock;
use super::rows::{Group, Kind, Side, Span};
use crate::text::thousands;
use crate::times::Scale;

/// Something that lasts from one step to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// A function, a lock, a task, interrupts.
    pub kind: Kind,
    /// It is a wait or a sleep.
    pub dashed: bool,
    /// Its name.
    pub name: String,
    /// From which step to which, and for how long.
    pub extent: String,
}

/// What goes on on one CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnCpu {
    /// CPU.
    pub cpu: u8,
    /// The task, its functions from the outermost inwards, its locks, interrupts.
    pub items: Vec<Item>,
}

/// What goes on after so many steps of a side, on the CPUs where something does.
pub fn at(side: &Side, clock: Option<&Clock>, step: u32) -> Vec<OnCpu> {
    let on = |group: &Group| OnCpu { cpu: group.cpu, items: on_cpu(side, clock, group, step) };
    side.groups.iter().map(on).filter(|on| !on.items.is_empty()).collect()
}

fn on_cpu(side: &Side, clock: Option<&Clock>, group: &Group, step: u32) -> Vec<Item> {
    let mut items = Vec::new();
    for row in &group.rows {
        for dashed in [false, true] {
            items.extend(row.at(step, dashed).map(|span| item(side, clock, group.cpu, row.kind, dashed, span)));
        }
    }
    items
}

/// A span in words.
pub fn item(side: &Side, clock: Option<&Clock>, cpu: u8, kind: Kind, dashed: bool, span: Span) -> Item {
    let name = side.name(kind, span);
    let name = match (kind, dashed) {
        (Kind::Tasks, true) => format!("{name} sleeps"),
        (Kind::Tasks, false) => name.to_string(),
        (Kind::Locks(_), true) => format!("waits for {name}"),
        (Kind::Locks(_), false) => format!("{name} held"),
        _ => name.to_string(),
    };
    Item { kind, dashed, name, extent: extent(clock, cpu, kind, dashed, span) }
}

fn extent(clock: Option<&Clock>, cpu: u8, kind: Kind, dashed: bool, span: Span) -> String {
    let count = span.end - span.start;
    let [from, to] = [span.start, span.end].map(|step| thousands(step.into()));
    let steps = if count == 1 { "1 step".to_string() } else { format!("{} steps", thousands(count.into())) };
    let time = clock.map(|clock| {
        let (start, end) = clock.span(cpu, kind, dashed, span);
        format!(", {} ns modelled", Scale::Nano.show(end - start))
    });
    format!("{from}–{to}, {steps}{}", time.unwrap_or_default())
}

/// What a block of several spans is called: how many, and of what.
pub fn several(side: &Side, kind: Kind, dashed: bool, count: u32, first: Span) -> String {
    let what = match (kind, dashed) {
        (Kind::Tasks, false) => "turns of tasks".to_string(),
        (Kind::Tasks, true) => "sleeps".to_string(),
        (Kind::Functions(_), _) => format!("calls, the first {}", side.name(kind, first)),
        (Kind::Locks(class), false) => format!("holds of {}", class.words()),
        (Kind::Locks(class), true) => format!("waits for {}", class.words()),
        (Kind::Irqs, _) => "times with IRQs off".to_string(),
    };
    format!("{} {what}", thousands(count.into()))
}
