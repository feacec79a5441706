//! Rows that only some series have; show those where any side of a comparison counts something.

use super::{Count, Group, Ledger, Row};

const ROWS: [(&str, Count); 13] = [
    ("works", Count::WorksQueued),
    ("dispatches", Count::Dispatches),
    ("ipis", Count::Ipis),
    ("barrier_works", Count::BarrierWorks),
    ("percpu_allocs", Count::PercpuAllocs),
    ("remote_reads", Count::RemoteReads),
    ("tlb_flushes", Count::TlbFlushes),
    ("swap_in", Count::SwapIn),
    ("swap_out", Count::SwapOut),
    ("folio_stat", Count::FolioStat),
    ("rstat", Count::Rstat),
    ("list_under_zone", Count::ListUnderZone),
    ("other_rmw", Count::OtherRmw),
];

/// What [`super::rows`] leaves out, always the same rows in the same order.
pub fn more_rows(ledger: &Ledger) -> [Row; ROWS.len()] {
    ROWS.map(|(key, count)| Row { group: Group::Beside, key, label: count.name(), value: ledger.count(count) })
}
