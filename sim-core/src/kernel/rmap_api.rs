//! The kernel's vocabulary of unmapping: one method, one micro-operation.

use sim_macros::primitives;

use crate::engine::{Cpu, LockStep, Step};
use crate::ledger::How;
use crate::machine::{LockClass, Member, NIL, PageFlag, Pfn, Stat};
use crate::op::{Look, Note, Op, Read, RmapOp};

use crate::engine::Want;

#[primitives]
impl Cpu {
    /// Reads an entry of the page table of an address.
    #[inline(always)]
    #[track_caller]
    pub fn look_pte(&self, why: Look, mm: u8, index: u16, addr: u32) -> Step<'_, u32> {
        self.step(Op::Rmap(RmapOp::Look { why, mm, index, addr }))
    }

    /// xchg of an entry with 0 (ptep_get_and_clear on SMP): the old entry.
    #[inline(always)]
    #[track_caller]
    pub fn xchg_pte(&self, mm: u8, index: u16, addr: u32) -> Step<'_, u32> {
        self.step(Op::Rmap(RmapOp::Xchg { mm, index, addr }))
    }

    /// set_pte_at, by the entry.
    #[inline(always)]
    #[track_caller]
    pub fn put_pte(&self, mm: u8, index: u16, addr: u32, pte: u32) -> Step<'_, ()> {
        self.step(Op::Rmap(RmapOp::Put { mm, index, addr, pte }))
    }

    /// ptep_test_and_clear_young
    #[inline(always)]
    #[track_caller]
    pub fn test_clear_young(&self, mm: u8, index: u16, addr: u32) -> Step<'_, bool> {
        self.step(Op::Rmap(RmapOp::MkOld { mm, index, addr }))
    }

    /// A load or a store of user code. The page that it reaches, or [`crate::machine::NIL`].
    #[inline(always)]
    #[track_caller]
    pub fn touch(&self, mm: u8, write: bool, vpn: u32) -> Step<'_, u32> {
        self.step(Op::Rmap(RmapOp::Touch { mm, write, vpn }))
    }

    /// atomic64_inc_return(&mm->context.tlb_gen); `flush` where a flush follows at once.
    #[inline(always)]
    #[track_caller]
    pub fn inc_mm_tlb_gen(&self, mm: u8, flush: bool) -> Step<'_, ()> {
        self.step(Op::Rmap(RmapOp::GenInc { mm, flush }))
    }

    /// INVLPG
    #[inline(always)]
    #[track_caller]
    pub fn invlpg(&self, mm: u8, vpn: u32) -> Step<'_, ()> {
        self.step(Op::Rmap(RmapOp::Invlpg { mm, vpn }))
    }

    /// A write to CR3: everything goes.
    #[inline(always)]
    #[track_caller]
    pub fn flush_tlb_local(&self) -> Step<'_, ()> {
        self.step(Op::Rmap(RmapOp::FullFlush))
    }

    /// this_cpu_write of local_tlb_gen
    #[inline(always)]
    #[track_caller]
    pub fn local_tlb_gen(&self, mm: u8) -> Step<'_, ()> {
        self.step(Op::Rmap(RmapOp::CaughtUp { mm }))
    }

    /// A function call on another CPU, which flushes there.
    #[inline(always)]
    #[track_caller]
    pub fn ipi_flush(&self, cpu: u8) -> Step<'_, bool> {
        self.step(Op::Rmap(RmapOp::Ipi { cpu }))
    }

    /// The CPUs of an address space go into current->tlb_ubc.
    #[inline(always)]
    #[track_caller]
    pub fn ubc_add(&self, mm: u8, dirty: bool) -> Step<'_, ()> {
        self.step(Op::Rmap(RmapOp::UbcAdd { mm, dirty }))
    }

    /// atomic_inc of mm->tlb_flush_batched, or the exchange when it is about to overflow.
    #[inline(always)]
    #[track_caller]
    pub fn inc_flush_batched(&self, mm: u8) -> Step<'_, u32> {
        self.step(Op::Rmap(RmapOp::FlushBatched { mm }))
    }

    /// current->tlb_ubc is empty again.
    #[inline(always)]
    #[track_caller]
    pub fn ubc_reset(&self) -> Step<'_, ()> {
        self.step(Op::Rmap(RmapOp::UbcReset))
    }

    /// this_cpu_add, or the fold under the lock of the counter.
    #[inline(always)]
    #[track_caller]
    pub fn rss_add(&self, mm: u8, member: Member, fold: bool, delta: i32) -> Step<'_, ()> {
        self.step(Op::Rmap(RmapOp::Rss { mm, member, fold, delta }))
    }

    /// update_hiwater_rss
    #[inline(always)]
    #[track_caller]
    pub fn update_hiwater_rss(&self, mm: u8) -> Step<'_, ()> {
        self.step(Op::Rmap(RmapOp::Hiwater { mm }))
    }

    /// A step that changes nothing here.
    #[inline(always)]
    #[track_caller]
    pub fn note(&self, what: Note, page: Pfn, arg: u32) -> Step<'_, ()> {
        self.step(Op::Rmap(RmapOp::Note { what, page, arg }))
    }

    /// this_cpu_add of the memcg's part.
    #[inline(always)]
    #[track_caller]
    pub fn memcg_add(&self, item: Stat, delta: i32) -> Step<'_, ()> {
        self.step(Op::Rmap(RmapOp::Memcg { item, delta }))
    }

    /// this_cpu_add of the lruvec's part.
    #[inline(always)]
    #[track_caller]
    pub fn lruvec_add(&self, item: Stat, delta: i32) -> Step<'_, ()> {
        self.step(Op::Rmap(RmapOp::Lruvec { item, delta }))
    }

    /// cgroup_rstat_updated
    #[inline(always)]
    #[track_caller]
    pub fn cgroup_rstat_updated(&self) -> Step<'_, bool> {
        self.step(Op::Rmap(RmapOp::RstatUpdated))
    }

    /// this_cpu_add_return of stats_updates, and what is handed on when it is too much.
    #[inline(always)]
    #[track_caller]
    pub fn stats_updates(&self, by: u32, whole: bool) -> Step<'_, u32> {
        self.step(Op::Rmap(RmapOp::StatsUpdates { by, whole }))
    }

    /// atomic add to _nr_pages_mapped: the new value.
    #[inline(always)]
    #[track_caller]
    pub fn add_nr_mapped(&self, folio: Pfn, delta: i32) -> Step<'_, u32> {
        self.step(Op::Rmap(RmapOp::NrMapped { folio, delta }))
    }

    /// folio_lock_large_mapcount
    #[inline(always)]
    #[track_caller]
    pub fn lock_large_mapcount(&self, folio: Pfn) -> Step<'_, ()> {
        self.step(Op::Rmap(RmapOp::Large { folio, lock: true }))
    }

    /// folio_unlock_large_mapcount
    #[inline(always)]
    #[track_caller]
    pub fn unlock_large_mapcount(&self, folio: Pfn) -> Step<'_, ()> {
        self.step(Op::Rmap(RmapOp::Large { folio, lock: false }))
    }

    /// _large_mapcount, under its lock: the new value.
    #[inline(always)]
    #[track_caller]
    pub fn add_large_mapcount(&self, folio: Pfn, delta: i32) -> Step<'_, u32> {
        self.step(Op::Rmap(RmapOp::LargeMapcount { folio, delta }))
    }

    /// The count of the slot of an address space, under the lock.
    #[inline(always)]
    #[track_caller]
    pub fn add_mm_slot(&self, mm: u8, folio: Pfn, delta: i32) -> Step<'_, u32> {
        self.step(Op::Rmap(RmapOp::MmSlot { mm, folio, delta }))
    }

    /// folio_ref_sub: no look whether it is the last.
    #[inline(always)]
    #[track_caller]
    pub fn ref_sub(&self, folio: Pfn, n: u32) -> Step<'_, ()> {
        self.step(Op::Rmap(RmapOp::RefSub { folio, n, test: false }))
    }

    /// folio_put_refs
    #[inline(always)]
    #[track_caller]
    pub fn ref_sub_and_test(&self, folio: Pfn, n: u32) -> Step<'_, u32> {
        self.step(Op::Rmap(RmapOp::RefSub { folio, n, test: true }))
    }

    /// folio_ref_freeze: cmpxchg of the expected count with 0.
    #[inline(always)]
    #[track_caller]
    pub fn ref_freeze(&self, folio: Pfn, refs: u32) -> Step<'_, bool> {
        self.step(Op::Rmap(RmapOp::RefFreeze { folio, refs }))
    }

    /// A count of the swap map goes up; false where that is not possible.
    #[inline(always)]
    #[track_caller]
    pub fn swap_map_inc(&self, entry: u32) -> Step<'_, bool> {
        self.step(Op::Rmap(RmapOp::Swap { entry, dup: true }))
    }

    /// A count of the swap map goes down.
    #[inline(always)]
    #[track_caller]
    pub fn swap_map_dec(&self, entry: u32) -> Step<'_, ()> {
        self.step(Op::Rmap(RmapOp::Swap { entry, dup: false }))
    }

    /// list_add of the address space to the mmlist.
    #[inline(always)]
    #[track_caller]
    pub fn mmlist_add(&self, mm: u8) -> Step<'_, ()> {
        self.step(Op::Rmap(RmapOp::MmListAdd { mm }))
    }

    /// list_add to the deferred-split queue.
    #[inline(always)]
    #[track_caller]
    pub fn deferred_split_add(&self, folio: Pfn) -> Step<'_, ()> {
        self.step(Op::Rmap(RmapOp::DeferSplit { folio }))
    }

    /// One store that takes every index of the folio out of i_pages.
    #[inline(always)]
    #[track_caller]
    pub fn delete_from_page_cache(&self, folio: Pfn) -> Step<'_, ()> {
        self.step(Op::Rmap(RmapOp::CacheDel { folio }))
    }

    /// atomic_inc of _entire_mapcount: a pmd maps the folio.
    #[inline(always)]
    #[track_caller]
    pub fn set_entire_mapped(&self, folio: Pfn) -> Step<'_, ()> {
        self.step(Op::Rmap(RmapOp::Entire { folio }))
    }

    /// A step that changes nothing and is about no page.
    #[inline(always)]
    #[track_caller]
    pub fn remark(&self, what: Note) -> Step<'_, ()> {
        self.step(Op::Rmap(RmapOp::Note { what, page: NIL, arg: 0 }))
    }

    /// PageHeadHuge: looks at the second struct page of a large folio, out of line.
    #[inline(always)]
    #[track_caller]
    pub fn page_head_huge(&self, folio: Pfn) -> Step<'_, ()> {
        self.step(Op::Rmap(RmapOp::Note { what: Note::PageHeadHuge, page: folio, arg: 0 }))
    }

    /// folio_ref_count
    #[inline(always)]
    #[track_caller]
    pub fn folio_ref_count(&self, folio: Pfn) -> Step<'_, u32> {
        self.step(Op::Read { what: Read::Refcount, page: folio })
    }

    /// A flag that is changed atomically.
    #[inline(always)]
    #[track_caller]
    pub fn change_flag(&self, flag: PageFlag, how: How, page: Pfn) -> Step<'_, bool> {
        self.step(Op::Flag { flag, how, page })
    }

    /// spin_lock of a lock that is one of its kind, or of a counter; with interrupts off where `irq`.
    #[inline(always)]
    #[track_caller]
    pub fn lock_spin(&self, class: LockClass, irq: bool, index: u32) -> LockStep<'_> {
        self.take(Want::Spin { class, irq, index })
    }

    /// spin_unlock of such a lock.
    #[inline(always)]
    #[track_caller]
    pub fn unlock_spin(&self, class: LockClass, irq: bool, index: u32) -> Step<'_, ()> {
        self.step(Op::SpinUnlock { class, irq, index })
    }
}
