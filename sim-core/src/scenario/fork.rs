//! What if another CPU had gone next: a run that is the same until a step, and then another one.

use alloc::vec::Vec;

use super::{RunSpec, SpecError};
use crate::engine::{Engine, EngineError, Outcome, Schedule};
use crate::op::{AnonOp, Op};

/// Until when a CPU that was picked by hand goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Until {
    /// One step.
    #[default]
    Step,
    /// It has given a lock back, or cannot go on.
    Unlock,
    /// It cannot go on: it waits, sleeps or has finished.
    Blocked,
}

impl RunSpec {
    /// The choices of a run that is this one for `step` steps and then lets a CPU go on until something happens: the
    /// list ends there. Empty where that CPU cannot go on. The steps of the run until the end of its turn come with it.
    ///
    /// # Errors
    ///
    /// As [`RunSpec::record`]; a turn of more than `most` steps is too long.
    pub fn fork(&self, step: u64, cpu: u8, until: Until, most: u64) -> Result<Option<(Vec<u8>, u64)>, SpecError> {
        let mut engine = self.start(false)?;
        if step > 0 && engine.advance(step)? == Outcome::Broken {
            return Ok(None);
        }
        if engine.world().clock != step || !engine.step_of(cpu)? {
            return Ok(None);
        }
        while !turn_is_over(&engine, cpu, until) && engine.step_of(cpu)? {
            if engine.world().clock - step > most {
                return Err(EngineError::TooLong.into());
            }
        }
        let end = engine.world().clock;
        Ok(Some((engine.choices().to_vec(), end)))
    }

    /// The same run with other choices at its start, and then by the rule that its schedule has.
    pub fn forked(&self, choices: Vec<u8>) -> RunSpec {
        let schedule = match &self.schedule {
            Some(schedule) => schedule.clone().after(choices),
            None => Schedule::Then(choices, None),
        };
        RunSpec { schedule: Some(schedule), ..self.clone() }
    }
}

fn turn_is_over(engine: &Engine, cpu: u8, until: Until) -> bool {
    if engine.violation().is_some() {
        return true;
    }
    match until {
        Until::Step => true,
        Until::Blocked => false,
        Until::Unlock => engine.last_made().is_some_and(|(made, op)| made == cpu && gives_back(op)),
    }
}

// Page locks are locks too.
fn gives_back(op: Op) -> bool {
    matches!(op, Op::SpinUnlock { .. } | Op::Up { .. } | Op::UnlockPage { .. } | Op::Anon(AnonOp::PlainUnlock { .. }))
}
