//! What a machine has beside its pages. Each sort of memory has kernel code of its own, so a machine has one of them.

use crate::kernel::rmap_map::FolioKind;
use crate::machine::{PcpSpec, SwapTuning};

/// What the machine has beside its pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// Nothing.
    Plain,
    /// A kworker on each CPU.
    Kworkers,
    /// A page allocator with per-CPU lists.
    Pcp(PcpSpec),
    /// A swap device, and clocks.
    Swap(SwapTuning),
    /// Folios of any order that are mapped from the start, and TLBs.
    Folios,
}

/// A [`Memory`] without its sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// Nothing.
    Plain,
    /// Kworkers.
    Kworkers,
    /// A page allocator.
    Pcp,
    /// A swap device.
    Swap,
    /// Folios.
    Folios,
}

/// Folios that a VMA maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Folios {
    /// 0: as readahead makes them; else all of one order, and this is one more than the order.
    pub layout: u8,
    /// What they are.
    pub kind: FolioKind,
}

impl Memory {
    /// Which one it is.
    pub const fn kind(&self) -> MemoryKind {
        match self {
            Memory::Plain => MemoryKind::Plain,
            Memory::Kworkers => MemoryKind::Kworkers,
            Memory::Pcp(_) => MemoryKind::Pcp,
            Memory::Swap(_) => MemoryKind::Swap,
            Memory::Folios => MemoryKind::Folios,
        }
    }
}

impl MemoryKind {
    /// What a file says to have it.
    pub const fn words(self) -> &'static str {
        match self {
            MemoryKind::Plain => "none of `kworkers`, `pcp`, `swap` and `folios`",
            MemoryKind::Kworkers => "`kworkers`",
            MemoryKind::Pcp => "`pcp`",
            MemoryKind::Swap => "`swap`",
            MemoryKind::Folios => "`folios`",
        }
    }
}
