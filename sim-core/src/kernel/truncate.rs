//! mm/filemap.c, mm/truncate.c: file pages and their removal.

use sim_macros::kernel;

use super::memory::alloc_pages;
use super::mlock_pagevec::table_of;
use super::rmap::page_remove_rmap;
use super::swap::{lru_cache_add, put_page, unlock_page};
use crate::engine::Cpu;
use crate::ledger::Site;
use crate::machine::{Event, NIL, PTE_NONE, PTRS_PER_PTE, Pmd, Stat, VmaId};
use crate::op::Held;

/// A read fault on a file: the page goes into the page cache, on the inactive file list, and is mapped. The page cache
/// holds the reference that the allocation gave.
#[kernel("mm/filemap.c", "3.11")]
pub async fn filemap_fault(cpu: &Cpu, vma: VmaId, addr: u32, zone: u8) {
    cpu.count_vm_events(Event::Fault, 1).await;
    if cpu.pmd(vma.mm, addr) == Pmd::None {
        cpu.pmd_populate(vma.mm, addr / PTRS_PER_PTE).await;
    }
    let area = *cpu.machine().vma(vma);
    let index = addr - area.start + area.pgoff;
    let page = alloc_pages(cpu, zone, 0).await;
    cpu.set_page_mapping(page, area.mapping, index).await;
    cpu.set_page_cache(area.mapping, index, page).await;
    lru_cache_add(cpu, page).await;
    let Some(table) = table_of(cpu, vma, addr) else { return };
    cpu.lock_ptl(table).await;
    cpu.get_page(page, Site::PageCache, Held::Map).await;
    cpu.add_mapcount(page, 1).await;
    cpu.mod_zone_page_state(zone, Stat::FileMapped, 1).await;
    cpu.set_pte_at(vma.mm, addr, page).await;
    cpu.unlock_ptl(table).await;
}

/// Truncation of one page of a file that one VMA maps: unmap, remove from the page cache, drop the references.
#[kernel("mm/truncate.c", "3.11")]
pub async fn truncate_inode_page(cpu: &Cpu, vma: VmaId, addr: u32) {
    let area = *cpu.machine().vma(vma);
    let index = addr - area.start + area.pgoff;
    let page = { cpu.machine().mappings[area.mapping as usize].cache[index as usize] };
    if page == NIL {
        return;
    }
    cpu.get_page(page, Site::PageCache, Held::Pin).await;
    cpu.lock_page(page).await;
    if let Some(table) = table_of(cpu, vma, addr) {
        cpu.lock_ptl(table).await;
        cpu.set_pte_at(vma.mm, addr, PTE_NONE).await;
        page_remove_rmap(cpu, page).await;
        cpu.unlock_ptl(table).await;
        put_page(cpu, page, Held::Map).await;
    }
    cpu.set_page_cache(area.mapping, index, NIL).await;
    put_page(cpu, page, Held::Cache).await;
    unlock_page(cpu, page).await;
    put_page(cpu, page, Held::Pin).await;
}
