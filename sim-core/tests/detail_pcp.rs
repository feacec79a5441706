//! The complete ledger of the page allocator: what one drain does under zone->lock, and spans with interrupts off.

mod pcp;

use pcp::*;
use sim_core::engine::Timeline;
use sim_core::ledger::detail::{By, Cell, Detail, Off, Query, Span, Under, count_of};
use sim_core::ledger::{Count, Key};
use sim_core::machine::{AreaList, LockClass};
use sim_core::op::Op;

/// Allocates 186 pages and frees them in ascending order: the last free drains 31. And the index of the first step after
/// that page has been put on the list.
fn drain_of_31(variant: &str) -> (Timeline, u32) {
    let timeline = run_one(config(variant), 8192, sized(31, 186), |cpu| async move { cycle(&cpu, 186).await });
    let add = Op::AreaAdd { list: AreaList::Pcp { cpu: 0, mt: MOVABLE }, tail: false, page: 185 };
    let from = timeline.records().iter().rposition(|record| record.op == add).unwrap() + 1;
    (timeline, from as u32)
}

#[test]
fn what_one_drain_does_under_the_lock() {
    // List moves, picks, updates of NR_FREE_PAGES, steps that touch a struct page; list moves outside.
    // Before: 57 moves off a list, 31 onto one, reads of 57 buddies and 31 higher buddies, 31 types, 31 checks, 31 heads of
    // blocks marked, 26 no longer. After: no picks and no checks, but 31 reads of the next page.
    let before = (57 + 31, 31, 31, 57 + 31 + 57 + 31 + 31 + 31 + 31 + 26, 0);
    let after = (26 + 31, 0, 31, 26 + 31 + 57 + 31 + 31 + 31 + 31 + 26, 31 + 31);
    for (variant, expected) in [("v4.15", before), ("pick-outside", after), ("prefetch-all", after), ("merged", after)]
    {
        let (timeline, from) = drain_of_31(variant);
        let all = Query { range: Some(from + 1..=timeline.len() as u32), ..Query::default() };
        let under = Query { under: Some(Under::Class(LockClass::Zone)), ..all.clone() };
        let count = |query: &Query, key| count_of(&timeline, &Query { key: Some(key), ..query.clone() });
        let found = (
            count(&under, Key::ListMoves),
            count(&under, Key::Count(Count::PicksUnderZone)),
            count(&under, Key::Vmstat),
            count_of(&timeline, &Query { touches: true, ..under.clone() }),
            count(&all, Key::ListMoves) - count(&under, Key::ListMoves),
        );
        assert_eq!(found, expected, "{variant}");
        assert_eq!(count(&all, Key::Acquired(LockClass::Zone)), 1, "{variant}");
        assert_eq!(count(&under, Key::ListMoves), count(&all, Key::Count(Count::ListUnderZone)), "{variant}");
    }
}

#[test]
fn interrupts_are_off_in_one_span_for_each_call() {
    let mut longest = Vec::new();
    for (variant, moves) in [("v4.15", 1 + 57 + 31), ("pick-outside", 1 + 31 + 31 + 26 + 31)] {
        let (timeline, from) = drain_of_31(variant);
        let detail = Detail::new(&timeline, None);
        let irqs: Vec<&Span> = detail.spans.iter().filter(|span| span.off == Off::Irq).collect();
        // 186 allocations and 186 frees; six allocations refill, one free drains.
        assert_eq!(irqs.len(), 372, "{variant}");
        let off = |step: u32| timeline.records()[step as usize - 1].op;
        assert!(irqs.iter().all(|span| off(span.length.begin) == Op::Irq { off: true }), "{variant}");
        assert!(irqs.iter().all(|span| off(span.length.end) == Op::Irq { off: false }), "{variant}");
        let locked: Vec<&&Span> = irqs.iter().filter(|span| span.inside.locks > 0).collect();
        assert_eq!(locked.len(), 7, "{variant}");
        assert!(locked.iter().all(|span| span.inside.locks == 1), "{variant}");
        // A hit on the per-CPU list: one page off it, or onto it, and no zone->lock.
        let hits = irqs.iter().filter(|span| span.inside.locks == 0);
        assert!(hits.clone().all(|span| span.inside.lists == 1), "{variant}");
        assert_eq!(hits.count(), 365, "{variant}");
        let drain = irqs.iter().find(|span| span.length.begin <= from && from < span.length.end).unwrap();
        assert_eq!(drain.inside.lists, moves, "{variant}");
        longest.push(drain.length.steps());
        let held = detail.class(LockClass::Zone).unwrap();
        assert_eq!((held.acquired, held.hold.spans), (7, 7), "{variant}");
        let off = detail.spans.iter().filter(|span| span.off == Off::Preempt && span.cause.name() == "zone_lock");
        assert_eq!(off.count(), 7, "{variant}");
    }
    // One list more and a second walk: slightly longer.
    assert!(longest[0] < longest[1], "{longest:?}");
}

#[test]
fn pages_and_processors_of_a_run() {
    let run = run("pcp-free", "v4.15", &[("cpus", "2")]);
    let detail = Detail::new(&run.timeline, None);
    let cpus = detail.table(By::Cpus);
    assert_eq!(cpus.rows.len(), 2);
    for page in &detail.pages {
        let steps = run.timeline.index().page(page.page);
        assert_eq!(steps.len() as u64, page.work.steps);
        assert_eq!((steps.iter().next(), steps.iter().last()), (Some(page.first), Some(page.last)));
    }
    let pages = detail.table(By::Pages);
    let allocated = run.ledger.count(Count::Allocs);
    assert!(pages.rows.len() as u64 >= allocated);
    assert!(pages.rows.iter().all(|row| matches!(row.cells[0], Cell::Count(1..))));
}
