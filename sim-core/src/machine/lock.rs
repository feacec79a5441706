//! Locks: spinlocks, semaphores and who holds or awaits them.
//!
//! A spinlock is a ticket lock: waiters are served in order. A semaphore has one writer or any number of readers. The
//! page lock is a bit of the page ([`super::PageFlag::Locked`]); only its waiters are kept here.

use alloc::vec::Vec;

use super::page::NOBODY;
use crate::named::named;

named! {
    /// Kinds of locks, with kernel names.
    enum LockClass,
    /// Kernel name.
    name {
        /// zone->lru_lock, later lruvec->lru_lock. Index: zone.
        Lru = "lru_lock",
        /// Split page-table lock. Index: page-table page.
        Ptl = "ptl",
        /// mm->page_table_lock, which guards huge pmds in 3.11. Index: mm.
        PageTable = "page_table_lock",
        /// PG_locked. Index: page.
        Page = "page_lock",
        /// zone->lock of the page allocator. Index: zone.
        Zone = "zone_lock",
        /// Hashed wait queue of the page lock. Index: zone.
        Waitqueue = "waitqueue_lock",
        /// mm->mmap_sem. Index: mm.
        MmapSem = "mmap_sem",
        /// anon_vma->rwsem. Index: mapping.
        AnonVma = "anon_vma",
        /// mapping->i_mmap_mutex. Index: mapping.
        IMmap = "i_mmap_mutex",
        /// gcwq->lock, later pool->lock. Index: CPU.
        Pool = "pool_lock",
        /// The static mutex of lru_add_drain_all (3.12 and later). Index: 0.
        DrainMutex = "lru_drain_mutex",
        /// cpu_hotplug, modelled as a semaphore that get_online_cpus reads. Index: 0.
        Hotplug = "cpu_hotplug",
        /// per_cpu_pages.lock. Index: zone * 256 + CPU.
        Pcp = "pcp_lock",
        /// Raw lock of a percpu_counter of rss_stat. Index: mm * 4 + member.
        PercpuCounter = "percpu_counter_lock",
        /// Lock of a swap cluster. Index: 0.
        SwapCluster = "swap_cluster_lock",
        /// mmlist_lock. Index: 0.
        MmList = "mmlist_lock",
        /// inode->i_lock. Index: 0.
        ILock = "i_lock",
        /// Lock of mapping->i_pages. Index: 0.
        XaLock = "i_pages_lock",
        /// swap_info_struct.lock: the swap map.
        SwapInfo = "si_lock",
        /// swap_avail_lock: the list of swap devices.
        SwapAvail = "swap_avail_lock",
        /// swapper_space.tree_lock: the swap cache.
        Tree = "tree_lock",
        /// Lock of a cluster of the swap table. Index: cluster.
        Cluster = "ci_lock",
    }
}

impl LockClass {
    /// Its name for people to read, as kernel code has it: [`LockClass::name`] is a key.
    pub const fn words(self) -> &'static str {
        match self {
            LockClass::Zone => "zone->lock",
            LockClass::Pcp => "pcp->lock",
            _ => self.name(),
        }
    }

    /// A task that waits for it sleeps instead of spinning.
    pub const fn sleeps(self) -> bool {
        matches!(
            self,
            LockClass::Page
                | LockClass::MmapSem
                | LockClass::AnonVma
                | LockClass::IMmap
                | LockClass::DrainMutex
                | LockClass::Hotplug
        )
    }
}

/// One lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockId {
    /// What kind.
    pub class: LockClass,
    /// Which one of its kind.
    pub index: u32,
}

/// State of one spinlock or semaphore.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockState {
    /// Task that holds it for itself, [`NOBODY`] when free or read-held.
    pub holder: u8,
    /// Readers (semaphores).
    pub readers: u8,
    /// Tasks that wait, first in line first.
    pub queue: Vec<u8>,
}

impl LockState {
    /// A free lock.
    pub const FREE: LockState = LockState { holder: NOBODY, readers: 0, queue: Vec::new() };

    /// Nobody holds it in any way.
    pub fn is_free(&self) -> bool {
        self.holder == NOBODY && self.readers == 0
    }

    /// A task may take it for itself now: it is free and nobody is in line before the task.
    #[inline(always)]
    pub fn open_to(&self, task: u8) -> bool {
        self.is_free() && (self.queue.is_empty() || self.queue[0] == task)
    }

    /// A task may take it for reading now.
    pub fn open_to_reader(&self, task: u8) -> bool {
        self.holder == NOBODY && (self.queue.is_empty() || self.queue[0] == task)
    }
}
