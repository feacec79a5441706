//! mlock and munlock of three small ranges, over and over.

use serde_json::{Value, json};
use sim_core::machine::{Event, LockClass};
use sim_core::view::PagevecKind;

use super::count::{Counts, Run};
use super::program;

/// Iterations of the model's run.
const ITERATIONS: u64 = 10;
/// The recording has a thousand.
const TIMES: u64 = 1000 / ITERATIONS;

/// All of the recording. The ranges are of 24, 56 and 4168 bytes on one stack: the first two lie in one page, the third
/// one begins there and ends in the next.
pub fn counts(kernel: &str) -> Option<Counts> {
    let variant = match kernel {
        "5.10" => "v5.10",
        "6.1" => "v6.1",
        "7.2" => "today",
        _ => return None,
    };
    // A call of the model is for one VMA, and the third range lies in two. mlock of the first one again does nothing
    // from 5.18 on; before, it follows the page. munlock of it again does nothing in any kernel.
    let mlocks: &[u32] = if kernel == "5.10" { &[0, 0, 0, 1] } else { &[0, 0, 1] };
    let mlocks = mlocks.iter().map(|vma| json!({ "call": "mlock", "vma": vma }));
    let munlocks = [0, 1].map(|vma| json!({ "call": "munlock", "vma": vma }));
    let round: Vec<Value> = mlocks.chain(munlocks).collect();
    let calls: Vec<Value> = (0..ITERATIONS).flat_map(|_| round.clone()).collect();
    let touched = [json!({ "call": "touch" }), json!({ "call": "touch", "vma": 1 }), json!({ "call": "drain" })];
    let vmas = json!([{ "vmas": [{ "pages": 1 }, { "pages": 1, "split": true }] }]);
    let config = json!({ "series": "munlock", "variant": variant });
    let calls = [touched.to_vec(), calls].concat();
    let run = Run::of(program::spec(json!({ "zones": [2] }), config, vmas, json!([{ "run": calls }])));
    let part = run.from("sys_mlock");
    let mut counts = Counts::default();
    for function in ["mlock_vma_page", "mlock_folio", "munlock_folio", "lru_add_drain", "lru_add_drain_all"] {
        counts.set(function, part.calls(function) * TIMES);
    }
    counts.set("lru_add_drain of populate", part.calls_from("lru_add_drain", "follow_page_mlock") * TIMES);
    for function in ["isolate_lru_page", "putback_lru_page", "__munlock_isolate_lru_page"] {
        counts.set(function, part.calls(function) * TIMES);
    }
    // mlock of a page that is there is processed at once, as a batch of one.
    let mut batches = part.emptied(PagevecKind::Mlock);
    batches.extend((0..part.calls("mlock_folio")).map(|_| 1));
    counts.sizes("mlock batches", &batches, TIMES);
    counts.sizes("munlock pagevecs", &part.emptied(PagevecKind::OnStack), TIMES);
    counts.set("lru_lock", part.locks(LockClass::Lru) * TIMES);
    let events = run.timeline().world().machine.events;
    counts.set("unevictable_pgs_mlocked", events[Event::Mlocked as usize] * TIMES);
    counts.set("unevictable_pgs_munlocked", events[Event::Munlocked as usize] * TIMES);
    counts.set("unevictable_pgs_culled", events[Event::Culled as usize] * TIMES);
    counts.set("unevictable_pgs_rescued", events[Event::Rescued as usize] * TIMES);
    Some(counts)
}
