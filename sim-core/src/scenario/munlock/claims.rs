//! What the author of the munlock series claimed, checked against a run.

use alloc::vec::Vec;

use super::configured;
use super::cost::{Cost, Range};
use crate::kernel::{Config, Patch};
use crate::ledger::{Count, Site};
use crate::machine::{Event, LockClass, PageFlag, Stat};
use crate::op::Op;
use crate::scenario::claim::Stated;
use crate::scenario::{Claim, End};
use crate::view::PagevecKind;

/// Slots of the pagevecs for which figures were stated.
const PAGEVEC: u64 = 14;

const SPLIT: &str = "the split copies PG_mlocked to some tails while munlock clears it in the head";

/// Claims of the munlock series for one run.
pub(super) fn claims(end: &End<'_>) -> Vec<Claim> {
    let mut claims = rules(end);
    if let Some(broken) = end.stopped(&claims) {
        return broken;
    }
    if let Some(range) = Range::of(end.spec) {
        claims.extend(costs(end, &range));
        claims.extend(absences(end));
        claims.push(rescued(end));
    }
    claims.push(nr_mlock(end));
    claims
}

/// The patch that a variant of the series ends with, in the words of its posting.
pub(super) fn source(config: Config) -> &'static str {
    let by_patch = [
        (Patch::MlockBatch, "2fbb0c10d1e8 (5.18): munlock in batches of a CPU"),
        (Patch::PagevecFill, "7a8010cd3627 (3.12): a batch from one look at a page table"),
        (Patch::HoldPte, "v2 7/7, 19 Aug 2013: the page table stays locked"),
        (Patch::NoIsolatePin, "RFC 6/6, 5 Aug 2013: no get_page and put_page for isolation"),
        (Patch::BatchPutback, "RFC 5/6, 5 Aug 2013: putback past the per-CPU pagevec"),
        (Patch::BatchMlockStat, "RFC 4/6, 5 Aug 2013: NR_MLOCK once for a pagevec"),
        (Patch::BatchIsolate, "RFC 3/6, 5 Aug 2013: isolation of a pagevec under one lru_lock"),
        (Patch::NoDrain, "RFC 2/6, 5 Aug 2013: no lru_add_drain for each page"),
    ];
    let newest = by_patch.into_iter().find(|&(patch, _)| config.has(patch));
    newest.map_or("RFC 0/6, 5 Aug 2013: the kernel that it starts from", |(_, source)| source)
}

// Atomics and locks of a plain range.
fn costs(end: &End<'_>, range: &Range) -> Vec<Claim> {
    let config = configured(end.spec.variant, &end.spec.params);
    let (cost, source) = (range.cost(config), source(config));
    let ledger = end.ledger;
    let found = ledger.page_rmw() + ledger.spin_rmw();
    let rounds = ledger.lock(LockClass::Lru).acquired;
    let mut claims = alloc::vec![
        Claim::count("atomics, folds apart", source, cost.atomics, found),
        Claim::count("lru_lock rounds", source, cost.rounds, rounds),
        Claim::count("page-table lock rounds", source, cost.tables, page_table_locks(end)),
    ];
    claims.extend(stated(end, range, config, (found, rounds)));
    if config.has(Patch::BatchIsolate) && !config.has(Patch::NodeLru) {
        claims.push(statistics(end, &cost));
    }
    claims
}

/// Times that a page table was locked, for either kind of lock.
pub(super) fn page_table_locks(end: &End<'_>) -> u64 {
    end.ledger.lock(LockClass::Ptl).acquired + end.ledger.lock(LockClass::PageTable).acquired
}

// What is stated for one page of a long range. A pagevec that is left over will be drained, which costs a lru_lock
// round and two atomics for each of its pages.
fn stated(end: &End<'_>, range: &Range, config: Config, (atomics, rounds): (u64, u64)) -> Vec<Claim> {
    let Some((a_page, a_batch)) = stated_for(config) else { return Vec::new() };
    if !range.is_steady() || range.size != PAGEVEC || !range.one_zone() {
        return Vec::new();
    }
    // As merged, each page table ends with a batch of 8: 37 batches for 512 pages.
    let a_batch = if config.has(Patch::PagevecFill) && range.crosses_tables() { 202 } else { a_batch };
    let waiting = |pagevec: &crate::machine::Pagevec| u64::from(pagevec.nr);
    let left: u64 = end.machine.pagevecs.iter().map(waiting).sum();
    let drains = u64::from(left > 0);
    let two = |digits| Stated { digits, decimals: 2 };
    let source = source(config);
    alloc::vec![
        Claim::per_unit(
            "atomics for a page, with the drain of what is left",
            source,
            two(a_page),
            (atomics + 2 * left + drains, range.pages)
        ),
        Claim::per_unit(
            "lru_lock rounds for 14 pages, with that drain",
            source,
            two(a_batch),
            (PAGEVEC * (rounds + drains), range.pages)
        ),
    ]
}

// Atomics for a page and lru_lock rounds for 14 pages, in hundredths.
fn stated_for(config: Config) -> Option<(u64, u64)> {
    let has = |patch| config.has(patch);
    if has(Patch::MlockBatch) || config.pagevec != PAGEVEC as u32 {
        None
    } else if has(Patch::PagevecFill) || has(Patch::HoldPte) {
        Some((829, 200))
    } else if has(Patch::NoIsolatePin) {
        Some((914, 200))
    } else if has(Patch::BatchPutback) {
        Some((1114, 200))
    } else if has(Patch::BatchIsolate) {
        Some((1314, 200))
    } else if has(Patch::NoDrain) {
        Some((1407, 1500))
    } else {
        Some((1500, 2800))
    }
}

// What is left of the updates when those of the LRU lists, one for each move, are taken off.
fn statistics(end: &End<'_>, cost: &Cost) -> Claim {
    let ledger = end.ledger;
    let moves = ledger.count(Count::ListDel) + ledger.count(Count::ListAdd);
    let found = ledger.vmstat_updates().saturating_sub(moves);
    let source = "RFC 4/6, 5 Aug 2013: the statistics are updated once for a pagevec";
    Claim::count("updates of NR_MLOCK", source, cost.mlock_updates, found)
}

// What a patch has done away with.
fn absences(end: &End<'_>) -> Vec<Claim> {
    let config = end.spec.variant.config;
    let mut claims = Vec::new();
    if config.has(Patch::MlockBatch) {
        return claims;
    }
    if config.has(Patch::BatchPutback) {
        let added = |op| matches!(op, Op::PvecAdd { pv, .. } if pv.kind != PagevecKind::OnStack && !pv.on_stack());
        claims.push(Claim::never(
            "a page goes through a per-CPU pagevec",
            "RFC 5/6, 5 Aug 2013: bypass per-cpu pvec",
            end.ledger.count(Count::PvecPerCpu),
            end.first(|record| record.counted && added(record.op)),
        ));
    }
    if config.has(Patch::NoIsolatePin) {
        let isolator = |site| matches!(site, Site::Isolate | Site::IsolateUnlessZero);
        let got = |op| matches!(op, Op::Get { site, .. } if isolator(site));
        let gets = &end.ledger.gets;
        claims.push(Claim::never(
            "isolation takes a reference of its own",
            "RFC 6/6, 5 Aug 2013: the pin of the walk will do",
            gets[Site::Isolate as usize] + gets[Site::IsolateUnlessZero as usize],
            end.first(|record| record.counted && got(record.op)),
        ));
    }
    claims
}

fn rescued(end: &End<'_>) -> Claim {
    let value = |event: Event| end.ledger.events[event as usize];
    let claim = "PGRESCUED counts every page";
    let source = "v2 changelog, 19 Aug 2013: a pgrescued counting bug in patch 5";
    Claim::count(claim, source, value(Event::Munlocked), value(Event::Rescued))
        .known(end.spec.variant.config.has(Patch::RfcPgrescued), "the RFC text advances the pointer, not the counter")
}

fn nr_mlock(end: &End<'_>) -> Claim {
    let machine = end.machine;
    let flagged = machine.pages.iter().filter(|page| page.has(PageFlag::Mlocked));
    let flags: i64 = flagged.map(|page| i64::from(page.nr())).sum();
    let (claim, source) = ("NR_MLOCK counts the mlocked pages", "70feee0e1ef3 (4.12), which mends patch 4");
    Claim::balance(claim, source, flags, machine.stat(Stat::Mlock)).known(
        leaks_nr_mlock(end.spec.variant.config) || splits(end),
        if splits(end) { SPLIT } else { "patch 4 does not count a page that could not be isolated" },
    )
}

/// Patch 4 until 4.12: a failed isolation is not counted off.
pub(super) fn leaks_nr_mlock(config: Config) -> bool {
    config.has(Patch::BatchMlockStat) && !config.has(Patch::CountMlock)
}

fn splits(end: &End<'_>) -> bool {
    end.spec.scenario.name == "munlock-split" && !end.spec.variant.config.has(Patch::ThpSplit)
}

// What the checker sees on the way.
fn rules(end: &End<'_>) -> Vec<Claim> {
    let params = &end.spec.params;
    let config = configured(end.spec.variant, params);
    let batches = config.has(Patch::BatchIsolate);
    let rule = |claim, source, rule: &str, known, why| {
        end.keeps(claim, source, &[rule]).map(|claim: Claim| claim.known(known, why))
    };
    let asked = |name| end.spec.scenario.params.iter().any(|param| param.name == name) && params.is(name);
    let found = match end.spec.scenario.name {
        "munlock-truncate" => rule(
            "the last reference goes while its CPU holds lru_lock",
            "3b25df93c6e3 (3.13), which mends patch 3",
            "deadlock",
            batches && !config.has(Patch::DeferPut),
            "patch 3 puts pages that are not mlocked under lru_lock, and freeing takes that lock",
        ),
        "munlock-split" => rule(
            "tails stay mlocked that NR_MLOCK does not count",
            "01cc2e58697e (3.14): PG_mlocked is cleared under lru_lock",
            "9: NR_MLOCK",
            !config.has(Patch::ThpSplit),
            SPLIT,
        ),
        "putback-race" => rule(
            "a page that became evictable stays on the unevictable list",
            "putback_lru_page: a second look once the page is on its list",
            "13:",
            params.is("no_recheck") || params.is("hoisted"),
            "the parameters take the second look, or the barrier before it, away",
        ),
        "munlock" if asked("thp") && asked("not_mlocked") => rule(
            "munlock steps into the tails of a huge page",
            "c424be1cbbf8 (3.13): a huge page is skipped whole",
            "VM_BUG_ON(PageTail(page))",
            batches && !config.has(Patch::ThpMask),
            "a head that is not mlocked gives back a page mask of 0",
        ),
        "munlock" if asked("folded_pmd") => rule(
            "the walk of a batch leaves its page table",
            "eadb41ae82f8 (3.12): bounded by pgd, pud and pmd",
            "Bad page map",
            config.has(Patch::PagevecFill) && !config.has(Patch::ClampWalk),
            "the middle level is folded, so that its end bounds nothing",
        ),
        _ => None,
    };
    found.into_iter().collect()
}
