//! mm/vmscan.c: slices of the LRU lists, kswapd's work and direct reclaim.
//!
//! The balance between the lists is simple here: file lists first, which hold lazy pages alone; the active list gives
//! pages up where the inactive one is short. Priorities, and the share of each list by what was scanned and rotated,
//! are left out.

use alloc::vec::Vec;

use sim_macros::{kernel, look};

use super::Patch;
use super::mm_inline::{add_page_to_lru_list, page_lru};
use super::rmap_2015::page_referenced;
use super::swap::free_dead_page;
use super::swap_lazy::lru_add_drain_anon;
use super::vmscan_page::{Fate, shrink_page};
use crate::engine::Cpu;
use crate::ledger::Site;
use crate::machine::{Event, NIL, Pfn, Stat};
use crate::op::Held;

/// Ticks for each page that reclaim looks at.
pub const SCAN_TICKS: u32 = 1;
/// Ticks for each write that it submits.
pub const WRITE_TICKS: u32 = 4;
// Slices of kswapd at one go.
const KSWAPD_SLICES: u32 = 40;

/// struct scan_control: what reclaim is for and how far it has come.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScanControl {
    /// kswapd's work, not direct reclaim.
    pub kswapd: bool,
    /// Time used.
    pub ticks: u32,
    /// Pages freed.
    pub nr_reclaimed: u32,
}

/// balance_pgdat: slices until the high watermark is met, or a slice frees nothing. where kswapd is no task of its
/// own, and its work is done, and paid for, by the task that would wake it.
#[kernel("mm/vmscan.c", "4.4")]
pub async fn balance_pgdat(cpu: &Cpu, cost: &mut u32) {
    let mut sc = ScanControl { kswapd: true, ..ScanControl::default() };
    let high = mark(cpu, 2);
    for _ in 0..KSWAPD_SLICES {
        let before = free_frames(cpu);
        shrink_zone(cpu, 0, &mut sc).await;
        if cpu.zone_watermark_ok(high).await || free_frames(cpu) == before {
            break;
        }
    }
    *cost += sc.ticks;
}

/// try_to_free_pages: slices until the min watermark is met. False where only writes that are under way can help.
#[kernel("mm/vmscan.c", "4.4")]
pub async fn try_to_free_pages(cpu: &Cpu, cost: &mut u32) -> bool {
    let mut sc = ScanControl::default();
    let min = mark(cpu, 0);
    cpu.count_vm_events(Event::AllocStall, 1).await;
    let mut tries = 0;
    let enough = loop {
        shrink_zone(cpu, 0, &mut sc).await;
        if cpu.zone_watermark_ok(min).await {
            break true;
        }
        if write_pending(cpu) {
            break false;
        }
        tries += 1;
        if tries > most_tries(cpu) {
            cpu.bug("out of memory", alloc::format!("{tries} slices of direct reclaim in a row met no page that could be freed, and no write is under way; expected more ram or swap")).await;
        }
    };
    *cost += sc.ticks;
    enough
}

/// shrink_zone, one slice: deactivates where the inactive list is low, then takes a slice off the inactive list.
#[kernel("mm/vmscan.c", "4.4")]
pub async fn shrink_zone(cpu: &Cpu, zone: u8, sc: &mut ScanControl) {
    let file = has_file_pages(cpu, zone);
    lru_add_drain_anon(cpu).await;
    if inactive_is_low(cpu, zone, file) {
        shrink_active_list(cpu, zone, file, sc).await;
    }
    shrink_inactive_list(cpu, zone, file, sc).await;
}

/// shrink_active_list: the tail of the active list goes to the head of the inactive one, used or not.
#[kernel("mm/vmscan.c", "4.4")]
pub async fn shrink_active_list(cpu: &Cpu, zone: u8, file: bool, sc: &mut ScanControl) {
    let mut list = Vec::new();
    isolate_lru_pages(cpu, zone, lru(file, true), &mut list).await;
    for &page in &list {
        page_referenced(cpu, page).await;
        cpu.clear_page_active(page).await;
        sc.ticks += SCAN_TICKS;
    }
    cpu.count_vm_events(Event::Deactivate, list.len() as u32).await;
    putback_lru_pages(cpu, zone, file, &list).await;
}

/// shrink_inactive_list: takes a slice off the tail and does with each page what can be done.
#[kernel("mm/vmscan.c", "4.4")]
pub async fn shrink_inactive_list(cpu: &Cpu, zone: u8, file: bool, sc: &mut ScanControl) {
    let mut list = Vec::new();
    isolate_lru_pages(cpu, zone, lru(file, false), &mut list).await;
    let (scan, steal) =
        if sc.kswapd { (Event::ScanKswapd, Event::StealKswapd) } else { (Event::ScanDirect, Event::StealDirect) };
    cpu.count_vm_events(scan, list.len() as u32).await;
    let mut kept = Vec::new();
    for &page in &list {
        sc.ticks += SCAN_TICKS;
        if shrink_page(cpu, page, sc).await != Fate::Freed {
            kept.push(page);
        }
    }
    let freed = (list.len() - kept.len()) as u32;
    cpu.raw_mod_zone_page_state(zone, isolated(file), -(freed as i32)).await;
    cpu.count_vm_events(steal, freed).await;
    sc.nr_reclaimed += freed;
    putback_lru_pages(cpu, zone, file, &kept).await;
}

/// isolate_lru_pages: takes up to a slice of pages off the tail of a list, tail first, under one lru_lock. A page that is
/// being freed goes to the head.
#[kernel("mm/vmscan.c", "4.4")]
pub async fn isolate_lru_pages(cpu: &Cpu, zone: u8, lru: u8, list: &mut Vec<Pfn>) {
    cpu.lock_lru_irq(zone).await;
    for _ in 0..slice(cpu) {
        let page = tail(cpu, zone, lru);
        if page == NIL {
            break;
        }
        if !cpu.get_page_unless_zero(page, Site::IsolateUnlessZero, Held::Isolate).await {
            cpu.list_del(lru, page).await;
            cpu.list_add(lru, page).await;
            continue;
        }
        cpu.clear_page_lru(page).await;
        cpu.list_del(lru, page).await;
        list.push(page);
    }
    let taken = list.len() as i32;
    cpu.raw_mod_zone_page_state(zone, Stat::lru(lru), -taken).await;
    if cpu.has(Patch::NodeLru) {
        cpu.raw_mod_zone_page_state(zone, Stat::zone_lru(lru), -taken).await;
    }
    cpu.raw_mod_zone_page_state(zone, isolated(lru >= 2), taken).await;
    cpu.unlock_lru_irq(zone).await;
}

/// putback_inactive_pages: each page to the head of the list that its flags name. A page that nobody else holds any
/// more is freed.
#[kernel("mm/vmscan.c", "4.4")]
pub async fn putback_lru_pages(cpu: &Cpu, zone: u8, file: bool, list: &[Pfn]) {
    cpu.lock_lru_irq(zone).await;
    for &page in list {
        cpu.set_page_lru(page).await;
        add_page_to_lru_list(cpu, page, page_lru(cpu, page)).await;
    }
    cpu.raw_mod_zone_page_state(zone, isolated(file), -(list.len() as i32)).await;
    cpu.unlock_lru_irq(zone).await;
    for &page in list {
        if cpu.put_page_testzero(page, Site::PutbackLruPage, Held::Isolate).await {
            free_dead_page(cpu, page, Site::PutPage).await;
        }
    }
}

const fn lru(file: bool, active: bool) -> u8 {
    file as u8 * 2 + active as u8
}

const fn isolated(file: bool) -> Stat {
    if file { Stat::IsolatedFile } else { Stat::IsolatedAnon }
}

/// SWAP_CLUSTER_MAX
#[look]
fn slice(cpu: &Cpu) -> u32 {
    cpu.machine().swap().tuning.slice
}

/// The oldest page of a list.
#[look]
fn tail(cpu: &Cpu, zone: u8, lru: u8) -> Pfn {
    cpu.machine().zones[zone as usize].lru[lru as usize].tail
}

#[look]
fn has_file_pages(cpu: &Cpu, zone: u8) -> bool {
    let lists = &cpu.machine().zones[zone as usize].lru;
    lists[2].entries + lists[3].entries > 0
}

/// inactive_list_is_low
#[look]
fn inactive_is_low(cpu: &Cpu, zone: u8, file: bool) -> bool {
    let machine = cpu.machine();
    let lists = &machine.zones[zone as usize].lru;
    let (inactive, active) = (lists[lru(file, false) as usize].pages, lists[lru(file, true) as usize].pages);
    u64::from(inactive) * u64::from(machine.swap().tuning.ratio) < u64::from(active)
}

/// A watermark: 0 min, 1 low, 2 high.
#[look]
pub(super) fn mark(cpu: &Cpu, which: usize) -> u32 {
    cpu.machine().swap().tuning.marks[which]
}

#[look]
fn free_frames(cpu: &Cpu) -> u32 {
    cpu.machine().zones[0].free
}

#[look]
fn write_pending(cpu: &Cpu) -> bool {
    !cpu.machine().swap().writes.is_empty()
}

// Enough for every page to be looked at a few times.
#[look]
fn most_tries(cpu: &Cpu) -> u32 {
    let machine = cpu.machine();
    4 * machine.pages.len() as u32 / machine.swap().tuning.slice + 16
}

/// `__zone_reclaim`: slices until so many frames have come free, or it is not worth it to go on: dirty pages take two
/// rounds and a write in between.
#[kernel("mm/vmscan.c", "4.4")]
pub async fn __zone_reclaim(cpu: &Cpu, zone: u8, nr_pages: u32, cost: &mut u32) {
    let mut sc = ScanControl::default();
    let enough = free_frames(cpu) + nr_pages;
    let mut tries = 2 * nr_pages / slice(cpu) + 2;
    while free_frames(cpu) < enough && tries > 0 {
        shrink_zone(cpu, zone, &mut sc).await;
        tries -= 1;
    }
    *cost += sc.ticks;
}
