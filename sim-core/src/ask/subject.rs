//! What can be asked about, and how it is written.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

use crate::ledger::Key;
use crate::machine::{AreaList, Event, LockClass, Machine, Pv, Stat};
use crate::op::World;
use crate::view::{Lru, PageNo, PagevecKind};

/// Something that steps touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A page, by its number on the tile: `page:17`.
    Page(PageNo),
    /// All locks of a class, or one of them: `lock:lru_lock`, `lock:lru_lock/0`. The index is that of the lock, of a
    /// page lock the number of its page.
    Lock(LockClass, Option<u32>),
    /// A list that pages are on: `list:inactive_anon`.
    List(ListId),
    /// A number: `stat:NR_MLOCK`, `count:total`.
    Counter(Counter),
    /// A PTE: address space, and pages from the start of its range: `pte:0/17`.
    Pte(u8, u32),
    /// A modelled kernel function: `fn:lru_add_drain`.
    Function(&'static str),
}

/// A list, or another place that pages are put into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ListId {
    /// An LRU list of a zone: `inactive_anon`, in another zone than the first `inactive_anon/1`.
    Lru(u8, Lru),
    /// A pagevec and its owner, a CPU or, of those on stacks, a task: `lru_add/0`.
    Pagevec(PagevecKind, u8),
    /// All per-CPU lists of a CPU in a zone: `pcp/0`.
    Pcp(u8, u8),
    /// Pages that a CPU has picked to be freed: `picked/0`.
    Picked(u8),
    /// Pages without a reference on the stack of release_pages: `to_be_freed/0`.
    Dead(u8),
    /// Free blocks of an order in a zone: `order/3`.
    Free(u8, u8),
}

/// A number that steps change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Counter {
    /// A counter of all zones, with all per-CPU differences.
    Stat(Stat),
    /// A vm event.
    Event(Event),
    /// A number of the ledger, which counts the measured section.
    Key(Key),
}

/// Pagevecs and what they are called in links.
pub(super) const PAGEVECS: [(PagevecKind, &str); 11] = [
    (PagevecKind::LruAdd, "lru_add"),
    (PagevecKind::LruRotate, "lru_rotate"),
    (PagevecKind::LruDeactivate, "lru_deactivate"),
    (PagevecKind::Activate, "activate"),
    (PagevecKind::Mlock, "mlock"),
    (PagevecKind::OnStack, "on_stack"),
    (PagevecKind::Putback, "putback"),
    (PagevecKind::LruAddActiveAnon, "lru_add_active_anon"),
    (PagevecKind::LruAddInactiveFile, "lru_add_inactive_file"),
    (PagevecKind::LruAddActiveFile, "lru_add_active_file"),
    (PagevecKind::LruAddUnevictable, "lru_add_unevictable"),
];

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Subject::Page(page) => write!(f, "page:{page}"),
            Subject::Lock(..) => write!(f, "lock:{}", self.bare()),
            Subject::List(list) => write!(f, "list:{list}"),
            Subject::Counter(Counter::Key(key)) => write!(f, "count:{}", key.name()),
            Subject::Counter(counter) => write!(f, "stat:{}", counter.name()),
            Subject::Pte(mm, at) => write!(f, "pte:{mm}/{at}"),
            Subject::Function(name) => write!(f, "fn:{name}"),
        }
    }
}

impl Subject {
    /// As a condition names it: `page 17`, `lru_lock`, `inactive_anon`, `NR_MLOCK`, `pte 0/17`, `fn lru_add_drain`.
    pub fn bare(&self) -> String {
        match *self {
            Subject::Page(page) => format!("page {page}"),
            Subject::Lock(class, None) => class.name().to_string(),
            Subject::Lock(class, Some(index)) => format!("{}/{index}", class.name()),
            Subject::List(list) => list.to_string(),
            Subject::Counter(Counter::Key(key)) => format!("count:{}", key.name()),
            Subject::Counter(counter) => counter.name(),
            Subject::Pte(mm, at) => format!("pte {mm}/{at}"),
            Subject::Function(name) => format!("fn {name}"),
        }
    }

    /// For people: "page 17", "zone->lock 1", "inactive anon list", "PTE 17".
    pub fn words(&self) -> String {
        match *self {
            Subject::Page(page) => format!("page {page}"),
            Subject::Lock(LockClass::Page, Some(page)) => format!("lock of page {page}"),
            Subject::Lock(class, None) => class.words().to_string(),
            Subject::Lock(class, Some(index)) => format!("{} {index}", class.words()),
            Subject::List(list) => list.words(),
            Subject::Counter(counter) => counter.name(),
            Subject::Pte(0, at) => format!("PTE {at}"),
            Subject::Pte(mm, at) => format!("PTE {at} of process {mm}"),
            Subject::Function(name) => format!("{name}()"),
        }
    }

    /// Which of the six kinds it is, in the plural: "pages".
    pub const fn kind(&self) -> &'static str {
        match self {
            Subject::Page(_) => "pages",
            Subject::Lock(..) => "locks",
            Subject::List(_) => "lists",
            Subject::Counter(_) => "counters",
            Subject::Pte(..) => "PTEs",
            Subject::Function(_) => "functions",
        }
    }
}

impl fmt::Display for ListId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let second = |f: &mut fmt::Formatter<'_>, zone: u8| if zone > 0 { write!(f, "/{zone}") } else { Ok(()) };
        match *self {
            ListId::Lru(zone, lru) => {
                f.write_str(lru.key())?;
                second(f, zone)
            }
            ListId::Pagevec(kind, owner) => {
                let name = PAGEVECS.iter().find(|(known, _)| *known == kind).map_or("", |(_, name)| name);
                write!(f, "{name}/{owner}")
            }
            ListId::Pcp(zone, cpu) => {
                write!(f, "pcp/{cpu}")?;
                second(f, zone)
            }
            ListId::Picked(cpu) => write!(f, "picked/{cpu}"),
            ListId::Dead(cpu) => write!(f, "to_be_freed/{cpu}"),
            ListId::Free(zone, order) => {
                write!(f, "order/{order}")?;
                second(f, zone)
            }
        }
    }
}

impl ListId {
    /// The list that pages of a zone are on in the page allocator.
    pub(super) fn of_area(zone: u8, list: AreaList) -> ListId {
        match list {
            AreaList::Free { order, .. } => ListId::Free(zone, order),
            AreaList::Pcp { cpu, .. } | AreaList::PcpOrder { cpu, .. } => ListId::Pcp(zone, cpu),
            AreaList::Local { cpu } => ListId::Picked(cpu),
            AreaList::Dead { cpu } => ListId::Dead(cpu),
        }
    }

    pub(super) fn of_pagevec(pv: Pv) -> ListId {
        ListId::Pagevec(pv.kind, pv.owner)
    }

    /// For people: "inactive anon list", "lru_add pagevec of CPU 0".
    pub fn words(&self) -> String {
        let zone = |zone: u8| if zone > 0 { format!(" of zone {zone}") } else { String::new() };
        match *self {
            ListId::Lru(of, lru) => format!("{} list{}", lru.name(), zone(of)),
            ListId::Pagevec(kind, owner) => {
                let on_stack = Pv { kind, owner }.on_stack();
                format!("{} of {} {owner}", kind.name(), if on_stack { "task" } else { "CPU" })
            }
            ListId::Pcp(of, cpu) => format!("PCP lists of CPU {cpu}{}", zone(of)),
            ListId::Picked(cpu) => format!("pages picked by CPU {cpu}"),
            ListId::Dead(cpu) => format!("pages to be freed by CPU {cpu}"),
            ListId::Free(of, order) => format!("free blocks of order {order}{}", zone(of)),
        }
    }
}

impl Counter {
    /// Its name, kernel names to the letter.
    pub fn name(self) -> String {
        match self {
            Counter::Stat(stat) => stat.name().to_string(),
            Counter::Event(event) => event.name().to_string(),
            Counter::Key(key) => key.name(),
        }
    }

    /// Its value at one moment.
    pub fn value(self, world: &World) -> i64 {
        let machine: &Machine = &world.machine;
        match self {
            Counter::Stat(stat) => machine.stat(stat),
            Counter::Event(event) => i64::try_from(machine.events[event as usize]).unwrap_or(i64::MAX),
            Counter::Key(key) => i64::try_from(key.of(&world.ledger)).unwrap_or(i64::MAX),
        }
    }
}
