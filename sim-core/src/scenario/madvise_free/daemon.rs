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

const PARAMS: &[Param] = &[
    Param::number("processes", 2, 1, 64, "processes, each on a CPU of its own"),
    Param::number("pages", 24, 1, 1 << 20, "pages of 4 KiB that each process fills"),
    Param::number("ram", 36, 16, 1 << 23, "page frames"),
    Param::number("swap", 64, 1, (1 << 24) - 2, "slots of the swap device, a page each"),
    Param::number("loops", 2, 1, 1000, "times that each process fills its pages and calls madvise"),
    Param::number("skew", 8, 0, 1 << 24, "ticks by which each process starts later than the one before it"),
    Param::number("slice", 0, 0, 1024, "pages that reclaim takes at a time; 0 is by the size of ram (8 or 32)"),
    Param::number("min", 0, 0, 1 << 20, "lowest watermark in frames; with low and high 0, by the size of ram"),
    Param::number("low", 0, 0, 1 << 20, "watermark that wakes kswapd"),
    Param::number("high", 0, 0, 1 << 20, "watermark at which kswapd stops"),
    Param::number(
        "ratio",
        1,
        1,
        100,
        "the active list gives up pages when it is longer than the inactive one times this",
    ),
    Param::number("pagevec", 0, 0, 31, "slots of the per-CPU pagevecs; 0 puts every page on its list at once"),
    Param { default: 1, ..KSWAPD },
];

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
