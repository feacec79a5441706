//! What a machine has no use for: patches that none of its code looks at, and clocks that it has not.

use alloc::format;
use alloc::string::String;

use super::check::{Checked, misfit};
use super::{Kernel, Memory, MemoryKind, Program};
use crate::kernel::Patch;

/// The machines on which the code runs that a patch changes; none where several kinds of machines share it.
fn machines(patch: Patch) -> Option<&'static [MemoryKind]> {
    use Patch as P;
    match patch {
        P::IsUnevictable | P::NoDrain | P::BatchIsolate | P::BatchMlockStat | P::BatchPutback | P::NoIsolatePin => {
            Some(LRU)
        }
        P::HoldPte | P::PagevecFill | P::RfcIsolate | P::RfcPgrescued | P::ThpMask | P::ThpSplit | P::CountMlock => {
            Some(LRU)
        }
        P::FoldedPmd | P::NoRecheck => Some(LRU),
        P::AsyncDrain | P::NoMlockDrain => Some(&[MemoryKind::Kworkers]),
        P::PageAllocator | P::CountInside | P::PickOutside | P::PrefetchAll | P::PrefetchBuddy | P::InactiveAnon => {
            Some(PCP)
        }
        P::ClampCount | P::SinglePass | P::PcpLock | P::PcpAutoTune | P::EncodedGather | P::FreshType => Some(PCP),
        P::ClaimSteal | P::StaleType => Some(PCP),
        P::SplitHugetlb | P::UnmapOnePage | P::SingleExits | P::RmapRange | P::RmapBatch | P::RfcPolarity => {
            Some(FOLIOS)
        }
        P::RfcLookahead | P::RfcMlockExit | P::FlushBeforeFree | P::LazyfreeBatch | P::FileBatch | P::ResetNr => {
            Some(FOLIOS)
        }
        P::WholeFolios | P::UnmapFirst | P::LateRules | P::StrictFree => Some(FOLIOS),
        P::ProgramDontneed | P::LazyInPlace | P::FreeSwapEntry | P::LazyClearDirty | P::LazyUnmap => Some(SWAP),
        P::CleanAddToSwap | P::LazyFileList | P::SwapinActivate | P::WritebackActivate | P::NewInactive => Some(SWAP),
        P::TwoTouch | P::SwapTable => Some(SWAP),
        _ => None,
    }
}

const LRU: &[MemoryKind] = &[MemoryKind::Plain, MemoryKind::Kworkers];
const PCP: &[MemoryKind] = &[MemoryKind::Pcp];
const FOLIOS: &[MemoryKind] = &[MemoryKind::Folios];
const SWAP: &[MemoryKind] = &[MemoryKind::Swap];

impl Program {
    /// Checks that the machine has code for every patch that is added or taken away by name, and clocks where some start.
    ///
    /// # Errors
    ///
    /// Names the patch or the clock, and the machines that would have a use for it.
    pub fn ignores_nothing(&self, kernel: &Kernel) -> Checked {
        let has_clocks = self.memory.kind() == MemoryKind::Swap;
        let late = self.starts.iter().enumerate().find(|&(_, &ticks)| ticks > 0 && !has_clocks);
        if let Some((cpu, ticks)) = late {
            let text =
                format!("a CPU has a clock on a machine with `swap` only; expected 0 or no `starts`, found {ticks}");
            return misfit(format!("cpus[{cpu}].starts"), text);
        }
        for (field, patches) in [("on", &kernel.on), ("off", &kernel.off)] {
            for (at, &patch) in patches.iter().enumerate() {
                if let Some(text) = self.memory.ignores(patch) {
                    return misfit(format!("config.{field}[{at}]"), text);
                }
            }
        }
        Ok(())
    }
}

impl Memory {
    fn ignores(&self, patch: Patch) -> Option<String> {
        let (kind, machines) = (self.kind(), machines(patch)?);
        if machines.contains(&kind) {
            return None;
        }
        let words: alloc::vec::Vec<&str> = machines.iter().map(|kind| kind.words()).collect();
        let (has, expected) = (kind.words(), words.join(", or with "));
        Some(format!("`{patch:?}` changes nothing on a machine with {has}; expected it on one with {expected}"))
    }
}
