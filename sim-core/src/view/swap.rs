//! Swap in the picture: slots, PTEs with what they say, writes under way, clocks, free frames.

use alloc::vec::Vec;

use super::{LockView, PageNo};
use crate::engine::Timeline;
use crate::machine::{
    LockClass, LockId, Machine, NIL, PTE_DIRTY, PTE_NONE, PTE_WRITE, PTE_YOUNG, PageFlag, Rss, SWAP_HAS_CACHE, TaskRun,
    pte_page, pte_swap,
};
use crate::op::Op;

/// Memory with a swap device. Amounts are in pages of 4 KiB, times in ticks of the programs' clocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwapView {
    /// Slots from 1 on: the first entry is slot 1.
    pub slots: Vec<SlotView>,
    /// Slot where the search for a free one starts.
    pub next: u32,
    /// nr_swap_pages
    pub free_slots: i32,
    /// Writes under way, the one that ends first first.
    pub writes: Vec<WriteView>,
    /// Free frames.
    pub free_frames: u32,
    /// Watermarks min, low and high, in frames.
    pub marks: [u32; 3],
    /// Programs with their page tables, by address space.
    pub spaces: Vec<AnonSpaceView>,
    /// si_lock, swap_avail_lock and tree_lock; of a kernel with a swap table, the cluster locks.
    pub locks: Vec<LockView>,
    /// Slot that the last step touched.
    pub touched_slot: Option<u32>,
    /// Address space and PTE index that the last step touched.
    pub touched_pte: Option<(u8, u32)>,
    /// kswapd, where it is a task of its own.
    pub kswapd: Option<KswapdView>,
}

/// kswapd at work or asleep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KswapdView {
    /// CPU that it is on.
    pub cpu: u8,
    /// Its clock, which stands still while it sleeps.
    pub clock: u64,
    /// It sleeps until somebody wakes it.
    pub asleep: bool,
}

/// One slot of the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlotView {
    /// PTEs that hold its entry.
    pub count: u32,
    /// SWAP_HAS_CACHE
    pub has_cache: bool,
    /// Its page in the swap cache.
    pub page: Option<PageNo>,
}

/// A write on its way to the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteView {
    /// Page.
    pub page: Option<PageNo>,
    /// Slot.
    pub slot: u32,
    /// Tick at which it is done.
    pub due: u64,
    /// Reclaim wants the page next.
    pub reclaim: bool,
}

/// One program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnonSpaceView {
    /// Address space.
    pub mm: u8,
    /// Its clock.
    pub clock: u64,
    /// MM_ANONPAGES, with what the task has cached.
    pub anon_pages: i64,
    /// MM_SWAPENTS, with what the task has cached.
    pub swap_entries: i64,
    /// One entry for each address of the range.
    pub ptes: Vec<AnonPteView>,
}

/// One PTE.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnonPteView {
    /// Nothing there.
    #[default]
    None,
    /// A page.
    Present {
        /// Its number.
        page: Option<PageNo>,
        /// Used since reclaim or madvise last looked.
        young: bool,
        /// Stored to since the PTE was last cleaned.
        dirty: bool,
        /// A store needs no fault.
        write: bool,
        /// Clean in every way: reclaim may discard it instead of writing it.
        lazy: bool,
    },
    /// A swap entry.
    Swapped {
        /// Its slot.
        slot: u32,
    },
    /// Migration, hwpoison, or the zero page.
    Special,
}

impl Timeline {
    /// Swap at the cursor; none without a device.
    pub(super) fn swap_view(&self) -> Option<SwapView> {
        let machine = &self.world().machine;
        let swap = machine.swap.as_ref()?;
        let page = |frame: u32| (frame != NIL).then(|| self.numbers().of(frame)).flatten();
        let slots = (1..swap.map.len()).map(|slot| SlotView {
            count: swap.count(slot as u32),
            has_cache: swap.map[slot] & SWAP_HAS_CACHE != 0,
            page: page(swap.cache[slot]),
        });
        let writes = swap.writes.iter().map(|write| WriteView {
            page: page(write.page),
            slot: swap.private[write.page as usize],
            due: write.due,
            reclaim: machine.page(write.page).has(PageFlag::Reclaim),
        });
        let (touched_slot, touched_pte) = match self.last().map(|record| record.op) {
            Some(Op::Anon(op)) => (op.slot(), op.address()),
            Some(Op::ReadPte { mm, vpn } | Op::SetPte { mm, vpn, .. }) => (None, Some((mm, vpn))),
            _ => (None, None),
        };
        Some(SwapView {
            slots: slots.collect(),
            next: swap.next,
            free_slots: swap.free,
            writes: writes.collect(),
            free_frames: machine.zones[0].free,
            marks: swap.tuning.marks,
            spaces: (0..machine.mms.len() as u8).map(|mm| self.anon_space(mm)).collect(),
            locks: self.swap_locks(machine),
            touched_slot,
            touched_pte,
            kswapd: kswapd(machine),
        })
    }

    fn anon_space(&self, mm: u8) -> AnonSpaceView {
        let machine = &self.world().machine;
        let swap = machine.swap();
        let range = machine.mms[mm as usize].vmas.first().map_or(0..0, |vma| vma.start..vma.end);
        AnonSpaceView {
            mm,
            clock: machine.clock_of(mm),
            anon_pages: swap.rss(mm, Rss::Anon),
            swap_entries: swap.rss(mm, Rss::Swap),
            ptes: range.map(|vpn| self.anon_pte(machine, machine.pte(mm, vpn))).collect(),
        }
    }

    fn anon_pte(&self, machine: &Machine, pte: u32) -> AnonPteView {
        if let Some(frame) = pte_page(pte) {
            let page = machine.page(frame);
            let clean = pte & PTE_DIRTY == 0 && !page.has(PageFlag::Dirty) && !page.has(PageFlag::SwapCache);
            return AnonPteView::Present {
                page: self.numbers().of(frame),
                young: pte & PTE_YOUNG != 0,
                dirty: pte & PTE_DIRTY != 0,
                write: pte & PTE_WRITE != 0,
                lazy: clean,
            };
        }
        match pte_swap(pte) {
            Some(slot) => AnonPteView::Swapped { slot },
            None if pte == PTE_NONE => AnonPteView::None,
            None => AnonPteView::Special,
        }
    }

    fn swap_locks(&self, machine: &Machine) -> Vec<LockView> {
        let single = [LockClass::SwapInfo, LockClass::SwapAvail, LockClass::Tree].map(|class| (class, 0));
        let clusters = (0..machine.swap().cluster_locks.len() as u32).map(|index| (LockClass::Cluster, index));
        if self.config().has(crate::kernel::Patch::SwapTable) {
            clusters.map(|(class, index)| self.lock_view(LockId { class, index })).collect()
        } else {
            single.into_iter().map(|(class, index)| self.lock_view(LockId { class, index })).collect()
        }
    }
}

fn kswapd(machine: &Machine) -> Option<KswapdView> {
    let task = machine.swap().kswapd.task;
    let state = machine.tasks.get(usize::from(task))?;
    Some(KswapdView { cpu: state.cpu, clock: machine.clock_of(task), asleep: state.run == TaskRun::Sleeps })
}
