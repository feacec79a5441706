//! VM statistics: zone and node counters with per-CPU differences, and vm events.

/// Counters of a zone or node (mm/vmstat.c). From 4.8 on the LRU counters are of the node, with zone twins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Stat {
    /// NR_INACTIVE_ANON = NR_LRU_BASE
    InactiveAnon,
    /// NR_ACTIVE_ANON
    ActiveAnon,
    /// NR_INACTIVE_FILE
    InactiveFile,
    /// NR_ACTIVE_FILE
    ActiveFile,
    /// NR_UNEVICTABLE
    Unevictable,
    /// NR_MLOCK
    Mlock,
    /// NR_ANON_PAGES
    AnonPages,
    /// NR_FILE_MAPPED
    FileMapped,
    /// NR_ZONE_INACTIVE_ANON = NR_ZONE_LRU_BASE (4.8 and later)
    ZoneInactiveAnon,
    /// NR_ZONE_ACTIVE_ANON
    ZoneActiveAnon,
    /// NR_ZONE_INACTIVE_FILE
    ZoneInactiveFile,
    /// NR_ZONE_ACTIVE_FILE
    ZoneActiveFile,
    /// NR_ZONE_UNEVICTABLE
    ZoneUnevictable,
}

/// Number of [`Stat`] items.
pub const STATS: usize = 13;

impl Stat {
    /// Every item in order.
    pub const ALL: [Stat; STATS] = [
        Stat::InactiveAnon,
        Stat::ActiveAnon,
        Stat::InactiveFile,
        Stat::ActiveFile,
        Stat::Unevictable,
        Stat::Mlock,
        Stat::AnonPages,
        Stat::FileMapped,
        Stat::ZoneInactiveAnon,
        Stat::ZoneActiveAnon,
        Stat::ZoneInactiveFile,
        Stat::ZoneActiveFile,
        Stat::ZoneUnevictable,
    ];

    /// NR_LRU_BASE + lru
    pub const fn lru(lru: u8) -> Stat {
        Stat::ALL[lru as usize]
    }

    /// NR_ZONE_LRU_BASE + lru
    pub const fn zone_lru(lru: u8) -> Stat {
        Stat::ALL[8 + lru as usize]
    }

    /// Kernel name.
    pub const fn name(self) -> &'static str {
        match self {
            Stat::InactiveAnon => "NR_INACTIVE_ANON",
            Stat::ActiveAnon => "NR_ACTIVE_ANON",
            Stat::InactiveFile => "NR_INACTIVE_FILE",
            Stat::ActiveFile => "NR_ACTIVE_FILE",
            Stat::Unevictable => "NR_UNEVICTABLE",
            Stat::Mlock => "NR_MLOCK",
            Stat::AnonPages => "NR_ANON_PAGES",
            Stat::FileMapped => "NR_FILE_MAPPED",
            Stat::ZoneInactiveAnon => "NR_ZONE_INACTIVE_ANON",
            Stat::ZoneActiveAnon => "NR_ZONE_ACTIVE_ANON",
            Stat::ZoneInactiveFile => "NR_ZONE_INACTIVE_FILE",
            Stat::ZoneActiveFile => "NR_ZONE_ACTIVE_FILE",
            Stat::ZoneUnevictable => "NR_ZONE_UNEVICTABLE",
        }
    }
}

/// vm events: per-CPU counters that only grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Event {
    /// UNEVICTABLE_PGCULLED
    Culled,
    /// UNEVICTABLE_PGRESCUED
    Rescued,
    /// UNEVICTABLE_PGMLOCKED
    Mlocked,
    /// UNEVICTABLE_PGMUNLOCKED
    Munlocked,
    /// UNEVICTABLE_PGCLEARED
    Cleared,
    /// UNEVICTABLE_PGSTRANDED
    Stranded,
    /// PGFAULT
    Fault,
    /// PGACTIVATE
    Activate,
    /// PGFREE
    Free,
}

/// Number of [`Event`] items.
pub const EVENTS: usize = 9;

impl Event {
    /// Every event in order.
    pub const ALL: [Event; EVENTS] = [
        Event::Culled,
        Event::Rescued,
        Event::Mlocked,
        Event::Munlocked,
        Event::Cleared,
        Event::Stranded,
        Event::Fault,
        Event::Activate,
        Event::Free,
    ];

    /// Kernel name.
    pub const fn name(self) -> &'static str {
        match self {
            Event::Culled => "UNEVICTABLE_PGCULLED",
            Event::Rescued => "UNEVICTABLE_PGRESCUED",
            Event::Mlocked => "UNEVICTABLE_PGMLOCKED",
            Event::Munlocked => "UNEVICTABLE_PGMUNLOCKED",
            Event::Cleared => "UNEVICTABLE_PGCLEARED",
            Event::Stranded => "UNEVICTABLE_PGSTRANDED",
            Event::Fault => "PGFAULT",
            Event::Activate => "PGACTIVATE",
            Event::Free => "PGFREE",
        }
    }
}

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
