//! What can be asked of a recorded run without replaying it: lock holds, waits, lines, page biographies.

use alloc::vec::Vec;
use core::panic::Location;

use super::frames::Frames;
use super::record::Record;
use super::sites::SiteId;
use super::steps::{StepLists, Steps};
use crate::machine::{LockClass, LockId, Pfn};
use crate::op::{AnonOp, Op};
use crate::view::PagevecKind;

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
    // By lock; those of each lock by start.
    holds: Vec<HoldSpan>,
    waits: Vec<WaitSpan>,
    irqs: Vec<IrqSpan>,
    // A bit for each kind of pagevec.
    pagevecs: u16,
    // Files and lines, in order: keys of the next two.
    keys: Vec<(&'static str, u32)>,
    lines: StepLists,
    calls: StepLists,
    pages: StepLists,
}

impl Index {
    pub(crate) fn new(records: &[Record], frames: Frames<'_>, sites: &[&'static Location<'static>]) -> Index {
        let mut keys: Vec<_> = sites.iter().map(|site| (site.file(), site.line())).collect();
        keys.sort_unstable();
        keys.dedup();
        let key = |site: &&Location<'static>| keys.binary_search(&(site.file(), site.line())).unwrap_or(0);
        let line: Vec<usize> = sites.iter().map(key).collect();
        let place = |(site, step): (SiteId, u32)| (line[site.index()], step);
        let made = (1..).zip(records).map(|(step, record)| (record.site, step)).map(place);
        let called = frames.iter().map(|frame| (frame.site, frame.start)).map(place);
        let mut index = Index {
            lines: StepLists::new(keys.len(), made),
            calls: StepLists::new(keys.len(), called),
            pages: pages(records),
            keys,
            ..Index::default()
        };
        // Holds that have not ended, by index.
        let mut open_holds: Vec<usize> = Vec::new();
        let mut open_waits: Vec<WaitSpan> = Vec::new();
        let mut open_irqs: Vec<IrqSpan> = Vec::new();
        for (at, record) in records.iter().enumerate() {
            let step = at as u32 + 1;
            index.lock(record, step, &mut open_holds, &mut open_waits);
            index.irq(record, step, &mut open_irqs);
            if let Op::PvecAdd { pv, .. } | Op::PvecReinit { pv } = record.op {
                index.pagevecs |= 1 << pv.kind as u16;
            }
        }
        index.holds.sort_unstable_by_key(|span| (span.lock.class, span.lock.index, span.start));
        index.holds.shrink_to_fit();
        index.waits.extend(open_waits);
        index.waits.sort_by_key(|span| span.start);
        index.waits.shrink_to_fit();
        index.irqs.extend(open_irqs);
        index.irqs.sort_by_key(|span| span.start);
        index.irqs.shrink_to_fit();
        index
    }

    fn lock(&mut self, record: &Record, step: u32, open: &mut Vec<usize>, waits: &mut Vec<WaitSpan>) {
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
                open.push(self.holds.len());
                self.holds.push(HoldSpan { lock, task, cpu, start: step, end: u32::MAX });
            }
            Effect::Releases => {
                let held = |&at: &usize| self.holds[at].lock == lock && self.holds[at].task == task;
                if let Some(place) = open.iter().rposition(held) {
                    self.holds[open.remove(place)].end = step;
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

    /// The run puts pages into a pagevec of this kind, or takes them out.
    pub fn uses_pagevec(&self, kind: PagevecKind) -> bool {
        self.pagevecs & 1 << kind as u16 != 0
    }

    /// Holds of one lock, by start.
    pub fn holds(&self, lock: LockId) -> &[HoldSpan] {
        let key = |span: &HoldSpan| (span.lock.class, span.lock.index);
        self.between(|span| key(span) < (lock.class, lock.index), |span| key(span) <= (lock.class, lock.index))
    }

    /// Holds of one class of locks; by start for each lock.
    pub fn holds_of(&self, class: LockClass) -> impl Iterator<Item = &HoldSpan> {
        self.between(|span| span.lock.class < class, |span| span.lock.class <= class).iter()
    }

    // Those that come after what `below` holds for, as far as `within` does.
    fn between(&self, below: impl Fn(&HoldSpan) -> bool, within: impl Fn(&HoldSpan) -> bool) -> &[HoldSpan] {
        let start = self.holds.partition_point(below);
        &self.holds[start..][..self.holds[start..].partition_point(within)]
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
    pub fn line(&self, file: &'static str, line: u32) -> Steps<'_> {
        self.key(file, line).map_or(Steps::default(), |key| self.lines.of(key))
    }

    /// Step counts at which a line of Rust has called a kernel function.
    pub fn calls(&self, file: &'static str, line: u32) -> Steps<'_> {
        self.key(file, line).map_or(Steps::default(), |key| self.calls.of(key))
    }

    fn key(&self, file: &'static str, line: u32) -> Option<usize> {
        self.keys.binary_search(&(file, line)).ok()
    }

    /// Step counts after which a page has been touched.
    pub fn page(&self, page: Pfn) -> Steps<'_> {
        self.pages.of(page as usize)
    }

    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        let spans = size_of_val(&*self.holds) + size_of_val(&*self.waits) + size_of_val(&*self.irqs);
        let lists = [&self.lines, &self.calls, &self.pages].map(StepLists::weight);
        spans + size_of_val(&*self.keys) + lists.iter().sum::<usize>()
    }
}

fn pages(records: &[Record]) -> StepLists {
    let touched = (1..).zip(records).filter_map(|(step, record)| Some((record.op.page()? as usize, step)));
    let end = touched.clone().map(|(page, _)| page + 1).max().unwrap_or(0);
    StepLists::new(end, touched)
}

/// What a step does to the lock that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    None,
    Waits,
    Takes,
    Releases,
}

/// What a step does to the lock of [`Op::lock`].
pub(crate) fn effect(record: &Record) -> Effect {
    match record.op {
        Op::SpinWait { .. } | Op::WaitPage { .. } | Op::DownWait { .. } => Effect::Waits,
        Op::SpinLock { .. } | Op::Down { .. } => Effect::Takes,
        Op::TryLockPage { .. } | Op::DownReadTrylock { .. } | Op::SpinTrylock { .. } if record.outcome.ret == 1 => {
            Effect::Takes
        }
        Op::SpinUnlock { .. } | Op::Up { .. } | Op::UnlockPage { .. } | Op::Anon(AnonOp::PlainUnlock { .. }) => {
            Effect::Releases
        }
        _ => Effect::None,
    }
}
