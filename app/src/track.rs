//! One side: a recorded run with what the page derives from it, and the picture at its cursor.

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use sim_core::ask::Lives;
use sim_core::engine::{Mark, Record};
use sim_core::ledger::{How, Row, rows};
use sim_core::machine::PageFlag;
use sim_core::op::Op;
use sim_core::scenario::{Run, RunSpec, SpecError};
use sim_core::view::{Lanes, Listing, PagevecKind, View, Words};
use stage::{Density, Form, Options, Regions, Scene, TapeLog, Tapes, columns, layout, moves_pages, regions};

/// Most pages of a run that is recorded; what is larger is for the bulk run of the command line.
pub const MOST_PAGES: u32 = 8192;
/// Lines of code that are shown.
pub const CODE_ROWS: usize = 11;
/// Most steps of a run that is recorded: what a tab keeps without a wait. What is longer is for the command line.
pub const MOST_STEPS: u64 = 400_000;
/// Views that are made to find how high the drawing gets, at most and at least; what is more is sampled.
const SAMPLES: [u64; 2] = [8, 4000];
/// What these views may cost together, in pages looked at.
const SAMPLE_WORK: u64 = 600_000;
/// What the cells of the lists may cost in a run that is gone through from its start, in pages looked at.
const TAPE_WORK: u64 = 3_000_000;
/// What they may cost for one step of a longer run.
const TURN_WORK: u64 = 200_000;
/// What a CPU costs in a view, and what any view costs, in pages.
const CPU_WORK: u64 = 40;

/// A recorded run.
pub struct Track {
    /// The run.
    pub run: Run,
    /// Spans along its steps.
    pub lanes: Lanes,
    /// The ledger's rows at the end.
    pub end: Vec<Row>,
    /// Longest hold of the lock that the series is about, in the whole run.
    pub longest_hold: u32,
    /// What costs are divided by: small pages of the run, or what else it goes through; none where nobody says.
    pub pages: Option<u64>,
    /// Those that are mlocked before the first step.
    mlocked: u64,
    clears_mlocked: bool,
    tapes: TapeLog,
    columns: u16,
    /// Steps that move pages.
    moving: u64,
    /// Views that were made so far: what opening a run costs.
    views: Cell<u32>,
    /// Who touched what, from the first question on.
    lives: OnceCell<Rc<Lives>>,
    functions: OnceCell<Vec<&'static str>>,
    said: Option<Rc<Vec<String>>>,
}

/// How a pair of sides is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Wide or narrow.
    pub form: Form,
    /// Cells in a row.
    pub columns: u16,
    /// Pagevecs that one of the two kernels has.
    pub kinds: Vec<PagevecKind>,
    /// How high each region gets.
    pub whole: Regions,
}

/// What a side shows at one step, apart from the drawing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    /// Steps made.
    pub step: u32,
    /// What the last one did.
    pub words: Words,
    /// Function that made it.
    pub function: &'static str,
    /// CPU that made it.
    pub cpu: u8,
    /// The code.
    pub listing: Listing,
    /// The ledger.
    pub rows: Vec<Row>,
    /// What the last step added to each row.
    pub added: Vec<u64>,
    /// Longest hold of the lock that the series is about, so far.
    pub longest_hold: u32,
    /// Whether it grew in this step.
    pub hold_grew: bool,
    /// Pages munlocked so far.
    pub munlocked: u64,
    /// The last milestone.
    pub mark: Option<Mark>,
}

impl Track {
    /// Records a run.
    ///
    /// # Errors
    ///
    /// Parameters that do not fit, and runs that are too long to record.
    pub fn record(spec: RunSpec) -> Result<Track, SpecError> {
        let pages = spec.params.get("pages");
        if pages > MOST_PAGES {
            let expected = format!("{MOST_PAGES} pages at most for a run that is recorded step by step");
            return Err(SpecError::Value { name: "pages".into(), value: pages.to_string(), expected });
        }
        let run = spec.record_within(MOST_STEPS)?;
        let lanes = run.timeline.lanes(run.spec.scenario.series().opening.lock);
        let end = rows(&run.ledger);
        let view = run.timeline.view();
        let pages = units(&run, &view);
        let mlocked = mlocked(&view);
        let columns = columns(&run);
        let clears_mlocked = run.timeline.records().iter().any(clears_mlocked);
        let moving = run.timeline.records().iter().filter(|record| moves_pages(record)).count() as u64;
        let mut track = Track {
            run,
            lanes,
            end,
            longest_hold: 0,
            pages,
            mlocked,
            clears_mlocked,
            tapes: TapeLog::new(columns),
            columns,
            moving,
            views: Cell::new(0),
            lives: OnceCell::new(),
            functions: OnceCell::new(),
            said: None,
        };
        track.tapes = track.tape_log(columns);
        track.longest_hold = track.hold_until(track.steps());
        Ok(track)
    }

    /// Steps of the run.
    pub fn steps(&self) -> u32 {
        self.run.timeline.len() as u32
    }

    /// Steps made.
    pub fn cursor(&self) -> u32 {
        self.run.timeline.cursor() as u32
    }

    /// Goes to a step.
    pub fn seek(&mut self, step: u32) {
        self.run.timeline.seek(step as usize);
    }

    /// Cells in a row that suit this kernel's batches.
    pub fn own_columns(&self) -> u16 {
        columns(&self.run)
    }

    /// Pagevecs that this kernel has.
    pub fn kinds(&self) -> Vec<PagevecKind> {
        stage::kinds(&self.run)
    }

    /// The view at the cursor.
    pub fn view(&self, kinds: &[PagevecKind]) -> View {
        self.views.set(self.views.get() + 1);
        view(&self.run, kinds)
    }

    /// Views that were made so far.
    #[cfg(test)]
    pub fn views(&self) -> u32 {
        self.views.get()
    }

    // Pages that a view looks at, and what else it costs in the same measure.
    fn view_work(&self) -> u64 {
        let cpus = self.run.timeline.world().machine.cpus.len() as u64;
        self.run.timeline.numbers().frames().len() as u64 + CPU_WORK * (cpus + 1)
    }

    // A log that goes through the run from its start where that costs little, else one that turns.
    fn tape_log(&self, columns: u16) -> TapeLog {
        let work = self.run.timeline.numbers().frames().len() as u64 + CPU_WORK;
        if self.moving * work <= TAPE_WORK {
            return TapeLog::new(columns);
        }
        TapeLog::turning(columns, (TURN_WORK / work).clamp(1, 4096) as u32)
    }

    /// The rows that each region needs, from the steps on at which that changes: at each step that moves pages where
    /// there are few, else at some of them.
    pub fn measure(&mut self, frame: &Frame) -> Vec<(u32, Regions)> {
        let at = self.cursor();
        let steps: Vec<u32> = (0..=self.steps()).filter(|&step| step == 0 || self.moves_pages(step)).collect();
        let [least, most] = SAMPLES;
        let samples = (SAMPLE_WORK / self.view_work()).clamp(least, most) as usize;
        let mut needs: Vec<(u32, Regions)> = Vec::new();
        for &step in steps.iter().step_by(steps.len().div_ceil(samples).max(1)) {
            self.seek(step);
            let view = self.view(&frame.kinds);
            // Where the past of the lists is not known it is not asked for either.
            let tapes = if self.tapes.turn() > 0 { None } else { self.tapes_at(&view, frame) };
            let rows = regions(&view, &options(frame, tapes.as_ref()));
            if needs.last().is_none_or(|(_, last)| *last != rows) {
                needs.push((step, rows));
            }
        }
        self.seek(at);
        needs
    }

    /// The rows that each region needs at the cursor.
    pub fn regions(&mut self, view: &View, frame: &Frame) -> Regions {
        let tapes = self.tapes_at(view, frame);
        regions(view, &options(frame, tapes.as_ref()))
    }

    /// The drawing at the cursor.
    pub fn scene(&mut self, view: &View, frame: &Frame, rows: &Regions) -> Scene {
        let tapes = self.tapes_at(view, frame);
        layout(view, &Options { regions: Some(rows), ..options(frame, tapes.as_ref()) })
    }

    /// Cells of the lists at the cursor; none where lists are maps.
    fn tapes_at(&mut self, view: &View, frame: &Frame) -> Option<Tapes> {
        if Density::of(view) == Density::Map {
            return None;
        }
        if self.columns != frame.columns {
            self.columns = frame.columns;
            self.tapes = self.tape_log(frame.columns);
        }
        let at = self.run.timeline.cursor();
        let (timeline, views, turn) = (&mut self.run.timeline, &self.views, self.tapes.turn());
        let tapes = self.tapes.at(at as u32, |step| {
            let moved = step == 0 || moves_pages(&timeline.records()[step as usize - 1]);
            (moved || step.is_multiple_of(turn)).then(|| {
                if step as usize == at {
                    return view.clone();
                }
                timeline.seek(step as usize);
                views.set(views.get() + 1);
                timeline.places()
            })
        });
        let tapes = tapes.clone();
        self.seek(at as u32);
        Some(tapes)
    }

    /// Mlocked pages are what the run goes through: there are some, and it munlocks some of them.
    pub fn munlocks(&self) -> bool {
        self.mlocked > 0 && self.clears_mlocked
    }

    fn moves_pages(&self, step: u32) -> bool {
        moves_pages(&self.run.timeline.records()[step as usize - 1])
    }

    /// Everything else that is shown at the cursor.
    pub fn moment(&mut self, view: &View) -> Moment {
        let step = self.cursor();
        let now = rows(&self.run.timeline.world().ledger);
        let before = self.rows_before(&now);
        let longest_hold = self.hold_until(step);
        let hold_grew = step > 0 && self.hold_until(step - 1) < longest_hold;
        let timeline = &self.run.timeline;
        let stack = step.checked_sub(1).map(|last| timeline.stack(last as usize)).unwrap_or_default();
        Moment {
            step,
            words: timeline.sentence(),
            function: stack.last().map_or("", |&frame| timeline.frames()[frame as usize].func.name),
            cpu: timeline.last().map_or(0, |record| record.cpu),
            listing: timeline.listing(CODE_ROWS),
            added: now.iter().zip(&before).map(|(now, before)| now.value - before.value).collect(),
            rows: now,
            longest_hold,
            hold_grew,
            munlocked: self.mlocked.saturating_sub(mlocked(view)),
            mark: timeline.milestone_at(step as usize).copied(),
        }
    }

    fn rows_before(&mut self, now: &[Row]) -> Vec<Row> {
        if !self.run.timeline.back() {
            return now.to_vec();
        }
        let before = rows(&self.run.timeline.world().ledger);
        self.run.timeline.forward();
        before
    }

    /// Longest hold of the lock that the series is about, among those that had begun by a step, in steps.
    fn hold_until(&self, step: u32) -> u32 {
        let holds = self.run.timeline.index().holds_of(self.run.spec.scenario.series().opening.lock);
        let begun = holds.filter(|span| span.start <= step);
        begun.map(|span| span.end.min(step) - span.start).max().unwrap_or(0)
    }

    /// Who touched what.
    pub fn lives(&self) -> Rc<Lives> {
        self.lives.get_or_init(|| Rc::new(Lives::new(&self.run.timeline))).clone()
    }

    /// Names of the kernel functions that it calls.
    pub fn functions(&self) -> &[&'static str] {
        self.functions.get_or_init(|| self.run.timeline.functions())
    }

    /// The sentences of the first steps, made once. Leaves the cursor where it was.
    pub fn all_sentences(&mut self, most: u32) -> Rc<Vec<String>> {
        if self.said.is_none() {
            let steps: Vec<u32> = (1..=self.steps().min(most)).collect();
            self.said = Some(Rc::new(self.sentences(&steps)));
        }
        self.said.clone().unwrap_or_default()
    }

    /// What the step that ended at this count did. Leaves the cursor where it was.
    pub fn sentences(&mut self, steps: &[u32]) -> Vec<String> {
        let at = self.cursor();
        let mut sentences = Vec::with_capacity(steps.len());
        for &step in steps {
            self.seek(step);
            sentences.push(self.run.timeline.sentence().plain());
        }
        self.seek(at);
        sentences
    }
}

fn options<'a>(frame: &Frame, tapes: Option<&'a Tapes>) -> Options<'a> {
    Options { form: frame.form, columns: frame.columns, tapes, ..Options::default() }
}

fn view(run: &Run, kinds: &[PagevecKind]) -> View {
    let mut view = run.timeline.view();
    for cpu in &mut view.cpus {
        cpu.pagevecs.retain(|pvec| kinds.contains(&pvec.kind));
    }
    view
}

fn units(run: &Run, view: &View) -> Option<u64> {
    let series = run.spec.scenario.series();
    // A scenario of the reader's has no parameter that says it.
    let said = run.spec.params.get(series.opening.unit.0) > 0;
    match series.name {
        _ if !said => None,
        "munlock" => Some(view.pages.iter().map(|page| u64::from(page.nr)).sum()).filter(|&pages| pages > 0),
        _ => Some(series.opening.per.iter().map(|name| u64::from(run.spec.params.get(name)).max(1)).product()),
    }
}

fn mlocked(view: &View) -> u64 {
    view.pages.iter().filter(|page| page.mlocked).map(|page| u64::from(page.nr)).sum()
}

fn clears_mlocked(record: &Record) -> bool {
    matches!(record.op, Op::Flag { flag: PageFlag::Mlocked, how: How::Clear | How::TestClear | How::PlainClear, .. })
}
