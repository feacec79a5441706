//! mm/mlock.c: the mlock system call of a small range, with the drain that belongs to it.

use sim_macros::kernel;

use super::Patch;
use super::lru_drain::{lru_add_drain_all, lru_add_drain_all_async};
use super::memory::{do_anonymous_page, follow_page_mlock, vm_normal_page};
use super::mlock_batch::mlock_folio;
use super::mlock_pagevec::table_of;
use super::swap::lru_add_drain;
use crate::engine::Cpu;
use crate::machine::{LockClass, VmaId};

/// mlock(2) of one VMA. Until 4.14 it begins with lru_add_drain_all, before it takes mmap_sem; the patch asks for a drain
/// at the end instead, and waits for none.
#[kernel("mm/mlock.c", "3.2")]
pub async fn sys_mlock(cpu: &Cpu, vma: VmaId) {
    if !cpu.has(Patch::AsyncDrain) && !cpu.has(Patch::NoMlockDrain) {
        lru_add_drain_all(cpu).await;
    }
    let mm = u32::from(vma.mm);
    cpu.down(LockClass::MmapSem, true, mm).await;
    if cpu.has(Patch::MlockBatch) {
        mlock_present(cpu, vma).await;
    } else {
        cpu.set_vm_locked(vma, true).await;
    }
    cpu.up(LockClass::MmapSem, true, mm).await;
    do_mlock_pages(cpu, vma).await;
    if cpu.has(Patch::AsyncDrain) {
        lru_add_drain_all_async(cpu).await;
    }
}

/// populate of the range: faults in what is missing; until 5.17 mlocks every page by follow_page with FOLL_MLOCK, which
/// drains this CPU's pagevecs each time.
#[kernel("mm/mlock.c", "3.2")]
pub async fn do_mlock_pages(cpu: &Cpu, vma: VmaId) {
    let area = *cpu.machine().vma(vma);
    cpu.down(LockClass::MmapSem, false, u32::from(vma.mm)).await;
    if cpu.has(Patch::MlockBatch) {
        lru_add_drain(cpu).await;
    }
    for addr in area.start..area.end {
        let present = vm_normal_page(cpu.machine().pte(vma.mm, addr)).is_some();
        if !present {
            do_anonymous_page(cpu, vma, addr, 0).await;
        }
        if !cpu.has(Patch::MlockBatch) {
            follow_page_mlock(cpu, vma, addr).await;
        }
    }
    cpu.up(LockClass::MmapSem, false, u32::from(vma.mm)).await;
}

/// mlock_vma_pages_range for mlock: between two local drains every page that is present is mlocked under the ptl.
#[kernel("mm/mlock.c", "5.18")]
pub async fn mlock_present(cpu: &Cpu, vma: VmaId) {
    let area = *cpu.machine().vma(vma);
    cpu.set_vm_locked(vma, true).await;
    lru_add_drain(cpu).await;
    cpu.walk_page_table(vma.mm, area.start).await;
    let Some(table) = table_of(cpu, vma, area.start) else { return };
    cpu.lock_ptl(table).await;
    for addr in area.start..area.end {
        if let Some(folio) = vm_normal_page(cpu.read_pte(vma.mm, addr).await) {
            mlock_folio(cpu, folio).await;
        }
    }
    cpu.unlock_ptl(table).await;
    lru_add_drain(cpu).await;
}
