//! Cache lines: who has which, and who changed it last.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::class::CostClass;
use crate::machine::{LockId, NOBODY, Pfn};

/// A line that several CPUs may want.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Line {
    /// struct page.
    Page(Pfn),
    /// The word of a lock and what is kept beside it.
    Lock(u8, u32),
    /// Head and count of a free list: zone, order and migratetype.
    Area(u32),
    /// A pagevec of a CPU.
    Pagevec(u32),
}

impl Line {
    pub fn of_lock(lock: LockId) -> Line {
        Line::Lock(lock.class as u8, lock.index)
    }
}

// CPUs beyond these share a bit, which only makes a line look shared more often.
const CPU_BITS: u32 = 128;

#[derive(Clone, Copy, Debug)]
struct State {
    /// Caches that have it.
    sharers: u128,
    /// The CPU that changed it last; nobody where it is clean.
    writer: u8,
    /// Lines that the CPU had touched when it touched this one last.
    stamp: u32,
}

const IN_MEMORY: State = State { sharers: 0, writer: NOBODY, stamp: 0 };

/// The states of all lines that have been touched.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    pages: Vec<State>,
    others: BTreeMap<Line, State>,
    /// Lines that each CPU has touched anew.
    touched: Vec<u32>,
    capacity: u32,
}

impl Lines {
    pub fn new(cpus: usize, capacity: u32) -> Lines {
        Lines { touched: alloc::vec![0; cpus], capacity, ..Lines::default() }
    }

    /// A CPU reads or writes a line. Returns what that costs beside the access; none where it has the line already.
    pub fn touch(&mut self, cpu: u8, line: Line, write: bool) -> Option<CostClass> {
        let Lines { pages, others, touched, capacity } = self;
        let state = match line {
            Line::Page(page) => {
                let at = page as usize;
                if at >= pages.len() {
                    pages.resize(at + 1, IN_MEMORY);
                }
                &mut pages[at]
            }
            line => others.entry(line).or_insert(IN_MEMORY),
        };
        let clock = &mut touched[usize::from(cpu)];
        let bit = 1u128 << (u32::from(cpu) % CPU_BITS);
        let kept = *capacity == 0 || state.writer != cpu || clock.wrapping_sub(state.stamp) <= *capacity;
        let has = state.sharers & bit != 0 && kept;
        let cost = if has && (!write || state.sharers == bit) {
            None
        } else if !kept && state.sharers == bit {
            Some(CostClass::LineMemory)
        } else if state.writer != NOBODY && state.writer != cpu {
            Some(CostClass::LineRemote)
        } else if state.sharers != 0 {
            Some(CostClass::LineShared)
        } else {
            Some(CostClass::LineMemory)
        };
        if cost.is_some() {
            *clock = clock.wrapping_add(1);
        }
        state.stamp = *clock;
        if write {
            (state.sharers, state.writer) = (bit, cpu);
        } else {
            // A reader leaves a changed line clean in both caches.
            if state.writer != cpu {
                state.writer = NOBODY;
            }
            state.sharers |= bit;
        }
        cost
    }
}
