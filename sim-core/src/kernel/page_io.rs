//! mm/page_io.c, mm/filemap.c: pages on their way to the swap device.

use sim_macros::{kernel, look};

use super::swap::unlock_page;
use super::swap_lazy::rotate_reclaimable_page;
use super::swapfile::try_to_free_swap;
use crate::engine::Cpu;
use crate::machine::{Event, NIL, PageFlag, Pfn};

/// swap_writepage: writes a page of the swap cache, which is unlocked then. Where no PTE holds the entry any more,
/// nothing is written: the page leaves the swap cache. Returns whether it is written.
#[kernel("mm/page_io.c", "4.4")]
pub async fn swap_writepage(cpu: &Cpu, page: Pfn) -> bool {
    if try_to_free_swap(cpu, page).await {
        unlock_page(cpu, page).await;
        return false;
    }
    let slot = cpu.page_private(page);
    cpu.count_vm_events(Event::SwapOut, 1).await;
    cpu.set_page_writeback(page).await;
    unlock_page(cpu, page).await;
    cpu.submit_write(page, slot).await;
    true
}

/// The interrupts of all writes that are due by the clock of this task. They arrive at the start of a step of the
/// program.
#[kernel("mm/page_io.c", "4.4")]
pub async fn swap_interrupts(cpu: &Cpu) {
    loop {
        let page = due_write(cpu);
        if page == NIL {
            return;
        }
        end_swap_bio_write(cpu, page).await;
    }
}

#[look]
#[inline(always)]
fn due_write(cpu: &Cpu) -> Pfn {
    let (machine, task) = (cpu.machine(), cpu.task);
    let now = machine.clock_of(task);
    machine.swap().writes.front().filter(|write| write.due <= now).map_or(NIL, |write| write.page)
}

/// end_swap_bio_write and end_page_writeback: the page may be freed from here on; where reclaim wants it, it goes to the
/// tail of the inactive list.
#[kernel("mm/page_io.c", "4.4")]
pub async fn end_swap_bio_write(cpu: &Cpu, page: Pfn) {
    cpu.write_done(page).await;
    if cpu.test_page(PageFlag::Reclaim, page).await {
        cpu.clear_page_reclaim(page).await;
        rotate_reclaimable_page(cpu, page).await;
    }
    cpu.test_clear_page_writeback(page).await;
}
