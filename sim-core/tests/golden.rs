//! Golden timelines: munlock of 16 pages, step by step, for every variant.
//!
//! `UPDATE_GOLDEN=1 cargo test -p sim-core --test golden` writes them anew; read the difference before it is kept.

mod common;

use std::fmt::Write;
use std::path::PathBuf;

use common::{ALL, run};
use sim_core::op::text;

/// One line for each step: its number, CPU, function, operation.
fn transcript(variant: &str) -> String {
    let run = run("munlock", variant, &[("pages", "16")]);
    assert_eq!(run.timeline.violation(), None, "variant {variant}");
    let mut lines = String::new();
    for (at, record) in run.timeline.records().iter().enumerate() {
        let function = record.frame().map_or("-", |frame| run.timeline.frames()[frame as usize].func.name);
        writeln!(lines, "{} {} {function} {}", at + 1, record.cpu, text(&record.op, record.outcome.ret)).unwrap();
    }
    lines
}

fn path(variant: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{variant}.txt"))
}

#[test]
fn timelines_are_as_they_were() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1");
    let mut changed = Vec::new();
    for variant in ALL {
        let (path, found) = (path(variant), transcript(variant));
        if update {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, found).unwrap();
            continue;
        }
        let expected = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}; UPDATE_GOLDEN=1 writes it", path.display()));
        let differs = expected.lines().zip(found.lines()).find(|(old, new)| old != new);
        if let Some((old, new)) = differs {
            changed.push(format!("variant {variant}\n  was: {old}\n  is:  {new}"));
        } else if expected != found {
            let (old, new) = (expected.lines().count(), found.lines().count());
            changed.push(format!("variant {variant}\n  was {old} lines, is {new}"));
        }
    }
    assert!(changed.is_empty(), "{}\nUPDATE_GOLDEN=1 takes the new ones", changed.join("\n"));
}

#[test]
fn there_is_a_timeline_for_every_variant_and_no_other() {
    let folder = path("0").parent().unwrap().to_path_buf();
    let mut found: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let mut expected: Vec<String> = ALL.iter().map(|variant| format!("{variant}.txt")).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn the_variants_listed_here_are_all_there_are() {
    let known: Vec<&str> = sim_core::scenario::MUNLOCK_VARIANTS.iter().map(|variant| variant.name).collect();
    assert_eq!(known, ALL);
}
