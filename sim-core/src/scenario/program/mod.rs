//! Programs: scenarios as plain data. What memory is like, what is mapped, and which calls each CPU makes.

mod build;
mod check;
mod functions;
mod leak;

pub use check::Misfit;
pub use functions::{FUNCTIONS, Function};
pub use leak::{Heading, Kernel};

pub(crate) use build::build;

use alloc::string::String;
use alloc::vec::Vec;

use crate::kernel::Config;
use crate::kernel::fault::Mempolicy;

/// Most CPUs.
pub const MAX_CPUS: u32 = 64;
/// Most zones.
pub const MAX_ZONES: u32 = crate::kernel::fault::POLICY_ZONES as u32;
/// Most pages of a zone, of a VMA and of a file: 1 GiB.
pub const MAX_PAGES: u32 = 1 << 18;
/// Highest page number that a VMA may start at.
pub const MAX_START: u32 = 1 << 20;
/// Most processes, and most VMAs of one.
pub const MAX_PROCESSES: u32 = 16;
/// Most files.
pub const MAX_FILES: u32 = 16;
/// Most calls of a CPU, and of the set-up.
pub const MAX_CALLS: u32 = 64;
/// Most pages that all calls together may name.
pub const MAX_WORK: u64 = 1 << 22;

/// A scenario as data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// CPUs.
    pub cpus: u8,
    /// Pages of each zone.
    pub zones: Vec<u32>,
    /// stat_threshold of every zone.
    pub threshold: i8,
    /// Processes.
    pub processes: Vec<Process>,
    /// Calls that come before the run, one after the other: CPU and call.
    pub setup: Vec<(u8, Call)>,
    /// Calls of each CPU; a CPU without calls has nothing to do.
    pub run: Vec<Vec<Call>>,
    /// What the ledger counts.
    pub measure: Measure,
    /// Schedule, as `--schedule` takes it.
    pub schedule: String,
}

/// A process: VMAs of its own, or those of the process that forks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// The process that forks it, if one does.
    pub child_of: Option<u8>,
    /// Its VMAs, in address order; none for a child.
    pub vmas: Vec<Area>,
}

/// A VMA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// First page number.
    pub start: u32,
    /// Pages.
    pub pages: u32,
    /// The file that it maps and the offset there in pages; anonymous memory where there is none.
    pub file: Option<(u8, u32)>,
    /// Where its pages come from.
    pub policy: Mempolicy,
}

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
}

/// What the ledger counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Every operation of the run.
    Everything,
    /// Calls of the function that munlocks a range.
    MunlockRange,
}

impl Measure {
    /// The function whose calls are counted in a kernel; none counts everything.
    pub(crate) fn function(self, config: Config) -> Option<&'static str> {
        match self {
            Measure::Everything => None,
            Measure::MunlockRange => Some(super::munlock::measured(config)),
        }
    }
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
        }
    }

    /// The pages that it names, if it names any.
    pub(crate) const fn span(&self) -> Option<Span> {
        match *self {
            Call::Mmap { at, .. } => Some(at),
            Call::Touch(at) | Call::Read(at) | Call::Mlock(at) | Call::Munlock(at) => Some(at),
            Call::Munmap(at) | Call::Madvise(at, _) | Call::Isolate(at) => Some(at),
            _ => None,
        }
    }
}

impl Program {
    /// VMAs of a process; a child has those of its parent.
    pub(crate) fn vmas(&self, process: u8) -> &[Area] {
        let Some(found) = self.processes.get(process as usize) else { return &[] };
        match found.child_of {
            Some(parent) => self.processes.get(parent as usize).map_or(&[], |parent| &parent.vmas),
            None => &found.vmas,
        }
    }

    /// Every call with its place.
    pub(crate) fn calls(&self) -> impl Iterator<Item = (String, &Call)> + '_ {
        let setup = self.setup.iter().enumerate().map(|(at, (_, call))| (alloc::format!("setup[{at}]"), call));
        let run = self.run.iter().enumerate().flat_map(|(cpu, calls)| {
            calls.iter().enumerate().map(move |(at, call)| (alloc::format!("cpus[{cpu}].run[{at}]"), call))
        });
        setup.chain(run)
    }
}
