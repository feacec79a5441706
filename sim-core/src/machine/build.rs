//! How a machine starts: zones of free pages, idle CPUs, empty pagevecs.

use alloc::vec;
use alloc::vec::Vec;

use super::{
    CpuState, EVENTS, LRU_LISTS, LockState, LruList, Machine, Mapping, Mm, MmLocks, NIL, ON_STACK, PER_CPU, Page,
    Pagevec, STATS, TaskRun, TaskState, Zone,
};

/// Size of a machine. Everything is bounded by whoever makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineSpec {
    /// CPUs that run something.
    pub cpus: u8,
    /// Page frames of each zone.
    pub zones: Vec<u32>,
    /// stat_threshold of every zone.
    pub threshold: i8,
}

impl Machine {
    /// A machine with all memory free.
    pub fn new(spec: &MachineSpec) -> Machine {
        let mut pages = Vec::with_capacity(spec.zones.iter().sum::<u32>() as usize);
        let mut zones = Vec::new();
        for (index, &size) in spec.zones.iter().enumerate() {
            let start = pages.len() as u32;
            pages.resize(pages.len() + size as usize, Page::free(index as u8));
            zones.push(Zone::new(start, start + size, spec.threshold));
        }
        let cpus = spec.cpus as usize;
        Machine {
            pages,
            cpus: vec![CpuState::default(); cpus],
            tasks: Vec::new(),
            pagevecs: vec![Pagevec::EMPTY; cpus * PER_CPU],
            stacks: Vec::new(),
            diffs: vec![[0; STATS]; cpus * zones.len()],
            vm_stat: [0; STATS],
            events: [0; EVENTS],
            mms: Vec::new(),
            tables: Vec::new(),
            mappings: Vec::new(),
            lru_locks: vec![LockState::FREE; zones.len()],
            ptls: Vec::new(),
            mm_locks: Vec::new(),
            mapping_locks: Vec::new(),
            page_waiters: Vec::new(),
            work: super::Workqueue::NONE,
            swap: None,
            zones,
            rmap: None,
        }
    }

    /// Adds an address space without VMAs; `pages` bounds its addresses.
    pub fn add_mm(&mut self, pages: u32) -> u8 {
        let pmds = pages.div_ceil(super::PTRS_PER_PTE) as usize;
        self.mms.push(Mm { vmas: Vec::new(), pmds: vec![super::Pmd::None; pmds] });
        self.mm_locks.push(MmLocks { mmap_sem: LockState::FREE, page_table_lock: LockState::FREE });
        (self.mms.len() - 1) as u8
    }

    /// Adds an anon_vma or a file.
    pub fn add_mapping(&mut self, mapping: Mapping) -> u16 {
        self.mappings.push(mapping);
        self.mapping_locks.push(LockState::FREE);
        (self.mappings.len() - 1) as u16
    }

    /// vmstat_update of every CPU: the per-CPU differences go into the counters. Part of the set-up of a run.
    pub fn fold_diffs(&mut self) {
        let zones = self.zones.len();
        for (index, diff) in self.diffs.iter_mut().enumerate() {
            for (item, diff) in diff.iter_mut().enumerate() {
                let value = i64::from(core::mem::take(diff));
                self.zones[index % zones].stat[item] += value;
                self.vm_stat[item] += value;
            }
        }
    }

    /// Adds a task on a CPU.
    pub fn add_task(&mut self, cpu: u8) -> u8 {
        self.tasks.push(TaskState { cpu, run: TaskRun::Runnable, woken: false, daemon: false });
        self.stacks.extend([Pagevec::EMPTY; ON_STACK]);
        (self.tasks.len() - 1) as u8
    }
}

impl Zone {
    fn new(start: u32, end: u32, threshold: i8) -> Zone {
        Zone {
            start,
            end,
            fresh: start,
            freed: NIL,
            threshold,
            stat: [0; STATS],
            recent_scanned: [0; 2],
            recent_rotated: [0; 2],
            lru: [LruList { head: NIL, tail: NIL, entries: 0, pages: 0 }; LRU_LISTS],
            buddy: None,
            free: end - start,
        }
    }
}
