//! What can be asked of a recorded run without replaying it: lock holds, lines, page biographies.

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
    /// Step count after which the task was waiting for it, where it had to wait.
    pub waited_from: Option<u32>,
}

/// The index, built once after recording.
#[derive(Clone, Debug, Default)]
pub struct Index {
    holds: Vec<HoldSpan>,
    /// Spans with interrupts off: CPU, start, end.
    irqs: Vec<(u8, u32, u32)>,
    lines: BTreeMap<(&'static str, u32), Vec<u32>>,
    pages: BTreeMap<Pfn, Vec<u32>>,
}

impl Index {
    pub(crate) fn new(records: &[Record], _frames: &[Frame]) -> Index {
        let mut index = Index::default();
        let mut open: Vec<HoldSpan> = Vec::new();
        let mut waiting: Vec<(u8, u32)> = Vec::new();
        let mut irqs_off: BTreeMap<u8, u32> = BTreeMap::new();
        for (at, record) in records.iter().enumerate() {
            let step = at as u32 + 1;
            index.lines.entry((record.site.file(), record.site.line())).or_default().push(step);
            if let Some(page) = record.op.page() {
                index.pages.entry(page).or_default().push(step);
            }
            match effect(record) {
                Effect::Waits => waiting.push((record.task, step)),
                Effect::Takes(lock) => {
                    let waited = waiting.iter().position(|&(task, _)| task == record.task);
                    let waited_from = waited.map(|at| waiting.swap_remove(at).1);
                    open.push(HoldSpan { lock, task: record.task, cpu: record.cpu, start: step, end: u32::MAX, waited_from });
                }
                Effect::Releases(lock) => {
                    if let Some(at) = open.iter().position(|span| span.lock == lock && span.task == record.task) {
                        index.holds.push(HoldSpan { end: step, ..open.swap_remove(at) });
                    }
                }
                Effect::None => {}
            }
            index.irq(record, step, &mut irqs_off);
        }
        index.holds.extend(open);
        index.holds.sort_by_key(|span| span.start);
        index.irqs.extend(irqs_off.into_iter().map(|(cpu, start)| (cpu, start, u32::MAX)));
        index.irqs.sort_by_key(|&(_, start, _)| start);
        index
    }

    fn irq(&mut self, record: &Record, step: u32, off: &mut BTreeMap<u8, u32>) {
        match record.op {
            Op::SpinLock { irq: true, .. } | Op::SpinWait { irq: true, .. } | Op::Irq { off: true } => {
                off.entry(record.cpu).or_insert(step);
            }
            Op::SpinUnlock { irq: true, .. } | Op::Irq { off: false } => {
                if let Some(start) = off.remove(&record.cpu) {
                    self.irqs.push((record.cpu, start, step));
                }
            }
            _ => {}
        }
    }

    /// Holds of all locks, in the order in which they were taken.
    pub fn holds(&self) -> &[HoldSpan] {
        &self.holds
    }

    /// Spans with interrupts off: CPU, first and last step count.
    pub fn irqs_off(&self) -> &[(u8, u32, u32)] {
        &self.irqs
    }

    /// Holds of one class of locks.
    pub fn holds_of(&self, class: LockClass) -> impl Iterator<Item = &HoldSpan> {
        self.holds.iter().filter(move |span| span.lock.class == class)
    }

    /// Step counts after which a line of Rust has run.
    pub fn line(&self, file: &'static str, line: u32) -> &[u32] {
        self.lines.get(&(file, line)).map_or(&[], Vec::as_slice)
    }

    /// Step counts after which a page has been touched.
    pub fn page(&self, page: Pfn) -> &[u32] {
        self.pages.get(&page).map_or(&[], Vec::as_slice)
    }
}

enum Effect {
    None,
    Waits,
    Takes(LockId),
    Releases(LockId),
}

fn effect(record: &Record) -> Effect {
    let Some(lock) = record.op.lock() else { return Effect::None };
    match record.op {
        Op::SpinWait { .. } | Op::WaitPage { .. } | Op::DownWait { .. } => Effect::Waits,
        Op::SpinLock { .. } | Op::Down { .. } => Effect::Takes(lock),
        Op::TryLockPage { .. } | Op::DownReadTrylock { .. } if record.outcome.ret == 1 => Effect::Takes(lock),
        Op::SpinUnlock { .. } | Op::Up { .. } | Op::UnlockPage { .. } => Effect::Releases(lock),
        _ => Effect::None,
    }
}
