//! Locks: spinlocks, semaphores and who holds or awaits them.
//!
//! A spinlock is a ticket lock: waiters are served in order. A semaphore has one writer or any number of readers. The
//! page lock is a bit of the page ([`super::PageFlag::Locked`]); only its waiters are kept here.

use alloc::vec::Vec;

use super::page::NOBODY;

/// Kinds of locks, with kernel names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum LockClass {
    /// zone->lru_lock, later lruvec->lru_lock. Index: zone.
    Lru,
    /// Split page-table lock. Index: page-table page.
    Ptl,
    /// mm->page_table_lock, which guards huge pmds in 3.11. Index: mm.
    PageTable,
    /// PG_locked. Index: page.
    Page,
    /// zone->lock of the page allocator. Index: zone.
    Zone,
    /// Hashed wait queue of the page lock. Index: zone.
    Waitqueue,
    /// mm->mmap_sem. Index: mm.
    MmapSem,
    /// anon_vma->rwsem. Index: mapping.
    AnonVma,
    /// mapping->i_mmap_mutex. Index: mapping.
    IMmap,
}

impl LockClass {
    /// Every class.
    pub const ALL: [LockClass; 9] = [
        LockClass::Lru,
        LockClass::Ptl,
        LockClass::PageTable,
        LockClass::Page,
        LockClass::Zone,
        LockClass::Waitqueue,
        LockClass::MmapSem,
        LockClass::AnonVma,
        LockClass::IMmap,
    ];

    /// Kernel name.
    pub const fn name(self) -> &'static str {
        match self {
            LockClass::Lru => "lru_lock",
            LockClass::Ptl => "ptl",
            LockClass::PageTable => "page_table_lock",
            LockClass::Page => "page_lock",
            LockClass::Zone => "zone_lock",
            LockClass::Waitqueue => "waitqueue_lock",
            LockClass::MmapSem => "mmap_sem",
            LockClass::AnonVma => "anon_vma",
            LockClass::IMmap => "i_mmap_mutex",
        }
    }

    /// A task that waits for it sleeps instead of spinning.
    pub const fn sleeps(self) -> bool {
        matches!(self, LockClass::Page | LockClass::MmapSem | LockClass::AnonVma | LockClass::IMmap)
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
