//! mm/mlock.c of 5.18 and later: per-CPU mlock batches, no page lock, no reverse map walk.

use sim_macros::kernel;

use super::Patch;
use super::memory::vm_normal_page;
use super::mlock_pagevec::table_of;
use super::mm_inline::{add_page_to_lru_list, del_page_from_lru_list, page_lru, zone_and_size};
use super::swap::{cond_resched, free_dead_page, lru_add_drain};
use crate::engine::{Cpu, Milestone};
use crate::ledger::Site;
use crate::machine::{Event, PTRS_PER_PTE, PageFlag, Pfn, Pmd, Pv, Stat, VmaId};
use crate::op::Held;
use crate::view::PagevecKind;

/// mlock or munlock of a range: the new VM_LOCKED, then a walk of the page tables between two local drains. Only
/// munlock is modelled here; mlock of pages that are present already is [`mlock_folio`] for each.
#[kernel("mm/mlock.c", "5.18", pauses)]
pub async fn mlock_vma_pages_range(cpu: &Cpu, vma: VmaId, start: u32, end: u32, locked: bool) {
    cpu.set_vm_locked(vma, locked).await;
    lru_add_drain(cpu).await;
    let mut addr = start;
    while addr < end {
        let next = end.min((addr / PTRS_PER_PTE + 1) * PTRS_PER_PTE);
        mlock_pte_range(cpu, vma, start, addr, next).await;
        addr = next;
    }
    lru_add_drain(cpu).await;
    cpu.milestone(Milestone::RangeDone);
}

/// One page table of the walk, under one ptl.
#[kernel("mm/mlock.c", "5.18", pauses)]
pub async fn mlock_pte_range(cpu: &Cpu, vma: VmaId, first: u32, start: u32, end: u32) {
    cpu.walk_page_table(vma.mm, start).await;
    let Some(table) = table_of(cpu, vma, start) else {
        mlock_huge_pmd(cpu, vma, first, start).await;
        return;
    };
    cpu.lock_ptl(table).await;
    for addr in start..end {
        cpu.milestone(Milestone::LoopAt(addr - first));
        if let Some(folio) = vm_normal_page(cpu.read_pte(vma.mm, addr).await) {
            munlock_folio(cpu, folio).await;
        }
    }
    cpu.unlock_ptl(table).await;
    cond_resched(cpu).await;
}

/// A huge page that the pmd maps: one folio under the pmd lock.
#[kernel("mm/mlock.c", "5.18", pauses)]
pub async fn mlock_huge_pmd(cpu: &Cpu, vma: VmaId, first: u32, addr: u32) {
    cpu.milestone(Milestone::LoopAt(addr - first));
    let Pmd::Huge(folio) = cpu.pmd(vma.mm, addr) else { return };
    cpu.lock_page_table(vma.mm).await;
    munlock_folio(cpu, folio).await;
    cpu.unlock_page_table(vma.mm).await;
    cond_resched(cpu).await;
}

/// Puts a folio into this CPU's mlock batch; a full batch, or a large folio, is processed at once (under the ptl).
#[kernel("mm/mlock.c", "5.18")]
pub async fn munlock_folio(cpu: &Cpu, folio: Pfn) {
    cpu.get_cpu().await;
    let batch = cpu.this_cpu_pvec(PagevecKind::Mlock);
    cpu.get_page(folio, Site::MlockBatch, Held::Slot).await;
    let filled = cpu.pagevec_add(batch, folio).await;
    if filled == cpu.pagevec_size() || cpu.page_trans_huge(folio) {
        mlock_folio_batch(cpu, batch).await;
    }
    cpu.put_cpu().await;
}

/// mlock of a folio that is mapped already: PG_mlocked at once, the list and the count through the batch. Departs from
/// 5.18 in processing it at once, as a batch of one.
#[kernel("mm/mlock.c", "5.18")]
pub async fn mlock_folio(cpu: &Cpu, folio: Pfn) {
    cpu.get_cpu().await;
    if !cpu.test_set_page_mlocked(folio).await {
        let (zone, nr) = zone_and_size(cpu, folio);
        cpu.mod_zone_page_state(zone, Stat::Mlock, nr).await;
        cpu.count_vm_events(Event::Mlocked, nr as u32).await;
    }
    cpu.get_page(folio, Site::MlockBatch, Held::Pin).await;
    let mut locked = None;
    mlock_folio_one(cpu, folio, &mut locked).await;
    if let Some(zone) = locked {
        cpu.unlock_lru_irq(zone).await;
    }
    if cpu.put_page_testzero(folio, Site::ReleasePages, Held::Pin).await {
        free_dead_page(cpu, folio, Site::PutPage).await;
    }
    cpu.put_cpu().await;
}

/// `__mlock_folio`: a folio on the unevictable list counts one mlock more, another one goes there. A folio that is on
/// no list is left to whoever has it; one that has been munlocked meanwhile goes where it belongs.
#[kernel("mm/mlock.c", "5.18")]
pub async fn mlock_folio_one(cpu: &Cpu, folio: Pfn, locked: &mut Option<u8>) {
    if !cpu.test_clear_page_lru(folio).await {
        return;
    }
    relock_lruvec_irq(cpu, folio, locked).await;
    let unevictable = cpu.test_page(PageFlag::Unevictable, folio).await;
    let nr = cpu.page(folio).nr();
    if cpu.page_evictable(folio).await {
        if unevictable {
            del_page_from_lru_list(cpu, folio, page_lru(cpu, folio)).await;
            cpu.clear_page_unevictable(folio).await;
            lruvec_add_folio(cpu, folio).await;
            cpu.count_vm_events(Event::Rescued, nr).await;
        }
    } else if unevictable {
        if cpu.test_page(PageFlag::Mlocked, folio).await {
            let count = cpu.mlock_count(folio).await;
            cpu.set_mlock_count(folio, count + 1).await;
        }
    } else {
        del_page_from_lru_list(cpu, folio, page_lru(cpu, folio)).await;
        cpu.clear_page_active(folio).await;
        cpu.set_page_unevictable(folio).await;
        let mlocked = cpu.test_page(PageFlag::Mlocked, folio).await;
        cpu.set_mlock_count(folio, u32::from(mlocked)).await;
        add_page_to_lru_list(cpu, folio, page_lru(cpu, folio)).await;
        cpu.count_vm_events(Event::Culled, nr).await;
    }
    cpu.set_page_lru(folio).await;
}

/// A new folio in a locked VMA: PG_mlocked at once, the list through the batch.
#[kernel("mm/mlock.c", "5.18")]
pub async fn mlock_new_folio(cpu: &Cpu, folio: Pfn) {
    cpu.get_cpu().await;
    let batch = cpu.this_cpu_pvec(PagevecKind::Mlock);
    cpu.test_set_page_mlocked(folio).await;
    let (zone, nr) = zone_and_size(cpu, folio);
    cpu.mod_zone_page_state(zone, Stat::Mlock, nr).await;
    cpu.count_vm_events(Event::Mlocked, nr as u32).await;
    cpu.get_page(folio, Site::MlockBatch, Held::Slot).await;
    let filled = cpu.pagevec_add_new(batch, folio).await;
    if filled == cpu.pagevec_size() || cpu.page_trans_huge(folio) {
        mlock_folio_batch(cpu, batch).await;
    }
    cpu.put_cpu().await;
}

/// mlock_drain_local: what waits in this CPU's mlock batch is processed.
#[kernel("mm/mlock.c", "5.18")]
pub async fn mlock_drain_local(cpu: &Cpu) {
    cpu.get_cpu().await;
    let batch = cpu.this_cpu_pvec(PagevecKind::Mlock);
    if cpu.read_pagevec_count(batch).await > 0 {
        mlock_folio_batch(cpu, batch).await;
    }
    cpu.put_cpu().await;
}

/// Processes a batch: each folio by its handler, one lru_lock kept while the zone stays the same, then the references.
/// An entry without the NEW_FOLIO tag is munlocked.
#[kernel("mm/mlock.c", "5.18")]
pub async fn mlock_folio_batch(cpu: &Cpu, batch: Pv) {
    let mut locked = None;
    for slot in 0..cpu.pagevec_count(batch) {
        let Some(folio) = cpu.pagevec_page(batch, slot) else { continue };
        if cpu.pagevec_is_new(batch, slot) {
            relock_lruvec_irq(cpu, folio, &mut locked).await;
            mlock_new_folio_one(cpu, folio).await;
        } else {
            munlock_folio_one(cpu, folio, &mut locked).await;
        }
    }
    if let Some(zone) = locked {
        cpu.unlock_lru_irq(zone).await;
    }
    for slot in 0..cpu.pagevec_count(batch) {
        let Some(folio) = cpu.pagevec_page(batch, slot) else { continue };
        if cpu.put_page_testzero(folio, Site::ReleasePages, Held::Slot).await {
            free_dead_page(cpu, folio, Site::PutPage).await;
        }
    }
    cpu.pagevec_reinit(batch).await;
}

/// folio_lruvec_relock_irq: keeps the lock while the zone stays the same.
#[kernel("mm/mlock.c", "5.18")]
pub async fn relock_lruvec_irq(cpu: &Cpu, folio: Pfn, locked: &mut Option<u8>) {
    let zone = cpu.page_zone(folio);
    if *locked == Some(zone) {
        return;
    }
    if let Some(old) = locked.take() {
        cpu.unlock_lru_irq(old).await;
    }
    cpu.lock_lru_irq(zone).await;
    *locked = Some(zone);
}

/// `__mlock_new_folio`: counts the folio as unevictable, with mlock_count 1.
#[kernel("mm/mlock.c", "5.18")]
pub async fn mlock_new_folio_one(cpu: &Cpu, folio: Pfn) {
    if !cpu.page_evictable(folio).await {
        cpu.set_page_unevictable(folio).await;
        cpu.set_mlock_count(folio, 1).await;
        cpu.count_vm_events(Event::Culled, cpu.page(folio).nr()).await;
    }
    add_page_to_lru_list(cpu, folio, page_lru(cpu, folio)).await;
    cpu.set_page_lru(folio).await;
}

/// `__munlock_folio`: PG_lru is test-and-cleared before the lock; the last mlock_count takes PG_mlocked; only then is
/// evictability looked at.
#[kernel("mm/mlock.c", "5.18")]
pub async fn munlock_folio_one(cpu: &Cpu, folio: Pfn, locked: &mut Option<u8>) {
    let isolated = cpu.test_clear_page_lru(folio).await;
    let mut unevictable = cpu.page(folio).has(PageFlag::Unevictable);
    if isolated {
        relock_lruvec_irq(cpu, folio, locked).await;
        unevictable = cpu.test_page(PageFlag::Unevictable, folio).await;
        if unevictable && another_mlock_remains(cpu, folio).await {
            cpu.set_page_lru(folio).await;
            return;
        }
    }
    let (zone, nr) = zone_and_size(cpu, folio);
    if cpu.test_clear_page_mlocked(folio).await {
        cpu.mod_zone_page_state(zone, Stat::Mlock, -nr).await;
        let event = if isolated || !unevictable { Event::Munlocked } else { Event::Stranded };
        cpu.count_vm_events(event, nr as u32).await;
    }
    if isolated && unevictable && cpu.page_evictable(folio).await {
        del_page_from_lru_list(cpu, folio, page_lru(cpu, folio)).await;
        cpu.clear_page_unevictable(folio).await;
        lruvec_add_folio(cpu, folio).await;
        cpu.count_vm_events(Event::Rescued, nr as u32).await;
    }
    if isolated {
        cpu.set_page_lru(folio).await;
    }
}

/// Counts mlock_count down; true while another mlock of the folio remains.
#[kernel("mm/mlock.c", "5.18")]
pub async fn another_mlock_remains(cpu: &Cpu, folio: Pfn) -> bool {
    let count = cpu.mlock_count(folio).await;
    if count > 0 {
        cpu.set_mlock_count(folio, count - 1).await;
    }
    count > 1
}

/// lruvec_add_folio: the inactive list, or with MGLRU the youngest generation, which counts as active; adding to a
/// generation rewrites the flag word once more.
#[kernel("include/linux/mm_inline.h", "5.18")]
pub async fn lruvec_add_folio(cpu: &Cpu, folio: Pfn) {
    if cpu.has(Patch::Mglru) {
        cpu.set_page_active(folio).await;
    }
    add_page_to_lru_list(cpu, folio, page_lru(cpu, folio)).await;
}
