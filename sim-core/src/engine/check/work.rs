//! Rules of work items and kworkers, checked after every step against tallies of their own.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::Violation;
use crate::machine::{Machine, NO_WORK, TaskRun, Work, WorkFunc, WorkId, WorkerPool};
use crate::op::{Op, Outcome};

type Checked = Result<(), Violation>;

fn broken(rule: &'static str, detail: String) -> Checked {
    Err(Violation { step: 0, rule, detail })
}

/// What the checker knows of one work item from the operations alone.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    pending: bool,
    /// Times it stands in a list.
    queued: u32,
    /// Kworkers that run it.
    running: u32,
    /// Its pending bit was cleared since it was taken.
    cleared: bool,
    barrier: bool,
}

/// Tallies of a machine's work items.
#[derive(Clone, Debug, Default)]
pub(crate) struct WorkChecker {
    known: Vec<Known>,
    /// What each pool runs.
    current: Vec<WorkId>,
    allocated: i32,
}

impl WorkChecker {
    pub fn new(machine: &Machine) -> WorkChecker {
        let work = &machine.work;
        let known = |item: &Work| Known { barrier: item.func == WorkFunc::Barrier, ..Known::default() };
        WorkChecker {
            known: work.items.iter().map(known).collect(),
            current: vec![NO_WORK; work.pools.len()],
            allocated: 0,
        }
    }

    pub fn after(&mut self, machine: &Machine, task: u8, op: Op, outcome: Outcome) -> Checked {
        match op {
            Op::PercpuWorks { alloc } => self.allocated += if alloc { 1 } else { -1 },
            Op::InitWork { work } => return self.initialised(work),
            Op::TestSetPending { work } => {
                let known = &mut self.known[work as usize];
                if (outcome.ret == 1) != known.pending {
                    return broken("W1: PENDING says what was queued", format!("work {work} was {}", outcome.ret));
                }
                known.pending = true;
            }
            Op::ClearPending { work } => {
                let known = &mut self.known[work as usize];
                known.pending = false;
                known.cleared = true;
            }
            Op::InsertWork { work, cpu, .. } => {
                holds_pool(machine, task, cpu)?;
                return self.queued(work);
            }
            Op::NextWork { cpu } => return holds_pool(machine, task, cpu),
            Op::TakeWork { cpu } => {
                holds_pool(machine, task, cpu)?;
                return self.taken(machine, task, cpu, outcome.ret as WorkId);
            }
            Op::EndWork { cpu } => {
                holds_pool(machine, task, cpu)?;
                return self.ended(cpu);
            }
            Op::Complete { work } => return self.completed(work),
            Op::WaitForCompletion { work } if outcome.ret == 1 => {
                let known = self.known[work as usize];
                if known.queued + known.running == 0 {
                    return broken("W6: nobody sleeps for a barrier that is not queued", format!("barrier {work}"));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn initialised(&mut self, work: WorkId) -> Checked {
        let known = &mut self.known[work as usize];
        if known.queued + known.running > 0 {
            return broken("W2: a work item in use is not initialised", format!("work {work} is"));
        }
        known.pending = known.barrier;
        Ok(())
    }

    fn queued(&mut self, work: WorkId) -> Checked {
        let known = &mut self.known[work as usize];
        known.queued += 1;
        if known.queued > 1 {
            return broken("W1: a work item is queued once", format!("work {work} is in {} places", known.queued));
        }
        if !known.pending {
            return broken("W1: what is queued is pending", format!("work {work} is not"));
        }
        Ok(())
    }

    fn taken(&mut self, machine: &Machine, task: u8, cpu: u8, work: WorkId) -> Checked {
        let Some(known) = self.known.get_mut(work as usize) else {
            return broken("W3: a worker takes what is queued", format!("the list of CPU {cpu} is empty"));
        };
        known.queued -= 1;
        known.running += 1;
        known.cleared = false;
        if known.running > 1 {
            return broken("W2: a work item does not run twice at once", format!("work {work} of CPU {cpu} does"));
        }
        self.current[cpu as usize] = work;
        let on = machine.tasks[task as usize].cpu;
        if on != cpu && machine.work.online(cpu) {
            return broken("W5: a work item runs on its CPU", format!("work {work} of CPU {cpu} runs on CPU {on}"));
        }
        Ok(())
    }

    fn ended(&mut self, cpu: u8) -> Checked {
        let work = core::mem::replace(&mut self.current[cpu as usize], NO_WORK);
        match self.known.get(work as usize) {
            None => broken("W3: a worker ends what it runs", format!("the worker of CPU {cpu} runs nothing")),
            // A barrier lives on the stack of the task that it has woken, and may be in use again by now.
            Some(known) if known.barrier => Ok(()),
            Some(_) => self.over(work),
        }
    }

    fn completed(&mut self, work: WorkId) -> Checked {
        if self.known[work as usize].running != 1 {
            return broken("W6: a barrier completes when it is reached", format!("barrier {work} does not run"));
        }
        self.over(work)
    }

    fn over(&mut self, work: WorkId) -> Checked {
        let known = &mut self.known[work as usize];
        known.running -= 1;
        if !known.cleared {
            return broken("W4: PENDING is cleared before the function runs", format!("work {work}"));
        }
        Ok(())
    }

    /// At the end of a run nothing that was queued is left over.
    pub fn at_rest(&self, machine: &Machine) -> Checked {
        for (work, known) in self.known.iter().enumerate() {
            let item = machine.work.items[work];
            if known.queued + known.running > 0 || known.pending || item.pending {
                return broken("W7: at rest no work item is left over", format!("work {work} is"));
            }
        }
        if self.allocated != 0 || machine.work.allocated != 0 {
            return broken("W8: work items that were allocated are freed", format!("{} are not", self.allocated));
        }
        let awake =
            |pool: &WorkerPool| machine.tasks.get(pool.worker as usize).is_some_and(|task| task.run != TaskRun::Sleeps);
        match machine.work.pools.iter().position(awake) {
            Some(cpu) => broken("W7: at rest every kworker idles", format!("that of CPU {cpu} does not")),
            None => Ok(()),
        }
    }
}

fn holds_pool(machine: &Machine, task: u8, cpu: u8) -> Checked {
    if machine.work.pools[cpu as usize].lock.holder == task {
        return Ok(());
    }
    broken("W5: a worklist changes under its pool's lock", format!("the list of CPU {cpu} does not"))
}
