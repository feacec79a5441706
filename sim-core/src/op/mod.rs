//! The one vocabulary of micro-operations.
//!
//! An [`Op`] can be applied, reverted, named and counted. Applying it is the only way to change a [`World`]. What an
//! apply overwrites goes into 64 bits of undo, so that a revert gives back the same bytes.

mod alone;
mod anon;
mod anon_text;
mod apply;
mod area;
mod kswapd;
mod locks;
mod lru;
mod name;
mod rmap;
mod rmap_apply;
mod tables;
mod tally;
mod work;

pub(crate) use alone::Alone;
pub use anon::{AnonOp, present};
pub use apply::Outcome;
pub use name::text;
pub use rmap::{Look, Note, RmapOp};

use crate::ledger::{How, Ledger, Site};
use crate::machine::{AreaList, Event, LockClass, Machine, MigrateType, PageFlag, PcpField, Pfn, Pv, Stat, WorkId};

/// The machine, what has been counted, and the step counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct World {
    /// Memory.
    pub machine: Machine,
    /// Counts of the measured section.
    pub ledger: Ledger,
    /// Operations applied so far.
    pub clock: u64,
}

/// What a reference of a page is held by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Held {
    /// A PTE.
    Map,
    /// Page cache.
    Cache,
    /// A pagevec slot.
    Slot,
    /// Whoever isolated it.
    Isolate,
    /// A pin of a walk.
    Pin,
    /// What the file system keeps with it.
    Private,
}

/// Plain reads that count as a step, since another CPU may write in between. One byte, as the compiler lays it out: so
/// it sees through an operation that it is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// One flag of the flag word.
    Flag(PageFlag),
    /// `_mapcount`
    Mapcount,
    /// page_evictable(): mapping flags and PG_mlocked.
    Evictable,
    /// waitqueue_active() of the page's bucket.
    Waiters,
    /// mlock_count
    MlockCount,
    /// The PageBuddy marker and the order, of a page that may be a buddy: order + 1, or 0.
    Buddy,
    /// The same of the page that the merged pair would merge with.
    HigherBuddy,
    /// The fields that must be clear in a page of the allocator: 1 when they are.
    PageCheck,
    /// page->index while the allocator has the page: its migratetype.
    PcpType,
    /// The migratetype of its pageblock.
    Pageblock,
    /// `_refcount`
    Refcount,
}

/// One micro-operation. Sixteen bytes at most, so that a million of them stay small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Reads a word of a page.
    Read { what: Read, page: Pfn },
    /// Reads how many slots of a pagevec are filled.
    ReadPagevec { pv: Pv },
    /// Changes a flag of a page.
    Flag { flag: PageFlag, how: How, page: Pfn },
    /// Raises `_count`.
    Get { page: Pfn, site: Site, held: Held },
    /// Lowers `_count`; returns 1 when it hit 0.
    Put { page: Pfn, site: Site, held: Held },
    /// Changes the map count by +1 or -1.
    Mapcount { page: Pfn, delta: i8 },
    /// Says what a page belongs to.
    SetMapping { page: Pfn, mapping: u16, index: u32 },
    /// Takes the page lock, or finds it taken (returns 0).
    TryLockPage { page: Pfn },
    /// Queues for the page lock, looks at it again and sleeps; returns 0 when it has become free.
    WaitPage { page: Pfn },
    /// Gives the page lock back.
    UnlockPage { page: Pfn },
    /// Wakes the first waiter of the page lock.
    WakePage { page: Pfn },
    /// Takes a spinlock, with interrupts off where `irq`.
    SpinLock { class: LockClass, irq: bool, index: u32 },
    /// Queues for a spinlock that another task holds.
    SpinWait { class: LockClass, irq: bool, index: u32 },
    /// Releases a spinlock, with interrupts back on where `irq`.
    SpinUnlock { class: LockClass, irq: bool, index: u32 },
    /// Takes a semaphore.
    Down { class: LockClass, write: bool, index: u32 },
    /// Tries to take a semaphore for reading; returns 0 when it can't.
    DownReadTrylock { class: LockClass, index: u32 },
    /// Queues for a semaphore and sleeps.
    DownWait { class: LockClass, write: bool, index: u32 },
    /// Releases a semaphore.
    Up { class: LockClass, write: bool, index: u32 },
    /// Switches interrupts off or on.
    Irq { off: bool },
    /// get_cpu or put_cpu.
    Preempt { off: bool },
    /// Adds a page at the head of an LRU list.
    ListAdd { lru: u8, page: Pfn },
    /// Takes a page off its LRU list.
    ListDel { lru: u8, page: Pfn },
    /// Counts a page on or off the list that has no links (5.18 and later).
    ListSize { lru: u8, add: bool, page: Pfn },
    /// reclaim_stat.recent_scanned, and recent_rotated where `rotated`.
    ReclaimStat { zone: u8, file: bool, rotated: bool },
    /// Stores a page in the next slot of a pagevec; `new` is the NEW_FOLIO tag of mlock batches.
    PvecAdd { pv: Pv, new: bool, page: Pfn },
    /// Sets a slot to NULL.
    PvecNull { pv: Pv, slot: u8 },
    /// Empties a pagevec.
    PvecReinit { pv: Pv },
    /// Changes a zone or node counter.
    Stat { zone: u8, item: Stat, safe: bool, delta: i32 },
    /// Counts an event.
    Event { event: Event, n: u32 },
    /// Takes a page of an order from the free list.
    Alloc { zone: u8, order: u8, page: Pfn },
    /// Gives a page back.
    Free { page: Pfn },
    /// Walks the page table to an address.
    Walk { mm: u8, vpn: u32 },
    /// Reads a PTE.
    ReadPte { mm: u8, vpn: u32 },
    /// Writes a PTE.
    SetPte { mm: u8, vpn: u32, pte: u32 },
    /// Hangs an empty page table under a pmd.
    PopulatePmd { mm: u8, pmd: u32 },
    /// Maps a huge page; [`crate::machine::NIL`] is the huge zero page.
    SetHugePmd { mm: u8, pmd: u32, page: Pfn },
    /// Sets or clears VM_LOCKED.
    SetVmLocked { mm: u8, vma: u8, locked: bool },
    /// Stores or clears a slot of a file's page cache.
    SetCache { mapping: u16, index: u32, page: Pfn },
    /// Sets mlock_count, which overlays the LRU link.
    SetMlockCount { page: Pfn, value: u32 },
    /// Splits one tail off a huge page (under lru_lock).
    SplitTail { head: Pfn, tail: u16 },
    /// The head of a split huge page becomes a small page.
    SplitHead { head: Pfn },
    /// smp_mb
    Barrier,
    /// cond_resched
    CondResched,
    /// The task moves to another CPU.
    Migrate { cpu: u8 },
    /// schedule(): sleeps until woken; returns 0 where somebody did so already.
    Sleep,
    /// wake_up_process(); returns 1 when the task slept.
    Wake { task: u8 },
    /// The task has finished.
    Exit,
    /// alloc_percpu of a set of work items, or free_percpu.
    PercpuWorks { alloc: bool },
    /// INIT_WORK; of a barrier with its completion.
    InitWork { work: WorkId },
    /// test_and_set_bit of WORK_STRUCT_PENDING; returns the old bit.
    TestSetPending { work: WorkId },
    /// A worker clears WORK_STRUCT_PENDING before it runs the work item.
    ClearPending { work: WorkId },
    /// Queues a work item in the pool of a CPU, behind `at` others; a barrier where `barrier`.
    InsertWork { work: WorkId, cpu: u8, at: u8, barrier: bool },
    /// The worker of a pool looks how much is queued; nothing makes it idle.
    NextWork { cpu: u8 },
    /// The worker of a pool takes the first work item; returns which.
    TakeWork { cpu: u8 },
    /// The work item of a pool has run.
    EndWork { cpu: u8 },
    /// Wakes the idle worker of a pool; returns 1 when it slept. On another CPU where `remote`.
    WakeWorker { cpu: u8, remote: bool },
    /// The worker has nothing to do and sleeps; returns 0 where somebody woke it already.
    Idle,
    /// wait_for_completion of a barrier: returns 1 when the task sleeps, 0 when it is done.
    WaitForCompletion { work: WorkId },
    /// complete(): wakes the task that waits; returns 1 when it slept.
    Complete { work: WorkId },
    /// Reads how many slots of a pagevec are filled without any lock; of the lru_add pagevecs that for one list. By
    /// another CPU, or by somebody who asks all of them, where `remote`.
    PeekPagevec { pv: Pv, lru: u8, remote: bool },
    /// Sets a bit of the cpumask of CPUs with queued work; [`crate::machine::NOBODY`] clears them all.
    HasWork { cpu: u8 },
    /// A CPU goes down and its worker runs on another one.
    Offline { cpu: u8, to: u8 },
    /// Reads lru_drain_gen, and raises it where `advance`.
    DrainGen { advance: bool },
    /// Links a page or a block into a list of the page allocator; returns 1 under zone->lock.
    AreaAdd { list: AreaList, tail: bool, page: Pfn },
    /// Unlinks it; returns 1 under zone->lock.
    AreaDel { list: AreaList, page: Pfn },
    /// Reads lru.next before the page is freed and its links are used again.
    AreaNext { list: AreaList, page: Pfn },
    /// list_empty: in the search for a list, or `again` before the next page is taken from the same one.
    AreaEmpty { list: AreaList, again: bool, zone: u8 },
    /// Marks the head of a free block and writes its order.
    SetBuddy { order: u8, page: Pfn },
    /// Clears the mark.
    ClearBuddy { page: Pfn },
    /// nr_free of an order, one up or one down.
    NrFree { zone: u8, order: u8, add: bool },
    /// nr_isolate_pageblock, one up or one down.
    NrIsolate { zone: u8, add: bool },
    /// Reads nr_isolate_pageblock.
    ReadIsolate { zone: u8 },
    /// Writes the migratetype of the pageblock of a page.
    SetPageblock { page: Pfn, mt: MigrateType },
    /// Writes page->index: the migratetype of a page of the allocator.
    SetPcpType { page: Pfn, mt: MigrateType },
    /// Reads a number of a CPU's pageset.
    ReadPcp { zone: u8, cpu: u8, field: PcpField },
    /// Writes it.
    SetPcp { zone: u8, cpu: u8, field: PcpField, value: u32 },
    /// ZONE_BELOW_HIGH
    ZoneBelowHigh { zone: u8, on: bool },
    /// Reads zone->vm_stat\[NR_FREE_PAGES\], without per-CPU differences.
    ReadFreePages { zone: u8 },
    /// prep_new_page: the count becomes 1.
    PrepareNew { page: Pfn, order: u8 },
    /// free_pages_prepare: flags and mapping are cleared.
    PrepareFree { page: Pfn, order: u8 },
    /// Prefetches the line of a page.
    Prefetch { page: Pfn },
    /// Tries to take a spinlock; returns 0 when it can't.
    SpinTrylock { class: LockClass, index: u32 },
    /// ptep_get_and_clear: exchanges a PTE for none and returns what it was.
    GetClearPte { mm: u8, vpn: u32 },
    /// Flushes this CPU's TLB for an address space.
    FlushTlbMm { mm: u8 },
    /// One of the rmap-unmap series.
    Rmap(RmapOp),
    /// Anonymous memory and swap.
    Anon(AnonOp),
}

impl Op {
    /// With this result the task goes on only when somebody has woken it.
    #[inline(always)]
    pub(crate) fn sleeps(&self, ret: u32) -> bool {
        ret == 1 && matches!(self, Op::Sleep | Op::Idle | Op::WaitForCompletion { .. })
    }

    /// The page whose words, links or slots it touches.
    pub fn page(&self) -> Option<Pfn> {
        match *self {
            Op::Read { page, .. }
            | Op::Flag { page, .. }
            | Op::Get { page, .. }
            | Op::Put { page, .. }
            | Op::Mapcount { page, .. }
            | Op::SetMapping { page, .. }
            | Op::TryLockPage { page }
            | Op::WaitPage { page }
            | Op::UnlockPage { page }
            | Op::WakePage { page }
            | Op::ListAdd { page, .. }
            | Op::ListDel { page, .. }
            | Op::ListSize { page, .. }
            | Op::PvecAdd { page, .. }
            | Op::Alloc { page, .. }
            | Op::Free { page }
            | Op::SetMlockCount { page, .. }
            | Op::AreaAdd { page, .. }
            | Op::AreaDel { page, .. }
            | Op::AreaNext { page, .. }
            | Op::SetBuddy { page, .. }
            | Op::ClearBuddy { page }
            | Op::SetPcpType { page, .. }
            | Op::PrepareNew { page, .. }
            | Op::PrepareFree { page, .. }
            | Op::Prefetch { page } => Some(page),
            Op::SplitTail { head, .. } | Op::SplitHead { head } => Some(head),
            Op::Rmap(op) => op.page(),
            Op::Anon(op) => op.page(),
            _ => None,
        }
    }

    /// The lock that it takes, queues for or releases.
    pub fn lock(&self) -> Option<crate::machine::LockId> {
        let (class, index) = match *self {
            Op::SpinLock { class, index, .. }
            | Op::SpinTrylock { class, index }
            | Op::SpinWait { class, index, .. }
            | Op::SpinUnlock { class, index, .. }
            | Op::Down { class, index, .. }
            | Op::DownReadTrylock { class, index }
            | Op::DownWait { class, index, .. }
            | Op::Up { class, index, .. } => (class, index),
            Op::TryLockPage { page } | Op::WaitPage { page } | Op::UnlockPage { page } | Op::WakePage { page } => {
                (LockClass::Page, page)
            }
            Op::Anon(AnonOp::PlainUnlock { page }) => (LockClass::Page, page),
            _ => return None,
        };
        Some(crate::machine::LockId { class, index })
    }
}
