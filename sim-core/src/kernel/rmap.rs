//! mm/rmap.c: who maps a page.

use sim_macros::kernel;

use super::mlock::{clear_page_mlock, mlock_vma_page};
use super::mm_inline::zone_and_size;
use crate::engine::Cpu;
use crate::machine::{LockClass, PageFlag, Pfn, Pmd, Stat, VmaId};

/// Result of a reverse map walk for munlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwapResult {
    /// No other locked VMA was found.
    Again,
    /// Another VM_LOCKED VMA maps the page, which is mlocked again.
    Mlock,
}

/// Looks for another VM_LOCKED VMA that maps the page, and mlocks the page again if there is one.
///
/// The caller holds the page lock and has isolated the page. KSM pages and nonlinear VMAs are not modelled.
#[kernel("mm/rmap.c", "3.10")]
pub async fn try_to_munlock(cpu: &Cpu, page: Pfn) -> SwapResult {
    let mapping = cpu.page(page).mapping;
    let file = cpu.machine().mappings[mapping as usize].file;
    let class = if file { LockClass::IMmap } else { LockClass::AnonVma };
    cpu.down(class, file, u32::from(mapping)).await;
    let vmas = cpu.machine().mappings[mapping as usize].vmas.clone();
    let mut result = SwapResult::Again;
    for vma in vmas {
        result = try_to_munlock_one(cpu, page, vma).await;
        if result == SwapResult::Mlock {
            break;
        }
    }
    cpu.up(class, file, u32::from(mapping)).await;
    result
}

/// One VMA of the walk. Its mmap_sem is only tried for, since munlock may hold one already.
#[kernel("mm/rmap.c", "3.10")]
pub async fn try_to_munlock_one(cpu: &Cpu, page: Pfn, vma: VmaId) -> SwapResult {
    if !page_check_address(cpu, page, vma).await || !cpu.machine().vma(vma).locked {
        return SwapResult::Again;
    }
    let mm = u32::from(vma.mm);
    if !cpu.down_read_trylock(LockClass::MmapSem, mm).await {
        return SwapResult::Again;
    }
    let locked = cpu.machine().vma(vma).locked;
    if locked {
        mlock_vma_page(cpu, page).await;
    }
    cpu.up(LockClass::MmapSem, false, mm).await;
    if locked { SwapResult::Mlock } else { SwapResult::Again }
}

/// The VMA maps the page at the address that its index says.
#[kernel("mm/rmap.c", "3.10")]
pub async fn page_check_address(cpu: &Cpu, page: Pfn, vma: VmaId) -> bool {
    let index = cpu.page(page).index;
    let area = *cpu.machine().vma(vma);
    if index < area.pgoff || index - area.pgoff >= area.end - area.start {
        return false;
    }
    let vpn = area.start + (index - area.pgoff);
    let Pmd::Table(table) = cpu.pmd(vma.mm, vpn) else { return false };
    if cpu.machine().pte(vma.mm, vpn) == crate::machine::PTE_NONE {
        return false;
    }
    cpu.lock_ptl(table).await;
    let maps = cpu.read_pte(vma.mm, vpn).await == page;
    cpu.unlock_ptl(table).await;
    maps
}

/// A new anonymous page gets its mapping, its first map count and its flag.
#[kernel("mm/rmap.c", "3.11")]
pub async fn page_add_new_anon_rmap(cpu: &Cpu, page: Pfn, mapping: u16, index: u32) {
    cpu.set_page_swapbacked(page).await;
    cpu.add_mapcount(page, 1).await;
    let (zone, nr) = zone_and_size(cpu, page);
    cpu.mod_zone_page_state(zone, Stat::AnonPages, nr).await;
    cpu.set_page_mapping(page, mapping, index).await;
}

/// One PTE less maps the page; the last one takes PG_mlocked with it.
#[kernel("mm/rmap.c", "3.11")]
pub async fn page_remove_rmap(cpu: &Cpu, page: Pfn) {
    if cpu.add_mapcount(page, -1).await > 0 {
        return;
    }
    let anon = cpu.page(page).has(PageFlag::Swapbacked);
    let (zone, nr) = zone_and_size(cpu, page);
    cpu.mod_zone_page_state(zone, if anon { Stat::AnonPages } else { Stat::FileMapped }, -nr).await;
    if cpu.test_page(PageFlag::Mlocked, page).await {
        clear_page_mlock(cpu, page).await;
    }
}
