//! Kernel configurations: a base version and the patches that are in force.

use crate::named::named;

named! {
    /// A change to the kernel that a variant has or has not.
    enum Patch,
    /// What brings it, in words that fit "... adds" and "... removes".
    source {
        /// munlock 1/6: putback_lru_page keeps a boolean instead of an LRU number.
        IsUnevictable = "patch 1",
        /// munlock 2/6: no lru_add_drain for each page.
        NoDrain = "patch 2",
        /// munlock 3/6: isolate a pagevec of pages under one lru_lock.
        BatchIsolate = "patch 3",
        /// munlock 4/6: one NR_MLOCK update for a pagevec.
        BatchMlockStat = "patch 4",
        /// munlock 5/6: put a pagevec of pages back under one lru_lock.
        BatchPutback = "patch 5",
        /// munlock 6/6: no extra get_page and put_page for isolation.
        NoIsolatePin = "patch 6",
        /// munlock 7/7 as measured (v2): the page table stays locked over several pages.
        HoldPte = "patch 7 v2",
        /// munlock 7/7 as merged in 3.12: __munlock_pagevec_fill.
        PagevecFill = "patch 7",
        /// As posted: patches 3 and 4 isolate by __isolate_lru_page, which gets the page unless its count is zero.
        RfcIsolate = "the RFC text",
        /// As posted: patches 5 and 6 advance the pointer and not the counter of rescued pages.
        RfcPgrescued = "the RFC text",
        /// 3.11-rc4: PG_active is cleared before a page goes to the unevictable list.
        ClearActive = "3.11-rc4",
        /// 3.12: the walk of a batch ends at the page table's end where the middle level is folded.
        ClampWalk = "3.12",
        /// 3.13: no put_page under lru_lock.
        DeferPut = "3.13",
        /// 3.13: a huge page is skipped whole even when it is not mlocked.
        ThpMask = "3.13",
        /// 3.14: the single-page path clears PG_mlocked under lru_lock.
        ThpSplit = "3.14",
        /// 4.12: NR_MLOCK falls for every page whose PG_mlocked was cleared.
        CountMlock = "4.12",
        /// 4.7: a pagevec is drained when it is full or meets a compound page.
        DrainWhenFull = "4.7",
        /// 4.8: LRU counters are of the node and have zone twins.
        NodeLru = "4.8",
        /// 4.16: the drain decides by page_evictable which list a page goes to.
        DrainDecides = "4.16",
        /// 5.11: PG_lru is test-and-cleared before lru_lock is taken.
        TestClearLru = "5.11",
        /// 5.18: per-CPU mlock batches, no page lock, no reverse map walk.
        MlockBatch = "5.18",
        /// 6.9: batches of 31 folios.
        FolioBatch = "6.9",
        /// The multi-generational LRU is on.
        Mglru = "MGLRU",
        /// The machine has two levels of page tables: the middle one is folded.
        FoldedPmd = "a folded pmd",
        /// C.1 without the second look at page_evictable.
        NoRecheck = "dropping the re-check",
        /// C.3: the second look is satisfied before SetPageLRU is visible.
        HoistedRead = "a hoisted read",
        /// The program calls MADV_DONTNEED instead of MADV_FREE.
        ProgramDontneed = "the program",
        /// Early 2015: reclaim knows a lazy page by its clean PTEs, wherever it lies.
        LazyInPlace = "mmotm of 2015",
        /// "free swp_entry in madvise_free": MADV_FREE drops swap entries.
        FreeSwapEntry = "the patch",
        /// 4.5: MADV_FREE clears PG_dirty, leaves shared pages alone and writes a PTE only where that changes it.
        LazyClearDirty = "4.5",
        /// 4.5 to 4.11: MADV_FREE deactivates; reclaim gives a lazy page a slot and discards it when it unmaps it.
        LazyUnmap = "4.5",
        /// 4.5 to 4.13: add_to_swap leaves the page clean.
        CleanAddToSwap = "4.5",
        /// 4.12: lazy pages lose PG_swapbacked and go to the inactive file list; works without swap.
        LazyFileList = "4.12",
        /// 4.8 to 5.8: a page that has been read from swap is activated.
        SwapinActivate = "4.8",
        /// 4.15: reclaim activates a page that it finds under writeback; its end rotates active pages too.
        WritebackActivate = "4.15",
        /// 5.9: new anonymous pages start on the inactive list.
        NewInactive = "5.9",
        /// 5.9: anonymous pages too must be used twice to be activated.
        TwoTouch = "5.9",
        /// Swap count and swap cache are one table with a lock for each cluster; counters are per CPU.
        SwapTable = "the swap table",
    }
}

impl Patch {
    const fn bit(self) -> u128 {
        1 << self as u8
    }
}

/// A kernel: the patches that are in force and the size of its batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    patches: u128,
    /// PAGEVEC_SIZE: 14 from 3.2 to 4.15, 15 to 6.8, 31 from 6.9 on.
    pub pagevec: u32,
}

impl Config {
    /// 3.11-rc3 without any patch.
    pub const fn base() -> Config {
        Config { patches: 0, pagevec: 14 }
    }

    /// The same kernel with more patches.
    pub const fn with(self, patches: &[Patch]) -> Config {
        let mut bits = self.patches;
        let mut i = 0;
        while i < patches.len() {
            bits |= patches[i].bit();
            i += 1;
        }
        Config { patches: bits, ..self }
    }

    /// The same kernel without a patch.
    pub const fn without(self, patch: Patch) -> Config {
        Config { patches: self.patches & !patch.bit(), ..self }
    }

    /// The same kernel with another size of pagevecs.
    pub const fn with_pagevec(self, pagevec: u32) -> Config {
        Config { pagevec, ..self }
    }

    /// The patch is in force.
    #[inline(always)]
    pub const fn has(self, patch: Patch) -> bool {
        self.patches & patch.bit() != 0
    }
}
