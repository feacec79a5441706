//! What a host asks for, read strictly: `{ mmscope: 1, type, id?, … }`.
//!
//! A message without `mmscope` is for somebody else and is left alone. One with it is done as a whole or refused as a
//! whole, and a refusal names the field and what was expected.

mod fields;

use self::fields::Fields;
use super::value::Value;
use crate::hash;
use crate::link::Pair;

/// Version of the messages.
pub const VERSION: u32 = 1;
/// Longest id, in UTF-16 units at most as many characters.
const ID: usize = 64;
/// Longest name of a scenario or variant, in bytes.
const NAME: usize = 64;
/// Longest value of a parameter, in bytes.
const PARAM: usize = 1024;
/// Most steps that one message goes.
pub const STEPS: i64 = 100_000;

/// What a request is answered with, so that a host knows which answer is whose.
#[derive(Clone, Debug, PartialEq)]
pub enum Id {
    /// A whole number.
    Number(f64),
    /// A short text.
    Text(String),
}

/// What kind of mistake it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// Another version of the messages.
    Version,
    /// No such type.
    Type,
    /// A field that is missing, unknown or of another type.
    Field,
    /// A number beyond its bounds, or a name that there is none of.
    Range,
    /// A link that cannot be read.
    Link,
    /// Runs that cannot be recorded.
    Load,
    /// Too many messages.
    Rate,
    /// The query of the frame's address.
    Address,
}

impl Code {
    /// Name in the message.
    pub const fn name(self) -> &'static str {
        match self {
            Code::Version => "version",
            Code::Type => "type",
            Code::Field => "field",
            Code::Range => "range",
            Code::Link => "link",
            Code::Load => "load",
            Code::Rate => "rate",
            Code::Address => "address",
        }
    }
}

/// Why something is not done.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// What kind of mistake.
    pub code: Code,
    /// The field at fault, of those that the message may have.
    pub field: Option<&'static str>,
    /// What was found, and what was expected.
    pub message: String,
}

impl Refusal {
    /// A refusal that is no field's fault.
    pub fn new(code: Code, message: impl Into<String>) -> Refusal {
        Refusal { code, field: None, message: message.into() }
    }

    /// A refusal for the sake of one field.
    pub fn of(code: Code, field: &'static str, message: impl Into<String>) -> Refusal {
        Refusal { code, field: Some(field), message: message.into() }
    }
}

/// A place in the runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// Steps that each side has made.
    Pair(Pair),
    /// Presses of Step from the start.
    Clock(u32),
    /// The n-th milestone that both sides pass; 0 is the start.
    Beat(u32),
    /// The milestone with this headline: "page 17".
    Headline(String),
}

/// What a host asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Is somebody there?
    Ping,
    /// Other runs, and where they begin.
    Load(Box<hash::Link>, Option<Place>),
    /// A place.
    Seek(Place),
    /// So many steps on, or back.
    Step(i32),
    /// Steps by the clock, so many a second; none: as many as before.
    Play(Option<u32>),
    /// No more of them.
    Pause,
}

/// What a message turned out to be.
#[derive(Clone, Debug, PartialEq)]
pub enum Received {
    /// Nothing of ours.
    Foreign,
    /// A request.
    Asked(Option<Id>, Request),
    /// A request that is not done.
    Refused(Option<Id>, Refusal),
}

/// Reads a message.
pub fn read(message: &Value) -> Received {
    let Some(version) = message.get("mmscope") else { return Received::Foreign };
    let id = match message.get("id").map(id) {
        Some(None) => {
            let expected = "a whole number, or a text of 1 to 64 characters";
            return Received::Refused(None, Refusal::of(Code::Field, "id", format!("`id`: expected {expected}")));
        }
        given => given.flatten(),
    };
    if version.whole() != Some(VERSION.into()) {
        let refusal = Refusal::of(Code::Version, "mmscope", "`mmscope`: expected the number 1");
        return Received::Refused(id, refusal);
    }
    match request(message) {
        Ok(request) => Received::Asked(id, request),
        Err(refusal) => Received::Refused(id, refusal),
    }
}

fn id(value: &Value) -> Option<Id> {
    match value {
        Value::Number(number) => value.whole().map(|_| Id::Number(*number)),
        Value::Text(text) if (1..=ID).contains(&text.chars().count()) => Some(Id::Text(text.clone())),
        _ => None,
    }
}

fn request(message: &Value) -> Result<Request, Refusal> {
    let types = "ping, load, seek, step, play or pause";
    let kind = message.get("type").and_then(Value::text);
    let kind = kind.ok_or_else(|| Refusal::of(Code::Type, "type", format!("`type`: expected {types}")))?;
    let fields = |names: &'static [&'static str]| Fields::new(message, names);
    match kind {
        "ping" => fields(&[]).map(|_| Request::Ping),
        "pause" => fields(&[]).map(|_| Request::Pause),
        "play" => play(&fields(&["speed"])?),
        "step" => step(&fields(&["by"])?),
        "seek" => seek(&fields(&["step", "milestone"])?),
        "load" => load(&fields(&["link", "scenario", "old", "new", "params", "schedule", "step"])?),
        _ => Err(Refusal::of(Code::Type, "type", format!("`type`: there is no such one; expected {types}"))),
    }
}

fn play(fields: &Fields) -> Result<Request, Refusal> {
    const EXPECTED: &str = "one of the speeds 1, 2, 4, 8, 16, 30, 60 and 240, in steps a second";
    let Some(speed) = fields.whole("speed", 0..=i64::from(u32::MAX), EXPECTED)? else { return Ok(Request::Play(None)) };
    let speed = speed as u32;
    if !crate::app::SPEEDS.contains(&speed) {
        return Err(Refusal::of(Code::Range, "speed", format!("`speed`: found {speed}; expected {EXPECTED}")));
    }
    Ok(Request::Play(Some(speed)))
}

fn step(fields: &Fields) -> Result<Request, Refusal> {
    const EXPECTED: &str = "a whole number from -100000 to 100000, which is not 0";
    let by = fields.whole("by", -STEPS..=STEPS, EXPECTED)?.unwrap_or(1);
    if by == 0 {
        return Err(Refusal::of(Code::Range, "by", format!("`by`: found 0; expected {EXPECTED}")));
    }
    Ok(Request::Step(by as i32))
}

fn seek(fields: &Fields) -> Result<Request, Refusal> {
    let place = match (place(fields)?, milestone(fields)?) {
        (Some(place), None) | (None, Some(place)) => place,
        (Some(_), Some(_)) => {
            return Err(Refusal::of(Code::Field, "milestone", "`milestone`: expected this or `step`, not both"));
        }
        (None, None) => return Err(Refusal::of(Code::Field, "step", "`step`: expected this or `milestone`")),
    };
    Ok(Request::Seek(place))
}

fn place(fields: &Fields) -> Result<Option<Place>, Refusal> {
    const EXPECTED: &str = "[OLD, NEW], the steps that each side has made, or one whole number: the presses of Step";
    let refuse = || Refusal::of(Code::Field, "step", format!("`step`: expected {EXPECTED}"));
    let count = |value: &Value| value.whole().and_then(|number| u32::try_from(number).ok()).ok_or_else(refuse);
    Ok(match fields.get("step") {
        None => None,
        Some(Value::List(pair)) => match &pair[..] {
            [old, new] => Some(Place::Pair(Pair::new(count(old)?, count(new)?))),
            _ => return Err(refuse()),
        },
        Some(number) => Some(Place::Clock(count(number)?)),
    })
}

fn milestone(fields: &Fields) -> Result<Option<Place>, Refusal> {
    const EXPECTED: &str = "the number of a milestone, from 0, or its headline such as \"page 17\"";
    let refuse = || Refusal::of(Code::Field, "milestone", format!("`milestone`: expected {EXPECTED}"));
    Ok(match fields.get("milestone") {
        None => None,
        Some(Value::Text(headline)) if headline.len() <= NAME => Some(Place::Headline(headline.clone())),
        Some(number) => {
            let number = number.whole().and_then(|number| u32::try_from(number).ok());
            Some(Place::Beat(number.ok_or_else(refuse)?))
        }
    })
}

fn load(fields: &Fields) -> Result<Request, Refusal> {
    let Some(link) = fields.text("link", hash::LIMIT, "a permalink, or its hash")? else { return load_parts(fields) };
    if let Some(other) = fields.first_but("link") {
        let message = format!("`{other}`: expected nothing beside `link`");
        return Err(Refusal::of(Code::Field, other, message));
    }
    let hash = link.find('#').map_or(link, |at| &link[at..]);
    let link = hash::decode(hash).map_err(|error| Refusal::of(Code::Link, "link", error.to_string()))?;
    let link =
        link.ok_or_else(|| Refusal::of(Code::Link, "link", "`link`: expected a hash such as #v1/munlock/0/6"))?;
    let place = Place::Pair(link.step);
    Ok(Request::Load(Box::new(link), Some(place)))
}

fn load_parts(fields: &Fields) -> Result<Request, Refusal> {
    let name = |field: &'static str, expected| {
        let missing = || Refusal::of(Code::Field, field, format!("`{field}`: expected {expected}, or a `link`"));
        fields.text(field, NAME, expected)?.map(str::to_string).ok_or_else(missing)
    };
    let scenario = name("scenario", "the name of a scenario")?;
    let (old, new) = (name("old", "the name of a variant")?, name("new", "the name of a variant")?);
    let schedule = fields.text("schedule", hash::LIMIT, "a schedule such as seed:1")?.map(str::to_string);
    let link = hash::Link { scenario, old, new, params: params(fields)?, schedule, ..hash::Link::default() };
    Ok(Request::Load(Box::new(link), place(fields)?))
}

fn params(fields: &Fields) -> Result<Vec<(String, String)>, Refusal> {
    const EXPECTED: &str = "an object of texts, whole numbers and truth values";
    let refuse = || Refusal::of(Code::Field, "params", format!("`params`: expected {EXPECTED}"));
    let Some(value) = fields.get("params") else { return Ok(Vec::new()) };
    let Value::Map(members) = value else { return Err(refuse()) };
    let text = |value: &Value| match value {
        Value::Text(text) if text.len() <= PARAM => Some(text.clone()),
        Value::Flag(flag) => Some(flag.to_string()),
        Value::Number(_) => value.whole().map(|number| number.to_string()),
        _ => None,
    };
    let param = |(name, value): &(String, Value)| text(value).map(|text| (name.clone(), text)).ok_or_else(refuse);
    members.iter().map(param).collect()
}

#[cfg(test)]
mod tests;
