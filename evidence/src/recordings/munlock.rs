//! A locked range of 64 MiB: populated, munlocked, unmapped.

use serde_json::{Value, json};
use sim_core::machine::{Event, LockClass, Stat};
use sim_core::scenario::RunSpec;
use sim_core::view::PagevecKind;

use super::count::{Counts, Part, Run};
use super::{page_fault, program};

/// Pages of the range.
pub const PAGES: u32 = 16_384;
/// Index of the first page in its page table. The remainders of the batches of 5.10, 8 and 9 pages, say that 8 pages of
/// the range lie in its first page table, or 15 or 23 and so on more.
const START: u32 = 512 - 8;

fn config(kernel: &str) -> Option<Value> {
    Some(match kernel {
        "5.10" => json!({ "series": "munlock", "variant": "v5.10" }),
        "6.1" => json!({ "series": "munlock", "variant": "v6.1" }),
        "7.2" => json!({ "series": "munlock", "variant": "today", "on": ["Mglru"] }),
        _ => return None,
    })
}

fn spec(kernel: &str, calls: &Value) -> Option<RunSpec> {
    let machine = json!({ "zones": [PAGES] });
    let vmas = json!([{ "vmas": [{ "pages": PAGES, "start": START }] }]);
    Some(program::spec(machine, config(kernel)?, vmas, json!([{ "run": calls }])))
}

/// mmap with MAP_LOCKED and MAP_POPULATE.
pub fn populate(kernel: &str) -> Option<Counts> {
    let calls = json!([{ "call": "mmap", "locked": true, "populate": true }]);
    let run = Run::of(spec(kernel, &calls)?);
    let part = run.whole();
    let mut counts = Counts::default();
    for function in ["mlock_vma_page", "mlock_new_folio", "lru_add_drain"] {
        counts.set(function, part.calls(function));
    }
    batches(&mut counts, &part);
    counts.sizes("lru_add batches", &part.emptied(PagevecKind::LruAdd), 1);
    counts.set("lru_lock", part.locks(LockClass::Lru));
    counts.set("updates of NR_MLOCK", part.updates(Stat::Mlock));
    let machine = &run.timeline().world().machine;
    counts.set("unevictable_pgs_mlocked", machine.events[Event::Mlocked as usize]);
    counts.set("unevictable_pgs_culled", machine.events[Event::Culled as usize]);
    counts.set("nr_unevictable", machine.stat(Stat::Unevictable).unsigned_abs());
    Some(counts)
}

/// munlock of the range, all batches empty before it.
pub fn munlock(kernel: &str) -> Option<Counts> {
    let calls =
        json!([{ "call": "mmap", "locked": true, "populate": true }, { "call": "drain" }, { "call": "munlock" }]);
    let run = Run::of(spec(kernel, &calls)?);
    let part = run.within("sys_munlock");
    let mut counts = Counts::default();
    for function in ["__munlock_isolate_lru_page", "munlock_folio", "lru_add_drain", "follow_page_mask"] {
        counts.set(function, part.calls(function));
    }
    batches(&mut counts, &part);
    counts.set("lru_lock", part.locks(LockClass::Lru));
    counts.set("updates of NR_MLOCK", part.updates(Stat::Mlock));
    let machine = &run.timeline().world().machine;
    counts.set("unevictable_pgs_munlocked", machine.events[Event::Munlocked as usize]);
    counts.set("unevictable_pgs_rescued", machine.events[Event::Rescued as usize]);
    counts.set("nr_inactive_anon", machine.stat(Stat::InactiveAnon).unsigned_abs());
    counts.set("nr_active_anon", machine.stat(Stat::ActiveAnon).unsigned_abs());
    Some(counts)
}

fn batches(counts: &mut Counts, part: &Part<'_>) {
    counts.sizes("mlock batches", &part.emptied(PagevecKind::Mlock), 1);
    counts.sizes("munlock pagevecs", &part.emptied(PagevecKind::OnStack), 1);
    counts.sizes("putback pagevecs", &part.emptied(PagevecKind::Putback), 1);
}

/// munmap of the range, on a machine with a page allocator, where nothing is locked any more.
pub fn unmap(kernel: &str) -> Option<Counts> {
    let run = Run::of(page_fault::spec(kernel, PAGES, 1)?);
    let mut counts = Counts::default();
    page_fault::unmapped(&mut counts, &run.within("do_munmap"), 1);
    Some(counts)
}
