//! The tables of the complete ledger as the reader asks for them, and the steps behind their numbers.

use sim_core::ledger::detail::{By, Cell, Column, Measure, Query, Subject, Table, weight_of};

use crate::link::Which;
use crate::session::Session;
use crate::text::{quotient, thousands};

/// Columns of a mail.
const MAIL: usize = 72;

/// What is compared, by name.
pub const MEASURES: [(&str, Measure); 6] = [
    ("steps", Measure::Steps),
    ("atomics", Measure::Rmw),
    ("locks taken", Measure::Locks),
    ("list operations", Measure::Lists),
    ("page touches", Measure::Touches),
    ("modelled ns", Measure::Time),
];

/// What the reader asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What the rows are.
    pub by: By,
    /// One side with all of its columns; none is both, side by side.
    pub side: Option<Which>,
    /// What is compared, where both are shown: its place in [`MEASURES`].
    pub measure: usize,
    /// Sorted by a column, or by the label where that is none; descending.
    pub sort: Option<(Option<usize>, bool)>,
    /// Rows that have this text.
    pub filter: String,
}

impl Default for Choice {
    fn default() -> Choice {
        Choice { by: By::Functions, side: None, measure: 0, sort: None, filter: String::new() }
    }
}

impl Choice {
    /// What it is called: "functions".
    pub fn words(by: By) -> &'static str {
        match by {
            By::Keys => "numbers of the ledger",
            By::Functions => "functions",
            By::Tree => "call tree",
            By::Locks => "locks",
            By::EachLock => "each lock",
            By::Spans => "spans, IRQs or preemption off",
            By::Cpus => "CPUs",
            By::Pages => "pages",
        }
    }

    /// Numbers of the ledger are compared as they are.
    pub fn has_measure(&self) -> bool {
        self.side.is_none() && self.by != By::Keys
    }

    fn measured(&self) -> (&'static str, Measure) {
        if self.has_measure() { MEASURES[self.measure % MEASURES.len()] } else { MEASURES[0] }
    }

    /// Other rows. Of locks it is asked first how often they are taken, of everything else how many steps it makes.
    pub fn choose(&mut self, by: By) {
        let locks = |by| matches!(by, By::Locks | By::EachLock);
        if locks(by) != locks(self.by) {
            let wanted = if locks(by) { Measure::Locks } else { Measure::Steps };
            self.measure = MEASURES.iter().position(|(_, measure)| *measure == wanted).unwrap_or(0);
        }
        self.by = by;
    }

    /// Sorts by a column, or by the label; what is sorted by it already turns round. Numbers begin with the largest.
    pub fn sort_by(&mut self, column: Option<usize>) {
        let descending = match self.sort {
            Some((sorted, descending)) if sorted == column => !descending,
            _ => column.is_some(),
        };
        self.sort = Some((column, descending));
    }

    /// The table.
    pub fn table(&self, session: &Session) -> Table {
        let mut table = match self.side {
            Some(which) => session.detail(which).table(self.by),
            None => {
                let [old, new] = Which::BOTH.map(|which| session.detail(which));
                Table::compare(
                    &old,
                    &new,
                    self.by,
                    self.measured().1,
                    session.side(Which::Old).track.pages.unwrap_or(0),
                )
            }
        };
        table.filter(self.filter.trim());
        if let Some((column, descending)) = self.sort {
            table.sort(column, descending);
        }
        table
    }

    /// Some of its columns are modelled times.
    pub fn is_timed(&self, table: &Table) -> bool {
        self.side.is_none() && self.measured().1 == Measure::Time
            || table.columns.iter().any(|column| column.key.ends_with("ns"))
    }

    /// A column's heading.
    pub fn heading(&self, column: &Column, unit: &str) -> String {
        let modelled = self.side.is_none() && self.measured().1 == Measure::Time;
        let heading = match column.key {
            "old_per_unit" => format!("old per {unit}"),
            "new_per_unit" => format!("new per {unit}"),
            "difference" => "difference".to_string(),
            _ => column.label.to_string(),
        };
        if column.key.ends_with("ns") {
            format!("modelled {heading}")
        } else if modelled {
            format!("{heading}, modelled ns")
        } else {
            heading
        }
    }

    /// The steps that a value counts, if it has any; and what it is in words.
    pub fn steps(&self, session: &Session, table: &Table, row: usize, column: usize) -> Option<StepList> {
        let which = self.which(column);
        let query = self.query(table, row, column)?;
        let timeline = &session.side(which).track.run.timeline;
        let steps = weight_of(timeline, &query);
        let (row, column) = (table.rows.get(row)?, table.columns.get(column)?);
        let measure = if self.side.is_some() { column.label } else { self.measured().0 };
        let what = if matches!(row.subject, Subject::Key(_)) { String::new() } else { format!(", {measure}") };
        Some(StepList { which, title: format!("{}: {}{what}", which.name(), row.label.trim()), steps })
    }

    // The side that a column is of.
    fn which(&self, column: usize) -> Which {
        self.side.unwrap_or(if column == 0 { Which::Old } else { Which::New })
    }

    fn query(&self, table: &Table, row: usize, column: usize) -> Option<Query> {
        match table.rows.get(row)?.cells.get(column)? {
            Cell::None | Cell::Count(0) => None,
            _ => table.query(row, column),
        }
    }

    /// A value has a list of its steps.
    pub fn has_steps(&self, table: &Table, row: usize, column: usize) -> bool {
        self.query(table, row, column).is_some()
    }

    /// What is shown, in lines that fit into a mail.
    pub fn title(&self, session: &Session) -> Vec<String> {
        let extent = session.extent().map_or(String::new(), |extent| format!(", {extent}"));
        let side = |which: Which| format!("{} {}", which.name(), session.side(which).label());
        let sides = match self.side {
            Some(which) => side(which),
            None => format!("{}, {}", side(Which::Old), side(Which::New)),
        };
        let measure = if self.has_measure() { format!(", {}", self.measured().0) } else { String::new() };
        let filter = match self.filter.trim() {
            "" => String::new(),
            text => format!(", with \"{text}\""),
        };
        let lines = [
            format!("{}{extent}: {sides}", session.subject.scenario),
            format!("{}{measure}{filter}", Choice::words(self.by)),
        ];
        lines.iter().flat_map(|line| wrapped(line)).collect()
    }

    /// The table as text for a mail.
    pub fn text(&self, session: &Session) -> String {
        let table = self.table(session);
        let mut text = self.title(session).join("\n");
        text.push_str("\n\n");
        text.push_str(&table.to_text());
        if self.is_timed(&table) {
            let note = format!("ns are modelled, with the cost profile {}.", session.profile().name);
            text.push('\n');
            text.push_str(&wrapped(&note).join("\n"));
            text.push('\n');
        }
        text
    }

    /// Name of a file with the table.
    pub fn file_name(&self, session: &Session, ending: &str) -> String {
        let side = self.side.map_or("compare", Which::name);
        let scenario: String =
            session.subject.scenario.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
        format!("mmscope-{scenario}-{}-{side}.{ending}", self.by.name())
    }
}

// Lines of words that fit into a mail; a longer word is cut.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let word: String = word.chars().take(MAIL).collect();
        let last = lines.len() - 1;
        let length = lines[last].chars().count();
        if length > 0 && length + 1 + word.chars().count() > MAIL {
            lines.push(word);
        } else {
            if length > 0 {
                lines[last].push(' ');
            }
            lines[last].push_str(&word);
        }
    }
    lines
}

/// A value as the page writes it.
pub fn shown(cell: Cell) -> String {
    match cell {
        Cell::None => String::new(),
        Cell::Count(n) => thousands(n),
        Cell::Signed(n) => {
            let sign = if n < 0 { "\u{2212}" } else { "+" };
            format!("{}{}", if n == 0 { "" } else { sign }, thousands(n.unsigned_abs()))
        }
        Cell::Hundredths(n) => quotient(n, 100),
    }
}

/// The steps behind a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepList {
    /// Whose.
    pub which: Which,
    /// Of what.
    pub title: String,
    /// Step counts, and how much each adds.
    pub steps: Vec<(u32, u64)>,
}

/// One of them in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Step count after which it has been made.
    pub step: u32,
    /// How much it adds.
    pub adds: u64,
    /// Function that made it.
    pub function: &'static str,
    /// What happened.
    pub sentence: String,
}

impl StepList {
    /// How many there are, and what they add where that is something else.
    pub fn summary(&self) -> String {
        let steps = self.steps.len() as u64;
        let sum: u64 = self.steps.iter().map(|(_, adds)| adds).sum();
        let s = if steps == 1 { "" } else { "s" };
        if sum == steps {
            format!("{} step{s}", thousands(steps))
        } else {
            format!("{} step{s}, together {}", thousands(steps), thousands(sum))
        }
    }

    /// The first of them in words. The cursor stays where it is.
    pub fn entries(&self, session: &mut Session, limit: usize) -> Vec<Entry> {
        let track = &mut session.sides[self.which as usize].track;
        let first = &self.steps[..limit.min(self.steps.len())];
        let sentences = track.sentences(&first.iter().map(|(step, _)| *step).collect::<Vec<_>>());
        let timeline = &track.run.timeline;
        let entry = |(&(step, adds), sentence): (&(u32, u64), String)| {
            let stack = step.checked_sub(1).map(|at| timeline.stack(at as usize)).unwrap_or_default();
            let function = stack.last().map_or("", |&frame| timeline.frames()[frame as usize].func.name);
            Entry { step, adds, function, sentence }
        };
        first.iter().zip(sentences).map(entry).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Subject;
    use sim_core::scenario::Scenario;
    use stage::Form;

    fn session(scenario: &str) -> Session {
        let scenario = Scenario::find(scenario).expect("it is known");
        Session::open(&Subject::of(scenario), Form::Wide).expect("it can be recorded")
    }

    fn choices() -> Vec<Choice> {
        let sides = [None, Some(Which::Old), Some(Which::New)];
        let all = By::ALL.into_iter().flat_map(|by| sides.map(|side| Choice { by, side, ..Choice::default() }));
        let times = By::ALL.map(|by| Choice { by, measure: 5, ..Choice::default() });
        all.chain(times).collect()
    }

    #[test]
    fn every_number_has_the_steps_that_it_counts() {
        for scenario in ["munlock", "pcp-free"] {
            let session = session(scenario);
            let mut lists = 0;
            for choice in choices() {
                let table = choice.table(&session);
                // Some rows of each; the list of each number takes a pass over the run.
                for row in (0..table.rows.len()).step_by(table.rows.len().div_ceil(6).max(1)) {
                    for column in 0..table.columns.len() {
                        let Some(list) = choice.steps(&session, &table, row, column) else { continue };
                        let sum: u64 = list.steps.iter().map(|(_, adds)| adds).sum();
                        let name = format!("{scenario} {choice:?}: {}", list.title);
                        assert_eq!(Cell::Count(sum), table.rows[row].cells[column], "{name}");
                        assert!(choice.has_steps(&table, row, column), "{name}");
                        lists += 1;
                    }
                }
            }
            assert!(lists > 100, "{scenario}: {lists}");
        }
    }

    #[test]
    fn texts_fit_into_a_mail() {
        let session = session("rmap-unmap");
        for choice in choices() {
            let text = choice.text(&session);
            assert!(text.lines().all(|line| line.chars().count() <= MAIL), "{choice:?}:\n{text}");
            assert!(text.starts_with("rmap-unmap, 56"), "{text}");
            let timed = choice.is_timed(&choice.table(&session));
            assert_eq!(text.contains("ns are modelled, with the cost profile"), timed, "{choice:?}:\n{text}");
        }
        assert!(wrapped(&"word ".repeat(40)).iter().all(|line| line.len() <= MAIL));
        assert_eq!(wrapped(&"x".repeat(90))[0].len(), MAIL);
    }

    #[test]
    fn modelled_times_are_called_so() {
        let session = session("munlock");
        for choice in choices() {
            let table = choice.table(&session);
            for column in &table.columns {
                let heading = choice.heading(column, "page");
                let time = column.label.ends_with("ns") || choice.measured().1 == Measure::Time;
                assert_eq!(heading.contains("modelled"), time, "{choice:?}: {heading}");
            }
        }
    }

    #[test]
    fn a_press_sorts_and_another_turns_round() {
        let session = session("munlock");
        let mut choice = Choice { side: Some(Which::Old), ..Choice::default() };
        choice.sort_by(Some(0));
        let calls =
            |choice: &Choice| -> Vec<Cell> { choice.table(&session).rows.iter().map(|row| row.cells[0]).collect() };
        let count = |cell: &Cell| if let Cell::Count(n) = cell { *n } else { 0 };
        let most = calls(&choice);
        assert!(most.len() > 5 && most.is_sorted_by_key(|cell| std::cmp::Reverse(count(cell))));
        choice.sort_by(Some(0));
        assert!(calls(&choice).is_sorted_by_key(count));
        choice.sort_by(None);
        assert_eq!(choice.sort, Some((None, false)), "labels begin with a");
        let labels: Vec<String> = choice.table(&session).rows.into_iter().map(|row| row.label).collect();
        assert!(labels.is_sorted());
        choice.filter = " MUNLOCK ".to_string();
        let rows = choice.table(&session).rows;
        assert!(!rows.is_empty() && rows.len() < labels.len());
        assert!(rows.iter().all(|row| row.label.contains("munlock")));
    }

    #[test]
    fn a_list_tells_its_steps_and_leaves_the_cursor() {
        let mut session = session("munlock");
        session.go(crate::session::Go::Tenths(3));
        let at = session.at();
        let choice = Choice::default();
        let table = choice.table(&session);
        let row = table.rows.iter().position(|row| row.cells[0] != Cell::Count(0)).expect("something happens");
        let list = choice.steps(&session, &table, row, 0).expect("it has a list");
        assert_eq!(list.which, Which::Old);
        assert!(choice.steps(&session, &table, row, 2).is_none(), "a difference has none");
        let entries = list.entries(&mut session, 3);
        assert_eq!(entries.len(), 3);
        assert!(entries.iter().all(|entry| !entry.sentence.is_empty() && entry.step > 0));
        assert!(entries.iter().any(|entry| !entry.function.is_empty()));
        assert_eq!(session.at(), at);
        assert_eq!(list.entries(&mut session, usize::MAX).len(), list.steps.len());
    }

    #[test]
    fn values_are_written_as_elsewhere() {
        let all = [Cell::None, Cell::Count(1200), Cell::Signed(-120), Cell::Signed(67), Cell::Signed(0)];
        assert_eq!(all.map(shown), ["", "1\u{202f}200", "\u{2212}120", "+67", "0"]);
        assert_eq!(shown(Cell::Hundredths(914)), "9.14");
    }
}
