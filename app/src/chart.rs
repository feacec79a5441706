//! The timeline's shapes: both runs at one scale in steps, ribbons that join the same pages, and the playhead, which
//! is one moment on two clocks.
//!
//! What does not change while the reader steps is a [`Chart`], made once for a pair of runs; what does is its
//! [`Head`].

use std::fmt::Write as _;

use sim_core::view::{FunctionKind, Lanes, Span};
use stage::number;

use crate::link::{Pair, Which};
use crate::text;

/// Which of the three drawings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Size {
    /// Three columns.
    #[default]
    Wide,
    /// Two columns.
    Medium,
    /// One column: lru_lock only.
    Narrow,
}

/// Where things are in a drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measures {
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
    /// Left end of the lanes.
    pub left: f32,
    /// Right end of the longer run.
    pub right: f32,
    /// Bottom of the old side's lanes.
    pub upper: f32,
    /// Top of the new side's lanes.
    pub lower: f32,
    /// From a lane of the old side to the new side's.
    pub shift: f32,
    /// Middle of the first lane's text.
    pub text: f32,
    /// lru_lock alone.
    pub short: bool,
}

impl Measures {
    /// The measures of a drawing.
    pub fn of(size: Size) -> Measures {
        let wide = Measures {
            width: 1408.0,
            height: 135.0,
            left: 122.0,
            right: 1398.0,
            upper: 61.0,
            lower: 82.0,
            shift: 72.0,
            text: 19.5,
            short: false,
        };
        match size {
            Size::Wide => wide,
            Size::Medium => {
                Measures { width: 992.0, height: 121.0, left: 104.0, right: 982.0, lower: 69.0, shift: 59.0, ..wide }
            }
            Size::Narrow => Measures {
                width: 366.0,
                height: 47.0,
                left: 44.0,
                right: 364.0,
                upper: 21.0,
                lower: 31.0,
                shift: 24.0,
                text: 15.0,
                short: true,
            },
        }
    }

    fn down(&self, which: Which) -> f32 {
        if which == Which::Old { 0.0 } else { self.shift }
    }
}

/// A shape with its class.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// CSS class.
    pub class: &'static str,
    /// Path data.
    pub d: String,
}

/// A text with its class.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// CSS class.
    pub class: &'static str,
    /// Where, as the class aligns it.
    pub x: f32,
    /// Middle.
    pub y: f32,
    /// What it says.
    pub text: String,
}

/// A page of the loop, or a phase of a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// First step count.
    pub start: u32,
    /// Left edge.
    pub x: f32,
    /// Width.
    pub w: f32,
    /// What stands in it.
    pub label: String,
    /// Whether there is room for that even while it is not the current one.
    pub shown: bool,
}

/// The drawing of a pair of runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// Which drawing.
    pub size: Size,
    /// Pixels for a step.
    scale: f32,
    ends: Pair,
    /// Name of the lock that the picture is about.
    lock: &'static str,
    /// What a cell of the first lane is: "page".
    unit: &'static str,
    /// Ribbons, each with the step at which it begins on the old side.
    pub ribbons: Vec<(u32, String)>,
    /// Lanes and lines, back to front.
    pub shapes: Vec<Shape>,
    /// Lines where pages are joined, in front of what is faded.
    pub joints: String,
    /// Cells of the first lane of each side.
    pub cells: [Vec<Cell>; 2],
    /// Texts that stay.
    pub texts: Vec<Text>,
    /// Marks of the function lane's tones: where, and class.
    pub tones: Vec<(f32, f32, &'static str)>,
}

/// What the playhead changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Head {
    /// Its line.
    pub line: String,
    /// Its knob.
    pub knob: String,
    /// Left edge and width of what is to come, on each side.
    pub future: [(f32, f32); 2],
    /// Cell that each side is in.
    pub cells: [Option<usize>; 2],
    /// Ribbon that the old side is in.
    pub ribbon: Option<usize>,
}

impl Chart {
    /// The drawing of two runs.
    pub fn new(old: &Lanes, new: &Lanes, size: Size, unit: &'static str) -> Chart {
        let m = Measures::of(size);
        let ends = Pair::new(old.steps, new.steps);
        let scale = (m.right - m.left) / old.steps.max(new.steps).max(1) as f32;
        let mut chart = Chart { size, scale, ends, lock: old.lock, unit, ..Chart::default() };
        for (which, lanes) in [(Which::Old, old), (Which::New, new)] {
            chart.lanes(which, lanes, &m);
            chart.titles(which, lanes, &m);
        }
        chart.ribbons(old, new, &m);
        chart.summary(old, new, &m);
        chart
    }

    fn x(&self, step: u32) -> f32 {
        Measures::of(self.size).left + step as f32 * self.scale
    }

    /// The step at a place: which side's clock, and how many steps.
    pub fn step_at(&self, x: f32, y: f32) -> (Which, u32) {
        let m = Measures::of(self.size);
        let which = if y < (m.upper + m.lower) / 2.0 { Which::Old } else { Which::New };
        (which, self.step_on(which, x))
    }

    /// The step at a place of one side's clock.
    pub fn step_on(&self, which: Which, x: f32) -> u32 {
        let step = ((x - Measures::of(self.size).left) / self.scale.max(f32::MIN_POSITIVE)).round().max(0.0);
        (step as u32).min(self.ends.of(which))
    }

    /// The playhead of a moment.
    pub fn head(&self, at: Pair) -> Head {
        let m = Measures::of(self.size);
        let (old, new) = (self.x(at.old), self.x(at.new));
        let top = if m.short { 5.0 } else { 8.0 };
        let [o, n, upper, lower, bottom, left] = [old, new, m.upper, m.lower, m.height - 2.0, old - 6.5].map(number);
        let future = Which::BOTH.map(|which| {
            let from = self.x(at.of(which));
            (from, (self.x(self.ends.of(which)) - from).max(0.0))
        });
        let cells = Which::BOTH.map(|which| {
            let cells = &self.cells[which as usize];
            let passed = cells.partition_point(|cell| cell.start <= at.of(which));
            passed.checked_sub(1)
        });
        Head {
            line: format!("M{o} {top}V{upper}L{n} {lower}V{bottom}"),
            knob: format!("M{left} 0h13v5l-6.5 7l-6.5-7z"),
            future,
            cells,
            ribbon: self.ribbons.partition_point(|&(start, _)| start <= at.old).checked_sub(1),
        }
    }

    fn lanes(&mut self, which: Which, lanes: &Lanes, m: &Measures) {
        let y = m.down(which);
        let base = if m.short { 20.0 } else { 50.0 } + y;
        let line = format!("M{} {base}H{}", number(m.left), number(self.x(lanes.steps)));
        if m.short {
            self.path("hl", &lanes.holds, 9.0 + y, 11.0);
            self.shapes.push(Shape { class: "base", d: line });
            return;
        }
        self.first_lane(which, lanes);
        for (kinds, class) in TONES {
            let spans = lanes.functions.iter().filter(|span| kinds.contains(&span.kind));
            let spans: Vec<Span> = spans.map(|span| span.span).collect();
            self.path(class, &spans, 27.0 + y, 7.0);
        }
        self.shapes.push(Shape { class: "base", d: line });
        self.path("hl", &lanes.holds, 38.0 + y, 12.0);
        self.path("hl wait", &lanes.waits, 36.0 + y, 2.0);
        self.path("hl q", &lanes.page_lock, 53.0 + y, 5.0);
        self.path("hl p", &lanes.ptl, 58.0 + y, 2.0);
    }

    /// Pages of the loop as cells; batches by their phases.
    fn first_lane(&mut self, which: Which, lanes: &Lanes) {
        let y = 12.0 + Measures::of(self.size).down(which);
        let pages = !batched(lanes);
        // Where every task begins with the same page, its number tells nothing.
        let alike = lanes.blocks.len() > 1 && lanes.blocks.iter().all(|block| block.pages == lanes.blocks[0].pages);
        let mut cells = Vec::new();
        for block in &lanes.blocks {
            if block.phases.is_empty() {
                let label = if alike { String::new() } else { block.pages.0.to_string() };
                cells.push(self.cell(block.span.start, block.span.end, label));
            } else {
                let phases = block.phases.iter().filter(|(_, start, end)| end > start);
                cells.extend(phases.map(|(name, start, end)| self.cell(*start, *end, self.phase(name, block.pages))));
            }
        }
        if pages {
            thin(&mut cells);
            let mut d = String::new();
            for cell in cells.iter().filter(|cell| cell.w > 1.0) {
                rect(&mut d, cell.x, y, cell.w, 14.0);
            }
            self.shapes.push(Shape { class: "cell", d });
        } else {
            cells.iter_mut().for_each(|cell| cell.shown = room(&cell.label) <= cell.w + 4.0);
        }
        self.cells[which as usize] = cells;
    }

    fn cell(&self, start: u32, end: u32, label: String) -> Cell {
        let x = self.x(start) + 0.4;
        Cell { start, x, w: (self.x(end) - x - 0.4).max(0.5), label, shown: true }
    }

    /// Middle of the label of the current cell: what stands beside the end of the run is not written over.
    pub fn label_x(&self, which: Which, cell: &Cell) -> f32 {
        let half = room(&cell.label) / 2.0;
        (cell.x + cell.w / 2.0).min(self.x(self.ends.of(which)) + 6.0 - half).max(self.x(0) + half)
    }

    // The first phase of a batch says which pages it is of.
    fn phase(&self, name: &str, (first, last): (u32, u32)) -> String {
        let pages = if first == last { first.to_string() } else { format!("{first}–{last}") };
        match (name, self.size) {
            ("pin", Size::Wide) => format!("pin {pages}"),
            ("pin", _) => pages,
            (name, Size::Wide) => name.to_string(),
            (name, _) => name.chars().take(3).collect(),
        }
    }

    fn path(&mut self, class: &'static str, spans: &[Span], y: f32, h: f32) {
        let d = self.spans(spans, y, h);
        if !d.is_empty() {
            self.shapes.push(Shape { class, d });
        }
    }

    /// Spans as one path. What would be less than a third of a pixel apart is drawn as one.
    fn spans(&self, spans: &[Span], y: f32, h: f32) -> String {
        let mut sorted: Vec<(u32, u32)> =
            spans.iter().map(|span| (span.start, span.end.min(self.ends.old.max(self.ends.new)))).collect();
        sorted.sort_unstable();
        let mut d = String::new();
        let mut open: Option<(f32, f32)> = None;
        for (start, end) in sorted {
            let (from, to) = (self.x(start), self.x(end));
            match &mut open {
                Some((_, until)) if from - *until < 0.3 => *until = until.max(to),
                _ => {
                    if let Some((from, to)) = open.replace((from, to)) {
                        rect(&mut d, from, y, (to - from).max(0.6), h);
                    }
                }
            }
        }
        if let Some((from, to)) = open {
            rect(&mut d, from, y, (to - from).max(0.6), h);
        }
        d
    }

    fn titles(&mut self, which: Which, lanes: &Lanes, m: &Measures) {
        let y = m.text + m.down(which);
        let mut text = |class, x, y, text: &str| self.texts.push(Text { class, x, y, text: text.into() });
        text("tl b", 15.0, y, which.name());
        if m.short {
            return;
        }
        let batches = batched(lanes);
        let x = m.left - 8.0;
        for (down, name) in [
            (0.0, if batches { "batch" } else { self.unit }),
            (11.5, "functions"),
            (25.0, lanes.lock),
            (37.5, "page lock, ptl"),
        ] {
            text("tl r", x, y + down, name);
        }
    }

    fn ribbons(&mut self, old: &Lanes, new: &Lanes, m: &Measures) {
        let pages = joints(old, new);
        let places: Vec<(u32, u32)> = pages.iter().map(|&page| (step_of(old, page), step_of(new, page))).collect();
        let top = if m.short { 9.0 } else { 12.0 };
        let bottom = m.height - 3.0;
        for &(o, n) in &places {
            let [o, n] = [self.x(o), self.x(n)].map(number);
            let _ = write!(self.joints, "M{o} {top}V{}L{n} {}V{bottom}", m.upper, m.lower);
        }
        for pair in places.windows(2) {
            let [o0, n0, o1, n1] = [pair[0].0, pair[0].1, pair[1].0, pair[1].1].map(|step| number(self.x(step)));
            self.ribbons.push((pair[0].0, format!("M{o0} {u}H{o1}L{n1} {l}H{n0}Z", u = m.upper, l = m.lower)));
        }
    }

    /// What is said beside the shorter run.
    fn summary(&mut self, old: &Lanes, new: &Lanes, m: &Measures) {
        if old.stopped.is_some() || new.stopped.is_some() {
            return self.stops(old, new, m);
        }
        let shorter = if new.steps <= old.steps { Which::New } else { Which::Old };
        let (less, more) = if shorter == Which::New { (new, old) } else { (old, new) };
        let x = self.x(less.steps) + 12.0;
        let room = m.width - x;
        let y = m.text + m.down(shorter);
        let Some(percent) = text::percent(more.steps.into(), less.steps.into()) else { return };
        if m.short {
            if room > 118.0 {
                let percent = percent.trim_start_matches('\u{2212}');
                self.texts.push(Text { class: "tl", x, y, text: format!("done, {percent} fewer steps") });
            }
            return;
        }
        if room < 330.0 {
            return;
        }
        let [steps, fewer] = [less.steps, more.steps - less.steps].map(|n| text::thousands(n.into()));
        let done = format!("done in {steps} steps, {fewer} fewer ({percent})");
        self.texts.push(Text { class: "tl done", x, y, text: done });
        if let (Some(less), Some(more)) = (holds(less), holds(more)) {
            let holds = format!("{}: {less}, against {more}", self.lock);
            self.texts.push(Text { class: "tl", x, y: y + 24.5, text: holds });
        }
        if room > 560.0 && self.size == Size::Wide && self.lock == "lru_lock" && self.unit == "page" {
            for (from, class, name) in
                [(194.0, "ph t4", "lru_add_drain"), (102.0, "ph t3", "isolate"), (42.0, "ph t2", "other")]
            {
                let x = m.width - from;
                self.tones.push((x - 12.0, y - 3.5, class));
                self.texts.push(Text { class: "tl", x, y, text: name.into() });
            }
        }
    }
}

// A run that was stopped saves nothing.
impl Chart {
    fn stops(&mut self, old: &Lanes, new: &Lanes, m: &Measures) {
        for (which, lanes) in [(Which::Old, old), (Which::New, new)] {
            let Some(rule) = lanes.stopped else { continue };
            let x = self.x(lanes.steps) + 12.0;
            let text = format!("stopped by a broken rule: {rule}");
            let y = m.text + m.down(which);
            if m.width - x > room(&text) * 1.6 {
                self.texts.push(Text { class: "tl done", x, y, text });
            } else if m.width - x > 60.0 {
                self.texts.push(Text { class: "tl done", x, y, text: "stopped".into() });
            }
        }
    }
}

/// Most ribbons.
const RIBBONS: usize = 16;

/// Tones of the function lane.
const TONES: [(&[FunctionKind], &str); 4] = [
    (&[FunctionKind::Walk], "ph t1"),
    (&[FunctionKind::Putback, FunctionKind::Other], "ph t2"),
    (&[FunctionKind::Isolate], "ph t3"),
    (&[FunctionKind::Drain], "ph t4"),
];

/// Pages at which ribbons begin: the first pages of batches, or each fourteenth page where neither side has batches;
/// a few of them where there are many, and the end.
fn joints(old: &Lanes, new: &Lanes) -> Vec<u32> {
    let mut pages: Vec<u32> = match [new, old].into_iter().find(|lanes| batched(lanes)) {
        Some(lanes) => lanes.blocks.iter().map(|block| block.pages.0).collect(),
        None => old.blocks.iter().step_by(14).map(|block| block.pages.0).collect(),
    };
    let stride = pages.len().div_ceil(RIBBONS).max(1);
    pages = pages.into_iter().step_by(stride).collect();
    let end = [old, new].into_iter().filter_map(|lanes| lanes.blocks.last()).map(|block| block.pages.1 + 1).max();
    pages.extend(end);
    pages
}

/// The run goes through batches, not through single pages.
fn batched(lanes: &Lanes) -> bool {
    !lanes.blocks.is_empty() && lanes.blocks.iter().all(|block| !block.phases.is_empty())
}

/// Steps made when the loop comes to a page; inside a batch in proportion.
fn step_of(lanes: &Lanes, page: u32) -> u32 {
    let at = lanes.blocks.partition_point(|block| block.pages.0 <= page);
    let Some(block) = at.checked_sub(1).map(|at| &lanes.blocks[at]) else { return 0 };
    if page > block.pages.1 {
        return block.span.end;
    }
    let (first, last) = block.pages;
    let length = u64::from(block.span.end - block.span.start);
    block.span.start + (length * u64::from(page - first) / u64::from(last - first + 1)) as u32
}

/// "8 holds of 43 to 72 steps".
fn holds(lanes: &Lanes) -> Option<String> {
    let lengths = || lanes.holds.iter().map(|span| span.end - span.start);
    let (least, most) = (lengths().min()?, lengths().max()?);
    let count = lanes.holds.len() as u64;
    let noun = if count == 1 { "hold" } else { "holds" };
    let range = match most - least {
        0 => text::thousands(most.into()),
        1 => format!("{least} or {most}"),
        _ => format!("{} to {}", text::thousands(least.into()), text::thousands(most.into())),
    };
    Some(format!("{} {noun} of {range} steps", text::thousands(count)))
}

/// Shows as many labels as there is room for, at round numbers.
fn thin(cells: &mut [Cell]) {
    let widest = cells.iter().map(|cell| room(&cell.label)).fold(0.0, f32::max);
    let pitch = cells.last().map_or(1.0, |last| (last.x + last.w - cells[0].x) / cells.len() as f32);
    let strides = [1, 7, 14, 28, 56, 112, 280, 560, 1120, 2800, 5600];
    let stride = strides.into_iter().find(|&stride| stride as f32 * pitch >= widest + 2.0).unwrap_or(usize::MAX);
    let mut end = f32::MIN;
    for (i, cell) in cells.iter_mut().enumerate() {
        let (middle, half) = (cell.x + cell.w / 2.0, room(&cell.label) / 2.0);
        // Cells differ in width: a label must not run into the one before.
        cell.shown = i % stride == 0 && middle - half >= end;
        if cell.shown {
            end = middle + half;
        }
    }
}

/// Pixels that a label of the first lane needs.
fn room(label: &str) -> f32 {
    label.chars().count() as f32 * 4.6 + 5.5
}

fn rect(d: &mut String, x: f32, y: f32, w: f32, h: f32) {
    let [x, y, w, h] = [x, y, w, h].map(number);
    // Writing to a string cannot fail.
    let _ = write!(d, "M{x} {y}h{w}v{h}h-{w}z");
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::view::Block;

    fn span(start: u32, end: u32) -> Span {
        Span { cpu: 0, start, end }
    }

    fn pages(count: u32, each: u32) -> Lanes {
        let blocks = (0..count).map(|page| Block {
            span: span(page * each, (page + 1) * each),
            pages: (page, page),
            phases: Vec::new(),
        });
        let holds = (0..count).map(|page| span(page * each + 3, page * each + 7));
        Lanes {
            steps: count * each,
            blocks: blocks.collect(),
            lock: "lru_lock",
            holds: holds.collect(),
            ..Lanes::default()
        }
    }

    fn batches(count: u32, each: u32) -> Lanes {
        let blocks = (0..count).map(|batch| Block {
            span: span(batch * each, (batch + 1) * each),
            pages: (batch * 14, batch * 14 + 13),
            phases: vec![
                ("pin".into(), batch * each, batch * each + each / 2),
                ("isolate".into(), batch * each + each / 2, (batch + 1) * each),
            ],
        });
        Lanes { steps: count * each, blocks: blocks.collect(), ..Lanes::default() }
    }

    #[test]
    fn both_runs_have_one_scale() {
        let chart = Chart::new(&pages(56, 38), &batches(4, 288), Size::Wide, "page");
        let head = chart.head(Pair::new(56 * 38, 4 * 288));
        assert_eq!(head.line, "M1398 8V61L812.77 82V133");
        assert_eq!(head.future[0].1, 0.0);
        assert_eq!(chart.head(Pair::default()).line, "M122 8V61L122 82V133");
    }

    #[test]
    fn a_place_is_a_step_of_one_clock() {
        let chart = Chart::new(&pages(56, 38), &batches(4, 288), Size::Wide, "page");
        for step in [0, 1, 646, 1152] {
            let x = chart.x(step);
            assert_eq!(chart.step_at(x, 20.0), (Which::Old, step));
            assert_eq!(chart.step_at(x, 100.0), (Which::New, step));
        }
        assert_eq!(chart.step_at(-50.0, 20.0), (Which::Old, 0));
        assert_eq!(chart.step_at(5000.0, 100.0), (Which::New, 1152));
    }

    #[test]
    fn ribbons_join_the_same_pages() {
        let chart = Chart::new(&pages(56, 38), &batches(4, 288), Size::Wide, "page");
        assert_eq!(chart.ribbons.len(), 4);
        let starts: Vec<u32> = chart.ribbons.iter().map(|ribbon| ribbon.0).collect();
        assert_eq!(starts, [0, 14 * 38, 28 * 38, 42 * 38]);
        assert_eq!(chart.head(Pair::new(17 * 38, 300)).ribbon, Some(1));
    }

    #[test]
    fn the_shorter_run_says_by_how_much() {
        let chart = Chart::new(&pages(56, 38), &batches(4, 288), Size::Wide, "page");
        let done = chart.texts.iter().find(|text| text.class == "tl done").unwrap();
        assert_eq!(done.text, "done in 1\u{202f}152 steps, 976 fewer (\u{2212}46\u{202f}%)");
        let even = Chart::new(&pages(56, 38), &pages(56, 38), Size::Wide, "page");
        assert!(even.texts.iter().all(|text| text.class != "tl done"));
    }

    #[test]
    fn the_label_of_the_last_cell_leaves_room_for_what_stands_beside_it() {
        let mut new = batches(4, 288);
        new.blocks[3].phases.push(("munlock".into(), 1150, 1152));
        let chart = Chart::new(&pages(56, 38), &new, Size::Wide, "page");
        let done = chart.texts.iter().find(|text| text.class == "tl done").unwrap();
        let cell = chart.cells[1].last().unwrap();
        assert_eq!(cell.label, "munlock");
        assert!(chart.label_x(Which::New, cell) + room(&cell.label) / 2.0 < done.x);
    }

    #[test]
    fn the_same_number_again_and_again_is_left_out() {
        let mut old = pages(3, 38);
        old.blocks.iter_mut().for_each(|block| block.pages = (0, 0));
        let chart = Chart::new(&old, &pages(3, 38), Size::Wide, "page");
        assert!(chart.cells[0].iter().all(|cell| cell.label.is_empty()));
        assert!(chart.cells[1].iter().all(|cell| !cell.label.is_empty()));
    }

    #[test]
    fn numbers_are_thinned_where_they_would_touch() {
        let shown = |pages_count, size| {
            let chart = Chart::new(&pages(pages_count, 38), &batches(4, 288), size, "page");
            chart.cells[0].iter().filter(|cell| cell.shown).count()
        };
        assert_eq!(shown(56, Size::Wide), 56);
        assert_eq!(shown(56, Size::Medium), 8);
        assert!(shown(512, Size::Wide) < 60);
    }

    #[test]
    fn many_spans_are_few_shapes() {
        let chart = Chart::new(&pages(20_000, 38), &pages(20_000, 38), Size::Wide, "page");
        assert!(chart.shapes.len() < 20);
        let longest = chart.shapes.iter().map(|shape| shape.d.len()).max().unwrap();
        assert!(longest < 200_000, "{longest}");
    }

    #[test]
    fn empty_runs_have_a_drawing() {
        for size in [Size::Wide, Size::Medium, Size::Narrow] {
            let chart = Chart::new(&Lanes::default(), &Lanes::default(), size, "page");
            chart.head(Pair::default());
            assert_eq!(chart.step_at(500.0, 20.0), (Which::Old, 0));
        }
    }
}
