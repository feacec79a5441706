//! Reclaim in the background by kswapd, a task with a CPU and a clock of its own.

use super::{build, claims, variants};
use crate::engine::{Cpu, Engine};
use crate::kernel::vmscan_kswapd::kswapd;
use crate::machine::{Kswapd, TaskRun};
use crate::scenario::Scenario;
use crate::scenario::params::Param;

/// Off, its work is done and paid for by the task that would wake it: the rules that the tables are made by.
pub(super) const KSWAPD: Param =
    Param::flag("kswapd", "kswapd is a task with a CPU of its own, instead of work of the task that would wake it");

// Those of the main scenario, without the bystander and at a size that can be stepped through.
const PARAMS: &[Param] = {
    const P: &[Param] = super::PARAMS;
    &[
        Param { default: 2, ..P[0] },
        Param { default: 24, ..P[1] },
        Param { default: 36, ..P[2] },
        Param { default: 64, ..P[3] },
        Param { default: 2, ..P[4] },
        Param { default: 8, ..P[5] },
        P[7],
        P[8],
        P[9],
        P[10],
        P[11],
        P[12],
        Param { default: 1, ..KSWAPD },
    ]
};

/// Few enough pages to step through.
pub(super) const SCENARIO: Scenario = Scenario {
    name: "madvise-free-kswapd",
    title: "kswapd and direct reclaim",
    summary: "At the low watermark a store wakes kswapd and goes on; at the min watermark it has to reclaim by itself.",
    watch: "Whether kswapd, with its own clock, keeps ahead of the programs or leaves them to direct reclaim.",
    params: PARAMS,
    variants: variants::VARIANTS,
    sides: ("free", "free-swap"),
    build,
    claims: claims::claims,
    compare_claims: claims::compare,
};

/// kswapd0 on a CPU, asleep.
pub(super) fn spawn(engine: &mut Engine, on: u8) {
    let task = engine.spawn_daemon("kswapd0", on, |cpu| async move { serve(&cpu).await });
    let mut machine = engine.machine_mut();
    machine.tasks[usize::from(task)].run = TaskRun::Sleeps;
    machine.swap_mut().kswapd = Kswapd { task, waits: true };
}

async fn serve(cpu: &Cpu) {
    loop {
        kswapd(cpu).await;
    }
}
