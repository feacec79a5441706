use sim_core::engine::Schedule;
use sim_core::machine::LockClass;
use sim_core::scenario::RunSpec;
use std::rc::Rc;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string("assets/profiles/skylake-2018.json").unwrap();
    let costs = Rc::new(scenario_file::profile::parse(&text).unwrap().costs());
    let touch: u32 = args[1].parse().unwrap();
    let rounds: u32 = args[2].parse().unwrap();
    let batch = &args[3];
    let high = &args[4];
    for cpus in args[5].split(',') {
        for variant in args[6].split(',') {
            let n: u32 = cpus.parse().unwrap();
            let pages = (n * touch * 2).next_multiple_of(1024).max(32768);
            let mut spec = RunSpec::new("pcp-free", variant).unwrap();
            for (k, v) in [
                ("cpus", cpus.to_string()),
                ("touch", touch.to_string()),
                ("rounds", rounds.to_string()),
                ("batch", batch.clone()),
                ("high", high.clone()),
                ("pages", pages.to_string()),
            ] {
                spec = spec.set(k, &v).unwrap();
            }
            spec.costs = Some(costs.clone());
            spec.schedule = Some(Schedule::Timed);
            let start = std::time::Instant::now();
            let engine = spec.bulk(u64::MAX, |_| true).unwrap();
            let t = engine.modelled().unwrap();
            let work = f64::from(n * touch * rounds);
            let ns = t.elapsed as f64 / 1000.0;
            let total = ns * f64::from(n);
            println!(
                "{variant:13} n={n:3} Mp/s {:7.3} us/page {:6.3} spin {:5.1}% zone-wait {:5.1}% lru {:4.1}% ptl {:4.1} zonehold ns/page {:6.1} busy ns/page {:7.1} ops/page {:.0} {:?}",
                work / ns * 1000.0,
                total / work / 1000.0,
                t.spin() as f64 / 10.0 / total,
                t.lock_wait[LockClass::Zone as usize] as f64 / 10.0 / total,
                t.lock_wait[LockClass::Lru as usize] as f64 / 10.0 / total,
                t.lock_wait[LockClass::Ptl as usize] as f64 / 10.0 / total,
                t.lock_hold[LockClass::Zone as usize] as f64 / 1000.0 / work,
                t.busy as f64 / 1000.0 / work,
                engine.world().clock as f64 / work,
                start.elapsed()
            );
            if args.len() > 7 {
                for (c, v) in sim_core::cost::CostClass::ALL.iter().zip(t.by_class) {
                    if v > 0 {
                        print!("{} {:.1}  ", c.key(), v as f64 / 1000.0 / work);
                    }
                }
                println!();
            }
        }
    }
}
