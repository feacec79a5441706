//! What unmapping a range costs in each kernel, by the arithmetic of the tables: file folios, mapped once, whole.

use super::RmapLayout;
use crate::kernel::{Config, Patch};
use crate::scenario::End;

/// Counts of the try_to_unmap calls of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cost {
    /// Calls that change the statistics.
    pub statistics: u64,
    /// TLB flushes.
    pub flushes: u64,
    /// Atomics on page and folio words: map counts, references, the bit lock of large folios.
    pub page_words: u64,
}

/// Parts of the range that the counts are made of.
struct Parts {
    pages: u64,
    /// Pages of folios of more than one page.
    large_pages: u64,
    /// Parts of folios that lie in one page table each.
    runs: u64,
    /// Those of large folios.
    large_runs: u64,
}

impl Parts {
    fn of(layout: &RmapLayout) -> Parts {
        let large = layout.orders.iter().filter(|&&order| order > 0);
        let small = layout.orders.iter().filter(|&&order| order == 0).count() as u64;
        Parts {
            pages: u64::from(layout.pages()),
            large_pages: large.map(|&order| 1 << order).sum(),
            runs: layout.runs(),
            large_runs: layout.runs() - small,
        }
    }
}

impl Cost {
    /// What a kernel needs for a layout.
    pub fn of(layout: &RmapLayout, config: Config) -> Cost {
        let Parts { pages, large_pages, runs, large_runs } = Parts::of(layout);
        let has = |patch| config.has(patch);
        if has(Patch::FileBatch) {
            // One lock, one _nr_pages_mapped and one _refcount for a run; each page still has its own map count.
            return Cost { statistics: runs, flushes: runs, page_words: pages + 2 * large_runs + runs };
        }
        let a_page = 2 * pages + large_pages;
        if has(Patch::LazyfreeBatch) {
            return Cost { statistics: pages, flushes: pages, page_words: a_page + large_pages };
        }
        if has(Patch::RmapBatch) {
            return Cost { statistics: runs, flushes: pages, page_words: a_page - pages + runs };
        }
        Cost { statistics: pages, flushes: pages, page_words: a_page }
    }
}

/// The layout of a run to which the tables apply.
pub(super) fn plain(end: &End<'_>) -> Option<RmapLayout> {
    let params = &end.spec.params;
    let changed = |name: &&str| params.changed().any(|(param, _)| param.name == *name);
    let whole = !["holes", "fail_at", "locked_at"].iter().any(changed);
    let file = params.get("kind") == 0 && params.get("processes") <= 1;
    if end.spec.scenario.name != "rmap-unmap" || !whole || !file {
        return None;
    }
    RmapLayout::from_params(params).ok()
}

/// All atomics, lock words included, of 512 pages in each layout of the table: orders 0, 4 and 9 and the mix.
pub(super) fn all_atomics(end: &End<'_>) -> Option<u64> {
    let params = &end.spec.params;
    if params.get("pages") != 512 || params.get("start") != 0 {
        return None;
    }
    let column = match params.get("layout") {
        0 => 3,
        1 => 0,
        5 => 1,
        10 => 2,
        _ => return None,
    };
    let has = |patch| end.spec.variant.config.has(patch);
    let row = if has(Patch::FileBatch) {
        [3602, 1266, 1035, 1210]
    } else if has(Patch::LazyfreeBatch) {
        [3602, 3186, 3093, 3162]
    } else if has(Patch::RmapBatch) {
        [3601, 2192, 2057, 2159]
    } else {
        [3601, 2673, 2580, 2649]
    };
    Some(row[column])
}
