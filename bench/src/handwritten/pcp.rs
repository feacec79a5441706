//! pcp-free: pages of order 0 out through the per-CPU list of 4.15 and back, as a loop over plain arrays.

use sim_core::engine::{Engine, Setup};
use sim_core::kernel::page_alloc::get_page_from_freelist;
use sim_core::kernel::page_free::free_unref_page;
use sim_core::ledger::{Count, Ledger, Site};
use sim_core::machine::{
    AreaList, Event, LockClass, MAX_ORDER, Machine, MachineSpec, MigrateType, NIL, PAGEBLOCK_ORDER, PCP_TYPES,
    PcpField, PcpSpec, Stat, stat_threshold,
};
use sim_core::op::{Held, World};
use sim_core::scenario::PCP_FREE_VARIANTS;

use crate::clock::Moment;
use crate::munlock;

/// Pages of the zone.
const PAGES: u32 = 65_536;
/// Pages that are taken before all of them are given back: 128 MiB.
const TOUCH: u32 = 32_768;
const ROUNDS: u32 = 40;
/// batch and high of a zone of 4.15 that is larger than 512 MiB.
const BATCH: u32 = 31;
const HIGH: u32 = 186;
const ORDERS: usize = MAX_ORDER as usize;

/// Pages of a measurement.
pub const UNITS: u64 = TOUCH as u64 * ROUNDS as u64;

/// Seconds of the loop and of the engine.
pub fn times() -> Result<(f64, f64), String> {
    let mut engine = engine()?;
    let mut area = Area::new(&engine.world().machine);
    let start = Moment::now();
    area.run();
    let by_hand = start.seconds();
    let start = Moment::now();
    munlock::run(&mut engine).map_err(|error| error.to_string())?;
    let by_engine = start.seconds();
    area.compare(&engine.world())?;
    Ok((by_hand, by_engine))
}

fn engine() -> Result<Engine, String> {
    let variant = PCP_FREE_VARIANTS.iter().find(|variant| variant.name == "v4.15").ok_or("pcp-free has no v4.15")?;
    let threshold = stat_threshold(1, u64::from(PAGES));
    let mut machine = Machine::new(&MachineSpec { cpus: 1, zones: vec![PAGES], threshold });
    machine.add_buddy(0, PcpSpec { batch: BATCH, high: HIGH, high_max: HIGH }, false);
    let mut engine = Engine::new(variant.config, machine);
    engine.begin(Setup::default(), true);
    engine.spawn("pages", 0, |cpu| async move {
        let mut taken = Vec::with_capacity(TOUCH as usize);
        for _ in 0..ROUNDS {
            for _ in 0..TOUCH {
                taken.extend(get_page_from_freelist(&cpu, 0, MigrateType::Movable).await);
            }
            for page in taken.drain(..) {
                if cpu.put_page_testzero(page, Site::PutPage, Held::Map).await {
                    free_unref_page(&cpu, page, 0).await;
                }
            }
        }
    });
    Ok(engine)
}

#[derive(Clone, Copy)]
struct List {
    head: u32,
    tail: u32,
}

/// The zone and one CPU's lists. All pages are movable, so the lists of other types stay empty.
struct Area {
    next: Vec<u32>,
    prev: Vec<u32>,
    /// Order and one of a free block, as the flag and the order of a page say together; else 0.
    buddy: Vec<u8>,
    free: [List; ORDERS],
    nr_free: [u32; ORDERS],
    pcp: List,
    /// Pages on the per-CPU list.
    count: u32,
    diff: i32,
    threshold: i32,
    free_pages: i64,
    taken: Vec<u32>,
    ledger: Ledger,
}

impl Area {
    fn new(machine: &Machine) -> Area {
        let mut area = Area {
            next: machine.pages.iter().map(|page| page.next).collect(),
            prev: machine.pages.iter().map(|page| page.prev).collect(),
            buddy: vec![0; machine.pages.len()],
            free: [List { head: NIL, tail: NIL }; ORDERS],
            nr_free: [0; ORDERS],
            pcp: List { head: NIL, tail: NIL },
            count: 0,
            diff: 0,
            threshold: i32::from(machine.zones[0].threshold),
            free_pages: machine.zones[0].stat[Stat::FreePages as usize],
            taken: Vec::with_capacity(TOUCH as usize),
            ledger: Ledger::default(),
        };
        for order in 0..MAX_ORDER {
            let blocks = machine.area_list(0, AreaList::Free { order, mt: MigrateType::Movable });
            for block in blocks {
                let list = &mut area.free[order as usize];
                if list.head == NIL {
                    list.head = block;
                }
                list.tail = block;
                area.nr_free[order as usize] += 1;
                area.buddy[block as usize] = order + 1;
            }
        }
        area
    }

    fn run(&mut self) {
        for _ in 0..ROUNDS {
            for _ in 0..TOUCH {
                self.alloc();
            }
            for at in 0..self.taken.len() {
                self.free_page(self.taken[at]);
            }
            self.taken.clear();
        }
    }

    #[inline(always)]
    fn add(&mut self, count: Count, n: u64) {
        self.ledger.counts[count as usize] += n;
    }

    #[inline(always)]
    fn event(&mut self, event: Event) {
        self.ledger.events[event as usize] += 1;
        self.add(Count::EventUpdates, 1);
    }

    #[inline(always)]
    fn lock(&mut self) {
        self.ledger.locks[LockClass::Zone as usize].acquired += 1;
    }

    #[inline(always)]
    fn stat(&mut self, delta: i32) {
        self.add(Count::StatPlain, 1);
        self.diff += delta;
        if self.diff.abs() > self.threshold {
            self.free_pages += i64::from(self.diff);
            self.diff = 0;
            self.add(Count::Folds, 2);
        }
    }

    #[inline(always)]
    fn link(&mut self, list: List, tail: bool, page: u32) -> List {
        let (prev, next) = if tail { (list.tail, NIL) } else { (NIL, list.head) };
        (self.prev[page as usize], self.next[page as usize]) = (prev, next);
        if prev != NIL {
            self.next[prev as usize] = page;
        }
        if next != NIL {
            self.prev[next as usize] = page;
        }
        self.add(Count::ListAdd, 1);
        List { head: if prev == NIL { page } else { list.head }, tail: if next == NIL { page } else { list.tail } }
    }

    #[inline(always)]
    fn unlink(&mut self, list: List, page: u32) -> List {
        let (prev, next) = (self.prev[page as usize], self.next[page as usize]);
        if prev != NIL {
            self.next[prev as usize] = next;
        }
        if next != NIL {
            self.prev[next as usize] = prev;
        }
        (self.prev[page as usize], self.next[page as usize]) = (NIL, NIL);
        self.add(Count::ListDel, 1);
        List { head: if prev == NIL { next } else { list.head }, tail: if next == NIL { prev } else { list.tail } }
    }

    /// A block goes on its free list or comes off it, under zone->lock.
    #[inline(always)]
    fn list_block(&mut self, page: u32, order: usize, tail: bool) {
        self.free[order] = self.link(self.free[order], tail, page);
        self.add(Count::ListUnderZone, 1);
        self.nr_free[order] += 1;
        self.buddy[page as usize] = order as u8 + 1;
    }

    #[inline(always)]
    fn unlist_block(&mut self, page: u32, order: usize) {
        self.free[order] = self.unlink(self.free[order], page);
        self.add(Count::ListUnderZone, 1);
        self.nr_free[order] -= 1;
        self.buddy[page as usize] = 0;
    }

    fn alloc(&mut self) {
        // The watermark, and whether the list is empty.
        self.add(Count::Reads, 2);
        self.add(Count::IrqPairs, 1);
        if self.pcp.head == NIL {
            self.refill();
        }
        let page = self.pcp.head;
        self.pcp = self.unlink(self.pcp, page);
        self.count -= 1;
        self.event(Event::Alloc);
        self.add(Count::Allocs, 1);
        self.taken.push(page);
    }

    fn refill(&mut self) {
        self.lock();
        for _ in 0..BATCH {
            let Some(from) = (0..ORDERS).find(|&order| self.free[order].head != NIL) else { break };
            let page = self.free[from].head;
            self.unlist_block(page, from);
            for order in (0..from).rev() {
                self.list_block(page + (1 << order), order, false);
            }
            self.add(Count::Reads, 1);
            self.pcp = self.link(self.pcp, true, page);
            self.add(Count::ListUnderZone, 1);
            self.count += 1;
        }
        self.stat(-(BATCH as i32));
    }

    fn free_page(&mut self, page: u32) {
        self.ledger.puts[Site::PutPage as usize] += 1;
        self.add(Count::Frees, 1);
        // The type of the pageblock, that in the page, and high.
        self.add(Count::Reads, 3);
        self.add(Count::IrqPairs, 1);
        self.event(Event::Free);
        self.pcp = self.link(self.pcp, false, page);
        self.count += 1;
        if self.count >= HIGH {
            self.add(Count::Reads, 1);
            self.drain();
            self.count -= BATCH;
        }
    }

    /// Lists in turn; only that of movable pages holds something, so that one page goes first and then all the others.
    fn drain(&mut self) {
        self.lock();
        self.add(Count::Reads, 1);
        let (mut left, mut turn, mut batch_free) = (BATCH, 0, 0);
        while left > 0 {
            loop {
                batch_free += 1;
                turn = (turn + 1) % PCP_TYPES;
                self.add(Count::Reads, 1);
                if turn == MigrateType::Movable as u8 {
                    break;
                }
            }
            if batch_free == u32::from(PCP_TYPES) {
                batch_free = left;
            }
            while self.pcp.tail != NIL {
                let page = self.pcp.tail;
                self.pcp = self.unlink(self.pcp, page);
                self.add(Count::ListUnderZone, 1);
                self.add(Count::PicksUnderZone, 1);
                // The type that the page keeps, and the check.
                self.add(Count::Reads, 2);
                self.merge(page);
                left -= 1;
                if left == 0 {
                    break;
                }
                batch_free -= 1;
                if batch_free == 0 {
                    break;
                }
                self.add(Count::Reads, 1);
            }
        }
    }

    fn merge(&mut self, page: u32) {
        self.stat(1);
        let (mut page, mut order) = (page, 0);
        while order < ORDERS - 1 {
            let buddy = page ^ 1 << order;
            if buddy >= PAGES {
                break;
            }
            // Whether a pageblock is isolated is asked from their size on.
            self.add(Count::Reads, 1 + u64::from(order == usize::from(PAGEBLOCK_ORDER)));
            if usize::from(self.buddy[buddy as usize]) != order + 1 {
                break;
            }
            self.unlist_block(buddy, order);
            page &= buddy;
            order += 1;
        }
        let mut tail = false;
        if order < ORDERS - 2 {
            let higher = (page & (page ^ 1 << order)) ^ 2 << order;
            if higher < PAGES {
                self.add(Count::Reads, 1);
                tail = usize::from(self.buddy[higher as usize]) == order + 2;
            }
        }
        self.list_block(page, order, tail);
    }

    // Both end with the same lists and the same counts.
    fn compare(&self, world: &World) -> Result<(), String> {
        let wrong = |what: &str| Err(format!("pcp-free: the loop by hand and the engine differ in {what}"));
        let (ours, theirs) = (&self.ledger, &world.ledger);
        if let Some(&count) = Count::ALL.iter().find(|&&count| ours.count(count) != theirs.count(count)) {
            let text = format!("{}: {} and {}", count.name(), ours.count(count), theirs.count(count));
            return wrong(&text);
        }
        let zone = |ledger: &Ledger| ledger.lock(LockClass::Zone).acquired;
        if zone(ours) != zone(theirs) || ours.events != theirs.events || ours.puts != theirs.puts {
            return wrong("locks, events or references");
        }
        let Some(buddy) = world.machine.buddy(0) else { return wrong("the zone") };
        let page = |page: u32| (page != NIL).then_some(page);
        let order = |list: List| std::iter::successors(page(list.head), |&at| page(self.next[at as usize]));
        let listed = |list: AreaList| world.machine.area_list(0, list);
        let mt = MigrateType::Movable;
        let same = (0..MAX_ORDER).all(|at| order(self.free[at as usize]).eq(listed(AreaList::Free { order: at, mt })));
        if !same || self.nr_free != buddy.nr_free || !order(self.pcp).eq(listed(AreaList::Pcp { cpu: 0, mt })) {
            return wrong("the lists");
        }
        let stat = world.machine.zones[0].stat[Stat::FreePages as usize];
        if self.count != buddy.pcp[0].get(PcpField::Count) || self.free_pages != stat {
            return wrong("the counters");
        }
        Ok(())
    }
}
