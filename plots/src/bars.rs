//! Bars: what was published beside what is modelled, in groups.

use crate::axis::{Axis, Scale};
use crate::canvas::{Canvas, Chart};
use crate::layout::{self, Across, Layout, Parts};
use crate::legend::{self, Entry, Sample};
use crate::lines::{left_out_note, limited, rounded, span};
use crate::measure::clean;
use crate::table::exact;
use crate::theme::Tone;
use crate::{Frame, Plot, PlotError, Size, Theme};

/// A value, and what is known of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bar {
    /// The value.
    pub value: f64,
    /// Least and most, where that was published.
    pub error: Option<(f64, f64)>,
    /// The model was fitted to it, so that agreement proves nothing.
    pub fitted: bool,
}

impl Bar {
    /// A value alone.
    pub fn new(value: f64) -> Bar {
        Bar { value, ..Bar::default() }
    }
}

/// Two bars side by side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// What stands below.
    pub name: String,
    /// The left bar.
    pub published: Option<Bar>,
    /// The right one.
    pub modelled: Option<Bar>,
}

/// Groups of a published and a modelled value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// Title.
    pub title: String,
    /// What the groups are: "Patches applied".
    pub x: String,
    /// What the values are.
    pub y: Axis,
    /// The groups.
    pub groups: Vec<Group>,
    /// Names in the legend: of published and of modelled values.
    pub names: [String; 2],
    /// What the error bars are, for the legend: "least and most of 5 runs".
    pub error: String,
}

/// Look of the published and of the modelled bars: fill and outline. They are of neither side, and have no hue.
const LOOKS: [(Tone, Tone); 2] = [(Tone::Published, Tone::Text), (Tone::Modelled, Tone::Modelled)];

impl Group {
    fn bars(&self) -> [Option<Bar>; 2] {
        [self.published, self.modelled]
    }
}

/// A bar that can be drawn: values that are no numbers are left out.
fn drawable(bar: Option<Bar>) -> Option<Bar> {
    let limit = |value: f64| limited(value, Scale::Linear);
    let bar = bar.filter(|bar| bar.value.is_finite())?;
    let error = bar.error.filter(|(low, high)| low.is_finite() && high.is_finite());
    let error = error.map(|(low, high)| (limit(low.min(high)), limit(low.max(high))));
    Some(Bar { value: limit(bar.value), error, ..bar })
}

impl Bars {
    fn all(&self) -> impl Iterator<Item = Bar> {
        self.groups.iter().flat_map(|group| group.bars().into_iter().filter_map(drawable))
    }

    fn parts(&self) -> Parts<'_> {
        let given = self.groups.iter().flat_map(Group::bars).flatten();
        let left_out = given.filter(|bar| !bar.value.is_finite()).count();
        let values = self.all().flat_map(|bar| {
            let (low, high) = bar.error.unwrap_or((bar.value, bar.value));
            [bar.value, low, high]
        });
        Parts {
            title: &self.title,
            description: self.describe(),
            legend: self.legend(),
            y: &self.y,
            across: Across::Groups {
                heading: &self.x,
                names: self.groups.iter().map(|group| clean(&group.name)).collect(),
            },
            range: span(values).map(|range| rounded(range, true)),
            notes: left_out_note(left_out, Scale::Linear),
        }
    }

    fn legend(&self) -> Vec<Entry> {
        let mut entries: Vec<Entry> = LOOKS
            .iter()
            .zip(&self.names)
            .map(|((fill, edge), name)| Entry::new(Sample::Bar(*fill, *edge), name))
            .collect();
        if self.all().any(|bar| bar.error.is_some()) {
            entries.push(Entry::new(Sample::Error, &self.error));
        }
        if self.all().any(|bar| bar.fitted) {
            entries.push(Entry::new(Sample::Fitted, ""));
        }
        entries
    }

    fn describe(&self) -> String {
        let mut text = format!("{} by {}.", self.y.heading(), self.x);
        // More than that are for the table.
        for group in self.groups.iter().take(12) {
            for (bar, name) in group.bars().into_iter().zip(&self.names) {
                if let Some(bar) = drawable(bar) {
                    let fitted = if bar.fitted { ", fitted" } else { "" };
                    text += &format!(" {}, {name}: {}{fitted}.", group.name, self.y.unit.say(bar.value));
                }
            }
        }
        text
    }

    fn data(&self, canvas: &Canvas, chart: &Chart) -> Result<(), PlotError> {
        for (i, group) in self.groups.iter().enumerate() {
            let (left, base) = chart.place((i as f64, 0.0));
            let slot = chart.place((i as f64 + 1.0, 0.0)).0 - left;
            let wide = (slot * 0.36).min(44.0);
            for (nth, bar) in group.bars().into_iter().enumerate() {
                if let Some(bar) = drawable(bar) {
                    let from = left + slot / 2.0 + if nth == 0 { -wide - 1.0 } else { 1.0 };
                    one(canvas, chart, bar, (from, from + wide), base, nth)?;
                }
            }
        }
        Ok(())
    }
}

/// Draws a bar with what belongs to it.
fn one(
    canvas: &Canvas,
    chart: &Chart,
    bar: Bar,
    (left, right): (f64, f64),
    base: f64,
    nth: usize,
) -> Result<(), PlotError> {
    let height = |value| chart.place((0.0, value)).1;
    let (fill, edge) = LOOKS[nth];
    let middle = (left + right) / 2.0;
    legend::bar(canvas, (left, height(bar.value)), (right, base), fill, edge)?;
    let mut top = height(bar.value).min(base);
    if let Some((low, high)) = bar.error {
        legend::error(canvas, middle, height(high), height(low), Tone::Text)?;
        top = top.min(height(high));
    }
    if bar.fitted {
        legend::diamond(canvas, (middle, top - 10.0))?;
    }
    Ok(())
}

impl Plot for Bars {
    fn draw(&self, size: Size, theme: Theme) -> Result<String, PlotError> {
        layout::draw(&self.parts(), size, theme, |canvas, chart, _| self.data(canvas, chart))
    }

    /// x is the number of the group, from 0; a group is one wide.
    fn frame(&self, size: Size) -> Result<Frame, PlotError> {
        Ok(Layout::new(&self.parts(), size)?.frame)
    }

    /// A row for each group. Bounds have columns where there are any, and so has what was fitted.
    fn to_table(&self) -> Vec<Vec<String>> {
        let given = || self.groups.iter().flat_map(Group::bars).flatten();
        let [errors, fitted] = [given().any(|bar| bar.error.is_some()), given().any(|bar| bar.fitted)];
        let mut heading = vec![self.x.clone()];
        for name in &self.names {
            heading.push(format!("{name}, {}", self.y.column()));
            heading.extend(["least", "most"].iter().filter(|_| errors).map(|word| format!("{name}, {word}")));
            heading.extend(fitted.then(|| format!("{name}, fitted")));
        }
        let cells = |bar: Option<Bar>| {
            let mut cells = vec![bar.map(|bar| exact(bar.value)).unwrap_or_default()];
            let error = bar.and_then(|bar| bar.error);
            if errors {
                cells.extend(
                    [error.map(|error| error.0), error.map(|error| error.1)].map(|v| v.map(exact).unwrap_or_default()),
                );
            }
            cells.extend(fitted.then(|| if bar.is_some_and(|bar| bar.fitted) { "yes" } else { "" }.to_string()));
            cells
        };
        let row = |group: &Group| {
            std::iter::once(group.name.clone()).chain(group.bars().into_iter().flat_map(cells)).collect()
        };
        std::iter::once(heading).chain(self.groups.iter().map(row)).collect()
    }
}
