//! A recorded run: step forward and back, seek, find.
//!
//! The world at step t is a pure function of the timeline and t: going back reverts operations, seeking starts from
//! the nearest keyframe.

use alloc::vec::Vec;
use core::panic::Location;

use super::check::Violation;
use super::decisions::{Decision, Decisions};
use super::frames::{FrameList, Frames};
use super::func::Milestone;
use super::index::Index;
use super::record::{Mark, Record, Recorder};
use super::sites::SiteId;
use crate::kernel::Config;
use crate::machine::Machine;
use crate::op::{Op, World};
use crate::view::Numbers;

/// Operations that may be applied or reverted for one seek before a keyframe is worth its bytes.
const KEYFRAME_STEPS: usize = 1 << 16;

/// A recorded run with a cursor.
pub struct Timeline {
    config: Config,
    world: World,
    cursor: usize,
    records: Vec<Record>,
    frames: FrameList,
    marks: Vec<Mark>,
    sites: Vec<&'static Location<'static>>,
    keyframes: Vec<World>,
    choices: Vec<u8>,
    names: Vec<&'static str>,
    violation: Option<Violation>,
    checked: u64,
    index: Index,
    numbers: Numbers,
    decided: Decisions,
}

impl Timeline {
    pub(crate) fn new(
        config: Config,
        start: World,
        end: World,
        recorder: Recorder,
        choices: Vec<u8>,
        violation: Option<Violation>,
    ) -> Timeline {
        let Recorder { mut records, mut frames, mut marks, sites, names, checked, .. } = recorder;
        // They grow no more.
        records.shrink_to_fit();
        frames.finish();
        marks.shrink_to_fit();
        let sites = sites.into_lines();
        let index = Index::new(&records, frames.all(), &sites);
        let mut numbers = Numbers::new(&start.machine);
        for record in &records {
            if let Op::Alloc { page, .. } = record.op {
                numbers.add(page);
            }
        }
        let cursor = records.len();
        let keyframes = alloc::vec![start];
        let mut timeline = Timeline {
            config,
            world: end,
            cursor,
            records,
            frames,
            marks,
            sites,
            keyframes,
            choices,
            names,
            violation,
            checked,
            index,
            numbers,
            decided: Decisions::default(),
        };
        timeline.add_keyframes();
        timeline.seek(0);
        timeline
    }

    pub(crate) fn with_decisions(self, decided: Decisions) -> Timeline {
        Timeline { decided, ..self }
    }

    /// The decision by which the step after so many was made; none where one CPU alone could go on.
    pub fn decision(&self, step: usize) -> Option<Decision<'_>> {
        self.decided.at(u32::try_from(step).ok()?, &self.choices)
    }

    /// Bytes of what is kept of decisions, beside the choices.
    pub(super) fn decided_bytes(&self) -> usize {
        self.decided.bytes()
    }

    fn add_keyframes(&mut self) {
        self.world = self.keyframes[0].clone();
        self.cursor = 0;
        for at in (KEYFRAME_STEPS..=self.records.len()).step_by(KEYFRAME_STEPS) {
            while self.cursor < at {
                self.forward();
            }
            self.keyframes.push(self.world.clone());
        }
    }

    /// Steps of the run.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// The run has no steps.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Steps applied.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// The world after [`Timeline::cursor`] steps.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The kernel that ran.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// All steps.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// All function calls.
    pub fn frames(&self) -> Frames<'_> {
        self.frames.all()
    }

    /// The line of Rust that a step or a call was made by.
    pub fn site(&self, id: SiteId) -> &'static Location<'static> {
        self.sites[id.index()]
    }

    /// All milestones, in order.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// Choices that were made, in the form that a schedule takes.
    pub fn choices(&self) -> &[u8] {
        &self.choices
    }

    /// What each task does, in words.
    pub fn task_names(&self) -> &[&'static str] {
        &self.names
    }

    /// What broke, if anything did; the run stops there.
    pub fn violation(&self) -> Option<&Violation> {
        self.violation.as_ref()
    }

    /// Steps after which the rules were checked.
    pub fn checked(&self) -> u64 {
        self.checked
    }

    /// What was derived from the records: holds, lines, biographies.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Numbers of the pages, as they stand on the tiles.
    pub fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    /// The step that was applied last.
    pub fn last(&self) -> Option<&Record> {
        self.cursor.checked_sub(1).map(|at| &self.records[at])
    }

    /// Applies one step. False at the end.
    pub fn forward(&mut self) -> bool {
        let Some(record) = self.records.get(self.cursor) else { return false };
        let outcome = self.world.apply(record.task, record.op, record.counted);
        debug_assert_eq!(outcome, record.outcome, "a replayed step gives what the recorded one gave");
        self.cursor += 1;
        true
    }

    /// Takes one step back. False at the start.
    pub fn back(&mut self) -> bool {
        let Some(&record) = self.last() else { return false };
        self.world.revert(record.task, record.op, record.outcome, record.counted);
        self.cursor -= 1;
        true
    }

    /// Goes to a step, or to the end where the run is shorter.
    pub fn seek(&mut self, step: usize) {
        let step = step.min(self.records.len());
        let key = (step + KEYFRAME_STEPS / 2) / KEYFRAME_STEPS;
        let key = key.min(self.keyframes.len() - 1);
        if self.cursor.abs_diff(step) > (key * KEYFRAME_STEPS).abs_diff(step) + KEYFRAME_STEPS / 4 {
            self.world.clone_from(&self.keyframes[key]);
            self.cursor = key * KEYFRAME_STEPS;
        }
        while self.cursor < step {
            self.forward();
        }
        while self.cursor > step {
            self.back();
        }
    }

    /// Goes through the run from its start on a world of its own: `see` gets each step before it is applied and, with
    /// `true`, after.
    pub fn replay(&self, mut see: impl FnMut(usize, &Record, &Machine, bool)) {
        let mut world = self.keyframes[0].clone();
        for (step, record) in self.records.iter().enumerate() {
            see(step, record, &world.machine, false);
            world.apply(record.task, record.op, record.counted);
            see(step, record, &world.machine, true);
        }
    }

    /// First step after `from` at which the function call that made step `from` has returned or makes its next own
    /// step: one step, without what it calls.
    pub fn step_over(&self, from: usize) -> usize {
        let Some(next) = self.records.get(from) else { return self.records.len() };
        let depth = self.depth(next.frame());
        let here = self.last_of(from, next.task).map_or(0, |at| self.depth(self.records[at].frame()));
        let limit = here.min(depth);
        (from + 1..self.records.len())
            .find(|&at| self.records[at].task == next.task && self.depth(self.records[at].frame()) <= limit)
            .unwrap_or(self.records.len())
    }

    // The last step before `from` that a task made.
    fn last_of(&self, from: usize, task: u8) -> Option<usize> {
        (0..from).rev().find(|&at| self.records[at].task == task)
    }

    /// Calls that enclose a frame, itself included.
    pub fn depth(&self, frame: Option<u32>) -> usize {
        core::iter::successors(frame, |&frame| self.frames.parent(frame)).count()
    }

    /// Frames from the outermost to the innermost of the step with this index.
    pub fn stack(&self, step: usize) -> Vec<u32> {
        let innermost = self.records.get(step).and_then(Record::frame);
        let mut stack: Vec<u32> = core::iter::successors(innermost, |&frame| self.frames.parent(frame)).collect();
        stack.reverse();
        stack
    }

    /// The last milestone that a step count has passed.
    pub fn milestone_at(&self, step: usize) -> Option<&Mark> {
        let passed = self.marks.partition_point(|mark| mark.step as usize <= step);
        passed.checked_sub(1).map(|at| &self.marks[at])
    }

    /// Step count at which a milestone is passed.
    pub fn step_of(&self, milestone: Milestone) -> Option<usize> {
        self.marks.iter().find(|mark| mark.milestone == milestone).map(|mark| mark.step as usize)
    }

    /// The world before the first step.
    pub fn start(&self) -> &World {
        &self.keyframes[0]
    }
}

impl Timeline {
    /// Names of the kernel functions that the run calls, each once, in order.
    pub fn functions(&self) -> Vec<&'static str> {
        let mut names: Vec<&'static str> = Vec::new();
        for frame in self.frames().iter() {
            if let Err(at) = names.binary_search(&frame.func.name) {
                names.insert(at, frame.func.name);
            }
        }
        names
    }
}
