//! mm/page_vma_mapped.c and the walk over the address spaces of a folio.

use sim_macros::{kernel, look};

use super::Patch;
use super::memcontrol::folio_test_anon;
use super::rmap_batch::try_to_unmap_one_;
use super::rmap_unmap::{Ttu, try_to_unmap_one};
use crate::engine::Cpu;
use crate::machine::{LockClass, PTE_NONE, PTRS_PER_PTE, Pfn, Pmd, VmaId, pte_page};
use crate::op::{Look, Note};

/// struct page_vma_mapped_walk: where a walk stands. Address and entry move together and are told apart only by code
/// that gets it wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walk {
    /// Folio that is looked for.
    pub folio: Pfn,
    /// Its pages.
    pub nr: u32,
    /// Where.
    pub vma: VmaId,
    /// Address: a page number.
    pub addr: u32,
    /// One past the last address of a large folio in this VMA.
    pub end: u32,
    /// Page table of the entry; none between two tables.
    pub table: Option<u32>,
    /// Index of the entry in its page table.
    pub index: u16,
    /// The table's lock is held.
    pub locked: bool,
    /// PVMW_SYNC
    pub sync: bool,
    /// A page table's end was crossed.
    pub crossed: bool,
    /// What the walk is for.
    pub why: Look,
}

impl Walk {
    /// A walk that has not begun.
    pub fn new(folio: Pfn, nr: u32, vma: VmaId, addr: u32, end: u32, why: Look) -> Walk {
        Walk { folio, nr, vma, addr, end, table: None, index: 0, locked: false, sync: false, crossed: false, why }
    }

    /// vma_address_end: of a small folio it is relative to where the walk is.
    pub fn end(&self) -> u32 {
        if self.nr == 1 { self.addr + 1 } else { self.end }
    }

    /// check_pte: an entry that maps some page of the folio.
    pub fn maps(&self, pte: u32) -> bool {
        pte_page(pte).is_some_and(|page| page >= self.folio && page - self.folio < self.nr)
    }
}

/// Goes to the next entry that maps a page of the folio, and returns with the table's lock held; false, without it, when
/// there is none. The lock of a table stays held from its first hit to its last entry. Before that, entries that are no
/// candidates are passed without the lock, unless PVMW_SYNC asks for it. A pmd that maps a huge page is passed over.
#[kernel("mm/page_vma_mapped.c", "6.3")]
pub async fn page_vma_mapped_walk(cpu: &Cpu, walk: &mut Walk) -> bool {
    let end = walk.end();
    let mut here = false;
    loop {
        if walk.table.is_none() {
            if !map_pte(cpu, walk, end).await {
                return false;
            }
            here = walk.locked;
        }
        if here {
            let pte = cpu.look_pte(walk.why, walk.vma.mm, walk.index, walk.addr).await;
            if walk.maps(pte) {
                return true;
            }
        }
        if !next_pte(cpu, walk, end).await {
            return false;
        }
        if walk.table.is_some() {
            return true;
        }
    }
}

/// From the top of the page tables to the entry of the address; the lock is taken where the entry may be one.
#[kernel("mm/page_vma_mapped.c", "6.3")]
pub async fn map_pte(cpu: &Cpu, walk: &mut Walk, end: u32) -> bool {
    while walk.addr < end {
        cpu.walk_page_table(walk.vma.mm, walk.addr).await;
        let Pmd::Table(table) = cpu.pmd(walk.vma.mm, walk.addr) else {
            walk.addr = (walk.addr / PTRS_PER_PTE + 1) * PTRS_PER_PTE;
            continue;
        };
        walk.table = Some(table);
        walk.index = (walk.addr % PTRS_PER_PTE) as u16;
        let candidate =
            walk.sync || pte_page(cpu.look_pte(walk.why, walk.vma.mm, walk.index, walk.addr).await).is_some();
        if candidate {
            cpu.lock_ptl(table).await;
            walk.locked = true;
        }
        return true;
    }
    false
}

/// To the next entry that is not none. False at the end; with the table left behind (none) where one ends.
#[kernel("mm/page_vma_mapped.c", "6.3")]
pub async fn next_pte(cpu: &Cpu, walk: &mut Walk, end: u32) -> bool {
    loop {
        walk.addr += 1;
        if walk.addr >= end {
            page_vma_mapped_walk_done(cpu, walk).await;
            return false;
        }
        if walk.addr.is_multiple_of(PTRS_PER_PTE) {
            page_vma_mapped_walk_done(cpu, walk).await;
            walk.crossed = true;
            return true;
        }
        walk.index += 1;
        if walk.sync && !walk.locked {
            lock_table(cpu, walk).await;
        }
        let mut pte = cpu.look_pte(walk.why, walk.vma.mm, walk.index, walk.addr).await;
        if pte == PTE_NONE {
            continue;
        }
        if !walk.locked {
            lock_table(cpu, walk).await;
            pte = cpu.look_pte(walk.why, walk.vma.mm, walk.index, walk.addr).await;
        }
        if walk.maps(pte) {
            return true;
        }
    }
}

/// Takes the lock of the walk's table.
#[kernel("mm/page_vma_mapped.c", "6.3")]
pub async fn lock_table(cpu: &Cpu, walk: &mut Walk) {
    if let Some(table) = walk.table {
        cpu.lock_ptl(table).await;
        walk.locked = true;
    }
}

/// Ends a walk: lets the lock go if it is held.
#[kernel("include/linux/rmap.h", "6.3")]
pub async fn page_vma_mapped_walk_done(cpu: &Cpu, walk: &mut Walk) {
    if let Some(table) = walk.table
        && walk.locked
    {
        cpu.unlock_ptl(table).await;
    }
    walk.table = None;
    walk.locked = false;
}

/// try_to_unmap: unmaps a folio wherever it is mapped, as far as that is possible.
#[kernel("mm/rmap.c", "6.3")]
pub async fn try_to_unmap(cpu: &Cpu, folio: Pfn, ttu: Ttu) {
    let anon = folio_test_anon(cpu, folio);
    let mapping = u32::from(cpu.page(folio).mapping);
    if !cpu.has(Patch::LazyfreeBatch) {
        cpu.page_head_huge(folio).await;
    }
    let class = if anon { LockClass::AnonVma } else { LockClass::IMmap };
    if !cpu.down_read_trylock(class, mapping).await {
        cpu.down(class, false, mapping).await;
    }
    for vma in vmas_of(cpu, folio) {
        cpu.resched_point().await;
        if !cpu.has(Patch::LazyfreeBatch) {
            cpu.note(Note::PageHuge, folio, 0).await;
        }
        let address = vma_address(cpu, folio, vma);
        let unmapped = if cpu.has(Patch::LazyfreeBatch) {
            try_to_unmap_one_(cpu, folio, vma, address, ttu).await
        } else {
            try_to_unmap_one(cpu, folio, vma, address, ttu).await
        };
        if !unmapped || !folio_mapped(cpu, folio) {
            break;
        }
    }
    cpu.up(class, false, mapping).await;
}

/// The VMAs that the folio lies in, at least in part.
#[look]
pub(super) fn vmas_of(cpu: &Cpu, folio: Pfn) -> alloc::vec::Vec<VmaId> {
    let page = cpu.page(folio);
    let machine = cpu.machine();
    let overlaps = |vma: &&VmaId| {
        let area = machine.vma(**vma);
        page.index < area.pgoff + (area.end - area.start) && page.index + page.nr() > area.pgoff
    };
    let mapping = machine.mappings.get(usize::from(page.mapping));
    mapping.iter().flat_map(|mapping| &mapping.vmas).filter(overlaps).copied().collect()
}

/// vma_address: where the folio's first page that the VMA covers lies.
#[look]
pub(super) fn vma_address(cpu: &Cpu, folio: Pfn, vma: VmaId) -> u32 {
    let area = *cpu.machine().vma(vma);
    area.start + cpu.page(folio).index.saturating_sub(area.pgoff)
}

/// vma_address_end of a large folio: its end, or the VMA's.
#[look]
pub(super) fn vma_address_end(cpu: &Cpu, folio: Pfn, vma: VmaId) -> u32 {
    let area = *cpu.machine().vma(vma);
    let page = cpu.page(folio);
    area.end.min(area.start + (page.index + page.nr()).saturating_sub(area.pgoff))
}

/// folio_mapped
#[look]
pub(super) fn folio_mapped(cpu: &Cpu, folio: Pfn) -> bool {
    let page = cpu.page(folio);
    let state = cpu.machine().rmap().folios[folio as usize];
    if page.nr() == 1 {
        page.mapcount > 0
    } else if cpu.has(Patch::LazyfreeBatch) {
        state.large > 0
    } else {
        state.nr_mapped > 0 || state.entire > 0
    }
}
