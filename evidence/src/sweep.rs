//! Sweeps: one parameter of a series' scenario at many values, for two kernels side by side, in modelled time.
//!
//! The runs keep no steps and let the CPU go on whose clock is behind. The sizes are such that a sweep takes a browser
//! some 20 seconds at most. Counts are exact; times are those of a cost profile.

use std::fmt;
use std::rc::Rc;

use sim_core::cost::Costs;
use sim_core::engine::{Outcome, Schedule};
use sim_core::scenario::RunSpec;

use crate::pace::Pace;

/// A point with more operations than that is given up: a run that finds no end would go on for good.
pub const MOST_OPERATIONS: u64 = 60_000_000;

/// What is put on the x axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// CPUs at work.
    Cpus,
    /// Pages of a batch.
    Batch,
    /// Pages, or calls, of the run.
    Size,
}

/// How large a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Pages or calls of the whole run, in [`Plan::unit`].
    pub units: u32,
    /// CPUs that are online.
    pub cpus: u32,
}

/// A sweep.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Scenario that is run, which has the name of its series.
    pub scenario: &'static str,
    /// What is varied.
    pub over: Over,
    /// The parameter that is varied.
    pub param: &'static str,
    /// What the parameter is, for an axis.
    pub label: &'static str,
    /// What a run is made of: "page" or "call".
    pub unit: &'static str,
    /// Values of the parameter, ascending.
    pub values: &'static [u32],
    /// Everything that is set at a value.
    pub set: fn(u32) -> Vec<(&'static str, u32)>,
    /// How large the run is at a value.
    pub size: fn(u32) -> Size,
    /// What else is fixed, in words.
    pub note: &'static str,
}

impl PartialEq for Plan {
    fn eq(&self, other: &Plan) -> bool {
        (self.scenario, self.param) == (other.scenario, other.param)
    }
}

const CPUS: &[u32] = &[1, 2, 4, 8, 16, 32, 64, 128];
const MLOCKS: u32 = 60;
const TOUCH: u32 = 192;
const BATCH_CPUS: u32 = 8;
const BATCH_TOUCH: u32 = 512;
const PAGEVEC_PAGES: u32 = 4096;
const PROCESSES: u32 = 4;
const LOOPS: u32 = 3;

/// So many frames that the zone never runs low, with what the CPUs keep on their lists.
fn pcp(cpus: u32, touch: u32, batch: u32, high: u32) -> Vec<(&'static str, u32)> {
    let pages = cpus * (touch + 2 * high + 2 * batch + 64) + 4096;
    vec![("cpus", cpus), ("touch", touch), ("batch", batch), ("high", high), ("pages", pages), ("rounds", 1)]
}

/// Half of what the processes fill fits into ram, as in the published test; the rest has slots twice over.
fn madvise(pages: u32) -> Vec<(&'static str, u32)> {
    let filled = PROCESSES * pages;
    vec![
        ("processes", PROCESSES),
        ("pages", pages),
        ("ram", (filled / 2).max(16)),
        ("swap", filled * 2),
        ("loops", LOOPS),
        ("skew", pages / 2),
    ]
}

/// All sweeps, those of a series together.
pub const PLANS: &[Plan] = &[
    Plan {
        scenario: "munlock",
        over: Over::Size,
        param: "pages",
        label: "Pages of the range",
        unit: "page",
        values: &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192],
        set: |pages| vec![("pages", pages)],
        size: |pages| Size { units: pages, cpus: 1 },
        note: "One CPU munlocks the range once.",
    },
    Plan {
        scenario: "munlock",
        over: Over::Batch,
        param: "pagevec",
        label: "Slots of a pagevec",
        unit: "page",
        values: &[1, 2, 4, 8, 14, 15, 22, 31],
        set: |slots| vec![("pagevec", slots), ("pages", PAGEVEC_PAGES)],
        size: |_| Size { units: PAGEVEC_PAGES, cpus: 1 },
        note: "One CPU munlocks 4,096 pages.",
    },
    Plan {
        scenario: "lru-drain",
        over: Over::Cpus,
        param: "cpus",
        label: "CPUs",
        unit: "call",
        // As many as the machine's masks of CPUs hold.
        values: &[1, 2, 4, 8, 16, 32, 64, 96],
        set: |cpus| vec![("cpus", cpus), ("mlocks", MLOCKS), ("filled_cpus", 0)],
        size: |cpus| Size { units: MLOCKS, cpus },
        note: "One CPU makes 60 mlock calls; no other has pages waiting.",
    },
    Plan {
        scenario: "lru-drain",
        over: Over::Batch,
        param: "waiting",
        label: "Pages in each filled pagevec",
        unit: "call",
        values: &[1, 2, 4, 6, 8, 10, 12, 13],
        set: |waiting| vec![("cpus", 8), ("mlocks", 3), ("filled_cpus", 8), ("waiting", waiting)],
        size: |_| Size { units: 3, cpus: 8 },
        note: "Three mlock calls, 8 CPUs, of which each has pages waiting before the first.",
    },
    Plan {
        scenario: "lru-drain",
        over: Over::Size,
        param: "mlocks",
        label: "Calls",
        unit: "call",
        values: &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
        set: |mlocks| vec![("cpus", 16), ("mlocks", mlocks), ("filled_cpus", 1)],
        size: |mlocks| Size { units: mlocks, cpus: 16 },
        note: "16 CPUs, one of which has a page waiting before the first call.",
    },
    Plan {
        scenario: "pcp-free",
        over: Over::Cpus,
        param: "cpus",
        label: "CPUs",
        unit: "page",
        values: CPUS,
        set: |cpus| pcp(cpus, TOUCH, 31, 186),
        size: |cpus| Size { units: cpus * TOUCH, cpus },
        note: "Each CPU maps, touches and unmaps 192 pages; batch 31, high 186.",
    },
    Plan {
        scenario: "pcp-free",
        over: Over::Batch,
        param: "batch",
        label: "Pages of a refill or drain (batch)",
        unit: "page",
        values: &[1, 2, 4, 8, 16, 31, 63, 127],
        set: |batch| pcp(BATCH_CPUS, BATCH_TOUCH, batch, batch * 6),
        size: |_| Size { units: BATCH_CPUS * BATCH_TOUCH, cpus: BATCH_CPUS },
        note: "8 CPUs touch 512 pages each; high is 6 times batch, as the kernel sets it.",
    },
    Plan {
        scenario: "pcp-free",
        over: Over::Size,
        param: "touch",
        label: "Pages that each process touches",
        unit: "page",
        values: &[1, 4, 16, 64, 256, 1024, 4096],
        set: |touch| pcp(2, touch, 31, 186),
        size: |touch| Size { units: touch * 2, cpus: 2 },
        note: "2 CPUs, batch 31, high 186.",
    },
    Plan {
        scenario: "madvise-free",
        over: Over::Size,
        param: "pages",
        label: "Pages that each process fills",
        unit: "page",
        values: &[16, 32, 64, 128, 256, 512],
        set: madvise,
        size: |pages| Size { units: PROCESSES * pages * LOOPS, cpus: PROCESSES },
        note: "4 processes fill their pages 3 times; half of what they fill fits into ram.",
    },
    Plan {
        scenario: "madvise-free",
        over: Over::Batch,
        param: "pagevec",
        label: "Slots of the per-CPU pagevecs",
        unit: "page",
        values: &[1, 2, 4, 8, 14, 22, 31],
        set: |slots| [madvise(256), vec![("pagevec", slots)]].concat(),
        size: |_| Size { units: PROCESSES * 256 * LOOPS, cpus: PROCESSES },
        note: "4 processes fill 256 pages 3 times; half of what they fill fits into ram.",
    },
    Plan {
        scenario: "rmap-unmap",
        over: Over::Size,
        param: "pages",
        label: "Pages of the range",
        unit: "page",
        values: &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192],
        set: |pages| vec![("pages", pages)],
        size: |pages| Size { units: pages, cpus: 1 },
        note: "Folios as readahead makes them, unmapped from one address space.",
    },
];

/// The sweeps of a series.
pub fn plans(series: &str) -> impl Iterator<Item = &'static Plan> {
    let series = series.to_string();
    PLANS.iter().filter(move |plan| plan.scenario == series)
}

/// What one run gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Value of the parameter.
    pub x: u32,
    /// How large the run is.
    pub size: Size,
    /// Operations of the run.
    pub operations: u64,
    /// Modelled time from the first step to the end of the last, in ps.
    pub elapsed: u64,
    /// Modelled time that tasks waited for locks of any class, in ps; all tasks together.
    pub lock_wait: u64,
}

impl Point {
    /// Pages or calls a second of modelled time.
    pub fn rate(&self) -> f64 {
        f64::from(self.size.units) / (self.elapsed as f64 / 1e12)
    }

    /// Part of the CPUs' time that is spent waiting for locks, from 0 to 1.
    pub fn wait_share(&self) -> f64 {
        self.lock_wait as f64 / (self.elapsed as f64 * f64::from(self.size.cpus))
    }

    /// What a page or a call takes one CPU, in ns.
    pub fn ns_per_unit(&self) -> f64 {
        self.elapsed as f64 / 1000.0 * f64::from(self.size.cpus) / f64::from(self.size.units)
    }
}

/// Why a sweep has not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SweepError {
    /// Somebody stopped it.
    Stopped,
    /// A run cannot be made; the text says which and why.
    Run(String),
}

impl fmt::Display for SweepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SweepError::Stopped => write!(f, "the sweep was stopped"),
            SweepError::Run(text) => write!(f, "{text}"),
        }
    }
}

impl std::error::Error for SweepError {}

impl Plan {
    fn spec(&self, variant: &str, x: u32) -> Result<RunSpec, SweepError> {
        let mut spec = RunSpec::new(self.scenario, variant).map_err(|error| self.failed(variant, x, &error))?;
        for (name, value) in (self.set)(x) {
            spec = spec.set(name, &value.to_string()).map_err(|error| self.failed(variant, x, &error))?;
        }
        Ok(spec)
    }

    fn failed(&self, variant: &str, x: u32, error: &dyn fmt::Display) -> SweepError {
        SweepError::Run(format!("{} {variant}, {} {x}: {error}", self.scenario, self.param))
    }

    /// What a run takes to be made, relative to the others: all tasks and all that is set up.
    fn weight(&self, x: u32) -> f64 {
        let size = (self.size)(x);
        f64::from(size.units) * if self.over == Over::Cpus && self.unit == "call" { f64::from(size.cpus) } else { 1.0 }
    }
}

/// Makes all runs, the least value first and of each value both kernels. `got` gets each point as it comes, with the
/// number of its side: 0 and 1.
///
/// # Errors
///
/// See [`SweepError`]; the points that `got` has are good ones.
pub async fn sweep(
    plan: &Plan,
    variants: [&str; 2],
    costs: &Rc<Costs>,
    pace: &Pace<'_>,
    mut got: impl FnMut(usize, Point),
) -> Result<(), SweepError> {
    let total: f64 = plan.values.iter().map(|&x| plan.weight(x) * 2.0).sum();
    let (mut done, mut rates) = (0.0, [0.0; 2]);
    for &x in plan.values {
        let weight = plan.weight(x);
        for (side, variant) in variants.into_iter().enumerate() {
            let progress = Part { pace, from: done / total, share: weight / total, operations: rates[side] * weight };
            let point = point(plan, variant, x, costs, &progress).await?;
            rates[side] = point.operations as f64 / weight;
            done += weight;
            got(side, point);
            pace.at(done / total).await.map_err(|_| SweepError::Stopped)?;
        }
    }
    Ok(())
}

/// The part of a sweep that one run is.
struct Part<'a> {
    pace: &'a Pace<'a>,
    from: f64,
    share: f64,
    /// Operations that the run will have, as far as is known: 0 where it is not.
    operations: f64,
}

impl Part<'_> {
    async fn at(&self, operations: u64) -> Result<(), SweepError> {
        let within = if self.operations > 0.0 { (operations as f64 / self.operations).min(1.0) } else { 0.0 };
        self.pace.at(self.from + self.share * within).await.map_err(|_| SweepError::Stopped)
    }
}

async fn point(plan: &Plan, variant: &str, x: u32, costs: &Rc<Costs>, part: &Part<'_>) -> Result<Point, SweepError> {
    let mut spec = plan.spec(variant, x)?;
    spec.costs = Some(costs.clone());
    spec.schedule = Some(Schedule::Timed);
    let mut engine = spec.start(true).map_err(|error| plan.failed(variant, x, &error))?;
    part.at(0).await?;
    loop {
        let outcome = engine.advance(part.pace.slice).map_err(|error| plan.failed(variant, x, &error))?;
        let operations = engine.world().clock;
        match outcome {
            Outcome::Finished => break,
            Outcome::Broken => return Err(plan.failed(variant, x, &"a rule was broken, and the run ended there")),
            Outcome::Paused if operations > MOST_OPERATIONS => {
                return Err(plan.failed(variant, x, &format!("no end after {MOST_OPERATIONS} operations")));
            }
            Outcome::Paused => part.at(operations).await?,
        }
    }
    let (totals, operations) = (engine.modelled().unwrap_or_default(), engine.world().clock);
    let (elapsed, lock_wait) = (totals.elapsed, totals.all_lock_wait());
    Ok(Point { x, size: (plan.size)(x), operations, elapsed, lock_wait })
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use super::*;
    use crate::pace;
    use crate::profile;

    type Sides = [Vec<Point>; 2];

    fn made(plan: &Plan, variants: [&str; 2], profile: &str) -> Result<Sides, SweepError> {
        let (costs, pace) = (Rc::new(profile::costs(profile)), Pace::steady(|_| true));
        let mut sides = Sides::default();
        pace::run(sweep(plan, variants, &costs, &pace, |side, point| sides[side].push(point)))?;
        Ok(sides)
    }

    fn find(scenario: &str, over: Over) -> &'static Plan {
        plans(scenario).find(|plan| plan.over == over).unwrap()
    }

    #[test]
    fn every_value_of_every_sweep_fits_every_kernel() {
        for plan in PLANS {
            let scenario = sim_core::scenario::Scenario::find(plan.scenario).unwrap();
            assert!(plan.values.windows(2).all(|pair| pair[0] < pair[1]), "{} {}", plan.scenario, plan.param);
            for variant in scenario.variants {
                for &x in [plan.values[0], plan.values[plan.values.len() - 1]].iter() {
                    plan.spec(variant.name, x).unwrap().start(true).unwrap();
                }
            }
        }
    }

    /// The first value of each, which is quick, ends with the two kernels that the series opens with.
    #[test]
    fn the_least_run_of_each_sweep_ends() {
        for plan in PLANS {
            let scenario = sim_core::scenario::Scenario::find(plan.scenario).unwrap();
            let short = Plan { values: &plan.values[..1], ..*plan };
            let sides = made(&short, [scenario.sides.0, scenario.sides.1], "xeon-2012").unwrap();
            for point in sides.iter().flatten() {
                assert!(point.elapsed > 0 && point.operations > 0, "{} {}: {point:?}", plan.scenario, plan.param);
                assert!((0.0..=1.0).contains(&point.wait_share()), "{} {}: {point:?}", plan.scenario, plan.param);
            }
        }
    }

    // The claim of lru-drain: each CPU adds the same to a synchronous call, and next to nothing to an asynchronous one.
    #[test]
    fn mlock_that_waits_for_every_cpu_slows_down_with_them() {
        let [sync, asynchronous] = made(find("lru-drain", Over::Cpus), ["sync", "async"], "xeon-2012").unwrap();
        let ns = |points: &[Point], cpus: u32| points.iter().find(|point| point.x == cpus).unwrap().elapsed as f64;
        let growth = 2.0 * (ns(&sync, 96) - ns(&sync, 64)) / (ns(&sync, 64) - ns(&sync, 32));
        assert!((1.8..2.2).contains(&growth), "{growth}");
        assert!(ns(&asynchronous, 96) < ns(&sync, 96) / 10.0);
    }

    #[test]
    fn larger_batches_wait_less_for_zone_lock() {
        let plan = Plan { values: &[1, 31], ..*find("pcp-free", Over::Batch) };
        let [old, _] = made(&plan, ["v4.15", "pick-outside"], "skylake-2018").unwrap();
        assert!(old[1].lock_wait < old[0].lock_wait, "{old:?}");
    }

    #[test]
    fn progress_goes_up_to_one_and_can_be_stopped() {
        let plan = Plan { values: &[1, 16, 256], ..*find("munlock", Over::Size) };
        let seen = RefCell::new(Vec::new());
        let mut pace = Pace::steady(|at| {
            seen.borrow_mut().push(at);
            true
        });
        pace.slice = 500;
        let costs = Rc::new(profile::costs("opteron-2013"));
        pace::run(sweep(&plan, ["0", "6"], &costs, &pace, |_, _| {})).unwrap();
        let seen = seen.borrow();
        assert!(seen.len() > 6 && seen.windows(2).all(|pair| pair[0] <= pair[1] + 1e-9), "{seen:?}");
        assert!((seen[seen.len() - 1] - 1.0).abs() < 1e-9, "{seen:?}");
        let (left, points) = (Cell::new(4), Cell::new(0));
        let mut pace = Pace::steady(|_| {
            left.set(left.get() - 1);
            left.get() > 0
        });
        pace.slice = 500;
        let stopped = pace::run(sweep(&plan, ["0", "6"], &costs, &pace, |_, _| points.set(points.get() + 1)));
        assert_eq!(stopped, Err(SweepError::Stopped));
        assert!(points.get() < 6);
    }

    #[test]
    fn what_does_not_exist_is_named() {
        let error = made(find("munlock", Over::Size), ["0", "nothing"], "opteron-2013").unwrap_err();
        assert!(error.to_string().contains("nothing"), "{error}");
    }
}
