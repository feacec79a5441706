//! Links of every release open for ever, at their moment, with the outcome that they promise.
//!
//! assets/links/ has a file for each release, a link in each line. `UPDATE_GOLDEN=1` gives an outcome to lines that have
//! none; it changes no other.

use std::path::PathBuf;

use permalink::hash::{self, Link};
use permalink::link::Which;
use permalink::seal::{self, Change};
use permalink::subject::Subject;
use permalink::{file, length};
use sim_core::engine::print_choices;
use sim_core::scenario::{Run, SCENARIOS};

/// What the page records.
const MOST_STEPS: u64 = 400_000;

fn files() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../assets/links");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn runs(link: &Link) -> [Run; 2] {
    let subject = Subject::from_link(link).unwrap_or_else(|error| panic!("{}: {error}", hash::encode(link)));
    Which::BOTH.map(|which| {
        let spec = subject.spec(which).unwrap_or_else(|error| panic!("{}: {error}", hash::encode(link)));
        spec.record_within(MOST_STEPS).unwrap()
    })
}

fn changes(link: &Link, runs: &mut [Run; 2]) -> Vec<Change> {
    let promised = link.seal.as_ref().unwrap_or_else(|| panic!("{} promises nothing", hash::encode(link)));
    let sides = Which::BOTH.into_iter().zip(promised).zip(runs);
    sides
        .filter_map(|((which, outcome), run)| seal::compare(which, outcome, link.step.of(which), &mut run.timeline))
        .collect()
}

fn sealed(mut link: Link) -> Link {
    let [old, new] = &mut runs(&link);
    link.seal = Some([seal::of(&mut old.timeline, link.step.old), seal::of(&mut new.timeline, link.step.new)]);
    link
}

#[test]
fn links_of_every_release_come_out_as_they_promise() {
    let mut count = 0;
    for path in files() {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut kept = Vec::new();
        for line in text.lines() {
            if !line.starts_with("#v") {
                kept.push(line.to_string());
                continue;
            }
            let link = hash::decode(line).unwrap().unwrap();
            assert_eq!(hash::encode(&link), line, "a link is written as it was");
            if link.seal.is_none() && std::env::var_os("UPDATE_GOLDEN").is_some() {
                kept.push(hash::encode(&sealed(link)));
                continue;
            }
            let mut runs = runs(&link);
            let ends = [&runs[0], &runs[1]].map(|run| run.timeline.len() as u32);
            assert!(link.step.old <= ends[0] && link.step.new <= ends[1], "{line} is beyond {ends:?}");
            let words = seal::words(&changes(&link, &mut runs));
            assert_eq!(words, None, "{}: {line}", path.display());
            kept.push(line.to_string());
            count += 1;
        }
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&path, format!("{}\n", kept.join("\n"))).unwrap();
        }
    }
    assert!(count >= 10 || std::env::var_os("UPDATE_GOLDEN").is_some(), "{count} links");
}

#[test]
fn a_false_promise_is_named_with_its_place() {
    let mut link = sealed(hash::decode("#v1/munlock/0/6?pages=20&step=40,30").unwrap().unwrap());
    let mut runs = runs(&link);
    assert_eq!(changes(&link, &mut runs), []);
    link.seal.as_mut().unwrap()[1].checks[6] ^= 4;
    // It goes through the text of the link.
    let link = hash::decode(&hash::encode(&link)).unwrap().unwrap();
    let words = seal::words(&changes(&link, &mut runs)).unwrap();
    assert!(words.contains("new: the first difference is between steps"), "{words}");
    assert!(!words.contains("old:"), "{words}");
}

#[test]
fn links_of_bundled_scenarios_stay_short() {
    let mut long = Vec::new();
    for scenario in SCENARIOS {
        let subject = Subject::of(scenario);
        let link = sealed(Link { look: Some((Which::New, "page:3".into())), ..subject.link(Default::default()) });
        let text = hash::encode(&link);
        assert!(text.len() < 1024, "{} characters: {text}", text.len());
        assert_eq!(hash::decode(&text), Ok(Some(link.clone())));
        let choices = runs(&link).map(|run| print_choices(run.timeline.choices()));
        for choices in choices {
            let link = Link { schedule: Some(format!("choices:{choices}")), ..link.clone() };
            let text = hash::encode(&link);
            match (length::too_long(&link), length::long(&text)) {
                (None, None) => assert!(text.len() <= length::COMFORTABLE),
                (None, Some(_)) => long.push(scenario.name),
                (Some(why), _) => {
                    assert!(why.contains("list of choices"), "{why}");
                    long.push(scenario.name);
                }
            }
        }
    }
    long.dedup();
    println!("with all choices, these links are long and say so: {long:?}");
}

#[test]
fn a_scenario_of_a_file_goes_through_its_link() {
    for name in ["munlock", "munlock-two-cpus", "lru-drain", "pcp-free", "madvise-free", "rmap-unmap"] {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../assets/scenarios/{name}.json"));
        let text = std::fs::read_to_string(path).unwrap();
        let scenario = file::open(&text).unwrap();
        assert!(std::ptr::eq(scenario, file::open(&text).unwrap()), "one scenario for one text");
        let link = Subject::of_file(scenario).link(Default::default());
        assert_eq!(link.scenario, file::NAME);
        let hash = hash::encode(&sealed(link));
        assert!(hash.len() <= length::COMFORTABLE, "{name}: {} characters", hash.len());
        let again = hash::decode(&hash).unwrap().unwrap();
        assert_eq!(changes(&again, &mut runs(&again)), [], "{name}");
    }
}

#[test]
fn what_a_link_carries_is_read_or_refused() {
    #[track_caller]
    fn refuses(hash: &str, words: &str) {
        let error = Subject::from_link(&hash::decode(hash).unwrap().unwrap()).unwrap_err();
        assert!(error.contains(words), "{error}");
    }
    refuses("#v1/file/0/6", "no scenario");
    refuses("#v1/munlock/0/6?file=AA", "expected `file`");
    refuses("#v1/file/0/6?file=!!", "base64url");
    refuses("#v1/file/0/6?file=AAAA", "damaged");
    refuses(&format!("#v1/file/0/6?file={}", permalink::pack::pack("[1, 2")), "line 1, column");
    refuses(&format!("#v1/file/0/6?file={}", permalink::pack::pack("{\"scenario\": 3}")), "file=");
    let profile = file::packed_profile(&scenario_file::profile::bundled("xeon-2012").unwrap());
    refuses(&format!("#v1/munlock/0/6?profile={profile}"), "expected schedule=timed");
    refuses("#v1/munlock/0/6?schedule=timed&profile=__8", "profile=");
}

/// Names of items are no names of parameters.
#[test]
fn items_and_parameters_are_told_apart() {
    for param in SCENARIOS.iter().flat_map(|scenario| scenario.params) {
        assert!(
            ![
                "step",
                "look",
                "break",
                "branch",
                "schedule",
                "schedule-old",
                "schedule-new",
                seal::ITEM,
                "profile",
                "file"
            ]
            .contains(&param.name),
            "{}",
            param.name
        );
    }
}
