//! How the page is presented, from the query of its address: `?embed=1&theme=dark&controls=min&panes=stage,ledger`.
//!
//! The state is in the hash; nothing here changes what is shown. What cannot be read is told and left at its default.

use std::fmt;

use crate::keys::Action;
use crate::settings::{Motion, Settings, Theme};

/// Longest query that is read, in bytes.
const LIMIT: usize = 2048;
/// Most mistakes that are told; one is enough to mend most queries.
const TOLD: usize = 4;

/// Says that the query could not be read.
pub const TITLE: &str = "The frame's address could not be read in full.";

/// Which controls a frame has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Controls {
    /// All.
    #[default]
    Full,
    /// Back, Step and Play.
    Min,
    /// None: the host moves the runs.
    None,
}

impl Controls {
    const ALL: [Controls; 3] = [Controls::Full, Controls::Min, Controls::None];

    /// Name, also that of the attribute's value.
    pub const fn name(self) -> &'static str {
        match self {
            Controls::Full => "full",
            Controls::Min => "min",
            Controls::None => "none",
        }
    }
}

/// Parts of the page that a frame shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Panes {
    /// Memory of both sides.
    pub stage: bool,
    /// The code that runs.
    pub code: bool,
    /// Counts.
    pub ledger: bool,
    /// Both runs along one scale.
    pub timeline: bool,
}

impl Panes {
    /// What a frame has room for: the drawing and the counts always, the rest where it is high and wide enough.
    pub const fn fitting(timeline: bool, code: bool) -> Panes {
        Panes { stage: true, code, ledger: true, timeline }
    }

    /// One of the sides' own parts.
    pub const fn sides(self) -> bool {
        self.stage || self.code
    }
}

/// How the page is presented.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Presentation {
    /// In a frame of another page.
    pub embed: bool,
    /// Light or dark; none where the query does not say.
    pub theme: Option<Theme>,
    /// Which controls.
    pub controls: Controls,
    /// Which parts; none: what there is room for.
    pub panes: Option<Panes>,
    /// Whether tiles glide; none where the query does not say.
    pub motion: Option<Motion>,
}

impl Presentation {
    /// Whether a key's action is for this page. A frame takes what moves its runs, and only while it has controls.
    pub fn takes(&self, action: Action) -> bool {
        use Action::*;
        let moves = || {
            matches!(
                action,
                Step | Back | StepOver | NextMilestone | PreviousMilestone | NextDifference | Start | End | Play
            ) || matches!(action, Tenths(_) | Inspect)
        };
        !self.embed || action == Close || self.controls != Controls::None && moves()
    }

    /// The settings to begin with, from those that are kept. A frame goes by its query alone.
    pub fn settings(&self, kept: Settings) -> Settings {
        let kept = if self.embed { Settings::default() } else { kept };
        Settings { theme: self.theme.unwrap_or(kept.theme), motion: self.motion.unwrap_or(kept.motion), ..kept }
    }

    /// The media query of pages that have one column, or in a frame the small drawings.
    pub const fn narrow(&self) -> &'static str {
        if self.embed { "(max-width: 1000px)" } else { "(max-width: 720px)" }
    }

    /// The counts have the page to themselves, so their table has room.
    pub fn counts_alone(&self) -> bool {
        self.embed && self.panes.is_some_and(|panes| panes.ledger && !panes.sides())
    }
}

/// What is wrong with a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The part that could not be read.
    pub part: String,
    /// What was expected there.
    pub expected: &'static str,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` could not be read; expected {}.", self.part, self.expected)
    }
}

fn problem(part: &str, expected: &'static str) -> Problem {
    let mut short: String = part.chars().take(40).collect();
    if short.len() < part.len() {
        short.push('…');
    }
    Problem { part: short, expected }
}

const THEMES: &str = "theme=auto, light or dark";
const MOTIONS: &str = "motion=auto or reduce";
const CONTROLS: &str = "controls=full, min or none";
const PANES: &str = "panes= with some of stage,code,ledger,timeline";
const NAMES: &str = "embed, theme, controls, panes or motion";
const ONCE: &str = "each name once";

/// What is wrong with a query, in one text.
pub fn told(problems: &[Problem]) -> Option<String> {
    let told: Vec<String> = problems.iter().map(Problem::to_string).collect();
    (!told.is_empty()).then(|| told.join(" "))
}

/// Reads a query, with or without its `?`; what is wrong with it comes beside. Names that nobody knows are a mistake in
/// a frame, whose query is written for this page, and no one's business else.
pub fn read(query: &str) -> (Presentation, Vec<Problem>) {
    let text = query.strip_prefix('?').unwrap_or(query);
    let mut shown = Presentation::default();
    if text.len() > LIMIT {
        return (shown, vec![problem(text, "at most 2048 characters")]);
    }
    let (mut problems, mut unknown, mut seen) = (Vec::new(), Vec::new(), Vec::new());
    for item in text.split('&').filter(|item| !item.is_empty()) {
        let (name, value) = item.split_once('=').unwrap_or((item, ""));
        let (name, value) = (unescape(name), unescape(value));
        if seen.contains(&name) {
            problems.push(problem(item, ONCE));
            continue;
        }
        match take(&mut shown, &name, &value) {
            Some(Ok(())) => {}
            Some(Err(expected)) => problems.push(problem(item, expected)),
            None => unknown.push(problem(item, NAMES)),
        }
        seen.push(name);
    }
    if shown.embed {
        problems.extend(unknown);
    }
    problems.truncate(TOLD);
    (shown, problems)
}

/// One item; none where the name is unknown.
fn take(shown: &mut Presentation, name: &str, value: &str) -> Option<Result<(), &'static str>> {
    let taken = match name {
        "embed" => match value {
            "1" | "0" => {
                shown.embed = value == "1";
                Ok(())
            }
            _ => Err("embed=1 or embed=0"),
        },
        "theme" => set(&mut shown.theme, Theme::ALL.into_iter().find(|one| one.name() == value), THEMES),
        "motion" => set(&mut shown.motion, Motion::ALL.into_iter().find(|one| one.name() == value), MOTIONS),
        "panes" => set(&mut shown.panes, panes(value), PANES),
        "controls" => match Controls::ALL.into_iter().find(|one| one.name() == value) {
            Some(controls) => {
                shown.controls = controls;
                Ok(())
            }
            None => Err(CONTROLS),
        },
        _ => return None,
    };
    Some(taken)
}

fn set<T>(place: &mut Option<T>, value: Option<T>, expected: &'static str) -> Result<(), &'static str> {
    *place = Some(value.ok_or(expected)?);
    Ok(())
}

fn panes(value: &str) -> Option<Panes> {
    let mut panes = Panes::default();
    for name in value.split(',') {
        let pane = match name {
            "stage" => &mut panes.stage,
            "code" => &mut panes.code,
            "ledger" => &mut panes.ledger,
            "timeline" => &mut panes.timeline,
            _ => return None,
        };
        *pane = true;
    }
    Some(panes)
}

/// `%XX` and `+` as in every query; what is no such thing stays, and is then no value that is known.
fn unescape(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = tail.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        let code = code.filter(|pair| pair.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match (first, code.and_then(|pair| u8::from_str_radix(pair, 16).ok())) {
            (b'%', Some(byte)) => {
                out.push(byte);
                rest = &tail[2..];
                continue;
            }
            (b'+', _) => out.push(b' '),
            (&byte, _) => out.push(byte),
        }
        rest = tail;
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests;
