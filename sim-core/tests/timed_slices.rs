//! A bulk run by the meter pauses where its budget ends, and comes out the same however it is cut.

use std::rc::Rc;

use sim_core::cost::{CostClass, Costs, Totals};
use sim_core::engine::{Outcome, Schedule};
use sim_core::ledger::Ledger;
use sim_core::scenario::RunSpec;

// Longest turn in operations, sums, ledger.
fn cut(scenario: &str, variant: &str, params: &[(&str, &str)], slice: u64) -> (u64, Totals, Ledger) {
    let mut spec = RunSpec::new(scenario, variant).unwrap();
    for (name, value) in params {
        spec = spec.set(name, value).unwrap();
    }
    let mut costs = Costs::free("test");
    for (ps, &class) in (1_000..).zip(&CostClass::ALL) {
        costs.set(class, ps);
    }
    spec.costs = Some(Rc::new(costs));
    spec.schedule = Some(Schedule::Timed);
    let mut engine = spec.start(true).unwrap();
    let (mut longest, mut before) = (0, 0);
    loop {
        let outcome = engine.advance(slice).unwrap();
        let clock = engine.world().clock;
        longest = longest.max(clock - before);
        before = clock;
        if outcome == Outcome::Finished {
            break;
        }
        assert_eq!(outcome, Outcome::Paused);
    }
    let ledger = engine.world().ledger.clone();
    (longest, engine.modelled().unwrap(), ledger)
}

type Params = &'static [(&'static str, &'static str)];

#[test]
fn a_budget_is_kept_and_changes_nothing() {
    let runs: [(&str, &str, Params); 4] = [
        ("munlock", "0", &[("pages", "600")]),
        ("munlock", "6", &[("pages", "600")]),
        ("lru-drain", "sync", &[("cpus", "8"), ("mlocks", "6")]),
        ("pcp-free", "merged", &[("cpus", "3"), ("touch", "200"), ("rounds", "2"), ("pages", "2048")]),
    ];
    for (scenario, variant, params) in runs {
        let (all, totals, ledger) = cut(scenario, variant, params, u64::MAX);
        let (longest, cut_totals, cut_ledger) = cut(scenario, variant, params, 50);
        assert!(all > 500, "{scenario} {variant} is long enough to be cut: {all} operations");
        assert!(longest <= 60, "{scenario} {variant}: a turn of 50 operations had {longest}");
        assert_eq!(cut_totals, totals, "{scenario} {variant}");
        assert_eq!(cut_ledger, ledger, "{scenario} {variant}");
    }
}
