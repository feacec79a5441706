//! What if: forks of a run, and the way back from every change.
//!
//! A fork is a schedule of one side alone: the choices until it leaves its parent, the CPU that went on instead, and then
//! the parent's own rule. So it is a run like any other, and a link to it is a link. What is kept here beside the
//! schedule is what the reader called it, where it left, and what came of it.

mod branches;
mod change;
mod fork;
mod history;
mod ledger;
mod ready;
mod words;

pub use branches::{Branch, Branches};
pub use fork::Forked;
pub use ready::{Standing, Task, somewhere_else, tasks};

use crate::link::{Pair, Which};
use crate::subject::Subject;
use history::History;

/// Forks, and what can be undone.
#[derive(Default)]
pub struct WhatIf {
    /// The forks.
    pub branches: Branches,
    history: History<Before>,
}

/// What a change is undone to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Before {
    subject: Subject,
    at: Pair,
    branches: Branches,
}

impl WhatIf {
    /// The fork that a side shows.
    pub fn shown(&self, subject: &Subject, which: Which) -> Option<&Branch> {
        self.branches.all().iter().find(|branch| branch.is_shown(subject, which))
    }

    /// What Undo would undo, in words.
    pub fn undoes(&self) -> Option<&str> {
        self.history.undoes()
    }

    /// What Redo would do again, in words.
    pub fn redoes(&self) -> Option<&str> {
        self.history.redoes()
    }
}

#[cfg(test)]
mod tests;
