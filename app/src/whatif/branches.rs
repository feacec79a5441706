//! The forks that the reader has made, as a tree.

use std::sync::Arc;

use sim_core::ledger::Row;

use crate::hash::BRANCH_NAME;
use crate::link::Which;
use crate::subject::{Opened, Subject};

/// Most forks that are kept.
pub const MOST: usize = 64;

/// A fork.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Number, given once.
    pub id: u32,
    /// The fork that it left; none where it left the original.
    pub parent: Option<u32>,
    /// What the reader calls it.
    pub name: String,
    /// Side that it was made on.
    pub which: Which,
    /// Scenario.
    pub scenario: String,
    /// The scenario itself, where it comes from a file.
    pub file: Option<Opened>,
    /// Kernel.
    pub variant: String,
    /// Its schedule.
    pub schedule: Arc<str>,
    /// Choices in it.
    pub made: usize,
    /// Steps after which it left, where that is known, and the CPU that went on there.
    pub left: Option<(u32, u8)>,
    /// The ledger at the end of what it left.
    pub parent_end: Arc<[Row]>,
    /// What differs at its end.
    pub differs: String,
    /// The rule that it breaks, or the deadlock that it meets, and the step.
    pub broken: Option<(String, u32)>,
    /// Parameters of the run of which this was found.
    pub params: Vec<(String, String)>,
}

impl Branch {
    /// A side shows it.
    pub fn is_shown(&self, subject: &Subject, which: Which) -> bool {
        self.is_of(subject)
            && subject.variants[which as usize] == self.variant
            && subject.own[which as usize].as_ref() == Some(&self.schedule)
    }

    /// It is a fork of what is shown, whichever side or kernel.
    pub fn is_of(&self, subject: &Subject) -> bool {
        (&subject.scenario, subject.file) == (&self.scenario, self.file)
    }

    /// What came of it, in words: where it left, the rule that it breaks, what its end counts.
    pub fn outcome(&self, subject: &Subject) -> String {
        let left = self.left.map(|(step, cpu)| format!("left at step {step}, CPU {cpu} went on; "));
        let broken = self.broken.as_ref().map(|(rule, step)| format!("✗ {rule} at step {step}; "));
        let stale = if self.params == subject.params { "" } else { " (with other parameters)" };
        format!("{}{}{}{stale}", left.unwrap_or_default(), broken.unwrap_or_default(), self.differs)
    }
}

/// All forks, in the order in which they were made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branches {
    all: Vec<Branch>,
    next: u32,
}

impl Branches {
    /// All of them.
    pub fn all(&self) -> &[Branch] {
        &self.all
    }

    /// There is no room for more.
    pub fn is_full(&self) -> bool {
        self.all.len() >= MOST
    }

    /// Adds one; its number is given here.
    pub fn add(&mut self, branch: Branch) -> u32 {
        let id = self.next;
        self.next += 1;
        self.all.push(Branch { id, ..branch });
        id
    }

    /// One by its number.
    pub fn get(&self, id: u32) -> Option<&Branch> {
        self.all.iter().find(|branch| branch.id == id)
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, id: u32) -> Option<&mut Branch> {
        self.all.iter_mut().find(|branch| branch.id == id)
    }

    /// Takes one out; what left it leaves its parent from now on, since its schedule says everything.
    pub fn remove(&mut self, id: u32) -> Option<Branch> {
        let at = self.all.iter().position(|branch| branch.id == id)?;
        let gone = self.all.remove(at);
        for child in self.all.iter_mut().filter(|branch| branch.parent == Some(id)) {
            child.parent = gone.parent;
        }
        Some(gone)
    }

    /// Forks of one kernel as a tree from the top: each with how deep it is.
    pub fn tree(&self, subject: &Subject, variant: &str) -> Vec<(usize, &Branch)> {
        let mut tree = Vec::new();
        let mut todo = vec![(0, None)];
        while let Some((depth, parent)) = todo.pop() {
            if let Some(branch) = parent.and_then(|id| self.get(id)) {
                tree.push((depth - 1, branch));
            }
            let mine = |branch: &&Branch| branch.is_of(subject) && branch.variant == variant;
            let children = self.all.iter().rev().filter(mine).filter(|branch| branch.parent == parent);
            todo.extend(children.map(|branch| (depth + 1, Some(branch.id))));
        }
        tree
    }
}

/// A name as it is kept: what could break a line is a space, and it is of bounded length. None where nothing is left.
pub fn tidy(name: &str) -> Option<String> {
    let plain: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let short: String = plain.trim().chars().take(BRANCH_NAME).collect();
    let short = short.trim_end();
    (!short.is_empty()).then(|| short.to_string())
}
