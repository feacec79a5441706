//! Long work in slices, so that whoever waits for it can show how far it is, and stop it.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

/// What a slice ends with.
pub type Breath = Pin<Box<dyn Future<Output = ()>>>;

/// Tells how far the work is and lets others go on in between.
pub struct Pace<'a> {
    /// Gets how far the work is, from 0 to 1; false stops it.
    pub progress: Box<dyn Fn(f64) -> bool + 'a>,
    /// Waits until it is this work's turn again.
    pub breathe: Box<dyn Fn() -> Breath + 'a>,
    /// Operations of the model between two breaths.
    pub slice: u64,
}

/// The work was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

impl<'a> Pace<'a> {
    /// Works without breathing.
    pub fn steady(progress: impl Fn(f64) -> bool + 'a) -> Pace<'a> {
        Pace { progress: Box::new(progress), breathe: Box::new(|| Box::pin(std::future::ready(()))), slice: u64::MAX }
    }

    /// The work is so far. Stops it where that was asked for.
    ///
    /// # Errors
    ///
    /// [`Stopped`]
    pub async fn at(&self, fraction: f64) -> Result<(), Stopped> {
        (self.breathe)().await;
        if (self.progress)(fraction) { Ok(()) } else { Err(Stopped) }
    }

    /// A part of the work, from one fraction to another.
    pub fn part(&'a self, from: f64, to: f64) -> Pace<'a> {
        let progress = move |at: f64| (self.progress)(from + (to - from) * at);
        Pace { progress: Box::new(progress), breathe: Box::new(|| (self.breathe)()), slice: self.slice }
    }
}

/// Runs work that does not breathe to its end.
///
/// # Panics
///
/// Where the work waits for something after all.
pub fn run<T>(work: impl Future<Output = T>) -> T {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done,
        Poll::Pending => panic!("work at a steady pace waits for nothing"),
    }
}
