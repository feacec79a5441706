//! The next step that brings a condition about, or the last one that did.

use alloc::vec::Vec;

use super::condition::Condition;
use super::lives::{Lives, Touched};
use super::subject::Subject;
use super::touch::Touch;
use crate::engine::Timeline;

impl Lives {
    /// The first step after `from` that brings a condition about; with `back` the last one before it. The cursor of
    /// the timeline stays where it was. One run alone never differs.
    pub fn find(&self, timeline: &mut Timeline, condition: &Condition, from: u32, back: bool) -> Option<u32> {
        let steps = self.candidates(timeline, condition);
        let split = if back { steps.partition_point(|&at| at < from) } else { steps.partition_point(|&at| at <= from) };
        let at = timeline.cursor();
        let mut holds = |step: &&u32| comes_about(timeline, condition, **step);
        let found = if back { steps[..split].iter().rev().find(&mut holds) } else { steps[split..].iter().find(holds) };
        let found = found.copied();
        timeline.seek(at);
        found
    }

    /// Every step that brings a condition about, ascending.
    pub fn find_all(&self, timeline: &mut Timeline, condition: &Condition) -> Vec<u32> {
        let at = timeline.cursor();
        let mut steps = self.candidates(timeline, condition);
        steps.retain(|&step| comes_about(timeline, condition, step));
        timeline.seek(at);
        steps
    }

    // Steps that may bring it about, ascending, each once.
    fn candidates(&self, timeline: &Timeline, condition: &Condition) -> Vec<u32> {
        let of = |subject: Subject, wanted: &dyn Fn(Touch) -> bool| -> Vec<u32> {
            let life = self.of(timeline, subject);
            life.iter().filter(|touched| wanted(touched.touch)).map(|touched| touched.step).collect()
        };
        let mut steps = match *condition {
            Condition::Touched(subject, manner) => of(subject, &|touch| manner.takes(touch)),
            Condition::Enters(page, list) => self.both(timeline, page, list, Touch::Enters),
            Condition::Leaves(page, list) => self.both(timeline, page, list, Touch::Leaves),
            Condition::Flag(page, ..) | Condition::Count(page, _) => of(Subject::Page(page), &Touch::writes),
            Condition::Counter(counter, ..) => of(Subject::Counter(counter), &Touch::writes),
            Condition::Passed(milestone) => {
                let passes = timeline.marks().iter().filter(|mark| mark.milestone == milestone);
                passes.map(|mark| mark.step).filter(|&step| step > 0).collect()
            }
            Condition::Differ => Vec::new(),
        };
        steps.dedup();
        steps
    }

    // Steps that are in the lives of a page and of a list: one step touches one list.
    fn both(&self, timeline: &Timeline, page: u32, list: super::ListId, touch: Touch) -> Vec<u32> {
        let list = self.of(timeline, Subject::List(list));
        let page = self.of(timeline, Subject::Page(page));
        let there = |step: u32| list.binary_search_by_key(&step, |touched| touched.step).is_ok();
        let is_it = |touched: &&Touched| touched.touch == touch && there(touched.step);
        page.iter().filter(is_it).map(|touched| touched.step).collect()
    }
}

// A state comes about where it holds after the step and did not before.
fn comes_about(timeline: &mut Timeline, condition: &Condition, step: u32) -> bool {
    let mut state = |step: u32| {
        timeline.seek(step as usize);
        holds(timeline, condition)
    };
    match condition {
        Condition::Flag(..) | Condition::Count(..) | Condition::Counter(..) => {
            step > 0 && !state(step - 1) && state(step)
        }
        _ => true,
    }
}

fn holds(timeline: &Timeline, condition: &Condition) -> bool {
    let world = timeline.world();
    let page = |number: u32| timeline.numbers().frame(number).map(|frame| world.machine.page(frame));
    match *condition {
        Condition::Flag(number, flag, set) => page(number).is_some_and(|page| page.has(flag) == set),
        Condition::Count(number, count) => page(number).is_some_and(|page| page.count == count),
        Condition::Counter(counter, is, value) => is.holds(counter.value(world), value),
        _ => true,
    }
}
