//! The rules of the machine, checked after every step.
//!
//! The checker keeps its own tallies from the operations that it sees (who holds the references of each page, which
//! pages are mlocked), so that it does not believe the state that it checks. A page's place is checked once the
//! lru_lock of its zone is free again, since "set PG_lru, then link" is one unit to everybody who takes the lock.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::check_allocator::AllocatorChecker;
use super::check_rmap::RmapChecker;
use super::check_swap::SwapChecker;
use super::check_work::WorkChecker;
use crate::kernel::{Config, Patch};
use crate::ledger::How;
use crate::machine::{
    LockClass, LockId, Machine, NIL, NO_MAPPING, NOBODY, Page, PageFlag, Pfn, Pmd, Pv, Stat, TaskRun, pte_page,
};
use crate::op::{AnonOp, Held, Op, Outcome, World};
use crate::view::PagevecKind;

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Step count after which it is broken.
    pub step: u32,
    /// Which rule.
    pub rule: &'static str,
    /// What was found, and what was expected.
    pub detail: String,
}

impl Violation {
    pub(crate) fn at(self, step: u32) -> Violation {
        Violation { step, ..self }
    }
}

pub(super) type Checked = Result<(), Violation>;

pub(super) fn broken(rule: &'static str, detail: String) -> Checked {
    Err(Violation { step: 0, rule, detail })
}

/// Tallies that a recorded run is checked against.
#[derive(Clone, Debug)]
pub struct Checker {
    config: Config,
    /// References of each page by [`Held`].
    held: Vec<[i32; 5]>,
    /// lru_add slots that each page waits in.
    slots: Vec<u8>,
    /// Slots whose drain has put the page on its list, and which are not empty yet: others may have it meanwhile.
    drained: Vec<u8>,
    /// Small pages with PG_mlocked.
    mlocked: i64,
    /// What NR_MLOCK is too high by, through failed isolations (until 4.12).
    leaked: i64,
    /// Pages touched while the lru_lock of their zone was held.
    pending: Vec<Pfn>,
    /// Tasks in the run.
    tasks: i64,
    /// Rules of work items.
    work: WorkChecker,
    /// The page allocator, where there is one.
    allocator: Option<AllocatorChecker>,
    /// Rules of the reverse map, for machines that have it, in place of those of lists and references.
    rmap: Option<RmapChecker>,
    /// Tallies of swap, where there is any.
    swap: Option<alloc::boxed::Box<SwapChecker>>,
}

impl Checker {
    /// A checker for a machine at rest.
    pub fn new(config: Config, machine: &Machine) -> Checker {
        let mut held = vec![[0; 5]; machine.pages.len()];
        let mut slots = vec![0; machine.pages.len()];
        for (tally, page) in held.iter_mut().zip(&machine.pages) {
            tally[Held::Map as usize] = page.mapcount;
        }
        for &page in machine.mappings.iter().flat_map(|mapping| &mapping.cache).filter(|&&page| page != NIL) {
            held[page as usize][Held::Cache as usize] += 1;
        }
        for (index, pvec) in machine.pagevecs.iter().enumerate() {
            for &page in pvec.filled() {
                held[page as usize][Held::Slot as usize] += 1;
                slots[page as usize] += u8::from(Pv::at(index).kind.list().is_some());
            }
        }
        seed_others(&mut held, machine);
        let rmap = machine.rmap.is_some().then(|| RmapChecker::new(config, machine));
        let mlocked = machine.pages.iter().filter(|page| page.has(PageFlag::Mlocked)).map(small_pages).sum();
        let leaked = machine.stat(Stat::Mlock) - mlocked;
        let work = WorkChecker::new(machine);
        let allocator = AllocatorChecker::new(config, machine);
        let swap = SwapChecker::new(config, machine);
        let drained = vec![0; machine.pages.len()];
        let pending = Vec::new();
        Checker { config, held, slots, drained, mlocked, leaked, pending, tasks: 1, work, allocator, rmap, swap }
    }

    /// Checks the world after one step.
    ///
    /// # Errors
    ///
    /// The rule that is broken; the step is filled in by the caller.
    pub(crate) fn after(&mut self, world: &World, task: u8, op: Op, outcome: Outcome) -> Checked {
        let machine = &world.machine;
        if let Some(rmap) = &mut self.rmap {
            rmap.after(world, task, op, outcome)?;
            return self.locks(machine, task, op, outcome);
        }
        self.tasks = machine.tasks.len() as i64;
        self.observe(machine, task, op, outcome)?;
        self.work.after(machine, task, op, outcome)?;
        if let Some(page) = op.page() {
            self.references(machine, page)?;
            self.pending.push(page);
        }
        self.locks(machine, task, op, outcome)?;
        if let Some(swap) = &mut self.swap {
            swap.after(machine, task, op, outcome)?;
        }
        self.counters(machine, task, op)?;
        if let Some(allocator) = &mut self.allocator {
            allocator.after(machine, task, op, outcome.ret)?;
        }
        self.places(machine, op)
    }

    fn observe(&mut self, machine: &Machine, task: u8, op: Op, outcome: Outcome) -> Checked {
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
    fn waits_in_pagevec(&self, machine: &Machine, pv: Pv, pfn: Pfn) -> Checked {
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

    fn mlocked_changed(&mut self, machine: &Machine, task: u8, how: How, pfn: Pfn, outcome: Outcome) {
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

    fn freed(&mut self, page: Pfn, outcome: Outcome) -> Checked {
        const MUST_BE_CLEAR: [PageFlag; 5] =
            [PageFlag::Locked, PageFlag::Lru, PageFlag::Mlocked, PageFlag::Active, PageFlag::Unevictable];
        self.held[page as usize] = [0; 5];
        let old = outcome.undo as u32;
        match MUST_BE_CLEAR.iter().find(|flag| old & flag.bit() != 0) {
            Some(flag) => broken("4: bad_page", format!("page {page} was freed with {} set", flag.name())),
            None => Ok(()),
        }
    }

    fn references(&self, machine: &Machine, pfn: Pfn) -> Checked {
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

    fn locks(&self, machine: &Machine, task: u8, op: Op, outcome: Outcome) -> Checked {
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

    fn may_change_lru(&self, machine: &Machine, task: u8, page: Pfn) -> bool {
        let zone = machine.page(page).zone();
        self.config.has(Patch::TestClearLru) || machine.lru_locks[zone as usize].holder == task
    }

    fn counters(&self, machine: &Machine, task: u8, op: Op) -> Checked {
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
    fn nr_mlock(&self, machine: &Machine) -> Checked {
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

    fn places(&mut self, machine: &Machine, op: Op) -> Checked {
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
fn seed_others(held: &mut [[i32; 5]], machine: &Machine) {
    let swap_cache = machine.swap.iter().flat_map(|swap| &swap.cache).filter(|&&page| page != NIL);
    swap_cache.for_each(|&page| held[page as usize][Held::Cache as usize] += 1);
    for (tally, page) in held.iter_mut().zip(&machine.pages) {
        let block = of_allocator(machine, page) && page.count > 0 && tally.iter().all(|&n| n == 0);
        tally[Held::Map as usize] += i32::from(block);
    }
}

fn small_pages(page: &Page) -> i64 {
    i64::from(page.nr())
}

fn largest_page(machine: &Machine) -> u32 {
    let huge = machine.mms.iter().flat_map(|mm| &mm.pmds).any(|pmd| matches!(pmd, Pmd::Huge(_) | Pmd::HugeZero));
    if huge { crate::machine::HPAGE_PMD_NR } else { 1 }
}

// The page allocator has it, or has given it to somebody who maps nothing and puts it on no list.
fn of_allocator(machine: &Machine, page: &Page) -> bool {
    let unmapped = page.count == 0 || page.mapping == NO_MAPPING && !page.has(PageFlag::Swapbacked);
    unmapped && !page.has(PageFlag::Lru) && machine.buddy(page.zone()).is_some()
}

const ON_LIST: &str = "1: a page is on one list exactly when PG_lru is set";
const IN_PAGEVEC: &str = "11: a page in an lru_add pagevec is on no list";

// Pagevecs whose pages are on no list, whoever put them there.
fn waits_for_list(pv: Pv) -> bool {
    pv.kind.list().is_some()
}

// Rules 1, 2 and 12 for one page whose zone's lru_lock is free.
fn place(machine: &Machine, config: Config, pfn: Pfn) -> Checked {
    let page = machine.page(pfn);
    if page.has(PageFlag::Tail) || page.has(PageFlag::Free) || of_allocator(machine, page) {
        return Ok(());
    }
    let lru = page.lru();
    let listed = page.has(PageFlag::Lru);
    // From 5.11 on PG_lru is clear a while before the page leaves its list, and after it has come to it.
    if config.has(Patch::TestClearLru) {
        return Ok(());
    }
    if listed != linked(machine, pfn, lru) {
        let is = if listed { "set" } else { "clear" };
        return broken(ON_LIST, format!("page {pfn}: PG_lru is {is}; its flags name list {lru}"));
    }
    let both = page.has(PageFlag::Active) && page.has(PageFlag::Unevictable);
    if listed && both && config.has(Patch::ClearActive) {
        return broken("12: no page on a list is active and unevictable", format!("page {pfn}"));
    }
    Ok(())
}

fn linked(machine: &Machine, pfn: Pfn, lru: u8) -> bool {
    let page = machine.page(pfn);
    let list = &machine.zones[page.zone() as usize].lru[lru as usize];
    let same_list = |neighbour: Pfn| machine.page(neighbour).lru() == lru;
    let before =
        if page.prev == NIL { list.head == pfn } else { machine.page(page.prev).next == pfn && same_list(page.prev) };
    let after =
        if page.next == NIL { list.tail == pfn } else { machine.page(page.next).prev == pfn && same_list(page.next) };
    before && after
}

// Rule 8 for one zone.
fn list_sizes(machine: &Machine, zone: u8, node: bool) -> Checked {
    for lru in 0..crate::machine::LRU_LISTS as u8 {
        let pages = i64::from(machine.zones[zone as usize].lru[lru as usize].pages);
        let twin = if node { Stat::zone_lru(lru) } else { Stat::lru(lru) };
        for item in [Stat::lru(lru), twin] {
            let counted = machine.zone_stat(zone, item);
            if counted != pages {
                let detail = format!("{} of zone {zone} is {counted}, its list holds {pages}", item.name());
                return broken("8: the LRU counters equal the lists", detail);
            }
        }
    }
    Ok(())
}

// Rule 10 for one counter of one CPU.
pub(super) fn within_threshold(machine: &Machine, cpu: u8, zone: u8, item: Stat) -> Checked {
    let diff = machine.diffs[cpu as usize * machine.zones.len() + zone as usize][item as usize];
    let threshold = machine.zones[zone as usize].threshold;
    if diff.unsigned_abs() > threshold.unsigned_abs() {
        let detail = format!("{} differs by {diff} on CPU {cpu}, threshold {threshold}", item.name());
        return broken("10: a per-CPU difference stays within the threshold", detail);
    }
    Ok(())
}

// Rule 8 for one global counter.
pub(super) fn global_sum(machine: &Machine, item: Stat) -> Checked {
    let zones: i64 = machine.zones.iter().map(|zone| zone.stat[item as usize]).sum();
    let global = machine.vm_stat[item as usize];
    if global != zones {
        let detail = format!("{} is {global}, its zones add up to {zones}", item.name());
        return broken("8: a global counter is the sum of the zones", detail);
    }
    Ok(())
}

/// Checks the whole machine; `quiet` when nobody is inside a kernel function.
///
/// # Errors
///
/// The first rule that is broken.
pub fn check_all(machine: &Machine, config: Config, quiet: bool) -> Result<(), Violation> {
    check_links(machine)?;
    check_maps(machine)?;
    for item in Stat::ALL {
        global_sum(machine, item)?;
        for cpu in 0..machine.cpus.len() as u8 {
            (0..machine.zones.len() as u8).try_for_each(|zone| within_threshold(machine, cpu, zone, item))?;
        }
    }
    for zone in 0..machine.zones.len() as u8 {
        if machine.lock(LockId { class: LockClass::Lru, index: u32::from(zone) }).is_free() {
            list_sizes(machine, zone, config.has(Patch::NodeLru))?;
        }
    }
    for pfn in 0..machine.pages.len() as u32 {
        if machine.lru_locks[machine.page(pfn).zone() as usize].is_free() {
            place(machine, config, pfn)?;
        }
    }
    if quiet { check_quiet(machine, config) } else { Ok(()) }
}

// Every list read from end to end holds what it says it holds, and only pages whose flags name it.
fn check_links(machine: &Machine) -> Checked {
    for zone in 0..machine.zones.len() as u8 {
        for lru in 0..crate::machine::LRU_LISTS as u8 {
            let list = &machine.zones[zone as usize].lru[lru as usize];
            let walked = machine.list(zone, lru).take(machine.pages.len() + 1).count() as u32;
            let unlinked = list.head == NIL && list.tail == NIL;
            if walked != list.entries && !unlinked {
                let detail = format!("list {lru} of zone {zone} says {} and links {walked}", list.entries);
                return broken("1: lists are linked", detail);
            }
            if let Some(page) = machine.list(zone, lru).find(|&page| machine.page(page).lru() != lru) {
                let detail = format!("page {page} is on list {lru}, its flags name list {}", machine.page(page).lru());
                return broken("2: a page is on the list that its flags name", detail);
            }
        }
    }
    Ok(())
}

// Rule 5: mapcount is the number of PTEs.
fn check_maps(machine: &Machine) -> Checked {
    let mut mapped = vec![0; machine.pages.len()];
    for mm in &machine.mms {
        for pmd in &mm.pmds {
            match *pmd {
                Pmd::Huge(head) => mapped[head as usize] += 1,
                Pmd::Table(table) => {
                    let ptes = &machine.tables[table as usize * 512..][..512];
                    ptes.iter().filter_map(|&pte| pte_page(pte)).for_each(|page| mapped[page as usize] += 1);
                }
                Pmd::None | Pmd::HugeZero => {}
            }
        }
    }
    for (pfn, (page, mapped)) in machine.pages.iter().zip(mapped).enumerate() {
        if page.mapcount != mapped {
            let detail = format!("page {pfn}: mapcount is {}, {mapped} entries map it", page.mapcount);
            return broken("5: mapcount is the number of PTEs", detail);
        }
    }
    Ok(())
}

// Rule 1 for pages that are on no list, and rule 11.
fn check_waiting(machine: &Machine, config: Config) -> Checked {
    let mut waits = vec![false; machine.pages.len()];
    for (index, pvec) in machine.pagevecs.iter().enumerate() {
        let pv = Pv::at(index);
        if waits_for_list(pv) {
            for &page in pvec.filled() {
                if machine.page(page).has(PageFlag::Lru) {
                    return broken(IN_PAGEVEC, format!("page {page} has PG_lru"));
                }
            }
        }
        if waits_for_list(pv) || pv.kind == PagevecKind::Mlock {
            pvec.filled().iter().for_each(|&page| waits[page as usize] = true);
        }
    }
    for (pfn, page) in machine.pages.iter().enumerate() {
        let off = !page.has(PageFlag::Free) && !page.has(PageFlag::Tail) && !page.has(PageFlag::Lru);
        let off = off && !of_allocator(machine, page);
        if off && !waits[pfn] {
            let detail = format!("page {pfn} is on no list and in no pagevec: nobody will put it back");
            return broken("1: at rest a page off its list waits in a pagevec", detail);
        }
        let no_links = config.has(Patch::MlockBatch) && page.has(PageFlag::Unevictable);
        if page.has(PageFlag::Lru) && !no_links && !linked(machine, pfn as u32, page.lru()) {
            return broken(ON_LIST, format!("page {pfn}: PG_lru is set; its flags name list {}", page.lru()));
        }
    }
    Ok(())
}

// Rules 13 and 14.
fn check_quiet(machine: &Machine, config: Config) -> Checked {
    check_waiting(machine, config)?;
    for (pfn, page) in machine.pages.iter().enumerate() {
        let pfn = pfn as u32;
        if page.has(PageFlag::Lru) && page.has(PageFlag::Unevictable) && machine.page_evictable(pfn) {
            let detail = format!("page {pfn} is on the unevictable list and evictable: nothing scans that list");
            return broken("13: no evictable page is stranded on the unevictable list", detail);
        }
        if page.locker != NOBODY || page.has(PageFlag::Locked) {
            return broken("14: at rest no page is locked", format!("page {pfn} is"));
        }
    }
    match machine.tasks.iter().position(|task| matches!(task.run, TaskRun::Waits(_))) {
        Some(task) => broken("14: at rest nobody waits", format!("task {task} does")),
        None => Ok(()),
    }
}
