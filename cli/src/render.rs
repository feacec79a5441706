//! `mmscope render`: one moment as a picture or as text.

use lexopt::prelude::*;
use permalink::hash::{self, Link};
use permalink::link::{Beats, Pair, Which};
use permalink::subject::Subject;
use permalink::{mend, seal};
use sim_core::scenario::Run;
use stage::{Figure, Theme};

use crate::args::{add, key_value, schedule, text, value};
use crate::{Report, complain, scenario};

/// Most pages of a run that the page records.
const MOST_PAGES: u32 = 8192;
/// Most steps of a run that the page records.
const MOST_STEPS: u64 = 400_000;

/// Arguments of `render`.
#[derive(Debug, Default)]
pub struct Ask {
    /// Scenario or link.
    what: String,
    variant: Option<String>,
    old: Option<String>,
    new: Option<String>,
    set: Vec<(String, String)>,
    schedule: Option<String>,
    step: Option<String>,
    theme: Option<String>,
    out: Option<String>,
}

/// What the figure is written as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Svg,
    Text,
}

/// Reads the arguments; none where help is asked for.
///
/// # Errors
///
/// Says which argument is wrong and what was expected.
pub fn parse(mut parser: lexopt::Parser) -> Result<Option<Ask>, String> {
    let mut ask = Ask::default();
    while let Some(arg) = parser.next().map_err(|error| error.to_string())? {
        match arg {
            Long("variant") => ask.variant = Some(value(&mut parser)?),
            Long("old") => ask.old = Some(value(&mut parser)?),
            Long("new") => ask.new = Some(value(&mut parser)?),
            Long("set") => add(&mut ask.set, key_value(&value(&mut parser)?)?)?,
            Long("schedule") => ask.schedule = Some(schedule(value(&mut parser)?)?),
            Long("step") => ask.step = Some(value(&mut parser)?),
            Long("theme") => ask.theme = Some(value(&mut parser)?),
            Short('o') | Long("output") => ask.out = Some(value(&mut parser)?),
            Short('h') | Long("help") => return Ok(None),
            Value(word) if ask.what.is_empty() => ask.what = text(word)?,
            other => return Err(format!("render: {}; `mmscope help` lists what it takes", other.unexpected())),
        }
    }
    if ask.what.is_empty() {
        return Err(
            "render: expected the name of a scenario (`mmscope list` prints them), a scenario file, or a link \
                    in quotes"
                .to_string(),
        );
    }
    if ask.variant.is_some() && (ask.old.is_some() || ask.new.is_some()) {
        return Err("render: --variant is one run alone; expected it, or --old and --new".to_string());
    }
    Ok(Some(ask))
}

/// Draws one moment.
///
/// # Errors
///
/// Says what of the input is wrong and what was expected.
pub fn render(ask: &Ask) -> Result<Report, String> {
    let kind = kind(ask.out.as_deref())?;
    let theme = theme(ask.theme.as_deref())?;
    let (mut subject, link, base) = asked(ask)?;
    apply(ask, &mut subject)?;
    let specs = Which::BOTH.map(|which| subject.spec(which));
    let [old, new] = specs.map(|spec| spec.map_err(|error| scenario::explain(&ask.what, &error)));
    let (old, new) = (old?, new?);
    subject = subject.normal(&old);
    let record = |spec: sim_core::scenario::RunSpec| {
        let pages = spec.params.get("pages");
        if pages > MOST_PAGES {
            return Err(format!("parameter `pages` is `{pages}`; expected {MOST_PAGES} at most for a picture"));
        }
        spec.record_within(MOST_STEPS).map_err(|error| scenario::explain(&ask.what, &error))
    };
    let mut runs = vec![record(old)?];
    if ask.variant.is_none() {
        runs.push(record(new)?);
    }
    let at = moment(ask, &link, &runs)?;
    let changed = changes(&link, ask, &mut runs);
    for (run, which) in runs.iter_mut().zip(Which::BOTH) {
        run.timeline.seek(at.of(which) as usize);
    }
    let shown = Link { look: link.look.clone(), breaks: link.breaks.clone(), ..subject.link(at) };
    let address = format!("{base}{}", hash::encode(&shown));
    let figure = Figure::of(&mut runs.iter_mut().collect::<Vec<_>>(), address);
    let text = match kind {
        Kind::Svg => figure.svg(&theme),
        Kind::Text => figure.text(),
    };
    if let Some(changed) = &changed {
        complain(&format!("same steps, different outcome: {changed}"));
    }
    let holds = changed.is_none();
    match ask.out.as_deref() {
        None | Some("-") => Ok(Report { text, holds }),
        Some(path) => {
            std::fs::write(path, text).map_err(|error| format!("-o {path}: {error}; expected a file to write"))?;
            Ok(Report { text: String::new(), holds })
        }
    }
}

fn kind(out: Option<&str>) -> Result<Kind, String> {
    match out {
        None => Ok(Kind::Text),
        Some("-") => Ok(Kind::Svg),
        Some(path) if path.ends_with(".svg") => Ok(Kind::Svg),
        Some(path) if path.ends_with(".txt") => Ok(Kind::Text),
        Some(path) => Err(format!("-o {path}: expected a name that ends in .svg or .txt, or - for SVG")),
    }
}

fn theme(name: Option<&str>) -> Result<Theme, String> {
    let name = name.unwrap_or("light");
    Theme::from_name(name).ok_or_else(|| format!("--theme `{name}`; expected one of {}", Theme::NAMES.join(", ")))
}

// What the link or the scenario asks for, the link, and the address before its hash.
fn asked(ask: &Ask) -> Result<(Subject, Link, String), String> {
    let Some((base, hash)) = ask.what.split_once('#') else {
        let found = scenario::find(&ask.what)?;
        let subject = if scenario::is_file(&ask.what) { of_file(&ask.what)? } else { Subject::of(found) };
        return Ok((subject, Link::default(), String::new()));
    };
    let base = base.split('?').next().unwrap_or_default().to_string();
    let meant = |error: String| match mend::closest_link(hash, MOST_PAGES) {
        Some(close) => format!("the link: {error}\ndid you mean {base}{close}"),
        None => format!("the link: {error}"),
    };
    let link = hash::decode(hash).map_err(|error| meant(error.to_string()))?;
    let link = link.ok_or_else(|| "the link has nothing after its #; expected #v1/SCENARIO/OLD/NEW".to_string())?;
    let subject = Subject::from_link(&link).map_err(meant)?;
    for which in Which::BOTH {
        subject.spec(which).map_err(|error| meant(error.to_string()))?;
    }
    Ok((subject, link, base))
}

// Opened as a link opens it, so that the picture's link can carry it.
fn of_file(path: &str) -> Result<Subject, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}; expected a scenario file"))?;
    permalink::file::open(&text).map(Subject::of_file).map_err(|error| format!("{path}: {error}"))
}

fn apply(ask: &Ask, subject: &mut Subject) -> Result<(), String> {
    let [old, new] = &mut subject.variants;
    let one = ask.variant.as_ref();
    for (side, asked) in [(old, one.or(ask.old.as_ref())), (new, one.or(ask.new.as_ref()))] {
        if let Some(name) = asked {
            side.clone_from(name);
        }
    }
    for (name, value) in &ask.set {
        subject.set(name, value.clone());
    }
    if ask.schedule.is_some() {
        subject.schedule.clone_from(&ask.schedule);
        subject.profile = None;
    }
    Ok(())
}

// Steps that each side has made.
fn moment(ask: &Ask, link: &Link, runs: &[Run]) -> Result<Pair, String> {
    let length = |at: usize| runs.get(at).map_or(0, |run| run.timeline.len() as u32);
    let ends = if runs.len() == 1 { Pair::new(length(0), length(0)) } else { Pair::new(length(0), length(1)) };
    let Some(text) = &ask.step else { return Ok(link.step.min(ends)) };
    let beyond = |most: String| format!("--step `{text}`: expected {most}");
    let number = |text: &str| text.parse::<u32>().ok();
    if let Some((old, new)) = text.split_once(',').filter(|_| runs.len() > 1) {
        let pair = number(old).zip(number(new)).map(|(old, new)| Pair::new(old, new));
        let fits = pair.filter(|pair| pair.min(ends) == *pair);
        return fits.ok_or_else(|| beyond(format!("OLD,NEW from 0,0 to {},{}", ends.old, ends.new)));
    }
    let presses = number(text);
    if runs.len() == 1 {
        let step = presses.filter(|step| *step <= ends.old).ok_or_else(|| beyond(format!("0 to {}", ends.old)))?;
        return Ok(Pair::new(step, step));
    }
    let beats = Beats::new(runs[0].timeline.marks(), runs[1].timeline.marks(), ends);
    let presses = presses.filter(|presses| *presses <= beats.clock_end());
    presses.map(|presses| beats.at_clock(presses)).ok_or_else(|| {
        beyond(format!("0 to {} presses of Step, or OLD,NEW up to {},{}", beats.clock_end(), ends.old, ends.new))
    })
}

// What is not as the link promises, where it is the link's own runs that are drawn.
fn changes(link: &Link, ask: &Ask, runs: &mut [Run]) -> Option<String> {
    let own = ask.set.is_empty() && ask.schedule.is_none() && ask.variant.is_none();
    let promised = link.seal.as_ref().filter(|_| own && ask.old.is_none() && ask.new.is_none())?;
    let sides = Which::BOTH.into_iter().zip(promised).zip(runs);
    let changes: Vec<_> = sides
        .filter_map(|((which, outcome), run)| seal::compare(which, outcome, link.step.of(which), &mut run.timeline))
        .collect();
    seal::words(&changes)
}
