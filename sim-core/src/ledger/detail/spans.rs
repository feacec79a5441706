//! Spans with interrupts or preemption off.

use alloc::vec;
use alloc::vec::Vec;

use super::clock::Clock;
use super::walk::Seen;
use super::work::{Length, Lengths, Work};
use crate::engine::{Effect, Record};
use crate::machine::{LockClass, LockId, Pfn};
use crate::op::{Op, RmapOp};

/// What is off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Off {
    /// Interrupts of a CPU.
    Irq,
    /// Preemption of a task.
    Preempt,
}

/// What switched it off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A spinlock: its `_irq` form for interrupts, every form for preemption.
    Lock(LockId),
    /// The bit lock of a large folio, which is no spinlock but switches preemption off like one.
    BitLock(Pfn),
    /// local_irq_disable, get_cpu and their like: what the ledger counts as an explicit pair.
    Explicit,
}

impl Cause {
    /// Its name: that of the class of locks where it is one.
    pub const fn name(&self) -> &'static str {
        match self {
            Cause::Lock(lock) => lock.class.name(),
            Cause::BitLock(_) => "_mm_ids.lock",
            Cause::Explicit => "explicit",
        }
    }

    /// The class of locks that it is one of.
    pub const fn class(&self) -> Option<LockClass> {
        match self {
            Cause::Lock(lock) => Some(lock.class),
            _ => None,
        }
    }
}

/// One span. What is switched off twice stays one span, so there may be fewer spans than the ledger has pairs; and a
/// spinlock switches preemption off without being an explicit pair, so there may be more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// What is off.
    pub off: Off,
    /// What switched it off first.
    pub cause: Cause,
    /// Task that did.
    pub task: u8,
    /// CPU.
    pub cpu: u8,
    /// From the step that switches off to the one that switches on again.
    pub length: Length,
    /// What was done between these two, by that CPU or that task.
    pub inside: Work,
}

/// Spans with one cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpanSum {
    /// What is off.
    pub off: Off,
    /// Name of the cause.
    pub cause: &'static str,
    /// Number, sum and longest.
    pub lengths: Lengths,
    /// What was done in them.
    pub inside: Work,
}

#[derive(Clone, Copy)]
struct Open {
    cause: Cause,
    task: u8,
    cpu: u8,
    since: usize,
    counted: bool,
    inside: Work,
}

/// Collects spans.
#[derive(Default)]
pub(super) struct Spans {
    done: Vec<Span>,
    // By CPU.
    irqs: Vec<Option<Open>>,
    // By task.
    preempt: Vec<Option<Open>>,
    depth: Vec<u32>,
    // Who spins has preemption off already when it gets the lock.
    spins: Vec<bool>,
}

impl Spans {
    pub fn step(&mut self, seen: &Seen, work: Work, clock: &Clock) {
        let Record { task, cpu, .. } = *seen.record;
        self.grow(usize::from(task), usize::from(cpu));
        self.irq(seen, clock);
        self.preempt(seen, clock);
        if !seen.counted {
            return;
        }
        // The step that switches off or on is outside.
        let inside = |open: &mut Option<Open>| match open {
            Some(open) if open.since < seen.at => open.inside += work,
            _ => {}
        };
        inside(&mut self.irqs[usize::from(cpu)]);
        inside(&mut self.preempt[usize::from(task)]);
    }

    fn irq(&mut self, seen: &Seen, clock: &Clock) {
        let open = &mut self.irqs[usize::from(seen.record.cpu)];
        match seen.record.op {
            Op::SpinLock { class, irq: true, index } | Op::SpinWait { class, irq: true, index } if open.is_none() => {
                *open = Some(begin(seen, Cause::Lock(LockId { class, index })));
            }
            Op::Irq { off: true } if open.is_none() => *open = Some(begin(seen, Cause::Explicit)),
            Op::SpinUnlock { irq: true, .. } | Op::Irq { off: false } => {
                if let Some(open) = open.take().filter(|open| open.counted) {
                    self.done.push(open.end(Off::Irq, clock.span(open.since, seen.at)));
                }
            }
            _ => {}
        }
    }

    fn preempt(&mut self, seen: &Seen, clock: &Clock) {
        let task = usize::from(seen.record.task);
        match self.change(seen) {
            Some((true, cause)) => {
                self.depth[task] += 1;
                if self.preempt[task].is_none() {
                    self.preempt[task] = Some(begin(seen, cause));
                }
            }
            Some((false, _)) if self.depth[task] > 0 => {
                self.depth[task] -= 1;
                if self.depth[task] > 0 {
                    return;
                }
                if let Some(open) = self.preempt[task].take().filter(|open| open.counted) {
                    self.done.push(open.end(Off::Preempt, clock.span(open.since, seen.at)));
                }
            }
            _ => {}
        }
    }

    // What a step does to preemption: off or on, and why.
    fn change(&mut self, seen: &Seen) -> Option<(bool, Cause)> {
        let spins = &mut self.spins[usize::from(seen.record.task)];
        match seen.record.op {
            Op::Preempt { off } => Some((off, Cause::Explicit)),
            Op::Rmap(RmapOp::Large { folio, lock }) => Some((lock, Cause::BitLock(folio))),
            Op::SpinWait { class, index, .. } => {
                let off = !core::mem::replace(spins, true);
                off.then_some((true, Cause::Lock(LockId { class, index })))
            }
            Op::SpinLock { class, index, .. } => {
                let off = !core::mem::take(spins);
                off.then_some((true, Cause::Lock(LockId { class, index })))
            }
            Op::SpinTrylock { class, index } if seen.effect == Effect::Takes => {
                Some((true, Cause::Lock(LockId { class, index })))
            }
            Op::SpinUnlock { class, index, .. } => Some((false, Cause::Lock(LockId { class, index }))),
            _ => None,
        }
    }

    fn grow(&mut self, task: usize, cpu: usize) {
        if self.irqs.len() <= cpu {
            self.irqs.resize(cpu + 1, None);
        }
        if self.preempt.len() <= task {
            self.preempt.resize(task + 1, None);
            self.depth.resize(task + 1, 0);
            self.spins.resize(task + 1, false);
        }
    }

    /// All spans, by their beginning. What has not ended ends with the run.
    pub fn finish(mut self, clock: &Clock) -> Vec<Span> {
        for (off, open) in [(Off::Irq, self.irqs), (Off::Preempt, self.preempt)] {
            let open = open.into_iter().flatten().filter(|open| open.counted);
            self.done.extend(open.map(|open| open.end(off, clock.rest(open.since))));
        }
        self.done.sort_by_key(|span| (span.length.begin, span.off));
        self.done
    }
}

fn begin(seen: &Seen, cause: Cause) -> Open {
    let Record { task, cpu, .. } = *seen.record;
    Open { cause, task, cpu, since: seen.at, counted: seen.counted, inside: Work::default() }
}

impl Open {
    fn end(self, off: Off, length: Length) -> Span {
        let Open { cause, task, cpu, inside, .. } = self;
        Span { off, cause, task, cpu, length, inside }
    }
}

/// Spans by what is off and by the name of their cause.
pub(super) fn sums(spans: &[Span]) -> Vec<SpanSum> {
    let mut sums: Vec<SpanSum> = vec![];
    for span in spans {
        let (off, cause) = (span.off, span.cause.name());
        let at = sums.iter().position(|sum| (sum.off, sum.cause) == (off, cause)).unwrap_or_else(|| {
            sums.push(SpanSum { off, cause, lengths: Lengths::default(), inside: Work::default() });
            sums.len() - 1
        });
        sums[at].lengths.add(span.length);
        sums[at].inside += span.inside;
    }
    sums.sort_by_key(|sum| (sum.off, sum.cause));
    sums
}
