//! lru_add_drain_all with pages waiting on every CPU.

use serde_json::{Value, json};
use sim_core::ledger::Count;

use super::count::{Counts, Run};
use super::program;

/// CPUs, and pages that wait on each before a call.
const CPUS: u32 = 4;
const WAITING: u32 = 5;
/// Calls of the recording. Each begins alike, so one is modelled.
const CALLS: u64 = 20;

/// All of the recording.
pub fn counts(kernel: &str) -> Option<Counts> {
    let config = match kernel {
        "6.1" => json!({ "series": "munlock", "variant": "v6.1", "on": ["SelectiveDrain", "NoMlockDrain"] }),
        "7.2" => json!({ "series": "lru-drain", "variant": "today" }),
        _ => return None,
    };
    let vmas: Vec<Value> = (0..CPUS).map(|_| json!({ "vmas": [{ "pages": WAITING }] })).collect();
    let machine = json!({ "cpus": CPUS, "zones": [CPUS * WAITING], "kworkers": true });
    let setup: Vec<Value> = (0..CPUS).map(|cpu| json!({ "call": "touch", "process": cpu, "cpu": cpu })).collect();
    let spec = program::prepared(
        machine,
        config,
        json!(vmas),
        json!(setup),
        json!([{ "run": [{ "call": "drain", "all": true }] }]),
    );
    let run = Run::of(spec);
    let part = run.whole();
    let mut counts = Counts::default();
    counts.set("works queued", run.timeline().world().ledger.count(Count::WorksQueued) * CALLS);
    for function in ["lru_add_drain_all", "lru_add_drain_per_cpu", "lru_add_drain_cpu"] {
        counts.set(function, part.calls(function) * CALLS);
    }
    let direct = part.calls("lru_add_drain") - part.calls("lru_add_drain_per_cpu");
    counts.set("drains by the caller itself", direct * CALLS);
    Some(counts)
}
