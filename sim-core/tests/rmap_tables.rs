//! The table of exact totals: 2 MiB of clean file pages, one VMA, one process, flushed at once; four layouts of folios.

mod common;

use common::{bulk, run};
use sim_core::engine::Timeline;
use sim_core::ledger::{Count, Ledger};
use sim_core::machine::LockClass;
use sim_core::op::{Look, Note, Op, RmapOp};

/// Orders 0, 4, 9, and the 24 folios of readahead.
const LAYOUTS: [&str; 4] = ["0", "4", "9", "mix"];
const ONE_BY_ONE: [&str; 5] = ["v6.3", "1", "2", "3", "4"];
const PATCH_5: [&str; 2] = ["5", "5-fixed"];
const LATEST: [&str; 2] = ["v7.0", "today"];

type Cells = [u64; 4];
type Row = (&'static str, fn(&Counts) -> u64, Cells);

/// What the measured section adds up to.
struct Counts {
    ledger: Ledger,
    timeline: Timeline,
}

impl Counts {
    fn of(variant: &str, layout: &str) -> Counts {
        let run = run("rmap-unmap", variant, &[("layout", layout)]);
        assert_eq!(run.timeline.violation(), None, "variant {variant}, layout {layout}");
        assert!(run.claims().iter().all(|claim| claim.holds), "variant {variant}, layout {layout}: {:?}", run.claims());
        Counts { ledger: run.ledger.clone(), timeline: run.timeline }
    }

    fn ops(&self, wanted: impl Fn(&Op) -> bool) -> u64 {
        self.timeline.records().iter().filter(|record| record.counted && wanted(&record.op)).count() as u64
    }

    fn rmap(&self, wanted: impl Fn(&RmapOp) -> bool) -> u64 {
        self.ops(|op| matches!(op, Op::Rmap(op) if wanted(op)))
    }

    // PageHeadHuge calls made in one of these functions.
    fn head_huge(&self, functions: &[&str]) -> u64 {
        let head_huge = |op: &Op| matches!(op, Op::Rmap(RmapOp::Note { what: Note::PageHeadHuge, .. }));
        let frames = self.timeline.frames();
        let records = self.timeline.records().iter().filter(|record| record.counted && head_huge(&record.op));
        records
            .filter(|record| record.frame().is_some_and(|at| functions.contains(&frames[at as usize].func.name)))
            .count() as u64
    }

    fn spills(&self) -> u64 {
        self.ledger.count(Count::Folds) / 2
    }

    fn locked(&self) -> u64 {
        self.ledger.page_rmw() + self.ledger.other_rmw()
    }

    fn handed_on(&self) -> Vec<u64> {
        let made = self.timeline.records().iter().filter(|record| record.counted);
        made.filter(|record| matches!(record.op, Op::Rmap(RmapOp::StatsUpdates { .. })))
            .map(|record| u64::from(record.outcome.ret))
            .filter(|&ret| ret > 0)
            .collect()
    }
}

const COMMON: [Row; 12] = [
    ("try_to_unmap calls", |c| calls(c, "try_to_unmap"), [512, 32, 1, 24]),
    ("try_to_unmap_one calls", |c| calls(c, "try_to_unmap_one"), [512, 32, 1, 24]),
    ("i_mmap read locks", |c| c.ledger.lock(LockClass::IMmap).acquired, [512, 32, 1, 24]),
    ("i_mmap atomics", |c| c.ledger.count(Count::Rwsem), [1024, 64, 2, 48]),
    ("ptl sections", |c| c.ledger.lock(LockClass::Ptl).acquired, [512, 32, 1, 24]),
    ("PTE_XCHG", |c| c.rmap(|op| matches!(op, RmapOp::Xchg { .. })), [512; 4]),
    ("MAPCOUNT_DEC", |c| c.ledger.count(Count::Mapcount), [512; 4]),
    ("RCU pairs", |c| c.rmap(|op| matches!(op, RmapOp::Note { what: Note::StatEnd, .. })), [0; 4]),
    ("node updates", |c| c.ledger.vmstat_updates(), [0; 4]),
    ("memcg adds", |c| c.rmap(|op| matches!(op, RmapOp::Memcg { .. })), [0; 4]),
    ("lruvec adds", |c| c.rmap(|op| matches!(op, RmapOp::Lruvec { .. })), [0; 4]),
    ("rstat", |c| c.ledger.count(Count::Rstat), [0; 4]),
];

fn calls(counts: &Counts, name: &str) -> u64 {
    counts.timeline.frames().iter().filter(|frame| frame.func.name == name).count() as u64
}

const B63: [Row; 19] = [
    ("GEN_INC", |c| c.rmap(|op| matches!(op, RmapOp::GenInc { .. })), [512; 4]),
    ("TLB flush calls", |c| c.ledger.count(Count::TlbFlushes), [512; 4]),
    ("IRQ pairs", |c| c.ledger.count(Count::IrqPairs), [1024; 4]),
    ("INVLPG", |c| c.ledger.count(Count::Invlpg), [512; 4]),
    ("full flushes", |c| c.ledger.count(Count::FullFlush), [0; 4]),
    ("HIWATER", |c| c.ledger.count(Count::Hiwater), [512; 4]),
    ("RSS calls", |c| c.ledger.count(Count::RssCalls), [512; 4]),
    ("RSS folds", |c| c.ledger.lock(LockClass::PercpuCounter).acquired, [2; 4]),
    ("NRMAPPED", |c| c.ledger.count(Count::NrMapped), [0, 512, 512, 512]),
    ("LARGE_LOCK", |c| c.ledger.count(Count::LargeLock), [0; 4]),
    ("LRUVEC_MOD", |c| c.ledger.count(Count::FolioStat), [512; 4]),
    ("spills", Counts::spills, [4; 4]),
    ("threshold adds", |c| c.handed_on().len() as u64, [7; 4]),
    ("refs", |c| c.ledger.refcount_rmw(), [512; 4]),
    ("peeks", |c| c.ledger.count(Count::PtePeeks), [0; 4]),
    ("locked RMW total", Counts::locked, [2063, 2575, 2575, 2575]),
    ("page and folio words", |c| c.ledger.page_rmw(), [1024, 1536, 1536, 1536]),
    ("lock words", |c| c.ledger.spin_rmw(), [1538, 98, 5, 74]),
    ("both together", |c| c.ledger.total_rmw(), [3601, 2673, 2580, 2649]),
];

const P5: [Row; 19] = [
    ("GEN_INC", |c| c.rmap(|op| matches!(op, RmapOp::GenInc { .. })), [512; 4]),
    ("TLB flush calls", |c| c.ledger.count(Count::TlbFlushes), [512; 4]),
    ("IRQ pairs", |c| c.ledger.count(Count::IrqPairs), [1024; 4]),
    ("INVLPG", |c| c.ledger.count(Count::Invlpg), [512; 4]),
    ("full flushes", |c| c.ledger.count(Count::FullFlush), [0; 4]),
    ("HIWATER", |c| c.ledger.count(Count::Hiwater), [512; 4]),
    ("RSS calls", |c| c.ledger.count(Count::RssCalls), [512; 4]),
    ("RSS folds", |c| c.ledger.lock(LockClass::PercpuCounter).acquired, [2; 4]),
    ("NRMAPPED", |c| c.ledger.count(Count::NrMapped), [0, 512, 512, 512]),
    ("LARGE_LOCK", |c| c.ledger.count(Count::LargeLock), [0; 4]),
    ("LRUVEC_MOD", |c| c.ledger.count(Count::FolioStat), [512, 32, 1, 24]),
    ("spills", Counts::spills, [4, 4, 1, 4]),
    ("threshold adds", |c| c.handed_on().len() as u64, [7, 6, 1, 5]),
    ("refs", |c| c.rmap(|op| matches!(op, RmapOp::RefSub { test: false, .. })), [512, 32, 1, 24]),
    ("peeks", |c| c.ledger.count(Count::PtePeeks), [0, 480, 511, 488]),
    ("locked RMW total", Counts::locked, [2063, 2094, 2052, 2085]),
    ("page and folio words", |c| c.ledger.page_rmw(), [1024, 1056, 1025, 1048]),
    ("lock words", |c| c.ledger.spin_rmw(), [1538, 98, 5, 74]),
    ("both together", |c| c.ledger.total_rmw(), [3601, 2192, 2057, 2159]),
];

const M71: [Row; 19] = [
    ("GEN_INC", |c| c.rmap(|op| matches!(op, RmapOp::GenInc { .. })), [512, 32, 1, 24]),
    ("TLB flush calls", |c| c.ledger.count(Count::TlbFlushes), [512, 32, 1, 24]),
    ("IRQ pairs", |c| c.ledger.count(Count::IrqPairs), [514, 34, 2, 26]),
    ("INVLPG", |c| c.ledger.count(Count::Invlpg), [512, 512, 0, 512]),
    ("full flushes", |c| c.ledger.count(Count::FullFlush), [0, 0, 1, 0]),
    ("HIWATER", |c| c.ledger.count(Count::Hiwater), [512, 32, 1, 24]),
    ("RSS calls", |c| c.ledger.count(Count::RssCalls), [512, 32, 1, 24]),
    ("RSS folds", |c| c.ledger.lock(LockClass::PercpuCounter).acquired, [2, 2, 1, 2]),
    ("NRMAPPED", |c| c.ledger.count(Count::NrMapped), [0, 32, 1, 24]),
    ("LARGE_LOCK", |c| c.ledger.count(Count::LargeLock), [0, 32, 1, 24]),
    ("LRUVEC_MOD", |c| c.ledger.count(Count::FolioStat), [512, 32, 1, 24]),
    ("spills", Counts::spills, [4, 4, 1, 4]),
    ("threshold adds", |c| c.handed_on().len() as u64, [8, 8, 1, 8]),
    ("refs", |c| c.rmap(|op| matches!(op, RmapOp::RefSub { test: true, .. })), [512, 32, 1, 24]),
    ("peeks", |c| c.ledger.count(Count::PtePeeks), [0, 480, 511, 488]),
    ("locked RMW total", Counts::locked, [2064, 1168, 1031, 1136]),
    ("page and folio words", |c| c.ledger.page_rmw(), [1024, 608, 515, 584]),
    ("lock words", |c| c.ledger.spin_rmw(), [1538, 98, 4, 74]),
    ("both together", |c| c.ledger.total_rmw(), [3602, 1266, 1035, 1210]),
];

const M616: [Row; 19] = [
    ("GEN_INC", |c| c.rmap(|op| matches!(op, RmapOp::GenInc { .. })), [512; 4]),
    ("TLB flush calls", |c| c.ledger.count(Count::TlbFlushes), [512; 4]),
    ("IRQ pairs", |c| c.ledger.count(Count::IrqPairs), [514; 4]),
    ("INVLPG", |c| c.ledger.count(Count::Invlpg), [512; 4]),
    ("full flushes", |c| c.ledger.count(Count::FullFlush), [0; 4]),
    ("HIWATER", |c| c.ledger.count(Count::Hiwater), [512; 4]),
    ("RSS calls", |c| c.ledger.count(Count::RssCalls), [512; 4]),
    ("RSS folds", |c| c.ledger.lock(LockClass::PercpuCounter).acquired, [2; 4]),
    ("NRMAPPED", |c| c.ledger.count(Count::NrMapped), [0, 512, 512, 512]),
    ("LARGE_LOCK", |c| c.ledger.count(Count::LargeLock), [0, 512, 512, 512]),
    ("LRUVEC_MOD", |c| c.ledger.count(Count::FolioStat), [512; 4]),
    ("spills", Counts::spills, [4; 4]),
    ("threshold adds", |c| c.handed_on().len() as u64, [8; 4]),
    ("refs", |c| c.rmap(|op| matches!(op, RmapOp::RefSub { test: true, .. })), [512; 4]),
    ("peeks", |c| c.ledger.count(Count::PtePeeks), [0; 4]),
    ("locked RMW total", Counts::locked, [2064, 3088, 3088, 3088]),
    ("page and folio words", |c| c.ledger.page_rmw(), [1024, 2048, 2048, 2048]),
    ("lock words", |c| c.ledger.spin_rmw(), [1538, 98, 5, 74]),
    ("both together", |c| c.ledger.total_rmw(), [3602, 3186, 3093, 3162]),
];

fn check(variants: &[&str], rows: &[Row]) {
    for variant in variants {
        for (column, layout) in LAYOUTS.into_iter().enumerate() {
            let counts = Counts::of(variant, layout);
            for (name, read, cells) in rows {
                assert_eq!(read(&counts), cells[column], "variant {variant}, layout {layout}: {name}");
            }
            let stats = counts.ledger.count(Count::FolioStat);
            for (name, read, cells) in &COMMON {
                let expected = if cells[0] == 0 { stats } else { cells[column] };
                assert_eq!(read(&counts), expected, "variant {variant}, layout {layout}: {name}");
            }
            // G19: what the statistics calls add up to.
            let sum: i64 = counts
                .timeline
                .records()
                .iter()
                .filter(|record| record.counted)
                .map(|record| match record.op {
                    Op::Rmap(RmapOp::Memcg { delta, .. }) => i64::from(delta),
                    _ => 0,
                })
                .sum();
            assert_eq!(sum, -512, "variant {variant}, layout {layout}");
        }
    }
}

#[test]
fn one_by_one() {
    check(&ONE_BY_ONE, &B63);
}

#[test]
fn patch_5_counts_a_run_at_once() {
    check(&PATCH_5, &P5);
}

#[test]
fn later_kernels_flush_a_run_at_once() {
    check(&LATEST, &M71);
}

#[test]
fn v6_16_does_not_batch_files() {
    check(&["v6.16"], &M616);
}

/// A variant, what it hands on, what is left in stats_updates, and in the node's difference; for each layout.
type Rest = (&'static str, [u64; 4], [u32; 4], [i8; 4]);

#[test]
fn what_is_handed_on_and_what_is_left() {
    let cases: [Rest; 3] = [
        ("v6.3", [7; 4], [57; 4], [-8; 4]),
        ("5-fixed", [7, 6, 8, 5], [57, 32, 0, 32], [-8, 0, 0, 0]),
        ("today", [512; 4], [0; 4], [-8, 0, 0, 0]),
    ];
    for (variant, sums, rests, diffs) in cases {
        for (column, layout) in LAYOUTS.into_iter().enumerate() {
            let mut counts = Counts::of(variant, layout);
            assert_eq!(counts.handed_on().iter().sum::<u64>(), sums[column], "variant {variant}, layout {layout}");
            let last = counts.timeline.records().iter().rposition(|record| record.counted).unwrap();
            counts.timeline.seek(last + 1);
            let machine = &counts.timeline.world().machine;
            let diff = machine.diffs[0][sim_core::machine::Stat::FileMapped as usize];
            assert_eq!(diff, diffs[column], "variant {variant}, layout {layout}");
            assert_eq!(machine.rmap().memcg[0].updates, rests[column], "variant {variant}, layout {layout}");
        }
    }
}

#[test]
fn head_huge_calls() {
    let unmap: &[&str] = &["try_to_unmap_one", "unmap_one_by_one", "folio_remove_rmap_and_update_count"];
    let remove: &[&str] = &["page_remove_rmap", "folio_remove_rmap_range"];
    for (variants, own, removal) in [
        (&["v6.3", "1", "2"][..], [2048, 1088, 1026, 1072], [512; 4]),
        (&["3", "4"][..], [1536, 576, 514, 560], [512; 4]),
        (&["5", "5-fixed"][..], [2048, 608, 515, 584], [512, 32, 1, 24]),
        (&["v6.16", "v7.0", "today"][..], [0; 4], [0; 4]),
    ] {
        for variant in variants {
            for (column, layout) in LAYOUTS.into_iter().enumerate() {
                let counts = Counts::of(variant, layout);
                let walk = if own[0] == 0 { 0 } else { [512, 32, 1, 24][column] };
                assert_eq!(counts.head_huge(unmap), own[column], "variant {variant}, layout {layout}");
                assert_eq!(counts.head_huge(remove), removal[column], "variant {variant}, layout {layout}");
                assert_eq!(counts.head_huge(&["try_to_unmap"]), walk, "variant {variant}, layout {layout}");
                let page_huge = counts.rmap(|op| matches!(op, RmapOp::Note { what: Note::PageHuge, .. }));
                assert_eq!(page_huge, walk, "variant {variant}, layout {layout}");
            }
        }
    }
}

#[test]
fn copies_by_value() {
    for (variant, copies) in
        [("v6.3", 0), ("1", 0), ("2", 512), ("3", 512), ("4", 512), ("5", 512), ("5-fixed", 512), ("today", 0)]
    {
        assert_eq!(Counts::of(variant, "mix").ledger.count(Count::ByValue), copies, "variant {variant}");
    }
}

#[test]
fn a_bulk_run_counts_the_same() {
    for variant in sim_core::scenario::RMAP_VARIANTS {
        let engine = bulk("rmap-unmap", variant.name, &[]);
        let recorded = Counts::of(variant.name, "mix");
        assert_eq!(engine.world().ledger, recorded.ledger, "variant {}", variant.name);
    }
}

#[test]
fn a_deferred_flush_costs_one_atomic_more_for_each() {
    for (variant, more) in [("v6.3", [512; 4]), ("4", [512; 4]), ("5-fixed", [512; 4]), ("today", [512, 32, 1, 24])] {
        for (column, layout) in LAYOUTS.into_iter().enumerate() {
            let run = run("rmap-deferred", variant, &[("layout", layout)]);
            assert_eq!(run.timeline.violation(), None, "variant {variant}, layout {layout}");
            let found = Counts { ledger: run.ledger.clone(), timeline: run.timeline };
            // The page cache's statistics come between those of the folios here and hand on at other moments.
            let without_hand_on = |counts: &Counts| counts.locked() - counts.handed_on().len() as u64;
            let (locked, plain) = (without_hand_on(&found), without_hand_on(&Counts::of(variant, layout)));
            let run = found;
            assert_eq!(locked, plain + more[column], "variant {variant}, layout {layout}");
            assert_eq!(run.ledger.count(Count::Invlpg), 0);
            let ipis = run.timeline.records().iter().filter(|record| matches!(record.op, Op::Rmap(RmapOp::Ipi { .. })));
            let expected = if variant == "today" { [17, 2, 1, 1][column] } else { 1 };
            assert_eq!(ipis.count(), expected, "variant {variant}, layout {layout}");
        }
    }
}

#[test]
fn everything_is_freed() {
    for variant in sim_core::scenario::RMAP_VARIANTS {
        for kind in ["file", "lazyfree"] {
            let engine = bulk("rmap-unmap", variant.name, &[("kind", kind)]);
            let free = engine.world().machine.pages.iter().filter(|page| page.count == 0).count();
            assert_eq!(free, engine.world().machine.pages.len(), "variant {}, kind {kind}", variant.name);
        }
    }
}

#[test]
fn linear_trace_of_an_order_2_folio() {
    let traces: [(&str, &str); 4] = [
        (
            "v6.3",
            "R H X G - I + w p r H h M N L s \
             R H X G - I + w p r H h M N L s R H X G - I + w p r H h M N L s R H X G - I + w p r H h M N L s",
        ),
        (
            "1",
            "H R X G - I + w p r H h M N L s \
             H R X G - I + w p r H h M N L s H R X G - I + w p r H h M N L s H R X G - I + w p r H h M N L s",
        ),
        (
            "5-fixed",
            "H R R X G - I + w p r A H R X G - I + w p r A H R X G - I + w p r A H R X G - I + w p r \
             H h M N M N M N M N L S",
        ),
        ("today", "R A A A X X X X G - I I I I + w p r l M M M M N L S"),
    ];
    for (variant, expected) in traces {
        let run = run("rmap-unmap", variant, &[("layout", "2"), ("pages", "4")]);
        let frames = run.timeline.frames();
        let mut trace = Vec::new();
        let mut raised = false;
        for record in run.timeline.records().iter().filter(|record| record.counted) {
            raised |= matches!(record.op, Op::SpinLock { class: LockClass::Ptl, .. });
            let func = record.frame().map_or("", |at| frames[at as usize].func.name);
            let irq_of_flush = func == "flush_tlb_range";
            trace.extend(letter(&record.op, func, irq_of_flush).filter(|_| raised));
        }
        let expected: Vec<&str> = expected.split_whitespace().collect();
        assert_eq!(trace, expected, "variant {variant}");
    }
}

// One letter for each operation of the linear traces.
fn letter(op: &Op, func: &str, irq_of_flush: bool) -> Option<&'static str> {
    Some(match op {
        Op::Rmap(RmapOp::Look { why: Look::Read, .. }) => "R",
        Op::Rmap(RmapOp::Look { why: Look::Ahead, .. }) => "A",
        Op::Rmap(RmapOp::Xchg { .. }) => "X",
        Op::Rmap(RmapOp::GenInc { .. }) => "G",
        Op::Irq { off: true } if irq_of_flush => "-",
        Op::Irq { off: false } if irq_of_flush => "+",
        Op::Rmap(RmapOp::Invlpg { .. }) => "I",
        Op::Rmap(RmapOp::Hiwater { .. }) => "w",
        Op::Rmap(RmapOp::Note { what: Note::HwpoisonTest, .. }) => "p",
        Op::Rmap(RmapOp::Rss { .. }) => "r",
        Op::Rmap(RmapOp::Note { what: Note::PageHeadHuge, .. })
            if func.contains("remove_rmap") && func != "folio_remove_rmap_and_update_count" =>
        {
            "h"
        }
        Op::Rmap(RmapOp::Note { what: Note::PageHeadHuge, .. }) => "H",
        Op::Mapcount { .. } => "M",
        Op::Rmap(RmapOp::NrMapped { .. }) => "N",
        Op::Rmap(RmapOp::Large { lock: true, .. }) => "l",
        Op::Rmap(RmapOp::Note { what: Note::StatBegin, .. }) => "L",
        Op::Put { .. } => "s",
        Op::Rmap(RmapOp::RefSub { .. }) => "S",
        _ => return None,
    })
}
