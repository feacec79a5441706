//! The operations of munlock_vma_pages_range in their order, level by level, for two pages.

mod common;

use std::collections::BTreeSet;

use common::{ALL, level, munlock, run, with_kinds};
use sim_core::engine::Timeline;
use sim_core::ledger::{How, Site};
use sim_core::machine::{Event, LockClass, PageFlag, Stat};
use sim_core::op::{Op, Read};
use sim_core::scenario::{Layout, PageKind};
use sim_core::view::PagevecKind;

use PageKind::{Hole, InRemotePagevec, Mlocked, NotMlocked, Shared, SharedLocked, Zero};

/// An operation in one word; pages are 0 and 1.
fn word(op: Op) -> String {
    match op {
        Op::SetVmLocked { .. } => "VM_LOCKED".to_string(),
        Op::Walk { vpn, .. } => format!("walk:{vpn}"),
        Op::ReadPte { vpn, .. } => format!("pte:{vpn}"),
        Op::SpinLock { class, irq, .. } => match (class, irq) {
            (LockClass::Ptl, false) => "ptl".to_string(),
            (LockClass::Lru, true) => "lru".to_string(),
            other => format!("{other:?}"),
        },
        Op::SpinUnlock { class, .. } => if class == LockClass::Ptl { "/ptl" } else { "/lru" }.to_string(),
        Op::Get { page, site, .. } => match site {
            Site::FollowPage => format!("+pin:{page}"),
            Site::Isolate | Site::IsolateUnlessZero => format!("+isolate:{page}"),
            Site::LruCacheAdd => format!("+slot:{page}"),
            other => format!("+{other:?}:{page}"),
        },
        Op::Put { page, site, .. } => match site {
            Site::PutPage => format!("-pin:{page}"),
            Site::PutbackLruPage => format!("-putback:{page}"),
            Site::ReleasePages => format!("-release:{page}"),
            other => format!("-{other:?}:{page}"),
        },
        Op::TryLockPage { page } => format!("lock:{page}"),
        Op::UnlockPage { page } => format!("unlock:{page}"),
        Op::Flag { flag, how, page } => {
            let how = match how {
                How::Set => "Set",
                How::Clear => "Clear",
                How::TestClear => "TestClear",
                _ => "?",
            };
            let flag = match flag {
                PageFlag::Lru => "LRU",
                PageFlag::Mlocked => "Mlocked",
                PageFlag::Unevictable => "Unevictable",
                _ => "?",
            };
            format!("{how}{flag}:{page}")
        }
        Op::Read { what, page } => match what {
            Read::Flag(flag) => format!("read-{}:{page}", flag.name()),
            Read::Mapcount => format!("mapcount:{page}"),
            Read::Evictable => format!("evictable:{page}"),
            Read::Waiters => format!("waiters:{page}"),
            Read::MlockCount => format!("mlock_count:{page}"),
            Read::Refcount => format!("refcount:{page}"),
        },
        Op::ReadPagevec { pv } => match pv.kind {
            PagevecKind::LruAdd => "space".to_string(),
            _ => "other-space".to_string(),
        },
        Op::ListAdd { lru, page } => format!("add{lru}:{page}"),
        Op::ListDel { lru, page } => format!("del{lru}:{page}"),
        Op::Stat { item, safe, delta, .. } => {
            let item = match item {
                Stat::Mlock => "NR_MLOCK",
                Stat::Unevictable => "NR_UNEVICTABLE",
                Stat::InactiveAnon => "NR_INACTIVE_ANON",
                _ => "?",
            };
            format!("{}{item}{delta:+}", if safe { "" } else { "__" })
        }
        Op::ReclaimStat { .. } => "scanned".to_string(),
        Op::Event { event: Event::Munlocked, n } => format!("PGMUNLOCKED+{n}"),
        Op::Event { event: Event::Rescued, n } => format!("PGRESCUED+{n}"),
        Op::PvecAdd { pv, page, .. } => format!("{:?}[{page}]", pv.kind),
        Op::PvecReinit { pv } => format!("{:?}=0", pv.kind),
        Op::Preempt { off } => if off { "pre" } else { "/pre" }.to_string(),
        Op::CondResched => "resched".to_string(),
        other => format!("{other:?}"),
    }
}

/// The operations of the range function in one line.
fn steps(variant: &str, params: &[(&str, &str)]) -> String {
    let run = run("munlock", variant, params);
    assert_eq!(run.timeline.violation(), None, "variant {variant}");
    let counted = run.timeline.records().iter().filter(|record| record.counted);
    counted.map(|record| word(record.op)).collect::<Vec<_>>().join(" ")
}

fn joined(parts: &[&str]) -> String {
    parts.join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn check(variants: &[&str], params: &[(&str, &str)], parts: &[&str]) {
    for variant in variants {
        let (found, expected) = (steps(variant, params), joined(parts));
        let differ = found.split(' ').zip(expected.split(' ')).position(|(found, expected)| found != expected);
        assert_eq!(found, expected, "variant {variant}, {:?}: they part at word {differ:?}", level(variant));
    }
}

const TWO: [(&str, &str); 1] = [("pages", "2")];

/// The same words about another page.
fn page_1(text: &str) -> String {
    text.replace(":0", ":1").replace("[0]", "[1]")
}

const FOLLOW: &str = "walk:0 ptl pte:0 +pin:0 /ptl";
// Isolation of one page by itself: a look, the lock, another look.
const ISOLATE: &str = "TestClearMlocked:0 NR_MLOCK-1 read-PG_lru:0 lru read-PG_lru:0 +isolate:0 ClearLRU:0 del4:0
    __NR_UNEVICTABLE-1 /lru";
const MUNLOCKED: &str = "mapcount:0 PGMUNLOCKED+1";
// Putback up to the pagevec.
const PUTBACK: &str = "read-PG_unevictable:0 ClearUnevictable:0 evictable:0";
const CACHE_ADD: &str = "pre +slot:0 space LruAdd[0] /pre";
const PUT_BACK: &str = "PGRESCUED+1 -putback:0";
const UNLOCK: &str = "unlock:0 waiters:0";
const EMPTY_DRAIN: &str = "pre space other-space other-space other-space /pre";
const TO_LIST: &str = "SetLRU:0 add0:0 __NR_INACTIVE_ANON+1 scanned";

#[test]
fn level_0_drains_the_page_before() {
    for (variant, swapbacked) in [("0", "read-PG_swapbacked:0"), ("1", "")] {
        let page = [ISOLATE, MUNLOCKED, PUTBACK, swapbacked, CACHE_ADD, PUT_BACK, UNLOCK, "-pin:0 resched"].join(" ");
        let parts = [
            "VM_LOCKED",
            FOLLOW,
            "lock:0",
            EMPTY_DRAIN,
            &page,
            &page_1(FOLLOW),
            "lock:1",
            "pre space lru",
            TO_LIST,
            "/lru -release:0 LruAdd=0 other-space other-space other-space /pre",
            &page_1(&page),
        ];
        check(&[variant], &TWO, &parts);
    }
}

#[test]
fn level_2_drains_a_full_pagevec_with_the_lock_of_the_next_page() {
    // Pagevecs of one slot, so that the second page finds it full.
    let page = [FOLLOW, "lock:0", ISOLATE, MUNLOCKED, PUTBACK, CACHE_ADD, PUT_BACK, UNLOCK, "-pin:0 resched"].join(" ");
    let drain = ["space lru", TO_LIST, "/lru -release:0 LruAdd=0"].join(" ");
    let second = page_1(&page).replace("space", &drain);
    check(&["2"], &[("pages", "2"), ("pagevec", "1")], &["VM_LOCKED", &page, &second]);
    // With more room nothing is drained.
    check(&["2"], &TWO, &["VM_LOCKED", &page, &page_1(&page)]);
}

// Phase 1 of a batch, for one page.
const ISOLATE_IN_BATCH: &str = "read-PG_lru:0 +isolate:0 ClearLRU:0 del4:0 __NR_UNEVICTABLE-1";
// The walk of levels 3 to 6.
const COLLECT: &str = "walk:0 ptl pte:0 +pin:0 /ptl OnStack[0] resched";
const SLOW: &str = "lock:0 mapcount:0 PGMUNLOCKED+1 read-PG_unevictable:0 ClearUnevictable:0 evictable:0
    pre +slot:0 space LruAdd[0] /pre PGRESCUED+1 -putback:0 unlock:0 waiters:0 -pin:0";

#[test]
fn level_3_isolates_a_batch_under_one_lock() {
    let isolate = ["TestClearMlocked:0 __NR_MLOCK-1", ISOLATE_IN_BATCH].join(" ");
    let parts = [
        "VM_LOCKED",
        COLLECT,
        &page_1(COLLECT),
        "lru",
        &isolate,
        &page_1(&isolate),
        "/lru",
        SLOW,
        &page_1(SLOW),
        "OnStack=0",
    ];
    check(&["3"], &TWO, &parts);
}

#[test]
fn level_4_updates_nr_mlock_last_under_the_lock() {
    let isolate = ["TestClearMlocked:0", ISOLATE_IN_BATCH].join(" ");
    let parts = [
        "VM_LOCKED",
        COLLECT,
        &page_1(COLLECT),
        "lru",
        &isolate,
        &page_1(&isolate),
        "__NR_MLOCK-2 /lru",
        SLOW,
        &page_1(SLOW),
        "OnStack=0",
    ];
    check(&["4"], &TWO, &parts);
}

const FAST: &str = "lock:0 mapcount:0 evictable:0 Putback[0] TestClearUnevictable:0 unlock:0 waiters:0";

/// Phase 3: both pages go to their list, then their references are dropped.
fn put_back(rescued: u32) -> String {
    let lists = [TO_LIST, &page_1(TO_LIST)].join(" ");
    format!("PGMUNLOCKED+2 lru {lists} /lru -release:0 -release:1 Putback=0 PGRESCUED+{rescued}")
}

#[test]
fn level_5_puts_a_batch_back_and_drops_the_pins_last() {
    let isolate = ["TestClearMlocked:0", ISOLATE_IN_BATCH].join(" ");
    for (variant, rescued) in [("5", 0), ("5-v2", 2)] {
        let parts = [
            "VM_LOCKED",
            COLLECT,
            &page_1(COLLECT),
            "lru",
            &isolate,
            &page_1(&isolate),
            "__NR_MLOCK-2 /lru",
            FAST,
            &page_1(FAST),
            &put_back(rescued),
            "-pin:0 -pin:1 OnStack=0",
        ];
        check(&[variant], &TWO, &parts);
    }
}

/// Levels 6 and 7 from the lock of phase 1 on.
fn without_isolate_pins(rescued: u32) -> String {
    let isolate = "TestClearMlocked:0 read-PG_lru:0 ClearLRU:0 del4:0 __NR_UNEVICTABLE-1";
    let parts =
        ["lru", isolate, &page_1(isolate), "__NR_MLOCK-2 /lru", FAST, &page_1(FAST), &put_back(rescued), "OnStack=0"];
    parts.join(" ")
}

#[test]
fn level_6_needs_no_reference_but_the_pin() {
    for (variant, rescued) in [("6", 0), ("6-v2", 2)] {
        check(&[variant], &TWO, &["VM_LOCKED", COLLECT, &page_1(COLLECT), &without_isolate_pins(rescued)]);
    }
}

#[test]
fn level_7_as_merged_fills_the_batch_under_one_ptl() {
    let parts = [
        "VM_LOCKED",
        FOLLOW,
        "OnStack[0] walk:0 ptl pte:1 +pin:1 OnStack[1] /ptl",
        &without_isolate_pins(2),
        "resched",
    ];
    check(&["7", "fixed"], &TWO, &parts);
}

#[test]
fn level_7_as_measured_keeps_the_ptl() {
    let parts = ["VM_LOCKED", FOLLOW, "walk:0 ptl OnStack[0] pte:1 +pin:1 OnStack[1] /ptl", &without_isolate_pins(2)];
    check(&["7-v2"], &TWO, &parts);
    // A full pagevec is flushed once the ptl is given back; then there is a point to reschedule.
    let full = [
        "VM_LOCKED",
        FOLLOW,
        "walk:0 ptl OnStack[0] pte:1 +pin:1 OnStack[1] /ptl",
        &without_isolate_pins(2),
        "resched",
    ];
    check(&["7-v2"], &[("pages", "2"), ("pagevec", "2")], &full);
}

/// Locks held in a task when it takes another one: what is held, what is taken.
fn nested(timeline: &Timeline) -> BTreeSet<(&'static str, &'static str)> {
    let mut held: Vec<&'static str> = Vec::new();
    let mut pairs = BTreeSet::new();
    for record in timeline.records() {
        let Some(lock) = record.op.lock() else { continue };
        let name = lock.class.name();
        match record.op {
            Op::DownReadTrylock { .. } if record.outcome.ret == 0 => {}
            Op::SpinLock { .. } | Op::TryLockPage { .. } | Op::Down { .. } | Op::DownReadTrylock { .. } => {
                pairs.extend(held.iter().map(|&outer| (outer, name)));
                held.push(name);
            }
            Op::SpinUnlock { .. } | Op::UnlockPage { .. } | Op::Up { .. } => {
                let at = held.iter().rposition(|&outer| outer == name);
                held.remove(at.expect("it is released by whoever took it"));
            }
            _ => {}
        }
    }
    assert!(held.is_empty(), "{held:?}");
    pairs
}

#[test]
fn the_ptl_is_given_back_before_a_page_lock_or_lru_lock_is_taken() {
    let kinds = [Mlocked, NotMlocked, Shared, Hole, Mlocked, SharedLocked, Zero, InRemotePagevec, Mlocked, Mlocked];
    for variant in ALL {
        for (zones, pmd_start, thp) in [(1, 0, false), (2, 0, false), (1, 507, false), (2, 500, false), (1, 0, true)] {
            let kinds = if thp { vec![Mlocked; 2] } else { kinds.repeat(4) };
            let layout = Layout { zones, interleave: zones == 2, pmd_start, thp, ..with_kinds(&kinds) };
            let pairs = nested(&munlock(variant, &layout));
            let of_tables = ["ptl", "page_table_lock"];
            let inside = |&(outer, inner): &(_, _)| of_tables.contains(&outer) && !of_tables.contains(&inner);
            let outer_ptl = pairs.iter().any(inside);
            // From 5.18 on a full batch is processed under it.
            assert_eq!(outer_ptl, ["v6.1", "today"].contains(&variant), "variant {variant}: {pairs:?}");
            assert!(!pairs.iter().any(|&(outer, _)| outer == "lru_lock"), "variant {variant}: {pairs:?}");
        }
    }
}
