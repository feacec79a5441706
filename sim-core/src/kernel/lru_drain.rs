//! mm/swap.c: lru_add_drain_all, from every CPU each time to only those that have something.

use sim_macros::{kernel, look};

use super::Patch;
use super::mm_inline::{add_page_to_lru_list, del_page_from_lru_list, page_is_file_cache, page_lru};
use super::swap::{__pagevec_lru_add, lru_add_drain};
use super::workqueue::{flush_work, schedule_work_on};
use crate::engine::Cpu;
use crate::ledger::Site;
use crate::machine::{LockClass, PageFlag, Pfn, Pv, WorkId};
use crate::op::Held;
use crate::view::PagevecKind;

const LRU_ACTIVE_ANON: u8 = 1;
const LRU_ACTIVE_FILE: u8 = 3;
const LRU_UNEVICTABLE: u8 = 4;
/// NR_LRU_LISTS
const LRU_LISTS: u8 = 5;

/// lru_add_drain_per_cpu: the function of the work item.
#[kernel("mm/swap.c", "3.2")]
pub async fn lru_add_drain_per_cpu(cpu: &Cpu) {
    lru_add_drain(cpu).await;
}

/// Has every CPU drain its pagevecs, and waits for it. Until 3.11 every CPU gets a work item, whatever its pagevecs
/// hold; from 3.12 on only those with pages in one.
#[kernel("mm/swap.c", "3.2")]
pub async fn lru_add_drain_all(cpu: &Cpu) {
    if cpu.has(Patch::DrainGeneration) {
        lru_add_drain_all_once(cpu).await;
        return;
    }
    if cpu.has(Patch::SelectiveDrain) {
        cpu.down(LockClass::DrainMutex, true, 0).await;
        cpu.down(LockClass::Hotplug, false, 0).await;
        queue_where_needed(cpu).await;
        cpu.up(LockClass::Hotplug, false, 0).await;
        cpu.up(LockClass::DrainMutex, true, 0).await;
        return;
    }
    schedule_on_each_cpu(cpu).await;
}

/// A freshly allocated work item for every online CPU, then a wait for each of them.
#[kernel("kernel/workqueue.c", "3.2")]
pub async fn schedule_on_each_cpu(cpu: &Cpu) {
    let cpus = cpu_count(cpu);
    cpu.percpu_works(true).await;
    cpu.down(LockClass::Hotplug, false, 0).await;
    for on in 0..cpus {
        if is_online(cpu, on) {
            let work = allocated_work(cpu, on);
            cpu.init_work(work).await;
            schedule_work_on(cpu, on, work).await;
        }
    }
    for on in 0..cpus {
        if is_online(cpu, on) {
            let work = allocated_work(cpu, on);
            flush_work(cpu, on, work).await;
        }
    }
    cpu.up(LockClass::Hotplug, false, 0).await;
    cpu.percpu_works(false).await;
}

/// The patch as posted: a static work item for every CPU whose lru_add pagevecs hold something, and no wait. Neither the
/// allocation nor the lock against CPU hotplug is needed any more.
#[kernel("mm/swap.c", "3.2")]
pub async fn lru_add_drain_all_async(cpu: &Cpu) {
    let cpus = cpu_count(cpu);
    for on in 0..cpus {
        if is_online(cpu, on) && has_pages_lru_pvecs(cpu, on).await {
            let work = static_work(cpu, on);
            schedule_work_on(cpu, on, work).await;
        }
    }
}

/// A look at the five lru_add pagevecs of a CPU without any lock: what it says may be untrue by the time it is used.
#[kernel("mm/swap.c", "3.2")]
pub async fn has_pages_lru_pvecs(cpu: &Cpu, of: u8) -> bool {
    for lru in 0..LRU_LISTS {
        if cpu.peek_pagevec_of(PagevecKind::LruAdd, of, lru).await {
            return true;
        }
    }
    false
}

/// 3.12: work for each CPU that has pages in any pagevec, noted in a mask, then a wait for those.
#[kernel("mm/swap.c", "3.12")]
pub async fn queue_where_needed(cpu: &Cpu) {
    let cpus = cpu_count(cpu);
    cpu.clear_has_work().await;
    for on in 0..cpus {
        if is_online(cpu, on) && cpu_needs_drain(cpu, on).await {
            let work = static_work(cpu, on);
            cpu.init_work(work).await;
            schedule_work_on(cpu, on, work).await;
            cpu.set_has_work(on).await;
        }
    }
    for on in 0..cpus {
        if in_has_work(cpu, on) {
            let work = static_work(cpu, on);
            flush_work(cpu, on, work).await;
        }
    }
}

/// All kinds of pagevecs of a CPU, without a lock; from 5.18 on its mlock batch too. Today asks for eight kinds, of which
/// three (lazy free, lru_deactivate_file, buffer heads) are left out.
#[kernel("mm/swap.c", "3.12")]
pub async fn cpu_needs_drain(cpu: &Cpu, of: u8) -> bool {
    if cpu.peek_pagevec_of(PagevecKind::LruAdd, of, 0).await {
        return true;
    }
    if cpu.peek_pagevec_of(PagevecKind::LruRotate, of, 0).await {
        return true;
    }
    if cpu.peek_pagevec_of(PagevecKind::LruDeactivate, of, 0).await {
        return true;
    }
    if cpu.peek_pagevec_of(PagevecKind::Activate, of, 0).await {
        return true;
    }
    cpu.has(Patch::MlockBatch) && cpu.peek_pagevec_of(PagevecKind::Mlock, of, 0).await
}

/// `__lru_add_drain_all` of today: the caller drains its own CPU itself. Whoever finds that another caller has begun
/// since has nothing left to do.
#[kernel("mm/swap.c", "5.10")]
pub async fn lru_add_drain_all_once(cpu: &Cpu) {
    cpu.smp_mb().await;
    let generation = cpu.drain_gen(false).await;
    lru_add_drain(cpu).await;
    cpu.down(LockClass::DrainMutex, true, 0).await;
    if cpu.drain_gen(false).await == generation {
        cpu.drain_gen(true).await;
        cpu.smp_mb().await;
        queue_where_needed(cpu).await;
    }
    cpu.up(LockClass::DrainMutex, true, 0).await;
}

/// `____pagevec_lru_add_fn` of the patch: looks for PG_mlocked itself, since populate may have mlocked a page that waits
/// in a pagevec. The barrier orders its second look after SetPageLRU, as in putback_lru_page. PG_active comes only on the
/// way to an active list.
#[kernel("mm/swap.c", "3.2")]
pub async fn pagevec_lru_add_fn_aware(cpu: &Cpu, page: Pfn, lru: u8) {
    let mut first = None;
    let mut second = None;
    if cpu.has(Patch::HoistedFirst) {
        first = Some(cpu.page_evictable(page).await);
    }
    if cpu.has(Patch::HoistedRead) {
        first = Some(cpu.page_evictable(page).await);
        second = Some(cpu.page_evictable(page).await);
    }
    cpu.set_page_lru(page).await;
    loop {
        let evictable = match first.take() {
            Some(seen) => seen,
            None => cpu.page_evictable(page).await,
        };
        if evictable {
            if is_active_lru(lru) && !cpu.page(page).has(PageFlag::Active) {
                cpu.set_page_active(page).await;
            }
            let active = cpu.page(page).has(PageFlag::Active);
            cpu.reclaim_stat(cpu.page_zone(page), page_is_file_cache(cpu, page), active).await;
            add_page_to_lru_list(cpu, page, page_lru(cpu, page)).await;
            break;
        }
        cpu.set_page_unevictable(page).await;
        add_page_to_lru_list(cpu, page, page_lru(cpu, page)).await;
        if second.is_none() {
            cpu.smp_mb().await;
        }
        let evictable = match second.take() {
            Some(seen) => seen,
            None => cpu.page_evictable(page).await,
        };
        if !evictable {
            break;
        }
        del_page_from_lru_list(cpu, page, page_lru(cpu, page)).await;
        cpu.clear_page_unevictable(page).await;
    }
}

/// `____pagevec_lru_add_fn` of 3.2: the pagevec says which list, and PG_active is set on the way to an active one. No
/// caller of that kernel fills the pagevec of the unevictable list; here PG_unevictable is set for it, so that flags name
/// the list.
#[kernel("mm/swap.c", "3.2")]
pub async fn pagevec_lru_add_fn_of_list(cpu: &Cpu, page: Pfn, lru: u8) {
    if cpu.has(Patch::AwareDrain) {
        pagevec_lru_add_fn_aware(cpu, page, lru).await;
        return;
    }
    cpu.set_page_lru(page).await;
    if is_active_lru(lru) {
        cpu.set_page_active(page).await;
    } else if lru == LRU_UNEVICTABLE {
        cpu.set_page_unevictable(page).await;
    }
    add_page_to_lru_list(cpu, page, lru).await;
    cpu.reclaim_stat(cpu.page_zone(page), page_is_file_cache(cpu, page), is_active_lru(lru)).await;
}

/// Puts a page into this CPU's lru_add pagevec for a list, which its caller names. What the flags say of the list goes
/// until the drain: a page that waits has neither PG_active nor PG_unevictable.
#[kernel("mm/swap.c", "3.2")]
pub async fn lru_cache_add_lru(cpu: &Cpu, page: Pfn, lru: u8) {
    if cpu.page(page).has(PageFlag::Active) {
        cpu.clear_page_active(page).await;
    } else if cpu.page(page).has(PageFlag::Unevictable) {
        cpu.clear_page_unevictable(page).await;
    }
    cpu.get_cpu().await;
    let pvec = cpu.this_cpu_pvec(PagevecKind::lru_add(lru));
    cpu.get_page(page, Site::LruCacheAdd, Held::Slot).await;
    let filled = cpu.pagevec_add(pvec, page).await;
    if filled == cpu.pagevec_size() || cpu.page_trans_huge(page) {
        __pagevec_lru_add(cpu, pvec, Held::Slot).await;
    }
    cpu.put_cpu().await;
}

/// 3.2 keeps an lru_add pagevec for each list: those behind the first, in LRU order, each where it is not empty.
#[kernel("mm/swap.c", "3.2")]
pub async fn drain_other_lists(cpu: &Cpu) {
    let own = cpu.id();
    for lru in 1..LRU_LISTS {
        if cpu.read_list_pagevec(own, lru).await {
            __pagevec_lru_add(cpu, cpu.this_cpu_pvec(PagevecKind::lru_add(lru)), Held::Slot).await;
        }
    }
}

/// cpu_down: takes the CPU out of the online mask on that very CPU, then drains its pagevecs from another one, as the
/// hotplug callback does.
#[kernel("kernel/cpu.c", "3.2")]
pub async fn cpu_down(cpu: &Cpu, dead: u8, to: u8) {
    cpu.down(LockClass::Hotplug, true, 0).await;
    cpu.take_cpu_down(dead, to).await;
    cpu.migrate(to).await;
    drain_cpu_pagevecs(cpu, dead).await;
    cpu.up(LockClass::Hotplug, true, 0).await;
}

/// Drains the lru_add pagevecs of a CPU that is dead. Departs in that rotate, deactivate and activate are left alone, and
/// that it knows without a look which pagevecs behind the first hold something.
#[kernel("mm/swap.c", "3.2")]
pub async fn drain_cpu_pagevecs(cpu: &Cpu, dead: u8) {
    for lru in 0..LRU_LISTS {
        let pvec = Pv { kind: PagevecKind::lru_add(lru), owner: dead };
        if lru > 0 && cpu.pagevec_count(pvec) == 0 {
            continue;
        }
        if cpu.read_pagevec_count(pvec).await > 0 {
            __pagevec_lru_add(cpu, pvec, Held::Slot).await;
        }
    }
}

/// is_active_lru
#[inline(always)]
const fn is_active_lru(lru: u8) -> bool {
    lru == LRU_ACTIVE_ANON || lru == LRU_ACTIVE_FILE
}

#[look]
#[inline(always)]
fn cpu_count(cpu: &Cpu) -> u8 {
    cpu.machine().work.pools.len() as u8
}

/// cpu_online, as for_each_online_cpu sees it
#[look]
#[inline(always)]
fn is_online(cpu: &Cpu, on: u8) -> bool {
    cpu.machine().work.online(on)
}

#[look]
#[inline(always)]
fn in_has_work(cpu: &Cpu, on: u8) -> bool {
    cpu.machine().work.has_work >> on & 1 != 0
}

/// The work item of a CPU in the set that this task has allocated.
#[look]
#[inline(always)]
fn allocated_work(cpu: &Cpu, on: u8) -> WorkId {
    cpu.machine().work.drain_work(cpu.task, on)
}

/// lru_drain_work, lru_add_drain_work: the one static work item of a CPU.
#[look]
#[inline(always)]
fn static_work(cpu: &Cpu, on: u8) -> WorkId {
    cpu.machine().work.drain_work(0, on)
}
