//! kernel/workqueue.c of 3.2: work items, the kworker of each CPU, and waiting for a work item.

use sim_macros::{kernel, look};

use super::lru_drain::lru_add_drain_per_cpu;
use crate::engine::Cpu;
use crate::machine::{NO_WORK, WorkFunc, WorkId};

/// Behind everything that is queued.
const TAIL: u8 = u8::MAX;

/// Queues a work item on a CPU. A work item that is pending already stays where it is, and the result is false; the
/// pending bit goes before the function runs, so that queuing it meanwhile runs it once more.
#[kernel("kernel/workqueue.c", "3.2")]
pub async fn schedule_work_on(cpu: &Cpu, on: u8, work: WorkId) -> bool {
    if cpu.test_set_work_pending(work).await {
        return false;
    }
    cpu.lock_pool(on).await;
    insert_work(cpu, on, work, TAIL, false).await;
    cpu.unlock_pool(on).await;
    true
}

/// Links a work item and wakes the worker where it idles. On another CPU that takes a reschedule IPI.
#[kernel("kernel/workqueue.c", "3.2")]
pub async fn insert_work(cpu: &Cpu, on: u8, work: WorkId, at: u8, barrier: bool) {
    cpu.list_add_work(work, on, at, barrier).await;
    cpu.smp_mb().await;
    if worker_is_idle(cpu, on) {
        cpu.wake_worker(on, is_remote(cpu, on)).await;
    }
}

/// Waits until a work item has run: a barrier work behind it, and a sleep until that one completes. False where it has
/// run already. Departs from 3.2 in the lock of the completion's wait queue, which is left out.
#[kernel("kernel/workqueue.c", "3.2")]
pub async fn flush_work(cpu: &Cpu, on: u8, work: WorkId) -> bool {
    let barrier = barrier_of_task(cpu);
    cpu.lock_pool(on).await;
    let place = place_behind(cpu, on, work);
    if place == TAIL {
        cpu.unlock_pool(on).await;
        return false;
    }
    cpu.init_work(barrier).await;
    insert_work(cpu, on, barrier, place, true).await;
    cpu.unlock_pool(on).await;
    while cpu.wait_for_completion(barrier).await {}
    true
}

/// What a kworker does each time it wakes up: runs what is queued, then idles. Departs from 3.2 in that a pool has one
/// worker, which neither dies nor makes another one when a work item sleeps.
#[kernel("kernel/workqueue.c", "3.2")]
pub async fn worker_thread(cpu: &Cpu, pool: u8) {
    cpu.lock_pool(pool).await;
    while cpu.next_work(pool).await {
        process_one_work(cpu, pool).await;
    }
    cpu.unlock_pool(pool).await;
    cpu.idle().await;
}

/// Runs one work item without the pool's lock.
#[kernel("kernel/workqueue.c", "3.2")]
pub async fn process_one_work(cpu: &Cpu, pool: u8) {
    let work = cpu.take_work(pool).await as WorkId;
    cpu.clear_work_pending(work).await;
    cpu.unlock_pool(pool).await;
    if is_barrier(cpu, work) {
        cpu.complete(work).await;
    } else {
        lru_add_drain_per_cpu(cpu).await;
    }
    cpu.lock_pool(pool).await;
    cpu.end_work(pool).await;
}

#[look]
#[inline(always)]
fn worker_is_idle(cpu: &Cpu, on: u8) -> bool {
    cpu.machine().work.pools[on as usize].idle
}

#[look]
#[inline(always)]
fn is_remote(cpu: &Cpu, on: u8) -> bool {
    cpu.id() != on
}

#[look]
#[inline(always)]
fn is_barrier(cpu: &Cpu, work: WorkId) -> bool {
    cpu.machine().work.item(work).func == WorkFunc::Barrier
}

#[look]
#[inline(always)]
fn barrier_of_task(cpu: &Cpu) -> WorkId {
    cpu.machine().work.barrier_work(cpu.task)
}

/// Where a barrier for a work item goes: right behind it, or first in line while it runs. [`TAIL`] where it is neither.
#[look]
fn place_behind(cpu: &Cpu, on: u8, work: WorkId) -> u8 {
    let machine = cpu.machine();
    let pool = &machine.work.pools[on as usize];
    match pool.list.iter().position(|&queued| queued == work) {
        Some(at) => at as u8 + 1,
        None if pool.current == work && work != NO_WORK => 0,
        None => TAIL,
    }
}
