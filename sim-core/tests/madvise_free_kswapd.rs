//! The MADV_FREE series with kswapd as a task of its own: what the tables say in words still holds.

use std::fmt::Write;
use std::path::PathBuf;

use sim_core::engine::{Checker, Cpu, Engine, Outcome, Setup, Timeline};
use sim_core::kernel::vmscan_kswapd::{kswapd, wakeup_kswapd};
use sim_core::ledger::Count;
use sim_core::machine::{Event, Kswapd, Machine, MachineSpec, PcpSpec, Rss, SwapTuning, TaskRun};
use sim_core::op::{AnonOp, Op, text};
use sim_core::scenario::{Run, RunSpec};

const VARIANTS: [&str; 6] = ["dontneed", "free", "free-swap", "v4.5", "v4.12", "today"];
const SCHEDULES: [&str; 5] = ["timed", "round-robin", "turns", "seed:1", "seed:2"];

/// A run small enough to be recorded often: memory is half of what the processes fill.
const SMALL: &[(&str, u32)] = &[
    ("processes", 4),
    ("pages", 32),
    ("ram", 64),
    ("swap", 256),
    ("loops", 3),
    ("skew", 16),
    ("min", 2),
    ("low", 4),
    ("high", 8),
];

fn spec(variant: &str, set: &[(&str, u32)]) -> RunSpec {
    let spec = RunSpec::new("madvise-free", variant).expect("the variant is known");
    set.iter().fold(spec, |spec, (name, value)| spec.set(name, &value.to_string()).expect("the value fits"))
}

fn with_kswapd(variant: &str, set: &[(&str, u32)]) -> RunSpec {
    spec(variant, set).set("kswapd", "true").expect("a flag")
}

fn finished(spec: &RunSpec) -> Engine {
    let mut engine = spec.start(true).expect("the parameters fit together");
    let ended = engine.run().expect("no choices, no error");
    assert_eq!(ended, Outcome::Finished, "{}: {:?}", spec.variant.name, engine.violation());
    engine
}

/// What a run comes to.
#[derive(Clone, Copy, Debug)]
struct Totals {
    swap_in: u64,
    stalls: u64,
    by_kswapd: u64,
    by_tasks: u64,
    elapsed: u64,
}

fn totals(spec: &RunSpec) -> Totals {
    let engine = finished(spec);
    let world = engine.world();
    let event = |event: Event| world.ledger.events[event as usize];
    let processes = spec.params.get("processes") as usize;
    Totals {
        swap_in: event(Event::SwapIn),
        stalls: event(Event::AllocStall),
        by_kswapd: event(Event::ScanKswapd),
        by_tasks: event(Event::ScanDirect),
        elapsed: world.machine.swap().clocks[..processes].iter().copied().max().unwrap_or(0),
    }
}

/// kswapd sleeps on its queue, no frame is lost, and nobody holds a page or a slot.
fn at_rest(what: &str, machine: &Machine) {
    let swap = machine.swap();
    let Kswapd { task, waits } = swap.kswapd;
    assert_eq!(machine.tasks[usize::from(task)].run, TaskRun::Sleeps, "{what}");
    assert!(waits, "{what}");
    let zone = &machine.zones[0];
    let listed: u32 = zone.lru.iter().map(|list| list.entries).sum();
    assert_eq!((zone.free + listed) as usize, machine.pages.len(), "{what}");
    let entries: i64 = (0..machine.mms.len() as u8).map(|mm| swap.rss(mm, Rss::Swap) + swap.rss(mm, Rss::Anon)).sum();
    assert_eq!(entries, 0, "{what}");
}

#[test]
fn what_the_tables_say_in_words_still_holds() {
    let re_touches = 12 * 128 * 4;
    let mut last = u64::MAX;
    for skew in [0, 16, 32, 48, 64, 80] {
        let row = VARIANTS.map(|variant| totals(&with_kswapd(variant, &[("skew", skew)])));
        let [dontneed, free, patched, ..] = row;
        for (found, variant) in row.iter().zip(VARIANTS).filter(|&(_, variant)| variant != "free") {
            assert_eq!(found.swap_in, 0, "{variant} at skew {skew}");
        }
        let percent = free.swap_in * 100 / re_touches;
        assert!((5..60).contains(&percent), "{percent} % at skew {skew}");
        assert!(free.swap_in < last, "swap-ins fall with skew, at {skew}");
        last = free.swap_in;
        if skew <= 64 {
            assert!(dontneed.elapsed < patched.elapsed && patched.elapsed < free.elapsed, "skew {skew}");
        }
    }
}

#[test]
fn both_forms_end_in_the_same_world_whoever_goes_first() {
    for (at, variant) in (0..).zip(VARIANTS) {
        for schedule in SCHEDULES {
            let set: Vec<_> = SMALL.iter().copied().chain([("pagevec", at % 3)]).collect();
            let spec = with_kswapd(variant, &set).schedule(schedule).expect("known");
            let what = format!("{variant} {schedule}");
            let engine = finished(&spec);
            let Run { mut timeline, ledger, .. } = spec.record().expect("short enough");
            assert_eq!(timeline.violation(), None, "{what}");
            timeline.seek(timeline.len());
            assert_eq!(ledger, engine.world().ledger, "{what}");
            assert_eq!(timeline.world().machine.digest(), engine.world().machine.digest(), "{what}");
            // In turns it gets its CPU when the programs are through, and finds nothing left to do.
            let worked = ledger.events[Event::ScanKswapd as usize] > 0;
            assert_eq!(worked, schedule != "turns", "{what}");
            at_rest(&what, &engine.world().machine);
        }
    }
}

#[test]
fn a_recorded_run_can_be_taken_back() {
    for variant in VARIANTS {
        let spec = with_kswapd(variant, SMALL).schedule("seed:3").expect("known");
        let start = spec.start(false).expect("the parameters fit").world().clone();
        let mut timeline = spec.record().expect("it is short enough").timeline;
        timeline.seek(timeline.len());
        let end = timeline.world().clone();
        while timeline.back() {}
        assert_eq!(timeline.world(), &start, "{variant}");
        while timeline.forward() {}
        assert_eq!(timeline.world(), &end, "{variant}");
    }
}

fn small(variant: &str) -> Run {
    RunSpec::new("madvise-free-kswapd", variant).expect("known").record().expect("short enough")
}

#[test]
fn tasks_reclaim_at_the_min_watermark_alone() {
    for variant in VARIANTS {
        let run = small(variant);
        let timeline = &run.timeline;
        let kswapd = timeline.task_names().iter().position(|&name| name == "kswapd0").expect("there is one") as u8;
        let mut short = vec![false; timeline.task_names().len()];
        let (mut slices, mut direct) = (0, 0);
        for record in timeline.records() {
            match record.op {
                Op::Anon(AnonOp::Watermark { mark: 6 }) => short[record.task as usize] = record.outcome.ret == 0,
                Op::Event { event: Event::ScanKswapd, .. } => {
                    assert_eq!(record.task, kswapd, "{variant}");
                    slices += 1;
                }
                Op::Event { event: Event::ScanDirect, .. } => {
                    assert!(record.task != kswapd && short[record.task as usize], "{variant}");
                    direct += 1;
                }
                _ => {}
            }
        }
        assert!(slices > 0 && direct > 0, "{variant}: {slices} slices of kswapd, {direct} of tasks");
    }
}

#[test]
fn kswapd_is_woken_at_the_time_of_its_waker_and_its_work_takes_its_own_time() {
    for variant in VARIANTS {
        let mut timeline = small(variant).timeline;
        let kswapd = timeline.world().machine.swap().kswapd.task;
        let (mut wakes, mut worked) = (0, 0);
        let mut before = 0;
        while timeline.forward() {
            let record = *timeline.last().expect("a step has been made");
            let machine = &timeline.world().machine;
            let now = machine.clock_of(kswapd);
            match record.op {
                Op::Anon(AnonOp::WakeKswapd) if record.outcome.ret == 1 => {
                    assert_eq!(now, before.max(machine.clock_of(record.task)), "{variant}");
                    assert!(machine.zones[0].free <= machine.swap().tuning.marks[1], "{variant}: only when it is low");
                    wakes += 1;
                }
                Op::Anon(AnonOp::Tick { ticks }) if record.task == kswapd => {
                    assert_eq!(now, before + u64::from(ticks), "{variant}");
                    worked += ticks;
                }
                _ => assert_eq!(now, before, "{variant}: {:?}", record.op),
            }
            before = now;
        }
        assert!(wakes > 0 && worked > 0, "{variant}");
        at_rest(variant, &timeline.world().machine);
    }
}

#[test]
fn kswapd_sleeps_only_when_all_is_well_or_hopeless() {
    for variant in VARIANTS {
        let timeline = small(variant).timeline;
        let records = timeline.records();
        let sleeps = (0..records.len()).filter(|&at| records[at].op == Op::Sleep);
        for at in sleeps {
            let (queued, looked) =
                (records[..at].iter().rposition(is_queueing), records[..at].iter().rposition(is_look));
            let balanced = looked > queued && looked.is_some_and(|at| records[at].outcome.ret == 1);
            let left =
                records[..at].iter().rposition(|record| record.op == Op::Anon(AnonOp::KswapdQueue { on: false }));
            let rounds = records[left.unwrap_or(0)..at].iter().filter(|record| is_steal(record));
            let hopeless = rounds.filter(|record| steals(record) == 0).count() == 12;
            assert!(balanced || hopeless, "{variant} step {at}");
        }
    }
}

fn is_queueing(record: &sim_core::engine::Record) -> bool {
    matches!(record.op, Op::Anon(AnonOp::KswapdQueue { on: true }))
}

fn is_look(record: &sim_core::engine::Record) -> bool {
    matches!(record.op, Op::Anon(AnonOp::Watermark { mark: 10 })) && record.task == 2
}

fn is_steal(record: &sim_core::engine::Record) -> bool {
    matches!(record.op, Op::Event { event: Event::StealKswapd, .. })
}

fn steals(record: &sim_core::engine::Record) -> u32 {
    if let Op::Event { n, .. } = record.op { n } else { 0 }
}

#[test]
fn twelve_programs_outrun_one_kswapd() {
    for variant in VARIANTS {
        let (charged, own) = (totals(&spec(variant, &[])), totals(&with_kswapd(variant, &[])));
        assert!(charged.stalls < own.stalls, "{variant}: {charged:?}, {own:?}");
        assert!(
            own.by_kswapd < charged.by_kswapd && charged.by_tasks < own.by_tasks,
            "{variant}: {charged:?}, {own:?}"
        );
    }
}

// One program or a few, with so much between the marks.
fn with_marks(variant: &str, processes: u32, [low, high]: [u32; 2]) -> [Totals; 2] {
    let ram = 64 * processes + 32;
    let set = [("processes", processes), ("ram", ram), ("skew", 32), ("min", 6), ("low", low), ("high", high)];
    [totals(&spec(variant, &set)), totals(&with_kswapd(variant, &set))]
}

const MARKS: [[u32; 2]; 3] = [[8, 10], [24, 40], [60, 80]];

#[test]
fn a_program_does_not_pay_for_what_kswapd_does() {
    for variant in VARIANTS {
        for (processes, marks) in [1, 2].into_iter().flat_map(|processes| MARKS.map(|marks| (processes, marks))) {
            let [charged, own] = with_marks(variant, processes, marks);
            assert!(own.elapsed < charged.elapsed, "{variant} {processes} {marks:?}: {charged:?}, {own:?}");
        }
    }
}

#[test]
fn with_room_between_the_marks_kswapd_keeps_ahead_of_a_program_that_waits_for_reads() {
    let stalls = MARKS.map(|marks| with_marks("free", 1, marks)[1].stalls);
    assert!(stalls[0] > stalls[1] && stalls[1] > stalls[2], "{stalls:?}");
}

// Of each run what kswapd's own functions do, who wakes it, and where tasks reclaim themselves.
fn transcript(variant: &str) -> String {
    let timeline: Timeline = small(variant).timeline;
    assert_eq!(timeline.violation(), None, "{variant}");
    let mut lines = String::new();
    for (at, record) in timeline.records().iter().enumerate() {
        let func = record.frame().map(|frame| timeline.frames()[frame as usize].func);
        let Some(func) = func else { continue };
        let stalls = matches!(record.op, Op::Event { event: Event::AllocStall | Event::StealKswapd, .. });
        if stalls || func.source.ends_with("vmscan_kswapd.rs") {
            let what = text(&record.op, record.outcome.ret);
            writeln!(lines, "{} {} {} {what}", at + 1, record.cpu, func.name).unwrap();
        }
    }
    lines
}

// UPDATE_GOLDEN=1 writes them anew; read the difference before it is kept.
#[test]
fn the_timelines_of_the_small_scenario_are_as_they_were() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden_kswapd");
    let update = std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1");
    for variant in VARIANTS {
        let (path, found) = (folder.join(format!("{variant}.txt")), transcript(variant));
        if update {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, found).unwrap();
            continue;
        }
        let expected = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}; UPDATE_GOLDEN=1 writes it", path.display()));
        let differs = expected.lines().zip(found.lines()).find(|(old, new)| old != new);
        assert_eq!(differs, None, "{variant}");
        assert_eq!(expected.lines().count(), found.lines().count(), "{variant}");
    }
}

#[test]
fn every_step_of_kswapd_lights_one_line_of_code_and_has_a_sentence() {
    for variant in ["free", "today"] {
        let mut timeline = small(variant).timeline;
        let mut seen = 0;
        while timeline.forward() {
            let record = *timeline.last().expect("a step has been made");
            let frame = record.frame().map(|frame| timeline.frames()[frame as usize].func);
            let Some(func) = frame.filter(|func| func.source.ends_with("vmscan_kswapd.rs")) else { continue };
            assert!(timeline.sentence().plain().len() > 8, "{variant} {:?}", record.op);
            let line = timeline.site(record.site).line();
            let listing = timeline.listing(13);
            assert!(listing.lines.iter().any(|shown| shown.number == line), "{variant} {}", func.name);
            seen += 1;
        }
        assert!(seen > 20, "{variant}: {seen}");
    }
}

// Nothing can be freed on this machine: no page is on a list, and the high watermark is out of reach.
fn woken_in_vain(variant: &str, pcp: bool) -> Timeline {
    let config = RunSpec::new("madvise-free", variant).expect("the variant is known").variant.config;
    let mut machine = Machine::new(&MachineSpec { cpus: 2, zones: vec![1024], threshold: 30 });
    if pcp {
        machine.add_buddy(0, PcpSpec { batch: 4, high: 12, high_max: 12 }, false);
    }
    let tuning = SwapTuning { slots: 32, marks: [1, 2, 2000], slice: 8, ratio: 1, write_time: 40 };
    machine.add_swap(tuning, vec![7, 0]);
    let mut engine = Engine::new(config, machine);
    let checker = Checker::new(config, &engine.world().machine);
    engine.begin(Setup { checker: Some(checker), ..Setup::default() }, false);
    engine.spawn("waker", 0, |cpu| async move { wake_twice(&cpu).await });
    let task = engine.spawn_daemon("kswapd0", 1, |cpu| async move {
        loop {
            kswapd(&cpu).await;
        }
    });
    let mut machine = engine.machine_mut();
    machine.tasks[usize::from(task)].run = TaskRun::Sleeps;
    machine.swap.as_mut().expect("it has just been added").kswapd = Kswapd { task, waits: true };
    drop(machine);
    assert_eq!(engine.run(), Ok(Outcome::Finished), "{variant}: {:?}", engine.violation());
    let mut timeline = engine.into_timeline();
    timeline.seek(timeline.len());
    timeline
}

async fn wake_twice(cpu: &Cpu) {
    wakeup_kswapd(cpu).await;
    wakeup_kswapd(cpu).await;
}

fn count(timeline: &Timeline, wanted: impl Fn(Op) -> bool) -> usize {
    timeline.records().iter().filter(|record| wanted(record.op)).count()
}

#[test]
fn kswapd_gives_up_after_twelve_rounds_and_is_woken_once() {
    let timeline = woken_in_vain("v4.5", false);
    assert_eq!(count(&timeline, |op| op == Op::Anon(AnonOp::WakeKswapd)), 1, "the second call finds it awake");
    assert_eq!(count(&timeline, |op| matches!(op, Op::Event { event: Event::ScanKswapd, .. })), 12);
    assert_eq!(count(&timeline, |op| op == Op::Sleep), 1);
    assert_eq!(timeline.world().machine.swap().clocks, [7, 7], "nothing was scanned, so it took no time");
    assert_eq!(timeline.world().ledger.count(Count::Ipis), 1);
}

#[test]
fn the_zone_is_marked_while_kswapd_reclaims_where_somebody_asks() {
    let marks = |variant, pcp| {
        let timeline = woken_in_vain(variant, pcp);
        count(&timeline, |op| matches!(op, Op::Anon(AnonOp::ReclaimActive { .. })))
    };
    assert_eq!([marks("v4.12", true), marks("today", false), marks("today", true)], [0, 0, 2]);
    let mut timeline = woken_in_vain("today", true);
    timeline.seek(0);
    let marked = |timeline: &Timeline| timeline.world().machine.buddy(0).expect("it has lists").reclaim_active;
    let mut inside = false;
    while timeline.forward() {
        match timeline.last().expect("a step has been made").op {
            Op::Anon(AnonOp::ReclaimActive { active, .. }) => inside = active,
            Op::Event { event: Event::ScanKswapd, .. } => assert!(inside),
            _ => {}
        }
        assert_eq!(marked(&timeline), inside);
    }
    while timeline.back() {}
    assert!(!marked(&timeline));
}
