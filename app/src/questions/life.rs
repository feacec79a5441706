//! A biography as it is listed: a window of it, around the present or where the reader has turned to.

use std::ops::Range;

use sim_core::ask::{Subject, Touch, Touched, last_before, last_writer, next_after, passed};

use crate::link::Which;
use crate::session::Session;

/// Steps of a biography that are listed at once.
pub const LISTED: usize = 100;

/// Every step of one side that touched a subject, with those that are listed in words.
#[derive(Default)]
pub struct Life {
    of: Option<(Subject, String)>,
    all: Vec<Touched>,
    from: usize,
    sentences: Vec<String>,
    // The reader has turned to another part than the present.
    turned: Option<u32>,
}

/// One listed step.
#[derive(Clone, Debug, PartialEq)]
pub struct Row<'a> {
    /// Step count after which it has been made.
    pub step: u32,
    /// What it did.
    pub touch: Touch,
    /// In words.
    pub sentence: &'a str,
    /// It is the last one made.
    pub present: bool,
    /// It lies ahead.
    pub later: bool,
}

/// What is listed, and what not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Steps before those listed.
    pub earlier: usize,
    /// Steps after them.
    pub later: usize,
}

impl Life {
    /// Makes this the life of a subject on one side, with a list that the present is in, unless the reader has turned
    /// to another part at this very step.
    pub fn bring(&mut self, session: &mut Session, which: Which, subject: Subject) {
        let of = Some((subject, session.subject.key(which)));
        if self.of != of {
            *self = Life { of, all: session.life(which, subject), ..Life::default() };
        }
        let now = session.at().of(which);
        if self.turned == Some(now) {
            return;
        }
        self.turned = None;
        let present = passed(&self.all, now);
        // The step just made is listed, or the list begins with the first one of all.
        let inside = present > self.from || present == 0 && self.from == 0;
        if self.sentences.is_empty() || !inside || present > self.from + self.sentences.len() {
            self.list(session, which, present.saturating_sub(LISTED / 2));
        }
    }

    /// Turns to earlier or later steps.
    pub fn turn(&mut self, session: &mut Session, which: Which, later: bool) {
        let from = if later { self.from + LISTED } else { self.from.saturating_sub(LISTED) };
        self.turned = Some(session.at().of(which));
        self.list(session, which, from);
    }

    fn list(&mut self, session: &mut Session, which: Which, from: usize) {
        self.from = from.min(self.all.len().saturating_sub(LISTED));
        let steps: Vec<u32> = self.all[self.listed()].iter().map(|touched| touched.step).collect();
        self.sentences = session.sides[which as usize].track.sentences(&steps);
    }

    fn listed(&self) -> Range<usize> {
        self.from..(self.from + LISTED).min(self.all.len())
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// What is listed.
    pub fn window(&self) -> Window {
        let listed = self.listed();
        Window { earlier: listed.start, later: self.all.len() - listed.end }
    }

    /// The listed steps.
    pub fn rows(&self, now: u32) -> impl Iterator<Item = Row<'_>> {
        let present = passed(&self.all, now).checked_sub(1);
        self.listed().zip(&self.sentences).map(move |(at, sentence)| {
            let Touched { step, touch } = self.all[at];
            Row { step, touch, sentence, present: present == Some(at), later: step > now }
        })
    }

    /// The last step that touched it before this one.
    pub fn before(&self, now: u32) -> Option<u32> {
        last_before(&self.all, now).map(|touched| touched.step)
    }

    /// The next step that touches it.
    pub fn next(&self, now: u32) -> Option<u32> {
        next_after(&self.all, now).map(|touched| touched.step)
    }

    /// Who left it as it is.
    pub fn writer(&self, now: u32) -> Option<u32> {
        last_writer(&self.all, now).map(|touched| touched.step)
    }

    /// Where to go for the last writer: where that is the step just made, the one before.
    pub fn writer_to_go(&self, now: u32) -> Option<u32> {
        self.writer(now).and_then(|step| if step == now { self.writer(now.saturating_sub(1)) } else { Some(step) })
    }
}
