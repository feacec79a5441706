//! How the rows stand under each other: old above new, a group for each CPU.

use std::collections::BTreeSet;

use super::rows::{Kind, Side};
use crate::link::Which;

/// Heights, in pixels.
pub const TASKS: f64 = 25.0;
/// A row of functions.
pub const FUNCTIONS: f64 = 19.0;
/// A row of locks, or of interrupts.
pub const LOCKS: f64 = 17.0;
/// Above each side: its name.
pub const TITLE: f64 = 28.0;
/// Between the rows of two CPUs.
const BETWEEN: f64 = 8.0;
/// Rows from which on the groups of all but the first CPUs are folded at first.
const MANY: usize = 90;
/// CPUs that stay open then.
const OPEN: u8 = 2;

/// CPUs whose rows are folded into one.
pub type Folded = BTreeSet<(Which, u8)>;

/// A row with its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Side.
    pub which: Which,
    /// CPU.
    pub cpu: u8,
    /// Group and row in [`Side::groups`].
    pub group: usize,
    /// See [`Line::group`].
    pub row: usize,
    /// What it shows.
    pub kind: Kind,
    /// Top.
    pub y: f64,
    /// Height.
    pub h: f64,
    /// It is the first of its kind in its group: its name stands beside it.
    pub named: bool,
}

/// All rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Rows from top to bottom.
    pub lines: Vec<Line>,
    /// Top and bottom of each side's rows, its title included.
    pub sides: [(f64, f64); 2],
    /// Height.
    pub height: f64,
}

/// What is folded at first: of many CPUs all but a few.
pub fn folded_at_first(sides: &[Side; 2]) -> Folded {
    let rows = sides.iter().flat_map(|side| &side.groups).map(|group| group.rows.len()).sum::<usize>();
    let groups = Which::BOTH
        .into_iter()
        .flat_map(|which| sides[which as usize].groups.iter().map(move |group| (which, group.cpu)));
    groups.filter(|&(_, cpu)| rows > MANY && cpu >= OPEN).collect()
}

/// Puts the rows under each other.
pub fn layout(sides: &[Side; 2], folded: &Folded) -> Layout {
    let mut layout = Layout::default();
    let mut y = 0.0;
    for which in Which::BOTH {
        let top = y;
        y += TITLE;
        for (number, group) in sides[which as usize].groups.iter().enumerate() {
            let open = !folded.contains(&(which, group.cpu));
            for (at, row) in group.rows.iter().enumerate().filter(|(_, row)| open || row.kind == Kind::Tasks) {
                let (h, named) = match row.kind {
                    Kind::Tasks => (TASKS, true),
                    Kind::Functions(depth) => (FUNCTIONS, depth == 0),
                    Kind::Locks(_) | Kind::Irqs => (LOCKS, true),
                };
                let (group, cpu, row, kind) = (number, group.cpu, at, row.kind);
                layout.lines.push(Line { which, cpu, group, row, kind, y, h, named });
                y += h;
            }
            y += BETWEEN;
        }
        layout.sides[which as usize] = (top, y);
    }
    layout.height = y;
    layout
}

impl Layout {
    /// The row at a height.
    pub fn at(&self, y: f64) -> Option<&Line> {
        let passed = self.lines.partition_point(|line| line.y <= y);
        self.lines[..passed].last().filter(|line| y < line.y + line.h)
    }
}
