//! What is looked at, runs to a condition, breakpoints: asked of the session, kept in the link.

use leptos::prelude::*;
use sim_core::ask::{Condition, Subject, last_writer};
use sim_core::view::PageNo;

use super::{App, Banner};
use crate::hash;
use crate::link::Which;
use crate::questions::{self, Break, read_breaks};
use crate::session::{Go, Stop};
use crate::text::thousands;
use crate::web;

impl App {
    /// The state as a link.
    pub fn link(self) -> hash::Link {
        hash::Link {
            look: self.looked.get_untracked().map(|(which, subject)| (which, subject.to_string())),
            breaks: self.breaks.with_untracked(|breaks| breaks.iter().map(Break::print).collect()),
            ..self.with(|session| session.link())
        }
    }

    /// Looks at what a link looks at and sets its breakpoints; what these runs don't know is named, and the rest kept.
    pub fn ask_what_the_link_asks(self, link: &hash::Link) {
        let mut wrong = Vec::new();
        let looked = link.look.as_ref().and_then(|(which, text)| {
            let read = self.with(|session| questions::read(session, text));
            read.map(|subject| (*which, subject)).map_err(|error| wrong.push(format!("look=`{text}`: {error}"))).ok()
        });
        self.looked.set(looked);
        let (breaks, bad) = self.with(|session| read_breaks(session, &link.breaks));
        self.breaks.set(breaks);
        self.obey_breaks();
        wrong.extend(bad);
        if !wrong.is_empty() {
            let detail = format!("{}. Everything else is as the link says.", wrong.join("; "));
            self.banner.set(Some(Banner { title: "Part of the link could not be read.", detail }));
        }
    }

    /// The page that is looked at, for a side that shows it.
    pub fn looked_page(self, which: Which) -> Option<PageNo> {
        match self.looked.get() {
            Some((side, Subject::Page(page))) if side == which => Some(page),
            _ => None,
        }
    }

    /// Looks at something, or no longer, where that is what is looked at.
    pub fn toggle_look(self, which: Which, subject: Subject) {
        self.looked.update(|looked| {
            *looked = if *looked == Some((which, subject)) { None } else { Some((which, subject)) };
        });
        self.acted();
    }

    /// Looks at the subject that a press on an element is about, on the active side.
    pub fn look_clicked(self, event: &web_sys::MouseEvent) {
        let which = self.with(|session| session.active);
        if let Some(subject) = self.subject_of_event(event) {
            self.toggle_look(which, subject);
        }
    }

    /// The subject that an element is about.
    pub fn subject_of_event(self, event: &web_sys::Event) -> Option<Subject> {
        let text = web::closest(event, "[data-subject]")?.get_attribute("data-subject")?;
        self.with(|session| questions::read(session, &text)).ok()
    }

    pub(super) fn look_at_touched(self) {
        if let Some(touched) = self.with(questions::touched) {
            self.looked.set(Some(touched));
            self.acted();
        }
    }

    /// Goes to the step that left what is looked at as it is; where that is the step just made, to the one before.
    pub(super) fn to_last_writer(self) {
        let Some((which, subject)) = self.looked.get_untracked() else {
            return self.look_at_touched();
        };
        let step = self.with(|session| {
            let (life, now) = (session.life(which, subject), session.at().of(which));
            let writer = |now: u32| last_writer(&life, now).map(|touched| touched.step);
            writer(now).and_then(|step| if step == now { writer(now.saturating_sub(1)) } else { Some(step) })
        });
        match step {
            Some(step) => self.step(Go::Side(which, step)),
            None => self.tell(&format!("No step before this one writes {}.", subject.words())),
        }
    }

    /// Runs to a condition.
    ///
    /// # Errors
    ///
    /// Says where it does not come about; everything stays as it is.
    pub fn run_to(self, condition: &Condition, back: bool, sides: &[Which]) -> Result<(), String> {
        match self.with_mut(|session| session.run_to(condition, back, sides)) {
            Some((go, which)) => {
                self.step(go);
                let at = self.with(|session| session.at());
                let place = which.map_or(String::new(), |which| {
                    format!(", {} step {}", which.name(), thousands(at.of(which).into()))
                });
                self.stopped.set(Some(format!("{condition}{place}")));
                Ok(())
            }
            None => {
                let on = match sides {
                    [one] => format!("on the {} side", one.name()),
                    _ => "on either side".to_string(),
                };
                Err(format!("`{condition}` does not come {} {on}.", if back { "before this step" } else { "again" }))
            }
        }
    }

    /// Adds a breakpoint, or switches it on where there is one.
    pub fn add_break(self, condition: Condition) {
        self.change_breaks(|breaks| {
            let new = Break::new(condition);
            match breaks.iter_mut().find(|known| known.text == new.text) {
                Some(known) => known.on = true,
                None => breaks.push(new),
            }
        });
        self.tell(&format!("Breakpoint: {condition}"));
    }

    /// Changes the breakpoints.
    pub fn change_breaks(self, change: impl FnOnce(&mut Vec<Break>)) {
        self.breaks.update(change);
        self.obey_breaks();
        self.acted();
    }

    /// Other runs may know other names.
    pub(super) fn renew_breaks(self) {
        self.breaks.update(|breaks| {
            self.with(|session| {
                breaks.iter_mut().for_each(|one| *one = Break::read(session, &one.print()));
            });
        });
        self.obey_breaks();
    }

    fn obey_breaks(self) {
        let on: Vec<(usize, Condition)> = self.breaks.with_untracked(|breaks| {
            let on = breaks.iter().enumerate().filter(|(_, one)| one.on);
            on.filter_map(|(at, one)| Some((at, *one.condition.as_ref().ok()?))).collect()
        });
        self.with_mut(|session| session.set_stops(&on));
    }

    /// The same way to go, or as far as the first breakpoint on it.
    pub(super) fn stop_short(self, go: Go) -> (Go, Option<Stop>) {
        // Steps by hand go where they are sent.
        let by_itself = go == Go::Next || self.playing.get_untracked() && matches!(go, Go::On(_));
        let stop = if by_itself { self.with(|session| session.first_stop(go)) } else { None };
        match stop {
            Some(stop) if go != Go::On(1) => (Go::Pair(stop.at), Some(stop)),
            stop => (go, stop),
        }
    }

    pub(super) fn stopped_at(self, stop: Stop) {
        self.playing.set(false);
        let text = self.breaks.with_untracked(|breaks| breaks.get(stop.of).map(|one| one.text.clone()));
        let side = stop.which.map_or("both sides".to_string(), |which| {
            format!("{} step {}", which.name(), thousands(stop.at.of(which).into()))
        });
        let text = format!("Stopped at {}, {side}", text.unwrap_or_default());
        self.say_now();
        self.said.update(|said| *said = format!("{text}. {said}"));
        self.stopped.set(Some(text));
    }
}
