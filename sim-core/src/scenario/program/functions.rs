//! Which kernel function each call needs, and which kernels have it: the one place to extend.

use super::{Call, Misfit, Program};
use crate::kernel::Config;

/// A call with the kernel function that it needs.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Call, as [`Call::name`] says it.
    pub call: &'static str,
    /// Kernel function.
    pub function: &'static str,
    /// A kernel has it.
    pub available: fn(Config) -> bool,
}

const fn always(_: Config) -> bool {
    true
}

const fn never(_: Config) -> bool {
    false
}

const fn needs(call: &'static str, function: &'static str, available: fn(Config) -> bool) -> Function {
    Function { call, function, available }
}

/// Every call. One that is available has its arm in the interpreter.
pub const FUNCTIONS: &[Function] = &[
    needs("mmap", "sys_mmap", always),
    needs("touch", "do_page_fault", always),
    needs("read", "do_page_fault", always),
    needs("mlock", "sys_mlock", always),
    needs("munlock", "sys_munlock", always),
    needs("mlockall", "sys_mlockall", always),
    needs("munmap", "do_munmap", always),
    needs("madvise free", "madvise_free_single_vma", never),
    needs("madvise dontneed", "madvise_dontneed", always),
    needs("madvise pageout", "madvise_pageout", never),
    needs("fork", "dup_mmap", always),
    needs("drain", "lru_add_drain", always),
    needs("drain all", "lru_add_drain_all", never),
    needs("reclaim", "try_to_free_pages", never),
    needs("alloc", "get_page_from_freelist", never),
    needs("free", "free_unref_page", never),
    needs("isolate", "isolate_lru_page", always),
];

impl Call {
    /// The function that a kernel would need for it and has not.
    pub fn missing(&self, config: Config) -> Option<&'static str> {
        let row = FUNCTIONS.iter().find(|row| row.call == self.name());
        row.map_or(Some(self.name()), |row| (!(row.available)(config)).then_some(row.function))
    }
}

impl Program {
    /// Checks that a kernel has every function that the calls need.
    ///
    /// # Errors
    ///
    /// Names the call and the function that is missing.
    pub fn runs_on(&self, config: Config) -> Result<(), Misfit> {
        for (path, call) in self.calls() {
            if let Some(function) = call.missing(config) {
                let text = alloc::format!("`{}`: this configuration has no {function}", call.name());
                return Err(Misfit { path, text });
            }
        }
        Ok(())
    }
}
