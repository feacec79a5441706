//! The ledger of a part of a recorded run.

use core::ops::Range;

use super::Ledger;
use crate::engine::Timeline;
use crate::op::Alone;

/// What the steps with these indices add to the ledger; those outside the measured section add nothing.
///
/// Every [`super::Key`] of it is the difference of the ledgers at both ends, so that parts of a run add up to the
/// whole. How long queues were is no sum and is left out. What lies beyond the end of the run adds nothing.
pub fn of_steps(timeline: &Timeline, steps: Range<u32>) -> Ledger {
    let records = timeline.records();
    let end = (steps.end as usize).min(records.len());
    let start = (steps.start as usize).min(end);
    let mut sum = Alone::new();
    for (at, record) in (start as u64..).zip(&records[start..end]) {
        if record.counted {
            sum.add(&record.op, record.outcome, at);
        }
    }
    sum.ledger().clone()
}
