//! The calls that a CPU can make.

/// Pages of a VMA; without a number of pages, to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Process.
    pub process: u8,
    /// VMA.
    pub vma: u8,
    /// Index of the first page in the VMA.
    pub first: u32,
    /// Number of pages.
    pub pages: Option<u32>,
}

/// Advice of madvise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// MADV_FREE
    Free,
    /// MADV_DONTNEED
    Dontneed,
    /// MADV_PAGEOUT
    Pageout,
}

/// One call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// mmap of a VMA, with MAP_LOCKED or MAP_POPULATE.
    Mmap {
        /// VMA.
        at: Span,
        /// MAP_LOCKED
        locked: bool,
        /// MAP_POPULATE
        populate: bool,
    },
    /// A store to each page.
    Touch(Span),
    /// A load from each page.
    Read(Span),
    /// mlock of a VMA.
    Mlock(Span),
    /// munlock of a VMA.
    Munlock(Span),
    /// mlockall of a process.
    Mlockall(u8),
    /// munmap of a VMA.
    Munmap(Span),
    /// madvise.
    Madvise(Span, Advice),
    /// fork.
    Fork {
        /// Who forks.
        process: u8,
        /// The child.
        child: u8,
    },
    /// lru_add_drain, or lru_add_drain_all.
    Drain {
        /// Of all CPUs.
        all: bool,
    },
    /// Reclaim of a number of pages.
    Reclaim {
        /// Zone.
        zone: u8,
        /// Pages.
        pages: u32,
    },
    /// Allocates a block.
    Alloc {
        /// Zone.
        zone: u8,
        /// Order: 2^order pages.
        order: u8,
        /// Number that `free` names it by.
        block: u8,
    },
    /// Frees a block.
    Free {
        /// Its number.
        block: u8,
    },
    /// Isolates pages from their LRU lists and puts them back.
    Isolate(Span),
    /// Reclaim of the folios of a VMA.
    Unmap(Span),
    /// exit_mmap of a process.
    Exit(u8),
    /// Empties this CPU's lists of the page allocator.
    DrainPcp {
        /// Zone.
        zone: u8,
    },
    /// Isolates the pageblocks of a range of order 10 from the page allocator, or gives them back.
    IsolateBlock {
        /// Zone.
        zone: u8,
        /// Number of the range.
        range: u32,
        /// Gives them back.
        undo: bool,
    },
}

impl Call {
    /// Its name; a call that has several ways names its way too.
    pub const fn name(&self) -> &'static str {
        match self {
            Call::Mmap { .. } => "mmap",
            Call::Touch(_) => "touch",
            Call::Read(_) => "read",
            Call::Mlock(_) => "mlock",
            Call::Munlock(_) => "munlock",
            Call::Mlockall(_) => "mlockall",
            Call::Munmap(_) => "munmap",
            Call::Madvise(_, Advice::Free) => "madvise free",
            Call::Madvise(_, Advice::Dontneed) => "madvise dontneed",
            Call::Madvise(_, Advice::Pageout) => "madvise pageout",
            Call::Fork { .. } => "fork",
            Call::Drain { all: false } => "drain",
            Call::Drain { all: true } => "drain all",
            Call::Reclaim { .. } => "reclaim",
            Call::Alloc { .. } => "alloc",
            Call::Free { .. } => "free",
            Call::Isolate(_) => "isolate",
            Call::Unmap(_) => "unmap",
            Call::Exit(_) => "exit",
            Call::DrainPcp { .. } => "drain-pcp",
            Call::IsolateBlock { .. } => "isolate-block",
        }
    }

    /// The pages that it names, if it names any.
    pub(crate) const fn span(&self) -> Option<Span> {
        match *self {
            Call::Mmap { at, .. } => Some(at),
            Call::Touch(at) | Call::Read(at) | Call::Mlock(at) | Call::Munlock(at) => Some(at),
            Call::Munmap(at) | Call::Madvise(at, _) | Call::Isolate(at) | Call::Unmap(at) => Some(at),
            _ => None,
        }
    }
}
