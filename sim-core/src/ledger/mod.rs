//! Counts of everything that a patch argues about.
//!
//! The classes are those of the counting rules: a read-modify-write on a page word is one RMW, a spinlock taken is one
//! RMW and its release none, a semaphore taken and released is two. Counts are exact; only operations of the measured
//! section are in them. A ledger changes only through [`crate::op`], so it can be taken back with the steps.

pub mod detail;
mod key;
mod range;
mod rows;
pub mod series;

pub use key::{Key, by_name};
pub use range::of_steps;
pub use rows::{Group, Row, rows};

use crate::machine::{EVENTS, LockClass, PageFlag};
use crate::named::named;

/// How a flag word is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum How {
    /// set_bit
    Set,
    /// clear_bit
    Clear,
    /// test_and_set_bit
    TestSet,
    /// test_and_clear_bit
    TestClear,
    /// A plain store that sets the bit.
    PlainSet,
    /// A plain store that clears the bit.
    PlainClear,
}

impl How {
    /// It is one atomic read-modify-write.
    pub const fn atomic(self) -> bool {
        !matches!(self, How::PlainSet | How::PlainClear)
    }

    /// Name in `by_name`.
    pub const fn name(self) -> &'static str {
        ["set", "clear", "test_and_set", "test_and_clear", "__set", "__clear"][self as usize]
    }
}

named! {
    /// Places in the kernel that change a reference count, as the tables name them.
    enum Site,
    /// Name in `by_name`.
    name {
        /// The pin of follow_page and of the PTE walk of a batch.
        FollowPage = "follow_page",
        /// The reference of whoever isolates a page.
        Isolate = "isolate",
        /// The same by get_page_unless_zero.
        IsolateUnlessZero = "isolate",
        /// A pagevec slot.
        LruCacheAdd = "lru_cache_add",
        /// putback_lru_page drops the isolator's reference.
        PutbackLruPage = "putback_lru_page",
        /// put_page of the pin.
        PutPage = "put_page",
        /// release_pages after a drain.
        ReleasePages = "release_pages",
        /// The extra reference of the slow path from patch 6 on.
        MunlockSlow = "munlock_isolated_page",
        /// The reference of an mlock or munlock batch.
        MlockBatch = "mlock_batch",
        /// Page cache.
        PageCache = "page_cache",
        /// Unmapping.
        Unmap = "unmap",
        /// Reclaim.
        Reclaim = "reclaim",
    }
}

/// Number of [`Site`]s.
pub const SITES: usize = Site::ALL.len();
/// Number of page flags counted.
pub const FLAGS: usize = PageFlag::ALL.len();

impl Site {
    /// Name of its increment in `by_name`.
    pub const fn get_name(self) -> &'static str {
        match self {
            Site::IsolateUnlessZero => "_count.inc_not_zero",
            _ => "_count.inc",
        }
    }
}

/// Counts of one class of locks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LockCounts {
    /// Times taken.
    pub acquired: u64,
    /// Times somebody had to wait.
    pub contended: u64,
    /// Sum of the moments of release less the sum of the moments of acquisition: once all are free, steps held.
    pub(crate) held: u64,
    /// Longest queue.
    pub max_waiters: u64,
}

impl LockCounts {
    /// Steps for which locks of this class were held; exact while none is.
    pub fn held_steps(&self) -> u64 {
        self.held
    }
}

named! {
    /// Single counters.
    enum Count,
    /// What is counted.
    name {
        /// _mapcount changes: RMW on a page word.
        Mapcount = "_mapcount",
        /// Semaphore RMWs.
        Rwsem = "semaphore atomics",
        /// Fold RMWs of vm statistics.
        Folds = "vmstat folds",
        /// Interrupt disable and enable pairs.
        IrqPairs = "IRQ pairs",
        /// Explicit preempt disable and enable pairs.
        PreemptPairs = "preempt pairs",
        /// Full barriers.
        Barriers = "barriers",
        /// list_del under lru_lock.
        ListDel = "list_del",
        /// list_add under lru_lock.
        ListAdd = "list_add",
        /// `__mod_zone_page_state` and its node twin.
        StatPlain = "__mod_zone_page_state",
        /// `mod_zone_page_state`, safe against interrupts.
        StatSafe = "mod_zone_page_state",
        /// Event updates, whatever the amount.
        EventUpdates = "event updates",
        /// Adds to per-CPU pagevecs.
        PvecPerCpu = "adds to per-CPU pagevecs",
        /// Adds to on-stack pagevecs.
        PvecOnStack = "adds to on-stack pagevecs",
        /// Drains of per-CPU pagevecs that held something.
        Drains = "drains",
        /// follow_page_mask and get_locked_pte calls.
        Walks = "page-table walks",
        /// cond_resched calls of the range loop.
        Resched = "cond_resched",
        /// Sleeps.
        Sleeps = "sleeps",
        /// Plain reads that another CPU could make stale.
        Reads = "reads",
        /// PTE writes and other plain page-table stores.
        PteWrites = "page-table stores",
        /// Pages allocated.
        Allocs = "pages allocated",
        /// Pages freed.
        Frees = "pages freed",
        /// Work items queued.
        WorksQueued = "works queued",
        /// Interrupts sent to another CPU: reschedule, function call and TLB flush.
        Ipis = "IPIs",
        /// TLB flushes, local ones too.
        TlbFlushes = "TLB flushes",
        /// Pages read from the swap device.
        SwapIn = "swap-ins",
        /// Pages written to the swap device.
        SwapOut = "swap-outs",
        /// Calls that change a folio's map count statistics.
        FolioStat = "folio statistics updates",
        /// Calls that charge or uncharge memcg statistics.
        Rstat = "rstat updates",
        /// list_add and list_del while zone->lock is held.
        ListUnderZone = "list moves under zone->lock",
        /// Atomics on words that are no page and no lock: PTE exchange, tlb_gen, a pending bit.
        OtherRmw = "atomics elsewhere",
        /// Kworkers woken from sleep, on any CPU.
        Dispatches = "kworker dispatches",
        /// Barrier works that somebody queues to wait for another work item.
        BarrierWorks = "barrier works",
        /// Sets of work items allocated (alloc_percpu) and freed.
        PercpuAllocs = "per-CPU allocations",
        /// Lockless reads of pagevec counts by somebody who asks every CPU.
        RemoteReads = "remote pagevec reads",
        /// Pages taken off a per-CPU list while zone->lock is held.
        PicksUnderZone = "PCP picks under zone->lock",
        /// `_nr_pages_mapped` changes: RMW on a folio word.
        NrMapped = "_nr_pages_mapped",
        /// Large-folio bit locks taken: RMW on a folio word.
        LargeLock = "_mm_ids.lock",
        /// Several references dropped by one atomic: RMW on a folio word.
        RefSub = "_refcount.sub",
        /// Calls of percpu_counter_add_batch for rss_stat.
        RssCalls = "rss updates",
        /// update_hiwater_rss calls.
        Hiwater = "update_hiwater_rss",
        /// PageHeadHuge and PageHuge calls.
        HeadHuge = "PageHeadHuge",
        /// PTEs that a look-ahead or a batch scan reads.
        PtePeeks = "PTEs peeked",
        /// Copies of the walk and the range that are passed by value.
        ByValue = "copies by value",
        /// Single pages invalidated in a TLB.
        Invlpg = "INVLPG",
        /// Full flushes of a TLB.
        FullFlush = "full TLB flushes",
    }
}

/// Number of [`Count`]s.
pub const COUNTS: usize = Count::ALL.len();

/// The ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ledger {
    /// Flag changes: `flag * 6 + how`.
    pub flags: [u64; FLAGS * 6],
    /// Reference count increments by site.
    pub gets: [u64; SITES],
    /// Reference count decrements by site.
    pub puts: [u64; SITES],
    /// Locks by class.
    pub locks: [LockCounts; LockClass::ALL.len()],
    /// Single counters.
    pub counts: [u64; COUNTS],
    /// Event values.
    pub events: [u64; EVENTS],
}

impl Default for Ledger {
    fn default() -> Self {
        Ledger {
            flags: [0; FLAGS * 6],
            gets: [0; SITES],
            puts: [0; SITES],
            locks: [LockCounts::default(); LockClass::ALL.len()],
            counts: [0; COUNTS],
            events: [0; EVENTS],
        }
    }
}

impl Ledger {
    /// A single counter.
    pub fn count(&self, count: Count) -> u64 {
        self.counts[count as usize]
    }

    /// Counts of a class of locks.
    pub fn lock(&self, class: LockClass) -> &LockCounts {
        &self.locks[class as usize]
    }

    /// Changes of one flag in one way.
    pub fn flag(&self, flag: PageFlag, how: How) -> u64 {
        self.flags[flag as usize * 6 + how as usize]
    }

    /// Atomic changes of one flag.
    pub fn flag_rmw(&self, flag: PageFlag) -> u64 {
        self.flags[flag as usize * 6..][..4].iter().sum()
    }

    /// RMWs on `_count`.
    pub fn refcount_rmw(&self) -> u64 {
        self.gets.iter().sum::<u64>() + self.puts.iter().sum::<u64>() + self.count(Count::RefSub)
    }

    /// RMWs on page words: flags, `_count`, `_mapcount`.
    pub fn page_rmw(&self) -> u64 {
        let flags: u64 = PageFlag::ALL.iter().map(|&flag| self.flag_rmw(flag)).sum();
        let folio = self.count(Count::NrMapped) + self.count(Count::LargeLock);
        flags + self.refcount_rmw() + self.count(Count::Mapcount) + folio
    }

    /// RMWs on lock words: a spinlock taken is one, a semaphore taken and released two.
    pub fn spin_rmw(&self) -> u64 {
        let spins: u64 =
            LockClass::ALL.iter().filter(|class| !class.sleeps()).map(|&class| self.lock(class).acquired).sum();
        spins + self.count(Count::Rwsem)
    }

    /// RMWs elsewhere: folds of statistics, PTE exchanges, tlb_gen.
    pub fn other_rmw(&self) -> u64 {
        self.count(Count::Folds) + self.count(Count::OtherRmw)
    }

    /// All RMWs.
    pub fn total_rmw(&self) -> u64 {
        self.page_rmw() + self.spin_rmw() + self.other_rmw()
    }

    /// vmstat updates of both kinds.
    pub fn vmstat_updates(&self) -> u64 {
        self.count(Count::StatPlain) + self.count(Count::StatSafe)
    }
}
