//! CPUs and pages.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::walk::Seen;
use super::work::Work;
use crate::machine::Pfn;
use crate::view::{Numbers, PageNo};

/// What one CPU did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuUse {
    /// CPU.
    pub cpu: u8,
    /// All of it.
    pub work: Work,
}

/// What was done to the words, links or slots of one page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageUse {
    /// Frame.
    pub page: Pfn,
    /// Its number on the tiles, where it has one.
    pub number: Option<PageNo>,
    /// All of it.
    pub work: Work,
    /// Step count after the first touch.
    pub first: u32,
    /// Step count after the last.
    pub last: u32,
}

/// Collects them.
#[derive(Default)]
pub(super) struct Places {
    cpus: BTreeMap<u8, Work>,
    pages: BTreeMap<Pfn, PageUse>,
}

impl Places {
    pub fn step(&mut self, seen: &Seen, work: Work) {
        *self.cpus.entry(seen.record.cpu).or_default() += work;
        let Some(page) = seen.record.op.page() else { return };
        let step = seen.at as u32 + 1;
        let new = PageUse { page, number: None, work: Work::default(), first: step, last: step };
        let page = self.pages.entry(page).or_insert(new);
        page.work += work;
        page.last = step;
    }

    pub fn finish(self, numbers: &Numbers) -> (Vec<CpuUse>, Vec<PageUse>) {
        let cpus = self.cpus.into_iter().map(|(cpu, work)| CpuUse { cpu, work }).collect();
        let pages = self.pages.into_values().map(|page| PageUse { number: numbers.of(page.page), ..page });
        (cpus, pages.collect())
    }
}
