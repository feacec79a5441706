//! Conditions that a text may be the beginning of.

use sim_core::ask::{Condition, ListId, Manner, Subject, Touch};
use sim_core::engine::Milestone;
use sim_core::machine::PageFlag;

use super::search::known;
use crate::link::Which;
use crate::session::Session;

/// Conditions by the names of these runs.
pub(super) fn suggestions(session: &Session, text: &str) -> Vec<Condition> {
    let mut all = vec![Condition::Differ];
    let hero = session.opening().lock;
    all.extend([Manner::Taken, Manner::Contended].map(|manner| Condition::Touched(Subject::Lock(hero, None), manner)));
    if let Some((_, subject)) = super::touched(session) {
        all.push(Condition::Touched(subject, Manner::Written));
    }
    if text.is_empty() {
        return all;
    }
    for (subject, _) in known(session) {
        match subject {
            Subject::Lock(..) => {
                let manners = [Manner::Taken, Manner::Contended, Manner::Released];
                all.extend(manners.map(|manner| Condition::Touched(subject, manner)));
            }
            Subject::Function(_) => all.push(Condition::Touched(subject, Manner::Touched)),
            Subject::Counter(_) | Subject::List(_) => all.push(Condition::Touched(subject, Manner::Written)),
            Subject::Page(_) | Subject::Pte(..) => {}
        }
    }
    all.extend(of_pages(session, text));
    all.extend([Milestone::SyscallEnter, Milestone::RangeDone, Milestone::SyscallExit].map(Condition::Passed));
    if let Some(number) = last_number(text) {
        all.extend([Milestone::LoopAt(number), Milestone::Call(number)].map(Condition::Passed));
    }
    let passed = |condition: &Condition| match condition {
        Condition::Passed(milestone) => {
            Which::BOTH.iter().any(|&which| session.side(which).track.run.timeline.step_of(*milestone).is_some())
        }
        _ => true,
    };
    all.retain(passed);
    all
}

fn last_number(text: &str) -> Option<u32> {
    text.split(|c: char| !c.is_ascii_digit()).rfind(|part| !part.is_empty())?.parse().ok()
}

// What may become of the page that is named: the lists that it enters and leaves, its flags.
fn of_pages(session: &Session, text: &str) -> Vec<Condition> {
    let number = text.to_lowercase().strip_prefix("page").and_then(|rest| {
        let rest = rest.trim_start_matches([' ', ':']);
        rest.split(' ').next()?.parse::<u32>().ok()
    });
    let Some(page) = number else { return Vec::new() };
    let mut all: Vec<Condition> =
        [Manner::Written, Manner::Touched].map(|manner| Condition::Touched(Subject::Page(page), manner)).into();
    for which in Which::BOTH {
        let life = session.life(which, Subject::Page(page));
        let lists: Vec<ListId> = known_of(session, which)
            .filter_map(|subject| match subject {
                Subject::List(list) => Some(list),
                _ => None,
            })
            .collect();
        for list in lists {
            let of_list = session.life(which, Subject::List(list));
            let there = |step: u32| of_list.binary_search_by_key(&step, |touched| touched.step).is_ok();
            for touched in life.iter().filter(|touched| there(touched.step)) {
                match touched.touch {
                    Touch::Enters => all.push(Condition::Enters(page, list)),
                    Touch::Leaves => all.push(Condition::Leaves(page, list)),
                    _ => {}
                }
            }
        }
    }
    let flags = [PageFlag::Mlocked, PageFlag::Lru, PageFlag::Active, PageFlag::Dirty, PageFlag::Locked];
    all.extend(flags.into_iter().flat_map(|flag| [false, true].map(|set| Condition::Flag(page, flag, set))));
    all.extend((0..4).map(|count| Condition::Count(page, count)));
    let mut each = Vec::with_capacity(all.len());
    for condition in all {
        if !each.contains(&condition) {
            each.push(condition);
        }
    }
    each
}

fn known_of(session: &Session, which: Which) -> impl Iterator<Item = Subject> + use<> {
    let lives = session.side(which).track.lives();
    let all: Vec<Subject> = lives.all().map(|(subject, _)| subject).collect();
    all.into_iter()
}
