//! What the author of the series claimed, checked against a run.

use alloc::string::ToString;
use alloc::vec::Vec;

use super::rounds::{Rounds, picks_outside};
use crate::engine::Record;
use crate::kernel::{Config, Patch};
use crate::ledger::Count;
use crate::machine::{AreaList, Event, LockClass, NOBODY};
use crate::op::Op;
use crate::scenario::{Claim, End};

/// Claims for one run.
pub(super) fn claims(end: &End<'_>) -> Vec<Claim> {
    let config = end.spec.variant.config;
    let mut claims = rules(end);
    if let Some(broken) = end.stopped(&claims) {
        return broken;
    }
    if picks_outside(config) {
        claims.push(no_picks(end));
    }
    if let Some(rounds) = Rounds::of(end.spec) {
        claims.extend(costs(end, rounds));
        claims.extend(prefetches(end, rounds));
    } else if config.has(Patch::SinglePass) && end.spec.scenario.name == "pcp-free" {
        claims.extend(all_picks(end));
    }
    let in_use = end.machine.pages.iter().filter(|page| page.count > 0).count() as u64;
    let event = |event: Event| end.ledger.events[event as usize];
    claims.push(Claim::count(
        "pages handed out and not given back are in use",
        "the balance of PGALLOC and PGFREE",
        in_use,
        event(Event::Alloc).wrapping_sub(event(Event::Free)),
    ));
    claims
}

fn picks(record: &Record) -> bool {
    matches!(record.op, Op::AreaDel { list: AreaList::Pcp { .. }, .. }) && record.outcome.ret == 1
}

fn no_picks(end: &End<'_>) -> Claim {
    Claim::never(
        "a page is picked from a per-CPU list under zone->lock",
        "v2 1/2, 25 January 2018: do not hold lock when picking pages to free",
        end.ledger.count(Count::PicksUnderZone),
        end.first(|record| record.counted && picks(record)),
    )
}

// 4.15 to 4.17: who takes zone->lock is known beforehand, since each CPU counts pages of its own.
fn costs(end: &End<'_>, rounds: Rounds) -> Vec<Claim> {
    let config = end.spec.variant.config;
    let mut claims = alloc::vec![Claim::count(
        "zone->lock rounds: one for a refill, one for a drain",
        "0a5f4e5b4562 (4.17): only what is done under the lock changes",
        rounds.refills + rounds.drains,
        end.ledger.lock(LockClass::Zone).acquired,
    )];
    if !picks_outside(config) {
        claims.push(Claim::count(
            "pages picked under zone->lock: all that a drain frees",
            "v2 1/2, 25 January 2018: what it is against",
            rounds.under_lock(config),
            end.ledger.count(Count::PicksUnderZone),
        ));
    }
    claims
}

fn prefetches(end: &End<'_>, rounds: Rounds) -> Option<Claim> {
    let config = end.spec.variant.config;
    let found = end.times(|record| matches!(record.op, Op::Prefetch { .. }))?;
    // No drain of the run is longer than a batch, so the limit of 4.17 leaves none out.
    let (source, expected) = if config.has(Patch::PrefetchAll) {
        ("v2 2/2, 25 January 2018: prefetch the buddy of each page", rounds.picks)
    } else if config.has(Patch::PrefetchBuddy) {
        ("97334162e4d7 (4.17): of the first pcp->batch pages of a drain", rounds.picks)
    } else {
        return None;
    };
    Some(Claim::count("buddies that are prefetched", source, expected, found))
}

// From 5.18 on pages go straight from the list to the buddy lists again, so each one is picked under the lock.
fn all_picks(end: &End<'_>) -> Option<Claim> {
    let freed = end.times(|record| matches!(record.op, Op::AreaDel { list: AreaList::Pcp { .. }, .. }))?;
    let taken = end.ledger.events[Event::Alloc as usize];
    // What leaves a list is either handed out or freed to the buddy lists; an allocation past the lists leaves none.
    Some(Claim::count(
        "pages picked under zone->lock: all that a drain frees",
        "8b10b465d0e1 (5.18): one pass under the lock again",
        freed.saturating_sub(taken),
        end.ledger.count(Count::PicksUnderZone),
    ))
}

// What the checker sees on the way.
fn rules(end: &End<'_>) -> Vec<Claim> {
    let config = end.spec.variant.config;
    let params = &end.spec.params;
    match end.spec.scenario.name {
        "pcp-hang" => {
            let claim = "a drain asks for more pages than the lists hold";
            let source = "88e8ac11d2ea (5.9), which mends what is older than the series";
            let why = "batch is read again after high: memory was added in between";
            let known = !config.has(Patch::ClampCount) && !params.is("fixed");
            let asks = end.keeps(claim, source, &["6: a drain asks"]).map(|claim| claim.known(known, why));
            asks.into_iter().chain(hang(end, config)).collect()
        }
        "pcp-isolate" => {
            let claim = "a page of an isolated pageblock goes to another list";
            let source = "51bb1a4093cc (3.18): the type is read again under zone->lock";
            let why = "the parameter takes the second look away";
            let kept = end.keeps(claim, source, &["B.8.2:"]);
            kept.map(|claim| claim.known(params.is("no_reread"), why)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

// Where the search for pages never ends, it takes its CPU with it, and before the series the zone too.
fn hang(end: &End<'_>, config: Config) -> Option<Claim> {
    let violation = end.violation()?;
    let held = end.machine.buddy(0).is_some_and(|buddy| buddy.lock.holder != NOBODY);
    let text = |held: bool| if held { "zone->lock is held" } else { "zone->lock is free" }.to_string();
    let (claim, source) =
        ("a CPU that hangs leaves the zone to the others", "0a5f4e5b4562 (4.17): the search needs no zone->lock");
    let why = "before the series the search is made under zone->lock";
    let claim = Claim::equal(claim, source, text(false), text(held));
    Some(claim.known(!picks_outside(config), why).shown(Some(violation.step)))
}

/// Claims that compare two kernels.
pub(super) fn compare(old: &End<'_>, new: &End<'_>) -> Vec<Claim> {
    let mut claims = Vec::new();
    let (Some(before), Some(after)) = (Rounds::of(old.spec), Rounds::of(new.spec)) else { return claims };
    let [picks, moves] =
        [Count::PicksUnderZone, Count::ListUnderZone].map(|count| [old, new].map(|end| end.ledger.count(count)));
    let expected = (after.under_lock(new.spec.variant.config), before.under_lock(old.spec.variant.config));
    let source = "v2 1/2, 25 January 2018: the choice of pages moves out of the lock";
    claims.push(Claim::of("picks under zone->lock that are left", source, expected, (picks[1], picks[0])));
    // With several CPUs who meets whom differs, and with it which blocks are split and merged.
    if new.spec.params.get("cpus") != 1 {
        return claims;
    }
    let moved = i128::from(moves[0]) - i128::from(moves[1]);
    let saved = i128::from(expected.1) - i128::from(expected.0);
    let claim = "list moves under zone->lock fall by the picks and no more";
    let source = "0a5f4e5b4562 (4.17): only list_del of the picks moves out";
    claims.push(Claim::equal(claim, source, saved.to_string(), moved.to_string()));
    let claim = "the allocator ends in the same state";
    let source = "v2 1/2, 25 January 2018: the same pages are freed in the same order";
    // The digest covers every list, link and counter of the machine.
    claims.push(Claim::same_state(claim, source, old.machine.digest(), new.machine.digest()));
    claims
}
