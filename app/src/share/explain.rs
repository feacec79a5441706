//! A link in words, part by part.

use permalink::hash::Link;
use permalink::link::Which;
use permalink::seal;
use sim_core::scenario::Scenario;

/// Letters of a long value that are shown at each of its ends.
const ENDS: usize = 12;

/// A part of a link, and what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// As it stands in the link.
    pub part: String,
    /// What it says.
    pub says: String,
}

fn piece(part: impl Into<String>, says: impl Into<String>) -> Piece {
    Piece { part: part.into(), says: says.into() }
}

/// The parts of a link in their order. `scenario` is the one that it shows, with the labels of both variants.
pub fn explain(link: &Link, scenario: &Scenario, labels: [&str; 2]) -> Vec<Piece> {
    let title = if scenario.title.is_empty() { scenario.name } else { scenario.title };
    let what = if link.file.is_some() { format!("a scenario of your own: {title}") } else { title.to_string() };
    let mut pieces = vec![
        piece("v1", "the first form of links, which is read for ever"),
        piece(&link.scenario, what),
        piece(&link.old, format!("the old kernel: {}", labels[0])),
        piece(&link.new, format!("the new kernel: {}", labels[1])),
    ];
    for (name, value) in &link.params {
        let doc = scenario.params.iter().find(|param| param.name == name).map_or("a parameter", |param| param.doc);
        pieces.push(piece(format!("{name}={}", short(value)), doc));
    }
    if let Some(schedule) = &link.schedule {
        pieces.push(piece(format!("schedule={}", short(schedule)), "which CPU goes next"));
    }
    for (which, own) in Which::BOTH.into_iter().zip(&link.own) {
        let says = "which CPU goes next, of this side alone";
        pieces.extend(own.as_ref().map(|own| piece(format!("schedule-{}={}", which.name(), short(own)), says)));
    }
    for (which, name) in Which::BOTH.into_iter().zip(&link.branch) {
        let says = "name of the fork that this side shows";
        pieces.extend(name.as_ref().map(|name| piece(format!("branch={},{name}", which.name()), says)));
    }
    if link.step != Default::default() {
        let says = "steps that the old and the new side have made";
        pieces.push(piece(format!("step={},{}", link.step.old, link.step.new), says));
    }
    if let Some((which, subject)) = &link.look {
        pieces.push(piece(format!("look={},{subject}", which.name()), "what is looked at"));
    }
    for text in &link.breaks {
        pieces.push(piece(format!("break={text}"), "a breakpoint"));
    }
    if let Some(outcome) = &link.seal {
        let says = "what both runs come out at: where the model changes, whoever opens the link is told";
        pieces.push(piece(format!("{}={}", seal::ITEM, short(&seal::print(outcome))), says));
    }
    if let Some(profile) = &link.profile {
        pieces.push(piece(format!("profile={}", short(profile)), "your cost profile, packed"));
    }
    if let Some(file) = &link.file {
        pieces.push(piece(format!("file={}", short(file)), "the scenario itself, packed"));
    }
    pieces
}

// Both ends of a long value.
fn short(value: &str) -> String {
    let chars: Vec<char> = value.chars().collect();
    if chars.len() <= 2 * ENDS + 8 {
        return value.to_string();
    }
    let (front, back) = (&chars[..ENDS], &chars[chars.len() - ENDS..]);
    format!("{}…{}", front.iter().collect::<String>(), back.iter().collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use permalink::hash;
    use sim_core::scenario::SCENARIOS;

    #[test]
    fn every_part_is_explained_in_the_order_of_the_link() {
        let text = "#v1/munlock/0/6?pages=28&schedule=seed:1&schedule-old=turns&branch=new,late&step=5,6&look=new,page:3&outcome=9.0000abcd,7.0000abce&profile=AA&file=BB";
        let link = hash::decode(text).unwrap().unwrap();
        let pieces = explain(&link, &SCENARIOS[0], ["v3.11-rc3", "+ patches"]);
        let parts: Vec<&str> = pieces.iter().map(|piece| piece.part.as_str()).collect();
        let mut rest = text;
        for part in parts {
            let at = rest.find(part).unwrap_or_else(|| panic!("{part} is not in {rest}"));
            rest = &rest[at + part.len()..];
        }
        assert_eq!(rest, "");
        assert!(pieces.iter().all(|piece| !piece.says.is_empty()));
    }

    #[test]
    fn a_long_value_keeps_both_ends() {
        assert_eq!(short("seed:1"), "seed:1");
        let short = short(&format!("choices:{}", "0x1,".repeat(500)));
        assert!(short.starts_with("choices:0x1,…") && short.chars().count() == 2 * ENDS + 1, "{short}");
    }
}
