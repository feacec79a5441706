//! How often a CPU refills and drains its list in the kernels of the series, by counting its pages alone.

use crate::kernel::{Config, Patch};
use crate::scenario::RunSpec;

/// Refills and drains of all CPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rounds {
    /// Refills: a zone->lock round each.
    pub refills: u64,
    /// Drains: another one each.
    pub drains: u64,
    /// Pages that drains take from the lists.
    pub picks: u64,
}

impl Rounds {
    /// Those of a run of page_fault1 up to 4.17, where a refill and a drain are `batch` pages: each CPU has one list, and
    /// munmap gives back what it has mapped.
    pub fn of(spec: &RunSpec) -> Option<Rounds> {
        let rules_of_4_15 = !spec.variant.config.has(Patch::SinglePass);
        if spec.scenario.name != "pcp-free" || !rules_of_4_15 {
            return None;
        }
        let [cpus, touch, batch, high, rounds] =
            ["cpus", "touch", "batch", "high", "rounds"].map(|name| u64::from(spec.params.get(name)));
        let one = one_cpu(touch, batch, high, rounds);
        Some(Rounds { refills: one.refills * cpus, drains: one.drains * cpus, picks: one.picks * cpus })
    }

    /// Picks that are made while zone->lock is held.
    pub fn under_lock(&self, config: Config) -> u64 {
        if picks_outside(config) { 0 } else { self.picks }
    }
}

/// Pages are taken from the lists before zone->lock is.
pub(super) fn picks_outside(config: Config) -> bool {
    config.has(Patch::PickOutside) && !config.has(Patch::SinglePass)
}

fn one_cpu(touch: u64, batch: u64, high: u64, rounds: u64) -> Rounds {
    let mut sum = Rounds::default();
    let mut count = 0;
    for _ in 0..rounds {
        for _ in 0..touch {
            if count == 0 {
                sum.refills += 1;
                count += batch;
            }
            count -= 1;
        }
        for _ in 0..touch {
            count += 1;
            if count >= high {
                sum.drains += 1;
                sum.picks += batch.min(count);
                count -= batch.min(count);
            }
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exact_vector_and_a_steady_cycle() {
        // B.7 of the specification: 186 pages, one drain of 31; B.4: count swings between 155 and 185.
        let rounds = |refills, drains| Rounds { refills, drains, picks: 31 * drains };
        assert_eq!(one_cpu(186, 31, 186, 1), rounds(6, 1));
        // Of a cycle of 512 pages 372 go through the buddy lists: 12 drains.
        let [ten, twenty] = [10, 20].map(|cycles| one_cpu(512, 31, 186, cycles));
        assert_eq!((twenty.drains - ten.drains, twenty.refills - ten.refills), (120, 120));
        assert_eq!(one_cpu(12, 4, 12, 1), Rounds { refills: 3, drains: 1, picks: 4 });
        assert_eq!(one_cpu(3, 1, 0, 1), Rounds { refills: 3, drains: 3, picks: 3 });
    }
}
