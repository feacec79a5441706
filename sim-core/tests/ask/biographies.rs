//! Biographies against what really changes from step to step.

use std::collections::BTreeMap;

use sim_core::ask::{Counter, ListId, Lives, Subject, Touched, last_before, last_writer, next_after, passed};
use sim_core::engine::Timeline;
use sim_core::ledger::Key;
use sim_core::machine::{AreaList, Event, LockClass, LockId, MAX_ORDER, Machine, MigrateType, Pv, Stat};
use sim_core::view::{Lru, PagevecKind};

use super::runs;

/// What is compared of each subject: any change of it is a change of the subject.
type State = [i64; 6];

/// Steps of a run that are looked at.
const MOST: usize = 3_000;

fn states(machine: &Machine, timeline: &Timeline) -> BTreeMap<Subject, State> {
    let mut all = BTreeMap::new();
    for (number, &frame) in timeline.numbers().frames().iter().enumerate() {
        // Links change when a neighbour comes or goes.
        let page = machine.page(frame);
        let words = [page.flags.into(), page.count.into(), page.mapcount.into(), page.index.into()];
        let [a, b, c, d] = words;
        let owners = i64::from(page.mapping) << 8 | i64::from(page.isolator);
        all.insert(Subject::Page(number as u32), [a, b, c, d, owners, 0]);
        all.insert(Subject::Lock(LockClass::Page, Some(number as u32)), [page.locker.into(), 0, 0, 0, 0, 0]);
    }
    lists(machine, &mut all);
    for stat in Stat::ALL {
        all.insert(Subject::Counter(Counter::Stat(stat)), [machine.stat(stat), 0, 0, 0, 0, 0]);
    }
    for event in Event::ALL {
        all.insert(Subject::Counter(Counter::Event(event)), [machine.events[event as usize] as i64, 0, 0, 0, 0, 0]);
    }
    let classes = [
        (LockClass::Lru, machine.lru_locks.len()),
        (LockClass::Ptl, machine.ptls.len()),
        (LockClass::MmapSem, machine.mm_locks.len()),
        (LockClass::PageTable, machine.mm_locks.len()),
        (LockClass::Zone, machine.zones.len()),
        (LockClass::Pool, machine.work.pools.len()),
    ];
    for (class, locks) in classes {
        for index in 0..locks as u32 {
            let lock = machine.lock(LockId { class, index });
            let queue = lock.queue.iter().fold(lock.queue.len() as i64, |sum, &task| sum * 31 + i64::from(task));
            let state = [lock.holder.into(), lock.readers.into(), queue, 0, 0, 0];
            all.insert(Subject::Lock(class, Some(index)), state);
        }
    }
    ptes(machine, &mut all);
    all
}

fn lists(machine: &Machine, all: &mut BTreeMap<Subject, State>) {
    for (zone, of) in machine.zones.iter().enumerate() {
        let zone = zone as u8;
        for lru in Lru::ALL {
            let list = of.lru[lru.index()];
            let state = [list.head.into(), list.tail.into(), list.entries.into(), list.pages.into(), 0, 0];
            all.insert(Subject::List(ListId::Lru(zone, lru)), state);
        }
        let Some(buddy) = machine.buddy(zone) else { continue };
        for order in 0..MAX_ORDER {
            let ends = MigrateType::ALL.map(|mt| *buddy.list(AreaList::Free { order, mt }));
            let add = |sum: i64, value: i64| sum.wrapping_mul(8191).wrapping_add(value);
            let sum = |of: &dyn Fn(usize) -> i64| (0..ends.len()).fold(0, |sum, at| add(sum, of(at)));
            let heads = sum(&|at| ends[at].head.into());
            let state = [heads, sum(&|at| ends[at].tail.into()), sum(&|at| ends[at].len.into()), 0, 0, 0];
            all.insert(Subject::List(ListId::Free(zone, order)), state);
        }
    }
    let kinds = (0..machine.cpus.len() as u8).flat_map(|owner| {
        let kinds = [PagevecKind::LruAdd, PagevecKind::LruRotate, PagevecKind::Activate, PagevecKind::Mlock];
        kinds.map(|kind| Pv { kind, owner })
    });
    let on_stack = (0..machine.tasks.len() as u8)
        .flat_map(|owner| [PagevecKind::OnStack, PagevecKind::Putback].map(|kind| Pv { kind, owner }));
    for pv in kinds.chain(on_stack) {
        let filled = machine.pagevec(pv).filled();
        let sum = filled.iter().fold(0i64, |sum, &page| sum.wrapping_mul(8191).wrapping_add(page.into()));
        let state = [filled.len() as i64, sum, 0, 0, 0, 0];
        all.insert(Subject::List(ListId::Pagevec(pv.kind, pv.owner)), state);
    }
}

fn ptes(machine: &Machine, all: &mut BTreeMap<Subject, State>) {
    for (mm, space) in machine.mms.iter().enumerate() {
        let (Some(first), Some(last)) = (space.vmas.first(), space.vmas.last()) else { continue };
        for vpn in first.start..last.end.min(first.start + 200) {
            let pte = machine.pte(mm as u8, vpn);
            all.insert(Subject::Pte(mm as u8, vpn - first.start), [pte.into(), 0, 0, 0, 0, 0]);
        }
    }
}

#[test]
fn what_changes_is_written_in_every_scenario() {
    let mut changes = 0u64;
    let mut missing = Vec::new();
    for (name, timeline) in runs::all() {
        let lives = Lives::new(&timeline);
        let mut before = states(&timeline.start().machine, &timeline);
        timeline.replay(|at, record, machine, after| {
            if !after || at >= MOST {
                return;
            }
            let now = states(machine, &timeline);
            let step = at as u32 + 1;
            for (subject, state) in &now {
                // What has come into being is not there before.
                if before.get(subject).is_none_or(|old| old == state) {
                    continue;
                }
                changes += 1;
                let life = lives.of(&timeline, *subject);
                let from = life.partition_point(|touched| touched.step < step);
                let here = life[from..].iter().take_while(|touched| touched.step == step);
                if !here.clone().any(|touched| touched.touch.writes()) {
                    let op = record.op;
                    missing.push(format!(
                        "{name}, step {step}: {op:?} changes {subject}, whose life has {:?}",
                        here.collect::<Vec<_>>()
                    ));
                }
            }
            before = now;
        });
    }
    assert!(
        missing.is_empty(),
        "{} are missing, such as {:#?}",
        missing.len(),
        missing.iter().step_by(1 + missing.len() / 20).collect::<Vec<_>>()
    );
    assert!(changes > 10_000, "{changes} changes are enough to mean something");
}

#[test]
fn pages_locks_and_functions_have_the_steps_that_a_scan_finds() {
    for (name, timeline) in runs::all() {
        let lives = Lives::new(&timeline);
        for (subject, count) in lives.all() {
            let life: Vec<u32> = lives.of(&timeline, subject).iter().map(|touched| touched.step).collect();
            assert_eq!(life.len(), count, "{name}: {subject}");
            assert!(life.is_sorted(), "{name}: {subject}");
            assert!(life.iter().all(|&step| (1..=timeline.len() as u32).contains(&step)), "{name}: {subject}");
        }
        let scan = |wanted: &dyn Fn(usize) -> bool| -> Vec<u32> {
            (0..timeline.len()).filter(|&at| wanted(at)).map(|at| at as u32 + 1).collect()
        };
        let steps = |subject| lives.of(&timeline, subject).iter().map(|touched| touched.step).collect::<Vec<u32>>();
        let records = timeline.records();
        for (number, &frame) in timeline.numbers().frames().iter().enumerate().take(40) {
            let found = steps(Subject::Page(number as u32));
            let touched = scan(&|at| records[at].op.page() == Some(frame));
            assert!(touched.iter().all(|step| found.contains(step)), "{name}: page {number}");
        }
        for class in LockClass::ALL {
            let found = scan(&|at| records[at].op.lock().is_some_and(|lock| lock.class == class));
            assert_eq!(steps(Subject::Lock(class, None)), found, "{name}: {}", class.name());
        }
        for function in timeline.functions() {
            let calls = timeline.frames().iter().filter(|frame| frame.func.name == function);
            let calls = calls.filter(|frame| (frame.start as usize) < timeline.len());
            let found: Vec<u32> = calls.map(|frame| frame.start + 1).collect();
            assert_eq!(steps(Subject::Function(function)), found, "{name}: {function}");
        }
    }
}

#[test]
fn a_number_of_the_ledger_has_the_steps_that_it_counts() {
    let timeline = super::common::run("munlock", "0", &[]).timeline;
    let lives = Lives::new(&timeline);
    let total = lives.of(&timeline, Subject::Counter(Counter::Key(Key::Total)));
    assert_eq!(total.len(), 837, "as many as the ledger counts: one a step");
}

#[test]
fn before_last_writer_and_next() {
    let timeline = super::common::run("munlock", "0", &[]).timeline;
    let lives = Lives::new(&timeline);
    let life = lives.of(&timeline, Subject::Page(17)).into_owned();
    let steps: Vec<u32> = life.iter().map(|touched| touched.step).collect();
    for now in 0..=timeline.len() as u32 {
        let of = |found: Option<Touched>| found.map(|touched| touched.step);
        assert_eq!(of(last_before(&life, now)), steps.iter().copied().filter(|&step| step < now).max());
        assert_eq!(of(next_after(&life, now)), steps.iter().copied().find(|&step| step > now));
        let writers = life.iter().filter(|touched| touched.touch.writes() && touched.step <= now);
        assert_eq!(of(last_writer(&life, now)), writers.map(|touched| touched.step).max());
        assert_eq!(passed(&life, now), steps.iter().filter(|&&step| step <= now).count());
    }
    assert!(life.iter().any(|touched| !touched.touch.writes()), "some steps only read");
}
