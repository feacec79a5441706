//! Conditions to run to, and how they are written.

use core::fmt;

use super::read_condition::milestone_name;
use super::subject::{Counter, ListId, Subject};
use super::touch::Touch;
use crate::engine::Milestone;
use crate::machine::PageFlag;
use crate::view::PageNo;

/// Something that a step brings about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A subject is touched: `lru_lock taken`, `fn lru_add_drain`, `page 17 written`.
    Touched(Subject, Manner),
    /// A page enters a list: `page 17 enters inactive_anon`.
    Enters(PageNo, ListId),
    /// A page leaves a list: `page 17 leaves unevictable`.
    Leaves(PageNo, ListId),
    /// A flag of a page becomes set or clear: `page 17 PG_mlocked clear`.
    Flag(PageNo, PageFlag, bool),
    /// `_count` of a page becomes this: `page 17 count 2`.
    Count(PageNo, i32),
    /// A number comes to a value, or passes it: `NR_MLOCK = 3`.
    Counter(Counter, Is, i64),
    /// A milestone is passed: `milestone page 17`.
    Passed(Milestone),
    /// The two sides do different things: `differ`.
    Differ,
}

/// Which of the steps that touch a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// All.
    Touched,
    /// Those that write.
    Written,
    /// Those that read.
    Read,
    /// Those that take the lock.
    Taken,
    /// Those that give it back.
    Released,
    /// Those that queue for it.
    Contended,
}

/// How a number compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Is {
    /// Equal.
    Equal,
    /// Above.
    Above,
    /// Below.
    Below,
    /// At least.
    AtLeast,
    /// At most.
    AtMost,
}

impl Manner {
    /// All, with their words.
    pub const ALL: [(Manner, &'static str); 6] = [
        (Manner::Touched, "touched"),
        (Manner::Written, "written"),
        (Manner::Read, "read"),
        (Manner::Taken, "taken"),
        (Manner::Released, "released"),
        (Manner::Contended, "contended"),
    ];

    /// "taken".
    pub fn word(self) -> &'static str {
        Manner::ALL.iter().find(|(manner, _)| *manner == self).map_or("", |(_, word)| word)
    }

    pub(super) fn takes(self, touch: Touch) -> bool {
        match self {
            Manner::Touched => true,
            Manner::Written => touch.writes(),
            Manner::Read => !touch.writes(),
            Manner::Taken => touch == Touch::Takes,
            Manner::Released => touch == Touch::Releases,
            Manner::Contended => touch == Touch::Waits,
        }
    }
}

impl Is {
    /// All, with their signs; a sign that begins with another comes before it.
    pub const ALL: [(Is, &'static str); 5] =
        [(Is::AtLeast, ">="), (Is::AtMost, "<="), (Is::Equal, "="), (Is::Above, ">"), (Is::Below, "<")];

    /// ">=".
    pub fn sign(self) -> &'static str {
        Is::ALL.iter().find(|(is, _)| *is == self).map_or("", |(_, sign)| sign)
    }

    pub(super) fn holds(self, value: i64, wanted: i64) -> bool {
        match self {
            Is::Equal => value == wanted,
            Is::Above => value > wanted,
            Is::Below => value < wanted,
            Is::AtLeast => value >= wanted,
            Is::AtMost => value <= wanted,
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Condition::Touched(subject @ Subject::Function(_), _) => f.write_str(&subject.bare()),
            Condition::Touched(subject, manner) => write!(f, "{} {}", subject.bare(), manner.word()),
            Condition::Enters(page, list) => write!(f, "page {page} enters {list}"),
            Condition::Leaves(page, list) => write!(f, "page {page} leaves {list}"),
            Condition::Flag(page, flag, set) => {
                write!(f, "page {page} {} {}", flag.name(), if set { "set" } else { "clear" })
            }
            Condition::Count(page, count) => write!(f, "page {page} count {count}"),
            Condition::Counter(counter, is, value) => {
                write!(f, "{} {} {value}", Subject::Counter(counter).bare(), is.sign())
            }
            Condition::Passed(milestone) => write!(f, "milestone {}", milestone_name(milestone)),
            Condition::Differ => f.write_str("differ"),
        }
    }
}

impl Condition {
    /// The subject that it is about, if it is about one.
    pub fn subject(&self) -> Option<Subject> {
        match *self {
            Condition::Touched(subject, _) => Some(subject),
            Condition::Enters(page, _)
            | Condition::Leaves(page, _)
            | Condition::Flag(page, ..)
            | Condition::Count(page, _) => Some(Subject::Page(page)),
            Condition::Counter(counter, ..) => Some(Subject::Counter(counter)),
            Condition::Passed(_) | Condition::Differ => None,
        }
    }
}
