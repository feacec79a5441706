//! Which CPU goes next.

use alloc::boxed::Box;
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
    /// One CPU for each decision; when the list has ended, by the rule of another schedule, as if that had chosen all
    /// along: a generator has drawn its numbers, turns have been taken. None is the scenario's own.
    Then(Vec<u8>, Option<Box<Schedule>>),
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
            Schedule::Then(list, rule) => {
                let rule = rule.as_ref().map_or_else(|| "scenario".to_string(), |rule| rule.name());
                format!("choices:{}+{rule}", print_choices(list))
            }
        }
    }

    /// The rule that goes on where a list has ended.
    pub fn rule(&self) -> &Schedule {
        match self {
            Schedule::Then(_, Some(rule)) => rule.rule(),
            other => other,
        }
    }

    /// The same run by other choices at its start: `list` decides, and then the rule that this schedule has.
    pub fn after(self, list: Vec<u8>) -> Schedule {
        match self {
            Schedule::Choices(_) => Schedule::Choices(list),
            Schedule::Then(_, rule) => Schedule::Then(list, rule),
            rule => Schedule::Then(list, Some(Box::new(rule))),
        }
    }

    /// The same where `own` stands for the scenario's own schedule.
    pub(crate) fn with_own(self, own: Schedule) -> Schedule {
        match self {
            Schedule::Then(list, None) => own.after(list),
            other => other,
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
    /// The rule that goes on where the list has ended, which is told of everything before.
    then: Option<Box<Chooser>>,
}

/// The list names a CPU that cannot go on.
pub(crate) struct Misfit {
    pub index: usize,
    pub cpu: u8,
}

impl Chooser {
    pub fn new(schedule: Schedule) -> Chooser {
        let seed = if let Schedule::Seed(seed) = schedule { seed } else { 0 };
        let then = match &schedule {
            Schedule::Then(_, rule) => Some(Box::new(Chooser::new(rule.as_deref().cloned().unwrap_or_default()))),
            _ => None,
        };
        Chooser { schedule, rng: Rng(seed), used: 0, last: u8::MAX, then }
    }

    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Choices that were given and never needed.
    pub fn left_over(&self) -> usize {
        match &self.schedule {
            Schedule::Choices(list) | Schedule::Then(list, _) => list.len().saturating_sub(self.used),
            _ => 0,
        }
    }

    /// The next decision is by the clocks of the tasks.
    pub fn goes_by_clock(&self) -> bool {
        self.left_over() == 0 && *self.schedule.rule() == Schedule::Timed
    }

    /// Picks one of several CPUs that can go on (in ascending order).
    pub fn choose(&mut self, runnable: &[u8]) -> Result<u8, Misfit> {
        let cpu = self.pick(runnable)?;
        self.chosen(cpu);
        Ok(cpu)
    }

    /// Somebody else has picked one of these CPUs: the next choice is as after one of its own.
    pub fn overruled(&mut self, runnable: &[u8], cpu: u8) {
        // What it would have picked, or that its list does not fit, is of no account.
        let _ = self.pick(runnable);
        self.chosen(cpu);
    }

    fn chosen(&mut self, cpu: u8) {
        self.last = cpu;
        if let Some(then) = &mut self.then {
            then.chosen(cpu);
        }
    }

    /// Ends the turn of a CPU that cannot go on.
    pub fn prune(&mut self, runnable: &[u8]) {
        if let Some(then) = &mut self.then {
            then.prune(runnable);
        }
        if let Schedule::Script(turns) = &self.schedule {
            while turns.get(self.used).is_some_and(|turn| !runnable.contains(&turn.cpu)) {
                self.used += 1;
            }
        }
    }

    /// Tells of a step, for turns that wait for one.
    pub fn stepped(&mut self, cpu: u8, op: Option<Op>) {
        self.last = cpu;
        if let Some(then) = &mut self.then {
            then.stepped(cpu, op);
        }
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
            Schedule::Then(list, _) => {
                let next = list.get(self.used).copied();
                let own = match &mut self.then {
                    Some(then) => then.pick(runnable),
                    None => Ok(runnable[0]),
                };
                let Some(cpu) = next else { return own };
                let index = self.used;
                self.used += 1;
                return if runnable.contains(&cpu) { Ok(cpu) } else { Err(Misfit { index, cpu }) };
            }
            Schedule::RoundRobin | Schedule::Turns => {}
        }
        let after = runnable.iter().copied().find(|&cpu| self.last != u8::MAX && cpu > self.last);
        Ok(after.unwrap_or(runnable[0]))
    }
}
