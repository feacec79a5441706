//! What a picture of the page allocator needs.

use alloc::vec::Vec;

use super::{LockView, PageNo};
use crate::engine::Timeline;
use crate::kernel::Patch;
use crate::machine::{
    AreaList, Buddy, LockClass, LockId, MAX_ORDER, MIGRATE_TYPES, MigrateType, NR_LOWORDER_PCP_LISTS, NR_PCP_LISTS,
    PCP_TYPES, PcpField, Stat,
};

/// The page allocator of one zone. Numbers are pages of 4 KiB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllocatorView {
    /// Zone index.
    pub zone: u8,
    /// zone->lock.
    pub lock: LockView,
    /// Free lists that hold something, by order, then type.
    pub free_lists: Vec<FreeListView>,
    /// Blocks of each order, 0 to 10.
    pub nr_free: Vec<u32>,
    /// Type of each pageblock of 512 pages, in address order.
    pub pageblocks: Vec<MigrateType>,
    /// The lists of each CPU.
    pub pcps: Vec<PcpView>,
    /// NR_FREE_PAGES with all per-CPU differences.
    pub nr_free_pages: i64,
    /// Watermarks min, low, high.
    pub watermarks: [u32; 3],
}

/// One free list: blocks of `2^order` pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreeListView {
    /// Order of its blocks.
    pub order: u8,
    /// Migratetype.
    pub mt: MigrateType,
    /// First page of each block, head (next to be taken) first.
    pub blocks: Vec<PageNo>,
}

/// per_cpu_pages of one CPU, with the lists on its stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PcpView {
    /// CPU.
    pub cpu: u8,
    /// pcp.lock.
    pub lock: LockView,
    /// Pages on its lists, as it counts them.
    pub count: u32,
    /// A drain starts when count reaches it.
    pub high: u32,
    /// Pages of a refill or drain.
    pub batch: u32,
    /// Its lists by order and migratetype: those of order 0, empty ones too; of higher orders, those that hold something.
    pub lists: Vec<PcpListView>,
    /// Pages picked to be freed, on no list of the allocator (patch 1 and later), first to be freed first.
    pub picked: Vec<PageNo>,
    /// Pages without a reference, which release_pages has collected, first to be freed first.
    pub dead: Vec<PageNo>,
}

/// One per-CPU list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PcpListView {
    /// Order of its blocks.
    pub order: u8,
    /// Migratetype; of order 9, movable or not is all that is told apart, and up to 6.10 not even that: movable.
    pub mt: MigrateType,
    /// Its pages, or the first page of each block, head (next to be handed out) first; the tail is drained first.
    pub pages: Vec<PageNo>,
}

impl Timeline {
    pub(super) fn allocators(&self) -> Vec<AllocatorView> {
        let zones = &self.world().machine.zones;
        let with_buddy =
            zones.iter().enumerate().filter_map(|(zone, state)| Some((zone as u8, state.buddy.as_deref()?)));
        with_buddy.map(|(zone, buddy)| self.allocator(zone, buddy)).collect()
    }

    /// Which zones have an allocator, without what is in it.
    pub(super) fn allocator_names(&self) -> Vec<AllocatorView> {
        let zones = self.world().machine.zones.iter().enumerate().filter(|(_, state)| state.buddy.is_some());
        let empty = |zone: u8| AllocatorView {
            zone,
            lock: LockView::default(),
            free_lists: Vec::new(),
            nr_free: Vec::new(),
            pageblocks: Vec::new(),
            pcps: Vec::new(),
            nr_free_pages: 0,
            watermarks: [0; 3],
        };
        zones.map(|(zone, _)| empty(zone as u8)).collect()
    }

    fn allocator(&self, zone: u8, buddy: &Buddy) -> AllocatorView {
        let machine = &self.world().machine;
        let lists =
            (0..MAX_ORDER).flat_map(|order| MigrateType::ALL[..MIGRATE_TYPES].iter().map(move |&mt| (order, mt)));
        let listed = lists.map(|(order, mt)| FreeListView {
            order,
            mt,
            blocks: self.numbered(zone, AreaList::Free { order, mt }),
        });
        AllocatorView {
            zone,
            lock: self.lock_view(LockId { class: LockClass::Zone, index: u32::from(zone) }),
            free_lists: listed.filter(|list| !list.blocks.is_empty()).collect(),
            nr_free: buddy.nr_free.to_vec(),
            pageblocks: buddy.pageblocks.clone(),
            pcps: (0..buddy.pcp.len() as u8).map(|cpu| self.pcp(zone, buddy, cpu)).collect(),
            nr_free_pages: machine.zone_stat(zone, Stat::FreePages),
            watermarks: buddy.watermark,
        }
    }

    fn pcp(&self, zone: u8, buddy: &Buddy, cpu: u8) -> PcpView {
        let pcp = &buddy.pcp[cpu as usize];
        let two_thp = self.config().has(Patch::ClaimSteal);
        let lists = (0..NR_PCP_LISTS).map(|pindex| {
            let list = AreaList::of_pindex(cpu, pindex);
            PcpListView { order: list.order(), mt: type_of(pindex, two_thp), pages: self.numbered(zone, list) }
        });
        PcpView {
            cpu,
            lock: self.lock_view(LockId { class: LockClass::Pcp, index: u32::from(zone) << 8 | u32::from(cpu) }),
            count: pcp.get(PcpField::Count),
            high: pcp.get(PcpField::High),
            batch: pcp.get(PcpField::Batch),
            lists: lists.filter(|list| list.order == 0 || !list.pages.is_empty()).collect(),
            picked: self.numbered(zone, AreaList::Local { cpu }),
            dead: self.numbered(zone, AreaList::Dead { cpu }),
        }
    }

    fn numbered(&self, zone: u8, list: AreaList) -> Vec<PageNo> {
        let pages = self.world().machine.area_list(zone, list);
        pages.filter_map(|frame| self.numbers().of(frame)).collect()
    }
}

// The type of what is on a per-CPU list.
fn type_of(pindex: u8, two_thp: bool) -> MigrateType {
    if pindex < NR_LOWORDER_PCP_LISTS {
        return MigrateType::from_index((pindex % PCP_TYPES).into());
    }
    let movable = !two_thp || pindex > NR_LOWORDER_PCP_LISTS;
    if movable { MigrateType::Movable } else { MigrateType::Unmovable }
}
