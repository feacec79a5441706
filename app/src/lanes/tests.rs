use std::rc::Rc;

use sim_core::engine::Frame;
use sim_core::machine::LockClass;
use sim_core::scenario::SCENARIOS;
use stage::Form;

use super::axis::{Axis, By, Clock};
use super::explorer::Explorer;
use super::layout::layout;
use super::marks::Sort;
use super::range::{Count, Range, counts};
use super::rows::{Kind, Side};
use super::ticks::{joints, ticks};
use super::words;
use crate::link::{Pair, Which};
use crate::session::{Session, Subject};

fn session(scenario: &str, params: &[(&str, &str)]) -> Session {
    let scenario = SCENARIOS.iter().find(|known| known.name == scenario).unwrap();
    let mut subject = Subject::of(scenario);
    params.iter().for_each(|(name, value)| subject.set(name, (*value).into()));
    Session::open(&subject, Form::Wide).unwrap()
}

fn all() -> Vec<Session> {
    SCENARIOS.iter().map(|scenario| session(scenario.name, &[])).collect()
}

fn axes(session: &Session) -> Vec<Axis> {
    let clock = |which: Which| Clock::new(session.timing(which), session.side(which).track.run.timeline.records());
    let clocks = Rc::new(Which::BOTH.map(clock));
    By::ALL.into_iter().map(|by| Axis::new(by, &session.beats, Some(clocks.clone()))).collect()
}

fn sides(session: &Session) -> [Side; 2] {
    Which::BOTH.map(|which| Side::new(&session.side(which).track.run.timeline))
}

#[test]
fn one_cpu_does_one_thing_at_a_time() {
    for session in all() {
        for side in sides(&session) {
            for group in &side.groups {
                for row in group.rows.iter().filter(|row| matches!(row.kind, Kind::Tasks | Kind::Functions(_))) {
                    let apart = row.solid.windows(2).all(|pair| pair[0].end <= pair[1].start);
                    assert!(apart, "{} CPU {} {:?}", session.subject.scenario, group.cpu, row.kind);
                    assert!(row.solid.iter().all(|span| span.start < span.end && span.end <= side.steps));
                }
            }
        }
    }
}

#[test]
fn every_step_has_its_task_and_its_calls_on_its_cpu() {
    for session in all() {
        for which in Which::BOTH {
            let timeline = &session.side(which).track.run.timeline;
            let side = Side::new(timeline);
            for at in (0..timeline.len()).step_by(7) {
                let record = timeline.records()[at];
                let group = side.groups.iter().find(|group| group.cpu == record.cpu).unwrap();
                let step = at as u32 + 1;
                let task = group.rows[0].at(step, false).next().map(|span| span.what);
                assert_eq!(task, Some(record.task.into()), "{} step {step}", session.subject.scenario);
                let shown: Vec<&str> = group
                    .rows
                    .iter()
                    .filter(|row| matches!(row.kind, Kind::Functions(_)))
                    .flat_map(|row| row.at(step, false).map(|span| side.name(row.kind, span)).collect::<Vec<_>>())
                    .collect();
                let name = |frame: Option<Frame>| frame.unwrap().func.name;
                let stack: Vec<&str> =
                    timeline.stack(at).iter().map(|&frame| name(timeline.frames().get(frame))).collect();
                assert_eq!(shown, stack, "{} step {step}", session.subject.scenario);
            }
        }
    }
}

#[test]
fn kworkers_run_and_callers_sleep_in_lru_drain() {
    let session = session("lru-drain", &[]);
    let side = &sides(&session)[0];
    assert!(side.groups.len() > 1, "several CPUs");
    let tasks = |group: &super::rows::Group| group.rows[0].solid.iter().map(|span| span.what).collect::<Vec<_>>();
    assert!(
        side.groups.iter().any(|group| tasks(group).windows(2).any(|pair| pair[0] != pair[1])),
        "CPUs change tasks"
    );
    assert!(side.groups.iter().any(|group| !group.rows[0].dashed.is_empty()), "somebody sleeps");
}

#[test]
fn places_on_an_axis_are_steps_again() {
    for session in all() {
        for axis in axes(&session) {
            for which in Which::BOTH {
                let end = session.beats.ends().of(which);
                for step in (0..=end).step_by((end as usize / 300).max(1)) {
                    let place = axis.point(which, step);
                    let back = axis.step_at(which, place);
                    let same = if axis.by() == By::Time { axis.point(which, back) == place } else { back == step };
                    assert!(same, "{} {:?} {which:?}: {step} became {back}", session.subject.scenario, axis.by());
                }
                let places: Vec<f64> = (0..=end).map(|step| axis.point(which, step)).collect();
                assert!(places.windows(2).all(|pair| pair[0] <= pair[1]), "time does not go back");
                assert!(places.last().is_some_and(|&last| last <= axis.end()));
            }
        }
    }
}

#[test]
fn spans_of_a_row_stay_in_order_on_every_axis() {
    for session in all() {
        let sides = sides(&session);
        for axis in axes(&session) {
            for which in Which::BOTH {
                for group in &sides[which as usize].groups {
                    for row in &group.rows {
                        let places: Vec<(f64, f64)> =
                            row.solid.iter().map(|&span| axis.span(which, group.cpu, row.kind, false, span)).collect();
                        let ordered = places.windows(2).all(|pair| pair[0].0 <= pair[1].0);
                        let functions = matches!(row.kind, Kind::Tasks | Kind::Functions(_));
                        let apart = !functions || places.windows(2).all(|pair| pair[0].1 <= pair[1].0);
                        assert!(ordered && apart, "{} {:?} {:?}", session.subject.scenario, axis.by(), row.kind);
                    }
                }
            }
        }
    }
}

#[test]
fn by_milestone_both_sides_pass_a_milestone_at_one_place() {
    let session = session("munlock", &[("pages", "20")]);
    let axis = &axes(&session)[0];
    for beat in session.beats.all() {
        assert_eq!(axis.point(Which::Old, beat.at.old), axis.point(Which::New, beat.at.new));
    }
    let window = super::window::Window::new(axis.end(), 8.0, 1200.0);
    let joints = joints(axis, &window, 10.0);
    assert!(joints.len() > 10 && joints.iter().all(|joint| joint.x[0] == joint.x[1]));
    let gaps = axis.gaps(Which::New);
    assert!(!gaps.is_empty() && gaps.windows(2).all(|pair| pair[0].1 <= pair[1].0), "the faster side waits");
}

#[test]
fn a_side_that_waits_is_where_the_other_has_come_to() {
    let session = session("munlock", &[("pages", "20")]);
    let axis = &axes(&session)[0];
    for place in 0..=session.beats.clock_end() {
        let at = axis.pair_at(place.into());
        assert_eq!(axis.moment(at), [f64::from(place); 2], "{at:?}");
    }
    let apart = Pair::new(session.beats.ends().old, 0);
    assert_eq!(axis.moment(apart), [axis.end(), 0.0]);
}

#[test]
fn the_axis_has_its_numbers() {
    let session = session("munlock", &[("pages", "300")]);
    let labels: Vec<Vec<String>> = axes(&session)
        .iter()
        .map(|axis| {
            let window = super::window::Window::new(axis.end(), 8.0, 1200.0);
            let ticks = ticks(axis, &window, "page");
            assert!(ticks.windows(2).all(|pair| pair[1].x - pair[0].x > 40.0), "{:?}", axis.by());
            ticks.into_iter().map(|tick| tick.label).collect()
        })
        .collect();
    assert!(labels[0].contains(&"page 100".to_string()), "{:?}", labels[0]);
    assert!(labels[1].contains(&"2\u{202f}000".to_string()), "{:?}", labels[1]);
    assert!(labels[2].iter().any(|label| label.ends_with("µs")), "{:?}", labels[2]);
}

#[test]
fn parts_add_up_to_the_whole() {
    for session in all() {
        let mut explorer = Explorer::new(&session, By::Milestone, 1000.0);
        for by in By::ALL {
            explorer.set_axis(&session, by);
            let end = explorer.axis.end();
            let whole = counts(&session, Range { from: Pair::default(), to: session.beats.ends() });
            let mut sums: Vec<Count> = whole.iter().map(|count| Count { of: [0, 0], ..count.clone() }).collect();
            let parts = 13;
            let at = |i: u32| {
                if i == parts {
                    session.beats.ends()
                } else {
                    explorer.axis.pair_at(end * f64::from(i) / f64::from(parts))
                }
            };
            for i in 0..parts {
                for count in counts(&session, Range::new(at(i), at(i + 1))) {
                    let sum = sums.iter_mut().find(|sum| sum.label == count.label).unwrap();
                    (sum.of[0], sum.of[1]) = (sum.of[0] + count.of[0], sum.of[1] + count.of[1]);
                }
            }
            assert_eq!(sums, whole, "{} {by:?}", session.subject.scenario);
        }
    }
}

#[test]
fn the_whole_is_the_ledger_of_the_run() {
    let session = session("munlock", &[]);
    let whole = counts(&session, Range { from: Pair::default(), to: session.beats.ends() });
    let of = |label: &str| whole.iter().find(|count| count.label == label).map(|count| count.of);
    let ends = Which::BOTH.map(|which| session.side(which).track.end.clone());
    for (old, new) in ends[0].iter().zip(&ends[1]).filter(|(old, new)| old.value + new.value > 0) {
        assert_eq!(of(old.label), Some([old.value, new.value]), "{}", old.label);
    }
    let held =
        |which: Which| session.side(which).track.lanes.holds.iter().map(|hold| u64::from(hold.end - hold.start)).sum();
    assert_eq!(of("steps in lru_lock"), Some(Which::BOTH.map(held)));
}

#[test]
fn a_range_is_set_by_keys() {
    let session = session("munlock", &[("pages", "20")]);
    let mut explorer = Explorer::new(&session, By::Milestone, 1000.0);
    explorer.select_by_key(Pair::new(10, 8), true);
    assert_eq!((explorer.range, explorer.begun), (None, Some(Pair::new(10, 8))));
    explorer.select_by_key(Pair::new(40, 30), false);
    assert_eq!(explorer.range, Some(Range { from: Pair::new(10, 8), to: Pair::new(40, 30) }));
    explorer.select_by_key(Pair::new(20, 20), true);
    assert_eq!(explorer.range, Some(Range { from: Pair::new(20, 20), to: Pair::new(40, 30) }));
    explorer.select_by_key(Pair::new(90, 90), true);
    assert_eq!((explorer.range, explorer.begun), (None, Some(Pair::new(90, 90))), "behind the end: anew");
    explorer.begun = None;
    explorer.select_by_key(Pair::new(5, 5), false);
    assert_eq!(explorer.range, Some(Range { from: Pair::default(), to: Pair::new(5, 5) }));
    explorer.select(0.0, 0.2);
    assert_eq!(explorer.range, None, "no step");
    explorer.select(30.0, 0.0);
    explorer.zoom_to_range();
    assert!(explorer.window.from == 0.0 && explorer.window.length < 40.0, "{:?}", explorer.window);
}

#[test]
fn the_marks_are_where_things_happen() {
    let quiet = session("munlock", &[]);
    let explorer = Explorer::new(&quiet, By::Step, 1000.0);
    let sorts: Vec<Sort> = explorer.marks.all.iter().map(|mark| mark.sort).collect();
    assert_eq!(sorts, [Sort::Differs], "one CPU waits for nobody");
    let busy = session("pcp-free", &[("cpus", "2"), ("touch", "60"), ("rounds", "2")]);
    let explorer = Explorer::new(&busy, By::Milestone, 1000.0);
    let waits = explorer.marks.all.iter().filter(|mark| mark.sort == Sort::Waits(LockClass::Zone)).count();
    assert!(waits > 3, "{waits} waits");
    let labels = explorer.marks.labels(&explorer.window);
    assert!(labels.windows(2).all(|pair| pair[0].x + super::marks::width(&pair[0].text) <= pair[1].x), "{labels:?}");
    let told: usize = labels.iter().map(|label| label.marks.len()).sum();
    assert_eq!(told, explorer.marks.all.len(), "each is on a button");
}

#[test]
fn a_broken_rule_is_marked() {
    let mut session = session("munlock-truncate", &[]);
    let mut subject = session.subject.clone();
    subject.variants = ["0".into(), "6".into()];
    session.load(&subject).unwrap();
    let explorer = Explorer::new(&session, By::Milestone, 1000.0);
    let broken = explorer.marks.all.iter().find(|mark| matches!(mark.sort, Sort::Broken(_))).unwrap();
    let violation = session.side(Which::New).track.run.timeline.violation().unwrap();
    assert_eq!((broken.which, broken.at.new), (Some(Which::New), violation.step));
    assert_eq!(broken.words(), format!("new: broken rule: {}", violation.rule));
}

#[test]
fn what_is_at_a_step_is_said() {
    let session = session("munlock", &[("pages", "20")]);
    let explorer = Explorer::new(&session, By::Milestone, 1000.0);
    let hold = session.side(Which::Old).track.lanes.holds[0];
    let clock = explorer.clocks.as_ref().map(|clocks| &clocks[0]);
    let on = words::at(&explorer.sides[0], clock, hold.start);
    let held = on[0].items.iter().find(|item| item.name == "lru_lock held").unwrap();
    assert!(held.extent.contains(&format!("{} steps", hold.end - hold.start)), "{}", held.extent);
    assert!(held.extent.ends_with("ns modelled"), "{}", held.extent);
    assert!(words::at(&explorer.sides[0], clock, hold.end)[0].items.iter().all(|item| item.name != "lru_lock held"));
    assert!(words::at(&explorer.sides[0], clock, 0).is_empty());
    let line = explorer.layout.lines.iter().find(|line| line.kind == Kind::Locks(LockClass::Lru)).unwrap();
    let x = explorer.window.x(explorer.axis.point(Which::Old, hold.start) + 0.5);
    let (which, _, item) = explorer.under(x, line.y + 3.0).unwrap();
    assert_eq!((which, item.name.as_str()), (Which::Old, "lru_lock held"));
}

#[test]
fn a_folded_cpu_is_one_row() {
    let session = session("lru-drain", &[]);
    let mut explorer = Explorer::new(&session, By::Milestone, 1000.0);
    let before = explorer.layout.lines.len();
    let rows = explorer.sides[0].groups[0].rows.len();
    explorer.fold(Which::Old, explorer.sides[0].groups[0].cpu);
    assert_eq!(explorer.layout.lines.len(), before - rows + 1);
    assert!(explorer.layout.height < layout(&explorer.sides, &Default::default()).height);
    for line in &explorer.layout.lines {
        assert_eq!(explorer.layout.at(line.y + line.h / 2.0), Some(line));
    }
    explorer.fold(Which::Old, explorer.sides[0].groups[0].cpu);
    assert_eq!(explorer.layout.lines.len(), before);
}

#[test]
fn another_axis_shows_the_same_part() {
    let session = session("munlock", &[]);
    let mut explorer = Explorer::new(&session, By::Milestone, 1000.0);
    let middle = session.beats.all()[20].at;
    let place = explorer.axis.point(Which::Old, middle.old);
    explorer.window = explorer.window.show(place - 50.0, place + 50.0);
    for by in [By::Step, By::Time, By::Milestone] {
        explorer.set_axis(&session, by);
        let x = explorer.window.x(explorer.axis.point(Which::Old, middle.old));
        assert!((0.0..=1000.0).contains(&x), "{by:?}: {x}");
        assert!(!explorer.window.is_whole());
    }
}
