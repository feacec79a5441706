//! What can be asked of a recorded run without replaying it: lock holds, waits, lines, page biographies.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

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
    lines: BTreeMap<(&'static str, u32), Vec<u32>>,
    calls: BTreeMap<(&'static str, u32), Vec<u32>>,
    pages: BTreeMap<Pfn, Vec<u32>>,
}

impl Index {
    pub(crate) fn new(records: &[Record], frames: &[Frame]) -> Index {
        let mut index = Index::default();
        for frame in frames {
            index.calls.entry((frame.site.file(), frame.site.line())).or_default().push(frame.start);
        }
        let mut open_waits: Vec<WaitSpan> = Vec::new();
        let mut open_irqs: Vec<IrqSpan> = Vec::new();
        for (at, record) in records.iter().enumerate() {
            let step = at as u32 + 1;
            index.lines.entry((record.site.file(), record.site.line())).or_default().push(step);
            if let Some(page) = record.op.page() {
                index.pages.entry(page).or_default().push(step);
            }
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
        self.pages.get(&page).map_or(&[], Vec::as_slice)
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
        Op::TryLockPage { .. } | Op::DownReadTrylock { .. } if record.outcome.ret == 1 => Effect::Takes,
        Op::SpinUnlock { .. } | Op::Up { .. } | Op::UnlockPage { .. } => Effect::Releases,
        _ => Effect::None,
    }
}
