//! mm/vmscan.c: kswapd as a thread of its own, who wakes it, and when it sleeps again.
//!
//! It has a CPU and a clock of its own. Zones, orders and the short first sleep of a tenth of a second are left out; a
//! task that wakes it goes on at once and meets the min watermark alone.

use sim_macros::{kernel, look};

use super::Patch;
use super::page_io::swap_interrupts;
use super::vmscan_anon::{ScanControl, mark, shrink_zone};
use crate::engine::Cpu;
use crate::machine::NOBODY;

// So many rounds of one go that free nothing, and kswapd gives up.
const DEF_PRIORITY: u32 = 12;

/// kswapd: what the thread does each time it is woken. It starts asleep.
#[kernel("mm/vmscan.c", "4.4", pauses)]
pub async fn kswapd(cpu: &Cpu) {
    loop {
        let hopeless = balance_pgdat(cpu).await;
        if kswapd_try_to_sleep(cpu, hopeless).await {
            return;
        }
    }
}

/// balance_pgdat: slices until the high watermark is met, at the thread's own pace. Each round that frees nothing lowers
/// the priority; below 1 it is hopeless for now, which is what it returns.
#[kernel("mm/vmscan.c", "4.4", pauses)]
pub async fn balance_pgdat(cpu: &Cpu) -> bool {
    let mut priority = DEF_PRIORITY;
    if cpu.has(Patch::SwapTable) {
        update_reclaim_active(cpu, true).await;
    }
    while priority > 0 {
        swap_interrupts(cpu).await;
        if pgdat_balanced(cpu).await {
            break;
        }
        if kswapd_shrink_zone(cpu).await == 0 {
            priority -= 1;
        }
        cpu.pause().await;
    }
    if cpu.has(Patch::SwapTable) {
        update_reclaim_active(cpu, false).await;
    }
    priority == 0
}

/// kswapd_shrink_zone: one slice, which takes kswapd its time. Returns how many pages it has freed.
#[kernel("mm/vmscan.c", "4.4")]
pub async fn kswapd_shrink_zone(cpu: &Cpu) -> u32 {
    let mut sc = ScanControl { kswapd: true, ..ScanControl::default() };
    shrink_zone(cpu, 0, &mut sc).await;
    cpu.tick(sc.ticks).await;
    sc.nr_reclaimed
}

/// pgdat_balanced: more frames are free than the high watermark.
#[kernel("mm/vmscan.c", "4.4")]
pub async fn pgdat_balanced(cpu: &Cpu) -> bool {
    cpu.zone_watermark_ok(mark(cpu, 2)).await
}

/// update_reclaim_active: ZONE_RECLAIM_ACTIVE, which makes the per-CPU page lists short; a zone that has none of these
/// has nobody who asks.
#[kernel("mm/vmscan.c", "5.14")]
pub async fn update_reclaim_active(cpu: &Cpu, active: bool) {
    if has_pcp(cpu) {
        cpu.set_reclaim_active(0, active).await;
    }
}

/// kswapd_try_to_sleep: on the wait queue first, then a last look: so whoever takes a frame after it finds kswapd there.
/// Returns whether it slept.
#[kernel("mm/vmscan.c", "4.4", pauses)]
pub async fn kswapd_try_to_sleep(cpu: &Cpu, hopeless: bool) -> bool {
    cpu.prepare_to_wait().await;
    let sleeps = prepare_kswapd_sleep(cpu, hopeless).await;
    if sleeps {
        cpu.sleep().await;
    }
    cpu.finish_wait().await;
    sleeps
}

/// prepare_kswapd_sleep: whether all is well, or hopeless: a node that cannot be balanced counts as balanced.
#[kernel("mm/vmscan.c", "4.4")]
pub async fn prepare_kswapd_sleep(cpu: &Cpu, hopeless: bool) -> bool {
    hopeless || pgdat_balanced(cpu).await
}

/// wakeup_kswapd: by a task that has found the low watermark crossed.
#[kernel("mm/vmscan.c", "4.4")]
pub async fn wakeup_kswapd(cpu: &Cpu) {
    if !cpu.kswapd_waits().await {
        return;
    }
    if pgdat_balanced(cpu).await {
        return;
    }
    cpu.wake_kswapd().await;
}

/// Reclaim in the background has a task of its own.
#[look]
pub(super) fn has_kswapd(cpu: &Cpu) -> bool {
    cpu.machine().swap().kswapd.task != NOBODY
}

#[look]
fn has_pcp(cpu: &Cpu) -> bool {
    cpu.machine().buddy(0).is_some()
}
