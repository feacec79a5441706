//! What a text in the search box may mean: a condition to run to, something to look at, a step.

use sim_core::ask::{Condition, Counter, Subject, read_condition};
use sim_core::ledger::Key;

use super::suggest::suggestions;
use crate::link::Which;
use crate::session::Session;
use crate::text::thousands;

/// Hits of a group that are shown.
const SHOWN: usize = 6;
/// Steps of each side whose sentences are searched.
pub const SENTENCES: u32 = 20_000;
/// Letters from which sentences are searched.
const LETTERS: usize = 3;

/// What choosing a hit does.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Runs to a condition.
    Run(Condition),
    /// Makes it a breakpoint.
    Stop(Condition),
    /// Looks at something.
    Look(Subject),
    /// Goes to a step of a side.
    Step(Which, u32),
}

/// Something that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// What choosing it does.
    pub answer: Answer,
    /// What it is.
    pub label: String,
    /// How often, or where.
    pub detail: String,
}

/// Hits of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// "Pages".
    pub name: &'static str,
    /// How many were found, shown or not.
    pub total: usize,
    /// Those that are shown.
    pub hits: Vec<Hit>,
}

/// All that was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Groups that have hits.
    pub groups: Vec<Group>,
    /// Why there is no more, in words; empty where nothing needs to be said.
    pub note: String,
}

impl Found {
    /// All shown hits, from top to bottom.
    pub fn hits(&self) -> impl Iterator<Item = &Hit> {
        self.groups.iter().flat_map(|group| &group.hits)
    }

    fn add(&mut self, name: &'static str, total: usize, hits: Vec<Hit>) {
        if !hits.is_empty() {
            self.groups.push(Group { name, total, hits });
        }
    }
}

/// What a text may mean in these runs.
pub fn search(session: &mut Session, text: &str) -> Found {
    let text = text.trim();
    let mut found = Found::default();
    let read = read_condition(text, &session.functions());
    let (total, conditions) = conditions(session, text, read.as_ref().ok());
    let runs = conditions.iter().map(|condition| run(session, condition)).collect();
    found.add("Run to", total, runs);
    if let Ok(condition) = &read {
        let label = format!("stop whenever {condition}");
        let hit = Hit { answer: Answer::Stop(*condition), label, detail: "breakpoint".into() };
        found.add("Stop at", 1, vec![hit]);
    }
    subjects(session, text, &mut found);
    steps(session, text, &mut found);
    if found.groups.is_empty() {
        found.note = read.err().unwrap_or_default();
    }
    found
}

/// A text has every word that was asked for, whatever its case.
fn has_words(text: &str, asked: &str) -> bool {
    let text = text.to_lowercase();
    asked.to_lowercase().split_whitespace().all(|word| text.contains(word))
}

/// How well a name fits: the same, the same beginning, somewhere.
fn rank(name: &str, asked: &str) -> usize {
    let (name, asked) = (name.to_lowercase(), asked.to_lowercase());
    match (name == asked, name.starts_with(&asked)) {
        (true, _) => 0,
        (_, true) => 1,
        _ => 2 + name.len(),
    }
}

// Those that fit, the best first, and how many there are.
fn conditions(session: &mut Session, text: &str, read: Option<&Condition>) -> (usize, Vec<Condition>) {
    let mut all: Vec<Condition> = read.copied().into_iter().collect();
    let mut more: Vec<(usize, String, Condition)> = suggestions(session, text)
        .into_iter()
        .map(|condition| (condition, condition.to_string()))
        .filter(|(_, written)| has_words(written, text))
        .map(|(condition, written)| (if text.is_empty() { 0 } else { rank(&written, text) }, written, condition))
        .collect();
    more.sort_by_key(|one| one.0);
    for (_, _, condition) in more {
        if !all.contains(&condition) {
            all.push(condition);
        }
    }
    let total = all.len();
    all.truncate(SHOWN);
    (total, all)
}

/// Everything that either run touches, with how often each side does.
pub(super) fn known(session: &Session) -> Vec<(Subject, [usize; 2])> {
    let mut all = std::collections::BTreeMap::new();
    for which in Which::BOTH {
        for (subject, times) in session.side(which).track.lives().all() {
            all.entry(subject).or_insert([0; 2])[which as usize] = times;
        }
    }
    all.into_iter().collect()
}

fn run(session: &mut Session, condition: &Condition) -> Hit {
    let detail = if *condition == Condition::Differ {
        format!("{}×", thousands(session.differences().len() as u64))
    } else {
        let times = Which::BOTH.map(|which| session.steps_to(which, condition).len() as u64);
        format!("old {}×, new {}×", thousands(times[0]), thousands(times[1]))
    };
    Hit { answer: Answer::Run(*condition), label: condition.to_string(), detail }
}

fn subjects(session: &Session, text: &str, found: &mut Found) {
    const GROUPS: [(&str, &str); 6] = [
        ("pages", "Pages"),
        ("locks", "Locks"),
        ("lists", "Lists"),
        ("counters", "Counters"),
        ("functions", "Functions"),
        ("PTEs", "PTEs"),
    ];
    if text.is_empty() {
        return;
    }
    let mut known = known(session);
    known.extend(Key::all().into_iter().filter_map(|key| counted(session, key)));
    for (kind, name) in GROUPS {
        let mut hits: Vec<(usize, Hit)> = known
            .iter()
            .filter(|(subject, _)| subject.kind() == kind)
            .filter_map(|(subject, times)| hit(*subject, *times, text))
            .collect();
        hits.sort_by_key(|(rank, _)| *rank);
        let total = hits.len();
        found.add(name, total, hits.into_iter().map(|(_, hit)| hit).take(SHOWN).collect());
    }
}

// A number of the ledger that is not 0 on both sides.
fn counted(session: &Session, key: Key) -> Option<(Subject, [usize; 2])> {
    let values = Which::BOTH.map(|which| key.of(&session.side(which).track.run.ledger) as usize);
    // Events have a counter of their own.
    let own = !matches!(key, Key::Event(_));
    (own && values != [0, 0]).then_some((Subject::Counter(Counter::Key(key)), values))
}

fn hit(subject: Subject, times: [usize; 2], text: &str) -> Option<(usize, Hit)> {
    let names = [subject.words(), subject.bare(), subject.to_string()];
    if !names.iter().any(|name| has_words(name, text)) {
        return None;
    }
    // "17" means page 17 before page 117.
    let number = names[0].rsplit(' ').next().is_some_and(|last| last == text);
    let best = names.iter().map(|name| rank(name, text)).min().unwrap_or(usize::MAX);
    let what = if matches!(subject, Subject::Function(_)) { "called " } else { "" };
    let [old, new] = times.map(|n| thousands(n as u64));
    let detail = format!("{what}old {old}×, new {new}×");
    Some((if number { 0 } else { best }, Hit { answer: Answer::Look(subject), label: names[0].clone(), detail }))
}

fn steps(session: &mut Session, text: &str, found: &mut Found) {
    let number = text.strip_prefix("step ").unwrap_or(text).trim().replace(['\u{202f}', ' '], "");
    if let Ok(step) = number.parse::<u32>() {
        let there = Which::BOTH.into_iter().filter(|&which| step <= session.beats.ends().of(which));
        let hits: Vec<Hit> = there
            .map(|which| (which, step))
            .collect::<Vec<_>>()
            .into_iter()
            .map(|(which, step)| {
                let sentence = session.sides[which as usize].track.sentences(&[step]).pop().unwrap_or_default();
                Hit {
                    answer: Answer::Step(which, step),
                    label: format!("{} step {}", which.name(), thousands(step.into())),
                    detail: sentence,
                }
            })
            .collect();
        found.add("Steps", hits.len(), hits);
        return;
    }
    if text.chars().count() < LETTERS {
        return;
    }
    let mut all = Vec::new();
    let mut cut = false;
    for which in Which::BOTH {
        let track = &mut session.sides[which as usize].track;
        cut |= track.steps() > SENTENCES;
        let said = track.all_sentences(SENTENCES);
        let fits = said.iter().enumerate().filter(|(_, sentence)| has_words(sentence, text));
        all.extend(fits.map(|(at, sentence)| (which, at as u32 + 1, sentence.clone())));
    }
    let total = all.len();
    let now = session.at();
    // From here on, then from the start.
    all.sort_by_key(|&(which, step, _)| (step <= now.of(which), step));
    let hits = all.into_iter().take(SHOWN).map(|(which, step, sentence)| Hit {
        answer: Answer::Step(which, step),
        label: format!("{} step {}", which.name(), thousands(step.into())),
        detail: sentence,
    });
    found.add("Steps", total, hits.collect());
    if cut {
        found.note = format!("Sentences are searched in the first {} steps of each side.", thousands(SENTENCES.into()));
    }
}
