//! What each CPU of one side did: rows of spans, in steps.

use std::collections::{BTreeMap, HashMap};

use sim_core::engine::Timeline;
use sim_core::machine::LockClass;
use sim_core::view::{FunctionKind, function_kind};

use super::sched::{Run, Schedule, schedule};

/// Rows of functions on one CPU at most; what is called from deeper is left out.
const DEEPEST: usize = 24;

/// A span of steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Step count at which it begins.
    pub start: u32,
    /// Step count at which it is over.
    pub end: u32,
    /// Which: of a function its number in [`Side::functions`], of a lock its index, of a task its number.
    pub what: u32,
}

/// What a row shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Tasks: solid while they run, dashed while they sleep.
    Tasks,
    /// Functions that are called from so many others.
    Functions(u8),
    /// Locks of a class: solid while held, dashed while waited for.
    Locks(LockClass),
    /// Interrupts off.
    Irqs,
}

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What it shows.
    pub kind: Kind,
    /// Spans by their start; of functions and tasks none overlap.
    pub solid: Vec<Span>,
    /// Sleeps and waits, by their start.
    pub dashed: Vec<Span>,
}

/// The rows of one CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// CPU.
    pub cpu: u8,
    /// Tasks, functions from the outermost inwards, locks, interrupts.
    pub rows: Vec<Row>,
}

/// A function that occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// Kernel name.
    pub name: &'static str,
    /// For its shade.
    pub kind: FunctionKind,
}

/// One side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// CPUs that made a step, ascending.
    pub groups: Vec<Group>,
    /// Functions that occur.
    pub functions: Vec<Name>,
    /// What tasks do.
    pub tasks: Vec<&'static str>,
    /// Steps of the run.
    pub steps: u32,
}

impl Side {
    /// The rows of a recorded run.
    pub fn new(timeline: &Timeline) -> Side {
        let mut schedule = schedule(timeline.records());
        schedule.runs.sort_by_key(|run| run.start);
        let steps = timeline.len() as u32;
        let mut rows: BTreeMap<(u8, Kind), Row> = BTreeMap::new();
        tasks(&schedule, &mut rows);
        let functions = functions(timeline, &schedule.runs, &mut rows);
        locks(timeline, &mut rows);
        for irq in timeline.index().irqs_off() {
            let span = Span { start: irq.start, end: irq.end.min(steps), what: 0 };
            row(&mut rows, irq.cpu, Kind::Irqs).solid.push(span);
        }
        let mut groups: Vec<Group> = Vec::new();
        for ((cpu, _), mut row) in rows {
            row.solid.sort_by_key(|span| span.start);
            row.dashed.sort_by_key(|span| span.start);
            match groups.last_mut() {
                Some(group) if group.cpu == cpu => group.rows.push(row),
                _ => groups.push(Group { cpu, rows: vec![row] }),
            }
        }
        Side { groups, functions, tasks: timeline.task_names().to_vec(), steps }
    }

    /// The name of a span of a row.
    pub fn name(&self, kind: Kind, span: Span) -> &'static str {
        match kind {
            Kind::Tasks => self.tasks.get(span.what as usize).copied().unwrap_or("task"),
            Kind::Functions(_) => self.functions.get(span.what as usize).map_or("", |function| function.name),
            Kind::Locks(class) => class.words(),
            Kind::Irqs => "IRQs off",
        }
    }
}

impl Row {
    /// The spans, solid or dashed, that a step count lies within: of what covers steps those that made that step, of
    /// what lasts between steps those that have begun and not ended.
    pub fn at(&self, step: u32, dashed: bool) -> impl Iterator<Item = Span> {
        let spans = if dashed { &self.dashed } else { &self.solid };
        let covers = !dashed && matches!(self.kind, Kind::Tasks | Kind::Functions(_));
        let within = move |span: &&Span| {
            if covers { span.start < step && step <= span.end } else { span.start <= step && step < span.end }
        };
        let end = spans.partition_point(|span| span.start <= step);
        // Where spans of a row overlap, they are few: locks of one class that one CPU holds.
        let start = end.saturating_sub(if covers { 2 } else { 64 });
        spans[start..end].iter().filter(within).copied()
    }
}

fn row(rows: &mut BTreeMap<(u8, Kind), Row>, cpu: u8, kind: Kind) -> &mut Row {
    rows.entry((cpu, kind)).or_insert(Row { kind, solid: Vec::new(), dashed: Vec::new() })
}

fn tasks(schedule: &Schedule, rows: &mut BTreeMap<(u8, Kind), Row>) {
    for run in &schedule.runs {
        row(rows, run.cpu, Kind::Tasks).solid.push(Span { start: run.start, end: run.end, what: run.task.into() });
    }
    for &(cpu, span) in &schedule.sleeps {
        row(rows, cpu, Kind::Tasks).dashed.push(span);
    }
}

/// Calls, cut to the stretches in which their task runs; those that make no step are left out.
fn functions(timeline: &Timeline, runs: &[Run], rows: &mut BTreeMap<(u8, Kind), Row>) -> Vec<Name> {
    let mut of_task: Vec<Vec<Run>> = vec![Vec::new(); timeline.task_names().len()];
    for &run in runs {
        of_task[usize::from(run.task)].push(run);
    }
    let mut numbers: HashMap<&'static str, u32> = HashMap::new();
    let mut names: Vec<Name> = Vec::new();
    let mut depths: Vec<u8> = Vec::with_capacity(timeline.frames().len());
    let mut of_cpu: BTreeMap<u8, Vec<Vec<Span>>> = BTreeMap::new();
    for frame in timeline.frames().iter() {
        let depth = frame.parent().map_or(0, |parent| depths[parent as usize].saturating_add(1));
        depths.push(depth);
        if frame.start >= frame.end || usize::from(depth) >= DEEPEST {
            continue;
        }
        let name = frame.func.name;
        let what = *numbers.entry(name).or_insert_with(|| {
            names.push(Name { name, kind: function_kind(name) });
            names.len() as u32 - 1
        });
        let runs = &of_task[usize::from(frame.task)];
        let first = runs.partition_point(|run| run.end <= frame.start);
        for run in runs[first..].iter().take_while(|run| run.start < frame.end) {
            let depths = of_cpu.entry(run.cpu).or_default();
            depths.resize(depths.len().max(usize::from(depth) + 1), Vec::new());
            depths[usize::from(depth)].push(Span {
                start: frame.start.max(run.start),
                end: frame.end.min(run.end),
                what,
            });
        }
    }
    for (cpu, depths) in of_cpu {
        for (depth, spans) in (0u8..).zip(depths) {
            row(rows, cpu, Kind::Functions(depth)).solid = spans;
        }
    }
    names
}

fn locks(timeline: &Timeline, rows: &mut BTreeMap<(u8, Kind), Row>) {
    let (index, steps) = (timeline.index(), timeline.len() as u32);
    for class in LockClass::ALL {
        for hold in index.holds_of(class) {
            let span = Span { start: hold.start, end: hold.end.min(steps), what: hold.lock.index };
            row(rows, hold.cpu, Kind::Locks(class)).solid.push(span);
        }
    }
    for wait in index.waits() {
        let span = Span { start: wait.start, end: wait.end.min(steps), what: wait.lock.index };
        row(rows, wait.cpu, Kind::Locks(wait.lock.class)).dashed.push(span);
    }
}
