//! The JSON of a run. Keys that do not apply to a scenario are present with 0.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};
use sim_core::cost::{Costs, Timing, Totals};
use sim_core::engine::{Violation, print_choices};
use sim_core::ledger::detail::Detail;
use sim_core::ledger::detail::Table;
use sim_core::ledger::{Count, Ledger, LockCounts, by_name};
use sim_core::machine::{Event, LockClass, Machine, PageFlag, Stat};
use sim_core::scenario::{Claim, Kind, Param, RunSpec, Setting};
use sim_core::view::Lru;

/// Free block orders 0 to 10.
const ORDERS: usize = 11;

/// One run.
#[derive(Serialize)]
pub struct RunJson {
    /// Version of mmscope.
    pub mmscope: &'static str,
    /// Scenario.
    pub scenario: &'static str,
    /// Kernel.
    pub variant: &'static str,
    /// All parameters by name.
    pub params: Map<String, Value>,
    /// Schedule, as `--schedule` takes it; `scenario` for the scenario's own turns.
    pub schedule: String,
    /// Choices that were made, as `--schedule choices:` takes them; empty in bulk.
    pub choices: String,
    /// Micro-operations of the run.
    pub steps: u64,
    /// Counts of the measured section.
    pub ledger: LedgerJson,
    /// The machine at the end.
    pub state: StateJson,
    /// Time, once there is a cost profile.
    pub modelled_ns: ModelledJson,
    /// Rules.
    pub invariants: InvariantsJson,
    /// What the author claimed, with what was found.
    pub claims: Vec<ClaimJson>,
    /// The table that `--detail` asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<Value>,
}

/// Counts.
#[derive(Serialize)]
pub struct LedgerJson {
    rmw: RmwJson,
    locks: BTreeMap<&'static str, LockJson>,
    irq_pairs: u64,
    preempt_pairs: u64,
    barriers: u64,
    list_del: u64,
    list_add: u64,
    list_ops_under: BTreeMap<&'static str, u64>,
    vmstat_updates: u64,
    event_updates: u64,
    events: BTreeMap<&'static str, u64>,
    pagevec_adds: PagevecAddsJson,
    drains: u64,
    works_queued: u64,
    ipis: u64,
    sleeps: u64,
    tlb_flushes: u64,
    page_table_walks: u64,
    swap_in: u64,
    swap_out: u64,
    folio_stat_updates: u64,
    rstat_updates: u64,
    kworker_dispatches: u64,
    barrier_works: u64,
    percpu_allocs: u64,
    remote_reads: u64,
}

/// Atomic read-modify-writes: on page words, on lock words, elsewhere.
#[derive(Serialize)]
struct RmwJson {
    total: u64,
    page: u64,
    spin: u64,
    other: u64,
    by_name: BTreeMap<String, u64>,
}

/// One class of locks; `held_steps` in micro-operations.
#[derive(Serialize)]
struct LockJson {
    acquired: u64,
    contended: u64,
    held_steps: u64,
    max_waiters: u64,
}

#[derive(Serialize)]
struct PagevecAddsJson {
    per_cpu: u64,
    on_stack: u64,
}

/// The machine at the end, in pages of 4 KiB.
#[derive(Serialize)]
pub struct StateJson {
    lists: BTreeMap<&'static str, u64>,
    in_pagevecs: u64,
    nr: BTreeMap<&'static str, i64>,
    free: FreeJson,
    digest: String,
    /// Highest clock of the programs in ticks; 0 on a machine without clocks.
    pub elapsed_ticks: u64,
}

#[derive(Serialize)]
struct FreeJson {
    blocks_by_order: [u64; ORDERS],
    pages: u64,
    pcp: u64,
}

/// Modelled nanoseconds: zero in a bulk run that keeps no time.
#[derive(Default, Serialize)]
pub struct ModelledJson {
    profile: String,
    elapsed: u64,
    lock_wait: u64,
    /// Self time of each function, in the counted section.
    by_function: BTreeMap<String, u64>,
}

impl ModelledJson {
    /// Times of a recorded run.
    pub fn recorded(costs: &Costs, timing: &Timing, detail: &Detail) -> ModelledJson {
        let functions = detail.functions.iter().map(|function| (function.name.to_string(), function.own.ps / 1000));
        ModelledJson {
            by_function: functions.filter(|(_, ns)| *ns > 0).collect(),
            ..ModelledJson::bulk(&costs.name, &timing.totals)
        }
    }

    /// Times of a bulk run, which does not divide them by function.
    pub fn bulk(profile: &str, totals: &Totals) -> ModelledJson {
        ModelledJson {
            profile: profile.to_string(),
            elapsed: totals.elapsed / 1000,
            lock_wait: totals.all_lock_wait() / 1000,
            by_function: BTreeMap::new(),
        }
    }

    /// Both of two runs in one line, apart from the counts; none where there is no time.
    pub fn beside(&self, new: &ModelledJson) -> String {
        if self.profile.is_empty() || new.profile.is_empty() {
            return String::new();
        }
        let text = format!(
            "modelled with {}: old {} ns, new {} ns; of waiting for locks {} ns and {} ns",
            self.profile, self.elapsed, new.elapsed, self.lock_wait, new.lock_wait
        );
        format!("\n{}", crate::table::wrapped(&text, ""))
    }

    /// The same in one line; none where there is no time.
    pub fn line(&self) -> String {
        if self.profile.is_empty() {
            return String::new();
        }
        let ModelledJson { profile, elapsed, lock_wait, .. } = self;
        crate::table::wrapped(
            &format!("modelled with {profile}: {elapsed} ns; {lock_wait} ns of waiting for locks"),
            "",
        )
    }
}

/// Rules that were checked, and those that were broken.
#[derive(Serialize)]
pub struct InvariantsJson {
    /// Times that the rules were checked.
    pub checked: u64,
    /// Broken ones.
    pub violations: Vec<ViolationJson>,
}

/// A broken rule.
#[derive(Serialize)]
pub struct ViolationJson {
    step: u32,
    rule: &'static str,
    detail: String,
}

/// A claim; `known` says that the variant is known to break it, and `why` for what reason.
#[derive(Serialize)]
pub struct ClaimJson {
    claim: &'static str,
    kind: &'static str,
    source: &'static str,
    expected: String,
    found: String,
    holds: bool,
    known: bool,
    why: &'static str,
    /// Step count after which it can be seen; null where no one step shows it.
    step: Option<u32>,
}

/// Any of these as text.
pub fn print(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_else(|error| format!("\"{error}\""));
    text.push('\n');
    text
}

/// Parameters with their values: numbers as numbers, flags as booleans; slots of a pagevec as the variant has them.
pub fn params(spec: &RunSpec) -> Map<String, Value> {
    let value = |param: &Param, setting: &Setting| match (param.kind, setting) {
        (Kind::Number { .. }, Setting::Number(0)) if param.name == "pagevec" => {
            Value::from(spec.variant.config.pagevec)
        }
        (Kind::Flag, &Setting::Number(value)) => Value::from(value != 0),
        (Kind::Maybe { .. }, Setting::Number(u32::MAX)) => Value::Null,
        (Kind::Choice(names), &Setting::Number(at)) => Value::from(names[at as usize]),
        (_, &Setting::Number(value)) => Value::from(value),
        (_, Setting::List(list)) => Value::from(list.clone()),
    };
    spec.params.iter().map(|(param, n)| (param.name.to_string(), value(param, n))).collect()
}

/// A table as JSON.
pub fn table(table: &Table) -> Value {
    serde_json::from_str(&table.to_json()).unwrap_or_default()
}

/// Choices as text.
pub fn choices(choices: &[u8]) -> String {
    print_choices(choices)
}

impl LedgerJson {
    /// The counts of a ledger.
    pub fn new(ledger: &Ledger) -> LedgerJson {
        LedgerJson {
            rmw: RmwJson {
                total: ledger.total_rmw(),
                page: ledger.page_rmw(),
                spin: ledger.spin_rmw(),
                other: ledger.other_rmw(),
                by_name: by_name(ledger),
            },
            locks: LockClass::ALL.iter().map(|&class| (class.name(), lock(ledger.lock(class)))).collect(),
            irq_pairs: ledger.count(Count::IrqPairs),
            preempt_pairs: ledger.count(Count::PreemptPairs),
            barriers: ledger.count(Count::Barriers),
            list_del: ledger.count(Count::ListDel),
            list_add: ledger.count(Count::ListAdd),
            list_ops_under: BTreeMap::from([("zone_lock", ledger.count(Count::ListUnderZone))]),
            vmstat_updates: ledger.vmstat_updates(),
            event_updates: ledger.count(Count::EventUpdates),
            events: Event::ALL.iter().map(|&event| (event.name(), ledger.events[event as usize])).collect(),
            pagevec_adds: PagevecAddsJson {
                per_cpu: ledger.count(Count::PvecPerCpu),
                on_stack: ledger.count(Count::PvecOnStack),
            },
            drains: ledger.count(Count::Drains),
            works_queued: ledger.count(Count::WorksQueued),
            ipis: ledger.count(Count::Ipis),
            sleeps: ledger.count(Count::Sleeps),
            tlb_flushes: ledger.count(Count::TlbFlushes),
            page_table_walks: ledger.count(Count::Walks),
            swap_in: ledger.count(Count::SwapIn),
            swap_out: ledger.count(Count::SwapOut),
            folio_stat_updates: ledger.count(Count::FolioStat),
            rstat_updates: ledger.count(Count::Rstat),
            kworker_dispatches: ledger.count(Count::Dispatches),
            barrier_works: ledger.count(Count::BarrierWorks),
            percpu_allocs: ledger.count(Count::PercpuAllocs),
            remote_reads: ledger.count(Count::RemoteReads),
        }
    }
}

fn lock(counts: &LockCounts) -> LockJson {
    LockJson {
        acquired: counts.acquired,
        contended: counts.contended,
        held_steps: counts.held_steps(),
        max_waiters: counts.max_waiters,
    }
}

impl StateJson {
    /// The state of a machine.
    pub fn new(machine: &Machine) -> StateJson {
        let on_list = |lru: Lru| machine.zones.iter().map(|zone| u64::from(zone.lru[lru.index()].pages)).sum();
        let pagevecs = machine.pagevecs.iter().flat_map(|pagevec| pagevec.filled());
        StateJson {
            lists: Lru::ALL.iter().map(|&lru| (lru.key(), on_list(lru))).collect(),
            in_pagevecs: pagevecs.map(|&page| u64::from(machine.page(page).nr())).sum(),
            nr: Stat::ALL.iter().map(|&item| (item.name(), machine.stat(item))).collect(),
            free: FreeJson::new(machine),
            digest: format!("{:016x}", machine.digest()),
            elapsed_ticks: 0,
        }
    }
}

impl FreeJson {
    // A zone without a page allocator has free pages of no order.
    fn new(machine: &Machine) -> FreeJson {
        let mut free = FreeJson { blocks_by_order: [0; ORDERS], pages: 0, pcp: 0 };
        for zone in &machine.zones {
            let Some(buddy) = &zone.buddy else {
                let pages = &machine.pages[zone.start as usize..zone.end as usize];
                free.pages += pages.iter().filter(|page| page.has(PageFlag::Free)).count() as u64;
                continue;
            };
            for (sum, &blocks) in free.blocks_by_order.iter_mut().zip(&buddy.nr_free) {
                *sum += u64::from(blocks);
            }
            free.pages += u64::from(buddy.free_pages());
            free.pcp += u64::from(buddy.pcp_pages());
        }
        free
    }
}

impl From<&Violation> for ViolationJson {
    fn from(violation: &Violation) -> ViolationJson {
        ViolationJson { step: violation.step, rule: violation.rule, detail: violation.detail.clone() }
    }
}

impl From<&Claim> for ClaimJson {
    fn from(claim: &Claim) -> ClaimJson {
        ClaimJson {
            claim: claim.claim,
            kind: claim.kind.key(),
            source: claim.source,
            expected: claim.expected.clone(),
            found: claim.found.clone(),
            holds: claim.holds,
            known: claim.known,
            why: claim.why,
            step: claim.step,
        }
    }
}
