//! The asynchronous lru_add_drain_all: work items, sleeps, and where pages end.

use sim_core::scenario::LRU_DRAIN_VARIANTS;

use crate::table::{Case, Pairs, check_breakable, check_bulk, check_cases, check_pairs};

const CASES: &[Case] = &[
    Case {
        scenario: "lru-drain",
        params: &[],
        rows: &[
            ("every mlock queues work on every CPU", "12 | - | - | - | -"),
            ("the caller sleeps in every call", "at least 3: 3 | - | - | - | -"),
            ("sleeps of the caller", "at most 12: 3 | - | at most 3: 1 | - | -"),
            ("sets of work items allocated", "3 | - | 0 | - | -"),
            ("mlock waits for another CPU", "- | never | - | never | never"),
            ("mlock allocates work items", "- | never | - | never | never"),
            ("work is queued where pages wait and nowhere else", "- | 1 | 1 | - | -"),
            ("mlock queues work", "- | - | - | never | never"),
        ],
    },
    Case {
        scenario: "lru-drain",
        params: &[("cpus", "16"), ("filled_cpus", "0")],
        rows: &[
            ("every mlock queues work on every CPU", "48 | - | - | - | -"),
            ("the caller sleeps in every call", "at least 3: 3 | - | - | - | -"),
            ("sleeps of the caller", "at most 48: 3 | - | at most 0: 0 | - | -"),
            ("sets of work items allocated", "3 | - | 0 | - | -"),
            ("mlock waits for another CPU", "- | never | - | never | never"),
            ("mlock allocates work items", "- | never | - | never | never"),
            ("work is queued where pages wait and nowhere else", "- | 0 | 0 | - | -"),
            ("mlock queues work", "- | - | - | never | never"),
        ],
    },
    Case {
        scenario: "lru-drain",
        params: &[("cpus", "8"), ("mlocks", "7"), ("filled_cpus", "8")],
        rows: &[
            ("every mlock queues work on every CPU", "56 | - | - | - | -"),
            ("the caller sleeps in every call", "at least 7: 7 | - | - | - | -"),
            ("sleeps of the caller", "at most 56: 7 | - | at most 56: 1 | - | -"),
            ("sets of work items allocated", "7 | - | 0 | - | -"),
            ("mlock waits for another CPU", "- | never | - | never | never"),
            ("mlock allocates work items", "- | never | - | never | never"),
            ("work is queued where pages wait and nowhere else", "- | 7 | 8 | - | -"),
            ("mlock queues work", "- | - | - | never | never"),
        ],
    },
    Case { scenario: "lru-drain-check", params: &[], rows: &[] },
    Case { scenario: "lru-drain-requeue", params: &[], rows: &[] },
    Case {
        scenario: "lru-drain-mlocked",
        params: &[],
        rows: &[
            ("mlocked pages that miss the unevictable list", "0 | 0 | 0 | 0: 1 known | 0"),
            ("mlock waits for another CPU", "- | never | - | never | never"),
            ("mlock allocates work items", "- | never | - | never | never"),
        ],
    },
    Case {
        scenario: "lru-drain-mlocked",
        params: &[("old_callback", "true")],
        rows: &[
            ("mlocked pages that miss the unevictable list", "0 | 0: 1 known | 0 | 0: 1 known | 0"),
            ("mlock waits for another CPU", "- | never | - | never | never"),
            ("mlock allocates work items", "- | never | - | never | never"),
        ],
    },
    Case {
        scenario: "lru-drain-barrier",
        params: &[],
        rows: &[("a page that became evictable stays on the unevictable list", "never | never")],
    },
    Case {
        scenario: "lru-drain-barrier",
        params: &[("hoisted", "both")],
        rows: &[("a page that became evictable stays on the unevictable list", "never | at step 50 known")],
    },
    Case {
        scenario: "lru-drain-all",
        params: &[],
        rows: &[("no pagevec slot holds a reference", "0 | 0 | 0 | 0 | 0")],
    },
    Case {
        scenario: "lru-drain-all",
        params: &[("in", "rotate")],
        rows: &[("no pagevec slot holds a reference", "0 | 0: 4 known | 0 | 0 | 0")],
    },
    Case {
        scenario: "lru-drain-hotplug",
        params: &[],
        rows: &[("mlock waits for another CPU", "- | never"), ("mlock allocates work items", "- | never")],
    },
    Case {
        scenario: "lru-drain-starved",
        params: &[],
        rows: &[
            ("mlock waits for another CPU", "- | never | - | never | never"),
            ("mlock allocates work items", "- | never | - | never | never"),
        ],
    },
];

const PAIRS: &[Pairs] = &[
    Pairs {
        scenario: "lru-drain",
        params: &[],
        pairs: &[("sync", "async"), ("sync", "selective"), ("selective", "none"), ("none", "today"), ("sync", "none")],
        rows: &[
            (
                "mlocked pages end on the unevictable list as before",
                "NR_MLOCK 3, NR_UNEVICTABLE 3 | NR_MLOCK 3, NR_UNEVICTABLE 3 | NR_MLOCK 3, NR_UNEVICTABLE 3 | \
                 NR_MLOCK 3, NR_UNEVICTABLE 3 | NR_MLOCK 3, NR_UNEVICTABLE 3",
            ),
            ("work items that are left", "1 of 12 | 1 of 12 | - | - | 0 of 12"),
            ("sleeps of the caller that are left", "at most 3: 0 | at most 3: 1 | - | - | at most 3: 0"),
        ],
    },
    Pairs {
        scenario: "lru-drain",
        params: &[("cpus", "16"), ("filled_cpus", "0")],
        pairs: &[("sync", "async"), ("sync", "selective"), ("selective", "none"), ("none", "today"), ("sync", "none")],
        rows: &[
            (
                "mlocked pages end on the unevictable list as before",
                "NR_MLOCK 3, NR_UNEVICTABLE 3 | NR_MLOCK 3, NR_UNEVICTABLE 3 | NR_MLOCK 3, NR_UNEVICTABLE 3 | \
                 NR_MLOCK 3, NR_UNEVICTABLE 3 | NR_MLOCK 3, NR_UNEVICTABLE 3",
            ),
            ("work items that are left", "0 of 48 | 0 of 48 | - | - | 0 of 48"),
            ("sleeps of the caller that are left", "at most 3: 0 | at most 3: 0 | - | - | at most 3: 0"),
        ],
    },
    Pairs {
        scenario: "lru-drain",
        params: &[("cpus", "8"), ("mlocks", "7"), ("filled_cpus", "8")],
        pairs: &[("sync", "async"), ("sync", "selective"), ("selective", "none"), ("none", "today"), ("sync", "none")],
        rows: &[
            (
                "mlocked pages end on the unevictable list as before",
                "NR_MLOCK 3, NR_UNEVICTABLE 3 | NR_MLOCK 3, NR_UNEVICTABLE 3 | NR_MLOCK 3, NR_UNEVICTABLE 3 | \
                 NR_MLOCK 3, NR_UNEVICTABLE 3 | NR_MLOCK 3, NR_UNEVICTABLE 3",
            ),
            ("work items that are left", "7 of 56 | 8 of 56 | - | - | 0 of 56"),
            ("sleeps of the caller that are left", "at most 7: 0 | at most 7: 1 | - | - | at most 7: 0"),
        ],
    },
];

#[test]
fn every_claim_of_every_variant() {
    check_cases(CASES);
}

#[test]
fn every_claim_that_compares_two() {
    check_pairs(PAIRS);
}

#[test]
fn every_claim_can_break() {
    check_breakable(CASES, PAIRS);
}

#[test]
fn work_items_are_those_of_any_number_of_cpus() {
    for variant in LRU_DRAIN_VARIANTS {
        for cpus in [1, 2, 5, 16, 64] {
            for filled in [0, 1, cpus / 2, cpus] {
                for mlocks in [1, 3, 50] {
                    let numbers = [("cpus", cpus), ("filled_cpus", filled), ("mlocks", mlocks)];
                    check_bulk("lru-drain", variant.name, &numbers.map(|(name, value)| (name, value.to_string())));
                }
            }
        }
    }
}
