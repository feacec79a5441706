//! What the command says of runs that cannot go on, of wrong files, of bulk runs, of clocks.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

fn mmscope(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mmscope")).args(args).output().expect("the binary starts")
}

fn message(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn json(args: &[&str]) -> Value {
    let output = mmscope(args);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{args:?}: {error}: {}", message(&output)))
}

/// A file of its own for a test, gone when the test is over.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str, content: &[u8]) -> Temporary {
        let path = std::env::temp_dir().join(format!("mmscope-{}-{name}", std::process::id()));
        std::fs::write(&path, content).expect("the file can be written");
        Temporary(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("UTF-8")
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

const MUNLOCK: &str = include_str!("../../assets/scenarios/munlock.json");
const MADVISE_FREE: &str = include_str!("../../assets/scenarios/madvise-free.json");

fn refused(args: &[&str], expected: &[&str]) {
    let output = mmscope(args);
    let message = message(&output);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {message}{}", text(&output));
    assert!(output.stdout.is_empty(), "{args:?}");
    for part in expected {
        assert!(message.contains(part), "{args:?}: `{part}` expected in: {message}");
    }
}

#[test]
fn memory_that_runs_out_is_an_error_of_the_input() {
    let parts =
        ["the run cannot go on: out of memory", "expected more `ram` or `swap`, or fewer `pages` or `processes`"];
    for bulk in [&[][..], &["--bulk"], &["--json"]] {
        refused(&[&["run", "madvise-free", "--set", "swap=1"], bulk].concat(), &parts);
        refused(&[&["compare", "madvise-free", "--set", "swap=1"], bulk].concat(), &parts);
    }
    let file = Temporary::new("small.json", MADVISE_FREE.replace("\"slots\": 64", "\"slots\": 1").as_bytes());
    refused(
        &["run", file.path()],
        &[file.path(), "line 7, column", "machine.zones: the run cannot go on: out of memory"],
    );
}

#[test]
fn what_the_set_up_lacks_is_told_with_file_and_line() {
    let file = Temporary::new("oom.json", MUNLOCK.replacen("[56]", "[55]", 1).as_bytes());
    let expected = format!("mmscope: {}: line 10, column ", file.path());
    refused(&["run", file.path()], &[&expected, "setup[0]: `mmap`: out of memory"]);
    refused(&["run", file.path(), "--bulk"], &[&expected]);
}

#[test]
fn a_schedule_that_does_not_fit_is_told_with_file_and_line() {
    let file = Temporary::new(
        "timed.json",
        MUNLOCK.replace("\"measure\":", "\"schedule\": \"timed\", \"measure\":").as_bytes(),
    );
    refused(&["run", file.path()], &[file.path(), "line 12, column 15: schedule: schedule `timed` lets"]);
    // Not where the command line asks for it.
    let file = Temporary::new("plain.json", MUNLOCK.as_bytes());
    let output = mmscope(&["run", file.path(), "--schedule", "timed"]);
    assert!(!message(&output).contains("line "), "{}", message(&output));
}

#[test]
fn a_byte_order_mark_is_passed_over_and_other_encodings_are_named() {
    let marked = Temporary::new("bom.json", [b"\xef\xbb\xbf", MUNLOCK.as_bytes()].concat().as_slice());
    let plain = Temporary::new("nobom.json", MUNLOCK.as_bytes());
    assert_eq!(json(&["run", marked.path(), "--json"]), json(&["run", plain.path(), "--json"]));
    let wide: Vec<u8> = [0xfeffu16].into_iter().chain(MUNLOCK.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let wide = Temporary::new("utf16.json", &wide);
    refused(&["run", wide.path()], &["byte 0 of the file is 0xff", "UTF-16", "expected text in UTF-8"]);
    let title = MUNLOCK.replacen("\"title\": \"", "\"title\": \"\u{1}", 1);
    assert_ne!(title, MUNLOCK);
    let at = title.bytes().position(|byte| byte == 1).unwrap();
    let latin: Vec<u8> = title.bytes().map(|byte| if byte == 1 { 0xfc } else { byte }).collect();
    let latin = Temporary::new("latin1.json", &latin);
    refused(&["run", latin.path()], &[&format!("byte {at} of the file is 0xfc"), "expected text in UTF-8"]);
    assert!(!message(&mmscope(&["run", latin.path()])).contains("UTF-16"));
}

#[test]
fn calls_in_an_order_that_only_the_run_decides() {
    let (touch, fork) = ("\"call\": \"touch\", \"process\": 0", "\"call\": \"fork\", \"process\": 1, \"child\": 0");
    let two = |one, other| {
        let cpus = format!("\"cpus\": [{{ \"run\": [{{ {one} }}] }}, {{ \"run\": [{{ {other} }}] }}]");
        MUNLOCK
            .replacen("\"cpus\": 1,", "\"cpus\": 2,", 1)
            .replacen("[56]", "[200]", 1)
            .replacen("[{ \"vmas\":", "[{ \"child_of\": 1 }, { \"vmas\":", 1)
            .replacen("\"call\": \"mmap\"", "\"process\": 1, \"call\": \"mmap\"", 1)
            .replacen("\"cpus\": [{ \"run\": [{ \"call\": \"munlock\" }] }]", &cpus, 1)
    };
    let early = Temporary::new("early.json", two(touch, fork).as_bytes());
    let parts = [
        "early.json: line 11, column",
        "cpus[0].run[0]: the run cannot go on: `touch` of process 0, a child that has not been forked yet",
    ];
    refused(&["run", early.path(), "--schedule", "turns"], &parts);
    let late = Temporary::new("late.json", two(fork, touch).as_bytes());
    let output = mmscope(&["run", late.path(), "--schedule", "turns"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", message(&output), text(&output));
}

#[test]
fn choices_of_a_file_are_told_with_their_line() {
    let own = MUNLOCK.replace("\"measure\":", "\"schedule\": \"choices:0x3\", \"measure\":");
    let file = Temporary::new("choices.json", own.as_bytes());
    refused(&["run", file.path()], &["choices.json: line 12, column 15: schedule: choices: 3 given"]);
}

#[test]
fn a_block_is_freed_once() {
    let pcp = include_str!("../../assets/scenarios/pcp-free.json");
    let own =
        pcp.replace("\"call\": \"munmap\"", "\"call\": \"alloc\" }, { \"call\": \"free\" }, { \"call\": \"free\"");
    let file = Temporary::new("twice.json", own.as_bytes());
    let expected = "twice.json: the run cannot go on: `free`: block 0 is not allocated; expected an `alloc` before it";
    refused(&["run", file.path()], &[expected]);
}

#[test]
fn a_key_is_set_once() {
    refused(
        &["run", "lru-drain", "--set", "cpus=2", "--set", "cpus=3"],
        &["`cpus` is set twice; expected each parameter once"],
    );
}

#[test]
fn a_file_has_no_parameters() {
    let file = Temporary::new("set.json", MUNLOCK.as_bytes());
    let parts = ["parameter `pages`: a scenario file has none; expected the change in the file itself"];
    refused(&["run", file.path(), "--set", "pages=3"], &parts);
}

#[test]
fn every_schedule_that_is_taken_is_in_the_lists() {
    let words = ["scenario", "round-robin", "turns", "timed", "seed:N", "choices:LIST"];
    refused(&["run", "munlock", "--schedule", "fifo"], &words);
    refused(&["run", "munlock", "--schedule", "@/no/such/file"], &words);
    let help = text(&mmscope(&["--help"]));
    assert!(words.iter().all(|word| help.contains(word)), "{help}");
    let file = Temporary::new(
        "turns.json",
        MUNLOCK.replace("\"measure\":", "\"schedule\": \"turns\", \"measure\":").as_bytes(),
    );
    assert_eq!(json(&["run", file.path(), "--json"])["schedule"], "turns");
    assert_eq!(json(&["run", file.path(), "--json", "--bulk"])["schedule"], "turns");
}

#[test]
fn a_broken_rule_of_a_bulk_run_has_no_step() {
    let args = ["run", "munlock-truncate", "--variant", "6", "--bulk"];
    let output = mmscope(&args);
    assert_eq!(output.status.code(), Some(1), "{}", message(&output));
    let text = text(&output);
    assert!(text.contains("BROKEN RULE in a bulk run: "), "{text}");
    assert!(!text.contains("at step"), "{text}");
    let run = json(&[&args[..], &["--json"]].concat());
    assert_eq!(run["invariants"]["violations"][0]["step"], 0);
}

// The elapsed column of the tables of the series, by skew: dontneed, free, free-swap, v4.5, v4.12, today.
const ELAPSED: [(&str, [u64; 6]); 3] = [
    ("0", [3228, 9800, 3957, 3714, 3413, 3267]),
    ("32", [2976, 7717, 4088, 3711, 3442, 3403]),
    ("64", [2976, 4810, 3671, 3380, 3400, 3334]),
];

#[test]
fn the_clocks_say_what_the_tables_say() {
    let variants = ["dontneed", "free", "free-swap", "v4.5", "v4.12", "today"];
    for (skew, elapsed) in ELAPSED {
        for (variant, ticks) in variants.into_iter().zip(elapsed) {
            let set = format!("skew={skew}");
            let run = json(&["run", "madvise-free", "--variant", variant, "--set", &set, "--bulk", "--json"]);
            assert_eq!(run["state"]["elapsed_ticks"], ticks, "{variant} at skew {skew}");
        }
    }
    let both = json(&["compare", "madvise-free", "--bulk", "--json"]);
    let row = both["rows"].as_array().unwrap().iter().find(|row| row["key"] == "elapsed_ticks").unwrap();
    assert_eq!((&row["old"], &row["new"], &row["difference"]), (&4810.into(), &3671.into(), &(-1139).into()));
    let table = text(&mmscope(&["compare", "madvise-free", "--bulk"]));
    assert!(table.contains("elapsed ticks               4810        3671       -1139\n"), "{table}");
    let run = text(&mmscope(&["run", "madvise-free", "--bulk"]));
    assert!(run.contains("elapsed ticks                     4810\n"), "{run}");
    assert_eq!(json(&["run", "munlock", "--json"])["state"]["elapsed_ticks"], 0);
    assert!(!text(&mmscope(&["run", "munlock"])).contains("elapsed"));
}

#[test]
fn the_bystander_of_the_benchmark_is_not_timed() {
    let run = json(&["run", "madvise-free", "--set", "bystander=8", "--bulk", "--json"]);
    assert!(run["state"]["elapsed_ticks"].as_u64() > Some(0));
}
