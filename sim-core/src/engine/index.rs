//! What can be asked of a recorded run without replaying it: lock holds, waits, lines, page biographies.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::panic::Location;

use super::func::Frame;
use super::record::Record;
use crate::machine::{LockClass, LockId, Pfn};
use crate::op::Op;

/// One hold of a lock: from the step that took it to the step that released it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HoldSpan {
    /// Which lock.
    pub lock: LockId,
    /// Task that held it.
    pub task: u8,
    /// CPU on which it was taken.
    pub cpu: u8,
    /// Step count after which it is held.
    pub start: u32,
    /// Step count after which it is free; `u32::MAX` where the run ended first.
    pub end: u32,
}

/// One wait for a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitSpan {
    /// Which lock.
    pub lock: LockId,
    /// Task that waited.
    pub task: u8,
    /// Its CPU.
    pub cpu: u8,
    /// Step count after which it is in line.
    pub start: u32,
    /// Step count after which it has the lock; `u32::MAX` where the run ended first.
    pub end: u32,
}

/// Steps with interrupts off on a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IrqSpan {
    /// CPU.
    pub cpu: u8,
    /// Step count after which they are off.
    pub start: u32,
    /// Step count after which they are on again; `u32::MAX` where the run ended first.
    pub end: u32,
}

/// The index, built once after recording.
#[derive(Clone, Debug, Default)]
pub struct Index {
    // Holds of each lock, by start.
    holds: BTreeMap<(LockClass, u32), Vec<HoldSpan>>,
    waits: Vec<WaitSpan>,
    irqs: Vec<IrqSpan>,
    lines: Lines,
    calls: Lines,
    pages: Pages,
}

/// Step counts by line.
type Lines = BTreeMap<(&'static str, u32), Vec<u32>>;

/// Step counts by page: those of page `p` are `steps[starts[p]..starts[p + 1]]`.
#[derive(Clone, Debug, Default)]
struct Pages {
    starts: Vec<u32>,
    steps: Vec<u32>,
}

impl Index {
    pub(crate) fn new(records: &[Record], frames: &[Frame]) -> Index {
        let mut index = Index {
            lines: lines((1..).zip(records).map(|(step, record)| (record.site, step))),
            calls: lines(frames.iter().map(|frame| (frame.site, frame.start))),
            pages: Pages::new(records),
            ..Index::default()
        };
        let mut open_waits: Vec<WaitSpan> = Vec::new();
        let mut open_irqs: Vec<IrqSpan> = Vec::new();
        for (at, record) in records.iter().enumerate() {
            let step = at as u32 + 1;
            index.lock(record, step, &mut open_waits);
            index.irq(record, step, &mut open_irqs);
        }
        index.waits.extend(open_waits);
        index.waits.sort_by_key(|span| span.start);
        index.irqs.extend(open_irqs);
        index.irqs.sort_by_key(|span| span.start);
        index
    }

    fn lock(&mut self, record: &Record, step: u32, waits: &mut Vec<WaitSpan>) {
        let Some(lock) = record.op.lock() else { return };
        let Record { task, cpu, .. } = *record;
        match effect(record) {
            Effect::Waits => {
                if !waits.iter().any(|span| span.task == task) {
                    waits.push(WaitSpan { lock, task, cpu, start: step, end: u32::MAX });
                }
            }
            Effect::Takes => {
                if let Some(at) = waits.iter().position(|span| span.task == task) {
                    self.waits.push(WaitSpan { end: step, ..waits.swap_remove(at) });
                }
                let span = HoldSpan { lock, task, cpu, start: step, end: u32::MAX };
                self.holds.entry((lock.class, lock.index)).or_default().push(span);
            }
            Effect::Releases => {
                let holds = self.holds.entry((lock.class, lock.index)).or_default();
                if let Some(span) = holds.iter_mut().rev().find(|span| span.task == task && span.end == u32::MAX) {
                    span.end = step;
                }
            }
            Effect::None => {}
        }
    }

    fn irq(&mut self, record: &Record, step: u32, open: &mut Vec<IrqSpan>) {
        let at = open.iter().position(|span| span.cpu == record.cpu);
        match record.op {
            Op::SpinLock { irq: true, .. } | Op::SpinWait { irq: true, .. } | Op::Irq { off: true } if at.is_none() => {
                open.push(IrqSpan { cpu: record.cpu, start: step, end: u32::MAX });
            }
            Op::SpinUnlock { irq: true, .. } | Op::Irq { off: false } => {
                if let Some(at) = at {
                    self.irqs.push(IrqSpan { end: step, ..open.swap_remove(at) });
                }
            }
            _ => {}
        }
    }

    /// Holds of one lock, by start.
    pub fn holds(&self, lock: LockId) -> &[HoldSpan] {
        self.holds.get(&(lock.class, lock.index)).map_or(&[], Vec::as_slice)
    }

    /// Holds of one class of locks; by start for each lock.
    pub fn holds_of(&self, class: LockClass) -> impl Iterator<Item = &HoldSpan> {
        self.holds.range((class, 0)..=(class, u32::MAX)).flat_map(|(_, spans)| spans)
    }

    /// Holds of one lock that have begun at a step count.
    pub fn begun(&self, lock: LockId, step: u32) -> &[HoldSpan] {
        let holds = self.holds(lock);
        &holds[..holds.partition_point(|span| span.start <= step)]
    }

    /// Waits, by start.
    pub fn waits(&self) -> &[WaitSpan] {
        &self.waits
    }

    /// Spans with interrupts off, by start.
    pub fn irqs_off(&self) -> &[IrqSpan] {
        &self.irqs
    }

    /// Step counts after which a line of Rust has run.
    pub fn line(&self, file: &'static str, line: u32) -> &[u32] {
        self.lines.get(&(file, line)).map_or(&[], Vec::as_slice)
    }

    /// Step counts at which a line of Rust has called a kernel function.
    pub fn calls(&self, file: &'static str, line: u32) -> &[u32] {
        self.calls.get(&(file, line)).map_or(&[], Vec::as_slice)
    }

    /// Step counts after which a page has been touched.
    pub fn page(&self, page: Pfn) -> &[u32] {
        self.pages.of(page)
    }
}

// A million comparisons of file names take longer than the run: places are told apart by address first, which decides
// nothing but the order of work.
fn lines(sites: impl Iterator<Item = (&'static Location<'static>, u32)>) -> Lines {
    let mut by_site: BTreeMap<usize, (&'static Location<'static>, Vec<u32>)> = BTreeMap::new();
    for (site, step) in sites {
        let address = core::ptr::from_ref(site) as usize;
        by_site.entry(address).or_insert_with(|| (site, Vec::new())).1.push(step);
    }
    let mut lines = Lines::new();
    for (site, steps) in by_site.into_values() {
        lines.entry((site.file(), site.line())).or_default().extend(steps);
    }
    lines.values_mut().for_each(|steps| steps.sort_unstable());
    lines
}

impl Pages {
    fn new(records: &[Record]) -> Pages {
        let touched = || (1u32..).zip(records).filter_map(|(step, record)| Some((record.op.page()?, step)));
        let end = touched().map(|(page, _)| page as usize + 1).max().unwrap_or(0);
        let mut starts = vec![0; end + 1];
        touched().for_each(|(page, _)| starts[page as usize + 1] += 1);
        for page in 0..end {
            starts[page + 1] += starts[page];
        }
        let mut steps = vec![0; starts[end] as usize];
        let mut next = starts.clone();
        for (page, step) in touched() {
            let at = &mut next[page as usize];
            steps[*at as usize] = step;
            *at += 1;
        }
        Pages { starts, steps }
    }

    fn of(&self, page: Pfn) -> &[u32] {
        match self.starts.get(page as usize..).and_then(|rest| rest.first_chunk()) {
            Some(&[start, end]) => &self.steps[start as usize..end as usize],
            None => &[],
        }
    }
}

enum Effect {
    None,
    Waits,
    Takes,
    Releases,
}

fn effect(record: &Record) -> Effect {
    match record.op {
        Op::SpinWait { .. } | Op::WaitPage { .. } | Op::DownWait { .. } => Effect::Waits,
        Op::SpinLock { .. } | Op::Down { .. } => Effect::Takes,
        Op::TryLockPage { .. } | Op::DownReadTrylock { .. } | Op::SpinTrylock { .. } if record.outcome.ret == 1 => {
            Effect::Takes
        }
        Op::SpinUnlock { .. } | Op::Up { .. } | Op::UnlockPage { .. } => Effect::Releases,
        _ => Effect::None,
    }
}
