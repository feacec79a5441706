//! The programs of the benchmark: what runs in user mode, and how long it takes.

use sim_macros::{kernel, look};

use super::Patch;
use super::madvise::sys_madvise;
use super::memory_swap::{handle_mm_fault, zap_page_range};
use super::page_io::swap_interrupts;
use crate::engine::{Cpu, Milestone};
use crate::machine::VmaId;

/// Ticks of a store to a page that is present.
pub const STORE_TICKS: u32 = 1;
/// madvise takes a tick for so many pages.
pub const PAGES_PER_TICK: u32 = 8;
// The bystander rests between its stores.
const REST_TICKS: u32 = 8;

/// One access of the program. Returns false where the fault has to wait for a write and be made again. `rest` is time
/// that the program spends elsewhere afterwards.
#[kernel("the program", "2015")]
pub async fn touch(cpu: &Cpu, vma: VmaId, addr: u32, write: bool, rest: u32) -> bool {
    swap_interrupts(cpu).await;
    let mut cost = 0;
    let mut ticks = STORE_TICKS;
    loop {
        let done = if write { cpu.store(vma.mm, addr).await } else { cpu.load(vma.mm, addr).await };
        if done {
            break;
        }
        ticks = handle_mm_fault(cpu, vma, addr, write, &mut cost).await;
        if ticks == 0 {
            cpu.wait_for_write(cost).await;
            return false;
        }
    }
    cpu.tick(ticks + cost + rest).await;
    true
}

/// Stores to every page of the range, then madvise for all of it, again and again; then the process exits.
#[kernel("the program", "2015", pauses)]
pub async fn memset_and_madvise(cpu: &Cpu, vma: VmaId, loops: u32) {
    let area = *cpu.machine().vma(vma);
    let (start, end) = (area.start, area.end);
    for round in 0..loops {
        cpu.milestone(Milestone::LoopAt(round));
        let mut addr = start;
        while addr < end {
            if touch(cpu, vma, addr, true, 0).await {
                addr += 1;
            }
            cpu.pause().await;
        }
        swap_interrupts(cpu).await;
        let dontneed = cpu.has(Patch::ProgramDontneed);
        sys_madvise(cpu, vma, start, end, dontneed).await;
        if round + 1 == loops {
            exit_mmap(cpu, vma).await;
        }
        cpu.tick((end - start) / PAGES_PER_TICK).await;
        cpu.pause().await;
    }
}

/// Time that a program of a scenario file spends on a call, beside its accesses.
#[kernel("the program", "2015")]
pub async fn spend(cpu: &Cpu, ticks: u32) {
    cpu.tick(ticks).await;
}

/// exit_mmap: the process gives everything back.
#[kernel("mm/mmap.c", "4.4", pauses)]
pub async fn exit_mmap(cpu: &Cpu, vma: VmaId) {
    let area = *cpu.machine().vma(vma);
    zap_page_range(cpu, vma, area.start, area.end).await;
    cpu.milestone(Milestone::RangeDone);
}

/// A process that knows nothing of madvise: it stores to its own pages in a circle until the others have exited.
#[kernel("the program", "2015", pauses)]
pub async fn bystander(cpu: &Cpu, vma: VmaId, others: u8) {
    let area = *cpu.machine().vma(vma);
    let mut addr = area.start;
    while some_run(cpu, others) {
        if touch(cpu, vma, addr, true, REST_TICKS).await {
            addr = if addr + 1 == area.end { area.start } else { addr + 1 };
        }
        cpu.pause().await;
    }
    exit_mmap(cpu, vma).await;
}

/// One of the first tasks has not finished.
#[look]
fn some_run(cpu: &Cpu, others: u8) -> bool {
    let machine = cpu.machine();
    machine.tasks.iter().take(others as usize).any(|task| task.run != crate::machine::TaskRun::Done)
}
