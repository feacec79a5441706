//! Claims as cells of a table: what was expected and found, and how it stands.

use std::collections::BTreeSet;

use sim_core::ledger::Ledger;
use sim_core::op::World;
use sim_core::scenario::{Claim, End, Run, RunSpec, Scenario, compare_claims};

/// A parameter with its value.
pub type Param = (&'static str, &'static str);

/// A scenario with parameters: for each claim a cell for each variant, oldest first, between bars. A claim that is not
/// made is `-`; one that holds to the digit is what was found; any other is `expected: found`, with what it is when it
/// is broken.
pub struct Case {
    /// Scenario.
    pub scenario: &'static str,
    /// Parameters that are set.
    pub params: &'static [Param],
    /// Claims.
    pub rows: &'static [(&'static str, &'static str)],
}

/// The same for claims that compare two variants, the old one first.
pub struct Pairs {
    /// Scenario.
    pub scenario: &'static str,
    /// Parameters that are set.
    pub params: &'static [Param],
    /// Variants.
    pub pairs: &'static [Param],
    /// Claims, with a cell for each pair.
    pub rows: &'static [(&'static str, &'static str)],
}

fn cell(claims: &[Claim], text: &str) -> String {
    let mut of_text = claims.iter().filter(|claim| claim.claim == text);
    let Some(Claim { expected, found, holds, known, .. }) = of_text.next() else { return "-".to_string() };
    assert!(of_text.next().is_none(), "{text}: made twice of one run");
    match (*holds, *known) {
        (true, _) if expected == found => found.clone(),
        (true, _) => format!("{expected}: {found}"),
        (false, true) if expected == "never" => format!("{found} known"),
        (false, true) => format!("{expected}: {found} known"),
        (false, false) => format!("{expected}: {found} BROKEN"),
    }
}

pub fn spec(scenario: &str, variant: &str, params: &[Param]) -> RunSpec {
    let spec = RunSpec::new(scenario, variant).unwrap();
    params.iter().fold(spec, |spec, (name, value)| spec.set(name, value).unwrap())
}

/// The recorded run, cursor at its end.
pub fn run(scenario: &str, variant: &str, params: &[Param]) -> Run {
    let mut run = spec(scenario, variant, params).record().unwrap();
    run.timeline.seek(run.timeline.len());
    run
}

fn variants(scenario: &str) -> Vec<&'static str> {
    Scenario::find(scenario).unwrap().variants.iter().map(|variant| variant.name).collect()
}

fn check_rows(what: &str, rows: &[(&str, &str)], columns: &[(String, Vec<Claim>)]) {
    for (at, (column, claims)) in columns.iter().enumerate() {
        for (text, cells) in rows {
            let cells: Vec<&str> = cells.split(" | ").collect();
            assert_eq!(cells.len(), columns.len(), "{what}: {text}");
            assert_eq!(cell(claims, text), cells[at], "{what}, {column}: {text}");
        }
        for claim in claims {
            assert!(rows.iter().any(|(text, _)| *text == claim.claim), "{what}, {column}: {claim:?} is in no row");
            assert!(!claim.source.is_empty() && !claim.claim.contains('\n'), "{claim:?}");
            assert_eq!(claim.known, !claim.why.is_empty(), "{claim:?}");
            assert!(!claim.known || !claim.holds, "{claim:?}");
        }
    }
}

/// Each claim of each variant is as the table says, and there are no others.
pub fn check_cases(cases: &[Case]) {
    for Case { scenario, params, rows } in cases {
        let column = |variant: &str| (variant.to_string(), run(scenario, variant, params).claims);
        let columns: Vec<_> = variants(scenario).into_iter().map(column).collect();
        check_rows(&format!("{scenario} {params:?}"), rows, &columns);
    }
}

/// The same for pairs of variants.
pub fn check_pairs(all: &[Pairs]) {
    for Pairs { scenario, params, pairs, rows } in all {
        let column = |(old, new): &(&str, &str)| {
            let [mut before, mut after] = [old, new].map(|variant| spec(scenario, variant, params).record().unwrap());
            before.timeline.seek(7);
            let claims = Run::compare(&mut before, &mut after);
            assert_eq!((before.timeline.cursor(), after.timeline.cursor()), (7, 0), "the cursors stay");
            (format!("{old} to {new}"), claims)
        };
        let columns: Vec<_> = pairs.iter().map(column).collect();
        check_rows(&format!("{scenario} {params:?}"), rows, &columns);
    }
}

/// Claims of a bulk run hold, or are known not to.
pub fn check_bulk(scenario: &str, variant: &str, params: &[(&str, String)]) {
    let spec = RunSpec::new(scenario, variant).unwrap();
    let spec = params.iter().fold(spec, |spec, (name, value)| spec.set(name, value).unwrap());
    let engine = spec.bulk(1 << 20, |_| true).unwrap();
    let claims = spec.check_claims(&engine.world());
    assert!(!claims.is_empty(), "{scenario} {variant} {params:?}");
    for claim in claims {
        assert!(claim.holds || claim.known, "{scenario} {variant} {params:?}: {claim:?}");
    }
}

fn off_by_one(ledger: &Ledger) -> Ledger {
    let mut wrong = ledger.clone();
    let plain = [&mut wrong.flags[..], &mut wrong.gets, &mut wrong.puts, &mut wrong.counts, &mut wrong.events];
    for (at, count) in plain.into_iter().flat_map(|counts| counts.iter_mut()).enumerate() {
        *count += 1 + at as u64;
    }
    for lock in &mut wrong.locks {
        lock.acquired += 1;
    }
    wrong
}

// The worlds that claims of one variant are asked of wrongly: those of all others, with counts that are off, and the
// start of the run.
fn wrong_ends(runs: &mut [Run]) -> Vec<World> {
    let mut worlds = Vec::new();
    for run in runs {
        run.timeline.seek(0);
        worlds.push(World { ledger: run.ledger.clone(), ..run.timeline.world().clone() });
        run.timeline.seek(run.timeline.len());
        let end = run.timeline.world().clone();
        worlds.push(World { ledger: off_by_one(&end.ledger), ..end.clone() });
        worlds.push(World { ledger: Ledger::default(), ..end.clone() });
        worlds.push(end);
    }
    worlds
}

/// Claims that some wrong run breaks, by their texts: each variant is held to the runs of all others, and to ends that
/// are no ends of it. What is known to break does not count.
fn broken_by_wrong_runs(scenario: &str, params: &[Param]) -> BTreeSet<&'static str> {
    let mut runs: Vec<Run> = variants(scenario).iter().map(|variant| run(scenario, variant, params)).collect();
    let worlds = wrong_ends(&mut runs);
    let mut broken = BTreeSet::new();
    let mut note = |claims: Vec<Claim>| {
        broken.extend(claims.iter().filter(|claim| !claim.holds && !claim.known).map(|claim| claim.claim));
    };
    let specs: Vec<RunSpec> = runs.iter().map(|run| run.spec.clone()).collect();
    for spec in &specs {
        runs.iter().for_each(|run| note(End { spec, ..run.end() }.claims()));
        worlds.iter().for_each(|world| note(End::of(spec, world, None).claims()));
        for (other, run) in specs.iter().zip(&runs) {
            for world in &worlds {
                let (right, wrong) = (End::of(other, run.timeline.world(), None), End::of(spec, world, None));
                note(compare_claims(&right, &wrong));
            }
        }
    }
    broken
}

// Claims that the run with other parameters breaks, each variant held to its own.
fn broken_by_other_params(asked: &BTreeSet<(&str, &[Param])>) -> BTreeSet<&'static str> {
    let mut broken = BTreeSet::new();
    for (scenario, params) in asked {
        for (_, others) in asked.iter().filter(|other| other.0 == *scenario && other.1 != *params) {
            for variant in variants(scenario) {
                let (spec, run) = (spec(scenario, variant, params), run(scenario, variant, others));
                let claims = End { spec: &spec, ..run.end() }.claims();
                broken.extend(claims.iter().filter(|claim| !claim.holds && !claim.known).map(|claim| claim.claim));
            }
        }
    }
    broken
}

/// Each claim of the tables can break: some wrong run breaks it in one of the cases that make it.
pub fn check_breakable(cases: &[Case], pairs: &[Pairs]) {
    let mut texts: BTreeSet<&str> = BTreeSet::new();
    texts.extend(cases.iter().flat_map(|case| case.rows).map(|(text, _)| *text));
    texts.extend(pairs.iter().flat_map(|pairs| pairs.rows).map(|(text, _)| *text));
    let mut asked = BTreeSet::new();
    asked.extend(cases.iter().map(|case| (case.scenario, case.params)));
    asked.extend(pairs.iter().map(|pairs| (pairs.scenario, pairs.params)));
    let broken = broken_by_other_params(&asked);
    texts.retain(|text| !broken.contains(text));
    for (scenario, params) in asked {
        if texts.is_empty() {
            break;
        }
        for broken in broken_by_wrong_runs(scenario, params) {
            texts.remove(broken);
        }
    }
    assert!(texts.is_empty(), "nothing breaks {texts:?}");
}
