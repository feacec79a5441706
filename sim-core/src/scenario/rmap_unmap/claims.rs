//! What the author of the rmap-unmap series claimed, checked against a run.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::cost::{Cost, all_atomics, plain};
use crate::digest::Digest;
use crate::kernel::{Config, Patch};
use crate::ledger::Count;
use crate::machine::{Member, PTE_HWPOISON, PTE_NONE, Stat};
use crate::scenario::{Claim, End};

const ONCE: &str = "cover of v4, 13 March 2023: one call for the range of a folio";

/// Claims of the series for one run.
pub(super) fn claims(end: &End<'_>) -> Vec<Claim> {
    let rules = rules(end);
    if let Some(broken) = end.stopped(&rules) {
        return broken;
    }
    let mut claims = rules;
    if let Some(layout) = plain(end) {
        claims.extend(costs(end, Cost::of(&layout, end.spec.variant.config)));
    }
    if end.spec.scenario.name == "rmap-poison" {
        claims.push(poisoned(end));
    }
    claims
}

fn costs(end: &End<'_>, cost: Cost) -> Vec<Claim> {
    let ledger = end.ledger;
    let mut claims = alloc::vec![
        Claim::count(
            "statistics calls: one for a run of pages, not one for each",
            ONCE,
            cost.statistics,
            ledger.count(Count::FolioStat)
        ),
        Claim::count(
            "atomics on page and folio words",
            "v4 5/5, 13 March 2023: one _refcount change for a run",
            cost.page_words,
            ledger.page_rmw()
        ),
        Claim::count(
            "TLB flushes",
            flush_source(end.spec.variant.config),
            cost.flushes,
            ledger.count(Count::TlbFlushes)
        ),
    ];
    let source = "counted in the patches, operation by operation";
    claims.extend(
        all_atomics(end).map(|all| Claim::count("all atomics, lock words included", source, all, ledger.total_rmw())),
    );
    claims
}

fn flush_source(config: Config) -> &'static str {
    if config.has(Patch::FileBatch) {
        "7.0: a run of file PTEs is flushed at once"
    } else {
        "profile of v4, 13 March 2023: ptep_clear_flush stays, one for each page"
    }
}

// What the checker sees on the way; the three slips of the posting are known.
fn rules(end: &End<'_>) -> Vec<Claim> {
    let has = |patch| end.spec.variant.config.has(patch);
    let claims = [
        (
            "a TLB entry outlives its page, or the walk leaves its table",
            "v4 5/5, 13 March 2023: each PTE that is cleared is flushed",
            &["G10:", "G11:", "G12:"][..],
            has(Patch::RfcLookahead),
            "the look-ahead of patch 5 does not step back from an entry that is none: wrong addresses are flushed",
        ),
        (
            "a cleared PTE is never counted off",
            "v4 0/5, 13 March 2023: cleared one by one, removed as a range",
            &["G9:"][..],
            has(Patch::RfcMlockExit) && end.spec.scenario.name != "rmap-poison"
                || has(Patch::RfcPolarity) && end.spec.scenario.name == "rmap-poison",
            if end.spec.scenario.name == "rmap-poison" {
                "patch 2 asks for TTU_HWPOISON the wrong way round, so that the PTE is cleared and lost"
            } else {
                "patch 5 leaves the loop at a locked VMA with a run open"
            },
        ),
    ];
    let kept = |(claim, source, rules, known, why)| Some(end.keeps(claim, source, rules)?.known(known, why));
    claims.into_iter().filter_map(kept).collect()
}

// Memory failure leaves an entry that says why: whoever touches it gets a signal.
fn poisoned(end: &End<'_>) -> Claim {
    let text = |pte: u32| match pte {
        PTE_HWPOISON => "a poison entry".to_string(),
        PTE_NONE => "none".to_string(),
        pte => format!("PTE {pte:#x}"),
    };
    let pte = end.machine.pte(0, 0);
    let cleared = end.first(|record| {
        matches!(record.op, crate::op::Op::SetPte { vpn: 0, .. } | crate::op::Op::GetClearPte { vpn: 0, .. })
    });
    let (claim, source) = ("the PTE of a poisoned page becomes", "v4 2/5, 13 March 2023: no function change");
    let why = "patch 2 asks for TTU_HWPOISON the wrong way round";
    let claim = Claim::equal(claim, source, text(PTE_HWPOISON), text(pte));
    claim.known(end.spec.variant.config.has(Patch::RfcPolarity), why).shown(cleared)
}

/// Claims that compare two kernels.
pub(super) fn compare(old: &End<'_>, new: &End<'_>) -> Vec<Claim> {
    let mut claims = Vec::new();
    if new.spec.scenario.name != "rmap-unmap" {
        return claims;
    }
    if let (Some(before), Some(after)) = (plain(old), plain(new)) {
        let before = Cost::of(&before, old.spec.variant.config);
        let after = Cost::of(&after, new.spec.variant.config);
        let calls = [old, new].map(|end| end.ledger.count(Count::FolioStat));
        let words = [old, new].map(|end| end.ledger.page_rmw());
        let claim = "statistics calls that are left";
        claims.push(Claim::of(claim, ONCE, (after.statistics, before.statistics), (calls[1], calls[0])));
        let (claim, source) =
            ("atomics on page and folio words that are left", "v4 5/5, 13 March 2023: one _refcount change for a run");
        claims.push(Claim::of(claim, source, (after.page_words, before.page_words), (words[1], words[0])));
    }
    if !new.spec.variant.config.has(Patch::LazyfreeBatch) && !old.spec.variant.config.has(Patch::LazyfreeBatch) {
        let claim = "pages, PTEs and exact counters end the same";
        let source = "v4 0/5, 13 March 2023: what is batched, not what is done";
        claims.push(Claim::same_state(claim, source, state(old), state(new)));
    }
    claims
}

// Flags, references and map counts of all pages, all PTEs, and each counter with its per-CPU parts, which the kernels
// split in different ways.
fn state(end: &End<'_>) -> u64 {
    let machine = end.machine;
    let mut digest = Digest::default();
    for page in &machine.pages {
        digest.number(u64::from(page.flags));
        digest.number(u64::from(page.count as u32));
        digest.number(u64::from(page.mapcount as u32));
    }
    machine.tables.iter().for_each(|&pte| digest.number(u64::from(pte)));
    let rmap = machine.rmap();
    for item in Stat::ALL {
        digest.number(machine.stat(item) as u64);
        digest.number(rmap.memcg_stat(item) as u64);
    }
    for mm in 0..machine.mms.len() as u8 {
        Member::ALL.iter().for_each(|&member| digest.number(rmap.rss(mm, member) as u64));
    }
    digest.finish()
}
