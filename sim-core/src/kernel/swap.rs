//! mm/swap.c: pagevecs, the LRU drain, and how a page is freed.

use alloc::vec::Vec;

use sim_macros::{kernel, look};

use super::Patch;
use super::lru_drain::{drain_other_lists, lru_cache_add_lru, pagevec_lru_add_fn_aware, pagevec_lru_add_fn_of_list};
use super::mlock_batch::mlock_drain_local;
use super::mm_inline::{add_page_to_lru_list, del_page_from_lru_list, page_is_file_cache, page_lru};
use super::mmu_gather::release_pages_list;
use super::page_free::free_unref_page;
use super::swap_lazy::{lru_deactivate_fn, lru_lazyfree_fn};
use crate::engine::Cpu;
use crate::ledger::Site;
use crate::machine::{Event, PageFlag, Pfn, Pv};
use crate::op::Held;
use crate::view::PagevecKind;

/// Puts a page into this CPU's lru_add pagevec, which takes a reference of its own.
///
/// Until 4.6 a full pagevec is drained before the add, so that it can stand at its full size; from 4.7 on after it,
/// and for every compound page.
#[kernel("mm/swap.c", "3.11")]
pub async fn lru_cache_add(cpu: &Cpu, page: Pfn) {
    if cpu.has(Patch::ListPvecs) {
        lru_cache_add_lru(cpu, page, page_lru(cpu, page)).await;
        return;
    }
    cpu.get_cpu().await;
    let pvec = cpu.this_cpu_pvec(PagevecKind::LruAdd);
    cpu.get_page(page, Site::LruCacheAdd, Held::Slot).await;
    if cpu.has(Patch::DrainWhenFull) {
        let filled = cpu.pagevec_add(pvec, page).await;
        if filled == cpu.pagevec_size() || cpu.page_trans_huge(page) {
            __pagevec_lru_add(cpu, pvec, Held::Slot).await;
        }
    } else {
        if cpu.read_pagevec_count(pvec).await == cpu.pagevec_size() {
            __pagevec_lru_add(cpu, pvec, Held::Slot).await;
        }
        cpu.pagevec_add(pvec, page).await;
    }
    cpu.put_cpu().await;
}

/// Drains this CPU's pagevecs; from 5.18 on its mlock batch too.
#[kernel("mm/swap.c", "3.11")]
pub async fn lru_add_drain(cpu: &Cpu) {
    cpu.get_cpu().await;
    lru_add_drain_cpu(cpu).await;
    cpu.put_cpu().await;
    if cpu.has(Patch::MlockBatch) {
        mlock_drain_local(cpu).await;
    }
}

/// Drains each pagevec that is not empty: lru_add (3.2: of each list in LRU order), rotate, deactivate, activate.
#[kernel("mm/swap.c", "3.11")]
pub async fn lru_add_drain_cpu(cpu: &Cpu) {
    let lru_add = cpu.this_cpu_pvec(PagevecKind::LruAdd);
    if cpu.read_pagevec_count(lru_add).await > 0 {
        __pagevec_lru_add(cpu, lru_add, Held::Slot).await;
    }
    if cpu.has(Patch::ListPvecs) {
        drain_other_lists(cpu).await;
    }
    let rotate = cpu.this_cpu_pvec(PagevecKind::LruRotate);
    if cpu.read_pagevec_count(rotate).await > 0 {
        cpu.local_irq_save().await;
        pagevec_move(cpu, rotate, Move::Rotate).await;
        cpu.local_irq_restore().await;
    }
    let deactivate = cpu.this_cpu_pvec(PagevecKind::LruDeactivate);
    if cpu.read_pagevec_count(deactivate).await > 0 {
        pagevec_move(cpu, deactivate, Move::Deactivate).await;
    }
    let activate = cpu.this_cpu_pvec(PagevecKind::Activate);
    if cpu.read_pagevec_count(activate).await > 0 {
        pagevec_move(cpu, activate, Move::Activate).await;
    }
}

/// `__pagevec_lru_add`: puts every page of a pagevec on the list that its flags name, relocking where the zone
/// changes, then drops the reference that the slot stands for.
#[kernel("mm/swap.c", "3.11")]
pub async fn __pagevec_lru_add(cpu: &Cpu, pvec: Pv, held: Held) {
    let mut locked = None;
    for slot in 0..cpu.pagevec_count(pvec) {
        let Some(page) = cpu.pagevec_page(pvec, slot) else { continue };
        let zone = cpu.page_zone(page);
        if locked != Some(zone) {
            if let Some(old) = locked {
                cpu.unlock_lru_irq(old).await;
            }
            cpu.lock_lru_irq(zone).await;
            locked = Some(zone);
        }
        if cpu.has(Patch::ListPvecs) {
            pagevec_lru_add_fn_of_list(cpu, page, list_of(cpu, pvec, page)).await;
        } else {
            __pagevec_lru_add_fn(cpu, page).await;
        }
    }
    if let Some(zone) = locked {
        cpu.unlock_lru_irq(zone).await;
    }
    release_pages(cpu, pvec, held).await;
    cpu.pagevec_reinit(pvec).await;
}

/// `__pagevec_lru_add_fn`: sets PG_lru and links the page. From 4.16 on it decides here whether the page is evictable.
/// From 5.18 on PG_lru comes last, without a barrier, and a page that is not evictable starts with mlock_count 0.
#[kernel("mm/swap.c", "3.11")]
pub async fn __pagevec_lru_add_fn(cpu: &Cpu, page: Pfn) {
    if cpu.has(Patch::AwareDrain) {
        pagevec_lru_add_fn_aware(cpu, page, page_lru(cpu, page)).await;
        return;
    }
    if cpu.has(Patch::DrainDecides) {
        let was_unevictable = cpu.test_clear_page_unevictable(page).await;
        if !cpu.has(Patch::MlockBatch) {
            cpu.set_page_lru(page).await;
            cpu.smp_mb().await;
        }
        if cpu.page_evictable(page).await {
            if was_unevictable {
                cpu.count_vm_events(Event::Rescued, 1).await;
            }
        } else {
            cpu.clear_page_active(page).await;
            cpu.set_page_unevictable(page).await;
            if cpu.has(Patch::MlockBatch) {
                cpu.set_mlock_count(page, 0).await;
            }
            if !was_unevictable {
                cpu.count_vm_events(Event::Culled, 1).await;
            }
        }
    } else {
        cpu.set_page_lru(page).await;
    }
    let lru = page_lru(cpu, page);
    add_page_to_lru_list(cpu, page, lru).await;
    if cpu.has(Patch::MlockBatch) {
        cpu.set_page_lru(page).await;
    }
    if !cpu.has(Patch::DrainDecides) {
        let active = cpu.page(page).has(PageFlag::Active);
        cpu.reclaim_stat(cpu.page_zone(page), page_is_file_cache(cpu, page), active).await;
    }
}

/// What a drain of the other pagevecs does with a page that is on a list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// To the tail of the inactive list; modelled as a move to its head.
    Rotate,
    /// From the active to the inactive list.
    Deactivate,
    /// From the inactive to the active list.
    Activate,
}

/// `pagevec_lru_move_fn` for the rotate, deactivate and activate pagevecs. Departs from 3.11 in one point: a rotated
/// page goes to the head of its list, since lists here are inserted into at the head only.
#[kernel("mm/swap.c", "3.11")]
pub async fn pagevec_move(cpu: &Cpu, pvec: Pv, how: Move) {
    let mut locked = None;
    for slot in 0..cpu.pagevec_count(pvec) {
        let Some(page) = cpu.pagevec_page(pvec, slot) else { continue };
        let zone = cpu.page_zone(page);
        if locked != Some(zone) {
            if let Some(old) = locked {
                cpu.unlock_lru_irq(old).await;
            }
            cpu.lock_lru_irq(zone).await;
            locked = Some(zone);
        }
        if how == Move::Deactivate && cpu.has(Patch::LazyFileList) {
            lru_lazyfree_fn(cpu, page).await;
            continue;
        }
        if how == Move::Deactivate && cpu.has(Patch::LazyUnmap) {
            lru_deactivate_fn(cpu, page).await;
            continue;
        }
        let listed = cpu.page(page);
        if !listed.has(PageFlag::Lru) || listed.has(PageFlag::Unevictable) {
            continue;
        }
        del_page_from_lru_list(cpu, page, listed.lru()).await;
        if how == Move::Activate {
            cpu.set_page_active(page).await;
            cpu.count_vm_events(Event::Activate, 1).await;
        } else if how == Move::Deactivate {
            cpu.clear_page_active(page).await;
        }
        add_page_to_lru_list(cpu, page, page_lru(cpu, page)).await;
    }
    if let Some(zone) = locked {
        cpu.unlock_lru_irq(zone).await;
    }
    release_pages(cpu, pvec, Held::Slot).await;
    cpu.pagevec_reinit(pvec).await;
}

/// Puts a page straight on the unevictable list. Up to 3.11-rc3 PG_active survived this.
#[kernel("mm/swap.c", "3.11")]
pub async fn add_page_to_unevictable_list(cpu: &Cpu, page: Pfn) {
    let zone = cpu.page_zone(page);
    cpu.lock_lru_irq(zone).await;
    if cpu.has(Patch::ClearActive) {
        cpu.clear_page_active(page).await;
    }
    cpu.set_page_unevictable(page).await;
    cpu.set_page_lru(page).await;
    let lru = page_lru(cpu, page);
    add_page_to_lru_list(cpu, page, lru).await;
    cpu.unlock_lru_irq(zone).await;
}

/// Drops one reference of every page of a pagevec; frees those that nobody holds any more.
///
/// One lru_lock is kept across consecutive dead pages of a zone. Departs from 3.11 in freeing each page at once
/// instead of collecting a private list.
#[kernel("mm/swap.c", "3.11")]
pub async fn release_pages(cpu: &Cpu, pvec: Pv, held: Held) {
    if cpu.has(Patch::PageAllocator) {
        release_pagevec(cpu, pvec, held).await;
        return;
    }
    for slot in 0..cpu.pagevec_count(pvec) {
        let Some(page) = cpu.pagevec_page(pvec, slot) else { continue };
        if cpu.put_page_testzero(page, Site::ReleasePages, held).await {
            free_dead_page(cpu, page, Site::ReleasePages).await;
        }
    }
}

/// release_pages of the kernels whose page allocator is modelled: of one zone, and the dead pages are freed together.
#[kernel("mm/swap.c", "4.15")]
pub async fn release_pagevec(cpu: &Cpu, pvec: Pv, held: Held) {
    let mut pages = Vec::new();
    for slot in 0..cpu.pagevec_count(pvec) {
        pages.extend(cpu.pagevec_page(pvec, slot));
    }
    release_pages_list(cpu, 0, &pages, held).await;
}

/// `pagevec_release`: a local drain, then the references.
#[kernel("mm/swap.c", "3.13")]
pub async fn pagevec_release(cpu: &Cpu, pvec: Pv, held: Held) {
    if cpu.pagevec_count(pvec) == 0 {
        return;
    }
    lru_add_drain(cpu).await;
    release_pages(cpu, pvec, held).await;
    cpu.pagevec_reinit(pvec).await;
}

/// Drops a reference; whoever drops the last one frees the page.
#[kernel("mm/swap.c", "3.11")]
pub async fn put_page(cpu: &Cpu, page: Pfn, held: Held) {
    if cpu.put_page_testzero(page, Site::PutPage, held).await {
        free_dead_page(cpu, cpu.compound_head(page), Site::PutPage).await;
    }
}

/// `__page_cache_release` and the free: takes the page off its list, under lru_lock, and gives it back. release_pages
/// clears PG_active once more, atomically.
#[kernel("mm/swap.c", "3.11")]
pub async fn free_dead_page(cpu: &Cpu, page: Pfn, dropped_by: Site) {
    let dead = cpu.page(page);
    if dead.has(PageFlag::Lru) {
        let zone = dead.zone();
        cpu.lock_lru_irq(zone).await;
        cpu.plain_clear_page_lru(page).await;
        del_page_from_lru_list(cpu, page, dead.lru()).await;
        if dead.has(PageFlag::Unevictable) {
            cpu.plain_clear_page_unevictable(page).await;
        }
        if dead.has(PageFlag::Active) {
            cpu.plain_clear_page_active(page).await;
        }
        cpu.unlock_lru_irq(zone).await;
    }
    if dropped_by == Site::ReleasePages {
        cpu.clear_page_active(page).await;
    }
    if cpu.has(Patch::PageAllocator) {
        free_unref_page(cpu, page, 0).await;
        return;
    }
    cpu.count_vm_events(Event::Free, 1 << dead.order()).await;
    cpu.give_free_page(page).await;
}

/// unlock_page: clears the bit and wakes one waiter if there is any.
#[kernel("mm/filemap.c", "3.11")]
pub async fn unlock_page(cpu: &Cpu, page: Pfn) {
    cpu.clear_page_locked(page).await;
    if cpu.waitqueue_active(page).await {
        cpu.wake_up_page(page).await;
    }
}

/// cond_resched: another task may run here, and this one may be moved to another CPU.
#[kernel("kernel/sched/core.c", "3.11", pauses_last)]
pub async fn cond_resched(cpu: &Cpu) {
    cpu.resched_point().await;
    if let Some(to) = cpu.migration() {
        cpu.migrate(to).await;
    }
    cpu.pause().await;
}

/// For which list a pagevec of 3.2 holds its pages; those on stacks go by the flags.
#[look]
#[inline(always)]
fn list_of(cpu: &Cpu, pvec: Pv, page: Pfn) -> u8 {
    pvec.kind.list().unwrap_or(cpu.page(page).lru())
}
