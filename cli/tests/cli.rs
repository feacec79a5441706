//! The command as its users run it.

use std::process::{Command, Output};

use serde_json::Value;

fn mmscope(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mmscope")).args(args).output().expect("the binary starts")
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("the output is UTF-8")
}

fn json(args: &[&str]) -> Value {
    let output = mmscope(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("the output is JSON")
}

#[test]
fn run_prints_the_totals_of_the_tables() {
    // Atomics on page words, on lock words, and rounds of lru_lock for 56 pages.
    let table = [
        ("0", 670, 167, 111),
        ("2", 644, 115, 59),
        ("3", 644, 63, 7),
        ("5", 560, 64, 8),
        ("6", 448, 64, 8),
        ("7", 448, 16, 8),
    ];
    for (variant, page, spin, lru_lock) in table {
        let run = json(&["run", "munlock", "--variant", variant, "--json"]);
        let rmw = &run["ledger"]["rmw"];
        assert_eq!(rmw["page"], page, "variant {variant}");
        assert_eq!(rmw["spin"], spin, "variant {variant}");
        assert_eq!(rmw["other"], 0, "variant {variant}");
        assert_eq!(rmw["total"], page + spin, "variant {variant}");
        assert_eq!(run["ledger"]["locks"]["lru_lock"]["acquired"], lru_lock, "variant {variant}");
    }
}

#[test]
fn run_has_every_key_that_scripts_rely_on() {
    let run = json(&["run", "munlock", "--variant", "6", "--json"]);
    for key in [
        "mmscope",
        "scenario",
        "variant",
        "params",
        "schedule",
        "choices",
        "steps",
        "ledger",
        "state",
        "modelled_ns",
        "invariants",
        "claims",
    ] {
        assert!(run.get(key).is_some(), "{key}");
    }
    for key in [
        "rmw",
        "locks",
        "irq_pairs",
        "preempt_pairs",
        "barriers",
        "list_del",
        "list_add",
        "list_ops_under",
        "vmstat_updates",
        "event_updates",
        "events",
        "pagevec_adds",
        "drains",
        "works_queued",
        "ipis",
        "sleeps",
        "tlb_flushes",
        "page_table_walks",
        "swap_in",
        "swap_out",
        "folio_stat_updates",
        "rstat_updates",
    ] {
        assert!(run["ledger"].get(key).is_some(), "ledger.{key}");
    }
    assert_eq!(run["ledger"]["list_del"], 56);
    assert_eq!(run["ledger"]["list_add"], 56);
    assert_eq!(run["ledger"]["vmstat_updates"], 116);
    assert_eq!(run["ledger"]["event_updates"], 8);
    assert_eq!(run["ledger"]["events"]["UNEVICTABLE_PGMUNLOCKED"], 56);
    assert_eq!(run["ledger"]["pagevec_adds"]["on_stack"], 112);
    assert_eq!(run["ledger"]["page_table_walks"], 56);
    assert_eq!(run["ledger"]["rmw"]["by_name"]["_count.inc:follow_page"], 56);
    assert_eq!(run["state"]["lists"]["inactive_anon"], 56);
    assert_eq!(run["state"]["nr"]["NR_MLOCK"], 0);
    assert_eq!(run["state"]["digest"].as_str().map(str::len), Some(16));
    assert_eq!(run["params"]["pages"], 56);
    assert_eq!(run["params"]["thp"], false);
}

#[test]
fn a_bulk_run_counts_what_a_recorded_run_counts() {
    for variant in ["0", "4", "6", "7-v2", "fixed", "v5.10", "today"] {
        let args = ["run", "munlock", "--variant", variant, "--set", "pages=1000", "--json"];
        let recorded = json(&args);
        let bulk = json(&[&args[..], &["--bulk", "--check"]].concat());
        assert_eq!(recorded["ledger"], bulk["ledger"], "variant {variant}");
        assert_eq!(recorded["state"], bulk["state"], "variant {variant}");
        assert_eq!(recorded["steps"], bulk["steps"], "variant {variant}");
    }
}

#[test]
fn printed_choices_replay_the_run() {
    let seeded = json(&["run", "munlock-two-cpus", "--schedule", "seed:7", "--json"]);
    let choices = format!("choices:{}", seeded["choices"].as_str().expect("text"));
    let replayed = json(&["run", "munlock-two-cpus", "--schedule", &choices, "--json"]);
    assert_eq!(seeded["state"]["digest"], replayed["state"]["digest"]);
    assert_eq!(seeded["ledger"], replayed["ledger"]);
}

#[test]
fn compare_fits_into_a_mail() {
    let output = mmscope(&["compare", "munlock", "--old", "0", "--new", "6"]);
    assert!(output.status.success());
    let table = text(&output);
    let widest = table.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(72), "{widest:?} columns");
    golden("compare-munlock-0-6.txt", &table);
}

// UPDATE_GOLDEN=1 rewrites the file.
fn golden(name: &str, found: &str) {
    let path = format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, found).expect("the golden file can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(expected, found, "{path}");
}

#[test]
fn compare_json_has_both_sides() {
    let both = json(&["compare", "munlock", "--old", "5", "--new", "6", "--json"]);
    assert_eq!(both["old"]["ledger"]["rmw"]["total"], 624);
    assert_eq!(both["new"]["ledger"]["rmw"]["total"], 512);
}

#[test]
fn list_names_every_variant() {
    let list = json(&["list", "--json"]);
    let munlock = list.as_array().and_then(|all| all.first()).expect("munlock is first");
    let names: Vec<&str> =
        munlock["variants"].as_array().expect("variants").iter().filter_map(|v| v["name"].as_str()).collect();
    assert_eq!(
        names,
        ["0", "1", "2", "3", "4", "5", "6", "5-v2", "6-v2", "7-v2", "7", "fixed", "v5.10", "v6.1", "today"]
    );
    assert!(text(&mmscope(&["list"])).contains("putback-race"));
}

#[test]
fn a_broken_rule_ends_with_status_1() {
    let output = mmscope(&["run", "munlock-truncate", "--variant", "6"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("deadlock"), "{}", text(&output));
}

#[test]
fn a_claim_that_the_variant_is_known_to_break_is_no_failure() {
    let run = json(&["run", "munlock", "--variant", "6", "--json"]);
    let broken: Vec<&Value> =
        run["claims"].as_array().expect("claims").iter().filter(|claim| claim["holds"] == false).collect();
    assert_eq!(broken.len(), 1);
    assert_eq!(broken[0]["known"], true);
}

#[test]
fn compare_checks_what_was_claimed_of_two() {
    let both = json(&["compare", "munlock", "--old", "2", "--new", "3", "--json"]);
    let claims = both["claims"].as_array().expect("claims");
    let of = |text: &str| claims.iter().find(|claim| claim["claim"] == text).expect("the claim is made").clone();
    let rounds = of("lru_lock rounds that are left");
    assert_eq!(rounds["expected"], "7 of 59");
    assert_eq!((&rounds["found"], &rounds["kind"]), (&rounds["expected"], &Value::from("count")));
    for key in ["claim", "kind", "source", "expected", "found", "holds", "known", "why", "step"] {
        assert!(claims.iter().all(|claim| claim.get(key).is_some()), "{key}");
    }
    // In bulk too: the ledgers and the machines are there.
    let args = ["compare", "pcp-free", "--old", "v4.15", "--new", "merged"];
    let bulk = json(&[&args[..], &["--bulk", "--json"]].concat());
    let recorded = json(&[&args[..], &["--json"]].concat());
    assert_eq!(bulk["claims"], recorded["claims"]);
    assert_eq!(bulk["claims"].as_array().map(Vec::len), Some(3));
}

#[test]
fn a_claim_of_two_that_is_known_to_break_is_no_failure() {
    let args = ["compare", "munlock", "--old", "6", "--new", "7", "--set", "zones=2", "--set", "interleave=true"];
    let output = mmscope(&args);
    assert!(output.status.success());
    let table = text(&output);
    assert!(table.contains("BROKEN, as known: patch 7 takes fewer page-table"), "{table}");
    assert!(table.contains("(where zones interleave"), "{table}");
}

#[test]
fn a_rule_that_the_variant_is_known_to_break_is_a_claim_too() {
    let output = mmscope(&["run", "rmap-stale-tlb", "--variant", "5", "--json"]);
    assert_eq!(output.status.code(), Some(1), "a broken rule stays one");
    let run: Value = serde_json::from_slice(&output.stdout).expect("the output is JSON");
    let claims = run["claims"].as_array().expect("claims");
    assert_eq!(claims.len(), 1, "{claims:?}");
    assert_eq!(claims[0]["kind"], "never");
    assert_eq!((&claims[0]["holds"], &claims[0]["known"]), (&Value::from(false), &Value::from(true)));
    assert_eq!(claims[0]["step"], run["invariants"]["violations"][0]["step"]);
    assert!(claims[0]["why"].as_str().is_some_and(|why| why.contains("look-ahead")), "{claims:?}");
}

#[test]
fn claims_of_every_scenario_fit_into_a_mail() {
    for name in ["munlock-truncate", "lru-drain", "pcp-hang", "pcp-free", "rmap-mlock", "rmap-unmap"] {
        for command in ["run", "compare"] {
            let output = text(&mmscope(&[command, name]));
            let widest = output.lines().map(|line| line.chars().count()).max();
            assert!(widest <= Some(72), "{command} {name}: {widest:?} columns");
            assert!(output.contains("holds: ") || output.contains("BROKEN"), "{command} {name}");
        }
    }
}

#[test]
fn wrong_input_is_named_with_what_was_expected() {
    let table: &[(&[&str], &str)] = &[
        (&["run", "munlok"], "did you mean `munlock`"),
        (&["run"], "name of a scenario"),
        (&["run", "munlock", "--variant", "5v2"], "did you mean `5-v2`"),
        (&["run", "munlock", "--variant", "6", "--set", "page=3"], "did you mean `pages`"),
        (&["run", "munlock", "--set", "pages=0"], "a number from 1 to"),
        (&["run", "munlock", "--set", "thp=maybe"], "true or false"),
        (&["run", "munlock", "--set", "pages"], "key=value"),
        (&["run", "munlock", "--set", "thp=true"], "a multiple of 512"),
        (&["run", "munlock", "--schedule", "fifo"], "round-robin"),
        (&["run", "munlock-two-cpus", "--schedule", "choices:0,x"], "item 2"),
        (&["run", "munlock-two-cpus", "--schedule", "choices:7"], "CPU 7"),
        (&["run", "munlock", "--schedule", "choices:0x3"], "expected 0 or fewer"),
        (&["run", "munlock", "--set", "pages=1000000"], "bulk"),
        (&["run", "munlock", "--detail", "lock"], "functions, tree, locks"),
        (&["run", "munlock", "--detail", "locks", "--bulk"], "without --bulk"),
        (&["compare", "munlock", "--detail", "locks"], "--detail"),
        (&["sing"], "unknown command `sing`"),
        (&["run", "munlock", "--frobnicate"], "--frobnicate"),
    ];
    for (args, expected) in table {
        let output = mmscope(args);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {message}");
        assert!(message.contains(expected), "{args:?}: {message}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn a_scenario_file_runs_like_the_scenario_that_it_writes_down() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../assets/scenarios/munlock.json");
    for variant in ["0", "6", "today"] {
        let (theirs, ours) = (
            json(&["run", file, "--variant", variant, "--json"]),
            json(&["run", "munlock", "--variant", variant, "--json"]),
        );
        assert_eq!(theirs["scenario"], "munlock-file");
        for key in ["ledger", "state", "steps", "variant", "schedule"] {
            assert_eq!(theirs[key], ours[key], "variant {variant}, {key}");
        }
    }
    let (theirs, ours) = (json(&["compare", file, "--json"]), json(&["compare", "munlock", "--json"]));
    assert_eq!(theirs["rows"], ours["rows"]);
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../assets/scenarios/pcp-free.json");
    let (theirs, ours) = (json(&["compare", file, "--json"]), json(&["compare", "pcp-free", "--json"]));
    assert_eq!(theirs["rows"], ours["rows"]);
}

#[test]
fn a_wrong_scenario_file_is_told_where() {
    let folder = std::env::temp_dir().join(format!("mmscope-scenario-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("wrong.json");
    let path = path.to_str().unwrap();
    std::fs::write(path, "{\n  \"name\": 7\n}\n").unwrap();
    let wrong = mmscope(&["run", path]);
    let missing = mmscope(&["run", "./no/such/file.json"]);
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(wrong.status.code(), Some(2));
    let message = String::from_utf8(wrong.stderr).unwrap();
    let expected = "line 2, column 11: name: expected a name of 1 to 40 letters, digits, `-`, `_` or `.`, found 7";
    assert!(message.contains(expected), "{message}");
    assert_eq!(missing.status.code(), Some(2));
    let message = String::from_utf8(missing.stderr).unwrap();
    assert!(message.contains("./no/such/file.json: ") && message.contains("expected a scenario file"), "{message}");
}

#[test]
fn detail_adds_a_table() {
    let plain = json(&["run", "munlock", "--variant", "0", "--json"]);
    assert!(plain.get("detail").is_none());
    for by in ["keys", "functions", "tree", "locks", "each-lock", "spans", "cpus", "pages"] {
        let args = ["run", "munlock", "--variant", "0", "--detail", by];
        let mut run = json(&[&args[..], &["--json"]].concat());
        let detail = run.as_object_mut().and_then(|run| run.remove("detail")).expect("detail");
        assert_eq!(run, plain, "{by}");
        assert_eq!(detail["by"], by);
        let rows = detail["rows"].as_array().expect("rows");
        assert!(!rows.is_empty(), "{by}");
        let printed = text(&mmscope(&args));
        assert!(printed.lines().all(|line| line.chars().count() <= 72), "{printed}");
        for row in rows {
            let label = row["label"].as_str().expect("a label");
            assert!(printed.contains(label), "{by}: {label}");
        }
    }
    let locks = json(&["run", "munlock", "--variant", "0", "--detail", "locks", "--json"]);
    let lru = locks["detail"]["rows"].as_array().into_iter().flatten().find(|row| row["key"] == "lru_lock");
    assert_eq!(lru.expect("a row")["acquired"], 111);
}
