//! Single calls of try_to_unmap, step by step: what is cleared, flushed, counted and dropped, and in what batches.

mod common;
mod rmap_common;

use common::run;
use rmap_common::{ALL, Done, config, reclaim, unmap, unmap_unchecked, unmap_with};
use sim_core::kernel::rmap_map::FolioKind;
use sim_core::machine::{LockClass, Member, PTE_NONE, PageFlag, Stat, pte_page, pte_swap, swap_pte};
use sim_core::op::{Op, RmapOp};
use sim_core::scenario::RmapLayout;

const ONE_BY_ONE: [&str; 5] = ["v6.3", "1", "2", "3", "4"];
const LATEST: [&str; 2] = ["v7.0", "today"];

fn holes(holes: &[u32]) -> RmapLayout {
    // Two foreign pages behind the folio.
    RmapLayout { holes: holes.to_vec(), ..RmapLayout::file(&[4, 0, 0]) }
}

fn of(kind: FolioKind) -> RmapLayout {
    RmapLayout { kind, ..RmapLayout::file(&[4]) }
}

fn range(from: u32, to: u32) -> Vec<u32> {
    (from..=to).collect()
}

fn mapped(done: &Done) -> Vec<u32> {
    let ptes = done.ptes();
    (0..ptes.len() as u32).filter(|&page| pte_page(ptes[page as usize]).is_some()).collect()
}

#[test]
fn order_0() {
    for variant in ALL {
        let trace = unmap(variant, &RmapLayout::file(&[0])).trace;
        assert_eq!((trace.cleared.len(), trace.gens, trace.maps, trace.refs), (1, 1, 1, 1), "variant {variant}");
        assert_eq!(trace.stats, [-1], "variant {variant}");
        assert!(trace.peeked.is_empty() && trace.nr_mapped == 0 && trace.large_locks == 0, "variant {variant}");
    }
}

#[test]
fn order_4() {
    for variant in ALL {
        let trace = unmap(variant, &RmapLayout::file(&[4])).trace;
        assert_eq!(trace.cleared, range(0, 15), "variant {variant}");
        assert_eq!(trace.flushed, range(0, 15), "variant {variant}");
        assert_eq!(trace.maps, 16);
        assert_eq!(trace.unmapped, [true]);
        let (gens, nr_mapped, locks, stats, refs, peeks) = match variant {
            "5" | "5-fixed" => (16, 16, 0, vec![-16], 1, 15),
            "v7.0" | "today" => (1, 1, 1, vec![-16], 1, 15),
            "v6.16" => (16, 16, 16, vec![-1; 16], 16, 0),
            _ => (16, 16, 0, vec![-1; 16], 16, 0),
        };
        assert_eq!((trace.gens, trace.nr_mapped, trace.large_locks), (gens, nr_mapped, locks), "variant {variant}");
        assert_eq!((trace.refs, trace.peeked.len()), (refs, peeks), "variant {variant}");
        assert_eq!(trace.stats, stats, "variant {variant}");
    }
}

#[test]
fn order_4_with_holes_at_5_and_11() {
    let layout = holes(&[5, 11]);
    let cleared: Vec<u32> = (0..16).filter(|page| ![5, 11].contains(page)).collect();
    for variant in ONE_BY_ONE {
        let trace = unmap(variant, &layout).trace;
        assert_eq!((&trace.cleared, &trace.flushed), (&cleared, &cleared), "variant {variant}");
        assert_eq!((trace.gens, trace.maps, trace.nr_mapped, trace.refs), (14, 14, 14, 14), "variant {variant}");
        assert_eq!(trace.stats, [-1; 14], "variant {variant}");
    }
    let batches = [(0, 5), (6, 5), (12, 4)];
    let trace = unmap_unchecked("5", &layout).trace;
    assert_eq!(trace.cleared, cleared);
    assert_eq!(trace.flushed, range(0, 13));
    assert_eq!((&trace.batches[..], trace.peeked.len()), (&batches[..], 14));
    assert_eq!(trace.left, [14, 15]);
    let trace = unmap("5-fixed", &layout).trace;
    assert_eq!((&trace.cleared, &trace.flushed), (&cleared, &cleared));
    assert_eq!((&trace.batches[..], trace.peeked.len()), (&batches[..], 13));
    assert!(trace.left.is_empty());
    for variant in LATEST {
        let trace = unmap(variant, &layout).trace;
        assert_eq!((&trace.cleared, &trace.flushed), (&cleared, &cleared), "variant {variant}");
        assert_eq!(trace.batches, batches, "variant {variant}");
        assert_eq!((trace.gens, trace.large_locks, trace.maps, trace.nr_mapped, trace.refs), (3, 3, 14, 3, 3));
        assert_eq!(trace.stats, [-5, -5, -4]);
    }
}

#[test]
fn order_4_with_holes_at_3_8_and_9() {
    let layout = holes(&[3, 8, 9]);
    let batches = [(0, 3), (4, 4), (10, 6)];
    assert_eq!(unmap("v6.3", &layout).trace.cleared.len(), 13);
    let trace = unmap_unchecked("5", &layout).trace;
    assert_eq!(trace.batches, batches);
    assert_eq!(trace.cleared, [range(0, 2), range(4, 7), range(10, 15)].concat());
    assert_eq!(trace.flushed, [range(0, 2), range(3, 6), range(8, 13)].concat());
    assert_eq!(trace.left, [7, 14, 15]);
    for variant in ["5-fixed", "v7.0", "today"] {
        let trace = unmap(variant, &layout).trace;
        assert_eq!(trace.batches, batches, "variant {variant}");
        assert_eq!(trace.flushed, trace.cleared, "variant {variant}");
    }
}

#[test]
fn order_3_at_the_end_of_a_table() {
    let layout = RmapLayout { start: 504, holes: vec![3], ..RmapLayout::file(&[3]) };
    assert_eq!(unmap("v6.3", &layout).trace.cleared.len(), 7);
    let trace = unmap_unchecked("5", &layout).trace;
    assert_eq!(trace.batches, [(0, 3), (4, 4)]);
    assert_eq!(trace.flushed, [range(0, 2), range(3, 6)].concat());
    assert_eq!(trace.beyond, [512, 513]);
    assert_eq!(trace.left, [7]);
    for variant in ["5-fixed", "v7.0", "today"] {
        let trace = unmap(variant, &layout).trace;
        assert_eq!(trace.batches, [(0, 3), (4, 4)], "variant {variant}");
        assert!(trace.beyond.is_empty(), "variant {variant}");
    }
}

#[test]
fn order_9() {
    let layout = RmapLayout::file(&[9]);
    let done = unmap("v6.3", &layout);
    let folded = |done: &Done| -> Vec<usize> {
        let made = done.timeline.records().iter().filter(|record| record.counted);
        made.filter(|record| matches!(record.op, Op::Stat { item: Stat::FileMapped, .. }))
            .enumerate()
            .filter(|(_, record)| record.outcome.ret == 1)
            .map(|(at, _)| at + 1)
            .collect()
    };
    assert_eq!(folded(&done), [126, 252, 378, 504]);
    assert_eq!(done.machine().diffs[0][Stat::FileMapped as usize], -8);
    for variant in ["5", "5-fixed", "today"] {
        let done = unmap(variant, &layout);
        assert_eq!((&done.trace.stats[..], done.trace.spills), (&[-512][..], 1), "variant {variant}");
        let (invlpg, full) = if variant == "today" { (0, 1) } else { (512, 0) };
        assert_eq!((done.trace.flushed.len(), done.trace.full_flushes), (invlpg, full), "variant {variant}");
        assert!(done.trace.left.is_empty());
    }
}

#[test]
fn two_pages_that_another_process_maps_too() {
    let layout = RmapLayout { processes: 2, shared: vec![2, 3], ..RmapLayout::file(&[4]) };
    let one = |variant| {
        let config = config(variant);
        unmap_with(config, &layout, reclaim(config), true, true, |_| {})
    };
    let trace = one("v6.3").trace;
    assert_eq!((trace.maps, trace.nr_mapped, trace.refs), (16, 14, 16));
    assert_eq!(trace.stats, [-1; 14]);
    for variant in ["5", "5-fixed"] {
        let trace = one(variant).trace;
        assert_eq!((trace.maps, trace.nr_mapped, trace.refs), (16, 14, 1), "variant {variant}");
        assert_eq!(trace.stats, [-14], "variant {variant}");
    }
    for variant in LATEST {
        let done = one(variant);
        assert_eq!((done.trace.maps, done.trace.nr_mapped, done.trace.refs), (16, 1, 1), "variant {variant}");
        assert_eq!(done.trace.stats, [-14], "variant {variant}");
        assert_eq!(done.machine().rmap().folios[done.folio as usize].large, 2);
    }
}

#[test]
fn across_two_page_tables() {
    let layout = RmapLayout { start: 502, ..RmapLayout::file(&[4]) };
    let trace = unmap("v6.3", &layout).trace;
    assert_eq!((trace.ptl, trace.stats.len()), (2, 16));
    for variant in ["5", "5-fixed"] {
        let trace = unmap(variant, &layout).trace;
        assert_eq!(trace.batches, [(0, 10), (10, 6)], "variant {variant}");
        assert_eq!((&trace.stats[..], trace.peeked.len(), trace.ptl), (&[-10, -6][..], 14, 2), "variant {variant}");
    }
    for variant in LATEST {
        let trace = unmap(variant, &layout).trace;
        assert_eq!(trace.batches, [(0, 10), (10, 6)], "variant {variant}");
        assert_eq!((trace.gens, trace.ptl), (2, 2), "variant {variant}");
    }
}

#[test]
fn the_vma_is_locked_on_the_way() {
    for (variant, removed, cleared, drains) in
        [("v6.3", 4, 4, 0), ("5", 0, 4, 0), ("5-fixed", 4, 4, 1), ("today", 16, 16, 0)]
    {
        let run = run("rmap-mlock", variant, &[]);
        let rule = run.timeline.violation().map(|violation| &violation.rule[..3]);
        assert_eq!(rule, if variant == "5" { Some("G9:") } else { None }, "variant {variant}");
        let mut timeline = run.timeline;
        let end = timeline.records().iter().rposition(|record| record.counted).unwrap() + 1;
        timeline.seek(end);
        let folio = timeline.world().machine.rmap().range[0];
        let trace = rmap_common::trace(&timeline, folio, 0);
        let machine = &timeline.world().machine;
        assert_eq!((trace.maps, trace.cleared.len()), (removed, cleared), "variant {variant}");
        assert_eq!(machine.rmap().rss(0, Member::File), 16 - cleared as i64, "variant {variant}");
        let mapcounts: i32 = (folio..folio + 16).map(|page| machine.page(page).mapcount).sum();
        assert_eq!(mapcounts, 16 - removed as i32, "variant {variant}");
        if variant != "5" {
            assert_eq!(trace.unmapped, [variant == "today"], "variant {variant}");
            assert_eq!(trace.mlock_drains, drains, "variant {variant}");
        }
    }
}

#[test]
fn the_swap_count_of_page_7_fails() {
    let layout = RmapLayout { fail_swap: Some(7), ..of(FolioKind::Anon) };
    for variant in ALL {
        let done = unmap(variant, &layout);
        let swapped: Vec<Option<u32>> = done.ptes().iter().map(|&pte| pte_swap(pte)).collect();
        assert_eq!(swapped[..7], [0, 1, 2, 3, 4, 5, 6].map(Some), "variant {variant}");
        assert_eq!(mapped(&done), range(7, 15), "variant {variant}");
        assert_eq!(done.trace.unmapped, [false]);
        assert_eq!(done.trace.cleared, range(0, 7), "variant {variant}");
        let batches = if variant.starts_with('5') { vec![(0, 7)] } else { (0..7).map(|page| (page, 1)).collect() };
        assert_eq!(done.trace.batches, batches, "variant {variant}");
        assert_eq!(done.machine().rmap().swap_map[..8], [1, 1, 1, 1, 1, 1, 1, 0]);
        assert_eq!(done.machine().rmap().rss(0, Member::Swap), 7);
    }
}

#[test]
fn a_lazyfree_page_was_written_to() {
    let layout = RmapLayout { dirty: vec![5], ..of(FolioKind::Lazyfree) };
    for variant in ALL {
        let done = unmap(variant, &layout);
        assert_eq!(done.trace.unmapped, [false], "variant {variant}");
        let folio = done.machine().page(done.folio);
        assert!(folio.has(PageFlag::Swapbacked) && folio.has(PageFlag::Dirty), "variant {variant}");
        let at_once = ["v6.16", "v7.0", "today"].contains(&variant);
        assert_eq!(mapped(&done), range(if at_once { 0 } else { 5 }, 15), "variant {variant}");
        let batches = match variant {
            "5" | "5-fixed" => vec![(0, 5)],
            _ if at_once => vec![],
            _ => (0..5).map(|page| (page, 1)).collect(),
        };
        assert_eq!(done.trace.batches, batches, "variant {variant}");
        // Patch 3 sets the flag before it puts the PTE back.
        let at =
            |wanted: fn(&Op) -> bool| done.timeline.records().iter().position(|record| wanted(&record.op)).unwrap();
        let put = at(|op| matches!(op, Op::Rmap(RmapOp::Put { .. })));
        let flag = at(|op| matches!(op, Op::Flag { flag: PageFlag::Swapbacked, .. }));
        assert_eq!(put < flag, ["v6.3", "1", "2"].contains(&variant), "variant {variant}");
    }
}

#[test]
fn somebody_else_holds_a_lazyfree_folio() {
    let layout = RmapLayout { extra_ref: true, ..of(FolioKind::Lazyfree) };
    for variant in ALL {
        let done = unmap(variant, &layout);
        let at_once = ["v6.16", "v7.0", "today"].contains(&variant);
        assert_eq!(done.trace.unmapped, [false], "variant {variant}");
        assert_eq!(mapped(&done), range(0, 15), "variant {variant}");
        assert_eq!(done.trace.cleared, range(0, if at_once { 15 } else { 0 }), "variant {variant}");
        assert_eq!(done.machine().page(done.folio).has(PageFlag::Swapbacked), !at_once, "variant {variant}");
    }
}

#[test]
fn a_page_is_pinned() {
    let layout = RmapLayout { pinned: Some(3), ..of(FolioKind::Anon) };
    for variant in ALL {
        let done = unmap(variant, &layout);
        assert_eq!(done.trace.unmapped, [false], "variant {variant}");
        assert_eq!(mapped(&done), range(3, 15), "variant {variant}");
        assert_eq!(done.machine().rmap().swap_map[..4], [1, 1, 1, 0], "variant {variant}");
        let freed = done
            .timeline
            .records()
            .iter()
            .filter(|record| matches!(record.op, Op::Rmap(RmapOp::Swap { entry: 3, dup: false })));
        assert_eq!(freed.count(), 1, "variant {variant}");
        if variant.starts_with('5') {
            assert_eq!(done.trace.batches, [(0, 3)]);
        }
    }
}

#[test]
fn the_vma_is_locked_from_the_start() {
    for variant in ALL {
        let config = config(variant);
        let done = unmap_with(config, &RmapLayout::file(&[4]), reclaim(config), false, true, |engine| {
            engine.machine_mut().mms[0].vmas[0].locked = true;
        });
        assert_eq!(mapped(&done), range(0, 15), "variant {variant}");
        assert_eq!((done.trace.unmapped[0], done.trace.cleared.len()), (false, 0), "variant {variant}");
    }
}

#[test]
fn a_hole_at_5() {
    let layout = RmapLayout { holes: vec![5], ..RmapLayout::file(&[4]) };
    for variant in ["5", "5-fixed"] {
        let trace = unmap_unchecked(variant, &layout).trace;
        assert_eq!(trace.batches, [(0, 5), (6, 10)], "variant {variant}");
        assert_eq!(trace.left, if variant == "5" { vec![15] } else { vec![] }, "variant {variant}");
        assert_eq!(trace.cleared[5..], range(6, 15), "variant {variant}");
        assert_eq!(trace.flushed[5..], if variant == "5" { range(5, 14) } else { range(6, 15) }, "variant {variant}");
    }
}

#[test]
fn the_vma_covers_a_part_of_the_folio() {
    let layout = RmapLayout { clip: Some((4, 11)), ..RmapLayout::file(&[4]) };
    for variant in ALL {
        let done = unmap(variant, &layout);
        assert_eq!(done.trace.unmapped, [true], "variant {variant}");
        assert_eq!(done.trace.cleared, range(4, 11), "variant {variant}");
        if ["5", "5-fixed", "v7.0", "today"].contains(&variant) {
            assert_eq!(done.trace.batches, [(4, 8)], "variant {variant}");
        }
    }
}

#[test]
fn a_pmd_maps_the_folio_elsewhere() {
    let layout = RmapLayout { processes: 2, by_pmd: true, ..RmapLayout::file(&[9]) };
    for variant in ALL {
        let config = config(variant);
        let done = unmap_with(config, &layout, reclaim(config), true, true, |_| {});
        assert_eq!(done.trace.maps, 512, "variant {variant}");
        assert!(done.trace.stats.is_empty(), "variant {variant}: {:?}", done.trace.stats);
    }
}

#[test]
fn which_addresses_patch_5_never_flushes() {
    let cases: [(&[u32], &[u32]); 5] = [
        (&[5, 11], &[14, 15]),
        (&[3, 8, 9], &[7, 14, 15]),
        (&[1, 3, 5, 7, 9, 11, 13], &[10, 12, 14, 15]),
        (&[5, 6], &[15]),
        (&[0, 1], &[]),
    ];
    for (missing, left) in cases {
        let layout = RmapLayout { holes: missing.to_vec(), ..RmapLayout::file(&[4]) };
        assert_eq!(unmap_unchecked("5", &layout).trace.left, left, "holes {missing:?}");
        assert!(unmap("5-fixed", &layout).trace.left.is_empty(), "holes {missing:?}");
    }
    let layout = RmapLayout { holes: vec![3, 8], ..RmapLayout::file(&[4]) };
    let config = config("5");
    let done = unmap_with(config, &layout, reclaim(config), false, false, |engine| {
        engine.machine_mut().tables[8] = swap_pte(0);
    });
    assert_eq!(done.trace.left, [7, 15], "a hole at 3 and a swap entry at 8");
    assert_eq!(done.ptes().iter().filter(|&&pte| pte == PTE_NONE).count(), 15);
}

#[test]
fn the_lock_words_of_a_folio() {
    let done = unmap("v6.3", &RmapLayout::file(&[4]));
    assert_eq!(done.world().ledger.lock(LockClass::IMmap).acquired, 1);
    assert_eq!(done.world().ledger.lock(LockClass::Ptl).acquired, 1);
}
