//! The kernel's vocabulary for anonymous memory and swap: each method is one micro-operation.

use sim_macros::primitives;

use super::api::page_flags;
use crate::engine::{Cpu, LockStep, Step, Want};
use crate::ledger::{How, Site};
use crate::machine::{LockClass, PageFlag, Pfn, Rss, SWAP_CLUSTER};
use crate::op::{AnonOp, Held, Op};

page_flags! {
    /// SetPageDirty
    set_page_dirty = Dirty Set -> ();
    /// ClearPageDirty
    clear_page_dirty = Dirty Clear -> ();
    /// TestClearPageDirty: clear_page_dirty_for_io
    test_clear_page_dirty = Dirty TestClear -> bool;
    /// TestClearPageReferenced
    test_clear_page_referenced = Referenced TestClear -> bool;
    /// ClearPageReferenced
    clear_page_referenced = Referenced Clear -> ();
    /// ClearPageSwapBacked
    clear_page_swapbacked = Swapbacked Clear -> ();
    /// SetPageSwapBacked, on a page that others see.
    set_page_swapbacked_again = Swapbacked Set -> ();
    /// SetPageSwapCache
    set_page_swapcache = SwapCache Set -> ();
    /// ClearPageSwapCache
    clear_page_swapcache = SwapCache Clear -> ();
    /// SetPageWriteback
    set_page_writeback = Writeback Set -> ();
    /// TestClearPageWriteback
    test_clear_page_writeback = Writeback TestClear -> bool;
    /// SetPageReclaim
    set_page_reclaim = Reclaim Set -> ();
    /// ClearPageReclaim
    clear_page_reclaim = Reclaim Clear -> ();
}

#[primitives]
impl Cpu {
    /// PTEs that hold a slot's entry, read under the lock that guards it.
    #[inline(always)]
    pub fn swap_count(&self, slot: u32) -> u32 {
        self.machine().swap().count(slot)
    }

    /// vm_swap_full
    #[inline(always)]
    pub fn vm_swap_full(&self) -> bool {
        self.machine().swap().is_full()
    }

    /// page->private of a page in the swap cache.
    #[inline(always)]
    pub fn page_private(&self, page: Pfn) -> u32 {
        self.machine().swap().private[page as usize]
    }

    /// The program stores: 1 where no fault is needed.
    #[inline(always)]
    #[track_caller]
    pub fn store(&self, mm: u8, vpn: u32) -> Step<'_, bool> {
        self.step(Op::Anon(AnonOp::Store { mm, vpn }))
    }

    /// The program reads: 1 where no fault is needed.
    #[inline(always)]
    #[track_caller]
    pub fn load(&self, mm: u8, vpn: u32) -> Step<'_, bool> {
        self.step(Op::Anon(AnonOp::Load { mm, vpn }))
    }

    /// The system call is entered.
    #[inline(always)]
    #[track_caller]
    pub fn enter_madvise(&self, mm: u8, dontneed: bool, start: u32, end: u32) -> Step<'_, ()> {
        self.step(Op::Anon(AnonOp::Madvise { mm, dontneed, start, end }))
    }

    /// ptep_test_and_clear_young
    #[inline(always)]
    #[track_caller]
    pub fn ptep_test_and_clear_young(&self, mm: u8, vpn: u32) -> Step<'_, bool> {
        self.step(Op::Anon(AnonOp::TestClearYoung { mm, vpn }))
    }

    /// ptep_get_and_clear_full
    #[inline(always)]
    #[track_caller]
    pub fn ptep_get_and_clear_full(&self, mm: u8, vpn: u32) -> Step<'_, u32> {
        self.step(Op::Anon(AnonOp::GetAndClear { mm, vpn }))
    }

    /// tlb_remove_tlb_entry
    #[inline(always)]
    #[track_caller]
    pub fn tlb_remove_tlb_entry(&self, mm: u8, vpn: u32) -> Step<'_, ()> {
        self.step(Op::Anon(AnonOp::TlbQueue { mm, vpn }))
    }

    /// flush_tlb_range or flush_tlb_page
    #[inline(always)]
    #[track_caller]
    pub fn flush_tlb(&self, mm: u8) -> Step<'_, ()> {
        self.step(Op::Anon(AnonOp::TlbFlush { mm }))
    }

    /// zone_watermark_ok for order 0
    #[inline(always)]
    #[track_caller]
    pub fn zone_watermark_ok(&self, mark: u32) -> Step<'_, bool> {
        self.step(Op::Anon(AnonOp::Watermark { mark }))
    }

    /// scan_swap_map: a free slot, or 0.
    #[inline(always)]
    #[track_caller]
    pub fn scan_swap_map(&self) -> Step<'_, u32> {
        self.step(Op::Anon(AnonOp::ScanMap))
    }

    /// si->swap_map[slot]
    #[inline(always)]
    #[track_caller]
    pub fn read_swap_map(&self, slot: u32) -> Step<'_, u32> {
        self.step(Op::Anon(AnonOp::ReadMap { slot }))
    }

    /// si->swap_map[slot] = byte
    #[inline(always)]
    #[track_caller]
    pub fn write_swap_map(&self, slot: u32, byte: u8) -> Step<'_, ()> {
        self.step(Op::Anon(AnonOp::WriteMap { slot, byte }))
    }

    /// A word of the swap table.
    #[inline(always)]
    #[track_caller]
    pub fn write_swap_table(&self, slot: u32, byte: u8, page: Pfn) -> Step<'_, ()> {
        self.step(Op::Anon(AnonOp::WriteWord { slot, byte, page }))
    }

    /// lowest_bit, highest_bit
    #[inline(always)]
    #[track_caller]
    pub fn update_swap_range(&self, slot: u32, freed: bool) -> Step<'_, ()> {
        self.step(Op::Anon(AnonOp::MapRange { slot, freed }))
    }

    /// cluster_next = slot + 1
    #[inline(always)]
    #[track_caller]
    pub fn set_cluster_next(&self, slot: u32) -> Step<'_, ()> {
        self.step(Op::Anon(AnonOp::ClusterNext { slot }))
    }

    /// inuse_pages
    #[inline(always)]
    #[track_caller]
    pub fn add_inuse_pages(&self, atomic: bool, delta: i16) -> Step<'_, ()> {
        self.step(Op::Anon(AnonOp::Inuse { atomic, delta }))
    }

    /// atomic_long_add of nr_swap_pages
    #[inline(always)]
    #[track_caller]
    pub fn add_nr_swap_pages(&self, delta: i32) -> Step<'_, ()> {
        self.step(Op::Anon(AnonOp::NrSwapPages { delta }))
    }

    /// radix_tree_lookup of the swap cache: a page or NIL.
    #[inline(always)]
    #[track_caller]
    pub fn swap_cache_lookup(&self, slot: u32) -> Step<'_, u32> {
        self.step(Op::Anon(AnonOp::LookupCache { slot }))
    }

    /// radix_tree_insert or radix_tree_delete (NIL)
    #[inline(always)]
    #[track_caller]
    pub fn swap_cache_set(&self, slot: u32, page: Pfn) -> Step<'_, ()> {
        self.step(Op::Anon(AnonOp::SetCache { slot, page }))
    }

    /// set_page_private
    #[inline(always)]
    #[track_caller]
    pub fn set_page_private(&self, page: Pfn, slot: u32) -> Step<'_, ()> {
        self.step(Op::Anon(AnonOp::SetPrivate { page, slot }))
    }

    /// add_mm_counter
    #[inline(always)]
    #[track_caller]
    pub fn add_mm_counter(&self, mm: u8, counter: Rss, delta: i32) -> Step<'_, ()> {
        self.step(Op::Anon(AnonOp::Rss { mm, counter, atomic: true, delta }))
    }

    /// add_mm_counter of a per-CPU counter
    #[inline(always)]
    #[track_caller]
    pub fn add_percpu_mm_counter(&self, mm: u8, counter: Rss, delta: i32) -> Step<'_, ()> {
        self.step(Op::Anon(AnonOp::Rss { mm, counter, atomic: false, delta }))
    }

    /// add_mm_counter_fast: in the task
    #[inline(always)]
    #[track_caller]
    pub fn add_mm_counter_cached(&self, mm: u8, counter: Rss, delta: i32) -> Step<'_, ()> {
        self.step(Op::Anon(AnonOp::RssCached { mm, counter, delta }))
    }

    /// add_mm_counter of sync_mm_rss
    #[inline(always)]
    #[track_caller]
    pub fn sync_mm_counter(&self, mm: u8, counter: Rss) -> Step<'_, ()> {
        self.step(Op::Anon(AnonOp::RssSync { mm, counter }))
    }

    /// task->rss_stat.events++, or = 0
    #[inline(always)]
    #[track_caller]
    pub fn rss_event(&self, mm: u8, reset: bool) -> Step<'_, u32> {
        self.step(Op::Anon(AnonOp::RssEvent { mm, reset }))
    }

    /// submit_bio of a write
    #[inline(always)]
    #[track_caller]
    pub fn submit_write(&self, page: Pfn, slot: u32) -> Step<'_, ()> {
        self.step(Op::Anon(AnonOp::Submit { page, slot }))
    }

    /// The interrupt of a write that is done.
    #[inline(always)]
    #[track_caller]
    pub fn write_done(&self, page: Pfn) -> Step<'_, ()> {
        self.step(Op::Anon(AnonOp::Complete { page }))
    }

    /// A read of a slot, with the wait for it.
    #[inline(always)]
    #[track_caller]
    pub fn read_in(&self, page: Pfn, slot: u32) -> Step<'_, ()> {
        self.step(Op::Anon(AnonOp::ReadIn { page, slot }))
    }

    /// copy_user_highpage
    #[inline(always)]
    #[track_caller]
    pub fn copy_page(&self, from: Pfn, to: Pfn) -> Step<'_, ()> {
        self.step(Op::Anon(AnonOp::Copy { from, to }))
    }

    /// Time that the task has used.
    #[inline(always)]
    #[track_caller]
    pub fn tick(&self, ticks: u32) -> Step<'_, ()> {
        self.step(Op::Anon(AnonOp::Tick { ticks }))
    }

    /// Time that the task has used, then io_schedule until the first write is done.
    #[inline(always)]
    #[track_caller]
    pub fn wait_for_write(&self, ticks: u32) -> Step<'_, ()> {
        self.step(Op::Anon(AnonOp::WaitWrite { ticks }))
    }

    /// get_page_unless_zero
    #[inline(always)]
    #[track_caller]
    pub fn get_page_unless_zero(&self, page: Pfn, site: Site, held: Held) -> Step<'_, bool> {
        self.step(Op::Anon(AnonOp::TryGet { page, site, held }))
    }

    /// list_add_tail of an LRU list
    #[inline(always)]
    #[track_caller]
    pub fn list_add_tail(&self, lru: u8, page: Pfn) -> Step<'_, ()> {
        self.step(Op::Anon(AnonOp::AddTail { lru, page }))
    }

    /// page_freeze_refs
    #[inline(always)]
    #[track_caller]
    pub fn page_freeze_refs(&self, page: Pfn, refs: u8) -> Step<'_, bool> {
        self.step(Op::Anon(AnonOp::Freeze { page, refs }))
    }

    /// __clear_page_locked
    #[inline(always)]
    #[track_caller]
    pub fn plain_clear_page_locked(&self, page: Pfn) -> Step<'_, ()> {
        self.step(Op::Anon(AnonOp::PlainUnlock { page }))
    }

    /// spin_lock(&si->lock)
    #[inline(always)]
    #[track_caller]
    pub fn lock_si(&self) -> LockStep<'_> {
        self.take(Want::Spin { class: LockClass::SwapInfo, irq: false, index: 0 })
    }

    /// spin_unlock(&si->lock)
    #[inline(always)]
    #[track_caller]
    pub fn unlock_si(&self) -> Step<'_, ()> {
        self.step(Op::SpinUnlock { class: LockClass::SwapInfo, irq: false, index: 0 })
    }

    /// spin_lock(&swap_avail_lock)
    #[inline(always)]
    #[track_caller]
    pub fn lock_swap_avail(&self) -> LockStep<'_> {
        self.take(Want::Spin { class: LockClass::SwapAvail, irq: false, index: 0 })
    }

    /// spin_unlock(&swap_avail_lock)
    #[inline(always)]
    #[track_caller]
    pub fn unlock_swap_avail(&self) -> Step<'_, ()> {
        self.step(Op::SpinUnlock { class: LockClass::SwapAvail, irq: false, index: 0 })
    }

    /// spin_lock_irq(&swapper_space.tree_lock)
    #[inline(always)]
    #[track_caller]
    pub fn lock_tree_irq(&self) -> LockStep<'_> {
        self.take(Want::Spin { class: LockClass::Tree, irq: true, index: 0 })
    }

    /// spin_unlock_irq(&swapper_space.tree_lock)
    #[inline(always)]
    #[track_caller]
    pub fn unlock_tree_irq(&self) -> Step<'_, ()> {
        self.step(Op::SpinUnlock { class: LockClass::Tree, irq: true, index: 0 })
    }

    /// swap_cluster_lock of a slot
    #[inline(always)]
    #[track_caller]
    pub fn lock_cluster(&self, slot: u32) -> LockStep<'_> {
        self.take(Want::Spin { class: LockClass::Cluster, irq: false, index: slot / SWAP_CLUSTER })
    }

    /// swap_cluster_unlock
    #[inline(always)]
    #[track_caller]
    pub fn unlock_cluster(&self, slot: u32) -> Step<'_, ()> {
        self.step(Op::SpinUnlock { class: LockClass::Cluster, irq: false, index: slot / SWAP_CLUSTER })
    }

    /// waitqueue_active(&pgdat->kswapd_wait)
    #[inline(always)]
    #[track_caller]
    pub fn kswapd_waits(&self) -> Step<'_, bool> {
        self.step(Op::Anon(AnonOp::KswapdWaits))
    }

    /// wake_up_interruptible(&pgdat->kswapd_wait)
    #[inline(always)]
    #[track_caller]
    pub fn wake_kswapd(&self) -> Step<'_, bool> {
        self.step(Op::Anon(AnonOp::WakeKswapd))
    }

    /// prepare_to_wait(&pgdat->kswapd_wait)
    #[inline(always)]
    #[track_caller]
    pub fn prepare_to_wait(&self) -> Step<'_, ()> {
        self.step(Op::Anon(AnonOp::KswapdQueue { on: true }))
    }

    /// finish_wait(&pgdat->kswapd_wait)
    #[inline(always)]
    #[track_caller]
    pub fn finish_wait(&self) -> Step<'_, ()> {
        self.step(Op::Anon(AnonOp::KswapdQueue { on: false }))
    }

    /// set_bit or clear_bit of ZONE_RECLAIM_ACTIVE
    #[inline(always)]
    #[track_caller]
    pub fn set_reclaim_active(&self, zone: u8, active: bool) -> Step<'_, ()> {
        self.step(Op::Anon(AnonOp::ReclaimActive { zone, active }))
    }
}
