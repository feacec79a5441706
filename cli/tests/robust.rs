//! What a user's surroundings may do to the command, and what holds for every scenario.

use std::process::{Command, Stdio};

use serde_json::Value;

fn mmscope(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mmscope"));
    command.args(args);
    command
}

fn json(args: &[&str]) -> Value {
    let output = mmscope(args).output().expect("the binary starts");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{args:?}: {error}"))
}

fn scenarios() -> Vec<Value> {
    json(&["list", "--json"]).as_array().expect("a list").clone()
}

#[test]
fn a_reader_that_stops_is_no_error() {
    let mut child =
        mmscope(&["list"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_written_is_an_error() {
    let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has it");
    let output = mmscope(&["list"]).stdout(full).output().expect("the binary starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("can't write"));
}

#[cfg(target_os = "linux")]
#[test]
fn the_status_tells_where_standard_error_cannot() {
    let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has it");
    let status = mmscope(&["sing"]).stderr(full).status().expect("the binary starts");
    assert_eq!(status.code(), Some(2));
}

#[test]
fn text_is_for_72_columns() {
    let mut commands = vec![vec!["list".to_string()]];
    for scenario in scenarios() {
        let name = scenario["name"].as_str().expect("a name").to_string();
        for variant in scenario["variants"].as_array().expect("variants") {
            let variant = variant["name"].as_str().expect("a name").to_string();
            commands.push(vec!["run".to_string(), name.clone(), "--variant".to_string(), variant]);
        }
        commands.push(vec!["compare".to_string(), name]);
    }
    for command in commands {
        let args: Vec<&str> = command.iter().map(String::as_str).collect();
        let output = mmscope(&args).output().expect("the binary starts");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(!text.is_empty(), "{args:?}");
        // A word that is longer than a line, such as a list of choices, cannot be helped.
        let wide = |line: &&str| line.chars().count() > 72 && line.trim().contains(' ');
        assert_eq!(text.lines().find(wide), None, "{args:?}");
        assert!(text.is_ascii(), "{args:?}: a mail may garble it");
    }
}

#[test]
fn the_schedule_is_named_as_it_is_asked_for() {
    let schedule = |args: &[&str]| {
        let args = [args, &["--json"]].concat();
        json(&args)["schedule"].as_str().expect("text").to_string()
    };
    assert_eq!(schedule(&["run", "munlock"]), "round-robin");
    assert_eq!(schedule(&["run", "munlock", "--bulk"]), "round-robin");
    assert_eq!(schedule(&["run", "munlock-two-cpus"]), "round-robin");
    assert_eq!(schedule(&["run", "munlock-two-cpus", "--schedule", "seed:3"]), "seed:3");
    assert_eq!(schedule(&["run", "munlock-remlock"]), "scenario");
    assert_eq!(schedule(&["run", "munlock-remlock", "--schedule", "scenario"]), "scenario");
}

#[test]
fn a_pagevec_is_as_large_as_the_variant_has_it() {
    let slots = |args: &[&str]| json(&[&["run", "munlock", "--json"], args].concat())["params"]["pagevec"].clone();
    assert_eq!(slots(&[]), 14);
    assert_eq!(slots(&["--variant", "v6.1"]), 15);
    assert_eq!(slots(&["--variant", "today"]), 31);
    assert_eq!(slots(&["--set", "pagevec=7"]), 7);
}

#[test]
fn the_named_atomics_are_all_there_are() {
    for variant in ["0", "3", "6", "7", "v5.10", "today"] {
        let args = ["run", "munlock", "--variant", variant, "--set", "pages=300", "--set", "shared=9", "--json"];
        let rmw = json(&args)["ledger"]["rmw"].clone();
        let sum: u64 = rmw["by_name"].as_object().expect("names").values().filter_map(Value::as_u64).sum();
        assert_eq!(rmw["total"], sum, "variant {variant}");
    }
}

#[test]
fn what_cannot_be_recorded_is_refused_before_it_is_set_up() {
    let output = mmscope(&["run", "munlock", "--set", "pages=16777216"]).output().expect("the binary starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--bulk"));
}
