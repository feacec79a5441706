//! The ledger as rows: what a table shows, in its order.

use alloc::vec::Vec;

use super::{Count, Ledger};
use crate::machine::{LockClass, PageFlag};

/// Part of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The sum of all atomics.
    Total,
    /// Atomics by word.
    Words,
    /// What is no atomic.
    Beside,
}

/// One row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Part of the table.
    pub group: Group,
    /// Stable key.
    pub key: &'static str,
    /// Label.
    pub label: &'static str,
    /// Value.
    pub value: u64,
}

/// Rows of the table, always the same ones in the same order. Those that are zero say nothing.
pub fn rows(ledger: &Ledger) -> Vec<Row> {
    let row = |group, key, label, value| Row { group, key, label, value };
    let word = |key, label, value| row(Group::Words, key, label, value);
    let beside = |key, label, value| row(Group::Beside, key, label, value);
    let lock = |class| ledger.lock(class).acquired;
    let mut rows = alloc::vec![
        row(Group::Total, "total", "all atomics", ledger.total_rmw()),
        word("count", "_count", ledger.refcount_rmw()),
        word("PG_locked", "PG_locked", ledger.flag_rmw(PageFlag::Locked)),
        word("PG_lru", "PG_lru", ledger.flag_rmw(PageFlag::Lru)),
        word("PG_mlocked", "PG_mlocked", ledger.flag_rmw(PageFlag::Mlocked)),
        word("PG_unevictable", "PG_unevictable", ledger.flag_rmw(PageFlag::Unevictable)),
        word("ptl", "ptl", lock(LockClass::Ptl) + lock(LockClass::PageTable)),
        word("lru_lock", "lru_lock", lock(LockClass::Lru)),
        word("zone_lock", "zone->lock", lock(LockClass::Zone)),
        word("pcp_lock", "pcp->lock", lock(LockClass::Pcp)),
        word("rwsem", "semaphores", ledger.count(Count::Rwsem)),
        word("folds", "vmstat folds", ledger.count(Count::Folds)),
        word("other_rmw", "PTEs and others", ledger.count(Count::OtherRmw)),
        beside("irq", "IRQ pairs", ledger.count(Count::IrqPairs)),
        beside("preempt", "preempt pairs", ledger.count(Count::PreemptPairs)),
        beside("list", "list moves", ledger.count(Count::ListDel) + ledger.count(Count::ListAdd)),
        beside("vmstat", "vmstat updates", ledger.vmstat_updates()),
        beside("events", "event updates", ledger.count(Count::EventUpdates)),
        beside("walks", "page-table walks", ledger.count(Count::Walks)),
        beside("sleeps", "sleeps", ledger.count(Count::Sleeps)),
    ];
    rows.extend(MORE.map(|(key, label, count)| beside(key, label, ledger.count(count))));
    rows
}

// What only some series count: key, label of 20 columns at most, count.
pub(super) const MORE: [(&str, &str, Count); 15] = [
    ("works", "works queued", Count::WorksQueued),
    ("dispatches", "kworkers woken", Count::Dispatches),
    ("ipis", "IPIs", Count::Ipis),
    ("barrier_works", "barrier works", Count::BarrierWorks),
    ("percpu_allocs", "alloc_percpu", Count::PercpuAllocs),
    ("remote_reads", "remote reads", Count::RemoteReads),
    ("picks", "picks in zone->lock", Count::PicksUnderZone),
    ("list_under_zone", "moves in zone->lock", Count::ListUnderZone),
    ("allocs", "pages allocated", Count::Allocs),
    ("frees", "pages freed", Count::Frees),
    ("tlb_flushes", "TLB flushes", Count::TlbFlushes),
    ("swap_in", "swap-ins", Count::SwapIn),
    ("swap_out", "swap-outs", Count::SwapOut),
    ("folio_stat", "folio statistics", Count::FolioStat),
    ("rstat", "rstat updates", Count::Rstat),
];
