//! Where the runs are, as messages say it, and where a message's place leads.

use super::request::{Code, Place, Refusal};
use super::value::{Value, map};
use crate::hash;
use crate::link::Which;
use crate::session::{Go, Session};
use crate::text;

/// The members that `ready`, `pong` and `step` have in common.
pub fn moment(session: &Session, playing: bool, link: &hash::Link) -> Value {
    map([
        ("scenario", session.subject.scenario.as_str().into()),
        ("old", side(session, Which::Old)),
        ("new", side(session, Which::New)),
        ("place", session.clock().into()),
        ("places", session.clock_end().into()),
        ("milestone", headline(session, session.beats.common(session.at())).into()),
        ("playing", playing.into()),
        ("ended", session.ended().into()),
        ("link", hash::encode(link).into()),
    ])
}

fn side(session: &Session, which: Which) -> Value {
    let side = session.side(which);
    map([
        ("variant", session.subject.variants[which as usize].as_str().into()),
        ("label", side.label().into()),
        ("step", session.at().of(which).into()),
        ("steps", session.beats.ends().of(which).into()),
        ("words", side.moment.words.plain().into()),
    ])
}

/// The headline of a milestone, with plain digits: "page 17".
fn headline(session: &Session, beat: usize) -> String {
    let all = session.beats.all();
    let unit = session.opening().unit.1;
    match all.get(beat).and_then(|beat| beat.milestone) {
        None if beat > 0 => "the end".to_string(),
        milestone => plain(&text::milestone(milestone, None, unit).0),
    }
}

// Thousands stand apart by a narrow space, which nobody types.
fn plain(text: &str) -> String {
    text.replace('\u{202f}', "")
}

/// Where a place is.
///
/// # Errors
///
/// It is beyond the runs, or there is no such milestone.
pub fn go(session: &Session, place: &Place) -> Result<Go, Refusal> {
    let (ends, last) = (session.beats.ends(), session.clock_end());
    let beyond = |message: String| Err(Refusal::of(Code::Range, "step", message));
    let beats = session.beats.all();
    let none = |message: String| Refusal::of(Code::Range, "milestone", message);
    match place {
        Place::Pair(pair) if pair.old > ends.old || pair.new > ends.new => {
            beyond(format!("`step`: beyond the end; expected at most [{}, {}]", ends.old, ends.new))
        }
        Place::Pair(pair) => Ok(Go::Pair(*pair)),
        Place::Clock(place) if *place > last => beyond(format!("`step`: beyond the end; expected at most {last}")),
        Place::Clock(place) => Ok(Go::Clock(*place)),
        Place::Beat(number) => {
            let beat = beats.get(*number as usize);
            let expected = || none(format!("`milestone`: there is none; expected 0 to {}", beats.len() - 1));
            Ok(Go::Pair(beat.ok_or_else(expected)?.at))
        }
        Place::Headline(wanted) => {
            let wanted = plain(wanted);
            let found = (0..beats.len()).find(|&beat| headline(session, beat) == wanted);
            let some = headline(session, beats.len() / 2);
            let expected =
                || none(format!("`milestone`: both sides pass none of this name; expected such as \"{some}\""));
            Ok(Go::Pair(beats[found.ok_or_else(expected)?].at))
        }
    }
}

/// The same, where what is beyond the end is the end: as links have it.
pub fn go_within(session: &Session, place: &Place) -> Go {
    match place {
        Place::Clock(place) => Go::Clock(*place),
        Place::Pair(pair) => Go::Pair(*pair),
        other => go(session, other).unwrap_or(Go::Clock(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::Pair;
    use crate::subject::Subject;
    use stage::Form;

    fn open() -> Session {
        let link = hash::decode("#v1/munlock/0/6?pages=28").unwrap().unwrap();
        Session::open(&Subject::from_link(&link).unwrap(), Form::Narrow).unwrap()
    }

    #[test]
    fn a_moment_says_where_both_sides_are() {
        let mut session = open();
        session.go(Go::Clock(5));
        let moment = moment(&session, false, &session.link());
        assert_eq!(moment.get("scenario"), Some(&"munlock".into()));
        assert_eq!(moment.get("place"), Some(&5.into()));
        let old = moment.get("old").unwrap();
        assert_eq!((old.get("variant"), old.get("label")), (Some(&"0".into()), Some(&"v3.11-rc3".into())));
        assert_eq!(old.get("step"), Some(&session.at().old.into()));
        assert!(old.get("words").and_then(Value::text).is_some_and(|words| !words.is_empty()));
        let link = moment.get("link").and_then(Value::text).unwrap();
        assert_eq!(hash::decode(link).unwrap().unwrap().step, session.at());
    }

    #[test]
    fn milestones_are_found_by_number_and_by_headline() {
        let mut session = open();
        let to = go(&session, &Place::Headline("page 17".into())).unwrap();
        session.go(to);
        assert_eq!(moment(&session, false, &session.link()).get("milestone"), Some(&"page 17".into()));
        assert_eq!(go(&session, &Place::Beat(0)), Ok(Go::Pair(Pair::default())));
        session.go(go(&session, &Place::Headline("the end".into())).unwrap());
        assert_eq!(moment(&session, false, &session.link()).get("ended"), Some(&true.into()));
        for place in [Place::Beat(10_000), Place::Headline("page 99".into()), Place::Headline("</script>".into())] {
            let refusal = go(&session, &place).unwrap_err();
            assert_eq!((refusal.code, refusal.field), (Code::Range, Some("milestone")));
            assert!(!refusal.message.contains("script"));
        }
    }

    #[test]
    fn places_beyond_the_runs_are_refused() {
        let session = open();
        let ends = session.beats.ends();
        assert!(go(&session, &Place::Pair(ends)).is_ok());
        for place in [Place::Pair(Pair::new(ends.old + 1, 0)), Place::Clock(session.clock_end() + 1)] {
            assert_eq!(go(&session, &place).unwrap_err().field, Some("step"));
            go_within(&session, &place);
        }
    }
}
