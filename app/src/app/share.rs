//! What is passed on: the link of a moment with what it promises, its picture; and whether a promise has been kept.

use leptos::prelude::*;
use permalink::{mend, seal};
use stage::Figure;

use super::{App, Banner};
use crate::hash::{self, Link};
use crate::link::Which;
use crate::session::Session;
use crate::track::MOST_PAGES;
use crate::web;

impl App {
    /// The moment as a link that promises its outcome.
    pub fn shared_link(self) -> Link {
        Link { seal: Some(self.with_mut(outcome)), ..self.link() }
    }

    /// The moment as a picture. The same function makes those of the command line.
    pub fn figure(self) -> Figure {
        let address = format!("{}{}", web::base(), hash::encode(&self.link()));
        self.with_mut(|session| {
            let [old, new] = &mut session.sides;
            Figure::of(&mut [&mut old.track.run, &mut new.track.run], address)
        })
    }

    /// Says where the runs come out otherwise than a link promises.
    pub(super) fn check_outcome(self, link: &Link) {
        let Some(promised) = &link.seal else { return };
        let changes: Vec<_> = self.with_mut(|session| {
            let sides = Which::BOTH.into_iter().zip(promised).zip(&mut session.sides);
            sides
                .filter_map(|((which, outcome), side)| {
                    seal::compare(which, outcome, link.step.of(which), &mut side.track.run.timeline)
                })
                .collect()
        });
        if let Some(detail) = seal::words(&changes) {
            self.banner.set(Some(Banner { title: "Same steps, different outcome.", detail }));
        }
    }

    /// The same for the link that the page was opened with.
    pub(super) fn check_first_outcome(self) {
        if self.banner.with_untracked(Option::is_none)
            && let Ok(Some(link)) = hash::decode(&web::hash())
        {
            self.check_outcome(&link);
        }
    }

    /// The link that was meant by the one in the address, where that cannot be followed.
    pub fn meant(self) -> Option<String> {
        self.address.with_value(|address| address.kept).then(|| mend::closest_link(&web::hash(), MOST_PAGES))?
    }

    /// Why the run has no link, where it has none: one that is too long to be read is not written.
    pub(super) fn warn_of_long_link(self) {
        if let Some(detail) = permalink::length::too_long(&self.with(Session::link)) {
            self.banner.set(Some(Banner { title: "This run has no link.", detail }));
        }
    }
}

fn outcome(session: &mut Session) -> seal::Seal {
    session.sides.each_mut().map(|side| {
        let here = side.track.cursor();
        seal::of(&mut side.track.run.timeline, here)
    })
}
