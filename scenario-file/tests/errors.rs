//! Wrong files are told line, field and what was expected; nothing panics.

use proptest::prelude::*;
use sim_core::scenario::RunSpec;

const MUNLOCK: &str = include_str!("../../assets/scenarios/munlock.json");

fn wrong(from: &str, to: &str) -> String {
    assert!(MUNLOCK.contains(from), "{from}");
    scenario_file::parse(&MUNLOCK.replacen(from, to, 1)).unwrap_err().to_string()
}

#[test]
fn errors_name_line_field_and_what_was_expected() {
    let table = [
        (
            "\"pages\": 56",
            "\"pages\": \"x\"",
            "line 9, column 39: processes[0].vmas[0].pages: expected a number from 1 to 262144, found \"x\"",
        ),
        (
            "\"zones\": [56]",
            "\"zones\": [0]",
            "line 7, column 37: machine.zones[0]: expected a number from 1 to 262144, found 0",
        ),
        ("\"cpus\": 1,", "\"cpus\": 65,", "line 7, column 24: machine.cpus: expected a number from 1 to 64, found 65"),
        (
            "\"cpus\": 1,",
            "\"cpus\": 1.5,",
            "line 7, column 24: machine.cpus: expected a number from 1 to 64, found 1.5",
        ),
        ("\"locked\": true", "\"locked\": 1", "line 10, column 41: setup[0].locked: expected true or false, found 1"),
        (
            "\"locked\": true",
            "\"lokced\": true",
            "line 10, column 41: setup[0].lokced: unknown field; did you mean `locked`? Expected call, cpu, process, vma, locked, populate",
        ),
        (
            "\"call\": \"munlock\"",
            "\"call\": \"munlok\"",
            "line 11, column 32: cpus[0].run[0].call: expected one of mmap, touch, read, mlock, munlock, mlockall, munmap, \
             madvise, fork, drain, reclaim, alloc, free, isolate, unmap, exit, drain-pcp, isolate-block, found \"munlok\"; did you mean \"munlock\"?",
        ),
        (
            "\"call\": \"munlock\"",
            "\"vma\": 0",
            "line 11, column 22: cpus[0].run[0]: expected a field `call`, one of mmap, touch, read, mlock, munlock, mlockall, \
             munmap, madvise, fork, drain, reclaim, alloc, free, isolate, unmap, exit, drain-pcp, isolate-block",
        ),
        (
            "\"call\": \"munlock\"",
            "\"call\": \"munlock\", \"vma\": 3",
            "line 11, column 50: cpus[0].run[0].vma: expected the number of one of 1 VMAs, from 0 on, found 3",
        ),
        (
            "\"call\": \"munlock\"",
            "\"call\": \"madvise\", \"advice\": \"FREE\"",
            "line 11, column 22: cpus[0].run[0]: `madvise free`: this configuration has no madvise_free_single_vma",
        ),
        (
            "\"name\": \"munlock-file\",",
            "",
            "line 1, column 1: name: is missing; expected a name of 1 to 40 letters, digits, `-`, `_` or `.`",
        ),
        (
            "\"series\": \"munlock\"",
            "\"series\": \"munlok\"",
            "line 8, column 25: config.series: unknown series `munlok`; did you mean `munlock`? Known: munlock, lru-drain, pcp-free, madvise-free, rmap-unmap",
        ),
        (
            "\"measure\": \"m",
            "\"measure\": \"x",
            "line 12, column 14: measure: expected one of everything, munlock-range, found \"xunlock-range\"",
        ),
        ("\"cpus\": [{", "\"cpus\": [{]", "line 11, column 13: this is not JSON: key must be a string"),
        (
            "\"measure\":",
            "\"schedule\": \"odd\", \"measure\":",
            "line 12, column 15: schedule: unknown schedule `odd`; expected `round-robin`, `turns`, `timed`, `seed:N`, or `choices:` with a list such as `0x12,1x3`",
        ),
    ];
    let twice = wrong("\"locked\": true", "\"locked\": true, \"locked\": false");
    assert_eq!(twice, "line 10, column 47: locked: is there twice in one object; expected it once");
    for (from, to, expected) in table {
        assert_eq!(wrong(from, to), expected);
    }
}

#[test]
fn a_patch_by_a_wrong_name_is_told_the_right_one() {
    let error = wrong("\"variant\": \"0\"", "\"on\": [\"NoDrian\"], \"variant\": \"0\"");
    assert!(
        error.starts_with(
            "line 8, column 43: config.on[0]: expected the name of a patch, found `NoDrian`; did you mean `NoDrain`?"
        ),
        "{error}"
    );
}

#[test]
fn an_empty_file_and_one_that_is_too_long_are_refused() {
    assert_eq!(
        scenario_file::parse("").unwrap_err().to_string(),
        "line 1, column 1: this is not JSON: EOF while parsing a value"
    );
    let long = scenario_file::parse(&" ".repeat(scenario_file::MAX_TEXT + 1)).unwrap_err().to_string();
    assert_eq!(long, "line 1, column 1: the file has 262145 bytes; expected 262144 at most");
    let deep = scenario_file::parse(&"[".repeat(100_000)).unwrap_err().to_string();
    assert!(deep.contains("recursion limit"), "{deep}");
}

#[test]
fn memory_that_is_too_small_is_said_not_panicked() {
    let file = scenario_file::parse(&MUNLOCK.replacen("[56]", "[55]", 1)).unwrap().into_scenario().unwrap();
    let error = RunSpec::of(file, "0").unwrap().record().err().unwrap().to_string();
    assert_eq!(error, "setup[0]: `mmap`: out of memory: zone 0 has no free page of order 0");
}

// Small changes of a text: what somebody mistypes, and what somebody means ill.
fn mutation() -> impl Strategy<Value = (prop::sample::Index, prop::sample::Index, String)> {
    let pieces = prop::sample::select(vec![
        "",
        "\"",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "-1",
        "0",
        "1",
        "4294967296",
        "1e9",
        "null",
        "true",
        "\"x\"",
        "\\u0000",
        "é",
        "{\"call\": \"touch\"}",
        "{\"call\": \"munmap\"},",
        "\"huge\": true,",
        "\"file\": 3,",
        "\"pages\": 512,",
        "99999999999999999999",
    ]);
    (any::<prop::sample::Index>(), any::<prop::sample::Index>(), pieces.prop_map(str::to_string))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_change_of_a_file_gets_an_answer(changes in prop::collection::vec(mutation(), 1..4)) {
        let mut chars: Vec<char> = MUNLOCK.chars().collect();
        for (at, length, piece) in changes {
            let at = at.index(chars.len());
            let end = (at + length.index(8)).min(chars.len());
            chars.splice(at..end, piece.chars());
            if chars.is_empty() {
                break;
            }
        }
        let text: String = chars.into_iter().collect();
        match scenario_file::parse(&text) {
            Ok(file) => {
                let small = file.program.zones.iter().sum::<u32>() < 5000;
                if let (true, Ok(scenario)) = (small, file.into_scenario()) {
                    let _ = RunSpec::of(scenario, scenario.sides.0).unwrap().record();
                }
            }
            Err(error) => {
                prop_assert!(error.line >= 1 && error.line <= text.lines().count().max(1));
                prop_assert!(error.column >= 1 && !error.message.is_empty());
                prop_assert!(error.message.len() < 4000);
            }
        }
    }

    #[test]
    fn any_text_gets_an_answer(text in any::<String>()) {
        prop_assert!(scenario_file::parse(&text).is_err());
    }
}
