//! The fields of one message, each asked for by name.

use std::ops::RangeInclusive;

use super::{Code, Refusal};
use crate::embed::value::Value;

/// Fields that every message may have.
const COMMON: [&str; 3] = ["mmscope", "type", "id"];

/// The fields of a message that has no others.
pub struct Fields<'a> {
    message: &'a Value,
    names: &'static [&'static str],
}

impl<'a> Fields<'a> {
    /// The fields of a message.
    ///
    /// # Errors
    ///
    /// A field that this type does not have: a mistake in writing it is better told than passed over.
    pub fn new(message: &'a Value, names: &'static [&'static str]) -> Result<Fields<'a>, Refusal> {
        let Value::Map(members) = message else { return Err(Refusal::new(Code::Field, "expected an object")) };
        let known = |name: &str| COMMON.contains(&name) || names.contains(&name);
        if members.iter().all(|(name, _)| known(name)) {
            return Ok(Fields { message, names });
        }
        let expected = if names.is_empty() { "none of its own".to_string() } else { names.join(", ") };
        Err(Refusal::new(Code::Field, format!("a field that this type does not have; expected {expected}")))
    }

    /// A field, where it is there.
    pub fn get(&self, name: &'static str) -> Option<&'a Value> {
        self.message.get(name)
    }

    /// The first other field that is there.
    pub fn first_but(&self, name: &str) -> Option<&'static str> {
        self.names.iter().copied().find(|&other| other != name && self.get(other).is_some())
    }

    /// A text of 1 to `most` bytes.
    ///
    /// # Errors
    ///
    /// It is something else, or longer.
    pub fn text(&self, name: &'static str, most: usize, expected: &str) -> Result<Option<&'a str>, Refusal> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Text(text)) if (1..=most).contains(&text.len()) => Ok(Some(text)),
            Some(_) => {
                let message = format!("`{name}`: expected {expected}, of 1 to {most} characters");
                Err(Refusal::of(Code::Field, name, message))
            }
        }
    }

    /// A whole number within bounds.
    ///
    /// # Errors
    ///
    /// It is something else, or beyond them.
    pub fn whole(
        &self,
        name: &'static str,
        bounds: RangeInclusive<i64>,
        expected: &str,
    ) -> Result<Option<i64>, Refusal> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let refuse = |code| Refusal::of(code, name, format!("`{name}`: expected {expected}"));
        let number = value.whole().ok_or_else(|| refuse(Code::Field))?;
        if bounds.contains(&number) { Ok(Some(number)) } else { Err(refuse(Code::Range)) }
    }
}
