//! The munlock series: counts patch by patch, what each patch has done away with, and the bugs of the text as posted.

use sim_core::scenario::MUNLOCK_VARIANTS;

use crate::table::{Case, Pairs, check_breakable, check_bulk, check_cases, check_pairs};

const CASES: &[Case] = &[
    Case {
        scenario: "munlock",
        params: &[],
        rows: &[
            (
                "atomics, folds apart",
                "837 | 837 | 759 | 707 | 707 | 624 | 512 | 624 | 512 | 464 | 464 | 464 | 520 | 341 | 339",
            ),
            ("lru_lock rounds", "111 | 111 | 59 | 7 | 7 | 8 | 8 | 8 | 8 | 8 | 8 | 8 | 8 | 4 | 2"),
            ("page-table lock rounds", "56 | 56 | 56 | 56 | 56 | 56 | 56 | 56 | 56 | 8 | 8 | 8 | 8 | 1 | 1"),
            (
                "atomics for a page, with the drain of what is left",
                "15.00 | 15.00 | 14.07 | 13.14 | 13.14 | 11.14 | 9.14 | 11.14 | 9.14 | 8.29 | 8.29 | 8.29 | - | - \
                 | -",
            ),
            (
                "lru_lock rounds for 14 pages, with that drain",
                "28.00 | 28.00 | 15.00 | 2.00 | 2.00 | 2.00 | 2.00 | 2.00 | 2.00 | 2.00 | 2.00 | 2.00 | - | - | -",
            ),
            (
                "PGRESCUED counts every page",
                "56 | 56 | 56 | 56 | 56 | 56: 0 known | 56: 0 known | 56 | 56 | 56 | 56 | 56 | 56 | 56 | 56",
            ),
            ("NR_MLOCK counts the mlocked pages", "0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0"),
            ("updates of NR_MLOCK", "- | - | - | 56 | 4 | 4 | 4 | 4 | 4 | 4 | 4 | 4 | - | - | -"),
            (
                "a page goes through a per-CPU pagevec",
                "- | - | - | - | - | never | never | never | never | never | never | never | never | - | -",
            ),
            (
                "isolation takes a reference of its own",
                "- | - | - | - | - | - | never | - | never | never | never | never | never | - | -",
            ),
        ],
    },
    Case {
        scenario: "munlock",
        params: &[("zones", "2"), ("interleave", "true")],
        rows: &[
            (
                "atomics, folds apart",
                "837 | 837 | 798 | 798 | 798 | 728 | 616 | 728 | 616 | 617 | 672 | 672 | 728 | 393 | 393",
            ),
            ("lru_lock rounds", "111 | 111 | 98 | 98 | 98 | 112 | 112 | 112 | 112 | 112 | 112 | 112 | 112 | 56 | 56"),
            ("page-table lock rounds", "56 | 56 | 56 | 56 | 56 | 56 | 56 | 56 | 56 | 57 | 112 | 112 | 112 | 1 | 1"),
            (
                "PGRESCUED counts every page",
                "56 | 56 | 56 | 56 | 56 | 56: 0 known | 56: 0 known | 56 | 56 | 56 | 56 | 56 | 56 | 56 | 56",
            ),
            ("NR_MLOCK counts the mlocked pages", "0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0"),
            ("updates of NR_MLOCK", "- | - | - | 56 | 56 | 56 | 56 | 56 | 56 | 56 | 56 | 56 | - | - | -"),
            (
                "a page goes through a per-CPU pagevec",
                "- | - | - | - | - | never | never | never | never | never | never | never | never | - | -",
            ),
            (
                "isolation takes a reference of its own",
                "- | - | - | - | - | - | never | - | never | never | never | never | never | - | -",
            ),
        ],
    },
    Case {
        scenario: "munlock",
        params: &[("pages", "61")],
        rows: &[
            (
                "atomics, folds apart",
                "912 | 912 | 848 | 792 | 792 | 681 | 559 | 681 | 559 | 508 | 508 | 508 | 569 | 372 | 369",
            ),
            ("lru_lock rounds", "121 | 121 | 65 | 9 | 9 | 10 | 10 | 10 | 10 | 10 | 10 | 10 | 10 | 5 | 2"),
            ("page-table lock rounds", "61 | 61 | 61 | 61 | 61 | 61 | 61 | 61 | 61 | 10 | 10 | 10 | 10 | 1 | 1"),
            (
                "PGRESCUED counts every page",
                "61 | 61 | 61 | 61 | 61 | 61: 0 known | 61: 0 known | 61 | 61 | 61 | 61 | 61 | 61 | 61 | 61",
            ),
            ("NR_MLOCK counts the mlocked pages", "0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0"),
            ("updates of NR_MLOCK", "- | - | - | 61 | 5 | 5 | 5 | 5 | 5 | 5 | 5 | 5 | - | - | -"),
            (
                "a page goes through a per-CPU pagevec",
                "- | - | - | - | - | never | never | never | never | never | never | never | never | - | -",
            ),
            (
                "isolation takes a reference of its own",
                "- | - | - | - | - | - | never | - | never | never | never | never | never | - | -",
            ),
        ],
    },
    Case {
        scenario: "munlock",
        params: &[("pages", "56"), ("in_remote_pagevec", "3")],
        rows: &[(
            "NR_MLOCK counts the mlocked pages",
            "0 | 0 | 0 | 0 | 0: 3 known | 0: 3 known | 0: 3 known | 0: 3 known | 0: 3 known | 0: 3 known | 0: \
                 3 known | 0 | 0 | 0 | 0",
        )],
    },
    Case {
        scenario: "munlock",
        params: &[("pages", "1024"), ("thp", "true"), ("not_mlocked", "1")],
        rows: &[
            (
                "munlock steps into the tails of a huge page",
                "never | never | never | at step 50 known | at step 50 known | at step 50 known | at step 50 \
                 known | at step 50 known | at step 50 known | at step 50 known | at step 50 known | never | \
                 never | never | never",
            ),
            ("NR_MLOCK counts the mlocked pages", "0 | 0 | 0 | - | - | - | - | - | - | - | - | 0 | 0 | 0 | 0"),
        ],
    },
    Case {
        scenario: "munlock",
        params: &[("pmd_start", "490"), ("folded_pmd", "true"), ("rc1", "true")],
        rows: &[
            (
                "the walk of a batch leaves its page table",
                "never | never | never | never | never | never | never | never | never | never | at step 327 \
                 known | never | never | never | never",
            ),
            ("NR_MLOCK counts the mlocked pages", "0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | - | 0 | 0 | 0 | 0"),
        ],
    },
    Case {
        scenario: "munlock-two-cpus",
        params: &[],
        rows: &[("NR_MLOCK counts the mlocked pages", "0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0")],
    },
    Case {
        scenario: "munlock-truncate",
        params: &[],
        rows: &[
            (
                "the last reference goes while its CPU holds lru_lock",
                "never | never | never | at step 140 known | at step 137 known | at step 137 known | at step 134 \
                 known | at step 137 known | at step 134 known | at step 85 known | at step 85 known | never | \
                 never | never | never",
            ),
            ("NR_MLOCK counts the mlocked pages", "0 | 0 | 0 | - | - | - | - | - | - | - | - | 0 | 0 | 0 | 0"),
        ],
    },
    Case {
        scenario: "munlock-split",
        params: &[],
        rows: &[
            (
                "tails stay mlocked that NR_MLOCK does not count",
                "at step 1054 known | at step 1054 known | at step 1048 known | at step 1048 known | at step 1048 \
                 known | at step 1048 known | at step 1048 known | at step 1048 known | at step 1048 known | at \
                 step 1048 known | at step 1048 known | never",
            ),
            ("NR_MLOCK counts the mlocked pages", "- | - | - | - | - | - | - | - | - | - | - | 0"),
        ],
    },
    Case {
        scenario: "munlock-remlock",
        params: &[],
        rows: &[("NR_MLOCK counts the mlocked pages", "1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 0 | 0")],
    },
    Case {
        scenario: "munlock-page-lock",
        params: &[],
        rows: &[("NR_MLOCK counts the mlocked pages", "0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0")],
    },
    Case {
        scenario: "munlock-reclaim",
        params: &[],
        rows: &[(
            "NR_MLOCK counts the mlocked pages",
            "0 | 0 | 0 | 0 | 0: 1 known | 0: 1 known | 0: 1 known | 0: 1 known | 0: 1 known | 0: 1 known | 0: \
                 1 known | 0 | 0 | 0 | 0",
        )],
    },
    Case {
        scenario: "munlock-drain",
        params: &[],
        rows: &[("NR_MLOCK counts the mlocked pages", "0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0")],
    },
    Case {
        scenario: "munlock-migrate",
        params: &[],
        rows: &[("NR_MLOCK counts the mlocked pages", "0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0")],
    },
    Case {
        scenario: "putback-race",
        params: &[],
        rows: &[
            (
                "a page that became evictable stays on the unevictable list",
                "never | never | never | never | never | never | never | never | never | never | never | never",
            ),
            (
                "NR_MLOCK counts the mlocked pages",
                "0 | 0 | 0 | 0 | 0: 1 known | 0: 1 known | 0: 1 known | 0: 1 known | 0: 1 known | 0: 1 known | 0: \
                 1 known | 0",
            ),
        ],
    },
    Case {
        scenario: "putback-race",
        params: &[("no_recheck", "true")],
        rows: &[(
            "a page that became evictable stays on the unevictable list",
            "at step 45 known | at step 45 known | at step 39 known | at step 41 known | at step 41 known | \
                 at step 41 known | at step 41 known | at step 41 known | at step 41 known | at step 43 known | \
                 at step 45 known | at step 53 known",
        )],
    },
];

// Each kernel with the next, and with those that it is compared to.
const NEIGHBOURS: &[(&str, &str)] = &[
    ("0", "1"),
    ("1", "2"),
    ("2", "3"),
    ("3", "4"),
    ("4", "5"),
    ("5", "6"),
    ("6", "7"),
    ("6-v2", "7-v2"),
    ("7", "fixed"),
    ("fixed", "v5.10"),
    ("v5.10", "v6.1"),
    ("v6.1", "today"),
    ("0", "6"),
];

const PAIRS: &[Pairs] = &[
    Pairs {
        scenario: "munlock",
        params: &[],
        pairs: NEIGHBOURS,
        rows: &[
            (
                "lru_lock rounds that are left",
                "111 of 111 | 59 of 111 | 7 of 59 | 7 of 7 | 8 of 7 | 8 of 8 | 8 of 8 | 8 of 8 | 8 of 8 | 8 of 8 \
                 | 4 of 8 | 2 of 4 | 8 of 111",
            ),
            (
                "atomics that are left",
                "837 of 837 | 759 of 837 | 707 of 759 | 707 of 707 | 624 of 707 | 512 of 624 | 464 of 512 | 464 \
                 of 512 | 464 of 464 | 520 of 464 | 341 of 520 | 339 of 341 | 512 of 837",
            ),
            (
                "pages come back to the lists in the same order",
                "56 pages as in the old kernel | 56 pages as in the old kernel | 56 pages as in the old kernel | \
                 56 pages as in the old kernel | 56 pages as in the old kernel | 56 pages as in the old kernel | \
                 56 pages as in the old kernel | 56 pages as in the old kernel | 56 pages as in the old kernel | \
                 56 pages as in the old kernel | 56 pages as in the old kernel | 56 pages as in the old kernel | \
                 56 pages as in the old kernel",
            ),
            ("NR_MLOCK ends the same", "0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0"),
            (
                "patch 7 takes fewer page-table and lru_locks than patch 6",
                "- | - | - | - | - | - | at most 63: 16 | at most 63: 16 | - | - | - | - | -",
            ),
        ],
    },
    Pairs {
        scenario: "munlock",
        params: &[("zones", "2"), ("interleave", "true")],
        pairs: NEIGHBOURS,
        rows: &[
            (
                "lru_lock rounds that are left",
                "111 of 111 | 98 of 111 | 98 of 98 | 98 of 98 | 112 of 98 | 112 of 112 | 112 of 112 | 112 of 112 \
                 | 112 of 112 | 112 of 112 | 56 of 112 | 56 of 56 | 112 of 111",
            ),
            (
                "atomics that are left",
                "837 of 837 | 798 of 837 | 798 of 798 | 798 of 798 | 728 of 798 | 616 of 728 | 672 of 616 | 617 \
                 of 616 | 672 of 672 | 728 of 672 | 393 of 728 | 393 of 393 | 616 of 837",
            ),
            (
                "pages come back to the lists in the same order",
                "56 pages as in the old kernel | 56 pages as in the old kernel | 56 pages as in the old kernel | \
                 56 pages as in the old kernel | 56 pages as in the old kernel | 56 pages as in the old kernel | \
                 56 pages as in the old kernel | 56 pages as in the old kernel | 56 pages as in the old kernel | \
                 56 pages as in the old kernel | 56 pages as in the old kernel | 56 pages as in the old kernel | \
                 56 pages as in the old kernel",
            ),
            ("NR_MLOCK ends the same", "0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0"),
            (
                "patch 7 takes fewer page-table and lru_locks than patch 6",
                "- | - | - | - | - | - | at most 167: 224 known | at most 167: 169 known | - | - | - | - | -",
            ),
        ],
    },
    Pairs {
        scenario: "munlock",
        params: &[("in_remote_pagevec", "3")],
        pairs: &[("2", "3"), ("3", "4"), ("4", "fixed"), ("0", "2")],
        rows: &[("NR_MLOCK ends the same", "0 | 0: 3 known | 3: 0 known | 0")],
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
fn the_arithmetic_is_that_of_any_range() {
    for variant in MUNLOCK_VARIANTS {
        for pages in [1, 2, 13, 14, 15, 28, 29, 45, 61, 124, 512, 560, 1024, 1037] {
            for start in [0, 5, 498, 511] {
                for (zones, pagevec) in [(1, 0), (1, 5), (2, 0), (2, 9)] {
                    let interleave = (zones == 2).to_string();
                    let numbers = [("pages", pages), ("pmd_start", start), ("zones", zones), ("pagevec", pagevec)];
                    let mut params: Vec<_> = numbers.map(|(name, value)| (name, value.to_string())).to_vec();
                    params.push(("interleave", interleave));
                    check_bulk("munlock", variant.name, &params);
                }
            }
        }
    }
}

#[test]
fn a_long_range_costs_what_is_stated_for_a_page() {
    for variant in MUNLOCK_VARIANTS {
        check_bulk("munlock", variant.name, &[("pages", (512 * 14).to_string())]);
    }
}
