//! page_fault1 of will-it-scale: map 16 MiB, write to each page, unmap.

use serde_json::{Value, json};
use sim_core::ledger::{Count, Site};
use sim_core::machine::{AreaList, LockClass, PcpField};
use sim_core::op::{Held, Op};
use sim_core::scenario::RunSpec;
use sim_core::view::PagevecKind;

use super::count::{Counts, Part, Run};
use super::program;

/// Pages of a round.
const PAGES: u32 = 4096;
/// Processes of the recording, each on a CPU of its own, and rounds of each.
const PROCESSES: u64 = 4;
const ROUNDS: u32 = 20;
/// Rounds that are recorded: what a round costs, apart from refills and the drains of 7.2, is alike in all.
const RECORDED: u32 = 10;
const TIMES: u64 = PROCESSES * (ROUNDS / RECORDED) as u64;
/// pcp->batch
const BATCH: u64 = 31;

/// So many rounds of a process that maps, touches and unmaps a range. Sizes of the per-CPU lists are those of the
/// recorded machine.
pub fn spec(kernel: &str, pages: u32, rounds: u32) -> Option<RunSpec> {
    let (config, high, high_max) = match kernel {
        "5.10" => {
            let on = ["DrainDecides", "InactiveAnon", "ClampCount"];
            (json!({ "series": "pcp-free", "variant": "merged", "on": on, "pagevec": 15 }), 186, 186)
        }
        "6.1" => (json!({ "series": "pcp-free", "variant": "v5.18" }), 205, 205),
        "7.2" => (json!({ "series": "pcp-free", "variant": "today" }), 205, 3553),
        _ => return None,
    };
    let pcp = json!({ "batch": BATCH, "high": high, "high_max": high_max });
    let machine = json!({ "zones": [113_000], "stat_threshold": 24, "pcp": pcp });
    let round = [json!({ "call": "touch" }), json!({ "call": "munmap" })];
    let calls: Vec<Value> = (0..rounds).flat_map(|_| round.clone()).collect();
    Some(program::spec(machine, config, json!([{ "vmas": [{ "pages": pages }] }]), json!([{ "run": calls }])))
}

/// All of the recording.
pub fn counts(kernel: &str) -> Option<Counts> {
    let run = Run::of(spec(kernel, PAGES, RECORDED)?);
    let part = run.whole();
    let mut counts = Counts::default();
    unmapped(&mut counts, &part, TIMES);
    counts.sizes("lru_add batches", &part.emptied(PagevecKind::LruAdd), TIMES);
    counts.others("refills", &refills(&part), BATCH);
    zone_lock(&mut counts, kernel, &drains(&part)).then_some(counts)
}

// Drains and refills over all rounds, by the rounds of zone->lock: the first round of a process finds its list empty,
// and in 7.2 lists that grow need fewer of both from round to round.
fn zone_lock(counts: &mut Counts, kernel: &str, recorded: &[u64]) -> bool {
    let Some(spec) = spec(kernel, PAGES, ROUNDS) else { return false };
    let engine = spec.bulk(u64::MAX, |_| true).expect("a run of the project's own parameters");
    let world = engine.world();
    let (pages, drains) = if kernel == "7.2" {
        // Nothing else is picked under the lock, and all drains are of one size.
        let picks = world.ledger.count(Count::PicksUnderZone);
        (picks, picks / BATCH)
    } else {
        let halves = u64::from(ROUNDS / RECORDED);
        (recorded.iter().sum::<u64>() * halves, recorded.len() as u64 * halves)
    };
    let listed: u64 = world.machine.buddy(0).map_or(0, |buddy| buddy.pcp[0].get(PcpField::Count).into());
    let in_use = world.machine.pages.iter().filter(|page| page.count > 0).count() as u64;
    counts.set("drains in all rounds", PROCESSES * drains);
    counts.set("pages drained", PROCESSES * pages);
    counts.set("refills", PROCESSES * (world.ledger.lock(LockClass::Zone).acquired - drains));
    counts.set("pages refilled", PROCESSES * (pages + listed + in_use));
    counts.set("lru_lock", PROCESSES * world.ledger.lock(LockClass::Lru).acquired);
    true
}

/// What an unmap costs.
pub fn unmapped(counts: &mut Counts, part: &Part<'_>, times: u64) {
    // The drain before it drops the references of slots too.
    let dropped = |op| matches!(op, Op::Put { site: Site::ReleasePages, held: Held::Map, .. });
    let gathers = part.per_call("free_pages_and_swap_cache", dropped);
    counts.sizes("gather batches", &gathers, times);
    counts.sizes("folio batches", &part.per_call("release_pages_list", dropped), times);
    let drains = drains(part);
    counts.sizes("drains", &drains, times);
    counts.others("drains", &drains, BATCH);
    counts.set("lru_lock", part.locks(LockClass::Lru) * times);
    counts.set("lru_lock at unmap", lru_locks_at_unmap(part) * times);
    for function in ["page_remove_rmap", "lru_add_drain", "free_pages_and_swap_cache"] {
        counts.set(function, part.calls(function) * times);
    }
}

fn lru_locks_at_unmap(part: &Part<'_>) -> u64 {
    let taken = |op| matches!(op, Op::SpinLock { class: LockClass::Lru, .. });
    part.per_call("release_pages_list", taken).iter().sum()
}

/// Pages of each drain of the per-CPU lists, by the function of either age.
fn drains(part: &Part<'_>) -> Vec<u64> {
    let picked = |op| matches!(op, Op::AreaDel { list: AreaList::Pcp { .. } | AreaList::PcpOrder { .. }, .. });
    let mut sizes = part.per_call("free_pcppages_bulk", picked);
    sizes.extend(part.per_call("free_pcppages_bulk_single", picked));
    sizes
}

/// Pages of each refill.
fn refills(part: &Part<'_>) -> Vec<u64> {
    let added = |op| matches!(op, Op::AreaAdd { list: AreaList::Pcp { .. } | AreaList::PcpOrder { .. }, .. });
    part.per_call("rmqueue_bulk", added)
}
