//! mm/memory.c: page faults of any mapping, anonymous or file, small or huge.

use sim_macros::kernel;

use super::Patch;
use super::huge_memory::do_huge_pmd_anonymous_page;
use super::memory::{alloc_pages, do_anonymous_page, lru_cache_add_new, vm_normal_page};
use super::mlock::munlock_vma_page;
use super::mlock_batch::{mlock_folio, munlock_folio};
use super::mlock_pagevec::table_of;
use super::rmap::{page_add_new_anon_rmap, page_remove_rmap};
use super::swap::{lru_cache_add, put_page, unlock_page};
use crate::engine::Cpu;
use crate::ledger::Site;
use crate::machine::{Event, LockClass, NIL, PTE_NONE, PTE_ZERO, PTRS_PER_PTE, Pfn, Pmd, Stat, VmaId};
use crate::op::Held;

/// Most zones that the pages of one VMA come from.
pub const POLICY_ZONES: usize = 4;

/// Where the pages of a VMA come from, and of which size they are. Stands for its mempolicy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mempolicy {
    /// Zones, of which neighbours take the next one each.
    pub zones: [u8; POLICY_ZONES],
    /// Zones that are in use, 1 at least.
    pub nr: u8,
    /// Transparent huge pages.
    pub huge: bool,
}

impl Mempolicy {
    /// Zone of the page, small or huge, with an index.
    pub fn zone(&self, index: u32) -> u8 {
        self.zones[(index % u32::from(self.nr)) as usize]
    }

    /// Small pages of one page.
    pub fn unit(&self) -> u32 {
        if self.huge { crate::machine::HPAGE_PMD_NR } else { 1 }
    }
}

/// One access of a program: a fault under mmap_sem where the page is not there, or has to be copied first. What the
/// processor does by itself is no step.
#[kernel("arch/x86/mm/fault.c", "3.11")]
pub async fn do_page_fault(cpu: &Cpu, vma: VmaId, addr: u32, policy: Mempolicy, write: bool) {
    if !needs_fault(cpu, vma, addr, write).await {
        return;
    }
    cpu.down(LockClass::MmapSem, false, u32::from(vma.mm)).await;
    handle_mm_fault(cpu, vma, addr, policy, write).await;
    cpu.up(LockClass::MmapSem, false, u32::from(vma.mm)).await;
}

/// The access does not get through: nothing is mapped there, or a store meets the zero page or an anonymous page that
/// somebody else maps too. PTEs have no write bit here, so a page that is one's own again is stored to without a fault.
#[kernel("arch/x86/mm/fault.c", "3.11")]
pub async fn needs_fault(cpu: &Cpu, vma: VmaId, addr: u32, write: bool) -> bool {
    let pte = { cpu.machine().pte(vma.mm, addr) };
    let Some(page) = vm_normal_page(pte) else { return write || pte == PTE_NONE };
    let anon = { !cpu.machine().mappings[cpu.machine().vma(vma).mapping as usize].file };
    write && anon && cpu.page(cpu.compound_head(page)).mapcount > 1
}

/// Makes the page of an address present. mmap_sem is held by the caller.
#[kernel("mm/memory.c", "3.11")]
pub async fn handle_mm_fault(cpu: &Cpu, vma: VmaId, addr: u32, policy: Mempolicy, write: bool) {
    let area = { *cpu.machine().vma(vma) };
    let file = { cpu.machine().mappings[area.mapping as usize].file };
    let zone = policy.zone((addr - area.start) / policy.unit());
    let present = { vm_normal_page(cpu.machine().pte(vma.mm, addr)).is_some() };
    if file {
        if !present {
            do_read_fault(cpu, vma, addr, zone).await;
        }
    } else if !write {
        map_zero_page(cpu, vma, addr, policy.huge).await;
    } else if policy.huge {
        do_huge_pmd_anonymous_page(cpu, vma, addr, zone).await;
    } else if present {
        do_wp_page(cpu, vma, addr, zone).await;
    } else {
        do_anonymous_page(cpu, vma, addr, zone).await;
    }
}

/// A read of anonymous memory: the zero page, or the huge zero page.
#[kernel("mm/memory.c", "3.11")]
pub async fn map_zero_page(cpu: &Cpu, vma: VmaId, addr: u32, huge: bool) {
    cpu.count_vm_events(Event::Fault, 1).await;
    let pmd = addr / PTRS_PER_PTE;
    if huge {
        cpu.lock_page_table(vma.mm).await;
        if cpu.pmd(vma.mm, addr) == Pmd::None {
            cpu.set_pmd_at(vma.mm, pmd, NIL).await;
        }
        cpu.unlock_page_table(vma.mm).await;
        return;
    }
    if cpu.pmd(vma.mm, addr) == Pmd::None {
        cpu.pmd_populate(vma.mm, pmd).await;
    }
    let Some(table) = table_of(cpu, vma, addr) else { return };
    cpu.lock_ptl(table).await;
    if cpu.read_pte(vma.mm, addr).await == PTE_NONE {
        cpu.set_pte_at(vma.mm, addr, PTE_ZERO).await;
    }
    cpu.unlock_ptl(table).await;
}

/// A fault on a file: maps the page of the page cache, which is read in first where it is not there. A store to a file
/// is the same here: no page is dirty. From 5.18 on the page is mlocked in a locked VMA.
#[kernel("mm/memory.c", "3.11")]
pub async fn do_read_fault(cpu: &Cpu, vma: VmaId, addr: u32, zone: u8) {
    cpu.count_vm_events(Event::Fault, 1).await;
    if cpu.pmd(vma.mm, addr) == Pmd::None {
        cpu.pmd_populate(vma.mm, addr / PTRS_PER_PTE).await;
    }
    let area = { *cpu.machine().vma(vma) };
    let page = find_or_read_page(cpu, area.mapping, addr - area.start + area.pgoff, zone).await;
    let Some(table) = table_of(cpu, vma, addr) else { return };
    cpu.lock_ptl(table).await;
    if cpu.read_pte(vma.mm, addr).await == PTE_NONE {
        cpu.get_page(page, Site::PageCache, Held::Map).await;
        if cpu.add_mapcount(page, 1).await == 1 {
            cpu.mod_zone_page_state(cpu.page_zone(page), Stat::FileMapped, 1).await;
        }
        cpu.set_pte_at(vma.mm, addr, page).await;
        if area.locked && cpu.has(Patch::MlockBatch) {
            mlock_folio(cpu, page).await;
        }
    }
    cpu.unlock_ptl(table).await;
}

/// The page of a file at an index, from the page cache or put there. Of two that read it in, one throws its page away.
#[kernel("mm/filemap.c", "3.11")]
pub async fn find_or_read_page(cpu: &Cpu, mapping: u16, index: u32, zone: u8) -> Pfn {
    let cached = { cpu.machine().mappings[mapping as usize].cache[index as usize] };
    if cached != NIL {
        return cached;
    }
    let page = alloc_pages(cpu, zone, 0).await;
    cpu.set_page_mapping(page, mapping, index).await;
    let cached = { cpu.machine().mappings[mapping as usize].cache[index as usize] };
    if cached != NIL {
        put_page(cpu, page, Held::Map).await;
        return cached;
    }
    cpu.set_page_cache(mapping, index, page).await;
    lru_cache_add(cpu, page).await;
    page
}

/// A store to an anonymous page that another process maps too: a copy takes its place. In a locked VMA the old page is
/// munlocked.
#[kernel("mm/memory.c", "3.11")]
pub async fn do_wp_page(cpu: &Cpu, vma: VmaId, addr: u32, zone: u8) {
    cpu.count_vm_events(Event::Fault, 1).await;
    let new = alloc_pages(cpu, zone, 0).await;
    let Some(table) = table_of(cpu, vma, addr) else { return };
    cpu.lock_ptl(table).await;
    let found = vm_normal_page(cpu.read_pte(vma.mm, addr).await);
    let shared = match found {
        Some(page) => cpu.page(page).mapcount > 1,
        None => false,
    };
    let (Some(old), true) = (found, shared) else {
        cpu.unlock_ptl(table).await;
        put_page(cpu, new, Held::Map).await;
        return;
    };
    let area = { *cpu.machine().vma(vma) };
    page_add_new_anon_rmap(cpu, new, area.mapping, addr - area.start + area.pgoff).await;
    lru_cache_add_new(cpu, new, area.locked).await;
    cpu.set_pte_at(vma.mm, addr, new).await;
    page_remove_rmap(cpu, old).await;
    if area.locked && cpu.has(Patch::MlockBatch) {
        munlock_folio(cpu, old).await;
    }
    cpu.unlock_ptl(table).await;
    if area.locked && !cpu.has(Patch::MlockBatch) {
        cpu.lock_page(old).await;
        munlock_vma_page(cpu, old).await;
        unlock_page(cpu, old).await;
    }
    put_page(cpu, old, Held::Map).await;
}
