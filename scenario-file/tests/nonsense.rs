//! Files that say something that cannot be meant are refused with the field and what was expected.

const MUNLOCK: &str = include_str!("../../assets/scenarios/munlock.json");
const LRU_DRAIN: &str = include_str!("../../assets/scenarios/lru-drain.json");
const PCP_FREE: &str = include_str!("../../assets/scenarios/pcp-free.json");
const MADVISE_FREE: &str = include_str!("../../assets/scenarios/madvise-free.json");
const RMAP_UNMAP: &str = include_str!("../../assets/scenarios/rmap-unmap.json");

fn changed(file: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(file.to_string(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    })
}

/// The message without line and column.
fn wrong(file: &str, changes: &[(&str, &str)]) -> String {
    let error = scenario_file::parse(&changed(file, changes)).expect_err("it is refused");
    format!("{}: {}", error.path, error.message)
}

fn fits(file: &str, changes: &[(&str, &str)]) {
    if let Err(error) = scenario_file::parse(&changed(file, changes)) {
        panic!("{changes:?}: {error}");
    }
}

const SETUP: &str = "\"setup\": [";
const TWO_CPUS: (&str, &str) = ("\"cpus\": 1,", "\"cpus\": 2,");
const CHILD: (&str, &str) = ("56 }] }]", "56 }] }, { \"child_of\": 0 }]");
const RUN: &str = "\"cpus\": [{ \"run\": [{ \"call\": \"munlock\" }] }]";

#[test]
fn a_measure_that_never_happens() {
    assert_eq!(
        wrong(MUNLOCK, &[("munlock-range", "try-to-unmap")]),
        "measure: try-to-unmap never happens on a machine with none of `kworkers`, `pcp`, `swap` and `folios`; \
         expected everything or munlock-range"
    );
    assert_eq!(
        wrong(RMAP_UNMAP, &[("try-to-unmap", "munlock-range")]),
        "measure: munlock-range never happens on a machine with `folios`; expected everything or try-to-unmap"
    );
    for file in [PCP_FREE, MADVISE_FREE] {
        let error = wrong(file, &[("\"machine\":", "\"measure\": \"munlock-range\", \"machine\":")]);
        assert!(error.ends_with("; expected everything"), "{error}");
    }
}

#[test]
fn a_patch_that_no_code_of_the_machine_looks_at() {
    assert_eq!(
        wrong(MUNLOCK, &[("\"variant\": \"0\"", "\"variant\": \"0\", \"on\": [\"WholeFolios\"]")]),
        "config.on[0]: `WholeFolios` changes nothing on a machine with none of `kworkers`, `pcp`, `swap` and `folios`; \
         expected it on one with `folios`"
    );
    assert_eq!(
        wrong(RMAP_UNMAP, &[("\"variant\": \"v6.3\"", "\"variant\": \"v6.3\", \"off\": [\"NoDrain\"]")]),
        "config.off[0]: `NoDrain` changes nothing on a machine with `folios`; \
         expected it on one with none of `kworkers`, `pcp`, `swap` and `folios`, or with `kworkers`"
    );
    fits(MUNLOCK, &[("\"variant\": \"0\"", "\"variant\": \"0\", \"on\": [\"NoDrain\"], \"off\": [\"DrainDecides\"]")]);
}

#[test]
fn a_clock_where_there_are_none() {
    let run = [("{ \"run\": [{ \"call\": \"munlock\" }]", "{ \"starts\": 5, \"run\": [{ \"call\": \"munlock\" }]")];
    assert_eq!(
        wrong(MUNLOCK, &run),
        "cpus[0].starts: a CPU has a clock on a machine with `swap` only; expected 0 or no `starts`, found 5"
    );
    fits(MUNLOCK, &[(run[0].0, &run[0].1.replace('5', "0"))]);
}

#[test]
fn an_offset_without_a_file() {
    let text = "processes[0].vmas[0].offset: is an offset in a file, and the VMA maps none; expected `file` beside it";
    assert_eq!(wrong(MUNLOCK, &[("\"pages\": 56", "\"pages\": 56, \"offset\": 3")]), text);
    fits(MUNLOCK, &[("\"pages\": 56", "\"pages\": 56, \"file\": 0, \"offset\": 3")]);
}

#[test]
fn a_vma_is_mapped_once() {
    let twice = "`mmap` of VMA 0 of process 0, which setup[0] has mapped; expected a `munmap` in between";
    let mmap = "{ \"call\": \"mmap\" }";
    let munmap = "{ \"call\": \"munmap\" }";
    let run = |calls: &str| format!("\"cpus\": [{{ \"run\": [{calls}] }}]");
    assert_eq!(wrong(MUNLOCK, &[("{ \"call\": \"drain\" }", mmap)]), format!("setup[1]: {twice}"));
    assert_eq!(wrong(MUNLOCK, &[(RUN, &run(mmap))]), format!("cpus[0].run[0]: {twice}"));
    fits(MUNLOCK, &[(RUN, &run(&format!("{munmap}, {mmap}")))]);
    let again = wrong(MUNLOCK, &[(RUN, &run(&format!("{munmap}, {mmap}, {mmap}")))]);
    assert_eq!(again, format!("cpus[0].run[2]: {}", twice.replace("setup[0]", "cpus[0].run[1]")));
    // Another CPU may unmap in between: the run decides.
    let two = |calls: &str| format!("\"cpus\": [{{ \"run\": [{mmap}] }}, {{ \"run\": [{calls}] }}]");
    fits(MUNLOCK, &[TWO_CPUS, (RUN, &two(munmap))]);
    assert_eq!(wrong(MUNLOCK, &[TWO_CPUS, (RUN, &two(""))]), format!("cpus[0].run[0]: {twice}"));
}

#[test]
fn a_child_comes_from_one_fork() {
    let fork = "{ \"call\": \"fork\", \"child\": 1 }";
    let touch = "{ \"call\": \"touch\", \"process\": 1 }";
    let run = |calls: &str| format!("\"cpus\": [{{ \"run\": [{calls}] }}]");
    let early = "`touch` of process 1, a child; expected its `fork` before this";
    let with = |calls: &str| wrong(MUNLOCK, &[CHILD, (RUN, &run(calls))]);
    assert_eq!(with(touch), format!("cpus[0].run[0]: {early}"));
    assert_eq!(with(&format!("{touch}, {fork}")), format!("cpus[0].run[0]: {early}"));
    fits(MUNLOCK, &[CHILD, (RUN, &run(&format!("{fork}, {touch}")))]);
    let set_up = (SETUP, &*format!("{SETUP} {touch}, "));
    assert_eq!(wrong(MUNLOCK, &[CHILD, set_up, (RUN, &run(fork))]), format!("setup[0]: {early}"));
    fits(MUNLOCK, &[CHILD, (SETUP, &format!("{SETUP} {fork}, ")), (RUN, &run(touch))]);
    assert_eq!(
        with(&format!("{fork}, {fork}")),
        "cpus[0].run[1].child: process 1 is forked by cpus[0].run[0] already; expected one `fork` of it"
    );
    // On another CPU it may be early enough, and a second one never is.
    let two = |calls: &str| format!("\"cpus\": [{{ \"run\": [{fork}] }}, {{ \"run\": [{calls}] }}]");
    fits(MUNLOCK, &[CHILD, TWO_CPUS, (RUN, &two(touch))]);
    let twice = wrong(MUNLOCK, &[CHILD, TWO_CPUS, (RUN, &two(fork))]);
    assert!(twice.starts_with("cpus[1].run[0].child: process 1 is forked by cpus[0].run[0]"), "{twice}");
}

#[test]
fn what_is_given_up_with_swap_stays_so() {
    let touch = "{ \"call\": \"touch\" }";
    let after = |call: &str| {
        wrong(
            MADVISE_FREE,
            &[("\"processes\":", &format!("\"setup\": [{{ \"call\": \"{call}\" }}, {touch}], \"processes\":"))],
        )
    };
    assert_eq!(
        after("exit"),
        "setup[1]: `touch` of VMA 0 of process 0, which is gone since its process exited; \
         expected no use of it after that on a machine with `swap`"
    );
    assert!(after("munmap").contains("which was unmapped; expected"), "{}", after("munmap"));
    let before = ("\"processes\":", "\"setup\": [{ \"call\": \"exit\" }], \"processes\":");
    let run = wrong(MADVISE_FREE, &[before]);
    assert!(run.starts_with("cpus[0].run[0]: `touch` of VMA 0 of process 0, which is gone"), "{run}");
}

#[test]
fn what_is_missing_or_can_be_one_thing_only() {
    assert_eq!(
        wrong(MUNLOCK, &[("{ \"vmas\": [{ \"pages\": 56 }] }", "{}")]),
        "processes[0].vmas: is missing; expected a list of VMAs, or `child_of`"
    );
    let pages = [("\"pages\": 56", "\"pages\": 1"), ("\"call\": \"munlock\"", "\"call\": \"touch\", \"pages\": 2")];
    assert_eq!(wrong(MUNLOCK, &pages), "cpus[0].run[0].pages: expected 1, found 2");
    let cpus = wrong(MUNLOCK, &[("\"cpus\": [{", "\"cpus\": [{ \"run\": [] }, {")]);
    assert_eq!(cpus, "cpus: expected a list of 1, found a list of 2");
}

#[test]
fn numbers_are_shown_as_they_are_written() {
    let found = |number: &str| {
        let error = wrong(MUNLOCK, &[("\"pages\": 56", &format!("\"pages\": {number}"))]);
        error.rsplit_once("found ").unwrap().1.to_string()
    };
    assert_eq!(found("-0"), "-0");
    assert_eq!(found("12345678901234567890123"), "12345678901234567890123");
    assert_eq!(found("1e3"), "1e3");
    assert_eq!(found(&"9".repeat(60)), format!("{}...", "9".repeat(40)));
    assert_eq!(found("\"56\""), "\"56\"");
}

#[test]
fn sentences_go_on_in_small_letters() {
    let error = wrong(MUNLOCK, &[("\"variant\": \"0\"", "\"variant\": \"0\", \"on\": [\"Qwertz\"]")]);
    assert!(error.contains("found `Qwertz`; known: IsUnevictable, "), "{error}");
    let error = wrong(LRU_DRAIN, &[("\"kworkers\"", "\"qwertz\"")]);
    assert!(error.contains("unknown field; expected cpus, zones"), "{error}");
}
