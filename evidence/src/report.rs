//! What a comparison says: rows of published and modelled numbers, and what was fitted to which of them.

use serde::Serialize;

/// How a number takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A parameter was fitted to it: its error says nothing.
    Fitted,
    /// Predicted, and not used for anything else.
    HeldOut,
    /// A count that must come out as it was recorded.
    Exact,
    /// Only which of two is larger counts.
    Order,
    /// Shown beside, without an aim.
    Shown,
}

/// A number that was published or recorded, and the model's.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What it counts.
    pub what: String,
    /// The published or recorded number; none where there is none for this row.
    pub published: Option<f64>,
    /// Standard deviation of it, where published.
    pub stddev: Option<f64>,
    /// The model's number.
    pub modelled: f64,
    /// Part that it takes.
    pub role: Role,
    /// Largest error aimed at: in percent of the published number, or in its own unit where `points`.
    pub aim: Option<f64>,
    /// The aim is in points, not percent.
    pub points: bool,
    /// Where it departs and why, in one line.
    pub note: String,
    /// In another unit than the table: it has no bar beside the others.
    pub apart: bool,
    /// That the aim is missed is known, and said in the note.
    pub known: bool,
}

impl Row {
    /// A row without an aim.
    pub fn new(what: impl Into<String>, published: f64, modelled: f64, role: Role) -> Row {
        Row {
            what: what.into(),
            published: Some(published),
            stddev: None,
            modelled,
            role,
            aim: None,
            points: false,
            note: String::new(),
            apart: false,
            known: false,
        }
    }

    /// The same with the largest error aimed at, in percent.
    pub fn within(self, percent: f64) -> Row {
        Row { aim: Some(percent), ..self }
    }

    /// The same with the largest error aimed at, in points.
    pub fn within_points(self, points: f64) -> Row {
        Row { aim: Some(points), points: true, ..self }
    }

    /// The same with the published standard deviation.
    pub fn spread(self, stddev: Option<f64>) -> Row {
        Row { stddev, ..self }
    }

    /// The same with a word on why it departs.
    pub fn note(self, note: impl Into<String>) -> Row {
        Row { note: note.into(), ..self }
    }

    /// The same in another unit than the table's.
    pub fn apart(self) -> Row {
        Row { apart: true, ..self }
    }

    /// The same with the reason for which it is known to miss its aim.
    pub fn misses(self, why: impl Into<String>) -> Row {
        Row { note: why.into(), known: true, ..self }
    }

    /// How far the model is off: in percent of the published number, or in points.
    pub fn error(&self) -> Option<f64> {
        let published = self.published?;
        if self.points {
            return Some(self.modelled - published);
        }
        if published == 0.0 {
            return Some(if self.modelled == 0.0 { 0.0 } else { f64::INFINITY });
        }
        Some((self.modelled - published) * 100.0 / published)
    }

    /// The aim is met; none where there is none.
    pub fn holds(&self) -> Option<bool> {
        let error = self.error()?.abs();
        match self.role {
            Role::Exact => Some(error == 0.0),
            Role::HeldOut => self.aim.map(|aim| error <= aim),
            _ => None,
        }
    }
}

/// Something that a table says as a whole: an order, a bound, a direction.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// What must be so.
    pub what: String,
    /// What was found.
    pub found: String,
    /// It is so.
    pub holds: bool,
    /// Where it is known not to be so: why.
    pub known: Option<String>,
}

impl Check {
    /// Something that must be so, what was found, and whether it is so.
    pub fn new(what: impl Into<String>, found: impl Into<String>, holds: bool) -> Check {
        Check { what: what.into(), found: found.into(), holds, known: None }
    }

    /// The same with the reason for which it is known not to hold.
    pub fn fails(self, why: impl Into<String>) -> Check {
        Check { known: Some(why.into()), ..self }
    }
}

/// A parameter that was fitted.
#[derive(Clone, Debug, Serialize)]
pub struct Fit {
    /// Which.
    pub parameter: String,
    /// Its value.
    pub value: f64,
    /// Unit of the value.
    pub unit: &'static str,
    /// The published numbers that it was fitted to.
    pub from: String,
}

/// One published or recorded table beside the model.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    /// Title.
    pub title: String,
    /// Where the numbers are from.
    pub source: String,
    /// Unit of the numbers.
    pub unit: String,
    /// Cost profile of the model, where times are modelled.
    pub profile: Option<String>,
    /// Rows.
    pub rows: Vec<Row>,
    /// What it says as a whole.
    pub checks: Vec<Check>,
    /// Parameters that were fitted.
    pub fits: Vec<Fit>,
    /// What to know: how the model was run, where it departs, why an aim is missed.
    pub notes: Vec<String>,
}

impl Table {
    /// A table without rows.
    pub fn new(title: impl Into<String>, source: impl Into<String>, unit: impl Into<String>) -> Table {
        Table {
            title: title.into(),
            source: source.into(),
            unit: unit.into(),
            profile: None,
            rows: Vec::new(),
            checks: Vec::new(),
            fits: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The largest error of the rows that were held out, in percent or points; none where there are none.
    pub fn worst(&self) -> Option<f64> {
        let held_out = self.rows.iter().filter(|row| row.role == Role::HeldOut);
        held_out.filter_map(Row::error).map(f64::abs).max_by(f64::total_cmp)
    }

    /// Every aim, every exact count and every check holds.
    pub fn holds(&self) -> bool {
        self.rows.iter().all(|row| row.holds() != Some(false)) && self.checks.iter().all(|check| check.holds)
    }

    /// What does not hold is known not to, and nothing that is known not to hold does.
    pub fn as_known(&self) -> bool {
        self.rows.iter().all(|row| row.holds().is_none_or(|holds| holds != row.known))
            && self.checks.iter().all(|check| check.holds == check.known.is_none())
    }
}

/// Everything that is known of one series.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The series.
    pub series: &'static str,
    /// Its tables.
    pub tables: Vec<Table>,
}

impl Report {
    /// Every table holds.
    pub fn holds(&self) -> bool {
        self.tables.iter().all(Table::holds)
    }

    /// Every table is as it is known to be.
    pub fn as_known(&self) -> bool {
        self.tables.iter().all(Table::as_known)
    }
}
