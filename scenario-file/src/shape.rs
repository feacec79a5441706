//! Holds a value against the table of fields.

use serde_json::{Map, Value};
use sim_core::scenario::closest;
use sim_core::scenario::program::Misfit;

use crate::fields::{CALLS, CPU, FILE, Field, Kind, NAME};
use crate::place;

type Checked = Result<(), Misfit>;

// Most characters of a value that a message repeats.
const SHOWN: usize = 40;

/// Checks that a file has the fields that it must have, no others, and in each what the table says.
pub fn check(value: &Value) -> Checked {
    one("", value, Kind::Object(&FILE))
}

/// The same with a number as the text has it, which a `Value` may have rounded: -0, or one of many digits.
pub fn as_written(text: &str, misfit: Misfit) -> Misfit {
    let Misfit { path, text: message } = misfit;
    let number = place::written(text, &path).filter(|raw| raw.starts_with(|c: char| c == '-' || c.is_ascii_digit()));
    match (number, message.rsplit_once(", found ")) {
        (Some(raw), Some((expected, _))) => Misfit { path, text: format!("{expected}, found {}", cut(raw)) },
        _ => Misfit { path, text: message },
    }
}

fn cut(text: &str) -> String {
    if text.chars().count() <= SHOWN { text.into() } else { text.chars().take(SHOWN).collect::<String>() + "..." }
}

fn misfit(path: &str, expected: &str, found: &Value) -> Checked {
    Err(Misfit { path: path.to_string(), text: format!("expected {expected}, found {}", shown(found)) })
}

/// A value in words that are short enough for a message.
pub fn shown(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "an object".to_string(),
        _ => cut(&value.to_string()),
    }
}

/// What a kind takes, in words.
pub fn words(kind: Kind) -> String {
    match kind {
        Kind::Number { min, max } if min == max => min.to_string(),
        Kind::Number { min, max } => format!("a number from {min} to {max}"),
        Kind::Flag => "true or false".to_string(),
        Kind::Text { max } => format!("text of {max} characters at most"),
        Kind::Name => format!("a name of 1 to {NAME} letters, digits, `-`, `_` or `.`"),
        Kind::Choice(words) => format!("one of {}", words.join(", ")),
        Kind::Object(shape) => format!("an object with {}", names(shape.fields)),
        Kind::List { min, max, of: Kind::Object(shape) } => {
            format!("a list of {min} to {max} objects ({})", shape.name)
        }
        Kind::List { min, max, of: Kind::Call { .. } } => format!("a list of {min} to {max} calls"),
        Kind::List { min, max, of: Kind::Number { min: least, max: most } } => {
            format!("a list of {min} to {max} numbers from {least} to {most}")
        }
        Kind::List { min, max, .. } => format!("a list of {min} to {max} names"),
        Kind::Call { .. } => "a call: an object with a field `call`".to_string(),
    }
}

fn names(fields: &[Field]) -> String {
    fields.iter().map(|field| field.name).collect::<Vec<_>>().join(", ")
}

fn one(path: &str, value: &Value, kind: Kind) -> Checked {
    let fits = match kind {
        Kind::Number { min, max } => {
            value.as_u64().is_some_and(|number| (u64::from(min)..=u64::from(max)).contains(&number))
        }
        Kind::Flag => value.is_boolean(),
        Kind::Text { max } => value.as_str().is_some_and(|text| text.chars().count() <= max),
        Kind::Name => value.as_str().is_some_and(is_name),
        Kind::Choice(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        Kind::Object(shape) => match value {
            Value::Object(map) => return object(path, map, shape.fields, &[]),
            _ => false,
        },
        Kind::List { min, max, of } => match value {
            Value::Array(items) if (min as usize..=max as usize).contains(&items.len()) => {
                return items.iter().enumerate().try_for_each(|(at, item)| one(&format!("{path}[{at}]"), item, *of));
            }
            _ => false,
        },
        Kind::Call { cpu } => match value {
            Value::Object(map) => return call(path, map, cpu),
            _ => false,
        },
    };
    if fits { Ok(()) } else { misfit(path, &words(kind), value) }
}

/// Letters, digits and a few signs.
pub fn is_name(text: &str) -> bool {
    let sign = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (1..=NAME).contains(&text.len()) && text.bytes().all(sign)
}

fn inside(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_string() } else { format!("{path}.{name}") }
}

fn call(path: &str, map: &Map<String, Value>, cpu: bool) -> Checked {
    let known: Vec<&str> = CALLS.iter().map(|call| call.name).collect();
    let Some(name) = map.get("call") else {
        let text = format!("expected a field `call`, one of {}", known.join(", "));
        return Err(Misfit { path: path.to_string(), text });
    };
    let Some(found) = CALLS.iter().find(|call| name.as_str() == Some(call.name)) else {
        let close = name.as_str().and_then(|name| closest(name, &known));
        let hint = close.map(|close| format!("; did you mean \"{close}\"?")).unwrap_or_default();
        let text = format!("expected one of {}, found {}{hint}", known.join(", "), shown(name));
        return Err(Misfit { path: inside(path, "call"), text });
    };
    object(path, map, found.fields, if cpu { &["call", "cpu"] } else { &["call"] })?;
    map.get("cpu").map_or(Ok(()), |value| one(&inside(path, "cpu"), value, CPU.kind))
}

// `also`: fields that somebody else looks at.
fn object(path: &str, map: &Map<String, Value>, fields: &[Field], also: &[&str]) -> Checked {
    for name in map.keys() {
        if !also.contains(&name.as_str()) && fields.iter().all(|field| field.name != name) {
            return Err(unknown(path, name, fields, also));
        }
    }
    for field in fields {
        let path = inside(path, field.name);
        match map.get(field.name) {
            Some(value) => one(&path, value, field.kind)?,
            None if field.default.is_none() => {
                return Err(Misfit { path, text: format!("is missing; expected {}", words(field.kind)) });
            }
            None => {}
        }
    }
    Ok(())
}

fn unknown(path: &str, name: &str, fields: &[Field], also: &[&str]) -> Misfit {
    let known: Vec<&str> = also.iter().copied().chain(fields.iter().map(|field| field.name)).collect();
    let hint = match closest(name, &known) {
        Some(close) => format!("did you mean `{close}`? Expected"),
        None => "expected".to_string(),
    };
    let short: String = name.chars().take(SHOWN).collect();
    Misfit { path: inside(path, &short), text: format!("unknown field; {hint} {}", known.join(", ")) }
}
