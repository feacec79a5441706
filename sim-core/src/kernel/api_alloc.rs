//! The vocabulary of the page allocator: each method is one micro-operation, or a look at what nobody else can change.

use sim_macros::primitives;

use crate::engine::Want;
use crate::engine::{Cpu, LockStep, Step};
use crate::kernel::Patch;
use crate::machine::{AreaList, LockClass, MigrateType, NIL, NR_PCP_LISTS, PcpField, Pfn, order_to_pindex};
use crate::op::{Op, Read};

#[primitives]

impl Cpu {
    /// spin_lock(&zone->lock), with interrupts off from here where `irq`.
    #[inline(always)]
    #[track_caller]
    pub fn lock_zone(&self, zone: u8, irq: bool) -> LockStep<'_> {
        self.take(Want::Spin { class: LockClass::Zone, irq, index: u32::from(zone) })
    }

    /// spin_unlock(&zone->lock)
    #[inline(always)]
    #[track_caller]
    pub fn unlock_zone(&self, zone: u8, irq: bool) -> Step<'_, ()> {
        self.step(Op::SpinUnlock { class: LockClass::Zone, irq, index: u32::from(zone) })
    }

    /// pcp_spin_trylock: the lock of this CPU's lists.
    #[inline(always)]
    #[track_caller]
    pub fn trylock_pcp(&self, zone: u8) -> Step<'_, bool> {
        let index = u32::from(zone) << 8 | u32::from(self.id());
        self.step(Op::SpinTrylock { class: LockClass::Pcp, index })
    }

    /// spin_lock(&pcp->lock) of any CPU.
    #[inline(always)]
    #[track_caller]
    pub fn lock_pcp_of(&self, zone: u8, cpu: u8) -> LockStep<'_> {
        self.take(Want::Spin { class: LockClass::Pcp, irq: false, index: u32::from(zone) << 8 | u32::from(cpu) })
    }

    /// spin_unlock(&pcp->lock) of any CPU.
    #[inline(always)]
    #[track_caller]
    pub fn unlock_pcp_of(&self, zone: u8, cpu: u8) -> Step<'_, ()> {
        self.step(Op::SpinUnlock { class: LockClass::Pcp, irq: false, index: u32::from(zone) << 8 | u32::from(cpu) })
    }

    /// list_add or list_add_tail
    #[inline(always)]
    #[track_caller]
    pub fn area_add(&self, list: AreaList, tail: bool, page: Pfn) -> Step<'_, ()> {
        self.step(Op::AreaAdd { list, tail, page })
    }

    /// list_del
    #[inline(always)]
    #[track_caller]
    pub fn area_del(&self, list: AreaList, page: Pfn) -> Step<'_, ()> {
        self.step(Op::AreaDel { list, page })
    }

    /// The step of list_for_each_entry_safe: the next page is read, this one's links may be used again.
    #[inline(always)]
    #[track_caller]
    pub fn area_next(&self, list: AreaList, page: Pfn) -> Step<'_, ()> {
        self.step(Op::AreaNext { list, page })
    }

    /// list_empty; `again` where more of the same list is wanted.
    #[inline(always)]
    #[track_caller]
    pub fn area_empty(&self, zone: u8, list: AreaList, again: bool) -> Step<'_, bool> {
        self.step(Op::AreaEmpty { list, again, zone })
    }

    /// PageBuddy and page_order: order + 1, or 0.
    #[inline(always)]
    #[track_caller]
    pub fn read_buddy(&self, page: Pfn) -> Step<'_, u32> {
        self.step(Op::Read { what: Read::Buddy, page })
    }

    /// The same of the higher buddy.
    #[inline(always)]
    #[track_caller]
    pub fn read_higher_buddy(&self, page: Pfn) -> Step<'_, u32> {
        self.step(Op::Read { what: Read::HigherBuddy, page })
    }

    /// The fields that must be clear: true when they are.
    #[inline(always)]
    #[track_caller]
    pub fn check_page(&self, page: Pfn) -> Step<'_, bool> {
        self.step(Op::Read { what: Read::PageCheck, page })
    }

    /// get_pcppage_migratetype
    #[inline(always)]
    #[track_caller]
    pub fn read_pcp_type(&self, page: Pfn) -> Step<'_, u32> {
        self.step(Op::Read { what: Read::PcpType, page })
    }

    /// get_pfnblock_migratetype: one word of the bitmap.
    #[inline(always)]
    #[track_caller]
    pub fn read_pageblock(&self, page: Pfn) -> Step<'_, u32> {
        self.step(Op::Read { what: Read::Pageblock, page })
    }

    /// set_pageblock_migratetype
    #[inline(always)]
    #[track_caller]
    pub fn set_pageblock(&self, page: Pfn, mt: MigrateType) -> Step<'_, ()> {
        self.step(Op::SetPageblock { page, mt })
    }

    /// set_pcppage_migratetype
    #[inline(always)]
    #[track_caller]
    pub fn set_pcp_type(&self, page: Pfn, mt: MigrateType) -> Step<'_, ()> {
        self.step(Op::SetPcpType { page, mt })
    }

    /// set_page_order
    #[inline(always)]
    #[track_caller]
    pub fn set_buddy(&self, page: Pfn, order: u8) -> Step<'_, ()> {
        self.step(Op::SetBuddy { order, page })
    }

    /// rmv_page_order
    #[inline(always)]
    #[track_caller]
    pub fn clear_buddy(&self, page: Pfn) -> Step<'_, ()> {
        self.step(Op::ClearBuddy { page })
    }

    /// area->nr_free, one up or one down.
    #[inline(always)]
    #[track_caller]
    pub fn add_nr_free(&self, zone: u8, order: u8, add: bool) -> Step<'_, ()> {
        self.step(Op::NrFree { zone, order, add })
    }

    /// zone->nr_isolate_pageblock, one up or one down.
    #[inline(always)]
    #[track_caller]
    pub fn add_nr_isolate(&self, zone: u8, add: bool) -> Step<'_, ()> {
        self.step(Op::NrIsolate { zone, add })
    }

    /// has_isolate_pageblock
    #[inline(always)]
    #[track_caller]
    pub fn has_isolate_pageblock(&self, zone: u8) -> Step<'_, bool> {
        self.step(Op::ReadIsolate { zone })
    }

    /// Reads a number of a pageset that somebody else may change.
    #[inline(always)]
    #[track_caller]
    pub fn read_pcp(&self, zone: u8, field: PcpField) -> Step<'_, u32> {
        self.step(Op::ReadPcp { zone, cpu: self.id(), field })
    }

    /// Writes a number of this CPU's pageset.
    #[inline(always)]
    #[track_caller]
    pub fn set_pcp(&self, zone: u8, field: PcpField, value: u32) -> Step<'_, ()> {
        self.step(Op::SetPcp { zone, cpu: self.id(), field, value })
    }

    /// Writes a number of any CPU's pageset.
    #[inline(always)]
    #[track_caller]
    pub fn set_pcp_of(&self, zone: u8, cpu: u8, field: PcpField, value: u32) -> Step<'_, ()> {
        self.step(Op::SetPcp { zone, cpu, field, value })
    }

    /// set_bit or clear_bit of ZONE_BELOW_HIGH
    #[inline(always)]
    #[track_caller]
    pub fn set_below_high(&self, zone: u8, on: bool) -> Step<'_, ()> {
        self.step(Op::ZoneBelowHigh { zone, on })
    }

    /// zone_page_state(zone, NR_FREE_PAGES)
    #[inline(always)]
    #[track_caller]
    pub fn zone_free_pages(&self, zone: u8) -> Step<'_, u32> {
        self.step(Op::ReadFreePages { zone })
    }

    /// prep_new_page
    #[inline(always)]
    #[track_caller]
    pub fn prep_new_page(&self, page: Pfn, order: u8) -> Step<'_, ()> {
        self.step(Op::PrepareNew { page, order })
    }

    /// free_pages_prepare
    #[inline(always)]
    #[track_caller]
    pub fn free_pages_prepare(&self, page: Pfn, order: u8) -> Step<'_, ()> {
        self.step(Op::PrepareFree { page, order })
    }

    /// prefetch
    #[inline(always)]
    #[track_caller]
    pub fn prefetch(&self, page: Pfn) -> Step<'_, ()> {
        self.step(Op::Prefetch { page })
    }

    /// ptep_get_and_clear
    #[inline(always)]
    #[track_caller]
    pub fn ptep_get_and_clear(&self, mm: u8, vpn: u32) -> Step<'_, u32> {
        self.step(Op::GetClearPte { mm, vpn })
    }

    /// The flush of tlb_flush_mmu_tlbonly.
    #[inline(always)]
    #[track_caller]
    pub fn flush_tlb_mm(&self, mm: u8) -> Step<'_, ()> {
        self.step(Op::FlushTlbMm { mm })
    }

    /// This CPU's list for blocks of an order and a type: no step. Huge pages have two lists from 6.11 on, which is
    /// told by the patch of 6.16.
    #[inline(always)]
    pub fn pcp_list(&self, order: u8, mt: MigrateType) -> AreaList {
        if order == 0 {
            return AreaList::Pcp { cpu: self.id(), mt };
        }
        AreaList::of_pindex(self.id(), order_to_pindex(order, mt, self.has(Patch::ClaimSteal)))
    }

    /// NR_PCP_LISTS: no step.
    #[inline(always)]
    pub fn nr_pcp_lists(&self) -> u8 {
        NR_PCP_LISTS - u8::from(!self.has(Patch::ClaimSteal))
    }

    /// A number of this CPU's pageset: no step.
    #[inline(always)]
    pub fn pcp(&self, zone: u8, field: PcpField) -> u32 {
        self.pcp_of(zone, self.id(), field)
    }

    /// A number of a pageset: no step.
    #[inline(always)]
    pub fn pcp_of(&self, zone: u8, cpu: u8, field: PcpField) -> u32 {
        self.machine().buddy(zone).map_or(0, |buddy| buddy.pcp[cpu as usize].get(field))
    }

    /// First page of a list, under whatever guards it: no step.
    #[inline(always)]
    pub fn area_head(&self, zone: u8, list: AreaList) -> Option<Pfn> {
        let page = self.machine().buddy(zone).map_or(NIL, |buddy| buddy.list(list).head);
        (page != NIL).then_some(page)
    }

    /// Last page of a list: no step.
    #[inline(always)]
    pub fn area_tail(&self, zone: u8, list: AreaList) -> Option<Pfn> {
        let page = self.machine().buddy(zone).map_or(NIL, |buddy| buddy.list(list).tail);
        (page != NIL).then_some(page)
    }

    /// Blocks of an order, all types together: no step.
    #[inline(always)]
    pub fn nr_free(&self, zone: u8, order: u8) -> u32 {
        self.machine().buddy(zone).map_or(0, |buddy| buddy.nr_free[order as usize])
    }

    /// The list that a free block is on; its order is in its page.
    #[inline(always)]
    pub fn list_of_block(&self, zone: u8, page: Pfn) -> AreaList {
        let order = self.page(page).order();
        let machine = self.machine();
        let at = page - machine.zones[zone as usize].start;
        let mt = machine.buddy(zone).map_or(0, |buddy| u32::from(buddy.on[at as usize]));
        AreaList::Free { order, mt: MigrateType::from_index(mt) }
    }

    /// First and last-but-one frame of a zone: no step.
    #[inline(always)]
    pub fn zone_frames(&self, zone: u8) -> (Pfn, Pfn) {
        let machine = self.machine();
        let zone = &machine.zones[zone as usize];
        (zone.start, zone.end)
    }

    /// A watermark: 0 min, 1 low, 2 high. No step.
    #[inline(always)]
    pub fn watermark(&self, zone: u8, mark: usize) -> u32 {
        self.machine().buddy(zone).map_or(0, |buddy| buddy.watermark[mark])
    }

    /// nr_reserved_highatomic: no step.
    #[inline(always)]
    pub fn reserved_highatomic(&self, zone: u8) -> u32 {
        self.machine().buddy(zone).map_or(0, |buddy| buddy.nr_reserved_highatomic)
    }

    /// ZONE_BELOW_HIGH: no step.
    #[inline(always)]
    pub fn below_high(&self, zone: u8) -> bool {
        self.machine().buddy(zone).is_some_and(|buddy| buddy.below_high)
    }

    /// ZONE_RECLAIM_ACTIVE: no step.
    #[inline(always)]
    pub fn reclaim_active(&self, zone: u8) -> bool {
        self.machine().buddy(zone).is_some_and(|buddy| buddy.reclaim_active)
    }
}
