use sim_core::scenario::{SCENARIOS, Until};
use stage::Form;

use super::*;
use crate::hash;
use crate::session::{Go, Session};

fn subject(scenario: &str, old: &str, new: &str) -> Subject {
    Subject {
        variants: [old.into(), new.into()],
        ..Subject::of(SCENARIOS.iter().find(|one| one.name == scenario).unwrap())
    }
}

fn two_cpus() -> Session {
    let params = vec![("pages".to_string(), "14".to_string())];
    Session::open(&Subject { params, ..subject("munlock-two-cpus", "0", "6") }, Form::Wide).unwrap()
}

fn address(session: &Session) -> String {
    hash::encode(&session.link())
}

/// Another CPU that could have gone on somewhere from a step on, as steps made and its number.
fn other_cpu(session: &Session, which: Which, from: usize) -> (u32, u8) {
    let timeline = &session.side(which).track.run.timeline;
    let found = (from..timeline.len()).find_map(|step| {
        let decision = timeline.decision(step)?;
        let other = decision.ready.iter().find(|ready| ready.cpu != decision.chosen)?;
        Some((step as u32, other.cpu))
    });
    found.expect("there is a choice")
}

fn digest(session: &Session, which: Which) -> (u64, u32) {
    let track = &session.side(which).track;
    let mut run = track.run.spec.clone().record().unwrap();
    run.timeline.seek(run.timeline.len());
    (run.timeline.world().machine.digest(), track.steps())
}

/// Goes to a step from which another CPU could go on, and says which.
fn go_to_choice(session: &mut Session, which: Which, from: usize) -> u8 {
    let (step, cpu) = other_cpu(session, which, from);
    session.go(Go::Pair(session.at().with(which, step)));
    cpu
}

fn leave(session: &mut Session, which: Which, from: usize) -> Forked {
    let cpu = go_to_choice(session, which, from);
    session.fork(which, cpu, Until::Step).unwrap()
}

#[test]
fn a_fork_leaves_one_side_and_not_the_other() {
    let mut session = two_cpus();
    let other = session.side(Which::New).track.run.timeline.choices().to_vec();
    let (step, cpu) = other_cpu(&session, Which::Old, 40);
    session.go(Go::Pair(Pair::new(step, 5)));
    assert!(matches!(session.fork(Which::Old, cpu, Until::Step), Ok(Forked::New(_))));
    assert_eq!(session.at(), Pair::new(step + 1, 5));
    assert_eq!(session.side(Which::Old).track.run.timeline.records()[step as usize].cpu, cpu);
    assert_eq!(session.side(Which::New).track.run.timeline.choices(), other);
    let branch = session.what_if.shown(&session.subject, Which::Old).unwrap();
    assert_eq!(branch.name, format!("fork at step {step}"));
    assert_eq!((branch.left, branch.parent), (Some((step, cpu)), None));
    assert!(!branch.differs.is_empty());
    assert!(session.what_if.shown(&session.subject, Which::New).is_none());
}

#[test]
fn a_link_shows_the_fork_by_its_name() {
    let mut session = two_cpus();
    leave(&mut session, Which::New, 30);
    let id = session.what_if.shown(&session.subject, Which::New).unwrap().id;
    assert!(session.rename_fork(id, "  CPU 1 = first? & \n 100 %  "));
    let link = session.link();
    let read = hash::decode(&hash::encode(&link)).unwrap().unwrap();
    assert_eq!(read, link);
    let mut again = Session::open(&Subject::from_link(&read).unwrap(), Form::Wide).unwrap();
    again.go(Go::Pair(read.step));
    again.name_forks(&read.branch);
    assert_eq!(address(&again), address(&session));
    for which in Which::BOTH {
        assert_eq!(digest(&again, which), digest(&session, which));
    }
    let branches = [&session, &again].map(|one| one.what_if.shown(&one.subject, Which::New).unwrap().clone());
    assert_eq!(branches[0].name, "CPU 1 = first? &   100 %");
    assert_eq!((&branches[0].left, &branches[0].differs), (&branches[1].left, &branches[1].differs));
}

#[test]
fn undo_brings_back_the_same_links_one_by_one_and_redo_the_others() {
    let mut session = two_cpus();
    // Where it was before each change, and at last.
    let mut links = Vec::new();
    let mut last = 0;
    for from in [30, 60, 20] {
        let cpu = go_to_choice(&mut session, Which::Old, from);
        links.push(address(&session));
        session.fork(Which::Old, cpu, Until::Step).unwrap();
        last = session.what_if.shown(&session.subject, Which::Old).unwrap().id;
    }
    links.push(address(&session));
    session.rename_fork(last, "the third");
    links.push(address(&session));
    session.put_beside(Which::Old).unwrap();
    links.push(address(&session));
    session.delete_fork(last).unwrap();
    links.push(address(&session));
    session.show_original(Which::Old).unwrap();
    links.push(address(&session));
    let mut other = session.subject.clone();
    other.variants = ["1".into(), "5".into()];
    session.change(&other).unwrap();
    links.push(address(&session));
    for link in links.iter().rev().skip(1) {
        assert!(session.turn_back(false).unwrap().is_some());
        assert_eq!(address(&session), *link);
    }
    assert_eq!(session.turn_back(false).unwrap(), None);
    assert!(session.what_if.branches.all().is_empty());
    for link in &links[1..] {
        assert!(session.turn_back(true).unwrap().is_some());
        assert_eq!(address(&session), *link);
    }
    assert_eq!(session.turn_back(true).unwrap(), None);
}

#[test]
fn what_happens_anyway_is_no_fork() {
    let mut session = two_cpus();
    let (step, _) = other_cpu(&session, Which::Old, 20);
    session.go(Go::Pair(Pair::new(step, 0)));
    let cpu = session.side(Which::Old).track.run.timeline.records()[step as usize].cpu;
    assert_eq!(session.fork(Which::Old, cpu, Until::Step), Ok(Forked::Same));
    assert_eq!(session.at(), Pair::new(step + 1, 0));
    assert!(session.what_if.branches.all().is_empty() && session.what_if.undoes().is_none());
    assert!(session.fork(Which::Old, 9, Until::Step).is_err());
}

#[test]
fn a_teacher_plays_the_scheduler_by_hand_in_one_fork() {
    let mut session = two_cpus();
    assert!(matches!(leave(&mut session, Which::Old, 10), Forked::New(_)));
    let mut turns = 0;
    while turns < 6 {
        let from = session.at().old as usize;
        let Forked::Longer(_) = leave(&mut session, Which::Old, from) else { panic!("turn {turns} is another fork") };
        turns += 1;
    }
    assert_eq!(session.what_if.branches.all().len(), 1);
    // From the middle it is a fork of the fork.
    assert!(matches!(leave(&mut session, Which::Old, 5), Forked::New(_)));
    leave(&mut session, Which::Old, 12);
    let tree = session.what_if.branches.tree(&session.subject, "0");
    assert!(tree.len() >= 2, "{tree:?}");
    let words = session.turn_back(false).unwrap().unwrap();
    assert!(words.contains("fork at step"), "{words}");
}

#[test]
fn deleted_forks_leave_their_children_to_their_parent() {
    let mut session = two_cpus();
    leave(&mut session, Which::Old, 50);
    leave(&mut session, Which::Old, 20);
    let ids: Vec<u32> = session.what_if.branches.all().iter().map(|branch| branch.id).collect();
    assert_eq!(session.what_if.branches.get(ids[1]).unwrap().parent, Some(ids[0]));
    session.delete_fork(ids[0]).unwrap();
    assert_eq!(session.what_if.branches.get(ids[1]).unwrap().parent, None);
    assert!(session.subject.own[0].is_some(), "the fork that is shown stays");
    session.delete_fork(ids[1]).unwrap();
    assert_eq!(session.subject.own, [None, None]);
    session.turn_back(false).unwrap();
    assert!(session.what_if.shown(&session.subject, Which::Old).is_some());
}

#[test]
fn a_changed_parameter_keeps_the_milestone_or_goes_to_the_nearest_before() {
    let pages = |pages: &str| Subject { params: vec![("pages".into(), pages.into())], ..subject("munlock", "0", "6") };
    let mut session = Session::open(&pages("56"), Form::Wide).unwrap();
    for _ in 0..20 {
        session.go(Go::Next);
    }
    let milestone = session.milestones().0;
    let said = session.change(&pages("40")).unwrap();
    assert_eq!(session.milestones(), (milestone, None));
    assert!(said.starts_with("pages 56 → 40. old: all atomics 837 → "), "{said}");
    assert!(said.contains(". new: all atomics 512 → "), "{said}");
    session.change(&pages("10")).unwrap();
    let nearest = session.milestones().0.unwrap();
    assert_eq!(nearest, sim_core::engine::Milestone::LoopAt(9));
    session.go(Go::Clock(u32::MAX));
    session.change(&pages("12")).unwrap();
    assert_eq!(session.at(), session.beats.ends(), "the end is the end");
    let (at, link) = (session.at(), address(&session));
    assert!(session.change(&pages("0")).is_err());
    assert!(session.change(&pages("9000")).unwrap_err().to_string().contains("8192 pages at most"));
    assert_eq!((session.at(), address(&session)), (at, link));
    assert_eq!(session.turn_back(false).unwrap().as_deref(), Some("pages 10 → 12"));
}

#[test]
fn forks_of_every_scenario_with_a_choice_have_a_link_that_shows_the_same() {
    // These are long; the core has a test of its own for them.
    const LONG: [&str; 5] = ["madvise-free", "madvise-free-kswapd", "rmap-unmap", "rmap-deferred", "munlock-split"];
    let mut forked = 0;
    for scenario in SCENARIOS.iter().filter(|scenario| !LONG.contains(&scenario.name)) {
        let mut session = Session::open(&Subject::of(scenario), Form::Wide).unwrap();
        for which in Which::BOTH {
            let run = &session.side(which).track.run.timeline;
            let Some(step) = (run.len() / 3..run.len()).find(|&step| run.decision(step).is_some()) else { continue };
            let decision = run.decision(step).unwrap();
            let Some(cpu) = decision.ready.iter().map(|ready| ready.cpu).find(|&cpu| cpu != decision.chosen) else {
                continue;
            };
            session.go(Go::Pair(session.at().with(which, step as u32)));
            match session.fork(which, cpu, Until::Step) {
                Ok(_) => forked += 1,
                Err(wrong) => assert!(wrong.contains("more than"), "{}: {wrong}", scenario.name),
            }
        }
        let text = address(&session);
        if text.len() <= hash::LIMIT {
            let link = hash::decode(&text).unwrap().unwrap();
            let mut again = Session::open(&Subject::from_link(&link).unwrap(), Form::Wide).unwrap();
            again.go(Go::Pair(link.step));
            again.name_forks(&link.branch);
            assert_eq!(address(&again), text, "{}", scenario.name);
        }
    }
    assert!(forked >= 12, "{forked} forks");
}

#[test]
fn a_fork_that_meets_a_deadlock_names_it() {
    let turns = Subject { schedule: Some("turns".into()), ..subject("munlock-truncate", "6", "6") };
    let session = Session::open(&turns, Form::Wide).unwrap();
    assert!(session.sides.iter().all(|side| side.track.run.timeline.violation().is_none()), "by turns all goes well");
    let met = (10..120).step_by(5).find_map(|step| {
        let mut session = Session::open(&turns, Form::Wide).unwrap();
        let decision = session.side(Which::Old).track.run.timeline.decision(step as usize)?;
        let cpu = decision.ready.iter().map(|one| one.cpu).find(|&cpu| cpu != decision.chosen)?;
        session.go(Go::Pair(Pair::new(step, 0)));
        session.fork(Which::Old, cpu, Until::Step).ok()?;
        let branch = session.what_if.shown(&session.subject, Which::Old)?;
        let (rule, at) = branch.broken.clone()?;
        assert!(branch.outcome(&session.subject).contains(&format!("✗ {rule} at step {at}; ")));
        Some((step, cpu, rule))
    });
    let (step, cpu, rule) = met.expect("the page lock and lru_lock can be taken the other way round");
    println!("CPU {cpu} after step {step}: {rule}");
    assert_eq!(rule, "deadlock");
}
