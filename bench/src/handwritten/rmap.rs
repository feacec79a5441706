//! rmap-unmap: file folios of order 9 that one address space maps, unmapped PTE by PTE as in 6.3, over plain arrays.

use sim_core::engine::{Engine, Setup};
use sim_core::kernel::rmap_unmap::Ttu;
use sim_core::kernel::rmap_walk::try_to_unmap;
use sim_core::ledger::{Count, Ledger, Site};
use sim_core::machine::{
    LockClass, MEMCG_BATCH, Machine, Member, ONLINE_CPUS, PERCPU_BATCH, PTE_NONE, Pfn, RmapState, Stat, pte_page,
};
use sim_core::op::World;
use sim_core::scenario::{RMAP_VARIANTS, RmapLayout};

use crate::clock::Moment;
use crate::munlock;

const ORDER: u8 = 9;
const PAGES: usize = 1 << ORDER;
const FOLIOS: usize = 768;

/// PTEs of a measurement.
pub const UNITS: u64 = (FOLIOS * PAGES) as u64;

/// Seconds of the loop and of the engine.
pub fn times() -> Result<(f64, f64), String> {
    let mut engine = engine()?;
    let mut hand = Hand::new(&engine.world().machine);
    let start = Moment::now();
    hand.run();
    let by_hand = start.seconds();
    let start = Moment::now();
    munlock::run(&mut engine).map_err(|error| error.to_string())?;
    let by_engine = start.seconds();
    hand.compare(&engine.world())?;
    Ok((by_hand, by_engine))
}

fn engine() -> Result<Engine, String> {
    let variant = RMAP_VARIANTS.iter().find(|variant| variant.name == "v6.3").ok_or("rmap-unmap has no v6.3")?;
    let mut engine = RmapLayout::file(&[ORDER; FOLIOS]).set_up(variant.config);
    engine.begin(Setup::default(), true);
    engine.spawn("unmap", 0, |cpu| async move {
        let folios = cpu.machine().rmap().range.clone();
        for folio in folios {
            try_to_unmap(&cpu, folio, Ttu::default()).await;
        }
    });
    Ok(engine)
}

/// One address space, loaded on one CPU.
struct Hand {
    ptes: Vec<u32>,
    mapcount: Vec<i32>,
    /// By folio.
    heads: Vec<Pfn>,
    nr_mapped: Vec<i32>,
    refs: Vec<i32>,
    /// Addresses of which the TLB has an entry.
    tlb: Vec<bool>,
    tlb_gen: u64,
    local_gen: u64,
    rss: i64,
    rss_part: i32,
    hiwater: u64,
    threshold: i32,
    mapped: i64,
    mapped_diff: i32,
    memcg: i32,
    lruvec: i32,
    linked: bool,
    updates: u32,
    stats_flush: i64,
    ledger: Ledger,
}

impl Hand {
    fn new(machine: &Machine) -> Hand {
        let rmap = machine.rmap();
        let pages = FOLIOS * PAGES;
        Hand {
            ptes: (0..pages as u32).map(|addr| machine.pte(0, addr)).collect(),
            mapcount: (0..machine.pages.len() as u32).map(|page| machine.page(page).mapcount).collect(),
            nr_mapped: rmap.range.iter().map(|&head| rmap.folios[head as usize].nr_mapped).collect(),
            refs: rmap.range.iter().map(|&head| machine.page(head).count).collect(),
            heads: rmap.range.clone(),
            tlb: vec![true; pages],
            tlb_gen: rmap.mms[0].tlb_gen,
            local_gen: rmap.tlbs[0].local_gen,
            rss: rmap.mms[0].rss[Member::File as usize],
            rss_part: 0,
            hiwater: rmap.mms[0].hiwater,
            threshold: i32::from(machine.zones[0].threshold),
            mapped: machine.zones[0].stat[Stat::FileMapped as usize],
            mapped_diff: 0,
            memcg: 0,
            lruvec: 0,
            linked: true,
            updates: 0,
            stats_flush: 0,
            ledger: Ledger::default(),
        }
    }

    fn run(&mut self) {
        for folio in 0..FOLIOS {
            self.unmap(folio);
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

    fn unmap(&mut self, folio: usize) {
        // Twice before the walk, once and as PageHuge around it.
        self.add(Count::HeadHuge, 4);
        self.add(Count::Rwsem, 2);
        self.lock(LockClass::IMmap);
        self.add(Count::Resched, 1);
        self.add(Count::Walks, 1);
        // The first entry is looked at without the lock and again with it.
        self.add(Count::Reads, 1);
        self.lock(LockClass::Ptl);
        for addr in folio * PAGES..(folio + 1) * PAGES {
            self.add(Count::Reads, 1);
            if let Some(page) = pte_page(self.ptes[addr]) {
                self.unmap_page(folio, addr, page);
            }
        }
    }

    fn unmap_page(&mut self, folio: usize, addr: usize, page: Pfn) {
        self.add(Count::Reads, 1);
        self.add(Count::HeadHuge, 3);
        self.clear_and_flush(addr);
        self.hiwater = self.hiwater.max(self.rss as u64);
        self.add(Count::Hiwater, 1);
        self.lower_rss();
        self.remove_rmap(folio, page);
        self.refs[folio] -= 1;
        self.ledger.puts[Site::Unmap as usize] += 1;
    }

    #[inline(always)]
    fn clear_and_flush(&mut self, addr: usize) {
        self.ptes[addr] = PTE_NONE;
        self.tlb_gen += 1;
        self.add(Count::OtherRmw, 2);
        self.add(Count::TlbFlushes, 1);
        self.add(Count::IrqPairs, 1);
        self.tlb[addr] = false;
        self.add(Count::Invlpg, 1);
        self.local_gen = self.tlb_gen;
    }

    #[inline(always)]
    fn lower_rss(&mut self) {
        self.add(Count::IrqPairs, 1);
        self.add(Count::RssCalls, 1);
        self.rss_part -= 1;
        if self.rss_part.abs() >= PERCPU_BATCH {
            self.lock(LockClass::PercpuCounter);
            self.rss += i64::from(self.rss_part);
            self.rss_part = 0;
        }
    }

    #[inline(always)]
    fn remove_rmap(&mut self, folio: usize, page: Pfn) {
        self.add(Count::Mapcount, 1);
        self.mapcount[page as usize] -= 1;
        if self.mapcount[page as usize] != 0 {
            return;
        }
        self.nr_mapped[folio] -= 1;
        self.add(Count::NrMapped, 1);
        self.add(Count::FolioStat, 1);
        self.add(Count::StatPlain, 1);
        self.mapped_diff -= 1;
        if self.mapped_diff.abs() > self.threshold {
            self.mapped += i64::from(self.mapped_diff);
            self.mapped_diff = 0;
            self.add(Count::Folds, 2);
        }
        self.memcg -= 1;
        self.lruvec -= 1;
        self.linked = true;
        self.add(Count::Rstat, 1);
        self.updates += 1;
        if self.updates > MEMCG_BATCH {
            if self.stats_flush <= ONLINE_CPUS {
                self.stats_flush += i64::from(self.updates / MEMCG_BATCH);
                self.add(Count::OtherRmw, 1);
            }
            self.updates = 0;
        }
    }

    // Both end in the same state with the same counts.
    fn compare(&self, world: &World) -> Result<(), String> {
        let wrong = |what: &str| Err(format!("rmap-unmap: the loop by hand and the engine differ in {what}"));
        let (ours, theirs) = (&self.ledger, &world.ledger);
        if let Some(&count) = Count::ALL.iter().find(|&&count| ours.count(count) != theirs.count(count)) {
            return wrong(&format!("{}: {} and {}", count.name(), ours.count(count), theirs.count(count)));
        }
        if LockClass::ALL.iter().any(|&class| ours.lock(class).acquired != theirs.lock(class).acquired) {
            return wrong("locks");
        }
        if (ours.gets, ours.puts) != (theirs.gets, theirs.puts) || ours.flags != theirs.flags {
            return wrong("references or flags");
        }
        let machine = &world.machine;
        let pages = |at: usize| at < self.mapcount.len() && self.mapcount[at] == machine.pages[at].mapcount;
        let mapped = |(addr, &pte): (usize, &u32)| pte == machine.pte(0, addr as u32);
        if !(0..machine.pages.len()).all(pages) || !self.ptes.iter().enumerate().all(mapped) {
            return wrong("what is mapped");
        }
        let folio = |(at, &head): (usize, &Pfn)| {
            let state = &machine.rmap().folios[head as usize];
            (self.nr_mapped[at], self.refs[at]) == (state.nr_mapped, machine.page(head).count)
        };
        if !self.heads.iter().enumerate().all(folio) {
            return wrong("folios");
        }
        if !self.same_counters(machine.rmap()) || self.mapped != machine.zones[0].stat[Stat::FileMapped as usize] {
            return wrong("counters or the TLB");
        }
        Ok(())
    }

    fn same_counters(&self, rmap: &RmapState) -> bool {
        let (mm, memcg, item) = (&rmap.mms[0], &rmap.memcg[0], Stat::FileMapped as usize);
        let cached = |(addr, &cached): (usize, &bool)| cached == rmap.cached(0, 0, addr as u32).is_some();
        (self.rss, self.rss_part) == (mm.rss[Member::File as usize], mm.rss_cpu[0][Member::File as usize])
            && (self.hiwater, self.tlb_gen) == (mm.hiwater, mm.tlb_gen)
            && self.local_gen == rmap.tlbs[0].local_gen
            && (self.memcg, self.lruvec) == (memcg.memcg[item], memcg.lruvec[item])
            && (self.linked, self.updates, self.stats_flush) == (memcg.linked, memcg.updates, rmap.stats_flush)
            && self.tlb.iter().enumerate().all(cached)
    }
}
