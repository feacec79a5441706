//! Micro-operations of unmapping by the reverse map: PTEs, TLBs, counts of folios, statistics.

use alloc::format;
use alloc::string::{String, ToString};

use super::Outcome;
use super::name::pte_text;
use crate::ledger::Count;
use crate::machine::{Member, NIL, PTRS_PER_PTE, Pfn, Stat};
use crate::named::named;

/// Why a PTE is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Look {
    /// By the walk, to find the next mapping.
    Walk,
    /// By the code that unmaps, to know the page.
    Read,
    /// To see where a batch ends.
    Ahead,
    /// By the walk that collects references.
    Age,
}

named! {
    /// Steps that change nothing here, and are worth a count or a look.
    enum Note,
    /// Name in transcripts.
    name {
        /// mmu_notifier_invalidate_range_start
        NotifierStart = "mmu_notifier_invalidate_range_start",
        /// mmu_notifier_invalidate_range_end; the argument is what try_to_unmap_one returns, and the address space times 2.
        NotifierEnd = "mmu_notifier_invalidate_range_end",
        /// mmu_notifier_invalidate_range of one address.
        Notify = "mmu_notifier_invalidate_range",
        /// PageHeadHuge
        PageHeadHuge = "PageHeadHuge",
        /// PageHuge
        PageHuge = "PageHuge",
        /// The test of PG_hwpoison.
        HwpoisonTest = "PageHWPoison",
        /// The walk and the range are copied for a call.
        ByValue = "copy of the walk",
        /// rcu_read_lock and the memcg of the folio: one statistics call begins; the argument is how many pages it counts.
        StatBegin = "rcu_read_lock",
        /// rcu_read_unlock: the statistics call ends.
        StatEnd = "rcu_read_unlock",
        /// The anonymous folio is swapbacked and not in the swap cache, or the other way round.
        Warn = "WARN_ON_ONCE",
    }
}

/// One micro-operation of the series. Twelve bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RmapOp {
    /// Reads the entry with an index in the page table of an address; returns it.
    Look { why: Look, mm: u8, index: u16, addr: u32 },
    /// Exchanges the entry with none (locked); returns the old one.
    Xchg { mm: u8, index: u16, addr: u32 },
    /// Writes the entry (plain).
    Put { mm: u8, index: u16, addr: u32, pte: u32 },
    /// Test-and-clears the young bit of the entry (locked).
    MkOld { mm: u8, index: u16, addr: u32 },
    /// User code reads or writes an address: through the TLB, or by a walk of the hardware that fills it. Returns the
    /// page, or [`NIL`] where it would fault.
    Touch { mm: u8, write: bool, vpn: u32 },
    /// Raises tlb_gen (locked); `flush` where a flush follows.
    GenInc { mm: u8, flush: bool },
    /// Takes one address out of this CPU's TLB.
    Invlpg { mm: u8, vpn: u32 },
    /// Empties this CPU's TLB.
    FullFlush,
    /// local_tlb_gen := tlb_gen
    CaughtUp { mm: u8 },
    /// Another CPU is interrupted and empties its TLB if it lags; returns 1 where it did.
    Ipi { cpu: u8 },
    /// The CPUs of an address space are added to those that the task flushes later.
    UbcAdd { mm: u8, dirty: bool },
    /// One more flush of the address space is pending (locked).
    FlushBatched { mm: u8 },
    /// Nothing is left to flush later.
    UbcReset,
    /// Changes the CPU's part of a counter of rss_stat, or folds it (under its lock).
    Rss { mm: u8, member: Member, fold: bool, delta: i32 },
    /// update_hiwater_rss
    Hiwater { mm: u8 },
    /// Changes nothing.
    Note { what: Note, page: Pfn, arg: u32 },
    /// Adds to the memcg's statistics of this CPU.
    Memcg { item: Stat, delta: i32 },
    /// Adds to the lruvec's statistics of this CPU.
    Lruvec { item: Stat, delta: i32 },
    /// Sees that the cgroup is on the list of those with news; returns 1 where it was not.
    RstatUpdated,
    /// stats_updates of this CPU; `whole` hands all of it on (6.16 and later), else in units of 64. Returns what was
    /// added to the global count.
    StatsUpdates { by: u32, whole: bool },
    /// Changes `_nr_pages_mapped` (locked); returns the new value.
    NrMapped { folio: Pfn, delta: i32 },
    /// Raises `_entire_mapcount` and `_large_mapcount` (set-up only).
    Entire { folio: Pfn },
    /// Takes or releases the large-folio bit lock.
    Large { folio: Pfn, lock: bool },
    /// Changes `_large_mapcount`.
    LargeMapcount { folio: Pfn, delta: i32 },
    /// Changes the count of the slot of an address space.
    MmSlot { mm: u8, folio: Pfn, delta: i32 },
    /// Drops some references of mappings (locked); `test` looks for zero.
    RefSub { folio: Pfn, n: u32, test: bool },
    /// Exchanges a reference count with zero if it is what is expected (locked); returns 1 where it was.
    RefFreeze { folio: Pfn, refs: u32 },
    /// Raises or lowers a count of the swap map; returns 0 where that is not possible.
    Swap { entry: u32, dup: bool },
    /// Adds the address space to the mmlist.
    MmListAdd { mm: u8 },
    /// Queues the folio to be split.
    DeferSplit { folio: Pfn },
    /// Takes a folio out of the page cache.
    CacheDel { folio: Pfn },
}

impl RmapOp {
    /// The page whose words it touches.
    pub(super) fn page(&self) -> Option<Pfn> {
        match *self {
            RmapOp::Note { page, .. } => (page != NIL).then_some(page),
            RmapOp::NrMapped { folio, .. }
            | RmapOp::Entire { folio }
            | RmapOp::Large { folio, .. }
            | RmapOp::LargeMapcount { folio, .. }
            | RmapOp::MmSlot { folio, .. }
            | RmapOp::RefSub { folio, .. }
            | RmapOp::RefFreeze { folio, .. }
            | RmapOp::DeferSplit { folio }
            | RmapOp::CacheDel { folio } => Some(folio),
            _ => None,
        }
    }

    /// Address space and address of the entry that it reads or writes, which need not be the address of the walk.
    pub fn entry(&self) -> Option<(u8, u32)> {
        match *self {
            RmapOp::Look { mm, index, addr, .. }
            | RmapOp::Xchg { mm, index, addr }
            | RmapOp::Put { mm, index, addr, .. }
            | RmapOp::MkOld { mm, index, addr } => Some((mm, addr - addr % PTRS_PER_PTE + u32::from(index))),
            RmapOp::Touch { mm, vpn, .. } | RmapOp::Invlpg { mm, vpn } => Some((mm, vpn)),
            _ => None,
        }
    }

    pub(super) fn tally(&self, outcome: Outcome, mut add: impl FnMut(Count, u64)) {
        match *self {
            RmapOp::Look { why, .. } => {
                add(Count::Reads, 1);
                if why == Look::Ahead {
                    add(Count::PtePeeks, 1);
                }
            }
            RmapOp::Xchg { .. } | RmapOp::MkOld { .. } | RmapOp::FlushBatched { .. } => add(Count::OtherRmw, 1),
            RmapOp::Put { .. } => add(Count::PteWrites, 1),
            RmapOp::GenInc { flush, .. } => {
                add(Count::OtherRmw, 1);
                if flush {
                    add(Count::TlbFlushes, 1);
                }
            }
            RmapOp::Invlpg { .. } => add(Count::Invlpg, 1),
            RmapOp::FullFlush => add(Count::FullFlush, 1),
            RmapOp::Ipi { .. } => {
                add(Count::Ipis, 1);
                add(Count::FullFlush, u64::from(outcome.ret));
            }
            RmapOp::Rss { .. } => add(Count::RssCalls, 1),
            RmapOp::Hiwater { .. } => add(Count::Hiwater, 1),
            RmapOp::Note { what: Note::PageHeadHuge | Note::PageHuge, .. } => add(Count::HeadHuge, 1),
            RmapOp::Note { what: Note::ByValue, .. } => add(Count::ByValue, 1),
            RmapOp::Note { what: Note::StatBegin, .. } => add(Count::FolioStat, 1),
            RmapOp::RstatUpdated => add(Count::Rstat, 1),
            RmapOp::StatsUpdates { .. } if outcome.ret > 0 => add(Count::OtherRmw, 1),
            RmapOp::NrMapped { .. } => add(Count::NrMapped, 1),
            RmapOp::Large { lock: true, .. } => add(Count::LargeLock, 1),
            RmapOp::RefSub { .. } | RmapOp::RefFreeze { .. } => add(Count::RefSub, 1),
            _ => {}
        }
    }

    /// As a line of a transcript.
    pub(super) fn text(&self, ret: u32) -> String {
        match *self {
            RmapOp::Look { why, mm, index, addr } => {
                format!("{} entry {index} at {addr} of mm {mm}: {}", look_name(why), pte_text(ret))
            }
            RmapOp::Xchg { mm, index, addr } => {
                format!("PTE.xchg entry {index} at {addr} of mm {mm}, was {}", pte_text(ret))
            }
            RmapOp::Put { mm, index, addr, pte } => {
                format!("PTE entry {index} at {addr} of mm {mm} = {}", pte_text(pte))
            }
            RmapOp::MkOld { mm, index, addr } => {
                format!("young.test_and_clear entry {index} at {addr} of mm {mm}, was {ret}")
            }
            RmapOp::Touch { mm, write, vpn } => {
                let what = if write { "writes" } else { "reads" };
                format!("user code {what} {vpn} of mm {mm}: {}", pte_text(ret))
            }
            RmapOp::GenInc { mm, .. } => format!("tlb_gen.inc of mm {mm}"),
            RmapOp::Invlpg { mm, vpn } => format!("INVLPG {vpn} of mm {mm}"),
            RmapOp::FullFlush => "full TLB flush".to_string(),
            RmapOp::CaughtUp { mm } => format!("local_tlb_gen = tlb_gen of mm {mm}"),
            RmapOp::Ipi { cpu } => {
                format!("IPI to CPU {cpu}, which {}", if ret == 1 { "empties its TLB" } else { "has nothing to flush" })
            }
            RmapOp::UbcAdd { mm, dirty } => {
                format!("tlb_ubc gets the CPUs of mm {mm}{}", if dirty { ", writable" } else { "" })
            }
            RmapOp::FlushBatched { mm } => format!("tlb_flush_batched.inc of mm {mm}, pending {ret}"),
            RmapOp::UbcReset => "tlb_ubc is empty".to_string(),
            RmapOp::Rss { mm, member, fold, delta } => {
                format!("{} {delta:+} of mm {mm}{}", member.name(), if fold { ", folded" } else { "" })
            }
            RmapOp::Hiwater { mm } => format!("update_hiwater_rss of mm {mm}"),
            RmapOp::Note { what, page: NIL, .. } => what.name().to_string(),
            RmapOp::Note { what, page, .. } => format!("{} of page {page}", what.name()),
            RmapOp::Memcg { item, delta } => format!("memcg {} {delta:+}", item.name()),
            RmapOp::Lruvec { item, delta } => format!("lruvec {} {delta:+}", item.name()),
            RmapOp::RstatUpdated => format!("rstat updated: {}", if ret == 1 { "linked" } else { "linked already" }),
            RmapOp::StatsUpdates { by, .. } => format!("stats_updates +{by}, {ret} handed on"),
            RmapOp::NrMapped { folio, delta } => format!("_nr_pages_mapped {delta:+} folio {folio}, now {ret}"),
            RmapOp::Entire { folio } => format!("_entire_mapcount +1 folio {folio}"),
            RmapOp::Large { folio, lock } => {
                format!("_mm_ids.{} folio {folio}", if lock { "lock" } else { "unlock" })
            }
            RmapOp::LargeMapcount { folio, delta } => format!("_large_mapcount {delta:+} folio {folio}, now {ret}"),
            RmapOp::MmSlot { mm, folio, delta } => {
                format!("_mm_id_mapcount {delta:+} of mm {mm}, folio {folio}, now {ret}")
            }
            RmapOp::RefSub { folio, n, .. } => format!("_refcount.sub {n} folio {folio}, now {ret}"),
            RmapOp::RefFreeze { folio, refs } => {
                format!(
                    "_refcount.freeze {refs} folio {folio}: {}",
                    if ret == 1 { "frozen" } else { "somebody holds it" }
                )
            }
            RmapOp::Swap { entry, dup } => {
                let what = if dup { "swap_duplicate" } else { "swap_free" };
                format!("{what} {entry}{}", if ret == 1 { "" } else { ": failed" })
            }
            RmapOp::MmListAdd { mm } => format!("mm {mm} on the mmlist"),
            RmapOp::DeferSplit { folio } => format!("folio {folio} queued to be split"),
            RmapOp::CacheDel { folio } => format!("folio {folio} out of the page cache"),
        }
    }
}

fn look_name(why: Look) -> &'static str {
    match why {
        Look::Walk => "walk looks at",
        Look::Read => "read",
        Look::Ahead => "peek at",
        Look::Age => "age looks at",
    }
}
