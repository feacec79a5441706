//! Programs: scenarios as plain data. What memory is like, what is mapped, and which calls each CPU makes.

mod build;
mod call;
mod check;
mod check_memory;
mod check_order;
mod functions;
mod leak;
mod make;
mod memory;
mod patches;
mod spaces;

pub use call::{Advice, Call, Span};
pub use check::Misfit;
pub use functions::{FUNCTIONS, Function};
pub use leak::{Heading, Kernel};
pub use memory::{Folios, Memory, MemoryKind};

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
/// Most pages of a VMA with folios.
pub const MAX_FOLIO_PAGES: u32 = 1 << 16;
/// Most processes that map folios.
pub const MAX_FOLIO_PROCESSES: u32 = 8;
/// Most pages of one refill or drain of per-CPU lists.
pub const MAX_BATCH: u32 = 1024;
/// Most pages on a CPU's lists.
pub const MAX_HIGH: u32 = 1 << 16;
/// Most slots of a swap device.
pub const MAX_SLOTS: u32 = (1 << 24) - 2;
/// Most pages that reclaim takes at a time.
pub const MAX_SLICE: u32 = 1024;
/// Latest tick at which the clock of a CPU starts.
pub const MAX_TICKS: u32 = 1 << 24;

/// A scenario as data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// CPUs.
    pub cpus: u8,
    /// Pages of each zone.
    pub zones: Vec<u32>,
    /// stat_threshold of every zone.
    pub threshold: i8,
    /// What the machine has beside its pages.
    pub memory: Memory,
    /// Processes.
    pub processes: Vec<Process>,
    /// Calls that come before the run, one after the other: CPU and call.
    pub setup: Vec<(u8, Call)>,
    /// Calls of each CPU; a CPU without calls has nothing to do.
    pub run: Vec<Vec<Call>>,
    /// Tick at which the clock of each CPU starts, with swap; 0 for a CPU that is not listed.
    pub starts: Vec<u32>,
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
    /// It was split from the VMA before it: they share an anon_vma.
    pub split: bool,
    /// Folios that it maps from the start.
    pub folios: Option<Folios>,
}

/// What the ledger counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Every operation of the run.
    Everything,
    /// Calls of the function that munlocks a range.
    MunlockRange,
    /// Calls of try_to_unmap.
    TryToUnmap,
}

impl Measure {
    /// The function whose calls are counted in a kernel; none counts everything.
    pub(crate) fn function(self, config: Config) -> Option<&'static str> {
        match self {
            Measure::Everything => None,
            Measure::MunlockRange => Some(super::munlock::measured(config)),
            Measure::TryToUnmap => Some("try_to_unmap"),
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
