//! Wrong files are told line, field and what was expected; nothing panics.

use proptest::prelude::*;
use sim_core::scenario::RunSpec;

const MUNLOCK: &str = include_str!("../../assets/scenarios/munlock.json");
const LRU_DRAIN: &str = include_str!("../../assets/scenarios/lru-drain.json");
const PCP_FREE: &str = include_str!("../../assets/scenarios/pcp-free.json");
const MADVISE_FREE: &str = include_str!("../../assets/scenarios/madvise-free.json");
const RMAP_UNMAP: &str = include_str!("../../assets/scenarios/rmap-unmap.json");
/// A file of each series.
const FILES: [&str; 5] = [MUNLOCK, LRU_DRAIN, PCP_FREE, MADVISE_FREE, RMAP_UNMAP];

fn wrong(from: &str, to: &str) -> String {
    wrong_in(MUNLOCK, from, to)
}

fn wrong_in(file: &str, from: &str, to: &str) -> String {
    assert!(file.contains(from), "{from}");
    scenario_file::parse(&file.replacen(from, to, 1)).unwrap_err().to_string()
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
            "line 12, column 14: measure: expected one of everything, munlock-range, try-to-unmap, found \"xunlock-range\"",
        ),
        ("\"cpus\": [{", "\"cpus\": [{]", "line 11, column 13: this is not JSON: key must be a string"),
        (
            "\"measure\":",
            "\"schedule\": \"odd\", \"measure\":",
            "line 12, column 15: schedule: unknown schedule `odd`; expected `round-robin`, `turns`, `timed`, `seed:N`, or `choices:` with a list such as `0x12,1x3`, and `+` with the rule that follows it, such as `+turns` or `+scenario`",
        ),
    ];
    let twice = wrong("\"locked\": true", "\"locked\": true, \"locked\": false");
    assert_eq!(twice, "line 10, column 47: locked: is there twice in one object; expected it once");
    for (from, to, expected) in table {
        assert_eq!(wrong(from, to), expected);
    }
}

#[test]
fn what_a_machine_has_fits_its_kernel_and_its_calls() {
    let table = [
        (
            PCP_FREE,
            "\"batch\": 4",
            "\"batch\": 0",
            "line 7, column 83: machine.pcp.batch: expected a number from 1 to 1024, found 0",
        ),
        (
            PCP_FREE,
            "\"batch\": 4",
            "\"batch\": 13",
            "line 7, column 95: machine.pcp.high: expected a number from 13 to 65536, found 12",
        ),
        (
            PCP_FREE,
            "\"high\": 12",
            "\"high\": 12, \"high_max\": 11",
            "line 7, column 110: machine.pcp.high_max: expected a number from 12 to 65536, found 11",
        ),
        (
            PCP_FREE,
            "\"pcp\": {",
            "\"kworkers\": true, \"pcp\": {",
            "line 7, column 90: machine.pcp: expected one of kworkers, pcp and swap, found 2 of them",
        ),
        (
            PCP_FREE,
            ", \"pcp\": { \"batch\": 4, \"high\": 12 }",
            "",
            "line 7, column 14: machine.pcp: is missing; this configuration has a page allocator: expected the sizes of its lists",
        ),
        (
            PCP_FREE,
            "\"pcp-free\", \"variant\": \"v4.15\", \"compare\": \"pick-outside\"",
            "\"munlock\", \"variant\": \"0\"",
            "line 7, column 72: machine.pcp: this configuration has no get_page_from_freelist",
        ),
        (
            PCP_FREE,
            "\"high\": 12",
            "\"hihg\": 12",
            "line 7, column 94: machine.pcp.hihg: unknown field; did you mean `high`? Expected batch, high, high_max",
        ),
        (
            PCP_FREE,
            "[1024]",
            "[512, 512]",
            "line 7, column 36: machine.zones: expected one zone on a machine with `pcp`, found 2",
        ),
        (
            PCP_FREE,
            "\"pages\": 12",
            "\"pages\": 12, \"file\": 0",
            "line 9, column 51: processes[0].vmas[0].file: expected anonymous memory on a machine with `pcp`",
        ),
        (
            PCP_FREE,
            "\"call\": \"munmap\"",
            "\"call\": \"mlock\"",
            "line 10, column 43: cpus[0].run[1]: `mlock` is not modelled on a machine with `pcp`; expected one with none of `kworkers`, `pcp`, `swap` and `folios`",
        ),
        (
            PCP_FREE,
            "\"call\": \"munmap\"",
            "\"call\": \"free\", \"block\": 7",
            "line 10, column 70: cpus[0].run[1].block: expected the block of an `alloc`, found 7",
        ),
        (
            PCP_FREE,
            "\"call\": \"munmap\"",
            "\"call\": \"alloc\", \"order\": 11",
            "line 10, column 71: cpus[0].run[1].order: expected a number from 0 to 10, found 11",
        ),
        (
            PCP_FREE,
            "\"call\": \"munmap\"",
            "\"call\": \"isolate-block\", \"range\": 1",
            "line 10, column 79: cpus[0].run[1].range: expected the number of one of 1 ranges of 1024 pages, from 0 on, found 1",
        ),
        (
            MADVISE_FREE,
            "\"slots\": 64",
            "\"slots\": 0",
            "line 7, column 82: machine.swap.slots: expected a number from 1 to 16777214, found 0",
        ),
        (
            MADVISE_FREE,
            "\"slots\": 64",
            "\"slots\": 64, \"min\": 9",
            "line 7, column 71: machine.swap: min, low and high are 9, 8 and 10, and the zone has 36 pages; expected 0 < min <= low <= high < pages",
        ),
        (
            MADVISE_FREE,
            "\"slots\": 64",
            "\"slots\": 64, \"high\": 36",
            "line 7, column 71: machine.swap: min, low and high are 6, 8 and 36, and the zone has 36 pages; expected 0 < min <= low <= high < pages",
        ),
        (
            MADVISE_FREE,
            "\"swap\": {",
            "\"pcp\": { \"batch\": 1, \"high\": 2 }, \"swap\": {",
            "line 7, column 105: machine.swap: expected one of kworkers, pcp and swap, found 2 of them",
        ),
        (
            MADVISE_FREE,
            ", \"swap\": { \"slots\": 64 }",
            "",
            "line 8, column 13: config.pagevec: is missing; the pagevecs of this configuration have no slots: expected a number from 1 to 31, or `swap` in `machine`",
        ),
        (
            MADVISE_FREE,
            "\"process\": 1",
            "\"process\": 0",
            "line 22, column 39: cpus[1].run[0].process: CPU 0 runs this process too; expected one CPU for a process on a machine with `swap`",
        ),
        (
            MADVISE_FREE,
            "\"starts\": 8",
            "\"starts\": -1",
            "line 28, column 17: cpus[1].starts: expected a number from 0 to 16777216, found -1",
        ),
        (
            MADVISE_FREE,
            "\"call\": \"exit\"",
            "\"call\": \"exit\", \"vma\": 0",
            "line 17, column 34: cpus[0].run[4].vma: unknown field; expected call, process",
        ),
        (
            LRU_DRAIN,
            ", \"kworkers\": true",
            ", \"kworkers\": 1",
            "line 7, column 74: machine.kworkers: expected true or false, found 1",
        ),
        (
            LRU_DRAIN,
            "\"lru-drain\", \"variant\": \"sync\", \"compare\": \"async\"",
            "\"munlock\", \"variant\": \"today\"",
            "line 7, column 74: machine.kworkers: this configuration has no lru_add_drain_all",
        ),
        (
            LRU_DRAIN,
            "{ \"pages\": 1, \"split\"",
            "{ \"pages\": 1, \"start\": 5, \"split\"",
            "line 10, column 67: processes[0].vmas[1].split: expected an anonymous VMA right behind the one that it was split from",
        ),
        (
            LRU_DRAIN,
            "{ \"call\": \"drain\" }",
            "{ \"call\": \"drain\", \"all\": true }",
            "line 15, column 5: setup[1]: `drain all` needs kworkers, which start with the run; expected it in `cpus`",
        ),
        (
            LRU_DRAIN,
            "{ \"pages\": 1 }",
            "{ \"pages\": 4, \"file\": 0 }",
            "line 23, column 15: cpus[0].run[0].vma: with `kworkers`, mlock expects a VMA of small anonymous pages of zone 0 that one page table maps",
        ),
        (
            RMAP_UNMAP,
            "\"orders\": \"3\"",
            "\"orders\": \"10\"",
            "line 9, column 65: processes[0].vmas[0].folios.orders: expected one of mix, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, found \"10\"",
        ),
        (
            RMAP_UNMAP,
            "\"orders\": \"3\"",
            "\"orders\": \"4\"",
            "line 9, column 53: processes[0].vmas[0].folios: pages is 56 and layout is 4; expected a multiple of 16 pages",
        ),
        (
            RMAP_UNMAP,
            "\"zones\": [56]",
            "\"zones\": [57]",
            "line 7, column 37: machine.zones[0]: expected 56, as many pages as the folios take, found 57",
        ),
        (
            RMAP_UNMAP,
            "\"pages\": 56",
            "\"start\": 512, \"pages\": 56",
            "line 9, column 39: processes[0].vmas[0].start: expected a number from 0 to 511, found 512",
        ),
        (
            RMAP_UNMAP,
            "\"call\": \"unmap\"",
            "\"call\": \"madvise\", \"advice\": \"PAGEOUT\", \"first\": 1",
            "line 10, column 22: cpus[0].run[0].pages: expected all pages of the VMA",
        ),
        (
            RMAP_UNMAP,
            "\"call\": \"unmap\"",
            "\"call\": \"touch\"",
            "line 10, column 22: cpus[0].run[0]: `touch` is not modelled on a machine with `folios`; expected one with none of `kworkers`, `pcp`, `swap` and `folios`, or with `kworkers`",
        ),
        (
            RMAP_UNMAP,
            "} }] }]",
            "} }] }, { \"vmas\": [{ \"pages\": 1 }] }]",
            "line 9, column 93: processes[1].child_of: with folios, expected 0: the children of process 0 map what it maps",
        ),
        (
            RMAP_UNMAP,
            "\"stat_threshold\"",
            "\"kworkers\": true, \"stat_threshold\"",
            "line 9, column 53: processes[0].vmas[0].folios: expected a machine with folios alone, found `kworkers`",
        ),
    ];
    for (file, from, to, expected) in table {
        assert_eq!(wrong_in(file, from, to), expected);
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

// A field or a call, with a comma behind it.
fn piece() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        ",",
        "{\"call\": \"munmap\"},",
        "\"huge\": true,",
        "\"split\": true,",
        "\"kworkers\": true,",
        "\"pcp\": {\"batch\": 2, \"high\": 4},",
        "\"swap\": {\"slots\": 20},",
        "\"folios\": {\"orders\": \"2\"},",
        "\"folios\": {\"orders\": \"0\", \"kind\": \"anon\"},",
        "{\"call\": \"alloc\", \"order\": 2},",
        "{\"call\": \"free\"},",
        "{\"call\": \"drain\", \"all\": true},",
        "{\"call\": \"drain-pcp\"},",
        "{\"call\": \"isolate-block\"},",
        "{\"call\": \"mlock\"},",
        "{\"call\": \"touch\"},",
        "{\"call\": \"read\"},",
        "{\"call\": \"exit\"},",
        "{\"call\": \"reclaim\", \"pages\": 9},",
        "{\"call\": \"madvise\", \"advice\": \"PAGEOUT\"},",
        "{\"call\": \"madvise\", \"advice\": \"DONTNEED\"},",
        "{\"call\": \"unmap\"},",
        "\"starts\": 7,",
        "\"high_max\": 9,",
        "\"slice\": 3,",
        "\"pagevec\": 3,",
        "\"on\": [\"ClaimSteal\"],",
        "{\"run\": [{\"call\": \"touch\", \"process\": 1}]},",
        "\"file\": 3,",
        "\"pages\": 512,",
    ])
    .prop_map(str::to_string)
}

// Small changes of a text: what somebody mistypes, and what somebody means ill.
fn mutation() -> impl Strategy<Value = (prop::sample::Index, prop::sample::Index, String)> {
    let pieces = prop_oneof![
        prop::sample::select(vec![
            "",
            "\"",
            "{",
            "}",
            "[",
            "]",
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
            "99999999999999999999",
        ])
        .prop_map(str::to_string),
        piece()
    ];
    (any::<prop::sample::Index>(), any::<prop::sample::Index>(), pieces)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_change_of_a_file_gets_an_answer(file in 0..FILES.len(), changes in prop::collection::vec(mutation(), 1..4)) {
        let mut chars: Vec<char> = FILES[file].chars().collect();
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

    // Pieces where a list or an object begins: most of these are files that run.
    #[test]
    fn whatever_is_put_into_a_file_runs_or_is_refused(
        file in 0..FILES.len(),
        pieces in prop::collection::vec((any::<prop::sample::Index>(), piece()), 1..4),
        other in 0..2usize,
    ) {
        let mut text = FILES[file].to_string();
        for (at, piece) in pieces {
            let opens: Vec<usize> = text.char_indices().filter(|(_, c)| "[{".contains(*c)).map(|(at, _)| at + 1).collect();
            let fits = |at: &&usize| (text.as_bytes()[**at - 1] == b'[') == piece.starts_with('{');
            let opens: Vec<usize> = opens.iter().filter(fits).copied().collect();
            text.insert_str(opens[at.index(opens.len())], &piece);
        }
        if let Ok(scenario) = scenario_file::parse(&text).map(|file| file.into_scenario().unwrap()) {
            let side = [scenario.sides.0, scenario.sides.1][other];
            let _ = RunSpec::of(scenario, side).unwrap().record();
            let _ = RunSpec::of(scenario, side).unwrap().bulk(1 << 20, |_| true);
        }
    }

    #[test]
    fn any_text_gets_an_answer(text in any::<String>()) {
        prop_assert!(scenario_file::parse(&text).is_err());
    }
}
