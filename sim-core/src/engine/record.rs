//! What a recorded run keeps of each step.

use alloc::vec::Vec;
use core::panic::Location;

use super::check::{Checker, Violation};
use super::frames::FrameList;
use super::func::{Func, Milestone};
use super::packed::U24;
use super::run::MAX_STEPS;
use super::sites::{SiteId, Sites};
use crate::op::{Op, Outcome, World};

/// One step. Thirty-six bytes, of which there are as many as steps.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// What was done, and what takes it back.
    pub op: Op,
    /// Result and undo.
    pub outcome: Outcome,
    pub(crate) frame: U24,
    /// Line of Rust that made it.
    pub site: SiteId,
    /// Task that made it.
    pub task: u8,
    /// CPU that the task was on.
    pub cpu: u8,
    /// It is in the ledger.
    pub counted: bool,
}

const _: () = assert!(size_of::<Record>() == 36, "of records there are as many as steps");

impl Record {
    /// Index of the function call that made it.
    pub fn frame(&self) -> Option<u32> {
        self.frame.get()
    }
}

/// A milestone that was passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Steps that had been made.
    pub step: u32,
    /// Task that passed it.
    pub task: u8,
    /// Which.
    pub milestone: Milestone,
}

/// Everything that a recorded run collects.
#[derive(Default)]
pub(crate) struct Recorder {
    pub records: Vec<Record>,
    pub frames: FrameList,
    pub marks: Vec<Mark>,
    /// Lines that steps and calls were made by.
    pub sites: Sites,
    /// Innermost frame of each task.
    pub current: Vec<U24>,
    /// What each task does.
    pub names: Vec<&'static str>,
    pub checker: Option<Checker>,
    pub violation: Option<Violation>,
    pub checked: u64,
}

impl Recorder {
    pub fn add_task(&mut self, name: &'static str) {
        self.current.push(U24::NONE);
        self.names.push(name);
    }

    /// It has more steps, or more function calls, than are kept.
    pub fn is_full(&self) -> bool {
        self.records.len() > MAX_STEPS || self.frames.is_full()
    }

    pub fn enter(&mut self, task: u8, func: &'static Func, site: &'static Location<'static>) {
        let start = self.records.len() as u32;
        let site = self.sites.id(site);
        let current = &mut self.current[task as usize];
        *current = self.frames.enter(func, site, task, *current, start);
    }

    pub fn leave(&mut self, task: u8) {
        let current = &mut self.current[task as usize];
        *current = self.frames.leave(*current, self.records.len() as u32);
    }

    pub fn mark(&mut self, task: u8, milestone: Milestone) {
        let step = self.records.len() as u32;
        self.marks.push(Mark { step, task, milestone });
    }

    pub fn step(
        &mut self,
        world: &mut World,
        task: u8,
        op: Op,
        site: &'static Location<'static>,
        counted: bool,
    ) -> Outcome {
        let cpu = world.machine.tasks[task as usize].cpu;
        let outcome = world.apply(task, op, counted);
        let (frame, site) = (self.current[task as usize], self.sites.id(site));
        self.records.push(Record { op, outcome, frame, site, task, cpu, counted });
        if let Some(checker) = &mut self.checker {
            self.checked += 1;
            if let Err(violation) = checker.after(world, task, op, outcome) {
                self.violation.get_or_insert(violation.at(self.records.len() as u32));
            }
        }
        outcome
    }
}
