//! mm/madvise.c: MADV_PAGEOUT.

use alloc::vec::Vec;

use sim_macros::{kernel, look};

use super::Patch;
use super::rmap_remove::is_large;
use super::shrink::{Fate, free_folios, on_lru, put_back, reclaim_unmapped, shrink_folio_list, unmap_folio};
use super::swap::{cond_resched, lru_add_drain, unlock_page};
use super::tlb::try_to_unmap_flush;
use super::vmscan::isolate_lru_page;
use crate::engine::{Cpu, Milestone};
use crate::machine::{LockClass, PTRS_PER_PTE, Pfn, Pmd, VmaId, pte_page};
use crate::op::Look;

/// MADV_PAGEOUT of a whole VMA: the folios of each page table are isolated and reclaimed.
#[kernel("mm/madvise.c", "6.3", pauses)]
pub async fn madvise_pageout(cpu: &Cpu, vma: VmaId) {
    cpu.milestone(Milestone::SyscallEnter);
    cpu.down(LockClass::MmapSem, false, u32::from(vma.mm)).await;
    lru_add_drain(cpu).await;
    let area = *cpu.machine().vma(vma);
    let mut addr = area.start;
    while addr < area.end {
        let next = area.end.min((addr / PTRS_PER_PTE + 1) * PTRS_PER_PTE);
        madvise_pageout_pte_range(cpu, vma, addr, next).await;
        addr = next;
    }
    cpu.milestone(Milestone::RangeDone);
    cpu.up(LockClass::MmapSem, false, u32::from(vma.mm)).await;
    cpu.milestone(Milestone::SyscallExit);
}

/// Reclaim of the folios that a VMA maps, by somebody who does not hold its mmap_lock. Stands for the part of
/// shrink_lruvec that finds them. Where only the unmapping is of interest, all of it comes first.
#[kernel("mm/vmscan.c", "6.3", pauses)]
pub async fn reclaim_range(cpu: &Cpu, vma: VmaId) {
    cpu.milestone(Milestone::SyscallEnter);
    lru_add_drain(cpu).await;
    let area = *cpu.machine().vma(vma);
    let mut folios = Vec::new();
    let mut addr = area.start;
    while addr < area.end {
        let next = area.end.min((addr / PTRS_PER_PTE + 1) * PTRS_PER_PTE);
        folios.append(&mut isolate_pte_range(cpu, vma, addr, next).await);
        addr = next;
    }
    if cpu.has(Patch::UnmapFirst) {
        unmap_then_reclaim(cpu, &folios).await;
    } else {
        shrink_folio_list(cpu, &folios, cpu.has(Patch::LazyfreeBatch)).await;
    }
    cpu.milestone(Milestone::RangeDone);
    cpu.milestone(Milestone::SyscallExit);
}

/// shrink_folio_list in two rounds: first every folio is locked and unmapped, then those that nothing maps are freed.
/// The kernel goes folio by folio; in two rounds the statistics of the page cache do not come between those of the
/// unmapping.
#[kernel("mm/vmscan.c", "6.3", pauses)]
pub async fn unmap_then_reclaim(cpu: &Cpu, folios: &[Pfn]) {
    let mut fates = Vec::new();
    for &folio in folios {
        cond_resched(cpu).await;
        fates.push(unmap_folio(cpu, folio, cpu.has(Patch::LazyfreeBatch)).await);
    }
    try_to_unmap_flush(cpu).await;
    let mut free = Vec::new();
    for (&folio, &unmapped) in folios.iter().zip(&fates) {
        cond_resched(cpu).await;
        let fate = if unmapped == Fate::Reclaimed { reclaim_unmapped(cpu, folio).await } else { unmapped };
        if unmapped == Fate::Reclaimed {
            unlock_page(cpu, folio).await;
        }
        if fate == Fate::Reclaimed {
            free.push(folio);
        } else {
            put_back(cpu, folio, fate).await;
        }
    }
    free_folios(cpu, &free).await;
}

/// madvise_cold_or_pageout_pte_range: one page table. 6.3 looks at the references of each folio when it reclaims them;
/// 7.1 does not.
#[kernel("mm/madvise.c", "6.3", pauses)]
pub async fn madvise_pageout_pte_range(cpu: &Cpu, vma: VmaId, start: u32, end: u32) {
    let folios = isolate_pte_range(cpu, vma, start, end).await;
    shrink_folio_list(cpu, &folios, cpu.has(Patch::LazyfreeBatch)).await;
}

/// Isolates what the PTEs of one table map, under its lock. In 6.3 the first large folio that more than one PTE maps
/// ends the range: nothing behind it is reclaimed. 7.1 takes a large folio when the range covers it and nobody else
/// maps it, and passes over any other (there it may be split, which is left out). The author's own kernel took whole
/// folios too, by a change that was not published. Departs in that no PTE is aged here and nothing is split.
#[kernel("mm/madvise.c", "6.3")]
pub async fn isolate_pte_range(cpu: &Cpu, vma: VmaId, start: u32, end: u32) -> Vec<Pfn> {
    let mut folios = Vec::new();
    let Pmd::Table(table) = cpu.pmd(vma.mm, start) else { return folios };
    cpu.lock_ptl(table).await;
    let mut addr = start;
    while addr < end {
        let pte = cpu.look_pte(Look::Age, vma.mm, (addr % PTRS_PER_PTE) as u16, addr).await;
        let Some(page) = pte_page(pte) else {
            addr += 1;
            continue;
        };
        let folio = cpu.compound_head(page);
        let here = run_length(cpu, vma, folio, addr, end);
        if is_large(cpu, folio) && !cpu.has(Patch::WholeFolios) {
            if !cpu.has(Patch::LazyfreeBatch) && mapcount(cpu, folio) != 1 {
                break;
            }
            if here < cpu.page(folio).nr() || mapcount(cpu, folio) != here {
                addr += here;
                continue;
            }
        }
        addr += here;
        if on_lru(cpu, folio) && isolate_lru_page(cpu, folio).await {
            folios.push(folio);
        }
    }
    cpu.unlock_ptl(table).await;
    folios
}

/// PTEs from an address on that map the folio.
#[look]
fn run_length(cpu: &Cpu, vma: VmaId, folio: Pfn, addr: u32, end: u32) -> u32 {
    let nr = cpu.page(folio).nr();
    let machine = cpu.machine();
    let maps = |at: &u32| pte_page(machine.pte(vma.mm, *at)).is_some_and(|page| page >= folio && page - folio < nr);
    (addr..end).take_while(maps).count().max(1) as u32
}

/// folio_mapcount, by the numbers of its pages.
#[look]
fn mapcount(cpu: &Cpu, folio: Pfn) -> u32 {
    let nr = cpu.page(folio).nr();
    let machine = cpu.machine();
    let sum: i32 = (folio..folio + nr).map(|page| machine.page(page).mapcount).sum();
    sum as u32
}
