//! Every hold of every lock, with how long it was and how many pages were moved in it.

use alloc::vec::Vec;

use super::clock::Clock;
use super::walk::{Held, Seen, walk};
use super::work::Length;
use crate::cost::Timing;
use crate::engine::Timeline;
use crate::machine::{AreaList, LockClass, LockId, Pfn};
use crate::op::Op;

/// One hold of a lock in the measured section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HoldLength {
    /// Which lock.
    pub lock: LockId,
    /// From the step that takes it to the one that releases it, as in the ledger; a hold that has not ended ends with
    /// the run.
    pub length: Length,
    /// Of lru_lock: different pages that its holder put on LRU lists or took off them. Else 0.
    pub moved: u32,
    /// Of zone->lock: pages that its holder put into the free lists less those that it took out; so a drain is above 0
    /// and a refill below. Else 0.
    pub freed: i64,
}

/// A hold that has not ended.
struct Open {
    lock: LockId,
    since: usize,
    moved: Vec<Pfn>,
    freed: i64,
}

/// All holds of the measured section, by their end. Their sums are those of [`super::Detail::classes`].
pub fn holds(timeline: &Timeline, timing: Option<&Timing>) -> Vec<HoldLength> {
    let clock = Clock::new(timing, timeline.len());
    let (mut open, mut done): (Vec<Open>, Vec<HoldLength>) = (Vec::new(), Vec::new());
    let rest = walk(timeline, false, |seen| {
        if let Some(held) = seen.released.filter(|held| held.counted) {
            done.push(end(&mut open, held, clock.span(held.since, seen.at)));
        }
        seen.held.iter().filter(|held| held.counted).for_each(|held| add(&mut open, held, seen));
    });
    for held in rest.held.iter().filter(|held| held.counted) {
        done.push(end(&mut open, *held, clock.rest(held.since)));
    }
    done
}

fn add(open: &mut Vec<Open>, held: &Held, seen: &Seen) {
    let (moved, freed) = match held.lock.class {
        LockClass::Lru => (moved(&seen.record.op), 0),
        LockClass::Zone => (None, freed(&seen.record.op)),
        _ => return,
    };
    if moved.is_none() && freed == 0 {
        return;
    }
    let this = |hold: &Open| (hold.lock, hold.since) == (held.lock, held.since);
    let at = open.iter().position(this).unwrap_or_else(|| {
        open.push(Open { lock: held.lock, since: held.since, moved: Vec::new(), freed: 0 });
        open.len() - 1
    });
    open[at].moved.extend(moved);
    open[at].freed += freed;
}

fn end(open: &mut Vec<Open>, held: Held, length: Length) -> HoldLength {
    let at = open.iter().position(|hold| (hold.lock, hold.since) == (held.lock, held.since));
    let (mut pages, freed) = at.map(|at| open.swap_remove(at)).map_or((Vec::new(), 0), |hold| (hold.moved, hold.freed));
    pages.sort_unstable();
    pages.dedup();
    HoldLength { lock: held.lock, length, moved: pages.len() as u32, freed }
}

fn moved(op: &Op) -> Option<Pfn> {
    match *op {
        Op::ListAdd { page, .. } | Op::ListDel { page, .. } | Op::ListSize { page, .. } => Some(page),
        _ => None,
    }
}

fn freed(op: &Op) -> i64 {
    match *op {
        Op::AreaAdd { list: AreaList::Free { order, .. }, .. } => 1 << order,
        Op::AreaDel { list: AreaList::Free { order, .. }, .. } => -(1 << order),
        _ => 0,
    }
}
