//! tmp
mod common;
use common::*;
use std::collections::BTreeMap;
use sim_core::scenario::SCENARIOS;

#[test]
fn explore() {
    for s in SCENARIOS {
        for v in s.variants {
            let mut seen: BTreeMap<String, usize> = BTreeMap::new();
            let own = run(s.name, v.name, &[]);
            let name = |r: &sim_core::scenario::Run| r.timeline.violation().map_or("ok".to_string(), |v| format!("{}: {}", v.rule, v.detail));
            println!("{} {} own: {} steps {}", s.name, v.name, name(&own), own.timeline.len());
            if s.name == "munlock" { continue; }
            for seed in 0..60 {
                let r = run_as(s.name, v.name, &[], &format!("seed:{seed}"));
                *seen.entry(r.timeline.violation().map_or("ok".to_string(), |v| v.rule.to_string())).or_default() += 1;
            }
            println!("      seeds {:?}", seen);
        }
    }
}
