//! 3.11-rc3, before the series: a drain for every page.

use sim_core::ledger::{Count, How, Site};
use sim_core::machine::{Event, PageFlag, Pfn, Stat};

use super::ops::{Hand, UNEVICTABLE};

/// munlock of the whole range.
pub fn munlock(hand: &mut Hand) {
    hand.clear_vm_locked();
    for addr in 0..hand.machine.mms[0].vmas[0].end {
        if let Some(page) = hand.follow_page(addr) {
            one_page(hand, page);
        }
        hand.count(Count::Resched);
    }
}

#[inline(always)]
fn one_page(hand: &mut Hand, page: Pfn) {
    hand.lock_page(page);
    drain(hand);
    if hand.flag(page, PageFlag::Mlocked, How::TestClear) {
        hand.stat(Stat::Mlock, -1, true);
        if hand.read_flag(page, PageFlag::Lru) {
            isolate(hand, page);
            hand.count(Count::Reads);
            hand.event(Event::Munlocked, 1);
            put_back(hand, page);
        }
    }
    hand.unlock_page(page);
    hand.put(page, Site::PutPage);
}

#[inline(always)]
fn isolate(hand: &mut Hand, page: Pfn) {
    hand.lock_lru();
    hand.count(Count::Reads);
    hand.get(page, Site::Isolate);
    hand.flag(page, PageFlag::Lru, How::Clear);
    hand.list_del(page, UNEVICTABLE);
    hand.stat(Stat::Unevictable, -1, false);
    hand.unlock_lru();
}

#[inline(always)]
fn put_back(hand: &mut Hand, page: Pfn) {
    let was_unevictable = hand.read_flag(page, PageFlag::Unevictable);
    hand.flag(page, PageFlag::Unevictable, How::Clear);
    if hand.page_evictable(page) {
        hand.count(Count::Reads);
        hand.count(Count::PreemptPairs);
        hand.get(page, Site::LruCacheAdd);
        hand.count(Count::Reads);
        let pagevec = &mut hand.machine.pagevecs[0];
        pagevec.slots[pagevec.nr as usize] = page;
        pagevec.nr += 1;
        hand.count(Count::PvecPerCpu);
        hand.tick();
        if was_unevictable {
            hand.event(Event::Rescued, 1);
        }
    }
    hand.put(page, Site::PutbackLruPage);
}

#[inline(always)]
fn drain(hand: &mut Hand) {
    hand.count(Count::PreemptPairs);
    hand.count(Count::Reads);
    let nr = hand.machine.pagevecs[0].nr as usize;
    if nr > 0 {
        hand.lock_lru();
        for slot in 0..nr {
            hand.back_to_inactive(hand.machine.pagevecs[0].slots[slot]);
        }
        hand.unlock_lru();
        for slot in 0..nr {
            hand.put(hand.machine.pagevecs[0].slots[slot], Site::ReleasePages);
        }
        hand.machine.pagevecs[0].nr = 0;
        hand.count(Count::Drains);
    }
    // The other pagevecs of the CPU are empty.
    for _ in 0..3 {
        hand.count(Count::Reads);
    }
    hand.tick();
}
