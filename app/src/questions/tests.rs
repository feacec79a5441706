use super::*;
use crate::session::{Go, Subject as Shown};
use sim_core::ask::{Condition, Manner, read_condition, read_subject};
use sim_core::machine::LockClass;
use sim_core::scenario::SCENARIOS;
use stage::{Form, Key};

use crate::link::{Link, Pair};

fn session() -> Session {
    Session::open(&Shown::of(&SCENARIOS[0]), Form::Wide).expect("the first scenario opens")
}

fn condition(session: &Session, text: &str) -> Condition {
    read_condition(text, &session.functions()).expect(text)
}

#[test]
fn the_side_where_it_comes_first_takes_the_other_along() {
    let mut session = session();
    let taken = condition(&session, "lru_lock taken");
    let mut places = vec![session.at()];
    while let Some((go, which)) = session.run_to(&taken, false, &Which::BOTH) {
        session.go(go);
        let which = which.expect("it is one side's");
        let step = session.at().of(which);
        assert!(session.steps_to(which, &taken).contains(&step));
        let (before, now) = (session.beats.clock(*places.last().unwrap()), session.beats.clock(session.at()));
        assert!(now >= before, "from {:?} to {:?}", places.last(), session.at());
        // What is passed on the way is not there on the other side.
        let other = which.other();
        let passed = session.steps_to(other, &taken).into_iter().filter(|&step| {
            step > places.last().unwrap().of(other)
                && session.beats.place(other, step) < session.beats.place(which, session.at().of(which))
        });
        assert_eq!(passed.count(), 0);
        places.push(session.at());
        assert!(places.len() < 500, "it comes to an end");
    }
    assert!(places.len() > 100, "{} places", places.len());
    let end = session.at();
    assert!(session.run_to(&taken, true, &Which::BOTH).is_some());
    assert_eq!(session.at(), end, "asking moves nothing");
}

#[test]
fn back_and_forth_on_one_side() {
    let mut session = session();
    session.go(Go::Tenths(5));
    let at = session.at();
    let drain = condition(&session, "fn lru_add_drain");
    let (back, _) = session.run_to(&drain, true, &[Which::Old]).expect("it was called before");
    session.go(back);
    assert!(session.at().old < at.old);
    let here = session.at().old;
    let (on, _) = session.run_to(&drain, false, &[Which::Old]).expect("it is called again");
    session.go(on);
    assert!(session.at().old > here);
    let never = condition(&session, "lru_lock contended");
    assert_eq!(session.run_to(&never, false, &Which::BOTH), None);
}

#[test]
fn differences_go_both_ways() {
    let mut session = session();
    let all = session.differences();
    assert!(all.len() > 10);
    let mut seen = Vec::new();
    while let Some((go, _)) = session.run_to(&Condition::Differ, false, &Which::BOTH) {
        session.go(go);
        seen.push(session.at());
    }
    assert_eq!(seen, all);
    let mut back = vec![session.at()];
    while let Some((go, _)) = session.run_to(&Condition::Differ, true, &Which::BOTH) {
        session.go(go);
        back.push(session.at());
    }
    back.reverse();
    assert_eq!(back, all);
}

/// The first place at which a breakpoint's condition has come about on a side, step by step.
fn by_hand(session: &mut Session, go: Go, condition: &Condition) -> Option<Pair> {
    let steps = Which::BOTH.map(|which| session.steps_to(which, condition));
    let start = session.at();
    session.go(go);
    let to = session.at();
    session.go(Go::Pair(start));
    let mut here = start;
    while here != to {
        let next = match session.link {
            Link::Off => here.with(session.active, here.of(session.active) + 1),
            _ => session.beats.step(here),
        };
        assert_ne!(next, here, "on the way from {start:?} to {to:?}");
        let made = |which: Which| here.of(which) + 1..=next.of(which);
        if Which::BOTH.iter().any(|&which| steps[which as usize].iter().any(|step| made(which).contains(step))) {
            return Some(next);
        }
        here = next;
    }
    None
}

#[test]
fn breakpoints_stop_where_a_walk_by_hand_does() {
    for link in [Link::Milestone, Link::Off] {
        let mut session = session();
        session.link = link;
        for text in ["lru_lock taken", "page 17 enters inactive_anon", "fn lru_add_drain", "NR_MLOCK = 40"] {
            let condition = condition(&session, text);
            session.set_stops(&[(3, condition)]);
            session.go(Go::Pair(Pair::default()));
            for _ in 0..12 {
                for go in [Go::Next, Go::On(16)] {
                    let expected = by_hand(&mut session, go, &condition);
                    let stop = session.first_stop(go);
                    assert_eq!(stop.map(|stop| stop.at), expected, "{text}, {go:?} from {:?}", session.at());
                    assert!(stop.is_none_or(|stop| stop.of == 3));
                }
                session.go(Go::Next);
            }
        }
    }
    let mut session = session();
    let taken = condition(&session, "lru_lock taken");
    session.set_stops(&[(0, taken)]);
    assert_eq!(session.first_stop(Go::Step), None, "a step by hand goes where it is sent");
    session.set_stops(&[]);
    assert_eq!(session.first_stop(Go::On(5000)), None);
}

#[test]
fn breakpoints_are_written_and_read() {
    let session = session();
    let texts = ["lru_lock taken", "off:page 17 count 2", "fn nobody_calls_this", "lock:lru_lock taken", "rubbish"];
    let (breaks, wrong) = read_breaks(&session, &texts.map(String::from));
    let printed: Vec<String> = breaks.iter().map(Break::print).collect();
    assert_eq!(printed, ["lru_lock taken", "off:page 17 count 2", "fn nobody_calls_this", "rubbish"]);
    assert_eq!(breaks.iter().map(|one| one.on).collect::<Vec<_>>(), [true, false, true, true]);
    assert_eq!(wrong.len(), 2, "{wrong:?}");
    assert!(wrong[0].contains("nobody_calls_this") && wrong[1].contains("rubbish"));
}

#[test]
fn lives_are_listed_in_windows_that_hold_the_present() {
    let mut session = session();
    let lru = Subject::Lock(LockClass::Lru, None);
    let mut life = Life::default();
    for tenths in [0, 3, 9, 5, 1] {
        session.go(Go::Tenths(tenths));
        life.bring(&mut session, Which::Old, lru);
        let now = session.at().old;
        let rows: Vec<_> = life.rows(now).collect();
        let window = life.window();
        assert_eq!(window.earlier + rows.len() + window.later, life.len(), "nothing is cut silently");
        let present = rows.iter().filter(|row| row.present).count();
        assert_eq!(present, usize::from(life.before(now + 1).is_some()), "at {now}");
        assert!(rows.iter().all(|row| row.later == (row.step > now) && !row.sentence.is_empty()));
        assert_eq!(life.next(now), session.life(Which::Old, lru).iter().map(|t| t.step).find(|&step| step > now));
    }
    session.go(Go::Clock(0));
    life.bring(&mut session, Which::Old, lru);
    let first = life.rows(0).next().map(|row| row.step);
    life.turn(&mut session, Which::Old, true);
    assert!(life.window().earlier > 0);
    life.bring(&mut session, Which::Old, lru);
    assert_ne!(life.rows(0).next().map(|row| row.step), first, "it stays where the reader has turned to");
    session.go(Go::Step);
    life.bring(&mut session, Which::Old, lru);
    assert_eq!(life.rows(1).next().map(|row| row.step), first, "until the next step");
}

#[test]
fn whatever_is_drawn_can_be_looked_at_in_every_scenario() {
    for scenario in SCENARIOS {
        let mut session = Session::open(&Shown::of(scenario), Form::Wide).expect(scenario.name);
        session.go(Go::Tenths(5));
        for which in Which::BOTH {
            let side = session.side(which);
            let about = |key: Key| subject_of(&side.track, &side.view, key);
            let keys = side.scene.labels.iter().map(|label| label.key).chain(side.scene.ptes.iter().map(|pte| pte.key));
            let subjects: Vec<Subject> = keys.filter_map(about).collect();
            assert!(!subjects.is_empty(), "{}", scenario.name);
            for subject in subjects {
                let facts = facts(&session, which, subject);
                let wrong = facts.iter().find(|(_, value)| value.starts_with("no such"));
                assert_eq!(wrong, None, "{}: {subject}", scenario.name);
                assert_eq!(read_subject(&subject.to_string(), &session.functions()), Ok(subject));
            }
        }
        for (subject, _) in session.side(Which::New).track.lives().all() {
            assert!(!facts(&session, Which::New, subject).is_empty(), "{}: {subject}", scenario.name);
        }
    }
}

#[track_caller]
fn first(text: &str, expected: &Answer) {
    let mut session = session();
    let found = search(&mut session, text);
    let hits: Vec<&Hit> = found.hits().collect();
    assert!(hits.iter().any(|hit| hit.answer == *expected), "{text}: {hits:#?}");
}

#[test]
fn names_numbers_and_words_are_found() {
    let lru = Subject::Lock(LockClass::Lru, None);
    first("lru_lock", &Answer::Look(lru));
    first("lru_lock", &Answer::Run(Condition::Touched(lru, Manner::Taken)));
    first("lru taken", &Answer::Run(Condition::Touched(lru, Manner::Taken)));
    first("lru_lock taken", &Answer::Stop(Condition::Touched(lru, Manner::Taken)));
    first("page 17", &Answer::Look(Subject::Page(17)));
    first("17", &Answer::Look(Subject::Page(17)));
    first("17", &Answer::Step(Which::New, 17));
    first("step 647", &Answer::Step(Which::Old, 647));
    first("NR_MLOCK", &Answer::Look(Subject::Counter(sim_core::ask::Counter::Stat(sim_core::machine::Stat::Mlock))));
    first("lru_add_drain", &Answer::Look(Subject::Function("lru_add_drain")));
    first("differ", &Answer::Run(Condition::Differ));
    first("", &Answer::Run(Condition::Differ));
    let mut session = session();
    let found = search(&mut session, "unevictable");
    let steps = found.groups.iter().find(|group| group.name == "Steps").expect("sentences have the word");
    assert!(steps.total > steps.hits.len() && steps.hits[0].detail.contains("unevictable"), "{steps:?}");
    let nothing = search(&mut session, "lru_lok taken");
    assert!(nothing.groups.is_empty() && nothing.note.contains("did you mean `lru_lock`"), "{nothing:?}");
}

#[test]
fn what_is_suggested_can_be_run_to() {
    let mut session = session();
    for text in ["page 17", "page 17 enters", "lock", "drain", "NR_", "milestone 17", "order"] {
        for hit in search(&mut session, text).hits() {
            if let Answer::Run(wanted) = &hit.answer {
                assert_eq!(condition(&session, &hit.label), *wanted);
            }
        }
    }
    let runs = |found: &Found| found.groups.iter().find(|group| group.name == "Run to").map_or(0, |group| group.total);
    assert!(runs(&search(&mut session, "page 17 enters")) >= 2, "the lists that it enters are known");
}

#[test]
fn a_page_that_these_runs_do_not_have_is_named() {
    let session = session();
    assert_eq!(read(&session, "page:55"), Ok(Subject::Page(55)));
    for text in ["page:56", "page:4294967295", "lock:page_lock/56"] {
        let wrong = read(&session, text).expect_err(text);
        assert!(wrong.contains("is in these runs"), "{text}: {wrong}");
    }
}
