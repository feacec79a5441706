//! What the author of the patch claimed, checked against a run.

use alloc::vec::Vec;

use crate::kernel::{Config, Patch};
use crate::ledger::Count;
use crate::machine::{Machine, Rss};
use crate::op::{AnonOp, Op};
use crate::scenario::{Claim, End};

const PATCH: &str = "1/4 of 11 March 2015: swap-in is dearer than a page of zeroes";

/// Claims of the series for one run.
pub(super) fn claims(end: &End<'_>) -> Vec<Claim> {
    let mut claims: Vec<Claim> = kept_data(end).into_iter().chain(entries_gone(end)).collect();
    if let Some(broken) = end.stopped(&claims) {
        return broken;
    }
    if end.spec.params.get("bystander") == 0 {
        claims.push(no_swap_in(end));
        claims.push(slots_freed(end));
    }
    claims
}

/// madvise drops swap entries: MADV_DONTNEED, or MADV_FREE with the patch.
fn drops(config: Config) -> bool {
    config.has(Patch::FreeSwapEntry) || config.has(Patch::ProgramDontneed)
}

fn no_swap_in(end: &End<'_>) -> Claim {
    let reads = end.first(|record| record.counted && matches!(record.op, Op::Anon(AnonOp::ReadIn { .. })));
    Claim::never("a page is read back from swap", PATCH, end.ledger.count(Count::SwapIn), reads)
        .known(!drops(end.spec.variant.config), "the patch is against this: madvise leaves the swap entries in place")
}

// Every process has called madvise for all its pages last.
fn slots_freed(end: &End<'_>) -> Claim {
    let claim = "swap entries that outlive the last madvise";
    let why = "the patch is against this: madvise leaves the swap entries in place";
    Claim::count(claim, "1/4 of 11 March 2015: free_swap_and_cache", 0, swap_entries(end.machine))
        .known(!drops(end.spec.variant.config), why)
}

fn swap_entries(machine: &Machine) -> u64 {
    let swap = machine.swap();
    (0..machine.mms.len() as u8).map(|mm| swap.rss(mm, Rss::Swap).max(0) as u64).sum()
}

/// A claim that nothing that was stored is lost, by the checker's own account of what is in each page and slot.
pub(super) fn kept_data(end: &End<'_>) -> Option<Claim> {
    let claim = "a read finds neither what was stored last nor zeroes after madvise";
    let source = "G.16 of the specification: the data oracle";
    end.keeps(claim, source, &["16:", "14: a lazy page"])
}

// From the patch on no entry is left in a range right after madvise.
fn entries_gone(end: &End<'_>) -> Option<Claim> {
    if !end.spec.variant.config.has(Patch::FreeSwapEntry) {
        return None;
    }
    end.keeps("madvise leaves a swap entry in its range", "1/4 of 11 March 2015", &["15:"])
}

/// Claims that compare two kernels, or two programs.
pub(super) fn compare(old: &End<'_>, new: &End<'_>) -> Vec<Claim> {
    let mut claims = Vec::new();
    let names = [old, new].map(|end| end.spec.variant.name);
    let alone = new.spec.params.get("bystander") == 0;
    let swap_ins = [old, new].map(|end| end.ledger.count(Count::SwapIn));
    if alone && drops(new.spec.variant.config) {
        let claim = "swap-ins are no more than those of MADV_DONTNEED, which has none";
        let source = "1/4 of 11 March 2015: 879,585 become 1,878, beside 1,612";
        claims.push(Claim::at_most(claim, source, 0, swap_ins[1]));
    }
    if !alone || !matches!(names, ["dontneed", "free"] | ["free", "free-swap"] | ["free", "v4.5"]) {
        return claims;
    }
    // Where memory suffices for all, nothing is swapped in and nothing is won.
    let pressure = swap_ins.iter().any(|&swap_ins| swap_ins > 0);
    let times = [old, new].map(elapsed);
    if !pressure {
        return claims;
    }
    if names[0] == "dontneed" {
        let (claim, source) = ("MADV_FREE without the patch is slower", "1/4 of 11 March 2015: 90.67 s beside 50.44 s");
        claims.push(Claim::at_least(claim, source, times[0] + 1, times[1]));
    } else {
        let (claim, source) = ("the patch makes it faster", "1/4 of 11 March 2015: 64.45 s instead of 90.67 s");
        claims.push(Claim::at_most(claim, source, times[0].saturating_sub(1), times[1]));
    }
    claims
}

// Ticks until the last process is done.
fn elapsed(end: &End<'_>) -> u64 {
    end.machine.swap().clocks.iter().copied().max().unwrap_or(0)
}
