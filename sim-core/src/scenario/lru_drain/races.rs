//! lru_add_drain_all against somebody else, and who goes when.

use alloc::format;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use super::lists;
use super::setup::{self, Layout, page_of};
use super::{Built, built, configured, filled_layout, munlock};
use crate::engine::{Cpu, Engine, Turn, Until};
use crate::kernel::Patch;
use crate::kernel::lru_drain::{cpu_down, lru_add_drain_all, lru_add_drain_all_async};
use crate::kernel::memory::{do_anonymous_page, follow_page_mlock};
use crate::kernel::mlock_call::sys_mlock;
use crate::kernel::swap::lru_add_drain;
use crate::machine::{PageFlag, Pfn, Pv, VmaId};
use crate::op::{Op, Read};
use crate::scenario::Variant;
use crate::scenario::params::Params;
use crate::scenario::spec::SpecError;
use crate::view::PagevecKind;

const RANGE: VmaId = VmaId { mm: 0, vma: 0 };
const SECOND_RANGE: VmaId = VmaId { mm: 0, vma: 1 };
const OTHER: VmaId = VmaId { mm: 1, vma: 0 };

fn after(cpu: u8, op: Op) -> Turn {
    Turn { cpu, until: Until::After(op) }
}

fn to_the_end(cpu: u8) -> Turn {
    Turn { cpu, until: Until::Blocked }
}

fn look_at(kind: PagevecKind, cpu: u8, lru: u8) -> Op {
    Op::PeekPagevec { pv: Pv { kind, owner: cpu }, lru, remote: true }
}

fn spawn_mlock(engine: &mut Engine, cpu: u8, vma: VmaId) {
    engine.spawn("mlock", cpu, move |cpu| async move { sys_mlock(&cpu, vma).await });
}

/// CPU 1 adds a page, or drains, in the moment after it was looked at.
pub(super) fn check(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let adds = params.get("change") == 0;
    let config = variant.config;
    let layout = Layout { spare: 1, ..Layout::new(2).fill(u8::from(!adds)) };
    let engine = setup::memory(config, &layout);
    // The look that settles it: the last one where all are empty, the first where that one is not.
    let look = match (adds, config.has(Patch::AsyncDrain)) {
        (false, _) => look_at(PagevecKind::LruAdd, 1, 0),
        (true, true) => look_at(PagevecKind::LruAdd, 1, 4),
        (true, false) => look_at(PagevecKind::Activate, 1, 0),
    };
    let turns = vec![after(0, look), to_the_end(1)];
    Ok(built(engine, turns, move |engine| {
        spawn_mlock(engine, 0, RANGE);
        engine.spawn("other", 1, move |cpu| async move {
            cpu.count(false);
            if adds {
                do_anonymous_page(&cpu, OTHER, 0, 0).await;
            } else {
                lru_add_drain(&cpu).await;
            }
        });
    }))
}

/// A second caller comes to the work item of CPU 2 while it is pending, or while it runs.
pub(super) fn requeue(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let layout = Layout { ranges: 2, filled: vec![2], callers: 2, ..Layout::new(3) };
    let engine = setup::memory(variant.config, &layout);
    let work = engine.world().machine.work.drain_work(0, 2);
    let mut turns = vec![to_the_end(0)];
    if params.get("meets") == 1 {
        turns.push(after(2, Op::ClearPending { work }));
    }
    turns.push(to_the_end(1));
    Ok(built(engine, turns, |engine| {
        spawn_mlock(engine, 0, RANGE);
        spawn_mlock(engine, 1, SECOND_RANGE);
    }))
}

/// The page of the range waits in the pagevec of CPU 1. Where mlock asks nobody to drain it, somebody does so later.
pub(super) fn mlocked(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let config = configured(variant, params);
    let engine = setup::memory(config, &Layout { range_on: Some(1), ..Layout::new(2) });
    let later = config.has(Patch::NoMlockDrain);
    let turns = if later { vec![to_the_end(0)] } else { Vec::new() };
    Ok(built(engine, turns, move |engine| {
        spawn_mlock(engine, 0, RANGE);
        if later {
            spawn_drain(engine, 1);
        }
    }))
}

fn spawn_drain(engine: &mut Engine, cpu: u8) {
    engine.spawn("drain", cpu, |cpu| async move {
        cpu.count(false);
        lru_add_drain(&cpu).await;
    });
}

/// CPU 1 drains the page of the range while CPU 0 munlocks it; where only the first look is early, mlocks it.
pub(super) fn barrier(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let config = configured(variant, params);
    let mut engine = setup::memory(config, &Layout { range_on: Some(1), ..Layout::new(2) });
    let page = page_of(&engine, 0);
    let mlocks = config.has(Patch::HoistedFirst);
    if !mlocks {
        mlock_before(&mut engine);
    }
    let looked = after(1, Op::Read { what: Read::Evictable, page });
    let mut turns = vec![looked.clone()];
    if config.has(Patch::HoistedRead) {
        turns.push(looked);
    }
    turns.push(to_the_end(0));
    Ok(built(engine, turns, move |engine| {
        engine.spawn(if mlocks { "mlock" } else { "munlock" }, 0, move |cpu| async move {
            if mlocks {
                sys_mlock(&cpu, RANGE).await;
            } else {
                munlock(&cpu, RANGE).await;
            }
        });
        spawn_drain(engine, 1);
    }))
}

// Populate has come by: the page has PG_mlocked and could not be isolated.
fn mlock_before(engine: &mut Engine) {
    engine.spawn("mlock", 0, |cpu| async move {
        cpu.set_vm_locked(RANGE, true).await;
        follow_page_mlock(&cpu, RANGE, 0).await;
    });
    let ended = engine.run();
    debug_assert!(matches!(ended, Ok(crate::engine::Outcome::Finished)), "the set-up runs to its end");
    engine.machine_mut().fold_diffs();
}

/// Somebody wants the references of all pagevecs gone.
pub(super) fn all(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let callers = params.get("callers") as u8;
    let layout = filled_layout(params)?;
    if callers > layout.cpus {
        let text = format!("callers is {callers} and cpus is {}; expected {} at most", layout.cpus, layout.cpus);
        return Err(SpecError::Together(text));
    }
    let (kind, lists) = (kind_of(params), lists::lists(params));
    if kind != PagevecKind::LruAdd && lists != [0] {
        let text =
            "in is not lru_add and lists is not inactive_anon; expected one of them to be, as lists is for lru_add";
        return Err(SpecError::Together(text.to_string()));
    }
    let engine = setup::memory(variant.config, &Layout { callers, kind, lists, ..layout });
    Ok(built(engine, Vec::new(), move |engine| {
        for cpu in 0..callers {
            engine.spawn("drain all", cpu, |cpu| async move { drain_all(&cpu).await });
        }
    }))
}

fn kind_of(params: &Params) -> PagevecKind {
    const KINDS: [PagevecKind; 4] =
        [PagevecKind::LruAdd, PagevecKind::LruRotate, PagevecKind::LruDeactivate, PagevecKind::Activate];
    KINDS[params.get("in") as usize % KINDS.len()]
}

async fn drain_all(cpu: &Cpu) {
    if cpu.has(Patch::AsyncDrain) {
        lru_add_drain_all_async(cpu).await;
    } else {
        lru_add_drain_all(cpu).await;
    }
}

/// CPU 1 goes down between the look into its pagevec and the work item that is queued for it.
pub(super) fn hotplug(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let engine = setup::memory(variant.config, &Layout::new(params.get("cpus") as u8).fill(1));
    let turns = vec![after(0, look_at(PagevecKind::LruAdd, 1, 0)), after(1, Op::Migrate { cpu: 2 }), to_the_end(0)];
    Ok(built(engine, turns, |engine| {
        spawn_mlock(engine, 0, RANGE);
        engine.spawn("cpu_down", 1, |cpu| async move {
            cpu.count(false);
            cpu_down(&cpu, 1, 2).await;
        });
    }))
}

/// A task on CPU 1 that lets no other run for a while.
pub(super) fn starved(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let busy = params.get("busy");
    let layout = layout_with_neighbour(params)?;
    let engine = setup::memory(variant.config, &layout);
    let page = page_of(&engine, 0);
    Ok(built(engine, Vec::new(), move |engine| {
        spawn_mlock(engine, 0, RANGE);
        engine.spawn("real-time", 1, move |cpu| async move { spin(&cpu, page, busy).await });
    }))
}

fn layout_with_neighbour(params: &Params) -> Result<Layout, SpecError> {
    let cpus = params.get("cpus");
    if cpus < 2 {
        return Err(SpecError::Together(format!("cpus is {cpus}; expected 2 or more, one of them busy")));
    }
    Ok(Layout::new(cpus as u8).fill(1))
}

// It polls a word that nobody writes.
async fn spin(cpu: &Cpu, page: Pfn, busy: u32) {
    cpu.count(false);
    for _ in 0..busy {
        cpu.test_page(PageFlag::Dirty, page).await;
    }
}
