//! Anonymous memory with a swap device: swap map, swap cache, counters of address spaces, watermarks, clocks.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use super::{LockState, Machine, NIL, NOBODY, Pfn};
use crate::named::named;

/// SWAP_HAS_CACHE: a page in the swap cache belongs to the slot.
pub const SWAP_HAS_CACHE: u8 = 0x40;
/// SWAP_MAP_BAD: slot 0 holds the header and is never used.
pub const SWAP_MAP_BAD: u8 = 0x3f;
/// Bits of a swap map byte that count PTEs.
pub const SWAP_COUNT: u8 = 0x3f;
/// Slots of one cluster, which has one lock in the swap table of today.
pub const SWAP_CLUSTER: u32 = 256;
/// Faults after which a task's cached counters go to its mm: TASK_RSS_EVENTS_THRESH.
pub const RSS_EVENTS: u32 = 64;

named! {
    /// Counters of an address space.
    enum Rss,
    /// Kernel name.
    name {
        /// MM_ANONPAGES: PTEs that map anonymous pages.
        Anon = "MM_ANONPAGES",
        /// MM_SWAPENTS: PTEs that hold swap entries.
        Swap = "MM_SWAPENTS",
    }
}

/// A write on its way to the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwapWrite {
    /// Tick at which it is done.
    pub due: u64,
    /// Page that is written.
    pub page: Pfn,
}

/// What a machine with swap is tuned to. Times are in ticks, amounts in pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwapTuning {
    /// Slots of the device, numbered from 1.
    pub slots: u32,
    /// Watermarks: min, low, high.
    pub marks: [u32; 3],
    /// Pages that reclaim takes at a time: SWAP_CLUSTER_MAX.
    pub slice: u32,
    /// Inactive list is low when inactive * ratio < active.
    pub ratio: u32,
    /// Time of a write.
    pub write_time: u32,
}

/// kswapd of the only node, where reclaim in the background has a task of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kswapd {
    /// Its task; [`NOBODY`] where whoever allocates does its work.
    pub task: u8,
    /// It is on kswapd_wait: asleep, or about to look a last time before it sleeps.
    pub waits: bool,
}

/// The swap device with everything that belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swap {
    /// What it is tuned to.
    pub tuning: SwapTuning,
    /// swap_map: a byte for each slot.
    pub map: Vec<u8>,
    /// Swap cache: the page of each slot, [`NIL`] where there is none.
    pub cache: Vec<Pfn>,
    /// page->private of each frame: its slot while it is in the swap cache, else 0.
    pub private: Vec<u32>,
    /// cluster_next: where the search for a free slot starts.
    pub next: u32,
    /// lowest_bit: no slot below it is free.
    pub lowest: u32,
    /// highest_bit: no slot above it is free.
    pub highest: u32,
    /// inuse_pages
    pub inuse: u32,
    /// nr_swap_pages: free slots, those being handed out taken off.
    pub free: i32,
    /// Writes that are not done, first submitted first.
    pub writes: VecDeque<SwapWrite>,
    /// Clock of each task.
    pub clocks: Vec<u64>,
    /// Counters of each mm.
    pub rss: Vec<[i64; 2]>,
    /// What the only thread of each mm has cached of them.
    pub cached: Vec<[i32; 2]>,
    /// Faults since they were flushed.
    pub rss_events: Vec<u32>,
    /// swap_info_struct.lock
    pub si_lock: LockState,
    /// swap_avail_lock
    pub avail_lock: LockState,
    /// swapper_space.tree_lock
    pub tree_lock: LockState,
    /// Locks of the clusters.
    pub cluster_locks: Vec<LockState>,
    /// Reclaim in the background.
    pub kswapd: Kswapd,
}

impl Swap {
    /// An empty device for a machine of so many frames.
    pub fn new(tuning: SwapTuning, frames: u32) -> Swap {
        let slots = tuning.slots as usize + 1;
        let mut map = vec![0; slots];
        map[0] = SWAP_MAP_BAD;
        Swap {
            tuning,
            map,
            cache: vec![NIL; slots],
            private: vec![0; frames as usize],
            next: 1,
            lowest: 1,
            highest: tuning.slots,
            inuse: 0,
            free: tuning.slots as i32,
            writes: VecDeque::new(),
            clocks: Vec::new(),
            rss: Vec::new(),
            cached: Vec::new(),
            rss_events: Vec::new(),
            si_lock: LockState::FREE,
            avail_lock: LockState::FREE,
            tree_lock: LockState::FREE,
            cluster_locks: vec![LockState::FREE; slots.div_ceil(SWAP_CLUSTER as usize)],
            kswapd: Kswapd { task: NOBODY, waits: false },
        }
    }

    /// First free slot from cluster_next upwards, wrapping to slot 1; 0 where all are taken.
    pub fn scan(&self) -> u32 {
        let at = |from: u32, to: u32| {
            let found = self.map[from as usize..to as usize].iter().position(|&byte| byte == 0);
            found.map(|index| from + index as u32)
        };
        let end = self.tuning.slots + 1;
        at(self.next, end).or_else(|| at(1, self.next)).unwrap_or(0)
    }

    /// PTEs that hold the entry.
    #[inline(always)]
    pub fn count(&self, slot: u32) -> u32 {
        u32::from(self.map[slot as usize] & SWAP_COUNT)
    }

    /// vm_swap_full: more than half of the slots are in use.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        i64::from(self.free) * 2 < i64::from(self.tuning.slots)
    }

    /// A counter of an mm with what is cached of it.
    pub fn rss(&self, mm: u8, counter: Rss) -> i64 {
        self.rss[mm as usize][counter as usize] + i64::from(self.cached[mm as usize][counter as usize])
    }
}

impl Machine {
    /// Gives the machine a swap device, with counters for the address spaces that there are and clocks for tasks.
    pub fn add_swap(&mut self, tuning: SwapTuning, clocks: Vec<u64>) {
        let mut swap = Swap::new(tuning, self.pages.len() as u32);
        swap.clocks = clocks;
        swap.rss = vec![[0; 2]; self.mms.len()];
        swap.cached = vec![[0; 2]; self.mms.len()];
        swap.rss_events = vec![0; self.mms.len()];
        self.swap = Some(alloc::boxed::Box::new(swap));
    }

    /// The swap device.
    ///
    /// # Panics
    ///
    /// Where the machine has none; code that swaps runs on machines that have one.
    #[inline(always)]
    pub fn swap(&self) -> &Swap {
        match &self.swap {
            Some(swap) => swap,
            None => no_swap(),
        }
    }

    #[inline(always)]
    pub(crate) fn swap_mut(&mut self) -> &mut Swap {
        match &mut self.swap {
            Some(swap) => swap,
            None => no_swap(),
        }
    }

    /// Clock of a task in ticks; 0 on a machine that keeps none.
    #[inline(always)]
    pub fn clock_of(&self, task: u8) -> u64 {
        self.swap.as_ref().and_then(|swap| swap.clocks.get(task as usize).copied()).unwrap_or(0)
    }
}

#[cold]
#[inline(never)]
fn no_swap() -> ! {
    unreachable!("code that swaps runs on machines with a swap device")
}

impl Swap {
    /// Feeds everything that it holds to a digest.
    pub(crate) fn feed(&self, d: &mut crate::digest::Digest) {
        d.bytes(&self.map);
        for &word in self.cache.iter().chain(&self.private).chain(&self.rss_events) {
            d.bytes(&word.to_le_bytes());
        }
        for word in [self.next, self.lowest, self.highest, self.inuse, self.free as u32] {
            d.bytes(&word.to_le_bytes());
        }
        for write in &self.writes {
            d.number(write.due);
            d.number(u64::from(write.page));
        }
        self.clocks.iter().for_each(|&clock| d.number(clock));
        self.rss.iter().flatten().for_each(|&n| d.number(n as u64));
        self.cached.iter().flatten().for_each(|&n| d.number(n as u64));
        let locks = [&self.si_lock, &self.avail_lock, &self.tree_lock].into_iter().chain(&self.cluster_locks);
        for LockState { holder, readers, queue } in locks {
            d.bytes(&[*holder, *readers, queue.len() as u8]);
            d.bytes(queue);
        }
        if self.kswapd.task != NOBODY {
            d.bytes(&[self.kswapd.task, u8::from(self.kswapd.waits)]);
        }
    }
}
