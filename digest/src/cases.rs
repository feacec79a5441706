//! Which runs are digested.

use sim_core::scenario::SCENARIOS;

/// Sizes for one CPU: around one batch, around one page table, and beyond the thresholds of the counters.
const PAGES_ALONE: &[u32] = &[1, 13, 14, 15, 61, 513, 1100];
/// Sizes where CPUs meet.
const PAGES: &[u32] = &[4, 15, 56];
/// Schedules where CPUs meet; 0 is the scenario's own.
const SEEDS: &[u64] = &[0, 1, 2];

/// One run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Index of the scenario.
    pub scenario: u32,
    /// Index of the variant.
    pub variant: u32,
    /// Pages of 4 KiB.
    pub pages: u32,
    /// Seed of the schedule; 0 is the scenario's own.
    pub seed: u64,
}

impl Case {
    /// Its digest.
    pub fn digest(&self) -> u64 {
        crate::digest(self.scenario, self.variant, self.pages, self.seed)
    }

    /// What it is, in words.
    pub fn name(&self) -> String {
        let scenario = &SCENARIOS[self.scenario as usize];
        let variant = scenario.variants[self.variant as usize].name;
        format!("{} {variant} pages={} seed={}", scenario.name, self.pages, self.seed)
    }
}

/// Every variant of every scenario, in some sizes and under some schedules.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (scenario, data) in SCENARIOS.iter().enumerate() {
        // The first scenario has one CPU: nothing to schedule.
        let (sizes, seeds) = if scenario == 0 { (PAGES_ALONE, &SEEDS[..1]) } else { (PAGES, SEEDS) };
        let sized = data.params.iter().any(|param| param.name == "pages");
        let sizes = if sized { sizes } else { &sizes[..1] };
        for variant in 0..data.variants.len() as u32 {
            for &pages in sizes {
                for &seed in seeds {
                    cases.push(Case { scenario: scenario as u32, variant, pages, seed });
                }
            }
        }
    }
    cases
}
