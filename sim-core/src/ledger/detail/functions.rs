//! Functions like a profile: what they do themselves, and with all that they call.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use super::work::Work;
use crate::engine::{Frame, Frames, Record};

/// One function, all of its calls together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// Kernel name; [`OUTSIDE`] for steps that no modelled function made.
    pub name: &'static str,
    /// Calls in which a step is counted, and those without a step from callers of which every step is.
    pub calls: u64,
    /// Without what it calls.
    pub own: Work,
    /// With what it calls. Where a function calls itself, by whatever way, a step is there once.
    pub inclusive: Work,
}

/// Name that stands for steps outside every modelled function.
pub const OUTSIDE: &str = "(outside)";

/// A function as called by another one, by another one: calls by the same way are together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// Kernel name.
    pub name: &'static str,
    /// Place of the caller in the list, which comes before; none for what nothing modelled calls.
    pub parent: Option<u32>,
    /// Calls, as in [`Function::calls`].
    pub calls: u64,
    /// Without what it calls.
    pub own: Work,
    /// With what it calls.
    pub inclusive: Work,
}

/// Collects the work of each call.
pub(super) struct Calls {
    frames: Vec<Frame>,
    own: Vec<Work>,
    // Steps that are not counted.
    uncounted: Vec<u64>,
    outside: Work,
}

impl Calls {
    pub fn new(frames: Frames<'_>) -> Calls {
        let frames: Vec<Frame> = frames.iter().collect();
        let (own, uncounted) = (vec![Work::default(); frames.len()], vec![0; frames.len()]);
        Calls { frames, own, uncounted, outside: Work::default() }
    }

    pub fn step(&mut self, record: &Record, counted: bool, work: Work) {
        match record.frame() {
            Some(frame) if counted => self.own[frame as usize] += work,
            Some(frame) => self.uncounted[frame as usize] += 1,
            None if counted => self.outside += work,
            None => {}
        }
    }

    /// Functions by name, and the tree.
    pub fn finish(mut self) -> (Vec<Function>, Vec<Node>) {
        let mut inclusive = self.own.clone();
        // A call comes after its caller.
        for (at, frame) in self.frames.iter().enumerate().rev() {
            if let Some(parent) = frame.parent() {
                let work = inclusive[at];
                inclusive[parent as usize] += work;
                self.uncounted[parent as usize] += self.uncounted[at];
            }
        }
        let counts = self.counted(&inclusive);
        (self.functions(&inclusive, &counts), self.tree(&inclusive, &counts))
    }

    fn counted(&self, inclusive: &[Work]) -> Vec<bool> {
        let mut counts = vec![false; self.frames.len()];
        // Without one step of its own, a call is as all steps of its caller are.
        let mut throughout = vec![false; self.frames.len()];
        for (at, frame) in self.frames.iter().enumerate() {
            let (counted, uncounted) = (inclusive[at].steps > 0, self.uncounted[at] > 0);
            let empty = !counted && !uncounted;
            let caller = || frame.parent().is_some_and(|parent| throughout[parent as usize]);
            throughout[at] = counted && !uncounted || empty && caller();
            counts[at] = counted || throughout[at];
        }
        counts
    }

    fn functions(&self, inclusive: &[Work], counts: &[bool]) -> Vec<Function> {
        let mut functions: BTreeMap<&'static str, Function> = BTreeMap::new();
        for (at, frame) in self.frames.iter().enumerate().filter(|&(at, _)| counts[at]) {
            let function = functions.entry(frame.func.name).or_insert_with(|| Function::new(frame.func.name));
            function.calls += 1;
            function.own += self.own[at];
            if !self.calls_itself(frame) {
                function.inclusive += inclusive[at];
            }
        }
        if self.outside.steps > 0 {
            let outside = Function { own: self.outside, inclusive: self.outside, ..Function::new(OUTSIDE) };
            functions.insert(OUTSIDE, outside);
        }
        functions.into_values().collect()
    }

    // One of its callers is the same function.
    fn calls_itself(&self, frame: &Frame) -> bool {
        let callers = core::iter::successors(frame.parent(), |&at| self.frames[at as usize].parent());
        callers.into_iter().any(|at| self.frames[at as usize].func.name == frame.func.name)
    }

    fn tree(&self, inclusive: &[Work], counts: &[bool]) -> Vec<Node> {
        let mut nodes: Vec<Node> = Vec::new();
        let mut places: BTreeMap<(Option<u32>, &'static str), u32> = BTreeMap::new();
        let mut of = vec![0; self.frames.len()];
        for (at, frame) in self.frames.iter().enumerate().filter(|&(at, _)| counts[at]) {
            let (name, parent) = (frame.func.name, frame.parent().map(|parent| of[parent as usize]));
            let place = *places.entry((parent, name)).or_insert_with(|| {
                let work = Work::default();
                nodes.push(Node { name, parent, calls: 0, own: work, inclusive: work });
                nodes.len() as u32 - 1
            });
            of[at] = place;
            let node = &mut nodes[place as usize];
            node.calls += 1;
            node.own += self.own[at];
            node.inclusive += inclusive[at];
        }
        nodes
    }
}

impl Function {
    fn new(name: &'static str) -> Function {
        Function { name, calls: 0, own: Work::default(), inclusive: Work::default() }
    }
}
