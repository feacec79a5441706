//! The page allocator of a zone: free blocks by order and migratetype, per-CPU page lists, zone->lock.
//!
//! A free block is its first page, which alone has the PageBuddy marker ([`super::PageFlag::Free`]) and the order. Pages
//! on per-CPU lists and on the lists of a CPU's stack have a count of 0 and no marker.

use alloc::vec;
use alloc::vec::Vec;

use super::lock::LockState;
use super::page::Pfn;
use super::{Machine, NIL, PageFlag, Stat};
use crate::named::named;

/// Orders of free blocks: 0 to 10.
pub const MAX_ORDER: u8 = 11;
/// Order of a pageblock: 512 pages.
pub const PAGEBLOCK_ORDER: u8 = 9;
/// Pages in a pageblock.
pub const PAGEBLOCK_NR: u32 = 1 << PAGEBLOCK_ORDER;
/// Migratetypes that have a per-CPU list.
pub const PCP_TYPES: u8 = 3;
/// Highest order that has a per-CPU list for each type.
pub const PAGE_ALLOC_COSTLY_ORDER: u8 = 3;
/// Per-CPU lists of orders 0 to 3.
pub const NR_LOWORDER_PCP_LISTS: u8 = PCP_TYPES * (PAGE_ALLOC_COSTLY_ORDER + 1);
/// Per-CPU lists of all orders: two for huge pages, of which kernels up to 6.10 have one.
pub const NR_PCP_LISTS: u8 = NR_LOWORDER_PCP_LISTS + 2;
/// CONFIG_PCP_BATCH_SCALE_MAX
pub const PCP_BATCH_SCALE_MAX: u32 = 5;

named! {
    /// Migratetypes, without CMA.
    enum MigrateType,
    /// Name in /proc/pagetypeinfo.
    name {
        /// MIGRATE_UNMOVABLE
        Unmovable = "Unmovable",
        /// MIGRATE_MOVABLE
        Movable = "Movable",
        /// MIGRATE_RECLAIMABLE
        Reclaimable = "Reclaimable",
        /// MIGRATE_HIGHATOMIC = MIGRATE_PCPTYPES
        HighAtomic = "HighAtomic",
        /// MIGRATE_ISOLATE
        Isolate = "Isolate",
    }
}

/// Number of migratetypes.
pub const MIGRATE_TYPES: usize = MigrateType::ALL.len();

impl MigrateType {
    /// The type with a number; a number that is none is MOVABLE.
    pub const fn from_index(index: u32) -> MigrateType {
        match index {
            0 => MigrateType::Unmovable,
            2 => MigrateType::Reclaimable,
            3 => MigrateType::HighAtomic,
            4 => MigrateType::Isolate,
            _ => MigrateType::Movable,
        }
    }

    /// It has a per-CPU list of its own.
    pub const fn has_pcp(self) -> bool {
        (self as u8) < PCP_TYPES
    }

    /// Types to take from, in order, when its own lists are empty.
    pub const fn fallbacks(self) -> [MigrateType; 2] {
        match self {
            MigrateType::Unmovable => [MigrateType::Reclaimable, MigrateType::Movable],
            MigrateType::Reclaimable => [MigrateType::Unmovable, MigrateType::Movable],
            _ => [MigrateType::Reclaimable, MigrateType::Unmovable],
        }
    }
}

/// A list of the allocator that links pages through [`super::Page::next`] and [`super::Page::prev`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AreaList {
    /// free_area\[order\].free_list\[mt\]
    Free {
        /// Order.
        order: u8,
        /// Migratetype.
        mt: MigrateType,
    },
    /// lists\[mt\] of a CPU's pageset.
    Pcp {
        /// CPU.
        cpu: u8,
        /// Migratetype.
        mt: MigrateType,
    },
    /// Pages picked to be freed, on the stack of free_pcppages_bulk.
    Local {
        /// CPU.
        cpu: u8,
    },
    /// Pages without a reference, on the stack of release_pages.
    Dead {
        /// CPU.
        cpu: u8,
    },
    /// lists\[pindex\] of a CPU's pageset, of an order above 0 (5.14 and later): see [`order_to_pindex`].
    PcpOrder {
        /// CPU.
        cpu: u8,
        /// Index of the list: 3 to 13.
        pindex: u8,
    },
}

impl AreaList {
    /// The list of a CPU's pageset with an index.
    #[inline(always)]
    pub const fn of_pindex(cpu: u8, pindex: u8) -> AreaList {
        if pindex < PCP_TYPES {
            AreaList::Pcp { cpu, mt: MigrateType::from_index(pindex as u32) }
        } else {
            AreaList::PcpOrder { cpu, pindex }
        }
    }

    /// Index of a per-CPU list; 0 for any other list.
    #[inline(always)]
    pub const fn pindex(self) -> u8 {
        match self {
            AreaList::Pcp { mt, .. } => mt as u8,
            AreaList::PcpOrder { pindex, .. } => pindex,
            _ => 0,
        }
    }

    /// Order of the blocks on it.
    #[inline(always)]
    pub const fn order(self) -> u8 {
        match self {
            AreaList::Free { order, .. } => order,
            AreaList::PcpOrder { pindex, .. } => pindex_to_order(pindex),
            _ => 0,
        }
    }
}

/// An order that has per-CPU lists from 5.14 on: 0 to 3, and that of a huge page.
pub const fn pcp_allowed_order(order: u8) -> bool {
    order <= PAGE_ALLOC_COSTLY_ORDER || order == PAGEBLOCK_ORDER
}

/// order_to_pindex: three lists for each order up to 3, then one for huge pages, or two of which the second has the
/// movable ones.
pub const fn order_to_pindex(order: u8, mt: MigrateType, two_thp: bool) -> u8 {
    if order <= PAGE_ALLOC_COSTLY_ORDER {
        return PCP_TYPES * order + mt as u8;
    }
    let movable = two_thp && matches!(mt, MigrateType::Movable);
    NR_LOWORDER_PCP_LISTS + movable as u8
}

/// pindex_to_order: order of the blocks on a list.
pub const fn pindex_to_order(pindex: u8) -> u8 {
    if pindex < NR_LOWORDER_PCP_LISTS { pindex / PCP_TYPES } else { PAGEBLOCK_ORDER }
}

/// A doubly linked list of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageList {
    /// First page.
    pub head: Pfn,
    /// Last page.
    pub tail: Pfn,
    /// Pages or blocks on it.
    pub len: u32,
}

impl PageList {
    /// No page.
    pub const EMPTY: PageList = PageList { head: NIL, tail: NIL, len: 0 };
}

named! {
    /// Numbers of a CPU's pageset.
    enum PcpField,
    /// Kernel name.
    name {
        /// Pages on all its lists, those of larger blocks too.
        Count = "count",
        /// Drain when count reaches it.
        High = "high",
        /// Pages of a refill or drain.
        Batch = "batch",
        /// How often the drain has doubled (5.14 to 6.6).
        FreeFactor = "free_factor",
        /// How often the refill has doubled (6.7 and later).
        AllocFactor = "alloc_factor",
        /// Pages freed lately (6.7 and later).
        FreeCount = "free_count",
        /// Least value of high (6.7 and later).
        HighMin = "high_min",
        /// Greatest value of high (6.7 and later).
        HighMax = "high_max",
        /// 1 where the free before was of order 1 to 3 (PCPF_PREV_FREE_HIGH_ORDER, 6.7 and later).
        Flags = "flags",
    }
}

/// Number of [`PcpField`]s.
pub const PCP_FIELDS: usize = PcpField::ALL.len();

/// per_cpu_pages of one CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pcp {
    /// pcp.lock (6.0 and later).
    pub lock: LockState,
    /// Its numbers, by [`PcpField`].
    pub fields: [u32; PCP_FIELDS],
    /// Its lists, by [`order_to_pindex`].
    pub lists: [PageList; NR_PCP_LISTS as usize],
}

impl Pcp {
    /// One of its numbers.
    #[inline(always)]
    pub fn get(&self, field: PcpField) -> u32 {
        self.fields[field as usize]
    }

    /// Pages on its lists.
    pub fn pages(&self) -> u32 {
        (0..).zip(&self.lists).map(|(pindex, list)| list.len << pindex_to_order(pindex)).sum()
    }
}

/// The allocator of one zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buddy {
    /// zone->lock
    pub lock: LockState,
    /// Blocks of each order, all types together.
    pub nr_free: [u32; MAX_ORDER as usize],
    /// Free blocks by order and migratetype.
    pub free_list: [[PageList; MIGRATE_TYPES]; MAX_ORDER as usize],
    /// Migratetype of each pageblock.
    pub pageblocks: Vec<MigrateType>,
    /// nr_isolate_pageblock
    pub nr_isolate: u32,
    /// Per-CPU lists.
    pub pcp: Vec<Pcp>,
    /// Stack list of free_pcppages_bulk, for each CPU.
    pub local: Vec<PageList>,
    /// Stack list of release_pages, for each CPU.
    pub dead: Vec<PageList>,
    /// Watermarks min, low, high (pages).
    pub watermark: [u32; 3],
    /// ZONE_BELOW_HIGH
    pub below_high: bool,
    /// ZONE_RECLAIM_ACTIVE
    pub reclaim_active: bool,
    /// nr_reserved_highatomic: pages of HIGHATOMIC pageblocks, which are no free memory for ordinary requests.
    pub nr_reserved_highatomic: u32,
    /// Type of the list that each free block is on; of no kernel, which need not know it to unlink.
    pub(crate) on: Vec<u8>,
}

/// Nothing is listed here.
pub(crate) const ON_NONE: u8 = u8::MAX;

/// Sizes of the per-CPU lists, in pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PcpSpec {
    /// Pages of a refill or drain.
    pub batch: u32,
    /// Pages at which a drain starts; high_min of later kernels.
    pub high: u32,
    /// Greatest value of high, where it tunes itself.
    pub high_max: u32,
}

impl Buddy {
    /// One of its lists.
    #[inline(always)]
    pub fn list(&self, list: AreaList) -> &PageList {
        match list {
            AreaList::Free { order, mt } => &self.free_list[order as usize][mt as usize],
            AreaList::Pcp { cpu, mt } => &self.pcp[cpu as usize].lists[mt as usize],
            AreaList::Local { cpu } => &self.local[cpu as usize],
            AreaList::Dead { cpu } => &self.dead[cpu as usize],
            AreaList::PcpOrder { cpu, pindex } => &self.pcp[cpu as usize].lists[pindex as usize],
        }
    }

    #[inline(always)]
    pub(crate) fn list_mut(&mut self, list: AreaList) -> &mut PageList {
        match list {
            AreaList::Free { order, mt } => &mut self.free_list[order as usize][mt as usize],
            AreaList::Pcp { cpu, mt } => &mut self.pcp[cpu as usize].lists[mt as usize],
            AreaList::Local { cpu } => &mut self.local[cpu as usize],
            AreaList::Dead { cpu } => &mut self.dead[cpu as usize],
            AreaList::PcpOrder { cpu, pindex } => &mut self.pcp[cpu as usize].lists[pindex as usize],
        }
    }

    /// Pages in free blocks of all types.
    pub fn free_pages(&self) -> u32 {
        self.nr_free.iter().enumerate().map(|(order, blocks)| blocks << order).sum()
    }

    /// Pages on per-CPU lists.
    pub fn pcp_pages(&self) -> u32 {
        self.pcp.iter().map(Pcp::pages).sum()
    }
}

impl Machine {
    /// The allocator of a zone; none where the zone has a simple free list.
    #[inline(always)]
    pub fn buddy(&self, zone: u8) -> Option<&Buddy> {
        self.zones[zone as usize].buddy.as_deref()
    }

    /// Pages of a list of the allocator, head first.
    pub fn area_list(&self, zone: u8, list: AreaList) -> impl Iterator<Item = Pfn> + '_ {
        let mut pfn = self.buddy(zone).map_or(NIL, |buddy| buddy.list(list).head);
        core::iter::from_fn(move || {
            let here = (pfn != NIL).then_some(pfn)?;
            pfn = self.page(here).next;
            Some(here)
        })
    }

    /// The page is in the hands of the page allocator, or on the way there.
    #[inline(always)]
    pub fn in_allocator(&self, pfn: Pfn) -> bool {
        let page = self.page(pfn);
        page.has(PageFlag::Free) || page.count == 0 && self.buddy(page.zone()).is_some()
    }

    /// Gives a zone a page allocator with all its pages free: the largest blocks that fit, lowest address first, all
    /// pageblocks MOVABLE. Part of the set-up of a run.
    pub fn add_buddy(&mut self, zone: u8, spec: PcpSpec, scaled_marks: bool) {
        let (start, end) = (self.zones[zone as usize].start, self.zones[zone as usize].end);
        for page in &mut self.pages[start as usize..end as usize] {
            page.flags &= !PageFlag::Free.bit();
        }
        let mut buddy = Buddy::empty(end - start, self.cpus.len(), spec, scaled_marks);
        let mut pfn = start;
        while pfn < end {
            let order = largest_block(pfn - start, end - pfn);
            self.add_block(&mut buddy, start, pfn, order);
            pfn += 1 << order;
        }
        let zone = &mut self.zones[zone as usize];
        zone.fresh = end;
        zone.stat[Stat::FreePages as usize] = i64::from(end - start);
        self.vm_stat[Stat::FreePages as usize] += i64::from(end - start);
        zone.buddy = Some(alloc::boxed::Box::new(buddy));
    }

    fn add_block(&mut self, buddy: &mut Buddy, start: Pfn, pfn: Pfn, order: u8) {
        let list = buddy.list_mut(AreaList::Free { order, mt: MigrateType::Movable });
        let tail = core::mem::replace(&mut list.tail, pfn);
        list.len += 1;
        if tail == NIL {
            list.head = pfn;
        } else {
            self.page_mut(tail).next = pfn;
        }
        buddy.nr_free[order as usize] += 1;
        buddy.on[(pfn - start) as usize] = MigrateType::Movable as u8;
        let page = self.page_mut(pfn);
        page.prev = tail;
        page.flags = super::Page::with_order(page.flags | PageFlag::Free.bit(), order);
    }
}

fn largest_block(offset: u32, left: u32) -> u8 {
    let aligned = offset.trailing_zeros().min(u32::from(MAX_ORDER) - 1);
    aligned.min(left.ilog2()) as u8
}

impl Buddy {
    fn empty(pages: u32, cpus: usize, spec: PcpSpec, scaled_marks: bool) -> Buddy {
        let mut fields = [0; PCP_FIELDS];
        fields[PcpField::Batch as usize] = spec.batch;
        fields[PcpField::High as usize] = if scaled_marks { 0 } else { spec.high };
        fields[PcpField::HighMin as usize] = spec.high;
        fields[PcpField::HighMax as usize] = spec.high_max;
        let pcp = Pcp { lock: LockState::FREE, fields, lists: [PageList::EMPTY; NR_PCP_LISTS as usize] };
        Buddy {
            lock: LockState::FREE,
            nr_free: [0; MAX_ORDER as usize],
            free_list: [[PageList::EMPTY; MIGRATE_TYPES]; MAX_ORDER as usize],
            pageblocks: vec![MigrateType::Movable; pages.div_ceil(PAGEBLOCK_NR) as usize],
            nr_isolate: 0,
            pcp: vec![pcp; cpus],
            local: vec![PageList::EMPTY; cpus],
            dead: vec![PageList::EMPTY; cpus],
            watermark: watermarks(pages, scaled_marks),
            below_high: false,
            reclaim_active: false,
            nr_reserved_highatomic: 0,
            on: vec![ON_NONE; pages as usize],
        }
    }
}

/// Watermarks min, low and high of a zone that is all of memory, in pages; `later` is the bound of 7.1.
pub fn watermarks(managed: u32, later: bool) -> [u32; 3] {
    let most = if later { 262_144 } else { 65_536 };
    let kbytes = (u64::from(managed) * 4 * 16).isqrt().clamp(128, most);
    let min = (kbytes / 4) as u32;
    let step = (min / 4).max((u64::from(managed) * 10 / 10_000) as u32);
    [min, min + step, min + 2 * step]
}

/// batch and high as zone_batchsize of 4.15 makes them from the pages of a zone.
pub const fn zone_batchsize(managed: u32) -> (u32, u32) {
    batch_and_high(managed, 128)
}

/// The same from 4.19 on: the bound is 1 MiB.
pub const fn zone_batchsize_4_19(managed: u32) -> (u32, u32) {
    batch_and_high(managed, 256)
}

const fn batch_and_high(managed: u32, most: u32) -> (u32, u32) {
    let mut b = managed / 1024;
    if b > most {
        b = most;
    }
    b /= 4;
    if b < 1 {
        b = 1;
    }
    let sum = b + b / 2;
    let batch = (1 << sum.ilog2()) - 1;
    (if batch > 1 { batch } else { 1 }, 6 * batch)
}
