//! Which task ran on which CPU, and when tasks slept.

use sim_core::engine::Record;
use sim_core::op::Op;

use super::rows::Span;

/// A stretch of steps in which one CPU ran one task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Task.
    pub task: u8,
    /// CPU.
    pub cpu: u8,
    /// First step count.
    pub start: u32,
    /// Step count after its last step there.
    pub end: u32,
}

/// What ran and what slept, in the order in which it ended.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    /// Stretches of running. Those of one CPU do not overlap, nor do those of one task.
    pub runs: Vec<Run>,
    /// Stretches of sleep, each on the CPU where the task fell asleep.
    pub sleeps: Vec<(u8, Span)>,
}

/// Reads a run's steps.
pub fn schedule(records: &[Record]) -> Schedule {
    let most = |of: fn(&Record) -> u8| records.iter().map(|record| usize::from(of(record)) + 1).max().unwrap_or(0);
    let (cpus, tasks) = (most(|record| record.cpu), most(|record| record.task));
    let mut reader = Reader {
        done: Schedule::default(),
        running: vec![None; cpus],
        on: vec![None; tasks],
        asleep: vec![None; tasks],
    };
    for (step, record) in (0u32..).zip(records) {
        reader.step(step, record);
    }
    reader.finish(records.len() as u32)
}

struct Reader {
    done: Schedule,
    // By CPU.
    running: Vec<Option<Run>>,
    // By task: the CPU that it was on last, and where it sleeps since when.
    on: Vec<Option<u8>>,
    asleep: Vec<Option<(u8, u32)>>,
}

impl Reader {
    fn step(&mut self, step: u32, record: &Record) {
        let Record { task, cpu, .. } = *record;
        self.wake(task, step);
        if let Some(other) = self.on[usize::from(task)].replace(cpu).filter(|&other| other != cpu) {
            self.close(other, task);
        }
        match &mut self.running[usize::from(cpu)] {
            Some(run) if run.task == task => run.end = step + 1,
            open => {
                let before = open.replace(Run { task, cpu, start: step, end: step + 1 });
                self.done.runs.extend(before);
            }
        }
        if falls_asleep(record) {
            self.close(cpu, task);
            self.asleep[usize::from(task)] = Some((cpu, step + 1));
        }
    }

    fn wake(&mut self, task: u8, step: u32) {
        if let Some((cpu, start)) = self.asleep[usize::from(task)].take()
            && start < step
        {
            self.done.sleeps.push((cpu, Span { start, end: step, what: task.into() }));
        }
    }

    fn close(&mut self, cpu: u8, task: u8) {
        let run = self.running[usize::from(cpu)].take_if(|run| run.task == task);
        self.done.runs.extend(run);
    }

    fn finish(mut self, steps: u32) -> Schedule {
        self.done.runs.extend(self.running.into_iter().flatten());
        for task in 0..self.asleep.len() {
            if let Some((cpu, start)) = self.asleep[task].filter(|&(_, start)| start < steps) {
                self.done.sleeps.push((cpu, Span { start, end: steps, what: task as u32 }));
            }
        }
        self.done
    }
}

/// The task gives its CPU up until somebody wakes it.
fn falls_asleep(record: &Record) -> bool {
    match record.op {
        Op::Sleep | Op::Idle | Op::WaitForCompletion { .. } | Op::WaitPage { .. } => record.outcome.ret == 1,
        Op::DownWait { class, .. } => class.sleeps(),
        _ => false,
    }
}
