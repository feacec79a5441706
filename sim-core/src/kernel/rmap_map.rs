//! mm/memory.c, mm/filemap.c: how a folio comes into memory and under the page tables. Runs before a measured section.

use sim_macros::{kernel, look};

use super::Patch;
use super::memcontrol::{__mod_lruvec_page_state, add_mm_counter, mapped_item, mm_counter};
use super::memory::alloc_pages;
use super::mlock_pagevec::table_of;
use super::rmap_remove::is_large;
use super::swap::{lru_cache_add, put_page};
use crate::engine::Cpu;
use crate::ledger::{How, Site};
use crate::machine::{PTRS_PER_PTE, PageFlag, Pfn, Pmd, VmaId};
use crate::op::Held;

/// What kind of folio is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolioKind {
    /// Page cache.
    File,
    /// Anonymous, in the swap cache.
    Anon,
    /// Anonymous, after MADV_FREE.
    Lazyfree,
}

/// Readahead: a new folio goes into the page cache and on a list. The cache holds a reference for each page; the file
/// system keeps something with a large one. Anonymous folios stand in the swap cache, or are lazyfree.
#[kernel("mm/readahead.c", "6.3")]
pub async fn add_folio(cpu: &Cpu, mapping: u16, index: u32, order: u8, kind: FolioKind) -> Pfn {
    let folio = alloc_pages(cpu, 0, order).await;
    cpu.set_page_mapping(folio, mapping, index).await;
    if kind == FolioKind::Anon {
        cpu.set_page_swapbacked(folio).await;
        cpu.change_flag(PageFlag::SwapCache, How::Set, folio).await;
    }
    for page in 0..1u32 << order {
        if kind == FolioKind::File {
            cpu.set_page_cache(mapping, index + page, folio + page).await;
        }
        if page > 0 && kind != FolioKind::Lazyfree {
            cpu.get_page(folio, Site::PageCache, Held::Cache).await;
        }
    }
    if kind == FolioKind::File {
        __mod_lruvec_page_state(cpu, folio, crate::machine::Stat::FilePages, 1 << order).await;
        if order > 0 {
            cpu.change_flag(PageFlag::Private, How::Set, folio).await;
            cpu.get_page(folio, Site::PageCache, Held::Private).await;
        }
    }
    lru_cache_add(cpu, folio).await;
    folio
}

/// A lazyfree folio is held by its PTEs alone: drops the reference that the allocation gave.
#[kernel("mm/memory.c", "6.3")]
pub async fn drop_first_reference(cpu: &Cpu, folio: Pfn) {
    put_page(cpu, folio, Held::Cache).await;
}

/// do_set_pte: one PTE more maps a page of a folio.
#[kernel("mm/memory.c", "6.3")]
pub async fn do_set_pte(cpu: &Cpu, vma: VmaId, folio: Pfn, page: Pfn, addr: u32, pte: u32) {
    if cpu.pmd(vma.mm, addr) == Pmd::None {
        cpu.pmd_populate(vma.mm, addr / PTRS_PER_PTE).await;
    }
    let Some(table) = table_of(cpu, vma, addr) else { return };
    cpu.lock_ptl(table).await;
    cpu.get_page(folio, Site::PageCache, Held::Map).await;
    let member = mm_counter(cpu, folio);
    add_mm_counter(cpu, vma.mm, member, 1).await;
    if cpu.add_mapcount(page, 1).await == 1 {
        if is_large(cpu, folio) {
            cpu.add_nr_mapped(folio, 1).await;
        }
        let item = mapped_item(cpu, folio);
        __mod_lruvec_page_state(cpu, folio, item, 1).await;
    }
    if counts_large(cpu, folio) {
        cpu.lock_large_mapcount(folio).await;
        cpu.add_large_mapcount(folio, 1).await;
        cpu.add_mm_slot(vma.mm, folio, 1).await;
        cpu.unlock_large_mapcount(folio).await;
    }
    cpu.set_pte_at(vma.mm, addr, pte).await;
    cpu.unlock_ptl(table).await;
}

#[look]
fn counts_large(cpu: &Cpu, folio: Pfn) -> bool {
    cpu.has(Patch::LazyfreeBatch) && is_large(cpu, folio)
}
