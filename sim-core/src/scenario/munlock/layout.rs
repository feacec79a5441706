//! What each address of the range holds.

use alloc::format;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use super::setup;
use crate::engine::Engine;
use crate::kernel::Config;
use crate::machine::HPAGE_PMD_NR;
use crate::scenario::params::Params;
use crate::scenario::spec::SpecError;

/// What is at one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    /// An mlocked page on the unevictable list.
    Mlocked,
    /// A page without PG_mlocked: its lock was held when mlock came by.
    NotMlocked,
    /// An mlocked page that waits in the lru_add pagevec of CPU 1.
    InRemotePagevec,
    /// An mlocked page that a second process maps, which has not locked it.
    Shared,
    /// An mlocked page that a second process maps and has locked.
    SharedLocked,
    /// No page.
    Hole,
    /// The zero page; with huge pages, the huge zero page.
    Zero,
}

/// The range: its addresses and how its memory is backed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// What each address holds; with huge pages, each huge page.
    pub kinds: Vec<PageKind>,
    /// Transparent huge pages.
    pub thp: bool,
    /// Zones.
    pub zones: u8,
    /// Neighbours come from different zones.
    pub interleave: bool,
    /// Index of the first page in its page table.
    pub pmd_start: u32,
    /// The range maps a file.
    pub file: bool,
    /// AS_UNEVICTABLE: what the range maps is kept in memory whether it is mlocked or not.
    pub unevictable: bool,
    /// CPUs of the machine.
    pub cpus: u8,
    /// stat_threshold: 125 is a zone of 64 GiB on a machine of 32 CPUs or more.
    pub threshold: i8,
}

impl Layout {
    /// So many mlocked pages in one zone.
    pub fn plain(pages: u32) -> Layout {
        Layout {
            kinds: vec![PageKind::Mlocked; pages as usize],
            thp: false,
            zones: 1,
            interleave: false,
            pmd_start: 0,
            file: false,
            unevictable: false,
            cpus: 1,
            threshold: crate::machine::stat_threshold(32, 64 << 18),
        }
    }

    /// The layout that the parameters of `munlock` ask for. Special pages are spread evenly over the range.
    ///
    /// # Errors
    ///
    /// Parameters that do not fit together.
    pub(crate) fn from_params(params: &Params) -> Result<Layout, SpecError> {
        let pages = params.get("pages");
        let thp = params.is("thp");
        let units = if thp { pages / HPAGE_PMD_NR } else { pages };
        let mut layout = Layout::plain(units);
        layout.thp = thp;
        layout.zones = params.get("zones") as u8;
        layout.interleave = params.is("interleave");
        layout.pmd_start = params.get("pmd_start");
        layout.check(pages)?;
        let special = [
            ("not_mlocked", PageKind::NotMlocked),
            ("in_remote_pagevec", PageKind::InRemotePagevec),
            ("shared", PageKind::Shared),
            ("shared_locked", PageKind::SharedLocked),
            ("holes", PageKind::Hole),
        ];
        let asked: u64 = special.iter().map(|&(name, _)| u64::from(params.get(name))).sum();
        if asked > u64::from(units) {
            let names = special.map(|(name, _)| name).join(" + ");
            return Err(SpecError::Together(format!(
                "{names} is {asked}; expected {units} at most, one for each page"
            )));
        }
        let only_small = [("shared", 2), ("shared_locked", 3), ("in_remote_pagevec", 1)];
        if thp && only_small.iter().any(|&(name, _)| params.get(name) > 0) {
            let text = "with thp, shared, shared_locked and in_remote_pagevec are not modelled; expected 0";
            return Err(SpecError::Together(text.to_string()));
        }
        layout.spread(&special.map(|(name, kind)| (params.get(name), kind)));
        layout.cpus = if params.get("in_remote_pagevec") > 0 { 2 } else { 1 };
        Ok(layout)
    }

    fn check(&self, pages: u32) -> Result<(), SpecError> {
        if self.interleave && self.zones < 2 {
            return Err(SpecError::Together("interleave is true and zones is 1; expected zones=2".to_string()));
        }
        if self.thp && !pages.is_multiple_of(HPAGE_PMD_NR) {
            let text = format!("thp is true and pages is {pages}; expected a multiple of {HPAGE_PMD_NR}");
            return Err(SpecError::Together(text));
        }
        if self.thp && self.pmd_start != 0 {
            return Err(SpecError::Together("thp is true; expected pmd_start=0".to_string()));
        }
        Ok(())
    }

    // Gives the kinds their places: the j-th of s special pages stands at (2j + 1) / 2s of the range, kinds in turn.
    fn spread(&mut self, special: &[(u32, PageKind)]) {
        let total: u64 = special.iter().map(|&(n, _)| u64::from(n)).sum();
        let mut left: Vec<(u32, PageKind)> = special.iter().copied().filter(|&(n, _)| n > 0).collect();
        let len = self.kinds.len() as u64;
        let mut turn = 0;
        for j in 0..total {
            let at = ((2 * j + 1) * len / (2 * total)) as usize;
            turn %= left.len();
            self.kinds[at] = left[turn].1;
            left[turn].0 -= 1;
            if left[turn].0 == 0 {
                left.remove(turn);
            } else {
                turn += 1;
            }
        }
    }

    /// The range as a kernel has populated and mlocked it, in the VMA 0 of address space 0, for runs that no parameters
    /// express. Begin the engine, start the tasks, run it.
    pub fn set_up(&self, config: Config) -> Engine {
        setup::memory(config, self)
    }

    /// Small pages of the range.
    pub fn pages(&self) -> u32 {
        self.kinds.len() as u32 * self.unit()
    }

    /// Small pages of one entry of [`Layout::kinds`].
    pub fn unit(&self) -> u32 {
        if self.thp { HPAGE_PMD_NR } else { 1 }
    }

    /// Zone of the page with an index: neighbours alternate, or the range is cut in halves.
    pub fn zone_of(&self, index: u32) -> u8 {
        let zones = u32::from(self.zones);
        let zone = if self.interleave { index % zones } else { index * zones / self.kinds.len().max(1) as u32 };
        zone as u8
    }

    /// Somebody else maps pages of the range.
    pub fn has(&self, kind: PageKind) -> bool {
        self.kinds.contains(&kind)
    }
}
