//! How many rows each region needs, so that two sides can be laid out with equal heights.

use sim_core::view::View;

use crate::geom::Metrics;
use crate::layout::{Density, Options, plan};
use crate::tape::LISTS;

/// Rows that each region of a drawing needs.
///
/// The page asks for the regions of both sides, takes the [`max`](Regions::max) and lays both out with it. To keep the
/// outer height the same over a whole run it may also take the maximum over the run and pass it to
/// [`within`](Regions::within).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Regions {
    /// Rows of PTE marks of each address space.
    pub spaces: Vec<u16>,
    /// Each CPU.
    pub cpus: Vec<CpuRows>,
    /// Each zone.
    pub zones: Vec<ZoneRows>,
    /// Lines of each row of each shelf.
    pub shelves: Vec<Vec<u16>>,
}

/// Rows that a CPU's fence holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuRows {
    /// Rows of isolated pages; 0 where they are not shown.
    pub isolated: u16,
    /// Rows of each pagevec.
    pub pagevecs: Vec<u16>,
}

impl CpuRows {
    /// All rows.
    pub fn total(&self) -> u16 {
        self.isolated + self.pagevecs.iter().sum::<u16>()
    }
}

/// Rows that a zone's fence holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ZoneRows {
    /// Rows of each list in kernel order, then of pages on no list yet, then of free pages; 0 where a list is not
    /// shown.
    pub lists: [u16; LISTS],
    /// Rows that the fence is high enough for: at least the sum of the above.
    pub total: u16,
}

impl ZoneRows {
    /// Rows in use.
    pub fn used(&self) -> u16 {
        self.lists.iter().sum()
    }
}

/// The rows that this view needs, laid out with these options.
pub fn regions(view: &View, options: &Options) -> Regions {
    let metrics = Metrics::new(options.form, options.columns);
    let tapes = options.tapes_of(view);
    let density = options.density.unwrap_or_else(|| Density::of(view));
    Regions {
        spaces: view.spaces.iter().enumerate().map(|(i, s)| plan::space_rows(view, s, i, &metrics)).collect(),
        cpus: view.cpus.iter().map(|cpu| plan::cpu_rows(view, cpu, &metrics)).collect(),
        zones: view.zones.iter().map(|zone| plan::zone_rows(view, zone, &tapes, density)).collect(),
        shelves: crate::shelf::lines(view, &metrics),
    }
}

impl Regions {
    /// Regions that are high enough for both.
    #[must_use]
    pub fn max(&self, other: &Regions) -> Regions {
        let mut zones = each(&self.zones, &other.zones, ZoneRows::max);
        for zone in &mut zones {
            zone.total = zone.total.max(zone.used());
        }
        Regions {
            spaces: each(&self.spaces, &other.spaces, |a, b| *a.max(b)),
            cpus: each(&self.cpus, &other.cpus, CpuRows::max),
            zones,
            shelves: each(&self.shelves, &other.shelves, |a, b| each(a, b, |a, b| *a.max(b))),
        }
    }

    /// These regions, but as high as `whole`: the rows of lists follow this step, everything else is as it is at its
    /// highest in the run.
    #[must_use]
    pub fn within(&self, whole: &Regions) -> Regions {
        let mut fitted = self.max(whole);
        for (zone, (here, whole)) in fitted.zones.iter_mut().zip(self.zones.iter().zip(&whole.zones)) {
            zone.lists = core::array::from_fn(|i| here.lists[i].max(whole.lists[i].min(1)));
            zone.total = whole.total.max(here.total).max(zone.used());
        }
        fitted
    }
}

impl CpuRows {
    fn max(&self, other: &CpuRows) -> CpuRows {
        CpuRows {
            isolated: self.isolated.max(other.isolated),
            pagevecs: each(&self.pagevecs, &other.pagevecs, |a, b| *a.max(b)),
        }
    }
}

impl ZoneRows {
    fn max(&self, other: &ZoneRows) -> ZoneRows {
        ZoneRows {
            lists: core::array::from_fn(|i| self.lists[i].max(other.lists[i])),
            total: self.total.max(other.total),
        }
    }
}

/// Joins two lists item by item; what only one has is taken as it is.
fn each<T: Clone>(a: &[T], b: &[T], join: impl Fn(&T, &T) -> T) -> Vec<T> {
    let both = a.iter().zip(b).map(|(a, b)| join(a, b));
    let rest = if a.len() > b.len() { &a[b.len()..] } else { &b[a.len()..] };
    both.chain(rest.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(lists: [u16; LISTS], total: u16) -> Regions {
        Regions { zones: vec![ZoneRows { lists, total }], ..Regions::default() }
    }

    #[test]
    fn the_higher_of_each_counts() {
        let a = Regions { spaces: vec![4], ..zone([2, 0, 0, 0, 3, 0, 0], 5) };
        let b = Regions { spaces: vec![3, 1], ..zone([1, 0, 0, 0, 4, 0, 0], 5) };
        let expect = Regions { spaces: vec![4, 1], ..zone([2, 0, 0, 0, 4, 0, 0], 6) };
        assert_eq!(a.max(&b), expect);
        assert_eq!(b.max(&a), expect);
    }

    #[test]
    fn within_a_run_the_height_stays_and_rows_follow() {
        let whole = zone([4, 0, 0, 0, 4, 0, 1], 6);
        let now = zone([2, 0, 0, 0, 3, 0, 0], 5);
        assert_eq!(now.within(&whole), zone([2, 0, 0, 0, 3, 0, 1], 6));
    }
}
