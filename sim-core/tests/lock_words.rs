//! People read locks as the kernel's code writes them; keys stay as they are.

mod common;

use common::run;
use sim_core::machine::LockClass;
use sim_core::op::text;

#[test]
fn the_lock_of_a_zone_is_one_thing_in_all_that_is_read() {
    assert_eq!((LockClass::Zone.name(), LockClass::Zone.words()), ("zone_lock", "zone->lock"));
    assert_eq!((LockClass::Pcp.name(), LockClass::Pcp.words()), ("pcp_lock", "pcp->lock"));
    for variant in ["v4.15", "today"] {
        let mut timeline = run("pcp-free", variant, &[("cpus", "2")]).timeline;
        let mut said = 0;
        loop {
            let words = timeline.sentence().plain();
            let op = timeline.last().map(|record| text(&record.op, record.outcome.ret)).unwrap_or_default();
            for said_of in [&words, &op] {
                said += u32::from(said_of.contains("zone->lock"));
                assert!(
                    !said_of.contains("zone_lock") && !said_of.contains("pcp_lock"),
                    "step {}: {said_of}",
                    timeline.cursor()
                );
            }
            if !timeline.forward() {
                break;
            }
        }
        assert!(said > 0, "{variant}");
        assert_eq!(timeline.lanes(LockClass::Zone).lock, "zone->lock");
    }
}
