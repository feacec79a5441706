//! MADV_FREE and swap entries: nothing is read back, nothing is lost, nothing outlives madvise.

use sim_core::scenario::{End, RunSpec, compare_claims};

use crate::table::{Case, Pairs, check_breakable, check_cases, check_pairs};

const CASES: &[Case] = &[
    Case {
        scenario: "madvise-free",
        params: &[
            ("processes", "4"),
            ("pages", "32"),
            ("ram", "64"),
            ("swap", "256"),
            ("loops", "3"),
            ("skew", "16"),
            ("min", "2"),
            ("low", "3"),
            ("high", "5"),
        ],
        rows: &[
            (
                "a read finds neither what was stored last nor zeroes after madvise",
                "never | never | never | never | never | never",
            ),
            (
                "a page is read back from swap",
                "never | 138 times, first at step 6892 known | never | never | never | never",
            ),
            ("swap entries that outlive the last madvise of a process", "0 | 0: 29 known | 0 | 0 | 0 | 0"),
        ],
    },
    Case {
        scenario: "madvise-free",
        params: &[
            ("processes", "4"),
            ("pages", "32"),
            ("ram", "64"),
            ("swap", "256"),
            ("loops", "3"),
            ("skew", "16"),
            ("min", "2"),
            ("low", "3"),
            ("high", "5"),
            ("bystander", "8"),
        ],
        rows: &[(
            "a read finds neither what was stored last nor zeroes after madvise",
            "never | never | never | never | never | never",
        )],
    },
    Case {
        scenario: "madvise-free-race",
        params: &[],
        rows: &[("a read finds neither what was stored last nor zeroes after madvise", "at step 370 known | never")],
    },
];

const PAIRS: &[Pairs] = &[Pairs {
    scenario: "madvise-free",
    params: &[
        ("processes", "4"),
        ("pages", "32"),
        ("ram", "64"),
        ("swap", "256"),
        ("loops", "3"),
        ("skew", "16"),
        ("min", "2"),
        ("low", "3"),
        ("high", "5"),
    ],
    pairs: &[
        ("dontneed", "free"),
        ("dontneed", "free-swap"),
        ("free", "free-swap"),
        ("free", "v4.5"),
        ("v4.5", "v4.12"),
        ("v4.12", "today"),
        ("free-swap", "free"),
    ],
    rows: &[
        (
            "MADV_FREE without the patch swaps in where MADV_DONTNEED does not",
            "at least 1: 138 | - | - | - | - | - | -",
        ),
        ("MADV_FREE without the patch is slower, in ticks", "at least 625: 1487 | - | - | - | - | - | -"),
        (
            "swap-ins are no more than those of MADV_DONTNEED, which has none",
            "- | at most 0: 0 | at most 0: 0 | at most 0: 0 | at most 0: 0 | at most 0: 0 | -",
        ),
        ("the patch makes it faster, in ticks", "- | - | at most 1486: 748 | at most 1486: 639 | - | - | -"),
    ],
}];

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
fn the_orders_of_the_mail_at_every_skew() {
    // Swap-ins of MADV_FREE before the patch, which has none after it, and ticks until the last process is done.
    let rows = [
        ("0", 3287, [3228, 9800, 3957]),
        ("32", 2144, [2976, 7717, 4088]),
        ("64", 1013, [2976, 4810, 3671]),
        ("96", 329, [3136, 3499, 3266]),
    ];
    for (skew, swap_ins, ticks) in rows {
        let specs = ["dontneed", "free", "free-swap"]
            .map(|variant| RunSpec::new("madvise-free", variant).unwrap().set("skew", skew).unwrap());
        let engines = specs.each_ref().map(|spec| spec.bulk(1 << 20, |_| true).unwrap());
        let compared = |old: usize, new: usize| {
            let (before, after) = (engines[old].world(), engines[new].world());
            compare_claims(&End::of(&specs[old], &before, None), &End::of(&specs[new], &after, None))
        };
        let texts = |old, new| -> Vec<(String, String, bool)> {
            compared(old, new).into_iter().map(|claim| (claim.expected, claim.found, claim.holds)).collect()
        };
        let row = |expected: String, found: u64| (expected, found.to_string(), true);
        let slower = row(format!("at least {}", ticks[0] + 1), ticks[1]);
        assert_eq!(texts(0, 1), [row("at least 1".to_string(), swap_ins), slower], "skew {skew}");
        let faster = row(format!("at most {}", ticks[1] - 1), ticks[2]);
        assert_eq!(texts(1, 2), [row("at most 0".to_string(), 0), faster], "skew {skew}");
        assert_eq!(texts(0, 2), [row("at most 0".to_string(), 0)], "skew {skew}");
    }
    // Each process has memory enough: nothing is claimed of that.
    let specs =
        ["dontneed", "free"].map(|name| RunSpec::new("madvise-free", name).unwrap().set("skew", "128").unwrap());
    let engines = specs.each_ref().map(|spec| spec.bulk(1 << 20, |_| true).unwrap());
    let (before, after) = (engines[0].world(), engines[1].world());
    assert!(compare_claims(&End::of(&specs[0], &before, None), &End::of(&specs[1], &after, None)).is_empty());
}
