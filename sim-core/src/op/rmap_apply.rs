//! What the operations of unmapping do, with the inverse of each.

use super::Outcome;
use super::rmap::RmapOp;
use crate::machine::{
    MEMCG_BATCH, Machine, NIL, ONLINE_CPUS, PTE_DIRTY, PTE_NONE, PTE_YOUNG, PTRS_PER_PTE, Pfn, Pmd, RmapState, pte_page,
};

const FOLDED: u64 = 1 << 63;
const PENDING: u32 = 0x7fff;

fn cpu_of(m: &Machine, task: u8) -> usize {
    usize::from(m.tasks[usize::from(task)].cpu)
}

pub(super) fn change(m: &mut Machine, task: u8, op: RmapOp) -> Outcome {
    let cpu = cpu_of(m, task);
    match op {
        RmapOp::Look { mm, index, addr, .. } => Outcome::ret(m.entry(mm, addr, index)),
        RmapOp::Xchg { mm, index, addr } => put(m, mm, index, addr, |_| PTE_NONE),
        RmapOp::Put { mm, index, addr, pte } => put(m, mm, index, addr, |_| pte),
        RmapOp::MkOld { mm, index, addr } => {
            let old = put(m, mm, index, addr, |old| if pte_page(old).is_some() { old & !PTE_YOUNG } else { old });
            let young = pte_page(old.ret).is_some() && old.ret & PTE_YOUNG != 0;
            Outcome { ret: u32::from(young), undo: old.undo }
        }
        RmapOp::Touch { mm, write, vpn } => touch(m, cpu, mm, write, vpn),
        RmapOp::NrMapped { folio, delta } => {
            let folio = &mut m.rmap_mut().folios[folio as usize];
            folio.nr_mapped += delta;
            Outcome::ret(folio.nr_mapped as u32)
        }
        RmapOp::RefSub { folio, n, .. } => {
            let page = m.page_mut(folio);
            page.count -= n as i32;
            Outcome::ret(page.count as u32)
        }
        RmapOp::RefFreeze { folio, refs } => {
            let page = m.page_mut(folio);
            let frozen = page.count == refs as i32;
            page.count = if frozen { 0 } else { page.count };
            Outcome::ret(u32::from(frozen))
        }
        RmapOp::CacheDel { folio } => {
            set_cache(m, folio, false);
            Outcome::NONE
        }
        _ => change_state(m.rmap_mut(), cpu, usize::from(task), op),
    }
}

fn change_state(r: &mut RmapState, cpu: usize, task: usize, op: RmapOp) -> Outcome {
    match op {
        RmapOp::GenInc { mm, .. } => {
            r.mms[usize::from(mm)].tlb_gen += 1;
            Outcome::NONE
        }
        RmapOp::Invlpg { mm, vpn } => {
            let slot = r.slot(mm, vpn);
            match r.tlbs[cpu].entries.get_mut(slot) {
                Some((epoch, _)) => Outcome::undo(u64::from(core::mem::take(epoch))),
                None => Outcome::NONE,
            }
        }
        RmapOp::FullFlush => {
            r.tlbs[cpu].epoch += 1;
            Outcome::NONE
        }
        RmapOp::CaughtUp { mm } => {
            let new = r.mms[usize::from(mm)].tlb_gen;
            Outcome::undo(core::mem::replace(&mut r.tlbs[cpu].local_gen, new))
        }
        RmapOp::Ipi { cpu } => ipi(r, cpu),
        RmapOp::UbcAdd { mm, dirty } => {
            let cpumask = r.mms[usize::from(mm)].cpumask;
            let ubc = &mut r.ubcs[task];
            let old = *ubc;
            ubc.cpumask |= cpumask;
            ubc.required = true;
            ubc.writable |= dirty;
            Outcome::undo(pack(old))
        }
        RmapOp::UbcReset => Outcome::undo(pack(core::mem::take(&mut r.ubcs[task]))),
        RmapOp::FlushBatched { mm } => {
            let word = &mut r.mms[usize::from(mm)].flush_batched;
            let old = *word;
            *word = if old & PENDING > 16383 { 1 } else { old + 1 };
            Outcome { ret: *word & PENDING, undo: u64::from(old) }
        }
        RmapOp::Rss { mm, member, fold, delta } => {
            let mm = &mut r.mms[usize::from(mm)];
            let part = &mut mm.rss_cpu[cpu][member as usize];
            let old = *part;
            *part = if fold { 0 } else { old + delta };
            if fold {
                mm.rss[member as usize] += i64::from(old + delta);
            }
            Outcome::undo(u64::from(old as u32))
        }
        RmapOp::Hiwater { mm } => {
            let mm = &mut r.mms[usize::from(mm)];
            let now = (mm.rss[0] + mm.rss[1] + mm.rss[3]).max(0) as u64;
            let old = mm.hiwater;
            mm.hiwater = old.max(now);
            Outcome::undo(old)
        }
        RmapOp::Memcg { item, delta } => {
            r.memcg[cpu].memcg[item as usize] += delta;
            Outcome::NONE
        }
        RmapOp::Lruvec { item, delta } => {
            r.memcg[cpu].lruvec[item as usize] += delta;
            Outcome::NONE
        }
        RmapOp::RstatUpdated => {
            let was = core::mem::replace(&mut r.memcg[cpu].linked, true);
            Outcome::ret(u32::from(!was))
        }
        RmapOp::StatsUpdates { by, whole } => stats_updates(r, cpu, by, whole),
        RmapOp::Large { folio, lock } => {
            let folio = &mut r.folios[folio as usize];
            Outcome::undo(u64::from(core::mem::replace(&mut folio.locked, lock)))
        }
        RmapOp::Entire { folio } => {
            let folio = &mut r.folios[folio as usize];
            folio.entire += 1;
            folio.large += 1;
            folio.shared = true;
            Outcome::NONE
        }
        RmapOp::LargeMapcount { folio, delta } => {
            let folio = &mut r.folios[folio as usize];
            folio.large += delta;
            Outcome::ret(folio.large as u32)
        }
        RmapOp::MmSlot { mm, folio, delta } => mm_slot(r, mm, folio, delta),
        RmapOp::Swap { entry, dup } => {
            let possible = !dup || entry != r.fail_swap;
            if possible {
                let count = &mut r.swap_map[entry as usize];
                *count = if dup { *count + 1 } else { *count - 1 };
            }
            Outcome::ret(u32::from(possible))
        }
        RmapOp::MmListAdd { mm } => {
            let mm = &mut r.mms[usize::from(mm)];
            Outcome::undo(u64::from(core::mem::replace(&mut mm.on_mmlist, true)))
        }
        RmapOp::DeferSplit { folio } => {
            let folio = &mut r.folios[folio as usize];
            Outcome::undo(u64::from(core::mem::replace(&mut folio.split_queued, true)))
        }
        _ => Outcome::NONE,
    }
}

pub(super) fn restore(m: &mut Machine, task: u8, op: RmapOp, ret: u32, undo: u64) {
    let cpu = cpu_of(m, task);
    match op {
        RmapOp::Xchg { mm, index, addr } | RmapOp::Put { mm, index, addr, .. } | RmapOp::MkOld { mm, index, addr } => {
            put(m, mm, index, addr, |_| undo as u32);
        }
        RmapOp::Touch { mm, vpn, .. } => untouch(m, cpu, mm, vpn, undo),
        RmapOp::NrMapped { folio, delta } => m.rmap_mut().folios[folio as usize].nr_mapped -= delta,
        RmapOp::RefSub { folio, n, .. } => m.page_mut(folio).count += n as i32,
        RmapOp::RefFreeze { folio, refs } => {
            let page = m.page_mut(folio);
            page.count = if ret == 1 { refs as i32 } else { page.count };
        }
        RmapOp::CacheDel { folio } => set_cache(m, folio, true),
        _ => restore_state(m.rmap_mut(), cpu, usize::from(task), op, ret, undo),
    }
}

fn restore_state(r: &mut RmapState, cpu: usize, task: usize, op: RmapOp, ret: u32, undo: u64) {
    match op {
        RmapOp::GenInc { mm, .. } => r.mms[usize::from(mm)].tlb_gen -= 1,
        RmapOp::Invlpg { mm, vpn } => {
            let slot = r.slot(mm, vpn);
            if let Some((epoch, _)) = r.tlbs[cpu].entries.get_mut(slot) {
                *epoch = undo as u32;
            }
        }
        RmapOp::FullFlush => r.tlbs[cpu].epoch -= 1,
        RmapOp::CaughtUp { .. } => r.tlbs[cpu].local_gen = undo,
        RmapOp::Ipi { cpu } => {
            let tlb = &mut r.tlbs[usize::from(cpu)];
            tlb.local_gen = undo;
            tlb.epoch -= ret;
        }
        RmapOp::UbcAdd { .. } | RmapOp::UbcReset => {
            let ubc = &mut r.ubcs[task];
            ubc.cpumask = undo as u32;
            ubc.required = undo >> 32 & 1 != 0;
            ubc.writable = undo >> 33 & 1 != 0;
        }
        RmapOp::FlushBatched { mm } => r.mms[usize::from(mm)].flush_batched = undo as u32,
        RmapOp::Rss { mm, member, fold, delta } => {
            let mm = &mut r.mms[usize::from(mm)];
            let old = undo as u32 as i32;
            mm.rss_cpu[cpu][member as usize] = old;
            if fold {
                mm.rss[member as usize] -= i64::from(old + delta);
            }
        }
        RmapOp::Hiwater { mm } => r.mms[usize::from(mm)].hiwater = undo,
        RmapOp::Memcg { item, delta } => r.memcg[cpu].memcg[item as usize] -= delta,
        RmapOp::Lruvec { item, delta } => r.memcg[cpu].lruvec[item as usize] -= delta,
        RmapOp::RstatUpdated => r.memcg[cpu].linked = ret == 0,
        RmapOp::StatsUpdates { .. } => {
            r.memcg[cpu].updates = undo as u32;
            r.stats_flush -= i64::from(ret);
        }
        RmapOp::Large { folio, .. } => r.folios[folio as usize].locked = undo != 0,
        RmapOp::Entire { folio } => {
            let folio = &mut r.folios[folio as usize];
            folio.entire -= 1;
            folio.large -= 1;
        }
        RmapOp::LargeMapcount { folio, delta } => r.folios[folio as usize].large -= delta,
        RmapOp::MmSlot { folio, delta, .. } => unmm_slot(r, folio, delta, undo),
        RmapOp::Swap { entry, dup } if ret == 1 => {
            let count = &mut r.swap_map[entry as usize];
            *count = if dup { *count - 1 } else { *count + 1 };
        }
        RmapOp::MmListAdd { mm } => r.mms[usize::from(mm)].on_mmlist = undo != 0,
        RmapOp::DeferSplit { folio } => r.folios[folio as usize].split_queued = undo != 0,
        _ => {}
    }
}

// Changes an entry; behind the end of the table there is nothing to change. The old one is result and undo.
fn put(m: &mut Machine, mm: u8, index: u16, addr: u32, new: impl Fn(u32) -> u32) -> Outcome {
    let Pmd::Table(table) = m.pmd(mm, addr) else { return Outcome::ret(PTE_NONE) };
    if u32::from(index) >= PTRS_PER_PTE {
        return Outcome::ret(PTE_NONE);
    }
    let entry = &mut m.tables[(table * PTRS_PER_PTE + u32::from(index)) as usize];
    let old = *entry;
    *entry = new(old);
    Outcome { ret: old, undo: u64::from(old) }
}

const HIT: u64 = 1 << 63;
const NO_FILL: u64 = 1 << 62;

// Undo: the epoch in the high half, the page and the young and dirty bits in the low one. A page frame has 24 bits.
fn touch(m: &mut Machine, cpu: usize, mm: u8, write: bool, vpn: u32) -> Outcome {
    if let Some(page) = m.rmap().cached(cpu as u8, mm, vpn)
        && !write
    {
        return Outcome { ret: page, undo: HIT | NO_FILL };
    }
    let pte = m.pte(mm, vpn);
    let Some(page) = pte_page(pte) else { return Outcome { ret: NIL, undo: HIT | NO_FILL } };
    let new = pte | PTE_YOUNG | if write { PTE_DIRTY } else { 0 };
    put(m, mm, (vpn % PTRS_PER_PTE) as u16, vpn, |_| new);
    let slot = m.rmap().slot(mm, vpn);
    let tlb = &mut m.rmap_mut().tlbs[cpu];
    let epoch = tlb.epoch;
    let (old_epoch, old_page) = core::mem::replace(&mut tlb.entries[slot], (epoch, page));
    let bits = pte & (PTE_YOUNG | PTE_DIRTY);
    let old_page = if old_page == NIL { crate::machine::PTE_PFN } else { old_page };
    Outcome { ret: page, undo: u64::from(old_epoch & 0x3fff_ffff) << 32 | u64::from(bits | old_page) }
}

fn untouch(m: &mut Machine, cpu: usize, mm: u8, vpn: u32, undo: u64) {
    if undo & NO_FILL != 0 {
        return;
    }
    let bits = undo as u32 & (PTE_YOUNG | PTE_DIRTY);
    put(m, mm, (vpn % PTRS_PER_PTE) as u16, vpn, |pte| pte & !(PTE_YOUNG | PTE_DIRTY) | bits);
    let page = undo as u32 & crate::machine::PTE_PFN;
    let page = if page == crate::machine::PTE_PFN { NIL } else { page };
    let slot = m.rmap().slot(mm, vpn);
    m.rmap_mut().tlbs[cpu].entries[slot] = ((undo >> 32) as u32, page);
}

fn set_cache(m: &mut Machine, folio: Pfn, there: bool) {
    let page = *m.page(folio);
    let cache = &mut m.mappings[usize::from(page.mapping)].cache;
    for i in 0..page.nr() {
        cache[(page.index + i) as usize] = if there { folio + i } else { NIL };
    }
}

// A flush that names no address space: full wherever the CPU lags.
fn ipi(r: &mut RmapState, cpu: u8) -> Outcome {
    let tlb = &mut r.tlbs[usize::from(cpu)];
    let old = tlb.local_gen;
    let Some(mm) = r.mms.get(usize::from(tlb.loaded_mm)) else { return Outcome { ret: 0, undo: old } };
    let lags = old != mm.tlb_gen;
    tlb.local_gen = mm.tlb_gen;
    tlb.epoch += u32::from(lags);
    Outcome { ret: u32::from(lags), undo: old }
}

const fn pack(ubc: crate::machine::Ubc) -> u64 {
    ubc.cpumask as u64 | (ubc.required as u64) << 32 | (ubc.writable as u64) << 33
}

// The gate: nothing is handed on where enough for a flush has been.
fn stats_updates(r: &mut RmapState, cpu: usize, by: u32, whole: bool) -> Outcome {
    let updates = &mut r.memcg[cpu].updates;
    let old = *updates;
    let sum = old + by;
    let (passes, amount, open) = if whole {
        (sum >= MEMCG_BATCH, sum, r.stats_flush <= 64 * ONLINE_CPUS)
    } else {
        (sum > MEMCG_BATCH, sum / MEMCG_BATCH, r.stats_flush <= ONLINE_CPUS)
    };
    // From 6.16 on a level that is flushable already is not touched at all.
    if whole && !open {
        return Outcome::undo(u64::from(old));
    }
    *updates = if passes { 0 } else { sum };
    let added = if passes && open { amount } else { 0 };
    r.stats_flush += i64::from(added);
    Outcome { ret: added, undo: u64::from(old) }
}

fn mm_slot(r: &mut RmapState, mm: u8, folio: Pfn, delta: i32) -> Outcome {
    let folio = &mut r.folios[folio as usize];
    let undo = u64::from(folio.owners[0]) | u64::from(folio.owners[1]) << 8 | u64::from(folio.shared) << 16;
    let free = folio.owners.iter().position(|&owner| owner == u8::MAX).filter(|_| delta > 0);
    let Some(at) = folio.owners.iter().position(|&owner| owner == mm).or(free) else {
        folio.shared = true;
        return Outcome { ret: 0, undo: undo | FOLDED };
    };
    folio.owners[at] = mm;
    folio.slots[at] += delta;
    let left = folio.slots[at];
    if left == 0 {
        folio.owners[at] = u8::MAX;
    }
    folio.shared = !folio.slots.contains(&folio.large);
    Outcome { ret: left as u32, undo: undo | (at as u64) << 17 }
}

fn unmm_slot(r: &mut RmapState, folio: Pfn, delta: i32, undo: u64) {
    let folio = &mut r.folios[folio as usize];
    folio.owners = [undo as u8, (undo >> 8) as u8];
    folio.shared = undo >> 16 & 1 != 0;
    if undo & FOLDED == 0 {
        folio.slots[(undo >> 17 & 1) as usize] -= delta;
    }
}

const _: () = assert!(core::mem::size_of::<super::Op>() <= 16, "an operation has sixteen bytes at most");
