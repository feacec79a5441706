//! The command line.

use std::ffi::OsString;

use lexopt::prelude::*;
use sim_core::ledger::detail::By;

/// What `mmscope --help` prints.
pub const USAGE: &str = "\
usage: mmscope COMMAND

  list [--json]
      scenarios with their variants and parameters
  run SCENARIO [--variant V] [--set key=value]... [--schedule S] [--bulk] [--check] [--detail D] [--csv | --json]
      one run: its ledger, its end state, its claims (default variant: the
      scenario's old side)
  compare SCENARIO [--old V] [--new V] [--set key=value]... [--schedule S] [--bulk] [--check] [--json]
      two kernels: a table that fits into a mail, and the claims of both
  validate [SERIES] [--json]
      published and recorded figures beside the model's, with the error and
      what was fitted to what
  render SCENARIO|LINK [--variant V] [--old V] [--new V] [--step N] [--theme T]
         [--set key=value]... [--schedule S] [-o FILE.svg|FILE.txt|-]
      one moment as a picture, or as text where there is no -o: lists, locks
      and counts; the bytes are those of the page's Share, Image

SCENARIO is a name, or a scenario file: what holds a / or ends in .json.
LINK is an address of the page, or what follows its # with the # (docs/links.md).
--step N goes on by so many presses of Step from the start, --step OLD,NEW to
these steps of each side; the default is the link's moment, or the start.
T is light (the default), dark, print or auto. -o - prints the SVG.
S is round-robin, turns (each CPU goes on until it waits), timed (the CPU that
is behind goes next), seed:N, choices:LIST with a list as a run prints it (and
+S behind it, which goes on where the list ends as if it had chosen all along),
scenario (the scenario's own turns, or round-robin where it has none; the
default), or @FILE with one of these in a file.
--profile NAME|FILE is the cost profile of modelled times, which `timed` goes
by; the default is that of the series' own year. Programs with swap have clocks
of their own, in ticks: `timed` goes by those, and the profile tells the times.
--bulk keeps the ledger only: for millions of pages. --check checks every rule
of the machine at the end of a bulk run; a recorded run checks after each step.
--detail D adds a table of a recorded run, of the section that the ledger counts:
keys, functions, tree, locks, each-lock, spans (interrupts or preemption off),
cpus or pages; lengths are in steps of the run, times in modelled ns. With --csv
that table alone is printed, as CSV.

exit status: 0 done; 1 an invariant does not hold, or a claim of which it is
not known that the variant breaks it, or a published figure is missed that is
not known to be; 2 the input is wrong
";

/// What `--schedule` takes.
pub const SCHEDULES: &str = "scenario, round-robin, turns, timed, seed:N or choices:LIST";

/// A command with its arguments.
#[derive(Debug)]
pub enum Command {
    /// Print the usage.
    Help,
    /// Print the version.
    Version,
    /// List scenarios.
    List {
        /// As JSON.
        json: bool,
    },
    /// Compare with what was published.
    Validate {
        /// One series, or all.
        series: Option<String>,
        /// As JSON.
        json: bool,
    },
    /// Make one run.
    Run(Ask),
    /// Make two runs.
    Compare(Ask),
    /// Draw one moment.
    Render(crate::render::Ask),
}

/// Arguments of `run` and `compare`.
#[derive(Debug, Default)]
pub struct Ask {
    /// Scenario.
    pub scenario: String,
    /// `--variant`, of `run`.
    pub variant: Option<String>,
    /// `--old`, of `compare`.
    pub old: Option<String>,
    /// `--new`, of `compare`.
    pub new: Option<String>,
    /// `--set key=value`, in order.
    pub set: Vec<(String, String)>,
    /// `--schedule`
    pub schedule: Option<String>,
    /// `--bulk`
    pub bulk: bool,
    /// `--check`
    pub check: bool,
    /// `--json`
    pub json: bool,
    /// `--detail`, of `run`
    pub detail: Option<By>,
    /// `--csv`, of `run` with `--detail`
    pub csv: bool,
    /// `--profile`
    pub profile: Option<String>,
}

/// Reads the command line; the first argument is the program.
///
/// # Errors
///
/// Says which argument is wrong and what was expected.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Command, String> {
    let mut parser = lexopt::Parser::from_iter(args);
    let command = match parser.next().map_err(|error| error.to_string())? {
        Some(Value(word)) => text(word)?,
        None | Some(Short('h') | Long("help")) => return Ok(Command::Help),
        Some(Short('V') | Long("version")) => return Ok(Command::Version),
        Some(other) => return Err(format!("{}\n\n{USAGE}", other.unexpected())),
    };
    let is_run = match command.as_str() {
        "help" => return Ok(Command::Help),
        "list" => return list(parser),
        "validate" => return validate(parser),
        "render" => return Ok(crate::render::parse(parser)?.map_or(Command::Help, Command::Render)),
        "run" => true,
        "compare" => false,
        _ => {
            return Err(format!(
                "unknown command `{command}`; expected list, run, compare, validate or render\n\n{USAGE}"
            ));
        }
    };
    let Some(ask) = ask(parser, is_run)? else { return Ok(Command::Help) };
    if ask.scenario.is_empty() {
        return Err(format!(
            "{command}: expected the name of a scenario (`mmscope list` prints them) or a scenario file"
        ));
    }
    Ok(if is_run { Command::Run(ask) } else { Command::Compare(ask) })
}

fn list(mut parser: lexopt::Parser) -> Result<Command, String> {
    let mut json = false;
    while let Some(arg) = parser.next().map_err(|error| error.to_string())? {
        match arg {
            Long("json") => json = true,
            Short('h') | Long("help") => return Ok(Command::Help),
            other => return Err(format!("list: {}; expected --json or nothing", other.unexpected())),
        }
    }
    Ok(Command::List { json })
}

fn validate(mut parser: lexopt::Parser) -> Result<Command, String> {
    let (mut series, mut json) = (None, false);
    while let Some(arg) = parser.next().map_err(|error| error.to_string())? {
        match arg {
            Long("json") => json = true,
            Short('h') | Long("help") => return Ok(Command::Help),
            Value(word) if series.is_none() => series = Some(text(word)?),
            other => return Err(format!("validate: {}; expected a series, --json or nothing", other.unexpected())),
        }
    }
    Ok(Command::Validate { series, json })
}

// None where help is asked for.
fn ask(mut parser: lexopt::Parser, is_run: bool) -> Result<Option<Ask>, String> {
    let mut ask = Ask::default();
    while let Some(arg) = parser.next().map_err(|error| error.to_string())? {
        match arg {
            Long("variant") if is_run => once("variant", &mut ask.variant, value(&mut parser)?)?,
            Long("detail") if is_run => once("detail", &mut ask.detail, detail(&value(&mut parser)?)?)?,
            Long("csv") if is_run => ask.csv = true,
            Long("bulk") => ask.bulk = true,
            Long("check") => ask.check = true,
            Long("old") if !is_run => once("old", &mut ask.old, value(&mut parser)?)?,
            Long("new") if !is_run => once("new", &mut ask.new, value(&mut parser)?)?,
            Long("set") => add(&mut ask.set, key_value(&value(&mut parser)?)?)?,
            Long("schedule") => once("schedule", &mut ask.schedule, schedule(value(&mut parser)?)?)?,
            Long("json") => ask.json = true,
            Long("profile") => once("profile", &mut ask.profile, value(&mut parser)?)?,
            Short('h') | Long("help") => return Ok(None),
            Value(word) if ask.scenario.is_empty() => ask.scenario = text(word)?,
            other => return Err(format!("{}\n\n{USAGE}", other.unexpected())),
        }
    }
    if ask.csv && (ask.detail.is_none() || ask.json) {
        return Err("--csv: expected --detail D with it, and no --json".to_string());
    }
    Ok(Some(ask))
}

fn once<T>(name: &str, place: &mut Option<T>, value: T) -> Result<(), String> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(format!("--{name} is given twice; expected it once")),
    }
}

fn detail(name: &str) -> Result<By, String> {
    let names: Vec<&str> = By::ALL.iter().map(|by| by.name()).collect();
    By::find(name).ok_or_else(|| format!("--detail `{name}`; expected one of {}", names.join(", ")))
}

// JSON refuses a name that is there twice, and so does this.
pub(crate) fn add(set: &mut Vec<(String, String)>, (key, value): (String, String)) -> Result<(), String> {
    if set.iter().any(|(known, _)| *known == key) {
        return Err(format!("--set `{key}={value}`: `{key}` is set twice; expected each parameter once"));
    }
    set.push((key, value));
    Ok(())
}

pub(crate) fn value(parser: &mut lexopt::Parser) -> Result<String, String> {
    text(parser.value().map_err(|error| error.to_string())?)
}

// A list of choices may be longer than an argument: `@FILE` reads the schedule from a file.
pub(crate) fn schedule(text: String) -> Result<String, String> {
    let Some(path) = text.strip_prefix('@') else { return Ok(text) };
    let read = std::fs::read_to_string(path);
    read.map(|text| text.trim().to_string())
        .map_err(|error| format!("--schedule: {path}: {error}; expected a file that holds {SCHEDULES}"))
}

pub(crate) fn text(word: OsString) -> Result<String, String> {
    word.into_string().map_err(|word| format!("`{}` is not UTF-8", word.to_string_lossy()))
}

pub(crate) fn key_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or_else(|| format!("--set `{text}`; expected key=value"))?;
    Ok((key.to_string(), value.to_string()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn arguments(words: &[String]) -> impl Iterator<Item = OsString> {
        std::iter::once("mmscope").chain(words.iter().map(String::as_str)).map(OsString::from)
    }

    #[test]
    fn both_spellings_of_a_value_are_read() {
        for words in [&["run", "munlock", "--set", "pages=3"][..], &["run", "--set=pages=3", "munlock"]] {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            let Ok(Command::Run(ask)) = parse(arguments(&words)) else { panic!("{words:?}") };
            assert_eq!(ask.scenario, "munlock");
            assert_eq!(ask.set, [("pages".to_string(), "3".to_string())]);
        }
    }

    #[test]
    fn a_value_may_hold_an_equals_sign() {
        assert_eq!(key_value("a=b=c"), Ok(("a".to_string(), "b=c".to_string())));
    }

    // Words that mean something, and others.
    fn word() -> impl Strategy<Value = String> {
        let known = prop::sample::select(vec![
            "run",
            "list",
            "compare",
            "help",
            "render",
            "munlock",
            "putback-race",
            "--variant",
            "--old",
            "--new",
            "6",
            "today",
            "--set",
            "pages=3",
            "pages=",
            "=",
            "--schedule",
            "seed:1",
            "choices:0x3,1",
            "choices:",
            "--bulk",
            "--detail",
            "--csv",
            "locks",
            "--check",
            "--json",
            "--",
            "-",
            "--set=at=2",
            "--step",
            "#v1/munlock/0/6?step=1,1",
            "-x",
            "--json=1",
        ]);
        prop_oneof![4 => known.prop_map(str::to_string), 1 => any::<String>()]
    }

    proptest! {
        #[test]
        fn any_command_line_gets_an_answer(words in prop::collection::vec(word(), 0..8)) {
            if let Err(message) = parse(arguments(&words)).and_then(crate::execute) {
                prop_assert!(!message.trim().is_empty());
            }
        }
    }
}
