//! Quantities over a recorded run: locks held, lists, free pages and the like, as the steps at which they change.
//!
//! Everything is a pure function of a [`Timeline`]; [`Reader`] makes it in slices. A step is named by how many have been
//! made, as in [`Timeline::seek`]; a value holds until the next change.

use alloc::vec;
use alloc::vec::Vec;

use crate::engine::{Record, Timeline};
use crate::machine::{
    AreaList, LRU_LISTS, LockClass, LockId, Machine, PageFlag, RmapState, Rss, Swap, pindex_to_order,
};
use crate::op::{Alone, Op, World};

/// Address spaces whose pages are told apart; of more only the sum is kept.
pub const MOST_SPACES: usize = 4;

/// What is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Holds of locks: a lock that several read is one for each of them.
    Held,
    /// Tasks in line for locks.
    Waiting,
    /// Atomics of the measured section so far: [`crate::ledger::Ledger::total_rmw`].
    Rmw,
    /// Small pages on an LRU list of all zones.
    Lru(u8),
    /// Pages on the per-CPU lists of the page allocator.
    Pcp,
    /// Pages in the free lists of the zones.
    Free,
    /// RSS of an address space, pages; where the machine keeps such counters.
    Rss(u8),
    /// RSS of all address spaces together, where there are more than [`MOST_SPACES`].
    RssOfAll,
    /// Slots of the swap device in use.
    Swap,
}

/// One quantity over the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// Which.
    pub what: Quantity,
    /// Steps made and the value from there on, ascending; the first is that of step 0.
    pub points: Vec<(u32, i64)>,
}

impl Series {
    /// The value after so many steps.
    pub fn at(&self, step: u32) -> i64 {
        let after = self.points.partition_point(|point| point.0 <= step);
        after.checked_sub(1).map_or(0, |at| self.points[at].1)
    }

    /// It is never anything but 0.
    pub fn is_nothing(&self) -> bool {
        self.points.iter().all(|point| point.1 == 0)
    }

    fn note(&mut self, step: u32, value: i64) {
        if self.points.last().is_none_or(|last| last.1 != value) {
            self.points.push((step, value));
        }
    }
}

/// All quantities that the run has, in the order of [`Quantity`].
pub fn series(timeline: &Timeline) -> Vec<Series> {
    let mut reader = Reader::new(timeline);
    while !reader.advance(timeline, usize::MAX) {}
    reader.finish()
}

/// Goes through a run from its start, on a world of its own.
pub struct Reader {
    world: World,
    alone: Alone,
    at: usize,
    held: i64,
    waiting: i64,
    pcp: i64,
    series: Vec<Series>,
}

impl Reader {
    /// A reader at the start of a run.
    pub fn new(timeline: &Timeline) -> Reader {
        let world = timeline.start().clone();
        let machine = &world.machine;
        let pcp = (0..machine.zones.len() as u8).filter_map(|zone| machine.buddy(zone));
        let pcp = pcp.map(|buddy| i64::from(buddy.pcp_pages())).sum();
        let series = quantities(machine).into_iter().map(|what| Series { what, points: vec![] }).collect();
        let (held, waiting) = locks_at_start(machine);
        let mut reader = Reader { world, alone: Alone::new(), at: 0, held, waiting, pcp, series };
        reader.note();
        reader
    }

    /// Steps that have been read.
    pub fn read(&self) -> usize {
        self.at
    }

    /// Reads some more steps of the same run. True at its end.
    pub fn advance(&mut self, timeline: &Timeline, steps: usize) -> bool {
        let records = timeline.records();
        let end = self.at.saturating_add(steps).min(records.len());
        for record in &records[self.at.min(end)..end] {
            self.step(record);
        }
        self.at == records.len()
    }

    /// What has been read; what was 0 all the time is left out.
    pub fn finish(self) -> Vec<Series> {
        self.series.into_iter().filter(|series| !series.is_nothing()).collect()
    }

    fn step(&mut self, record: &Record) {
        let Record { op, outcome, task, counted, .. } = *record;
        let before = touched(&self.world.machine, &op);
        self.world.apply(task, op, counted);
        let after = touched(&self.world.machine, &op);
        self.held += after.held - before.held;
        self.waiting += after.waiting - before.waiting;
        self.pcp += after.pcp - before.pcp;
        if counted {
            self.alone.add(&op, outcome, self.at as u64);
        }
        self.at += 1;
        self.note();
    }

    fn note(&mut self) {
        let (step, machine) = (self.at as u32, &self.world.machine);
        for series in &mut self.series {
            let value = match series.what {
                Quantity::Held => self.held,
                Quantity::Waiting => self.waiting,
                Quantity::Rmw => self.alone.ledger().total_rmw() as i64,
                Quantity::Lru(lru) => machine.zones.iter().map(|zone| i64::from(zone.lru[lru as usize].pages)).sum(),
                Quantity::Pcp => self.pcp,
                Quantity::Free => machine.zones.iter().map(free).sum(),
                Quantity::Rss(mm) => rss(machine, mm),
                Quantity::RssOfAll => (0..spaces(machine) as u8).map(|mm| rss(machine, mm)).sum(),
                Quantity::Swap => machine.swap.as_ref().map_or(0, |swap| i64::from(swap.inuse)),
            };
            series.note(step, value);
        }
    }
}

/// What a machine can have, whatever the run does.
fn quantities(machine: &Machine) -> Vec<Quantity> {
    let mut all = vec![Quantity::Held, Quantity::Waiting, Quantity::Rmw];
    all.extend((0..LRU_LISTS as u8).map(Quantity::Lru));
    if machine.zones.iter().any(|zone| zone.buddy.is_some()) {
        all.push(Quantity::Pcp);
    }
    all.push(Quantity::Free);
    match spaces(machine) {
        spaces if spaces > MOST_SPACES => all.push(Quantity::RssOfAll),
        spaces => all.extend((0..spaces as u8).map(Quantity::Rss)),
    }
    if machine.swap.is_some() {
        all.push(Quantity::Swap);
    }
    all
}

/// What a step may have changed, of the things that it touches alone: only differences mean anything.
#[derive(Clone, Copy, Default)]
struct Touched {
    held: i64,
    waiting: i64,
    pcp: i64,
}

fn touched(machine: &Machine, op: &Op) -> Touched {
    let mut touched = Touched::default();
    match op.lock() {
        Some(LockId { class: LockClass::Page, index }) => {
            touched.waiting = machine.page_waiters.iter().filter(|waiter| waiter.0 == index).count() as i64;
        }
        Some(lock) => {
            let state = machine.lock(lock);
            touched.held = holders(state);
            touched.waiting = state.queue.len() as i64;
        }
        None => {}
    }
    if let Some(page) = op.page().and_then(|page| machine.pages.get(page as usize)) {
        touched.held += i64::from(page.has(PageFlag::Locked));
    }
    if let Op::AreaAdd { list, page, .. } | Op::AreaDel { list, page } = *op {
        touched.pcp = on_pcp(machine, list, page);
    }
    touched
}

fn holders(state: &crate::machine::LockState) -> i64 {
    i64::from(state.holder != crate::machine::NOBODY) + i64::from(state.readers)
}

/// Pages of a list, where it is one of a CPU.
fn on_pcp(machine: &Machine, list: AreaList, page: u32) -> i64 {
    let pindex = match list {
        AreaList::Pcp { mt, .. } => u32::from(mt as u8),
        AreaList::PcpOrder { pindex, .. } => u32::from(pindex),
        _ => return 0,
    };
    let zone = machine.page(page).zone();
    let order = pindex_to_order(pindex as _);
    machine.buddy(zone).map_or(0, |buddy| i64::from(buddy.list(list).len) << order)
}

fn free(zone: &crate::machine::Zone) -> i64 {
    zone.buddy.as_ref().map_or(i64::from(zone.free), |buddy| i64::from(buddy.free_pages()))
}

/// Address spaces that have counters.
fn spaces(machine: &Machine) -> usize {
    let swap = machine.swap.as_ref().map(|swap| swap.rss.len());
    swap.or(machine.rmap.as_ref().map(|rmap| rmap.mms.len())).unwrap_or(0)
}

fn rss(machine: &Machine, mm: u8) -> i64 {
    let of_swap = |swap: &Swap| swap.rss(mm, Rss::Anon);
    let of_rmap = |rmap: &RmapState| resident(rmap, mm);
    let swap = machine.swap.as_deref().map(of_swap);
    swap.or(machine.rmap.as_deref().map(of_rmap)).unwrap_or(0)
}

/// MM_FILEPAGES, MM_ANONPAGES and MM_SHMEMPAGES: what the kernel calls RSS. MM_SWAPENTS is no memory.
fn resident(rmap: &RmapState, mm: u8) -> i64 {
    use crate::machine::Member;
    [Member::File, Member::Anon, Member::Shmem].into_iter().map(|member| rmap.rss(mm, member)).sum()
}

/// Locks that are held, and tasks in line, before the first step. Set-up leaves few: a page that a test has locked.
fn locks_at_start(machine: &Machine) -> (i64, i64) {
    let of_mms = machine.mm_locks.iter().flat_map(|locks| [&locks.mmap_sem, &locks.page_table_lock]);
    let work = machine.work.pools.iter().map(|pool| &pool.lock);
    let work = work.chain([&machine.work.drain_mutex, &machine.work.hotplug]);
    let buddies = machine.zones.iter().filter_map(|zone| zone.buddy.as_deref());
    let buddies = buddies.flat_map(|buddy| buddy.pcp.iter().map(|pcp| &pcp.lock).chain([&buddy.lock]));
    let rmap = machine.rmap.iter().flat_map(|rmap| rmap.rss_locks.iter().chain(&rmap.locks));
    let swap = machine.swap.iter();
    let swap =
        swap.flat_map(|swap| swap.cluster_locks.iter().chain([&swap.si_lock, &swap.avail_lock, &swap.tree_lock]));
    let plain = machine.lru_locks.iter().chain(&machine.ptls).chain(&machine.mapping_locks);
    let all = plain.chain(of_mms).chain(work).chain(buddies).chain(rmap).chain(swap);
    let (held, waiting) =
        all.fold((0, 0), |(held, waiting), state| (held + holders(state), waiting + state.queue.len() as i64));
    let pages = machine.pages.iter().filter(|page| page.has(PageFlag::Locked)).count() as i64;
    (held + pages, waiting + machine.page_waiters.len() as i64)
}
