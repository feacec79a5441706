//! The rules of the reverse map, checked after every step.
//!
//! The checker keeps its own tallies of PTEs, of mappings that are cleared and not yet counted, of references, swap
//! entries and counters, from the operations that it sees. What may be off within a critical section is checked when
//! the page-table lock is let go.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::rmap_rules as rules;
use super::{Checked, broken, global_sum, within_threshold};
use crate::kernel::{Config, Patch};
use crate::machine::{
    LockClass, Machine, Member, PTE_DIRTY, PTE_YOUNG, PTRS_PER_PTE, PageFlag, Pfn, Stat, pte_page, pte_swap,
};
use crate::op::{Held, Note, Op, Outcome, RmapOp, World};

/// Tallies that a run is checked against.
#[derive(Clone, Debug)]
pub(super) struct RmapChecker {
    pub config: Config,
    /// PTEs that map each page.
    pub ptes: Vec<i32>,
    /// Cleared PTEs of each page that are counted still.
    pub pend: Vec<i32>,
    /// References of each folio by [`Held`].
    pub held: Vec<[i32; 6]>,
    /// Mapped pages: of files, anonymous.
    pub mapped: [i64; 2],
    /// What the nodes count and the memcg does not: its counters begin with the set-up.
    pub base: [i64; 2],
    /// rss_stat of each address space.
    pub rss: Vec<[i64; 4]>,
    /// Swap PTEs, and duplicates that have none yet, by entry.
    pub swap: Vec<(i32, i32)>,
    /// What each task is in the middle of.
    sections: Vec<Section>,
}

/// What one task has begun, mostly under a page-table lock, and has to bring to an end.
#[derive(Clone, Debug, Default)]
struct Section {
    /// Entries whose counts changed under the lock.
    swapped: Vec<u32>,
    /// Cleared and not yet counted mappings.
    open: i32,
    /// Addresses that wait for a flush: address space, address.
    flush: Vec<(u8, u32)>,
    /// Folios that a dirty PTE mapped, until the lock goes: dirty must not be lost.
    dirty: Vec<Pfn>,
    /// Pages whose map count fell since references were last dropped.
    dropped: Vec<Pfn>,
    /// What was cleared under the lock: address space, address, old PTE.
    cleared: Vec<(u8, u32, u32)>,
    /// Folios whose counts changed under the lock.
    touched: Vec<Pfn>,
}

/// The items that count mapped pages.
pub(super) const MAPPED: [Stat; 2] = [Stat::FileMapped, Stat::AnonMapped];

impl RmapChecker {
    /// A checker for a machine at rest.
    pub fn new(config: Config, machine: &Machine) -> RmapChecker {
        let frames = machine.pages.len();
        let mut checker = RmapChecker {
            config,
            ptes: vec![0; frames],
            pend: vec![0; frames],
            held: vec![[0; 6]; frames],
            mapped: [0; 2],
            base: MAPPED.map(|item| machine.stat(item) - machine.rmap().memcg_stat(item)),
            rss: vec![[0; 4]; machine.mms.len()],
            swap: vec![(0, 0); machine.rmap().swap_map.len()],
            sections: Vec::new(),
        };
        rules::survey(&mut checker, machine);
        checker
    }

    /// Checks the world after one step.
    pub fn after(&mut self, world: &World, task: u8, op: Op, outcome: Outcome) -> Checked {
        let machine = &world.machine;
        if self.sections.len() < machine.tasks.len() {
            self.sections.resize(machine.tasks.len(), Section::default());
        }
        match op {
            Op::Rmap(op) => self.observe(machine, task, op, outcome),
            Op::Mapcount { page, delta } => self.mapcount(machine, task, page, delta),
            Op::Get { page, held, .. } => self.reference(machine, page, held, 1),
            Op::Put { page, held, .. } => {
                self.reference(machine, page, held, -1)?;
                if held == Held::Map { self.run_dropped(machine, task, page, 1) } else { Ok(()) }
            }
            Op::Alloc { page, .. } => {
                self.held[page as usize] = [0, 1, 0, 0, 0, 0];
                Ok(())
            }
            Op::Free { page } => self.freed(machine, task, page, outcome),
            Op::Stat { zone, item, .. } => {
                within_threshold(machine, machine.tasks[usize::from(task)].cpu, zone, item)?;
                global_sum(machine, item)
            }
            Op::SpinUnlock { class: LockClass::Ptl, .. } => self.section_ended(machine, task),
            _ => Ok(()),
        }
    }

    fn observe(&mut self, machine: &Machine, task: u8, op: RmapOp, outcome: Outcome) -> Checked {
        match op {
            RmapOp::Look { mm, index, .. } => inside(mm, index),
            RmapOp::Xchg { mm, index, addr } => self.cleared(machine, task, (mm, index, addr), outcome.ret),
            RmapOp::Put { mm, index, addr, pte } => self.written(machine, task, (mm, index, addr), pte),
            RmapOp::RefSub { folio, n, .. } => {
                self.reference(machine, folio, Held::Map, -(n as i32))?;
                if machine.page(folio).count < 1 {
                    let detail = format!("folio {folio}: _refcount is {}", machine.page(folio).count);
                    return broken("G5: a folio that is being unmapped has a reference left", detail);
                }
                self.run_dropped(machine, task, folio, n)
            }
            RmapOp::RefFreeze { folio, refs } if outcome.ret == 1 => self.frozen(machine, folio, refs),
            RmapOp::NrMapped { folio, .. } | RmapOp::LargeMapcount { folio, .. } | RmapOp::MmSlot { folio, .. } => {
                self.of(task).touched.push(folio);
                Ok(())
            }
            RmapOp::Hiwater { .. } => {
                let waiting = core::mem::take(&mut self.of(task).flush);
                rules::flushed(machine, self.config, task, &waiting)
            }
            RmapOp::Note { what: Note::NotifierEnd, page, arg } if arg & 1 == 1 => {
                rules::nothing_left(machine, page, (arg >> 1) as u8)
            }
            RmapOp::Swap { entry, dup } if outcome.ret == 1 => {
                self.swap[entry as usize].1 += if dup { 1 } else { -1 };
                self.of(task).swapped.push(entry);
                rules::swap_count(machine, &self.swap, entry)
            }
            _ => Ok(()),
        }
    }

    fn cleared(&mut self, machine: &Machine, task: u8, at: (u8, u16, u32), old: u32) -> Checked {
        let (mm, index, addr) = at;
        inside(mm, index)?;
        if u32::from(index) != addr % PTRS_PER_PTE && !self.config.has(Patch::LateRules) {
            let detail = format!("the entry is {index}, the address {addr} has {}", addr % PTRS_PER_PTE);
            return broken("G10: at a hit, the PTE is the entry of the address", detail);
        }
        let vpn = addr - addr % PTRS_PER_PTE + u32::from(index);
        let Some(page) = pte_page(old) else { return Ok(()) };
        self.ptes[page as usize] -= 1;
        self.pend[page as usize] += 1;
        self.rss[usize::from(mm)][rules::member(machine, page) as usize] -= 1;
        let folio = machine.compound_head(page);
        let section = self.of(task);
        section.open += 1;
        section.flush.push((mm, vpn));
        section.cleared.push((mm, vpn, old));
        if old & PTE_DIRTY != 0 {
            section.dirty.push(folio);
        }
        section.touched.push(folio);
        rules::counts_its_ptes(self, machine, page)
    }

    fn written(&mut self, machine: &Machine, task: u8, at: (u8, u16, u32), pte: u32) -> Checked {
        let (mm, index, addr) = at;
        inside(mm, index)?;
        let vpn = addr - addr % PTRS_PER_PTE + u32::from(index);
        if let Some(entry) = pte_swap(pte) {
            self.rss[usize::from(mm)][Member::Swap as usize] += 1;
            let (ptes, pending) = &mut self.swap[entry as usize];
            (*ptes, *pending) = (*ptes + 1, *pending - 1);
            self.of(task).swapped.push(entry);
            return rules::swap_count(machine, &self.swap, entry);
        }
        let Some(page) = pte_page(pte) else { return Ok(()) };
        self.ptes[page as usize] += 1;
        self.pend[page as usize] -= 1;
        self.rss[usize::from(mm)][rules::member(machine, page) as usize] += 1;
        let section = self.of(task);
        section.open -= 1;
        let old = section.cleared.iter().rev().find(|&&(of, at, _)| (of, at) == (mm, vpn)).map(|&(_, _, old)| old);
        let gains = PTE_DIRTY | PTE_YOUNG;
        if old.is_none_or(|old| old & !gains != pte & !gains || old & gains & !pte != 0) {
            let detail = format!("address {vpn} of mm {mm} held {old:?} and is given {pte}");
            return broken("G13: a PTE that is put back can only gain the young and dirty bits", detail);
        }
        rules::counts_its_ptes(self, machine, page)
    }

    fn mapcount(&mut self, machine: &Machine, task: u8, page: Pfn, delta: i8) -> Checked {
        let now = machine.page(page).mapcount;
        let class = usize::from(rules::member(machine, page) == Member::Anon);
        // A pmd counts for all pages of its folio.
        let alone = machine.rmap().folios[machine.compound_head(page) as usize].entire == 0;
        if delta < 0 {
            self.pend[page as usize] -= 1;
            self.mapped[class] -= i64::from(now == 0 && alone);
            let section = self.of(task);
            section.open -= 1;
            section.dropped.push(page);
        } else {
            self.mapped[class] += i64::from(now == 1 && alone);
        }
        self.of(task).touched.push(machine.compound_head(page));
        rules::counts_its_ptes(self, machine, page)
    }

    fn reference(&mut self, machine: &Machine, folio: Pfn, held: Held, n: i32) -> Checked {
        self.held[folio as usize][held as usize] += n;
        rules::refcount(self, machine, folio)
    }

    // References of mappings were dropped: as many as map counts fell, of consecutive pages of one folio.
    fn run_dropped(&mut self, machine: &Machine, task: u8, folio: Pfn, n: u32) -> Checked {
        let dropped = core::mem::take(&mut self.of(task).dropped);
        let nr = machine.page(folio).nr();
        let consecutive = dropped.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        let within = dropped.iter().all(|&page| page >= folio && page - folio < nr);
        if dropped.len() as u32 != n || !consecutive || !within || n > nr {
            let detail = format!("folio {folio}: {n} references dropped after the pages {dropped:?}");
            return broken("G17: a batch is consecutive pages of one folio", detail);
        }
        rules::equal_over_count(self, machine, folio)
    }

    fn frozen(&mut self, machine: &Machine, folio: Pfn, refs: u32) -> Checked {
        let page = machine.page(folio);
        let cached = self.held[folio as usize][Held::Cache as usize] > 0;
        let expected = if cached { 1 + page.nr() } else { 1 };
        self.held[folio as usize] = [0; 6];
        if refs != expected || page.has(PageFlag::Dirty) {
            let detail = format!("folio {folio} was frozen with {refs} references, {expected} expected");
            return broken("G16: only a clean folio that nobody else holds leaves the page cache", detail);
        }
        Ok(())
    }

    fn freed(&mut self, machine: &Machine, task: u8, page: Pfn, outcome: Outcome) -> Checked {
        let order = outcome.undo as u32 >> 28;
        let mapping = (outcome.undo >> 32) as u16;
        if self.held[page as usize] != [0; 6] {
            return broken("G5: a folio is freed when nobody holds it", format!("folio {page} is held"));
        }
        let lax = !self.config.has(Patch::FlushBeforeFree) && !self.config.has(Patch::StrictFree) && order > 0;
        if lax && machine.rmap().ubcs[usize::from(task)].required {
            return Ok(());
        }
        rules::no_tlb_entry(machine, mapping, page, 1 << order)
    }

    fn section_ended(&mut self, machine: &Machine, task: u8) -> Checked {
        // What is not flushed or dropped yet stays open behind the lock.
        let section = self.of(task);
        let (flush, dropped) = (core::mem::take(&mut section.flush), core::mem::take(&mut section.dropped));
        let ended = core::mem::replace(section, Section { flush, dropped, ..Section::default() });
        if ended.open != 0 {
            let open = ended.open;
            let detail = format!("{open} cleared PTEs are counted as mappings still, and nobody will count them less");
            return broken("G9: when the page-table lock goes, no batch is open", detail);
        }
        for entry in ended.swapped {
            if self.swap[entry as usize].1 != 0 {
                let detail = format!("entry {entry} was counted and no PTE has it");
                return broken("G15: what swap_duplicate takes, a swap PTE has or swap_free gives back", detail);
            }
        }
        for folio in ended.dirty {
            if !machine.page(folio).has(PageFlag::Dirty) {
                return broken("G13: a dirty PTE makes its folio dirty", format!("folio {folio} is clean"));
            }
        }
        let mut touched = ended.touched;
        touched.dedup();
        for folio in touched {
            rules::folio_counts(self, machine, folio)?;
        }
        rules::statistics_but_of_others(self, machine, task)
    }

    fn of(&mut self, task: u8) -> &mut Section {
        &mut self.sections[usize::from(task)]
    }

    /// Checks a world in which nobody is inside a kernel function.
    pub fn at_rest(&self, machine: &Machine) -> Checked {
        for pfn in 0..machine.pages.len() as u32 {
            rules::counts_its_ptes(self, machine, pfn)?;
            if machine.page(pfn).has(PageFlag::Tail) || machine.page(pfn).has(PageFlag::Free) {
                continue;
            }
            rules::refcount(self, machine, pfn)?;
            rules::folio_counts(self, machine, pfn)?;
            if self.held[pfn as usize][Held::Isolate as usize] != 0 || machine.page(pfn).has(PageFlag::Locked) {
                return broken("at rest no folio is isolated or locked", format!("folio {pfn} is"));
            }
        }
        if let Some(entry) =
            (0..self.swap.len() as u32).find(|&entry| rules::swap_count(machine, &self.swap, entry).is_err())
        {
            return rules::swap_count(machine, &self.swap, entry);
        }
        rules::statistics(self, machine)
    }
}

// Behind the end of a table lies memory that is none of the walk's business.
fn inside(mm: u8, index: u16) -> Checked {
    if u32::from(index) < PTRS_PER_PTE {
        return Ok(());
    }
    let detail = format!("entry {index} of a table of {PTRS_PER_PTE} in mm {mm}");
    broken("G10: the walk stays inside the page table", detail)
}
