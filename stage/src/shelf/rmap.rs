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
    Shelf { title: "TLBs".into(), about, lock: None, below: false, rows: rmap.tlbs.iter().map(tlb).collect() }
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
    let rows = [("mapped", false), ("unmapped", true)].map(|(label, gone)| {
        let wanted = rmap.folios.iter().filter(|folio| !folio.free && is_unmapped(folio) == gone);
        let pages: Vec<Item> = wanted.filter_map(|folio| folio.pages.first().map(|&page| Item::Page(page))).collect();
        ShelfRow::new(label).count(pages.len() as u32).with(pages)
    });
    let free = rmap.folios.iter().filter(|folio| folio.free);
    let freed: Vec<Item> = free.filter_map(|folio| folio.pages.first().map(|&page| Item::Page(page))).collect();
    let [mapped, unmapped] = rows;
    let freed = ShelfRow::new("freed").count(freed.len() as u32).with(freed);
    Shelf { title: "Folios".into(), about: stats, lock: None, below: true, rows: vec![mapped, unmapped, freed] }
}

fn is_unmapped(folio: &FolioView) -> bool {
    folio.mapcounts.iter().all(|&count| count <= 0)
}
