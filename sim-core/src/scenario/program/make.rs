//! The interpreter: makes kernel calls of the calls of a program.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::rc::Rc;
use core::cell::RefCell;
use core::ops::Range;

use super::check_order::Order;
use super::{Advice, Area, Call, MemoryKind, Program, Span};
use crate::engine::{ALLOCATED_ONCE, CALL_ORDER, Cpu, FREED_ONCE};
use crate::kernel::Patch;
use crate::kernel::fault::do_page_fault;
use crate::kernel::lru_drain::{lru_add_drain_all, lru_add_drain_all_async};
use crate::kernel::madvise::sys_madvise;
use crate::kernel::memory::vm_normal_page;
use crate::kernel::mlock::sys_munlock;
use crate::kernel::mlock_range::{sys_mlock, sys_mlockall};
use crate::kernel::mmap::{do_munmap, dup_mmap, isolate_range, madvise_dontneed, sys_mmap};
use crate::kernel::page_alloc::get_page_from_freelist;
use crate::kernel::page_io::swap_interrupts;
use crate::kernel::page_isolation::{drain_local_pages, set_migratetype_isolate, unset_migratetype_isolate};
use crate::kernel::pageout::{madvise_pageout, reclaim_range};
use crate::kernel::pcp_orders::{free_the_page, rmqueue};
use crate::kernel::program::{PAGES_PER_TICK, exit_mmap, spend};
use crate::kernel::swap::lru_add_drain;
use crate::kernel::vmscan_anon::__zone_reclaim;
use crate::kernel::{memory_swap, mlock_call, mmu_gather, program as user};
use crate::ledger::Site;
use crate::machine::{LockClass, MAX_ORDER, MigrateType, PAGEBLOCK_NR, Pfn, VmaId};
use crate::op::Held;

/// Blocks of `alloc` by their numbers: page and order, or none where memory was used up.
pub(super) type Blocks = Rc<RefCell<BTreeMap<u8, Option<(Pfn, u8)>>>>;

/// Makes calls one after the other. The time that a call takes passes before the next one; a process that exits does so
/// at once.
pub(super) async fn make_all(
    cpu: &Cpu,
    program: &'static Program,
    (blocks, order): &(Blocks, Order),
    calls: &'static [Call],
) {
    let mut ticks = None;
    for (at, call) in calls.iter().enumerate() {
        if let Some(text) = order.refuses(program, call) {
            // The order within the set-up is known before it is made.
            cpu.bug(CALL_ORDER, format!("cpus[{}].run[{at}]: {text}", cpu.id())).await;
            return;
        }
        order.begins(call);
        let took = match program.memory.kind() {
            MemoryKind::Plain | MemoryKind::Kworkers => on_lists(cpu, program, call).await,
            MemoryKind::Pcp => with_allocator(cpu, program, blocks, call).await,
            MemoryKind::Swap => with_swap(cpu, program, call).await,
            MemoryKind::Folios => with_folios(cpu, program, call).await,
        };
        order.ended(call);
        ticks = took.or(ticks);
        if matches!(calls.get(at + 1), Some(Call::Exit(_))) {
            continue;
        }
        if let Some(ticks) = ticks.take() {
            spend(cpu, ticks).await;
        }
        if program.memory.kind() != MemoryKind::Plain {
            cpu.let_others_run().await;
        }
        cpu.pause().await;
    }
}

fn place(program: &Program, span: Span) -> (VmaId, Area, Range<u32>) {
    let area = program.vmas(span.process)[span.vma as usize];
    let first = area.start + span.first;
    let pages = span.pages.unwrap_or(area.pages - span.first);
    (VmaId { mm: span.process, vma: span.vma }, area, first..first + pages)
}

// The table of functions says which calls come here; the rest of a match is what it keeps away.
async fn on_lists(cpu: &Cpu, program: &'static Program, call: &Call) -> Option<u32> {
    match *call {
        Call::Mmap { at, locked, populate } => {
            let (vma, area, _) = place(program, at);
            sys_mmap(cpu, vma, area.policy, locked, populate).await;
        }
        Call::Touch(span) => access(cpu, program, span, true).await,
        Call::Read(span) => access(cpu, program, span, false).await,
        Call::Mlock(span) => {
            let (vma, area, _) = place(program, span);
            if program.memory.kind() == MemoryKind::Kworkers {
                mlock_and_drain(cpu, vma).await;
            } else {
                sys_mlock(cpu, vma, area.policy).await;
            }
        }
        Call::Munlock(span) => sys_munlock(cpu, place(program, span).0).await,
        Call::Mlockall(process) => {
            let policies = program.vmas(process).iter().map(|area| area.policy).collect();
            sys_mlockall(cpu, process, policies).await;
        }
        Call::Munmap(span) => do_munmap(cpu, place(program, span).0).await,
        Call::Madvise(span, Advice::Dontneed) => {
            let (vma, _, range) = place(program, span);
            madvise_dontneed(cpu, vma, range.start, range.end).await;
        }
        Call::Fork { process, child } => dup_mmap(cpu, process, child, program.vmas(process).len() as u8).await,
        Call::Drain { all: false } => lru_add_drain(cpu).await,
        Call::Drain { all: true } => lru_add_drain_all(cpu).await,
        Call::Isolate(span) => {
            let (vma, _, range) = place(program, span);
            isolate_range(cpu, vma, range.start, range.end).await;
        }
        _ => {}
    }
    None
}

async fn access(cpu: &Cpu, program: &'static Program, span: Span, write: bool) {
    let (vma, area, range) = place(program, span);
    let mut addr = range.start;
    while addr < range.end {
        do_page_fault(cpu, vma, addr, area.policy, write).await;
        addr += area.policy.unit();
        cpu.pause().await;
    }
}

// mlock of a VMA that is locked already changes nothing, but drains as any mlock does.
async fn mlock_and_drain(cpu: &Cpu, vma: VmaId) {
    let locked = { cpu.machine().vma(vma).locked };
    if !locked {
        mlock_call::sys_mlock(cpu, vma).await;
    } else if cpu.has(Patch::AsyncDrain) {
        lru_add_drain_all_async(cpu).await;
    } else if !cpu.has(Patch::NoMlockDrain) {
        lru_add_drain_all(cpu).await;
    }
}

async fn with_allocator(cpu: &Cpu, program: &'static Program, blocks: &Blocks, call: &Call) -> Option<u32> {
    match *call {
        Call::Touch(span) => {
            let (vma, _, range) = place(program, span);
            for addr in range {
                let present = { vm_normal_page(cpu.machine().pte(vma.mm, addr)).is_some() };
                // Where no page is free the access can't be made, and those behind it neither.
                if !present && !mmu_gather::handle_mm_fault(cpu, vma, addr, 0).await {
                    break;
                }
                cpu.let_others_run().await;
            }
        }
        Call::Munmap(span) => mmu_gather::do_munmap(cpu, place(program, span).0, 0, 0).await,
        Call::Drain { .. } => lru_add_drain(cpu).await,
        Call::DrainPcp { zone } => drain_local_pages(cpu, zone).await,
        Call::Alloc { zone, order, block } => alloc_block(cpu, blocks, zone, order, block).await,
        Call::Free { block } => free_block(cpu, blocks, block).await,
        Call::IsolateBlock { zone, range, undo } => {
            // A block of both pageblocks is on the lists of the first one's type: that one opens last.
            let first = range << (MAX_ORDER - 1);
            for page in [first, first + PAGEBLOCK_NR] {
                if undo {
                    unset_migratetype_isolate(cpu, zone, 2 * first + PAGEBLOCK_NR - page).await;
                } else {
                    set_migratetype_isolate(cpu, zone, page).await;
                }
            }
        }
        _ => {}
    }
    None
}

async fn alloc_block(cpu: &Cpu, blocks: &Blocks, zone: u8, order: u8, block: u8) {
    if blocks.borrow().contains_key(&block) {
        let text = format!("block {block} is allocated and has not been freed");
        cpu.bug(ALLOCATED_ONCE, text).await;
        return;
    }
    // The number is taken before the page is there, so that nobody else takes it meanwhile.
    blocks.borrow_mut().insert(block, None);
    let page = match order {
        0 => get_page_from_freelist(cpu, zone, MigrateType::Movable).await,
        _ => rmqueue(cpu, zone, order, MigrateType::Movable).await,
    };
    blocks.borrow_mut().insert(block, page.map(|page| (page, order)));
}

async fn free_block(cpu: &Cpu, blocks: &Blocks, block: u8) {
    let taken = { blocks.borrow_mut().remove(&block) };
    let Some(taken) = taken else {
        cpu.bug(FREED_ONCE, format!("block {block} is not allocated")).await;
        return;
    };
    let Some((page, order)) = taken else { return };
    if !cpu.put_page_testzero(page, Site::PutPage, Held::Map).await {
        return;
    }
    free_the_page(cpu, page, order).await;
}

async fn with_swap(cpu: &Cpu, program: &'static Program, call: &Call) -> Option<u32> {
    match *call {
        Call::Touch(span) => access_timed(cpu, program, span, true).await,
        Call::Read(span) => access_timed(cpu, program, span, false).await,
        Call::Madvise(span, advice) => {
            let (vma, _, range) = place(program, span);
            let dontneed = advice == Advice::Dontneed || cpu.has(Patch::ProgramDontneed);
            swap_interrupts(cpu).await;
            sys_madvise(cpu, vma, range.start, range.end, dontneed).await;
            return Some((range.end - range.start) / PAGES_PER_TICK);
        }
        Call::Munmap(span) => {
            let (vma, _, range) = place(program, span);
            swap_interrupts(cpu).await;
            cpu.down(LockClass::MmapSem, true, u32::from(vma.mm)).await;
            memory_swap::zap_page_range(cpu, vma, range.start, range.end).await;
            cpu.up(LockClass::MmapSem, true, u32::from(vma.mm)).await;
            return Some((range.end - range.start) / PAGES_PER_TICK);
        }
        Call::Exit(process) => {
            for vma in 0..program.vmas(process).len() as u8 {
                exit_mmap(cpu, VmaId { mm: process, vma }).await;
            }
        }
        Call::Reclaim { zone, pages } => {
            swap_interrupts(cpu).await;
            let mut ticks = 0;
            __zone_reclaim(cpu, zone, pages, &mut ticks).await;
            return Some(ticks);
        }
        _ => {}
    }
    None
}

// A fault that has to wait for a write is made again.
async fn access_timed(cpu: &Cpu, program: &'static Program, span: Span, write: bool) {
    let (vma, _, range) = place(program, span);
    let mut addr = range.start;
    while addr < range.end {
        if user::touch(cpu, vma, addr, write, 0).await {
            addr += 1;
        }
        cpu.pause().await;
    }
}

async fn with_folios(cpu: &Cpu, program: &'static Program, call: &Call) -> Option<u32> {
    match *call {
        Call::Madvise(span, _) => madvise_pageout(cpu, place(program, span).0).await,
        Call::Unmap(span) => reclaim_range(cpu, place(program, span).0).await,
        Call::Drain { .. } => lru_add_drain(cpu).await,
        _ => {}
    }
    None
}
