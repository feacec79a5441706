//! mm/mmap.c, kernel/fork.c, mm/madvise.c: what a process does with its address space.

use alloc::vec::Vec;

use sim_macros::kernel;

use super::Patch;
use super::fault::Mempolicy;
use super::memory::{copy_one_pte, follow_page_mask, vm_normal_page};
use super::mlock::munlock_vma_pages_range;
use super::mlock_batch::mlock_vma_pages_range;
use super::mlock_pagevec::table_of;
use super::mlock_range::__mm_populate;
use super::rmap::page_remove_rmap;
use super::swap::{cond_resched, lru_add_drain, put_page};
use super::vmscan::{isolate_lru_page, putback_lru_page};
use crate::engine::{Cpu, Milestone};
use crate::machine::{LockClass, PTE_NONE, PTRS_PER_PTE, Pfn, VmaId};
use crate::op::Held;

/// mmap(2): the range itself is reserved from the start; what is left is MAP_LOCKED and MAP_POPULATE.
#[kernel("mm/mmap.c", "3.11", pauses)]
pub async fn sys_mmap(cpu: &Cpu, vma: VmaId, policy: Mempolicy, locked: bool, populate: bool) {
    cpu.milestone(Milestone::SyscallEnter);
    cpu.down(LockClass::MmapSem, true, u32::from(vma.mm)).await;
    if locked {
        // Nothing is mapped there yet that would have to be mlocked.
        cpu.set_vm_locked(vma, true).await;
    }
    cpu.up(LockClass::MmapSem, true, u32::from(vma.mm)).await;
    if locked || populate {
        __mm_populate(cpu, vma, policy).await;
    }
    cpu.milestone(Milestone::SyscallExit);
}

/// munmap(2) of one VMA: a locked one is munlocked first, also in 5.18 and later, which do it page by page as they
/// unmap. Its addresses stay reserved. No TLB is flushed here.
#[kernel("mm/mmap.c", "3.11", pauses)]
pub async fn do_munmap(cpu: &Cpu, vma: VmaId) {
    cpu.milestone(Milestone::SyscallEnter);
    let area = { *cpu.machine().vma(vma) };
    cpu.down(LockClass::MmapSem, true, u32::from(vma.mm)).await;
    let locked = { cpu.machine().vma(vma).locked };
    if locked {
        if cpu.has(Patch::MlockBatch) {
            mlock_vma_pages_range(cpu, vma, area.start, area.end, false).await;
        } else {
            munlock_vma_pages_range(cpu, vma, area.start, area.end).await;
        }
    }
    lru_add_drain(cpu).await;
    zap_page_range(cpu, vma, area.start, area.end).await;
    cpu.up(LockClass::MmapSem, true, u32::from(vma.mm)).await;
    cpu.milestone(Milestone::SyscallExit);
}

/// madvise(2) with MADV_DONTNEED: refused (EINVAL) for a locked VMA.
#[kernel("mm/madvise.c", "3.11", pauses)]
pub async fn madvise_dontneed(cpu: &Cpu, vma: VmaId, start: u32, end: u32) {
    cpu.milestone(Milestone::SyscallEnter);
    cpu.down(LockClass::MmapSem, false, u32::from(vma.mm)).await;
    let locked = { cpu.machine().vma(vma).locked };
    if !locked {
        lru_add_drain(cpu).await;
        zap_page_range(cpu, vma, start, end).await;
    }
    cpu.up(LockClass::MmapSem, false, u32::from(vma.mm)).await;
    cpu.milestone(Milestone::SyscallExit);
}

/// Unmaps every page of a range, one page table after the other.
#[kernel("mm/memory.c", "3.11", pauses)]
pub async fn zap_page_range(cpu: &Cpu, vma: VmaId, start: u32, end: u32) {
    let mut addr = start;
    while addr < end {
        cpu.milestone(Milestone::LoopAt(addr - start));
        let next = end.min((addr / PTRS_PER_PTE + 1) * PTRS_PER_PTE);
        if cpu.walk_page_table(vma.mm, addr).await {
            zap_pte_range(cpu, vma, addr, next).await;
        }
        addr = next;
        cond_resched(cpu).await;
    }
    cpu.milestone(Milestone::RangeDone);
}

/// One page table under its lock; the references go once it is released, as mmu_gather does it.
#[kernel("mm/memory.c", "3.11")]
pub async fn zap_pte_range(cpu: &Cpu, vma: VmaId, start: u32, end: u32) {
    let Some(table) = table_of(cpu, vma, start) else { return };
    let mut gathered = Vec::new();
    cpu.lock_ptl(table).await;
    for addr in start..end {
        let pte = cpu.read_pte(vma.mm, addr).await;
        if pte == PTE_NONE {
            continue;
        }
        cpu.set_pte_at(vma.mm, addr, PTE_NONE).await;
        if let Some(page) = vm_normal_page(pte) {
            page_remove_rmap(cpu, page).await;
            gathered.push(page);
        }
    }
    cpu.unlock_ptl(table).await;
    for page in gathered {
        put_page(cpu, page, Held::Map).await;
    }
}

/// fork(2): the child maps what the parent maps; its VMAs are not locked. Files are left to the child's own faults.
#[kernel("kernel/fork.c", "3.11", pauses)]
pub async fn dup_mmap(cpu: &Cpu, parent: u8, child: u8, vmas: u8) {
    cpu.milestone(Milestone::SyscallEnter);
    cpu.down(LockClass::MmapSem, true, u32::from(parent)).await;
    cpu.down(LockClass::MmapSem, true, u32::from(child)).await;
    for vma in 0..vmas {
        let from = VmaId { mm: parent, vma };
        let area = { *cpu.machine().vma(from) };
        let file = { cpu.machine().mappings[area.mapping as usize].file };
        if !file {
            copy_page_range(cpu, from, VmaId { mm: child, vma }).await;
        }
    }
    cpu.up(LockClass::MmapSem, true, u32::from(child)).await;
    cpu.up(LockClass::MmapSem, true, u32::from(parent)).await;
    cpu.milestone(Milestone::SyscallExit);
}

/// Copies the page tables of one VMA. What the child has mapped already stays.
#[kernel("mm/memory.c", "3.11", pauses)]
pub async fn copy_page_range(cpu: &Cpu, from: VmaId, to: VmaId) {
    let area = { *cpu.machine().vma(from) };
    for addr in area.start..area.end {
        let there = { vm_normal_page(cpu.machine().pte(from.mm, addr)).is_some() };
        let free = { cpu.machine().pte(to.mm, addr) == PTE_NONE };
        if there && free {
            copy_one_pte(cpu, from, to, addr).await;
        }
        cpu.pause().await;
    }
}

/// Isolates the pages of a range, then puts them back: what migration and reclaim do before and after their work. The
/// pages that are on no list are left alone.
#[kernel("mm/migrate.c", "3.11", pauses)]
pub async fn isolate_range(cpu: &Cpu, vma: VmaId, start: u32, end: u32) {
    let mut isolated: Vec<Pfn> = Vec::new();
    let mut addr = start;
    cpu.down(LockClass::MmapSem, false, u32::from(vma.mm)).await;
    while addr < end {
        let mut page_mask = 0;
        if let Some(page) = follow_page_mask(cpu, vma, addr, &mut page_mask).await {
            if isolate_lru_page(cpu, page).await {
                isolated.push(page);
            }
            put_page(cpu, page, Held::Pin).await;
        }
        addr += 1 + (!addr & page_mask);
        cond_resched(cpu).await;
    }
    cpu.up(LockClass::MmapSem, false, u32::from(vma.mm)).await;
    for page in isolated {
        putback_lru_page(cpu, page).await;
    }
}
