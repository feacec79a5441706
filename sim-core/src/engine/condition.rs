//! Conditions to run to: a flag, a count or the list of a page; a lock taken or wanted; a milestone; a function.

use super::func::Milestone;
use super::timeline::Timeline;
use crate::machine::{LockId, PageFlag, Pfn};
use crate::op::Op;

/// Something that a step brings about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A flag of a page becomes set or clear.
    Flag {
        /// Frame.
        page: Pfn,
        /// Flag.
        flag: PageFlag,
        /// Set, or clear.
        set: bool,
    },
    /// `_count` of a page becomes this.
    Count {
        /// Frame.
        page: Pfn,
        /// Value.
        count: i32,
    },
    /// A page enters the LRU list with this kernel number (0..5).
    Enters {
        /// Frame.
        page: Pfn,
        /// List.
        lru: u8,
    },
    /// A lock is taken.
    Taken(LockId),
    /// Somebody queues for a lock.
    Contended(LockId),
    /// A milestone is passed.
    Passed(Milestone),
    /// A kernel function is entered.
    Entered(&'static str),
}

impl Condition {
    // The step before `step` has brought it about.
    fn holds(&self, timeline: &Timeline, step: usize) -> bool {
        let record = &timeline.records()[step - 1];
        match *self {
            Condition::Flag { page, flag, set } => {
                let now = timeline.world().machine.page(page).has(flag) == set;
                now && record.op.page() == Some(page) && flag_changed(record.outcome.undo, record.op, flag, set)
            }
            Condition::Count { page, count } => {
                let counts = matches!(record.op, Op::Get { page: p, .. } | Op::Put { page: p, .. } | Op::Alloc { page: p, .. } if p == page);
                counts && timeline.world().machine.page(page).count == count
            }
            Condition::Enters { page, lru } => {
                matches!(record.op, Op::ListAdd { lru: l, page: p } | Op::ListSize { lru: l, add: true, page: p } if l == lru && p == page)
            }
            Condition::Taken(lock) => {
                let takes = match record.op {
                    Op::SpinLock { .. } | Op::Down { .. } => true,
                    Op::TryLockPage { .. } | Op::DownReadTrylock { .. } => record.outcome.ret == 1,
                    _ => false,
                };
                takes && record.op.lock() == Some(lock)
            }
            Condition::Contended(lock) => {
                let waits = matches!(record.op, Op::SpinWait { .. } | Op::WaitPage { .. } | Op::DownWait { .. });
                waits && record.op.lock() == Some(lock)
            }
            Condition::Passed(milestone) => timeline.step_of(milestone) == Some(step),
            Condition::Entered(name) => {
                timeline.frames().iter().any(|frame| frame.start as usize + 1 == step && frame.func.name == name)
            }
        }
    }
}

// The flag word before the step is the undo of a flag operation; the page lock has its own operations.
fn flag_changed(undo: u64, op: Op, flag: PageFlag, set: bool) -> bool {
    match op {
        Op::Flag { .. } => (undo as u32 & flag.bit() != 0) != set,
        Op::TryLockPage { .. } => flag == PageFlag::Locked && set,
        Op::UnlockPage { .. } => flag == PageFlag::Locked && !set,
        Op::Alloc { .. } | Op::Free { .. } => true,
        _ => false,
    }
}

impl Timeline {
    /// Goes forward to the first step after the cursor that brings a condition about. Where none does, the cursor stays
    /// and the result is `None`.
    pub fn run_to(&mut self, condition: Condition) -> Option<usize> {
        let from = self.cursor();
        while self.forward() {
            if condition.holds(self, self.cursor()) {
                return Some(self.cursor());
            }
        }
        self.seek(from);
        None
    }

    /// Goes back to the last step before the cursor that brought a condition about. Where none did, the cursor stays.
    pub fn run_back_to(&mut self, condition: Condition) -> Option<usize> {
        let from = self.cursor();
        while self.back() && self.cursor() > 0 {
            if condition.holds(self, self.cursor()) {
                return Some(self.cursor());
            }
        }
        self.seek(from);
        None
    }
}
