//! A figure as SVG: sides next to each other, their counts below, the link last.

use super::sheet::{Face, Sheet, cut, wrapped};
use super::{Figure, FigureSide};
use crate::geom::Rect;
use crate::number;
use crate::svg::{FONTS, nested, style};
use crate::theme::{Theme, resolve};
use crate::words::thousands;

/// Space round the figure and between its sides.
const EDGE: f32 = 24.0;
const GAP: f32 = 32.0;
/// Height of the title with the line of parameters.
const HEAD: f32 = 62.0;
/// Lines of a sentence at most.
const SENTENCE_LINES: usize = 3;
const LINE: f32 = 18.0;
const ROW: f32 = 20.0;
const FOOT: f32 = 34.0;
/// Rows of counts that stand below each other before the next column begins.
const COLUMN_ROWS: usize = 6;

const TITLE: Face = Face("fig", 18.0, true);
const NAME: Face = Face("fig", 14.0, true);
const PLAIN: Face = Face("fig", 13.0, false);
const SOFT: Face = Face("fig soft", 13.0, false);
const HELD: Face = Face("fig bad", 13.0, true);
const SMALL: Face = Face("fig soft", 12.0, false);
const NUMBER: Face = Face("fig", 13.0, true);

/// Rules for what stands round the drawings.
const CSS: &str = "\
.fig { font-family: var(--ui); font-variant-numeric: tabular-nums; fill: var(--ink); }
.fig.soft { fill: var(--ink3); }
.fig.bad { fill: var(--held); }
.figrule { fill: var(--hair); }
.figold { fill: none; stroke: var(--ink); stroke-width: 2; }
.fignew { fill: var(--ink); stroke: var(--ink); stroke-width: 2; }
";

/// Where things are.
struct Plan {
    side: f32,
    width: f32,
    lines: usize,
    /// Top of the drawings.
    drawings: f32,
    /// Top of the counts.
    counts: f32,
    height: f32,
}

fn plan(figure: &Figure) -> Plan {
    let side = figure.sides.iter().map(|side| side.scene.width).fold(320.0, f32::max);
    let sides = figure.sides.len().max(1) as f32;
    let lines = figure.sides.iter().map(|one| sentence(one, side).len()).max().unwrap_or(1);
    let drawings = EDGE + HEAD + 26.0 + lines as f32 * LINE + 8.0;
    let drawn = figure.sides.iter().map(|side| side.scene.height).fold(0.0, f32::max);
    let counts = drawings + drawn + 18.0;
    let rows = if figure.sides.len() > 1 { COLUMN_ROWS.min(figure.rows.len()) } else { figure.rows.len() };
    let height = counts + 26.0 + rows as f32 * ROW + FOOT;
    Plan { side, width: 2.0 * EDGE + sides * side + (sides - 1.0) * GAP, lines, drawings, counts, height }
}

pub fn size(figure: &Figure) -> (f32, f32) {
    let plan = plan(figure);
    (plan.width, plan.height)
}

fn sentence(side: &FigureSide, width: f32) -> Vec<String> {
    wrapped(&side.sentence, PLAIN, width, SENTENCE_LINES)
}

pub fn svg(figure: &Figure, theme: &Theme) -> String {
    let plan = plan(figure);
    let mut sheet = Sheet::default();
    open(&mut sheet, figure, &plan, theme);
    head(&mut sheet, figure, &plan);
    for (at, side) in figure.sides.iter().enumerate() {
        let x = EDGE + at as f32 * (plan.side + GAP);
        one_side(&mut sheet, side, x, &plan, at);
        sheet.out.push_str(&nested(&side.scene, x, plan.drawings));
    }
    counts(&mut sheet, figure, &plan);
    let y = plan.height - 14.0;
    sheet.rect("figrule", Rect::new(EDGE, y - 20.0, plan.width - 2.0 * EDGE, 1.0));
    sheet.text(SMALL, EDGE, y, &cut(&figure.link, SMALL, plan.width - 2.0 * EDGE));
    sheet.out.push_str("</svg>\n");
    sheet.out
}

fn open(sheet: &mut Sheet, figure: &Figure, plan: &Plan, theme: &Theme) {
    let [w, h] = [plan.width, plan.height].map(number);
    let size = format!("viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\"");
    sheet.out.push_str(&format!("<svg xmlns=\"http://www.w3.org/2000/svg\" {size} role=\"img\">\n<title>"));
    sheet.escaped(&headline(figure));
    sheet.out.push_str("</title>\n<desc>");
    sheet.escaped(&figure.alt());
    sheet.escaped(if figure.link.is_empty() { "" } else { " " });
    sheet.escaped(&figure.link);
    sheet.out.push_str("</desc>\n<style>\n");
    sheet.out.push_str(&style(theme));
    let rules = CSS.replace("var(--ui)", FONTS);
    sheet.out.push_str(&resolve(&rules, theme.palette));
    if let Some(dark) = theme.dark {
        sheet.out.push_str("@media (prefers-color-scheme: dark) {\n");
        sheet.out.push_str(&resolve(&rules, dark));
        sheet.out.push_str("}\n");
    }
    sheet.out.push_str("</style>\n");
    sheet.rect("paper", Rect::new(0.0, 0.0, plan.width, plan.height));
}

fn headline(figure: &Figure) -> String {
    if figure.title.is_empty() { figure.scenario.clone() } else { format!("{}: {}", figure.scenario, figure.title) }
}

fn head(sheet: &mut Sheet, figure: &Figure, plan: &Plan) {
    let room = plan.width - 2.0 * EDGE - 90.0;
    sheet.text(TITLE, EDGE, EDGE + 16.0, &cut(&headline(figure), TITLE, room));
    sheet.text_end(SMALL, plan.width - EDGE, EDGE + 16.0, "mmscope");
    let params = if figure.params.is_empty() { "default parameters" } else { &figure.params };
    sheet.text(SOFT, EDGE, EDGE + 38.0, &cut(params, SOFT, plan.width - 2.0 * EDGE));
    sheet.rect("figrule", Rect::new(EDGE, EDGE + 50.0, plan.width - 2.0 * EDGE, 1.0));
}

fn one_side(sheet: &mut Sheet, side: &FigureSide, x: f32, plan: &Plan, at: usize) {
    let y = EDGE + HEAD + 12.0;
    let mut left = x;
    if !side.name.is_empty() {
        sheet.disc(if at == 0 { "figold" } else { "fignew" }, x + 6.0, y - 5.0, 5.0);
        left += 18.0;
    }
    let step = format!("step {} of {}", thousands(side.step), thousands(side.steps));
    let name = if side.name.is_empty() { side.label.clone() } else { format!("{}: {}", side.name, side.label) };
    sheet.text(NAME, left, y, &cut(&name, NAME, plan.side - 160.0));
    sheet.text_end(SOFT, x + plan.side, y, &step);
    if let Some(broken) = &side.broken {
        let text = cut(&format!("✗ {broken}"), HELD, plan.side);
        sheet.text(HELD, x, y + 4.0 + LINE, &text);
        return;
    }
    for (line, text) in sentence(side, plan.side).iter().take(plan.lines).enumerate() {
        sheet.text(PLAIN, x, y + 4.0 + (line + 1) as f32 * LINE, text);
    }
}

/// The counts so far: in two columns, each below a side.
fn counts(sheet: &mut Sheet, figure: &Figure, plan: &Plan) {
    let two = figure.sides.len() > 1;
    let per = if two { COLUMN_ROWS } else { figure.rows.len().max(1) };
    for (column, rows) in figure.rows.chunks(per).take(2).enumerate() {
        let x = EDGE + column as f32 * (plan.side + GAP);
        let ends: Vec<f32> = [190.0, 100.0, 10.0].iter().map(|from| x + plan.side - from).collect();
        let ends = if two { &ends[..] } else { &ends[2..] };
        let mut y = plan.counts + 12.0;
        sheet.text(SMALL, x, y, "counted so far");
        let names = if two { &["old", "new", "difference"][..] } else { &[] };
        for (end, name) in ends.iter().zip(names) {
            sheet.text_end(SMALL, *end, y, name);
        }
        for (label, values) in rows {
            y += ROW;
            sheet.text(PLAIN, x, y, label);
            for (end, value) in ends.iter().zip(values) {
                sheet.text_end(NUMBER, *end, y, &grouped(*value));
            }
            if let ([old, new], Some(end)) = (&values[..], ends.get(2)) {
                sheet.text_end(PLAIN, *end, y, &difference(*old, *new));
            }
        }
    }
}

fn difference(old: u64, new: u64) -> String {
    let sign = match new.cmp(&old) {
        std::cmp::Ordering::Less => "\u{2212}",
        std::cmp::Ordering::Equal => "",
        std::cmp::Ordering::Greater => "+",
    };
    format!("{sign}{}", grouped(old.abs_diff(new)))
}

fn grouped(n: u64) -> String {
    u32::try_from(n).map_or_else(|_| n.to_string(), thousands)
}
