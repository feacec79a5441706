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
        /// 3.2: an lru_add pagevec for each list, drained when it is full; munlock drains once at its start.
        ListPvecs = "3.2",
        /// lru_add_drain_all_async at the end of mlock.
        AsyncDrain = "the patch",
        /// The drain callback of the patch: it looks for PG_mlocked.
        AwareDrain = "the patch",
        /// 3.12: lru_add_drain_all only where pagevecs hold something.
        SelectiveDrain = "3.12",
        /// 4.15: mlock does not call lru_add_drain_all.
        NoMlockDrain = "4.15",
        /// 5.10: lru_add_drain_all counts generations, so that callers share a drain; the local CPU is drained directly.
        DrainGeneration = "5.10",
        /// The drain's first look is satisfied before SetPageLRU is visible.
        HoistedFirst = "a hoisted first read",
        /// The page allocator is modelled: per-CPU lists and buddy lists behind every page.
        PageAllocator = "the page allocator",
        /// 4.17, patch 1 of the later postings: pcp->count falls page by page within the drain.
        CountInside = "4.17",
        /// Patch 1/2: pages are picked from the per-CPU lists without zone->lock.
        PickOutside = "patch 1",
        /// Patch 2/2 as posted: the buddy of every picked page is prefetched.
        PrefetchAll = "patch 2 as posted",
        /// 4.17: the buddies of the first pcp->batch pages are prefetched.
        PrefetchBuddy = "4.17",
        /// 5.9: new anonymous pages start on the inactive list.
        InactiveAnon = "5.9",
        /// 5.9: a drain asks for no more pages than there are.
        ClampCount = "5.9",
        /// 5.18: one pass under zone->lock, one list after the other; 5.14: drains of a burst double.
        SinglePass = "5.18",
        /// 6.2: the per-CPU lists have a lock, and interrupts stay on.
        PcpLock = "6.2",
        /// 6.7: high and the size of a refill tune themselves.
        PcpAutoTune = "6.7",
        /// 6.9: the gather of an unmap keeps a slot free for an entry of two.
        EncodedGather = "6.9",
        /// 6.10: no type is kept in a free page; it is read from its pageblock under zone->lock.
        FreshType = "6.10",
        /// 6.16: claiming a pageblock and stealing a block are apart.
        ClaimSteal = "6.16",
        /// Before 3.18: the type that a page keeps is believed, isolation or not.
        StaleType = "dropping the re-read",
        /// rmap 1/5: hugetlb folios are unmapped by a function of their own.
        SplitHugetlb = "patch 1",
        /// rmap 2/5: one PTE is unmapped by a function of its own.
        UnmapOnePage = "patch 2",
        /// rmap 3/5: one exit for success, one for failure.
        SingleExits = "patch 3",
        /// rmap 4/5: the reverse map is removed for a range of pages.
        RmapRange = "patch 4",
        /// rmap 5/5: a run of PTEs is counted at once.
        RmapBatch = "patch 5",
        /// As posted: patch 2 asks for a poisoned page without TTU_HWPOISON.
        RfcPolarity = "the posted text",
        /// As posted: the look-ahead of patch 5 does not step back from an entry that is none.
        RfcLookahead = "the posted text",
        /// As posted: patch 5 leaves the loop at a locked VMA with a run open.
        RfcMlockExit = "the posted text",
        /// 6.9: reclaim flushes the TLB before it frees folios.
        FlushBeforeFree = "6.9",
        /// 6.16: try_to_unmap_one takes runs of lazyfree PTEs; large folios have a count of all mappings.
        LazyfreeBatch = "6.16",
        /// 7.0: and runs of file PTEs.
        FileBatch = "7.0",
        /// 7.1: the length of a run is set anew for each round.
        ResetNr = "7.1",
        /// MADV_PAGEOUT takes large folios whole, as in the author's kernel.
        WholeFolios = "the author's madvise",
        /// Reclaim unmaps all folios of the range before it frees the first, so that nothing else comes in between.
        UnmapFirst = "the benchmark",
        /// The checker waits for harm: an entry that is not the address's, and a missing flush, are let pass.
        LateRules = "waiting for harm",
        /// The checker does not let pass that 6.3 frees large folios before a deferred flush.
        StrictFree = "the rule of 6.9",
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
