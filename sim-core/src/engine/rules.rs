//! The rules of the machine as data: what each says, which memory it is about, when it is checked; and how each stands
//! in a recorded run.
//!
//! A [`Violation`] names its rule by the same words. Rules that only a kernel's own assertion or the engine notices are
//! among them.

use alloc::vec::Vec;

use super::check::Violation;
use super::timeline::Timeline;
use crate::kernel::{Config, Patch};
use crate::machine::Machine;

/// What a machine must have for a rule to be about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Memory {
    /// Every machine.
    Any,
    /// LRU lists, pagevecs, NR_MLOCK: every machine without the state of the reverse map.
    Lists,
    /// Work items and kworkers.
    Work,
    /// The page allocator with its per-CPU lists.
    Allocator,
    /// A swap device.
    Swap,
    /// Folios with map counts, batches, TLBs.
    Rmap,
}

impl Memory {
    /// All of them, in the order of [`RULES`].
    pub const ALL: [Memory; 6] =
        [Memory::Any, Memory::Lists, Memory::Work, Memory::Allocator, Memory::Swap, Memory::Rmap];

    /// What its rules are about, as a heading.
    pub const fn heading(self) -> &'static str {
        match self {
            Memory::Any => "Every machine",
            Memory::Lists => "Pages, LRU lists and pagevecs",
            Memory::Work => "Work items and kworkers",
            Memory::Allocator => "Page allocator",
            Memory::Swap => "Swap",
            Memory::Rmap => "Reverse map, batches and TLBs",
        }
    }

    fn is_in(self, machine: &Machine) -> bool {
        match self {
            Memory::Any => true,
            Memory::Lists => machine.rmap.is_none(),
            Memory::Work => machine.rmap.is_none() && !machine.work.items.is_empty(),
            Memory::Allocator => machine.rmap.is_none() && machine.zones.iter().any(|zone| zone.buddy.is_some()),
            Memory::Swap => machine.rmap.is_none() && machine.swap.is_some(),
            Memory::Rmap => machine.rmap.is_some(),
        }
    }
}

/// When a rule is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// After every step that may break it.
    Step,
    /// When the run has ended and nobody is inside a kernel function.
    Rest,
    /// After every step, and in kernels with this patch when the run has ended.
    StepUnless(Patch),
}

/// One rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// As [`Violation::rule`] names it: its number, if it has one, and what it says in short.
    pub name: &'static str,
    /// What it says, in one sentence.
    pub says: &'static str,
    /// What it is about.
    pub memory: Memory,
    /// When it is checked.
    pub when: When,
    /// Only kernels with this patch must keep it.
    pub with: Option<Patch>,
    /// Kernels with this patch need not keep it.
    pub without: Option<Patch>,
}

impl Rule {
    const fn new(memory: Memory, name: &'static str, says: &'static str) -> Rule {
        Rule { name, says, memory, when: When::Step, with: None, without: None }
    }

    const fn rest(self) -> Rule {
        Rule { when: When::Rest, ..self }
    }

    const fn step_unless(self, patch: Patch) -> Rule {
        Rule { when: When::StepUnless(patch), ..self }
    }

    const fn with(self, patch: Patch) -> Rule {
        Rule { with: Some(patch), ..self }
    }

    const fn without(self, patch: Patch) -> Rule {
        Rule { without: Some(patch), ..self }
    }

    /// The rule with a name.
    pub fn find(name: &str) -> Option<&'static Rule> {
        RULES.iter().find(|rule| rule.name == name)
    }

    /// Its number among the rules about the same memory; empty where it has none.
    pub fn number(&self) -> &'static str {
        self.name.split_once(": ").map_or("", |(number, _)| number)
    }

    /// What it says in short.
    pub fn short(&self) -> &'static str {
        self.name.split_once(": ").map_or(self.name, |(_, short)| short)
    }

    /// It is about this machine, and its kernel must keep it.
    pub fn applies(&self, machine: &Machine, config: &Config) -> bool {
        self.memory.is_in(machine)
            && self.with.is_none_or(|patch| config.has(patch))
            && self.without.is_none_or(|patch| !config.has(patch))
    }

    fn at_rest(&self, config: &Config) -> bool {
        match self.when {
            When::Step => false,
            When::Rest => true,
            When::StepUnless(patch) => config.has(patch),
        }
    }
}

/// How a rule stands in a recorded run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Checked, and it holds after this many steps: at the end of the run, or before the step that stopped it.
    Holds(u32),
    /// Broken, which stopped the run.
    Broken(Violation),
    /// It is checked when the run has ended, and this one was stopped.
    NotReached,
    /// It is not about this machine or this kernel.
    Absent,
}

impl Timeline {
    /// How each of [`RULES`] stands in this run, in their order.
    pub fn rules(&self) -> Vec<(&'static Rule, Standing)> {
        RULES.iter().map(|rule| (rule, self.standing(rule))).collect()
    }

    fn standing(&self, rule: &Rule) -> Standing {
        let (machine, config) = (&self.world().machine, self.config());
        let steps = self.len() as u32;
        let applies = rule.applies(machine, config);
        let at_rest = rule.at_rest(config);
        match self.violation() {
            Some(broken) if broken.rule == rule.name => Standing::Broken(broken.clone()),
            _ if !applies => Standing::Absent,
            None => Standing::Holds(steps),
            Some(_) if at_rest => Standing::NotReached,
            // What is found at rest lets every step before it have been checked.
            Some(broken) if Rule::find(broken.rule).is_some_and(|rule| rule.when == When::Rest) => {
                Standing::Holds(steps)
            }
            Some(broken) => Standing::Holds(broken.step.saturating_sub(1)),
        }
    }
}

const fn any(name: &'static str, says: &'static str) -> Rule {
    Rule::new(Memory::Any, name, says)
}

const fn lists(name: &'static str, says: &'static str) -> Rule {
    Rule::new(Memory::Lists, name, says)
}

const fn work(name: &'static str, says: &'static str) -> Rule {
    Rule::new(Memory::Work, name, says)
}

const fn allocator(name: &'static str, says: &'static str) -> Rule {
    Rule::new(Memory::Allocator, name, says)
}

const fn swap(name: &'static str, says: &'static str) -> Rule {
    Rule::new(Memory::Swap, name, says)
}

const fn rmap(name: &'static str, says: &'static str) -> Rule {
    Rule::new(Memory::Rmap, name, says)
}

/// Every rule that a run is checked against, by what it is about.
pub const RULES: &[Rule] = &[
    any(
        "a call comes in its order",
        "A program makes a call only where its process and its VMA are as the call needs them.",
    ),
    any("deadlock", "Somebody can always go on: nobody waits for ever, for a lock or for someone to wake them."),
    any("out of memory", "There is a page for whoever must have one."),
    any("3: PG_lru changes under lru_lock", "Only the holder of a zone's lru_lock sets or clears PG_lru of its pages.")
        .without(Patch::TestClearLru),
    any("6: only the owner unlocks a page", "A page lock is given back by the task that took it."),
    any("7: lru_lock is held with interrupts off", "Whoever holds an lru_lock has interrupts off on its CPU."),
    any("7: one lru_lock at a time", "No task holds the lru_lock of two zones."),
    any(
        "7: no sleep and no page lock under lru_lock",
        "Under lru_lock nobody tries for a page lock or a semaphore, or sleeps.",
    ),
    any("7: no ptl under lru_lock", "Under lru_lock nobody takes the lock of a page table."),
    any(
        "8: a global counter is the sum of the zones",
        "Each global counter is what the zones' counters of its kind add up to.",
    ),
    any(
        "10: a per-CPU difference stays within the threshold",
        "What a CPU keeps back of a counter never goes beyond the zone's threshold.",
    ),
    lists(
        "1: a page is on one list exactly when PG_lru is set",
        "With lru_lock free, PG_lru says whether a page is linked into the list that its flags name.",
    )
    .step_unless(Patch::TestClearLru),
    lists("1: a page is in one lru_add slot at most", "A page waits for its list in one place only."),
    lists("1: lists are linked", "Each LRU list, followed from its head, has as many entries as it says.").rest(),
    lists(
        "1: at rest a page off its list waits in a pagevec",
        "In the end every page that is on no list waits in a pagevec, so that somebody will put it back.",
    )
    .rest(),
    lists("2: a page is on the list that its flags name", "The flags of every page on a list name that list.").rest(),
    lists(
        "4: _count is the sum of the holders",
        "A page's reference count is the number of its mappings, of the page cache, pagevecs, isolations and pins.",
    ),
    lists("4: bad_page", "A page that is freed has no flag left that says somebody uses it."),
    lists("5: mapcount is at most _count", "A page has at least as many references as mappings."),
    lists("5: mapcount is the number of PTEs", "A page's map count is the number of entries that map it.").rest(),
    lists(
        "8: the LRU counters equal the lists",
        "When lru_lock is given back, each list's counters are the number of pages on it.",
    ),
    lists(
        "9: NR_MLOCK counts the mlocked pages",
        "NR_MLOCK is the number of pages with PG_mlocked, but for what is on its way and the known leak before 4.12.",
    ),
    lists(
        "11: a pagevec holds what its size says at most",
        "No pagevec has more pages than its kernel gives it room for.",
    ),
    lists("11: a page in an lru_add pagevec is on no list", "A page that waits for a list has no PG_lru."),
    lists(
        "12: no page on a list is active and unevictable",
        "No page on a list has both PG_active and PG_unevictable.",
    )
    .with(Patch::ClearActive)
    .without(Patch::TestClearLru),
    lists(
        "13: no evictable page is stranded on the unevictable list",
        "In the end the unevictable list, which nobody scans, holds no page that could be reclaimed.",
    )
    .rest(),
    lists("14: at rest no page is isolated or pinned", "In the end nobody holds a page for a short while.").rest(),
    lists("14: at rest no page is locked", "In the end every page lock is free.").rest(),
    lists("14: at rest nobody waits", "In the end no task waits for a lock.").rest(),
    lists(
        "VM_BUG_ON(PageTail(page))",
        "The kernel's own assertion: whether a page is huge is asked of a head page, never of a tail.",
    ),
    lists("Bad page map", "A walk of a page table reads no entry behind the table's end."),
    work(
        "W1: PENDING says what was queued",
        "A work item's pending bit is set exactly when it was queued and not begun.",
    ),
    work("W1: a work item is queued once", "No work item stands in two places of a worklist."),
    work("W1: what is queued is pending", "A work item in a worklist has its pending bit."),
    work("W2: a work item in use is not initialised", "Nobody sets up a work item anew that is queued or runs."),
    work("W2: a work item does not run twice at once", "No two kworkers run the same work item."),
    work("W3: a worker takes what is queued", "A kworker takes a work item only from a list that has one."),
    work("W3: a worker ends what it runs", "A kworker that ends a work item has begun it."),
    work(
        "W4: PENDING is cleared before the function runs",
        "The pending bit goes before the function begins, so that who queues it meanwhile is not lost.",
    ),
    work(
        "W5: a work item runs on its CPU",
        "A per-CPU work item runs on the CPU that it is for, while that is online.",
    ),
    work("W5: a worklist changes under its pool's lock", "Nobody changes a worklist without the lock of its pool."),
    work(
        "W6: a barrier completes when it is reached",
        "Who flushes a work item is woken when the barrier behind it runs, not before.",
    ),
    work(
        "W6: nobody sleeps for a barrier that is not queued",
        "Who waits for a barrier has queued it, so that somebody will wake them.",
    ),
    work("W7: at rest no work item is left over", "In the end no work item is queued, runs or is pending.").rest(),
    work("W7: at rest every kworker idles", "In the end all kworkers sleep.").rest(),
    work("W8: work items that were allocated are freed", "In the end no set of work items is left allocated.").rest(),
    allocator(
        "1: every page is in one place of the allocator",
        "A page is allocated, in a free block, on a per-CPU list or on its way, and in one of these only.",
    ),
    allocator(
        "2: a free block is what its head says",
        "A free block begins at a multiple of its size, and its head has the flag and the order.",
    ),
    allocator(
        "3: nr_free and NR_FREE_PAGES count the free blocks",
        "The count of each order is the blocks on its lists, and NR_FREE_PAGES the pages that are not isolated.",
    ),
    allocator(
        "4: no two free buddies stay unmerged",
        "With zone->lock free, no two buddies of the same order are both free, where they may merge.",
    ),
    allocator(
        "5: pcp.count is the number of pages on its lists",
        "The count of a CPU's lists is the number of pages on them, and stays within what high and a refill allow.",
    ),
    allocator(
        "6: a drain asks for no more pages than the lists hold",
        "Who drains a CPU's lists asks for what they hold at most; else the search for the next page never ends.",
    ),
    allocator(
        "7: zone->lock is held with interrupts off, and pages are picked with interrupts off",
        "Nobody holds zone->lock, or picks pages off a CPU's lists without it, where an interrupt may come.",
    ),
    allocator(
        "9: PGALLOC less PGFREE is the number of allocated pages",
        "The two events differ by the pages that are in use, but for those that 5.18 does not count.",
    )
    .rest(),
    allocator(
        "B.8.2: free pages of an isolated pageblock are on the ISOLATE lists",
        "A free page is on a list of type ISOLATE exactly when its pageblock is isolated.",
    ),
    allocator("a block is allocated once", "A program does not allocate a block that it has."),
    allocator("a block is freed once", "A program does not free a block that it does not have."),
    swap(
        "10: the swap map counts the PTEs that hold the entry",
        "The count of a slot is the number of page-table entries that name it.",
    ),
    swap(
        "10: SWAP_HAS_CACHE says that a page of the swap cache has the slot",
        "The bit of a slot, the swap cache and the flag of the page say the same.",
    ),
    swap(
        "11: nr_swap_pages and inuse_pages make up the device",
        "With the device's locks free, the two counters are the free slots and those in use.",
    ),
    swap(
        "12: the counters of an mm count its PTEs",
        "The counters of an mm are the numbers of its entries that map anonymous pages and that name slots.",
    ),
    swap(
        "14: a lazy page is discarded only while it is clean",
        "Reclaim throws a page of MADV_FREE away only if nobody has written to it since.",
    ),
    swap(
        "15: MADV_FREE leaves no swap entry",
        "When MADV_FREE is done with a table, its part of the range names no slot any more.",
    )
    .with(Patch::FreeSwapEntry),
    swap(
        "16: memory holds what was stored last, or zeroes after madvise",
        "A program finds at each address what it stored there last, or zeroes where it has given the page up.",
    ),
    swap(
        "17: a page under writeback stays in the swap cache",
        "No page leaves the swap cache while it is being written to the device.",
    ),
    rmap(
        "G1: _mapcount is the number of PTEs, and of those cleared in an open batch",
        "A page's map count is the number of its PTEs, and of those that a batch has cleared and not counted yet.",
    ),
    rmap("G2: _entire_mapcount is the number of pmds", "A folio's count of whole mappings is the number of its pmds."),
    rmap(
        "G3: _nr_pages_mapped counts the mapped pages",
        "It is the number of pages of a folio that a PTE maps, with a bit for the pmds.",
    ),
    rmap(
        "G4: _large_mapcount is the number of all mappings",
        "The count of all mappings, and the shares of the mms that own them, add up.",
    )
    .with(Patch::LazyfreeBatch),
    rmap(
        "G5: _refcount is the sum of the holders",
        "A folio's reference count is its mappings, its cache, pagevecs, isolations, pins and private data.",
    ),
    rmap(
        "G5: a folio that is being unmapped has a reference left",
        "Dropping the references of mappings never drops the last one.",
    ),
    rmap("G5: a folio is freed when nobody holds it", "A folio is freed only when no holder is left."),
    rmap(
        "G6: a batch lowers map counts and references by the same",
        "When a batch is done, a folio has as many references for mappings as mappings are counted.",
    ),
    rmap(
        "G7: rss_stat counts the PTEs",
        "The exact counters of an mm are the numbers of its PTEs of each kind, whatever a batch has put off.",
    ),
    rmap(
        "G8: the statistics count the mapped pages",
        "Node, memcg and lruvec agree on the mapped pages whenever a page-table lock is given back.",
    ),
    rmap(
        "G9: when the page-table lock goes, no batch is open",
        "Every PTE that was cleared under the lock of a table is counted before the lock is given back.",
    ),
    rmap("G10: at a hit, the PTE is the entry of the address", "The walk's pointer and its address are in step.")
        .without(Patch::LateRules),
    rmap("G10: the walk stays inside the page table", "The walk reads no entry behind the end of a table."),
    rmap(
        "G11: after the flush no TLB has what was cleared",
        "After a flush no CPU translates an address whose PTE is cleared, unless the flush was put off and noted.",
    )
    .without(Patch::LateRules),
    rmap(
        "G12: a page is freed only when no TLB entry refers to it",
        "No CPU can reach a page any more by an old translation when the page is freed.",
    ),
    rmap(
        "G13: a dirty PTE makes its folio dirty",
        "A dirty bit that was cleared is on the folio before the lock goes.",
    ),
    rmap(
        "G13: a PTE that is put back can only gain the young and dirty bits",
        "What is put back is what was taken out, with the young and dirty bits at most added.",
    ),
    rmap(
        "G14: a folio that is unmapped has no PTE left",
        "Where a VMA is said to have let go of a folio, none of its PTEs maps it.",
    ),
    rmap(
        "G15: the swap map counts the swap PTEs",
        "The count of an entry is its swap PTEs and those about to be made.",
    ),
    rmap(
        "G15: what swap_duplicate takes, a swap PTE has or swap_free gives back",
        "When a page-table lock is given back, every count that was taken belongs to a swap PTE.",
    ),
    rmap(
        "G16: only a clean folio that nobody else holds leaves the page cache",
        "Reclaim takes a folio out of the cache only if it is clean and only the cache and reclaim hold it.",
    ),
    rmap(
        "G17: a batch is consecutive pages of one folio",
        "The references that a batch drops are as many as the neighbouring pages of one folio that it has counted.",
    ),
    rmap("at rest no folio is isolated or locked", "In the end nobody has a folio off its list, or locked.").rest(),
];
