//! Reports on published figures, made while the page goes on: one at a time, in short turns, and kept.
//!
//! A report belongs to no dialog: it goes on while the reader looks at something else.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use ::evidence::{Breath, Maker, Pace, Report};
use leptos::prelude::*;

use crate::web;

/// Operations of the model between two looks at the clock: a few milliseconds of a slow machine.
const SLICE: u64 = 2_000;
/// How long a turn lasts, in milliseconds: short enough for a key to be answered at once.
const TURN: f64 = 20.0;
/// The shortest time between two pictures of the progress, in milliseconds.
const PICTURE: f64 = 100.0;
/// From here on the time that is left can be told.
const TELLING: f64 = 0.02;

/// How far a report is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// From 0 to 1.
    pub done: f64,
    /// Milliseconds that it has taken.
    pub spent: f64,
}

impl Progress {
    /// Milliseconds that are left, where that can be told.
    pub fn left(self) -> Option<f64> {
        (self.done >= TELLING).then(|| self.spent * (1.0 - self.done) / self.done)
    }
}

/// What is known of a report.
#[derive(Clone)]
pub enum State {
    /// Nobody has asked for it.
    None,
    /// It was stopped before its end, by its button or since another one was begun.
    Stopped,
    /// It is being made.
    Making(Progress),
    /// It is there.
    Made(Rc<Report>),
}

#[derive(Default)]
struct Desk {
    made: BTreeMap<&'static str, Rc<Report>>,
    stopped: BTreeSet<&'static str>,
    making: Option<(&'static str, Rc<Job>)>,
}

struct Job {
    start: f64,
    turn: Cell<f64>,
    picture: Cell<f64>,
    done: Cell<f64>,
    stop: Cell<bool>,
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::default();
    static CHANGED: ArcRwSignal<u64> = ArcRwSignal::new(0);
}

fn changed() {
    CHANGED.with(|changed| changed.update(|count| *count += 1));
}

/// Whoever reads what is known of reports is told of changes.
pub fn track() {
    CHANGED.with(Track::track);
}

/// What is known of a report.
pub fn state(series: &str) -> State {
    DESK.with_borrow(|desk| match (&desk.making, desk.made.get(series)) {
        (Some((making, job)), _) if *making == series => {
            State::Making(Progress { done: job.done.get(), spent: web::now() - job.start })
        }
        (_, Some(report)) => State::Made(report.clone()),
        _ if desk.stopped.contains(series) => State::Stopped,
        _ => State::None,
    })
}

/// Stops the report that is being made, if one is.
pub fn stop() {
    if let Some((series, job)) = DESK.with_borrow_mut(|desk| desk.making.take()) {
        job.stop.set(true);
        DESK.with_borrow_mut(|desk| desk.stopped.insert(series));
        changed();
    }
}

/// Begins a report; another one that is being made is stopped.
pub fn start(series: &'static str, make: Maker) {
    stop();
    let now = web::now();
    let job = Rc::new(Job {
        start: now,
        turn: Cell::new(now),
        picture: Cell::new(now),
        done: Cell::new(0.0),
        stop: Cell::new(false),
    });
    DESK.with_borrow_mut(|desk| {
        desk.stopped.remove(series);
        desk.making = Some((series, job.clone()));
    });
    changed();
    leptos::task::spawn_local(async move {
        // The button shows what it did before the work begins.
        turn(job.clone()).await;
        let (told, breathing) = (job.clone(), job.clone());
        let pace = Pace {
            progress: Box::new(move |done| told.tell(done)),
            breathe: Box::new(move || breath(&breathing)),
            slice: SLICE,
        };
        let report = make(&pace).await;
        if job.stop.get() {
            return;
        }
        DESK.with_borrow_mut(|desk| {
            desk.making = None;
            if let Ok(report) = report {
                desk.made.insert(series, Rc::new(report));
            }
        });
        changed();
        web::measure("mmscope:report", job.start);
    });
}

impl Job {
    // Runs within a report begin at its own place again: what has been shown is not taken back.
    fn tell(&self, done: f64) -> bool {
        self.done.set(self.done.get().max(done.clamp(0.0, 1.0)));
        let now = web::now();
        if now - self.picture.get() >= PICTURE && !self.stop.get() {
            self.picture.set(now);
            changed();
        }
        !self.stop.get()
    }
}

fn breath(job: &Rc<Job>) -> Breath {
    if web::now() - job.turn.get() < TURN && !job.stop.get() {
        return Box::pin(std::future::ready(()));
    }
    Box::pin(turn(job.clone()))
}

async fn turn(job: Rc<Job>) {
    web::pause().await;
    job.turn.set(web::now());
}
