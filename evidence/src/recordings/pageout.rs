//! MADV_PAGEOUT of 16 MiB that one process maps.

use serde_json::json;
use sim_core::ledger::Count;
use sim_core::machine::Stat;

use super::count::{Counts, Run};
use super::program;

/// Functions that are counted, by the model's names.
const FUNCTIONS: &[&str] = &[
    "isolate_lru_page",
    "folio_check_references",
    "try_to_unmap",
    "try_to_unmap_one",
    "page_remove_rmap",
    "folio_remove_rmap_ptes",
    "__mod_lruvec_page_state",
    "ptep_clear_flush",
    "flush_tlb_range",
    "set_tlb_ubc_flush_pending",
    "try_to_unmap_flush",
    "__remove_mapping",
    "shrink_folio_list",
    "free_folios",
    "page_vma_mapped_walk",
];

/// File pages. 7.2 has folios of two sizes there, each half of the range in one: they are run one after the other.
pub fn file(kernel: &str) -> Option<Counts> {
    match kernel {
        "6.1" => Some(counts("v6.3", "file", &[("0", 4096)])),
        "7.2" => Some(counts("today", "file", &[("0", 2048), ("2", 2048)])),
        _ => None,
    }
}

/// Anonymous pages, each its own folio in every kernel.
pub fn anon(kernel: &str) -> Option<Counts> {
    match kernel {
        "6.1" => Some(counts("v6.3", "anon", &[("0", 4096)])),
        "7.2" => Some(counts("today", "anon", &[("0", 4096)])),
        _ => None,
    }
}

fn counts(variant: &str, kind: &str, halves: &[(&str, u32)]) -> Counts {
    let runs: Vec<Run> = halves.iter().map(|&(orders, pages)| run(variant, kind, orders, pages)).collect();
    let mut counts = Counts::default();
    for function in FUNCTIONS {
        counts.set(*function, runs.iter().map(|run| run.whole().calls(function)).sum());
    }
    for (run, (orders, pages)) in runs.iter().zip(halves) {
        let (size, calls) = (1 << orders.parse().unwrap_or(0), run.whole().calls("folio_remove_rmap_ptes"));
        // Each call takes a whole folio where there are as many calls as folios.
        if calls * size == u64::from(*pages) {
            counts.set(format!("folio_remove_rmap_ptes of {size}"), calls);
        }
    }
    let ledgers = || runs.iter().map(|run| &run.timeline().world().ledger);
    counts.set("TLB flushes", ledgers().map(|ledger| ledger.count(Count::TlbFlushes)).sum());
    counts.set("pages freed", ledgers().map(|ledger| ledger.count(Count::Frees)).sum());
    counts.set("updates of NR_FILE_MAPPED", runs.iter().map(|run| run.whole().updates(Stat::FileMapped)).sum());
    counts
}

fn run(variant: &str, kind: &str, orders: &str, pages: u32) -> Run {
    let vma = json!({ "pages": pages, "folios": { "orders": orders, "kind": kind } });
    let config = json!({ "series": "rmap-unmap", "variant": variant });
    let calls = json!([{ "run": [{ "call": "madvise", "advice": "PAGEOUT" }] }]);
    Run::of(program::spec(json!({ "zones": [pages] }), config, json!([{ "vmas": [vma] }]), calls))
}
