//! The state of the page in the address: `#v1/munlock/0/6?pages=56&step=647,311`.
//!
//! A version, the scenario, the two variants; then the parameters that differ from their defaults, the schedule, the
//! steps that both sides have made, what is looked at, and the breakpoints. What is written can be read by people, and a
//! link that cannot be read names its first mistake. A link that is passed on says in addition what comes out, and carries
//! a scenario or a cost profile of its author's; docs/links.md lists every item.

use std::fmt;

use crate::link::{Pair, Which};
use crate::seal::{self, Seal};

/// What links begin with.
const VERSION: &str = "v1";
/// Longest hash that is read.
pub const LIMIT: usize = 8192;

/// What a link says. Names are as given: whether they exist is for others to find out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// Scenario.
    pub scenario: String,
    /// Variant at the left.
    pub old: String,
    /// Variant at the right.
    pub new: String,
    /// Parameters by name, in the order of the scenario's table.
    pub params: Vec<(String, String)>,
    /// Schedule, where it is not the scenario's own.
    pub schedule: Option<String>,
    /// Steps made.
    pub step: Pair,
    /// What is looked at: `old,page:17`.
    pub look: Option<(Which, String)>,
    /// Breakpoints, as they are written: `lru_lock taken`.
    pub breaks: Vec<String>,
    /// Schedule of one side alone.
    pub own: [Option<String>; 2],
    /// Name of the branch that a side shows.
    pub branch: [Option<String>; 2],
    /// What both runs came out at when the link was made.
    pub seal: Option<Seal>,
    /// Cost profile of the link's author, packed.
    pub profile: Option<String>,
    /// The scenario itself, packed, where the link's author wrote it.
    pub file: Option<String>,
}

/// Most characters in the name of a branch.
pub const BRANCH_NAME: usize = 60;

/// What is wrong with a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkError {
    /// Part that could not be read.
    pub part: String,
    /// What was expected there.
    pub expected: &'static str,
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` could not be read; expected {}", self.part, self.expected)
    }
}

fn error(part: &str, expected: &'static str) -> LinkError {
    let mut short: String = part.chars().take(60).collect();
    if short.len() < part.len() {
        short.push('…');
    }
    LinkError { part: short, expected }
}

/// Writes the hash of a state, with the `#`.
pub fn encode(link: &Link) -> String {
    let mut query: Vec<String> =
        link.params.iter().map(|(name, value)| format!("{}={}", escape(name), escape(value))).collect();
    if let Some(schedule) = &link.schedule {
        query.push(format!("schedule={}", escape(schedule)));
    }
    for which in Which::BOTH {
        if let Some(own) = &link.own[which as usize] {
            query.push(format!("schedule-{}={}", which.name(), escape(own)));
        }
        if let Some(name) = &link.branch[which as usize] {
            query.push(format!("branch={},{}", which.name(), escape(name)));
        }
    }
    if link.step != Pair::default() {
        query.push(format!("step={},{}", link.step.old, link.step.new));
    }
    if let Some((which, subject)) = &link.look {
        query.push(format!("look={},{}", which.name(), escape(subject)));
    }
    // No breakpoint has a plus sign, which is easier to read than `%20`.
    query.extend(link.breaks.iter().map(|text| format!("break={}", escape(text).replace("%20", "+"))));
    if let Some(seal) = &link.seal {
        query.push(format!("{}={}", seal::ITEM, seal::print(seal)));
    }
    for (name, packed) in [("profile", &link.profile), ("file", &link.file)] {
        query.extend(packed.as_ref().map(|packed| format!("{name}={}", escape(packed))));
    }
    let path = [&link.scenario, &link.old, &link.new].map(|name| escape(name)).join("/");
    let mark = if query.is_empty() { "" } else { "?" };
    format!("#{VERSION}/{path}{mark}{}", query.join("&"))
}

/// Reads a hash; an empty one is no link.
///
/// # Errors
///
/// Names the part that cannot be read and what was expected.
pub fn decode(hash: &str) -> Result<Option<Link>, LinkError> {
    let text = hash.strip_prefix('#').unwrap_or(hash);
    if text.is_empty() {
        return Ok(None);
    }
    if text.len() > LIMIT {
        return Err(error(text, "at most 8192 characters"));
    }
    let (path, query) = text.split_once('?').unwrap_or((text, ""));
    let mut link = read_path(path)?;
    for item in query.split('&').filter(|item| !item.is_empty()) {
        read_item(&mut link, item)?;
    }
    Ok(Some(link))
}

fn read_path(path: &str) -> Result<Link, LinkError> {
    const SHAPE: &str = "v1/SCENARIO/OLD/NEW, such as v1/munlock/0/6";
    let parts: Vec<&str> = path.split('/').collect();
    match parts[..] {
        [VERSION, scenario, old, new] if !scenario.is_empty() && !old.is_empty() && !new.is_empty() => {
            Ok(Link { scenario: unescape(scenario)?, old: unescape(old)?, new: unescape(new)?, ..Link::default() })
        }
        [VERSION, ..] => Err(error(path, SHAPE)),
        [version, ..]
            if version.len() > 1 && version.starts_with('v') && version[1..].bytes().all(|b| b.is_ascii_digit()) =>
        {
            Err(error(version, "version v1; a newer mmscope may know this link"))
        }
        _ => Err(error(path, SHAPE)),
    }
}

fn read_item(link: &mut Link, item: &str) -> Result<(), LinkError> {
    let Some((name, value)) = item.split_once('=') else {
        return Err(error(item, "NAME=VALUE, such as pages=56"));
    };
    let (name, value) = (unescape(name)?, unescape(value)?);
    match name.as_str() {
        "step" => link.step = read_step(&value).ok_or_else(|| error(item, "step=OLD,NEW, such as step=647,311"))?,
        "look" => {
            link.look = Some(read_look(&value).ok_or_else(|| error(item, "look=old,WHAT, such as look=old,page:17"))?)
        }
        "break" => link.breaks.push(value.replace('+', " ")),
        "schedule" => link.schedule = Some(value),
        "schedule-old" => link.own[0] = Some(value),
        "schedule-new" => link.own[1] = Some(value),
        "branch" => {
            const EXPECTED: &str = "branch=old,NAME or branch=new,NAME, with a name of 1 to 60 characters";
            let (which, name) = read_branch(&value).ok_or_else(|| error(item, EXPECTED))?;
            link.branch[which as usize] = Some(name);
        }
        seal::ITEM => link.seal = Some(seal::read(&value).ok_or_else(|| error(item, seal::SHAPE))?),
        "profile" => link.profile = Some(value),
        "file" => link.file = Some(value),
        _ => link.params.push((name, value)),
    }
    Ok(())
}

fn read_step(value: &str) -> Option<Pair> {
    let (old, new) = value.split_once(',')?;
    Some(Pair::new(old.parse().ok()?, new.parse().ok()?))
}

fn read_look(value: &str) -> Option<(Which, String)> {
    let (side, subject) = value.split_once(',')?;
    let which = Which::BOTH.into_iter().find(|which| which.name() == side)?;
    (!subject.is_empty()).then(|| (which, subject.to_string()))
}

fn read_branch(value: &str) -> Option<(Which, String)> {
    let (side, name) = value.split_once(',')?;
    let which = Which::BOTH.into_iter().find(|which| which.name() == side)?;
    let fits = (1..=BRANCH_NAME).contains(&name.chars().count());
    (fits && !name.chars().any(char::is_control)).then(|| (which, name.to_string()))
}

/// Everything that could end a part, or that programs which show links would cut or change, is written as `%XX`.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b':' | b',' | b'+' => out.push(byte as char),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

fn unescape(text: &str) -> Result<String, LinkError> {
    const EXPECTED: &str = "text, or characters as %XX";
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'%' {
            out.push(*first);
            continue;
        }
        let digits = tail.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        let byte = digits.and_then(|pair| u8::from_str_radix(pair, 16).ok());
        out.push(byte.ok_or_else(|| error(text, EXPECTED))?);
        rest = &tail[2..];
    }
    String::from_utf8(out).map_err(|_| error(text, EXPECTED))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Link {
        Link {
            scenario: "munlock".into(),
            old: "0".into(),
            new: "5-v2".into(),
            params: vec![("pages".into(), "112".into()), ("interleave".into(), "true".into())],
            schedule: Some("choices:0x12,1x3".into()),
            step: Pair::new(647, 311),
            look: Some((Which::New, "page:17".into())),
            breaks: vec!["lru_lock taken".into(), "off:NR_MLOCK = 3".into()],
            ..Link::default()
        }
    }

    #[test]
    fn links_can_be_read_by_people() {
        let text = encode(&sample());
        assert_eq!(
            text,
            "#v1/munlock/0/5-v2?pages=112&interleave=true&schedule=choices:0x12,1x3&step=647,311&look=new,page:17\
             &break=lru_lock+taken&break=off:NR_MLOCK+%3D+3"
        );
        let plain = Link { scenario: "munlock".into(), old: "0".into(), new: "6".into(), ..Link::default() };
        assert_eq!(encode(&plain), "#v1/munlock/0/6");
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut awkward = sample();
        awkward.params.push(("a=b&c".into(), "é / ? # % +".into()));
        awkward.scenario = "x/y z".into();
        for link in [sample(), awkward, Link { look: None, schedule: None, ..sample() }] {
            assert_eq!(decode(&encode(&link)), Ok(Some(link)));
        }
        assert_eq!(decode(""), Ok(None));
        assert_eq!(decode("#"), Ok(None));
    }

    #[test]
    fn a_side_may_have_a_schedule_and_a_branch_of_its_own() {
        let forked = Link {
            own: [None, Some("choices:0.1x12,1x3+turns".into())],
            branch: [None, Some("what if CPU 1, 50 % & more?".into())],
            ..sample()
        };
        let text = encode(&forked);
        assert!(text.contains("&schedule-new=choices:0.1x12,1x3+turns&branch=new,what%20if%20CPU%201"), "{text}");
        assert_eq!(decode(&text), Ok(Some(forked)));
        refuses("#v1/munlock/0/6?branch=left,x", "branch=left,x", "branch=old,NAME");
        refuses("#v1/munlock/0/6?branch=old,", "branch=old,", "1 to 60 characters");
        refuses("#v1/munlock/0/6?branch=old,a%0Ab", "branch=old,a%0Ab", "1 to 60 characters");
        assert!(decode(&format!("#v1/a/b/c?branch=old,{}", "x".repeat(61))).is_err());
    }

    #[test]
    fn mails_may_escape_what_needs_no_escaping() {
        let link = decode("#v1/munlock/0/6?step=647%2C311").unwrap().unwrap();
        assert_eq!(link.step, Pair::new(647, 311));
    }

    #[track_caller]
    fn refuses(hash: &str, part: &str, expected: &str) {
        let error = decode(hash).unwrap_err();
        assert_eq!(error.part, part);
        assert!(error.expected.contains(expected), "{error}");
    }

    #[test]
    fn mistakes_are_named() {
        refuses("#nonsense", "nonsense", "v1/SCENARIO/OLD/NEW");
        refuses("#v1/munlock/0", "v1/munlock/0", "v1/SCENARIO/OLD/NEW");
        refuses("#v1/munlock//6", "v1/munlock//6", "v1/SCENARIO/OLD/NEW");
        refuses("#v9/munlock/0/6", "v9", "newer");
        refuses("#v1/munlock/0/6?pages", "pages", "NAME=VALUE");
        refuses("#v1/munlock/0/6?step=4", "step=4", "step=OLD,NEW");
        refuses("#v1/munlock/0/6?step=4,-1", "step=4,-1", "step=OLD,NEW");
        refuses("#v1/munlock/0/6?look=left,page:1", "look=left,page:1", "look=old,WHAT");
        refuses("#v1/munlock/0/6?look=old", "look=old", "look=old,WHAT");
        refuses("#v1/mun%ZZ/0/6", "mun%ZZ", "%XX");
        refuses("#v1/mun%FF/0/6", "mun%FF", "%XX");
    }

    #[test]
    fn any_text_is_read_or_refused() {
        let mut seed = 1u64;
        for _ in 0..20_000 {
            let mut text = String::from("#v1/a/b/c?");
            for _ in 0..12 {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                text.push(['=', '&', '%', '4', 'é', '/', ',', '?', 's', '#'][(seed >> 40) as usize % 10]);
            }
            let _ = decode(&text);
            let _ = decode(&text[1 + (seed >> 60) as usize % 4..]);
        }
    }
}
