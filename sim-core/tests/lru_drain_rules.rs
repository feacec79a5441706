//! The rules of work items: code that breaks one is stopped, and the rule is named.

mod common;

use common::spec;
use sim_core::engine::{Checker, Cpu, Engine, Setup, Timeline};
use sim_core::kernel::lru_drain::lru_add_drain_per_cpu;
use sim_core::machine::TaskRun;

/// A task on CPU 0 of a machine with four kworkers that never wake up.
fn broken_by<F, Fut>(task: F) -> Timeline
where
    F: FnOnce(Cpu) -> Fut,
    Fut: std::future::Future<Output = ()> + 'static,
{
    let mut engine = spec("lru-drain", "async", &[]).start(false).unwrap();
    let checker = Some(Checker::new(engine.config(), &engine.world().machine));
    engine.begin(Setup { checker, ..Setup::default() }, false);
    engine.spawn("task", 0, task);
    sleeping_workers(&mut engine);
    engine.run().unwrap();
    engine.into_timeline()
}

fn sleeping_workers(engine: &mut Engine) {
    for pool in 0..4 {
        let worker = engine.spawn_daemon("kworker", pool, |cpu| async move { cpu.idle().await });
        let mut machine = engine.machine_mut();
        machine.work.pools[usize::from(pool)].worker = worker;
        machine.tasks[usize::from(worker)].run = TaskRun::Sleeps;
    }
}

#[track_caller]
fn assert_rule<F, Fut>(rule: &str, task: F)
where
    F: FnOnce(Cpu) -> Fut,
    Fut: std::future::Future<Output = ()> + 'static,
{
    let timeline = broken_by(task);
    let found = timeline.violation().map(|violation| violation.rule);
    assert!(found.is_some_and(|found| found.starts_with(rule)), "{rule}: {found:?}");
}

#[test]
fn a_worklist_changes_under_its_lock() {
    assert_rule("W5", |cpu| async move {
        cpu.test_set_work_pending(1).await;
        cpu.list_add_work(1, 1, u8::MAX, false).await;
    });
    assert_rule("W5", |cpu| async move {
        cpu.lock_pool(0).await;
        cpu.next_work(1).await;
    });
}

#[test]
fn what_is_queued_is_pending_and_queued_once() {
    assert_rule("W1", |cpu| async move {
        cpu.lock_pool(1).await;
        cpu.list_add_work(1, 1, u8::MAX, false).await;
    });
    assert_rule("W1", |cpu| async move {
        cpu.test_set_work_pending(1).await;
        cpu.lock_pool(1).await;
        cpu.list_add_work(1, 1, u8::MAX, false).await;
        cpu.list_add_work(1, 1, u8::MAX, false).await;
    });
}

#[test]
fn a_work_item_runs_on_its_cpu() {
    assert_rule("W5", |cpu| async move {
        cpu.test_set_work_pending(1).await;
        cpu.lock_pool(1).await;
        cpu.list_add_work(1, 1, u8::MAX, false).await;
        cpu.take_work(1).await;
    });
}

#[test]
fn a_worker_takes_what_is_queued_and_ends_what_it_took() {
    assert_rule("W3", |cpu| async move {
        cpu.lock_pool(0).await;
        cpu.take_work(0).await;
    });
    assert_rule("W3", |cpu| async move {
        cpu.lock_pool(0).await;
        cpu.end_work(0).await;
    });
}

#[test]
fn pending_is_cleared_before_the_function_runs() {
    assert_rule("W4", |cpu| async move {
        cpu.test_set_work_pending(0).await;
        cpu.lock_pool(0).await;
        cpu.list_add_work(0, 0, u8::MAX, false).await;
        cpu.take_work(0).await;
        cpu.unlock_pool(0).await;
        lru_add_drain_per_cpu(&cpu).await;
        cpu.lock_pool(0).await;
        cpu.end_work(0).await;
    });
}

#[test]
fn a_work_item_in_use_is_not_initialised() {
    assert_rule("W2", |cpu| async move {
        cpu.test_set_work_pending(0).await;
        cpu.lock_pool(0).await;
        cpu.list_add_work(0, 0, u8::MAX, false).await;
        cpu.init_work(0).await;
    });
}

#[test]
fn a_work_item_does_not_run_twice_at_once() {
    assert_rule("W2", |cpu| async move {
        for _ in 0..2 {
            cpu.test_set_work_pending(0).await;
            cpu.lock_pool(0).await;
            cpu.list_add_work(0, 0, u8::MAX, false).await;
            cpu.take_work(0).await;
            cpu.clear_work_pending(0).await;
            cpu.unlock_pool(0).await;
        }
    });
}

#[test]
fn nobody_sleeps_for_a_barrier_that_is_not_queued() {
    assert_rule("W6", |cpu| async move {
        cpu.init_work(4).await;
        cpu.wait_for_completion(4).await;
    });
    assert_rule("W6", |cpu| async move { cpu.complete(4).await });
}

#[test]
fn nothing_is_left_over() {
    assert_rule("W7", |cpu| async move {
        cpu.test_set_work_pending(1).await;
    });
    assert_rule("W8", |cpu| async move { cpu.percpu_works(true).await });
}

#[test]
fn a_work_item_that_nobody_wakes_a_worker_for_is_found() {
    // Queued as it must be, but without the wake-up.
    assert_rule("W7", |cpu| async move {
        cpu.test_set_work_pending(1).await;
        cpu.lock_pool(1).await;
        cpu.list_add_work(1, 1, u8::MAX, false).await;
        cpu.unlock_pool(1).await;
    });
}
