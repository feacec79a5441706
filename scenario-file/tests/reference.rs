//! The schema and the documentation say what the parser does.

use std::path::PathBuf;

use serde_json::{Value, json};
use sim_core::scenario::program::FUNCTIONS;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

fn read(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap_or_default()
}

fn update() -> bool {
    std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1")
}

#[test]
fn the_schema_is_that_of_the_parser() {
    const NAME: &str = "assets/scenario.schema.json";
    if update() {
        std::fs::write(path(NAME), format!("{:#}\n", scenario_file::schema())).unwrap();
    }
    let stored: Value = serde_json::from_str(&read(NAME)).unwrap();
    assert_eq!(stored, scenario_file::schema(), "UPDATE_GOLDEN=1 writes {NAME} anew");
}

#[test]
fn the_documentation_has_every_field_with_its_bounds() {
    const NAME: &str = "docs/scenario-files.md";
    const START: &str = "<!-- fields -->\n";
    let text = read(NAME);
    let (before, after) = text.split_once(START).expect("the documentation has a place for the fields");
    if update() {
        std::fs::write(
            path(NAME),
            format!("{before}{START}\n{}", scenario_file::tables().trim_end().to_string() + "\n"),
        )
        .unwrap();
        return;
    }
    assert_eq!(after.trim(), scenario_file::tables().trim(), "UPDATE_GOLDEN=1 writes the tables of {NAME} anew");
}

#[test]
fn the_examples_of_the_documentation_run() {
    let text = read("docs/scenario-files.md");
    let examples: Vec<&str> = text.split("```json\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(examples.len() >= 2);
    for example in examples {
        let scenario = scenario_file::parse(example).unwrap().into_scenario().unwrap();
        for variant in [scenario.sides.0, scenario.sides.1] {
            let run = sim_core::scenario::RunSpec::of(scenario, variant).unwrap().record().unwrap();
            assert_eq!(run.timeline.violation(), None, "{}, variant {variant}", scenario.name);
        }
    }
}

#[test]
fn every_call_of_the_table_is_a_call_of_a_file() {
    let calls: Vec<&str> = scenario_file::fields::CALLS.iter().map(|call| call.name).collect();
    for row in FUNCTIONS {
        assert!(calls.contains(&row.call.split(' ').next().unwrap()), "{}", row.call);
    }
    for call in calls {
        assert!(FUNCTIONS.iter().any(|row| row.call.split(' ').next() == Some(call)), "{call}");
    }
}

// A file around one call of the set-up.
fn file() -> Value {
    serde_json::from_str(include_str!("../../assets/scenarios/munlock.json")).unwrap()
}

// Every number of the schema: the parser takes both bounds and refuses what lies outside, as far as one field decides.
#[test]
fn the_bounds_of_the_schema_are_those_of_the_parser() {
    let schema = scenario_file::schema();
    let mut looked_at = 0;
    for call in schema["$defs"]["setupCall"]["oneOf"].as_array().unwrap() {
        let properties = call["properties"].as_object().unwrap();
        for (name, field) in properties.iter().filter(|(_, field)| field["type"] == "integer") {
            let (min, max) = (field["minimum"].as_i64().unwrap(), field["maximum"].as_i64().unwrap());
            for (value, fits) in [(min, true), (max, true), (min - 1, false), (max + 1, false)] {
                let mut file = file();
                let mut made = json!({ "call": properties["call"]["const"] });
                for required in call["required"].as_array().unwrap().iter().filter(|name| *name != "call") {
                    made[required.as_str().unwrap()] = if required == "advice" { json!("FREE") } else { json!(1) };
                }
                made[name] = json!(value);
                file["setup"][0] = made;
                let answer = scenario_file::parse(&file.to_string()).err().map(|error| error.message);
                let refused = format!("expected a number from {min} to {max}, found {value}");
                assert_eq!(answer.as_deref() == Some(refused.as_str()), !fits, "{name} {value}: {answer:?}");
                looked_at += 1;
            }
        }
    }
    assert!(looked_at > 50);
}

// The numbers outside the calls: where they stand in the schema, and in a file.
#[test]
fn the_bounds_of_the_machine_and_the_processes_are_those_of_the_parser() {
    let vma = "/properties/processes/items/properties/vmas/items/properties";
    let places = [
        ("/properties/machine/properties/cpus".to_string(), "/machine/cpus"),
        ("/properties/machine/properties/zones/items".into(), "/machine/zones/0"),
        ("/properties/machine/properties/stat_threshold".into(), "/machine/stat_threshold"),
        ("/properties/machine/properties/pcp/properties/batch".into(), "/machine/pcp/batch"),
        ("/properties/machine/properties/pcp/properties/high".into(), "/machine/pcp/high"),
        ("/properties/machine/properties/pcp/properties/high_max".into(), "/machine/pcp/high_max"),
        ("/properties/machine/properties/swap/properties/slots".into(), "/machine/swap/slots"),
        ("/properties/machine/properties/swap/properties/min".into(), "/machine/swap/min"),
        ("/properties/machine/properties/swap/properties/low".into(), "/machine/swap/low"),
        ("/properties/machine/properties/swap/properties/high".into(), "/machine/swap/high"),
        ("/properties/machine/properties/swap/properties/slice".into(), "/machine/swap/slice"),
        ("/properties/machine/properties/swap/properties/ratio".into(), "/machine/swap/ratio"),
        ("/properties/machine/properties/swap/properties/write_time".into(), "/machine/swap/write_time"),
        ("/properties/cpus/items/properties/starts".into(), "/cpus/0/starts"),
        ("/properties/config/properties/pagevec".into(), "/config/pagevec"),
        ("/properties/processes/items/properties/child_of".into(), "/processes/0/child_of"),
        (format!("{vma}/pages"), "/processes/0/vmas/0/pages"),
        (format!("{vma}/start"), "/processes/0/vmas/0/start"),
        (format!("{vma}/file"), "/processes/0/vmas/0/file"),
        (format!("{vma}/offset"), "/processes/0/vmas/0/offset"),
        (format!("{vma}/zones/items"), "/processes/0/vmas/0/zones/0"),
    ];
    let schema = scenario_file::schema();
    for (place, field) in places {
        let bounds = schema.pointer(&place).unwrap_or_else(|| panic!("{place}"));
        let (min, max) = (bounds["minimum"].as_i64().unwrap(), bounds["maximum"].as_i64().unwrap());
        for (value, fits) in [(min, true), (max, true), (min - 1, false), (max + 1, false)] {
            let mut file = file();
            file["processes"][0]["vmas"][0]["zones"] = json!([0]);
            if field.starts_with("/machine/pcp") {
                file["machine"]["pcp"] = json!({ "batch": 1, "high": 1 });
            } else if field.starts_with("/machine/swap") {
                file["machine"]["swap"] = json!({ "slots": 1 });
            }
            let (object, name) = field.rsplit_once('/').unwrap();
            match file.pointer_mut(object).unwrap() {
                Value::Array(items) => items[0] = json!(value),
                object => object[name] = json!(value),
            }
            let answer = scenario_file::parse(&file.to_string()).err().map(|error| error.message);
            let refused = format!("expected a number from {min} to {max}, found {value}");
            assert_eq!(answer.as_deref() == Some(refused.as_str()), !fits, "{field} {value}: {answer:?}");
        }
    }
}
