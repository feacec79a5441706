//! munlock against somebody else: two CPUs, and who goes when.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::layout::{Layout, PageKind};
use super::{Built, VMA, configured, measured, pagevec_room, scripted, setup};
use crate::engine::{Cpu, Engine, Migration, Turn, Until};
use crate::kernel::Patch;
use crate::kernel::huge_memory::split_huge_page;
use crate::kernel::mlock::{mlock_vma_page, sys_munlock};
use crate::kernel::mlock_batch::mlock_folio;
use crate::kernel::swap::{lru_add_drain, unlock_page};
use crate::kernel::truncate::truncate_inode_page;
use crate::kernel::vmscan::{cull_page, isolate_lru_page, putback_lru_page};
use crate::ledger::How;
use crate::machine::{LockClass, PageFlag, Pfn, VmaId};
use crate::op::{Op, Read};
use crate::scenario::Variant;
use crate::scenario::params::Params;
use crate::scenario::spec::SpecError;

const LRU_LOCK: Op = Op::SpinLock { class: LockClass::Lru, irq: true, index: 0 };
const LRU_UNLOCK: Op = Op::SpinUnlock { class: LockClass::Lru, irq: true, index: 0 };

fn turn(cpu: u8, until: Until) -> Turn {
    Turn { cpu, until }
}

fn after(cpu: u8, op: Op) -> Turn {
    turn(cpu, Until::After(op))
}

fn to_the_end(cpu: u8) -> Turn {
    turn(cpu, Until::Blocked)
}

fn two_cpu_layout(pages: u32) -> Layout {
    Layout { cpus: 2, ..Layout::plain(pages) }
}

// The index of one page, which must lie in the range.
fn index(params: &Params) -> Result<u32, SpecError> {
    let (at, pages) = (params.get("at"), params.get("pages"));
    if at < pages {
        return Ok(at);
    }
    Err(SpecError::Together(format!("at is {at} and pages is {pages}; expected an index below the number of pages")))
}

fn page_at(engine: &Engine, index: u32) -> Pfn {
    engine.world().machine.pte(VMA.mm, index)
}

fn spawn_munlock(engine: &mut Engine, cpu: u8) {
    engine.spawn("munlock", cpu, |cpu| async move { sys_munlock(&cpu, VMA).await });
}

/// Two processes, one zone: the second one is a copy of the first.
pub(super) fn two_cpus(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let config = configured(variant, params);
    let engine = setup::two_processes(config, params.get("pages"));
    let tasks = |engine: &mut Engine| {
        spawn_munlock(engine, 0);
        engine.spawn("munlock", 1, |cpu| async move { sys_munlock(&cpu, VmaId { mm: 1, vma: 0 }).await });
    };
    Ok(scripted(engine, config, Vec::new(), Box::new(tasks)))
}

/// A file page that is not mlocked is truncated while munlock holds lru_lock over its batch.
pub(super) fn truncate(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let config = configured(variant, params);
    let at = index(params)?;
    let mut layout = Layout { file: true, ..two_cpu_layout(params.get("pages")) };
    layout.kinds[at as usize] = PageKind::NotMlocked;
    let engine = setup::memory(config, &layout);
    let tasks = move |engine: &mut Engine| {
        spawn_munlock(engine, 0);
        engine.spawn("truncate", 1, move |cpu| async move { truncate_inode_page(&cpu, VMA, at).await });
    };
    let turns = vec![after(0, LRU_LOCK), to_the_end(1)];
    Ok(scripted(engine, config, turns, Box::new(tasks)))
}

/// A huge page is being split when munlock clears PG_mlocked of its head.
pub(super) fn split(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let config = configured(variant, params);
    let layout = Layout { thp: true, ..two_cpu_layout(1) };
    let engine = setup::memory(config, &layout);
    let head = page_at(&engine, 0);
    let tasks = move |engine: &mut Engine| {
        spawn_munlock(engine, 0);
        engine.spawn("split", 1, move |cpu| async move { split_huge_page(&cpu, VMA, 0, head).await });
    };
    let tail = 512 - params.get("tail") as u16;
    let turns = vec![
        after(0, Op::TryLockPage { page: head }),
        after(1, Op::SplitTail { head, tail }),
        to_the_end(0),
        to_the_end(1),
    ];
    Ok(scripted(engine, config, turns, Box::new(tasks)))
}

/// Another process mlocks a page again. Its PTE is left out: what matters is the page lock and the flag. From 5.18 on
/// there is no page lock; the windows then are before and after PG_mlocked is cleared.
pub(super) fn remlock(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let config = configured(variant, params);
    let at = index(params)?;
    let engine = setup::memory(config, &two_cpu_layout(params.get("pages")));
    let page = page_at(&engine, at);
    let tasks = move |engine: &mut Engine| {
        spawn_munlock(engine, 0);
        engine.spawn("mlock", 1, move |cpu| async move { mlock_again(&cpu, page).await });
    };
    let flag = |flag, how| Op::Flag { flag, how, page };
    let window = match (config.has(Patch::MlockBatch), params.get("window")) {
        (false, 1) => flag(PageFlag::Lru, How::Clear),
        (false, _) => Op::UnlockPage { page },
        (true, 1) => flag(PageFlag::Lru, How::TestClear),
        (true, _) => flag(PageFlag::Mlocked, How::TestClear),
    };
    let turns = vec![after(0, window), to_the_end(1)];
    Ok(scripted(engine, config, turns, Box::new(tasks)))
}

async fn mlock_again(cpu: &Cpu, page: Pfn) {
    if cpu.has(Patch::MlockBatch) {
        mlock_folio(cpu, page).await;
        return;
    }
    cpu.lock_page(page).await;
    mlock_vma_page(cpu, page).await;
    unlock_page(cpu, page).await;
}

/// Another CPU holds the lock of a page until munlock sleeps for it.
pub(super) fn page_lock(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let config = configured(variant, params);
    let at = index(params)?;
    let engine = setup::memory(config, &two_cpu_layout(params.get("pages")));
    let page = page_at(&engine, at);
    let tasks = move |engine: &mut Engine| {
        spawn_munlock(engine, 0);
        engine.spawn("holder", 1, move |cpu| async move { hold_page_lock(&cpu, page).await });
    };
    let turns = vec![after(1, Op::TryLockPage { page }), to_the_end(0), to_the_end(1)];
    Ok(scripted(engine, config, turns, Box::new(tasks)))
}

async fn hold_page_lock(cpu: &Cpu, page: Pfn) {
    cpu.lock_page(page).await;
    cpu.page_mapcount(page).await;
    unlock_page(cpu, page).await;
}

/// Reclaim holds a page off its list while munlock passes.
pub(super) fn reclaim(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let config = configured(variant, params);
    let at = index(params)?;
    let engine = setup::memory(config, &two_cpu_layout(params.get("pages")));
    let page = page_at(&engine, at);
    let tasks = move |engine: &mut Engine| {
        spawn_munlock(engine, 0);
        engine.spawn("reclaim", 1, move |cpu| async move { isolate_and_put_back(&cpu, page).await });
    };
    let turns = vec![after(1, LRU_UNLOCK), to_the_end(0), to_the_end(1)];
    Ok(scripted(engine, config, turns, Box::new(tasks)))
}

async fn isolate_and_put_back(cpu: &Cpu, page: Pfn) {
    if isolate_lru_page(cpu, page).await {
        putback_lru_page(cpu, page).await;
        lru_add_drain(cpu).await;
    }
}

/// CPU 1 drains its pagevec, with mlocked pages in it, while CPU 0 munlocks them.
pub(super) fn drain(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let config = configured(variant, params);
    let pages = params.get("pages");
    let remote = params.get("in_remote_pagevec");
    if remote > pages {
        let text = format!("in_remote_pagevec is {remote} and pages is {pages}; expected {pages} at most");
        return Err(SpecError::Together(text));
    }
    pagevec_room(config, remote)?;
    let mut layout = two_cpu_layout(pages);
    layout.kinds[..remote as usize].fill(PageKind::InRemotePagevec);
    let engine = setup::memory(config, &layout);
    let tasks = |engine: &mut Engine| {
        spawn_munlock(engine, 0);
        engine.spawn("kworker", 1, |cpu| async move { lru_add_drain(&cpu).await });
    };
    Ok(scripted(engine, config, Vec::new(), Box::new(tasks)))
}

/// The scheduler moves the task at the cond_resched after a page.
pub(super) fn migrate(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let config = configured(variant, params);
    let at = index(params)?;
    let engine = setup::memory(config, &two_cpu_layout(params.get("pages")));
    Ok(Built {
        engine,
        measured: Some(measured(config)),
        migrations: vec![Migration { task: 0, after: at, cpu: 1 }],
        script: crate::engine::Schedule::RoundRobin,
        tasks: Box::new(|engine| spawn_munlock(engine, 0)),
    })
}

/// CPU 0 has found the page unevictable when CPU 1 munlocks it; then CPU 0 puts it on the unevictable list.
pub(super) fn putback(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let config = configured(variant, params);
    let engine = setup::memory(config, &two_cpu_layout(1));
    let page = page_at(&engine, 0);
    let tasks = move |engine: &mut Engine| {
        engine.spawn("reclaim", 0, move |cpu| async move { cull_page(&cpu, page).await });
        spawn_munlock(engine, 1);
    };
    let looked = after(0, Op::Read { what: Read::Evictable, page });
    let mut turns = vec![looked.clone()];
    if params.is("hoisted") {
        turns.push(looked);
    }
    turns.push(to_the_end(1));
    Ok(scripted(engine, config, turns, Box::new(tasks)))
}
