//! Printed forms are read back, and mistakes are named.

use sim_core::ask::{Condition, Counter, Is, ListId, Lives, Manner, Subject, read_condition, read_subject};
use sim_core::engine::Milestone;
use sim_core::ledger::Key;
use sim_core::machine::{LockClass, PageFlag, Stat};
use sim_core::view::{Lru, PagevecKind};

use super::runs;

const FUNCTIONS: [&str; 2] = ["lru_add_drain", "putback_lru_page"];

#[test]
fn every_subject_of_every_run_is_read_back() {
    for (name, timeline) in runs::all() {
        let functions = timeline.functions();
        for (subject, _) in Lives::new(&timeline).all() {
            assert_eq!(read_subject(&subject.to_string(), &functions), Ok(subject), "{name}");
            assert_eq!(read_subject(&subject.bare(), &functions), Ok(subject), "{name}");
            assert!(!subject.words().is_empty() && !subject.kind().is_empty(), "{name}");
        }
    }
    for key in Key::all() {
        let subject = Subject::Counter(Counter::Key(key));
        // Two places may drop references under one name.
        let again = read_subject(&subject.to_string(), &[]).expect("it is read");
        assert_eq!(again.to_string(), subject.to_string());
    }
}

#[track_caller]
fn subject(text: &str, expected: Subject) {
    assert_eq!(read_subject(text, &FUNCTIONS), Ok(expected), "{text}");
}

#[test]
fn people_write_subjects_in_several_ways() {
    subject("page 17", Subject::Page(17));
    subject("lru_lock", Subject::Lock(LockClass::Lru, None));
    subject("zone->lock", Subject::Lock(LockClass::Zone, None));
    subject("lock:page_lock/17", Subject::Lock(LockClass::Page, Some(17)));
    subject("inactive anon", Subject::List(ListId::Lru(0, Lru::InactiveAnon)));
    subject("list:inactive_anon/1", Subject::List(ListId::Lru(1, Lru::InactiveAnon)));
    subject("lru_add/2", Subject::List(ListId::Pagevec(PagevecKind::LruAdd, 2)));
    subject("list:pcp/1/2", Subject::List(ListId::Pcp(2, 1)));
    subject("nr_mlock", Subject::Counter(Counter::Stat(Stat::Mlock)));
    subject("count:total", Subject::Counter(Counter::Key(Key::Total)));
    subject("pte 17", Subject::Pte(0, 17));
    subject("lru_add_drain()", Subject::Function("lru_add_drain"));
    subject("fn:putback_lru_page", Subject::Function("putback_lru_page"));
}

#[track_caller]
fn condition(text: &str, expected: Condition) {
    assert_eq!(read_condition(text, &FUNCTIONS), Ok(expected), "{text}");
}

#[test]
fn people_write_conditions_in_several_ways() {
    let lru = Subject::Lock(LockClass::Lru, None);
    condition("lru_lock taken", Condition::Touched(lru, Manner::Taken));
    condition("lock:lru_lock contended", Condition::Touched(lru, Manner::Contended));
    condition("zone->lock taken", Condition::Touched(Subject::Lock(LockClass::Zone, None), Manner::Taken));
    condition("page 17 enters inactive_anon", Condition::Enters(17, ListId::Lru(0, Lru::InactiveAnon)));
    condition("page 17 enters inactive anon list", Condition::Enters(17, ListId::Lru(0, Lru::InactiveAnon)));
    condition("page 17 Mlocked clear", Condition::Flag(17, PageFlag::Mlocked, false));
    condition("page:17 PG_lru set", Condition::Flag(17, PageFlag::Lru, true));
    condition("page 17 count 2", Condition::Count(17, 2));
    condition("page 17 count = 2", Condition::Count(17, 2));
    condition("NR_MLOCK = 3", Condition::Counter(Counter::Stat(Stat::Mlock), Is::Equal, 3));
    condition("nr_mlock<=-3", Condition::Counter(Counter::Stat(Stat::Mlock), Is::AtMost, -3));
    condition("fn lru_add_drain", Condition::Touched(Subject::Function("lru_add_drain"), Manner::Touched));
    condition("lru_add_drain", Condition::Touched(Subject::Function("lru_add_drain"), Manner::Touched));
    condition("milestone page 17", Condition::Passed(Milestone::LoopAt(17)));
    condition("milestone page table 2", Condition::Passed(Milestone::Zapped(2)));
    condition("milestone end of the range", Condition::Passed(Milestone::RangeDone));
    condition("NR_MLOCK changes", Condition::Touched(Subject::Counter(Counter::Stat(Stat::Mlock)), Manner::Written));
    condition("pte 0/17 read", Condition::Touched(Subject::Pte(0, 17), Manner::Read));
    condition("differ", Condition::Differ);
}

#[track_caller]
fn refuses(text: &str, says: &str) {
    let error = read_condition(text, &FUNCTIONS).expect_err(text);
    assert!(error.contains(says), "{text}: {error}");
}

#[test]
fn mistakes_are_named() {
    refuses("", "expected a condition");
    refuses("lru_lok taken", "did you mean `lru_lock`");
    refuses("lru_lock", "expected `lru_lock taken`");
    refuses("page seventeen count 2", "`seventeen` is no number of a page");
    refuses("page 17 count two", "`two` is no count");
    refuses("page 17 enters inactve_anon", "did you mean `inactive_anon`");
    refuses("page 17 PG_mlokked set", "did you mean `PG_mlocked`");
    refuses("page 17 flies away", "says nothing of a page");
    refuses("page 17", "expected `page 17 touched`");
    refuses("NR_MLOCK = three", "`three` is no number");
    refuses("lru_lock = 3", "lru_lock is no number");
    refuses("NR_MLOCK", "expected `NR_MLOCK = 3`");
    refuses("NR_MLOCK taken", "is no lock");
    refuses("fn lru_ad_drain", "did you mean `lru_add_drain`");
    refuses("fn munmap_everything_there_is", "no function");
    refuses("fn lru_add_drain taken", "a function is called");
    refuses("milestone lunch", "unknown milestone `lunch`");
    refuses("pte:x/17 read", "is no PTE");
    refuses("count:nothing = 3", "unknown count");
}

#[test]
fn any_text_is_read_or_refused() {
    const PIECES: [&str; 16] = [
        "page ",
        "page:",
        "17",
        " ",
        "lru_lock",
        " taken",
        "=",
        "/",
        "é",
        "count",
        "fn ",
        "milestone ",
        ">",
        "list:",
        "-",
        " set",
    ];
    let mut seed = 1u64;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..6 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            text.push_str(PIECES[(seed >> 40) as usize % PIECES.len()]);
        }
        if let Ok(condition) = read_condition(&text, &FUNCTIONS) {
            assert_eq!(read_condition(&condition.to_string(), &FUNCTIONS), Ok(condition), "{text}");
        }
        let _ = read_subject(&text, &FUNCTIONS);
    }
}
