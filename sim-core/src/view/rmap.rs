//! What a picture of unmapping needs: folios with the counts of their pages, TLBs, counters, and the batch in hand.

use alloc::vec::Vec;

use super::PageNo;
use crate::engine::Timeline;
use crate::kernel::Patch;
use crate::machine::{Machine, Member, PTE_DIRTY, PTE_HWPOISON, PTE_YOUNG, PageFlag, Pfn, Stat, pte_page, pte_swap};

/// Everything of the series.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RmapView {
    /// Folios of the range, in order; a freed one stays in the picture.
    pub folios: Vec<FolioView>,
    /// TLB of each CPU.
    pub tlbs: Vec<TlbView>,
    /// Address spaces, the one under study first.
    pub mms: Vec<MmView>,
    /// Counters of mapped pages: of files, anonymous.
    pub stats: Vec<StatView>,
    /// Changes that the memcg's statistics of each CPU have not handed on; at 64 they are.
    pub updates: Vec<u32>,
    /// First page and length of the run that is cleared and not yet counted.
    pub batch: Option<(PageNo, u32)>,
}

/// One folio: a frame around its pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolioView {
    /// Its pages, the head first.
    pub pages: Vec<PageNo>,
    /// `_refcount`
    pub refs: i32,
    /// Mapped pages by `_nr_pages_mapped`; none for a small folio.
    pub nr_mapped: Option<i32>,
    /// `_large_mapcount` + 1; none for a small folio and before 6.16.
    pub mappings: Option<i32>,
    /// `_mapcount` + 1 of each page.
    pub mapcounts: Vec<i32>,
    /// Each page: its PTE is cleared and counted still.
    pub pending: Vec<bool>,
    /// PG_locked
    pub locked: bool,
    /// PG_dirty
    pub dirty: bool,
    /// It is free.
    pub free: bool,
}

/// The TLB of one CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlbView {
    /// CPU.
    pub cpu: u8,
    /// Address space that is loaded.
    pub mm: Option<u8>,
    /// Generations that it is behind; 0 is up to date.
    pub behind: u64,
    /// What it has, by address.
    pub entries: Vec<TlbEntryView>,
}

/// One translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TlbEntryView {
    /// Address space.
    pub mm: u8,
    /// Address, as a number in the range.
    pub address: u32,
    /// Page that it leads to.
    pub page: PageNo,
    /// The PTE says otherwise by now.
    pub stale: bool,
    /// And the page is free: whoever uses it reaches somebody else's memory.
    pub dangling: bool,
}

/// An address space beside its [`super::SpaceView`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MmView {
    /// Number.
    pub mm: u8,
    /// rss_stat with all per-CPU parts, in pages: file, anon, swap entries, shmem.
    pub rss: [i64; 4],
    /// Per-CPU part of CPU 0, which is folded at 192.
    pub rss_part: [i32; 4],
    /// tlb_gen
    pub tlb_gen: u64,
    /// Flushes that are pending.
    pub pending_flushes: u32,
    /// One for each address of the range.
    pub ptes: Vec<PteState>,
}

/// What a PTE holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PteState {
    /// Nothing.
    None,
    /// A page.
    Maps {
        /// Which.
        page: PageNo,
        /// It was used.
        young: bool,
        /// It was written to.
        dirty: bool,
    },
    /// An entry of the swap device.
    Swap(u32),
    /// A poisoned page.
    Poison,
}

/// A counter of mapped pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatView {
    /// Kernel name.
    pub name: &'static str,
    /// Its value with all per-CPU differences, in pages.
    pub value: i64,
    /// Difference of each CPU, folded beyond 125.
    pub diffs: Vec<i8>,
}

impl Timeline {
    pub(super) fn rmap_view(&self) -> Option<RmapView> {
        let machine = &self.world().machine;
        let rmap = machine.rmap.as_deref()?;
        let ptes = mapped_by_ptes(machine);
        let folios: Vec<FolioView> = rmap.range.iter().enumerate().map(|(at, _)| self.folio(at, &ptes)).collect();
        let zones = machine.zones.len();
        let stats = [Stat::FileMapped, Stat::AnonMapped].map(|item| StatView {
            name: item.name(),
            value: machine.stat(item),
            diffs: machine.diffs.iter().step_by(zones).map(|diff| diff[item as usize]).collect(),
        });
        Some(RmapView {
            batch: batch(&folios),
            folios,
            tlbs: (0..rmap.tlbs.len() as u8).map(|cpu| self.tlb(cpu)).collect(),
            mms: (0..machine.mms.len() as u8).map(|mm| self.mm_view(mm)).collect(),
            stats: stats.into(),
            updates: rmap.memcg.iter().map(|cpu| cpu.updates).collect(),
        })
    }

    // A folio keeps its size in the picture when it is freed: the next one's start says it.
    fn folio(&self, at: usize, ptes: &[i32]) -> FolioView {
        let machine = &self.world().machine;
        let rmap = machine.rmap();
        let head = rmap.range[at];
        let numbers = self.numbers();
        let first = numbers.of(head).unwrap_or(0);
        let next = rmap.range.get(at + 1).and_then(|&next| numbers.of(next));
        let nr = next.unwrap_or(numbers.frames().len() as u32) - first;
        let page = machine.page(head);
        let frames = head..head + nr;
        let large = nr > 1;
        let later = self.config().has(Patch::LazyfreeBatch);
        let state = rmap.folios[head as usize];
        FolioView {
            pages: (first..first + nr).collect(),
            refs: page.count,
            nr_mapped: large.then_some(state.nr_mapped & (crate::machine::COMPOUND_MAPPED - 1)),
            mappings: (large && later).then_some(state.large),
            mapcounts: frames.clone().map(|page| machine.page(page).mapcount).collect(),
            pending: frames.map(|page| machine.page(page).mapcount > ptes[page as usize]).collect(),
            locked: page.has(PageFlag::Locked),
            dirty: page.has(PageFlag::Dirty),
            free: page.has(PageFlag::Free),
        }
    }

    fn tlb(&self, cpu: u8) -> TlbView {
        let machine = &self.world().machine;
        let rmap = machine.rmap();
        let tlb = &rmap.tlbs[usize::from(cpu)];
        let loaded = rmap.mms.get(usize::from(tlb.loaded_mm));
        let mut entries = Vec::new();
        for (mm, space) in machine.mms.iter().enumerate() {
            let (mm, vma) = (mm as u8, space.vmas[0]);
            for vpn in vma.start..vma.end {
                let Some(page) = rmap.cached(cpu, mm, vpn) else { continue };
                let stale = pte_page(machine.pte(mm, vpn)) != Some(page);
                entries.push(TlbEntryView {
                    mm,
                    address: vpn - vma.start,
                    page: self.number_of(page),
                    stale,
                    dangling: stale && machine.page(page).has(PageFlag::Free),
                });
            }
        }
        TlbView {
            cpu,
            mm: loaded.is_some().then_some(tlb.loaded_mm),
            behind: loaded.map_or(0, |mm| mm.tlb_gen.saturating_sub(tlb.local_gen)),
            entries,
        }
    }

    fn mm_view(&self, mm: u8) -> MmView {
        let machine = &self.world().machine;
        let rmap = machine.rmap();
        let state = &rmap.mms[usize::from(mm)];
        let vma = machine.mms[usize::from(mm)].vmas[0];
        MmView {
            mm,
            rss: [Member::File, Member::Anon, Member::Swap, Member::Shmem].map(|member| rmap.rss(mm, member)),
            rss_part: state.rss_cpu[0],
            tlb_gen: state.tlb_gen,
            pending_flushes: state.flush_batched & 0x7fff,
            ptes: (vma.start..vma.end).map(|vpn| self.pte_state(machine.pte(mm, vpn))).collect(),
        }
    }

    fn pte_state(&self, pte: u32) -> PteState {
        if let Some(page) = pte_page(pte) {
            let (young, dirty) = (pte & PTE_YOUNG != 0, pte & PTE_DIRTY != 0);
            return PteState::Maps { page: self.number_of(page), young, dirty };
        }
        match (pte, pte_swap(pte)) {
            (PTE_HWPOISON, _) => PteState::Poison,
            (_, Some(entry)) => PteState::Swap(entry),
            _ => PteState::None,
        }
    }

    fn number_of(&self, page: Pfn) -> PageNo {
        self.numbers().of(page).unwrap_or(page)
    }
}

// The run of pages that are cleared and counted still.
fn batch(folios: &[FolioView]) -> Option<(PageNo, u32)> {
    folios.iter().find_map(|folio| {
        let at = folio.pending.iter().position(|&pending| pending)?;
        let length = folio.pending.iter().filter(|&&pending| pending).count() as u32;
        Some((folio.pages[at], length))
    })
}

fn mapped_by_ptes(machine: &Machine) -> Vec<i32> {
    let mut mapped = alloc::vec![0; machine.pages.len()];
    for page in machine.tables.iter().filter_map(|&pte| pte_page(pte)) {
        mapped[page as usize] += 1;
    }
    mapped
}
