//! mm/huge_memory.c: faulting in and splitting a transparent huge page.

use sim_macros::kernel;

use super::memory::{alloc_pages, lru_cache_add_new};
use super::mm_inline::{add_page_to_lru_list, page_lru};
use super::rmap::page_add_new_anon_rmap;
use super::swap::put_page;
use crate::engine::Cpu;
use crate::machine::{Event, HPAGE_PMD_NR, HPAGE_PMD_ORDER, PTRS_PER_PTE, PageFlag, Pfn, Pmd, VmaId};
use crate::op::Held;

/// A fault that maps 512 small pages at once, under page_table_lock.
#[kernel("mm/huge_memory.c", "3.11")]
pub async fn do_huge_pmd_anonymous_page(cpu: &Cpu, vma: VmaId, addr: u32, zone: u8) {
    cpu.count_vm_events(Event::Fault, 1).await;
    let page = alloc_pages(cpu, zone, HPAGE_PMD_ORDER).await;
    cpu.lock_page_table(vma.mm).await;
    // Another thread may have been faster.
    if matches!(cpu.pmd(vma.mm, addr), Pmd::Huge(_)) {
        cpu.unlock_page_table(vma.mm).await;
        put_page(cpu, page, Held::Map).await;
        return;
    }
    let area = *cpu.machine().vma(vma);
    page_add_new_anon_rmap(cpu, page, area.mapping, addr - area.start + area.pgoff).await;
    lru_cache_add_new(cpu, page, area.locked).await;
    cpu.set_pmd_at(vma.mm, addr / PTRS_PER_PTE, page).await;
    cpu.unlock_page_table(vma.mm).await;
}

/// Splits a huge page into small ones; lru_lock is held throughout. Each tail takes a copy of the head's flags, from
/// the last to the first. Then the pmd is replaced by a page table that maps the small pages. In 3.11 the pmd is marked
/// as splitting meanwhile, and whoever meets it waits; here page_table_lock is held so long, which comes to the same.
#[kernel("mm/huge_memory.c", "3.11")]
pub async fn split_huge_page(cpu: &Cpu, vma: VmaId, addr: u32, head: Pfn) {
    cpu.lock_page_table(vma.mm).await;
    split_huge_page_refcount(cpu, head).await;
    cpu.pmd_populate(vma.mm, addr / PTRS_PER_PTE).await;
    for i in 0..HPAGE_PMD_NR {
        cpu.set_pte_at(vma.mm, addr + i, head + i).await;
    }
    cpu.unlock_page_table(vma.mm).await;
}

/// `__split_huge_page_refcount`: tails stand before the head on its list; where the head is on no list, each tail goes
/// to the list that its flags name.
#[kernel("mm/huge_memory.c", "3.11")]
pub async fn split_huge_page_refcount(cpu: &Cpu, head: Pfn) {
    let zone = cpu.page_zone(head);
    cpu.lock_lru_irq(zone).await;
    for tail in (1..HPAGE_PMD_NR).rev() {
        cpu.split_tail(head, tail as u16).await;
        if !cpu.page(head).has(PageFlag::Lru) {
            let tail = head + tail;
            cpu.set_page_lru(tail).await;
            let lru = page_lru(cpu, tail);
            add_page_to_lru_list(cpu, tail, lru).await;
        }
    }
    cpu.split_head(head).await;
    cpu.unlock_lru_irq(zone).await;
}
