//! A change in words.

use crate::link::Which;
use crate::subject::Subject;

/// What turned one subject into another: "pages 56 → 28".
pub fn changed(before: &Subject, after: &Subject) -> String {
    if (&before.scenario, before.file) != (&after.scenario, after.file) {
        return format!("scenario {} → {}", before.scenario, after.scenario);
    }
    let mut words = Vec::new();
    for which in Which::BOTH {
        let [from, to] = [before, after].map(|subject| &subject.variants[which as usize]);
        if from != to {
            words.push(format!("{} kernel {from} → {to}", which.name()));
        }
    }
    words.extend(params(before, after));
    if before.schedule != after.schedule || before.profile != after.profile {
        let [from, to] = [before, after].map(|subject| short(subject.schedule.as_deref()));
        words.push(format!("schedule {from} → {to}"));
    }
    for which in Which::BOTH {
        match [before, after].map(|subject| &subject.own[which as usize]) {
            [from, to] if from == to => {}
            [_, None] => words.push(format!("{} back to its original", which.name())),
            _ => words.push(format!("{} to another order of CPUs", which.name())),
        }
    }
    if words.is_empty() { "a change".into() } else { words.join(", ") }
}

fn params(before: &Subject, after: &Subject) -> Vec<String> {
    let of = |subject: &Subject, name: &str| subject.params.iter().find(|(known, _)| known == name).cloned();
    let mut names: Vec<&String> = before.params.iter().chain(&after.params).map(|(name, _)| name).collect();
    names.sort();
    names.dedup();
    let change = |name: &String| {
        let [from, to] = [before, after].map(|subject| of(subject, name).map_or("default".into(), |(_, value)| value));
        (from != to).then(|| format!("{name} {} → {}", cut(&from), cut(&to)))
    };
    names.into_iter().filter_map(change).collect()
}

fn short(schedule: Option<&str>) -> String {
    cut(schedule.unwrap_or("of the scenario"))
}

/// The start of a text that may be long.
fn cut(text: &str) -> String {
    const MOST: usize = 24;
    if text.is_empty() {
        return "none".into();
    }
    let mut short: String = text.chars().take(MOST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
