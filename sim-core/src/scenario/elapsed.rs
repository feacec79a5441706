//! How long the programs of a machine with clocks take.

use super::RunSpec;
use crate::machine::Machine;

/// Ticks until the last program has exited: the highest of their clocks, which start at 0 or later. Threads of the kernel
/// and the bystander of `madvise-free`, which measures nothing, are left out; 0 on a machine without clocks.
pub fn elapsed_ticks(spec: &RunSpec, machine: &Machine) -> u64 {
    let Some(swap) = &machine.swap else { return 0 };
    let bystander = (spec.params.get("bystander") > 0).then(|| spec.params.get("processes") as usize);
    let daemon = |task: usize| machine.tasks.get(task).is_some_and(|task| task.daemon);
    let programs = swap.clocks.iter().enumerate().filter(|&(task, _)| Some(task) != bystander && !daemon(task));
    programs.map(|(_, &clock)| clock).max().unwrap_or(0)
}
