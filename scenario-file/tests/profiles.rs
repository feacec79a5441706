//! Cost profiles: those that come with the project, and wrong ones.

use proptest::prelude::*;
use scenario_file::profile::{BUNDLED, bundled, of_series, parse};
use sim_core::cost::{CostClass, MOST_PS};
use sim_core::scenario::SERIES;

const SMALL: &str = r#"{
  "profile": "small",
  "title": "A small one",
  "ns": {
    "rmw": { "ns": 6.25, "source": "measured" }
  },
  "functions": { "put_page": { "ns": 3, "source": "estimate" } },
  "cache_lines": { "near": 512, "lines": 16384, "source": "data sheet" }
}"#;

fn wrong(from: &str, to: &str) -> String {
    assert!(SMALL.contains(from), "{from}");
    parse(&SMALL.replacen(from, to, 1)).unwrap_err().to_string()
}

#[test]
fn each_series_has_a_profile_that_can_be_read_and_names_its_sources() {
    for series in SERIES {
        assert!(bundled(of_series(series.name)).is_some(), "{}", series.name);
    }
    for (name, text) in BUNDLED {
        let profile = parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(&profile.name, name);
        for cost in profile.classes.iter().chain(&profile.functions) {
            assert!(!cost.source.trim().is_empty(), "{name}: {}", cost.name);
        }
    }
}

#[test]
fn nanoseconds_become_picoseconds_and_what_is_missing_costs_nothing() {
    let costs = parse(SMALL).unwrap().costs();
    assert_eq!(costs.of(CostClass::Rmw), 6250);
    assert_eq!(costs.of(CostClass::Spin), 0);
    assert_eq!((costs.function("put_page"), costs.function("get_page")), (3000, 0));
    assert_eq!((costs.near_lines, costs.cache_lines), (512, 16384));
    let none = parse(r#"{ "profile": "none", "title": "Nothing costs anything" }"#).unwrap().costs();
    assert!(CostClass::ALL.iter().all(|&class| none.of(class) == 0));
    let most = SMALL.replacen("6.25", "1000000000", 1);
    assert_eq!(parse(&most).unwrap().costs().of(CostClass::Rmw), MOST_PS);
}

#[test]
fn wrong_profiles_are_told_where_and_what_was_expected() {
    let table = [
        ("6.25", "-1", "line 5, column 20: ns.rmw.ns: expected nanoseconds from 0 to 1000000000"),
        ("6.25", "1e30", "line 5, column 20: ns.rmw.ns: expected nanoseconds from 0 to 1000000000"),
        ("6.25", "\"6\"", "line 5, column 20: ns.rmw.ns: expected nanoseconds from 0 to 1000000000"),
        (", \"source\": \"measured\"", "", "line 5, column 12: ns.rmw: expected a field `source`"),
        (
            "\"title\"",
            "\"titel\"",
            "line 3, column 12: titel: expected one of profile, title, note, ns, functions, cache_lines",
        ),
        ("\"profile\": \"small\",", "", "line 1, column 1: expected a field `profile`"),
        (
            "\"put_page\"",
            "\"put page\"",
            "line 7, column 30: functions.put page: expected the name of a kernel function",
        ),
        ("16384", "-4", "line 8, column 42: cache_lines.lines: expected a whole number of lines"),
        ("\"ns\": {", "\"ns\": [", "this is not JSON"),
    ];
    for (from, to, expected) in table {
        let message = wrong(from, to);
        assert!(message.contains(expected), "{message}\n{expected}");
    }
    assert!(wrong("\"rmw\"", "\"rwm\"").starts_with("line 5, column 12: ns.rwm: expected one of rmw, spin"));
    let twice = wrong("\"rmw\": {", "\"rmw\": { \"ns\": 1, \"source\": \"x\" }, \"rmw\": {");
    assert!(twice.contains("is there twice"), "{twice}");
    assert!(parse("[]").unwrap_err().to_string().contains("expected an object"));
}

proptest! {
    #[test]
    fn any_text_gets_an_answer(text in ".{0,200}") {
        if let Err(error) = parse(&text) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}
