//! VM statistics: zone and node counters with per-CPU differences, and vm events.

use crate::named::named;

named! {
    /// Counters of a zone or node (mm/vmstat.c). From 4.8 on the LRU counters are of the node, with zone twins.
    enum Stat,
    /// Kernel name.
    name {
        /// NR_INACTIVE_ANON = NR_LRU_BASE
        InactiveAnon = "NR_INACTIVE_ANON",
        /// NR_ACTIVE_ANON
        ActiveAnon = "NR_ACTIVE_ANON",
        /// NR_INACTIVE_FILE
        InactiveFile = "NR_INACTIVE_FILE",
        /// NR_ACTIVE_FILE
        ActiveFile = "NR_ACTIVE_FILE",
        /// NR_UNEVICTABLE
        Unevictable = "NR_UNEVICTABLE",
        /// NR_MLOCK
        Mlock = "NR_MLOCK",
        /// NR_ANON_PAGES
        AnonPages = "NR_ANON_PAGES",
        /// NR_FILE_MAPPED
        FileMapped = "NR_FILE_MAPPED",
        /// NR_ZONE_INACTIVE_ANON = NR_ZONE_LRU_BASE (4.8 and later)
        ZoneInactiveAnon = "NR_ZONE_INACTIVE_ANON",
        /// NR_ZONE_ACTIVE_ANON
        ZoneActiveAnon = "NR_ZONE_ACTIVE_ANON",
        /// NR_ZONE_INACTIVE_FILE
        ZoneInactiveFile = "NR_ZONE_INACTIVE_FILE",
        /// NR_ZONE_ACTIVE_FILE
        ZoneActiveFile = "NR_ZONE_ACTIVE_FILE",
        /// NR_ZONE_UNEVICTABLE
        ZoneUnevictable = "NR_ZONE_UNEVICTABLE",
        /// NR_FREE_PAGES: pages in free blocks, without those of isolated pageblocks and of per-CPU lists
        FreePages = "NR_FREE_PAGES",
        /// NR_ANON_MAPPED: NR_ANON_PAGES from 4.8 on.
        AnonMapped = "NR_ANON_MAPPED",
        /// NR_FILE_PAGES: page cache and swap cache.
        FilePages = "NR_FILE_PAGES",
        /// NR_ISOLATED_ANON
        IsolatedAnon = "NR_ISOLATED_ANON",
        /// NR_ISOLATED_FILE
        IsolatedFile = "NR_ISOLATED_FILE",
    }
}

/// Number of [`Stat`] items.
pub const STATS: usize = Stat::ALL.len();

impl Stat {
    /// NR_LRU_BASE + lru
    pub const fn lru(lru: u8) -> Stat {
        Stat::ALL[lru as usize]
    }

    /// NR_ZONE_LRU_BASE + lru
    pub const fn zone_lru(lru: u8) -> Stat {
        Stat::ALL[8 + lru as usize]
    }
}

named! {
    /// vm events: per-CPU counters that only grow.
    enum Event,
    /// Kernel name.
    name {
        /// UNEVICTABLE_PGCULLED
        Culled = "UNEVICTABLE_PGCULLED",
        /// UNEVICTABLE_PGRESCUED
        Rescued = "UNEVICTABLE_PGRESCUED",
        /// UNEVICTABLE_PGMLOCKED
        Mlocked = "UNEVICTABLE_PGMLOCKED",
        /// UNEVICTABLE_PGMUNLOCKED
        Munlocked = "UNEVICTABLE_PGMUNLOCKED",
        /// UNEVICTABLE_PGCLEARED
        Cleared = "UNEVICTABLE_PGCLEARED",
        /// UNEVICTABLE_PGSTRANDED
        Stranded = "UNEVICTABLE_PGSTRANDED",
        /// PGFAULT
        Fault = "PGFAULT",
        /// PGACTIVATE
        Activate = "PGACTIVATE",
        /// PGFREE
        Free = "PGFREE",
        /// PGALLOC of the zone
        Alloc = "PGALLOC",
        /// PGMAJFAULT
        MajorFault = "PGMAJFAULT",
        /// PSWPIN
        SwapIn = "PSWPIN",
        /// PSWPOUT
        SwapOut = "PSWPOUT",
        /// PGLAZYFREE: pages that MADV_FREE has made lazy (4.12 and later).
        Lazyfree = "PGLAZYFREE",
        /// PGLAZYFREED: lazy pages that reclaim has discarded.
        Lazyfreed = "PGLAZYFREED",
        /// PGDEACTIVATE
        Deactivate = "PGDEACTIVATE",
        /// PGSCAN_KSWAPD
        ScanKswapd = "PGSCAN_KSWAPD",
        /// PGSCAN_DIRECT
        ScanDirect = "PGSCAN_DIRECT",
        /// PGSTEAL_KSWAPD
        StealKswapd = "PGSTEAL_KSWAPD",
        /// PGSTEAL_DIRECT
        StealDirect = "PGSTEAL_DIRECT",
        /// ALLOCSTALL: entries into direct reclaim.
        AllocStall = "ALLOCSTALL",
    }
}

/// Number of [`Event`] items.
pub const EVENTS: usize = Event::ALL.len();

impl Event {}

/// stat_threshold of a zone: how far a per-CPU difference may go before it is folded (calculate_normal_threshold).
///
/// `managed` is the zone's size in pages; the unit of the formula is 128 MiB.
pub const fn stat_threshold(online_cpus: u32, managed: u64) -> i8 {
    const fn fls(x: u64) -> u64 {
        64 - x.leading_zeros() as u64
    }
    let threshold = 2 * fls(online_cpus as u64) * (1 + fls(managed >> 15));
    if threshold < 125 { threshold as i8 } else { 125 }
}
