//! Which CPU goes next.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::print_choices;
use crate::op::Op;

/// How the next CPU is chosen where more than one can go on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// The next one after the last, step by step.
    #[default]
    RoundRobin,
    /// A seeded generator.
    Seed(u64),
    /// The CPU that ran last goes on until it waits, sleeps or has finished; then the next one.
    Turns,
    /// One CPU for each decision; round-robin when the list has ended.
    Choices(Vec<u8>),
    /// Turns; round-robin when they have ended.
    Script(Vec<Turn>),
    /// By the clocks of the tasks: the one that is behind goes first, the lower CPU among equals. Where a scenario keeps no
    /// clocks, the lowest CPU that can go on.
    Timed,
}

impl Schedule {
    /// Its name, as `--schedule` takes it; `scenario` for turns that only the scenario knows.
    pub fn name(&self) -> String {
        match self {
            Schedule::RoundRobin => "round-robin".to_string(),
            Schedule::Seed(seed) => format!("seed:{seed}"),
            Schedule::Turns => "turns".to_string(),
            Schedule::Choices(list) => format!("choices:{}", print_choices(list)),
            Schedule::Script(_) => "scenario".to_string(),
            Schedule::Timed => "timed".to_string(),
        }
    }
}

/// One CPU runs until something happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// CPU that runs.
    pub cpu: u8,
    /// When its turn ends.
    pub until: Until,
}

/// End of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Until {
    /// It cannot go on: it waits or has finished.
    Blocked,
    /// It has made this operation.
    After(Op),
}

/// SplitMix64: a small generator with a published reference, so that seeds mean the same for ever.
#[derive(Clone, Debug)]
pub(crate) struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `n`, which is small against 2^64.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// The schedule as it is being followed.
pub(crate) struct Chooser {
    schedule: Schedule,
    rng: Rng,
    /// Choices or turns used up.
    used: usize,
    last: u8,
}

/// The list names a CPU that cannot go on.
pub(crate) struct Misfit {
    pub index: usize,
    pub cpu: u8,
}

impl Chooser {
    pub fn new(schedule: Schedule) -> Chooser {
        let seed = if let Schedule::Seed(seed) = schedule { seed } else { 0 };
        Chooser { schedule, rng: Rng(seed), used: 0, last: u8::MAX }
    }

    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Choices that were given and never needed.
    pub fn left_over(&self) -> usize {
        match &self.schedule {
            Schedule::Choices(list) => list.len().saturating_sub(self.used),
            _ => 0,
        }
    }

    /// Picks one of several CPUs that can go on (in ascending order).
    pub fn choose(&mut self, runnable: &[u8]) -> Result<u8, Misfit> {
        let cpu = self.pick(runnable)?;
        self.last = cpu;
        Ok(cpu)
    }

    /// Ends the turn of a CPU that cannot go on.
    pub fn prune(&mut self, runnable: &[u8]) {
        if let Schedule::Script(turns) = &self.schedule {
            while turns.get(self.used).is_some_and(|turn| !runnable.contains(&turn.cpu)) {
                self.used += 1;
            }
        }
    }

    /// Tells of a step, for turns that wait for one.
    pub fn stepped(&mut self, cpu: u8, op: Option<Op>) {
        self.last = cpu;
        if let Schedule::Script(turns) = &self.schedule
            && let Some(turn) = turns.get(self.used)
            && turn.cpu == cpu
            && let (Until::After(end), Some(op)) = (&turn.until, op)
            && *end == op
        {
            self.used += 1;
        }
    }

    fn pick(&mut self, runnable: &[u8]) -> Result<u8, Misfit> {
        match &self.schedule {
            Schedule::Seed(_) => return Ok(runnable[self.rng.below(runnable.len())]),
            Schedule::Choices(list) => {
                if let Some(&cpu) = list.get(self.used) {
                    let index = self.used;
                    self.used += 1;
                    return if runnable.contains(&cpu) { Ok(cpu) } else { Err(Misfit { index, cpu }) };
                }
            }
            Schedule::Script(turns) => {
                if let Some(turn) = turns.get(self.used) {
                    return Ok(turn.cpu);
                }
            }
            Schedule::Turns if runnable.contains(&self.last) => return Ok(self.last),
            Schedule::Timed => return Ok(runnable[0]),
            Schedule::RoundRobin | Schedule::Turns => {}
        }
        let after = runnable.iter().copied().find(|&cpu| self.last != u8::MAX && cpu > self.last);
        Ok(after.unwrap_or(runnable[0]))
    }
}
