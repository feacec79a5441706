//! Which kernel function each call needs on which machine, and which kernels have it: the one place to extend.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Call, Memory, MemoryKind, Misfit, Program};
use crate::kernel::{Config, Patch};

/// A call with the kernel function that it needs.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Call, as [`Call::name`] says it.
    pub call: &'static str,
    /// Kernel function.
    pub function: &'static str,
    /// Machines that it runs on.
    pub machines: &'static [MemoryKind],
    /// A kernel has it.
    pub available: fn(Config) -> bool,
}

const PLAIN: &[MemoryKind] = &[MemoryKind::Plain];
const LRU: &[MemoryKind] = &[MemoryKind::Plain, MemoryKind::Kworkers];
const KWORKERS: &[MemoryKind] = &[MemoryKind::Kworkers];
const PCP: &[MemoryKind] = &[MemoryKind::Pcp];
const SWAP: &[MemoryKind] = &[MemoryKind::Swap];
const FOLIOS: &[MemoryKind] = &[MemoryKind::Folios];
const DRAINED: &[MemoryKind] = &[MemoryKind::Plain, MemoryKind::Kworkers, MemoryKind::Pcp, MemoryKind::Folios];

const fn always(_: Config) -> bool {
    true
}

const fn has_pcp(config: Config) -> bool {
    config.has(Patch::PageAllocator)
}

// The kernels of MADV_FREE, which have the code for swap.
const fn has_swap(config: Config) -> bool {
    (config.has(Patch::LazyInPlace) || config.has(Patch::FreeSwapEntry)) && !has_pcp(config)
}

// Up to 3.11 every CPU gets a work item; of the later kernels, those that say how they choose.
const fn has_drain_all(config: Config) -> bool {
    let chooses = config.has(Patch::SelectiveDrain) || config.has(Patch::DrainGeneration);
    let later = config.has(Patch::ClampWalk) || config.has(Patch::DeferPut) || config.has(Patch::MlockBatch);
    (chooses || !later) && !has_swap(config) && !has_pcp(config)
}

const fn has_folios(config: Config) -> bool {
    config.has(Patch::MlockBatch) && config.has(Patch::NodeLru) && !has_swap(config) && !has_pcp(config)
}

type Available = fn(Config) -> bool;

const fn needs(
    call: &'static str,
    function: &'static str,
    machines: &'static [MemoryKind],
    available: Available,
) -> Function {
    Function { call, function, machines, available }
}

/// Every call, with a row for each sort of machine that has a function of its own for it. One that is available has its
/// arm in the interpreter.
pub const FUNCTIONS: &[Function] = &[
    needs("mmap", "sys_mmap", LRU, always),
    needs("touch", "do_page_fault", LRU, always),
    needs("touch", "do_anonymous_page", PCP, has_pcp),
    needs("touch", "do_swap_page", SWAP, has_swap),
    needs("read", "do_page_fault", LRU, always),
    needs("read", "do_swap_page", SWAP, has_swap),
    needs("mlock", "sys_mlock", PLAIN, always),
    needs("mlock", "lru_add_drain_all", KWORKERS, has_drain_all),
    needs("munlock", "sys_munlock", LRU, always),
    needs("mlockall", "sys_mlockall", LRU, always),
    needs("munmap", "do_munmap", LRU, always),
    needs("munmap", "tlb_flush_mmu", PCP, has_pcp),
    needs("munmap", "zap_page_range", SWAP, has_swap),
    needs("madvise free", "madvise_free_single_vma", SWAP, has_swap),
    needs("madvise dontneed", "madvise_dontneed", LRU, always),
    needs("madvise dontneed", "zap_page_range", SWAP, has_swap),
    needs("madvise pageout", "madvise_pageout", FOLIOS, has_folios),
    needs("fork", "dup_mmap", LRU, always),
    needs("drain", "lru_add_drain", DRAINED, always),
    needs("drain all", "lru_add_drain_all", KWORKERS, has_drain_all),
    needs("reclaim", "__zone_reclaim", SWAP, has_swap),
    needs("alloc", "get_page_from_freelist", PCP, has_pcp),
    needs("free", "free_unref_page", PCP, has_pcp),
    needs("isolate", "isolate_lru_page", LRU, always),
    needs("unmap", "try_to_unmap", FOLIOS, has_folios),
    needs("exit", "exit_mmap", SWAP, has_swap),
    needs("drain-pcp", "drain_local_pages", PCP, has_pcp),
    needs("isolate-block", "set_migratetype_isolate", PCP, has_pcp),
];

impl Call {
    /// The function that a kernel would need for it and has not on any machine.
    pub fn missing(&self, config: Config) -> Option<&'static str> {
        let mut rows = FUNCTIONS.iter().filter(|row| row.call == self.name());
        let first = rows.clone().next().map_or(self.name(), |row| row.function);
        (!rows.any(|row| (row.available)(config))).then_some(first)
    }

    // What speaks against it on a machine that the kernel fits.
    fn misfit(&self, config: Config, kind: MemoryKind) -> Option<String> {
        let rows = || FUNCTIONS.iter().filter(|row| row.call == self.name() && (row.available)(config));
        if rows().any(|row| row.machines.contains(&kind)) {
            return None;
        }
        let words: Vec<&str> = rows().flat_map(|row| row.machines).map(|kind| kind.words()).collect();
        let expected = words.join(", or with ");
        Some(format!(
            "`{}` is not modelled on a machine with {}; expected one with {expected}",
            self.name(),
            kind.words()
        ))
    }
}

impl Program {
    /// Checks that a kernel has every function that the machine and the calls need.
    ///
    /// # Errors
    ///
    /// Names the machine's part or the call, and the function that is missing.
    pub fn runs_on(&self, config: Config) -> Result<(), Misfit> {
        for (path, call) in self.calls() {
            if let Some(function) = call.missing(config) {
                let text = format!("`{}`: this configuration has no {function}", call.name());
                return Err(Misfit { path, text });
            }
        }
        if let Some(path) = self.shares_works(config) {
            let text = "`drain all` and mlock share work items in this model of the patch; expected one of the two";
            return Err(Misfit { path, text: text.into() });
        }
        if let Some((path, text)) = self.machine_fits(config) {
            return Err(Misfit { path: path.into(), text });
        }
        for (path, call) in self.calls() {
            if let Some(text) = call.misfit(config, self.memory.kind()) {
                return Err(Misfit { path, text });
            }
        }
        Ok(())
    }

    // The patch leaves the work items of mlock under way; those of lru_add_drain_all, which the kernel allocates, are the
    // same ones here.
    fn shares_works(&self, config: Config) -> Option<String> {
        let mlocks = self.calls().any(|(_, call)| matches!(call, Call::Mlock(_)));
        let mut all = self.calls().filter(|(_, call)| matches!(call, Call::Drain { all: true }));
        if config.has(Patch::AsyncDrain) && mlocks { all.next().map(|(path, _)| path) } else { None }
    }

    // A kernel runs on the machines that it has code for.
    fn machine_fits(&self, config: Config) -> Option<(&'static str, String)> {
        let has_not = |function| format!("this configuration has no {function}");
        match self.memory {
            Memory::Pcp(spec) if has_pcp(config) => {
                let same = config.has(Patch::SinglePass) && spec.high == spec.batch;
                let text = "this kernel drains all but a batch; expected a number above `batch`";
                return same.then(|| ("machine.pcp.high", text.into()));
            }
            Memory::Pcp(_) => return Some(("machine.pcp", has_not("get_page_from_freelist"))),
            _ if has_pcp(config) => {
                let text = "is missing; this configuration has a page allocator: expected the sizes of its lists";
                return Some(("machine.pcp", text.into()));
            }
            Memory::Swap(_) => return (!has_swap(config)).then(|| ("machine.swap", has_not("add_to_swap"))),
            Memory::Kworkers if !has_drain_all(config) => {
                return Some(("machine.kworkers", has_not("lru_add_drain_all")));
            }
            Memory::Folios if !has_folios(config) => {
                return Some(("processes[0].vmas[0].folios", has_not("try_to_unmap")));
            }
            _ => {}
        }
        (config.pagevec == 0).then(|| {
            let text = "is missing; the pagevecs of this configuration have no slots: expected a number from 1 to 31, or `swap` in \
                        `machine`";
            ("config.pagevec", text.into())
        })
    }
}
