//! What a picture needs: a plain copy of the machine at one moment of a run.
//!
//! Everything here is a value without behaviour. The core fills it ([`View`] is a pure function of the timeline and
//! the step), the stage crate lays it out, and the page and the terminal draw it. Pages are named by their number
//! ([`PageNo`]): the index of their first PTE in the first address space, which is also the number on the tile.

mod allocator;
mod build;
mod code;
mod lanes;
mod listing;
mod narrate;
mod narrate_anon;
mod narrate_area;
mod narrate_rmap;
mod narrate_work;
mod numbers;
mod pagevecs;
mod place;
mod rmap;
mod swap;
mod timeline_lanes;
mod work;

pub use allocator::{AllocatorView, FreeListView, PcpListView, PcpView};
pub use lanes::{Block, FunctionKind, FunctionSpan, Lanes, Span};
pub use listing::{Line, LineState, Listing};
pub use narrate::Words;
pub use numbers::Numbers;
pub use rmap::{FolioView, MmView, PteState, RmapView, StatView, TlbEntryView, TlbView};
pub use swap::{AnonPteView, AnonSpaceView, KswapdView, SlotView, SwapView, WriteView};
pub use timeline_lanes::kind as function_kind;
pub use work::{PoolView, WaitView, WorkView, Worker, WorkqueueView};

use alloc::string::String;
use alloc::vec::Vec;

/// Number of a page: an index into [`View::pages`] and the label on its tile.
pub type PageNo = u32;

/// One side of the picture at one step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Steps that have been applied, `0..=steps`.
    pub step: u32,
    /// Steps of the whole run.
    pub steps: u32,
    /// Address spaces, the one under study first.
    pub spaces: Vec<SpaceView>,
    /// CPUs that run something in this scenario.
    pub cpus: Vec<CpuView>,
    /// Zones with their LRU lists.
    pub zones: Vec<ZoneView>,
    /// Every page of the scenario, indexed by [`PageNo`]; a huge page is one entry.
    pub pages: Vec<PageView>,
    /// What the last applied step touched.
    pub touch: Touch,
    /// Where the page in hand goes next, when the run knows.
    pub next: Option<NextPlace>,
    /// Work items and kworkers, in a machine that has them.
    pub workqueue: Option<WorkqueueView>,
    /// Page allocators of the zones that have one.
    pub allocators: Vec<AllocatorView>,
    /// Folios, TLBs and counters of the rmap-unmap series.
    pub rmap: Option<RmapView>,
    /// Swap, in scenarios that have a device.
    pub swap: Option<SwapView>,
}

/// One page: one tile for its whole life.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageView {
    /// The number on the tile.
    pub no: PageNo,
    /// Where the page *is*.
    pub place: Place,
    /// Small pages in it: 1, or 512 for a transparent huge page.
    pub nr: u32,
    /// Zone index.
    pub zone: u8,
    /// Names of the PG_ flags that are set, kernel names.
    pub flags: Vec<&'static str>,
    /// `_count`.
    pub count: i32,
    /// `page_mapcount()`.
    pub mapcount: i32,
    /// `_count` is above what maps and caches it: somebody holds a pin.
    pub pinned: bool,
    /// File page (PG_swapbacked clear).
    pub file: bool,
    /// PG_mlocked.
    pub mlocked: bool,
    /// PG_locked: who holds the page lock and for how many steps.
    pub lock: Option<Hold>,
}

/// Where a page is. Exactly one for each page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// On the free list of its zone.
    Free,
    /// Just allocated, mapped or not, on no list yet.
    New,
    /// On an LRU list.
    List {
        /// Zone index.
        zone: u8,
        /// Which of the five.
        lru: Lru,
    },
    /// In a pagevec and on no list: the slot is its place.
    Pagevec {
        /// CPU index.
        cpu: u8,
        /// Which pagevec.
        kind: PagevecKind,
        /// Slot, from 0.
        slot: u8,
    },
    /// Taken off its list and in the hands of a CPU.
    Isolated {
        /// CPU index.
        cpu: u8,
    },
}

/// The five LRU lists of a zone, in kernel order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lru {
    /// LRU_INACTIVE_ANON
    InactiveAnon,
    /// LRU_ACTIVE_ANON
    ActiveAnon,
    /// LRU_INACTIVE_FILE
    InactiveFile,
    /// LRU_ACTIVE_FILE
    ActiveFile,
    /// LRU_UNEVICTABLE
    Unevictable,
}

impl Lru {
    /// All five, in kernel order.
    pub const ALL: [Lru; 5] =
        [Lru::InactiveAnon, Lru::ActiveAnon, Lru::InactiveFile, Lru::ActiveFile, Lru::Unevictable];

    /// Kernel order, 0..5.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Plain name: "inactive anon".
    pub const fn name(self) -> &'static str {
        ["inactive anon", "active anon", "inactive file", "active file", "unevictable"][self as usize]
    }

    /// Key in JSON: "inactive_anon".
    pub const fn key(self) -> &'static str {
        ["inactive_anon", "active_anon", "inactive_file", "active_file", "unevictable"][self as usize]
    }
}

/// The batches of pages that a CPU holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PagevecKind {
    /// Per CPU: pages waiting to be put on an LRU list.
    LruAdd,
    /// Per CPU: pages to move to the inactive tail.
    LruRotate,
    /// Per CPU: pages to deactivate.
    LruDeactivate,
    /// Per CPU: pages to activate.
    Activate,
    /// Per CPU: pages to mlock or munlock (5.18 and later).
    Mlock,
    /// On the stack of `munlock_vma_pages_range`: pages collected for one isolation round.
    OnStack,
    /// On the stack of `__munlock_pagevec`: isolated pages waiting for the LRU add.
    Putback,
    /// Per CPU, 3.2: pages waiting for the active list of anonymous pages; [`PagevecKind::LruAdd`] is for the inactive one.
    LruAddActiveAnon,
    /// Per CPU, 3.2: pages waiting for the inactive list of file pages.
    LruAddInactiveFile,
    /// Per CPU, 3.2: pages waiting for the active list of file pages.
    LruAddActiveFile,
    /// Per CPU, 3.2: pages waiting for the unevictable list.
    LruAddUnevictable,
}

/// Who holds or awaits something, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    /// CPU index.
    pub cpu: u8,
    /// Steps so far.
    pub steps: u32,
}

/// A lock as a badge on what it protects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LockView {
    /// Kernel name: "lru_lock", "ptl".
    pub name: &'static str,
    /// Holder now.
    pub holder: Option<Hold>,
    /// Waiters, first in the queue first.
    pub waiters: Vec<Hold>,
    /// Acquisitions since the measured section began.
    pub taken: u32,
    /// Length in steps of the last hold that ended.
    pub last_hold: Option<u32>,
    /// Taken or released by the last step.
    pub changed: bool,
}

/// One address space with its page table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpaceView {
    /// "Address space", or the name of the process when there are several.
    pub name: String,
    /// The page-table lock in use (the one held, else the one last used).
    pub ptl: LockView,
    /// The mmap semaphore.
    pub mmap_sem: LockView,
    /// The VMA has VM_LOCKED.
    pub vm_locked: bool,
    /// One entry for each address of the range, in order.
    pub ptes: Vec<PteView>,
    /// Index of the PTE that the walk is at.
    pub cursor: Option<u32>,
}

/// One page-table entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PteView {
    /// Page that it maps; none is a hole.
    pub page: Option<PageNo>,
    /// Part of a huge mapping.
    pub huge: bool,
}

/// One CPU and what is in its hands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuView {
    /// CPU number.
    pub id: u8,
    /// What runs on it: "munlock", "kworker", none when idle.
    pub task: Option<String>,
    /// Interrupts are off, for so many steps.
    pub irqs_off: Option<u32>,
    /// Times interrupts have been switched off so far.
    pub irq_pairs: u32,
    /// Preemption is off (and interrupts on).
    pub preempt_off: bool,
    /// What it holds, in words: "lru_lock", "the lock of page 17".
    pub holds: Vec<String>,
    /// What it waits for, and for how many steps.
    pub waits: Option<(String, u32)>,
    /// Pages isolated by it that are in no pagevec.
    pub isolated: Vec<PageNo>,
    /// Its pagevecs, on-stack ones first. Those that no variant of the scenario uses are absent.
    pub pagevecs: Vec<PagevecView>,
}

/// One pagevec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PagevecView {
    /// Which.
    pub kind: PagevecKind,
    /// Label: "on-stack pagevec", "lru_add pagevec".
    pub name: &'static str,
    /// Slots: 14, 15 or 31.
    pub capacity: u8,
    /// Filled slots; `None` is a slot set to NULL. Whether a slot is the page's place or a reference follows from
    /// [`PageView::place`].
    pub slots: Vec<Option<PageNo>>,
    /// This kernel does not have it; the note says since when ("not in this kernel, patch 3 brings it").
    pub absent: Option<&'static str>,
}

/// A zone: its LRU lists and their lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZoneView {
    /// Zone index.
    pub id: u8,
    /// "Zone 0".
    pub name: String,
    /// zone->lru_lock (later lruvec->lru_lock).
    pub lru_lock: LockView,
    /// Five lists in kernel order.
    pub lists: Vec<ListView>,
}

/// An LRU list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListView {
    /// Which.
    pub lru: Lru,
    /// Pages on it, the tail (next to be reclaimed) first.
    pub pages: Vec<PageNo>,
    /// False for the unevictable "list" of 5.18 and later, which has a size and no order.
    pub ordered: bool,
}

/// What the last step touched: the amber of the picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touch {
    /// CPU that made the step.
    pub cpu: u8,
    /// Pages whose words, list links or slots it touched.
    pub pages: Vec<PageNo>,
    /// PTE index that it read or wrote, in the first address space.
    pub pte: Option<u32>,
    /// Lock that it took, released or queued for.
    pub lock: Option<LockRef>,
    /// Pagevec slot that it wrote.
    pub slot: Option<(u8, PagevecKind, u8)>,
    /// List that it changed.
    pub list: Option<(u8, Lru)>,
    /// It switched interrupts or preemption.
    pub irq: bool,
}

/// A lock in the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockRef {
    /// lru_lock of a zone.
    Lru(u8),
    /// Page-table lock of an address space.
    Ptl(u8),
    /// mmap_sem of an address space.
    MmapSem(u8),
    /// Lock of a page.
    Page(PageNo),
    /// Any other lock.
    Other,
}

/// Where a page in hand will be put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextPlace {
    /// The page.
    pub page: PageNo,
    /// Its next place.
    pub place: Place,
}
