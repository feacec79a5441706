//! Sets memory up: folios into memory, PTEs over them, TLBs filled, counters exact.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::RmapLayout;
use crate::engine::{Cpu, Engine};
use crate::kernel::Config;
use crate::kernel::rmap_map::{FolioKind, add_folio, do_set_pte, drop_first_reference};
use crate::kernel::swap::lru_add_drain;
use crate::ledger::Site;
use crate::machine::{
    COMPOUND_MAPPED, HPAGE_PMD_NR, Machine, MachineSpec, Mapping, NIL, NO_MAPPING, NODE_THRESHOLD, PTE_DIRTY,
    PTE_WRITE, PageFlag, Pfn, RmapState, Vma, VmaId, pte_page,
};
use crate::op::Held;

impl RmapLayout {
    /// A machine whose range is mapped, clean and old, with every address of it in the TLB of who has it loaded.
    pub fn set_up(&self, config: Config) -> Engine {
        let machine = self.machine();
        let mut engine = Engine::new(config, machine);
        let layout = self.clone();
        engine.spawn("populate", 0, |cpu| async move { populate(&cpu, &layout).await });
        let ended = engine.run();
        debug_assert!(matches!(ended, Ok(crate::engine::Outcome::Finished)), "the set-up runs to its end");
        let mut machine = engine.machine_mut();
        self.mark(&mut machine);
        self.fill_tlbs(&mut machine);
        machine.fold_diffs();
        machine.rmap_mut().settle();
        drop(machine);
        engine
    }

    fn machine(&self) -> Machine {
        let pages = self.pages();
        let spec = MachineSpec { cpus: self.cpus, zones: vec![self.frames()], threshold: NODE_THRESHOLD };
        let mut machine = Machine::new(&spec);
        let file = self.kind == FolioKind::File;
        let cache = if file { vec![NIL; pages as usize] } else { Vec::new() };
        let mapping = machine.add_mapping(Mapping { file, unevictable: false, vmas: Vec::new(), cache });
        let span = self.start + pages;
        for process in 0..self.processes {
            let mm = machine.add_mm(span.next_multiple_of(HPAGE_PMD_NR));
            let (first, last) = self.clip.filter(|_| process == 0).unwrap_or((0, pages.saturating_sub(1)));
            let vma =
                Vma { start: self.start + first, end: self.start + last + 1, locked: false, mapping, pgoff: first };
            machine.mms[usize::from(mm)].vmas.push(vma);
            machine.mappings[usize::from(mapping)].vmas.push(VmaId { mm, vma: 0 });
        }
        let swap = if self.kind == FolioKind::Anon { pages } else { 0 };
        machine.rmap = Some(Box::new(RmapState::new(self.frames(), self.processes, span, self.cpus, swap)));
        machine
    }

    /// Flags and numbers that no code of the model sets.
    fn mark(&self, machine: &mut Machine) {
        let mut heads: Vec<(u32, Pfn)> = (0..machine.pages.len() as u32)
            .filter(|&pfn| machine.page(pfn).mapping != NO_MAPPING)
            .map(|pfn| (machine.page(pfn).index, pfn))
            .collect();
        heads.sort_unstable();
        for &(index, head) in &heads {
            if self.kind == FolioKind::Anon {
                machine.rmap_mut().folios[head as usize].swap = index;
            }
        }
        machine.rmap_mut().range = heads.iter().map(|&(_, head)| head).collect();
        machine.rmap_mut().fail_swap = self.fail_swap.unwrap_or(NIL);
        if let Some(page) = self.poisoned.and_then(|page| self.frame(machine, page)) {
            machine.page_mut(page).flags |= PageFlag::Hwpoison.bit();
        }
        if let Some(page) = self.pinned.and_then(|page| self.frame(machine, page)) {
            machine.page_mut(page).flags |= PageFlag::AnonExclusive.bit();
            let head = machine.compound_head(page);
            machine.rmap_mut().folios[head as usize].pincount = 1;
        }
    }

    /// Frame of a page of the range.
    pub fn frame(&self, machine: &Machine, page: u32) -> Option<Pfn> {
        let mut at = 0;
        for (&order, &head) in self.orders.iter().zip(&machine.rmap().range) {
            if page < at + (1 << order) {
                return Some(head + page - at);
            }
            at += 1 << order;
        }
        None
    }

    // User code has touched every page; since then the young bits have been cleared, without a flush.
    fn fill_tlbs(&self, machine: &mut Machine) {
        let Vma { start, end, .. } = machine.mms[0].vmas[0];
        let pages: Vec<(u32, Pfn)> =
            (start..end).filter_map(|addr| Some((addr, pte_page(machine.pte(0, addr))?))).collect();
        let cpus = if self.threads { 2 } else { 1 };
        let rmap = machine.rmap_mut();
        for cpu in 0..cpus {
            for &(addr, page) in &pages {
                let slot = rmap.slot(0, addr);
                rmap.tlbs[cpu].entries[slot] = (1, page);
            }
            rmap.tlbs[cpu].loaded_mm = 0;
            rmap.mms[0].cpumask |= 1 << cpu;
        }
    }
}

async fn populate(cpu: &Cpu, layout: &RmapLayout) {
    let mut index = 0;
    for &order in &layout.orders {
        let folio = add_folio(cpu, 0, index, order, layout.kind).await;
        if layout.kind == FolioKind::Anon && !layout.swapcache {
            leave_swap_cache(cpu, folio).await;
        }
        for process in 0..layout.processes {
            map_folio(cpu, layout, process, folio, index, 1 << order).await;
        }
        if layout.by_pmd && index == 0 {
            map_by_pmd(cpu, folio).await;
        }
        if layout.extra_ref && index == 0 {
            cpu.get_page(folio, Site::FollowPage, Held::Pin).await;
        }
        index += 1 << order;
    }
    lru_add_drain(cpu).await;
    let heads: Vec<Pfn> = {
        let machine = cpu.machine();
        (0..machine.pages.len() as u32).filter(|&pfn| machine.page(pfn).mapping != NO_MAPPING).collect()
    };
    // What stood for the swap cache and was not in it, and lazyfree folios, are held by their PTEs alone.
    if layout.kind == FolioKind::Lazyfree || layout.kind == FolioKind::Anon && !layout.swapcache {
        for folio in heads {
            drop_first_reference(cpu, folio).await;
        }
    }
}

async fn leave_swap_cache(cpu: &Cpu, folio: Pfn) {
    let nr = cpu.page(folio).nr();
    cpu.change_flag(PageFlag::SwapCache, crate::ledger::How::Clear, folio).await;
    for _ in 1..nr {
        cpu.put_page_testzero(folio, Site::PageCache, Held::Cache).await;
    }
}

async fn map_folio(cpu: &Cpu, layout: &RmapLayout, process: u8, folio: Pfn, index: u32, nr: u32) {
    let vma = VmaId { mm: process, vma: 0 };
    let area = *cpu.machine().vma(vma);
    for i in 0..nr {
        let page = index + i;
        let shared = process == 0 || layout.shared.is_empty() || layout.shared.contains(&page);
        let covered = page >= area.pgoff && page - area.pgoff < area.end - area.start;
        if !covered || !shared || layout.holes.contains(&page) || process > 0 && layout.by_pmd {
            continue;
        }
        let mut pte = folio + i;
        if layout.kind != FolioKind::File {
            pte |= PTE_WRITE;
        }
        if layout.dirty.contains(&page) {
            pte |= PTE_DIRTY;
        }
        do_set_pte(cpu, vma, folio, folio + i, area.start + page - area.pgoff, pte).await;
    }
}

async fn map_by_pmd(cpu: &Cpu, folio: Pfn) {
    cpu.get_page(folio, Site::PageCache, Held::Map).await;
    cpu.add_nr_mapped(folio, COMPOUND_MAPPED).await;
    cpu.set_pmd_at(1, 0, folio).await;
    cpu.set_entire_mapped(folio).await;
}
