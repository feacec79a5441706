//! The runs of the series: what each CPU does, and who goes when.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::RmapLayout;
use crate::engine::{Cpu, Engine, Schedule, Turn, Until};
use crate::kernel::pageout::{madvise_pageout, reclaim_range};
use crate::kernel::rmap_map::FolioKind;
use crate::kernel::rmap_unmap::Ttu;
use crate::kernel::rmap_walk::try_to_unmap;
use crate::kernel::swap::unlock_page;
use crate::kernel::{Config, Patch};
use crate::ledger::Site;
use crate::machine::{LockClass, NIL, PTRS_PER_PTE, Pfn, VmaId};
use crate::op::{Held, Look, Op, RmapOp};
use crate::scenario::Variant;
use crate::scenario::built::Built;
use crate::scenario::params::Params;
use crate::scenario::spec::SpecError;

/// The VMA under study.
const VMA: VmaId = VmaId { mm: 0, vma: 0 };
/// What the ledger counts.
const MEASURED: &str = "try_to_unmap";

fn built(engine: Engine, script: Schedule, tasks: Box<dyn FnOnce(&mut Engine)>) -> Built {
    Built { engine, measured: Some(MEASURED), migrations: Vec::new(), script, tasks }
}

fn spawn_reclaim(engine: &mut Engine) {
    engine.spawn("reclaim", 0, |cpu| async move { reclaim_range(&cpu, VMA).await });
}

fn alone(config: Config, layout: &RmapLayout) -> Built {
    built(layout.set_up(config), Schedule::RoundRobin, Box::new(spawn_reclaim))
}

/// Reclaim of the range, and somebody who locks it where that is asked for.
pub(super) fn unmap(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let config = variant.config.with(&[Patch::WholeFolios, Patch::UnmapFirst]);
    let layout = RmapLayout::from_params(params)?;
    Ok(match params.maybe("locked_at") {
        Some(at) => against_mlock(config, &layout, at),
        None => alone(config, &layout),
    })
}

/// The other CPU sets VM_LOCKED when the walk has come to the PTE of a page and not yet looked at the VMA.
fn against_mlock(config: Config, layout: &RmapLayout, at: u32) -> Built {
    let addr = layout.start + at;
    let index = (addr % PTRS_PER_PTE) as u16;
    let look = Op::Rmap(RmapOp::Look { why: Look::Walk, mm: 0, index, addr });
    let turns = vec![Turn { cpu: 0, until: Until::After(look) }, Turn { cpu: 1, until: Until::Blocked }];
    let tasks = |engine: &mut Engine| {
        spawn_reclaim(engine);
        engine.spawn("mlock", 1, |cpu| async move { lock_vma(&cpu).await });
    };
    built(layout.set_up(config), Schedule::Script(turns), Box::new(tasks))
}

async fn lock_vma(cpu: &Cpu) {
    cpu.down(LockClass::MmapSem, true, 0).await;
    cpu.set_vm_locked(VMA, true).await;
    cpu.up(LockClass::MmapSem, true, 0).await;
}

/// MADV_PAGEOUT as each kernel has it.
pub(super) fn pageout(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let layout = RmapLayout::from_params(params)?;
    let tasks = |engine: &mut Engine| {
        engine.spawn("madvise", 0, |cpu| async move { madvise_pageout(&cpu, VMA).await });
    };
    Ok(built(layout.set_up(variant.config), Schedule::RoundRobin, Box::new(tasks)))
}

/// A thread of the process runs on CPU 1 and reads page after page, through its TLB as long as that has them.
pub(super) fn deferred(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let mut config = variant.config.with(&[Patch::WholeFolios]);
    if params.is("strict") {
        config = config.with(&[Patch::StrictFree]);
    }
    let layout = RmapLayout { cpus: 2, threads: true, ..RmapLayout::from_params(params)? };
    let pages = layout.pages();
    let tasks = move |engine: &mut Engine| {
        spawn_reclaim(engine);
        engine.spawn("reader", 1, move |cpu| async move { read_all(&cpu, pages).await });
    };
    Ok(built(layout.set_up(config), Schedule::RoundRobin, Box::new(tasks)))
}

async fn read_all(cpu: &Cpu, pages: u32) {
    for addr in 0..pages {
        if cpu.touch(0, false, addr).await == NIL {
            break;
        }
    }
}

fn late(variant: &Variant) -> Config {
    variant.config.with(&[Patch::WholeFolios, Patch::LateRules])
}

/// An order-4 folio with holes; the run stops where harm is done.
pub(super) fn stale_tlb(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let layout = RmapLayout { holes: vec![params.get("hole")], ..RmapLayout::file(&[4]) };
    Ok(alone(late(variant), &layout))
}

/// An order-3 folio in the last eight entries of a page table, one of them none.
pub(super) fn table_end(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let layout = RmapLayout { start: 504, holes: vec![params.get("hole")], ..RmapLayout::file(&[3]) };
    Ok(alone(late(variant), &layout))
}

/// An order-4 folio whose VMA is locked on the way.
pub(super) fn mlock(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let config = variant.config.with(&[Patch::WholeFolios]);
    let layout = RmapLayout { cpus: 2, ..RmapLayout::file(&[4]) };
    Ok(against_mlock(config, &layout, params.get("at")))
}

/// A poisoned page: anonymous and not in the swap cache, or of a file.
pub(super) fn poison(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let kind = if params.get("kind") == 0 { FolioKind::Anon } else { FolioKind::File };
    let layout = RmapLayout { kind, swapcache: false, poisoned: Some(0), ..RmapLayout::file(&[0]) };
    let engine = layout.set_up(variant.config);
    let folio = engine.world().machine.rmap().range[0];
    let tasks = move |engine: &mut Engine| {
        engine.spawn("memory failure", 0, move |cpu| async move { memory_failure(&cpu, folio).await });
    };
    Ok(built(engine, Schedule::RoundRobin, Box::new(tasks)))
}

// The reference that memory failure takes is never given back: the page must not be used again.
async fn memory_failure(cpu: &Cpu, folio: Pfn) {
    cpu.get_page(folio, Site::FollowPage, Held::Pin).await;
    cpu.lock_page(folio).await;
    try_to_unmap(cpu, folio, Ttu { hwpoison: true, ..Ttu::default() }).await;
    unlock_page(cpu, folio).await;
}
