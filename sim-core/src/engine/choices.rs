//! The text form of a list of choices: CPU numbers, runs as `CPUxN`, separated by commas: `0x12,1,0x3`. CPUs that go
//! round in turn are a group with points between: `0.1x40` is `0,1` forty times.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

/// Most choices that a list may hold.
const MAX_CHOICES: usize = 4_000_000;

/// A list of choices that cannot be read. The place is the number of the item, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChoiceError {
    item: usize,
    text: String,
}

impl fmt::Display for ChoiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "choices: item {} is `{}`; expected a CPU number such as `1`, or a run of them such as `1x12`, or `0.1x12` \
             for CPUs in turn, {MAX_CHOICES} choices at most",
            self.item, self.text
        )
    }
}

impl core::error::Error for ChoiceError {}

/// Reads a list of choices; empty text is the empty list.
///
/// # Errors
///
/// Names the item that is not `CPU` or `CPUxN`.
pub fn parse_choices(text: &str) -> Result<Vec<u8>, ChoiceError> {
    let mut choices = Vec::new();
    if text.is_empty() {
        return Ok(choices);
    }
    for (index, item) in text.split(',').enumerate() {
        let error = || ChoiceError { item: index + 1, text: item.chars().take(24).collect() };
        let (cpus, times) = item.split_once('x').unwrap_or((item, "1"));
        let cpus =
            cpus.split('.').map(|cpu| cpu.trim().parse()).collect::<Result<Vec<u8>, _>>().map_err(|_| error())?;
        let times: usize = times.trim().parse().map_err(|_| error())?;
        if times == 0 || times > (MAX_CHOICES - choices.len()) / cpus.len() {
            return Err(error());
        }
        for _ in 0..times {
            choices.extend_from_slice(&cpus);
        }
    }
    Ok(choices)
}

/// Prints a list so that [`parse_choices`] reads it back.
pub fn print_choices(choices: &[u8]) -> String {
    let runs = choices.chunk_by(|a, b| a == b).map(|run| match run.len() {
        1 => run[0].to_string(),
        n => format!("{}x{n}", run[0]),
    });
    runs.collect::<Vec<_>>().join(",")
}

/// Most CPUs in a group.
const MOST_IN_GROUP: usize = 8;

/// Prints a list as short as it gets with groups of CPUs in turn, for links. [`parse_choices`] reads it back.
pub fn print_choices_in_turn(choices: &[u8]) -> String {
    let mut items = Vec::new();
    let mut rest = choices;
    while !rest.is_empty() {
        let (group, times) = repeated(rest);
        let cpus: Vec<String> = rest[..group].iter().map(u8::to_string).collect();
        let times_text = if times == 1 { String::new() } else { format!("x{times}") };
        items.push(format!("{}{times_text}", cpus.join(".")));
        rest = &rest[group * times..];
    }
    items.join(",")
}

// The group that the list begins with and how often it comes: the one that covers most, the shortest of those.
fn repeated(list: &[u8]) -> (usize, usize) {
    let covered = |group: usize| {
        let times = list.chunks_exact(group).take_while(|chunk| *chunk == &list[..group]).count();
        (group, times)
    };
    let groups = (1..=MOST_IN_GROUP.min(list.len())).map(covered).filter(|&(group, times)| group == 1 || times > 1);
    groups.fold((1, 1), |best, one| if one.0 * one.1 > best.0 * best.1 { one } else { best })
}
