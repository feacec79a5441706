//! What the author of the patch claimed, checked against a run.

use alloc::vec::Vec;

use crate::engine::{Schedule, Timeline};
use crate::kernel::{Config, Patch};
use crate::ledger::Count;
use crate::machine::Rss;
use crate::op::{AnonOp, Op};
use crate::scenario::{Claim, End};

const PATCH: &str = "1/4 of 11 March 2015: swap-in is dearer than a page of zeroes";

/// Claims of the series for one run.
pub(super) fn claims(end: &End<'_>) -> Vec<Claim> {
    let mut claims: Vec<Claim> = kept_data(end).into_iter().collect();
    if let Some(broken) = end.stopped(&claims) {
        return broken;
    }
    if end.spec.params.get("bystander") == 0 {
        claims.extend(by_the_clocks(end).then(|| no_swap_in(end)));
        claims.extend(slots_freed(end));
    }
    claims
}

/// madvise drops swap entries: MADV_DONTNEED, or MADV_FREE with the patch.
fn drops(config: Config) -> bool {
    config.has(Patch::FreeSwapEntry) || config.has(Patch::ProgramDontneed)
}

// Whoever is behind goes next, as on CPUs of one speed. In other orders reclaim can take a page from under the very store
// that made it, which reads it back.
fn by_the_clocks(end: &End<'_>) -> bool {
    matches!(end.spec.schedule, None | Some(Schedule::Timed))
}

fn no_swap_in(end: &End<'_>) -> Claim {
    let reads = end.first(|record| record.counted && matches!(record.op, Op::Anon(AnonOp::ReadIn { .. })));
    Claim::never("a page is read back from swap", PATCH, end.ledger.count(Count::SwapIn), reads)
        .known(!drops(end.spec.variant.config), "the patch is against this: madvise leaves the swap entries in place")
}

// Each process exits right after its last madvise: what that has left in the page table is freed there.
fn slots_freed(end: &End<'_>) -> Option<Claim> {
    let (found, first) = freed_at_exit(end.timeline?);
    let claim = "swap entries that outlive the last madvise of a process";
    let why = "the patch is against this: madvise leaves the swap entries in place";
    let claim = Claim::count(claim, "1/4 of 11 March 2015: free_swap_and_cache", 0, found);
    Some(claim.known(!drops(end.spec.variant.config), why).shown(first))
}

// Swap entries by MM_SWAPENTS that exit_mmap takes off, and the first step that does so.
fn freed_at_exit(timeline: &Timeline) -> (u64, Option<u32>) {
    let (mut sum, mut first) = (0, None);
    for (step, record) in (1..).zip(timeline.records()) {
        let delta = match record.op {
            Op::Anon(
                AnonOp::Rss { counter: Rss::Swap, delta, .. } | AnonOp::RssCached { counter: Rss::Swap, delta, .. },
            ) => delta,
            _ => 0,
        };
        if delta < 0 && exits(timeline, record.frame()) {
            sum += u64::from(delta.unsigned_abs());
            first = first.or(Some(step));
        }
    }
    (sum, first)
}

fn exits(timeline: &Timeline, frame: Option<u32>) -> bool {
    let frames = timeline.frames();
    let mut calls = core::iter::successors(frame, |&frame| frames.get(frame).and_then(|frame| frame.parent()));
    calls.any(|frame| frames[frame as usize].func.name == "exit_mmap")
}

/// A claim that nothing that was stored is lost, by the checker's own account of what is in each page and slot.
pub(super) fn kept_data(end: &End<'_>) -> Option<Claim> {
    let claim = "a read finds neither what was stored last nor zeroes after madvise";
    let source = "madvise(2): old data or zeroes, and no store is lost";
    end.keeps(claim, source, &["16:", "14: a lazy page"])
}

/// Claims that compare two kernels, or two programs.
pub(super) fn compare(old: &End<'_>, new: &End<'_>) -> Vec<Claim> {
    let mut claims = Vec::new();
    if new.spec.params.get("bystander") > 0 || ![old, new].into_iter().all(by_the_clocks) {
        return claims;
    }
    let swap_ins = [old, new].map(|end| end.ledger.count(Count::SwapIn));
    let times = [old, new].map(elapsed);
    if drops(new.spec.variant.config) {
        let claim = "swap-ins are no more than those of MADV_DONTNEED, which has none";
        let source = "1/4 of 11 March 2015: 879,585 become 1,878, beside 1,612";
        claims.push(Claim::at_most(claim, source, 0, swap_ins[1]));
    }
    if !as_measured(new) {
        return claims;
    }
    match [old, new].map(|end| end.spec.variant.name) {
        ["dontneed", "free"] => {
            let claim = "MADV_FREE without the patch swaps in where MADV_DONTNEED does not";
            let source = "1/4 of 11 March 2015: 879,585 beside 1,612";
            claims.push(Claim::at_least(claim, source, swap_ins[0] + 1, swap_ins[1]));
            let claim = "MADV_FREE without the patch is slower, in ticks";
            let source = "1/4 of 11 March 2015: 90.67 s beside 50.44 s";
            claims.push(Claim::at_least(claim, source, times[0] + 1, times[1]));
        }
        ["free", "free-swap" | "v4.5"] => {
            let claim = "the patch makes it faster, in ticks";
            let source = "1/4 of 11 March 2015: 64.45 s instead of 90.67 s";
            claims.push(Claim::at_most(claim, source, times[0].saturating_sub(1), times[1]));
        }
        _ => {}
    }
    claims
}

// The processes fill twice the memory that there is and overlap, as on the author's machine. Where they start so far
// apart that each has memory enough, nothing is read back and nothing is won.
fn as_measured(end: &End<'_>) -> bool {
    let [processes, pages, ram, skew] =
        ["processes", "pages", "ram", "skew"].map(|name| u64::from(end.spec.params.get(name)));
    processes * pages >= 2 * ram && 4 * skew <= 3 * pages
}

// Ticks until the last process is done.
fn elapsed(end: &End<'_>) -> u64 {
    end.machine.swap().clocks.iter().copied().max().unwrap_or(0)
}
