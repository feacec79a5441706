//! mm/page_alloc.c: watermarks and the slow path of an allocation of one page.

use sim_macros::kernel;

use super::memory::alloc_pages;
use super::vmscan_anon::{balance_pgdat, mark, try_to_free_pages};
use super::vmscan_kswapd::{has_kswapd, wakeup_kswapd};
use crate::engine::Cpu;
use crate::machine::{NIL, Pfn};

/// alloc_zeroed_user_highpage: a page for user memory, zeroed. At the low watermark kswapd works, or is woken
/// where it is a task of its own; at the min watermark the task reclaims itself. Returns NIL where that was not enough and the fault has to be made again once a write is
/// done. `cost` is the time that reclaim took.
#[kernel("mm/page_alloc.c", "4.4")]
pub async fn alloc_zeroed_user_highpage(cpu: &Cpu, cost: &mut u32) -> Pfn {
    if !cpu.zone_watermark_ok(mark(cpu, 1)).await {
        if has_kswapd(cpu) {
            wakeup_kswapd(cpu).await;
        } else {
            balance_pgdat(cpu, cost).await;
        }
        let short = !cpu.zone_watermark_ok(mark(cpu, 0)).await;
        if short && !try_to_free_pages(cpu, cost).await {
            return NIL;
        }
    }
    alloc_pages(cpu, 0, 0).await
}
