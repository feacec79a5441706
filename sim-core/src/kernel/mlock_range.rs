//! mm/mlock.c: mlock and mlockall of whole VMAs, and populate.

use alloc::vec::Vec;

use sim_macros::kernel;

use super::Patch;
use super::fault::{Mempolicy, handle_mm_fault, needs_fault};
use super::memory::{follow_page_mlock, vm_normal_page};
use super::mlock_batch::mlock_folio;
use super::mlock_pagevec::table_of;
use super::swap::{cond_resched, lru_add_drain};
use crate::engine::{Cpu, Milestone};
use crate::machine::{LockClass, PTRS_PER_PTE, Pmd, VmaId};

/// mlock(2) of one VMA: VM_LOCKED, then populate. The lru_add_drain_all that it began with until 4.14 is a drain of this
/// CPU here; from 5.18 on there is none.
#[kernel("mm/mlock.c", "3.11", pauses)]
pub async fn sys_mlock(cpu: &Cpu, vma: VmaId, policy: Mempolicy) {
    cpu.milestone(Milestone::SyscallEnter);
    drain_first(cpu).await;
    cpu.down(LockClass::MmapSem, true, u32::from(vma.mm)).await;
    mlock_fixup(cpu, vma).await;
    cpu.up(LockClass::MmapSem, true, u32::from(vma.mm)).await;
    __mm_populate(cpu, vma, policy).await;
    cpu.milestone(Milestone::SyscallExit);
}

/// mlockall(2) with MCL_CURRENT: every VMA of a process, in address order.
#[kernel("mm/mlock.c", "3.11", pauses)]
pub async fn sys_mlockall(cpu: &Cpu, mm: u8, policies: Vec<Mempolicy>) {
    cpu.milestone(Milestone::SyscallEnter);
    drain_first(cpu).await;
    cpu.down(LockClass::MmapSem, true, u32::from(mm)).await;
    for vma in 0..policies.len() as u8 {
        mlock_fixup(cpu, VmaId { mm, vma }).await;
    }
    cpu.up(LockClass::MmapSem, true, u32::from(mm)).await;
    for (vma, policy) in (0..).zip(policies) {
        __mm_populate(cpu, VmaId { mm, vma }, policy).await;
    }
    cpu.milestone(Milestone::SyscallExit);
}

/// What mlock and mlockall begin with.
#[kernel("mm/mlock.c", "3.11")]
pub async fn drain_first(cpu: &Cpu) {
    if !cpu.has(Patch::MlockBatch) {
        lru_add_drain(cpu).await;
    }
}

/// mlock_fixup: VM_LOCKED of a VMA that has it not. From 5.18 on the pages that are there are mlocked right away.
#[kernel("mm/mlock.c", "3.11", pauses)]
pub async fn mlock_fixup(cpu: &Cpu, vma: VmaId) {
    let area = { *cpu.machine().vma(vma) };
    if area.locked {
        return;
    }
    cpu.set_vm_locked(vma, true).await;
    if !cpu.has(Patch::MlockBatch) {
        return;
    }
    lru_add_drain(cpu).await;
    let mut addr = area.start;
    while addr < area.end {
        let next = area.end.min((addr / PTRS_PER_PTE + 1) * PTRS_PER_PTE);
        if cpu.walk_page_table(vma.mm, addr).await {
            mlock_present(cpu, vma, addr, next).await;
        }
        addr = next;
        cond_resched(cpu).await;
    }
    lru_add_drain(cpu).await;
}

/// The pages that one page table, or one huge pmd, maps.
#[kernel("mm/mlock.c", "5.18")]
pub async fn mlock_present(cpu: &Cpu, vma: VmaId, start: u32, end: u32) {
    let Some(table) = table_of(cpu, vma, start) else {
        cpu.lock_page_table(vma.mm).await;
        if let Pmd::Huge(folio) = cpu.pmd(vma.mm, start) {
            mlock_folio(cpu, folio).await;
        }
        cpu.unlock_page_table(vma.mm).await;
        return;
    };
    cpu.lock_ptl(table).await;
    for addr in start..end {
        if let Some(folio) = vm_normal_page(cpu.read_pte(vma.mm, addr).await) {
            mlock_folio(cpu, folio).await;
        }
    }
    cpu.unlock_ptl(table).await;
}

/// __mm_populate of one VMA: faults in what is missing, as stores would. Until 5.17 each page of a locked VMA is then
/// followed with FOLL_MLOCK, which drains this CPU's pagevecs each time; from 5.18 on they are drained once, at the end.
#[kernel("mm/mlock.c", "3.11", pauses)]
pub async fn __mm_populate(cpu: &Cpu, vma: VmaId, policy: Mempolicy) {
    cpu.down(LockClass::MmapSem, false, u32::from(vma.mm)).await;
    let area = { *cpu.machine().vma(vma) };
    let mut addr = area.start;
    while addr < area.end {
        cpu.milestone(Milestone::LoopAt(addr - area.start));
        if needs_fault(cpu, vma, addr, true).await {
            handle_mm_fault(cpu, vma, addr, policy, true).await;
        }
        if area.locked && !cpu.has(Patch::MlockBatch) {
            follow_page_mlock(cpu, vma, addr).await;
        }
        addr += policy.unit();
        cpu.pause().await;
    }
    if cpu.has(Patch::MlockBatch) {
        lru_add_drain(cpu).await;
    }
    cpu.up(LockClass::MmapSem, false, u32::from(vma.mm)).await;
    cpu.milestone(Milestone::RangeDone);
}
