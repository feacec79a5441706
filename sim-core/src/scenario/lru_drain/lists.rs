//! Pages of other lists than the inactive anonymous one, which wait in pagevecs when the run begins.

use alloc::vec;
use alloc::vec::Vec;

use super::setup::{Layout, finish};
use crate::engine::{Cpu, Engine};
use crate::kernel::Patch;
use crate::kernel::fault::do_read_fault;
use crate::kernel::lru_drain::lru_cache_add_lru;
use crate::kernel::memory::{alloc_pages, do_anonymous_page, mlocked_vma_newpage};
use crate::kernel::rmap::page_add_new_anon_rmap;
use crate::kernel::swap::lru_cache_add;
use crate::machine::{LRU_LISTS, Mapping, NIL, PTRS_PER_PTE, Pfn, Pmd, Vma, VmaId};
use crate::scenario::params::{Param, Params};

/// Lists whose pages wait.
pub(super) const LISTS: Param = Param::choice(
    "lists",
    &["inactive_anon", "active_anon", "inactive_file", "active_file", "unevictable", "all"],
    "for which list the pages in lru_add pagevecs are; 3.2 has one for each, and with `all` as many wait in each",
);

const ACTIVE_ANON: u8 = 1;
const INACTIVE_FILE: u8 = 2;
const ACTIVE_FILE: u8 = 3;
const UNEVICTABLE: u8 = 4;
/// Memory of the other process: anonymous pages, a file, a locked range. A part without pages has no VMA.
const PARTS: [&[u8]; 3] = [&[0, ACTIVE_ANON], &[INACTIVE_FILE, ACTIVE_FILE], &[UNEVICTABLE]];
const FILE: usize = 1;
const LOCKED: usize = 2;

/// What the parameter says, in LRU order.
pub(super) fn lists(params: &Params) -> Vec<u8> {
    match params.get("lists") as u8 {
        lru if usize::from(lru) < LRU_LISTS => vec![lru],
        _ => (0..LRU_LISTS as u8).collect(),
    }
}

/// The other process: a VMA for each kind of memory, so that every list has `pages` addresses in one.
pub(super) fn space(engine: &mut Engine, layout: &Layout, pages: u32) {
    let sizes = sizes(layout, pages);
    let mut machine = engine.machine_mut();
    let mm = machine.add_mm(sizes.iter().sum());
    let mut start = 0;
    for (part, &size) in sizes.iter().enumerate().filter(|(_, size)| **size > 0) {
        let vma = VmaId { mm, vma: vma_of_part(&sizes, part) };
        let file = part == FILE;
        let cache = if file { vec![NIL; size as usize] } else { Vec::new() };
        let mapping = machine.add_mapping(Mapping { file, unevictable: false, vmas: vec![vma], cache });
        let area = Vma { start, end: start + size, locked: part == LOCKED, mapping, pgoff: 0 };
        machine.mms[mm as usize].vmas.push(area);
        start += size;
    }
}

fn sizes(layout: &Layout, pages: u32) -> [u32; PARTS.len()] {
    PARTS.map(|part| layout.lists.iter().filter(|lru| part.contains(lru)).count() as u32 * pages)
}

fn vma_of_part(sizes: &[u32; PARTS.len()], part: usize) -> u8 {
    sizes[..part].iter().filter(|&&size| size > 0).count() as u8
}

/// Each CPU that is to have pages touches as many of each list.
pub(super) fn fill(engine: &mut Engine, layout: &Layout) {
    let sizes = sizes(layout, layout.filled.len() as u32 * layout.waiting);
    let mut next: [u32; PARTS.len()] = core::array::from_fn(|part| sizes[..part].iter().sum());
    for &on in &layout.filled {
        for &lru in &layout.lists {
            let part = PARTS.iter().position(|part| part.contains(&lru)).unwrap_or_default();
            let vma = VmaId { mm: 1, vma: vma_of_part(&sizes, part) };
            let addrs = next[part]..next[part] + layout.waiting;
            next[part] = addrs.end;
            engine.spawn("fault", on, move |cpu| async move {
                for addr in addrs {
                    touch(&cpu, vma, addr, lru).await;
                }
            });
            finish(engine);
        }
    }
}

async fn touch(cpu: &Cpu, vma: VmaId, addr: u32, lru: u8) {
    match lru {
        ACTIVE_ANON => new_anon(cpu, vma, addr, true).await,
        INACTIVE_FILE => do_read_fault(cpu, vma, addr, 0).await,
        ACTIVE_FILE => {
            read_in_active(cpu, vma, addr).await;
            do_read_fault(cpu, vma, addr, 0).await;
        }
        // Later kernels have a way of their own for pages of a locked range.
        UNEVICTABLE if cpu.has(Patch::ListPvecs) => new_anon(cpu, vma, addr, false).await,
        _ => do_anonymous_page(cpu, vma, addr, 0).await,
    }
}

// A write fault whose page goes into the pagevec of the active list, or mlocked into that of the unevictable one.
async fn new_anon(cpu: &Cpu, vma: VmaId, addr: u32, active: bool) {
    if cpu.pmd(vma.mm, addr) == Pmd::None {
        cpu.pmd_populate(vma.mm, addr / PTRS_PER_PTE).await;
    }
    let page: Pfn = alloc_pages(cpu, 0, 0).await;
    let area = { *cpu.machine().vma(vma) };
    page_add_new_anon_rmap(cpu, page, area.mapping, addr - area.start + area.pgoff).await;
    if active {
        cpu.set_page_active(page).await;
        lru_cache_add(cpu, page).await;
    } else {
        mlocked_vma_newpage(cpu, page).await;
        lru_cache_add_lru(cpu, page, UNEVICTABLE).await;
    }
    cpu.set_pte_at(vma.mm, addr, page).await;
}

// A page of the file that is active from the start, as one that was evicted not long ago.
async fn read_in_active(cpu: &Cpu, vma: VmaId, addr: u32) {
    let area = { *cpu.machine().vma(vma) };
    let index = addr - area.start + area.pgoff;
    let page = alloc_pages(cpu, 0, 0).await;
    cpu.set_page_mapping(page, area.mapping, index).await;
    cpu.set_page_cache(area.mapping, index, page).await;
    cpu.set_page_active(page).await;
    lru_cache_add(cpu, page).await;
}
