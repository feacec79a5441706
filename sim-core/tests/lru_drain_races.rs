//! lru_add_drain_all against somebody else: each race comes out as it must, and breaks only where the barrier is gone.

mod common;

use common::{cases, event, run, run_as};
use proptest::prelude::*;
use sim_core::engine::Timeline;
use sim_core::kernel::source::function;
use sim_core::ledger::{Count, How};
use sim_core::machine::{Event, LockClass, Machine, PageFlag, Pfn, Pv, Stat};
use sim_core::op::Op;
use sim_core::scenario::{Kind, Param, RunSpec, SCENARIOS, SpecError};
use sim_core::view::{LineState, PagevecKind};

const INACTIVE_ANON: u8 = 0;
const UNEVICTABLE: u8 = 4;
const LISTS: [&str; 6] = ["inactive_anon", "active_anon", "inactive_file", "active_file", "unevictable", "all"];

/// The run of a scenario at its end, which nothing may break.
fn whole(scenario: &str, variant: &str, params: &[(&str, &str)]) -> Timeline {
    let timeline = at_its_end(scenario, variant, params);
    assert_eq!(timeline.violation(), None, "{scenario} {variant} {params:?}");
    timeline
}

fn at_its_end(scenario: &str, variant: &str, params: &[(&str, &str)]) -> Timeline {
    let mut timeline = run(scenario, variant, params).timeline;
    timeline.seek(timeline.len());
    timeline
}

fn count(timeline: &Timeline, count: Count) -> u64 {
    timeline.world().ledger.count(count)
}

fn waiting(machine: &Machine, cpu: u8) -> u8 {
    machine.pagevec(Pv { kind: PagevecKind::LruAdd, owner: cpu }).nr
}

fn list_of(machine: &Machine, page: Pfn) -> Option<u8> {
    (0..5).find(|&lru| machine.list(0, lru).any(|listed| listed == page))
}

/// Step after which the first call of a function has returned.
fn returned(timeline: &Timeline, name: &str) -> usize {
    timeline.frames().iter().find(|frame| frame.func.name == name).map(|frame| frame.end as usize).unwrap()
}

fn calls(timeline: &Timeline, name: &str) -> usize {
    timeline.frames().iter().filter(|frame| frame.func.name == name).count()
}

#[test]
fn a_page_added_just_after_the_look_is_missed() {
    for variant in ["async", "selective"] {
        let end = whole("lru-drain-check", variant, &[("change", "added")]);
        assert_eq!(count(&end, Count::WorksQueued), 0, "{variant}");
        assert_eq!(waiting(&end.world().machine, 1), 1, "{variant}: nobody has drained it");
    }
}

#[test]
fn a_drain_just_after_the_look_makes_the_work_useless() {
    for variant in ["async", "selective"] {
        let end = whole("lru-drain-check", variant, &[("change", "drained")]);
        assert_eq!(count(&end, Count::WorksQueued), 1, "{variant}");
        assert_eq!(waiting(&end.world().machine, 1), 0, "{variant}");
        // The kworker ran, and no drain that is counted found anything on CPU 1.
        let counted = end.records().iter().filter(|record| record.counted && record.cpu == 1);
        let moved = counted.filter(|record| matches!(record.op, Op::ListAdd { .. })).count();
        assert_eq!((moved, calls(&end, "lru_add_drain_per_cpu")), (0, 1), "{variant}");
    }
}

#[test]
fn a_work_item_that_is_pending_is_not_queued_again() {
    let end = whole("lru-drain-requeue", "async", &[("meets", "pending")]);
    assert_eq!(count(&end, Count::WorksQueued), 1);
    assert_eq!(calls(&end, "schedule_work_on"), 2);
    assert_eq!(calls(&end, "process_one_work"), 1);
    assert_eq!(count(&end, Count::Ipis), 1);
}

#[test]
fn a_work_item_that_runs_is_queued_again_and_runs_twice_in_turn() {
    let end = whole("lru-drain-requeue", "async", &[("meets", "running")]);
    assert_eq!(count(&end, Count::WorksQueued), 2);
    assert_eq!(calls(&end, "process_one_work"), 2);
    // The kworker was awake when the second one came.
    assert_eq!(count(&end, Count::Ipis), 1);
    let runs: Vec<_> = end.frames().iter().filter(|frame| frame.func.name == "process_one_work").collect();
    assert!(runs[0].end <= runs[1].start, "never at once");
    assert_eq!(waiting(&end.world().machine, 2), 0);
}

#[test]
fn two_callers_with_work_items_of_their_own_get_two_works_on_every_cpu() {
    for meets in ["pending", "running"] {
        let end = whole("lru-drain-requeue", "sync", &[("meets", meets)]);
        assert_eq!(count(&end, Count::WorksQueued), 6, "{meets}");
        assert_eq!(count(&end, Count::PercpuAllocs), 2, "{meets}");
    }
}

#[test]
fn the_callback_of_the_patch_files_a_page_that_was_mlocked_in_a_pagevec() {
    let mut timeline = whole("lru-drain-mlocked", "async", &[]);
    let page = timeline.world().machine.pte(0, 0);
    assert_eq!(list_of(&timeline.world().machine, page), Some(UNEVICTABLE));
    assert_eq!(count(&timeline, Count::WorksQueued), 1);
    // Nothing is counted as culled there.
    assert_eq!(event(timeline.world(), Event::Culled), 0);
    // When mlock returns, the page is mlocked and still waits: Mlocked and Unevictable differ for a while.
    timeline.seek(returned(&timeline, "sys_mlock"));
    let machine = &timeline.world().machine;
    assert_eq!(waiting(machine, 1), 1);
    assert_eq!((machine.stat(Stat::Mlock), machine.stat(Stat::Unevictable)), (1, 0));
}

#[test]
fn the_old_callback_puts_it_on_an_evictable_list() {
    let timeline = whole("lru-drain-mlocked", "async", &[("old_callback", "true")]);
    let machine = &timeline.world().machine;
    let page = machine.pte(0, 0);
    assert_eq!(list_of(machine, page), Some(INACTIVE_ANON));
    assert!(machine.page(page).has(PageFlag::Mlocked), "only reclaim moves it from here");
}

#[test]
fn a_drain_before_mlock_lets_it_isolate_the_page() {
    for variant in ["sync", "selective"] {
        let mut timeline = whole("lru-drain-mlocked", variant, &[]);
        let page = timeline.world().machine.pte(0, 0);
        timeline.seek(returned(&timeline, "sys_mlock"));
        let machine = &timeline.world().machine;
        assert_eq!(list_of(machine, page), Some(UNEVICTABLE), "{variant}");
        assert_eq!((machine.stat(Stat::Mlock), machine.stat(Stat::Unevictable)), (1, 1), "{variant}");
        assert_eq!(event(timeline.world(), Event::Culled), 1, "{variant}");
    }
}

#[test]
fn without_a_drain_the_page_waits_until_somebody_else_drains() {
    for (variant, unevictable) in [("none", false), ("today", true)] {
        let mut timeline = whole("lru-drain-mlocked", variant, &[]);
        let machine = &timeline.world().machine;
        let page = machine.page(machine.pte(0, 0));
        assert!(page.has(PageFlag::Mlocked) && page.has(PageFlag::Lru), "{variant}");
        assert_eq!(page.has(PageFlag::Unevictable), unevictable, "{variant}");
        assert_eq!(count(&timeline, Count::WorksQueued), 0, "{variant}");
        timeline.seek(returned(&timeline, "sys_mlock"));
        assert_eq!(waiting(&timeline.world().machine, 1), 1, "{variant}");
    }
}

#[test]
fn the_second_look_saves_a_page_that_is_munlocked_meanwhile() {
    let timeline = whole("lru-drain-barrier", "async", &[("hoisted", "none")]);
    let machine = &timeline.world().machine;
    let page = machine.pte(0, 0);
    assert!(!machine.page(page).has(PageFlag::Mlocked));
    assert!(!machine.page(page).has(PageFlag::Unevictable));
    // It was on the unevictable list, and the redo took it off.
    let cleared = timeline.world().ledger.flag(PageFlag::Unevictable, How::Clear);
    let passed = timeline.records().iter().any(|record| record.op == Op::ListAdd { lru: UNEVICTABLE, page });
    assert!(passed && cleared > 0);
}

#[test]
fn without_the_barrier_the_page_is_stranded() {
    let timeline = at_its_end("lru-drain-barrier", "async", &[("hoisted", "both")]);
    let violation = timeline.violation().expect("the page is stranded");
    assert_eq!(violation.rule, "13: no evictable page is stranded on the unevictable list");
    let machine = &timeline.world().machine;
    let page = machine.page(machine.pte(0, 0));
    assert!(page.has(PageFlag::Unevictable) && !page.has(PageFlag::Mlocked));
    // The kernel before the patch has nothing to hoist.
    whole("lru-drain-barrier", "sync", &[("hoisted", "both")]);
}

#[test]
fn an_early_first_look_is_benign() {
    let timeline = whole("lru-drain-barrier", "async", &[("hoisted", "first")]);
    let machine = &timeline.world().machine;
    let page = machine.pte(0, 0);
    assert_eq!(list_of(machine, page), Some(INACTIVE_ANON));
    assert!(machine.page(page).has(PageFlag::Mlocked));
}

#[test]
fn the_patch_looks_at_lru_add_pagevecs_only() {
    for kind in ["rotate", "deactivate", "activate"] {
        for (variant, works, left) in
            [("sync", 4, 0), ("async", 0, 4), ("selective", 4, 0), ("none", 4, 0), ("today", 3, 0)]
        {
            let run = run("lru-drain-all", variant, &[("in", kind)]);
            let known = run.claims().iter().all(|claim| claim.holds || claim.known);
            assert!(known, "{variant}, {kind}: {:?}", run.claims());
            let mut timeline = run.timeline;
            assert_eq!(timeline.violation(), None, "{variant}, {kind}");
            timeline.seek(timeline.len());
            assert_eq!(count(&timeline, Count::WorksQueued), works, "{variant}, {kind}");
            let held: u32 = timeline.world().machine.pagevecs.iter().map(|pagevec| u32::from(pagevec.nr)).sum();
            assert_eq!(held, left, "{variant}, {kind}");
        }
    }
}

#[test]
fn a_work_item_drains_all_kinds_once_it_is_queued() {
    for (variant, works) in [("sync", 4), ("async", 4), ("selective", 4), ("none", 4), ("today", 3)] {
        let timeline = whole("lru-drain-all", variant, &[]);
        assert_eq!(count(&timeline, Count::WorksQueued), works, "{variant}");
        let held: u32 = timeline.world().machine.pagevecs.iter().map(|pagevec| u32::from(pagevec.nr)).sum();
        assert_eq!(held, 0, "{variant}");
    }
}

#[test]
fn later_kernels_queue_what_real_ones_do() {
    // Recorded on real kernels, 4 CPUs with pages on each: 6.1 queues 4 works a call, 7.2 three and a direct drain.
    let timeline = whole("lru-drain-all", "none", &[]);
    assert_eq!(calls(&timeline, "lru_add_drain_per_cpu"), 4);
    let timeline = whole("lru-drain-all", "today", &[]);
    assert_eq!(calls(&timeline, "lru_add_drain_per_cpu"), 3);
    let direct = timeline.frames().iter().find(|frame| frame.func.name == "lru_add_drain").unwrap();
    assert_eq!(direct.task, 0, "the caller drains its own CPU");
}

#[test]
fn callers_of_today_share_a_drain() {
    // The second one sampled the generation before the first one raised it, so its pages are in that drain.
    let timeline = whole("lru-drain-all", "today", &[("callers", "2")]);
    let held: u32 = timeline.world().machine.pagevecs.iter().map(|pagevec| u32::from(pagevec.nr)).sum();
    assert_eq!(held, 0);
    assert_eq!(timeline.world().machine.work.drain_gen, 1);
    assert_eq!(calls(&timeline, "queue_where_needed"), 1);
    let both = whole("lru-drain-all", "selective", &[("callers", "2")]);
    assert_eq!(calls(&both, "queue_where_needed"), 2);
}

#[test]
fn a_work_item_of_a_cpu_that_goes_down_runs_elsewhere() {
    let timeline = whole("lru-drain-hotplug", "async", &[]);
    assert_eq!(count(&timeline, Count::WorksQueued), 1);
    let work = timeline.frames().iter().find(|frame| frame.func.name == "lru_add_drain_per_cpu").unwrap();
    let cpu = timeline.records()[work.start as usize].cpu;
    assert_eq!(cpu, 2, "on the CPU that the kworker went to");
    // The hotplug callback has drained the dead CPU.
    assert_eq!(waiting(&timeline.world().machine, 1), 0);
    assert_eq!(calls(&timeline, "drain_cpu_pagevecs"), 1);
}

#[test]
fn before_the_patch_a_cpu_cannot_go_down_meanwhile() {
    let timeline = whole("lru-drain-hotplug", "sync", &[]);
    let down = timeline.records().iter().position(|record| matches!(record.op, Op::Offline { .. })).unwrap();
    let put = Op::Up { class: LockClass::Hotplug, write: false, index: 0 };
    let free = timeline.records().iter().position(|record| record.op == put).unwrap();
    assert!(down > free, "get_online_cpus keeps it up");
    assert_eq!(count(&timeline, Count::WorksQueued), 3);
}

#[test]
fn a_cpu_that_lets_nobody_run_holds_up_those_who_wait() {
    for busy in ["200", "900"] {
        for (variant, held_up) in
            [("sync", true), ("async", false), ("selective", true), ("none", false), ("today", false)]
        {
            let timeline = whole("lru-drain-starved", variant, &[("busy", busy)]);
            let busy_until =
                timeline.records().iter().rposition(|record| matches!(record.op, Op::Exit) && record.cpu == 1);
            let waits = returned(&timeline, "sys_mlock") > busy_until.unwrap();
            assert_eq!(waits, held_up, "{variant}, {busy}");
        }
    }
}

#[test]
fn the_scripts_are_taken_back_step_by_step() {
    for scenario in SCENARIOS.iter().filter(|scenario| scenario.name.starts_with("lru-drain")) {
        for variant in scenario.variants {
            let mut timeline = run(scenario.name, variant.name, &[]).timeline;
            let start = timeline.world().clone();
            timeline.seek(timeline.len());
            let end = timeline.world().clone();
            timeline.seek(0);
            assert_eq!(*timeline.world(), start, "{} {}", scenario.name, variant.name);
            timeline.seek(timeline.len());
            assert_eq!(*timeline.world(), end, "{} {}", scenario.name, variant.name);
        }
    }
}

/// Any scenario of the series with any parameters.
fn asked() -> impl Strategy<Value = (&'static str, &'static str, Vec<(&'static str, String)>, u64)> {
    let scenarios: Vec<usize> =
        (0..SCENARIOS.len()).filter(|&at| SCENARIOS[at].name.starts_with("lru-drain")).collect();
    let numbers = (1u32..7, 1u32..6, 0u32..7, 1u32..14, 1u32..60);
    (prop::sample::select(scenarios), any::<prop::sample::Index>(), numbers, 0usize..4, any::<u64>()).prop_map(
        |(scenario, variant, (cpus, mlocks, filled, waiting, busy), choice, seed)| {
            let scenario = &SCENARIOS[scenario];
            let value = |name| match name {
                "cpus" => cpus.to_string(),
                "mlocks" => mlocks.to_string(),
                "filled_cpus" => filled.to_string(),
                "waiting" => waiting.to_string(),
                "busy" => busy.to_string(),
                "callers" => (1 + choice % 2).to_string(),
                "change" => ["added", "drained"][choice % 2].to_string(),
                "meets" => ["pending", "running"][choice % 2].to_string(),
                "old_callback" => (choice % 2 == 0).to_string(),
                // With both reads hoisted a page may be stranded, which has a test of its own.
                "hoisted" => ["none", "first"][choice % 2].to_string(),
                "in" => ["lru_add", "rotate", "deactivate", "activate"][choice].to_string(),
                "lists" => LISTS[busy as usize % LISTS.len()].to_string(),
                other => panic!("{other}"),
            };
            let least = |param: &Param| if let Kind::Number { min, .. } = param.kind { min } else { 0 };
            let value = |param: &Param| match value(param.name).parse::<u32>() {
                Ok(number) => number.max(least(param)).to_string(),
                Err(_) => value(param.name),
            };
            let params = scenario.params.iter().map(|param| (param.name, value(param))).collect();
            let variant = scenario.variants[variant.index(scenario.variants.len())].name;
            (scenario.name, variant, params, seed)
        },
    )
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn no_order_of_steps_breaks_a_rule((scenario, variant, params, seed) in asked()) {
        let spec = RunSpec::new(scenario, variant).unwrap();
        let spec = params.iter().fold(spec, |spec, (name, value)| spec.set(name, value).unwrap());
        let run = match spec.schedule(&format!("seed:{seed}")).unwrap().record() {
            Ok(run) => run,
            Err(SpecError::Together(_)) => return Ok(()),
            Err(error) => panic!("{error}"),
        };
        prop_assert_eq!(run.timeline.violation(), None);
        prop_assert!(run.claims().iter().all(|claim| claim.holds || claim.known), "{:?}", run.claims());
        let mut timeline = run.timeline;
        let start = timeline.world().clone();
        timeline.seek(timeline.len());
        let end = timeline.world().clone();
        while timeline.back() {}
        prop_assert_eq!(timeline.world(), &start);
        while timeline.forward() {}
        prop_assert_eq!(timeline.world(), &end);
    }
}

#[test]
fn a_search_for_the_missing_barrier_finds_it_and_nothing_else() {
    let stranded = |hoisted: &str| {
        (0..200)
            .filter(|seed| {
                let params = [("hoisted", hoisted)];
                let run = run_as("lru-drain-barrier", "async", &params, &format!("seed:{seed}"));
                run.timeline.violation().is_some_and(|violation| violation.rule.starts_with("13:"))
            })
            .count()
    };
    assert_eq!(stranded("none"), 0);
    assert_eq!(stranded("first"), 0);
    assert!(stranded("both") > 0);
}

#[test]
fn who_has_waited_finds_every_pagevec_empty() {
    for variant in ["sync", "selective", "none", "today"] {
        for seed in 0..60 {
            for callers in ["1", "2"] {
                let params = [("callers", callers), ("cpus", "3"), ("filled_cpus", "3")];
                let mut timeline = run_as("lru-drain-all", variant, &params, &format!("seed:{seed}")).timeline;
                assert_eq!(timeline.violation(), None, "{variant}, seed {seed}");
                let calls = timeline.frames().iter().filter(|frame| frame.func.name == "lru_add_drain_all");
                let ends: Vec<u32> = calls.map(|frame| frame.end).collect();
                assert_eq!(ends.len().to_string(), callers);
                for end in ends {
                    timeline.seek(end as usize);
                    let left: u8 = (0..3).map(|cpu| waiting(&timeline.world().machine, cpu)).sum();
                    assert_eq!(left, 0, "{variant}, seed {seed}, {callers} callers");
                }
            }
        }
    }
}

#[test]
fn the_local_drains_of_later_kernels_are_those_of_real_ones() {
    // 7.2: two around the walk of mlock, one for populate. 4.15: one for each page of populate.
    for (variant, drains) in [("none", 1), ("today", 3)] {
        let timeline = whole("lru-drain", variant, &[("mlocks", "1")]);
        assert_eq!(calls(&timeline, "lru_add_drain"), drains, "{variant}");
    }
}

#[test]
fn the_lanes_show_calls_works_and_sleeps() {
    let timeline = whole("lru-drain", "sync", &[]);
    let lanes = timeline.lanes(sim_core::machine::LockClass::Lru);
    assert_eq!(lanes.blocks.len(), 3, "a block for each call");
    // Drain works and the barriers behind them.
    let works = count(&timeline, Count::WorksQueued) + count(&timeline, Count::BarrierWorks);
    assert_eq!(lanes.works.len() as u64, works);
    assert_eq!(lanes.sleeps.len() as u64, count(&timeline, Count::Sleeps));
    assert!(lanes.works.iter().any(|span| span.cpu == 3));
    assert!(lanes.functions.iter().any(|span| span.name == "lru_add_drain_all"));
    let lanes = whole("lru-drain", "async", &[]).lanes(sim_core::machine::LockClass::Lru);
    assert_eq!((lanes.works.len(), lanes.sleeps.len()), (1, 0));
}

#[test]
fn the_picture_says_who_waits_for_whom() {
    let mut timeline = run("lru-drain", "sync", &[("mlocks", "1")]).timeline;
    let mut waited = Vec::new();
    while timeline.forward() {
        let workqueue = timeline.view().workqueue.unwrap();
        for wait in &workqueue.waits {
            assert_eq!((wait.task, wait.cpu), ("mlock", 0));
            if !waited.contains(&wait.on) {
                waited.push(wait.on);
            }
        }
        let queued: usize = workqueue.pools.iter().map(|pool| pool.queued.len()).sum();
        assert!(queued <= 8);
    }
    assert_eq!(waited[0], 0, "its own CPU first");
    assert_eq!(waited.len() as u64, count(&timeline, Count::Sleeps));
}

#[test]
fn every_step_lights_the_line_that_made_it() {
    for scenario in SCENARIOS.iter().filter(|scenario| scenario.name.starts_with("lru-drain")) {
        for variant in scenario.variants {
            let busy = scenario.params.iter().any(|param| param.name == "busy");
            let params: &[(&str, &str)] = if busy { &[("busy", "20")] } else { &[] };
            let mut timeline = run(scenario.name, variant.name, params).timeline;
            while timeline.forward() {
                let Some(record) = timeline.last().filter(|record| record.frame().is_some()) else { continue };
                let context = format!("{} {}, step {}", scenario.name, variant.name, timeline.cursor());
                let line = timeline.site(record.site).line();
                let listing = timeline.listing(9);
                let lit: Vec<_> = listing.lines.iter().filter(|line| line.state == LineState::Running).collect();
                assert_eq!(lit.len(), 1, "{context}");
                assert_eq!(lit[0].number, line, "{context}");
                assert!(lit[0].text.contains(".await"), "{context}: {}", lit[0].text);
            }
        }
    }
}

#[test]
fn lines_that_a_kernel_does_not_have_are_dimmed() {
    let absent = |variant: &str, text: &str| {
        let timeline = run("lru-drain", variant, &[("mlocks", "1")]).timeline;
        let func =
            timeline.frames().iter().find(|frame| frame.func.name == "sys_mlock").map(|frame| frame.func).unwrap();
        let lines = function(func.source, func.line, *timeline.config());
        let at = lines.iter().position(|line| line.text.trim() == text).unwrap();
        lines[at].absent
    };
    let (sync, later) = ("lru_add_drain_all(cpu).await;", "lru_add_drain_all_async(cpu).await;");
    for (variant, before, after) in
        [("sync", false, true), ("async", true, false), ("selective", false, true), ("none", true, true)]
    {
        assert_eq!((absent(variant, sync), absent(variant, later)), (before, after), "{variant}");
    }
}

#[test]
fn a_cpu_shows_what_it_is_at() {
    let mut timeline = run("lru-drain", "sync", &[("mlocks", "1")]).timeline;
    let mut seen = Vec::new();
    while timeline.forward() {
        let record = *timeline.last().unwrap();
        let task = timeline.view().cpus[usize::from(record.cpu)].task.clone();
        let name = timeline.task_names()[usize::from(record.task)];
        let stopped = matches!(record.op, Op::Idle | Op::WaitForCompletion { .. } | Op::Exit);
        assert!(stopped || task.as_deref() == Some(name), "step {}: {task:?}", timeline.cursor());
        if !seen.contains(&(record.cpu, name)) {
            seen.push((record.cpu, name));
        }
    }
    assert!(seen.contains(&(0, "mlock")) && seen.contains(&(0, "kworker")) && seen.contains(&(3, "kworker")));
}
