//! rmap-unmap: try_to_unmap of 6.3 on the folios of a file that one process maps, as a loop over plain arrays.

use sim_core::engine::{Engine, Setup};
use sim_core::kernel::rmap_unmap::Ttu;
use sim_core::kernel::rmap_walk::try_to_unmap;
use sim_core::ledger::{Count, Ledger, Site};
use sim_core::machine::{LockClass, MEMCG_BATCH, Machine, NODE_THRESHOLD, ONLINE_CPUS, PERCPU_BATCH, Stat};
use sim_core::op::World;
use sim_core::scenario::{RMAP_VARIANTS, RmapLayout};

use crate::clock::Moment;
use crate::munlock;

/// PTEs of a run: 96 times 2 MiB.
const PTES: u32 = 96 * 512;
const TIMES: u64 = 10;
/// Pages of a measurement.
pub const UNITS: u64 = PTES as u64 * TIMES;

/// Seconds of the loop and of the engine for folios of an order.
pub fn times(order: u8) -> Result<(f64, f64), String> {
    let (mut by_hand, mut by_engine) = (0.0, 0.0);
    for _ in 0..TIMES {
        let mut engine = engine(order)?;
        let mut range = Range::new(&engine.world().machine, order);
        let start = Moment::now();
        range.run();
        by_hand += start.seconds();
        let start = Moment::now();
        munlock::run(&mut engine).map_err(|error| error.to_string())?;
        by_engine += start.seconds();
        range.compare(order, &engine.world())?;
    }
    Ok((by_hand, by_engine))
}

fn engine(order: u8) -> Result<Engine, String> {
    let variant = RMAP_VARIANTS.iter().find(|variant| variant.name == "v6.3").ok_or("rmap-unmap has no v6.3")?;
    let layout = RmapLayout::file(&vec![order; (PTES >> order) as usize]);
    let mut engine = layout.set_up(variant.config);
    engine.begin(Setup::default(), true);
    let folios = engine.world().machine.rmap().range.clone();
    engine.spawn("reclaim", 0, |cpu| async move {
        for folio in folios {
            try_to_unmap(&cpu, folio, Ttu::default()).await;
        }
    });
    Ok(engine)
}

/// The range, its folios and what is counted of them.
struct Range {
    order: u8,
    /// Frame of each address; none is gone.
    ptes: Vec<Option<u32>>,
    in_tlb: Vec<bool>,
    mapcount: Vec<i32>,
    /// References and mapped pages of each folio, by its first page.
    refs: Vec<i32>,
    mapped: Vec<i32>,
    rss: i32,
    node: i32,
    memcg: i64,
    updates: u32,
    flushes: i64,
    tlb_gen: u64,
    file_mapped: i64,
    ledger: Ledger,
}

impl Range {
    fn new(machine: &Machine, order: u8) -> Range {
        let rmap = machine.rmap();
        Range {
            order,
            ptes: (0..PTES).map(|addr| sim_core::machine::pte_page(machine.pte(0, addr))).collect(),
            in_tlb: vec![true; PTES as usize],
            mapcount: machine.pages.iter().map(|page| page.mapcount).collect(),
            refs: machine.pages.iter().map(|page| page.count).collect(),
            mapped: rmap.folios.iter().map(|folio| folio.nr_mapped as i32).collect(),
            rss: 0,
            node: 0,
            memcg: 0,
            updates: 0,
            flushes: 0,
            tlb_gen: 0,
            file_mapped: machine.zones[0].stat[Stat::FileMapped as usize],
            ledger: Ledger::default(),
        }
    }

    fn run(&mut self) {
        let nr = 1 << self.order;
        for first in (0..PTES).step_by(nr as usize) {
            self.unmap_folio(first, nr);
        }
    }

    #[inline(always)]
    fn add(&mut self, count: Count, n: u64) {
        self.ledger.counts[count as usize] += n;
    }

    #[inline(always)]
    fn lock(&mut self, class: LockClass) {
        self.ledger.locks[class as usize].acquired += 1;
    }

    fn unmap_folio(&mut self, first: u32, nr: u32) {
        self.add(Count::HeadHuge, 3);
        self.lock(LockClass::IMmap);
        self.add(Count::Rwsem, 2);
        self.add(Count::Resched, 1);
        // The entry is looked at without the lock of its table, and once more with it.
        self.add(Count::Walks, 1);
        self.add(Count::Reads, 1);
        self.lock(LockClass::Ptl);
        let Some(folio) = self.ptes[first as usize] else { return };
        for addr in first..first + nr {
            self.add(Count::Reads, 1);
            if let Some(page) = self.ptes[addr as usize] {
                self.unmap_page(addr, folio, page);
            }
        }
    }

    #[inline(always)]
    fn unmap_page(&mut self, addr: u32, folio: u32, page: u32) {
        self.add(Count::Reads, 1);
        self.add(Count::HeadHuge, 3);
        self.ptes[addr as usize] = None;
        self.tlb_gen += 1;
        self.add(Count::OtherRmw, 2);
        self.add(Count::TlbFlushes, 1);
        self.in_tlb[addr as usize] = false;
        self.add(Count::Invlpg, 1);
        self.add(Count::Hiwater, 1);
        // One pair for the flush, one for the counter of the address space.
        self.add(Count::IrqPairs, 2);
        self.rss -= 1;
        if self.rss.abs() >= PERCPU_BATCH {
            self.rss = 0;
            self.lock(LockClass::PercpuCounter);
        }
        self.add(Count::RssCalls, 1);
        self.add(Count::Mapcount, 1);
        self.mapcount[page as usize] -= 1;
        if self.mapcount[page as usize] == 0 {
            if self.order > 0 {
                self.mapped[folio as usize] -= 1;
                self.add(Count::NrMapped, 1);
            }
            self.statistics();
        }
        self.refs[folio as usize] -= 1;
        self.ledger.puts[Site::Unmap as usize] += 1;
    }

    #[inline(always)]
    fn statistics(&mut self) {
        self.add(Count::FolioStat, 1);
        self.add(Count::StatPlain, 1);
        self.node -= 1;
        if self.node.abs() > i32::from(NODE_THRESHOLD) {
            self.file_mapped += i64::from(self.node);
            self.node = 0;
            self.add(Count::Folds, 2);
        }
        self.memcg -= 1;
        self.add(Count::Rstat, 1);
        self.updates += 1;
        if self.updates > MEMCG_BATCH {
            let handed_on = if self.flushes <= ONLINE_CPUS { self.updates / MEMCG_BATCH } else { 0 };
            self.flushes += i64::from(handed_on);
            self.updates = 0;
            self.add(Count::OtherRmw, u64::from(handed_on > 0));
        }
    }

    // Both end with nothing mapped and the same counts.
    fn compare(&self, order: u8, world: &World) -> Result<(), String> {
        let wrong =
            |what: &str| Err(format!("rmap-unmap, order {order}: the loop by hand and the engine differ in {what}"));
        let (ours, theirs) = (&self.ledger, &world.ledger);
        if let Some(&count) = Count::ALL.iter().find(|&&count| ours.count(count) != theirs.count(count)) {
            let text = format!("{}: {} and {}", count.name(), ours.count(count), theirs.count(count));
            return wrong(&text);
        }
        let acquired = |ledger: &Ledger, class| ledger.lock(class).acquired;
        if LockClass::ALL.iter().any(|&class| acquired(ours, class) != acquired(theirs, class))
            || ours.puts != theirs.puts
        {
            return wrong("locks or references");
        }
        let machine = &world.machine;
        let pages = machine.pages.iter().map(|page| (page.mapcount, page.count));
        if !pages.eq(self.mapcount.iter().copied().zip(self.refs.iter().copied())) {
            return wrong("references or map counts");
        }
        let left = (0..PTES).any(|addr| sim_core::machine::pte_page(machine.pte(0, addr)) != self.ptes[addr as usize]);
        let stat = machine.zones[0].stat[Stat::FileMapped as usize];
        if left || stat != self.file_mapped || self.in_tlb.contains(&true) {
            return wrong("what is mapped");
        }
        Ok(())
    }
}
