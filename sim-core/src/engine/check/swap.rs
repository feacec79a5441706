//! The rules of swap and MADV_FREE, checked after every step.
//!
//! The checker knows what is in each page and each slot from the stores, reads and writes that it sees, and what each
//! address must hold. It counts PTEs itself.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::{Checked, broken};
use crate::kernel::{Config, Patch};
use crate::machine::{
    Event, LockClass, LockId, Machine, NIL, PTE_DIRTY, PTRS_PER_PTE, PageFlag, Pfn, Pmd, Rss, SWAP_COUNT,
    SWAP_HAS_CACHE, pte_page, pte_swap,
};
use crate::op::{AnonOp, Op, Outcome};

/// What nobody has ever written.
const GARBAGE: u32 = u32::MAX;

/// What an address must hold.
#[derive(Clone, Copy, Debug, Default)]
struct Expected {
    /// Number of the last store; 0 is zeroes.
    last: u32,
    /// MADV_FREE since then: zeroes will do too.
    freed: bool,
}

/// A range that a task has called madvise for.
#[derive(Clone, Copy, Debug)]
struct Advised {
    mm: u8,
    start: u32,
    end: u32,
}

/// Tallies of memory with swap.
#[derive(Clone, Debug)]
pub(super) struct SwapChecker {
    config: Config,
    /// Content of each frame: number of the store that filled it.
    frames: Vec<u32>,
    /// Content of each slot.
    slots: Vec<u32>,
    /// By mm and address.
    expected: Vec<Vec<Expected>>,
    stores: u32,
    /// PTEs that hold each slot's entry.
    holders: Vec<u32>,
    /// Present anonymous PTEs and swap PTEs of each mm.
    ptes: Vec<[i64; 2]>,
    /// Slots whose byte is not 0.
    used: u32,
    /// The last PTE of the frame that was cleared was dirty.
    cleared_dirty: Vec<bool>,
    /// By task: slots to look at when it lets the page table go, its page that is frozen, its madvise call.
    touched: Vec<Vec<u32>>,
    frozen: Vec<Pfn>,
    advised: Vec<Option<Advised>>,
}

impl SwapChecker {
    /// For a machine whose pages hold zeroes; none without a swap device.
    pub fn new(config: Config, machine: &Machine) -> Option<Box<SwapChecker>> {
        let swap = machine.swap.as_ref()?;
        let slots = swap.map.len();
        let mut checker = SwapChecker {
            config,
            frames: vec![0; machine.pages.len()],
            slots: vec![GARBAGE; slots],
            expected: machine.mms.iter().map(|mm| vec![Expected::default(); mm.pmds.len() * 512]).collect(),
            stores: 0,
            holders: vec![0; slots],
            ptes: vec![[0; 2]; machine.mms.len()],
            used: swap.map[1..].iter().filter(|&&byte| byte != 0).count() as u32,
            cleared_dirty: vec![false; machine.pages.len()],
            touched: Vec::new(),
            frozen: Vec::new(),
            advised: Vec::new(),
        };
        for (mm, space) in machine.mms.iter().enumerate() {
            for pmd in &space.pmds {
                let Pmd::Table(table) = *pmd else { continue };
                let ptes = &machine.tables[(table * PTRS_PER_PTE) as usize..][..PTRS_PER_PTE as usize];
                ptes.iter().for_each(|&pte| checker.count(mm, pte, 1));
            }
        }
        // What is in swapped-out and present pages at the start counts as zeroes, on the device too.
        (0..slots).filter(|&slot| swap.map[slot] != 0).for_each(|slot| checker.slots[slot] = 0);
        Some(Box::new(checker))
    }

    pub fn after(&mut self, machine: &Machine, task: u8, op: Op, outcome: Outcome) -> Checked {
        let tasks = machine.tasks.len();
        if self.touched.len() < tasks {
            self.touched.resize(tasks, Vec::new());
            self.frozen.resize(tasks, NIL);
            self.advised.resize(tasks, None);
        }
        match op {
            Op::SetPte { mm, vpn, pte } => self.pte_changed(task, mm, vpn, outcome.undo as u32, pte),
            Op::Alloc { page, .. } => self.frames[page as usize] = 0,
            Op::Event { event: Event::Lazyfreed, .. } => return self.discarded(machine, task),
            Op::UnlockPage { page } => return cache_of_page(machine, page),
            Op::SpinUnlock { class: LockClass::Ptl, index, .. } => {
                self.rss(machine, index)?;
                self.counts(machine, task)?;
                return self.no_entries_left(machine, task, index);
            }
            Op::SpinUnlock { class: LockClass::SwapInfo | LockClass::Cluster, .. } => return self.in_use(machine),
            Op::Anon(op) => return self.anon(machine, task, op, outcome),
            _ => {}
        }
        Ok(())
    }

    fn anon(&mut self, machine: &Machine, task: u8, op: AnonOp, outcome: Outcome) -> Checked {
        match op {
            AnonOp::Store { mm, vpn } if outcome.ret == 1 => {
                self.content(machine, mm, vpn)?;
                self.stores += 1;
                if let Some(page) = pte_page(machine.pte(mm, vpn)) {
                    self.frames[page as usize] = self.stores;
                }
                self.expected[mm as usize][vpn as usize] = Expected { last: self.stores, freed: false };
            }
            AnonOp::Load { mm, vpn } if outcome.ret == 1 => self.content(machine, mm, vpn)?,
            AnonOp::Madvise { mm, dontneed, start, end } => {
                for expected in &mut self.expected[mm as usize][start as usize..end as usize] {
                    *expected = if dontneed { Expected::default() } else { Expected { freed: true, ..*expected } };
                }
                self.advised[task as usize] = (!dontneed).then_some(Advised { mm, start, end });
            }
            AnonOp::GetAndClear { mm, vpn } => {
                if let Some(page) = pte_page(outcome.ret) {
                    self.cleared_dirty[page as usize] = outcome.ret & PTE_DIRTY != 0;
                }
                self.pte_changed(task, mm, vpn, outcome.ret, crate::machine::PTE_NONE);
            }
            AnonOp::WriteMap { slot, byte } => self.byte_changed(task, slot, outcome.undo as u8, byte),
            AnonOp::WriteWord { slot, byte, page } => {
                self.byte_changed(task, slot, (outcome.undo >> 32) as u8, byte);
                return not_written(machine, outcome.undo as u32, page);
            }
            AnonOp::SetCache { page, .. } => return not_written(machine, outcome.undo as u32, page),
            AnonOp::Submit { page, slot } => self.slots[slot as usize] = self.frames[page as usize],
            AnonOp::ReadIn { page, slot } => self.frames[page as usize] = self.slots[slot as usize],
            AnonOp::Copy { from, to } => self.frames[to as usize] = self.frames[from as usize],
            AnonOp::Freeze { page, .. } if outcome.ret == 1 => self.frozen[task as usize] = page,
            AnonOp::PlainUnlock { page } => return cache_of_page(machine, page),
            _ => {}
        }
        Ok(())
    }

    // Rule 16, and the second half of 14: what the program finds.
    fn content(&mut self, machine: &Machine, mm: u8, vpn: u32) -> Checked {
        let found = pte_page(machine.pte(mm, vpn)).map_or(0, |page| self.frames[page as usize]);
        let expected = &mut self.expected[mm as usize][vpn as usize];
        if expected.freed && found == 0 {
            *expected = Expected::default();
        }
        if found == expected.last {
            return Ok(());
        }
        let what = |store: u32| match store {
            0 => "zeroes".into(),
            GARBAGE => "what was on the device before anybody wrote there".into(),
            n => format!("store {n}"),
        };
        let or = if expected.freed { " or zeroes" } else { "" };
        let detail = format!("address {vpn} of mm {mm} holds {}; expected {}{or}", what(found), what(expected.last));
        broken("16: memory holds what was stored last, or zeroes after madvise", detail)
    }

    // Rule 14.
    fn discarded(&self, machine: &Machine, task: u8) -> Checked {
        let page = self.frozen[task as usize];
        if page == NIL || !self.cleared_dirty[page as usize] && !machine.page(page).has(PageFlag::Dirty) {
            return Ok(());
        }
        broken("14: a lazy page is discarded only while it is clean", format!("page {page} was dirty"))
    }

    fn pte_changed(&mut self, task: u8, mm: u8, _vpn: u32, old: u32, new: u32) {
        self.count(mm as usize, old, -1);
        self.count(mm as usize, new, 1);
        self.touched[task as usize].extend([old, new].into_iter().filter_map(pte_swap));
    }

    fn count(&mut self, mm: usize, pte: u32, by: i64) {
        if let Some(slot) = pte_swap(pte) {
            let holders = &mut self.holders[slot as usize];
            *holders = holders.wrapping_add_signed(by as i32);
            self.ptes[mm][Rss::Swap as usize] += by;
        } else if pte_page(pte).is_some() {
            self.ptes[mm][Rss::Anon as usize] += by;
        }
    }

    fn byte_changed(&mut self, task: u8, slot: u32, old: u8, new: u8) {
        self.used = self.used + u32::from(new != 0) - u32::from(old != 0);
        self.touched[task as usize].push(slot);
    }

    // Rule 10, first half, for what a task has touched; slots that another task is at as well are left to it.
    fn counts(&mut self, machine: &Machine, task: u8) -> Checked {
        let touched = core::mem::take(&mut self.touched[task as usize]);
        for slot in touched {
            if !self.touched.iter().any(|others| others.contains(&slot)) {
                self.count_of_slot(machine, slot)?;
            }
        }
        Ok(())
    }

    fn count_of_slot(&self, machine: &Machine, slot: u32) -> Checked {
        let counted = u32::from(machine.swap().map[slot as usize] & SWAP_COUNT);
        let holders = self.holders[slot as usize];
        if counted == holders {
            return Ok(());
        }
        let detail = format!("slot {slot} counts {counted}, {holders} PTEs hold its entry");
        broken("10: the swap map counts the PTEs that hold the entry", detail)
    }

    // Rule 11.
    fn in_use(&self, machine: &Machine) -> Checked {
        let swap = machine.swap();
        if !swap.si_lock.is_free() || swap.cluster_locks.iter().any(|lock| !lock.is_free()) {
            return Ok(());
        }
        let total = i64::from(swap.free) + i64::from(swap.inuse);
        if swap.inuse == self.used && total <= i64::from(swap.tuning.slots) {
            return Ok(());
        }
        let detail = format!(
            "inuse_pages is {} and nr_swap_pages {}, {} of {} slots are in use",
            swap.inuse, swap.free, self.used, swap.tuning.slots
        );
        broken("11: nr_swap_pages and inuse_pages make up the device", detail)
    }

    // Rule 12 for the address space of a table, once none of its tables is locked.
    fn rss(&self, machine: &Machine, table: u32) -> Checked {
        let owner = machine.mms.iter().position(|mm| mm.pmds.contains(&Pmd::Table(table)));
        let Some(mm) = owner else { return Ok(()) };
        let locked = machine.mms[mm].pmds.iter().any(|pmd| match *pmd {
            Pmd::Table(index) => !machine.lock(LockId { class: LockClass::Ptl, index }).is_free(),
            _ => false,
        });
        if locked { Ok(()) } else { self.rss_of(machine, mm) }
    }

    fn rss_of(&self, machine: &Machine, mm: usize) -> Checked {
        for counter in Rss::ALL {
            let (counted, ptes) = (machine.swap().rss(mm as u8, counter), self.ptes[mm][counter as usize]);
            if counted != ptes {
                let detail = format!("{} of mm {mm} is {counted}, it has {ptes} such PTEs", counter.name());
                return broken("12: the counters of an mm count its PTEs", detail);
            }
        }
        Ok(())
    }

    // Rule 15, when the lock of a table is let go inside madvise.
    fn no_entries_left(&mut self, machine: &Machine, task: u8, table: u32) -> Checked {
        let Some(Advised { mm, start, end }) = self.advised[task as usize] else { return Ok(()) };
        let at = machine.mms[mm as usize].pmds.iter().position(|pmd| *pmd == Pmd::Table(table));
        let Some(first) = at.map(|at| at as u32 * PTRS_PER_PTE) else { return Ok(()) };
        let last = (first + PTRS_PER_PTE).min(end);
        if last == end {
            self.advised[task as usize] = None;
        }
        if !self.config.has(Patch::FreeSwapEntry) {
            return Ok(());
        }
        match (first.max(start)..last).find(|&vpn| pte_swap(machine.pte(mm, vpn)).is_some()) {
            Some(vpn) => {
                broken("15: MADV_FREE leaves no swap entry", format!("address {vpn} of mm {mm} still holds one"))
            }
            None => Ok(()),
        }
    }

    /// Nobody is inside a kernel function: everything must add up.
    pub fn at_rest(&self, machine: &Machine) -> Checked {
        let swap = machine.swap();
        self.in_use(machine)?;
        if i64::from(swap.free) + i64::from(swap.inuse) != i64::from(swap.tuning.slots) {
            let detail = format!("{} free and {} in use of {}", swap.free, swap.inuse, swap.tuning.slots);
            return broken("11: nr_swap_pages and inuse_pages make up the device", detail);
        }
        for slot in 1..swap.map.len() as u32 {
            self.count_of_slot(machine, slot)?;
            let page = swap.cache[slot as usize];
            let cached = swap.map[slot as usize] & SWAP_HAS_CACHE != 0;
            if cached != (page != NIL) {
                return broken(HAS_CACHE, format!("slot {slot}: the bit says {cached}, the swap cache the opposite"));
            }
            if page != NIL {
                cache_of_page(machine, page)?;
            }
        }
        (0..machine.mms.len()).try_for_each(|mm| self.rss_of(machine, mm))
    }
}

const HAS_CACHE: &str = "10: SWAP_HAS_CACHE says that a page of the swap cache has the slot";

// Rule 10, second half, for one page.
fn cache_of_page(machine: &Machine, page: Pfn) -> Checked {
    let swap = machine.swap();
    let slot = swap.private[page as usize];
    let flag = machine.page(page).has(PageFlag::SwapCache);
    let found = slot != 0 && swap.cache[slot as usize] == page && swap.map[slot as usize] & SWAP_HAS_CACHE != 0;
    if flag == found && flag == (slot != 0) {
        return Ok(());
    }
    broken(HAS_CACHE, format!("page {page}: PG_swapcache is {flag}, its slot {slot} says {found}"))
}

// Rule 17.
fn not_written(machine: &Machine, old: Pfn, new: Pfn) -> Checked {
    if new == NIL && old != NIL && machine.page(old).has(PageFlag::Writeback) {
        return broken("17: a page under writeback stays in the swap cache", format!("page {old} was taken out"));
    }
    Ok(())
}
