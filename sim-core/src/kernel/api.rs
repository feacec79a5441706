//! The kernel's vocabulary: each method is one micro-operation, named after the macro or inline function it stands for.

use sim_macros::primitives;

use crate::engine::{Cpu, LockStep, Pause, Step, Want};
use crate::ledger::{How, Site};
use crate::machine::{Event, LockClass, NIL, PageFlag, Pfn, Pv, Stat, VmaId};
use crate::op::{Held, Op, Read};
use crate::view::PagevecKind;

/// A page flag that is changed in one way, as one step.
macro_rules! page_flags {
    ($($(#[$doc:meta])* $name:ident = $flag:ident $how:ident -> $ret:ty;)*) => {
        #[primitives]
        impl Cpu {$(
            $(#[$doc])*
            #[inline(always)]
            #[track_caller]
            pub fn $name(&self, page: Pfn) -> Step<'_, $ret> {
                self.step(Op::Flag { flag: PageFlag::$flag, how: How::$how, page })
            }
        )*}
    };
}

pub(super) use page_flags;

page_flags! {
    /// SetPageLRU
    set_page_lru = Lru Set -> ();
    /// ClearPageLRU
    clear_page_lru = Lru Clear -> ();
    /// TestClearPageLRU (5.11 and later)
    test_clear_page_lru = Lru TestClear -> bool;
    /// __ClearPageLRU: a plain store, when a page is freed.
    plain_clear_page_lru = Lru PlainClear -> ();
    /// SetPageUnevictable
    set_page_unevictable = Unevictable Set -> ();
    /// ClearPageUnevictable
    clear_page_unevictable = Unevictable Clear -> ();
    /// TestClearPageUnevictable
    test_clear_page_unevictable = Unevictable TestClear -> bool;
    /// __ClearPageUnevictable: a plain store, when a page is freed.
    plain_clear_page_unevictable = Unevictable PlainClear -> ();
    /// TestSetPageMlocked
    test_set_page_mlocked = Mlocked TestSet -> bool;
    /// TestClearPageMlocked
    test_clear_page_mlocked = Mlocked TestClear -> bool;
    /// ClearPageActive
    clear_page_active = Active Clear -> ();
    /// __ClearPageActive: a plain store, when a page is freed.
    plain_clear_page_active = Active PlainClear -> ();
    /// SetPageActive
    set_page_active = Active Set -> ();
    /// SetPageSwapBacked, on a page that nobody else sees yet.
    set_page_swapbacked = Swapbacked PlainSet -> ();
    /// SetPageReferenced
    set_page_referenced = Referenced Set -> ();
    /// __SetPageActive, on a page that nobody else sees yet.
    plain_set_page_active = Active PlainSet -> ();
}

#[primitives]

impl Cpu {
    /// Reads one flag of a page.
    #[inline(always)]
    #[track_caller]
    pub fn test_page(&self, flag: PageFlag, page: Pfn) -> Step<'_, bool> {
        self.step(Op::Read { what: Read::Flag(flag), page })
    }

    /// page_mapcount
    #[inline(always)]
    #[track_caller]
    pub fn page_mapcount(&self, page: Pfn) -> Step<'_, u32> {
        self.step(Op::Read { what: Read::Mapcount, page })
    }

    /// page_evictable: reads AS_UNEVICTABLE and PG_mlocked.
    #[inline(always)]
    #[track_caller]
    pub fn page_evictable(&self, page: Pfn) -> Step<'_, bool> {
        self.step(Op::Read { what: Read::Evictable, page })
    }

    /// waitqueue_active of the page's bucket
    #[inline(always)]
    #[track_caller]
    pub fn waitqueue_active(&self, page: Pfn) -> Step<'_, bool> {
        self.step(Op::Read { what: Read::Waiters, page })
    }

    /// folio->mlock_count
    #[inline(always)]
    #[track_caller]
    pub fn mlock_count(&self, page: Pfn) -> Step<'_, u32> {
        self.step(Op::Read { what: Read::MlockCount, page })
    }

    /// Writes folio->mlock_count.
    #[inline(always)]
    #[track_caller]
    pub fn set_mlock_count(&self, page: Pfn, value: u32) -> Step<'_, ()> {
        self.step(Op::SetMlockCount { page, value })
    }

    /// get_page: the head of a compound page carries the count.
    #[inline(always)]
    #[track_caller]
    pub fn get_page(&self, page: Pfn, site: Site, held: Held) -> Step<'_, ()> {
        self.step(Op::Get { page: self.compound_head(page), site, held })
    }

    /// put_page_testzero
    #[inline(always)]
    #[track_caller]
    pub fn put_page_testzero(&self, page: Pfn, site: Site, held: Held) -> Step<'_, bool> {
        self.step(Op::Put { page: self.compound_head(page), site, held })
    }

    /// Raises or lowers `_mapcount`.
    #[inline(always)]
    #[track_caller]
    pub fn add_mapcount(&self, page: Pfn, delta: i8) -> Step<'_, u32> {
        self.step(Op::Mapcount { page, delta })
    }

    /// page->mapping and page->index
    #[inline(always)]
    #[track_caller]
    pub fn set_page_mapping(&self, page: Pfn, mapping: u16, index: u32) -> Step<'_, ()> {
        self.step(Op::SetMapping { page, mapping, index })
    }

    /// lock_page: sleeps while somebody else holds it.
    #[inline(always)]
    #[track_caller]
    pub fn lock_page(&self, page: Pfn) -> LockStep<'_> {
        self.take(Want::Page { page })
    }

    /// trylock_page
    #[inline(always)]
    #[track_caller]
    pub fn trylock_page(&self, page: Pfn) -> Step<'_, bool> {
        self.step(Op::TryLockPage { page })
    }

    /// clear_bit_unlock of PG_locked
    #[inline(always)]
    #[track_caller]
    pub fn clear_page_locked(&self, page: Pfn) -> Step<'_, ()> {
        self.step(Op::UnlockPage { page })
    }

    /// Wakes one waiter of the page lock.
    #[inline(always)]
    #[track_caller]
    pub fn wake_up_page(&self, page: Pfn) -> Step<'_, ()> {
        self.step(Op::WakePage { page })
    }

    /// spin_lock_irq(&zone->lru_lock)
    #[inline(always)]
    #[track_caller]
    pub fn lock_lru_irq(&self, zone: u8) -> LockStep<'_> {
        self.take(Want::Spin { class: LockClass::Lru, irq: true, index: u32::from(zone) })
    }

    /// spin_unlock_irq(&zone->lru_lock)
    #[inline(always)]
    #[track_caller]
    pub fn unlock_lru_irq(&self, zone: u8) -> Step<'_, ()> {
        self.step(Op::SpinUnlock { class: LockClass::Lru, irq: true, index: u32::from(zone) })
    }

    /// spin_lock(ptl)
    #[inline(always)]
    #[track_caller]
    pub fn lock_ptl(&self, table: u32) -> LockStep<'_> {
        self.take(Want::Spin { class: LockClass::Ptl, irq: false, index: table })
    }

    /// spin_unlock(ptl)
    #[inline(always)]
    #[track_caller]
    pub fn unlock_ptl(&self, table: u32) -> Step<'_, ()> {
        self.step(Op::SpinUnlock { class: LockClass::Ptl, irq: false, index: table })
    }

    /// spin_lock(&mm->page_table_lock)
    #[inline(always)]
    #[track_caller]
    pub fn lock_page_table(&self, mm: u8) -> LockStep<'_> {
        self.take(Want::Spin { class: LockClass::PageTable, irq: false, index: u32::from(mm) })
    }

    /// spin_unlock(&mm->page_table_lock)
    #[inline(always)]
    #[track_caller]
    pub fn unlock_page_table(&self, mm: u8) -> Step<'_, ()> {
        self.step(Op::SpinUnlock { class: LockClass::PageTable, irq: false, index: u32::from(mm) })
    }

    /// down_read or down_write
    #[inline(always)]
    #[track_caller]
    pub fn down(&self, class: LockClass, write: bool, index: u32) -> LockStep<'_> {
        self.take(Want::Sem { class, write, index })
    }

    /// down_read_trylock
    #[inline(always)]
    #[track_caller]
    pub fn down_read_trylock(&self, class: LockClass, index: u32) -> Step<'_, bool> {
        self.step(Op::DownReadTrylock { class, index })
    }

    /// up_read or up_write
    #[inline(always)]
    #[track_caller]
    pub fn up(&self, class: LockClass, write: bool, index: u32) -> Step<'_, ()> {
        self.step(Op::Up { class, write, index })
    }

    /// local_irq_save
    #[inline(always)]
    #[track_caller]
    pub fn local_irq_save(&self) -> Step<'_, ()> {
        self.step(Op::Irq { off: true })
    }

    /// local_irq_restore
    #[inline(always)]
    #[track_caller]
    pub fn local_irq_restore(&self) -> Step<'_, ()> {
        self.step(Op::Irq { off: false })
    }

    /// get_cpu, get_cpu_var, local_lock: preemption off.
    #[inline(always)]
    #[track_caller]
    pub fn get_cpu(&self) -> Step<'_, ()> {
        self.step(Op::Preempt { off: true })
    }

    /// put_cpu, put_cpu_var, local_unlock: preemption on.
    #[inline(always)]
    #[track_caller]
    pub fn put_cpu(&self) -> Step<'_, ()> {
        self.step(Op::Preempt { off: false })
    }

    /// list_add at the head of an LRU list
    #[inline(always)]
    #[track_caller]
    pub fn list_add(&self, lru: u8, page: Pfn) -> Step<'_, ()> {
        self.step(Op::ListAdd { lru, page })
    }

    /// list_del from an LRU list
    #[inline(always)]
    #[track_caller]
    pub fn list_del(&self, lru: u8, page: Pfn) -> Step<'_, ()> {
        self.step(Op::ListDel { lru, page })
    }

    /// Counts a page on or off the unevictable list that has no links.
    #[inline(always)]
    #[track_caller]
    pub fn update_lru_size(&self, lru: u8, add: bool, page: Pfn) -> Step<'_, ()> {
        self.step(Op::ListSize { lru, add, page })
    }

    /// update_page_reclaim_stat
    #[inline(always)]
    #[track_caller]
    pub fn reclaim_stat(&self, zone: u8, file: bool, rotated: bool) -> Step<'_, ()> {
        self.step(Op::ReclaimStat { zone, file, rotated })
    }

    /// A pagevec of this CPU.
    #[inline(always)]
    pub fn this_cpu_pvec(&self, kind: PagevecKind) -> Pv {
        Pv { kind, owner: self.id() }
    }

    /// A pagevec on the stack of this task.
    #[inline(always)]
    pub fn stack_pvec(&self, kind: PagevecKind) -> Pv {
        Pv { kind, owner: self.task }
    }

    /// pagevec_count of a pagevec on the own stack: no step.
    #[inline(always)]
    pub fn pagevec_count(&self, pv: Pv) -> u32 {
        u32::from(self.machine().pagevec(pv).nr)
    }

    /// pvec->pages[i]: no step; none is NULL.
    #[inline(always)]
    pub fn pagevec_page(&self, pv: Pv, slot: u32) -> Option<Pfn> {
        let page = self.machine().pagevec(pv).slots[slot as usize];
        (page != NIL).then_some(page)
    }

    /// Reads how many slots of a per-CPU pagevec are filled.
    #[inline(always)]
    #[track_caller]
    pub fn read_pagevec_count(&self, pv: Pv) -> Step<'_, u32> {
        self.step(Op::ReadPagevec { pv })
    }

    /// pagevec_add: returns how many slots are filled after it.
    #[inline(always)]
    #[track_caller]
    pub fn pagevec_add(&self, pv: Pv, page: Pfn) -> Step<'_, u32> {
        self.step(Op::PvecAdd { pv, new: false, page })
    }

    /// pagevec_add of a new folio to an mlock batch: the pointer carries the NEW_FOLIO tag.
    #[inline(always)]
    #[track_caller]
    pub fn pagevec_add_new(&self, pv: Pv, page: Pfn) -> Step<'_, u32> {
        self.step(Op::PvecAdd { pv, new: true, page })
    }

    /// The slot carries the NEW_FOLIO tag.
    #[inline(always)]
    pub fn pagevec_is_new(&self, pv: Pv, slot: u32) -> bool {
        self.machine().pagevec(pv).new >> slot & 1 != 0
    }

    /// pvec->pages[i] = NULL
    #[inline(always)]
    #[track_caller]
    pub fn pagevec_null(&self, pv: Pv, slot: u32) -> Step<'_, ()> {
        self.step(Op::PvecNull { pv, slot: slot as u8 })
    }

    /// pagevec_reinit
    #[inline(always)]
    #[track_caller]
    pub fn pagevec_reinit(&self, pv: Pv) -> Step<'_, ()> {
        self.step(Op::PvecReinit { pv })
    }

    /// mod_zone_page_state: safe against interrupts.
    #[inline(always)]
    #[track_caller]
    pub fn mod_zone_page_state(&self, zone: u8, item: Stat, delta: i32) -> Step<'_, ()> {
        self.step(Op::Stat { zone, item, safe: true, delta })
    }

    /// __mod_zone_page_state: the caller sees to it that nobody interrupts.
    #[inline(always)]
    #[track_caller]
    pub fn raw_mod_zone_page_state(&self, zone: u8, item: Stat, delta: i32) -> Step<'_, ()> {
        self.step(Op::Stat { zone, item, safe: false, delta })
    }

    /// count_vm_events
    #[inline(always)]
    #[track_caller]
    pub fn count_vm_events(&self, event: Event, n: u32) -> Step<'_, ()> {
        self.step(Op::Event { event, n })
    }

    /// Takes a page off the free list of a zone.
    #[inline(always)]
    #[track_caller]
    pub fn take_free_page(&self, zone: u8, order: u8, page: Pfn) -> Step<'_, ()> {
        self.step(Op::Alloc { zone, order, page })
    }

    /// Puts a page on the free list of its zone.
    #[inline(always)]
    #[track_caller]
    pub fn give_free_page(&self, page: Pfn) -> Step<'_, ()> {
        self.step(Op::Free { page })
    }

    /// The walk to an address; true where there is a page table or a huge page.
    #[inline(always)]
    #[track_caller]
    pub fn walk_page_table(&self, mm: u8, vpn: u32) -> Step<'_, bool> {
        self.step(Op::Walk { mm, vpn })
    }

    /// Reads a PTE.
    #[inline(always)]
    #[track_caller]
    pub fn read_pte(&self, mm: u8, vpn: u32) -> Step<'_, u32> {
        self.step(Op::ReadPte { mm, vpn })
    }

    /// set_pte_at
    #[inline(always)]
    #[track_caller]
    pub fn set_pte_at(&self, mm: u8, vpn: u32, pte: u32) -> Step<'_, ()> {
        self.step(Op::SetPte { mm, vpn, pte })
    }

    /// pmd_populate
    #[inline(always)]
    #[track_caller]
    pub fn pmd_populate(&self, mm: u8, pmd: u32) -> Step<'_, ()> {
        self.step(Op::PopulatePmd { mm, pmd })
    }

    /// set_pmd_at with a huge page
    #[inline(always)]
    #[track_caller]
    pub fn set_pmd_at(&self, mm: u8, pmd: u32, page: Pfn) -> Step<'_, ()> {
        self.step(Op::SetHugePmd { mm, pmd, page })
    }

    /// vma->vm_flags, VM_LOCKED
    #[inline(always)]
    #[track_caller]
    pub fn set_vm_locked(&self, vma: VmaId, locked: bool) -> Step<'_, ()> {
        self.step(Op::SetVmLocked { mm: vma.mm, vma: vma.vma, locked })
    }

    /// A slot of a file's page cache.
    #[inline(always)]
    #[track_caller]
    pub fn set_page_cache(&self, mapping: u16, index: u32, page: Pfn) -> Step<'_, ()> {
        self.step(Op::SetCache { mapping, index, page })
    }

    /// One tail of a huge page becomes a page of its own.
    #[inline(always)]
    #[track_caller]
    pub fn split_tail(&self, head: Pfn, tail: u16) -> Step<'_, ()> {
        self.step(Op::SplitTail { head, tail })
    }

    /// The head of a huge page becomes a small page.
    #[inline(always)]
    #[track_caller]
    pub fn split_head(&self, head: Pfn) -> Step<'_, ()> {
        self.step(Op::SplitHead { head })
    }

    /// smp_mb
    #[inline(always)]
    #[track_caller]
    pub fn smp_mb(&self) -> Step<'_, ()> {
        self.step(Op::Barrier)
    }

    /// schedule(): sleeps until somebody wakes the task. A wake-up that comes before is not lost.
    #[inline(always)]
    #[track_caller]
    pub fn sleep(&self) -> Step<'_, ()> {
        self.step(Op::Sleep)
    }

    /// wake_up_process: true when the task slept.
    #[inline(always)]
    #[track_caller]
    pub fn wake_up_process(&self, task: u8) -> Step<'_, bool> {
        self.step(Op::Wake { task })
    }

    /// cond_resched without the pause and the migration: use the function.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn resched_point(&self) -> Step<'_, ()> {
        self.step(Op::CondResched)
    }

    /// The task moves to another CPU.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn migrate(&self, cpu: u8) -> Step<'_, ()> {
        self.step(Op::Migrate { cpu })
    }

    /// Where a bulk run may give control back.
    #[inline(always)]
    pub(crate) fn pause(&self) -> Pause {
        self.pause_point()
    }

    /// compound_head
    #[inline(always)]
    pub fn compound_head(&self, page: Pfn) -> Pfn {
        if self.page(page).has(PageFlag::Tail) { self.machine().compound_head(page) } else { page }
    }

    /// PageTransHuge, as a read of what cannot change for a pinned page.
    #[inline(always)]
    pub fn page_trans_huge(&self, page: Pfn) -> bool {
        self.page(page).has(PageFlag::Head)
    }

    /// page_zone
    #[inline(always)]
    pub fn page_zone(&self, page: Pfn) -> u8 {
        self.page(page).zone()
    }

    /// The middle-level entry of an address.
    #[inline(always)]
    pub fn pmd(&self, mm: u8, vpn: u32) -> crate::machine::Pmd {
        self.machine().pmd(mm, vpn)
    }
}
