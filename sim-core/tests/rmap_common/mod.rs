//! One call of try_to_unmap, and what it did.
#![allow(dead_code)]

use sim_core::engine::{Checker, Cpu, Engine, Frame, Setup, Timeline};
use sim_core::kernel::Config;
use sim_core::kernel::Patch;
use sim_core::kernel::rmap_batch::try_to_unmap_one_;
use sim_core::kernel::rmap_unmap::{Ttu, try_to_unmap_one};
use sim_core::kernel::rmap_walk::try_to_unmap;
use sim_core::kernel::swap::unlock_page;
use sim_core::kernel::vmscan::{isolate_lru_page, putback_lru_page};
use sim_core::machine::{LockClass, Machine, PTE_NONE, Pfn, Stat, VmaId};
use sim_core::op::{Held, Look, Note, Op, RmapOp, World};
use sim_core::scenario::{RMAP_VARIANTS, RmapLayout};

pub const ALL: [&str; 10] = ["v6.3", "1", "2", "3", "4", "5", "5-fixed", "v6.16", "v7.0", "today"];

/// Flags of reclaim.
pub fn reclaim(config: Config) -> Ttu {
    Ttu { batch_flush: true, sync: config.has(Patch::LazyfreeBatch), ..Ttu::default() }
}

pub fn config(variant: &str) -> Config {
    RMAP_VARIANTS.iter().find(|known| known.name == variant).unwrap().config
}

/// What one call did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// Pages of the range whose PTEs were exchanged.
    pub cleared: Vec<u32>,
    /// Pages whose addresses were flushed one by one.
    pub flushed: Vec<u32>,
    /// Entries that a look-ahead read, as pages of the range.
    pub peeked: Vec<u32>,
    /// First page and length of each batch.
    pub batches: Vec<(u32, u32)>,
    /// What each statistics call counted.
    pub stats: Vec<i32>,
    pub gens: u32,
    pub maps: u32,
    pub nr_mapped: u32,
    pub large_locks: u32,
    pub refs: u32,
    pub ptl: u64,
    pub full_flushes: u32,
    pub spills: u64,
    pub mlock_drains: u32,
    /// Indices of all entries that were read behind the end of a table.
    pub beyond: Vec<u16>,
    /// What try_to_unmap_one returned, for each VMA.
    pub unmapped: Vec<bool>,
    /// Pages that no PTE maps and a TLB reaches.
    pub left: Vec<u32>,
}

pub struct Done {
    pub trace: Trace,
    pub timeline: Timeline,
    pub folio: Pfn,
}

impl Done {
    pub fn world(&self) -> &World {
        self.timeline.world()
    }

    pub fn machine(&self) -> &Machine {
        &self.timeline.world().machine
    }

    /// PTEs of the first process, by page of the range.
    pub fn ptes(&self) -> Vec<u32> {
        let machine = self.machine();
        let vma = machine.mms[0].vmas[0];
        (vma.start..vma.end).map(|vpn| machine.pte(0, vpn)).collect()
    }
}

/// Unmaps the first folio.
pub fn unmap(variant: &str, layout: &RmapLayout) -> Done {
    let config = config(variant);
    unmap_with(config, layout, reclaim(config), false, true, |_| {})
}

/// The same without rules: for kernels that break them.
pub fn unmap_unchecked(variant: &str, layout: &RmapLayout) -> Done {
    let config = config(variant);
    unmap_with(config, layout, reclaim(config), false, false, |_| {})
}

/// Unmaps the first folio; `first_vma` from the first process alone.
pub fn unmap_with(
    config: Config,
    layout: &RmapLayout,
    ttu: Ttu,
    first_vma: bool,
    checked: bool,
    prepare: impl FnOnce(&mut Engine),
) -> Done {
    let mut engine = layout.set_up(config);
    prepare(&mut engine);
    let checker = checked.then(|| Checker::new(config, &engine.world().machine));
    let measured = if first_vma { "try_to_unmap_one" } else { "try_to_unmap" };
    engine.begin(Setup { checker, measured: Some(measured), ..Setup::default() }, false);
    let folio = engine.world().machine.rmap().range[0];
    engine.spawn("unmap", 0, move |cpu| async move { unmap_folio(&cpu, folio, ttu, first_vma).await });
    engine.run().unwrap();
    let mut timeline = engine.into_timeline();
    timeline.seek(timeline.len());
    if checked {
        assert_eq!(timeline.violation(), None, "{layout:?}");
    }
    let trace = trace(&timeline, folio, layout.start);
    Done { trace, timeline, folio }
}

async fn unmap_folio(cpu: &Cpu, folio: Pfn, ttu: Ttu, first_vma: bool) {
    isolate_lru_page(cpu, folio).await;
    cpu.lock_page(folio).await;
    let vma = VmaId { mm: 0, vma: 0 };
    let address = cpu.machine().vma(vma).start;
    if !first_vma {
        try_to_unmap(cpu, folio, ttu).await;
    } else if cpu.has(Patch::LazyfreeBatch) {
        try_to_unmap_one_(cpu, folio, vma, address, ttu).await;
    } else {
        try_to_unmap_one(cpu, folio, vma, address, ttu).await;
    }
    unlock_page(cpu, folio).await;
    putback_lru_page(cpu, folio).await;
}

/// Reads a trace off the counted steps.
pub fn trace(timeline: &Timeline, folio: Pfn, start: u32) -> Trace {
    let mut trace = Trace::default();
    let mut dropped = Vec::new();
    let index = timeline.world().machine.page(folio).index;
    for record in timeline.records().iter().filter(|record| record.counted) {
        if let Op::Rmap(op) = record.op
            && let Some((0, vpn)) = op.entry()
        {
            let page = vpn.wrapping_sub(start);
            match op {
                RmapOp::Xchg { .. } => trace.cleared.push(page),
                RmapOp::Invlpg { .. } => trace.flushed.push(page),
                RmapOp::Look { why: Look::Ahead, .. } => trace.peeked.push(page),
                _ => {}
            }
        }
        match record.op {
            Op::Rmap(RmapOp::Look { index, .. }) if index >= 512 => trace.beyond.push(index),
            Op::Rmap(RmapOp::GenInc { .. }) => trace.gens += 1,
            Op::Rmap(RmapOp::NrMapped { .. }) => trace.nr_mapped += 1,
            Op::Rmap(RmapOp::Large { lock: true, .. }) => trace.large_locks += 1,
            Op::Rmap(RmapOp::FullFlush) => trace.full_flushes += 1,
            Op::Rmap(RmapOp::Note { what: Note::NotifierEnd, arg, .. }) => trace.unmapped.push(arg & 1 == 1),
            Op::Stat { item: Stat::FileMapped | Stat::AnonMapped, delta, .. } => {
                trace.stats.push(delta);
                trace.spills += u64::from(record.outcome.ret);
            }
            Op::Mapcount { page, .. } => {
                trace.maps += 1;
                dropped.push(page);
            }
            Op::Put { page, held: Held::Map, .. } if page == folio => {
                trace.refs += 1;
                trace.batches.push((dropped[0] - folio + index, dropped.len() as u32));
                dropped.clear();
            }
            Op::Rmap(RmapOp::RefSub { n, .. }) => {
                trace.refs += 1;
                assert_eq!(n as usize, dropped.len());
                trace.batches.push((dropped[0] - folio + index, n));
                dropped.clear();
            }
            _ => {}
        }
    }
    let machine = &timeline.world().machine;
    trace.ptl = timeline.world().ledger.lock(LockClass::Ptl).acquired;
    let frames = timeline.frames();
    let within = |frame: &Frame| {
        std::iter::successors(frame.parent(), |&at| frames.get(at).and_then(|frame| frame.parent()))
            .any(|at| frames[at as usize].func.name.starts_with("try_to_unmap"))
    };
    let drains = frames.iter().filter(|frame| frame.func.name == "mlock_drain_local").filter(within);
    trace.mlock_drains = drains.count() as u32;
    let vma = machine.mms[0].vmas[0];
    let stale = |vpn: &u32| machine.pte(0, *vpn) == PTE_NONE && machine.rmap().cached(0, 0, *vpn).is_some();
    trace.left = (vma.start..vma.end).filter(stale).map(|vpn| vpn - start).collect();
    trace
}
