//! The list of rules: it has each rule that a run may break, and no other; and it says how each stands in a run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use sim_core::engine::{Memory, RULES, Rule, Standing, When};
use sim_core::kernel::Patch;
use sim_core::scenario::{Run, RunSpec};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("its entries can be read").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") && path.file_name() != Some("rules.rs".as_ref())
        {
            found.push(path);
        }
    }
}

// The string literal that a text begins with; none of ours has an escape.
fn literal(text: &str) -> Option<String> {
    text.trim_start().strip_prefix('"')?.split_once('"').map(|(literal, _)| literal.to_string())
}

// The constant that a text begins with.
fn constant(text: &str) -> Option<String> {
    let name: String = text.trim_start().chars().take_while(|&c| c.is_ascii_uppercase() || c == '_').collect();
    (name.len() > 1).then_some(name)
}

// What the sources pass on as the rule of a violation.
fn emitted() -> BTreeSet<String> {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let texts: Vec<String> = files.iter().map(|path| fs::read_to_string(path).expect("it can be read")).collect();
    let mut constants = BTreeMap::new();
    for text in &texts {
        for rest in text.split("const ").skip(1) {
            if let (Some(name), Some((_, value))) = (constant(rest), rest.split_once(": &str = ")) {
                constants.extend(literal(value).map(|value| (name, value)));
            }
        }
    }
    let mut rules = BTreeSet::new();
    for rest in texts
        .iter()
        .flat_map(|text| ["broken(", ".bug(", ".broke("].into_iter().flat_map(|call| text.split(call).skip(1)))
    {
        let named = || constant(rest).map(|name| constants.get(&name).cloned().unwrap_or(name));
        rules.extend(literal(rest).or_else(named));
    }
    rules
}

#[test]
fn the_list_is_what_runs_are_checked_against() {
    let listed: BTreeSet<String> = RULES.iter().map(|rule| rule.name.to_string()).collect();
    let emitted = emitted();
    assert_eq!(listed.len(), RULES.len(), "a rule is listed twice");
    let missing: Vec<&String> = emitted.difference(&listed).collect();
    assert!(missing.is_empty(), "a run may break these, and they are not listed: {missing:#?}");
    let idle: Vec<&String> = listed.difference(&emitted).collect();
    assert!(idle.is_empty(), "nothing checks these: {idle:#?}");
}

#[test]
fn a_rule_says_what_it_asks_in_a_sentence() {
    for rule in RULES {
        let Rule { name, says, .. } = rule;
        assert!(says.ends_with('.') && says.starts_with(char::is_uppercase) && says.len() < 130, "{name}: {says}");
        assert_eq!(Rule::find(name), Some(rule));
        let number = rule.number();
        let joined = if number.is_empty() { rule.short().to_string() } else { format!("{number}: {}", rule.short()) };
        assert_eq!(joined, *name);
    }
    let groups: Vec<Memory> = RULES.iter().map(|rule| rule.memory).collect();
    assert!(groups.is_sorted(), "rules about the same memory stand together");
    assert!(Memory::ALL.iter().all(|memory| groups.contains(memory)));
    assert_eq!(Rule::find("no such rule"), None);
}

fn run(scenario: &str, variant: &str, params: &[(&str, &str)]) -> Run {
    let spec = RunSpec::new(scenario, variant).expect("it is known");
    let set = |spec: RunSpec, (name, value): &(&str, &str)| spec.set(name, value).expect("it fits");
    params.iter().fold(spec, set).record().expect("it can be recorded")
}

fn standing(run: &Run, name: &str) -> Standing {
    let rules = run.timeline.rules();
    rules.into_iter().find(|(rule, _)| rule.name == name).expect("the rule is listed").1
}

// Which memory the rules that stand in a run are about.
fn applying(run: &Run) -> Vec<Memory> {
    let rules = run.timeline.rules();
    let mut applying: Vec<Memory> =
        rules.iter().filter(|(_, standing)| *standing != Standing::Absent).map(|(rule, _)| rule.memory).collect();
    applying.dedup();
    applying
}

#[test]
fn each_series_has_the_rules_of_its_memory() {
    use Memory::{Allocator, Any, Lists, Rmap, Swap, Work};
    for (series, variant, expected) in [
        ("munlock", "0", vec![Any, Lists]),
        ("lru-drain", "sync", vec![Any, Lists, Work]),
        ("pcp-free", "v4.15", vec![Any, Lists, Allocator]),
        ("madvise-free", "free", vec![Any, Lists, Swap]),
        ("rmap-unmap", "v6.3", vec![Any, Rmap]),
    ] {
        let spec = RunSpec::new(series, variant).expect("it is known");
        // As the page opens it, with few pages.
        let small = spec.scenario.series().opening.params;
        assert_eq!(applying(&run(series, variant, small)), expected, "{series}");
    }
}

#[test]
fn a_run_to_the_end_keeps_every_rule_that_applies() {
    let run = run("munlock", "0", &[]);
    let steps = run.timeline.len() as u32;
    assert!(steps > 0 && run.timeline.violation().is_none());
    for (rule, standing) in run.timeline.rules() {
        let applies = rule.applies(&run.timeline.world().machine, run.timeline.config());
        assert_eq!(standing, if applies { Standing::Holds(steps) } else { Standing::Absent }, "{}", rule.name);
    }
}

#[test]
fn a_broken_rule_stops_the_run_and_what_is_checked_at_rest() {
    let run = run("rmap-mlock", "5", &[]);
    let broken = run.timeline.violation().expect("patch 5 as posted breaks a rule").clone();
    assert_eq!(broken.rule, "G9: when the page-table lock goes, no batch is open");
    assert_eq!(standing(&run, broken.rule), Standing::Broken(broken.clone()));
    assert_eq!(standing(&run, "G7: rss_stat counts the PTEs"), Standing::Holds(broken.step - 1));
    assert_eq!(standing(&run, "at rest no folio is isolated or locked"), Standing::NotReached);
    assert_eq!(standing(&run, "1: lists are linked"), Standing::Absent);
}

#[test]
fn what_is_found_at_rest_leaves_the_steps_checked() {
    let spec = RunSpec::new("munlock-split", "fixed").and_then(|spec| spec.schedule("seed:9")).expect("it is known");
    let run = spec.record().expect("it can be recorded");
    let broken = run.timeline.violation().expect("this race strands a page").clone();
    assert_eq!(Rule::find(broken.rule).map(|rule| rule.when), Some(When::Rest), "{broken:?}");
    let steps = run.timeline.len() as u32;
    assert_eq!(standing(&run, "4: _count is the sum of the holders"), Standing::Holds(steps));
    assert_eq!(standing(&run, "14: at rest nobody waits"), Standing::NotReached);
}

#[test]
fn a_rule_that_a_kernel_need_not_keep_does_not_apply() {
    let (old, new) = (run("munlock", "0", &[]), run("munlock", "today", &[]));
    assert!(new.timeline.config().has(Patch::TestClearLru));
    let name = "3: PG_lru changes under lru_lock";
    assert_eq!(standing(&old, name), Standing::Holds(old.timeline.len() as u32));
    assert_eq!(standing(&new, name), Standing::Absent);
}
