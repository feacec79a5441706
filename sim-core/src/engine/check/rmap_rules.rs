//! The single rules of the reverse map.

use alloc::format;

use super::rmap::{MAPPED, RmapChecker};
use super::{Checked, broken};
use crate::kernel::{Config, Patch};
use crate::machine::{
    COMPOUND_MAPPED, HPAGE_PMD_NR, LockClass, LockId, Machine, Member, NIL, NOBODY, PageFlag, Pfn, Pmd, pte_page,
    pte_swap,
};
use crate::op::Held;

/// The counter of an address space that a page is in.
pub(super) fn member(machine: &Machine, page: Pfn) -> Member {
    let head = machine.page(machine.compound_head(page));
    match machine.mappings.get(usize::from(head.mapping)) {
        Some(mapping) if !mapping.file => Member::Anon,
        _ if head.has(PageFlag::Swapbacked) => Member::Shmem,
        _ => Member::File,
    }
}

/// Fills the tallies from a machine at rest.
pub(super) fn survey(checker: &mut RmapChecker, machine: &Machine) {
    for (mm, space) in machine.mms.iter().enumerate() {
        for pmd in &space.pmds {
            match *pmd {
                Pmd::Huge(head) => {
                    checker.held[head as usize][Held::Map as usize] += 1;
                    checker.rss[mm][member(machine, head) as usize] += i64::from(HPAGE_PMD_NR);
                }
                Pmd::Table(table) => {
                    for &pte in &machine.tables[table as usize * 512..][..512] {
                        survey_pte(checker, machine, mm, pte);
                    }
                }
                Pmd::None | Pmd::HugeZero => {}
            }
        }
    }
    for (mm, rss) in checker.rss.iter_mut().enumerate() {
        // A pmd of the set-up is not in the counters.
        for member in [Member::File, Member::Anon, Member::Swap, Member::Shmem] {
            rss[member as usize] = machine.rmap().rss(mm as u8, member);
        }
    }
    for (pfn, page) in machine.pages.iter().enumerate() {
        let by_pmd = machine.rmap().folios[machine.compound_head(pfn as u32) as usize].entire > 0;
        if page.mapcount > 0 || by_pmd {
            let anon = member(machine, pfn as u32) == Member::Anon;
            checker.mapped[usize::from(anon)] += 1;
        }
        if page.has(PageFlag::Free) || page.has(PageFlag::Tail) {
            continue;
        }
        let nr = page.nr() as usize;
        let cache = machine.mappings.get(usize::from(page.mapping)).map_or(&[][..], |mapping| &mapping.cache);
        let (first, last) = (page.index as usize, page.index as usize + nr);
        let in_cache = cache.get(first..last).map_or(0, |pages| pages.iter().filter(|&&page| page != NIL).count());
        let held = &mut checker.held[pfn];
        held[Held::Cache as usize] = if page.has(PageFlag::SwapCache) { nr as i32 } else { in_cache as i32 };
        held[Held::Private as usize] = i32::from(page.has(PageFlag::Private));
        let slots = machine.pagevecs.iter().flat_map(|pagevec| pagevec.filled());
        held[Held::Slot as usize] = slots.filter(|&&page| page as usize == pfn).count() as i32;
        held[Held::Pin as usize] = page.count - held.iter().sum::<i32>();
    }
}

fn survey_pte(checker: &mut RmapChecker, machine: &Machine, mm: usize, pte: u32) {
    if let Some(entry) = pte_swap(pte) {
        checker.swap[entry as usize].0 += 1;
        checker.rss[mm][Member::Swap as usize] += 1;
    }
    let Some(page) = pte_page(pte) else { return };
    checker.ptes[page as usize] += 1;
    checker.held[machine.compound_head(page) as usize][Held::Map as usize] += 1;
    checker.rss[mm][member(machine, page) as usize] += 1;
}

/// G1 for one page.
pub(super) fn counts_its_ptes(checker: &RmapChecker, machine: &Machine, page: Pfn) -> Checked {
    let (ptes, pend) = (checker.ptes[page as usize], checker.pend[page as usize]);
    let mapcount = machine.page(page).mapcount;
    if mapcount == ptes + pend && pend >= 0 {
        return Ok(());
    }
    let detail = format!("page {page}: {mapcount} mappings counted, {ptes} PTEs, {pend} cleared and not yet counted");
    broken("G1: _mapcount is the number of PTEs, and of those cleared in an open batch", detail)
}

/// G5 for one folio.
pub(super) fn refcount(checker: &RmapChecker, machine: &Machine, folio: Pfn) -> Checked {
    let held = checker.held[folio as usize];
    let count = machine.page(folio).count;
    if count == held.iter().sum::<i32>() && held.iter().all(|&n| n >= 0) {
        return Ok(());
    }
    let [map, cache, slot, isolate, pin, private] = held;
    let detail = format!(
        "folio {folio}: _refcount is {count}; {map} mappings, {cache} of the cache, {slot} in pagevecs, {isolate} isolated, \
         {pin} pinned, {private} private"
    );
    broken("G5: _refcount is the sum of the holders", detail)
}

/// G6: what a batch leaves too high is the same for map counts and references, so nothing once it is done.
pub(super) fn equal_over_count(checker: &RmapChecker, machine: &Machine, folio: Pfn) -> Checked {
    let state = machine.rmap().folios[folio as usize];
    let nr = machine.page(folio).nr();
    let maps: i32 = (folio..folio + nr).map(|page| machine.page(page).mapcount).sum();
    let held = checker.held[folio as usize][Held::Map as usize];
    if held == maps + state.entire {
        return Ok(());
    }
    let detail = format!("folio {folio}: {held} references for {} mappings", maps + state.entire);
    broken("G6: a batch lowers map counts and references by the same", detail)
}

/// G2, G3 and G4 for one folio at rest.
pub(super) fn folio_counts(checker: &RmapChecker, machine: &Machine, folio: Pfn) -> Checked {
    let page = machine.page(folio);
    if page.order() == 0 || page.has(PageFlag::Free) || page.has(PageFlag::Tail) {
        return Ok(());
    }
    let state = machine.rmap().folios[folio as usize];
    let pmds = machine.mms.iter().flat_map(|mm| &mm.pmds).filter(|&&pmd| pmd == Pmd::Huge(folio)).count() as i32;
    if state.entire != pmds {
        let detail = format!("folio {folio}: {} counted, {pmds} pmds", state.entire);
        return broken("G2: _entire_mapcount is the number of pmds", detail);
    }
    let mapcounts = || (folio..folio + page.nr()).map(|page| machine.page(page).mapcount);
    let expected = mapcounts().filter(|&n| n > 0).count() as i32 + if pmds > 0 { COMPOUND_MAPPED } else { 0 };
    if state.nr_mapped != expected {
        let detail = format!("folio {folio}: {} counted, {expected} expected", state.nr_mapped);
        return broken("G3: _nr_pages_mapped counts the mapped pages", detail);
    }
    if !checker.config.has(Patch::LazyfreeBatch) {
        return Ok(());
    }
    let maps = mapcounts().sum::<i32>() + pmds;
    let owned = machine.mms.len() > 2 || pmds > 0 || state.slots[0] + state.slots[1] == maps;
    let exclusive = state.shared || maps == 0 || state.slots.contains(&maps);
    if state.large != maps || !owned || !exclusive || state.locked {
        let detail = format!("folio {folio}: {} counted, slots {:?}, {maps} mappings", state.large, state.slots);
        return broken("G4: _large_mapcount is the number of all mappings", detail);
    }
    Ok(())
}

/// G7 and G8 where a task lets a page-table lock go. Who holds another one may have cleared what it has not counted yet:
/// the counters of its address space, and those that all have in common, are left to the last one that lets go.
pub(super) fn statistics_but_of_others(checker: &RmapChecker, machine: &Machine, task: u8) -> Checked {
    let mms = 0..checker.rss.len();
    mms.clone().filter(|&mm| !others_at_work(machine, mm, task)).try_for_each(|mm| rss(checker, machine, mm))?;
    if mms.into_iter().any(|mm| others_at_work(machine, mm, task)) { Ok(()) } else { mapped(checker, machine) }
}

/// G7 and G8.
pub(super) fn statistics(checker: &RmapChecker, machine: &Machine) -> Checked {
    (0..checker.rss.len()).try_for_each(|mm| rss(checker, machine, mm))?;
    mapped(checker, machine)
}

// G7 for one address space.
fn rss(checker: &RmapChecker, machine: &Machine, mm: usize) -> Checked {
    for member in [Member::File, Member::Anon, Member::Swap, Member::Shmem] {
        let (found, expected) = (machine.rmap().rss(mm as u8, member), checker.rss[mm][member as usize]);
        if found != expected {
            let detail = format!("{} of mm {mm} is {found}, {expected} expected", member.name());
            return broken("G7: rss_stat counts the PTEs", detail);
        }
    }
    Ok(())
}

// G8.
fn mapped(checker: &RmapChecker, machine: &Machine) -> Checked {
    let rmap = machine.rmap();
    for (at, item) in MAPPED.into_iter().enumerate() {
        let node = machine.stat(item);
        let (memcg, lruvec) = (rmap.memcg_stat(item), rmap.lruvec_stat(item));
        if node != checker.mapped[at] || memcg != node - checker.base[at] || lruvec != memcg {
            let detail = format!(
                "{} is {node}, {} pages are mapped; since the start the memcg counts {memcg}, the lruvec {lruvec}",
                item.name(),
                checker.mapped[at]
            );
            return broken("G8: the statistics count the mapped pages", detail);
        }
    }
    Ok(())
}

// Another task holds the lock of one of its page tables.
fn others_at_work(machine: &Machine, mm: usize, task: u8) -> bool {
    machine.mms[mm].pmds.iter().any(|pmd| match *pmd {
        Pmd::Table(index) => {
            let holder = machine.lock(LockId { class: LockClass::Ptl, index }).holder;
            holder != NOBODY && holder != task
        }
        _ => false,
    })
}

/// G11: after a flush that was not put off, no TLB has the address of the entry; after one that was, only those noted.
pub(super) fn flushed(machine: &Machine, config: Config, task: u8, waiting: &[(u8, u32)]) -> Checked {
    if config.has(Patch::LateRules) {
        return Ok(());
    }
    let rmap = machine.rmap();
    let ubc = rmap.ubcs[usize::from(task)];
    for &(mm, vpn) in waiting {
        for cpu in 0..rmap.tlbs.len() as u8 {
            let noted = ubc.required && ubc.cpumask >> cpu & 1 != 0;
            if rmap.cached(cpu, mm, vpn).is_some() && !noted {
                let detail = format!("CPU {cpu} still has address {vpn} of mm {mm}, whose PTE was cleared");
                return broken("G11: after the flush no TLB has what was cleared", detail);
            }
        }
    }
    Ok(())
}

/// G12: a page that is freed is in no TLB.
pub(super) fn no_tlb_entry(machine: &Machine, mapping: u16, folio: Pfn, nr: u32) -> Checked {
    let rmap = machine.rmap();
    let index = machine.page(folio).index;
    let Some(mapping) = machine.mappings.get(usize::from(mapping)) else { return Ok(()) };
    for &vma in &mapping.vmas {
        let area = machine.vma(vma);
        let covers = |i: &u32| index + i >= area.pgoff && index + i - area.pgoff < area.end - area.start;
        for i in (0..nr).filter(covers) {
            let vpn = area.start + (index + i - area.pgoff);
            let cpu = (0..rmap.tlbs.len() as u8).find(|&cpu| rmap.cached(cpu, vma.mm, vpn) == Some(folio + i));
            if let Some(cpu) = cpu {
                let detail = format!("page {} is freed; CPU {cpu} reaches it by address {vpn}", folio + i);
                return broken("G12: a page is freed only when no TLB entry refers to it", detail);
            }
        }
    }
    Ok(())
}

/// G14: a folio that is said to be unmapped from a VMA is.
pub(super) fn nothing_left(machine: &Machine, folio: Pfn, mm: u8) -> Checked {
    let nr = machine.page(folio).nr();
    let index = machine.page(folio).index;
    let area = machine.mms[usize::from(mm)].vmas[0];
    let covers = |i: &u32| index + i >= area.pgoff && index + i - area.pgoff < area.end - area.start;
    let maps = |i: &u32| {
        let vpn = area.start + (index + i - area.pgoff);
        let by_table = matches!(machine.pmd(mm, vpn), Pmd::Table(_));
        by_table && pte_page(machine.pte(mm, vpn)).is_some_and(|page| page >= folio && page - folio < nr)
    };
    match (0..nr).filter(covers).find(maps) {
        Some(i) => broken("G14: a folio that is unmapped has no PTE left", format!("page {} is mapped", folio + i)),
        None => Ok(()),
    }
}

/// G15 for one entry.
pub(super) fn swap_count(machine: &Machine, tally: &[(i32, i32)], entry: u32) -> Checked {
    let (found, (ptes, pending)) = (machine.rmap().swap_map[entry as usize], tally[entry as usize]);
    if i32::from(found) == ptes + pending && pending >= 0 {
        return Ok(());
    }
    let detail = format!("entry {entry}: {found} counted, {ptes} swap PTEs, {pending} without one yet");
    broken("G15: the swap map counts the swap PTEs", detail)
}
