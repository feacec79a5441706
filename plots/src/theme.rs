//! Colours, dashes and hatches. Shapes are drawn in stand-in colours, one for each [`Tone`]; `finish` puts in what a
//! theme has for them. So each theme has the same geometry.

use plotters::style::RGBColor;

use crate::Side;

/// What the colours are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// The page's own custom properties, for a picture inside the page: it follows the page's theme. No background.
    #[default]
    Css,
    /// Fixed colours on light ground, for a file.
    Light,
    /// Fixed colours on dark ground, for a file.
    Dark,
    /// Black on white.
    Print,
}

/// What a shape is, which decides how it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// The ground.
    Paper,
    /// Title, numbers that matter.
    Text,
    /// Labels of axes.
    Quiet,
    /// Lines of the grid.
    Grid,
    /// The line that bars stand on.
    Axis,
    /// A side's line; the number tells lines of one side apart.
    Line(Side, u8),
    /// A side's colour with neither dash nor hatch, for markers and outlines.
    Mark(Side),
    /// A side's bars: hatched is old, full is new.
    Fill(Side),
    /// Bars of what was published: hatched.
    Published,
    /// Bars of what is modelled: full.
    Modelled,
}

const TONES: [Tone; 19] = {
    use Side::{New, Old};
    use Tone::{Axis, Fill, Grid, Line, Mark, Modelled, Paper, Published, Quiet, Text};
    [
        Paper,
        Text,
        Quiet,
        Grid,
        Axis,
        Line(Old, 0),
        Line(Old, 1),
        Line(Old, 2),
        Line(Old, 3),
        Line(New, 0),
        Line(New, 1),
        Line(New, 2),
        Line(New, 3),
        Mark(Old),
        Mark(New),
        Fill(Old),
        Fill(New),
        Published,
        Modelled,
    ]
};

/// Dashes of a side's lines. The first new one has none; the old ones never are without.
const DASHES: [[&str; 4]; 2] = [["7 4", "2 4", "12 4 2 4", "12 3 4 3 4 3"], ["", "18 3", "18 3 3 3", "9 2"]];

impl Tone {
    /// The colour that stands for it while it is drawn.
    pub fn stand_in(self) -> RGBColor {
        let index = TONES.iter().position(|tone| *tone == self).unwrap_or(1);
        RGBColor(0xe0, 0, index as u8)
    }

    /// The tone that a stand-in, as plotters writes it, is for.
    pub fn of(color: &str) -> Option<Tone> {
        let index = color.strip_prefix("#E000")?;
        TONES.get(usize::from_str_radix(index, 16).ok()?).copied()
    }

    /// Tone of a side's line; there are four of each.
    pub fn line(side: Side, nth: usize) -> Tone {
        Tone::Line(side, (nth % 4) as u8)
    }

    /// Dashes, if it has them.
    pub fn dashes(self) -> Option<&'static str> {
        let Tone::Line(side, nth) = self else { return None };
        Some(DASHES[side as usize][usize::from(nth) % 4]).filter(|dashes| !dashes.is_empty())
    }

    /// Name of its hatch and the tone that this is drawn in, if it is hatched.
    pub fn hatch(self) -> Option<(&'static str, Tone)> {
        match self {
            Tone::Fill(Side::Old) => Some(("old", Tone::Mark(Side::Old))),
            Tone::Published => Some(("published", Tone::Text)),
            _ => None,
        }
    }

    /// Row of the palette.
    fn row(self) -> usize {
        match self {
            Tone::Paper => 0,
            Tone::Text | Tone::Published => 1,
            Tone::Quiet => 2,
            Tone::Grid => 3,
            Tone::Axis => 4,
            Tone::Line(Side::Old, _) | Tone::Mark(Side::Old) | Tone::Fill(Side::Old) => 5,
            Tone::Line(Side::New, _) | Tone::Mark(Side::New) | Tone::Fill(Side::New) => 6,
            Tone::Modelled => 7,
        }
    }
}

/// Custom property, light, dark, print. The first three of each row are those of the page's style sheets.
pub(crate) const PALETTE: [[&str; 4]; 8] = [
    ["--paper", "#fbfaf7", "#111418", "#ffffff"],
    ["--ink", "#1b1a17", "#eceae5", "#000000"],
    ["--ink2", "#504c45", "#bcbab4", "#000000"],
    ["--hair", "#dfdbd1", "#2b3037", "#d0d0d0"],
    ["--edge", "#8c8577", "#6b7480", "#000000"],
    ["--plot-old", "#91406f", "#e39cc8", "#000000"],
    ["--plot-new", "#0b6b64", "#4fc2b4", "#000000"],
    ["--ink3", "#6d685f", "#9d9e98", "#4a4a4a"],
];

/// Fonts of the page, for files.
const FONTS: &str =
    "Inter, -apple-system, Segoe UI Variable Text, Segoe UI, Adwaita Sans, Roboto, Noto Sans, system-ui, sans-serif";

impl Theme {
    /// Value of a fill or stroke.
    pub(crate) fn color(self, tone: Tone) -> String {
        let [name, light, dark, print] = PALETTE[tone.row()];
        match self {
            Theme::Css => format!("var({name})"),
            Theme::Light => light.into(),
            Theme::Dark => dark.into(),
            Theme::Print => print.into(),
        }
    }

    /// Value of `font-family`.
    pub(crate) fn fonts(self) -> &'static str {
        if self == Theme::Css { "var(--ui)" } else { FONTS }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tone_has_its_stand_in() {
        for tone in TONES {
            let RGBColor(r, g, b) = tone.stand_in();
            assert_eq!(Tone::of(&format!("#{r:02X}{g:02X}{b:02X}")), Some(tone));
        }
        assert_eq!(Tone::of("#E000FF"), None);
        assert_eq!(Tone::of("#FFFFFF"), None);
    }

    /// A colour's part of white light, as WCAG 2 has it.
    fn luminance(color: &str) -> f64 {
        let part = |at: usize| {
            let share = f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }

    #[test]
    fn text_and_sides_stand_out_from_the_ground() {
        for theme in [1, 2, 3] {
            for (row, least) in [(1, 7.0), (2, 7.0), (4, 3.0), (5, 4.5), (6, 4.5), (7, 4.5)] {
                let [a, b] = [PALETTE[row][theme], PALETTE[0][theme]].map(luminance);
                let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
                assert!(contrast >= least, "{} {contrast}", PALETTE[row][theme]);
            }
        }
    }

    #[test]
    fn sides_differ_without_colour() {
        assert_eq!(Tone::line(Side::New, 0).dashes(), None);
        for nth in 0..4 {
            assert!(Tone::line(Side::Old, nth).dashes().is_some());
        }
        assert!(Tone::Fill(Side::Old).hatch().is_some() && Tone::Fill(Side::New).hatch().is_none());
    }

    #[test]
    fn colours_are_those_of_the_page() {
        let sheet = |name: &str| {
            let path = format!("{}/../assets/css/{name}", env!("CARGO_MANIFEST_DIR"));
            std::fs::read_to_string(path).unwrap()
        };
        let text = sheet("tokens.css") + &sheet("plots.css");
        for [name, light, dark, _] in PALETTE {
            for value in [light, dark] {
                assert!(text.contains(&format!("{name}: {value};")), "{name}: {value}");
            }
        }
    }
}
