//! struct page: flags, reference count, map count, LRU linkage.

use super::NIL;
use crate::named::named;

/// Page frame number: an index into [`super::Machine::pages`].
pub type Pfn = u32;

named! {
    /// A PG_ flag. The discriminant is its bit in [`Page::flags`].
    enum PageFlag,
    /// Kernel name.
    name {
        /// PG_locked: the page lock.
        Locked = "PG_locked",
        /// PG_referenced
        Referenced = "PG_referenced",
        /// PG_dirty
        Dirty = "PG_dirty",
        /// PG_lru: linked on a list of its zone.
        Lru = "PG_lru",
        /// PG_active
        Active = "PG_active",
        /// PG_unevictable
        Unevictable = "PG_unevictable",
        /// PG_mlocked
        Mlocked = "PG_mlocked",
        /// PG_swapbacked: anonymous or shmem.
        Swapbacked = "PG_swapbacked",
        /// Head of a compound page.
        Head = "PG_head",
        /// Tail of a compound page.
        Tail = "PG_tail",
        /// On the free list of its zone.
        Free = "PG_buddy",
        /// PageAnonExclusive, of each page.
        AnonExclusive = "PG_anon_exclusive",
        /// PG_hwpoison, of each page.
        Hwpoison = "PG_hwpoison",
        /// PG_private: the file system keeps something with it.
        Private = "PG_private",
        /// PG_swapcache: in the swap cache.
        SwapCache = "PG_swapcache",
        /// PG_writeback
        Writeback = "PG_writeback",
        /// PG_reclaim: goes to the tail of the inactive list when its write is done.
        Reclaim = "PG_reclaim",
    }
}

impl PageFlag {
    /// Its bit in [`Page::flags`].
    pub const fn bit(self) -> u32 {
        1 << self as u8
    }
}

const ZONE_SHIFT: u32 = 24;
const ORDER_SHIFT: u32 = 28;

/// Nobody: no task isolated or locked the page.
pub const NOBODY: u8 = u8::MAX;
/// The page belongs to no mapping.
pub const NO_MAPPING: u16 = u16::MAX;

/// One page frame (4 KiB). A compound page is its head; the tails only say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// PG_ flags in the low bits, zone and order in the high ones.
    pub flags: u32,
    /// `_count`: 0 is free.
    pub count: i32,
    /// `_mapcount` + 1: the number of PTEs that map it.
    pub mapcount: i32,
    /// LRU link towards the tail.
    pub next: Pfn,
    /// LRU link towards the head. Off every list it is [`NIL`], or `mlock_count` where the kernel overlays it.
    pub prev: Pfn,
    /// Offset in its mapping.
    pub index: u32,
    /// Mapping (anon_vma or file), [`NO_MAPPING`] when it has none.
    pub mapping: u16,
    /// Task that took it off its list.
    pub isolator: u8,
    /// Task that holds the page lock.
    pub locker: u8,
}

impl Page {
    /// A free page of a zone.
    pub const fn free(zone: u8) -> Page {
        Page {
            flags: PageFlag::Free.bit() | (zone as u32) << ZONE_SHIFT,
            count: 0,
            mapcount: 0,
            next: NIL,
            prev: NIL,
            index: 0,
            mapping: NO_MAPPING,
            isolator: NOBODY,
            locker: NOBODY,
        }
    }

    /// The flag is set.
    #[inline(always)]
    pub const fn has(&self, flag: PageFlag) -> bool {
        self.flags & flag.bit() != 0
    }

    /// page_zone()
    #[inline(always)]
    pub const fn zone(&self) -> u8 {
        (self.flags >> ZONE_SHIFT & 0xf) as u8
    }

    /// compound_order(); 0 for a small page.
    #[inline(always)]
    pub const fn order(&self) -> u8 {
        (self.flags >> ORDER_SHIFT) as u8
    }

    /// Small pages in it.
    #[inline(always)]
    pub const fn nr(&self) -> u32 {
        1 << self.order()
    }

    /// Flags with another order.
    pub(crate) const fn with_order(flags: u32, order: u8) -> u32 {
        flags & !(0xf << ORDER_SHIFT) | (order as u32) << ORDER_SHIFT
    }

    /// page_lru(): the list that the flags name.
    #[inline(always)]
    pub const fn lru(&self) -> u8 {
        if self.has(PageFlag::Unevictable) {
            return 4;
        }
        let base = if self.has(PageFlag::Swapbacked) { 0 } else { 2 };
        base + self.has(PageFlag::Active) as u8
    }
}
