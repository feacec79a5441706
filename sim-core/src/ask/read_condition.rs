//! Reads conditions as people and links write them.

use alloc::format;
use alloc::string::{String, ToString};

use super::condition::{Condition, Is, Manner};
use super::read::{list, list_names, number, read_subject, short, unknown};
use super::subject::Subject;
use crate::engine::Milestone;
use crate::machine::PageFlag;

/// What a condition may look like.
const SHAPES: &str = "such as `lru_lock taken`, `page 17 enters inactive_anon`, `page 17 PG_mlocked clear`, \
    `page 17 count 2`, `NR_MLOCK = 3`, `fn NAME`, `milestone page 17` or `differ`";

/// Reads a condition. `functions` are those that the runs call.
///
/// # Errors
///
/// Says what could not be read, and what was expected there.
pub fn read_condition(text: &str, functions: &[&'static str]) -> Result<Condition, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err(format!("expected a condition, {SHAPES}"));
    }
    if matches!(text.to_ascii_lowercase().as_str(), "differ" | "old and new differ" | "sides differ") {
        return Ok(Condition::Differ);
    }
    if let Some(rest) = text.strip_prefix("milestone ") {
        return milestone(rest.trim()).map(Condition::Passed);
    }
    if let Some(compared) = comparison(text, functions) {
        return compared;
    }
    let words = text.strip_prefix("page ").or_else(|| text.strip_prefix("page:"));
    if let Some((page, what)) = words.and_then(|rest| rest.trim().split_once(' ')) {
        return of_page(number(page, "page")?, what.trim(), functions);
    }
    touched(text, functions)
}

fn of_page(page: u32, what: &str, functions: &[&'static str]) -> Result<Condition, String> {
    let (verb, rest) = what.split_once(' ').map_or((what, ""), |(verb, rest)| (verb, rest.trim()));
    let to_list = |make: fn(u32, super::ListId) -> Condition| {
        let list = list(rest.strip_prefix("list:").unwrap_or(rest));
        list.map(|list| make(page, list)).ok_or_else(|| unknown("list", rest, &list_names()))
    };
    match verb {
        "enters" => to_list(Condition::Enters),
        "leaves" => to_list(Condition::Leaves),
        "count" | "_count" => {
            let count = rest.trim_start_matches('=').trim().parse();
            let wrong = |_| format!("`{}` is no count; expected such as `page {page} count 2`", short(rest));
            count.map(|count| Condition::Count(page, count)).map_err(wrong)
        }
        _ if matches!(rest, "set" | "clear") => flag(page, verb, rest == "set"),
        _ if rest.is_empty() => touched(&format!("page:{page} {verb}"), functions),
        _ => Err(format!(
            "`{}` says nothing of a page; expected `enters LIST`, `leaves LIST`, `FLAG set`, `FLAG clear`, `count N`, \
             `touched` or `written`",
            short(what)
        )),
    }
}

fn flag(page: u32, name: &str, set: bool) -> Result<Condition, String> {
    let plain = |name: &str| name.to_ascii_lowercase().trim_start_matches("pg_").to_string();
    let found = PageFlag::ALL.into_iter().find(|flag| plain(flag.name()) == plain(name));
    let found = found.map(|flag| Condition::Flag(page, flag, set));
    found.ok_or_else(|| unknown("flag", name, &PageFlag::ALL.map(PageFlag::name)))
}

// A number, a sign, and a value; none where there is no sign.
fn comparison(text: &str, functions: &[&'static str]) -> Option<Result<Condition, String>> {
    // `zone->lock` has a sign in it that is none.
    let masked = text.replace("->", "--");
    let (is, at, sign) = Is::ALL.into_iter().find_map(|(is, sign)| Some((is, masked.find(sign)?, sign)))?;
    let (name, value) = (text[..at].trim(), text[at + sign.len()..].trim());
    if name.starts_with("page ") {
        // `page 17 count = 2`
        return None;
    }
    Some(read_subject(name, functions).and_then(|subject| match subject {
        Subject::Counter(counter) => {
            let wrong = |_| format!("`{}` is no number; expected such as `{name} {sign} 3`", short(value));
            value.parse().map(|value| Condition::Counter(counter, is, value)).map_err(wrong)
        }
        other => Err(format!("{} is no number; expected one such as `NR_MLOCK {sign} 3`", other.words())),
    }))
}

fn touched(text: &str, functions: &[&'static str]) -> Result<Condition, String> {
    let (name, word) = text.rsplit_once(' ').unwrap_or((text, ""));
    let manner = Manner::ALL.into_iter().find(|(_, known)| *known == word).map(|(manner, _)| manner);
    let manner = manner.or_else(|| (word == "changes").then_some(Manner::Written));
    let name = if manner.is_some() { name } else { text };
    let subject = read_subject(name, functions)?;
    let of_lock = matches!(manner, Some(Manner::Taken | Manner::Released | Manner::Contended));
    match (subject, manner) {
        (Subject::Function(_), None | Some(Manner::Touched)) => Ok(Condition::Touched(subject, Manner::Touched)),
        (Subject::Function(_), Some(_)) => Err(format!("a function is called: expected `{}` alone", subject.bare())),
        (Subject::Lock(..), Some(manner)) => Ok(Condition::Touched(subject, manner)),
        (_, Some(_)) if of_lock => Err(format!("{} is no lock, so it is never {word}", subject.words())),
        (_, Some(manner)) => Ok(Condition::Touched(subject, manner)),
        (Subject::Lock(..), None) => Err(format!("expected `{0} taken` or `{0} contended`", subject.bare())),
        (Subject::Counter(_), None) => Err(format!("expected `{0} = 3` or `{0} written`", subject.bare())),
        (_, None) => Err(format!("expected `{0} touched` or `{0} written`", subject.bare())),
    }
}

/// How a milestone is written.
pub fn milestone_name(milestone: Milestone) -> String {
    match milestone {
        Milestone::SyscallEnter => "system call".to_string(),
        Milestone::LoopAt(page) => format!("page {page}"),
        Milestone::RangeDone => "end of the range".to_string(),
        Milestone::SyscallExit => "return".to_string(),
        Milestone::Call(call) => format!("call {call}"),
        Milestone::Zapped(tables) => format!("page table {tables}"),
    }
}

fn milestone(text: &str) -> Result<Milestone, String> {
    let fixed = [Milestone::SyscallEnter, Milestone::RangeDone, Milestone::SyscallExit];
    if let Some(found) = fixed.into_iter().find(|&milestone| milestone_name(milestone) == text) {
        return Ok(found);
    }
    let numbered = text.rsplit_once(' ').and_then(|(name, number)| {
        let number: u32 = number.parse().ok()?;
        Some(match name.trim() {
            "page" | "loop" => Milestone::LoopAt(number),
            "call" => Milestone::Call(number),
            "page table" => Milestone::Zapped(number),
            _ => return None,
        })
    });
    numbered.ok_or_else(|| {
        format!(
            "unknown milestone `{}`; expected `system call`, `page 17`, `call 3`, `page table 1`, `end of the range` \
             or `return`",
            short(text)
        )
    })
}
