//! When each step of a recorded run happens, in modelled time.

use alloc::rc::Rc;
use alloc::vec::Vec;

use super::costs::Costs;
use super::meter::{Meter, Totals};
use crate::engine::Timeline;

/// Modelled times of the steps of one recorded run, in picoseconds since its start; the vectors have one entry a step.
///
/// The steps keep the order in which they were recorded: locks change hands as they did there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// When the step begins, waiting left out.
    pub begin: Vec<u64>,
    /// When it ends.
    pub end: Vec<u64>,
    /// How long its task had been waiting before it began: for a lock, or asleep.
    pub wait: Vec<u64>,
    /// Sums.
    pub totals: Totals,
}

impl Timing {
    /// The times of a recorded run under a profile.
    pub fn new(timeline: &Timeline, costs: &Rc<Costs>) -> Timing {
        let mut meter = Meter::new(costs.clone(), timeline.world().machine.cpus.len());
        let steps = timeline.len();
        let mut timing = Timing {
            begin: Vec::with_capacity(steps),
            end: Vec::with_capacity(steps),
            wait: Vec::with_capacity(steps),
            ..Timing::default()
        };
        let mut frames = timeline.frames().iter().peekable();
        let mut before = None;
        timeline.replay(|step, record, machine, after| {
            if !after {
                while let Some(frame) = frames.next_if(|frame| frame.start as usize <= step) {
                    meter.enter(frame.task, frame.func.name);
                }
                before = Some(meter.before(machine, record.task, record.op));
            } else if let Some(before) = before.take() {
                let moment = meter.charge(machine, record.task, record.op, record.outcome, before);
                timing.begin.push(moment.begin);
                timing.end.push(moment.end);
                timing.wait.push(moment.wait);
            }
        });
        timing.totals = meter.totals().clone();
        timing
    }
}
