//! What memory looks like: plain data, changed only by applying an [`crate::op::Op`].
//!
//! Sizes are in 4 KiB pages. Nothing in here is behaviour of the kernel; it is what kernel code reads and writes.

mod buddy;
mod build;
mod cpu;
mod lock;
mod mm;
mod page;
mod pagevec;
mod rmap;
mod swap;
mod vmstat;
mod work;

use alloc::vec::Vec;

pub(crate) use buddy::ON_NONE;
pub use buddy::{
    AreaList, Buddy, MAX_ORDER, MIGRATE_TYPES, MigrateType, NR_LOWORDER_PCP_LISTS, NR_PCP_LISTS,
    PAGE_ALLOC_COSTLY_ORDER, PAGEBLOCK_NR, PAGEBLOCK_ORDER, PCP_BATCH_SCALE_MAX, PCP_TYPES, PageList, Pcp, PcpField,
    PcpSpec, order_to_pindex, pcp_allowed_order, pindex_to_order, watermarks, zone_batchsize, zone_batchsize_4_19,
};
pub use build::MachineSpec;
pub use cpu::{CpuState, TaskRun, TaskState};
pub use lock::{LockClass, LockId, LockState};
pub use mm::{
    HPAGE_PMD_NR, HPAGE_PMD_ORDER, Mapping, Mm, PTE_DIRTY, PTE_EXCLUSIVE, PTE_GARBAGE, PTE_HWPOISON, PTE_MIGRATION,
    PTE_NONE, PTE_PFN, PTE_SOFT_DIRTY, PTE_SWAP, PTE_UFFD_WP, PTE_WRITE, PTE_YOUNG, PTE_ZERO, PTRS_PER_PTE, Pmd, Vma,
    VmaId, pte_page, pte_swap,
};
pub use page::{NO_MAPPING, NOBODY, Page, PageFlag, Pfn};
pub(crate) use pagevec::PER_CPU_OF_ALL;
pub use pagevec::{ON_STACK, PAGEVEC_MAX, PER_CPU, Pagevec, Pv};
pub use rmap::{
    COMPOUND_MAPPED, FLUSH_CEILING, FolioState, MEMCG_BATCH, Member, MemcgCpu, NODE_THRESHOLD, ONLINE_CPUS,
    PERCPU_BATCH, RmapMm, RmapState, Tlb, Ubc, swap_pte,
};
pub use swap::{
    Kswapd, RSS_EVENTS, Rss, SWAP_CLUSTER, SWAP_COUNT, SWAP_HAS_CACHE, SWAP_MAP_BAD, Swap, SwapTuning, SwapWrite,
};
pub use vmstat::{EVENTS, Event, STATS, Stat, stat_threshold};
pub use work::{NO_WORK, Work, WorkFunc, WorkId, WorkerPool, Workqueue};

/// No page, no link.
pub const NIL: u32 = u32::MAX;
/// LRU lists of a zone.
pub const LRU_LISTS: usize = 5;

/// One LRU list: a doubly linked list through [`Page::next`] and [`Page::prev`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LruList {
    /// Newest page: insertions go here.
    pub head: Pfn,
    /// Oldest page: reclaim takes from here.
    pub tail: Pfn,
    /// Entries on it; a huge page is one.
    pub entries: u32,
    /// Small pages on it; a huge page is 512.
    pub pages: u32,
}

/// A zone (one zone is one node here).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone {
    /// First page frame.
    pub start: Pfn,
    /// One past the last.
    pub end: Pfn,
    /// Frames from here on have never been allocated.
    pub fresh: Pfn,
    /// Freed frames, last freed first, linked through [`Page::next`].
    pub freed: Pfn,
    /// stat_threshold of its counters.
    pub threshold: i8,
    /// zone->vm_stat, without the per-CPU differences.
    pub stat: [i64; STATS],
    /// reclaim_stat.recent_scanned, anon and file.
    pub recent_scanned: [u64; 2],
    /// reclaim_stat.recent_rotated, anon and file.
    pub recent_rotated: [u64; 2],
    /// The five LRU lists.
    pub lru: [LruList; LRU_LISTS],
    /// The page allocator; none where [`Zone::fresh`] and [`Zone::freed`] stand for it.
    pub buddy: Option<alloc::boxed::Box<Buddy>>,
    /// Free frames.
    pub free: u32,
}

// What stands for a lock that has no state of its own.
static NO_LOCK: LockState = LockState::FREE;

/// The whole machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Page frames.
    pub pages: Vec<Page>,
    /// Zones, in frame order.
    pub zones: Vec<Zone>,
    /// CPUs.
    pub cpus: Vec<CpuState>,
    /// Tasks.
    pub tasks: Vec<TaskState>,
    /// Per-CPU pagevecs, [`PER_CPU`] for each CPU.
    pub pagevecs: Vec<Pagevec>,
    /// On-stack pagevecs, [`ON_STACK`] for each task.
    pub stacks: Vec<Pagevec>,
    /// Per-CPU differences of the zone counters: `cpu * zones + zone`.
    pub diffs: Vec<[i8; STATS]>,
    /// Global vm_stat.
    pub vm_stat: [i64; STATS],
    /// vm events, summed over CPUs.
    pub events: [u64; EVENTS],
    /// Address spaces.
    pub mms: Vec<Mm>,
    /// Page-table pages: 512 PTEs each. [`pte_page`] says what a PTE maps.
    pub tables: Vec<u32>,
    /// Mappings.
    pub mappings: Vec<Mapping>,
    /// lru_lock of each zone.
    pub lru_locks: Vec<LockState>,
    /// Locks of the page tables.
    pub ptls: Vec<LockState>,
    /// The other locks: those of each mm and of each mapping.
    pub mm_locks: Vec<MmLocks>,
    /// Locks of each mapping.
    pub mapping_locks: Vec<LockState>,
    /// Waiters of page locks: page and task, first in line first.
    pub page_waiters: Vec<(Pfn, u8)>,
    /// Work items and kworkers.
    pub work: Workqueue,
    /// What the rmap-unmap series needs beside all this.
    pub rmap: Option<alloc::boxed::Box<RmapState>>,
    /// Swap device and what goes with it, where the scenario has one.
    pub swap: Option<alloc::boxed::Box<Swap>>,
}

/// Locks of one address space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MmLocks {
    /// mmap_sem
    pub mmap_sem: LockState,
    /// page_table_lock
    pub page_table_lock: LockState,
}

impl Machine {
    /// The page frame.
    #[inline(always)]
    pub fn page(&self, pfn: Pfn) -> &Page {
        &self.pages[pfn as usize]
    }

    #[inline(always)]
    pub(crate) fn page_mut(&mut self, pfn: Pfn) -> &mut Page {
        &mut self.pages[pfn as usize]
    }

    /// A pagevec.
    #[inline(always)]
    pub fn pagevec(&self, pv: Pv) -> &Pagevec {
        if pv.on_stack() { &self.stacks[pv.slot()] } else { &self.pagevecs[pv.slot()] }
    }

    #[inline(always)]
    pub(crate) fn pagevec_mut(&mut self, pv: Pv) -> &mut Pagevec {
        if pv.on_stack() { &mut self.stacks[pv.slot()] } else { &mut self.pagevecs[pv.slot()] }
    }

    /// State of a spinlock or semaphore; the page lock has none.
    #[inline(always)]
    pub fn lock(&self, lock: LockId) -> &LockState {
        let i = lock.index as usize;
        match lock.class {
            LockClass::Lru => &self.lru_locks[i],
            LockClass::Ptl => &self.ptls[i],
            LockClass::PageTable => &self.mm_locks[i].page_table_lock,
            LockClass::MmapSem => &self.mm_locks[i].mmap_sem,
            LockClass::AnonVma | LockClass::IMmap => &self.mapping_locks[i],
            LockClass::Pool => &self.work.pools[i].lock,
            LockClass::DrainMutex => &self.work.drain_mutex,
            LockClass::Hotplug => &self.work.hotplug,
            LockClass::Zone => self.buddy(lock.index as u8).map_or(&NO_LOCK, |buddy| &buddy.lock),
            LockClass::Pcp => self.buddy((lock.index >> 8) as u8).map_or(&NO_LOCK, |buddy| &buddy.pcp[i & 0xff].lock),
            LockClass::Page | LockClass::Waitqueue => &NO_LOCK,
            LockClass::PercpuCounter
            | LockClass::SwapCluster
            | LockClass::MmList
            | LockClass::ILock
            | LockClass::XaLock => self.rmap().lock(lock.class, i),
            LockClass::SwapInfo => &self.swap().si_lock,
            LockClass::SwapAvail => &self.swap().avail_lock,
            LockClass::Tree => &self.swap().tree_lock,
            LockClass::Cluster => &self.swap().cluster_locks[i],
        }
    }

    #[inline(always)]
    pub(crate) fn lock_mut(&mut self, lock: LockId) -> &mut LockState {
        let i = lock.index as usize;
        match lock.class {
            LockClass::Ptl => &mut self.ptls[i],
            LockClass::PageTable => &mut self.mm_locks[i].page_table_lock,
            LockClass::MmapSem => &mut self.mm_locks[i].mmap_sem,
            LockClass::AnonVma | LockClass::IMmap => &mut self.mapping_locks[i],
            LockClass::Pool => &mut self.work.pools[i].lock,
            LockClass::DrainMutex => &mut self.work.drain_mutex,
            LockClass::Hotplug => &mut self.work.hotplug,
            LockClass::Zone | LockClass::Pcp => self.allocator_lock_mut(lock),
            LockClass::PercpuCounter
            | LockClass::SwapCluster
            | LockClass::MmList
            | LockClass::ILock
            | LockClass::XaLock => self.rmap_mut().lock_mut(lock.class, i),
            LockClass::SwapInfo => &mut self.swap_mut().si_lock,
            LockClass::SwapAvail => &mut self.swap_mut().avail_lock,
            LockClass::Tree => &mut self.swap_mut().tree_lock,
            LockClass::Cluster => &mut self.swap_mut().cluster_locks[i],
            _ => &mut self.lru_locks[i],
        }
    }

    #[cold]
    fn allocator_lock_mut(&mut self, lock: LockId) -> &mut LockState {
        let zone = if lock.class == LockClass::Pcp { lock.index >> 8 } else { lock.index } as usize;
        match &mut self.zones[zone].buddy {
            Some(buddy) => match lock.class {
                LockClass::Pcp => &mut buddy.pcp[lock.index as usize & 0xff].lock,
                _ => &mut buddy.lock,
            },
            None => &mut self.lru_locks[zone],
        }
    }

    /// Task that holds a lock for itself, if any; knows the page lock too.
    pub fn holder(&self, lock: LockId) -> Option<u8> {
        let holder = match lock.class {
            LockClass::Page => self.page(lock.index).locker,
            _ => self.lock(lock).holder,
        };
        (holder != NOBODY).then_some(holder)
    }

    /// page_evictable() of 3.11: its mapping is not unevictable and it is not mlocked.
    #[inline(always)]
    pub fn page_evictable(&self, pfn: Pfn) -> bool {
        let page = self.page(pfn);
        let pinned_down = page.mapping != NO_MAPPING && self.mappings[page.mapping as usize].unevictable;
        !pinned_down && !page.has(PageFlag::Mlocked)
    }

    /// What the page table says at an address: the PTE, or [`PTE_NONE`] where there is no page table.
    #[inline(always)]
    pub fn pte(&self, mm: u8, vpn: u32) -> u32 {
        match self.pmd(mm, vpn) {
            Pmd::Table(table) => self.tables[(table * PTRS_PER_PTE + vpn % PTRS_PER_PTE) as usize],
            Pmd::Huge(head) => head + vpn % PTRS_PER_PTE,
            Pmd::HugeZero => PTE_ZERO,
            Pmd::None => PTE_NONE,
        }
    }

    /// The middle-level entry of an address.
    #[inline(always)]
    pub fn pmd(&self, mm: u8, vpn: u32) -> Pmd {
        let pmds = &self.mms[mm as usize].pmds;
        pmds.get((vpn / PTRS_PER_PTE) as usize).copied().unwrap_or(Pmd::None)
    }

    /// A VMA.
    pub fn vma(&self, id: VmaId) -> &Vma {
        &self.mms[id.mm as usize].vmas[id.vma as usize]
    }

    /// A counter of a zone with all per-CPU differences: what the zone really holds.
    pub fn zone_stat(&self, zone: u8, item: Stat) -> i64 {
        let zones = self.zones.len();
        let diffs: i64 =
            (0..self.cpus.len()).map(|cpu| i64::from(self.diffs[cpu * zones + zone as usize][item as usize])).sum();
        self.zones[zone as usize].stat[item as usize] + diffs
    }

    /// A counter over all zones, with all per-CPU differences.
    pub fn stat(&self, item: Stat) -> i64 {
        (0..self.zones.len() as u8).map(|zone| self.zone_stat(zone, item)).sum()
    }

    /// Pages of a list, tail first. The unevictable "list" of 5.18 has no links and is empty here.
    pub fn list(&self, zone: u8, lru: u8) -> impl Iterator<Item = Pfn> + '_ {
        let mut pfn = self.zones[zone as usize].lru[lru as usize].tail;
        core::iter::from_fn(move || {
            let here = (pfn != NIL).then_some(pfn)?;
            pfn = self.page(here).prev;
            Some(here)
        })
    }
}
