//! Where the reader was: the last link in words.

use sim_core::scenario::Scenario;

use crate::hash;
use crate::link::{Pair, Which};
use crate::subject::Subject;
use crate::text::thousands;

/// Where there is nothing to go on with.
pub const NOTHING: &str = "Nothing yet. The moment that you leave is offered here, if this browser may keep it.";

/// What a kept link leads to: "munlock, 56 pages: v3.11-rc3 beside + patches 1–6, at step 647 and step 311". None where
/// it leads nowhere any more, or never was a link.
pub fn words(kept: &str) -> Option<String> {
    let link = hash::decode(kept).ok()??;
    let subject = Subject::from_link(&link);
    let subject = subject.ok()?;
    let specs = [subject.spec(Which::Old).ok()?, subject.spec(Which::New).ok()?];
    let labels = specs.each_ref().map(|spec| spec.variant.label);
    let Pair { old, new } = link.step;
    let place = match (old, new) {
        (0, 0) => "at the start".to_string(),
        _ => format!("at step {} and step {}", thousands(old.into()), thousands(new.into())),
    };
    let scenario = specs[0].scenario;
    let extent = extent(scenario, specs[0].params.get(scenario.series().opening.unit.0));
    Some(format!("{}{extent}: {} beside {}, {place}", scenario.name, labels[0], labels[1]))
}

fn extent(scenario: &Scenario, units: u32) -> String {
    let unit = scenario.series().opening.unit.1;
    match units {
        0 => String::new(),
        1 => format!(", 1 {unit}"),
        _ => format!(", {} {unit}s", thousands(units.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_in_words() {
        let said = words("#v1/munlock/0/6?pages=56&step=647,311").expect("a link");
        assert_eq!(said, "munlock, 56 pages: v3.11-rc3 beside + patches 1–6, at step 647 and step 311");
        assert_eq!(words("#v1/munlock/0/6").as_deref().map(|said| said.ends_with(", at the start")), Some(true));
    }

    #[test]
    fn garbage_leads_nowhere() {
        let long = format!("#v1/munlock/0/6?pages={}", "9".repeat(9000));
        let kept =
            ["", "#", "x", "#v1/munlock", "#v1/none/0/6", "#v1/munlock/0/nine", "#v1/munlock/0/6?pages=-1", &long];
        for kept in kept {
            assert_eq!(words(kept), None, "{kept}");
        }
    }
}
