//! Who could go on at a step.

use sim_core::engine::Timeline;
use sim_core::machine::{LockClass, Machine, TaskRun};
use sim_core::scenario::{SCENARIOS, Scenario};

use crate::session::Side;

/// What a task is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It makes the next step.
    Next,
    /// It could.
    Ready,
    /// It cannot go on.
    Held,
    /// It has finished.
    Done,
}

/// A task at a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// CPU that it is on.
    pub cpu: u8,
    /// What it does.
    pub name: &'static str,
    /// Whether it could go on.
    pub standing: Standing,
    /// The same in words.
    pub words: String,
}

/// All tasks at the cursor of a side, by CPU.
pub fn tasks(side: &Side) -> Vec<Task> {
    let timeline = &side.track.run.timeline;
    let step = timeline.cursor();
    let decision = timeline.decision(step);
    let next = timeline.records().get(step).map(|record| record.task);
    let machine = &timeline.world().machine;
    let task = |(id, state): (u8, &sim_core::machine::TaskState)| {
        let alone = decision.is_none();
        let ready = decision.is_some_and(|decision| decision.ready.iter().any(|ready| ready.task == id));
        let (standing, words) = if next == Some(id) {
            let words = if alone { "goes on; nobody else can" } else { "goes next" };
            (Standing::Next, words.to_string())
        } else if ready {
            (Standing::Ready, "could go on".to_string())
        } else if state.run == TaskRun::Done {
            (Standing::Done, "has finished".to_string())
        } else {
            (Standing::Held, held(timeline, machine, state.run))
        };
        Task {
            cpu: state.cpu,
            name: timeline.task_names().get(usize::from(id)).copied().unwrap_or(""),
            standing,
            words,
        }
    };
    let mut tasks: Vec<Task> = (0u8..).zip(&machine.tasks).map(task).collect();
    tasks.sort_by_key(|task| task.cpu);
    tasks
}

fn held(timeline: &Timeline, machine: &Machine, run: TaskRun) -> String {
    match run {
        TaskRun::Waits(lock) => {
            let holder = machine.holder(lock).map(|task| machine.tasks[usize::from(task)].cpu);
            let held = holder.map_or(String::new(), |cpu| format!(", held on CPU {cpu}"));
            match lock.class {
                LockClass::Page => format!("waits for the lock of page frame {}{held}", lock.index),
                class => format!("waits for {} {}{held}", class.words(), lock.index),
            }
        }
        TaskRun::Sleeps => "asleep".into(),
        _ if timeline.cursor() == timeline.len() => "stopped with the run".into(),
        _ => "waits for its turn on the CPU".into(),
    }
}

/// Scenarios in which there is a choice, for those in which there is none: of the same series first.
pub fn somewhere_else(scenario: &Scenario) -> Vec<&'static Scenario> {
    let series = scenario.series();
    let known = |name: &&str| SCENARIOS.iter().find(|other| other.name == *name);
    let mut all: Vec<&Scenario> = WITH_A_CHOICE.iter().filter_map(known).collect();
    all.sort_by_key(|other| other.series().name != series.name);
    all.truncate(3);
    all
}

/// Some of the scenarios that have a choice; a test holds each against its run.
const WITH_A_CHOICE: [&str; 6] =
    ["munlock-two-cpus", "munlock-truncate", "munlock-reclaim", "lru-drain", "madvise-free-race", "pcp-hang"];

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::scenario::RunSpec;

    #[test]
    fn where_there_is_said_to_be_a_choice_there_is_one() {
        for name in WITH_A_CHOICE {
            let Ok(scenario) = Scenario::find(name) else { panic!("no {name}: {:?}", names()) };
            let run = RunSpec::of(scenario, scenario.sides.0).unwrap().record_within(400_000).unwrap();
            assert!(!run.timeline.choices().is_empty(), "{name}");
        }
    }

    fn names() -> Vec<&'static str> {
        SCENARIOS.iter().map(|scenario| scenario.name).collect()
    }
}
