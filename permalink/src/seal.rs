//! What a link promises of the outcome: `outcome=1306.1a2b3c4d.CHECKS,618.5e6f7a8b.CHECKS`, a part for each side.
//!
//! A part says how many steps the run has, the first eight hex digits of the digest of its last state (which
//! `mmscope run --json` prints as `state.digest`), and check digits on the way: 16 bits each of the state and of the
//! atomics counted so far, at the moment of the link and after every sixteenth of the run from its start to its end. So
//! whoever opens the link where the model has changed can be told, and between which steps the change first shows.

use sim_core::digest::Digest;
use sim_core::engine::Timeline;
use sim_core::op::World;

use crate::base64;
use crate::link::Which;

/// Name of the item.
pub const ITEM: &str = "outcome";
/// What is expected of its value.
pub const SHAPE: &str = "outcome=STEPS.DIGEST.CHECKS,STEPS.DIGEST.CHECKS as Share writes it";
/// Parts of a run that have check digits.
const PARTS: u32 = 16;
/// Check digits of a side: the moment, and both ends of every part.
const CHECKS: usize = PARTS as usize + 2;

/// What both runs came out at, old and new.
pub type Seal = [Outcome; 2];

/// What one run came out at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Steps of the run.
    pub steps: u32,
    /// First half of the digest of its last state.
    pub end: u32,
    /// Check digits: of the moment, then of the start and of the end of every part. May be missing.
    pub checks: Vec<u16>,
}

/// How a run differs from what a link promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The side.
    pub which: Which,
    /// The last step count at which all is known to be as it was; none where nothing is known of any before.
    pub same: Option<u32>,
    /// The first one at which it is known not to be.
    pub differs: u32,
    /// Steps of the run when the link was made, and now.
    pub steps: (u32, u32),
    /// The moment of the link is as it was.
    pub here: bool,
    /// Nothing but that moment is known to differ.
    pub alone: bool,
}

/// The outcome of a run, with check digits of a moment. The cursor stays where it is.
pub fn of(timeline: &mut Timeline, here: u32) -> Outcome {
    let cursor = timeline.cursor();
    let steps = timeline.len() as u32;
    let mut checks = vec![check_at(timeline, here)];
    checks.extend(places(steps).map(|step| check_at(timeline, step)));
    let end = (timeline.world().machine.digest() >> 32) as u32;
    timeline.seek(cursor);
    Outcome { steps, end, checks }
}

/// What of a run is not as promised. The cursor stays where it is.
pub fn compare(which: Which, promised: &Outcome, here: u32, timeline: &mut Timeline) -> Option<Change> {
    let cursor = timeline.cursor();
    let now = timeline.len() as u32;
    let moments = [here.min(promised.steps)].into_iter().chain(places(promised.steps));
    let look = |(step, check): (u32, &u16)| (step, step <= now && check_at(timeline, step) == *check);
    let mut known: Vec<(u32, bool)> = moments.zip(&promised.checks).map(look).collect();
    let here = known.first().is_some_and(|(_, same)| *same);
    timeline.seek(timeline.len());
    let end = (timeline.world().machine.digest() >> 32) as u32;
    timeline.seek(cursor);
    let ended = now == promised.steps && end == promised.end;
    known.push((promised.steps, ended));
    known.sort_unstable();
    let first = known.iter().position(|(_, same)| !same)?;
    let wrong = known.iter().filter(|(_, same)| !same).count();
    let alone = ended && !promised.checks.is_empty() && !here && wrong == 1;
    // A run that ends before the place differs at its end at the latest.
    let differs = known[first].0.min(now + 1);
    let same = known[..first].last().map(|known| known.0);
    Some(Change { which, same, differs, steps: (promised.steps, now), here, alone })
}

impl Change {
    /// What differs, for the reader: "old differs between steps 320 and 352".
    pub fn words(&self) -> String {
        let side = self.which.name();
        let mut text = match self.same {
            None if self.differs == 0 => format!("{side}: memory is not the same before the first step"),
            None => format!("{side}: the first difference is at step {} or before", self.differs),
            Some(same) if same + 1 >= self.differs => {
                format!("{side}: the first difference is at step {}", self.differs)
            }
            Some(same) => format!("{side}: the first difference is between steps {same} and {}", self.differs),
        };
        if self.steps.0 != self.steps.1 {
            text.push_str(&format!(" ({} steps then, {} now)", self.steps.0, self.steps.1));
        }
        if self.here {
            text.push_str("; the moment shown is as it was");
        }
        text
    }
}

/// Words for all changes; none where there are none.
pub fn words(changes: &[Change]) -> Option<String> {
    if changes.is_empty() {
        return None;
    }
    if changes.iter().all(|change| change.alone) {
        let text = "The whole run comes out as the link says, but not the moment: its step was changed, or the model does \
                    the same in another order now.";
        return Some(text.to_string());
    }
    let words: Vec<String> = changes.iter().map(Change::words).collect();
    Some(format!(
        "The model, or the link itself, was changed after the link was made. {}. What is counted may differ too.",
        words.join(". ")
    ))
}

/// The value of the item.
pub fn print(seal: &Seal) -> String {
    seal.each_ref().map(part).join(",")
}

fn part(outcome: &Outcome) -> String {
    let mut text = format!("{}.{:08x}", outcome.steps, outcome.end);
    if !outcome.checks.is_empty() {
        let bytes: Vec<u8> = outcome.checks.iter().flat_map(|check| check.to_be_bytes()).collect();
        text.push('.');
        text.push_str(&base64::encode(&bytes));
    }
    text
}

/// Reads the value of the item.
pub fn read(value: &str) -> Option<Seal> {
    let (old, new) = value.split_once(',')?;
    Some([read_part(old)?, read_part(new)?])
}

fn read_part(text: &str) -> Option<Outcome> {
    let mut pieces = text.split('.');
    let steps = pieces.next()?.parse().ok()?;
    let end = pieces.next().filter(|hex| hex.len() == 8 && hex.bytes().all(|b| b.is_ascii_hexdigit()))?;
    let end = u32::from_str_radix(end, 16).ok()?;
    let checks = match pieces.next() {
        None => Vec::new(),
        Some(text) => {
            let bytes = base64::decode(text).filter(|bytes| bytes.len() == 2 * CHECKS)?;
            bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect()
        }
    };
    pieces.next().is_none().then_some(Outcome { steps, end, checks })
}

// The ends of the parts of a run, from its start to its end.
fn places(steps: u32) -> impl Iterator<Item = u32> {
    (0..=PARTS).map(move |part| (u64::from(steps) * u64::from(part) / u64::from(PARTS)) as u32)
}

fn check_at(timeline: &mut Timeline, step: u32) -> u16 {
    timeline.seek(step as usize);
    check(timeline.world())
}

// Of the state and of what has been counted: an atomic more on the way shows even where the state comes out the same.
fn check(world: &World) -> u16 {
    let mut digest = Digest::default();
    digest.number(world.machine.digest());
    digest.number(world.ledger.total_rmw());
    let sum = digest.finish();
    (sum ^ sum >> 16 ^ sum >> 32 ^ sum >> 48) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::scenario::RunSpec;

    fn run(pages: u32) -> Timeline {
        let spec = RunSpec::new("munlock", "6").unwrap().set("pages", &pages.to_string()).unwrap();
        spec.record_within(100_000).unwrap().timeline
    }

    #[test]
    fn a_run_is_as_promised_and_stays_where_it_is() {
        let mut timeline = run(20);
        timeline.seek(31);
        let outcome = of(&mut timeline, 17);
        assert_eq!((timeline.cursor(), outcome.checks.len()), (31, CHECKS));
        assert_eq!(compare(Which::Old, &outcome, 17, &mut timeline), None);
        assert_eq!(timeline.cursor(), 31);
        let seal = [outcome.clone(), outcome];
        assert_eq!(read(&print(&seal)), Some(seal));
    }

    #[test]
    fn a_difference_has_its_place() {
        let mut timeline = run(20);
        let good = of(&mut timeline, 17);
        let places: Vec<u32> = places(good.steps).collect();
        let mut bad = good.clone();
        bad.checks[1 + 9] ^= 1;
        let change = compare(Which::New, &bad, 17, &mut timeline).unwrap();
        assert_eq!((change.same, change.differs, change.here), (Some(places[8]), places[9], true));
        assert_eq!(
            change.words(),
            format!(
                "new: the first difference is between steps {} and {}; the moment shown is as it was",
                places[8], places[9]
            )
        );
        let mut bad = good.clone();
        bad.checks[1] ^= 0x8000;
        let change = compare(Which::Old, &bad, 17, &mut timeline).unwrap();
        assert_eq!(change.same, None);
        assert!(change.words().contains("before the first step"), "{}", change.words());
        // Nothing but the last state is known to differ.
        let change = compare(Which::Old, &Outcome { end: good.end ^ 1, ..good.clone() }, 17, &mut timeline).unwrap();
        assert_eq!((change.same, change.differs), (Some(places[15]), good.steps));
    }

    #[test]
    fn a_step_that_was_changed_by_hand_is_no_change_of_the_model() {
        let mut timeline = run(20);
        let outcome = of(&mut timeline, 17);
        let change = compare(Which::Old, &outcome, 18, &mut timeline).unwrap();
        assert!(change.alone);
        assert!(words(&[change]).unwrap().contains("its step was changed"));
        // Without checks nothing is known of the moment.
        let bare = Outcome { end: outcome.end ^ 1, checks: Vec::new(), ..outcome.clone() };
        assert!(!compare(Which::Old, &bare, 18, &mut timeline).unwrap().alone);
        let mut bad = outcome;
        bad.checks[1 + 9] ^= 1;
        let change = compare(Which::Old, &bad, 18, &mut timeline).unwrap();
        assert!(!change.alone && words(&[change]).unwrap().contains("the first difference is"));
    }

    #[test]
    fn a_moment_between_the_places_makes_the_place_exact() {
        let mut timeline = run(20);
        let mut outcome = of(&mut timeline, 0);
        let part = places(outcome.steps).nth(5).unwrap();
        // The moment is the step before the end of a part, and the part is said to differ.
        outcome.checks[0] = check_at(&mut timeline, part - 1);
        outcome.checks[1 + 5] ^= 1;
        let change = compare(Which::Old, &outcome, part - 1, &mut timeline).unwrap();
        assert_eq!((change.same, change.differs), (Some(part - 1), part));
        assert!(change.words().contains(&format!("is at step {part}")), "{}", change.words());
    }

    #[test]
    fn a_run_of_another_length_differs() {
        let (mut long, mut short) = (run(20), run(10));
        let promised = of(&mut long, 0);
        let change = compare(Which::Old, &promised, 0, &mut short).unwrap();
        assert_eq!(change.steps, (long.len() as u32, short.len() as u32));
        assert!(change.words().contains("steps then"), "{}", change.words());
        let change = compare(Which::Old, &of(&mut short, 0), 0, &mut long).unwrap();
        assert!(change.differs <= short.len() as u32);
    }

    #[test]
    fn what_is_no_seal_is_refused() {
        assert!(read("12.0000abcd,7.ffffffff").is_some());
        for text in [
            "",
            "12",
            "12.abcd,1.2",
            "12.0000abcd",
            "x.0000abcd,1.0000abcd",
            "1.0000abcd.AA,1.0000abcd",
            "1.0000abcd,1.0000abcd.!",
            "1.+000abcd,1.0000abcd",
            "1.0000abcd,99999999999.0000abcd",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
