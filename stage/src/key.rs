//! Names of the things in a scene that stay the same from step to step.

use core::fmt;

use sim_core::view::{PageNo, PagevecKind};

/// Names one shape of a scene. Two scenes of one run use the same key for the same thing, so a renderer that keys its
/// elements by it moves an element instead of making a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// A page: its tile, or the ring round it.
    Page(PageNo),
    /// Slot of a pagevec: CPU, which pagevec, slot.
    Slot(u8, PagevecKind, u8),
    /// Cell for isolated pages: CPU, cell.
    Hand(u8, u16),
    /// Cell after the head of a list: zone, list.
    Head(u8, u8),
    /// A PTE: address space, index.
    Pte(u8, u32),
    /// Fence of an address space.
    Space(u8),
    /// Fence of a CPU.
    Cpu(u8),
    /// Fence of a zone.
    Zone(u8),
    /// Fence of a shelf.
    Shelf(u8),
    /// Cell of a shelf: shelf, row, cell.
    Cell(u8, u16, u16),
    /// A piece of text: what it belongs to (a small number that each region chooses), owner, line.
    Text(u8, u8, u16),
    /// The dashed arrow to the next place.
    Next,
    /// A list drawn as a map: zone, list.
    Map(u8, u8),
}

impl fmt::Display for Key {
    /// Short text without spaces, fit for an element's `data-key`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Key::Page(no) => write!(f, "page-{no}"),
            Key::Slot(cpu, kind, slot) => write!(f, "slot-{cpu}-{}-{slot}", kind as u8),
            Key::Hand(cpu, cell) => write!(f, "hand-{cpu}-{cell}"),
            Key::Head(zone, list) => write!(f, "head-{zone}-{list}"),
            Key::Pte(space, index) => write!(f, "pte-{space}-{index}"),
            Key::Space(space) => write!(f, "space-{space}"),
            Key::Cpu(cpu) => write!(f, "cpu-{cpu}"),
            Key::Zone(zone) => write!(f, "zone-{zone}"),
            Key::Shelf(shelf) => write!(f, "shelf-{shelf}"),
            Key::Cell(shelf, row, cell) => write!(f, "cell-{shelf}-{row}-{cell}"),
            Key::Text(what, owner, line) => write!(f, "text-{what}-{owner}-{line}"),
            Key::Next => f.write_str("next"),
            Key::Map(zone, list) => write!(f, "map-{zone}-{list}"),
        }
    }
}
