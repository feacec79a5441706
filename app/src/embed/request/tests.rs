use super::*;
use crate::embed::value::map;

fn message(kind: &str, fields: &[(&str, Value)]) -> Value {
    let mut members = vec![("mmscope".to_string(), Value::from(1)), ("type".to_string(), kind.into())];
    members.extend(fields.iter().map(|(name, value)| (name.to_string(), value.clone())));
    Value::Map(members)
}

fn number(number: f64) -> Value {
    Value::Number(number)
}

#[track_caller]
fn asks(kind: &str, fields: &[(&str, Value)], expected: Request) {
    assert_eq!(read(&message(kind, fields)), Received::Asked(None, expected));
}

#[track_caller]
fn refuses(kind: &str, fields: &[(&str, Value)], code: Code, field: Option<&str>) {
    match read(&message(kind, fields)) {
        Received::Refused(_, refusal) => assert_eq!((refusal.code, refusal.field), (code, field), "{refusal:?}"),
        other => panic!("{kind} {fields:?}: {other:?}"),
    }
}

#[test]
fn what_is_not_ours_is_left_alone() {
    for foreign in [Value::Nothing, "ping".into(), number(1.0), Value::List(vec![]), Value::Unfit("a Map")] {
        assert_eq!(read(&foreign), Received::Foreign);
    }
    assert_eq!(read(&map([("type", "ping".into())])), Received::Foreign);
}

#[test]
fn every_request_is_read() {
    asks("ping", &[], Request::Ping);
    asks("pause", &[], Request::Pause);
    asks("play", &[], Request::Play(None));
    asks("play", &[("speed", 16.into())], Request::Play(Some(16)));
    asks("step", &[], Request::Step(1));
    asks("step", &[("by", number(-3.0))], Request::Step(-3));
    let pair = Value::List(vec![647.into(), 311.into()]);
    asks("seek", &[("step", pair)], Request::Seek(Place::Pair(Pair::new(647, 311))));
    asks("seek", &[("step", 41.into())], Request::Seek(Place::Clock(41)));
    asks("seek", &[("milestone", 3.into())], Request::Seek(Place::Beat(3)));
    asks("seek", &[("milestone", "page 17".into())], Request::Seek(Place::Headline("page 17".into())));
}

#[test]
fn runs_are_asked_for_by_link_or_by_name() {
    let link = hash::decode("#v1/munlock/0/6?pages=42&step=3,4").unwrap().unwrap();
    for text in ["#v1/munlock/0/6?pages=42&step=3,4", "v1/munlock/0/6?pages=42&step=3,4"] {
        let asked = Request::Load(Box::new(link.clone()), Some(Place::Pair(Pair::new(3, 4))));
        asks("load", &[("link", text.into())], asked.clone());
        asks(
            "load",
            &[("link", format!("https://a.example/b/?embed=1#{}", text.trim_start_matches('#')).into())],
            asked,
        );
    }
    let params = map([("pages", 42.into()), ("thp", true.into()), ("holes", "5,11".into())]);
    let names = [("scenario", "munlock".into()), ("old", "0".into()), ("new", "6".into()), ("params", params)];
    let Received::Asked(None, Request::Load(link, None)) = read(&message("load", &names)) else { panic!() };
    let expected = [("pages", "42"), ("thp", "true"), ("holes", "5,11")];
    assert_eq!(link.params, expected.map(|(name, value)| (name.to_string(), value.to_string())));
    assert_eq!((link.scenario.as_str(), link.old.as_str(), link.new.as_str()), ("munlock", "0", "6"));
}

#[test]
fn ids_come_back_where_they_are_short() {
    let answered = |id: Value| match read(&message("ping", &[("id", id)])) {
        Received::Asked(id, _) | Received::Refused(id, _) => id,
        Received::Foreign => panic!(),
    };
    assert_eq!(answered(7.into()), Some(Id::Number(7.0)));
    assert_eq!(answered("a".into()), Some(Id::Text("a".into())));
    for id in ["".into(), "x".repeat(65).into(), number(0.5), true.into(), map([]), Value::Unfit("too long")] {
        assert_eq!(answered(id.clone()), None);
        refuses("ping", &[("id", id)], Code::Field, Some("id"));
    }
    let unknown = message("fly", &[("id", 7.into())]);
    assert!(matches!(read(&unknown), Received::Refused(Some(Id::Number(7.0)), Refusal { code: Code::Type, .. })));
}

#[test]
fn versions_and_types_are_exact() {
    for version in [2.into(), "1".into(), true.into(), number(1.5), map([])] {
        let Received::Refused(None, refusal) = read(&map([("mmscope", version), ("type", "ping".into())])) else {
            panic!()
        };
        assert_eq!(refusal.code, Code::Version);
    }
    refuses("PING", &[], Code::Type, Some("type"));
    refuses("__proto__", &[], Code::Type, Some("type"));
    let none = map([("mmscope", 1.into())]);
    assert!(matches!(read(&none), Received::Refused(None, Refusal { code: Code::Type, .. })));
}

#[test]
fn fields_of_another_type_are_refused() {
    refuses("ping", &[("extra", 1.into())], Code::Field, None);
    refuses("ping", &[("__proto__", map([("type", "load".into())]))], Code::Field, None);
    for by in ["1".into(), number(f64::NAN), number(0.5), true.into(), map([]), Value::Unfit("a function")] {
        refuses("step", &[("by", by)], Code::Field, Some("by"));
    }
    for step in [
        number(-1.0),
        number(5e9),
        number(f64::INFINITY),
        "41".into(),
        Value::List(vec![1.into()]),
        Value::List(vec![1.into(), "2".into()]),
        Value::List(vec![1.into(); 3]),
    ] {
        refuses("seek", &[("step", step)], Code::Field, Some("step"));
    }
    refuses("seek", &[], Code::Field, Some("step"));
    refuses("seek", &[("step", 1.into()), ("milestone", 1.into())], Code::Field, Some("milestone"));
    refuses("seek", &[("milestone", "x".repeat(65).into())], Code::Field, Some("milestone"));
}

#[test]
fn numbers_have_bounds() {
    for by in [0.0, 100_001.0, -100_001.0, 9e15] {
        refuses("step", &[("by", number(by))], Code::Range, Some("by"));
    }
    for speed in [0.0, 3.0, 241.0, -1.0] {
        refuses("play", &[("speed", number(speed))], Code::Range, Some("speed"));
    }
}

#[test]
fn loads_are_strict() {
    refuses("load", &[], Code::Field, Some("scenario"));
    refuses("load", &[("scenario", "munlock".into()), ("old", "0".into())], Code::Field, Some("new"));
    refuses("load", &[("link", "#v1/munlock/0/6".into()), ("old", "0".into())], Code::Field, Some("old"));
    refuses("load", &[("link", "#v1/munlock".into())], Code::Link, Some("link"));
    refuses("load", &[("link", "#".into())], Code::Link, Some("link"));
    refuses("load", &[("link", "".into())], Code::Field, Some("link"));
    refuses("load", &[("link", "x".repeat(9000).into())], Code::Field, Some("link"));
    refuses("load", &[("scenario", "x".repeat(65).into())], Code::Field, Some("scenario"));
    let with =
        |params: Value| [("scenario", "munlock".into()), ("old", "0".into()), ("new", "6".into()), ("params", params)];
    let long = map([("holes", "1,".repeat(600).into())]);
    for params in [Value::List(vec![]), "pages=1".into(), map([("pages", number(0.5))]), map([("a", map([]))]), long] {
        refuses("load", &with(params), Code::Field, Some("params"));
    }
}

#[test]
fn a_refusal_repeats_nothing_of_what_came() {
    let hostile = "<img src=x onerror=alert(1)>";
    for kind in ["ping", "load", "seek", "step", "play", hostile] {
        for field in ["by", "step", "milestone", "speed", "scenario", "id", hostile] {
            if let Received::Refused(_, refusal) =
                read(&message(kind, &[(field, Value::Unfit("it")), ("x", hostile.into())]))
            {
                assert!(!refusal.message.contains("onerror"), "{refusal:?}");
            }
        }
    }
}

/// A small generator, so that a failure can be repeated.
fn below(seed: &mut u64, n: usize) -> usize {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 33) as usize % n
}

fn anything(seed: &mut u64, depth: usize) -> Value {
    const NUMBERS: [f64; 8] = [0.0, 1.0, -1.0, 0.5, 4294967296.0, 1e300, f64::NAN, f64::NEG_INFINITY];
    const TEXTS: [&str; 8] = ["", "munlock", "0", "#v1/munlock/0/6", "page 1", "__proto__", "seed:1", "é\u{0}"];
    match below(seed, if depth == 0 { 5 } else { 7 }) {
        0 => Value::Nothing,
        1 => (below(seed, 2) == 0).into(),
        2 => number(NUMBERS[below(seed, NUMBERS.len())]),
        3 => TEXTS[below(seed, TEXTS.len())].into(),
        4 => Value::Unfit("something"),
        5 => Value::List((0..below(seed, 4)).map(|_| anything(seed, depth - 1)).collect()),
        _ => {
            let names = ["pages", "__proto__", "step", "0"];
            Value::Map((0..below(seed, 3)).map(|i| (names[i].into(), anything(seed, depth - 1))).collect())
        }
    }
}

#[test]
fn whatever_comes_is_done_within_bounds_or_refused() {
    let kinds = ["ping", "load", "seek", "step", "play", "pause", "ready", "__proto__"];
    let names = ["by", "step", "milestone", "speed", "link", "scenario", "old", "new", "params", "schedule", "id", "x"];
    let (mut seed, mut asked) = (1, 0);
    for _ in 0..200_000 {
        let kind = kinds[below(&mut seed, kinds.len())];
        let count = below(&mut seed, 4);
        let fields: Vec<(&str, Value)> =
            (0..count).map(|_| (names[below(&mut seed, names.len())], anything(&mut seed, 2))).collect();
        let Received::Asked(_, request) = read(&message(kind, &fields)) else { continue };
        asked += 1;
        match request {
            Request::Step(by) => assert!(by != 0 && i64::from(by).abs() <= STEPS),
            Request::Play(Some(speed)) => assert!(crate::app::SPEEDS.contains(&speed)),
            Request::Load(link, _) => assert!(link.scenario.len() <= NAME && link.new.len() <= NAME),
            _ => {}
        }
    }
    assert!(asked > 1000, "{asked} of them were requests");
}
