//! Function calls of a recorded run. In a walk of page tables every second step makes one, so each takes twelve bytes:
//! which function was called, and from where, is looked up in a list that has each pair once.

use alloc::vec::Vec;
use core::ops::Index;

use super::func::Func;
use super::packed::U24;
use super::sites::SiteId;

/// What is called, and from where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The function.
    pub func: &'static Func,
    /// The line that called it.
    pub site: SiteId,
}

/// One call of a function in a recorded run.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The function.
    pub func: &'static Func,
    parent: U24,
    /// Steps that had been made when it was entered.
    pub start: u32,
    /// Steps that had been made when it returned; `u32::MAX` where the run ended first.
    pub end: u32,
    /// The line that called it.
    pub site: SiteId,
    /// Task that made the call.
    pub task: u8,
}

impl Frame {
    /// Frame of the caller; none for the outermost call of a task.
    pub fn parent(&self) -> Option<u32> {
        self.parent.get()
    }
}

/// A frame as it is kept.
#[derive(Clone, Copy, Debug)]
struct Kept {
    call: u16,
    parent: U24,
    start: U24,
    end: U24,
    task: u8,
}

const _: () = assert!(size_of::<Kept>() == 12, "some runs have more than one call for two steps");

/// The calls of a run, in the order in which they were entered.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrameList {
    kept: Vec<Kept>,
    calls: Vec<Call>,
    // The pair that came up last for each line.
    last: Vec<u16>,
}

impl FrameList {
    /// There is no number left for a further call.
    pub fn is_full(&self) -> bool {
        self.kept.len() >= U24::LIMIT
    }

    /// A task enters a function at a step count; returns the new frame.
    pub fn enter(&mut self, func: &'static Func, site: SiteId, task: u8, parent: U24, start: u32) -> U24 {
        let frame = U24::new(self.kept.len());
        let call = self.call(Call { func, site });
        self.kept.push(Kept { call, parent, start: U24::new(start as usize), end: U24::NONE, task });
        frame
    }

    /// A task returns from a frame at a step count; returns the frame of its caller.
    pub fn leave(&mut self, frame: U24, end: u32) -> U24 {
        let Some(frame) = frame.get().and_then(|frame| self.kept.get_mut(frame as usize)) else { return U24::NONE };
        frame.end = U24::new(end as usize);
        frame.parent
    }

    // The number of a pair, a new one where it has none.
    fn call(&mut self, call: Call) -> u16 {
        let is_it = |other: &Call| other.site == call.site && core::ptr::eq(other.func, call.func);
        if let Some(&last) = self.last.get(call.site.index())
            && self.calls.get(usize::from(last)).is_some_and(is_it)
        {
            return last;
        }
        let at = self.calls.iter().position(is_it).unwrap_or_else(|| {
            self.calls.push(call);
            self.calls.len() - 1
        });
        // As many as lines, but for the few lines that call one of several functions.
        let at = u16::try_from(at).unwrap_or(u16::MAX);
        self.last.resize(self.last.len().max(call.site.index() + 1), u16::MAX);
        self.last[call.site.index()] = at;
        at
    }

    /// Frame of the caller.
    pub fn parent(&self, frame: u32) -> Option<u32> {
        self.kept[frame as usize].parent.get()
    }

    pub fn all(&self) -> Frames<'_> {
        Frames { kept: &self.kept, calls: &self.calls }
    }

    /// It grows no more.
    pub fn finish(&mut self) {
        self.kept.shrink_to_fit();
        self.calls.shrink_to_fit();
        self.last = Vec::new();
    }
}

/// All function calls of a recorded run, by number. An index gives what was called and from where; [`Frames::get`] the
/// whole frame.
#[derive(Clone, Copy, Debug)]
pub struct Frames<'a> {
    kept: &'a [Kept],
    calls: &'a [Call],
}

impl<'a> Frames<'a> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The frame with a number.
    pub fn get(&self, frame: u32) -> Option<Frame> {
        self.kept.get(frame as usize).map(|kept| self.frame(kept))
    }

    /// All, in the order in which they were entered.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Frame> + ExactSizeIterator + Clone + use<'a> {
        let frames = *self;
        self.kept.iter().map(move |kept| frames.frame(kept))
    }

    /// Bytes that they take.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.kept) + size_of_val(self.calls)
    }

    fn frame(&self, kept: &Kept) -> Frame {
        let Call { func, site } = self.calls[usize::from(kept.call)];
        let step = |step: U24| step.get().unwrap_or(u32::MAX);
        Frame { func, parent: kept.parent, start: step(kept.start), end: step(kept.end), site, task: kept.task }
    }
}

impl Index<usize> for Frames<'_> {
    type Output = Call;

    fn index(&self, frame: usize) -> &Call {
        &self.calls[usize::from(self.kept[frame].call)]
    }
}
