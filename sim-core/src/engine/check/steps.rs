//! Rules that one step can break, and what it adds to the tallies.

use alloc::format;
use alloc::vec::Vec;

use super::whole::{IN_PAGEVEC, check_all, global_sum, list_sizes, place, waits_for_list, within_threshold};
use super::{Checked, Checker, broken};
use crate::kernel::Patch;
use crate::ledger::How;
use crate::machine::{LockClass, Machine, NIL, NO_MAPPING, NOBODY, Page, PageFlag, Pfn, Pmd, Pv, Stat};
use crate::op::{AnonOp, Held, Op, Outcome};

impl Checker {
    pub(super) fn observe(&mut self, machine: &Machine, task: u8, op: Op, outcome: Outcome) -> Checked {
        match op {
            Op::Get { page, held, .. } => self.held[page as usize][held as usize] += 1,
            Op::Put { page, held, .. } => {
                self.held[page as usize][held as usize] -= 1;
            }
            Op::Alloc { page, .. } => self.held[page as usize] = [1, 0, 0, 0, 0],
            Op::Free { page } | Op::PrepareFree { page, .. } => return self.freed(page, outcome),
            Op::PrepareNew { page, .. } => self.held[page as usize] = [1, 0, 0, 0, 0],
            Op::Anon(AnonOp::TryGet { page, held, .. }) if outcome.ret == 1 => {
                self.held[page as usize][held as usize] += 1;
            }
            Op::Anon(AnonOp::Freeze { page, .. }) if outcome.ret == 1 => self.held[page as usize] = [0; 5],
            Op::SplitTail { head, tail } => {
                let page = head + u32::from(tail);
                self.held[page as usize] = [1, 0, 0, 0, 0];
                self.mlocked += i64::from(machine.page(page).has(PageFlag::Mlocked));
                self.pending.push(page);
            }
            Op::SplitHead { head } => {
                self.mlocked -= if machine.page(head).has(PageFlag::Mlocked) { 511 } else { 0 };
            }
            Op::Flag { flag: PageFlag::Mlocked, how, page } => self.mlocked_changed(machine, task, how, page, outcome),
            Op::Flag { flag: PageFlag::Lru, how: How::Set, page } if self.slots[page as usize] > 0 => {
                self.slots[page as usize] -= 1;
                self.drained[page as usize] += 1;
            }
            Op::PvecAdd { pv, page, .. } if waits_for_list(pv) => {
                self.slots[page as usize] += 1;
                if self.slots[page as usize] > 1 {
                    return broken("1: a page is in one lru_add slot at most", format!("page {page} is in two"));
                }
                return self.waits_in_pagevec(machine, pv, page);
            }
            Op::PvecReinit { pv } if waits_for_list(pv) => {
                let old = (outcome.undo & 0xff) as usize;
                for &page in machine.pagevec(pv).slots[..old].iter().filter(|&&page| page != NIL) {
                    let drained = &mut self.drained[page as usize];
                    let tally = if *drained > 0 { drained } else { &mut self.slots[page as usize] };
                    *tally -= 1;
                }
            }
            _ => {}
        }
        Ok(())
    }

    // Rule 11.
    pub(super) fn waits_in_pagevec(&self, machine: &Machine, pv: Pv, pfn: Pfn) -> Checked {
        let nr = u32::from(machine.pagevec(pv).nr);
        if nr > self.config.pagevec {
            let detail = format!("{nr} pages are in the one of CPU {}, which holds {}", pv.owner, self.config.pagevec);
            return broken("11: a pagevec holds what its size says at most", detail);
        }
        let page = machine.page(pfn);
        let unevictable = page.has(PageFlag::Unevictable) && !self.config.has(Patch::DrainDecides);
        if page.has(PageFlag::Lru) || unevictable {
            let flag = if unevictable { PageFlag::Unevictable } else { PageFlag::Lru };
            return broken(IN_PAGEVEC, format!("page {pfn} in the one of CPU {} has {}", pv.owner, flag.name()));
        }
        Ok(())
    }

    pub(super) fn mlocked_changed(&mut self, machine: &Machine, task: u8, how: How, pfn: Pfn, outcome: Outcome) {
        let page = machine.page(pfn);
        let set = matches!(how, How::Set | How::TestSet | How::PlainSet);
        if (outcome.ret == 1) == set {
            return;
        }
        self.mlocked += if set { small_pages(page) } else { -small_pages(page) };
        // Known fault of patch 4: a page that could not be isolated does not count as munlocked.
        let batch = self.config.has(Patch::BatchMlockStat) && page.order() == 0;
        let under_lock = machine.lru_locks[page.zone() as usize].holder == task;
        if how == How::TestClear && batch && under_lock && !self.config.has(Patch::CountMlock) {
            self.leaked += i64::from(!page.has(PageFlag::Lru));
        }
    }

    pub(super) fn freed(&mut self, page: Pfn, outcome: Outcome) -> Checked {
        const MUST_BE_CLEAR: [PageFlag; 5] =
            [PageFlag::Locked, PageFlag::Lru, PageFlag::Mlocked, PageFlag::Active, PageFlag::Unevictable];
        self.held[page as usize] = [0; 5];
        let old = outcome.undo as u32;
        match MUST_BE_CLEAR.iter().find(|flag| old & flag.bit() != 0) {
            Some(flag) => broken("4: bad_page", format!("page {page} was freed with {} set", flag.name())),
            None => Ok(()),
        }
    }

    pub(super) fn references(&self, machine: &Machine, pfn: Pfn) -> Checked {
        let page = machine.page(pfn);
        let held = self.held[pfn as usize];
        let sum: i32 = held.iter().sum();
        if page.count != sum || held.iter().any(|&n| n < 0) {
            let [map, cache, slot, isolate, pin] = held;
            return broken(
                "4: _count is the sum of the holders",
                format!(
                    "page {pfn}: _count is {}, holders are {map} mapped, {cache} cached, {slot} in pagevecs, \
                     {isolate} isolated, {pin} pinned",
                    page.count
                ),
            );
        }
        if page.mapcount < 0 || page.mapcount > page.count && !page.has(PageFlag::Free) {
            let detail = format!("page {pfn}: mapcount {} and _count {}", page.mapcount, page.count);
            return broken("5: mapcount is at most _count", detail);
        }
        Ok(())
    }

    pub(super) fn locks(&self, machine: &Machine, task: u8, op: Op, outcome: Outcome) -> Checked {
        let cpu = machine.tasks[task as usize].cpu;
        let held: Vec<usize> =
            (0..machine.zones.len()).filter(|&zone| machine.lru_locks[zone].holder == task).collect();
        if !held.is_empty() && !machine.cpus[cpu as usize].irqs_off {
            return broken("7: lru_lock is held with interrupts off", format!("CPU {cpu} holds it with interrupts on"));
        }
        if held.len() > 1 {
            return broken("7: one lru_lock at a time", format!("CPU {cpu} holds {}", held.len()));
        }
        match op {
            Op::UnlockPage { page } if outcome.undo as u8 != task => {
                broken("6: only the owner unlocks a page", format!("page {page} was unlocked on CPU {cpu}"))
            }
            Op::Flag { flag: PageFlag::Lru, page, .. } if !self.may_change_lru(machine, task, page) => broken(
                "3: PG_lru changes under lru_lock",
                format!("CPU {cpu} changed PG_lru of page {page} without the lock of its zone"),
            ),
            Op::WaitPage { .. } | Op::TryLockPage { .. } | Op::Down { .. } | Op::DownWait { .. }
                if !held.is_empty() =>
            {
                broken("7: no sleep and no page lock under lru_lock", format!("CPU {cpu} holds lru_lock"))
            }
            Op::SpinLock { class: LockClass::Ptl | LockClass::PageTable, .. } if !held.is_empty() => {
                broken("7: no ptl under lru_lock", format!("CPU {cpu} holds lru_lock"))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn may_change_lru(&self, machine: &Machine, task: u8, page: Pfn) -> bool {
        let zone = machine.page(page).zone();
        self.config.has(Patch::TestClearLru) || machine.lru_locks[zone as usize].holder == task
    }

    pub(super) fn counters(&self, machine: &Machine, task: u8, op: Op) -> Checked {
        match op {
            Op::Stat { zone, item, .. } => {
                within_threshold(machine, machine.tasks[task as usize].cpu, zone, item)?;
                global_sum(machine, item)?;
                self.nr_mlock(machine)
            }
            Op::SpinUnlock { class: LockClass::Lru, index, .. } => {
                list_sizes(machine, index as u8, self.config.has(Patch::NodeLru))
            }
            _ => Ok(()),
        }
    }

    // Between clearing PG_mlocked and the update of NR_MLOCK lies one page, or one pagevec from patch 4 on.
    pub(super) fn nr_mlock(&self, machine: &Machine) -> Checked {
        let batch = if self.config.has(Patch::BatchMlockStat) { i64::from(self.config.pagevec) } else { 1 };
        let window = self.tasks * batch.max(i64::from(largest_page(machine)));
        let counted = machine.stat(Stat::Mlock);
        let expected = self.mlocked + self.leaked;
        if (counted - expected).abs() > window {
            let detail = format!("NR_MLOCK is {counted}, {expected} expected, {window} allowed in between");
            return broken("9: NR_MLOCK counts the mlocked pages", detail);
        }
        Ok(())
    }

    pub(super) fn places(&mut self, machine: &Machine, op: Op) -> Checked {
        let free = |page: &Pfn| machine.lru_locks[machine.page(*page).zone() as usize].holder == NOBODY;
        if !matches!(op, Op::SpinUnlock { .. }) && self.pending.len() < 64 && !self.pending.last().is_some_and(free) {
            return Ok(());
        }
        let pending = core::mem::take(&mut self.pending);
        for page in pending {
            if free(&page) {
                place(machine, self.config, page)?;
            } else {
                self.pending.push(page);
            }
        }
        Ok(())
    }

    /// Checks a world in which nobody is inside a kernel function.
    ///
    /// # Errors
    ///
    /// The rule that is broken.
    pub(crate) fn at_rest(&self, machine: &Machine) -> Checked {
        if let Some(rmap) = &self.rmap {
            return rmap.at_rest(machine);
        }
        let counted = machine.stat(Stat::Mlock);
        let expected = self.mlocked + self.leaked;
        if counted != expected {
            let detail = format!("NR_MLOCK is {counted}, {expected} expected");
            return broken("9: NR_MLOCK counts the mlocked pages", detail);
        }
        for pfn in 0..machine.pages.len() as u32 {
            self.references(machine, pfn)?;
            let held = self.held[pfn as usize];
            if held[Held::Isolate as usize] != 0 || held[Held::Pin as usize] != 0 {
                return broken("14: at rest no page is isolated or pinned", format!("page {pfn} is"));
            }
        }
        self.work.at_rest(machine)?;
        if let Some(allocator) = &self.allocator {
            allocator.at_rest(machine)?;
        }
        if let Some(swap) = &self.swap {
            swap.at_rest(machine)?;
        }
        check_all(machine, self.config, true)
    }
}

// References that neither a map, a file's cache nor a pagevec holds: those of the swap cache, and of blocks that somebody
// has from the page allocator, who is counted as one that maps it.
pub(super) fn seed_others(held: &mut [[i32; 5]], machine: &Machine) {
    let swap_cache = machine.swap.iter().flat_map(|swap| &swap.cache).filter(|&&page| page != NIL);
    swap_cache.for_each(|&page| held[page as usize][Held::Cache as usize] += 1);
    for (tally, page) in held.iter_mut().zip(&machine.pages) {
        let block = of_allocator(machine, page) && page.count > 0 && tally.iter().all(|&n| n == 0);
        tally[Held::Map as usize] += i32::from(block);
    }
}

pub(super) fn small_pages(page: &Page) -> i64 {
    i64::from(page.nr())
}

pub(super) fn largest_page(machine: &Machine) -> u32 {
    let huge = machine.mms.iter().flat_map(|mm| &mm.pmds).any(|pmd| matches!(pmd, Pmd::Huge(_) | Pmd::HugeZero));
    if huge { crate::machine::HPAGE_PMD_NR } else { 1 }
}

// The page allocator has it, or has given it to somebody who maps nothing and puts it on no list.
pub(super) fn of_allocator(machine: &Machine, page: &Page) -> bool {
    let unmapped = page.count == 0 || page.mapping == NO_MAPPING && !page.has(PageFlag::Swapbacked);
    unmapped && !page.has(PageFlag::Lru) && machine.buddy(page.zone()).is_some()
}
