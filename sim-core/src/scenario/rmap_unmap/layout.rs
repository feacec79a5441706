//! What the range looks like before it is unmapped.

use alloc::format;
use alloc::vec::Vec;

use crate::kernel::rmap_map::FolioKind;
use crate::machine::{HPAGE_PMD_ORDER, PTRS_PER_PTE};
use crate::scenario::params::Params;
use crate::scenario::spec::SpecError;

/// Folios of a range and who maps them. Pages are numbered from the start of the range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RmapLayout {
    /// Order of each folio, one after the other.
    pub orders: Vec<u8>,
    /// What they are.
    pub kind: FolioKind,
    /// PTE index of the first page.
    pub start: u32,
    /// Address spaces that map the range; only the first one is loaded.
    pub processes: u8,
    /// CPUs.
    pub cpus: u8,
    /// CPU 1 runs a thread of the first process.
    pub threads: bool,
    /// Pages that nobody maps.
    pub holes: Vec<u32>,
    /// Pages whose PTEs are dirty.
    pub dirty: Vec<u32>,
    /// Pages that the other processes map; empty is all.
    pub shared: Vec<u32>,
    /// First and last page that the first process's VMA covers.
    pub clip: Option<(u32, u32)>,
    /// Page whose swap entry can't be counted once more.
    pub fail_swap: Option<u32>,
    /// Page that is its process's alone and pinned for DMA.
    pub pinned: Option<u32>,
    /// Page that is poisoned.
    pub poisoned: Option<u32>,
    /// Somebody holds one more reference of the first folio.
    pub extra_ref: bool,
    /// Anonymous folios are in the swap cache.
    pub swapcache: bool,
    /// The second process maps the first folio, of order 9, by a pmd.
    pub by_pmd: bool,
}

impl RmapLayout {
    /// File folios of such orders that one process on one CPU maps.
    pub fn file(orders: &[u8]) -> RmapLayout {
        RmapLayout {
            orders: orders.to_vec(),
            kind: FolioKind::File,
            start: 0,
            processes: 1,
            cpus: 1,
            threads: false,
            holes: Vec::new(),
            dirty: Vec::new(),
            shared: Vec::new(),
            clip: None,
            fail_swap: None,
            pinned: None,
            poisoned: None,
            extra_ref: false,
            swapcache: true,
            by_pmd: false,
        }
    }

    /// Pages of the range.
    pub fn pages(&self) -> u32 {
        self.orders.iter().map(|&order| 1u32 << order).sum()
    }

    /// Frames that it takes: each folio is aligned to its size.
    pub fn frames(&self) -> u32 {
        self.orders.iter().fold(0u32, |at, &order| at.next_multiple_of(1 << order) + (1 << order)).max(1)
    }

    /// Parts of folios that lie in one page table each.
    pub fn runs(&self) -> u64 {
        let mut at = self.start;
        let mut runs = 0;
        for &order in &self.orders {
            let end = at + (1 << order);
            runs += u64::from((end - 1) / PTRS_PER_PTE - at / PTRS_PER_PTE + 1);
            at = end;
        }
        runs
    }

    /// Orders of the folios of a range: 0 is as readahead makes them, any other number one more than the order of all.
    pub(in crate::scenario) fn orders(pages: u32, layout: u32) -> Result<Vec<u8>, SpecError> {
        match layout {
            0 => Ok(readahead(pages)),
            layout => of_one_order(pages, (layout - 1) as u8),
        }
    }

    /// The layout that the parameters ask for.
    pub(super) fn from_params(params: &Params) -> Result<RmapLayout, SpecError> {
        let pages = params.get("pages");
        let orders = RmapLayout::orders(pages, params.get("layout"))?;
        let kind = [FolioKind::File, FolioKind::Anon, FolioKind::Lazyfree][params.get("kind") as usize];
        let mut layout = RmapLayout {
            kind,
            start: params.get("start"),
            processes: (params.get("processes") as u8).max(1),
            holes: params.list("holes").to_vec(),
            ..RmapLayout::file(&orders)
        };
        in_range("holes", layout.holes.last().copied(), pages)?;
        in_range("fail_at", params.maybe("fail_at"), pages)?;
        in_range("locked_at", params.maybe("locked_at"), pages)?;
        if let Some(at) = params.maybe("fail_at") {
            match kind {
                FolioKind::File => {
                    let text = "fail_at is set and kind is file, whose PTEs can't fail; expected kind anon or lazyfree";
                    return Err(SpecError::Together(text.into()));
                }
                FolioKind::Anon => layout.fail_swap = Some(at),
                FolioKind::Lazyfree => layout.dirty.push(at),
            }
        }
        if let Some(at) = params.maybe("locked_at") {
            if layout.holes.contains(&at) {
                return Err(SpecError::Together(format!("locked_at is {at}, which is a hole; expected a mapped page")));
            }
            layout.cpus = 2;
        }
        Ok(layout)
    }
}

fn in_range(name: &str, page: Option<u32>, pages: u32) -> Result<(), SpecError> {
    match page {
        Some(page) if page >= pages => Err(SpecError::Together(format!(
            "{name} names page {page} and pages is {pages}; expected numbers below {pages}"
        ))),
        _ => Ok(()),
    }
}

fn of_one_order(pages: u32, order: u8) -> Result<Vec<u8>, SpecError> {
    let nr = 1u32 << order;
    if !pages.is_multiple_of(nr) {
        let text = format!("pages is {pages} and layout is {order}; expected a multiple of {nr} pages");
        return Err(SpecError::Together(text));
    }
    Ok(alloc::vec![order; (pages / nr) as usize])
}

// Sequential first touch with a window of 32 pages: order 2 in the first window, 4 in the second, 5 from there on, never
// across the end, and no order 1.
fn readahead(pages: u32) -> Vec<u8> {
    let mut orders = Vec::new();
    let mut at = 0;
    while at < pages {
        let mut order: u8 = if at < 32 {
            2
        } else if at < 64 {
            4
        } else {
            5
        };
        while at % (1 << order) != 0 || at + (1 << order) > pages {
            order -= 1;
        }
        order = if order == 1 { 0 } else { order };
        orders.push(order.min(HPAGE_PMD_ORDER));
        at += 1 << order;
    }
    orders
}
