//! What the page is about: two recorded runs, where each is, and how the reader moves them.
//!
//! Nothing here knows of the browser. The page tells the session what was asked for and shows what it says.

use sim_core::engine::Milestone;
use sim_core::scenario::{RunSpec, Scenario, SpecError};
use sim_core::view::{PageNo, View};
use stage::{Form, Scene};

use crate::hash;
use crate::link::{Beats, Link, Pair, Which};
use crate::track::{Frame, Moment, Track};

/// Steps of the recorded runs that are kept beside the two in use.
const KEPT_STEPS: u64 = 300_000;
/// Steps that Back remembers.
const HISTORY: usize = 10_000;

/// What is shown: a scenario, its two variants, parameters, schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Scenario.
    pub scenario: String,
    /// Variant of each side.
    pub variants: [String; 2],
    /// Parameters that differ from their defaults, and `pages`.
    pub params: Vec<(String, String)>,
    /// Schedule, where it is not the scenario's own.
    pub schedule: Option<String>,
}

impl Subject {
    /// A scenario as it opens.
    pub fn of(scenario: &Scenario) -> Subject {
        let pages = scenario.params.iter().find(|param| param.name == "pages");
        Subject {
            scenario: scenario.name.into(),
            variants: [scenario.sides.0.into(), scenario.sides.1.into()],
            params: pages.map(|param| (param.name.into(), param.print(param.default))).into_iter().collect(),
            schedule: None,
        }
    }

    /// What a link asks for.
    pub fn from_link(link: &hash::Link) -> Subject {
        Subject {
            scenario: link.scenario.clone(),
            variants: [link.old.clone(), link.new.clone()],
            params: link.params.clone(),
            schedule: link.schedule.clone(),
        }
    }

    /// The run of one side.
    ///
    /// # Errors
    ///
    /// Names what does not exist or does not fit.
    pub fn spec(&self, which: Which) -> Result<RunSpec, SpecError> {
        let mut spec = RunSpec::new(&self.scenario, &self.variants[which as usize])?;
        for (name, value) in &self.params {
            spec = spec.set(name, value)?;
        }
        match &self.schedule {
            Some(schedule) => spec.schedule(schedule),
            None => Ok(spec),
        }
    }

    /// The same with the parameters as the scenario prints them, defaults left out.
    fn normal(&self, spec: &RunSpec) -> Subject {
        let changed = spec.params.iter().filter(|(param, value)| *value != param.default || param.name == "pages");
        Subject {
            params: changed.map(|(param, value)| (param.name.to_string(), param.print(value))).collect(),
            ..self.clone()
        }
    }
}

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
    pub scene: Scene,
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
            let name = key(&subject, which);
            if self.key(which) == name {
                continue;
            }
            match self.recorded(&name, spec) {
                Ok(track) => fresh.push((which, track)),
                Err(error) => {
                    fresh.into_iter().for_each(|(which, track)| self.keep(key(&subject, which), track));
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
        key(&self.subject, which)
    }

    // New runs are at their start and measured.
    fn begin(&mut self) {
        let [old, new] = &mut self.sides;
        old.track.seek(0);
        new.track.seek(0);
        let mut kinds = old.track.kinds();
        kinds.extend(new.track.kinds());
        self.frame.kinds = kinds;
        self.frame.columns = old.track.own_columns().max(new.track.own_columns());
        let ends = Pair::new(old.track.steps(), new.track.steps());
        self.beats = Beats::new(old.track.run.timeline.marks(), new.track.run.timeline.marks(), ends);
        self.history.clear();
        self.measure();
    }

    fn measure(&mut self) {
        let [old, new] = &mut self.sides;
        self.frame.whole = old.track.measure(&self.frame).max(&new.track.measure(&self.frame));
        self.draw(Moved::Jumped);
    }

    /// The other of the two drawings.
    pub fn set_form(&mut self, form: Form) {
        if self.frame.form != form {
            self.frame.form = form;
            self.measure();
        }
    }

    /// Steps that each side has made.
    pub fn at(&self) -> Pair {
        Pair::new(self.sides[0].track.cursor(), self.sides[1].track.cursor())
    }

    /// One side.
    pub fn side(&self, which: Which) -> &Side {
        &self.sides[which as usize]
    }

    /// Pages of the range, where the scenario has any.
    pub fn pages(&self) -> Option<u32> {
        let pages = self.sides[0].track.run.spec.params.iter().find(|(param, _)| param.name == "pages");
        pages.map(|(_, value)| value)
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
            Go::Tenths(tenths) => {
                self.at_clock((u64::from(self.clock_end()) * u64::from(tenths) / 10) as u32)
            }
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
                Pair::new(at.old - u32::from(at.old == most && most > 0), at.new - u32::from(at.new == most && most > 0))
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
            side.scene = scene;
            side.view = view;
        }
    }

    /// The state as a link.
    pub fn link(&self, page: Option<(Which, PageNo)>) -> hash::Link {
        let Subject { scenario, variants: [old, new], params, schedule } = self.subject.clone();
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
        Side { track, moment: Moment::default(), view: View::default(), scene: Scene::default() }
    }

    /// "old: v3.11-rc3".
    pub fn label(&self) -> &'static str {
        self.track.run.spec.variant.label
    }
}

fn key(subject: &Subject, which: Which) -> String {
    let Subject { scenario, variants, params, schedule } = subject;
    format!("{which:?} {scenario} {} {params:?} {schedule:?}", variants[which as usize])
}
