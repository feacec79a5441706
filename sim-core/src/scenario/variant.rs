//! The kernels of a series.

use super::program::Program;
use crate::kernel::Config;

/// One kernel of a series.
#[derive(Debug)]
pub struct Variant {
    /// Name in links and on the command line.
    pub name: &'static str,
    /// Short label beside "old:" or "new:".
    pub label: &'static str,
    /// What it is.
    pub title: &'static str,
    /// The kernel.
    pub config: Config,
    /// What the CPUs run, where a scenario file says it.
    pub(crate) program: Option<&'static Program>,
}

impl Variant {
    /// A kernel: name, short label, what it is, patches.
    pub const fn new(name: &'static str, label: &'static str, title: &'static str, config: Config) -> Variant {
        Variant { name, label, title, config, program: None }
    }
}
