//! Wrong input is refused with a message that names it and says what was expected; nothing panics.

mod common;

use common::{cases, config, finish, spawn_munlock, spec};
use proptest::prelude::*;
use sim_core::engine::{EngineError, MAX_STEPS, Setup, parse_choices, print_choices};
use sim_core::scenario::{Layout, Params, RunSpec, SCENARIOS, Scenario, SpecError};

/// The message of what must be an error.
fn message<T>(result: Result<T, SpecError>) -> String {
    match result {
        Ok(_) => panic!("it was accepted"),
        Err(error) => error.to_string(),
    }
}

fn record(scenario: &str, variant: &str, params: &[(&str, &str)]) -> Result<(), SpecError> {
    spec(scenario, variant, params).record().map(|_| ())
}

fn says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{message}` does not say `{part}`");
    }
}

#[test]
fn names_that_are_not_known() {
    says(
        &message(RunSpec::new("munlok", "0")),
        &["unknown scenario `munlok`", "did you mean `munlock`", "putback-race"],
    );
    says(&message(RunSpec::new("Munlock", "0")), &["unknown scenario `Munlock`", "did you mean `munlock`"]);
    says(&message(RunSpec::new("putbackrace", "0")), &["did you mean `putback-race`"]);
    let unlike = message(RunSpec::new("kswapd", "0"));
    says(&unlike, &["unknown scenario `kswapd`", "expected one of: munlock, "]);
    assert!(!unlike.contains("did you mean"), "{unlike}");
    says(&message(RunSpec::new("", "0")), &["unknown scenario ``", "expected one of"]);

    says(&message(RunSpec::new("munlock", "7v2")), &["unknown variant `7v2`", "did you mean `7-v2`", "today"]);
    says(&message(RunSpec::new("munlock", "5.10")), &["unknown variant `5.10`", "did you mean `v5.10`"]);
    says(&message(RunSpec::new("munlock", "8")), &["unknown variant `8`"]);
    says(&message(RunSpec::new("putback-race", "today")), &["unknown variant `today`", "fixed"]);
    says(&message(RunSpec::new("munlock-split", "v5.10")), &["unknown variant `v5.10`"]);

    let set = |name: &str| RunSpec::new("munlock", "0").unwrap().set(name, "1");
    says(&message(set("page")), &["unknown parameter `page`", "did you mean `pages`", "pmd_start"]);
    says(&message(set("in_remote_pagevecs")), &["did you mean `in_remote_pagevec`"]);
    says(&message(set("colour")), &["unknown parameter `colour`", "expected one of: pages, "]);
    // What another scenario takes.
    says(&message(RunSpec::new("munlock-truncate", "0").unwrap().set("zones", "2")), &["unknown parameter `zones`"]);
}

#[test]
fn a_long_name_is_cut_in_the_message() {
    let long = "m".repeat(100_000);
    let text = message(RunSpec::new(&long, "0"));
    assert!(text.len() < 800, "{} bytes", text.len());
    let text = message(RunSpec::new("munlock", "0").unwrap().set("pages", &long));
    assert!(text.len() < 800, "{} bytes", text.len());
    let text = message(RunSpec::new("munlock", "0").unwrap().schedule(&long));
    assert!(text.len() < 800, "{} bytes", text.len());
    let text = message(RunSpec::new("munlock", "0").unwrap().schedule(&format!("choices:{long}")));
    assert!(text.len() < 800, "{} bytes", text.len());
}

#[test]
fn values_that_do_not_fit_their_parameter() {
    let number = |value: &str| message(RunSpec::new("munlock", "0").unwrap().set("pages", value));
    for value in ["0", "16777217", "-1", "", "1.5", "0x10", "many", "4294967296", "99999999999999999999", "1 000"] {
        says(&number(value), &["parameter `pages`", &format!("`{value}`"), "a number from 1 to 16777216"]);
    }
    let flag = |value: &str| message(RunSpec::new("munlock", "0").unwrap().set("thp", value));
    for value in ["yes", "2", "", "TRUE"] {
        says(&flag(value), &["parameter `thp`", &format!("`{value}`"), "true or false"]);
    }
    for (name, value, expected) in [
        ("zones", "3", "from 1 to 2"),
        ("zones", "0", "from 1 to 2"),
        ("pmd_start", "512", "from 0 to 511"),
        ("pagevec", "32", "from 0 to 31"),
        ("in_remote_pagevec", "15", "from 0 to 14"),
    ] {
        says(&message(RunSpec::new("munlock", "0").unwrap().set(name, value)), &[name, value, expected]);
    }
    let window = RunSpec::new("munlock-remlock", "0").unwrap().set("window", "3");
    says(&message(window), &["parameter `window`", "from 1 to 2"]);
    let tail = RunSpec::new("munlock-split", "0").unwrap().set("tail", "512");
    says(&message(tail), &["parameter `tail`", "from 1 to 511"]);
}

#[test]
fn values_that_are_accepted_as_they_are_meant() {
    let run = spec("munlock", "0", &[("pages", " 5 "), ("interleave", "0"), ("thp", "false")]);
    assert_eq!((run.params.get("pages"), run.params.is("interleave"), run.params.is("thp")), (5, false, false));
    assert!(spec("munlock", "0", &[("interleave", "1")]).params.is("interleave"));
}

#[test]
fn parameters_that_do_not_fit_together() {
    type Case = (&'static str, &'static str, &'static [(&'static str, &'static str)], &'static [&'static str]);
    let cases: [Case; 13] = [
        ("munlock", "0", &[("interleave", "true")], &["interleave is true and zones is 1", "expected zones=2"]),
        ("munlock", "0", &[("thp", "true")], &["thp is true and pages is 56", "a multiple of 512"]),
        ("munlock", "0", &[("thp", "true"), ("pages", "512"), ("pmd_start", "4")], &["thp is true", "pmd_start=0"]),
        ("munlock", "0", &[("pages", "5"), ("holes", "6")], &["holes", "is 6", "5 at most"]),
        ("munlock", "0", &[("pages", "5"), ("holes", "3"), ("shared", "3")], &["shared", "holes", "is 6", "5 at most"]),
        ("munlock", "0", &[("thp", "true"), ("pages", "1024"), ("not_mlocked", "3")], &["is 3", "2 at most"]),
        ("munlock", "0", &[("thp", "true"), ("pages", "512"), ("shared", "1")], &["with thp, shared", "expected 0"]),
        ("munlock", "0", &[("pagevec", "3"), ("in_remote_pagevec", "4")], &["in_remote_pagevec is 4", "3 at most"]),
        // A full pagevec is drained at once there, so it never stands at its size.
        ("munlock", "v5.10", &[("pagevec", "4"), ("in_remote_pagevec", "4")], &["in_remote_pagevec is 4", "3 at most"]),
        ("munlock-truncate", "0", &[("at", "14")], &["at is 14 and pages is 14", "an index below"]),
        ("munlock-page-lock", "6", &[("pages", "3")], &["at is 17 and pages is 3", "an index below"]),
        ("munlock-drain", "0", &[("pages", "2")], &["in_remote_pagevec is 3 and pages is 2", "2 at most"]),
        ("munlock-drain", "6", &[("pagevec", "2")], &["in_remote_pagevec is 3", "2 at most"]),
    ];
    for (scenario, variant, params, parts) in cases {
        says(&message(record(scenario, variant, params)), parts);
    }
}

#[test]
fn schedules_that_are_not_known() {
    let schedule = |text: &str| message(RunSpec::new("munlock", "0").unwrap().schedule(text));
    for text in ["", "random", "seed", "seed:", "seed:x", "seed:-1", "seed:18446744073709551616", "Seed:1", "timed "] {
        says(&schedule(text), &[&format!("unknown schedule `{text}`"), "`round-robin`", "`seed:N`", "`choices:`"]);
    }
    for text in ["round-robin", "seed:0", "seed:18446744073709551615", "choices:", "choices:0x12,1"] {
        assert!(RunSpec::new("munlock", "0").unwrap().schedule(text).is_ok(), "{text}");
    }
}

#[test]
fn choices_that_cannot_be_read() {
    let table = [
        ("x", 1, "x"),
        ("0,,1", 2, ""),
        ("0,a", 2, "a"),
        ("0x", 1, "0x"),
        ("0x0", 1, "0x0"),
        ("0,1x-3", 2, "1x-3"),
        ("256", 1, "256"),
        ("0x4000001", 1, "0x4000001"),
        ("0x4000000,1", 2, "1"),
        ("0,1x18446744073709551615", 2, "1x1844674407370955161"),
        ("0x99999999999999999999", 1, "0x99999999999999999999"),
        ("0;1", 1, "0;1"),
    ];
    for (text, item, shown) in table {
        let error = parse_choices(text).expect_err(text).to_string();
        says(&error, &[&format!("item {item} is `{shown}"), "expected a CPU number"]);
        let error = message(RunSpec::new("munlock-two-cpus", "0").unwrap().schedule(&format!("choices:{text}")));
        says(&error, &[&format!("item {item} ")]);
    }
}

#[test]
fn choices_that_can_be_read() {
    assert_eq!(parse_choices("").unwrap(), []);
    assert_eq!(parse_choices("0x3,1,0").unwrap(), [0, 0, 0, 1, 0]);
    assert_eq!(parse_choices(" 1 , 0 x 2 ").unwrap(), [1, 0, 0]);
    assert_eq!(print_choices(&[0, 0, 0, 1, 0]), "0x3,1,0");
    assert_eq!(print_choices(&[]), "");
}

#[test]
fn choices_that_do_not_fit_the_run() {
    let two =
        |text: &str| spec("munlock-two-cpus", "6", &[("pages", "3")]).schedule(text).unwrap().record().map(|_| ());
    says(&message(two("choices:0,7")), &["decision 2 is CPU 7", "expected one of 0, 1"]);
    let Err(SpecError::Engine(EngineError::Choice { decision, cpu, runnable })) = two("choices:0x10,2") else {
        panic!("CPU 2 is not there");
    };
    assert_eq!((decision, cpu, runnable), (11, 2, vec![0, 1]));
    let left = message(two("choices:0x100000"));
    says(&left, &["100000 given", "decisions", "or fewer"]);
    // One CPU never has to choose.
    let one = spec("munlock", "6", &[]).schedule("choices:0").unwrap().record().map(|_| ());
    says(&message(one), &["1 given", "only 0 decisions", "expected 0 or fewer"]);
    // Fewer choices than decisions are enough.
    assert!(two("choices:1x5").is_ok());
}

#[test]
fn a_recorded_run_that_is_too_long() {
    let layout = Layout::plain(90_000);
    let mut engine = layout.set_up(config("0"));
    engine.begin(Setup::default(), false);
    spawn_munlock(&mut engine, 0);
    let error = engine.run().unwrap_err();
    assert_eq!(error, EngineError::TooLong);
    says(&error.to_string(), &[&format!("more than {MAX_STEPS} steps"), "expected fewer pages, or a bulk run"]);
}

#[test]
fn the_defaults_of_every_scenario_are_in_bounds() {
    for scenario in SCENARIOS {
        let params = Params::new(scenario.params);
        for (param, value) in params.iter() {
            let mut again = Params::new(scenario.params);
            again.set(param.name, &param.print(value)).unwrap();
            assert_eq!(again, params, "{}: {}", scenario.name, param.name);
            assert!(!param.doc.is_empty(), "{}: {}", scenario.name, param.name);
        }
        for side in [scenario.sides.0, scenario.sides.1] {
            assert!(scenario.variant(side).is_ok(), "{}: {side}", scenario.name);
        }
        assert!(Scenario::find(scenario.name).is_ok());
    }
}

#[test]
fn an_empty_range_does_nothing() {
    for variant in common::ALL {
        let mut engine = common::prepared(config(variant), &Layout::plain(0), Default::default());
        spawn_munlock(&mut engine, 0);
        let end = finish(engine);
        assert_eq!(end.violation(), None, "variant {variant}");
        assert_eq!(end.world().ledger.page_rmw(), 0, "variant {variant}");
    }
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn any_text_is_choices_or_an_error(text in "[0-9x, -]{0,24}|\\PC{0,40}") {
        if let Ok(choices) = parse_choices(&text) {
            prop_assert_eq!(parse_choices(&print_choices(&choices)).unwrap(), choices);
        }
    }

    #[test]
    fn any_choices_are_read_back(choices in prop::collection::vec(0u8..4, 0..200)) {
        prop_assert_eq!(parse_choices(&print_choices(&choices)).unwrap(), choices);
    }

    #[test]
    fn any_text_is_a_value_or_an_error(at in any::<prop::sample::Index>(), text in "[0-9]{0,12}|true|false|\\PC{0,40}") {
        for scenario in SCENARIOS {
            let param = &scenario.params[at.index(scenario.params.len())];
            let mut params = Params::new(scenario.params);
            let before = params.clone();
            match params.set(param.name, &text) {
                Ok(()) => {
                    let (_, value) = params.iter().find(|(known, _)| *known == param).unwrap();
                    let mut again = Params::new(scenario.params);
                    again.set(param.name, &param.print(value)).unwrap();
                    prop_assert_eq!(&again, &params);
                }
                Err(error) => {
                    prop_assert_eq!(&params, &before, "a refused value changes nothing");
                    prop_assert!(error.to_string().contains(param.name));
                    prop_assert!(error.to_string().contains("expected"));
                }
            }
        }
    }

    #[test]
    fn any_name_is_known_or_an_error(name in "[a-z0-9-]{0,16}|\\PC{0,40}") {
        if let Err(error) = RunSpec::new(&name, "0") {
            let shown: String = name.chars().take(40).collect();
            prop_assert!(error.to_string().contains(&shown));
        }
        if let Err(error) = RunSpec::new("munlock", &name) {
            prop_assert!(error.to_string().contains("unknown variant"));
        }
        if let Err(error) = Params::new(SCENARIOS[0].params).set(&name, "1") {
            prop_assert!(error.to_string().contains("parameter"));
        }
        if let Err(error) = RunSpec::new("munlock", "0").unwrap().schedule(&name) {
            prop_assert!(error.to_string().contains("expected"));
        }
    }
}

#[test]
fn timed_needs_clocks() {
    let timed = |scenario, variant| {
        RunSpec::new(scenario, variant).unwrap().schedule("timed").unwrap().start(false).map(|_| ())
    };
    says(&message(timed("munlock-two-cpus", "0")), &["`timed`", "no clocks", "expected `round-robin`"]);
    assert!(timed("madvise-free", "free").is_ok());
}
