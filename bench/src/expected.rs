//! What the ledger of a plain munlock must say, by the arithmetic of the tables: one zone, single-mapped anonymous pages,
//! the range at the start of a page table, no holes.

use sim_core::ledger::{Count, Ledger};
use sim_core::machine::LockClass;

const PTRS_PER_PTE: u64 = 512;

/// Quantities of a run that have a formula.
#[derive(Debug, PartialEq, Eq)]
pub struct Totals {
    page_rmw: u64,
    ptl: u64,
    lru_lock: u64,
    irq_pairs: u64,
    preempt_pairs: u64,
    list_del: u64,
    list_add: u64,
    /// Updates of statistics that are safe against interrupts, and that are not.
    stats: (u64, u64),
    events: u64,
    walks: u64,
    /// cond_resched calls of the range.
    resched: u64,
    /// Adds to pagevecs of the CPU, and to those on the stack.
    pagevec_adds: (u64, u64),
    drains: u64,
}

/// Fails where a ledger is not what the tables say; a variant without a table passes.
pub fn check(variant: &str, pages: u64, ledger: &Ledger) -> Result<(), String> {
    let (found, Some(expected)) = (counted(ledger), totals(variant, pages)) else { return Ok(()) };
    if found == expected {
        return Ok(());
    }
    Err(format!("variant {variant}: {found:?} was counted; expected {expected:?}"))
}

fn counted(ledger: &Ledger) -> Totals {
    let count = |count| ledger.count(count);
    Totals {
        page_rmw: ledger.page_rmw(),
        ptl: ledger.lock(LockClass::Ptl).acquired,
        lru_lock: ledger.lock(LockClass::Lru).acquired,
        irq_pairs: count(Count::IrqPairs),
        preempt_pairs: count(Count::PreemptPairs),
        list_del: count(Count::ListDel),
        list_add: count(Count::ListAdd),
        stats: (count(Count::StatSafe), count(Count::StatPlain)),
        events: count(Count::EventUpdates),
        walks: count(Count::Walks),
        resched: count(Count::Resched),
        pagevec_adds: (count(Count::PvecPerCpu), count(Count::PvecOnStack)),
        drains: count(Count::Drains),
    }
}

fn totals(variant: &str, pages: u64) -> Option<Totals> {
    let n = pages;
    let k = n.div_ceil(14);
    Some(match variant {
        "0" | "1" => Totals { preempt_pairs: 2 * n, drains: n - 1, ..left_behind(n, 2 * n - 1, 1, (n, 2 * n - 1), 0) },
        "2" => left_behind(n, n + k - 1, n - 14 * (k - 1), (n, 2 * n - (n - 14 * (k - 1))), 0),
        "3" => left_behind(n, 2 * k - 1, n - 14 * (k - 1), (0, 3 * n - (n - 14 * (k - 1))), n),
        "4" => left_behind(n, 2 * k - 1, n - 14 * (k - 1), (0, 2 * n - (n - 14 * (k - 1)) + k), n),
        "5" | "5-v2" => batched(n, 10 * n, k, n, n, n),
        "6" | "6-v2" => batched(n, 8 * n, k, n, n, n),
        "7-v2" => {
            let walks = 2 * k + 2 * crossed(n);
            batched(n, 8 * n, k, walks, walks, n / 14)
        }
        "7" | "fixed" => {
            let batches = per_table(n, 14);
            batched(n, 8 * n, batches, 2 * batches, 2 * batches, batches)
        }
        "v6.1" => by_folio(n, 15),
        "today" => by_folio(n, 31),
        _ => return None,
    })
}

// Levels 0 to 4: the last `left` pages stay in the pagevec of the CPU.
fn left_behind(n: u64, lru_lock: u64, left: u64, stats: (u64, u64), on_stack: u64) -> Totals {
    Totals {
        page_rmw: 12 * n - 2 * left,
        ptl: n,
        lru_lock,
        irq_pairs: lru_lock,
        preempt_pairs: n,
        list_del: n,
        list_add: n - left,
        stats,
        events: 2 * n,
        walks: n,
        resched: n,
        pagevec_adds: (n, on_stack),
        drains: n.div_ceil(14) - 1,
    }
}

// Level 5 and later: whole batches go back to their list.
fn batched(n: u64, page_rmw: u64, batches: u64, ptl: u64, walks: u64, resched: u64) -> Totals {
    Totals {
        page_rmw,
        ptl,
        lru_lock: 2 * batches,
        irq_pairs: 2 * batches,
        preempt_pairs: 0,
        list_del: n,
        list_add: n,
        stats: (0, 2 * n + batches),
        events: 2 * batches,
        walks,
        resched,
        pagevec_adds: (0, 2 * n),
        drains: 0,
    }
}

// 5.18 and later: per-CPU batches of folios, no list behind the unevictable one.
fn by_folio(n: u64, size: u64) -> Totals {
    let (tables, batches) = (n.div_ceil(PTRS_PER_PTE), n.div_ceil(size));
    Totals {
        page_rmw: 6 * n,
        ptl: tables,
        lru_lock: batches,
        irq_pairs: batches,
        preempt_pairs: n + 4,
        list_del: 0,
        list_add: n,
        stats: (n, 4 * n),
        events: 2 * n,
        walks: tables,
        resched: tables,
        pagevec_adds: (n, 0),
        drains: batches,
    }
}

// Batches where none crosses the end of a page table.
fn per_table(n: u64, size: u64) -> u64 {
    n / PTRS_PER_PTE * PTRS_PER_PTE.div_ceil(size) + (n % PTRS_PER_PTE).div_ceil(size)
}

// Ends of page tables that fall inside a batch.
fn crossed(n: u64) -> u64 {
    (1..n.div_ceil(PTRS_PER_PTE)).filter(|table| !(table * PTRS_PER_PTE).is_multiple_of(14)).count() as u64
}
