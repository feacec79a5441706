//! What the author of the asynchronous drain claimed, checked against a run.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use crate::engine::{Record, Schedule};
use crate::kernel::{Config, Patch};
use crate::ledger::{Count, Ledger};
use crate::machine::{Machine, PageFlag};
use crate::op::Op;
use crate::scenario::{Claim, End};

const POSTING: &str = "the posting of 1 January 2012";

/// What a series of mlock calls may cost on some CPUs of which some have pages waiting.
struct Calls {
    mlocks: u64,
    cpus: u64,
    /// CPUs with pages when the caller looks: in the patch its own has been drained by then.
    filled: u64,
}

impl Calls {
    fn of(end: &End<'_>) -> Calls {
        let [mlocks, cpus, filled] = ["mlocks", "cpus", "filled_cpus"].map(|name| u64::from(end.spec.params.get(name)));
        let filled = if is_posted(end.spec.variant.config) { filled.min(cpus - 1) } else { filled };
        Calls { mlocks, cpus, filled }
    }

    // Work items where nobody else adds pages and no call comes by before they have run.
    fn works(&self, config: Config) -> u64 {
        if config.has(Patch::NoMlockDrain) {
            0
        } else if looks(config) {
            self.filled
        } else {
            self.mlocks * self.cpus
        }
    }
}

/// Claims for mlock of small ranges.
pub(super) fn claims(end: &End<'_>) -> Vec<Claim> {
    if end.violation().is_some() {
        return Vec::new();
    }
    let config = end.spec.variant.config;
    if config.has(Patch::NoMlockDrain) || is_posted(config) {
        let mut claims = waits_for_nobody(end);
        claims.push(work_items(end));
        return claims;
    }
    let calls = Calls::of(end);
    let count = |count| end.ledger.count(count);
    if looks(config) {
        let source = "5fbc461636c3 (3.12): only CPUs that have pages, and still synchronous";
        return alloc::vec![
            work_items(end),
            Claim::at_most("sleeps of the caller", source, calls.mlocks * calls.filled, count(Count::Sleeps)),
            Claim::count("sets of work items allocated", source, 0, count(Count::PercpuAllocs)),
        ];
    }
    let source = "1 January 2012: work for all CPUs, and a wait for each, whatever they have";
    alloc::vec![
        work_items(end),
        Claim::at_least("the caller sleeps in every call", source, calls.mlocks, count(Count::Sleeps)),
        Claim::at_most("sleeps of the caller", source, calls.mlocks * calls.cpus, count(Count::Sleeps)),
        Claim::count("sets of work items allocated", source, calls.mlocks, count(Count::PercpuAllocs)),
    ]
}

// Work items queued; in an order of steps that somebody else chose, a call may find the page of the one before.
fn work_items(end: &End<'_>) -> Claim {
    let config = end.spec.variant.config;
    let calls = Calls::of(end);
    let found = end.ledger.count(Count::WorksQueued);
    let in_turn = matches!(end.spec.schedule, None | Some(Schedule::RoundRobin));
    if config.has(Patch::NoMlockDrain) {
        let source = "4.15: mlock does without lru_add_drain_all";
        return Claim::never("mlock queues work", source, found, end.first(queues));
    }
    if !looks(config) {
        let source = "1 January 2012: a worker on every CPU, unconditionally";
        return Claim::count("every mlock queues work on every CPU", source, calls.works(config), found);
    }
    let (claim, source) = ("work is queued where pages wait and nowhere else", source(config));
    if in_turn {
        Claim::count(claim, source, calls.works(config), found)
    } else {
        Claim::at_most(claim, source, calls.mlocks * calls.filled, found)
    }
}

fn source(config: Config) -> &'static str {
    if is_posted(config) { "1 January 2012: has_pages_lru_pvecs" } else { "5fbc461636c3 (3.12): selective" }
}

fn queues(record: &Record) -> bool {
    record.counted && matches!(record.op, Op::InsertWork { barrier: false, .. })
}

/// Claims of an mlock that waits for no other CPU, whatever that does.
pub(super) fn waits_for_nobody(end: &End<'_>) -> Vec<Claim> {
    let config = end.spec.variant.config;
    if end.violation().is_some() || !(is_posted(config) || config.has(Patch::NoMlockDrain)) {
        return Vec::new();
    }
    let count = |count| end.ledger.count(count);
    let sleeps = |record: &Record| {
        let waits = matches!(record.op, Op::Sleep | Op::WaitForCompletion { .. } if record.outcome.ret == 1);
        record.counted && (waits || matches!(record.op, Op::DownWait { .. } | Op::WaitPage { .. }))
    };
    let allocates = |record: &Record| record.counted && matches!(record.op, Op::PercpuWorks { alloc: true });
    alloc::vec![
        Claim::never("mlock waits for another CPU", POSTING, count(Count::Sleeps), end.first(sleeps)),
        Claim::never("mlock allocates work items", POSTING, count(Count::PercpuAllocs), end.first(allocates)),
    ]
}

/// Claims for whoever needs the references of all pagevecs gone.
pub(super) fn emptied(end: &End<'_>) -> Vec<Claim> {
    if end.violation().is_some() {
        return Vec::new();
    }
    let left = end.machine.pagevecs.iter().map(|pagevec| u64::from(pagevec.nr)).sum();
    let known = is_posted(end.spec.variant.config);
    let why = "has_pages_lru_pvecs looks into the lru_add pagevecs alone";
    let claim = Claim::count("no pagevec slot holds a reference", "lru_add_drain_all of 3.12", 0, left);
    alloc::vec![claim.known(known, why)]
}

/// Claims for a page that is mlocked while it waits in another CPU's pagevec.
pub(super) fn filed(end: &End<'_>) -> Vec<Claim> {
    if end.violation().is_some() {
        return Vec::new();
    }
    let config = end.spec.variant.config;
    let elsewhere = mlocked_elsewhere(end.machine);
    let source = "1 January 2012: the drain callback looks for PG_mlocked";
    let (old_callback, late) = (end.spec.params.is("old_callback"), config.has(Patch::NoMlockDrain));
    let why = if old_callback {
        "the callback of 3.2 does not look for PG_mlocked: only reclaim moves the page"
    } else {
        "until 4.16 the drain does not look for PG_mlocked: only reclaim moves the page"
    };
    let known = old_callback || late && !config.has(Patch::DrainDecides);
    let claim = Claim::count("mlocked pages that miss the unevictable list", source, 0, elsewhere).known(known, why);
    let mut claims = alloc::vec![claim];
    claims.extend(waits_for_nobody(end));
    claims
}

// Pages with PG_mlocked that are neither on the unevictable list nor on the way there.
fn mlocked_elsewhere(machine: &Machine) -> u64 {
    let stray = |page: &&crate::machine::Page| page.has(PageFlag::Mlocked) && !page.has(PageFlag::Unevictable);
    machine.pages.iter().filter(stray).count() as u64
}

/// Claims for the barrier in the drain callback.
pub(super) fn barrier(end: &End<'_>) -> Vec<Claim> {
    let claim = end.keeps(
        "a page that became evictable stays on the unevictable list",
        "1 January 2012: a barrier, then a second look at page_evictable",
        &["13:"],
    );
    let why = "both looks are satisfied before SetPageLRU is visible: there is no barrier";
    claim.map(|claim| claim.known(end.spec.params.get("hoisted") == 2, why)).into_iter().collect()
}

/// A race of which nobody claimed anything.
pub(super) fn none(_: &End<'_>) -> Vec<Claim> {
    Vec::new()
}

/// Claims that compare two kernels.
pub(super) fn compare(old: &End<'_>, new: &End<'_>) -> Vec<Claim> {
    if new.spec.scenario.name != "lru-drain" {
        return Vec::new();
    }
    let (before, after) = (old.spec.variant.config, new.spec.variant.config);
    let count = |end: &End<'_>, count| Ledger::count(end.ledger, count);
    let mut claims = alloc::vec![same_memory(old, new)];
    if !looks(before) && !before.has(Patch::NoMlockDrain) && (looks(after) || after.has(Patch::NoMlockDrain)) {
        let in_turn = [old, new].iter().all(|end| matches!(end.spec.schedule, None | Some(Schedule::RoundRobin)));
        let works = [old, new].map(|end| count(end, Count::WorksQueued));
        let expected = (Calls::of(new).works(after), Calls::of(old).works(before));
        let source = "1 January 2012: the penalty grows with the number of CPUs";
        claims.extend(in_turn.then(|| Claim::of("work items that are left", source, expected, (works[1], works[0]))));
        let least = count(old, Count::Sleeps);
        let source = "1 January 2012: waiting for the workers makes it dearer";
        claims.push(Claim::at_most("sleeps of the caller that are left", source, least, count(new, Count::Sleeps)));
    }
    claims
}

fn same_memory(old: &End<'_>, new: &End<'_>) -> Claim {
    let mlocked = |end: &End<'_>| {
        let stat = |item| end.machine.stat(item).to_string();
        let [mlock, unevictable] = [crate::machine::Stat::Mlock, crate::machine::Stat::Unevictable].map(stat);
        format!("NR_MLOCK {mlock}, NR_UNEVICTABLE {unevictable}")
    };
    let source = "1 January 2012: drained at the end of mlock instead of its start";
    Claim::equal("mlocked pages end on the unevictable list as before", source, mlocked(old), mlocked(new))
}

/// It asks CPUs that have pages, and no others.
fn looks(config: Config) -> bool {
    is_posted(config) || config.has(Patch::SelectiveDrain) && !config.has(Patch::NoMlockDrain)
}

fn is_posted(config: Config) -> bool {
    config.has(Patch::AsyncDrain)
}
