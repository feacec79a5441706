//! RFC patches 1 to 6: pages are isolated and put back in batches, and the pin of the walk is all they need.

use sim_core::ledger::{Count, How, Site};
use sim_core::machine::{Event, PageFlag, Stat};

use super::ops::{Hand, UNEVICTABLE};

const BATCH: u8 = 14;
/// Indices of the two pagevecs on the stack.
const PAGEVEC: usize = 0;
const PUTBACK: usize = 1;

/// munlock of the whole range.
pub fn munlock(hand: &mut Hand) {
    hand.clear_vm_locked();
    for addr in 0..hand.machine.mms[0].vmas[0].end {
        if let Some(page) = hand.follow_page(addr) {
            add(hand, PAGEVEC, page);
            if hand.machine.stacks[PAGEVEC].nr == BATCH {
                batch(hand);
            }
        }
        hand.count(Count::Resched);
    }
    if hand.machine.stacks[PAGEVEC].nr > 0 {
        batch(hand);
    }
}

#[inline(always)]
fn add(hand: &mut Hand, pagevec: usize, page: u32) {
    let pagevec = &mut hand.machine.stacks[pagevec];
    pagevec.slots[pagevec.nr as usize] = page;
    pagevec.nr += 1;
    hand.count(Count::PvecOnStack);
}

#[inline(always)]
fn batch(hand: &mut Hand) {
    let nr = hand.machine.stacks[PAGEVEC].nr as usize;
    isolate(hand, nr);
    for slot in 0..nr {
        let page = hand.machine.stacks[PAGEVEC].slots[slot];
        hand.lock_page(page);
        hand.count(Count::Reads);
        if hand.page_evictable(page) {
            add(hand, PUTBACK, page);
            hand.flag(page, PageFlag::Unevictable, How::TestClear);
        }
        hand.unlock_page(page);
    }
    put_back(hand);
    hand.machine.stacks[PAGEVEC].nr = 0;
    hand.tick();
}

#[inline(always)]
fn isolate(hand: &mut Hand, nr: usize) {
    hand.lock_lru();
    for slot in 0..nr {
        let page = hand.machine.stacks[PAGEVEC].slots[slot];
        if hand.flag(page, PageFlag::Mlocked, How::TestClear) && hand.read_flag(page, PageFlag::Lru) {
            hand.flag(page, PageFlag::Lru, How::Clear);
            hand.list_del(page, UNEVICTABLE);
            hand.stat(Stat::Unevictable, -1, false);
        }
    }
    hand.stat(Stat::Mlock, -(nr as i32), false);
    hand.unlock_lru();
}

#[inline(always)]
fn put_back(hand: &mut Hand) {
    let nr = hand.machine.stacks[PUTBACK].nr as usize;
    hand.event(Event::Munlocked, nr as u64);
    hand.lock_lru();
    for slot in 0..nr {
        hand.back_to_inactive(hand.machine.stacks[PUTBACK].slots[slot]);
    }
    hand.unlock_lru();
    for slot in 0..nr {
        hand.put(hand.machine.stacks[PUTBACK].slots[slot], Site::ReleasePages);
    }
    hand.machine.stacks[PUTBACK].nr = 0;
    hand.tick();
    // As posted, the counter of rescued pages is not advanced.
    hand.event(Event::Rescued, 0);
}
