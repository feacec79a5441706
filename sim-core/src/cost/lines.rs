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
    /// Lines that the CPU had fetched into its first-level cache when it touched this one last.
    stamp: u32,
}

const IN_MEMORY: State = State { sharers: 0, writer: NOBODY, stamp: 0 };

/// The states of all lines that have been touched.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    pages: Vec<State>,
    others: BTreeMap<Line, State>,
    /// Lines that each CPU has fetched into its first-level cache.
    fetched: Vec<u32>,
    near: u32,
    capacity: u32,
}

/// Lines of 64 bytes in a page of 4 KiB.
const PAGE_LINES: u32 = 64;

impl Lines {
    pub fn new(cpus: usize, near: u32, capacity: u32) -> Lines {
        Lines { fetched: alloc::vec![0; cpus], near, capacity, ..Lines::default() }
    }

    /// A CPU goes through the contents of a page: as many lines go through its caches.
    pub fn fill(&mut self, cpu: u8) {
        let clock = &mut self.fetched[usize::from(cpu)];
        *clock = clock.wrapping_add(PAGE_LINES);
    }

    /// A CPU reads or writes a line. Returns what that costs beside the access; none where it has the line at hand.
    pub fn touch(&mut self, cpu: u8, line: Line, write: bool) -> Option<CostClass> {
        let Lines { pages, others, fetched, near, capacity } = self;
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
        let clock = &mut fetched[usize::from(cpu)];
        let bit = 1u128 << (u32::from(cpu) % CPU_BITS);
        let cost = state.cost(cpu, bit, write, clock.wrapping_sub(state.stamp), *near, *capacity);
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

impl State {
    // `ago`: lines that the CPU has fetched since the line was touched last, which means something only where that was
    // the CPU itself.
    fn cost(&self, cpu: u8, bit: u128, write: bool, ago: u32, near: u32, capacity: u32) -> Option<CostClass> {
        let alone = self.sharers == bit;
        if self.sharers & bit != 0 && (alone || !write) {
            return match ago {
                _ if alone && capacity > 0 && ago > capacity => Some(CostClass::LineMemory),
                _ if alone && near > 0 && ago > near => Some(CostClass::LineNear),
                _ => None,
            };
        }
        Some(if self.writer != NOBODY && self.writer != cpu {
            CostClass::LineRemote
        } else if self.sharers != 0 {
            CostClass::LineShared
        } else {
            CostClass::LineMemory
        })
    }
}
