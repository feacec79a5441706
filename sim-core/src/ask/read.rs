//! Reads subjects as people and links write them.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::subject::{Counter, ListId, PAGEVECS, Subject};
use crate::ledger::Key;
use crate::machine::{Event, LockClass, MAX_ORDER, Stat};
use crate::scenario::closest;
use crate::view::Lru;

/// What a subject may look like.
const SHAPES: &str = "page:17, lock:lru_lock, list:inactive_anon, stat:NR_MLOCK, count:total, pte:0/17 or fn:NAME";

/// Reads a subject: in its printed form, as a condition names it, or by its name alone. `functions` are those that
/// the runs call.
///
/// # Errors
///
/// Says what is not known, and what comes near it.
pub fn read_subject(text: &str, functions: &[&'static str]) -> Result<Subject, String> {
    let text = text.trim();
    let (kind, rest) = text.split_once([':', ' ']).unwrap_or(("", text));
    let rest = rest.trim();
    match kind.to_ascii_lowercase().as_str() {
        "page" => number(rest, "page").map(Subject::Page),
        "lock" => lock(rest).ok_or_else(|| unknown("lock", rest, &names(&LockClass::ALL.map(LockClass::name)))),
        "list" => list(rest).map(Subject::List).ok_or_else(|| unknown("list", rest, &list_names())),
        "stat" => stat(rest).ok_or_else(|| unknown("counter", rest, &stat_names())),
        "count" => {
            let key = Key::find(rest).map(|key| Subject::Counter(Counter::Key(key)));
            key.ok_or_else(|| format!("unknown count `{}`; expected a key of the ledger, such as `total`", short(rest)))
        }
        "pte" => pte(rest),
        "fn" | "function" => function(rest, functions),
        _ => bare(text, functions),
    }
}

// A name alone, whatever it is the name of.
fn bare(text: &str, functions: &[&'static str]) -> Result<Subject, String> {
    let found = lock(text).or_else(|| stat(text)).or_else(|| list(text).map(Subject::List));
    if let Some(found) = found {
        return Ok(found);
    }
    if let Ok(found) = function(text, functions) {
        return Ok(found);
    }
    let mut known: Vec<&str> = names(&LockClass::ALL.map(LockClass::name));
    known.extend(stat_names());
    known.extend(list_names());
    known.extend(functions);
    match closest(text, &known) {
        Some(close) => Err(format!("unknown name `{}`; did you mean `{close}`?", short(text))),
        None => Err(format!("unknown name `{}`; expected {SHAPES}", short(text))),
    }
}

pub(super) fn number(text: &str, what: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("`{}` is no number of a {what}; expected such as `{what} 17`", short(text)))
}

fn lock(text: &str) -> Option<Subject> {
    let (name, index) = match text.split_once(['/', ' ']) {
        Some((name, index)) => (name, Some(index.trim().parse().ok()?)),
        None => (text, None),
    };
    let is_it = |class: &&LockClass| class.name().eq_ignore_ascii_case(name) || class.words() == name;
    LockClass::ALL.iter().find(is_it).map(|&class| Subject::Lock(class, index))
}

fn stat(text: &str) -> Option<Subject> {
    let stat = Stat::ALL.into_iter().find(|stat| stat.name().eq_ignore_ascii_case(text)).map(Counter::Stat);
    let event = || Event::ALL.into_iter().find(|event| event.name().eq_ignore_ascii_case(text)).map(Counter::Event);
    stat.or_else(event).map(Subject::Counter)
}

/// Reads a list.
pub(super) fn list(text: &str) -> Option<ListId> {
    let text = text.strip_suffix(" list").unwrap_or(text).trim();
    let (name, numbers) = text.split_once('/').unwrap_or((text, ""));
    let name = name.trim().to_ascii_lowercase().replace(' ', "_");
    let mut numbers = numbers.split('/').filter(|text| !text.is_empty()).map(|text| text.trim().parse::<u8>().ok());
    let mut next = || numbers.next().unwrap_or(Some(0));
    let (first, second) = (next()?, next()?);
    if numbers.next().is_some() {
        return None;
    }
    if let Some(lru) = Lru::ALL.into_iter().find(|lru| lru.key() == name) {
        return Some(ListId::Lru(first, lru));
    }
    if let Some(&(kind, _)) = PAGEVECS.iter().find(|(_, known)| *known == name) {
        return Some(ListId::Pagevec(kind, first));
    }
    Some(match name.as_str() {
        "pcp" => ListId::Pcp(second, first),
        "picked" => ListId::Picked(first),
        "to_be_freed" => ListId::Dead(first),
        "order" if first < MAX_ORDER => ListId::Free(second, first),
        _ => return None,
    })
}

fn pte(text: &str) -> Result<Subject, String> {
    let (mm, at) = text.split_once('/').unwrap_or(("0", text));
    let numbers = mm.trim().parse().ok().zip(at.trim().parse().ok());
    let wrong = || format!("`{}` is no PTE; expected PROCESS/NUMBER, such as pte:0/17", short(text));
    numbers.map(|(mm, at)| Subject::Pte(mm, at)).ok_or_else(wrong)
}

fn function(text: &str, functions: &[&'static str]) -> Result<Subject, String> {
    let name = text.strip_suffix("()").unwrap_or(text);
    let found = functions.iter().find(|known| **known == name);
    found.map(|name| Subject::Function(name)).ok_or_else(|| unknown("function", name, functions))
}

/// Says that a name is not known, and which comes near.
pub(super) fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    match closest(name, known) {
        Some(close) => format!("unknown {what} `{}`; did you mean `{close}`?", short(name)),
        None if what == "function" => format!("no function `{}` is called in these runs", short(name)),
        None => format!("unknown {what} `{}`; expected one such as `{}`", short(name), known.first().unwrap_or(&"")),
    }
}

/// What is quoted of somebody's text.
pub(super) fn short(text: &str) -> String {
    let short: String = text.chars().take(40).collect();
    if short.len() < text.len() { short + "…" } else { short.to_string() }
}

fn names<'a>(all: &[&'a str]) -> Vec<&'a str> {
    all.to_vec()
}

fn stat_names() -> Vec<&'static str> {
    Stat::ALL.map(Stat::name).into_iter().chain(Event::ALL.map(Event::name)).collect()
}

pub(super) fn list_names() -> Vec<&'static str> {
    let own = ["pcp", "picked", "to_be_freed", "order"];
    Lru::ALL.map(Lru::key).into_iter().chain(PAGEVECS.map(|(_, name)| name)).chain(own).collect()
}
