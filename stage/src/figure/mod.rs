//! A figure: one moment of a run, or of two side by side, with what it needs to stand alone: titles, the step in
//! words, the main rows of the ledger, and a link to the moment.
//!
//! The page's Share dialog and `mmscope render` make their pictures here, so the same moment gives the same bytes.

mod picture;
mod recorded;
mod sheet;
mod text;

use sim_core::ledger::{Group, Row, rows};
use sim_core::scenario::Run;
use sim_core::view::View;

pub use recorded::{columns, kinds, moves_pages};

use crate::scene::Scene;
use crate::theme::Theme;
use crate::words::thousands;

/// Rows of the ledger that a figure has room for.
const MOST_ROWS: usize = 12;

/// One moment of a run, or of two side by side.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Name of the scenario.
    pub scenario: String,
    /// What it shows, in one line; may be empty.
    pub title: String,
    /// Parameters that differ from their defaults, and the number of pages: "pages=56".
    pub params: String,
    /// One run, or two, the older kernel first.
    pub sides: Vec<FigureSide>,
    /// Rows of the ledger: label and a count for each side.
    pub rows: Vec<(&'static str, Vec<u64>)>,
    /// Link to the moment; may be empty.
    pub link: String,
}

/// One run of a figure.
#[derive(Clone, Debug)]
pub struct FigureSide {
    /// "old" or "new"; empty where it stands alone.
    pub name: &'static str,
    /// Label of the kernel.
    pub label: String,
    /// Name of the variant.
    pub variant: String,
    /// Steps made.
    pub step: u32,
    /// Steps of the whole run.
    pub steps: u32,
    /// What the last step did.
    pub sentence: String,
    /// The rule that stops the run, where one does and it has been broken by now.
    pub broken: Option<String>,
    /// What the drawing shows.
    pub view: View,
    /// The drawing.
    pub scene: Scene,
}

impl Figure {
    /// The figure of runs at their cursors, which stay where they are.
    pub fn of(runs: &mut [&mut Run], link: String) -> Figure {
        let drawings = recorded::drawings(runs);
        let names: &[&'static str] = if runs.len() > 1 { &["old", "new"] } else { &[""] };
        let sides = runs.iter().zip(drawings).zip(names).map(|((run, drawing), name)| side(run, name, drawing));
        let sides = sides.collect();
        let rows = counts(runs);
        let spec = runs.first().map(|run| &run.spec);
        Figure {
            scenario: spec.map_or_else(String::new, |spec| spec.scenario.name.into()),
            title: spec.map_or_else(String::new, |spec| spec.scenario.title.into()),
            params: spec.map_or_else(String::new, |spec| {
                let shown = spec.params.iter().filter(|(param, value)| {
                    param.name == spec.scenario.series().opening.unit.0 || **value != param.initial()
                });
                let words: Vec<String> =
                    shown.map(|(param, value)| format!("{}={}", param.name, param.print(value))).collect();
                words.join(", ")
            }),
            sides,
            rows,
            link,
        }
    }

    /// The figure as an SVG document: self-contained, and the same bytes for the same moment.
    pub fn svg(&self, theme: &Theme) -> String {
        picture::svg(self, theme)
    }

    /// Width and height of the SVG document.
    pub fn size(&self) -> (f32, f32) {
        picture::size(self)
    }

    /// The figure as text of at most 72 columns.
    pub fn text(&self) -> String {
        text::text(self)
    }

    /// What the figure shows, for those who cannot see it.
    pub fn alt(&self) -> String {
        let params = if self.params.is_empty() { String::new() } else { format!(", {}", self.params) };
        let mut text = format!("{}{params}. ", self.scenario);
        for side in &self.sides {
            let name = if side.name.is_empty() { String::new() } else { format!("{}: ", side.name) };
            let (step, steps) = (thousands(side.step), thousands(side.steps));
            text.push_str(&format!("{name}{}, step {step} of {steps}: {} ", side.label, stop(&side.sentence)));
        }
        let rows = self.rows.iter().take(3).map(|(label, counts)| {
            let counts = self.sides.iter().zip(counts).map(|(side, n)| format!("{} {n}", side.name).trim().to_string());
            format!("{label}: {}", counts.collect::<Vec<_>>().join(", "))
        });
        text.push_str(&rows.collect::<Vec<_>>().join("; "));
        text.push('.');
        text
    }

    /// Name for a file: "mmscope-munlock-0-6-step-647-311.svg".
    pub fn file_name(&self, ending: &str) -> String {
        let clean = |text: &str| -> String {
            let kept = text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' });
            kept.take(40).collect()
        };
        let variants: Vec<String> = self.sides.iter().map(|side| clean(&side.variant)).collect();
        let steps: Vec<String> = self.sides.iter().map(|side| side.step.to_string()).collect();
        format!("mmscope-{}-{}-step-{}.{ending}", clean(&self.scenario), variants.join("-"), steps.join("-"))
    }
}

fn stop(sentence: &str) -> String {
    let text = sentence.trim();
    if text.ends_with(['.', '!', '?', ':', ';']) { text.to_string() } else { format!("{text}.") }
}

fn side(run: &Run, name: &'static str, (view, scene): (View, Scene)) -> FigureSide {
    let (step, steps) = (run.timeline.cursor() as u32, run.timeline.len() as u32);
    let broken = run.timeline.violation().filter(|violation| violation.step <= step);
    let sentence = match step {
        0 => "Nothing has run yet.".to_string(),
        _ => run.timeline.sentence().plain(),
    };
    FigureSide {
        name,
        label: run.spec.variant.label.into(),
        variant: run.spec.variant.name.into(),
        step,
        steps,
        sentence,
        broken: broken.map(|violation| format!("{}: {}", violation.rule, violation.detail)),
        view,
        scene,
    }
}

// As the page's table has them: what counts something by the end; beside the atomics only what tells the sides apart.
fn counts(runs: &[&mut Run]) -> Vec<(&'static str, Vec<u64>)> {
    let ends: Vec<Vec<Row>> = runs.iter().map(|run| rows(&run.ledger)).collect();
    let now: Vec<Vec<Row>> = runs.iter().map(|run| rows(&run.timeline.world().ledger)).collect();
    let Some(first) = ends.first() else { return Vec::new() };
    let says = |at: usize, row: &Row| {
        let values: Vec<u64> = ends.iter().map(|end| end[at].value).collect();
        let (some, alike) = (values.iter().any(|n| *n > 0), values.windows(2).all(|pair| pair[0] == pair[1]));
        row.group == Group::Total || some && (row.group == Group::Words || values.len() == 1 || !alike)
    };
    let row = |(at, row): (usize, &Row)| (row.label, now.iter().map(|now| now[at].value).collect());
    first.iter().enumerate().filter(|(at, row)| says(*at, row)).map(row).take(MOST_ROWS).collect()
}
