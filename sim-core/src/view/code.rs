//! Fills a [`Listing`] from a timeline at its cursor.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{Line, LineState, Listing};
use crate::engine::{Record, Timeline};
use crate::kernel::source::{self, SourceLine};

// Files of the code under study: the panel stays in their functions and unfolds one line of what they call.
const HOME: &[&str] = &["mlock.rs", "mlock_pagevec.rs", "mlock_batch.rs"];

impl Timeline {
    /// The code at the cursor, `rows` lines of it at most: the innermost function under study, the line that runs, and
    /// the line of a called function unfolded beneath the call.
    pub fn listing(&self, rows: usize) -> Listing {
        let Some(at) = self.shown_step() else { return Listing::default() };
        let record = &self.records()[at];
        let stack = self.stack(at);
        let funcs: Vec<_> = stack.iter().map(|&frame| self.frames()[frame as usize].func).collect();
        let home = funcs.iter().rposition(|func| HOME.contains(&source::short_name(func.source))).unwrap_or(0);
        let (Some(func), Some(innermost)) = (funcs.get(home), funcs.last()) else { return Listing::default() };
        let inner = stack.get(home + 1).map(|&frame| self.frames()[frame as usize].site);
        let focus = self.site(inner.unwrap_or(record.site)).line();
        let code = source::function(func.source, func.line, *self.config());
        let mut lines: Vec<Line> = code.iter().map(|line| self.line(func.source, line)).collect();
        let running = self.cursor() > 0;
        if let Some(line) = lines.iter_mut().find(|line| line.number == focus && running) {
            line.state = if inner.is_some() { LineState::Call } else { LineState::Running };
        }
        if inner.is_some() && running {
            self.unfold(&mut lines, focus, record);
        }
        Listing {
            stack: funcs.iter().map(|func| func.name).collect(),
            follows: format!("{}, {}", innermost.file, innermost.version),
            file: source::short_name(func.source),
            lines: window(lines, rows),
        }
    }

    // The step that was made last, or the first one that a function makes when none was.
    fn shown_step(&self) -> Option<usize> {
        let made = (0..self.cursor()).rev().find(|&at| self.records()[at].frame().is_some());
        made.or_else(|| self.records().iter().position(|record| record.frame().is_some()))
    }

    fn line(&self, file: &'static str, line: &SourceLine) -> Line {
        let text = line.text.trim_start();
        let makes_steps = text.contains(".await");
        let runs = self.runs(file, line.number, self.len() as u32);
        let count = (makes_steps && !line.absent).then(|| self.runs(file, line.number, self.cursor() as u32));
        let state = match (line.absent, makes_steps && runs == 0) {
            (true, _) => LineState::Absent,
            (false, true) => LineState::Idle,
            (false, false) => LineState::Plain,
        };
        let indent = ((line.text.len() - text.len()) / 4) as u8;
        Line { number: line.number, indent, text, count, state, note: line.note.clone() }
    }

    // Times that a line has run: the calls that it makes, or its steps where it calls nothing.
    fn runs(&self, file: &'static str, line: u32, until: u32) -> u32 {
        let calls = self.index().calls(file, line);
        if calls.is_empty() {
            self.index().line(file, line).until(until) as u32
        } else {
            until.checked_sub(1).map_or(0, |last| calls.until(last)) as u32
        }
    }

    fn unfold(&self, lines: &mut Vec<Line>, focus: u32, record: &Record) {
        let site = self.site(record.site);
        let (file, number) = (site.file(), site.line());
        let Some(text) = source::file(file).and_then(|text| text.lines().nth(number as usize - 1)) else { return };
        let Some(at) = lines.iter().position(|line| line.number == focus) else { return };
        let indent = lines[at].indent + 1;
        let count = Some(self.runs(file, number, self.cursor() as u32));
        let note = Some(source::short_name(file).to_string());
        let line = Line { number, indent, text: text.trim_start(), count, state: LineState::Running, note };
        lines.insert(at + 1, line);
    }
}

// So many lines around the one that runs, which stands below the middle.
fn window(lines: Vec<Line>, rows: usize) -> Vec<Line> {
    let focus = lines.iter().position(|line| line.state == LineState::Running).unwrap_or(0);
    let start = focus.saturating_sub(rows * 3 / 5).min(lines.len().saturating_sub(rows));
    lines.into_iter().skip(start).take(rows).collect()
}

/// The lines as text, for a transcript.
impl core::fmt::Display for Listing {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        for line in &self.lines {
            let count = line.count.map_or(String::new(), |count| format!("{count}×"));
            let mark = match line.state {
                LineState::Running => '>',
                LineState::Call => '+',
                LineState::Absent => '-',
                LineState::Idle | LineState::Plain => ' ',
            };
            let indent = "    ".repeat(line.indent as usize);
            writeln!(f, "{mark} {count:>5} {:>4} {indent}{}", line.number, line.text)?;
        }
        Ok(())
    }
}
