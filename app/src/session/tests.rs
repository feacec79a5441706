use super::*;
use scenario_file::profile::{self, Profile};
use sim_core::scenario::SCENARIOS;

fn subject(scenario: &str, old: &str, new: &str, params: &[(&str, &str)]) -> Subject {
    Subject {
        scenario: scenario.into(),
        variants: [old.into(), new.into()],
        params: params.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect(),
        schedule: None,
        file: None,
        profile: None,
        own: Default::default(),
    }
}

fn open(pages: &str) -> Session {
    Session::open(&subject("munlock", "0", "6", &[("pages", pages)]), Form::Wide).unwrap()
}

/// Views that opening and going to the end make, and how large the run is.
fn opening(subject: &Subject) -> (u32, u32) {
    let mut session = Session::open(subject, Form::Wide).unwrap();
    session.go(Go::Clock(u32::MAX));
    let side = session.side(Which::Old);
    (side.track.views(), side.track.steps())
}

#[test]
fn a_large_run_opens_with_few_views() {
    let large = [("cpus", "2"), ("touch", "100"), ("pages", "8192"), ("rounds", "3")];
    let (views, steps) = opening(&subject("pcp-free", "v4.15", "pick-outside", &large));
    assert!(steps > 40_000, "{steps} steps");
    assert!(views < 400, "{views} views");
}

#[test]
fn many_processes_on_many_cpus_open_with_few_views() {
    let text = include_str!("../../tests/many-processes.json");
    let scenario = scenario_file::parse(text).unwrap().into_scenario().unwrap();
    let (views, steps) = opening(&Subject::of_file(scenario));
    assert!(steps > 40_000, "{steps} steps");
    assert!(views < 5_000, "{views} views");
}

#[test]
fn a_run_that_is_too_long_is_refused_and_says_what_shows_it() {
    let error = Session::open(&subject("madvise-free", "free", "free-swap", &[("ram", "16")]), Form::Wide);
    let text = error.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(text.contains("more than 400000 steps") && text.contains("mmscope run"), "{text}");
}

#[test]
fn every_scenario_opens_and_goes_to_its_end() {
    for scenario in SCENARIOS {
        let mut session = Session::open(&Subject::of(scenario), Form::Wide).unwrap();
        assert_eq!(session.at(), Pair::default());
        session.go(Go::Clock(u32::MAX));
        assert_eq!(session.at(), session.beats.ends(), "{}", scenario.name);
        assert!(session.ended());
    }
}

#[test]
fn every_variant_stands_beside_every_other_at_the_same_milestones() {
    let variants = SCENARIOS[0].variants;
    let mut session = open("30");
    for new in variants {
        let mut other = session.subject.clone();
        other.variants[1] = new.name.into();
        session.load(&other).unwrap();
        // The system call, the loop, its end, the return.
        assert!(session.beats.all().len() >= 4, "{}", new.name);
        while session.go(Go::Next) != Moved::Not {
            let at = session.at();
            let marks = Which::BOTH.map(|which| {
                let marks = session.side(which).track.run.timeline.marks();
                marks.iter().filter(|mark| mark.step == at.of(which)).map(|mark| mark.milestone).collect::<Vec<_>>()
            });
            let shared = marks[0].iter().any(|mark| marks[1].contains(mark));
            assert!(shared || at == session.beats.ends(), "{}: {at:?}", new.name);
        }
    }
}

#[test]
fn back_is_the_inverse_of_step_however_the_sides_are_joined() {
    let mut session = open("20");
    for link in Link::ALL {
        for start in [Pair::default(), Pair::new(100, 3), Pair::new(7, 200), session.beats.ends()] {
            session.link = link;
            session.go(Go::Pair(start));
            let mut places = vec![session.at()];
            while places.len() < 60 && session.go(Go::Step) == Moved::Stepped {
                places.push(session.at());
            }
            for &place in places.iter().rev().skip(1) {
                session.go(Go::Back);
                assert_eq!(session.at(), place, "{link:?} from {start:?}");
            }
        }
    }
}

#[test]
fn a_step_always_moves_a_side_until_the_end() {
    let mut session = open("20");
    for link in Link::ALL {
        session.link = link;
        session.go(Go::Pair(Pair::default()));
        let mut steps = 0;
        while session.go(Go::Step) != Moved::Not {
            steps += 1;
        }
        assert_eq!(steps, session.clock_end(), "{link:?}");
        assert!(session.ended());
        session.go(Go::Pair(session.beats.ends()));
    }
}

#[test]
fn the_scrubber_goes_to_every_place() {
    let mut session = open("20");
    for link in Link::ALL {
        session.link = link;
        session.go(Go::Pair(Pair::default()));
        for place in [0, 1, 17, 200, session.clock_end()] {
            session.go(Go::Clock(place));
            assert_eq!(session.clock(), place, "{link:?}");
        }
    }
}

#[test]
fn stepping_and_seeking_show_the_same_picture() {
    let (mut stepped, mut sought) = (open("20"), open("20"));
    for place in 1..400 {
        stepped.go(Go::Step);
        if place % 37 == 0 {
            sought.go(Go::Clock(place));
            let still = |side: &Side| {
                let mut scene = (*side.scene).clone();
                scene.tiles.iter_mut().for_each(|tile| tile.motion = stage::Motion::Still);
                (scene, side.moment.clone())
            };
            for which in Which::BOTH {
                assert!(still(stepped.side(which)) == still(sought.side(which)), "place {place}");
            }
            sought.go(Go::Clock(stepped.clock_end() - place));
        }
    }
}

#[test]
fn the_drawing_keeps_its_height() {
    let mut session = open("56");
    let height = session.sides[0].scene.height;
    for _ in 0..200 {
        session.go(Go::By(9));
        for side in &session.sides {
            assert_eq!(side.scene.height, height, "step {}", side.moment.step);
        }
    }
}

#[test]
fn what_cannot_be_shown_changes_nothing() {
    let mut session = open("20");
    session.go(Go::Clock(50));
    let (subject, at) = (session.subject.clone(), session.at());
    for wrong in [
        Subject { scenario: "nothing".into(), ..subject.clone() },
        Subject { variants: ["0".into(), "7b".into()], ..subject.clone() },
        Subject { params: vec![("pages".into(), "0".into())], ..subject.clone() },
        Subject { params: vec![("pages".into(), "60000".into())], ..subject.clone() },
        Subject { params: vec![("at".into(), "0".into())], ..subject.clone() },
        Subject { schedule: Some("choices:7x3".into()), ..subject.clone() },
    ] {
        assert!(session.load(&wrong).is_err(), "{wrong:?}");
        assert_eq!((&session.subject, session.at()), (&subject, at));
    }
}

#[test]
fn runs_are_kept() {
    let mut session = open("20");
    let first = session.subject.clone();
    let second = Subject { variants: ["0".into(), "5".into()], ..first.clone() };
    session.load(&second).unwrap();
    session.load(&first).unwrap();
    assert_eq!(session.kept.len(), 1);
    assert_eq!(session.subject, first);
}

#[test]
fn links_say_what_is_shown() {
    let mut session = open("20");
    session.go(Go::Clock(50));
    let link = session.link();
    let mut again = Session::open(&Subject::from_link(&link).unwrap(), Form::Wide).unwrap();
    again.go(Go::Pair(link.step));
    assert_eq!(again.link(), link);
    // Defaults are left out, but for the number of pages.
    assert_eq!(link.params, [("pages".to_string(), "20".to_string())]);
}

#[test]
fn runs_by_time_have_a_profile_and_a_link() {
    let munlock = Subject { params: vec![("pages".into(), "20".into())], ..Subject::of(&SCENARIOS[0]) };
    let mut names = Vec::new();
    for name in ["opteron-2013", "skylake-2018"] {
        let subject = munlock.by_time("munlock", &profile::bundled(name).unwrap());
        let session = Session::open(&subject, Form::Wide).unwrap();
        assert_eq!(session.profile().name, name, "modelled with the profile that it ran by");
        let again = Subject::from_link(&session.link()).unwrap();
        assert_eq!(again.spec(Which::Old).unwrap().costs.as_ref().map(|costs| costs.name.as_str()), Some(name));
        names.extend(again.schedule);
    }
    assert_eq!(names, ["timed", "timed:skylake-2018"]);
    let wrong = Subject { schedule: Some("timed:nonsense".into()), ..munlock.clone() };
    let error = wrong.spec(Which::Old).err().map(|error| error.to_string());
    assert!(error.is_some_and(|error| error.contains("timed:nonsense")));
    let own = Profile { name: "opteron-2013".into(), ..Profile::default() };
    let subject = munlock.by_time("munlock", &own);
    assert_eq!(*Session::open(&subject, Form::Wide).unwrap().profile(), own, "the reader's own, whatever its name");
    assert_ne!(subject.key(Which::Old), Subject { profile: None, ..subject.clone() }.key(Which::Old));
}

#[test]
fn differences_are_real() {
    let mut session = open("20");
    session.go(Go::Difference);
    let at = session.at();
    assert!(at.old > 0 && at.new > 0);
    let words = Which::BOTH.map(|which| session.side(which).moment.words.plain());
    assert_ne!(words[0], words[1]);
}
