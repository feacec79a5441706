//! arch/x86/mm/tlb.c, mm/pgtable-generic.c: flushes of the TLB, at once or deferred.

use sim_macros::{kernel, look};

use super::rmap_unmap::Ttu;
use super::rmap_walk::Walk;
use crate::engine::Cpu;
use crate::machine::{FLUSH_CEILING, PTE_DIRTY};

/// Exchanges the entry of the walk with none and flushes the *address* of the walk, which ought to be the entry's.
#[kernel("mm/pgtable-generic.c", "6.3")]
pub async fn ptep_clear_flush(cpu: &Cpu, walk: Walk) -> u32 {
    let old = cpu.xchg_pte(walk.vma.mm, walk.index, walk.addr).await;
    flush_tlb_range(cpu, walk.vma.mm, walk.addr, 1).await;
    old
}

/// flush_tlb_mm_range: other CPUs that have the address space loaded are interrupted; this one flushes itself. Departs
/// from the kernel in that an interrupted CPU always empties its whole TLB.
#[kernel("arch/x86/mm/tlb.c", "6.3")]
pub async fn flush_tlb_range(cpu: &Cpu, mm: u8, start: u32, pages: u32) {
    cpu.inc_mm_tlb_gen(mm, true).await;
    let others = other_cpus(cpu, mm);
    for id in 0..u32::BITS as u8 {
        if others >> id & 1 != 0 {
            cpu.ipi_flush(id).await;
        }
    }
    if loads(cpu, mm) {
        cpu.local_irq_save().await;
        flush_tlb_func(cpu, mm, start, pages).await;
        cpu.local_irq_restore().await;
    }
}

/// flush_tlb_func on this CPU: page by page where it is just one generation behind and the range is small, else all.
#[kernel("arch/x86/mm/tlb.c", "6.3")]
pub async fn flush_tlb_func(cpu: &Cpu, mm: u8, start: u32, pages: u32) {
    let behind = generations_behind(cpu, mm);
    if behind == 0 {
        return;
    }
    if behind == 1 && pages <= FLUSH_CEILING {
        for addr in start..start + pages {
            cpu.invlpg(mm, addr).await;
        }
    } else {
        cpu.flush_tlb_local().await;
    }
    cpu.local_tlb_gen(mm).await;
}

/// A flush that is put off: the generation rises, the CPUs are noted, and the address space has one more pending.
#[kernel("mm/rmap.c", "6.3")]
pub async fn set_tlb_ubc_flush_pending(cpu: &Cpu, mm: u8, pte: u32) {
    cpu.inc_mm_tlb_gen(mm, false).await;
    cpu.ubc_add(mm, pte & PTE_DIRTY != 0).await;
    cpu.inc_flush_batched(mm).await;
}

/// One full flush on every CPU that was noted, if any was.
#[kernel("mm/rmap.c", "6.3")]
pub async fn try_to_unmap_flush(cpu: &Cpu) {
    let mask = noted(cpu);
    if mask == 0 {
        return;
    }
    let mm = loaded_mm(cpu);
    let lags = mm != u8::MAX && generations_behind(cpu, mm) > 0;
    for id in 0..u32::BITS as u8 {
        if mask >> id & 1 == 0 {
            continue;
        }
        if id != cpu.id() {
            cpu.ipi_flush(id).await;
        } else if lags {
            cpu.local_irq_save().await;
            cpu.flush_tlb_local().await;
            cpu.local_tlb_gen(mm).await;
            cpu.local_irq_restore().await;
        }
    }
    cpu.ubc_reset().await;
}

/// Before something is written out: only where a dirty PTE was among those that are to be flushed.
#[kernel("mm/rmap.c", "6.3")]
pub async fn try_to_unmap_flush_dirty(cpu: &Cpu) {
    if writable(cpu) {
        try_to_unmap_flush(cpu).await;
    }
}

/// should_defer_flush: the caller batches, and another CPU has the address space loaded.
#[look]
pub(super) fn should_defer_flush(cpu: &Cpu, mm: u8, ttu: Ttu) -> bool {
    ttu.batch_flush && other_cpus(cpu, mm) != 0
}

#[look]
fn writable(cpu: &Cpu) -> bool {
    let task = usize::from(cpu.task);
    cpu.machine().rmap().ubcs[task].writable
}

#[look]
fn noted(cpu: &Cpu) -> u32 {
    let task = usize::from(cpu.task);
    cpu.machine().rmap().ubcs[task].cpumask
}

#[look]
fn loaded_mm(cpu: &Cpu) -> u8 {
    let id = usize::from(cpu.id());
    cpu.machine().rmap().tlbs[id].loaded_mm
}

#[look]
fn other_cpus(cpu: &Cpu, mm: u8) -> u32 {
    let here = 1u32 << cpu.id();
    cpu.machine().rmap().mms[usize::from(mm)].cpumask & !here
}

#[look]
fn loads(cpu: &Cpu, mm: u8) -> bool {
    loaded_mm(cpu) == mm
}

#[look]
fn generations_behind(cpu: &Cpu, mm: u8) -> u64 {
    let id = usize::from(cpu.id());
    let machine = cpu.machine();
    let rmap = machine.rmap();
    rmap.mms[usize::from(mm)].tlb_gen.saturating_sub(rmap.tlbs[id].local_gen)
}
