//! Every kind of condition, forwards and backwards, against a run that is gone through step by step.

use sim_core::ask::{Condition, Counter, Is, ListId, Lives, Manner, Subject, read_condition};
use sim_core::engine::{Milestone, Timeline};
use sim_core::machine::{LockClass, LockId, Machine, PageFlag, Stat};
use sim_core::view::Lru;

use super::common::run;
use super::runs;

/// Steps after which `state` holds and before which it did not.
fn comes_about(timeline: &mut Timeline, state: impl Fn(&Timeline) -> bool) -> Vec<u32> {
    timeline.seek(0);
    let mut found = Vec::new();
    let mut before = state(timeline);
    while timeline.forward() {
        let now = state(timeline);
        if now && !before {
            found.push(timeline.cursor() as u32);
        }
        before = now;
    }
    found
}

/// Steps at which `number` grows.
fn grows(timeline: &mut Timeline, number: impl Fn(&Machine) -> usize) -> Vec<u32> {
    timeline.seek(0);
    let mut found = Vec::new();
    let mut before = number(&timeline.world().machine);
    while timeline.forward() {
        let now = number(&timeline.world().machine);
        if now > before {
            found.push(timeline.cursor() as u32);
        }
        before = now;
    }
    found
}

/// The condition is found exactly at these steps, from everywhere and both ways.
#[track_caller]
fn check(timeline: &mut Timeline, condition: Condition, expected: &[u32]) {
    let lives = Lives::new(timeline);
    let written = condition.to_string();
    assert_eq!(read_condition(&written, &timeline.functions()), Ok(condition), "{written}");
    assert_eq!(lives.find_all(timeline, &condition), expected, "{written}");
    let end = timeline.len() as u32;
    timeline.seek(7);
    for from in (0..=end).step_by(1 + end as usize / 300) {
        let next = expected.iter().copied().find(|&step| step > from);
        let last = expected.iter().copied().rfind(|&step| step < from);
        assert_eq!(lives.find(timeline, &condition, from, false), next, "{written} after {from}");
        assert_eq!(lives.find(timeline, &condition, from, true), last, "{written} before {from}");
    }
    assert_eq!(timeline.cursor(), 7, "the cursor stays where it was");
}

fn frame(timeline: &Timeline, page: u32) -> u32 {
    timeline.numbers().frame(page).expect("the page is in the run")
}

#[test]
fn flags_and_counts_of_pages() {
    for variant in ["0", "6", "today"] {
        let mut timeline = run("munlock", variant, &[("pages", "24")]).timeline;
        let page = frame(&timeline, 17);
        for (flag, set) in PageFlag::ALL.into_iter().flat_map(|flag| [(flag, true), (flag, false)]) {
            let expected = comes_about(&mut timeline, |at| at.world().machine.page(page).has(flag) == set);
            check(&mut timeline, Condition::Flag(17, flag, set), &expected);
        }
        for count in 0..5 {
            let expected = comes_about(&mut timeline, |at| at.world().machine.page(page).count == count);
            check(&mut timeline, Condition::Count(17, count), &expected);
        }
    }
}

#[test]
fn pages_enter_and_leave_lists() {
    for (name, mut timeline) in runs::all().into_iter().filter(|(_, timeline)| timeline.len() < 4_000) {
        // In 5.18 and later the list of unevictable pages has no links.
        for lru in &Lru::ALL[..4] {
            let pages: Vec<u32> = (0..timeline.numbers().frames().len() as u32).take(3).collect();
            for page in pages {
                let frame = frame(&timeline, page);
                let there = |at: &Timeline| at.world().machine.list(0, lru.index() as u8).any(|one| one == frame);
                let enters = comes_about(&mut timeline, there);
                let leaves = comes_about(&mut timeline, |at| !there(at));
                let list = ListId::Lru(0, *lru);
                let lives = Lives::new(&timeline);
                let entered = lives.find_all(&mut timeline, &Condition::Enters(page, list));
                assert_eq!(entered, enters, "{name}: page {page} enters {list}");
                let left = lives.find_all(&mut timeline, &Condition::Leaves(page, list));
                assert_eq!(left, leaves, "{name}: page {page} leaves {list}");
            }
        }
    }
    let mut timeline = run("munlock", "6", &[]).timeline;
    let page = frame(&timeline, 20);
    let inactive = comes_about(&mut timeline, |at| at.world().machine.list(0, 0).any(|one| one == page));
    assert_eq!(inactive.len(), 1);
    check(&mut timeline, Condition::Enters(20, ListId::Lru(0, Lru::InactiveAnon)), &inactive);
}

#[test]
fn locks_are_taken_contended_and_released() {
    for scenario in ["munlock", "munlock-two-cpus"] {
        let mut timeline = run(scenario, "0", &[]).timeline;
        for class in [LockClass::Lru, LockClass::Ptl] {
            let lock = LockId { class, index: 0 };
            let held = |at: &Timeline| at.world().machine.holder(lock).is_some();
            let taken = comes_about(&mut timeline, held);
            let released = comes_about(&mut timeline, |at| !held(at));
            let contended = grows(&mut timeline, |machine| machine.lock(lock).queue.len());
            for (manner, expected) in
                [(Manner::Taken, taken), (Manner::Released, released), (Manner::Contended, contended)]
            {
                check(&mut timeline, Condition::Touched(Subject::Lock(class, Some(0)), manner), &expected);
            }
        }
    }
    for (variant, rounds) in [("0", 111), ("6", 8)] {
        let mut timeline = run("munlock", variant, &[]).timeline;
        let taken = Condition::Touched(Subject::Lock(LockClass::Lru, None), Manner::Taken);
        let found = Lives::new(&timeline).find_all(&mut timeline, &taken);
        assert_eq!(found.len(), rounds, "as often as the ledger says, variant {variant}");
    }
}

#[test]
fn counters_reach_a_value() {
    let mut timeline = run("munlock", "0", &[("pages", "24")]).timeline;
    for (is, value) in [(Is::Equal, 3), (Is::Below, 20), (Is::AtMost, 20), (Is::Above, 30), (Is::AtLeast, 24)] {
        let holds = |at: &Timeline| {
            let now = at.world().machine.stat(Stat::Mlock);
            match is {
                Is::Equal => now == value,
                Is::Above => now > value,
                Is::Below => now < value,
                Is::AtLeast => now >= value,
                Is::AtMost => now <= value,
            }
        };
        let expected = comes_about(&mut timeline, holds);
        check(&mut timeline, Condition::Counter(Counter::Stat(Stat::Mlock), is, value), &expected);
    }
    let total = sim_core::ledger::Key::Total;
    let expected = comes_about(&mut timeline, |at| total.of(&at.world().ledger) >= 100);
    assert_eq!(expected.len(), 1);
    check(&mut timeline, Condition::Counter(Counter::Key(total), Is::AtLeast, 100), &expected);
}

#[test]
fn functions_are_entered_and_milestones_passed() {
    let mut timeline = run("munlock", "0", &[("pages", "24")]).timeline;
    for name in timeline.functions() {
        let frames: Vec<u32> = timeline.frames().iter().map(|frame| frame.start + 1).collect();
        let names: Vec<&str> = timeline.frames().iter().map(|frame| frame.func.name).collect();
        let entered = |step: u32| frames.iter().zip(&names).any(|(&start, &of)| start == step && of == name);
        let expected: Vec<u32> = (1..=timeline.len() as u32).filter(|&step| entered(step)).collect();
        check(&mut timeline, Condition::Touched(Subject::Function(name), Manner::Touched), &expected);
    }
    let milestones = [Milestone::LoopAt(17), Milestone::RangeDone, Milestone::SyscallExit];
    for milestone in milestones {
        let expected = timeline.step_of(milestone).map(|step| step as u32);
        check(&mut timeline, Condition::Passed(milestone), expected.as_slice());
    }
}

#[test]
fn whatever_is_touched_can_be_run_to() {
    let mut timeline = run("munlock", "6", &[("pages", "24")]).timeline;
    let lives = Lives::new(&timeline);
    let functions = timeline.functions();
    for (subject, _) in lives.all() {
        let life = lives.of(&timeline, subject).into_owned();
        for (manner, writes) in [(Manner::Written, true), (Manner::Read, false)] {
            if matches!(subject, Subject::Function(_)) {
                continue;
            }
            let mut expected: Vec<u32> = life.iter().filter(|t| t.touch.writes() == writes).map(|t| t.step).collect();
            expected.dedup();
            let condition = Condition::Touched(subject, manner);
            assert_eq!(read_condition(&condition.to_string(), &functions), Ok(condition));
            assert_eq!(lives.find_all(&mut timeline, &condition), expected, "{condition}");
        }
    }
}
