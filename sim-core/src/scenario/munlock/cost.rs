//! What munlock of a plain range costs in each kernel, by the arithmetic of the tables.

use super::configured;
use crate::kernel::{Config, Patch};
use crate::machine::PTRS_PER_PTE;
use crate::scenario::RunSpec;

/// Counts of the measured section; folds of statistics are apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cost {
    /// Atomics on page words and spinlocks taken.
    pub atomics: u64,
    /// Times that lru_lock was taken.
    pub rounds: u64,
    /// Times that a page table was locked.
    pub tables: u64,
    /// Updates of NR_MLOCK.
    pub mlock_updates: u64,
}

/// Pages of a range and how they fall into batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    /// Pages.
    pub pages: u64,
    /// Index of the first in its page table.
    start: u64,
    /// Slots of a pagevec.
    pub size: u64,
    /// Neighbours come from different zones, so that every batch is one page.
    interleaved: bool,
}

impl Range {
    /// The range of a run to which the tables apply: nothing but mlocked pages that one process maps, from one zone or
    /// strictly in turn from two.
    pub fn of(spec: &RunSpec) -> Option<Range> {
        let params = &spec.params;
        let special = ["thp", "not_mlocked", "in_remote_pagevec", "shared", "shared_locked", "holes", "folded_pmd"];
        let interleaved = params.is("interleave") && params.get("zones") == 2;
        let one_zone = params.get("zones") == 1;
        let plain = !special.iter().any(|name| params.is(name)) && (one_zone || interleaved);
        if spec.scenario.name != "munlock" || !plain {
            return None;
        }
        let (pages, start) = (u64::from(params.get("pages")), u64::from(params.get("pmd_start")));
        let size = u64::from(configured(spec.variant, params).pagevec.max(1));
        Some(Range { pages, start, size, interleaved })
    }

    /// The pages come from one zone.
    pub fn one_zone(&self) -> bool {
        !self.interleaved
    }

    // Full and partial pagevecs of the range.
    fn pagevecs(&self) -> u64 {
        self.pages.div_ceil(self.size)
    }

    /// Pages in the last pagevec.
    fn rest(&self) -> u64 {
        self.pages - self.size * (self.pagevecs() - 1)
    }

    /// Page tables that the range touches.
    fn page_tables(&self) -> u64 {
        (self.start + self.pages).div_ceil(u64::from(PTRS_PER_PTE))
    }

    // Pages up to the end of the first page table, at most all.
    fn first_table(&self) -> u64 {
        self.pages.min(u64::from(PTRS_PER_PTE) - self.start)
    }

    /// Batches that end at the end of a page table.
    fn batches(&self) -> u64 {
        let (whole, first) = (u64::from(PTRS_PER_PTE), self.first_table());
        let later = self.pages - first;
        let tail = (later % whole).div_ceil(self.size);
        first.div_ceil(self.size) + later / whole * whole.div_ceil(self.size) + tail
    }

    /// Ends of page tables at which a pagevec is partly full.
    fn split_pagevecs(&self) -> u64 {
        let whole = u64::from(PTRS_PER_PTE);
        let ends = (u64::from(PTRS_PER_PTE) - self.start..self.pages).step_by(whole as usize);
        ends.filter(|done| done % self.size != 0).count() as u64
    }

    /// Batches and page tables come out even, so that the figures for a page are those of a long range.
    pub fn is_steady(&self) -> bool {
        let whole = u64::from(PTRS_PER_PTE);
        let one_table = self.page_tables() == 1 && self.pages.is_multiple_of(self.size);
        one_table || self.start == 0 && self.pages.is_multiple_of(whole * self.size)
    }

    /// The range goes on behind the end of its first page table.
    pub fn crosses_tables(&self) -> bool {
        self.page_tables() > 1
    }

    /// What it costs in a kernel.
    pub fn cost(&self, config: Config) -> Cost {
        let costs = if self.interleaved { Range::interleaved } else { Range::plain };
        let [page, tables, rounds] = costs(self, config);
        Cost { atomics: page + tables + rounds, rounds, tables, mlock_updates: self.mlock_updates(config) }
    }

    // One for each page, or from patch 4 on for each batch.
    fn mlock_updates(&self, config: Config) -> u64 {
        let by_batch = config.has(Patch::BatchMlockStat) && !config.has(Patch::MlockBatch) && !self.interleaved;
        match (by_batch, config.has(Patch::PagevecFill)) {
            (false, _) => self.pages,
            (true, false) => self.pagevecs(),
            (true, true) => self.batches(),
        }
    }

    // Atomics on page words, page-table locks, lru_locks.
    fn plain(&self, config: Config) -> [u64; 3] {
        let (n, vecs, rest) = (self.pages, self.pagevecs(), self.rest());
        let has = |patch| config.has(patch);
        // From 4.16 on the drain test-and-clears PG_unevictable of each page once more.
        let by_drain = if has(Patch::DrainDecides) { n } else { 0 };
        if has(Patch::MlockBatch) {
            let folio = if has(Patch::Mglru) { 7 } else { 6 };
            [folio * n, self.page_tables(), vecs]
        } else if has(Patch::PagevecFill) {
            [8 * n + by_drain, 2 * self.batches(), 2 * self.batches()]
        } else if has(Patch::HoldPte) {
            [8 * n, 2 * (vecs + self.split_pagevecs()), 2 * vecs]
        } else if has(Patch::NoIsolatePin) {
            [8 * n, n, 2 * vecs]
        } else if has(Patch::BatchPutback) {
            [10 * n, n, 2 * vecs]
        } else if has(Patch::BatchIsolate) {
            [12 * n - 2 * rest, n, 2 * vecs - 1]
        } else if has(Patch::NoDrain) {
            [12 * n - 2 * rest, n, n + vecs - 1]
        } else {
            [12 * n - 2, n, 2 * n - 1]
        }
    }

    // The same where every page is a batch of its own.
    fn interleaved(&self, config: Config) -> [u64; 3] {
        let (n, rest) = (self.pages, self.rest());
        let has = |patch| config.has(patch);
        let page = self.plain(config)[0];
        if has(Patch::MlockBatch) {
            [page, self.page_tables(), n]
        } else if has(Patch::PagevecFill) {
            [page, 2 * n, 2 * n]
        } else if has(Patch::HoldPte) {
            [page, n + self.page_tables(), 2 * n]
        } else if has(Patch::BatchPutback) {
            [page, n, 2 * n]
        } else if has(Patch::NoDrain) {
            [page, n, 2 * n - rest]
        } else {
            [page, n, 2 * n - 1]
        }
    }
}
