//! Questions about recorded runs: the index, biographies, seeks and runs to a condition, beside a full replay.

use sim_core::ask::{Condition, Lives, Manner, Subject};
use sim_core::engine::Timeline;
use sim_core::ledger::detail::{Query, steps_of};
use sim_core::scenario::RunSpec;

use crate::clock;
use crate::say::say;

/// The command line that asks for this section alone.
pub const ARGUMENT: &str = "questions";

/// About 10,000 and about 100,000 steps.
const RUNS: [(&str, &str, u32); 2] = [("munlock", "0", 264), ("munlock", "0", 2_640)];
/// Each time is the median of so many.
const TIMES: usize = 21;

/// Prints the figures of each run.
pub fn print() -> Result<(), String> {
    say!("Questions: wall time, and as parts of a full replay of the run");
    for (scenario, variant, pages) in RUNS {
        let spec = RunSpec::new(scenario, variant).and_then(|spec| spec.set("pages", &pages.to_string()));
        let run = spec.and_then(|spec| spec.record()).map_err(|error| error.to_string())?;
        one(scenario, run.timeline);
    }
    Ok(())
}

fn one(scenario: &str, mut timeline: Timeline) {
    let mut sum = 0u64;
    let replay = median(|| timeline.replay(|step, _, machine, _| sum += step as u64 + machine.events[0]));
    say!("{scenario}: {} steps, replay {replay:.2} ms ({})", timeline.len(), sum % 10);
    let line = |what: &str, ms: f64| say!("  {what:<44} {ms:>8.3} ms, {:>7.3} of a replay", ms / replay);
    let index = median(|| _ = Lives::new(&timeline));
    line("the index, once, at the first question", index);
    let lives = Lives::new(&timeline);
    let mut all: Vec<(Subject, usize)> = lives.all().collect();
    all.sort_by_key(|&(_, touches)| core::cmp::Reverse(touches));
    let longest = all.first().map_or(Subject::Page(0), |&(subject, _)| subject);
    let slowest = all.iter().map(|&(subject, _)| clock::milliseconds(|| _ = lives.of(&timeline, subject).into_owned()));
    line("a biography, the slowest of all subjects", slowest.fold(0.0, f64::max));
    line("the same with the index built for it", index + median(|| _ = lives.of(&timeline, longest).into_owned()));
    let page = timeline.numbers().frame(17);
    let query = Query { page, all: true, ..Query::default() };
    line("the same by a walk over the run", median(|| _ = steps_of(&timeline, &query)));
    let far = Condition::Touched(Subject::Lock(sim_core::machine::LockClass::Lru, None), Manner::Contended);
    line("run to a lock that is never contended", median(|| _ = lives.find(&mut timeline, &far, 0, false)));
    let count = Condition::Count(17, 77);
    line("run to a count that a page never has", median(|| _ = lives.find(&mut timeline, &count, 0, false)));
    let end = timeline.len();
    let across = median(|| timeline.seek(if timeline.cursor() == 0 { end } else { 0 }));
    line("seek, from one end to the other", across);
    let back = median(|| {
        let at = timeline.cursor();
        timeline.seek(if at < 100 { end } else { at - 100 });
    });
    line("seek, a hundred steps back", back);
}

fn median(mut work: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..TIMES).map(|_| clock::milliseconds(&mut work)).collect();
    times.sort_by(f64::total_cmp);
    times[TIMES / 2]
}
