//! Sets memory up by running the kernel's own fault path, as populate of a locked mapping does.

use alloc::vec;
use alloc::vec::Vec;

use super::VMA;
use super::layout::{Layout, PageKind};
use crate::engine::{Cpu, Engine};
use crate::kernel::huge_memory::do_huge_pmd_anonymous_page;
use crate::kernel::memory::{copy_one_pte, do_anonymous_page, mlock_vma_pages_populate};
use crate::kernel::mlock_batch::mlock_folio;
use crate::kernel::swap::lru_add_drain;
use crate::kernel::truncate::filemap_fault;
use crate::kernel::{Config, Patch};
use crate::machine::{
    HPAGE_PMD_NR, Machine, MachineSpec, Mapping, NIL, PTE_NONE, PTE_ZERO, PTRS_PER_PTE, Pmd, Vma, VmaId,
};

/// A machine whose range is populated; nothing is in the pagevecs of CPU 0 and no counter has a difference.
pub(super) fn memory(config: Config, layout: &Layout) -> Engine {
    let mut engine = Engine::new(config, Machine::new(&spec(layout)));
    spaces(&mut engine, layout, &[false, true]);
    populate(&mut engine, layout);
    engine.machine_mut().fold_diffs();
    engine
}

fn spec(layout: &Layout) -> MachineSpec {
    let mut sizes = vec![0; layout.zones as usize];
    for index in 0..layout.kinds.len() as u32 {
        if !matches!(layout.kinds[index as usize], PageKind::Hole | PageKind::Zero) {
            sizes[layout.zone_of(index) as usize] += layout.unit();
        }
    }
    // A zone starts where a huge page may start.
    let align = if layout.thp { HPAGE_PMD_NR } else { 1 };
    let zones = sizes.iter().map(|size: &u32| size.next_multiple_of(align)).collect();
    MachineSpec { cpus: layout.cpus, zones, threshold: layout.threshold }
}

/// The process under study, and one more for each kind of sharing that the layout has.
fn spaces(engine: &mut Engine, layout: &Layout, others: &[bool]) {
    let mut machine = engine.machine_mut();
    let pages = layout.pages();
    let cache = if layout.file { vec![NIL; pages as usize] } else { Vec::new() };
    let mapping =
        machine.add_mapping(Mapping { file: layout.file, unevictable: layout.unevictable, vmas: Vec::new(), cache });
    let start = layout.pmd_start;
    let vma = Vma { start, end: start + pages, locked: false, mapping, pgoff: 0 };
    let kinds = [PageKind::Shared, PageKind::SharedLocked];
    let wanted = core::iter::once(false)
        .chain(others.iter().zip(kinds).filter(|&(_, kind)| layout.has(kind)).map(|(&locked, _)| locked));
    for locked in wanted {
        let mm = machine.add_mm(start + pages);
        machine.mms[mm as usize].vmas.push(Vma { locked, ..vma });
        machine.mappings[mapping as usize].vmas.push(VmaId { mm, vma: 0 });
    }
}

fn populate(engine: &mut Engine, layout: &Layout) {
    if layout.has(PageKind::InRemotePagevec) {
        let layout = layout.clone();
        engine.spawn("populate", 1, |cpu| async move { fault_all(&cpu, &layout, PageKind::InRemotePagevec).await });
        finish(engine);
    }
    let layout = layout.clone();
    engine.spawn("populate", 0, |cpu| async move { mmap_locked(&cpu, &layout).await });
    finish(engine);
}

fn finish(engine: &mut Engine) {
    let ended = engine.run();
    debug_assert!(matches!(ended, Ok(crate::engine::Outcome::Finished)), "the set-up runs to its end");
}

// Pages that mlock will not reach are there before the VMA is locked.
async fn mmap_locked(cpu: &Cpu, layout: &Layout) {
    fault_all(cpu, layout, PageKind::NotMlocked).await;
    lru_add_drain(cpu).await;
    cpu.set_vm_locked(VMA, true).await;
    for (index, &kind) in layout.kinds.iter().enumerate() {
        if matches!(kind, PageKind::Hole | PageKind::NotMlocked) {
            continue;
        }
        let index = index as u32;
        let (addr, zone) = (layout.pmd_start + index * layout.unit(), layout.zone_of(index));
        if kind == PageKind::Zero {
            map_zero_page(cpu, addr, layout.thp).await;
            continue;
        }
        if layout.file && cpu.machine().pte(VMA.mm, addr) == PTE_NONE {
            filemap_fault(cpu, VMA, addr, zone).await;
        }
        mlock_vma_pages_populate(cpu, VMA, addr, zone, layout.thp).await;
        share(cpu, layout, kind, addr).await;
        cpu.pause().await;
    }
    lru_add_drain(cpu).await;
}

// A read fault on anonymous memory: the zero page, which populate of a writable mapping never leaves there.
async fn map_zero_page(cpu: &Cpu, addr: u32, huge: bool) {
    let pmd = addr / PTRS_PER_PTE;
    if huge {
        cpu.set_pmd_at(VMA.mm, pmd, NIL).await;
        return;
    }
    if cpu.pmd(VMA.mm, addr) == Pmd::None {
        cpu.pmd_populate(VMA.mm, pmd).await;
    }
    cpu.set_pte_at(VMA.mm, addr, PTE_ZERO).await;
}

// Another process maps the page too; where it has locked its VMA, it mlocks the page as well.
async fn share(cpu: &Cpu, layout: &Layout, kind: PageKind, addr: u32) {
    let mm = match kind {
        PageKind::Shared => 1,
        PageKind::SharedLocked => 1 + u8::from(layout.has(PageKind::Shared)),
        _ => return,
    };
    copy_one_pte(cpu, VMA, VmaId { mm, vma: 0 }, addr).await;
    if kind == PageKind::SharedLocked && cpu.has(Patch::MlockBatch) {
        lru_add_drain(cpu).await;
        let page = cpu.machine().pte(VMA.mm, addr);
        mlock_folio(cpu, page).await;
    }
}

async fn fault_all(cpu: &Cpu, layout: &Layout, wanted: PageKind) {
    for (index, &kind) in layout.kinds.iter().enumerate() {
        if kind == wanted {
            let index = index as u32;
            let (addr, zone) = (layout.pmd_start + index * layout.unit(), layout.zone_of(index));
            if layout.file {
                filemap_fault(cpu, VMA, addr, zone).await;
            } else if layout.thp {
                do_huge_pmd_anonymous_page(cpu, VMA, addr, zone).await;
            } else {
                do_anonymous_page(cpu, VMA, addr, zone).await;
            }
        }
    }
}

/// Two processes with a populated range each, their pages alternating in one zone.
pub(super) fn two_processes(config: Config, pages: u32) -> Engine {
    let layout = Layout { cpus: 2, ..Layout::plain(pages) };
    let size = 2 * pages;
    let machine = Machine::new(&MachineSpec { cpus: 2, zones: vec![size], threshold: layout.threshold });
    let mut engine = Engine::new(config, machine);
    for _ in 0..2 {
        let mut machine = engine.machine_mut();
        let mapping =
            machine.add_mapping(Mapping { file: false, unevictable: false, vmas: Vec::new(), cache: Vec::new() });
        let mm = machine.add_mm(pages);
        machine.mms[mm as usize].vmas.push(Vma { start: 0, end: pages, locked: true, mapping, pgoff: 0 });
        machine.mappings[mapping as usize].vmas.push(VmaId { mm, vma: 0 });
    }
    engine.spawn("populate", 0, move |cpu| async move {
        for addr in 0..pages {
            for mm in 0..2 {
                mlock_vma_pages_populate(&cpu, VmaId { mm, vma: 0 }, addr, 0, false).await;
            }
        }
        lru_add_drain(&cpu).await;
    });
    finish(&mut engine);
    engine.machine_mut().fold_diffs();
    engine
}
