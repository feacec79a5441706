//! Unmapping: the folios of the range with what is mapped of them, and the TLBs.

use sim_core::view::{FolioView, RmapView, TlbEntryView, TlbView};

use super::{Item, Shelf, ShelfRow};
use crate::scene::MarkKind;
use crate::words;

/// The shelves of the series.
pub(super) fn shelves(rmap: &RmapView) -> Vec<Shelf> {
    vec![tlbs(rmap), folios(rmap)]
}

fn tlbs(rmap: &RmapView) -> Shelf {
    let pending: u32 = rmap.mms.iter().map(|mm| mm.pending_flushes).sum();
    let about = match pending {
        0 => "translations that a CPU still has".to_string(),
        n => format!("{} put off", words::count(n, "flush", "flushes")),
    };
    Shelf { title: "TLBs".into(), about, lock: None, first: false, rows: rmap.tlbs.iter().map(tlb).collect() }
}

fn tlb(tlb: &TlbView) -> ShelfRow {
    let behind = if tlb.behind > 0 { format!(", {} behind", tlb.behind) } else { String::new() };
    ShelfRow::new(format!("CPU {}{behind}", tlb.cpu))
        .short(format!("CPU {}", tlb.cpu))
        .count(tlb.entries.len() as u32)
        .with(tlb.entries.iter().map(entry))
        .or_else("empty")
}

fn entry(entry: &TlbEntryView) -> Item {
    let (kind, state) = match (entry.dangling, entry.stale) {
        (true, _) => (MarkKind::Stale, "the page is free: whoever uses it reaches somebody else's memory"),
        (false, true) => (MarkKind::Entry, "the PTE says otherwise by now"),
        (false, false) => (MarkKind::Entry, "as the PTE says"),
    };
    let aria = format!("address {} leads to page {}, {state}", entry.address, entry.page);
    Item::Mark(kind, entry.page.to_string(), aria, false)
}

fn folios(rmap: &RmapView) -> Shelf {
    let stats = rmap.stats.iter().map(|stat| format!("{} {}", stat.name, stat.value)).collect::<Vec<_>>().join(", ");
    let row = |label: &str, wanted: &dyn Fn(&FolioView) -> bool| {
        let folios = rmap.folios.iter().filter(|folio| wanted(folio));
        let items: Vec<Item> = folios.filter_map(|folio| folio_item(folio, label)).collect();
        ShelfRow::new(label).count(items.len() as u32).with(items)
    };
    let rows = vec![
        row("mapped", &|folio| !folio.free && !is_unmapped(folio)),
        row("unmapped", &|folio| !folio.free && is_unmapped(folio)).short("unmap."),
        row("freed", &|folio| folio.free),
    ];
    Shelf { title: "Folios".into(), about: stats, lock: None, first: false, rows }
}

// Its first page stands for it, which is somewhere else: in the hands of reclaim, or free.
fn folio_item(folio: &FolioView, state: &str) -> Option<Item> {
    let head = *folio.pages.first()?;
    let pages = words::count(folio.pages.len() as u32, "page", "pages");
    Some(Item::Refers(head, format!("folio of {pages} from page {head} on, {state}, refcount {}", folio.refs)))
}

fn is_unmapped(folio: &FolioView) -> bool {
    folio.mapcounts.iter().all(|&count| count <= 0)
}
