//! The rules of the page allocator, checked after every step that may break one.
//!
//! The checker keeps by itself which list each page is on and who has allocated it, from the operations that it sees.
//! Whole zones are walked where zone->lock is given back, if they are small, and when the run has ended.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::{Checked, broken};
use crate::kernel::pcp_orders::blocks_of_batch;
use crate::kernel::{Config, Patch};
use crate::machine::{
    AreaList, Buddy, Event, LockClass, MAX_ORDER, Machine, MigrateType, NOBODY, NR_PCP_LISTS, PAGEBLOCK_NR,
    PAGEBLOCK_ORDER, PageFlag, PcpField, Pfn, Stat, pcp_allowed_order, pindex_to_order,
};
use crate::op::{Op, Read};

/// Zones up to this many pages are walked each time.
const SMALL: u32 = 4096;

const ONE_PLACE: &str = "1: every page is in one place of the allocator";
const BLOCK: &str = "2: a free block is what its head says";
const COUNTED: &str = "3: nr_free and NR_FREE_PAGES count the free blocks";
const MERGED: &str = "4: no two free buddies stay unmerged";
const PCP_COUNT: &str = "5: pcp.count is the number of pages on its lists";
const IRQS: &str = "7: zone->lock is held with interrupts off, and pages are picked with interrupts off";
const EVENTS: &str = "9: PGALLOC less PGFREE is the number of allocated pages";
const ISOLATED: &str = "B.8.2: free pages of an isolated pageblock are on the ISOLATE lists";

/// Tallies for the zones with a page allocator: none for machines without.
#[derive(Clone, Debug)]
pub(super) struct AllocatorChecker {
    config: Config,
    /// List that each page is on.
    on: Vec<Option<AreaList>>,
    /// Pages that somebody has allocated, interior pages of a block too.
    allocated: Vec<bool>,
    /// Pages of the block that was freed last here, if its order has per-CPU lists; else 0.
    single: Vec<u16>,
    /// CPUs whose lists have held blocks of an order above 0.
    blocks: Vec<bool>,
    /// PGALLOC less PGFREE less the allocated pages, at the start.
    offset: i64,
}

impl AllocatorChecker {
    pub fn new(config: Config, machine: &Machine) -> Option<AllocatorChecker> {
        machine.zones.iter().find(|zone| zone.buddy.is_some())?;
        let mut on = vec![None; machine.pages.len()];
        for (zone, state) in machine.zones.iter().enumerate() {
            let Some(buddy) = &state.buddy else { continue };
            for list in all_lists(buddy) {
                machine.area_list(zone as u8, list).for_each(|page| on[page as usize] = Some(list));
            }
        }
        let allocated = allocated(machine, &on);
        let offset = balance(machine) - count(&allocated);
        let single = vec![0; machine.pages.len()];
        let mut blocks = vec![false; machine.cpus.len()];
        for list in on.iter().flatten() {
            if let AreaList::PcpOrder { cpu, .. } = *list {
                blocks[usize::from(cpu)] |= list.order() > 0;
            }
        }
        Some(AllocatorChecker { config, on, allocated, single, blocks, offset })
    }

    pub fn after(&mut self, machine: &Machine, task: u8, op: Op, ret: u32) -> Checked {
        self.observe(machine, task, op)?;
        self.uncounted(machine, task, op, ret);
        let cpu = machine.tasks[task as usize].cpu;
        let irqs_off = machine.cpus[cpu as usize].irqs_off;
        for (zone, buddy) in buddies(machine) {
            if buddy.lock.holder == task && !irqs_off {
                return broken(IRQS, format!("CPU {cpu} holds the lock of zone {zone} with interrupts on"));
            }
            let unlocked =
                matches!(op, Op::SpinUnlock { class: LockClass::Zone, index, .. } if index == u32::from(zone));
            if unlocked && machine.zones[zone as usize].end - machine.zones[zone as usize].start <= SMALL {
                self.walk(machine, zone, buddy)?;
            }
            let opened = matches!(op, Op::Irq { off: false } | Op::SpinUnlock { .. });
            if opened && !irqs_off {
                self.pcp(buddy, cpu)?;
                let quiet = buddy.lock.holder == NOBODY && machine.cpus.iter().all(|cpu| !cpu.irqs_off);
                if quiet {
                    free_pages(machine, zone, buddy)?;
                }
            }
        }
        Ok(())
    }

    fn observe(&mut self, machine: &Machine, task: u8, op: Op) -> Checked {
        match op {
            Op::AreaAdd { list, page, .. } => {
                if let Some(old) = self.on[page as usize].replace(list) {
                    return broken(ONE_PLACE, format!("page {page} was added to {list:?} while it is on {old:?}"));
                }
                self.block_listed(op);
                // release_pages collects pages that it has not begun to free yet.
                if self.allocated[page as usize] && !matches!(list, AreaList::Dead { .. }) {
                    return broken(ONE_PLACE, format!("page {page} was added to {list:?} while somebody has it"));
                }
                self.picked(machine, task, list, page)
            }
            Op::AreaDel { list, page } | Op::AreaNext { list, page } => {
                let old = self.on[page as usize].take();
                if old == Some(list) {
                    return Ok(());
                }
                broken(ONE_PLACE, format!("page {page} was taken off {list:?} while it is on {old:?}"))
            }
            Op::PrepareNew { page, order } => self.changes_hands(page, order, true),
            Op::PrepareFree { page, order } => {
                self.single[page as usize] = if pcp_allowed_order(order) { 1 << order } else { 0 };
                self.changes_hands(page, order, false)
            }
            _ => Ok(()),
        }
    }

    // 5.18 counts the free of a block of any order as one.
    fn block_listed(&mut self, op: Op) {
        let Op::AreaAdd { list: list @ AreaList::PcpOrder { cpu, .. }, tail, .. } = op else { return };
        self.blocks[cpu as usize] = true;
        if !tail && !self.config.has(Patch::PcpLock) {
            self.offset += (1 << list.order()) - 1;
        }
    }

    // 5.18 frees a page of an isolated pageblock past its lists, and does not count it.
    fn uncounted(&mut self, machine: &Machine, task: u8, op: Op, ret: u32) {
        let Op::Read { what: Read::Pageblock, page } = op else { return };
        let pages = self.single[page as usize];
        let freeing = pages > 0 && matches!(self.on[page as usize], None | Some(AreaList::Dead { .. }));
        let locked = machine.buddy(machine.page(page).zone()).is_some_and(|buddy| buddy.lock.holder == task);
        let one_pass = self.config.has(Patch::SinglePass) && !self.config.has(Patch::PcpLock);
        if one_pass && freeing && !locked && ret == MigrateType::Isolate as u32 {
            self.offset += i64::from(pages);
        }
    }

    // Pages wait on the stack of a drain only where nobody can interrupt, and without the lock.
    fn picked(&self, machine: &Machine, task: u8, list: AreaList, page: Pfn) -> Checked {
        let AreaList::Local { cpu } = list else { return Ok(()) };
        let held = machine.buddy(machine.page(page).zone()).is_some_and(|buddy| buddy.lock.holder == task);
        if held || !machine.cpus[cpu as usize].irqs_off {
            let what = if held { "under zone->lock" } else { "with interrupts on" };
            return broken(IRQS, format!("CPU {cpu} picked page {page} {what}"));
        }
        Ok(())
    }

    fn changes_hands(&mut self, page: Pfn, order: u8, new: bool) -> Checked {
        for pfn in page..page + (1 << order) {
            let old = core::mem::replace(&mut self.allocated[pfn as usize], new);
            if old == new || self.on[pfn as usize].is_some() && new {
                let what = if new { "allocated twice" } else { "freed twice" };
                return broken(ONE_PLACE, format!("page {pfn} was {what}"));
            }
        }
        Ok(())
    }

    // Rule 5 for one CPU, between two operations on its lists.
    fn pcp(&self, buddy: &Buddy, cpu: u8) -> Checked {
        let pcp = &buddy.pcp[cpu as usize];
        if pcp.lock.holder != NOBODY {
            return Ok(());
        }
        let listed = pcp.pages();
        let count = pcp.get(PcpField::Count);
        if listed != count {
            return broken(PCP_COUNT, format!("count of CPU {cpu} is {count}, its lists hold {listed}"));
        }
        let (high, batch) = (pcp.get(PcpField::High), pcp.get(PcpField::Batch));
        let refills = if self.blocks[cpu as usize] { refills_of_all(batch) } else { 2 * (batch - 1) };
        let most = (high + refills).saturating_sub(1);
        // A drain of less than a batch, which only a small high makes, may leave more.
        let whole = !self.config.has(Patch::SinglePass) || high >= 2 * batch || self.blocks[cpu as usize];
        if !self.config.has(Patch::PcpLock) && whole && count > most {
            return broken(PCP_COUNT, format!("CPU {cpu} holds {count} pages, {most} at most (high {high})"));
        }
        Ok(())
    }

    // Rules 1 to 4 and the isolated pageblocks, for a whole zone whose lock is free.
    fn walk(&self, machine: &Machine, zone: u8, buddy: &Buddy) -> Checked {
        let mut seen = vec![false; machine.pages.len()];
        for list in all_lists(buddy) {
            let expected = buddy.list(list).len;
            let mut found = 0;
            for page in machine.area_list(zone, list).take(expected as usize + 1) {
                found += 1;
                self.listed(machine, buddy, list, page, &mut seen)?;
            }
            if found != expected {
                return broken(ONE_PLACE, format!("{list:?} says {expected} and links {found}"));
            }
        }
        for order in 0..MAX_ORDER {
            let blocks: u32 = buddy.free_list[order as usize].iter().map(|list| list.len).sum();
            let counted = buddy.nr_free[order as usize];
            if blocks != counted {
                return broken(COUNTED, format!("nr_free of order {order} is {counted}, the lists hold {blocks}"));
            }
        }
        Ok(())
    }

    fn listed(&self, machine: &Machine, buddy: &Buddy, list: AreaList, page: Pfn, seen: &mut [bool]) -> Checked {
        let AreaList::Free { order, mt } = list else { return self.waiting(machine, list, page, seen) };
        let head = machine.page(page);
        if !page.is_multiple_of(1 << order) || !head.has(PageFlag::Free) || head.order() != order || head.count != 0 {
            return broken(BLOCK, format!("page {page} heads a block of order {order}"));
        }
        for pfn in page..page + (1 << order) {
            let double = core::mem::replace(&mut seen[pfn as usize], true);
            if double || self.allocated[pfn as usize] || pfn > page && machine.page(pfn).has(PageFlag::Free) {
                return broken(
                    ONE_PLACE,
                    format!("page {pfn} is in the block of order {order} at {page} and elsewhere"),
                );
            }
        }
        merged(machine, buddy, page, order, self.config)?;
        let at = (page - machine.zones[head.zone() as usize].start) / PAGEBLOCK_NR;
        let block = buddy.pageblocks[at as usize];
        if (block == MigrateType::Isolate) != (mt == MigrateType::Isolate) {
            let detail = format!("page {page} of an {} pageblock is on an {} list", block.name(), mt.name());
            return broken(ISOLATED, detail);
        }
        Ok(())
    }

    // A page or block on a list of a CPU: nobody else has a page of it.
    fn waiting(&self, machine: &Machine, list: AreaList, page: Pfn, seen: &mut [bool]) -> Checked {
        let end = page + (1 << list.order());
        let whole = page.is_multiple_of(1 << list.order()) && end as usize <= machine.pages.len();
        for pfn in page..if whole { end } else { page } {
            let double = core::mem::replace(&mut seen[pfn as usize], true);
            let state = machine.page(pfn);
            // A collected page has not been freed yet, and a block's other pages have a count of 0 in use too.
            let in_use = state.count != 0 || pfn > page && self.allocated[pfn as usize];
            if double || in_use || state.has(PageFlag::Free) {
                return broken(ONE_PLACE, format!("page {pfn} on {list:?} is free, in use or listed twice"));
            }
        }
        if whole { Ok(()) } else { broken(BLOCK, format!("page {page} on {list:?} heads no block of its order")) }
    }

    /// Checks a machine in which nobody is inside a kernel function.
    pub fn at_rest(&self, machine: &Machine) -> Checked {
        for (zone, buddy) in buddies(machine) {
            self.walk(machine, zone, buddy)?;
            free_pages(machine, zone, buddy)?;
            for cpu in 0..machine.cpus.len() as u8 {
                self.pcp(buddy, cpu)?;
                let waiting = buddy.local[cpu as usize].len + buddy.dead[cpu as usize].len;
                if waiting > 0 {
                    return broken(ONE_PLACE, format!("{waiting} pages are left on the stack of CPU {cpu}"));
                }
            }
            let managed = i64::from(machine.zones[zone as usize].end - machine.zones[zone as usize].start);
            let held = i64::from(buddy.free_pages()) + i64::from(buddy.pcp_pages()) + count(&self.allocated);
            if held != managed {
                let detail = format!("{held} pages are allocated, on lists or in blocks; the zone has {managed}");
                return broken(ONE_PLACE, detail);
            }
        }
        let (balance, expected) = (balance(machine), count(&self.allocated) + self.offset);
        if balance != expected {
            return broken(EVENTS, format!("PGALLOC less PGFREE is {balance}, {expected} expected"));
        }
        Ok(())
    }
}

// At rest, every page of a zone with an allocator that is on none of its lists, inside a free block or behind the head of
// an allocated one.
fn allocated(machine: &Machine, on: &[Option<AreaList>]) -> Vec<bool> {
    let mut allocated = vec![false; machine.pages.len()];
    for (zone, _) in buddies(machine) {
        let zone = &machine.zones[zone as usize];
        allocated[zone.start as usize..zone.end as usize].fill(true);
    }
    for (page, list) in on.iter().enumerate() {
        if let Some(list) = *list {
            allocated[page..page + (1 << list.order())].fill(false);
        }
    }
    allocated
}

fn buddies(machine: &Machine) -> impl Iterator<Item = (u8, &Buddy)> {
    let zones = machine.zones.iter().enumerate();
    zones.filter_map(|(zone, state)| Some((zone as u8, state.buddy.as_deref()?)))
}

fn all_lists(buddy: &Buddy) -> impl Iterator<Item = AreaList> + use<> {
    let cpus = buddy.pcp.len() as u8;
    let free = (0..MAX_ORDER).flat_map(|order| MigrateType::ALL.map(|mt| AreaList::Free { order, mt }));
    let of_types = |cpu| (0..NR_PCP_LISTS).map(move |pindex| AreaList::of_pindex(cpu, pindex));
    let stacks = (0..cpus).flat_map(|cpu| [AreaList::Local { cpu }, AreaList::Dead { cpu }]);
    free.chain((0..cpus).flat_map(of_types)).chain(stacks)
}

// What the refills of all lists may add above high. While count is at high or above, a free takes at least as much off
// its own list as it has put there; so a list grows by a refill alone, which finds it empty.
fn refills_of_all(batch: u32) -> u32 {
    let lists = 0..NR_PCP_LISTS;
    let refill = |order: u8| (blocks_of_batch(batch, order) - 1) << order;
    lists.map(|pindex| refill(pindex_to_order(pindex))).sum()
}

fn balance(machine: &Machine) -> i64 {
    machine.events[Event::Alloc as usize] as i64 - machine.events[Event::Free as usize] as i64
}

fn count(allocated: &[bool]) -> i64 {
    allocated.iter().filter(|&&allocated| allocated).count() as i64
}

// Rule 3: isolated pages are not counted as free.
fn free_pages(machine: &Machine, zone: u8, buddy: &Buddy) -> Checked {
    let of_order = |(order, lists): (usize, &[_; 5])| {
        let lists: &[crate::machine::PageList; 5] = lists;
        let blocks: i64 = lists[..MigrateType::Isolate as usize].iter().map(|list| i64::from(list.len)).sum();
        blocks << order
    };
    let listed: i64 = buddy.free_list.iter().enumerate().map(of_order).sum();
    let counted = machine.zone_stat(zone, Stat::FreePages);
    if counted == listed {
        return Ok(());
    }
    broken(COUNTED, format!("NR_FREE_PAGES is {counted}, the lists hold {listed} pages that may be allocated"))
}

// Rule 4 for one block.
fn merged(machine: &Machine, buddy: &Buddy, page: Pfn, order: u8, config: Config) -> Checked {
    let zone = &machine.zones[machine.page(page).zone() as usize];
    let other = page ^ (1 << order);
    if order + 1 >= MAX_ORDER || other < zone.start || other >= zone.end {
        return Ok(());
    }
    let other_page = machine.page(other);
    if !other_page.has(PageFlag::Free) || other_page.order() != order {
        return Ok(());
    }
    let of = |pfn: Pfn| buddy.pageblocks[((pfn - zone.start) / PAGEBLOCK_NR) as usize];
    let (mine, theirs) = (of(page), of(other));
    let isolated = mine == MigrateType::Isolate || theirs == MigrateType::Isolate;
    let apart = if config.has(Patch::FreshType) { !mine.has_pcp() || !theirs.has_pcp() } else { isolated };
    if order >= PAGEBLOCK_ORDER && mine != theirs && apart {
        return Ok(());
    }
    broken(MERGED, format!("the blocks of order {order} at {page} and {other} are both free"))
}
