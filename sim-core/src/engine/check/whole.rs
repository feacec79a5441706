//! Rules of the whole machine: where each page is, lists, page tables, counters.

use alloc::format;
use alloc::vec;

use super::steps::of_allocator;
use super::{Checked, Violation, broken};
use crate::kernel::{Config, Patch};
use crate::machine::{LockClass, LockId, Machine, NIL, NOBODY, PageFlag, Pfn, Pmd, Pv, Stat, TaskRun, pte_page};
use crate::view::PagevecKind;

const ON_LIST: &str = "1: a page is on one list exactly when PG_lru is set";
pub(super) const IN_PAGEVEC: &str = "11: a page in an lru_add pagevec is on no list";

// Pagevecs whose pages are on no list, whoever put them there.
pub(super) fn waits_for_list(pv: Pv) -> bool {
    pv.kind.list().is_some()
}

// Rules 1, 2 and 12 for one page whose zone's lru_lock is free.
pub(super) fn place(machine: &Machine, config: Config, pfn: Pfn) -> Checked {
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
pub(super) fn list_sizes(machine: &Machine, zone: u8, node: bool) -> Checked {
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
