//! What the author of the munlock series claimed of two of its kernels.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::claims::{leaks_nr_mlock, page_table_locks, source};
use super::configured;
use super::cost::{Cost, Range};
use crate::kernel::Patch;
use crate::machine::{LRU_LISTS, LockClass, Machine, Pfn, Pv, Stat};
use crate::scenario::{Claim, End};
use crate::view::PagevecKind;

/// Claims that compare two runs of the same range.
pub(super) fn claims(old: &End<'_>, new: &End<'_>) -> Vec<Claim> {
    let mut claims = Vec::new();
    if let (Some(old_range), Some(range)) = (Range::of(old.spec), Range::of(new.spec)) {
        let cost = |end: &End<'_>, range: &Range| range.cost(configured(end.spec.variant, &end.spec.params));
        let costs = [cost(old, &old_range), cost(new, &range)];
        claims.extend(savings(old, new, costs));
        claims.extend(patch_7(old, new, costs, &range));
        claims.push(same_order(old.machine, new.machine));
    }
    if new.spec.scenario.name == "munlock" {
        claims.push(same_nr_mlock(old, new));
    }
    claims
}

// Patch by patch, so many of the rounds and atomics are left.
fn savings(old: &End<'_>, new: &End<'_>, [before, after]: [Cost; 2]) -> Vec<Claim> {
    let source = source(new.spec.variant.config);
    let rounds = [old, new].map(|end| end.ledger.lock(LockClass::Lru).acquired);
    let atomics = [old, new].map(|end| end.ledger.page_rmw() + end.ledger.spin_rmw());
    alloc::vec![
        Claim::of("lru_lock rounds that are left", source, (after.rounds, before.rounds), (rounds[1], rounds[0])),
        Claim::of("atomics that are left", source, (after.atomics, before.atomics), (atomics[1], atomics[0])),
    ]
}

// Patch 7 is there to walk less: fewer page-table locks, and no more lru_locks for it.
fn patch_7(old: &End<'_>, new: &End<'_>, [before, after]: [Cost; 2], range: &Range) -> Option<Claim> {
    let walks_less = |end: &End<'_>| {
        let config = end.spec.variant.config;
        config.has(Patch::PagevecFill) || config.has(Patch::HoldPte)
    };
    let (old_config, batch) = (old.spec.variant.config, new.spec.variant.config.has(Patch::MlockBatch));
    if !old_config.has(Patch::NoIsolatePin) || walks_less(old) || !walks_less(new) || batch {
        return None;
    }
    let locks = |end: &End<'_>| page_table_locks(end) + end.ledger.lock(LockClass::Lru).acquired;
    let counted = |cost: Cost| cost.tables + cost.rounds;
    let claim = "patch 7 takes fewer page-table and lru_locks than patch 6";
    let source = "7/7 of v2, 19 Aug 2013: manual page-table walk";
    let least = locks(old).saturating_sub(1);
    let why = if range.one_zone() {
        "the range is so short that two looks at its page table are more than one for each page"
    } else {
        "where zones interleave every page ends the batch, and its page table is locked no less often"
    };
    Some(Claim::at_most(claim, source, least, locks(new)).known(counted(after) >= counted(before), why))
}

// The pages of all lists of each zone, tail first, then those of the zone that wait to be drained.
fn in_order(machine: &Machine) -> impl Iterator<Item = Pfn> + '_ {
    let waiting = (0..machine.cpus.len() as u8).map(|owner| Pv { kind: PagevecKind::LruAdd, owner });
    (0..machine.zones.len() as u8).flat_map(move |zone| {
        let listed = (0..LRU_LISTS as u8).flat_map(move |lru| machine.list(zone, lru));
        let waiting = waiting.clone().flat_map(|pv| machine.pagevec(pv).filled().iter().copied());
        listed.chain(waiting.filter(move |&page| machine.page(page).zone() == zone))
    })
}

fn same_order(old: &Machine, new: &Machine) -> Claim {
    let differs = in_order(old).zip(in_order(new)).position(|(old, new)| old != new);
    let [expected, all] = [old, new].map(|machine| format!("{} pages as in the old kernel", in_order(machine).count()));
    let found = differs.map_or(all, |at| format!("another page in place {at}"));
    let claim = "pages come back to the lists in the same order";
    Claim::equal(claim, "first in, first out through every pagevec", expected, found)
}

fn same_nr_mlock(old: &End<'_>, new: &End<'_>) -> Claim {
    let count = |end: &End<'_>| end.machine.stat(Stat::Mlock).to_string();
    let known = [old, new].iter().any(|end| leaks_nr_mlock(end.spec.variant.config));
    Claim::equal(
        "NR_MLOCK ends the same",
        "RFC 4/6, 5 Aug 2013: the same number, updated at once",
        count(old),
        count(new),
    )
    .known(known, "patch 4 does not count a page that could not be isolated")
}
