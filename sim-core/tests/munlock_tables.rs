//! The tables of exact totals: munlock of N plain pages, each variant.

mod common;

use common::{bulk, run};
use sim_core::machine::LockClass;

#[test]
fn smoke() {
    for v in ["0", "1", "2", "3", "4", "5", "6", "5-v2", "6-v2", "7-v2", "7", "fixed", "v5.10", "v6.1", "today"] {
        let run = run("munlock", v, &[("pages", "56")]);
        println!(
            "{v}: steps {} rmw {} page {} spin {} lru {} violation {:?}",
            run.timeline.len(),
            run.ledger.total_rmw(),
            run.ledger.page_rmw(),
            run.ledger.spin_rmw(),
            run.ledger.lock(LockClass::Lru).acquired,
            run.timeline.violation()
        );
        let b = bulk("munlock", v, &[("pages", "56")]);
        println!("   bulk {} clock {}", b.world().ledger.total_rmw(), b.world().clock);
    }
}
