//! The text form of a list of choices: CPU numbers, runs as `CPUxN`, separated by commas: `0x12,1,0x3`.

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
            "choices: item {} is `{}`; expected a CPU number such as `1`, or a run of them such as `1x12`, \
             {MAX_CHOICES} choices at most",
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
        let (cpu, times) = item.split_once('x').unwrap_or((item, "1"));
        let cpu: u8 = cpu.trim().parse().map_err(|_| error())?;
        let times: usize = times.trim().parse().map_err(|_| error())?;
        if times == 0 || times > MAX_CHOICES - choices.len() {
            return Err(error());
        }
        choices.resize(choices.len() + times, cpu);
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
