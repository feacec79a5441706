//! A stable name for every number of the ledger.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{Count, How, Ledger, Site, rows};
use crate::machine::{Event, LockClass, PageFlag};

/// One number of a ledger. Each is a sum over steps: what steps add up to is what the ledger has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// All atomics.
    Total,
    /// Atomics on page and folio words.
    Page,
    /// Atomics on lock words.
    Spin,
    /// Atomics elsewhere.
    Other,
    /// Atomics on `_count`.
    Refcount,
    /// Atomics on one flag.
    FlagRmw(PageFlag),
    /// Page-table locks taken, of both kinds.
    PageTableLocks,
    /// Locks taken, of every class.
    Locks,
    /// list_add and list_del.
    ListMoves,
    /// Updates of zone and node counters.
    Vmstat,
    /// One flag changed in one way.
    Flag(PageFlag, How),
    /// References taken at one place.
    Get(Site),
    /// References dropped at one place.
    Put(Site),
    /// A single counter.
    Count(Count),
    /// Locks of a class taken.
    Acquired(LockClass),
    /// Times that somebody had to wait for a lock of a class.
    Contended(LockClass),
    /// An event, with the amounts that were added.
    Event(Event),
    /// Another row of [`rows`].
    Row(&'static str),
}

const SUMS: [(Key, &str); 8] = [
    (Key::Total, "total"),
    (Key::Page, "rmw.page"),
    (Key::Spin, "rmw.spin"),
    (Key::Other, "rmw.other"),
    (Key::Refcount, "count"),
    (Key::Locks, "locks"),
    (Key::ListMoves, "list"),
    (Key::Vmstat, "vmstat"),
];

const HOWS: [How; 6] = [How::Set, How::Clear, How::TestSet, How::TestClear, How::PlainSet, How::PlainClear];

// Names of counters that have no row of their own or are known by another one.
const COUNTERS: [(Count, &str); 12] = [
    (Count::Mapcount, "_mapcount"),
    (Count::Rwsem, "rwsem"),
    (Count::Folds, "vm_stat.fold"),
    (Count::OtherRmw, "other"),
    (Count::IrqPairs, "irq"),
    (Count::PreemptPairs, "preempt"),
    (Count::EventUpdates, "events"),
    (Count::Walks, "walks"),
    (Count::Sleeps, "sleeps"),
    (Count::ListDel, "list_del"),
    (Count::ListAdd, "list_add"),
    (Count::PteWrites, "page_table_stores"),
];

// Keys of rows that are one number with a name of its own.
const ALIASES: [(&str, Key); 6] = [
    ("ptl", Key::PageTableLocks),
    ("lru_lock", Key::Acquired(LockClass::Lru)),
    ("zone_lock", Key::Acquired(LockClass::Zone)),
    ("pcp_lock", Key::Acquired(LockClass::Pcp)),
    ("folds", Key::Count(Count::Folds)),
    ("other_rmw", Key::Count(Count::OtherRmw)),
];

impl Key {
    /// Every number, sums first.
    pub fn all() -> Vec<Key> {
        let mut keys: Vec<Key> = SUMS.iter().map(|&(key, _)| key).collect();
        keys.extend(PageFlag::ALL.map(Key::FlagRmw));
        keys.push(Key::PageTableLocks);
        keys.extend(PageFlag::ALL.iter().flat_map(|&flag| HOWS.map(|how| Key::Flag(flag, how))));
        for site in Site::ALL {
            keys.push(Key::Get(site));
            // Two sites may drop references under one name.
            if !Site::ALL[..site as usize].iter().any(|before| before.name() == site.name()) {
                keys.push(Key::Put(site));
            }
        }
        keys.extend(Count::ALL.map(Key::Count));
        keys.extend(LockClass::ALL.map(Key::Acquired));
        keys.extend(LockClass::ALL.map(Key::Contended));
        keys.extend(Event::ALL.map(Key::Event));
        keys
    }

    /// The key with a name: one that [`Key::name`] gives, or the key of a row of [`rows`].
    pub fn find(name: &str) -> Option<Key> {
        if let Some(&(_, key)) = ALIASES.iter().find(|(alias, _)| *alias == name) {
            return Some(key);
        }
        let known = Key::all().into_iter().find(|key| key.name() == name);
        let row = || rows(&Ledger::default()).into_iter().find(|row| row.key == name);
        known.or_else(|| row().map(|row| Key::Row(row.key)))
    }

    /// Its stable name: atomics as in `by_name`, rows by their key, events as `events.NAME`.
    pub fn name(self) -> String {
        if let Some(&(_, name)) = SUMS.iter().find(|(sum, _)| *sum == self) {
            return name.to_string();
        }
        match self {
            Key::FlagRmw(flag) => flag.name().to_string(),
            Key::PageTableLocks => "ptl".to_string(),
            Key::Flag(flag, how) => format!("{}.{}", flag.name(), how.name()),
            Key::Get(site) => format!("{}:{}", site.get_name(), site.name()),
            Key::Put(site) => format!("_count.dec:{}", site.name()),
            Key::Count(count) => counter(count),
            Key::Acquired(class) => format!("{}.lock", class.name()),
            Key::Contended(class) => format!("{}.contended", class.name()),
            Key::Event(event) => format!("events.{}", event.name()),
            Key::Row(key) => key.to_string(),
            _ => String::new(),
        }
    }

    /// Its value in a ledger.
    pub fn of(self, ledger: &Ledger) -> u64 {
        match self {
            Key::Total => ledger.total_rmw(),
            Key::Page => ledger.page_rmw(),
            Key::Spin => ledger.spin_rmw(),
            Key::Other => ledger.other_rmw(),
            Key::Refcount => ledger.refcount_rmw(),
            Key::FlagRmw(flag) => ledger.flag_rmw(flag),
            Key::PageTableLocks => ledger.lock(LockClass::Ptl).acquired + ledger.lock(LockClass::PageTable).acquired,
            Key::Locks => ledger.locks.iter().map(|lock| lock.acquired).sum(),
            Key::ListMoves => ledger.count(Count::ListDel) + ledger.count(Count::ListAdd),
            Key::Vmstat => ledger.vmstat_updates(),
            Key::Flag(flag, how) => ledger.flag(flag, how),
            Key::Get(site) => ledger.gets[site as usize],
            Key::Put(site) => {
                let alike = Site::ALL.iter().filter(|other| other.name() == site.name());
                alike.map(|&other| ledger.puts[other as usize]).sum()
            }
            Key::Count(count) => ledger.count(count),
            Key::Acquired(class) => ledger.lock(class).acquired,
            Key::Contended(class) => ledger.lock(class).contended,
            Key::Event(event) => ledger.events[event as usize],
            Key::Row(key) => rows(ledger).into_iter().find(|row| row.key == key).map_or(0, |row| row.value),
        }
    }

    /// It is one word, operation and place of atomics: all of these are disjoint and add up to [`Key::Total`].
    pub fn is_name(self) -> bool {
        match self {
            Key::Flag(_, how) => how.atomic(),
            Key::Get(_) | Key::Put(_) => true,
            Key::Acquired(class) => !class.sleeps(),
            Key::Count(count) => matches!(
                count,
                Count::Mapcount
                    | Count::Rwsem
                    | Count::Folds
                    | Count::OtherRmw
                    | Count::NrMapped
                    | Count::LargeLock
                    | Count::RefSub
            ),
            _ => false,
        }
    }
}

// The name of a counter: its own, or the key of the row that shows it, or its words.
fn counter(count: Count) -> String {
    if let Some(&(_, name)) = COUNTERS.iter().find(|(known, _)| *known == count) {
        return name.to_string();
    }
    let row = super::rows::MORE.iter().find(|(_, _, shown)| *shown == count);
    row.map_or_else(|| count.name().replace(' ', "_"), |(key, ..)| (*key).to_string())
}

/// Every atomic by word, operation and place; names that did not occur are left out.
pub fn by_name(ledger: &Ledger) -> BTreeMap<String, u64> {
    let names = Key::all().into_iter().filter(|key| key.is_name());
    names.map(|key| (key.name(), key.of(ledger))).filter(|&(_, n)| n > 0).collect()
}
