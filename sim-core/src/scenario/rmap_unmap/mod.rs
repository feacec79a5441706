//! Unmapping folios by the reverse map: page by page, in runs, and what can go wrong.

mod claims;
mod cost;
mod layout;
mod races;
mod setup;
mod variants;

pub use layout::RmapLayout;
pub use variants::RMAP_VARIANTS;

use super::params::Param;
use super::{Opening, Scenario, Series};
use crate::machine::LockClass;

const MAX_PAGES: u32 = 1 << 16;

const PAGES: Param = Param::number("pages", 512, 1, MAX_PAGES, "pages of 4 KiB in the range");
const LAYOUT: Param = Param::choice(
    "layout",
    &["mix", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"],
    "orders of the folios: as readahead makes them (mix), or all of one order",
);

const UNMAP_PARAMS: &[Param] = &[
    PAGES,
    LAYOUT,
    Param::choice(
        "kind",
        &["file", "anon", "lazyfree"],
        "what the folios are: page cache, swapped out, or of MADV_FREE",
    ),
    Param::number("processes", 1, 1, 8, "address spaces that map the range"),
    Param::list("holes", MAX_PAGES - 1, "pages of the range that nobody maps"),
    Param::maybe(
        "fail_at",
        MAX_PAGES - 1,
        "page that can't be unmapped: no swap count (anon), or written to (lazyfree)",
    ),
    Param::maybe("locked_at", MAX_PAGES - 1, "page before whose PTE another CPU locks the VMA"),
    Param::number("start", 0, 0, 511, "PTE index of the first page"),
];

const PAGEOUT_PARAMS: &[Param] = &[Param::number("pages", 64, 1, MAX_PAGES, "pages of 4 KiB in the range"), LAYOUT];

const DEFERRED_PARAMS: &[Param] = &[
    Param::number("pages", 512, 1, MAX_PAGES, "pages of 4 KiB in the range"),
    LAYOUT,
    Param::flag("strict", "no folio may be freed before the flush, large folios of 6.3 neither"),
];

const STALE_PARAMS: &[Param] = &[Param::number("hole", 5, 0, 14, "page of the folio that is not mapped")];
const TABLE_PARAMS: &[Param] =
    &[Param::number("hole", 3, 0, 7, "page of the folio that is not mapped; page 7 has the table's last entry")];
const POISON_PARAMS: &[Param] = &[Param::choice(
    "kind",
    &["anon", "file"],
    "what the poisoned page is: anonymous and not in the swap cache, or of a file",
)];
const LOCK_PARAMS: &[Param] = &[Param::number("at", 4, 0, 15, "page before whose PTE another CPU locks the VMA")];

/// The series.
pub(super) const SERIES: Series = Series {
    name: "rmap-unmap",
    title: "unmapping folios in batches",
    year: 2023,
    claimed: "one statistics update for a run of pages of a folio instead of one for every page",
    opening: Opening {
        lock: LockClass::Ptl,
        hero: ("folio_stat", "statistics updates"),
        unit: ("pages", "page"),
        per: &["pages"],
        params: &[("pages", "56"), ("layout", "3")],
    },
    scenarios: SCENARIOS,
};

const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "rmap-unmap",
        title: "unmapping the folios of a range",
        summary: "Reclaim unmaps every folio of a file mapping from the process that maps it, and frees it.",
        watch: "How many statistics calls, atomics and TLB flushes a folio takes, against its pages.",
        params: UNMAP_PARAMS,
        variants: RMAP_VARIANTS,
        sides: ("v6.3", "5"),
        build: races::unmap,
        claims: claims::claims,
        compare_claims: claims::compare,
    },
    Scenario {
        name: "rmap-pageout",
        title: "MADV_PAGEOUT meets large folios",
        summary: "A process asks for a file mapping to be paged out that readahead has filled with large folios.",
        watch: "Where 6.3 stops: at the first folio that more than one PTE maps.",
        params: PAGEOUT_PARAMS,
        variants: RMAP_VARIANTS,
        sides: ("v6.3", "today"),
        build: races::pageout,
        claims: claims::claims,
        compare_claims: claims::compare,
    },
    Scenario {
        name: "rmap-deferred",
        title: "TLB flushes put off",
        summary: "A thread of the process reads on another CPU, so reclaim notes the flushes and makes one at the end.",
        watch: "When a folio is freed, and when the other CPU's TLB is emptied.",
        params: DEFERRED_PARAMS,
        variants: RMAP_VARIANTS,
        sides: ("v6.3", "today"),
        build: races::deferred,
        claims: claims::claims,
        compare_claims: claims::compare,
    },
    Scenario {
        name: "rmap-stale-tlb",
        title: "a TLB entry that outlives its page",
        summary: "A folio with holes is unmapped; patch 5 as posted flushes other addresses than it clears.",
        watch: "The TLB entries that are left when the folio is freed.",
        params: STALE_PARAMS,
        variants: RMAP_VARIANTS,
        sides: ("5", "5-fixed"),
        build: races::stale_tlb,
        claims: claims::claims,
        compare_claims: claims::compare,
    },
    Scenario {
        name: "rmap-table-end",
        title: "a read past the page table",
        summary: "A folio with a hole ends at the end of a page table; patch 5 as posted looks one entry too far.",
        watch: "Entry 512 of a table of 512.",
        params: TABLE_PARAMS,
        variants: RMAP_VARIANTS,
        sides: ("5", "5-fixed"),
        build: races::table_end,
        claims: claims::claims,
        compare_claims: claims::compare,
    },
    Scenario {
        name: "rmap-mlock",
        title: "unmapping against mlock",
        summary: "Another CPU locks the VMA while a run of PTEs is cleared and not yet counted.",
        watch: "The references and map counts of the pages cleared so far: patch 5 as posted leaks them.",
        params: LOCK_PARAMS,
        variants: RMAP_VARIANTS,
        sides: ("5", "5-fixed"),
        build: races::mlock,
        claims: claims::claims,
        compare_claims: claims::compare,
    },
    Scenario {
        name: "rmap-poison",
        title: "unmapping a poisoned page",
        summary: "Memory failure unmaps a poisoned page; patch 2 as posted asks for the flag the wrong way round.",
        watch: "Whether the PTE becomes a poison entry, or is lost.",
        params: POISON_PARAMS,
        variants: RMAP_VARIANTS,
        sides: ("2", "5-fixed"),
        build: races::poison,
        claims: claims::claims,
        compare_claims: claims::compare,
    },
];
