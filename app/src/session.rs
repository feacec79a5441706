//! What the page is about: two recorded runs, where each is, and how the reader moves them.
//!
//! Nothing here knows of the browser. The page tells the session what was asked for and shows what it says.

use std::cell::RefCell;
use std::rc::Rc;

use sim_core::engine::Milestone;
use sim_core::scenario::{Claim, Opening, Run, RunSpec, SpecError};
use sim_core::view::{PageNo, View};
use stage::{Form, Regions, Scene};

use crate::evidence::Evidence;
use crate::hash;
use crate::link::{Beats, Link, Pair, Which};
pub use crate::subject::Subject;
use crate::text;
use crate::track::{Frame, Moment, Track};

/// Steps of the recorded runs that are kept beside the two in use.
const KEPT_STEPS: u64 = 300_000;
/// Steps that Back remembers.
const HISTORY: usize = 10_000;

/// What a reader asks of the runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// One step on.
    Step,
    /// One step back.
    Back,
    /// One step, without what it calls.
    Over,
    /// To the next milestone.
    Next,
    /// To the milestone before.
    Previous,
    /// To the next difference.
    Difference,
    /// So many steps on.
    On(u32),
    /// To a place on the scrubber.
    Clock(u32),
    /// So many steps on or back on the scrubber.
    By(i32),
    /// One side to a step, the other as the link says.
    Side(Which, u32),
    /// Both to a pair of steps.
    Pair(Pair),
    /// To so many tenths.
    Tenths(u8),
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// Nothing: it was there already.
    Not,
    /// By one step: tiles glide.
    Stepped,
    /// Further: a cut.
    Jumped,
}

/// One side of the page.
pub struct Side {
    /// The run.
    pub track: Track,
    /// What is shown apart from the drawing.
    pub moment: Moment,
    /// What the drawing shows.
    pub view: View,
    /// The drawing.
    pub scene: Rc<Scene>,
}

/// The two sides.
pub struct Session {
    /// What is shown.
    pub subject: Subject,
    /// Old and new.
    pub sides: [Side; 2],
    /// What both have in common.
    pub beats: Beats,
    /// What joins them.
    pub link: Link,
    /// The side that moves alone where nothing joins them.
    pub active: Which,
    /// Nothing glides; outlines show where pages were.
    pub ghosts: bool,
    /// What is derived from the runs on demand.
    pub evidence: RefCell<Evidence>,
    /// Claims that compare the two runs.
    pub compared: Vec<Claim>,
    frame: Frame,
    history: Vec<(Pair, Pair)>,
    kept: Vec<(String, Track)>,
}

impl Session {
    /// Records the two runs.
    ///
    /// # Errors
    ///
    /// Names what does not exist, does not fit or is too long.
    pub fn open(subject: &Subject, form: Form) -> Result<Session, SpecError> {
        let specs = [subject.spec(Which::Old)?, subject.spec(Which::New)?];
        let subject = subject.normal(&specs[0]);
        let [old, new] = specs;
        let sides = [Track::record(old)?, Track::record(new)?].map(Side::new);
        let mut session = Session {
            subject,
            sides,
            beats: Beats::default(),
            link: Link::default(),
            active: Which::Old,
            ghosts: false,
            evidence: RefCell::default(),
            compared: Vec::new(),
            frame: Frame { form, ..Frame::default() },
            history: Vec::new(),
            kept: Vec::new(),
        };
        session.begin();
        Ok(session)
    }

    /// Shows something else; what was shown stays where this fails.
    ///
    /// # Errors
    ///
    /// Names what does not exist, does not fit or is too long.
    pub fn load(&mut self, subject: &Subject) -> Result<(), SpecError> {
        let specs = [subject.spec(Which::Old)?, subject.spec(Which::New)?];
        let subject = subject.normal(&specs[0]);
        let mut fresh = Vec::with_capacity(2);
        for (which, spec) in Which::BOTH.into_iter().zip(specs) {
            let name = subject.key(which);
            if self.key(which) == name {
                continue;
            }
            match self.recorded(&name, spec) {
                Ok(track) => fresh.push((which, track)),
                Err(error) => {
                    fresh.into_iter().for_each(|(which, track)| self.keep(subject.key(which), track));
                    return Err(error);
                }
            }
        }
        for (which, track) in fresh {
            let name = self.key(which);
            let before = std::mem::replace(&mut self.sides[which as usize], Side::new(track));
            self.keep(name, before.track);
        }
        self.subject = subject;
        self.begin();
        Ok(())
    }

    fn recorded(&mut self, name: &str, spec: RunSpec) -> Result<Track, SpecError> {
        match self.kept.iter().position(|(kept, _)| kept == name) {
            Some(at) => Ok(self.kept.remove(at).1),
            None => Track::record(spec),
        }
    }

    fn keep(&mut self, name: String, track: Track) {
        self.kept.push((name, track));
        while self.kept.iter().map(|(_, track)| u64::from(track.steps())).sum::<u64>() > KEPT_STEPS {
            self.kept.remove(0);
        }
    }

    fn key(&self, which: Which) -> String {
        self.subject.key(which)
    }

    // New runs are at their start and measured.
    fn begin(&mut self) {
        let [old, new] = &mut self.sides;
        old.track.seek(0);
        new.track.seek(0);
        self.compared = Run::compare(&mut old.track.run, &mut new.track.run);
        let mut kinds = old.track.kinds();
        kinds.extend(new.track.kinds());
        self.frame.kinds = kinds;
        self.frame.columns = old.track.own_columns().max(new.track.own_columns());
        let ends = Pair::new(old.track.steps(), new.track.steps());
        self.beats = Beats::new(old.track.run.timeline.marks(), new.track.run.timeline.marks(), ends);
        self.history.clear();
        self.evidence.get_mut().forget();
        self.measure();
    }

    fn measure(&mut self) {
        let [old, new] = &mut self.sides;
        let needs = [old.track.measure(&self.frame), new.track.measure(&self.frame)];
        self.frame.whole = highest(&self.beats, &needs);
        self.draw(Moved::Jumped);
    }

    /// Shows this one of the two drawings; false where it is the one that is shown.
    pub fn set_form(&mut self, form: Form) -> bool {
        let other = self.frame.form != form;
        if other {
            self.frame.form = form;
            self.measure();
        }
        other
    }

    /// Steps that each side has made.
    pub fn at(&self) -> Pair {
        Pair::new(self.sides[0].track.cursor(), self.sides[1].track.cursor())
    }

    /// One side.
    pub fn side(&self, which: Which) -> &Side {
        &self.sides[which as usize]
    }

    /// What the series puts in front.
    pub fn opening(&self) -> &'static Opening {
        &self.sides[0].track.run.spec.scenario.series().opening
    }

    /// How many pages, calls or loops the run goes through, where the scenario says.
    pub fn units(&self) -> Option<u32> {
        let units = self.sides[0].track.run.spec.params.get(self.opening().unit.0);
        (units > 0).then_some(units)
    }

    /// "56 pages", where the scenario says how many.
    pub fn extent(&self) -> Option<String> {
        let (units, unit) = (self.units()?, self.opening().unit.1);
        Some(format!("{} {unit}{}", text::thousands(units.into()), if units == 1 { "" } else { "s" }))
    }

    /// Places on the scrubber.
    pub fn clock_end(&self) -> u32 {
        let ends = self.beats.ends();
        match self.link {
            Link::Milestone => self.beats.clock_end(),
            Link::Step => ends.old.max(ends.new),
            Link::Off => ends.of(self.active),
        }
    }

    /// Place on the scrubber.
    pub fn clock(&self) -> u32 {
        let at = self.at();
        match self.link {
            Link::Milestone => self.beats.clock(at),
            Link::Step => at.old.max(at.new),
            Link::Off => at.of(self.active),
        }
    }

    /// Both sides are at their ends.
    pub fn ended(&self) -> bool {
        match self.link {
            Link::Off => self.at().of(self.active) == self.beats.ends().of(self.active),
            _ => self.at() == self.beats.ends(),
        }
    }

    /// The side that waits for the other.
    pub fn waiting(&self) -> Option<Which> {
        if self.link == Link::Milestone { self.beats.waiting(self.at()) } else { None }
    }

    /// Does what was asked for.
    pub fn go(&mut self, go: Go) -> Moved {
        let at = self.at();
        let to = self.target(go, at);
        if to == at {
            return Moved::Not;
        }
        match go {
            Go::Back => {
                self.history.pop_if(|(_, to)| *to == at);
            }
            Go::Step | Go::On(1) => {
                if self.history.len() == HISTORY {
                    self.history.clear();
                }
                self.history.push((at, to));
            }
            _ => self.history.clear(),
        }
        self.set(to);
        let far = to.join(at, u32::abs_diff);
        let moved = if far.old.max(far.new) > 1 { Moved::Jumped } else { Moved::Stepped };
        self.draw(moved);
        moved
    }

    fn target(&self, go: Go, at: Pair) -> Pair {
        let ends = self.beats.ends();
        let to = match go {
            Go::Step => self.step(at),
            Go::Back => self.back(at),
            Go::Over => self.over(at),
            Go::Next => self.next(at),
            Go::Previous => self.previous(at),
            Go::Difference => self.beats.next_difference(at, |old, new| self.same(old, new)).unwrap_or(at),
            Go::On(steps) => (0..steps).fold(at, |at, _| self.step(at).min(ends)),
            Go::Clock(place) => self.at_clock(place.min(self.clock_end())),
            Go::By(1) => self.step(at),
            Go::By(-1) => self.back(at),
            Go::By(by) => self.at_clock(self.clock().saturating_add_signed(by).min(self.clock_end())),
            Go::Side(which, step) => self.side_to(at, which, step),
            Go::Pair(pair) => pair,
            Go::Tenths(tenths) => self.at_clock((u64::from(self.clock_end()) * u64::from(tenths) / 10) as u32),
        };
        to.min(ends)
    }

    fn step(&self, at: Pair) -> Pair {
        match self.link {
            Link::Milestone => self.beats.step(at),
            Link::Step => Pair::new(at.old + 1, at.new + 1),
            Link::Off => at.with(self.active, at.of(self.active) + 1),
        }
    }

    fn back(&self, at: Pair) -> Pair {
        if let Some(&(from, to)) = self.history.last()
            && to == at
        {
            return from;
        }
        match self.link {
            Link::Milestone => self.beats.back(at),
            // The longer run goes back alone until it is where the other ended.
            Link::Step => {
                let most = at.old.max(at.new);
                Pair::new(
                    at.old - u32::from(at.old == most && most > 0),
                    at.new - u32::from(at.new == most && most > 0),
                )
            }
            Link::Off => at.with(self.active, at.of(self.active).saturating_sub(1)),
        }
    }

    fn over(&self, at: Pair) -> Pair {
        let over = |which: Which| self.side(which).track.run.timeline.step_over(at.of(which) as usize) as u32;
        match self.link {
            Link::Milestone => self.beats.within(at, Pair::new(over(Which::Old), over(Which::New))),
            Link::Step => Pair::new(over(Which::Old), over(Which::New)),
            Link::Off => at.with(self.active, over(self.active)),
        }
    }

    fn next(&self, at: Pair) -> Pair {
        match self.link {
            Link::Off => at.with(self.active, self.beats.beside(self.active, at.of(self.active), 1)),
            _ => self.beats.next(at),
        }
    }

    fn previous(&self, at: Pair) -> Pair {
        match self.link {
            Link::Off => at.with(self.active, self.beats.beside(self.active, at.of(self.active), -1)),
            _ => self.beats.previous(at),
        }
    }

    fn at_clock(&self, place: u32) -> Pair {
        match self.link {
            Link::Milestone => self.beats.at_clock(place),
            Link::Step => Pair::new(place, place),
            Link::Off => self.at().with(self.active, place),
        }
    }

    fn side_to(&self, at: Pair, which: Which, step: u32) -> Pair {
        match self.link {
            Link::Milestone => self.beats.partner(which, step),
            Link::Step => Pair::new(step, step),
            Link::Off => at.with(which, step),
        }
    }

    // Both sides do the same in these steps.
    fn same(&self, old: u32, new: u32) -> bool {
        let record = |which: Which, at: u32| &self.side(which).track.run.timeline.records()[at as usize];
        record(Which::Old, old).op == record(Which::New, new).op
    }

    fn set(&mut self, to: Pair) {
        for which in Which::BOTH {
            self.sides[which as usize].track.seek(to.of(which));
        }
    }

    // Makes the drawings, with what the step moved noted on them.
    fn draw(&mut self, moved: Moved) {
        let frame = &self.frame;
        let views = [0, 1].map(|i| self.sides[i].track.view(&frame.kinds));
        let [old, new] = &mut self.sides;
        let rows = [old.track.regions(&views[0], frame), new.track.regions(&views[1], frame)];
        let rows = rows[0].max(&rows[1]).within(&frame.whole);
        for (side, view) in self.sides.iter_mut().zip(views) {
            let mut scene = side.track.scene(&view, frame, &rows);
            if moved == Moved::Stepped {
                scene.compare(&side.scene, self.ghosts && side.view.step != view.step);
            }
            side.moment = side.track.moment(&view);
            side.scene = Rc::new(scene);
            side.view = view;
        }
    }

    /// The state as a link.
    pub fn link(&self, page: Option<(Which, PageNo)>) -> hash::Link {
        let Subject { scenario, variants: [old, new], params, schedule, .. } = self.subject.clone();
        hash::Link { scenario, old, new, params, schedule, step: self.at(), page }
    }

    /// Milestone that each side was at last, as the header says it: of the side that is behind, and of the other
    /// where that is further.
    pub fn milestones(&self) -> (Option<Milestone>, Option<(Which, Option<Milestone>)>) {
        let at = self.at();
        let levels = Which::BOTH.map(|which| self.beats.level(which, at.of(which)));
        let low = levels[0].min(levels[1]);
        let milestone = |level: usize| self.beats.all()[level].milestone;
        let ahead = match levels[0].cmp(&levels[1]) {
            std::cmp::Ordering::Less => Some(Which::New),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(Which::Old),
        };
        (milestone(low), ahead.map(|which| (which, milestone(levels[which as usize]))))
    }
}

impl Side {
    fn new(track: Track) -> Side {
        Side { track, moment: Moment::default(), view: View::default(), scene: Rc::default() }
    }

    /// "old: v3.11-rc3".
    pub fn label(&self) -> &'static str {
        self.track.run.spec.variant.label
    }
}

/// The highest that each region gets on the way through both runs together.
fn highest(beats: &Beats, needs: &[Vec<(u32, Regions)>; 2]) -> Regions {
    let mut moments: Vec<Pair> = Vec::new();
    for which in Which::BOTH {
        moments.extend(needs[which as usize].iter().map(|&(step, _)| beats.partner(which, step)));
    }
    let mut whole = Regions::default();
    for at in moments {
        let rows = Which::BOTH.map(|which| {
            let needs = &needs[which as usize];
            let known = needs.partition_point(|&(step, _)| step <= at.of(which)).max(1);
            &needs[known - 1].1
        });
        let both = rows[0].max(rows[1]);
        let totals: Vec<u16> = whole.zones.iter().map(|zone| zone.total).collect();
        whole = whole.max(&both);
        // Lists are at their highest at different moments, so the zone is not as high as their sum.
        for (i, zone) in whole.zones.iter_mut().enumerate() {
            zone.total = totals.get(i).copied().unwrap_or(0).max(both.zones[i].total);
        }
    }
    whole
}

#[cfg(test)]
mod tests {
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
        let text = include_str!("../tests/many-processes.json");
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
        let link = session.link(Some((Which::New, 3)));
        let mut again = Session::open(&Subject::from_link(&link), Form::Wide).unwrap();
        again.go(Go::Pair(link.step));
        assert_eq!(again.link(link.page), link);
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
            let again = Subject::from_link(&session.link(None));
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
}
