//! Work items and the kworkers that run them.

use sim_core::machine::WorkFunc;
use sim_core::view::{PoolView, WorkView, Worker, WorkqueueView};

use super::{Item, Shelf, ShelfRow};
use crate::scene::MarkKind;
use crate::words;

/// Pools up to which each has a row, work or not.
const POOLS: usize = 8;

/// The shelf of the workqueue.
pub(super) fn shelf(work: &WorkqueueView) -> Shelf {
    let busy = |pool: &&PoolView| work.pools.len() <= POOLS || pool.running.is_some() || !pool.queued.is_empty();
    let queued: usize = work.pools.iter().map(|pool| pool.queued.len()).sum();
    let lock = &work.drain_mutex;
    Shelf {
        title: "Work items".into(),
        about: format!("{} queued", words::count(queued as u32, "item", "items")),
        lock: (lock.taken > 0 || lock.holder.is_some()).then(|| lock.clone()),
        first: true,
        rows: work.pools.iter().filter(busy).map(|pool| row(pool, work.touched == Some(pool.cpu))).collect(),
    }
}

fn row(pool: &PoolView, touched: bool) -> ShelfRow {
    let running = pool.running.iter().map(|work| mark(work, MarkKind::Running, touched));
    // Where the step touches the pool, it is the first item in line that it is about.
    let first = touched && pool.running.is_none();
    let queued = pool.queued.iter().enumerate().map(|(at, work)| mark(work, MarkKind::Work, first && at == 0));
    let state = match (pool.online, pool.worker) {
        (false, _) => "the CPU is down",
        (true, Worker::Asleep) => "asleep",
        (true, Worker::Awake) => "awake, nothing to do",
    };
    ShelfRow::new(format!("kworker/{}", pool.cpu))
        .short(format!("kw/{}", pool.cpu))
        .with(running.chain(queued))
        .or_else(state)
}

fn mark(work: &WorkView, kind: MarkKind, now: bool) -> Item {
    let (label, what) = match work.func {
        WorkFunc::LruAddDrain => (format!("d{}", work.owner), format!("drain of CPU {}", work.owner)),
        WorkFunc::Barrier => ("b".to_string(), format!("barrier, task {} waits", work.owner)),
    };
    let state = if kind == MarkKind::Running { "runs" } else { "waits its turn" };
    let pending = if work.pending { ", PENDING" } else { "" };
    Item::Mark(kind, label, format!("{what}, {state}{pending}"), now)
}
