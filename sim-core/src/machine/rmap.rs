//! What unmapping by the reverse map needs beside pages and page tables: counts of folios, TLBs, the counters of each
//! address space, the memcg statistics of each CPU, the swap map.
//!
//! Only machines of the rmap-unmap series have it ([`super::Machine::rmap`]).

use alloc::vec;
use alloc::vec::Vec;

use super::{LockClass, LockState, Machine, NIL, PTE_SWAP, Pfn, STATS, Stat};
use crate::named::named;

/// What `_nr_pages_mapped` is raised by while a pmd maps the folio (later ENTIRELY_MAPPED).
pub const COMPOUND_MAPPED: i32 = 0x80_0000;
/// percpu_counter_batch of the machine that was measured: 96 CPUs, however many are simulated.
pub const PERCPU_BATCH: i32 = 192;
/// Its online CPUs.
pub const ONLINE_CPUS: i64 = 96;
/// MEMCG_CHARGE_BATCH
pub const MEMCG_BATCH: u32 = 64;
/// stat_threshold of its zones.
pub const NODE_THRESHOLD: i8 = 125;
/// tlb_single_page_flush_ceiling, in pages.
pub const FLUSH_CEILING: u32 = 33;
/// No address space.
const NO_MM: u8 = u8::MAX;

named! {
    /// Counters of mm->rss_stat.
    enum Member,
    /// Kernel name.
    name {
        /// MM_FILEPAGES
        File = "MM_FILEPAGES",
        /// MM_ANONPAGES
        Anon = "MM_ANONPAGES",
        /// MM_SWAPENTS
        Swap = "MM_SWAPENTS",
        /// MM_SHMEMPAGES
        Shmem = "MM_SHMEMPAGES",
    }
}

/// Counters and TLB state of one address space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RmapMm {
    /// rss_stat[..].count, by [`Member`].
    pub rss: [i64; 4],
    /// The per-CPU parts of it: each CPU, by [`Member`].
    pub rss_cpu: Vec<[i32; 4]>,
    /// hiwater_rss, in pages.
    pub hiwater: u64,
    /// context.tlb_gen
    pub tlb_gen: u64,
    /// tlb_flush_batched: bits 0 to 14 pending, 16 to 30 flushed.
    pub flush_batched: u32,
    /// mm_cpumask: a bit for each CPU.
    pub cpumask: u32,
    /// It is on the mmlist.
    pub on_mmlist: bool,
}

/// What a folio has beside its pages; kept at its head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FolioState {
    /// `_nr_pages_mapped`: mapped pages, plus [`COMPOUND_MAPPED`].
    pub nr_mapped: i32,
    /// `_entire_mapcount` + 1: pmds that map it.
    pub entire: i32,
    /// `_large_mapcount` + 1: all mappings (6.10 and later).
    pub large: i32,
    /// `_mm_id_mapcount` + 1 of the two slots.
    pub slots: [i32; 2],
    /// Address spaces in the slots; 255 is none.
    pub owners: [u8; 2],
    /// The large-folio bit lock is taken.
    pub locked: bool,
    /// Not exclusive to one address space.
    pub shared: bool,
    /// `_pincount`
    pub pincount: i32,
    /// First of its swap entries; [`NIL`] is none.
    pub swap: u32,
    /// On the deferred-split queue.
    pub split_queued: bool,
}

impl FolioState {
    /// A folio that nothing maps.
    pub const NEW: FolioState = FolioState {
        nr_mapped: 0,
        entire: 0,
        large: 0,
        slots: [0; 2],
        owners: [NO_MM; 2],
        locked: false,
        shared: false,
        pincount: 0,
        swap: NIL,
        split_queued: false,
    };
}

/// The TLB of one CPU. An entry is valid while its epoch is that of the TLB: a full flush begins a new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tlb {
    /// Address space that is loaded; 255 is none but the kernel's own.
    pub loaded_mm: u8,
    /// local_tlb_gen of that address space.
    pub local_gen: u64,
    /// A kernel thread runs on a borrowed address space.
    pub lazy: bool,
    /// Current epoch, from 1.
    pub epoch: u32,
    /// Epoch and page of each address: `mm * span + address`.
    pub entries: Vec<(u32, Pfn)>,
}

/// Memcg statistics of one CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemcgCpu {
    /// vmstats_percpu->state
    pub memcg: [i32; STATS],
    /// lruvec_stats_percpu->state
    pub lruvec: [i32; STATS],
    /// stats_updates
    pub updates: u32,
    /// The cgroup is on the list of those with news.
    pub linked: bool,
}

/// current->tlb_ubc of one task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ubc {
    /// CPUs to flush.
    pub cpumask: u32,
    /// flush_required
    pub required: bool,
    /// writable
    pub writable: bool,
}

/// Everything of the series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RmapState {
    /// Beside [`super::Mm`].
    pub mms: Vec<RmapMm>,
    /// By frame; only heads say something.
    pub folios: Vec<FolioState>,
    /// Heads of the folios of the range, in order.
    pub range: Vec<Pfn>,
    /// One for each CPU.
    pub tlbs: Vec<Tlb>,
    /// Addresses of one address space in [`Tlb::entries`].
    pub span: u32,
    /// One for each CPU.
    pub memcg: Vec<MemcgCpu>,
    /// stats_flush_threshold (6.3), stats_updates of the memcg (6.16 and later).
    pub stats_flush: i64,
    /// swap_map: uses of each entry, the swap cache left out.
    pub swap_map: Vec<u8>,
    /// Entry whose count can't be raised: its continuation page can't be allocated.
    pub fail_swap: u32,
    /// One for each task.
    pub ubcs: Vec<Ubc>,
    /// Locks of the rss counters: `mm * 4 + member`.
    pub rss_locks: Vec<LockState>,
    /// swap cluster, mmlist, i_lock, i_pages.
    pub locks: [LockState; 4],
}

impl RmapState {
    /// For `frames` page frames, `mms` address spaces of `span` addresses and `cpus` CPUs; nothing is mapped.
    pub fn new(frames: u32, mms: u8, span: u32, cpus: u8, swap: u32) -> RmapState {
        let cpus = usize::from(cpus);
        let mm = RmapMm {
            rss: [0; 4],
            rss_cpu: vec![[0; 4]; cpus],
            hiwater: 0,
            tlb_gen: 1,
            flush_batched: 0,
            cpumask: 0,
            on_mmlist: false,
        };
        let tlb = Tlb {
            loaded_mm: NO_MM,
            local_gen: 1,
            lazy: false,
            epoch: 1,
            entries: vec![(0, NIL); (u32::from(mms) * span) as usize],
        };
        RmapState {
            mms: vec![mm; usize::from(mms)],
            folios: vec![FolioState::NEW; frames as usize],
            range: Vec::new(),
            tlbs: vec![tlb; cpus],
            span,
            memcg: vec![MemcgCpu { memcg: [0; STATS], lruvec: [0; STATS], updates: 0, linked: true }; cpus],
            stats_flush: 0,
            swap_map: vec![0; swap as usize],
            fail_swap: NIL,
            ubcs: vec![Ubc::default(); 8],
            rss_locks: vec![LockState::FREE; usize::from(mms) * 4],
            locks: [LockState::FREE; 4],
        }
    }

    /// Puts all per-CPU parts at zero, as a run starts: the counts of address spaces are exact, those of the memcg are
    /// flushed.
    pub fn settle(&mut self) {
        for mm in &mut self.mms {
            for cpu in &mut mm.rss_cpu {
                for (count, part) in mm.rss.iter_mut().zip(cpu) {
                    *count += i64::from(core::mem::take(part));
                }
            }
        }
        for cpu in &mut self.memcg {
            *cpu = MemcgCpu { memcg: [0; STATS], lruvec: [0; STATS], updates: 0, linked: true };
        }
        self.stats_flush = 0;
    }

    /// rss_stat with all per-CPU parts.
    pub fn rss(&self, mm: u8, member: Member) -> i64 {
        let mm = &self.mms[usize::from(mm)];
        mm.rss[member as usize] + mm.rss_cpu.iter().map(|cpu| i64::from(cpu[member as usize])).sum::<i64>()
    }

    /// A memcg statistic over all CPUs, since the run began.
    pub fn memcg_stat(&self, item: Stat) -> i64 {
        self.memcg.iter().map(|cpu| i64::from(cpu.memcg[item as usize])).sum()
    }

    /// An lruvec statistic over all CPUs, since the run began.
    pub fn lruvec_stat(&self, item: Stat) -> i64 {
        self.memcg.iter().map(|cpu| i64::from(cpu.lruvec[item as usize])).sum()
    }

    /// The page that a CPU has in its TLB for an address.
    pub fn cached(&self, cpu: u8, mm: u8, vpn: u32) -> Option<Pfn> {
        let tlb = &self.tlbs[usize::from(cpu)];
        let (epoch, page) = *tlb.entries.get(self.slot(mm, vpn))?;
        (epoch == tlb.epoch).then_some(page)
    }

    /// Where an address stands in [`Tlb::entries`].
    pub fn slot(&self, mm: u8, vpn: u32) -> usize {
        (u32::from(mm) * self.span + vpn) as usize
    }

    pub(super) fn lock(&self, class: LockClass, index: usize) -> &LockState {
        match other(class) {
            Some(at) => &self.locks[at],
            None => &self.rss_locks[index],
        }
    }

    pub(super) fn lock_mut(&mut self, class: LockClass, index: usize) -> &mut LockState {
        match other(class) {
            Some(at) => &mut self.locks[at],
            None => &mut self.rss_locks[index],
        }
    }
}

fn other(class: LockClass) -> Option<usize> {
    match class {
        LockClass::SwapCluster => Some(0),
        LockClass::MmList => Some(1),
        LockClass::ILock => Some(2),
        LockClass::XaLock => Some(3),
        _ => None,
    }
}

/// A PTE that names a swap entry.
pub const fn swap_pte(entry: u32) -> u32 {
    PTE_SWAP | entry
}

impl Machine {
    /// The state of the series. Only kernel code of the series asks.
    pub fn rmap(&self) -> &RmapState {
        self.rmap.as_deref().expect("a machine of the rmap-unmap series")
    }

    pub(crate) fn rmap_mut(&mut self) -> &mut RmapState {
        self.rmap.as_deref_mut().expect("a machine of the rmap-unmap series")
    }

    /// Head of the compound page that a frame belongs to; a small page is its own.
    pub fn compound_head(&self, pfn: Pfn) -> Pfn {
        if !self.page(pfn).has(super::PageFlag::Tail) {
            return pfn;
        }
        let heads = (1..=super::HPAGE_PMD_ORDER).rev().map(|order| pfn & !((1 << order) - 1));
        let is_head = |&head: &Pfn| {
            let page = self.page(head);
            page.has(super::PageFlag::Head) && pfn - head < page.nr()
        };
        heads.into_iter().find(is_head).unwrap_or(pfn)
    }

    /// What an entry of the page table of an address holds, by its index; behind the end of the table there are zeros.
    pub fn entry(&self, mm: u8, addr: u32, index: u16) -> u32 {
        match self.pmd(mm, addr) {
            super::Pmd::Table(table) if u32::from(index) < super::PTRS_PER_PTE => {
                self.tables[(table * super::PTRS_PER_PTE + u32::from(index)) as usize]
            }
            _ => super::PTE_NONE,
        }
    }
}
