//! Where pages are, and what holds references of them.

use alloc::collections::BTreeMap;

use super::{Lru, PagevecKind, Place};
use crate::kernel::{Config, Patch};
use crate::machine::{Machine, NIL, NO_MAPPING, NOBODY, Page, PageFlag, Pfn, Pv};

/// Slots of all pagevecs by page.
pub(super) struct Slots {
    // Per-CPU slots first, then those of stacks.
    slots: BTreeMap<Pfn, (PagevecKind, u8, u8)>,
    /// References that slots hold.
    held: BTreeMap<Pfn, i32>,
    /// Slots of the pagevec that waits to be put back.
    putback: BTreeMap<Pfn, (u8, u8)>,
    on_stack: BTreeMap<Pfn, (u8, u8)>,
}

impl Slots {
    pub fn new(machine: &Machine) -> Slots {
        let mut all = Slots {
            slots: BTreeMap::new(),
            held: BTreeMap::new(),
            putback: BTreeMap::new(),
            on_stack: BTreeMap::new(),
        };
        for cpu in 0..machine.cpus.len() as u8 {
            for kind in PagevecKind::PER_CPU {
                for (slot, &page) in machine.pagevec(Pv { kind, owner: cpu }).filled().iter().enumerate() {
                    *all.held.entry(page).or_default() += 1;
                    if kind.list().is_some() || kind == PagevecKind::Mlock {
                        all.slots.entry(page).or_insert((kind, cpu, slot as u8));
                    }
                }
            }
        }
        for task in 0..machine.tasks.len() as u8 {
            for (kind, map) in [(PagevecKind::Putback, &mut all.putback), (PagevecKind::OnStack, &mut all.on_stack)] {
                let filled = machine.pagevec(Pv { kind, owner: task }).filled().iter().enumerate();
                map.extend(filled.filter(|&(_, &page)| page != NIL).map(|(slot, &page)| (page, (task, slot as u8))));
            }
        }
        all
    }

    /// Where a page is.
    pub fn place(&self, machine: &Machine, config: Config, pfn: Pfn) -> Place {
        let pfn = machine.compound_head(pfn);
        let page = machine.page(pfn);
        if page.has(PageFlag::Free) || machine.in_allocator(pfn) && !page.has(PageFlag::Lru) {
            return Place::Free;
        }
        if listed(machine, config, pfn) {
            return Place::List { zone: page.zone(), lru: Lru::ALL[page.lru() as usize] };
        }
        if let Some(&(kind, cpu, slot)) = self.slots.get(&pfn) {
            return Place::Pagevec { cpu, kind, slot };
        }
        if page.isolator == NOBODY {
            return Place::New;
        }
        let cpu = machine.tasks[page.isolator as usize].cpu;
        let of_isolator = |&&(task, _): &&(u8, u8)| task == page.isolator;
        if let Some(&(_, slot)) = self.putback.get(&pfn).filter(of_isolator) {
            return Place::Pagevec { cpu, kind: PagevecKind::Putback, slot };
        }
        match self.on_stack.get(&pfn).filter(of_isolator) {
            Some(&(_, slot)) => Place::Pagevec { cpu, kind: PagevecKind::OnStack, slot },
            None => Place::Isolated { cpu },
        }
    }

    /// `_count` is above what maps, caches and slots hold.
    pub fn pinned(&self, machine: &Machine, pfn: Pfn) -> bool {
        let page = machine.page(pfn);
        let slots = self.held.get(&pfn).copied().unwrap_or(0);
        page.count > page.mapcount + slots + i32::from(cached(machine, page, pfn))
    }
}

fn cached(machine: &Machine, page: &Page, pfn: Pfn) -> bool {
    page.mapping != NO_MAPPING && machine.mappings[page.mapping as usize].cache.get(page.index as usize) == Some(&pfn)
}

/// The page is linked on the list that its flags name; the list without links is known by the flags alone.
fn listed(machine: &Machine, config: Config, pfn: Pfn) -> bool {
    let page = machine.page(pfn);
    if page.isolator != NOBODY {
        return false;
    }
    if config.has(Patch::MlockBatch) && page.has(PageFlag::Unevictable) {
        return true;
    }
    let list = &machine.zones[page.zone() as usize].lru[page.lru() as usize];
    let before = if page.prev == NIL { list.head } else { machine.page(page.prev).next };
    before == pfn
}
