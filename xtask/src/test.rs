//! Every check there is, one after the other; the last line counts them all.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use crate::setup::Kit;
use crate::{Result, build, cmd, setup};

/// What a check found. A check that runs no tests of its own counts as one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Tally {
    passed: u64,
    failed: u64,
}

const PASSED: Tally = Tally { passed: 1, failed: 0 };

/// A check, and what it needs of the set-up.
enum Check {
    Native(fn() -> Result<Tally>),
    Site(fn(&Kit) -> Result<Tally>),
    Browser(fn(&Path) -> Result<Tally>),
}

const CHECKS: [(&str, Check); 8] = [
    ("format", Check::Native(format)),
    ("lint", Check::Native(lint)),
    ("native", Check::Native(native)),
    ("doc", Check::Native(doc)),
    ("evidence", Check::Native(evidence)),
    ("build", Check::Site(site)),
    ("digest", Check::Site(digest)),
    ("browser", Check::Browser(browser)),
];

/// `cargo xtask test`.
pub fn run(names: &[String]) -> ExitCode {
    if let Some(wrong) = names.iter().find(|name| CHECKS.iter().all(|(known, _)| known != name)) {
        let known: Vec<&str> = CHECKS.iter().map(|(name, _)| *name).collect();
        eprintln!("error: there is no check `{wrong}`; there are {}", known.join(", "));
        return ExitCode::FAILURE;
    }
    let wanted: Vec<&(&str, Check)> =
        CHECKS.iter().filter(|(known, _)| names.is_empty() || names.iter().any(|name| name == known)).collect();

    let mut report = Report::default();
    let needs_kit = wanted.iter().any(|(_, check)| matches!(check, Check::Site(_)));
    let needs_chromium = wanted.iter().any(|(_, check)| matches!(check, Check::Browser(_)));
    let kit = needs_kit.then(|| report.set_up(setup::for_build)).flatten();
    let chromium = needs_chromium.then(|| report.set_up(setup::for_browser)).flatten();

    for (name, check) in wanted {
        match check {
            Check::Native(check) => report.check(name, check),
            Check::Site(check) => match &kit {
                Some(kit) => report.check(name, || check(kit)),
                None => report.skip(name, "the set-up failed"),
            },
            Check::Browser(check) => match &chromium {
                // What lies in dist/ then is of an earlier build.
                _ if report.failed("build") => report.skip(name, "there is no site"),
                Some(chromium) => report.check(name, || check(chromium)),
                None => report.skip(name, "the set-up failed"),
            },
        }
    }
    report.close()
}

/// The lines of the summary, and their sum.
#[derive(Default)]
struct Report {
    lines: Vec<String>,
    sum: Tally,
    /// Checks that did not pass whole, or did not run.
    failed: Vec<String>,
}

impl Report {
    fn set_up<T>(&mut self, set_up: fn() -> Result<T>) -> Option<T> {
        set_up().map_err(|message| self.add("set-up", Err(message), 0.0)).ok()
    }

    fn check(&mut self, name: &str, check: impl FnOnce() -> Result<Tally>) {
        println!("\n== {name}");
        let start = Instant::now();
        self.add(name, check(), start.elapsed().as_secs_f64());
    }

    fn add(&mut self, name: &str, outcome: Result<Tally>, seconds: f64) {
        let tally = outcome.unwrap_or_else(|message| {
            eprintln!("error: {message}");
            Tally { passed: 0, failed: 1 }
        });
        self.sum.passed += tally.passed;
        self.sum.failed += tally.failed;
        if tally.failed > 0 {
            self.failed.push(name.into());
        }
        self.lines.push(format!("{name:8} {:6} passed {:4} failed {seconds:7.1} s", tally.passed, tally.failed));
    }

    fn skip(&mut self, name: &str, why: &str) {
        self.failed.push(name.into());
        self.lines.push(format!("{name:8} not run: {why}"));
    }

    fn failed(&self, name: &str) -> bool {
        self.failed.iter().any(|failed| failed == name)
    }

    fn close(self) -> ExitCode {
        println!("\n{}", self.lines.join("\n"));
        println!("{} passed, {} failed", self.sum.passed, self.sum.failed);
        let all_well = self.sum.failed == 0 && self.sum.passed > 0;
        if all_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

fn format() -> Result<Tally> {
    cmd::run(cmd::cargo().args(["fmt", "--all", "--check"]))
        .map(|()| PASSED)
        .map_err(|error| format!("{error}; `cargo fmt --all` mends it (`rustup component add rustfmt` brings it)"))
}

fn lint() -> Result<Tally> {
    cmd::run(cmd::cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
        .map(|()| PASSED)
        .map_err(|error| format!("{error} (`rustup component add clippy` brings clippy where it is missing)"))
}

fn native() -> Result<Tally> {
    if cmd::output(cmd::cargo().args(["nextest", "--version"])).is_err() {
        return counted(cmd::cargo().args(["test", "--workspace", "--all-targets", "--no-fail-fast"]), count_libtest);
    }
    let mut nextest = cmd::cargo();
    nextest.args(["nextest", "run", "--workspace", "--no-fail-fast", "--no-tests=pass"]);
    nextest.args(["--status-level=fail", "--final-status-level=fail", "--color=never"]);
    counted(&mut nextest, count_nextest)
}

fn doc() -> Result<Tally> {
    counted(cmd::cargo().args(["test", "--doc", "--workspace", "--no-fail-fast"]), count_libtest)
}

/// The published figures beside the model's, at full size: minutes without optimisation.
fn evidence() -> Result<Tally> {
    counted(cmd::cargo().args(["test", "--release", "--package", "evidence", "--no-fail-fast"]), count_libtest)
}

fn site(kit: &Kit) -> Result<Tally> {
    build::site(kit, build::Form::Release)?;
    build::sizes()?;
    Ok(PASSED)
}

/// The same runs give the same digests natively and in WebAssembly: each scenario is one test.
fn digest(kit: &Kit) -> Result<Tally> {
    let native = cmd::output(cmd::cargo().args(["run", "--quiet", "--package", "mmscope-digest"]))?;

    let module = build::digest_module(kit)?;
    let mut node = Command::new("node");
    let wasm = cmd::output(node.arg("e2e/digest.mjs").arg(&module).current_dir(cmd::root()))?;

    Ok(compare_digests(&native, &wasm))
}

/// Native lines are `digest scenario …`, wasm's are `digest` in the same order.
fn compare_digests(native: &str, wasm: &str) -> Tally {
    let mut agrees = BTreeMap::new();
    let mut wasm_lines = wasm.lines();
    for line in native.lines() {
        let (ours, name) = line.split_once(' ').unwrap_or((line, "?"));
        let theirs = wasm_lines.next().unwrap_or("nothing");
        if ours != theirs {
            println!("{name}: {ours} natively, {theirs} in wasm");
        }
        *agrees.entry(name.split(' ').next().unwrap_or(name)).or_insert(true) &= ours == theirs;
    }
    if let Some(extra) = wasm_lines.next() {
        println!("wasm has a run more: {extra}");
        agrees.insert("?", false);
    }
    let passed = agrees.values().filter(|agrees| **agrees).count() as u64;
    println!("{} runs of {} scenarios compared", native.lines().count(), agrees.len());
    Tally { passed, failed: agrees.len() as u64 - passed }
}

fn browser(chromium: &Path) -> Result<Tally> {
    let e2e = cmd::root().join("e2e");
    let mut node = Command::new("node");
    // One file at a time: two browsers on two cores only wait for each other.
    node.args(["--test", "--test-concurrency=1", "--test-reporter=spec"]);
    node.args(test_files(&e2e)?)
        .env("MMSCOPE_CLI", program()?)
        .env("CHROMIUM", chromium)
        .env_remove("FORCE_COLOR")
        .current_dir(&e2e);
    counted(&mut node, count_node)
}

// The program whose pictures those of the page are compared with.
fn program() -> Result<PathBuf> {
    cmd::run(cmd::cargo().args(["build", "--quiet", "--package", "cli"]))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    Ok(cmd::root().join(target).join("debug/mmscope"))
}

fn test_files(folder: &Path) -> Result<Vec<String>> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<String> = entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".test.mjs"))
        .collect();
    files.sort();
    if files.is_empty() { Err(format!("{} has no *.test.mjs", folder.display())) } else { Ok(files) }
}

/// Runs a test runner and counts by its own summary. One that fails with no failed test, or has no summary, is one
/// failure itself: it did not get as far as its tests.
fn counted(command: &mut Command, count: fn(&str) -> Option<Tally>) -> Result<Tally> {
    let (status, text) = cmd::run_captured(command)?;
    match count(&text) {
        None => Err(format!("`{}` ended without a summary ({status})", cmd::shown(command))),
        Some(Tally { passed, failed: 0 }) if !status.success() => {
            eprintln!("error: `{}` failed ({status})", cmd::shown(command));
            Ok(Tally { passed, failed: 1 })
        }
        Some(tally) => Ok(tally),
    }
}

/// `Summary [   0.123s] 12 tests run: 10 passed (1 slow), 1 failed, 1 timed out, 3 skipped`
fn count_nextest(text: &str) -> Option<Tally> {
    let summary = text.lines().rev().find(|line| line.trim_start().starts_with("Summary ["))?;
    let (_, counts) = summary.split_once(']')?;
    let (run, outcomes) = counts.split_once(':')?;
    // `3/12 tests run` when it was stopped before its end.
    let total = run.split_whitespace().next()?.split('/').next_back()?.parse::<u64>().ok()?;
    let passed = number_before(outcomes, "passed").unwrap_or(0);
    Some(Tally { passed, failed: total.checked_sub(passed)? })
}

/// `test result: ok. 3 passed; 0 failed; 1 ignored; …`, once for each binary.
fn count_libtest(text: &str) -> Option<Tally> {
    let results = text.lines().filter(|line| line.starts_with("test result: "));
    let tallies = results
        .map(|line| Some(Tally { passed: number_before(line, "passed")?, failed: number_before(line, "failed")? }));
    tallies.reduce(|one, other| {
        let (one, other) = (one?, other?);
        Some(Tally { passed: one.passed + other.passed, failed: one.failed + other.failed })
    })?
}

/// The closing lines `ℹ pass 3`, `ℹ fail 0`, `ℹ cancelled 0` of node's test runner.
fn count_node(text: &str) -> Option<Tally> {
    let count = |name: &str| {
        let line =
            text.lines().rev().find_map(|line| line.strip_prefix("ℹ ")?.strip_prefix(name)?.strip_prefix(' '))?;
        line.parse::<u64>().ok()
    };
    Some(Tally { passed: count("pass")?, failed: count("fail")? + count("cancelled")? })
}

fn number_before(text: &str, word: &str) -> Option<u64> {
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.windows(2).find(|pair| pair[1] == word)?[0].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(passed: u64, failed: u64) -> Tally {
        Tally { passed, failed }
    }

    #[test]
    fn nextest_summary() {
        let count = |counts: &str| count_nextest(&format!("    PASS x\n------\n     Summary [   0.005s] {counts}\n"));
        assert_eq!(count("12 tests run: 12 passed, 0 skipped"), Some(tally(12, 0)));
        assert_eq!(count("12 tests run: 9 passed (1 slow), 2 failed, 1 timed out, 4 skipped"), Some(tally(9, 3)));
        assert_eq!(count("1 test run: 0 passed, 1 exec failed, 0 skipped"), Some(tally(0, 1)));
        assert_eq!(count("3/12 tests run: 2 passed, 1 failed, 0 skipped"), Some(tally(2, 10)));
        assert_eq!(count_nextest("error: could not compile"), None);
    }

    #[test]
    fn libtest_results_are_summed() {
        let text = "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n\
                    noise\n\
                    test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out\n";
        assert_eq!(count_libtest(text), Some(tally(4, 2)));
        assert_eq!(count_libtest("error: could not compile"), None);
    }

    #[test]
    fn node_closing_lines() {
        let text = "✔ passes (1 ms)\nℹ tests 2\nℹ suites 0\nℹ pass 1\nℹ fail 0\nℹ cancelled 1\nℹ skipped 0\n";
        assert_eq!(count_node(text), Some(tally(1, 1)));
        assert_eq!(count_node("SyntaxError"), None);
    }

    #[test]
    fn digests_are_compared_line_by_line() {
        assert_eq!(compare_digests("1f a x\n2f a y\n3f b x\n", "1f\n2f\n3f\n"), tally(2, 0));
        assert_eq!(compare_digests("1f a x\n2f a y\n3f b x\n", "1f\n9f\n3f\n"), tally(1, 1));
        assert_eq!(compare_digests("1f a x\n2f b x\n", "1f\n"), tally(1, 1));
        assert_eq!(compare_digests("1f a x\n", "1f\n2f\n"), tally(1, 1));
    }
}
