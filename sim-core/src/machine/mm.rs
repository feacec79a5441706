//! Address spaces: VMAs and page tables; mappings: anon_vma and files.

use alloc::vec::Vec;

use super::page::Pfn;

/// PTEs in one page-table page.
pub const PTRS_PER_PTE: u32 = 512;
/// Order and size of a transparent huge page.
pub const HPAGE_PMD_ORDER: u8 = 9;
/// Small pages in a huge page.
pub const HPAGE_PMD_NR: u32 = 1 << HPAGE_PMD_ORDER;

/// One entry of the middle level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pmd {
    /// pmd_none
    None,
    /// Points to a page-table page (index into [`super::Machine::tables`]).
    Table(u32),
    /// Maps a transparent huge page.
    Huge(Pfn),
    /// Maps the huge zero page.
    HugeZero,
}

// A PTE is 32 bits: frame or swap offset in the low 24, flags above. With the top bit set it is one of the values below.

/// Low bits of a PTE: the page frame, or the offset in the swap device.
pub const PTE_PFN: u32 = 0x00ff_ffff;
/// pte_young
pub const PTE_YOUNG: u32 = 1 << 24;
/// pte_dirty
pub const PTE_DIRTY: u32 = 1 << 25;
/// pte_write
pub const PTE_WRITE: u32 = 1 << 26;
/// pte_soft_dirty, of a swap entry too.
pub const PTE_SOFT_DIRTY: u32 = 1 << 27;
/// pte_uffd_wp, of a swap entry too.
pub const PTE_UFFD_WP: u32 = 1 << 28;
/// PageAnonExclusive of the page, which moves into the swap entry.
pub const PTE_EXCLUSIVE: u32 = 1 << 29;
/// A swap entry.
pub const PTE_SWAP: u32 = 1 << 30;

/// A PTE that maps nothing.
pub const PTE_NONE: u32 = u32::MAX;
/// A PTE that maps the zero page, which has no struct page for vm_normal_page.
pub const PTE_ZERO: u32 = u32::MAX - 1;
/// What lies behind a page table: reading it is a bug of the reader.
pub const PTE_GARBAGE: u32 = u32::MAX - 2;

/// A migration entry, which is not present and names no swap slot.
pub const PTE_MIGRATION: u32 = u32::MAX - 3;
/// A hwpoison entry.
pub const PTE_HWPOISON: u32 = u32::MAX - 4;

/// The page that a PTE maps, if it maps one that has a struct page.
#[inline(always)]
pub const fn pte_page(pte: u32) -> Option<Pfn> {
    if pte < PTE_SWAP { Some(pte & PTE_PFN) } else { None }
}

/// The offset in the swap device that a PTE names, if it is a swap entry.
pub const fn pte_swap(pte: u32) -> Option<u32> {
    if pte >> 30 == 1 { Some(pte & PTE_PFN) } else { None }
}

/// One mapped range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vma {
    /// First page number of the range.
    pub start: u32,
    /// One past the last.
    pub end: u32,
    /// VM_LOCKED
    pub locked: bool,
    /// Anonymous memory or file.
    pub mapping: u16,
    /// Offset in the mapping of `start`.
    pub pgoff: u32,
}

/// One address space. Addresses are page numbers from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mm {
    /// Its VMAs, in address order.
    pub vmas: Vec<Vma>,
    /// Its middle level, one entry for 512 pages.
    pub pmds: Vec<Pmd>,
}

/// A VMA of some address space: its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VmaId {
    /// Address space.
    pub mm: u8,
    /// Index in [`Mm::vmas`].
    pub vma: u8,
}

/// What pages belong to: an anon_vma, or a file with its page cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// A file, not an anon_vma.
    pub file: bool,
    /// AS_UNEVICTABLE
    pub unevictable: bool,
    /// VMAs that map it, in the order of the interval tree.
    pub vmas: Vec<VmaId>,
    /// Page cache (files): page at each offset, [`super::NIL`] where there is none.
    pub cache: Vec<Pfn>,
}
