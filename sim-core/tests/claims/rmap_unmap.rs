//! Unmapping in batches: statistics calls, atomics, flushes, and the three slips of the posting.

use sim_core::scenario::RMAP_VARIANTS;

use crate::table::{Case, Pairs, check_breakable, check_bulk, check_cases, check_pairs};

const CASES: &[Case] = &[
    Case {
        scenario: "rmap-unmap",
        params: &[],
        rows: &[
            (
                "a TLB entry outlives its page, or the walk leaves its table",
                "never | never | never | never | never | never | never | never | never | never",
            ),
            (
                "a cleared PTE is never counted off",
                "never | never | never | never | never | never | never | never | never | never",
            ),
            (
                "statistics calls: one for a run of pages, not one for each",
                "512 | 512 | 512 | 512 | 512 | 24 | 24 | 512 | 24 | 24",
            ),
            ("atomics on page and folio words", "1536 | 1536 | 1536 | 1536 | 1536 | 1048 | 1048 | 2048 | 584 | 584"),
            ("TLB flushes", "512 | 512 | 512 | 512 | 512 | 512 | 512 | 512 | 24 | 24"),
            ("all atomics, lock words included", "2649 | 2649 | 2649 | 2649 | 2649 | 2159 | 2159 | 3162 | 1210 | 1210"),
        ],
    },
    Case {
        scenario: "rmap-unmap",
        params: &[("layout", "0")],
        rows: &[
            (
                "a TLB entry outlives its page, or the walk leaves its table",
                "never | never | never | never | never | never | never | never | never | never",
            ),
            (
                "a cleared PTE is never counted off",
                "never | never | never | never | never | never | never | never | never | never",
            ),
            (
                "statistics calls: one for a run of pages, not one for each",
                "512 | 512 | 512 | 512 | 512 | 512 | 512 | 512 | 512 | 512",
            ),
            ("atomics on page and folio words", "1024 | 1024 | 1024 | 1024 | 1024 | 1024 | 1024 | 1024 | 1024 | 1024"),
            ("TLB flushes", "512 | 512 | 512 | 512 | 512 | 512 | 512 | 512 | 512 | 512"),
            ("all atomics, lock words included", "3601 | 3601 | 3601 | 3601 | 3601 | 3601 | 3601 | 3602 | 3602 | 3602"),
        ],
    },
    Case {
        scenario: "rmap-unmap",
        params: &[("layout", "4")],
        rows: &[
            (
                "a TLB entry outlives its page, or the walk leaves its table",
                "never | never | never | never | never | never | never | never | never | never",
            ),
            (
                "a cleared PTE is never counted off",
                "never | never | never | never | never | never | never | never | never | never",
            ),
            (
                "statistics calls: one for a run of pages, not one for each",
                "512 | 512 | 512 | 512 | 512 | 32 | 32 | 512 | 32 | 32",
            ),
            ("atomics on page and folio words", "1536 | 1536 | 1536 | 1536 | 1536 | 1056 | 1056 | 2048 | 608 | 608"),
            ("TLB flushes", "512 | 512 | 512 | 512 | 512 | 512 | 512 | 512 | 32 | 32"),
            ("all atomics, lock words included", "2673 | 2673 | 2673 | 2673 | 2673 | 2192 | 2192 | 3186 | 1266 | 1266"),
        ],
    },
    Case {
        scenario: "rmap-unmap",
        params: &[("layout", "9")],
        rows: &[
            (
                "a TLB entry outlives its page, or the walk leaves its table",
                "never | never | never | never | never | never | never | never | never | never",
            ),
            (
                "a cleared PTE is never counted off",
                "never | never | never | never | never | never | never | never | never | never",
            ),
            (
                "statistics calls: one for a run of pages, not one for each",
                "512 | 512 | 512 | 512 | 512 | 1 | 1 | 512 | 1 | 1",
            ),
            ("atomics on page and folio words", "1536 | 1536 | 1536 | 1536 | 1536 | 1025 | 1025 | 2048 | 515 | 515"),
            ("TLB flushes", "512 | 512 | 512 | 512 | 512 | 512 | 512 | 512 | 1 | 1"),
            ("all atomics, lock words included", "2580 | 2580 | 2580 | 2580 | 2580 | 2057 | 2057 | 3093 | 1035 | 1035"),
        ],
    },
    Case {
        scenario: "rmap-unmap",
        params: &[("pages", "48"), ("layout", "4"), ("start", "490")],
        rows: &[
            (
                "a TLB entry outlives its page, or the walk leaves its table",
                "never | never | never | never | never | never | never | never | never | never",
            ),
            (
                "a cleared PTE is never counted off",
                "never | never | never | never | never | never | never | never | never | never",
            ),
            (
                "statistics calls: one for a run of pages, not one for each",
                "48 | 48 | 48 | 48 | 48 | 4 | 4 | 48 | 4 | 4",
            ),
            ("atomics on page and folio words", "144 | 144 | 144 | 144 | 144 | 100 | 100 | 192 | 60 | 60"),
            ("TLB flushes", "48 | 48 | 48 | 48 | 48 | 48 | 48 | 48 | 4 | 4"),
        ],
    },
    Case {
        scenario: "rmap-unmap",
        params: &[("pages", "16"), ("layout", "4"), ("holes", "5,11")],
        rows: &[
            (
                "a TLB entry outlives its page, or the walk leaves its table",
                "never | never | never | never | never | at step 180 known | never | never | never | never",
            ),
            (
                "a cleared PTE is never counted off",
                "never | never | never | never | never | - | never | never | never | never",
            ),
        ],
    },
    Case {
        scenario: "rmap-unmap",
        params: &[("pages", "32"), ("layout", "4"), ("locked_at", "4")],
        rows: &[
            (
                "a TLB entry outlives its page, or the walk leaves its table",
                "never | never | never | never | never | - | never | never | never | never",
            ),
            (
                "a cleared PTE is never counted off",
                "never | never | never | never | never | at step 150 known | never | never | never | never",
            ),
        ],
    },
    Case {
        scenario: "rmap-unmap",
        params: &[("pages", "64"), ("layout", "4"), ("kind", "anon")],
        rows: &[
            (
                "a TLB entry outlives its page, or the walk leaves its table",
                "never | never | never | never | never | never | never | never | never | never",
            ),
            (
                "a cleared PTE is never counted off",
                "never | never | never | never | never | never | never | never | never | never",
            ),
        ],
    },
    Case {
        scenario: "rmap-unmap",
        params: &[("pages", "64"), ("layout", "4"), ("processes", "2")],
        rows: &[
            (
                "a TLB entry outlives its page, or the walk leaves its table",
                "never | never | never | never | never | never | never | never | never | never",
            ),
            (
                "a cleared PTE is never counted off",
                "never | never | never | never | never | never | never | never | never | never",
            ),
        ],
    },
    Case {
        scenario: "rmap-pageout",
        params: &[],
        rows: &[
            (
                "a TLB entry outlives its page, or the walk leaves its table",
                "never | never | never | never | never | never | never | never | never | never",
            ),
            (
                "a cleared PTE is never counted off",
                "never | never | never | never | never | never | never | never | never | never",
            ),
        ],
    },
    Case {
        scenario: "rmap-deferred",
        params: &[],
        rows: &[
            (
                "a TLB entry outlives its page, or the walk leaves its table",
                "never | never | never | never | never | never | never | never | never | never",
            ),
            (
                "a cleared PTE is never counted off",
                "never | never | never | never | never | never | never | never | never | never",
            ),
        ],
    },
    Case {
        scenario: "rmap-stale-tlb",
        params: &[],
        rows: &[
            (
                "a TLB entry outlives its page, or the walk leaves its table",
                "never | never | never | never | never | at step 388 known | never | never | never | never",
            ),
            (
                "a cleared PTE is never counted off",
                "never | never | never | never | never | - | never | never | never | never",
            ),
        ],
    },
    Case {
        scenario: "rmap-table-end",
        params: &[],
        rows: &[
            (
                "a TLB entry outlives its page, or the walk leaves its table",
                "never | never | never | never | never | at step 186 known | never | never | never | never",
            ),
            (
                "a cleared PTE is never counted off",
                "never | never | never | never | never | - | never | never | never | never",
            ),
        ],
    },
    Case {
        scenario: "rmap-mlock",
        params: &[],
        rows: &[
            (
                "a TLB entry outlives its page, or the walk leaves its table",
                "never | never | never | never | never | - | never | never | never | never",
            ),
            (
                "a cleared PTE is never counted off",
                "never | never | never | never | never | at step 142 known | never | never | never | never",
            ),
        ],
    },
    Case {
        scenario: "rmap-poison",
        params: &[],
        rows: &[
            (
                "a TLB entry outlives its page, or the walk leaves its table",
                "never | never | - | - | - | - | never | never | never | never",
            ),
            (
                "a cleared PTE is never counted off",
                "never | never | at step 28 known | at step 28 known | at step 28 known | at step 28 known | \
                 never | never | never | never",
            ),
            (
                "the PTE of a poisoned page becomes",
                "a poison entry | a poison entry | - | - | - | - | a poison entry | a poison entry | a poison \
                 entry | a poison entry",
            ),
        ],
    },
    Case {
        scenario: "rmap-poison",
        params: &[("kind", "file")],
        rows: &[
            (
                "a TLB entry outlives its page, or the walk leaves its table",
                "never | never | never | never | never | never | never | never | never | never",
            ),
            (
                "a cleared PTE is never counted off",
                "never | never | never | never | never | never | never | never | never | never",
            ),
            (
                "the PTE of a poisoned page becomes",
                "a poison entry | a poison entry | a poison entry: none known | a poison entry: none known | a \
                 poison entry: none known | a poison entry: none known | a poison entry | a poison entry | a \
                 poison entry | a poison entry",
            ),
        ],
    },
];

// Each kernel with the next, and with those that it is compared to.
const NEIGHBOURS: &[(&str, &str)] = &[
    ("v6.3", "1"),
    ("1", "2"),
    ("2", "3"),
    ("3", "4"),
    ("4", "5"),
    ("5", "5-fixed"),
    ("v6.3", "5-fixed"),
    ("v6.3", "v6.16"),
    ("v6.16", "v7.0"),
    ("v7.0", "today"),
    ("v6.3", "today"),
];

const PAIRS: &[Pairs] = &[
    Pairs {
        scenario: "rmap-unmap",
        params: &[],
        pairs: NEIGHBOURS,
        rows: &[
            (
                "statistics calls that are left",
                "512 of 512 | 512 of 512 | 512 of 512 | 512 of 512 | 24 of 512 | 24 of 24 | 24 of 512 | 512 of \
                 512 | 24 of 512 | 24 of 24 | 24 of 512",
            ),
            (
                "atomics on page and folio words that are left",
                "1536 of 1536 | 1536 of 1536 | 1536 of 1536 | 1536 of 1536 | 1048 of 1536 | 1048 of 1048 | 1048 \
                 of 1536 | 2048 of 1536 | 584 of 2048 | 584 of 584 | 584 of 1536",
            ),
            (
                "pages, PTEs and exact counters end the same",
                "as in the old kernel | as in the old kernel | as in the old kernel | as in the old kernel | as \
                 in the old kernel | as in the old kernel | as in the old kernel | - | - | - | -",
            ),
        ],
    },
    Pairs {
        scenario: "rmap-unmap",
        params: &[("layout", "0")],
        pairs: NEIGHBOURS,
        rows: &[
            (
                "statistics calls that are left",
                "512 of 512 | 512 of 512 | 512 of 512 | 512 of 512 | 512 of 512 | 512 of 512 | 512 of 512 | 512 \
                 of 512 | 512 of 512 | 512 of 512 | 512 of 512",
            ),
            (
                "atomics on page and folio words that are left",
                "1024 of 1024 | 1024 of 1024 | 1024 of 1024 | 1024 of 1024 | 1024 of 1024 | 1024 of 1024 | 1024 \
                 of 1024 | 1024 of 1024 | 1024 of 1024 | 1024 of 1024 | 1024 of 1024",
            ),
            (
                "pages, PTEs and exact counters end the same",
                "as in the old kernel | as in the old kernel | as in the old kernel | as in the old kernel | as \
                 in the old kernel | as in the old kernel | as in the old kernel | - | - | - | -",
            ),
        ],
    },
    Pairs {
        scenario: "rmap-unmap",
        params: &[("pages", "16"), ("layout", "4"), ("holes", "5,11")],
        pairs: NEIGHBOURS,
        rows: &[(
            "pages, PTEs and exact counters end the same",
            "as in the old kernel | as in the old kernel | as in the old kernel | as in the old kernel | - | \
                 - | as in the old kernel | - | - | - | -",
        )],
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
    for variant in RMAP_VARIANTS {
        for layout in ["mix", "0", "1", "3", "4", "6", "9"] {
            for (pages, start) in [("512", "0"), ("512", "300"), ("1024", "0"), ("1536", "511")] {
                let params = [("layout", layout), ("pages", pages), ("start", start)];
                check_bulk("rmap-unmap", variant.name, &params.map(|(name, value)| (name, value.to_string())));
            }
        }
    }
}
