//! What a recorded run keeps of each step.

use alloc::vec::Vec;
use core::panic::Location;

use super::check::{Checker, Violation};
use super::func::{Frame, Func, Milestone};
use crate::op::{Op, Outcome, World};

/// No frame: the step was made outside every modelled function.
pub(crate) const NO_FRAME: u32 = u32::MAX;

/// One step.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// What was done, and what takes it back.
    pub op: Op,
    /// Result and undo.
    pub outcome: Outcome,
    /// Line of Rust that made it.
    pub site: &'static Location<'static>,
    pub(crate) frame: u32,
    /// Task that made it.
    pub task: u8,
    /// CPU that the task was on.
    pub cpu: u8,
    /// It is in the ledger.
    pub counted: bool,
}

impl Record {
    /// Index of the function call that made it.
    pub fn frame(&self) -> Option<u32> {
        (self.frame != NO_FRAME).then_some(self.frame)
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
    pub frames: Vec<Frame>,
    pub marks: Vec<Mark>,
    /// Innermost frame of each task.
    pub current: Vec<u32>,
    /// What each task does.
    pub names: Vec<&'static str>,
    pub checker: Option<Checker>,
    pub violation: Option<Violation>,
    pub checked: u64,
}

impl Recorder {
    pub fn add_task(&mut self, name: &'static str) {
        self.current.push(NO_FRAME);
        self.names.push(name);
    }

    pub fn enter(&mut self, task: u8, func: &'static Func, site: &'static Location<'static>) {
        let start = self.records.len() as u32;
        let parent = self.current[task as usize];
        self.current[task as usize] = self.frames.len() as u32;
        let parent = (parent != NO_FRAME).then_some(parent);
        self.frames.push(Frame { func, site, parent, task, start, end: u32::MAX });
    }

    pub fn leave(&mut self, task: u8) {
        let frame = &mut self.frames[self.current[task as usize] as usize];
        frame.end = self.records.len() as u32;
        self.current[task as usize] = frame.parent.unwrap_or(NO_FRAME);
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
    ) -> u32 {
        let cpu = world.machine.tasks[task as usize].cpu;
        let outcome = world.apply(task, op, counted);
        self.records.push(Record { op, outcome, site, frame: self.current[task as usize], task, cpu, counted });
        if let Some(checker) = &mut self.checker {
            self.checked += 1;
            if let Err(violation) = checker.after(world, task, op, outcome) {
                self.violation.get_or_insert(violation.at(self.records.len() as u32));
            }
        }
        outcome.ret
    }
}
