//! Picks without zone->lock: who takes it how often, what is done under it, and the same state in the end.

use sim_core::scenario::PCP_FREE_VARIANTS;

use crate::table::{Case, Pairs, check_breakable, check_bulk, check_cases, check_pairs};

const CASES: &[Case] = &[
    Case {
        scenario: "pcp-free",
        params: &[],
        rows: &[
            ("zone->lock rounds: one for a refill, one for a drain", "4 | 4 | 4 | 4 | - | -"),
            ("pages picked under zone->lock: all that a drain frees", "4 | - | - | - | 4 | 0"),
            ("pages handed out and not given back are in use", "0 | 0 | 0 | 0 | 0 | 12"),
            ("a page is picked from a per-CPU list under zone->lock", "- | never | never | never | - | -"),
            ("buddies that are prefetched", "- | - | 4 | 4 | - | -"),
        ],
    },
    Case {
        scenario: "pcp-free",
        params: &[("pages", "8192"), ("batch", "31"), ("high", "186"), ("touch", "186")],
        rows: &[
            ("zone->lock rounds: one for a refill, one for a drain", "7 | 7 | 7 | 7 | - | -"),
            ("pages picked under zone->lock: all that a drain frees", "31 | - | - | - | 31 | 155"),
            ("pages handed out and not given back are in use", "0 | 0 | 0 | 0 | 0 | 0"),
            ("a page is picked from a per-CPU list under zone->lock", "- | never | never | never | - | -"),
            ("buddies that are prefetched", "- | - | 31 | 31 | - | -"),
        ],
    },
    Case {
        scenario: "pcp-free",
        params: &[("cpus", "4"), ("touch", "40"), ("rounds", "3")],
        rows: &[
            ("zone->lock rounds: one for a refill, one for a drain", "200 | 200 | 200 | 200 | - | -"),
            ("pages picked under zone->lock: all that a drain frees", "384 | - | - | - | 432 | 224"),
            ("pages handed out and not given back are in use", "0 | 0 | 0 | 0 | 0 | 108"),
            ("a page is picked from a per-CPU list under zone->lock", "- | never | never | never | - | -"),
            ("buddies that are prefetched", "- | - | 384 | 384 | - | -"),
        ],
    },
    Case {
        scenario: "pcp-free",
        params: &[("batch", "1"), ("high", "0")],
        rows: &[
            ("zone->lock rounds: one for a refill, one for a drain", "24 | 24 | 24 | 24 | - | -"),
            ("pages picked under zone->lock: all that a drain frees", "12 | - | - | - | 12 | 0"),
            ("pages handed out and not given back are in use", "0 | 0 | 0 | 0 | 0 | 12"),
            ("a page is picked from a per-CPU list under zone->lock", "- | never | never | never | - | -"),
            ("buddies that are prefetched", "- | - | 12 | 12 | - | -"),
        ],
    },
    Case {
        scenario: "pcp-hang",
        params: &[],
        rows: &[
            (
                "a drain asks for more pages than the lists hold",
                "at step 119 known | at step 72 known | at step 73 known | at step 74 known | never | never",
            ),
            (
                "a CPU that hangs leaves the zone to the others",
                "zone->lock is free: zone->lock is held known | - | - | - | - | -",
            ),
            ("pages handed out and not given back are in use", "- | - | - | - | 0 | 0"),
        ],
    },
    Case {
        scenario: "pcp-hang",
        params: &[("fixed", "true")],
        rows: &[
            ("a drain asks for more pages than the lists hold", "never | never | never | never | never | never"),
            ("pages handed out and not given back are in use", "0 | 0 | 0 | 0 | 0 | 0"),
            ("a page is picked from a per-CPU list under zone->lock", "- | never | never | never | - | -"),
        ],
    },
    Case {
        scenario: "pcp-isolate",
        params: &[],
        rows: &[
            ("a page of an isolated pageblock goes to another list", "never | never | never | never | never | never"),
            ("pages handed out and not given back are in use", "0 | 0 | 0 | 0 | 0 | 0"),
            ("a page is picked from a per-CPU list under zone->lock", "- | never | never | never | - | -"),
        ],
    },
    Case {
        scenario: "pcp-isolate",
        params: &[("no_reread", "true")],
        rows: &[
            (
                "a page of an isolated pageblock goes to another list",
                "at step 448 known | at step 456 known | at step 460 known | at step 464 known | at step 463 \
                 known | never",
            ),
            ("pages handed out and not given back are in use", "- | - | - | - | - | 0"),
        ],
    },
];

// Each kernel with the next, and with those that it is compared to.
const NEIGHBOURS: &[(&str, &str)] = &[
    ("v4.15", "pick-outside"),
    ("pick-outside", "prefetch-all"),
    ("v4.15", "merged"),
    ("merged", "v5.18"),
    ("v5.18", "today"),
];

const PAIRS: &[Pairs] = &[
    Pairs {
        scenario: "pcp-free",
        params: &[],
        pairs: NEIGHBOURS,
        rows: &[
            ("picks under zone->lock that are left", "0 of 4 | 0 of 0 | 0 of 4 | - | -"),
            ("list moves under zone->lock fall by the picks and no more", "4 | 0 | 4 | - | -"),
            (
                "the allocator ends in the same state",
                "as in the old kernel | as in the old kernel | as in the old kernel | - | -",
            ),
        ],
    },
    Pairs {
        scenario: "pcp-free",
        params: &[("pages", "8192"), ("batch", "31"), ("high", "186"), ("touch", "186")],
        pairs: NEIGHBOURS,
        rows: &[
            ("picks under zone->lock that are left", "0 of 31 | 0 of 0 | 0 of 31 | - | -"),
            ("list moves under zone->lock fall by the picks and no more", "31 | 0 | 31 | - | -"),
            (
                "the allocator ends in the same state",
                "as in the old kernel | as in the old kernel | as in the old kernel | - | -",
            ),
        ],
    },
    Pairs {
        scenario: "pcp-free",
        params: &[("cpus", "4"), ("touch", "40"), ("rounds", "3")],
        pairs: NEIGHBOURS,
        rows: &[("picks under zone->lock that are left", "0 of 384 | 0 of 0 | 0 of 384 | - | -")],
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
fn rounds_can_be_counted_without_the_machine() {
    for variant in PCP_FREE_VARIANTS {
        for (cpus, batch, high) in [(1, 4, 12), (3, 1, 0), (2, 7, 42), (1, 31, 186)] {
            for (touch, rounds) in [(1, 1), (12, 2), (40, 3), (200, 2)] {
                let numbers = [("cpus", cpus), ("batch", batch), ("high", high), ("touch", touch), ("rounds", rounds)];
                let mut params: Vec<_> = numbers.map(|(name, value)| (name, value.to_string())).to_vec();
                params.push(("pages", "4096".to_string()));
                check_bulk("pcp-free", variant.name, &params);
            }
        }
    }
}
