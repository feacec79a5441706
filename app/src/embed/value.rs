//! The data of a message, taken out of the browser within bounds before anybody looks at it.

/// A piece of data.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null` or `undefined`: as if it were not there.
    Nothing,
    /// A truth value.
    Flag(bool),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// An array.
    List(Vec<Value>),
    /// A plain object's own members.
    Map(Vec<(String, Value)>),
    /// Something else, or too much of something, in words.
    Unfit(&'static str),
}

/// What is read of a message at most.
pub mod most {
    /// UTF-16 units of one text: a link, or a list of choices.
    pub const TEXT: u32 = 8192;
    /// UTF-16 units of a member's name.
    pub const NAME: u32 = 64;
    /// Members of one object.
    pub const MEMBERS: u32 = 64;
    /// Elements of one array.
    pub const ELEMENTS: u32 = 16;
    /// Objects and arrays inside each other.
    pub const DEPTH: u32 = 3;
}

impl Value {
    /// A member of a map, where it is there.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let Value::Map(members) = self else { return None };
        let (_, value) = members.iter().find(|(known, _)| known == name)?;
        (*value != Value::Nothing).then_some(value)
    }

    /// A whole number that a double holds exactly.
    pub fn whole(&self) -> Option<i64> {
        const EXACT: f64 = 9_007_199_254_740_991.0;
        match *self {
            Value::Number(number) if number.fract() == 0.0 && number.abs() <= EXACT => Some(number as i64),
            _ => None,
        }
    }

    /// The text.
    pub fn text(&self) -> Option<&str> {
        if let Value::Text(text) = self { Some(text) } else { None }
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Value {
        Value::Flag(flag)
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Value {
        Value::Number(number.into())
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_string())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text)
    }
}

/// A map of these members.
pub fn map<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Map(members.into_iter().map(|(name, value)| (name.to_string(), value)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_exact() {
        assert_eq!(Value::Number(41.0).whole(), Some(41));
        assert_eq!(Value::Number(-3.0).whole(), Some(-3));
        for number in [0.5, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(Value::Number(number).whole(), None, "{number}");
        }
        assert_eq!(Value::Text("41".into()).whole(), None);
    }

    #[test]
    fn what_is_nothing_is_not_there() {
        let value = map([("a", Value::Nothing), ("b", true.into())]);
        assert_eq!((value.get("a"), value.get("b"), value.get("c")), (None, Some(&Value::Flag(true)), None));
    }
}
