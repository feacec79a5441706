//! Breakpoints: conditions at which playing and "next page" stop.

use sim_core::ask::{Condition, read_condition};

use crate::session::Session;

/// A breakpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct Break {
    /// As it is written.
    pub text: String,
    /// It is obeyed.
    pub on: bool,
    /// What it waits for, or why these runs don't have it.
    pub condition: Result<Condition, String>,
}

/// Before a breakpoint in a link that is switched off.
const OFF: &str = "off:";

impl Break {
    /// A breakpoint that is on.
    pub fn new(condition: Condition) -> Break {
        Break { text: condition.to_string(), on: true, condition: Ok(condition) }
    }

    /// As a link has it.
    pub fn print(&self) -> String {
        format!("{}{}", if self.on { "" } else { OFF }, self.text)
    }

    /// Reads what a link has; what these runs don't know stays, with the reason.
    pub fn read(session: &Session, text: &str) -> Break {
        let (on, text) = text.strip_prefix(OFF).map_or((true, text), |rest| (false, rest));
        let condition = read_condition(text, &session.functions());
        // Written as it would be written here.
        let text = condition.as_ref().map_or_else(|_| text.to_string(), ToString::to_string);
        Break { text, on, condition }
    }
}

/// Reads the breakpoints of a link, each once, and says what is wrong with those that can't be read.
pub fn read_breaks(session: &Session, texts: &[String]) -> (Vec<Break>, Vec<String>) {
    let mut breaks: Vec<Break> = Vec::new();
    for text in texts {
        let one = Break::read(session, text);
        if breaks.iter().all(|known| known.text != one.text) {
            breaks.push(one);
        }
    }
    let wrong =
        breaks.iter().filter_map(|one| Some(format!("break=`{}`: {}", one.text, one.condition.as_ref().err()?)));
    let wrong = wrong.collect();
    (breaks, wrong)
}
